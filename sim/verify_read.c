/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads a result directory for verify: manifest.json, summary.json and
 * jobs.csv, columns found by name. */
#include <csv.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/verify.h"

const char *const verify_outcomes[] = {"completed",  "failed",   "cancelled",
                                       "unknown",    "given-up", "rejected",
                                       "unfinished", NULL};

enum cell {
    C_JOB_ID,
    C_SUBMITTED,
    C_GPUS,
    C_SUCCESS,
    C_START,
    C_FINISH,
    C_WAIT,
    C_TURNAROUND,
    C_EXECUTION,
    C_ALLOCATED,
    C_VC,
    C_DURATION,
    C_QUEUE,
    C_HELD,
    C_RUNNING,
    C_WORK,
    C_OVERHEAD,
    C_LOST,
    C_PREEMPTIONS,
    C_ATTEMPTS,
    C_SLOWDOWN,
    C_RHO,
    C_OUTCOME,
    C_INTERVALS,
    C_SHARED,
    C_N
};
static const char *const cell_names[C_N] = {"job_id",
                                            "submission_time",
                                            "requested_number_of_resources",
                                            "success",
                                            "starting_time",
                                            "finish_time",
                                            "waiting_time",
                                            "turnaround_time",
                                            "execution_time",
                                            "allocated_resources",
                                            "vc",
                                            "duration",
                                            "queue_delay",
                                            "held",
                                            "running",
                                            "work",
                                            "overhead",
                                            "lost",
                                            "preemptions",
                                            "attempts",
                                            "slowdown",
                                            "rho",
                                            "outcome",
                                            "intervals",
                                            "shared"};

struct reader {
    struct verify_data *data;
    struct error *err;
    const char *path;
    enum status st;
    uint64_t line;
    size_t column;
    int cell_of[128]; /* by column of the file; -1: not needed */
    size_t n_columns;
    struct text cells[C_N]; /* of the row at hand; into `texts` */
    struct arena texts;
};

static void fail(struct reader *r, const char *what, struct text cell)
{
    if (r->st == STATUS_OK)
        r->st = error_set(r->err, STATUS_BAD_INPUT,
                          "%s:%" PRIu64 ": %s: '%.*s' is not understood",
                          r->path, r->line, what, TEXT_ARGS(cell));
}

static sim_span span_cell(struct reader *r, enum cell c)
{
    sim_span value = 0;
    if (!text_to_span(r->cells[c], &value))
        fail(r, cell_names[c], r->cells[c]);
    return value;
}

static sim_span optional_span(struct reader *r, enum cell c)
{
    return r->cells[c].len ? span_cell(r, c) : -1;
}

static uint32_t count_cell(struct reader *r, enum cell c)
{
    uint32_t value = 0;
    if (!text_to_u32(r->cells[c], &value))
        fail(r, cell_names[c], r->cells[c]);
    return value;
}

static void add_ranges(struct reader *r, struct verify_attempt *a,
                       struct text gpus)
{
    struct verify_data *d = r->data;
    a->first_gpu_range = (uint32_t)d->n_ranges;
    while (gpus.len) {
        struct text last, one = text_split(gpus, ' ', &gpus);
        struct text first = text_split(one, '-', &last);
        struct verify_range range;
        bool good = text_to_u32(first, &range.first);
        range.last = range.first;
        if (good && first.len < one.len)
            good = text_to_u32(last, &range.last);
        if (!good || range.last < range.first || range.last >= d->n_gpus) {
            fail(r, "GPUs", one);
            return;
        }
        d->ranges = mem_grow(d->ranges, &d->cap_ranges, d->n_ranges + 1,
                             sizeof *d->ranges);
        d->ranges[d->n_ranges++] = range;
        a->n_ranges++;
        a->gpus += range.last - range.first + 1;
    }
}

static struct verify_attempt *new_attempt(struct verify_data *d)
{
    d->attempts = mem_grow(d->attempts, &d->cap_attempts, d->n_attempts + 1,
                           sizeof *d->attempts);
    struct verify_attempt *a = &d->attempts[d->n_attempts++];
    *a = (struct verify_attempt){.job = (uint32_t)d->n_jobs, .how = 'f'};
    return a;
}

/* "start-end@GPUs:how" */
static void read_interval(struct reader *r, struct text one)
{
    static const char *const hows[] = {
        "finished", "stopped", "failed", "profiled", "open", "moved", NULL};
    static const char letters[] = "fsxpom";
    struct text how, gpus, end, whole = one;
    struct verify_attempt *a = new_attempt(r->data);
    one = text_split(one, ':', &how);
    one = text_split(one, '@', &gpus);
    one = text_split(one, '-', &end);
    if (!text_to_span(one, &a->start) || !text_to_span(end, &a->end)) {
        fail(r, "intervals", whole);
        return;
    }
    struct text plus, word = text_split(how, '+', &plus);
    size_t i = 0;
    while (hows[i] && !text_is(word, hows[i]))
        i++;
    if (!hows[i]) {
        fail(r, "intervals", whole);
        return;
    }
    a->how = (uint8_t)letters[i];
    a->profiling = text_is(plus, "profiling");
    add_ranges(r, a, gpus);
}

static void read_attempts(struct reader *r, struct verify_job *job)
{
    struct verify_data *d = r->data;
    struct text list = r->cells[C_INTERVALS];
    job->first_attempt = (uint32_t)d->n_attempts;
    if (list.len == 0 && job->started) {
        struct verify_attempt *a = new_attempt(d);
        a->start = job->start;
        a->end = job->finish;
        add_ranges(r, a, r->cells[C_ALLOCATED]);
    }
    while (list.len && r->st == STATUS_OK)
        read_interval(r, text_split(list, ';', &list));
    job->n_attempts = (uint32_t)d->n_attempts - job->first_attempt;
}

static bool ratio_cell(struct reader *r, enum cell c, double *out)
{
    if (r->cells[c].len == 0)
        return false;
    if (!text_to_double(r->cells[c], out))
        fail(r, cell_names[c], r->cells[c]);
    return true;
}

static void read_outcome(struct reader *r, struct verify_job *job)
{
    uint8_t o = 0;
    while (verify_outcomes[o] &&
           !text_is(r->cells[C_OUTCOME], verify_outcomes[o]))
        o++;
    if (!verify_outcomes[o])
        fail(r, "outcome", r->cells[C_OUTCOME]);
    job->outcome = o;
    job->finished = o < 4;
}

static void read_job(struct reader *r)
{
    struct verify_data *d = r->data;
    d->jobs = mem_grow(d->jobs, &d->cap_jobs, d->n_jobs + 1, sizeof *d->jobs);
    struct verify_job *job = &d->jobs[d->n_jobs];
    *job = (struct verify_job){
        .id = arena_copy(&d->arena, r->cells[C_JOB_ID].at,
                         r->cells[C_JOB_ID].len),
        .submitted = span_cell(r, C_SUBMITTED),
        .gpus = count_cell(r, C_GPUS),
        .success = text_is(r->cells[C_SUCCESS], "1"),
        .started = r->cells[C_START].len > 0,
        .ended = r->cells[C_FINISH].len > 0,
        .vc = interner_find(&d->vcs, r->cells[C_VC]),
        .wait = optional_span(r, C_WAIT),
        .turnaround = optional_span(r, C_TURNAROUND),
        .execution = optional_span(r, C_EXECUTION),
        .duration = span_cell(r, C_DURATION),
        .queue_delay = span_cell(r, C_QUEUE),
        .held = span_cell(r, C_HELD),
        .running = span_cell(r, C_RUNNING),
        .work = span_cell(r, C_WORK),
        .overhead = span_cell(r, C_OVERHEAD),
        .lost = span_cell(r, C_LOST),
        .preemptions = count_cell(r, C_PREEMPTIONS),
        .attempts = count_cell(r, C_ATTEMPTS),
        .shared = text_is(r->cells[C_SHARED], "1"),
    };
    job->start = job->started ? span_cell(r, C_START) : 0;
    job->finish = job->ended ? span_cell(r, C_FINISH) : d->end;
    if (job->vc == UINT32_MAX)
        fail(r, "vc", r->cells[C_VC]);
    job->has_slowdown = ratio_cell(r, C_SLOWDOWN, &job->slowdown);
    job->has_rho = ratio_cell(r, C_RHO, &job->rho);
    read_outcome(r, job);
    read_attempts(r, job);
    d->n_jobs++;
}

static void on_cell(void *at, size_t len, void *self)
{
    struct reader *r = self;
    struct text cell = {at, len};
    if (r->st != STATUS_OK)
        return;
    if (r->line > 1) {
        if (r->column < r->n_columns && r->cell_of[r->column] >= 0)
            r->cells[r->cell_of[r->column]] =
                (struct text){arena_copy(&r->texts, at, len), len};
        r->column++;
        return;
    }
    if (r->column == sizeof r->cell_of / sizeof *r->cell_of) {
        fail(r, "header", cell);
        return;
    }
    r->cell_of[r->column] = -1;
    for (int c = 0; c < C_N; c++) {
        if (text_is(cell, cell_names[c]))
            r->cell_of[r->column] = c;
    }
    r->n_columns = ++r->column;
}

static void check_header(struct reader *r)
{
    bool found[C_N] = {false};
    for (size_t i = 0; i < r->n_columns; i++) {
        if (r->cell_of[i] >= 0)
            found[r->cell_of[i]] = true;
    }
    for (int c = 0; c < C_N; c++) {
        if (!found[c] && r->st == STATUS_OK)
            r->st = error_set(r->err, STATUS_BAD_INPUT, "%s: no column '%s'",
                              r->path, cell_names[c]);
    }
}

static void on_row(int end, void *self)
{
    struct reader *r = self;
    (void)end;
    if (r->st != STATUS_OK)
        return;
    if (r->line == 1)
        check_header(r);
    else if (r->column != r->n_columns)
        r->st = error_set(r->err, STATUS_BAD_INPUT,
                          "%s:%" PRIu64 ": %zu cells, expected %zu", r->path,
                          r->line, r->column, r->n_columns);
    else
        read_job(r);
    r->line++;
    r->column = 0;
    arena_reset(&r->texts);
}

static enum status read_jobs(const char *path, struct verify_data *data,
                             struct error *err)
{
    enum { PIECE = 1 << 16 };
    struct reader r = {.data = data, .err = err, .path = path, .line = 1};
    struct csv_parser csv;
    char *piece = mem_alloc(PIECE);
    size_t n = 0;
    FILE *file = fopen(path, "rb");
    arena_init(&r.texts);
    csv_init(&csv, CSV_STRICT | CSV_STRICT_FINI);
    if (!file) {
        r.st =
            error_set(err, STATUS_BAD_INPUT, "%s: %s", path, strerror(errno));
        goto out;
    }
    while (r.st == STATUS_OK && (n = fread(piece, 1, PIECE, file)) > 0) {
        if (csv_parse(&csv, piece, n, on_cell, on_row, &r) != n &&
            r.st == STATUS_OK)
            r.st = error_set(err, STATUS_BAD_INPUT, "%s:%" PRIu64 ": %s", path,
                             r.line, csv_strerror(csv_error(&csv)));
    }
    if (r.st == STATUS_OK && csv_fini(&csv, on_cell, on_row, &r) != 0)
        r.st =
            error_set(err, STATUS_BAD_INPUT, "%s: ends in a quoted cell", path);
    if (r.st == STATUS_OK && r.line == 1)
        r.st = error_set(err, STATUS_BAD_INPUT, "%s: is empty", path);
out:
    if (file)
        fclose(file);
    csv_free(&csv);
    arena_fini(&r.texts);
    free(piece);
    return r.st;
}

/* Numbers only, the first four columns are what is looked at. */
static enum status read_series(const char *path, struct verify_data *d,
                               struct error *err)
{
    enum status st = STATUS_OK;
    char *line = NULL;
    size_t room = 0;
    ssize_t n;
    FILE *file = fopen(path, "rb");
    if (!file)
        return error_set(err, STATUS_BAD_INPUT, "%s: %s", path,
                         strerror(errno));
    for (uint64_t number = 1; (n = getline(&line, &room, file)) > 0; number++) {
        struct text rest = {line, (size_t)n}, cells[4];
        struct verify_sample s;
        if (number == 1)
            continue;
        for (int i = 0; i < 4; i++)
            cells[i] = text_split(rest, ',', &rest);
        if (!text_to_span(cells[0], &s.at) || !text_to_u64(cells[1], &s.up) ||
            !text_to_u64(cells[2], &s.busy) ||
            !text_to_u64(cells[3], &s.stranded)) {
            st = error_set(err, STATUS_BAD_INPUT,
                           "%s:%" PRIu64 ": is not a row of numbers", path,
                           number);
            break;
        }
        d->samples = mem_grow(d->samples, &d->cap_samples, d->n_samples + 1,
                              sizeof *d->samples);
        d->samples[d->n_samples++] = s;
    }
    free(line);
    fclose(file);
    return st;
}

static sim_span seconds_of(const json_t *value)
{
    return span_from_seconds(json_number_value(value));
}

static enum status read_groups(struct verify_data *d, const json_t *groups,
                               struct error *err)
{
    size_t i;
    json_t *row;
    json_array_foreach(groups, i, row)
    {
        const char *vc, *type;
        int nodes, gpus, profiler;
        if (json_unpack(row, "{s:i, s:i, s:s, s:s, s:b}", "nodes", &nodes,
                        "gpus", &gpus, "type", &type, "vc", &vc, "profiler",
                        &profiler) != 0 ||
            nodes < 1 || gpus < 1 || gpus > 64)
            return error_set(err, STATUS_BAD_INPUT,
                             "manifest.json: cluster.groups[%zu] is not a "
                             "group of nodes",
                             i);
        for (int n = 0; n < nodes; n++) {
            d->nodes = mem_grow(d->nodes, &d->cap_nodes, d->n_nodes + 1,
                                sizeof *d->nodes);
            d->nodes[d->n_nodes++] = (struct verify_node){
                .first_gpu = d->n_gpus,
                .gpus = (uint32_t)gpus,
                .vc = interner_add(&d->vcs, text_from(vc)),
                .type = interner_add(&d->types, text_from(type)),
                .profiler = profiler};
            d->n_gpus += (uint32_t)gpus;
        }
    }
    d->node_of = ARENA_ARRAY(&d->arena, uint32_t, d->n_gpus + 1);
    for (uint32_t n = 0; n < d->n_nodes; n++) {
        for (uint32_t g = 0; g < d->nodes[n].gpus; g++)
            d->node_of[d->nodes[n].first_gpu + g] = n;
    }
    return STATUS_OK;
}

static bool change_kind(const char *word, unsigned *kind)
{
    static const char *const words[] = {"down", "up", "lent", "back"};
    for (*kind = 0; *kind < 4 && strcmp(word, words[*kind]) != 0;)
        ++*kind;
    return *kind < 4;
}

static enum status read_changes(struct verify_data *d, const json_t *changes,
                                struct error *err)
{
    size_t i;
    json_t *row;
    d->changes = ARENA_ARRAY(&d->arena, struct verify_change,
                             json_array_size(changes) + 1);
    json_array_foreach(changes, i, row)
    {
        json_int_t node = json_integer_value(json_array_get(row, 1));
        const char *way = json_string_value(json_array_get(row, 2));
        unsigned kind = 0;
        if (json_array_size(row) < 3 || !way || node < 0 ||
            (uint64_t)node >= d->n_nodes || !change_kind(way, &kind))
            return error_set(err, STATUS_BAD_INPUT,
                             "manifest.json: cluster.changes[%zu] is not "
                             "[time, node, up|down|lent|back, why]",
                             i);
        d->changes[d->n_changes++] = (struct verify_change){
            seconds_of(json_array_get(row, 0)), (uint32_t)node, kind};
        d->n_loans += kind == NODE_LENT;
    }
    return STATUS_OK;
}

/* An option of the configuration; -1: it has none of that name. */
static sim_span option_span(const json_t *manifest, const char *owner,
                            const char *key)
{
    sim_span span;
    const char *value = json_string_value(json_object_get(
        json_object_get(json_object_get(manifest, "configuration"), owner),
        key));
    return value && text_to_span(text_from(value), &span) ? span : -1;
}

/* The option of any policy that profiles by policies/profiler.h. */
static sim_span profile_limit(const json_t *manifest)
{
    char owner[128];
    const char *policy = json_string_value(json_object_get(manifest, "policy"));
    snprintf(owner, sizeof owner, "policy %.100s", policy ? policy : "");
    return option_span(manifest, owner, "profile_s");
}

static enum status read_manifest(struct verify_data *d, struct error *err)
{
    const char *seed;
    json_t *end, *groups, *changes;
    int unit, limit;
    if (json_unpack(d->manifest, "{s:s, s:o, s:b, s:{s:i, s:o, s:o}}", "seed",
                    &seed, "end_s", &end, "unit_rates", &unit, "cluster",
                    "share_limit", &limit, "groups", &groups, "changes",
                    &changes) != 0 ||
        !text_to_u64(text_from(seed), &d->seed) || limit < 1)
        return error_set(err, STATUS_BAD_INPUT,
                         "manifest.json: is not a manifest of this program");
    d->end = seconds_of(end);
    d->unit_rates = unit;
    d->profile_limit = profile_limit(d->manifest);
    d->grid = option_span(d->manifest, "engine", "end_grid_s");
    d->grid = d->grid > 0 ? d->grid : 0;
    d->share_limit = (uint32_t)limit;
    enum status st = read_groups(d, groups, err);
    return st == STATUS_OK ? read_changes(d, changes, err) : st;
}

static enum status read_json(const char *dir, const char *name, json_t **out,
                             struct error *err)
{
    char path[PATH_MAX];
    json_error_t where;
    snprintf(path, sizeof path, "%s/%s", dir, name);
    *out = json_load_file(path, JSON_REJECT_DUPLICATES, &where);
    if (!*out && where.line < 1) /* not even opened */
        return error_set(err, STATUS_BAD_INPUT, "%s", where.text);
    if (!*out)
        return error_set(err, STATUS_BAD_INPUT, "%s:%d: %s", path, where.line,
                         where.text);
    return STATUS_OK;
}

enum status verify_read(const char *dir, struct verify_data *data,
                        struct error *err)
{
    char path[PATH_MAX];
    *data = (struct verify_data){0};
    arena_init(&data->arena);
    interner_init(&data->vcs);
    interner_init(&data->types);
    enum status st = read_json(dir, "manifest.json", &data->manifest, err);
    if (st == STATUS_OK)
        st = read_json(dir, "summary.json", &data->summary, err);
    if (st == STATUS_OK)
        st = read_manifest(data, err);
    snprintf(path, sizeof path, "%s/jobs.csv", dir);
    if (st == STATUS_OK)
        st = read_jobs(path, data, err);
    snprintf(path, sizeof path, "%s/series.csv", dir);
    if (st == STATUS_OK)
        st = read_series(path, data, err);
    if (st != STATUS_OK)
        verify_data_fini(data);
    return st;
}

void verify_data_fini(struct verify_data *data)
{
    free(data->jobs);
    free(data->attempts);
    free(data->ranges);
    free(data->nodes);
    free(data->samples);
    interner_fini(&data->vcs);
    interner_fini(&data->types);
    json_decref(data->manifest);
    json_decref(data->summary);
    arena_fini(&data->arena);
}
