/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The operator's file of commands for recommended actions:
 *
 *   {"restart": ["/usr/local/sbin/requeue", "{job}"],
 *    "replace-node": {"command": ["/usr/local/sbin/replace", "{node}"],
 *                     "confirm": ["/usr/local/sbin/check-node", "{node}"],
 *                     "disruptive": true},
 *    "confirm": ["/usr/local/sbin/check-node", "{node}"]}
 *
 * "confirm" is a check that must end with exit status 0 before a disruptive
 * command runs on the evidence of the job's log alone; the "confirm" at the top
 * level is for all actions without a check of their own. "disruptive" overrides
 * the value in the knowledge (log_knowledge.h). {job} and {node} stand for what
 * the operator gave on the command line, {log} for the path of the log that
 * decides. Nothing from a log is ever part of a command. */
#ifndef SIM_ACTION_BOOK_H
#define SIM_ACTION_BOOK_H

#include "base/json.h"
#include "schedmate/logs/handler_action.h"

#define ACTION_WORDS_MAX 64

/* The values of {job} and {node}, as the operator gave them on the command
 * line, and of {log}; NULL: not given. */
struct action_names {
    const char *job, *node, *log;
};

struct action_book; /* opaque */

/* Reads the file. STATUS_BAD_INPUT if it cannot be read, has an unknown action,
 * key or word in braces or a value of a wrong type, or an object without
 * "command". The caller owns *out, which is unchanged on an error;
 * action_book_free accepts NULL. */
enum status action_book_read(const char *path, struct action_book **out,
                             struct error *err) MUST_USE;
void action_book_free(struct action_book *book);

/* Return the arguments of an action's command or of its check with the names
 * filled in, as a JSON array; NULL if the book has none. A name that was not
 * given becomes empty; action_book_refuses says so. The caller owns the
 * array. */
json_t *action_command(const struct action_book *book,
                       enum handler_action action,
                       const struct action_names *names);
json_t *action_check(const struct action_book *book, enum handler_action action,
                     const struct action_names *names);

/* Returns whether the book calls the action disruptive; `otherwise` if the book
 * has no value. */
bool action_book_disrupts(const struct action_book *book,
                          enum handler_action action, bool otherwise);

/* Adds to the array `out` why the command or check of the action must not run
 * with these names: a name that it uses is missing or empty, begins with '-',
 * is longer than ACTION_VALUE_MAX bytes, or has a character other than letters,
 * digits and ._:,@%+=/[]- */
#define ACTION_VALUE_MAX 1024
void action_book_refuses(const struct action_book *book,
                         enum handler_action action,
                         const struct action_names *names, json_t *out);

/* True if the file belongs to root or to the user of this process, and its mode
 * lets only its owner write it. Commands of any other file must not run. */
bool action_book_is_safe(const char *path);

#endif
