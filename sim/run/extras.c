/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parts of the results that the user asks for (--wait-over, --by), beside
 * those that results always have. */
#include "sim/run/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

static int by_length(const void *a, const void *b)
{
    sim_span x = *(const sim_span *)a, y = *(const sim_span *)b;
    return (x > y) - (x < y);
}

static enum status parse_over(const char *text, struct extras *out,
                              struct error *err)
{
    struct text rest = text_from(text);
    do {
        struct text word = text_trim(text_split(rest, ',', &rest));
        if (out->n_over == EXTRAS_OVER_MAX)
            return error_set(err, STATUS_USAGE,
                             "--wait-over: more than %d times",
                             EXTRAS_OVER_MAX);
        if (!text_to_duration(word, &out->over[out->n_over]) ||
            out->over[out->n_over] < 0)
            return error_set(err, STATUS_USAGE,
                             "--wait-over: '%.*s' is not a length of time, "
                             "such as 600, 10min or 1.5h",
                             TEXT_ARGS(word));
        out->n_over++;
    } while (rest.len);
    qsort(out->over, out->n_over, sizeof *out->over, by_length);
    size_t n = 0;
    for (size_t i = 0; i < out->n_over; i++) {
        if (n == 0 || out->over[i] != out->over[n - 1])
            out->over[n++] = out->over[i];
    }
    out->n_over = n;
    return STATUS_OK;
}

static enum status parse_by(const char *text, struct extras *out,
                            struct error *err)
{
    static const char *const names[] = {"user", "type"};
    struct text rest = text_from(text);
    do {
        struct text word = text_trim(text_split(rest, ',', &rest));
        const char *near = text_nearest(word, names, 2);
        if (text_is(word, names[0]))
            out->by_user = true;
        else if (text_is(word, names[1]))
            out->by_type = true;
        else
            return error_set(err, STATUS_USAGE,
                             "--by: '%.*s' is not user or type%s",
                             TEXT_ARGS(word), text_suggest(near).words);
    } while (rest.len);
    return STATUS_OK;
}

enum status extras_parse(const char *wait_over, const char *by,
                         struct extras *out, struct error *err)
{
    enum status st = STATUS_OK;
    *out = (struct extras){0};
    if (wait_over)
        st = parse_over(wait_over, out, err);
    if (st == STATUS_OK && by)
        st = parse_by(by, out, err);
    return st;
}

const char *extras_over_name(sim_span over, char buf[EXTRAS_NAME_MAX])
{
    char seconds[SPAN_TEXT_MAX];
    size_t n = span_to_text(over, seconds);
    snprintf(buf, EXTRAS_NAME_MAX, "share_waiting_over_%.*ss", (int)n, seconds);
    return buf;
}

const char *extras_over_text(const struct extras *extras,
                             char buf[EXTRAS_TEXT_MAX])
{
    size_t len = 0;
    buf[0] = '\0';
    for (size_t i = 0; i < extras->n_over; i++) {
        char seconds[SPAN_TEXT_MAX];
        size_t n = span_to_text(extras->over[i], seconds);
        len += (size_t)snprintf(buf + len, EXTRAS_TEXT_MAX - len, "%s%.*s",
                                i ? "," : "", (int)n, seconds);
    }
    return buf;
}
