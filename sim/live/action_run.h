/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs the operator's commands for recommended actions. A file maps names of
 * actions to argument lists. Nothing from a log is ever part of a command, and
 * no shell is involved. */
#ifndef SIM_ACTION_RUN_H
#define SIM_ACTION_RUN_H

#include "models/logs/schedmate_handler.h"
#include "sim/base/json_out.h"

#define ACTION_WORDS_MAX 64

/* The values of {job}, {node} and {log} in an argument, as the operator gave
 * them on the command line. */
struct action_names {
    const char *job, *node, *log;
};

struct action_result {
    /* exit status; -1: a signal or the limit ended the command */
    int exit_status;
    int signal; /* signal that ended the command; 0: none */
    bool timed_out;
};

struct action_book; /* the command of each action; opaque */

/* Reads {"replace-node": ["/usr/local/sbin/spare", "--job", "{job}"], ...}.
 * Unknown names of actions are refused. The caller owns *out; action_book_free
 * accepts NULL. */
enum status action_book_read(const char *path, struct action_book **out,
                             struct error *err) MUST_USE;
void action_book_free(struct action_book *book);

/* Returns the arguments of an action with the names filled in, as a JSON array;
 * NULL if the book has no command for the action. The caller owns the array. */
json_t *action_argv(const struct action_book *book, enum handler_action action,
                    const struct action_names *names);

/* Runs the command with empty input; its output goes to standard error. Its
 * process group is killed after `limit` microseconds. */
enum status action_run(const json_t *argv, sim_span limit,
                       struct action_result *out, struct error *err) MUST_USE;

/* Appends one line of JSON about a command that was run to a file. */
enum status action_note(const char *path, const char *action,
                        const json_t *argv, const struct action_result *result,
                        struct error *err) MUST_USE;

#endif
