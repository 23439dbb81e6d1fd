/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The log of the kernel of a node: dmesg, journalctl -k, /var/log/messages. Its
 * lines are better evidence than the log of a job, into which the job can print
 * any text. A file that a system's syslog wrote may hold lines of users too
 * (logger -t kernel); dmesg and journalctl -k do not. */
#ifndef SIM_KERNEL_LOG_H
#define SIM_KERNEL_LOG_H

#include "schedmate/live/log_file.h"
#include "schedmate/logs/log_host.h"
#include "schedmate/logs/schedmate_handler.h"

struct kernel_range {
    /* lines that name another host do not count; NULL: all hosts count */
    const char *node;
    /* only lines in this range of time count, microseconds since 1970;
     * INT64_MIN: no limit */
    sim_time from, to;
};

struct kernel_finding {
    /* weight 0: no line of the kernel names a cause */
    struct log_cause cause;
    uint64_t line;          /* number of the line with the cause, from 1 */
    struct host_guess host; /* the host that the line names */
    /* True if the range limits the time and the line lies in it. */
    bool placed;
    /* number of lines that look like lines of the kernel */
    uint64_t kernel_lines;
    /* numbers of kernel lines that were left out: they name another host, lie
     * outside the range of time, or have no time although there is a range */
    uint64_t other_host, outside, undated;
};

/* Finds the strongest report in a kernel log; of equally strong reports, the
 * first. */
enum status kernel_log_read(struct log_file *file,
                            const struct log_knowledge *knowledge,
                            const struct kernel_range *range,
                            struct kernel_finding *out,
                            struct error *err) MUST_USE;

/* Weighs the diagnosis *out of a job's log against a kernel log. A strong
 * report of a hardware fault at the time of the job decides. Any other report
 * decides only if the job failed and its log names no cause with much
 * confidence. A report that does not decide, or that concerns a job that ended
 * well, goes to out->also. If the log blames the same part with much
 * confidence, and with no less than the report, only out->evidence changes.
 * Without a report, nothing changes. */
void kernel_log_apply(const struct kernel_finding *finding,
                      const struct job_end *end,
                      const struct log_knowledge *knowledge,
                      struct diagnosis *out);

#endif
