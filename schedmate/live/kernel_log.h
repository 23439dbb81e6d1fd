/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The log of the kernel of a node: dmesg, journalctl -k, /var/log/messages. Its
 * lines are better evidence than the log of a job, into which the job can print
 * any text. A file that a system's syslog wrote may hold lines of users too
 * (logger -t kernel); dmesg and journalctl -k do not. */
#ifndef SIM_KERNEL_LOG_H
#define SIM_KERNEL_LOG_H

#include "base/json.h"
#include "schedmate/live/log_file.h"
#include "schedmate/logs/diagnosis.h"

struct kernel_range {
    /* lines that name none of these hosts but another one do not count; n_nodes
     * 0: all hosts count */
    const char *const *nodes;
    size_t n_nodes;
    /* only lines in this range of time count, microseconds since 1970;
     * INT64_MIN: no limit */
    sim_time from, to;
};

/* Finds the strongest report in a kernel log; of equally strong reports, the
 * first. */
enum status kernel_log_read(struct log_file *file,
                            const struct log_knowledge *knowledge,
                            const struct kernel_range *range,
                            struct kernel_finding *out,
                            struct error *err) MUST_USE;

/* Returns a finding as a JSON object, which the caller owns. `log`: path of the
 * kernel log. */
json_t *kernel_finding_json(const char *log, const struct kernel_finding *k);

#endif
