/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs a command of the operator without a shell. The code is in action_gate.c.
 */
#ifndef SIM_ACTION_RUN_H
#define SIM_ACTION_RUN_H

#include "base/json.h"

struct action_result {
    /* exit status; -1: a signal ended the command, or its end is not known */
    int exit_status;
    /* signal that ended the command, SIGKILL after the limit; 0: none, or not
     * known */
    int signal;
    bool timed_out;
};

/* Runs the command, a JSON array of at most ACTION_WORDS_MAX texts, with empty
 * input; its output goes to standard error. Its process group is killed after
 * about `limit` microseconds, which is no error. STATUS_FAILED if the command
 * cannot be started. */
enum status action_run(const json_t *argv, sim_span limit,
                       struct action_result *out, struct error *err) MUST_USE;

/* Returns the seconds since 1970. */
int64_t action_now(void);

#endif
