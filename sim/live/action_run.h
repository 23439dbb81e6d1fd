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
    int exit_status; /* -1 if a signal or the limit ended the command */
    int signal;      /* signal that ended the command; 0: none */
    bool timed_out;
};

struct action_book; /* the commands by action; opaque */

/* Reads {"replace-node": ["/usr/local/sbin/spare", "--job", "{job}"], ...}.
 * Unknown names of actions are refused. The caller owns *out; action_book_free
 * accepts NULL. */
enum status action_book_read(const char *path, struct action_book **out,
                             struct error *err) MUST_USE;
void action_book_free(struct action_book *book);

/* Returns the arguments of an action with the names put in, as a JSON array;
 * NULL if the book does not have the action. The caller owns the array. */
json_t *action_argv(const struct action_book *book, enum handler_action action,
                    const struct action_names *names);

/* Runs the command with empty input; its output goes to standard error. After
 * `limit` microseconds its process group is killed. */
enum status action_run(const json_t *argv, sim_span limit,
                       struct action_result *out, struct error *err) MUST_USE;

/* Appends one line of JSON about a run to a file. */
enum status action_note(const char *path, const char *action,
                        const json_t *argv, const struct action_result *result,
                        struct error *err) MUST_USE;

#endif
