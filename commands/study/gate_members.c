/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "commands/study/gate_members.h"

#include <math.h>

#include "base/json_stream.h"
#include "base/real.h"

struct text gate_text_of(struct arena *arena, struct out *out)
{
    struct text text = out_memory(out);
    text.at = arena_copy(arena, text.at, text.len);
    out_abandon(out);
    return text;
}

/* Writes a number as summary.json has it; NaN as null. */
static void put_number(struct out *out, double value)
{
    char text[REAL_TEXT_MAX];
    if (isnan(value))
        out_text(out, "null");
    else if (value == floor(value) && fabs(value) < 9e15)
        out_i64(out, (int64_t)value);
    else
        out_bytes(out, text, real_to_text(value, text));
}

void gate_put_value(struct out *out, const struct gate_expected *value,
                    bool has_interval)
{
    if (!has_interval) {
        put_number(out, value->mean);
        return;
    }
    out_char(out, '[');
    put_number(out, value->mean);
    out_text(out, ", ");
    put_number(out, value->lo);
    out_text(out, ", ");
    put_number(out, value->hi);
    out_char(out, ']');
}

struct text gate_member(struct arena *arena, const char *key,
                        const struct gate_expected *value, bool has_interval)
{
    struct out *out = out_to_memory();
    json_put_text(out, key);
    out_text(out, ": ");
    gate_put_value(out, value, has_interval);
    return gate_text_of(arena, out);
}

struct text gate_whole_member(struct arena *arena, const char *key,
                              int64_t value)
{
    return gate_member(arena, key,
                       &(struct gate_expected){(double)value, NAN, NAN}, false);
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
