/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes rows as the JSON of the Philly traces. */
#include "base/out.h"
#include "traces/cells.h"
#include "traces/formats/philly_internal.h"

/* Largest numbers of GPUs and of attempts that are written for one job. Larger
 * numbers are errors in the trace and would make the file huge. */
#define GPUS_MOST 100000u
#define ATTEMPTS_MOST 1000u

static bool is_ambiguous(const struct trace_row *row)
{
    const struct clock clock = {.pacific = true};
    sim_time start = row->submitted;
    bool found = clock_is_ambiguous(&clock, start);
    if (row->duration == TRACE_NO_TIME)
        return found;
    start += row->queue == TRACE_NO_TIME ? 0 : row->queue;
    sim_span each = row->attempts ? row->duration / row->attempts : 0;
    for (uint32_t i = 0; i <= row->attempts; i++)
        found |= clock_is_ambiguous(&clock, start + each * i);
    return found;
}

const char *philly_cannot_hold(const struct trace_row *row)
{
    bool tried = row->duration != TRACE_NO_TIME;
    if (row->gpus > GPUS_MOST)
        return "more than 100000 GPUs";
    if (row->attempts > ATTEMPTS_MOST)
        return "more than 1000 attempts";
    if (tried && row->queue == TRACE_NO_TIME)
        return "a job that ran without a recorded waiting time";
    if (tried && row->attempts == 0)
        return "a job that ran without a number of attempts";
    if (!tried && (row->gpus || row->attempts || row->queue != TRACE_NO_TIME))
        return "the GPUs, attempts or wait of a job without a run time";
    if (is_ambiguous(row))
        return "a time in the hour that Pacific clocks show twice";
    return NULL;
}

static void write_string(struct out *out, struct text t)
{
    out_char(out, '"');
    for (size_t i = 0; i < t.len; i++) {
        unsigned char c = (unsigned char)t.at[i];
        if (c < 0x20)
            out_printf(out, "\\u%04x", c);
        else if (c == '"' || c == '\\')
            out_printf(out, "\\%c", c);
        else
            out_char(out, t.at[i]);
    }
    out_char(out, '"');
}

static void write_date(struct out *out, sim_time at)
{
    const struct clock clock = {.pacific = true};
    out_char(out, '"');
    clock_write(&clock, out, at);
    out_char(out, '"');
}

/* Writes the GPUs as nodes with eight GPUs each, named m1, m2, ..., because
 * struct trace_row names no nodes. */
static void write_detail(struct out *out, uint32_t gpus)
{
    gpus = gpus < GPUS_MOST ? gpus : GPUS_MOST;
    out_text(out, ", \"detail\": [");
    for (uint32_t i = 0; i < gpus; i++) {
        if (i % 8 == 0)
            out_printf(out, "%s{\"ip\": \"m%u\", \"gpus\": [", i ? "]}, " : "",
                       i / 8 + 1);
        out_printf(out, "%s\"gpu%u\"", i % 8 ? ", " : "", i % 8);
    }
    out_text(out, gpus ? "]}]}" : "]}");
}

/* Writes the attempts of a job. A row has the number of attempts and the sum of
 * their lengths, but not when each one failed. So the attempts follow each
 * other directly and have equal lengths in whole seconds; the last one gets the
 * rest. The first attempt starts after the recorded wait, or at the submission
 * if no wait was recorded. */
static void write_attempts(struct out *out, const struct trace_row *row)
{
    uint32_t n = row->attempts ? row->attempts : 1;
    n = n < ATTEMPTS_MOST ? n : ATTEMPTS_MOST;
    sim_time at = row->submitted;
    sim_span each = row->duration / n / SPAN_SECOND * SPAN_SECOND;
    if (row->queue != TRACE_NO_TIME)
        at += row->queue;
    for (uint32_t i = 0; i < n; i++) {
        sim_span lasts = i + 1 < n ? each : row->duration - each * (n - 1);
        out_text(out, i ? ", {\"start_time\": " : "{\"start_time\": ");
        write_date(out, at);
        at += lasts;
        out_text(out, ", \"end_time\": ");
        write_date(out, at);
        write_detail(out, row->gpus);
    }
}

void philly_write_row(struct out *out, const struct trace_row *row,
                      uint64_t index)
{
    static const char *const states[] = {
        [TRACE_END_COMPLETED] = "\"Pass\"",
        [TRACE_END_FAILED] = "\"Failed\"",
        [TRACE_END_CANCELLED] = "\"Killed\"",
        [TRACE_END_UNKNOWN] = "null",
    };
    out_text(out, index ? ",\n{\"status\": " : "\n{\"status\": ");
    out_text(out, states[row->end]);
    out_text(out, ", \"vc\": ");
    write_string(out, row->vc);
    out_text(out, ", \"jobid\": ");
    write_string(out, row->source_id);
    out_text(out, ", \"attempts\": [");
    if (row->duration != TRACE_NO_TIME)
        write_attempts(out, row);
    out_text(out, "], \"submitted_time\": ");
    write_date(out, row->submitted);
    out_text(out, ", \"user\": ");
    write_string(out, row->user);
    out_char(out, '}');
}
