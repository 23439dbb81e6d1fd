/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/present/slurm_state.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "schedmate/watch/watch_internal.h"
#include "sim/present/slurm_internal.h"
#include "traces/formats/slurm_internal.h"

enum { TASKS_MAX = 100000 }; /* tasks of one pending array */

double slurm_number(const json_t *object, const char *key)
{
    double n;
    return slurm_json_read_number(json_object_get(object, key), &n) ? n : 0;
}

struct text slurm_word(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    return (struct text){json_string_value(value), json_string_length(value)};
}

const char *slurm_copy(struct slurm_reader *r, struct text t)
{
    if (!t.len)
        return "";
    char *copy = arena_copy(&r->state->arena, t.at, t.len);
    text_clean(copy); /* users choose names; a state file has no line feeds */
    return copy;
}

bool slurm_has_flag(const json_t *object, const char *key, const char *flag)
{
    const json_t *value = json_object_get(object, key);
    if (json_is_string(value))
        return text_is_nocase(text_from(json_string_value(value)), flag);
    for (size_t i = 0; i < json_array_size(value); i++) {
        const char *word = json_string_value(json_array_get(value, i));
        if (word && text_is_nocase(text_from(word), flag))
            return true;
    }
    return false;
}

static sim_time slurm_time_of(const json_t *job, const char *key)
{
    sim_time at;
    return span_from_outside(slurm_number(job, key), SECONDS_MAX, &at) ? at : 0;
}

static const char *const count_words[SLURM_COUNTS] = {
    [COUNT_NO_GPU] = "ask for no GPU and are left out",
    [COUNT_PARTITIONS] = "name several partitions, of which the first is taken",
    [COUNT_HET] = "are parts of heterogeneous jobs, and are taken as jobs of "
                  "their own",
    [COUNT_SUSPENDED] = "are suspended, and are taken to run on",
    [COUNT_BEGIN] = "may not begin before a later time, at which they come",
    [COUNT_TASKS] = "are arrays whose list of tasks squeue cut off; export "
                    "SLURM_BITSTR_LEN=0",
    [COUNT_ORDER] = "have exchanged submission times, so that they wait in "
                    "the order of Slurm's priorities",
    [COUNT_WHERE] = "run on GPUs that squeue does not name; only their number "
                    "is known",
    [COUNT_AFTER] = "depend on others, which are taken to succeed",
    [COUNT_NOT_OK] = "may start if others fail, which are taken to succeed",
    [COUNT_ARRAY_LIMIT] =
        "are tasks of arrays that run few at once (%N), and are taken to start "
        "after the end of the task N before them",
    [COUNT_LIMIT] = "have no limit of their own and get that of their "
                    "partition",
    [COUNT_TWICE] = "are listed twice, and are taken once",
};

/* Returns the number of GPUs in "gres:gpu:2", "gres/gpu:a100=4" and the like;
 * 0: none. */
static uint32_t gpus_in(struct text tres, struct text *type)
{
    struct slurm_tres got = {.mem_mib = -1};
    uint32_t n = slurm_gres(tres, type);
    if (n == 0 && slurm_tres_read(tres, &got) && got.gpus) {
        n = got.gpus;
        if (got.gpu_type.len)
            *type = got.gpu_type;
    }
    /* "gres/gpu:2" and "gres/gpu:a100:2", of 23.11 and later */
    if (n == 0 && text_starts(tres, "gres/"))
        n = slurm_gres(text_skip(tres, 5), type);
    return n;
}

static uint32_t gpus_asked(const json_t *job, struct text *type)
{
    static const struct {
        const char *key, *times;
    } per[] = {{"tres_per_job", NULL},
               {"tres_per_node", "node_count"},
               {"tres_per_task", "tasks"},
               {"tres_per_socket", "sockets_per_node"}};
    struct slurm_tres all = {.mem_mib = -1};
    if (slurm_tres_read(slurm_word(job, "tres_req_str"), &all) && all.gpus) {
        *type = all.gpu_type;
        return all.gpus;
    }
    for (size_t i = 0; i < sizeof per / sizeof *per; i++) {
        uint32_t n = gpus_in(slurm_word(job, per[i].key), type);
        double times = per[i].times ? slurm_number(job, per[i].times) : 1;
        if (n)
            return n * (uint32_t)(times >= 1 && times < 1e5 ? times : 1);
    }
    return 0;
}

/* Reads "gpu:2(IDX:0-1,5)" or "gpu:a100:2(IDX:0-1)". */
static bool read_detail(struct text detail, struct state_slice *out)
{
    struct text rest, type = {0}, list;
    out->count = slurm_gres(detail, &type);
    out->mask = 0;
    text_split(detail, '(', &rest);
    if (!text_starts(rest, "IDX:"))
        return out->count > 0;
    list = text_split(text_skip(rest, 4), ')', &rest);
    while (list.len) {
        struct text high, range = text_split(list, ',', &list);
        struct text low = text_split(range, '-', &high);
        uint32_t from, to;
        if (!text_to_u32(low, &from) ||
            !text_to_u32(high.len ? high : low, &to) || to >= 64 || from > to)
            return false;
        for (uint32_t k = from; k <= to; k++)
            out->mask |= UINT64_C(1) << k;
    }
    return out->count > 0 &&
           (uint32_t)__builtin_popcountll(out->mask) == out->count;
}

/* Sets the GPUs of a running job. gres_detail has one entry per node, in the
 * order of the list of nodes. */
static void set_where(struct slurm_jobs_read *jobs, const json_t *job,
                      struct state_job *out)
{
    struct arena *arena = &jobs->r->state->arena;
    const json_t *details = json_object_get(job, "gres_detail");
    json_t *nodes = slurm_nodes(slurm_word(job, "nodes"));
    const size_t n = json_array_size(nodes);
    uint32_t total = 0;
    bool exact = n > 0 && json_array_size(details) == n;
    out->where = ARENA_ARRAY(arena, struct state_slice, n + 1);
    out->n_where = (uint32_t)n;
    for (size_t i = 0; i < n; i++) {
        struct state_slice *slice = &out->where[i];
        const char *name = json_string_value(json_array_get(nodes, i));
        const char *detail = json_string_value(json_array_get(details, i));
        exact = exact && detail && read_detail(text_from(detail), slice);
        slice->node = arena_copy(arena, name, strlen(name));
        total += slice->count;
    }
    json_decref(nodes);
    if (exact) {
        out->gpus = total;
        return;
    }
    jobs->counts[COUNT_WHERE]++;
    for (uint32_t i = 0; i < n; i++) { /* as evenly as the number allows */
        out->where[i].mask = 0;
        out->where[i].count =
            out->gpus / (uint32_t)n + (i < out->gpus % (uint32_t)n);
    }
    while (out->n_where && out->where[out->n_where - 1].count == 0)
        out->n_where--;
}

/* True if no pass of the scheduler can start a job that waits for this reason;
 * Priority, Resources, and reasons that are no fact about the job, are not. */
static bool is_held(struct text reason)
{
    static const char *const passing[] = {
        "None",       "Priority",
        "Resources",  "ReqNodeNotAvail",
        "Cleaning",   "Prolog",
        "SchedDefer", "BeginTime",
        "NodeDown",   "WaitingForScheduling",
        "",
    };
    for (size_t i = 0; i < sizeof passing / sizeof *passing; i++) {
        if (text_is(reason, passing[i]))
            return false;
    }
    return true;
}

/* Notes the reservation that a job runs in, unless it is not followed. */
static void set_reservation(struct slurm_jobs_read *jobs, const json_t *job,
                            struct state_job *out)
{
    const struct state *state = jobs->r->state;
    const size_t own =
        state_find_reservation(state, slurm_word(job, "resv_name"));
    if (own)
        out->reservation = state->reservations[own - 1].name;
}

static void set_held(struct slurm_jobs_read *jobs, const json_t *job,
                     struct state_job *out)
{
    struct text reason = slurm_word(job, "state_reason");
    struct text what = slurm_word(job, "dependency");
    char text[256];
    if (!is_held(reason))
        return;
    /* waits for its reservation, or for the end of another job's */
    if (text_is(reason, "Reservation") &&
        (slurm_word(job, "resv_name").len ? *out->reservation != 0
                                          : jobs->r->state->n_reservations > 0))
        return;
    if (!text_starts(reason, "Dependency"))
        what = text_starts(reason, "Reservation") ? slurm_word(job, "resv_name")
                                                  : (struct text){0};
    snprintf(text, sizeof text, "%.*s%s%.*s", TEXT_ARGS(reason),
             what.len ? " " : "", (int)(what.len > 150 ? 150 : what.len),
             what.len ? what.at : "");
    out->held = slurm_copy(jobs->r, text_from(text));
    if (text_is(reason, "Dependency"))
        slurm_depends_on(jobs, jobs->r->state->n_jobs - 1, what);
}

/* Returns the partition of a job, the first of several; NULL: not known. */
static const struct slurm_conf_partition *slurm_job_partition(
    const struct slurm_jobs_read *jobs, const json_t *job)
{
    struct text rest;
    return slurm_conf_find(
        &jobs->r->conf, text_split(slurm_word(job, "partition"), ',', &rest));
}

static void set_common(struct slurm_jobs_read *jobs, const json_t *job,
                       const char *id, struct state_job *out)
{
    struct slurm_reader *r = jobs->r;
    struct text rest, type = {0};
    struct text partition = slurm_word(job, "partition");
    struct text first = text_split(partition, ',', &rest);
    sim_span limit;
    jobs->counts[COUNT_PARTITIONS] += rest.len > 0;
    out->id = arena_copy(&r->state->arena, id, strlen(id));
    out->user = slurm_copy(r, slurm_word(job, "user_name"));
    out->name = slurm_copy(r, slurm_word(job, "name"));
    out->vc = slurm_partition(r, first);
    out->gpus = gpus_asked(job, &type);
    out->gpu_type = slurm_copy(r, type);
    out->submitted = slurm_time_of(job, "submit_time");
    if (span_from_outside(slurm_number(job, "time_limit") * 60, SECONDS_MAX,
                          &limit))
        out->limit = limit;
    const struct slurm_conf_partition *p = slurm_job_partition(jobs, job);
    if (!out->limit && p) {
        out->limit = p->usual ? p->usual : p->limit;
        jobs->counts[COUNT_LIMIT] += out->limit > 0;
    }
}

/* Holds a waiting job whose partition starts none. */
static void hold_closed(struct slurm_jobs_read *jobs, const json_t *job,
                        struct state_job *out)
{
    const struct slurm_conf_partition *p = slurm_job_partition(jobs, job);
    char text[128];
    if (!p || (!text_is_nocase(p->state, "DOWN") &&
               !text_is_nocase(p->state, "INACTIVE")))
        return;
    snprintf(text, sizeof text, "partition %.*s is %.*s", TEXT_ARGS(p->name),
             TEXT_ARGS(p->state));
    out->held = slurm_copy(jobs->r, text_from(text));
}

static void add_waiting(struct slurm_jobs_read *jobs, const json_t *job,
                        const char *id)
{
    struct state *state = jobs->r->state;
    struct state_job *out = state_add_job(state);
    set_common(jobs, job, id, out);
    const struct slurm_conf_partition *p = slurm_job_partition(jobs, job);
    sim_time begin = slurm_time_of(job, "eligible_time");
    set_reservation(jobs, job, out);
    set_held(jobs, job, out);
    hold_closed(jobs, job, out);
    if (!out->held && begin > state->at) {
        out->submitted = begin;
        jobs->counts[COUNT_BEGIN]++;
        return;
    }
    jobs->waiters = mem_grow(jobs->waiters, &jobs->cap_waiters,
                             jobs->n_waiters + 1, sizeof *jobs->waiters);
    jobs->waiters[jobs->n_waiters++] =
        (struct slurm_waiter){.job = state->n_jobs - 1,
                              .tier = p ? p->tier : 1,
                              .priority = slurm_number(job, "priority"),
                              .qos = slurm_word(job, "qos")};
}

/* Reads "7", "2-5" or "2-9:3". */
static bool tasks_range_read(struct text range, uint32_t *from, uint32_t *to,
                             uint32_t *by)
{
    struct text high, step;
    struct text low = text_split(range, '-', &high);
    high = text_split(high, ':', &step);
    *by = 1;
    return text_to_u32(low, from) && text_to_u32(high.len ? high : low, to) &&
           *from <= *to && (!step.len || (text_to_u32(step, by) && *by > 0));
}

/* Adds the tasks of a pending array: "2-5,7%2". */
static void add_tasks(struct slurm_jobs_read *jobs, const json_t *job,
                      struct text tasks, const char *of)
{
    uint32_t n = 0, at_once = 0;
    struct text most;
    tasks = text_split(tasks, '%', &most);
    if (!text_to_u32(most, &at_once) || at_once == 0)
        at_once = (uint32_t)slurm_number(job, "array_max_tasks");
    while (tasks.len) {
        const struct text range = text_split(tasks, ',', &tasks);
        uint32_t from, to, by;
        if (!tasks_range_read(range, &from, &to, &by)) {
            jobs->counts[COUNT_TASKS]++;
            break;
        }
        for (uint64_t task = from; task <= to && n < TASKS_MAX;
             task += by, n++) {
            char id[80];
            snprintf(id, sizeof id, "%.60s_%u", of, (uint32_t)task);
            add_waiting(jobs, job, id);
        }
    }
    jobs->counts[COUNT_TASKS] += n == TASKS_MAX;
    if (at_once && n)
        slurm_depends_array(jobs, of, n, at_once);
}

static void add_running(struct slurm_jobs_read *jobs, const json_t *job,
                        const char *id)
{
    struct state *state = jobs->r->state;
    struct state_job *out = state_add_job(state);
    struct slurm_tres got = {.mem_mib = -1};
    set_common(jobs, job, id, out);
    if (slurm_tres_read(slurm_word(job, "tres_alloc_str"), &got) && got.gpus)
        out->gpus = got.gpus;
    out->started = slurm_time_of(job, "start_time");
    if (out->started >= state->at)
        out->started = state->at - 1;
    if (out->submitted > out->started)
        out->submitted = out->started;
    set_where(jobs, job, out);
}

static void slurm_add_ended(struct slurm_jobs_read *jobs, const json_t *job)
{
    struct text type = {0};
    const sim_time start = slurm_time_of(job, "start_time");
    const sim_time end = slurm_time_of(job, "end_time");
    const uint32_t gpus = gpus_asked(job, &type);
    if (start == 0 || end <= start || end > jobs->r->state->at || gpus == 0)
        return;
    struct state_ended *ended = state_add_ended(jobs->r->state);
    ended->user = slurm_copy(jobs->r, slurm_word(job, "user_name"));
    ended->name = slurm_copy(jobs->r, slurm_word(job, "name"));
    ended->gpus = gpus;
    ended->ran = end - start;
    sim_span limit;
    if (span_from_outside(slurm_number(job, "time_limit") * 60, SECONDS_MAX,
                          &limit))
        ended->limit = limit;
}

void slurm_job_id(const json_t *job, char *out, size_t room)
{
    double task, array = slurm_number(job, "array_job_id");
    double het = slurm_number(job, "het_job_id");
    if (array > 0 &&
        slurm_json_read_number(json_object_get(job, "array_task_id"), &task))
        snprintf(out, room, "%.0f_%.0f", array, task);
    else if (het > 0)
        snprintf(out, room, "%.0f+%.0f", het,
                 slurm_number(job, "het_job_offset"));
    else
        snprintf(out, room, "%.0f", slurm_number(job, "job_id"));
}

/* True if the job holds GPUs. */
static bool is_running_state(const json_t *job, bool *suspended)
{
    static const char *const words[] = {"RUNNING",  "SUSPENDED",
                                        "STOPPED",  "CONFIGURING",
                                        "RESIZING", "SIGNALING"};
    bool runs = false;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        runs |= slurm_has_flag(job, "job_state", words[i]);
    *suspended = slurm_has_flag(job, "job_state", "SUSPENDED");
    return runs && !slurm_has_flag(job, "job_state", "COMPLETING") &&
           slurm_word(job, "nodes").len > 0;
}

/* Returns the identifier of the array of a job. */
static const char *array_of(struct slurm_jobs_read *jobs, const json_t *job)
{
    char id[32];
    snprintf(id, sizeof id, "%.0f", slurm_number(job, "array_job_id"));
    return slurm_copy(jobs->r, text_from(id));
}

static void take_job(struct slurm_jobs_read *jobs, const json_t *job)
{
    char id[64];
    struct text type = {0}, tasks = slurm_word(job, "array_task_string");
    bool suspended;
    const bool runs = is_running_state(job, &suspended);
    const bool waits = slurm_has_flag(job, "job_state", "PENDING");
    if (!runs && !waits) {
        slurm_add_ended(jobs, job);
        return;
    }
    if (gpus_asked(job, &type) == 0 &&
        json_array_size(json_object_get(job, "gres_detail")) == 0) {
        jobs->counts[COUNT_NO_GPU]++;
        return;
    }
    slurm_job_id(job, id, sizeof id);
    size_t known = jobs->ids.n_strings;
    if (interner_add(&jobs->ids, text_from(id)) < known) {
        jobs->counts[COUNT_TWICE]++;
        return;
    }
    jobs->counts[COUNT_SUSPENDED] += suspended;
    jobs->counts[COUNT_HET] += slurm_number(job, "het_job_id") > 0;
    if (runs)
        add_running(jobs, job, id);
    else if (tasks.len)
        add_tasks(jobs, job, tasks, array_of(jobs, job));
    else
        add_waiting(jobs, job, id);
}

/* Orders waiting jobs as Slurm does: high tier first, then high priority, then
 * by submission, then as listed. */
static int by_priority(const void *a, const void *b, void *state)
{
    const struct slurm_waiter *x = a, *y = b;
    const struct state_job *jobs = ((struct state *)state)->jobs;
    if (x->tier != y->tier)
        return x->tier > y->tier ? -1 : 1;
    if (x->priority != y->priority)
        return x->priority > y->priority ? -1 : 1;
    if (jobs[x->job].submitted != jobs[y->job].submitted)
        return jobs[x->job].submitted < jobs[y->job].submitted ? -1 : 1;
    return (x->job > y->job) - (x->job < y->job);
}

static int slurm_by_time(const void *a, const void *b)
{
    const sim_time x = *(const sim_time *)a, y = *(const sim_time *)b;
    return (x > y) - (x < y);
}

/* Gives the waiting jobs their order: the earliest submission to the job of the
 * highest priority, and so on. Jobs of equal submissions keep the order in the
 * list, so these are moved on by a microsecond each. */
static void order_waiters(struct slurm_jobs_read *jobs)
{
    struct state *state = jobs->r->state;
    size_t n = 0;
    for (size_t i = 0; i < jobs->n_waiters; i++) {
        const struct state_job *job = &state->jobs[jobs->waiters[i].job];
        if (!job->held && !job->n_after)
            jobs->waiters[n++] = jobs->waiters[i];
    }
    sim_time *times = mem_alloc((n + 1) * sizeof *times);
    for (size_t i = 0; i < n; i++)
        times[i] = state->jobs[jobs->waiters[i].job].submitted;
    if (n) {
        qsort(times, n, sizeof *times, slurm_by_time);
        qsort_r(jobs->waiters, n, sizeof *jobs->waiters, by_priority, state);
    }
    for (size_t i = 0; i < n; i++) {
        struct state_job *job = &state->jobs[jobs->waiters[i].job];
        if (i > 0 && times[i] <= times[i - 1])
            times[i] = times[i - 1] + 1;
        jobs->counts[COUNT_ORDER] +=
            times[i] / SPAN_SECOND != job->submitted / SPAN_SECOND;
        job->submitted = times[i];
    }
    free(times);
}

/* Returns the latest time at which, by its output, squeue can have run. */
static sim_time latest_time(const json_t *root)
{
    static const char *const keys[] = {"submit_time", "last_sched_evaluation",
                                       "start_time", "accrue_time"};
    const json_t *list = json_object_get(root, "jobs");
    sim_time latest = slurm_time_of(root, "last_update");
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *job = json_array_get(list, i);
        /* the start and end of a pending job are forecasts */
        const size_t n = slurm_has_flag(job, "job_state", "PENDING") ? 2 : 4;
        for (size_t k = 0; k < n; k++) {
            sim_time at = slurm_time_of(job, keys[k]);
            latest = at > latest ? at : latest;
        }
    }
    return latest + SPAN_SECOND;
}

/* Gives the job asked about a partition, unless it names one. */
static enum status asked_partition(struct slurm_jobs_read *jobs, json_t *asked,
                                   struct error *err)
{
    struct slurm_reader *r = jobs->r;
    struct text rest, name = slurm_word(asked, "partition");
    const struct text usual = r->conf.usual_partition;
    size_t n_sets = 0;
    for (uint32_t i = 1; i < r->partitions.n_strings; i++)
        n_sets += r->parent[i] == i;
    if (!name.len && usual.len)
        json_put(asked, "partition", json_stringn(usual.at, usual.len));
    else if (!name.len && n_sets > 1)
        return error_set(err, STATUS_USAGE,
                         "sbatch: name a partition with -p; which one is usual "
                         "is not known");
    name = text_split(slurm_word(asked, "partition"), ',', &rest);
    if (name.len && n_sets && interner_find(&r->partitions, name) == UINT32_MAX)
        return error_set(err, STATUS_USAGE,
                         "sbatch: no node with GPUs is in a partition '%.*s'",
                         TEXT_ARGS(name));
    return STATUS_OK;
}

/* Gives the job asked about the lowest priority of the waiting jobs, of those
 * of its QOS if QOS counts: it has just come. */
static void asked_priority(struct slurm_jobs_read *jobs, json_t *asked)
{
    const bool counts =
        text_is_nocase(jobs->r->conf.priority, "priority/multifactor");
    const struct text qos = slurm_word(asked, "qos");
    double lowest = 1e12, lowest_qos = 1e12;
    if (json_object_get(asked, "priority"))
        return;
    for (size_t i = 0; i < jobs->n_waiters; i++) {
        const struct slurm_waiter *w = &jobs->waiters[i];
        lowest = w->priority < lowest ? w->priority : lowest;
        if (counts && qos.len && text_equal(qos, w->qos))
            lowest_qos = w->priority < lowest_qos ? w->priority : lowest_qos;
    }
    const bool is_qos = lowest_qos < 1e12;
    state_note(jobs->r->state,
               "the new job is taken to come last%s%.*s, after the jobs that "
               "wait",
               is_qos ? " in QOS " : "", is_qos ? (int)qos.len : 0,
               is_qos ? qos.at : "");
    json_put(asked, "priority", json_real(is_qos ? lowest_qos : lowest));
}

/* Adds the job asked about, with the id "new". */
static enum status take_asked(struct slurm_jobs_read *jobs, json_t *asked,
                              struct error *err)
{
    struct state *state = jobs->r->state;
    const size_t first = state->n_jobs;
    struct text type = {0}, tasks = slurm_word(asked, "array_task_string");
    if (gpus_asked(asked, &type) == 0)
        return error_set(err, STATUS_USAGE,
                         "sbatch: the job asks for no GPU (--gres=gpu:N, "
                         "--gpus, --gpus-per-node, --gpus-per-task)");
    enum status st = asked_partition(jobs, asked, err);
    if (st != STATUS_OK)
        return st;
    asked_priority(jobs, asked);
    if (tasks.len)
        add_tasks(jobs, asked, tasks, "new");
    else
        add_waiting(jobs, asked, "new");
    const struct slurm_conf_partition *p = slurm_job_partition(jobs, asked);
    for (size_t i = first; i < state->n_jobs; i++) {
        struct state_job *job = &state->jobs[i];
        if (p && p->limit && job->limit > p->limit && !job->held)
            job->held = "PartitionTimeLimit";
    }
    if (state->n_jobs == first)
        return error_set(err, STATUS_USAGE,
                         "sbatch: --array: expected tasks such as 0-15%%4, not "
                         "'%.*s'",
                         TEXT_ARGS(tasks));
    return STATUS_OK;
}

static enum status slurm_read_jobs(struct slurm_reader *r, const json_t *root,
                                   const char *path, json_t *asked,
                                   struct error *err)
{
    const json_t *list = json_object_get(root, "jobs");
    struct slurm_jobs_read jobs = {.r = r};
    if (!json_is_array(list))
        return error_set(err, STATUS_BAD_INPUT,
                         "%s: no list \"jobs\", as squeue --json prints it",
                         path);
    interner_init(&jobs.ids);
    enum status st = STATUS_OK;
    for (size_t i = 0; i < json_array_size(list) && st == STATUS_OK; i++) {
        const json_t *job = json_array_get(list, i);
        if (!json_object_get(job, "job_id") ||
            !json_object_get(job, "job_state"))
            st = error_set(err, STATUS_BAD_INPUT,
                           "%s: jobs[%zu]: no job_id and job_state", path, i);
        else
            take_job(&jobs, job);
    }
    if (st == STATUS_OK && asked)
        st = take_asked(&jobs, asked, err);
    slurm_depends(&jobs);
    order_waiters(&jobs);
    for (size_t i = 0; i < SLURM_COUNTS; i++) {
        if (jobs.counts[i])
            state_note(r->state, "%" PRIu64 " job%s: %s", jobs.counts[i],
                       jobs.counts[i] == 1 ? "" : "s", count_words[i]);
    }
    interner_fini(&jobs.ids);
    free(jobs.waiters);
    free(jobs.dependents);
    free(jobs.arrays);
    return st;
}

/* Reads a file; none if `path` is NULL. */
static enum status slurm_read_text(const char *path, struct text *out,
                                   struct error *err)
{
    if (!path)
        return STATUS_OK;
    struct out *bytes = out_to_memory();
    enum status st = out_add_file(bytes, path, err);
    struct text text = out_memory(bytes);
    *out = (struct text){mem_copy(text.at, text.len), text.len};
    out_abandon(bytes);
    return st;
}

/* Reads what squeue or sinfo printed, JSON or text. */
static enum status slurm_read_table(const char *path, bool nodes, json_t **out,
                                    struct error *err)
{
    struct text text;
    enum status st = slurm_read_text(path, &text, err);
    const struct text begin =
        st == STATUS_OK ? text_trim(text) : (struct text){0};
    if (st == STATUS_OK && begin.len && memchr(begin.at, '|', begin.len) &&
        *begin.at != '{' && *begin.at != '[') {
        st = slurm_text_read(text, nodes, path, out, err);
    } else if (st == STATUS_OK) {
        *out = json_read_file(path, err);
        st = *out ? STATUS_OK : STATUS_BAD_INPUT;
    }
    free((char *)(uintptr_t)text.at);
    return st;
}

enum status slurm_answers_read(const struct slurm_files *files,
                               struct slurm_answers *out, struct error *err)
{
    enum status st;
    *out = (struct slurm_answers){.jobs_name = files->squeue,
                                  .nodes_name = files->nodes,
                                  .conf_name = files->conf,
                                  .reservations_name = files->reservations,
                                  .at = TIME_NEVER};
    st = slurm_read_table(files->squeue, false, &out->jobs, err);
    if (st == STATUS_OK)
        st = slurm_read_table(files->nodes, true, &out->nodes, err);
    if (st == STATUS_OK)
        st = slurm_read_text(files->conf, &out->conf, err);
    if (st == STATUS_OK)
        st = slurm_read_text(files->reservations, &out->reservations, err);
    if (st != STATUS_OK)
        slurm_answers_fini(out);
    return st;
}

void slurm_answers_fini(struct slurm_answers *answers)
{
    json_decref(answers->jobs);
    json_decref(answers->nodes);
    free((char *)(uintptr_t)answers->conf.at);
    free((char *)(uintptr_t)answers->history.at);
    free(answers->no_history);
    free((char *)(uintptr_t)answers->reservations.at);
    free(answers->no_reservations);
    *answers = (struct slurm_answers){0};
}

/* Sets the present. */
static void slurm_set_present(const struct slurm_answers *answers,
                              const struct slurm_conf *conf,
                              struct state *state)
{
    const sim_time latest = latest_time(answers->jobs);
    if (answers->at != TIME_NEVER)
        state->at = answers->at;
    else
        state->at = conf->at > latest ? conf->at : latest;
}

/* Notes what is not known. */
static void slurm_note_missing(const struct slurm_answers *answers,
                               const struct slurm_conf *conf,
                               struct state *state)
{
    if (answers->no_reservations)
        state_note(state, "reservations are not known: %.300s",
                   answers->no_reservations);
    if (answers->no_history)
        state_note(state, "no history: %.300s", answers->no_history);
    if (conf->n_includes)
        state_note(state, "%s includes other files, which are not read",
                   answers->conf_name);
}

enum status slurm_state_make(const struct slurm_answers *answers,
                             struct state *out, struct error *err)
{
    struct slurm_reader r = {.state = out};
    json_t *asked = NULL;
    state_init(out, answers->jobs_name);
    enum status st =
        slurm_conf_read(answers->conf, answers->conf_name, &r.conf, err);
    if (st == STATUS_OK) {
        slurm_set_present(answers, &r.conf, out);
        slurm_conf_policy(&r.conf, out);
        st = slurm_reservations_read(&r, answers->reservations,
                                     answers->reservations_name, err);
    }
    if (st == STATUS_OK)
        st = slurm_read_nodes(&r, answers->nodes, answers->nodes_name, err);
    if (st == STATUS_OK)
        slurm_reservations_end(&r);
    if (st == STATUS_OK && answers->n_words)
        st = sbatch_read(out, answers->words, answers->n_words, &asked, err);
    if (st == STATUS_OK)
        st = slurm_read_jobs(&r, answers->jobs, answers->jobs_name, asked, err);
    if (st == STATUS_OK && answers->history.len)
        st = state_add_history_text(out, "sacct --json", answers->history, err);
    if (st == STATUS_OK)
        slurm_note_missing(answers, &r.conf, out);
    json_decref(asked);
    slurm_reader_fini(&r);
    slurm_conf_fini(&r.conf);
    if (st != STATUS_OK)
        state_fini(out);
    return st;
}

enum status state_add_sbatch(struct state *state, const char *const *words,
                             size_t n, struct error *err)
{
    struct slurm_reader r = {.state = state};
    json_t *asked = NULL, *none = json_pack("{s:[]}", "jobs");
    slurm_cluster_partitions(&r);
    enum status st = sbatch_read(state, words, n, &asked, err);
    if (st == STATUS_OK)
        st = slurm_read_jobs(&r, none, state->path, asked, err);
    json_decref(asked);
    json_decref(none);
    slurm_reader_fini(&r);
    return st;
}
