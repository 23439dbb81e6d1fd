/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes members of JSON objects as texts, for lists of items (gate_internal.h).
 */
#include "commands/study/gate_internal.h"

#include <math.h>

#include "base/json.h"
#include "base/out.h"

struct text gate_text_of(struct arena *arena, struct out *out)
{
    struct text text = out_memory(out);
    text.at = arena_copy(arena, text.at, text.len);
    out_abandon(out);
    return text;
}

/* Writes a number as summary.json has it; NaN as null. */
static void members_put_number(struct out *out, double value)
{
    char text[REAL_TEXT_MAX];
    if (isnan(value))
        out_text(out, "null");
    else if (value == floor(value) && fabs(value) < 9e15)
        out_i64(out, (int64_t)value);
    else
        out_bytes(out, text, real_to_text(value, text));
}

void gate_put_values(struct out *out, const double *values, size_t n)
{
    if (!n) {
        members_put_number(out, *values);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        out_text(out, i ? ", " : "[");
        members_put_number(out, values[i]);
    }
    out_char(out, ']');
}

struct text gate_member(struct arena *arena, const char *key,
                        const double *values, size_t n)
{
    struct out *out = out_to_memory();
    json_put_text(out, key);
    out_text(out, ": ");
    gate_put_values(out, values, n);
    return gate_text_of(arena, out);
}

struct text gate_whole_member(struct arena *arena, const char *key,
                              int64_t value)
{
    const double number = (double)value;
    return gate_member(arena, key, &number, 0);
}

struct text gate_text_member(struct arena *arena, const char *key,
                             const char *value)
{
    struct out *out = out_to_memory();
    json_put_text(out, key);
    out_text(out, ": ");
    json_put_text(out, value);
    return gate_text_of(arena, out);
}
