/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/error.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"

static const int exit_statuses[] = {
#define STATUS_ROW(name, code, words) [STATUS_##name] = code,
    STATUS_TABLE(STATUS_ROW)
#undef STATUS_ROW
};

static const char *const meanings[] = {
#define STATUS_WORDS(name, code, words) [STATUS_##name] = words,
    STATUS_TABLE(STATUS_WORDS)
#undef STATUS_WORDS
};

enum status error_set(struct error *err, enum status status, const char *fmt,
                      ...)
{
    if (!err)
        return status;
    va_list args;
    va_start(args, fmt);
    vsnprintf(err->message, sizeof err->message, fmt, args);
    va_end(args);
    text_clean(err->message);
    err->status = status;
    return status;
}

enum status error_prefix(struct error *err, const char *fmt, ...)
{
    char prefix[512];
    va_list args;
    va_start(args, fmt);
    vsnprintf(prefix, sizeof prefix, fmt, args);
    va_end(args);
    text_clean(prefix);
    size_t n = strlen(prefix), old = strlen(err->message);
    if (n + old + 1 > sizeof err->message)
        old = sizeof err->message - 1 - n;
    memmove(err->message + n, err->message, old);
    memcpy(err->message, prefix, n);
    err->message[n + old] = '\0';
    return err->status;
}

int status_exit(enum status status)
{
    return exit_statuses[status];
}

const char *status_words(enum status status)
{
    return meanings[status];
}
