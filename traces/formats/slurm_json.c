/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The JSON of Slurm's accounting: `sacct --json` (data parsers 0.0.37 to
 * 0.0.42, Slurm 21.08 to 24.05). It is an object whose key "jobs" holds a list
 * of jobs: job_id, name, user, partition, account, qos, cluster, nodes,
 * working_directory, submit_line, restart_cnt, state {current, reason},
 * exit_code {return_code, signal {id}}, time {submission, start, end, elapsed,
 * limit}, tres {allocated, requested: [{type, name, count}]}, steps. Newer
 * parsers write a number as {set, infinite, number} and the state as a list.
 * The reader accepts both, and also the names that `squeue --json` uses. Times
 * are seconds since 1970; the limit is in minutes. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "traces/formats/slurm_internal.h"
#include "traces/json_array.h"

struct slurm_json_config {
    const char *same;
    unsigned vc; /* which field names the virtual cluster */
};

static const struct option slurm_json_options[] = {
    OPT_CHOICE(struct slurm_json_config, vc, "vc", SLURM_VC_PARTITION,
               slurm_vcs, "the field that names the virtual cluster", NULL),
    OPT_TEXT(struct slurm_json_config, same, "same", "",
             "what jobs of one id are: attempts, for sacct -D", NULL),
    {0},
};

struct slurm_json {
    struct json_array array;
    unsigned vc;
    struct slurm_counts counts;
    struct trace_record record;
    char id[2 * U64_TEXT_MAX], exit_code[2 * U64_TEXT_MAX + 2];
    char priority[U64_TEXT_MAX];
};

static int slurm_json_recognise(struct text head)
{
    size_t i = 0;
    while (i < head.len && memchr(" \t\r\n", head.at[i], 4))
        i++;
    if (i == head.len || head.at[i] != '{' ||
        !memmem(head.at, head.len, "\"jobs\"", 6))
        return 0;
    return memmem(head.at, head.len, "\"job_id\"", 8) ? 90 : 30;
}

static enum status slurm_json_open(void *state, const void *config,
                                   struct rows *rows, struct error *err)
{
    struct slurm_json *self = state;
    (void)err;
    self->array = json_array_of(rows, "jobs");
    self->vc = ((const struct slurm_json_config *)config)->vc;
    return STATUS_OK;
}

bool slurm_json_read_number(const json_t *value, double *out)
{
    if (json_is_object(value)) {
        const json_t *set = json_object_get(value, "set");
        if ((set && !json_is_true(set)) ||
            json_is_true(json_object_get(value, "infinite")))
            return false;
        value = json_object_get(value, "number");
    }
    if (!json_is_number(value))
        return false;
    *out = json_number_value(value);
    return *out >= 0 && *out < 1e12;
}

static bool slurm_json_number_at(const json_t *object, const char *key,
                                 double *out)
{
    return slurm_json_read_number(json_object_get(object, key), out);
}

static uint32_t count_at(const json_t *object, const char *key)
{
    double n;
    return slurm_json_number_at(object, key, &n) && n <= UINT32_MAX
               ? (uint32_t)n
               : 0;
}

/* Reads a time of the job, in seconds since 1970 in the file. Returns false if
 * read_number does, or if the time is 0, which means unknown. */
static bool time_at(const json_t *time, const char *key, sim_time *out)
{
    double seconds;
    if (!slurm_json_number_at(time, key, &seconds) || seconds == 0)
        return false;
    return span_from_outside(seconds, SECONDS_MAX, out);
}

static struct text slurm_json_state_of(const json_t *job)
{
    const json_t *current =
        json_object_get(json_object_get(job, "state"), "current");
    if (!current) /* squeue writes job_state */
        current = json_object_get(job, "job_state");
    if (json_is_array(current))
        current = json_array_get(current, 0);
    return (struct text){json_string_value(current),
                         json_string_length(current)};
}

static void add_tres(const json_t *list, struct slurm_tres *out)
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *item = json_array_get(list, i);
        struct text type = json_array_text(item, "type");
        struct text name = json_array_text(item, "name");
        uint32_t n = count_at(item, "count");
        if (text_is(type, "cpu")) {
            out->cpus = n;
        } else if (text_is(type, "node")) {
            out->nodes = n;
        } else if (text_is(type, "mem")) {
            out->mem_mib = n;
        } else if (text_is(type, "gres") && text_is(name, "gpu")) {
            out->gpus = n;
        } else if (text_is(type, "gres") && name.len > 4 &&
                   memcmp(name.at, "gpu:", 4) == 0) {
            out->gpu_type = (struct text){name.at + 4, name.len - 4};
            out->gpus = out->gpus ? out->gpus : n;
        }
    }
}

static enum status slurm_json_read_resources(struct slurm_json *self,
                                             struct trace_row *row,
                                             struct error *err)
{
    const json_t *job = self->array.element;
    const json_t *tres = json_object_get(job, "tres");
    struct slurm_tres got = {.mem_mib = -1};
    if (json_is_object(tres)) {
        add_tres(json_object_get(tres, "allocated"), &got);
        if (!got.gpus)
            add_tres(json_object_get(tres, "requested"), &got);
    } else {
        /* squeue writes the text that sacct calls AllocTRES. */
        struct text text = json_array_text(job, "tres_alloc_str");
        if (!text.len)
            text = json_array_text(job, "tres_req_str");
        if (!slurm_tres_read(text, &got))
            return json_array_bad(&self->array, "tres_alloc_str",
                                  "a list such as cpu=8,gres/gpu=2", err);
    }
    if (!got.gpus) {
        /* Without accounting for GPUs, take the GPUs that were requested for
         * each node. */
        uint32_t nodes = count_at(job, "node_count");
        got.gpus =
            slurm_gres(json_array_text(job, "tres_per_node"), &got.gpu_type) *
            (nodes ? nodes : 1);
        got.nodes = nodes;
    }
    row->gpus = got.gpus;
    row->gpu_type = got.gpu_type;
    row->cpus = got.cpus;
    row->nodes = got.nodes;
    row->mem_mib = got.mem_mib;
    return STATUS_OK;
}

/* The object that holds the times of a job, and their keys. sacct writes an
 * object `time`; squeue writes the times into the job. */
struct time_keys {
    const json_t *at;
    const char *submitted, *start, *end, *limit;
};

static struct time_keys slurm_json_keys_of(const json_t *job)
{
    const json_t *time = json_object_get(job, "time");
    if (json_is_object(time))
        return (struct time_keys){time, "submission", "start", "end", "limit"};
    return (struct time_keys){job, "submit_time", "start_time", "end_time",
                              "time_limit"};
}

static enum status slurm_json_read_times(struct slurm_json *self,
                                         struct trace_row *row,
                                         struct error *err)
{
    struct time_keys keys = slurm_json_keys_of(self->array.element);
    sim_time start, end;
    sim_span elapsed, limit;
    double number;
    if (!time_at(keys.at, keys.submitted, &row->submitted))
        return json_array_bad(&self->array, keys.submitted,
                              "seconds since 1970", err);
    bool started = time_at(keys.at, keys.start, &start);
    if (started)
        row->queue = start - row->submitted;
    if (slurm_json_number_at(keys.at, "elapsed", &number) &&
        span_from_outside(number, SECONDS_MAX, &elapsed))
        row->duration = elapsed;
    else if (started && time_at(keys.at, keys.end, &end))
        row->duration = end - start;
    if (slurm_json_number_at(keys.at, keys.limit, &number) &&
        span_from_outside(number * 60, SECONDS_MAX, &limit))
        row->declared = limit;
    return STATUS_OK;
}

/* Sets the exit code to "STATUS:SIGNAL", as sacct writes it, if the job has
 * one. */
static void read_exit(struct slurm_json *self)
{
    const json_t *exit = json_object_get(self->array.element, "exit_code");
    double status, signal = 0;
    if (!slurm_json_number_at(exit, "return_code", &status))
        return;
    const json_t *by = json_object_get(exit, "signal");
    if (!slurm_json_number_at(by, "id", &signal) &&
        !slurm_json_number_at(by, "signal_id", &signal))
        signal = 0;
    int n = snprintf(self->exit_code, sizeof self->exit_code, "%.0f:%.0f",
                     status, signal);
    self->record.exit_code = (struct text){self->exit_code, (size_t)n};
}

static void slurm_json_read_texts(struct slurm_json *self,
                                  struct trace_row *row)
{
    static const char *const vcs[] = {[SLURM_VC_PARTITION] = "partition",
                                      [SLURM_VC_ACCOUNT] = "account",
                                      [SLURM_VC_QOS] = "qos"};
    const json_t *job = self->array.element;
    struct text user = json_array_text(job, "user");
    const json_t *array = json_object_get(job, "array");
    double of, task;
    size_t n;
    /* A task of an array has the name that its user knows: 1000_0. */
    if (slurm_json_number_at(array, "job_id", &of) && of > 0 &&
        slurm_json_number_at(
            array, json_object_get(array, "task_id") ? "task_id" : "task",
            &task))
        n = (size_t)snprintf(self->id, sizeof self->id, "%.0f_%.0f", of, task);
    else
        n = u64_to_text(count_at(job, "job_id"), self->id);
    row->source_id = (struct text){self->id, n};
    row->user = user.len ? user : json_array_text(job, "user_name");
    row->name = json_array_text(job, "name");
    double priority;
    if (slurm_json_number_at(job, "priority", &priority) && priority >= 0)
        row->priority =
            (struct text){self->priority, u64_to_text(count_at(job, "priority"),
                                                      self->priority)};
    if (self->vc != SLURM_VC_NONE)
        row->vc = json_array_text(job, vcs[self->vc]);
    struct text dir = json_array_text(job, "working_directory");
    self->record = (struct trace_record){
        .cluster = json_array_text(job, "cluster"),
        .workdir =
            dir.len ? dir : json_array_text(job, "current_working_directory"),
        .command = json_array_text(job, "submit_line"),
        .state = slurm_json_state_of(job),
        .hosts = json_array_text(job, "nodes"),
    };
    row->record = &self->record;
}

static enum status slurm_json_next(void *state, struct trace_row *row,
                                   struct error *err)
{
    struct slurm_json *self = state;
    bool unfinished;
    enum status st = json_array_next(&self->array, err);
    row->line = self->array.line;
    if (st != STATUS_OK)
        return st;
    const json_t *job = self->array.element;
    slurm_json_read_texts(self, row);
    read_exit(self);
    row->end = slurm_end(&self->record.state, &unfinished);
    st = slurm_json_read_times(self, row, err);
    if (st == STATUS_OK)
        st = slurm_json_read_resources(self, row, err);
    if (st != STATUS_OK)
        return st;
    if (json_object_get(job, "restart_cnt"))
        row->attempts = count_at(job, "restart_cnt") + 1;
    /* A job that was cancelled before it started has an elapsed time of 0. */
    if (unfinished || (row->queue == TRACE_NO_TIME && row->duration == 0))
        row->duration = TRACE_NO_TIME;
    self->counts.unfinished += unfinished;
    self->counts.steps += json_array_size(json_object_get(job, "steps"));
    return STATUS_OK;
}

static void slurm_json_note(const void *state, char *buf, size_t room)
{
    const struct slurm_json *self = state;
    if (self->counts.unfinished)
        snprintf(buf, room,
                 "Slurm: %" PRIu64 " jobs wait or run and have no run time yet",
                 self->counts.unfinished);
}

static uint32_t slurm_json_rare(const void *state)
{
    (void)state;
    return TRACE_BIT(PRIORITY) | TRACE_BIT(MEM);
}

static const char *slurm_json_same(const void *config)
{
    const struct slurm_json_config *c = config;
    return c->same;
}

static void slurm_json_close(void *state)
{
    struct slurm_json *self = state;
    json_array_close(&self->array);
}

const struct trace_ops trace_slurm_json = {
    .name = "slurm-json",
    .summary = "Slurm's accounting as JSON: sacct --json",
    .options = slurm_json_options,
    .config_size = sizeof(struct slurm_json_config),
    .state_size = sizeof(struct slurm_json),
    .layout = "the object that sacct --json prints: jobs, a list of {job_id, "
              "user, partition, state, time: {submission, start, end, elapsed, "
              "limit}, tres: {allocated: [{type, name, count}]}}",
    .recognise = slurm_json_recognise,
    .open = slurm_json_open,
    .next = slurm_json_next,
    .close = slurm_json_close,
    .same = slurm_json_same,
    .rare = slurm_json_rare,
    .note = slurm_json_note,
};
