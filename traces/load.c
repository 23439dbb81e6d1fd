/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads a trace once. Needs 86 bytes plus strings per job, and 80 bytes after
 * the jobs are bound. The identifier of a job is a symbol, so a row is a
 * duplicate exactly if an earlier row that became a job had this symbol. The
 * set of earlier symbols stores no strings, and is built only when a symbol is
 * not above all earlier ones, which is rare. */
#include "traces/load.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "base/check.h"
#include "base/state/truth.h"
#include "traces/chains.h"
#include "traces/footprint.h"
#include "traces/trace.h"

const char *load_reason_words(enum load_reason reason)
{
    static const char *const words[] = {
#define LOAD_WORDS(name, words) words,
        LOAD_REASONS(LOAD_WORDS)
#undef LOAD_WORDS
    };
    return words[reason];
}

const char *jobset_source_id(const struct jobset *jobset, const struct job *job,
                             char buf[SOURCE_ID_MAX])
{
    uint32_t number = job->id;
    if (job->source_id & SOURCE_ID_NUMBER)
        number = job->source_id & ~SOURCE_ID_NUMBER;
    else if (job->source_id)
        return interner_string(&jobset->strings, job->source_id);
    snprintf(buf, SOURCE_ID_MAX, "%" PRIu32, number);
    return buf;
}

sim_span jobset_duration(const struct jobset *jobset, job_id job)
{
    return jobset->truths[job].work;
}

bool jobset_recorded(const struct jobset *jobset, job_id job)
{
    return !jobset->truths[job].derived;
}

unsigned jobset_end(const struct jobset *jobset, job_id job)
{
    return jobset->truths[job].end;
}

void jobset_move(struct jobset *jobset, job_id from, job_id to)
{
    if (from == to)
        return;
    jobset->jobs[to] = jobset->jobs[from];
    jobset->jobs[to].id = to;
    jobset->truths[to] = jobset->truths[from];
    if (jobset->names)
        jobset->names[to] = jobset->names[from];
    if (jobset->terms)
        jobset->terms[to] = jobset->terms[from];
    if (jobset->extras)
        jobset->extras[to] = jobset->extras[from];
    if (jobset->waits)
        jobset->waits[to] = jobset->waits[from];
}

void jobset_drop_names(struct jobset *jobset)
{
    free(jobset->names);
    jobset->names = NULL;
}

/* Stores the cluster that recorded the trace or, if it is NULL, the one that
 * `footprint` proposes; NULL: none is proposed. */
static void jobset_name_cluster(struct jobset *jobset, const char *recorded_on,
                                struct footprint *footprint)
{
    struct footprint_fit fit;
    if (recorded_on) {
        jobset->recorded_on =
            interner_add(&jobset->strings, text_from(recorded_on));
    } else if (footprint) {
        footprint_end(footprint, &fit);
        jobset->proposed =
            interner_add(&jobset->strings, text_from(fit.cluster));
        jobset->proposed_why =
            interner_add(&jobset->strings, text_from(fit.why));
    }
}

void jobset_fini(struct jobset *jobset)
{
    free(jobset->jobs);
    free(jobset->truths);
    free(jobset->names);
    free(jobset->terms);
    free(jobset->extras);
    free(jobset->waits);
    free(jobset->failures);
    interner_fini(&jobset->strings);
    interner_fini(&jobset->vcs);
    interner_fini(&jobset->types);
    interner_fini(&jobset->datasets);
    interner_fini(&jobset->named_vcs);
    *jobset = (struct jobset){0};
}

/* Returns a copy of an array; NULL for NULL. The caller frees it. */
static void *copy_array(const void *from, size_t n, size_t element)
{
    if (!from)
        return NULL;
    void *to = mem_alloc((n ? n : 1) * element);
    memcpy(to, from, n * element);
    return to;
}

void jobset_copy(const struct jobset *from, struct jobset *out)
{
    const size_t n = from->n_jobs;
    *out = *from;
    out->jobs = copy_array(from->jobs, n, sizeof *out->jobs);
    out->truths = copy_array(from->truths, n, sizeof *out->truths);
    out->names = copy_array(from->names, n, sizeof *out->names);
    out->terms = copy_array(from->terms, n, sizeof *out->terms);
    out->extras = copy_array(from->extras, n, sizeof *out->extras);
    out->waits = copy_array(from->waits, n, sizeof *out->waits);
    out->failures =
        copy_array(from->failures, from->n_failures, sizeof *out->failures);
    out->cap_failures = from->failures ? from->n_failures : 0;
    interner_copy(&from->strings, &out->strings);
    interner_copy(&from->vcs, &out->vcs);
    interner_copy(&from->types, &out->types);
    interner_copy(&from->datasets, &out->datasets);
    interner_copy(&from->named_vcs, &out->named_vcs);
}

size_t jobset_bytes(const struct jobset *jobset)
{
    const size_t job = sizeof *jobset->jobs + sizeof *jobset->truths +
                       sizeof *jobset->names +
                       (jobset->terms ? sizeof *jobset->terms : 0) +
                       (jobset->extras ? sizeof *jobset->extras : 0) +
                       (jobset->waits ? sizeof *jobset->waits : 0);
    return jobset->n_jobs * job +
           jobset->n_failures * sizeof *jobset->failures +
           interner_bytes(&jobset->strings) + interner_bytes(&jobset->vcs) +
           interner_bytes(&jobset->types) + interner_bytes(&jobset->datasets) +
           interner_bytes(&jobset->named_vcs);
}

const char *jobset_string(const struct jobset *jobset, uint32_t symbol)
{
    return interner_string(&jobset->strings, symbol);
}

#define JOBS_MAX (UINT32_C(1) << 31)

/* Largest number of data sets that get a symbol. When all symbols are used, the
 * jobs that follow get none, whatever their data set. */
#define DATASETS_MAX (UINT16_MAX / 2)

/* JOBS_FIRST: number of jobs for which memory is reserved before enough rows
 * are read to estimate the number of rows. JOBS_AHEAD: largest number of jobs
 * for which memory is reserved at once. */
#define JOBS_FIRST (size_t)64

#define JOBS_AHEAD (size_t)(2 * 1024 * 1024)

/* The set of identifiers so far: a hash table with open addressing. A slot
 * contains the symbol plus 1; 0: free. */
struct seen {
    /* NULL as long as each symbol was above all earlier ones: then comparing
     * with `highest` is enough. */
    uint32_t *slots;
    size_t n, n_slots;
    uint32_t highest;
};

struct loader {
    const struct load_options *options;
    const struct trace_reader *reader;
    struct jobset *out;
    struct seen seen;
    struct chains *chains;       /* NULL: rows are not linked */
    struct footprint *footprint; /* NULL: no cluster is proposed */
    size_t cap_jobs, cap_truths, cap_names, cap_terms, cap_extras, cap_waits;
    bool unsorted;
};

/* Returns the first slot to try for a key. Keys that differ only in their last
 * four bits get neighbouring slots, so that identifiers which count up mostly
 * use one cache line. */
static size_t load_slot_of(uint32_t key, size_t n_slots)
{
    uint64_t block = (uint64_t)(key >> 4) * UINT64_C(0x9e3779b97f4a7c15);
    return ((size_t)(block >> 32) << 4 | (key & 15)) & (n_slots - 1);
}

/* Adds a key. Returns false if the set has it already. */
static bool seen_put(struct seen *seen, uint32_t key)
{
    size_t i = load_slot_of(key, seen->n_slots);
    for (; seen->slots[i]; i = (i + 1) & (seen->n_slots - 1)) {
        if (seen->slots[i] == key + 1)
            return false;
    }
    seen->slots[i] = key + 1;
    seen->n++;
    return true;
}

static void seen_grow(struct seen *seen, size_t n_slots)
{
    struct seen wider = {.n_slots = n_slots};
    wider.slots = mem_zalloc(n_slots, sizeof *wider.slots);
    for (size_t i = 0; i < seen->n_slots; i++) {
        if (seen->slots[i])
            seen_put(&wider, seen->slots[i] - 1);
    }
    free(seen->slots);
    *seen = wider;
}

/* Adds the identifier of the next job. Returns false if an earlier job of `out`
 * has the same identifier. */
static bool seen_add(struct seen *seen, const struct jobset *out, uint32_t id)
{
    if (!seen->slots && id > seen->highest) {
        seen->highest = id;
        return true;
    }
    if (!seen->slots) {
        size_t n_slots = 64;
        while (n_slots < (size_t)out->n_jobs * 2 + 2)
            n_slots *= 2;
        seen_grow(seen, n_slots);
        for (uint32_t i = 0; i < out->n_jobs; i++) {
            if (out->jobs[i].source_id)
                seen_put(seen, out->jobs[i].source_id);
        }
    }
    if (seen->n * 2 >= seen->n_slots)
        seen_grow(seen, seen->n_slots * 2);
    return seen_put(seen, id);
}

/* Reads a whole number below 2^31 - 1 without leading zeros or signs. Returns
 * false for any other text: "007" and "7" must stay different identifiers. */
static bool load_plain_number(struct text t, uint32_t *out)
{
    if (t.len == 0 || t.at[0] < '0' || (t.at[0] == '0' && t.len > 1))
        return false;
    return text_to_u32(t, out) &&
           *out < SOURCE_ID_NUMBER - 1; /* symbol + 1 must not become 0 */
}

static uint32_t text_symbol(struct interner *in, struct text t)
{
    return t.len ? interner_add(in, t) : 0;
}

static uint32_t id_symbol(struct jobset *out, struct text id)
{
    uint32_t number;
    if (load_plain_number(id, &number))
        return number | SOURCE_ID_NUMBER;
    return text_symbol(&out->strings, id);
}

static bool is_bound(sim_time at)
{
    return at != 0 && at != TRACE_NO_TIME;
}

/* Returns the reason to drop the row, judged by the row alone; LOAD_N_REASONS
 * if there is none. */
static enum load_reason load_judge(const struct load_options *options,
                                   const struct trace_row *row)
{
    bool timeless = row->duration == TRACE_NO_TIME;
    if (timeless && (!options->elastic || row->elasticity == JOB_RIGID))
        return LOAD_NO_DURATION;
    if (row->gpus == 0)
        return LOAD_NO_GPU;
    if (row->duration < 0 && !timeless)
        return LOAD_NEGATIVE;
    if ((is_bound(options->from) && row->submitted < options->from) ||
        (is_bound(options->to) && row->submitted > options->to))
        return LOAD_OUTSIDE_WINDOW;
    if (options->vc && !text_is(row->vc, options->vc))
        return LOAD_OTHER_VC;
    return LOAD_N_REASONS;
}

static struct job_names load_names_of(struct jobset *out,
                                      const struct trace_row *row, uint32_t vc,
                                      uint32_t type)
{
    struct job_names names = {.vc = (uint16_t)vc, .gpu_type = (uint8_t)type};
    if (row->model.len) {
        names.amp = row->amp;
        if (out->datasets.n_strings <= DATASETS_MAX)
            names.dataset = (uint16_t)text_symbol(&out->datasets, row->dataset);
    }
    return names;
}

static uint8_t percent(double util)
{
    if (!(util >= 0))
        return GPU_UTIL_UNKNOWN;
    return util < 100 ? (uint8_t)(util + 0.5) : 100;
}

/* Makes sure that one more job has room. If the arrays must grow, reserves as
 * many elements as the trace is expected to have, because growing in small
 * steps would copy the arrays each time. */
static void load_make_room(struct loader *loader)
{
    struct jobset *out = loader->out;
    size_t n = out->n_jobs, room = n ? n + 1 : JOBS_FIRST;
    if (n < loader->cap_jobs)
        return;
    uint64_t expected = n ? trace_expected(loader->reader) : 0;
    /* Take more than estimated, in case later rows are shorter. */
    expected += expected / 8;
    if (expected > n)
        room = expected - n < JOBS_AHEAD ? expected : n + JOBS_AHEAD;
    out->jobs = mem_grow(out->jobs, &loader->cap_jobs, room, sizeof *out->jobs);
    out->truths =
        mem_grow(out->truths, &loader->cap_truths, room, sizeof *out->truths);
    out->names =
        mem_grow(out->names, &loader->cap_names, room, sizeof *out->names);
}

/* Keeps the deadline and the priority of job n. The first job that has one
 * makes the list, in which the jobs before have none. */
static void add_terms(struct loader *loader, const struct trace_row *row,
                      size_t n)
{
    struct jobset *out = loader->out;
    bool has = row->deadline != TRACE_NO_TIME || row->priority.len;
    size_t from = out->terms ? n : 0;
    if (!has && !out->terms)
        return;
    out->terms = mem_grow(out->terms, &loader->cap_terms, loader->cap_jobs,
                          sizeof *out->terms);
    for (size_t i = from; i < n; i++)
        out->terms[i] = (struct job_terms){.deadline = JOB_NO_DEADLINE};
    out->terms[n] = (struct job_terms){
        .deadline =
            row->deadline == TRACE_NO_TIME ? JOB_NO_DEADLINE : row->deadline,
        .priority = text_symbol(&out->strings, row->priority)};
}

/* Keeps the CPUs, the main memory, the kind and the account of job n, in a
 * list made as in add_terms. */
static void add_extras(struct loader *loader, const struct trace_row *row,
                       size_t n)
{
    struct jobset *out = loader->out;
    const struct text account =
        loader->options->accounts ? row->vc : (struct text){0};
    bool has = row->cpus || row->mem_mib > 0 || row->kind.len || account.len;
    size_t from = out->extras ? n : 0;
    if (!loader->options->extras || (!has && !out->extras))
        return;
    out->extras = mem_grow(out->extras, &loader->cap_extras, loader->cap_jobs,
                           sizeof *out->extras);
    memset(out->extras + from, 0, (n - from) * sizeof *out->extras);
    out->extras[n] = (struct job_extras){
        .cpus = row->cpus,
        .mem_mib = row->mem_mib > 0 ? (float)row->mem_mib : 0,
        .kind = text_symbol(&out->strings, row->kind),
        .account = text_symbol(&out->strings, account)};
}

/* Keeps the recorded wait of job n, in a list made as in add_terms. */
static void add_wait(struct loader *loader, const struct trace_row *row,
                     size_t n)
{
    struct jobset *out = loader->out;
    const bool has = row->queue != TRACE_NO_TIME && row->queue >= 0;
    size_t from = out->waits ? n : 0;
    if (!loader->options->waits || (!has && !out->waits))
        return;
    out->waits = mem_grow(out->waits, &loader->cap_waits, loader->cap_jobs,
                          sizeof *out->waits);
    for (size_t i = from; i < n; i++)
        out->waits[i] = TIME_NEVER;
    out->waits[n] = has ? row->queue : TIME_NEVER;
}

static void load_append(struct loader *loader, const struct trace_row *row,
                        uint32_t source_id, uint32_t vc, uint32_t type)
{
    struct jobset *out = loader->out;
    size_t n = out->n_jobs;
    load_make_room(loader);
    if (n && row->submitted < out->jobs[n - 1].submitted)
        loader->unsorted = true;
    const uint32_t user = text_symbol(&out->strings, row->user);
    const uint32_t name = text_symbol(&out->strings, row->name);
    const uint32_t model = text_symbol(&out->strings, row->model);
    out->names[n] = load_names_of(out, row, vc, type);
    out->jobs[n] = (struct job){
        .id = (job_id)n,
        .gpus = row->gpus,
        .submitted = row->submitted,
        .declared = row->declared,
        .user = user,
        .name = name,
        .model = model,
        .source_id = source_id,
        .mem_mib = row->gpu_mem_mib > 0 ? (float)row->gpu_mem_mib : 0,
        .batch_size = row->batch_size,
        .gpu_type = GPU_TYPE_ANY,
        .state = JOB_FUTURE,
        .elasticity = (uint8_t)row->elasticity,
        .gpu_util = percent(row->gpu_util),
    };
    add_terms(loader, row, n);
    add_extras(loader, row, n);
    add_wait(loader, row, n);
    out->truths[n] = (struct truth){
        .work = row->duration < 0 ? 0 : row->duration,
        .end = (uint8_t)row->end,
        .aborts =
            row->end == TRACE_END_FAILED || row->end == TRACE_END_CANCELLED,
        .derived = row->derived || row->duration == TRACE_NO_TIME};
    out->n_jobs++;
}

/* Updates the first and the last submission of all rows and, if the user asked
 * for a virtual cluster, the names of all virtual clusters. An error message
 * names them if the user's window or virtual cluster has no jobs. */
static void note_window(struct loader *loader, const struct trace_row *row)
{
    struct jobset *out = loader->out;
    if (loader->options->vc)
        text_symbol(&out->named_vcs, row->vc);
    if (row->submitted == TRACE_NO_TIME)
        return;
    out->first = row->submitted < out->first ? row->submitted : out->first;
    out->last = row->submitted > out->last ? row->submitted : out->last;
}

static enum status load_add_row(struct loader *loader,
                                const struct trace_row *row, struct error *err)
{
    struct jobset *out = loader->out;
    out->n_rows++;
    note_window(loader, row);
    enum load_reason reason = load_judge(loader->options, row);
    /* A window does not change the cluster. */
    if (loader->footprint && reason == LOAD_OUTSIDE_WINDOW)
        footprint_add(loader->footprint, row);
    if (reason != LOAD_N_REASONS) {
        out->dropped[reason]++;
        return STATUS_OK;
    }
    uint32_t id = id_symbol(out, row->source_id);
    if (id && !seen_add(&loader->seen, out, id)) {
        out->dropped[LOAD_DUPLICATE]++;
        return STATUS_OK;
    }
    if (loader->footprint)
        footprint_add(loader->footprint, row);
    uint32_t vc = text_symbol(&out->vcs, row->vc);
    uint32_t type = text_symbol(&out->types, row->gpu_type);
    if (vc > UINT16_MAX || type >= GPU_TYPE_ANY)
        return error_set(err, STATUS_BAD_INPUT,
                         "line %" PRIu64 ": more than %u %s", row->line,
                         vc > UINT16_MAX ? UINT16_MAX : GPU_TYPE_ANY - 1u,
                         vc > UINT16_MAX ? "virtual clusters" : "GPU types");
    if (out->n_jobs == JOBS_MAX)
        return error_set(err, STATUS_BAD_INPUT, "more than %u jobs", JOBS_MAX);
    load_append(loader, row, id, vc, type);
    if (loader->chains)
        chains_add(loader->chains, out, row);
    return STATUS_OK;
}

/* Orders jobs by submission, and jobs with equal submissions by row. */
static int load_by_submission(const void *a, const void *b, void *jobs)
{
    const struct job *x = (struct job *)jobs + *(const uint32_t *)a;
    const struct job *y = (struct job *)jobs + *(const uint32_t *)b;
    if (x->submitted != y->submitted)
        return x->submitted < y->submitted ? -1 : 1;
    return x->id < y->id ? -1 : x->id > y->id;
}

/* All that a jobset has of one job. */
struct load_entry {
    struct job job;
    struct truth truth;
    struct job_names names;
    struct job_terms terms;
    struct job_extras extras;
    sim_span wait;
};

static struct load_entry load_entry_of(const struct jobset *jobset, uint32_t i)
{
    return (struct load_entry){
        .job = jobset->jobs[i],
        .truth = jobset->truths[i],
        .names = jobset->names[i],
        .terms = jobset->terms ? jobset->terms[i] : (struct job_terms){0},
        .extras = jobset->extras ? jobset->extras[i] : (struct job_extras){0},
        .wait = jobset->waits ? jobset->waits[i] : 0,
    };
}

static void load_put_entry(struct jobset *jobset, uint32_t i,
                           const struct load_entry *entry)
{
    jobset->jobs[i] = entry->job;
    jobset->truths[i] = entry->truth;
    jobset->names[i] = entry->names;
    if (jobset->terms)
        jobset->terms[i] = entry->terms;
    if (jobset->extras)
        jobset->extras[i] = entry->extras;
    if (jobset->waits)
        jobset->waits[i] = entry->wait;
}

/* Sorts the jobs by submission. Moves them along the cycles of the permutation,
 * so that no second array of jobs is needed. */
static void sort(struct jobset *out, struct chains *chains)
{
    uint32_t n = out->n_jobs, *from = mem_alloc((size_t)n * sizeof *from);
    for (uint32_t i = 0; i < n; i++)
        from[i] = i;
    qsort_r(from, n, sizeof *from, load_by_submission, out->jobs);
    if (chains)
        chains_order(chains, from);
    for (uint32_t i = 0; i < n; i++) {
        const struct load_entry first = load_entry_of(out, i);
        uint32_t at = i;
        while (from[at] != i) {
            const uint32_t source = from[at];
            const struct load_entry moved = load_entry_of(out, source);
            load_put_entry(out, at, &moved);
            from[at] = at;
            at = source;
        }
        load_put_entry(out, at, &first);
        from[at] = at;
    }
    free(from);
}

static void load_finish(struct loader *loader)
{
    struct jobset *out = loader->out;
    uint64_t limit = loader->options->limit;
    if (loader->unsorted)
        sort(out, loader->chains);
    if (loader->chains)
        out->dropped[LOAD_LINKED] += chains_link(loader->chains, out);
    if (limit && out->n_jobs > limit) {
        out->dropped[LOAD_LIMIT] += out->n_jobs - limit;
        out->n_jobs = (uint32_t)limit;
    }
    out->zero = out->n_jobs ? out->jobs[0].submitted : 0;
    for (uint32_t i = 0; i < out->n_jobs; i++) {
        out->jobs[i].id = i;
        out->jobs[i].submitted -= out->zero;
    }
}

static enum status load_read_all(struct loader *loader,
                                 struct trace_reader *reader, struct error *err)
{
    struct trace_row row;
    enum status st;
    while ((st = trace_next(reader, &row, err)) == STATUS_OK) {
        st = load_add_row(loader, &row, err);
        if (st != STATUS_OK)
            return st;
    }
    return st == STATUS_END ? STATUS_OK : st;
}

static enum status load_first_submission(const char *path,
                                         const char *format_spec,
                                         sim_time *first, struct error *err)
{
    struct trace_reader *reader;
    struct trace_row row;
    struct stat is;
    if (stat(path, &is) != 0 || !S_ISREG(is.st_mode))
        return error_set(err, STATUS_USAGE,
                         "%s: a time after the first submission needs a file "
                         "that can be read twice; give a date",
                         path);
    enum status st = trace_open(path, format_spec, &reader, err);
    if (st != STATUS_OK)
        return st;
    *first = TIME_NEVER;
    while ((st = trace_next(reader, &row, err)) == STATUS_OK) {
        if (row.submitted != TRACE_NO_TIME && row.submitted < *first)
            *first = row.submitted;
    }
    trace_close(reader);
    return st == STATUS_END ? STATUS_OK : st;
}

enum status load_resolve_window(const char *path, const char *format_spec,
                                sim_time *from, sim_time *to, struct error *err)
{
    sim_time first = 0;
    enum status st = STATUS_OK;
    if (*from < LOAD_SINCE_FIRST && *to < LOAD_SINCE_FIRST)
        return STATUS_OK;
    st = load_first_submission(path, format_spec, &first, err);
    if (st != STATUS_OK)
        return st;
    if (*from >= LOAD_SINCE_FIRST)
        *from += first - LOAD_SINCE_FIRST;
    if (*to >= LOAD_SINCE_FIRST)
        *to += first - LOAD_SINCE_FIRST;
    return STATUS_OK;
}

enum status jobset_load(const char *path, const char *format_spec,
                        const struct load_options *given, struct jobset *out,
                        struct error *err)
{
    struct trace_reader *reader;
    struct load_options own = *given;
    const struct load_options *options = &own;
    enum status st =
        load_resolve_window(path, format_spec, &own.from, &own.to, err);
    if (st == STATUS_OK)
        st = trace_open(path, format_spec, &reader, err);
    if (st != STATUS_OK)
        return st;
    *out = (struct jobset){.format = trace_format(reader)->name,
                           .first = INT64_MAX,
                           .last = INT64_MIN};
    interner_init(&out->strings);
    interner_init(&out->vcs);
    interner_init(&out->types);
    interner_init(&out->datasets);
    interner_init(&out->named_vcs);
    struct loader loader = {.options = options, .reader = reader, .out = out};
    if (options->propose)
        loader.footprint = footprint_new();
    if (options->chain_link > 0)
        loader.chains = chains_new(options->chain_link);
    st = load_read_all(&loader, reader, err);
    if (st == STATUS_OK) {
        load_finish(&loader);
        memcpy(out->digest, trace_digest(reader), sizeof out->digest);
        trace_note(reader, out->note);
        jobset_name_cluster(out, trace_recorded_on(reader), loader.footprint);
    } else {
        jobset_fini(out);
    }
    footprint_free(loader.footprint);
    free(loader.seen.slots);
    if (loader.chains)
        chains_free(loader.chains);
    trace_close(reader);
    return st;
}

void job_ids_init(struct job_ids *ids, const struct run_env *env)
{
    *ids = (struct job_ids){0};
    interner_init(&ids->texts);
    for (uint32_t i = 0; i < env->n_jobs; i++) {
        char buf[SOURCE_ID_MAX];
        uint32_t id = env->jobs[i].source_id;
        const char *text = buf;
        if (id & SOURCE_ID_NUMBER)
            snprintf(buf, sizeof buf, "%u", id & ~SOURCE_ID_NUMBER);
        else
            text = env->string(env->strings, id);
        size_t known = ids->texts.n_strings;
        uint32_t symbol = interner_add(&ids->texts, text_from(text));
        ids->job = mem_grow(ids->job, &ids->cap, symbol + 1, sizeof *ids->job);
        if (symbol == known)
            ids->job[symbol] = i;
    }
}

void job_ids_fini(struct job_ids *ids)
{
    interner_fini(&ids->texts);
    free(ids->job);
}

job_id job_ids_find(const struct job_ids *ids, struct text id)
{
    uint32_t symbol = interner_find(&ids->texts, id);
    return symbol == UINT32_MAX || symbol == 0 ? JOB_NONE : ids->job[symbol];
}
