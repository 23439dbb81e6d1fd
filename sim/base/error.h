/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Failures caused by the outside world. The callee fills the message at the
 * place that knows most; callers return the status unchanged. Only main prints
 * and exits. A broken invariant is not an error but a bug: see check.h. */
#ifndef SIM_BASE_ERROR_H
#define SIM_BASE_ERROR_H

#include <stdarg.h>

/* Name, exit status. The exit statuses are documented in README.md. */
#define STATUS_TABLE(X) \
    X(OK, 0) \
    X(END, 0) \
    X(FAILED, 1) \
    X(USAGE, 2) \
    X(BAD_INPUT, 3) \
    X(INCOMPLETE, 4) \
    X(BAD_PLAN, 5) \
    X(BROKEN, 5) \
    X(TOLERANCE, 6)

enum status {
#define STATUS_ENUM(name, code) STATUS_##name,
    STATUS_TABLE(STATUS_ENUM)
#undef STATUS_ENUM
};

/* Long enough for a path of PATH_MAX and a sentence. */
#define ERROR_MAX 4608

struct error {
    enum status status;
    char message[ERROR_MAX];
};

#define MUST_USE __attribute__((warn_unused_result))

/* Formats into err (which may be NULL) and returns `status`. One line: control
 * characters in the message, which may come from a hostile file, are written
 * as '?'. */
enum status error_set(struct error *err, enum status status, const char *fmt,
                      ...) __attribute__((format(printf, 3, 4)));

/* Puts "words: " in front of the message. */
enum status error_prefix(struct error *err, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

int status_exit(enum status status);

#endif
