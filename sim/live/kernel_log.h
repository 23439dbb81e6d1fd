/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The log of the kernel of a node: dmesg, journalctl -k, /var/log/messages. Its
 * lines are better evidence than the log of a job, into which the job can print
 * any text. A file that a system's syslog wrote may hold lines of users too
 * (logger -t kernel); dmesg and journalctl -k do not. */
#ifndef SIM_KERNEL_LOG_H
#define SIM_KERNEL_LOG_H

#include "models/logs/log_host.h"
#include "models/logs/schedmate_handler.h"
#include "sim/live/log_file.h"

struct kernel_range {
    const char *node;  /* only lines of this host count; NULL: lines of any
                        * host */
    sim_time from, to; /* only lines of this time count; INT64_MIN: no limit */
};

struct kernel_finding {
    struct log_cause cause; /* weight 0: the kernel reports nothing */
    uint64_t line;          /* number of the line with the cause, from 1 */
    struct host_guess host; /* the host that the line names */
    /* True if the range limits the time and the line lies in it. */
    bool placed;
    uint64_t kernel_lines; /* number of lines that the kernel wrote */
    /* numbers of kernel lines that were left out */
    uint64_t other_host, outside, undated;
};

/* Finds the strongest report of a kernel log; of equally strong reports, the
 * first. */
enum status kernel_log_read(struct log_file *file,
                            const struct log_knowledge *knowledge,
                            const struct kernel_range *range,
                            struct kernel_finding *out,
                            struct error *err) MUST_USE;

/* Weighs a diagnosis of a job's log against a kernel log. A fault of the
 * hardware at the time of the job decides; one of unknown time decides only
 * where the log has nothing strong, and is otherwise in out->also. */
void kernel_log_apply(const struct kernel_finding *finding,
                      const struct job_end *end,
                      const struct log_knowledge *knowledge,
                      struct diagnosis *out);

#endif
