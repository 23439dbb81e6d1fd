/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The rows of jobs.csv and attempts.csv, and the numbers of summary.json that
 * are fields of a struct. The first columns of both files are Batsim's
 * (batsim.readthedocs.io, "Schedule and jobs output"), so tools made for
 * Batsim, such as Evalys, can read them. */
#include "sim/results/columns.h"

#include <math.h>
#include <stdlib.h>

#include "base/check.h"
#include "base/find.h"
#include "base/json.h"
#include "sim/results/row.h"
#include "traces/trace.h"

/* The columns of a file are a list, X(name, unit, rule, meaning) for each; BOTH
 * in place of X if both files write the cell alike. The lists become the
 * descriptions of the columns and the code that writes a row, which calls for
 * each cell the function that has the name of the column after `job_put_`,
 * `attempt_put_` or, for both, `put_`. */
#define ROW_COLUMN(name, unit, rule, help) {#name, unit, rule, help},
#define CELL_BY(function) \
    at = function(row, at); \
    *at++ = ',';
#define BOTH_CELL(name, unit, rule, help) CELL_BY(put_##name)
#define JOB_CELL(name, unit, rule, help) CELL_BY(job_put_##name)
#define ATTEMPT_CELL(name, unit, rule, help) CELL_BY(attempt_put_##name)

/* Room for all numbers and words of one row, in bytes. For cells of unbounded
 * length call row_room first. */
enum { ROW_BYTES = 2048 };

static void keep_names(struct names *names, size_t n)
{
    uint32_t room = 1;
    while (room < n && room < NAMES_KEPT)
        room *= 2;
    names->kept = mem_zalloc(room, sizeof *names->kept);
    names->mask = room - 1;
}

static void row_write_head(struct out *out, const struct column *columns)
{
    for (size_t i = 0; columns[i].name; i++) {
        if (i)
            out_char(out, ',');
        out_text(out, columns[i].name);
    }
    out_char(out, '\n');
}

void row_init(struct row *row, struct out *out, struct facts_reader *reader,
              const struct column *columns)
{
    const struct run_result *run = reader->results.run;
    *row = (struct row){.out = out, .run = run, .reader = reader};
    keep_names(&row->names[NAME_STRING], run->jobset.strings.n_strings);
    keep_names(&row->names[NAME_VC], run->cluster.n_vcs);
    keep_names(&row->names[NAME_TYPE], run->cluster.n_types);
    keep_names(&row->names[NAME_FORMAT], 1);
    row_write_head(out, columns);
}

void row_fini(struct row *row)
{
    for (unsigned kind = 0; kind < NAME_KINDS; kind++)
        free(row->names[kind].kept);
    free(row->attempts);
}

/* Writes cells, each followed by a comma. */
typedef char *row_cells(struct row *row, char *at);

/* Writes one line: the cells of `batsim`, then those of `own`. The caller has
 * set the fields of `row` that the cells read. `head`: text of the first cells
 * if the caller has that text from an equal row of the other file, otherwise
 * empty. Returns that text, valid until the next row of this file; empty if the
 * text has left the buffer. */
static struct text row_write(struct row *row, row_cells *batsim, row_cells *own,
                             struct text head)
{
    struct out *out = row->out;
    char *at = out_reserve(out, head.len + ROW_BYTES);
    size_t begin = out->len;
    uint64_t gone = out->gone;
    at = head.len ? mempcpy(at, head.at, head.len) : batsim(row, at);
    head.len = (size_t)(at - out->buf) - begin;
    at = own(row, at);
    at[-1] = '\n';
    out->len = (size_t)(at - out->buf);
    CHECK(out->len <= out->cap);
    head.at = out->buf + begin;
    return out->gone == gone ? head : (struct text){0};
}

static inline char *row_room(struct row *row, char *at, size_t bytes)
{
    row->out->len = (size_t)(at - row->out->buf);
    return out_reserve(row->out, bytes);
}

/* Writes a text as a CSV cell, quoted if needed. Leaves ROW_BYTES of room. */
static char *row_put_csv(struct row *row, char *at, struct text text)
{
    row->out->len = (size_t)(at - row->out->buf);
    out_csv(row->out, text);
    return out_reserve(row->out, ROW_BYTES);
}

/* Writes the identifier of a job that is not a number. Leaves ROW_BYTES of
 * room. */
static char *row_put_named_id(struct row *row, char *at)
{
    char buf[SOURCE_ID_MAX];
    return row_put_csv(
        row, at,
        text_from(jobset_source_id(&row->run->jobset, row->facts->job, buf)));
}

/* Writes a ratio that is negative or at least 1e9, and leaves ROW_BYTES of
 * room. Does nothing for NaN. */
static char *row_put_odd_ratio(struct row *row, char *at, double value)
{
    if (isnan(value))
        return at;
    row->out->len = (size_t)(at - row->out->buf);
    out_double(row->out, value);
    return out_reserve(row->out, ROW_BYTES);
}

static struct text row_text_of(const struct row *row, enum name_kind kind,
                               uint32_t number)
{
    const struct run_result *run = row->run;
    switch ((int)kind) {
    case NAME_STRING:
        return run->jobset.strings.strings[number];
    case NAME_VC:
        return text_from(run->cluster.vcs[number]);
    case NAME_TYPE:
        return text_from(run->cluster.types[number].name);
    default: /* NAME_FORMAT */
        return text_from(run->jobset.format);
    }
}

/* Writes a name that is not kept yet. A short name that needs no quotes is kept
 * in place of the one in its slot; any other name is not kept, and ROW_BYTES of
 * room are left after it. */
static char *row_put_new_name(struct row *row, char *at, enum name_kind kind,
                              uint32_t number)
{
    struct names *names = &row->names[kind];
    struct kept_name *name = &names->kept[number & names->mask];
    struct text text = row_text_of(row, kind, number);
    if (text.len == 0 || text.len > NAME_MAX_KEPT || !csv_is_plain(text))
        return row_put_csv(row, at, text);
    name->number = number;
    name->len = (uint8_t)text.len;
    memcpy(name->text, text.at, text.len);
    memcpy(at, text.at, text.len);
    return at + text.len;
}

static inline char *row_put_name(struct row *row, char *at, enum name_kind kind,
                                 uint32_t number)
{
    const struct names *names = &row->names[kind];
    const struct kept_name *name = &names->kept[number & names->mask];
    if (name->number != number || name->len == 0)
        return row_put_new_name(row, at, kind, number);
    memcpy(at, name->text, NAME_MAX_KEPT);
    return at + name->len;
}

static int by_node(const void *a, const void *b)
{
    const struct gpu_slice *x = a, *y = b;
    return (x->node > y->node) - (x->node < y->node);
}

/* Sorts the slices by node. Placers mostly choose nodes in ascending order, so
 * the test for order usually saves the sort. */
static void sort_by_node(struct gpu_slice *slices, uint32_t n)
{
    for (uint32_t i = 1; i < n; i++) {
        if (slices[i].node < slices[i - 1].node) {
            qsort(slices, n, sizeof *slices, by_node);
            return;
        }
    }
}

/* Writes the GPUs or nodes first .. end-1 as a range, or as one number if there
 * is only one. */
static char *put_range(char *at, gpu_id first, gpu_id end)
{
    at = digits_put(at, first);
    if (end - first == 1)
        return at;
    *at++ = '-';
    return digits_put(at, end - 1);
}

/* Finds the lowest run of ones in the mask: bits *low .. *high-1. Returns the
 * mask without them. */
static uint64_t take_run(uint64_t mask, unsigned *low, unsigned *high)
{
    *low = (unsigned)__builtin_ctzll(mask);
    uint64_t carried = mask + (UINT64_C(1) << *low);
    *high = carried ? (unsigned)__builtin_ctzll(carried) : 64;
    return mask & carried;
}

/* Writes a set of GPUs that is not a single run on one node. A range may
 * continue from one node to the next. */
static char *put_scattered(struct row *row, char *at, struct gpu_set set)
{
    enum { RANGE_BYTES = 2 * U64_TEXT_MAX + 2, RANGES_MAX = 33 };
    gpu_id first = 0, end = 0; /* the current range: first .. end-1 */
    sort_by_node(row->reader->slices, set.count);
    for (uint32_t i = 0; i < set.count; i++) {
        gpu_id base = row->run->cluster.nodes[set.at[i].node].first_gpu;
        at = row_room(row, at, RANGES_MAX * RANGE_BYTES);
        for (uint64_t mask = set.at[i].mask; mask;) {
            unsigned low, high;
            mask = take_run(mask, &low, &high);
            if (end != base + low && end > first) {
                at = put_range(at, first, end);
                *at++ = ' ';
            }
            if (end != base + low || end == first)
                first = base + low;
            end = base + high;
        }
    }
    if (end > first)
        at = put_range(at, first, end);
    return at;
}

/* Writes the GPUs of an attempt as Batsim writes a set: "0-3 8". Leaves
 * ROW_BYTES of room. */
static char *row_put_gpus(struct row *row, char *at, uint32_t attempt)
{
    struct gpu_set set = facts_where(row->reader, attempt);
    unsigned low, high;
    if (set.count == 1 && set.at->mask &&
        take_run(set.at->mask, &low, &high) == 0) {
        gpu_id base = row->run->cluster.nodes[set.at->node].first_gpu;
        at = put_range(at, base + low, base + high);
    } else {
        at = put_scattered(row, at, set);
    }
    return row_room(row, at, ROW_BYTES);
}

/* Writes the nodes of an attempt as a set: "0-3 8". Leaves ROW_BYTES of room if
 * there are several nodes. */
static char *row_put_nodes(struct row *row, char *at, uint32_t attempt)
{
    enum { RANGE_BYTES = 2 * U64_TEXT_MAX + 2 };
    struct gpu_set set = facts_where(row->reader, attempt);
    if (set.count == 1)
        return digits_put(at, set.at->node);
    sort_by_node(row->reader->slices, set.count);
    for (uint32_t i = 0, n; i < set.count; i += n) {
        for (n = 1;
             i + n < set.count && set.at[i + n].node == set.at[i].node + n;)
            n++;
        at = row_room(row, at, RANGE_BYTES);
        if (i)
            *at++ = ' ';
        at = put_range(at, set.at[i].node, set.at[i].node + n);
    }
    return row_room(row, at, ROW_BYTES);
}

/* The cells that the rows of jobs.csv and attempts.csv have in common. They are
 * inline, because a row has up to 37 cells and a call costs as much as most of
 * them. */

/* Writes a string of the trace; nothing if the job has none. */
static inline char *columns_put_symbol(struct row *row, char *at,
                                       uint32_t symbol)
{
    const struct interner *in = &row->run->jobset.strings;
    return symbol && symbol < in->n_strings
               ? row_put_name(row, at, NAME_STRING, symbol)
               : at;
}

/* Writes a ratio rounded to six decimals, or with all digits if it is negative
 * or at least 1e9. Six decimals are more than readers need, and an exact double
 * would take three times as long. The exact times are in the same row. Writes
 * nothing for NaN. */
static inline char *put_ratio(struct row *row, char *at, double value)
{
    if (!(value >= 0 && value < 1e9))
        return row_put_odd_ratio(row, at, value);
    /* A fraction of 0 is written by the same code, because a branch would be
     * mispredicted. */
    uint64_t millionths = (uint64_t)span_from_seconds(value);
    uint64_t whole = millionths / 1000000;
    at = digits_put(at, whole);
    return digits_put_millionths(at, (uint32_t)(millionths - whole * 1000000));
}

static inline char *put_flag(char *at, bool flag)
{
    *at = flag ? '1' : '0';
    return at + 1;
}

/* Writes a number that is below ten for most jobs. */
static inline char *put_small(char *at, uint64_t number)
{
    if (number >= 10)
        return digits_put(at, number);
    *at = (char)('0' + number);
    return at + 1;
}

static inline char *put_job_id(struct row *row, char *at)
{
    uint32_t id = row->facts->job->source_id;
    return id & SOURCE_ID_NUMBER ? digits_put(at, id & ~SOURCE_ID_NUMBER)
                                 : row_put_named_id(row, at);
}

static inline char *put_workload_name(struct row *row, char *at)
{
    return row->run->jobset.format ? row_put_name(row, at, NAME_FORMAT, 0) : at;
}

static inline char *put_profile(struct row *row, char *at)
{
    return columns_put_symbol(row, at, row->facts->job->model);
}

static inline char *put_requested_number_of_resources(struct row *row, char *at)
{
    return put_small(at, row->facts->job->gpus);
}

static inline char *put_requested_time(struct row *row, char *at)
{
    sim_span declared = row->facts->job->declared;
    return declared > 0 ? digits_put_span(at, declared) : stpcpy(at, "-1");
}

/* Writes 1 if the job ran to its recorded end, which was neither a failure nor
 * a cancellation; otherwise 0. */
static inline char *job_put_success(struct row *row, char *at)
{
    enum outcome o = row->facts->outcome;
    return put_flag(at, o == OUTCOME_COMPLETED || o == OUTCOME_UNKNOWN);
}

/* Writes how the job ended, in Batsim's words. */
static inline char *job_put_final_state(struct row *row, char *at)
{
    static const char *const words[OUTCOME_N] = {
        [OUTCOME_COMPLETED] = "COMPLETED_SUCCESSFULLY",
        [OUTCOME_UNKNOWN] = "COMPLETED_SUCCESSFULLY",
        [OUTCOME_FAILED] = "COMPLETED_FAILED",
        [OUTCOME_GIVEN_UP] = "COMPLETED_FAILED",
        [OUTCOME_CANCELLED] = "COMPLETED_KILLED",
        [OUTCOME_REJECTED] = "REJECTED",
        [OUTCOME_UNFINISHED] = "UNFINISHED",
    };
    return stpcpy(at, words[row->facts->outcome]);
}

static inline char *put_consumed_energy(struct row *row, char *at)
{
    (void)row;
    return stpcpy(at, "-1");
}

static inline char *put_metadata(struct row *row, char *at)
{
    (void)row;
    return at;
}

/* jobs.csv: one row per job, in the order of submission. */

/* Writes a span, with a fast path for 0, which is the value for all jobs of
 * most runs. */
static char *put_rare(char *at, sim_span span)
{
    if (span)
        return digits_put_span(at, span);
    *at = '0';
    return at + 1;
}

static char *job_put_submission_time(struct row *row, char *at)
{
    return digits_put_span(at, row->facts->job->submitted);
}

static bool job_ran(const struct row *row)
{
    return row->facts->attempts > 0;
}

/* True if the job ended after it had run. Its execution time and its stretch
 * are defined only then. */
static bool job_ran_to_end(const struct row *row)
{
    return job_ran(row) && row->facts->ended;
}

static char *job_put_starting_time(struct row *row, char *at)
{
    return job_ran(row) ? digits_put_span(at, row->facts->start) : at;
}

static char *job_put_execution_time(struct row *row, char *at)
{
    return job_ran_to_end(row)
               ? digits_put_span(at, row->facts->end - row->facts->start)
               : at;
}

static char *job_put_finish_time(struct row *row, char *at)
{
    return row->facts->ended ? digits_put_span(at, row->facts->end) : at;
}

static char *job_put_waiting_time(struct row *row, char *at)
{
    return job_ran(row) ? digits_put_span(at, facts_wait(row->facts)) : at;
}

static char *job_put_turnaround_time(struct row *row, char *at)
{
    return row->facts->ended ? digits_put_span(at, facts_jct(row->facts)) : at;
}

static char *job_put_stretch(struct row *row, char *at)
{
    sim_span length = row->facts->end - row->facts->start;
    return job_ran_to_end(row) && length > 0
               ? put_ratio(row, at,
                           (double)facts_jct(row->facts) / (double)length)
               : at;
}

/* Writes the GPUs of the last attempt. Most jobs have only this attempt. */
static char *job_put_allocated_resources(struct row *row, char *at)
{
    return job_ran(row) ? row_put_gpus(row, at, row->facts->last_attempt) : at;
}

static char *job_put_user(struct row *row, char *at)
{
    return columns_put_symbol(row, at, row->facts->job->user);
}

static char *job_put_vc(struct row *row, char *at)
{
    return row_put_name(row, at, NAME_VC, row->facts->job->vc);
}

static char *job_put_gpu_type(struct row *row, char *at)
{
    uint8_t type = row->facts->job->gpu_type;
    return type < row->run->cluster.n_types
               ? row_put_name(row, at, NAME_TYPE, type)
               : at;
}

static char *job_put_name(struct row *row, char *at)
{
    return columns_put_symbol(row, at, row->facts->job->name);
}

static char *job_put_duration(struct row *row, char *at)
{
    return digits_put_span(at, row->facts->duration);
}

static char *job_put_queue_delay(struct row *row, char *at)
{
    return digits_put_span(at, row->facts->queued);
}

static char *job_put_held(struct row *row, char *at)
{
    return put_rare(at, row->facts->held);
}

static char *job_put_running(struct row *row, char *at)
{
    return digits_put_span(at, row->facts->running);
}

static char *job_put_work(struct row *row, char *at)
{
    return digits_put_span(at, row->facts->work);
}

static char *job_put_overhead(struct row *row, char *at)
{
    return put_rare(at, row->facts->overhead);
}

static char *job_put_lost(struct row *row, char *at)
{
    return put_rare(at, row->facts->lost);
}

static char *job_put_preemptions(struct row *row, char *at)
{
    return put_small(at, row->facts->preemptions);
}

static char *job_put_attempts(struct row *row, char *at)
{
    return put_small(at, row->facts->attempts);
}

static char *job_put_slowdown(struct row *row, char *at)
{
    return put_ratio(row, at, row->facts->metric[METRIC_SLOWDOWN]);
}

static char *job_put_slowdown_by_load(struct row *row, char *at)
{
    return put_ratio(row, at, row->facts->metric[METRIC_BY_LOAD]);
}

static char *job_put_rho(struct row *row, char *at)
{
    return put_ratio(row, at, row->facts->metric[METRIC_RHO]);
}

static char *job_put_state(struct row *row, char *at)
{
    static const char *const words[] = {
        [TRACE_END_COMPLETED] = "completed",
        [TRACE_END_FAILED] = "failed",
        [TRACE_END_CANCELLED] = "cancelled",
        [TRACE_END_UNKNOWN] = "unknown",
    };
    return stpcpy(at, words[row->facts->recorded]);
}

static char *job_put_outcome(struct row *row, char *at)
{
    return stpcpy(at, outcome_name(row->facts->outcome));
}

static char *job_put_shared(struct row *row, char *at)
{
    return put_flag(at, row->facts->shared);
}

static char *job_put_reason(struct row *row, char *at)
{
    const struct rejection *r =
        row->facts->outcome == OUTCOME_REJECTED
            ? facts_rejection(row->reader, row->facts->job->id)
            : NULL;
    return r ? row_put_csv(row, at, text_from(r->why)) : at;
}

static char *job_put_deadline(struct row *row, char *at)
{
    const struct job *job = row->facts->job;
    const struct job_terms *terms = row->run->jobset.terms;
    sim_span left = terms ? terms[job->id].deadline : JOB_NO_DEADLINE;
    return left == JOB_NO_DEADLINE ? at
                                   : digits_put_span(at, job->submitted + left);
}

static struct job_extras extras_of(const struct row *row)
{
    const struct job_extras *extras = row->run->jobset.extras;
    return extras ? extras[row->facts->job->id] : (struct job_extras){0};
}

static char *job_put_cpus(struct row *row, char *at)
{
    const uint32_t cpus = extras_of(row).cpus;
    return cpus ? digits_put(at, cpus) : at;
}

static char *job_put_mem_mib(struct row *row, char *at)
{
    const float mem_mib = extras_of(row).mem_mib;
    return mem_mib > 0 ? digits_put(at, (uint64_t)((double)mem_mib + 0.5)) : at;
}

static char *job_put_kind(struct row *row, char *at)
{
    return columns_put_symbol(row, at, extras_of(row).kind);
}

static char *job_put_priority(struct row *row, char *at)
{
    const struct job_terms *terms = row->run->jobset.terms;
    return terms ? columns_put_symbol(row, at,
                                      terms[row->facts->job->id].priority)
                 : at;
}

static char *job_put_class(struct row *row, char *at)
{
    const struct job_terms *terms = row->run->jobset.terms;
    const bool spot = terms && terms[row->facts->job->id].spot;
    return stpcpy(at, spot ? "spot" : "guaranteed");
}

#define JOB_BATSIM_COLUMNS(X, BOTH) \
    BOTH(job_id, "", "text, given", \
         "the trace's own identifier, or the number of the job") \
    BOTH(workload_name, "", "text, manifest input.format", \
         "format of the trace") \
    BOTH(profile, "", "text, given", \
         "model or application, if the trace names it") \
    X(submission_time, "s", "time, rises", "since the first submission") \
    BOTH(requested_number_of_resources, "GPUs", "count, bounds jobs", \
         "GPUs that the job asks for") \
    BOTH(requested_time, "s", "time or -1, given", \
         "run time or limit that the user requested; -1: none") \
    X(success, "", "flag, law jobs", \
      "1: the job ran to its recorded end, which was no failure or " \
      "cancellation") \
    X(final_state, "", "text, law jobs", \
      "how the job ended, in Batsim's words") \
    X(starting_time, "s", "time?, law jobs", "start of the first attempt") \
    X(execution_time, "s", "time?, finish_time - starting_time", \
      "finish_time - starting_time") \
    X(finish_time, "s", "time?, law jobs", \
      "when the job finished, was given up or rejected; empty: never") \
    X(waiting_time, "s", "time?, starting_time - submission_time", \
      "starting_time - submission_time") \
    X(turnaround_time, "s", "time?, finish_time - submission_time", \
      "finish_time - submission_time (JCT)") \
    X(stretch, "", "ratio?, turnaround_time / execution_time", \
      "turnaround_time / execution_time, to six decimals") \
    X(allocated_resources, "", "set?, bounds sweep", \
      "GPUs of the last attempt, numbered node by node: \"0-3 8\"") \
    BOTH(consumed_energy, "", "text, always -1", "-1: not simulated") \
    BOTH(metadata, "", "text, always empty", "empty")
#define JOB_OWN_COLUMNS(X) \
    X(user, "", "text, given", "who submitted it") \
    X(vc, "", "text, bounds jobs", "virtual cluster") \
    X(gpu_type, "", "text, bounds jobs", \
      "GPU type that the job asks for; empty: any") \
    X(name, "", "text, given", "job name or script") \
    X(duration, "s", "time, bounds jobs", "recorded running time") \
    X(queue_delay, "s", "time, law jobs", \
      "all time pending, until its end or the end of the run") \
    X(held, "s", "time, law jobs", \
      "all time held back by rulings after failures") \
    X(running, "s", "time, law jobs", \
      "all time on GPUs: sum over its attempts") \
    X(work, "s", "span, law jobs", \
      "work done, as running time at rate 1; duration + lost for a finished " \
      "job") \
    X(overhead, "s", "time, law jobs", "start-up, stop and resume") \
    X(lost, "s", "time, law jobs", \
      "work undone by failures and evictions, or because the work of a " \
      "profile " \
      "is not kept") \
    X(preemptions, "", "count, law jobs", \
      "attempts ended by the policy, resizes included") \
    X(attempts, "", "count, law jobs", "number of stays of the job on GPUs") \
    X(slowdown, "", "ratio?, law jobs", \
      "turnaround_time / duration, to six decimals") \
    X(slowdown_by_load, "", "ratio?, bounds contention", \
      "slowdown / max(1, mean load), to six decimals; see the metric") \
    X(rho, "", "ratio?, bounds contention", \
      "finish-time fairness, to six decimals; see the metric") \
    X(state, "", "text, bounds jobs", \
      "how the trace recorded the end of the job") \
    X(outcome, "", "text, law jobs", \
      "state if the job ran to its recorded end, otherwise given-up, " \
      "rejected or unfinished") \
    X(shared, "", "flag, law sweep", \
      "1: the job held a shared GPU at some time") \
    X(reason, "", "text, bounds jobs", \
      "reason of the rejection, if the job was rejected")

#define JOB_TERMS_COLUMNS(X) \
    X(deadline, "s", "time?, given", \
      "time by which the job should have ended; empty: it has none") \
    X(priority, "", "text, given", "as the trace writes it")

#define JOB_CLASS_COLUMNS(X) \
    X(class, "", "text, law classes", \
      "guaranteed or spot, by its priority (--job-classes)")

#define JOB_EXTRA_COLUMNS(X) \
    X(cpus, "", "count?, given", "CPUs of the whole job; empty: unknown") \
    X(mem_mib, "MiB", "count?, given", \
      "main memory of the whole job, rounded; empty: unknown") \
    X(kind, "", "text, given", "kind of the job, such as Acme's Pretrain")

const struct column job_columns[] = {
    JOB_BATSIM_COLUMNS(ROW_COLUMN, ROW_COLUMN)
        JOB_OWN_COLUMNS(ROW_COLUMN){NULL, NULL, NULL, NULL}};
const struct column job_terms_columns[] = {
    JOB_TERMS_COLUMNS(ROW_COLUMN){NULL, NULL, NULL, NULL}};
const struct column job_class_columns[] = {
    JOB_CLASS_COLUMNS(ROW_COLUMN){NULL, NULL, NULL, NULL}};
const struct column job_extra_columns[] = {
    JOB_EXTRA_COLUMNS(ROW_COLUMN){NULL, NULL, NULL, NULL}};
static const struct column columns_with_terms[] = {
    JOB_BATSIM_COLUMNS(ROW_COLUMN, ROW_COLUMN) JOB_OWN_COLUMNS(ROW_COLUMN)
        JOB_TERMS_COLUMNS(ROW_COLUMN){NULL, NULL, NULL, NULL}};
static const struct column columns_with_class[] = {
    JOB_BATSIM_COLUMNS(ROW_COLUMN, ROW_COLUMN) JOB_OWN_COLUMNS(ROW_COLUMN)
        JOB_TERMS_COLUMNS(ROW_COLUMN)
            JOB_CLASS_COLUMNS(ROW_COLUMN){NULL, NULL, NULL, NULL}};

const struct column *job_columns_of(const struct run_result *run)
{
    if (run->n_spot)
        return columns_with_class;
    return run->jobset.terms ? columns_with_terms : job_columns;
}

static char *job_put_batsim(struct row *row, char *at)
{
    JOB_BATSIM_COLUMNS(JOB_CELL, BOTH_CELL)
    return at;
}

static char *job_put_own(struct row *row, char *at)
{
    JOB_OWN_COLUMNS(JOB_CELL)
    return at;
}

static char *job_put_own_and_terms(struct row *row, char *at)
{
    JOB_OWN_COLUMNS(JOB_CELL)
    JOB_TERMS_COLUMNS(JOB_CELL)
    return at;
}

static char *job_put_own_to_class(struct row *row, char *at)
{
    at = job_put_own_and_terms(row, at);
    JOB_CLASS_COLUMNS(JOB_CELL)
    return at;
}

/* All columns of jobs.csv, for a choice of them. */
#define JOB_PUT(name, unit, rule, help) job_put_##name,
#define BOTH_PUT(name, unit, rule, help) put_##name,
#define COLUMNS_JOB_NAME(name, unit, rule, help) #name,
static char *(*const job_put[])(struct row *row, char *at) = {
    JOB_BATSIM_COLUMNS(JOB_PUT, BOTH_PUT) JOB_OWN_COLUMNS(JOB_PUT)
        JOB_TERMS_COLUMNS(JOB_PUT) JOB_CLASS_COLUMNS(JOB_PUT)
            JOB_EXTRA_COLUMNS(JOB_PUT)};
static const char *const job_names[] = {
    JOB_BATSIM_COLUMNS(COLUMNS_JOB_NAME, COLUMNS_JOB_NAME)
        JOB_OWN_COLUMNS(COLUMNS_JOB_NAME) JOB_TERMS_COLUMNS(COLUMNS_JOB_NAME)
            JOB_CLASS_COLUMNS(COLUMNS_JOB_NAME)
                JOB_EXTRA_COLUMNS(COLUMNS_JOB_NAME)};
enum {
    N_JOB_NAMES = sizeof job_names / sizeof *job_names,
    FIRST_EXTRA =
        N_JOB_NAMES - sizeof job_extra_columns / sizeof *job_extra_columns + 1
};
static const char short_columns[] =
    "job_id,submission_time,requested_number_of_resources,success,final_state,"
    "starting_time,execution_time,finish_time,waiting_time,turnaround_time,"
    "stretch,allocated_resources";

enum status column_choice_read(const char *words, struct column_choice *out,
                               struct error *err)
{
    struct text rest =
        text_from(strcmp(words, "short") == 0 ? short_columns : words);
    *out = (struct column_choice){0};
    while (rest.len) {
        size_t i;
        struct text word = text_trim(text_split(rest, ',', &rest));
        enum status st =
            find_in("column", job_names, N_JOB_NAMES, word, &i, err);
        if (st != STATUS_OK)
            return st;
        out->columns |= UINT64_C(1) << i;
    }
    return STATUS_OK;
}

bool column_choice_has_extras(const struct column_choice *choice)
{
    return choice->columns >> FIRST_EXTRA;
}

const char *column_choice_next(const struct column_choice *choice, unsigned *at)
{
    while (*at < N_JOB_NAMES) {
        unsigned column = (*at)++;
        if (choice->columns >> column & 1)
            return job_names[column];
    }
    return NULL;
}

void row_init_jobs(struct row *row, struct out *out,
                   struct facts_reader *reader)
{
    struct column columns[N_JOB_NAMES + 1] = {0};
    const struct column_choice *choice = reader->results.columns;
    unsigned n = 0, at = 0;
    while (choice && (columns[n].name = column_choice_next(choice, &at)))
        n++;
    row_init(row, out, reader,
             n ? columns : job_columns_of(reader->results.run));
    row->choice = n ? choice : NULL;
}

/* Writes the cells of the chosen columns. */
static char *job_put_chosen(struct row *row, char *at)
{
    for (uint64_t left = row->choice->columns; left; left &= left - 1) {
        at = job_put[__builtin_ctzll(left)](row, at);
        *at++ = ',';
    }
    return at;
}

static char *job_put_nothing(struct row *row, char *at)
{
    (void)row;
    return at;
}

struct text row_write_job(struct row *row, const struct facts *facts)
{
    row->facts = facts;
    if (row->choice) {
        row_write(row, job_put_nothing, job_put_chosen, (struct text){0});
        return (struct text){0};
    }
    return row_write(row, job_put_batsim,
                     row->run->n_spot         ? job_put_own_to_class
                     : row->run->jobset.terms ? job_put_own_and_terms
                                              : job_put_own,
                     (struct text){0});
}

/* attempts.csv: one row per attempt (a stay of a job on GPUs), ordered by job
 * in the order of submission, then by time. Batsim's columns describe the
 * attempt as if it were a job that is submitted when the wait for the attempt
 * begins. So the figures that Batsim's tools compute from times and resources
 * are also right for jobs that stop, move or change their size. */

static const struct attempt *attempt_of(const struct row *row)
{
    return &row->run->ledger.attempts[row->attempts[row->nth]];
}

static bool attempt_is_open(const struct row *row)
{
    return attempt_of(row)->end == TIME_NEVER;
}

static bool attempt_ends_the_job(const struct row *row)
{
    return !attempt_is_open(row) && attempt_of(row)->how == LEDGER_FINISHED;
}

static char *attempt_put_submission_time(struct row *row, char *at)
{
    return digits_put_span(at, row->since);
}

static char *attempt_put_success(struct row *row, char *at)
{
    if (attempt_ends_the_job(row))
        return job_put_success(row, at);
    return put_flag(at, false);
}

static char *attempt_put_final_state(struct row *row, char *at)
{
    if (attempt_ends_the_job(row))
        return job_put_final_state(row, at);
    return stpcpy(at, attempt_is_open(row) ? "RUNNING"
                      : attempt_of(row)->how == LEDGER_FAILED
                          ? "COMPLETED_FAILED"
                          : "COMPLETED_KILLED");
}

static char *attempt_put_starting_time(struct row *row, char *at)
{
    return digits_put_span(at, row->stay.start);
}

static char *attempt_put_execution_time(struct row *row, char *at)
{
    return digits_put_span(at, row->stay.end - row->stay.start);
}

static char *attempt_put_finish_time(struct row *row, char *at)
{
    return digits_put_span(at, row->stay.end);
}

static char *attempt_put_waiting_time(struct row *row, char *at)
{
    return digits_put_span(at, row->stay.start - row->since);
}

static char *attempt_put_turnaround_time(struct row *row, char *at)
{
    return digits_put_span(at, row->stay.end - row->since);
}

static char *attempt_put_stretch(struct row *row, char *at)
{
    sim_span length = row->stay.end - row->stay.start;
    return length > 0 ? put_ratio(row, at,
                                  (double)(row->stay.end - row->since) /
                                      (double)length)
                      : at;
}

static char *attempt_put_allocated_resources(struct row *row, char *at)
{
    return row_put_gpus(row, at, row->attempts[row->nth]);
}

static char *attempt_put_attempt(struct row *row, char *at)
{
    return put_small(at, row->nth + 1);
}

static char *attempt_put_how(struct row *row, char *at)
{
    static const char *const words[] = {
        [LEDGER_STOPPED] = "stopped",   [LEDGER_MOVED] = "moved",
        [LEDGER_PROFILED] = "profiled", [LEDGER_EVICTED] = "evicted",
        [LEDGER_FINISHED] = "finished", [LEDGER_FAILED] = "failed",
    };
    return stpcpy(at,
                  attempt_is_open(row) ? "open" : words[attempt_of(row)->how]);
}

static char *attempt_put_gpus(struct row *row, char *at)
{
    return put_small(at, ledger_gpus(&row->run->ledger, attempt_of(row)));
}

static char *attempt_put_gpu_type(struct row *row, char *at)
{
    const struct cluster *c = &row->run->cluster;
    struct gpu_set set = facts_where(row->reader, row->attempts[row->nth]);
    if (set.count == 0)
        return at;
    return row_put_name(row, at, NAME_TYPE,
                        c->pools[c->nodes[set.at->node].pool].type);
}

static char *attempt_put_nodes(struct row *row, char *at)
{
    return row_put_nodes(row, at, row->attempts[row->nth]);
}

static char *attempt_put_shared(struct row *row, char *at)
{
    return put_flag(at, attempt_of(row)->shared);
}

static char *attempt_put_profiling(struct row *row, char *at)
{
    return put_flag(at, attempt_of(row)->profiling);
}

static char *attempt_put_idle(struct row *row, char *at)
{
    return digits_put_span(at, row->stay.idle);
}

static char *attempt_put_work(struct row *row, char *at)
{
    return digits_put_span(at, row->stay.work);
}

static char *attempt_put_resume(struct row *row, char *at)
{
    return digits_put_span(at, row->stay.resume);
}

static char *attempt_put_lost(struct row *row, char *at)
{
    return digits_put_span(at, row->stay.lost);
}

#define ATTEMPT_BATSIM_COLUMNS(X, BOTH) \
    BOTH(job_id, "", "text, as jobs.csv", "as in jobs.csv") \
    BOTH(workload_name, "", "text, as jobs.csv", "format of the trace") \
    BOTH(profile, "", "text, as jobs.csv", "as in jobs.csv") \
    X(submission_time, "s", "time, law attempts", \
      "when the job began to wait for this attempt: its submission, or the " \
      "end of its previous attempt (also while a ruling after a failure held " \
      "it)") \
    BOTH(requested_number_of_resources, "GPUs", "count, as jobs.csv", \
         "GPUs that the job asks for") \
    BOTH(requested_time, "s", "time or -1, as jobs.csv", "as in jobs.csv") \
    X(success, "", "flag, law attempts", \
      "1: this attempt ended the job with success") \
    X(final_state, "", "text, law attempts", \
      "in Batsim's words: how the job ended, for the attempt in which it ran " \
      "to its recorded end; otherwise COMPLETED_FAILED if the attempt " \
      "failed, RUNNING if it is open, COMPLETED_KILLED in all other cases") \
    X(starting_time, "s", "time, law jobs", \
      "when the attempt began to hold its GPUs") \
    X(execution_time, "s", "time, finish_time - starting_time", \
      "finish_time - starting_time") \
    X(finish_time, "s", "time, law jobs", \
      "when the attempt released its GPUs; the end of the run if it is open") \
    X(waiting_time, "s", "time, starting_time - submission_time", \
      "starting_time - submission_time") \
    X(turnaround_time, "s", "time, finish_time - submission_time", \
      "finish_time - submission_time") \
    X(stretch, "", "ratio?, turnaround_time / execution_time", \
      "turnaround_time / execution_time, to six decimals; empty: the attempt " \
      "had no length") \
    X(allocated_resources, "", "set?, bounds sweep", \
      "GPUs of the attempt, numbered node by node: \"0-3 8\"") \
    BOTH(consumed_energy, "", "text, always -1", "-1: not simulated") \
    BOTH(metadata, "", "text, always empty", "empty")
#define ATTEMPT_OWN_COLUMNS(X) \
    X(attempt, "", "count, law attempts", \
      "number of the attempt in its job, from 1") \
    X(how, "", "text, law attempts", \
      "how it ended: finished (the job ran to its recorded end), stopped by " \
      "the policy, moved (the job went on at once on other GPUs), evicted by " \
      "the monitor, failed, profiled (its profile is complete), open (the " \
      "run ended first)") \
    X(gpus, "GPUs", "count, law attempts", "held") \
    X(gpu_type, "", "text, law attempts", "type of the GPUs held") \
    X(nodes, "", "set?, law attempts", \
      "nodes of the GPUs held, numbered from 0: \"0-3 8\"") \
    X(shared, "", "flag, law sweep", \
      "1: another job held some of these GPUs at some time") \
    X(profiling, "", "flag, law jobs", \
      "1: the attempt ran on a node set aside for profiling") \
    X(idle, "s", "time, law attempts", \
      "time that GPUs were held without work: start-up, and the lag at the " \
      "end of a job") \
    X(work, "s", "time, law attempts", \
      "work done, as running time at rate 1; equals execution_time - idle if " \
      "the rate is 1") \
    X(resume, "s", "time, law attempts", \
      "work that the stop of the attempt added for later attempts") \
    X(lost, "s", "time, law attempts", \
      "work that the end of the attempt undid, done in this attempt or " \
      "earlier ones: by a failure or an eviction, or because the work of a " \
      "profile is not kept")

const struct column attempt_columns[] = {
    ATTEMPT_BATSIM_COLUMNS(ROW_COLUMN, ROW_COLUMN)
        ATTEMPT_OWN_COLUMNS(ROW_COLUMN){NULL, NULL, NULL, NULL}};

static char *attempt_put_batsim(struct row *row, char *at)
{
    ATTEMPT_BATSIM_COLUMNS(ATTEMPT_CELL, BOTH_CELL)
    return at;
}

static char *attempt_put_own(struct row *row, char *at)
{
    ATTEMPT_OWN_COLUMNS(ATTEMPT_CELL)
    return at;
}

bool attempts_say_more(const struct run_result *run)
{
    const struct ledger *ledger = &run->ledger;
    bool more = run->elastic;
    for (uint32_t i = 0; i < ledger->n_attempts && !more; i++) {
        const struct attempt *a = &ledger->attempts[i];
        more = a->how != LEDGER_FINISHED || a->shared || a->profiling;
    }
    return more;
}

/* Fills row->attempts from first to last. The list of a job's attempts in the
 * ledger leads backwards in time. */
static void list_attempts(struct row *row)
{
    const struct attempt *all = row->run->ledger.attempts;
    uint32_t n = row->facts->attempts, number = row->facts->last_attempt;
    row->attempts =
        mem_grow(row->attempts, &row->cap_attempts, n, sizeof *row->attempts);
    for (uint32_t i = n; i-- > 0; number = all[number].previous)
        row->attempts[i] = number;
}

void row_write_attempts(struct row *row, const struct facts *facts,
                        struct text head)
{
    row->facts = facts;
    row->since = facts->job->submitted;
    list_attempts(row);
    /* If the job has only the attempt in which it finished, its rows in
     * jobs.csv and attempts.csv begin with the same cells, which are then
     * copied. */
    if (facts->attempts > 1 || !facts->finished)
        head.len = 0;
    for (row->nth = 0; row->nth < facts->attempts; row->nth++) {
        row->stay = facts_stay(&row->reader->results, row->attempts[row->nth]);
        row_write(row, attempt_put_batsim, attempt_put_own, head);
        row->since = row->stay.end;
    }
}

/* The numbers of summary.json. */

static double field_number(struct field field, const void *part)
{
    const void *at = (const char *)part + field.at;
    switch ((int)field.type) {
    case FIELD_BOOL:
        return *(const bool *)at;
    case FIELD_U32:
        return *(const uint32_t *)at;
    case FIELD_U64:
        return (double)*(const uint64_t *)at;
    case FIELD_SPAN:
        return (double)*(const sim_span *)at;
    case FIELD_GPU_TIME:
        return (double)*(const gpu_time *)at;
    default: /* FIELD_DOUBLE */
        return *(const double *)at;
    }
}

double scalar_value(const struct scalar *scalar, const void *part)
{
    if (scalar->compute)
        return scalar->compute(part);
    double value = field_number(scalar->of, part);
    if (scalar->unit)
        value /= (double)scalar->unit;
    return scalar->over.type == FIELD_NONE
               ? value
               : scalar_ratio(value, field_number(scalar->over, part));
}

void report_scalars(struct json_stream *js, const struct scalar *row,
                    const void *part)
{
    for (; row->column.name; row++) {
        if (row->when.type == FIELD_NONE || field_number(row->when, part) > 0)
            json_stream_number(js, row->column.name, scalar_value(row, part));
    }
}
