/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `track LOG`: finds how fast a job trains from the end of its log. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands/commands_internal.h"
#include "commands/terminal.h"
#include "schedmate/live/log_speed.h"

struct track_input {
    struct logs_input logs;
    struct tracker_config config;
    bool follow;
    sim_span every;
    uint32_t updates;
};

static enum status track_read_log(struct track_input *input, struct track *out,
                                  struct error *err)
{
    struct logs_input *logs = &input->logs;
    struct llm_client *client =
        logs_has_model(logs) ? backend_client(logs->backend) : NULL;
    return log_speed_read(logs->file, logs->classifier, &input->config, client,
                          &logs->scratch, out, err);
}

static json_t *track_evidence_of(const struct track *t)
{
    json_t *list = json_array();
    for (unsigned i = 0; i < N_TRACKER_EVIDENCE; i++) {
        if (t->evidence >> i & 1)
            json_array_append_new(list, json_text(tracker_evidence_names[i]));
    }
    return list;
}

/* Returns the answer of the model beside that of the rules; null if it gave
 * none. */
static json_t *track_answers(const struct track *t)
{
    if (!t->model_given)
        return json_null();
    json_t *row = json_object();
    json_put(row, "class", json_text(llm_trust_names[t->class]));
    json_put(row, "model", json_number(t->model_s));
    return row;
}

static void track_write_json(const struct track_input *input,
                             const struct track *t, struct out *out)
{
    json_t *row = json_object();
    bool found = t->source != TRACKER_NOT_FOUND;
    json_put(row, "log", json_text(input->logs.path));
    json_put(row, "found", json_boolean(found));
    json_put(row, "seconds_per_step", json_number(t->seconds_per_step));
    json_put(row, "value", json_number(t->value));
    json_put(row, "unit", t->unit[0] ? json_text(t->unit) : json_null());
    json_put(row, "source", json_text(tracker_source_names[t->source]));
    json_put(row, "basis", t->basis[0] ? json_text(t->basis) : json_null());
    json_put(row, "evidence", track_evidence_of(t));
    json_put(row, "words", t->key[0] ? json_text(t->key) : json_null());
    json_put(row, "values", json_integer(t->values));
    json_put(row, "loss", json_number(t->loss));
    json_put(row, "throughput", json_number(t->throughput));
    json_put(row, "throughput_unit",
             t->throughput_unit[0] ? json_text(t->throughput_unit)
                                   : json_null());
    json_put(row, "step", json_number(t->step));
    json_put(row, "steps", json_number(t->steps));
    json_put(row, "method", json_text(llm_method_name(t->method)));
    json_put(row, "confidence", json_number(logs_confidence(t->confidence)));
    json_put(row, "why", json_text(t->why));
    json_put(row, "clock_s", json_number(t->clock_s));
    json_put(row, "answers", track_answers(t));
    json_put(row, "lines_walked", json_integer((json_int_t)t->lines_walked));
    json_put(row, "progress_lines", json_integer(t->progress_lines));
    json_put(row, "bytes_read", json_integer((json_int_t)t->bytes_read));
    json_put(row, "read_as", logs_read_as_json(input->logs.file));
    json_put(row, "tokens", json_integer((json_int_t)t->tokens));
    json_put(row, "latency_s", json_number(span_seconds(t->latency)));
    logs_write_row(out, row);
}

static void write_step_time(const struct track *t, struct out *out)
{
    char span[TABLE_SPAN_MAX];
    if (t->source == TRACKER_NOT_FOUND)
        out_printf(out, "step time    not found\n");
    else
        out_printf(out, "step time    %s (%s",
                   table_span_fine(t->seconds_per_step, span),
                   t->source == TRACKER_MODEL ? "model" : t->basis);
    if (t->source == TRACKER_PRINTED || t->source == TRACKER_THROUGHPUT)
        out_printf(out, ": median of %u values, %.6g%s%s%s%s", t->values,
                   t->value, t->unit[0] ? " " : "", t->unit,
                   t->key[0] ? " after " : "", t->key);
    if (t->source != TRACKER_NOT_FOUND)
        out_text(out, ")\n");
}

/* Writes the reasons for the confidence, after t->why if that is not NULL. */
static void track_write_evidence(const struct track *t, bool asked,
                                 struct out *out)
{
    if (t->why)
        out_printf(out, "             %s%s\n",
                   asked && !t->model_given ? "no answer of a model: " : "",
                   t->why);
    for (unsigned i = 0; i < N_TRACKER_EVIDENCE; i++) {
        if (t->evidence >> i & 1)
            out_printf(out, "             %s\n", tracker_evidence_meanings[i]);
    }
}

static void track_write_text(const struct track *t, bool asked, struct out *out)
{
    write_step_time(t, out);
    if (!isnan(t->loss))
        out_printf(out, "loss         %.6g\n", t->loss);
    if (!isnan(t->throughput))
        out_printf(out, "throughput   %.6g %s\n", t->throughput,
                   t->throughput_unit[0] ? t->throughput_unit : "a second");
    if (!isnan(t->step) && !isnan(t->steps))
        out_printf(out, "step         %.15g of %.15g\n", t->step, t->steps);
    else if (!isnan(t->step))
        out_printf(out, "step         %.15g\n", t->step);
    out_printf(out, "method       %s, confidence %.2f\n",
               llm_method_name(t->method), t->confidence);
    track_write_evidence(t, asked, out);
    out_printf(out,
               "read         %u progress lines of %" PRIu64
               " looked at, %" PRIu64 " bytes\n",
               t->progress_lines, t->lines_walked, t->bytes_read);
}

static enum status track_answer(struct track_input *input, struct error *err)
{
    struct track track;
    struct out *out;
    enum status st = track_read_log(input, &track, err);
    if (st == STATUS_OK)
        st = out_open("-", &out, err);
    if (st != STATUS_OK)
        return st;
    if (input->logs.json)
        track_write_json(input, &track, out);
    else
        track_write_text(&track, logs_has_model(&input->logs), out);
    if (!input->logs.json)
        logs_write_read_as(input->logs.file, "read as", out);
    arena_reset(&input->logs.scratch);
    return out_close(out, err);
}

/* Answers again each time the size of the log changes or another file takes its
 * name. */
static enum status track_follow(struct track_input *input, struct error *err)
{
    uint64_t was = UINT64_MAX, size;
    enum status st = STATUS_OK;
    uint32_t answers = 0;
    while (st == STATUS_OK) {
        if (log_file_renew(input->logs.file))
            was = UINT64_MAX;
        st = log_file_size(input->logs.file, &size, err);
        if (st == STATUS_OK && size != was) {
            st = track_answer(input, err);
            was = size;
            if (input->updates && ++answers == input->updates)
                break;
        }
        struct timespec pause = {.tv_sec = (time_t)(input->every / SPAN_SECOND),
                                 .tv_nsec =
                                     (long)(input->every % SPAN_SECOND * 1000)};
        nanosleep(&pause, NULL);
    }
    return st;
}

static enum status track_run(void *self, struct error *err)
{
    struct track_input *input = self;
    if (input->follow && strcmp(input->logs.path, "-") == 0)
        return error_set(err, STATUS_USAGE,
                         "--follow: needs a file, not a pipe");
    enum status st = logs_open(&input->logs, err);
    if (st == STATUS_OK && input->follow && log_file_is_copy(input->logs.file))
        st = error_set(err, STATUS_USAGE,
                       "--follow: %s is a pipe, packed or UTF-16, so a copy of "
                       "it is read, which does not grow",
                       input->logs.path);
    if (st == STATUS_OK)
        st =
            input->follow ? track_follow(input, err) : track_answer(input, err);
    logs_account(&input->logs, st);
    logs_close(&input->logs);
    return st;
}

static const struct arg_table track_settings[] = {
    {tracker_options, offsetof(struct track_input, config)}, {0}};

static const struct arg track_args[] = {
    TAKE_SETTING(track_settings, "lines", "N",
                 "progress lines to read; default 20", .of = "set"),
    TAKE_SETTING(track_settings, "walk", "N",
                 "lines from the end to look at, at most; default 20000",
                 .of = "set"),
    TAKE_SETTINGS(track_settings, "set", "any setting of 'schedsim list logs'"),
    TAKE_FLAG(struct track_input, follow, "follow",
              "go on while the log grows; answer each time it has grown",
              .often = true),
    TAKE_SPAN(struct track_input, every, "every", "SECONDS",
              "with --follow: how often to look", .lo = 0.01, .hi = 86400,
              .initial = "5", .often = true),
    TAKE_U32(struct track_input, updates, "updates", "N",
             "with --follow: end after N answers", .lo = 1, .hi = INFINITY,
             .of = "set"),
    {0},
};

const struct command command_track = {
    .name = "track",
    .summary = "read step time, loss and throughput from a training log",
    .about = "Reads the time of a training step, the loss and the throughput "
             "from the last progress lines of a log (- is standard input).",
    .parts = {{.rows = track_args}, {.rows = logs_args}},
    .input_size = sizeof(struct track_input),
    .run = track_run,
    .examples = "mate track tests/logs/key_error.log\n"
                "mate track train.log --follow --every 60",
};
