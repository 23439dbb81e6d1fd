/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Errors caused by the outside world. The function that knows most about an
 * error writes the message; its callers return the status unchanged and at most
 * put words in front of the message. Only the outermost caller, such as a
 * command, prints it. A broken invariant is a bug and not an error: see
 * check.h. */
#ifndef SIM_BASE_ERROR_H
#define SIM_BASE_ERROR_H

#include <stdarg.h>

/* Name, exit status, meaning. --help prints the meanings and README.md repeats
 * them; a test compares the two. */
#define STATUS_TABLE(X) \
    X(OK, 0, "done") \
    X(END, 0, "done") \
    X(FAILED, 1, "run-time error, such as a full disk") \
    X(USAGE, 2, "usage: an unknown option, policy or value") \
    X(BAD_INPUT, 3, "bad input: the message names file, line and column") \
    X(INCOMPLETE, 4, \
      "finished but incomplete: some job can never start, or the horizon " \
      "came") \
    X(BAD_PLAN, 5, "an invariant, a plan's rule or `verify` failed") \
    X(BROKEN, 5, "an invariant, a plan's rule or `verify` failed") \
    X(TOLERANCE, 6, "a comparison lies outside its tolerance") \
    X(SAYS_INFRASTRUCTURE, 10, \
      "`diagnose --exit-status`: the infrastructure failed") \
    X(SAYS_FRAMEWORK, 11, "`diagnose --exit-status`: a library failed") \
    X(SAYS_USER_SCRIPT, 12, \
      "`diagnose --exit-status`: the user's script failed") \
    X(SAYS_OTHER, 13, \
      "`diagnose --exit-status`: time limit, cancelled, preempted, ...") \
    X(SAYS_UNKNOWN, 14, "`diagnose --exit-status`: a failure of unknown cause")

enum status {
#define STATUS_ENUM(name, code, words) STATUS_##name,
    STATUS_TABLE(STATUS_ENUM)
#undef STATUS_ENUM
};

/* Room for a path of PATH_MAX bytes and a sentence. */
#define ERROR_MAX 4608

struct error {
    enum status status;
    char message[ERROR_MAX];
};

#define MUST_USE __attribute__((warn_unused_result))

/* Sets the status and the message of err (which may be NULL) and returns
 * `status`. The message may quote a hostile file, so control characters,
 * including line feeds, and bytes that are not UTF-8 become '?' (text_clean). A
 * message that is too long is cut. */
enum status error_set(struct error *err, enum status status, const char *fmt,
                      ...) __attribute__((format(printf, 3, 4)));

/* Prepends the formatted text, cut after 511 bytes, to the message and returns
 * the status of `err`, which must not be NULL. The text should end with a
 * colon and a blank. */
enum status error_prefix(struct error *err, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

int status_exit(enum status status);
/* Returns the meaning of the exit status. */
const char *status_words(enum status status);

#endif
