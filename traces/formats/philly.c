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

#include "base/out.h"
#include "traces/columns.h"
#include "traces/json_array.h"
#include "traces/trace.h"

/* The Philly log (Jeon et al., ATC 2019) flattened to one row per job:
 * job_id,vc,user,gpu_num,state,submit_time,submit_unix,duration_s,attempts,
 * source. submit_unix is UTC seconds; submit_time is the same time in US
 * Pacific time and is read only in files without the column submit_unix.
 * duration_s is the sum over the attempts. The state `NotPass` becomes an
 * unknown end, because it means failed or killed.
 *
 * The reader also accepts the file from which the workloads of Pollux and Sia
 * were sampled, with the columns timestamp,duration,num_gpus,gpu_time,cluster.
 * That file lists only jobs that passed, and has no job names. */

static const struct trace_column philly_columns[] = {
    {.names = "job_id", .kind = COLUMN_ID},
    {.names = "vc|cluster", .kind = COLUMN_VC, .required = true},
    {.names = "user", .kind = COLUMN_USER},
    {.names = "gpu_num|num_gpus", .kind = COLUMN_GPUS, .required = true},
    {.names = "state", .kind = COLUMN_STATE},
    {.names = "submit_unix", .kind = COLUMN_SUBMITTED},
    {.names = "submit_time|timestamp",
     .kind = COLUMN_SUBMITTED,
     .unit = UNIT_DATE},
    {.names = "duration_s|duration", .kind = COLUMN_DURATION, .required = true},
    {.names = "attempts", .kind = COLUMN_ATTEMPTS},
    {.names = "gpu_time"},
};

static const struct trace_signature philly_signatures[] = {
    {.sure = 80, .names = {"vc", "gpu_num", "submit_unix", "duration_s"}},
    {.sure = 80, .names = {"timestamp", "duration", "num_gpus", "cluster"}},
    {0},
};

struct philly_flat {
    bool only_passed;
};

static enum status philly_flat_begin(void *state, const void *config,
                                     struct columns *file, struct error *err)
{
    struct philly_flat *self = state;
    (void)config;
    (void)err;
    file->clock.pacific = true;
    self->only_passed =
        columns_find(file, "state") < 0 && columns_find(file, "gpu_time") >= 0;
    return STATUS_OK;
}

static void philly_flat_finish(void *state, const struct columns *file,
                               struct trace_row *row)
{
    const struct philly_flat *self = state;
    (void)file;
    if (self->only_passed)
        row->end = TRACE_END_COMPLETED;
}

static void philly_flat_write_row(struct out *out, const struct trace_row *row,
                                  uint64_t index)
{
    static const char *const states[] = {
        [TRACE_END_COMPLETED] = "Pass",
        [TRACE_END_FAILED] = "Failed",
        [TRACE_END_CANCELLED] = "Killed",
        [TRACE_END_UNKNOWN] = "",
    };
    const struct clock clock = {.pacific = true};
    (void)index;
    out_csv(out, row->source_id);
    out_char(out, ',');
    out_csv(out, row->vc);
    out_char(out, ',');
    out_csv(out, row->user);
    out_char(out, ',');
    out_u64(out, row->gpus);
    out_char(out, ',');
    out_text(out, states[row->end]);
    out_char(out, ',');
    clock_write(&clock, out, row->submitted);
    out_char(out, ',');
    out_span(out, row->submitted);
    out_char(out, ',');
    if (row->duration != TRACE_NO_TIME)
        out_span(out, row->duration);
    out_char(out, ',');
    if (row->attempts)
        out_u64(out, row->attempts);
    out_text(out, ",schedsim\n");
}

const struct trace_ops trace_philly_flat = {
    .name = "philly-flat",
    .summary = "Microsoft Philly 2017, flattened to one CSV row for each job",
    .state_size = sizeof(struct philly_flat),
    .columns = philly_columns,
    .n_columns = sizeof philly_columns / sizeof *philly_columns,
    .signatures = philly_signatures,
    .begin = philly_flat_begin,
    .finish = philly_flat_finish,
    .preset = "philly",
    .holds = TRACE_BIT(ID) | TRACE_BIT(USER) | TRACE_BIT(VC) |
             TRACE_BIT(ATTEMPTS) | TRACE_BIT(END) | TRACE_BIT(FRACTION) |
             TRACE_BIT(NO_DURATION) | TRACE_BIT(NEGATIVE) | TRACE_BIT(NO_GPU),
    .head = "job_id,vc,user,gpu_num,state,submit_time,submit_unix,"
            "duration_s,attempts,source\n",
    .write_row = philly_flat_write_row,
};

/* Writes rows as the JSON of the Philly traces. */

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

/* Implements trace_ops.cannot_hold for the format philly. */
static const char *philly_cannot_hold(const struct trace_row *row)
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

static void philly_write_string(struct out *out, struct text t)
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

/* Writes the row as element `index` of the array. */
static void philly_write_row(struct out *out, const struct trace_row *row,
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
    philly_write_string(out, row->vc);
    out_text(out, ", \"jobid\": ");
    philly_write_string(out, row->source_id);
    out_text(out, ", \"attempts\": [");
    if (row->duration != TRACE_NO_TIME)
        write_attempts(out, row);
    out_text(out, "], \"submitted_time\": ");
    write_date(out, row->submitted);
    out_text(out, ", \"user\": ");
    philly_write_string(out, row->user);
    out_char(out, '}');
}

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
static enum status philly_read_date(struct philly *self, const json_t *object,
                                    const char *key, sim_time *out,
                                    struct error *err)
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

static enum status philly_count_gpus(const struct philly *self,
                                     const json_t *attempt, uint32_t *most,
                                     struct error *err)
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

static enum status philly_read_attempt(struct philly *self,
                                       const json_t *attempt,
                                       struct trace_row *row,
                                       struct span_of_attempts *span,
                                       struct error *err)
{
    sim_time start = TRACE_NO_TIME, end = TRACE_NO_TIME;
    if (!json_is_object(attempt))
        return json_array_bad(&self->array, "attempts", "an array of objects",
                              err);
    enum status st = philly_count_gpus(self, attempt, &row->gpus, err);
    if (st == STATUS_OK)
        st = philly_read_date(self, attempt, "start_time", &start, err);
    if (st == STATUS_OK)
        st = philly_read_date(self, attempt, "end_time", &end, err);
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

static enum status philly_read_attempts(struct philly *self,
                                        struct trace_row *row,
                                        struct error *err)
{
    const json_t *attempts = json_object_get(self->array.element, "attempts");
    struct span_of_attempts span = {.first_start = TRACE_NO_TIME};
    enum status st = STATUS_OK;
    if (!json_is_array(attempts))
        return json_array_bad(&self->array, "attempts", "an array", err);
    for (size_t i = 0; i < json_array_size(attempts) && st == STATUS_OK; i++)
        st = philly_read_attempt(self, json_array_get(attempts, i), row, &span,
                                 err);
    if (span.complete)
        row->duration = self->duration == BY_SPAN
                            ? span.last_end - span.first_start
                            : span.sum;
    if (span.first_start != TRACE_NO_TIME)
        row->queue = span.first_start - row->submitted;
    return st;
}

static enum status philly_read_gpus(const struct philly *self,
                                    struct trace_row *row, struct error *err)
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
    st = philly_read_date(self, self->array.element, "submitted_time",
                          &row->submitted, err);
    if (st == STATUS_OK && row->submitted == TRACE_NO_TIME)
        st = json_array_bad(&self->array, "submitted_time", "a date", err);
    if (st == STATUS_OK)
        st = philly_read_attempts(self, row, err);
    if (st == STATUS_OK)
        st = philly_read_gpus(self, row, err);
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
