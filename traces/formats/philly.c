/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cluster_job_log of the Philly traces (Jeon et al., ATC 2019): a JSON array of
 * {status, vc, jobid, attempts: [{start_time, end_time, detail: [{ip, gpus:
 * [...]}]}], submitted_time, user}. Dates are in US Pacific time with daylight
 * saving; an unknown date is "None" or null.
 *
 * A job may have several attempts, because failed jobs were started again, or
 * no attempt. An attempt is complete if both its dates are known. The number of
 * GPUs of a job is that of its largest attempt, so a job without attempts has 0
 * GPUs and no run time. The reader also accepts an excerpt in which `id` names
 * the job and `num_gpus` gives its GPUs.
 *
 * The array is read one element at a time (traces/json_array.h). */
#include <string.h>

#include "traces/cells.h"
#include "traces/formats/philly_internal.h"
#include "traces/json_array.h"
#include "traces/trace.h"

enum { BY_ATTEMPTS, BY_SPAN };

struct philly_config {
    unsigned duration;
};

static const char *const durations[] = {"attempts", "span", NULL};

static const struct option philly_options[] = {
    OPT_CHOICE(struct philly_config, duration, "duration", BY_ATTEMPTS,
               durations,
               "run time: the sum of the complete attempts, or the span from "
               "the first start to the last end",
               NULL),
    {0},
};

struct philly {
    struct json_array array;
    struct clock clock;
    unsigned duration;
};

static int philly_recognise(struct text head)
{
    size_t i = 0;
    while (i < head.len && memchr(" \t\r\n", head.at[i], 4))
        i++;
    if (i == head.len || head.at[i] != '[')
        return 0;
    return memmem(head.at, head.len, "\"attempts\"", 10) ? 90 : 10;
}

static enum status philly_open(void *state, const void *config,
                               struct rows *rows, struct error *err)
{
    struct philly *self = state;
    (void)err;
    self->array = json_array_of(rows, NULL);
    self->clock.pacific = true;
    self->duration = ((const struct philly_config *)config)->duration;
    return STATUS_OK;
}

/* Reads a date into *out, which stays unchanged if the date is unknown. */
static enum status read_date(struct philly *self, const json_t *object,
                             const char *key, sim_time *out, struct error *err)
{
    const json_t *value = json_object_get(object, key);
    struct text t = json_array_text(object, key);
    if (!value || json_is_null(value) ||
        (json_is_string(value) && cells_tell_nothing(t)))
        return STATUS_OK;
    if (!json_is_string(value) || !clock_read(&self->clock, t, out))
        return json_array_bad(&self->array, key,
                              "a date (YYYY-MM-DD HH:MM:SS) or \"None\"", err);
    return STATUS_OK;
}

static enum status count_gpus(const struct philly *self, const json_t *attempt,
                              uint32_t *most, struct error *err)
{
    const json_t *detail = json_object_get(attempt, "detail");
    uint32_t gpus = 0;
    if (detail && !json_is_array(detail))
        return json_array_bad(&self->array, "detail", "an array", err);
    for (size_t i = 0; i < json_array_size(detail); i++) {
        const json_t *list = json_object_get(json_array_get(detail, i), "gpus");
        if (!json_is_array(list))
            return json_array_bad(&self->array, "gpus", "an array", err);
        gpus += (uint32_t)json_array_size(list);
    }
    if (gpus > *most)
        *most = gpus;
    return STATUS_OK;
}

struct span_of_attempts {
    sim_time first_start, last_end;
    sim_span sum;
    bool complete;
};

static enum status read_attempt(struct philly *self, const json_t *attempt,
                                struct trace_row *row,
                                struct span_of_attempts *span,
                                struct error *err)
{
    sim_time start = TRACE_NO_TIME, end = TRACE_NO_TIME;
    if (!json_is_object(attempt))
        return json_array_bad(&self->array, "attempts", "an array of objects",
                              err);
    enum status st = count_gpus(self, attempt, &row->gpus, err);
    if (st == STATUS_OK)
        st = read_date(self, attempt, "start_time", &start, err);
    if (st == STATUS_OK)
        st = read_date(self, attempt, "end_time", &end, err);
    if (st != STATUS_OK)
        return st;
    row->attempts++;
    if (start != TRACE_NO_TIME &&
        (span->first_start == TRACE_NO_TIME || start < span->first_start))
        span->first_start = start;
    if (start == TRACE_NO_TIME || end == TRACE_NO_TIME)
        return STATUS_OK;
    /* Clocks show one hour of autumn twice. If the end seems to come before the
     * start, it is in the second of the two hours. */
    if (end < start && clock_is_ambiguous(&self->clock, end))
        end += SPAN_HOUR;
    if (!span->complete || end > span->last_end)
        span->last_end = end;
    span->sum += end - start;
    span->complete = true;
    return STATUS_OK;
}

static enum status read_attempts(struct philly *self, struct trace_row *row,
                                 struct error *err)
{
    const json_t *attempts = json_object_get(self->array.element, "attempts");
    struct span_of_attempts span = {.first_start = TRACE_NO_TIME};
    enum status st = STATUS_OK;
    if (!json_is_array(attempts))
        return json_array_bad(&self->array, "attempts", "an array", err);
    for (size_t i = 0; i < json_array_size(attempts) && st == STATUS_OK; i++)
        st = read_attempt(self, json_array_get(attempts, i), row, &span, err);
    if (span.complete)
        row->duration = self->duration == BY_SPAN
                            ? span.last_end - span.first_start
                            : span.sum;
    if (span.first_start != TRACE_NO_TIME)
        row->queue = span.first_start - row->submitted;
    return st;
}

static enum status read_gpus(const struct philly *self, struct trace_row *row,
                             struct error *err)
{
    const json_t *gpus = json_object_get(self->array.element, "num_gpus");
    if (row->gpus || !gpus)
        return STATUS_OK;
    json_int_t n = json_integer_value(gpus);
    if (!json_is_integer(gpus) || n < 0 || n > UINT32_MAX)
        return json_array_bad(&self->array, "num_gpus", "a number of GPUs",
                              err);
    row->gpus = (uint32_t)n;
    return STATUS_OK;
}

static enum status philly_next(void *state, struct trace_row *row,
                               struct error *err)
{
    struct philly *self = state;
    enum status st = json_array_next(&self->array, err);
    row->line = self->array.line;
    if (st != STATUS_OK)
        return st;
    st = read_date(self, self->array.element, "submitted_time", &row->submitted,
                   err);
    if (st == STATUS_OK && row->submitted == TRACE_NO_TIME)
        st = json_array_bad(&self->array, "submitted_time", "a date", err);
    if (st == STATUS_OK)
        st = read_attempts(self, row, err);
    if (st == STATUS_OK)
        st = read_gpus(self, row, err);
    if (st != STATUS_OK)
        return st;
    row->source_id = json_array_text(self->array.element, "jobid");
    if (!row->source_id.len)
        row->source_id = json_array_text(self->array.element, "id");
    row->vc = json_array_text(self->array.element, "vc");
    row->user = json_array_text(self->array.element, "user");
    row->end = cells_end(json_array_text(self->array.element, "status"));
    return STATUS_OK;
}

static void philly_close(void *state)
{
    struct philly *self = state;
    json_array_close(&self->array);
}

const struct trace_ops trace_philly = {
    .name = "philly",
    .summary = "Microsoft Philly 2017: cluster_job_log",
    .options = philly_options,
    .config_size = sizeof(struct philly_config),
    .state_size = sizeof(struct philly),
    .layout = "a JSON array with one object for each job: status, vc, jobid, "
              "user, submitted_time and attempts, a list of {start_time, "
              "end_time, detail: [{ip, gpus: [...]}]}; dates are local, US "
              "Pacific time",
    .recognise = philly_recognise,
    .open = philly_open,
    .next = philly_next,
    .preset = "philly",
    .close = philly_close,
    .holds = TRACE_BIT(ID) | TRACE_BIT(USER) | TRACE_BIT(VC) |
             TRACE_BIT(ATTEMPTS) | TRACE_BIT(QUEUE) | TRACE_BIT(END) |
             TRACE_BIT(NO_DURATION) | TRACE_BIT(NO_GPU),
    .cannot_hold = philly_cannot_hold,
    .head = "[",
    .tail = "\n]\n",
    .write_row = philly_write_row,
};
