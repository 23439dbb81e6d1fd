/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parts of the answer of `diagnose`: the answers of rules and model, and the
 * end of the window. */
#include <inttypes.h>
#include <string.h>

#include "commands/cmd_diagnose_internal.h"

static json_t *opinion_json(const struct handler_opinion *o)
{
    if (!o->given)
        return json_null();
    json_t *row = json_object();
    json_put(row, "error_type", json_text(failure_kinds[o->kind]));
    json_put(row, "faulty_component",
             o->kind == FAILURE_INFRASTRUCTURE
                 ? json_text(failure_parts[o->part])
                 : json_null());
    json_put(row, "confidence", json_number(logs_confidence(o->confidence)));
    return row;
}

json_t *diagnose_answers_json(const struct diagnosis *d)
{
    if (!d->asked)
        return json_null();
    json_t *row = json_object();
    json_put(row, "rules", opinion_json(&d->rules));
    json_put(row, "model", opinion_json(&d->model));
    return row;
}

static void write_opinion(const struct handler_opinion *o, const char *name,
                          struct out *out)
{
    out_printf(out, "%s %s", name,
               o->given ? failure_kinds[o->kind] : "unknown");
    if (o->given && o->kind == FAILURE_INFRASTRUCTURE)
        out_printf(out, ", %s", failure_parts[o->part]);
}

void diagnose_write_answers(const struct diagnosis *d, struct out *out)
{
    if (!d->asked)
        return;
    out_printf(out, "answers      %s (", handler_agreements[d->agreement]);
    write_opinion(&d->rules, "rules:", out);
    write_opinion(&d->model, "; model:", out);
    out_text(out, ")\n");
}

/* Number of lines at the end of the window that are shown if the cause is
 * unknown. */
#define TAIL_LINES 5

/* Returns the last lines of the window. *line becomes the number of the first
 * of them in the log. */
static struct text tail_of(const struct answer *a, uint64_t *line)
{
    struct text rest = a->window.text, last;
    uint64_t n = 0;
    while (n < TAIL_LINES && log_last_line(&rest, &last))
        n++;
    *line = a->window.first_line + a->window.lines - n;
    return text_skip(a->window.text, rest.len);
}

bool diagnose_shows_tail(const struct answer *a)
{
    return a->diagnosis.failed && a->diagnosis.source == HANDLER_NOTHING &&
           a->window.text.len > 0;
}

/* Longest part of a line that is shown, bytes. */
#define SHOWN_MAX 200
static void shown_text(struct text line, char out[SHOWN_MAX + 1])
{
    size_t n = line.len < SHOWN_MAX ? line.len : SHOWN_MAX;
    memcpy(out, line.at, n);
    out[n] = 0;
    for (size_t i = 0; i < n; i++)
        out[i] = out[i] ? out[i] : '?';
    text_clean(out);
}

json_t *diagnose_tail_json(const struct answer *a)
{
    char shown[SHOWN_MAX + 1];
    uint64_t number;
    struct text rest = tail_of(a, &number), line;
    json_t *list = json_array();
    while (log_first_line(&rest, &line)) {
        json_t *row = json_object();
        shown_text(line, shown);
        json_put(row, "line", json_integer((json_int_t)number++));
        json_put(row, "text", json_text(shown));
        json_array_append_new(list, row);
    }
    return list;
}

void diagnose_write_tail(const struct answer *a, struct out *out)
{
    char shown[SHOWN_MAX + 1];
    uint64_t number;
    struct text rest = tail_of(a, &number), line;
    while (log_first_line(&rest, &line)) {
        shown_text(line, shown);
        out_printf(out, "line %-7" PRIu64 " %s\n", number++, shown);
    }
}
