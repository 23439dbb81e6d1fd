/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>

#include "traces/formats/swf_write.h"

static bool is_number(struct text t)
{
    uint32_t value;
    return t.len == 0 || text_to_u32(t, &value);
}

const char *swf_cannot_hold(const struct trace_row *row)
{
    if (!row->source_id.len)
        return "a job without an id";
    if (!is_number(row->source_id))
        return "a job id that is no number";
    if (!is_number(row->user))
        return "a user that is no number";
    if (!is_number(row->name))
        return "a job name that is no number";
    if (!is_number(row->vc))
        return "a virtual cluster that is no number";
    return NULL;
}

/* space_text and space_span write a blank and then the value, or -1 if the
 * value is unknown or, for a text, not a number. */
static void space_text(struct out *out, struct text t)
{
    out_char(out, ' ');
    if (t.len && is_number(t))
        out_bytes(out, t.at, t.len);
    else
        out_text(out, "-1");
}

static void space_span(struct out *out, sim_span span, sim_span unknown)
{
    out_char(out, ' ');
    if (span == unknown)
        out_text(out, "-1");
    else
        out_span(out, span);
}

void swf_write_row(struct out *out, const struct trace_row *row, uint64_t index)
{
    static const char *const states[] = {
        [TRACE_END_COMPLETED] = " 1",
        [TRACE_END_FAILED] = " 0",
        [TRACE_END_CANCELLED] = " 5",
        [TRACE_END_UNKNOWN] = " -1",
    };
    if (row->source_id.len && is_number(row->source_id))
        out_bytes(out, row->source_id.at, row->source_id.len);
    else
        out_u64(out, index + 1);
    out_char(out, ' ');
    out_span(out, row->submitted);
    space_span(out, row->queue, TRACE_NO_TIME);
    space_span(out, row->duration, TRACE_NO_TIME);
    out_printf(out, " %" PRIu32 " -1 -1 %" PRIu32, row->gpus, row->gpus);
    space_span(out, row->declared, 0);
    out_text(out, " -1");
    out_text(out, states[row->end]);
    space_text(out, row->user);
    out_text(out, " -1");
    space_text(out, row->name);
    out_text(out, " -1");
    space_text(out, row->vc);
    out_text(out, " -1 -1\n");
}
