/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "schedmate/logs/log_severity.h"

#include <string.h>

#include "base/ascii.h"
#include "schedmate/logs/log_marks.h"

/* Bytes at the start of a line in which its severity stands. */
#define SEVERITY_BYTES 120

/* True if `t` begins with one of the words, whatever the case of its letters.
 */
static bool severity_begins(struct text t, const char *const *words)
{
    for (size_t i = 0; words[i]; i++) {
        size_t len = strlen(words[i]);
        if (t.len >= len &&
            text_is_nocase((struct text){t.at, len}, words[i]) &&
            !ascii_is_name(text_char(t, len)))
            return true;
    }
    return false;
}

/* True if one of the words stands in `t` as a word of its own. */
static bool severity_has_word(struct text t, const char *const *words)
{
    for (size_t i = 0; i < t.len; i++) {
        if ((i == 0 || !ascii_is_name(t.at[i - 1])) &&
            severity_begins(text_skip(t, i), words))
            return true;
    }
    return false;
}

/* True for the prefix of glog, "E0302 11:20:11", and for that of a kernel,
 * "[ 8120.11] " or "host kernel: ". */
static bool severity_is_prefix(struct text t)
{
    size_t n = 1;
    char c = text_char(t, 0);
    if ((c == 'E' || c == 'F') && ascii_is_digit(text_char(t, 1)) &&
        ascii_is_digit(text_char(t, 4)) && text_char(t, 5) == ' ')
        return true;
    while (c == '[' && (text_char(t, n) == ' ' || text_char(t, n) == '.' ||
                        ascii_is_digit(text_char(t, n))))
        n++;
    return (n > 3 && text_char(t, n) == ']') ||
           memmem(t.at, t.len, " kernel: ", strlen(" kernel: "));
}

/* True for a severity as a field: in capital letters, "[error]",
 * "level=error" or "\"level\": \"error\"". */
static bool severity_is_field(struct text t, const char *const *words)
{
    for (size_t i = 0; i < t.len; i++) {
        char before = i ? t.at[i - 1] : ' ';
        struct text rest = text_skip(t, i);
        if (ascii_is_name(before) || !severity_begins(rest, words))
            continue;
        char second = text_char(rest, 1);
        if (before == '[' || before == '=' || before == '"' || before == '<' ||
            (second >= 'A' && second <= 'Z'))
            return true;
    }
    return false;
}

bool log_reports_fault(struct text line)
{
    static const char *const severities[] = {"error", "err",    "fatal",
                                             "panic", "severe", NULL};
    static const char *const worst[] = {"critical", "crit", "emerg", "alert",
                                        NULL};
    static const char *const states[] = {"failed",
                                         "failure",
                                         "fault",
                                         "lost",
                                         "down",
                                         "timeout",
                                         "timed out",
                                         "hung",
                                         "hang",
                                         "reset",
                                         "unresponsive",
                                         "uncorrectable",
                                         "unreachable",
                                         "unhealthy",
                                         "offline",
                                         "dead",
                                         "drained",
                                         "degraded",
                                         "exception",
                                         "error state",
                                         "disconnected",
                                         "not responding",
                                         NULL};
    struct text t = text_trim(log_strip_rank(line)), head = t;
    if (head.len > SEVERITY_BYTES)
        head.len = SEVERITY_BYTES;
    if (severity_is_field(head, worst))
        return true;
    return (severity_is_prefix(head) || severity_is_field(head, severities)) &&
           severity_has_word(t, states);
}
