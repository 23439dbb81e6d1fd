/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes timeline.json: the head, the parts, and the names of processes and
 * tracks. The names come last, because a cropped file names only the tracks
 * that have an event: the names of all tracks of a large cluster would fill the
 * file. */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/find.h"
#include "base/json.h"
#include "sim/results/advice.h"
#include "sim/results/report.h"
#include "sim/results/timeline.h"
#include "traces/trace.h"

/* Resolves the crop of a timeline: the user's words become times and virtual
 * clusters of the run. */

/* A time as the user gave it. */
struct timeline_when {
    sim_time at;
    bool is_date; /* true: `at` counts from 1970, otherwise from the first
                   * submission */
};

static enum status timeline_read_when(const char *option, const char *typed,
                                      struct timeline_when *out,
                                      struct error *err)
{
    enum when_base base;
    *out = (struct timeline_when){0};
    if (text_to_when(text_from(typed), &base, &out->at) &&
        (base == WHEN_DATE || out->at >= 0)) {
        out->is_date = base == WHEN_DATE;
        return STATUS_OK;
    }
    return error_set(err, STATUS_USAGE,
                     "--%s: '%.100s' is not a date (2020-04-07 or \"2020-04-07 "
                     "12:00\", UTC) or a time since the first submission "
                     "(5400, 90min, 36h, 2d)",
                     option, typed);
}

enum status timeline_check(const struct timeline_wish *wish, struct error *err)
{
    struct timeline_when when;
    enum status st = STATUS_OK;
    if (wish->from)
        st = timeline_read_when("timeline=from", wish->from, &when, err);
    if (st == STATUS_OK && wish->to)
        st = timeline_read_when("timeline=to", wish->to, &when, err);
    return st;
}

/* Resolves one end of the crop; STATUS_USAGE if it is neither a date nor a
 * time. `otherwise`: the result if the user gave none. */
static enum status timeline_resolve(const char *option, const char *typed,
                                    sim_time otherwise, sim_time zero,
                                    sim_time *out, struct error *err)
{
    struct timeline_when when;
    *out = otherwise;
    if (!typed)
        return STATUS_OK;
    enum status st = timeline_read_when(option, typed, &when, err);
    if (st == STATUS_OK)
        *out = when.is_date ? when.at - zero : when.at;
    return st;
}

/* Refuses a name that no virtual cluster has: returns STATUS_USAGE. `err` holds
 * the error of find_in; if that suggests no name, the new message lists the
 * known ones. */
static enum status refuse_vc(const struct cluster *c, const char *name,
                             struct error *err)
{
    char list[200];
    size_t len = 0;
    list[0] = '\0';
    if (strstr(err->message, "did you mean"))
        return error_prefix(err, "--timeline=vc: ");
    for (uint32_t vc = 0; vc < c->n_vcs && len < sizeof list; vc++)
        len += (size_t)snprintf(list + len, sizeof list - len, "%s'%s'",
                                vc ? ", " : "", c->vcs[vc]);
    return error_set(err, STATUS_USAGE,
                     "--timeline=vc: no virtual cluster '%.100s'; the cluster "
                     "has %s%s",
                     name, list, len < sizeof list ? "" : "...");
}

static enum status timeline_choose_vcs(struct timeline *tl, struct error *err)
{
    const struct cluster *c = tl->cluster;
    tl->vcs = mem_zalloc(c->n_vcs + (size_t)1, sizeof *tl->vcs);
    for (uint32_t vc = 0; vc < c->n_vcs && !tl->wish.n_vcs; vc++)
        tl->vcs[vc] = true;
    for (size_t i = 0; i < tl->wish.n_vcs; i++) {
        const char *name = tl->wish.vcs[i];
        size_t vc;
        enum status st = find_in("virtual cluster", c->vcs, c->n_vcs,
                                 (struct text){name, strlen(name)}, &vc, err);
        if (st != STATUS_OK)
            return refuse_vc(c, name, err);
        tl->vcs[vc] = true;
    }
    return STATUS_OK;
}

/* Resolves the times and the virtual clusters of timeline->wish. Fails as
 * timeline_open does. */
static enum status timeline_crop(struct timeline *tl,
                                 const struct run_result *run,
                                 struct error *err)
{
    const struct timeline_wish *w = &tl->wish;
    sim_time zero = run->jobset.zero;
    enum status st =
        timeline_resolve("timeline=from", w->from, 0, zero, &tl->from, err);
    if (st == STATUS_OK)
        st = timeline_resolve("timeline=to", w->to, TIME_NEVER, zero, &tl->to,
                              err);
    if (st == STATUS_OK && tl->from >= tl->to)
        st = error_set(err, STATUS_USAGE,
                       "--timeline=to: %s is %.6f s after the first "
                       "submission, not later than the start of the timeline "
                       "at %.6f s",
                       w->to ? w->to : "the end of time", span_seconds(tl->to),
                       span_seconds(tl->from));
    return st == STATUS_OK ? timeline_choose_vcs(tl, err) : st;
}

/* Begins an event. The first one has no comma before it. */
static void put_phase(struct timeline_writer *w, const char *phase)
{
    out_text(w->out, w->n_events++ ? ",\n{\"ph\":\"" : "{\"ph\":\"");
    out_text(w->out, phase);
    out_text(w->out, "\",\"name\":");
}

static void timeline_put_number(struct out *out, const char *key,
                                uint64_t value)
{
    out_text(out, key);
    out_u64(out, value);
}

/* True if the virtual cluster of the node is shown. */
static bool timeline_shows_node(const struct timeline_writer *w, node_id node)
{
    const struct cluster *c = &w->run->cluster;
    /* nodes without a virtual cluster of their own are all shown */
    return c->nodes[node].home == UINT16_MAX ||
           w->timeline->vcs[c->nodes[node].home];
}

static bool shows_process(const struct timeline_writer *w, uint32_t process)
{
    uint32_t model = timeline_model(w->run);
    if (process > model)
        return timeline_shows_node(w, process - timeline_node(w->run, 0));
    return process == model || w->timeline->vcs[process - timeline_vc(0)];
}

/* Cuts the event to the crop; false if nothing is left. */
static bool timeline_cut(const struct timeline_writer *w,
                         struct timeline_event *event)
{
    const struct timeline *tl = w->timeline;
    sim_time end = event->at + event->length;
    if (!shows_process(w, event->process))
        return false;
    if (event->length <= 0)
        return event->at >= tl->from && event->at < tl->to;
    if (event->at < tl->from)
        event->at = tl->from;
    event->length = (end < tl->to ? end : tl->to) - event->at;
    return event->length > 0;
}

static void put_place(struct timeline_writer *w, const struct timeline_event *e)
{
    timeline_put_number(w->out, ",\"pid\":", e->process);
    timeline_put_number(w->out, ",\"tid\":", e->track);
    timeline_put_number(w->out, ",\"ts\":", (uint64_t)e->at);
}

static void put_category(struct out *out, const struct timeline_event *e)
{
    out_text(out, ",\"cat\":");
    json_put_text(out, e->category);
    if (e->kind == TIMELINE_SHARED)
        out_printf(out, ",\"id2\":{\"local\":\"%" PRIu64 "\"}", e->id);
}

bool timeline_begin(struct timeline_writer *w,
                    const struct timeline_event *event,
                    struct timeline_args *args)
{
    static const char *const phases[] = {[TIMELINE_SLICE] = "X",
                                         [TIMELINE_SHARED] = "b",
                                         [TIMELINE_INSTANT] = "i"};
    struct timeline_event shown = *event;
    struct out *out = w->out;
    if (!timeline_cut(w, &shown))
        return false;
    w->has_events[event->track] = true;
    put_phase(w, phases[event->kind]);
    json_put_text(out, event->name);
    put_category(out, event);
    put_place(w, &shown);
    if (event->kind == TIMELINE_SLICE)
        timeline_put_number(out, ",\"dur\":", (uint64_t)shown.length);
    if (event->kind == TIMELINE_INSTANT)
        out_text(out, ",\"s\":\"t\"");
    if (event->colour)
        out_printf(out, ",\"cname\":\"%s\"", event->colour);
    out_text(out, ",\"args\":{");
    *args = (struct timeline_args){.out = out};
    if (shown.length != event->length) {
        timeline_span(args, "start_s", event->at);
        timeline_span(args, "end_s", event->at + event->length);
    }
    return true;
}

void timeline_end(struct timeline_writer *w, const struct timeline_event *event,
                  struct timeline_args *args)
{
    struct timeline_event end = *event;
    out_text(args->out, "}}");
    if (event->kind != TIMELINE_SHARED)
        return;
    timeline_cut(w, &end);
    end.at += end.length;
    put_phase(w, "e");
    json_put_text(w->out, event->name);
    put_category(w->out, event);
    put_place(w, &end);
    out_char(w->out, '}');
}

/* Writes the name of an argument, after a comma unless it is the first. */
static void timeline_put_key(struct timeline_args *args, const char *key)
{
    if (args->any)
        out_char(args->out, ',');
    args->any = true;
    json_put_text(args->out, key);
    out_char(args->out, ':');
}

void timeline_text(struct timeline_args *args, const char *key,
                   const char *value)
{
    if (!value || !*value)
        return;
    timeline_put_key(args, key);
    json_put_text(args->out, value);
}

void timeline_span(struct timeline_args *args, const char *key, sim_span value)
{
    timeline_put_key(args, key);
    out_span(args->out, value);
}

void timeline_whole(struct timeline_args *args, const char *key, uint64_t value)
{
    timeline_put_key(args, key);
    out_u64(args->out, value);
}

void timeline_bool(struct timeline_args *args, const char *key, bool value)
{
    timeline_put_key(args, key);
    out_text(args->out, value ? "true" : "false");
}

/* Copies arguments that are already written as `"key":value,...`. */
static void timeline_copy(struct timeline_args *args, struct text written)
{
    if (args->any && written.len)
        out_char(args->out, ',');
    args->any |= written.len > 0;
    out_bytes(args->out, written.at, written.len);
}

void timeline_count(struct timeline_writer *w, uint32_t process,
                    const char *name, const char *unit, sim_time at,
                    uint64_t value)
{
    put_phase(w, "C");
    json_put_text(w->out, name);
    timeline_put_number(w->out, ",\"pid\":", process);
    timeline_put_number(w->out, ",\"ts\":", (uint64_t)at);
    out_printf(w->out, ",\"args\":{\"%s\":%" PRIu64 "}}", unit, value);
}

static void timeline_put_name(struct timeline_writer *w, const char *kind,
                              uint32_t process)
{
    put_phase(w, "M");
    json_put_text(w->out, kind);
    timeline_put_number(w->out, ",\"pid\":", process);
}

/* Names a process, or a track of it. */
static void timeline_name_process(struct timeline_writer *w, uint32_t process,
                                  const char *name)
{
    timeline_put_name(w, "process_name", process);
    out_text(w->out, ",\"args\":{\"name\":");
    json_put_text(w->out, name);
    out_text(w->out, "}}");
}

static void timeline_name_track(struct timeline_writer *w, uint32_t process,
                                uint32_t track, const char *name)
{
    timeline_put_name(w, "thread_name", process);
    timeline_put_number(w->out, ",\"tid\":", track);
    out_text(w->out, ",\"args\":{\"name\":");
    json_put_text(w->out, name);
    out_text(w->out, "}}");
}

/* Attempts in timeline.json: a slice on each GPU that an attempt held, whose
 * colour shows how the attempt ended. Perfetto chooses a colour by the name
 * without its digits, so the name says how the attempt ended if that is worth a
 * colour of its own. */

/* The state of the pass over all attempts. */
struct pass {
    struct timeline_writer *w;
    uint32_t *numbers; /* by job: number of its attempts so far */
    /* By attempt: 1 + index of its row in the ledger's failures or evictions,
     * according to how it ended; 0: none. NULL: no attempt has such a row. */
    uint32_t *rows;
    struct out *args; /* arguments of the attempt, in memory */
};

/* How an attempt ended. */
struct ending {
    const char *how;     /* the word of attempts.csv */
    const char *outcome; /* recorded outcome if the job ran to its recorded end,
                          * otherwise NULL */
    const char *colour;  /* name of a colour of chrome://tracing */
};

static struct ending ending_of(const struct run_result *run,
                               const struct attempt *a)
{
    static const struct ending finished[] = {
        [TRACE_END_COMPLETED] = {"finished", "completed", "good"},
        [TRACE_END_FAILED] = {"finished", "failed", "terrible"},
        [TRACE_END_CANCELLED] = {"finished", "cancelled", "grey"},
        [TRACE_END_UNKNOWN] = {"finished", "unknown", "good"},
    };
    if (a->end == TIME_NEVER)
        return (struct ending){"open", NULL, "thread_state_sleeping"};
    switch (a->how) {
    case LEDGER_STOPPED:
        return (struct ending){"stopped", NULL, "yellow"};
    case LEDGER_MOVED:
        return (struct ending){"moved", NULL, "olive"};
    case LEDGER_PROFILED:
        return (struct ending){"profiled", NULL, "rail_response"};
    case LEDGER_EVICTED:
        return (struct ending){"evicted", NULL, "bad"};
    case LEDGER_FAILED:
        return (struct ending){"failed", NULL, "terrible"};
    default:
        return finished[jobset_end(&run->jobset, a->job)];
    }
}

static void find_rows(struct pass *pass)
{
    const struct ledger *l = &pass->w->run->ledger;
    if (!l->n_failures && !l->n_evictions)
        return;
    pass->rows = mem_zalloc(l->n_attempts + 1, sizeof *pass->rows);
    for (uint32_t i = 0; i < l->n_failures; i++)
        pass->rows[l->failures[i].attempt] = i + 1;
    for (uint32_t i = 0; i < l->n_evictions; i++)
        pass->rows[l->evictions[i].attempt] = i + 1;
}

/* Returns why the attempt ended; NULL if it was neither evicted nor failed. */
static const char *why(const struct pass *pass, uint32_t number)
{
    const struct ledger *l = &pass->w->run->ledger;
    uint8_t how = l->attempts[number].how;
    uint32_t row = pass->rows ? pass->rows[number] : 0;
    if (row && how == LEDGER_EVICTED)
        return l->evictions[row - 1].why;
    return row && how == LEDGER_FAILED ? l->failures[row - 1].cause : NULL;
}

/* Writes the nodes as ranges, "0-3 8". Cuts a very long list. */
static void timeline_put_nodes(struct timeline_args *args, struct gpu_set set)
{
    enum { LIST_MAX = 200, RANGE_MAX = 32 };
    char list[LIST_MAX];
    size_t len = 0;
    for (uint32_t i = 0; i < set.count;) {
        uint32_t first = i++;
        while (i < set.count && set.at[i].node == set.at[i - 1].node + 1)
            i++;
        if (len + RANGE_MAX > sizeof list) {
            snprintf(list + len, sizeof list - len, " ...");
            break;
        }
        len += (size_t)snprintf(list + len, sizeof list - len, "%s%u",
                                first ? " " : "", set.at[first].node);
        if (i > first + 1)
            len += (size_t)snprintf(list + len, sizeof list - len, "-%u",
                                    set.at[i - 1].node);
    }
    timeline_text(args, "nodes", list);
}

/* Writes the arguments of an attempt to pass->args. */
static void timeline_describe(const struct pass *pass, uint32_t number,
                              const char *id, const struct ending *ending,
                              struct gpu_set set)
{
    const struct run_result *run = pass->w->run;
    const struct attempt *a = &run->ledger.attempts[number];
    const struct job *job = &run->jobset.jobs[a->job];
    struct stay stay = facts_stay(&pass->w->reader.results, number);
    struct timeline_args args = {.out = pass->args};
    sim_time since = a->previous == ATTEMPT_NONE
                         ? job->submitted
                         : run->ledger.attempts[a->previous].end;
    out_clear(pass->args);
    timeline_text(&args, "job", id);
    if (job->user)
        timeline_text(&args, "user",
                      interner_string(&run->jobset.strings, job->user));
    timeline_whole(&args, "gpus", ledger_gpus(&run->ledger, a));
    timeline_put_nodes(&args, set);
    timeline_whole(&args, "attempt", pass->numbers[a->job]);
    timeline_span(&args, "waited", a->start - since);
    timeline_text(&args, "how", ending->how);
    timeline_text(&args, "outcome", ending->outcome);
    timeline_text(&args, "why", why(pass, number));
    timeline_span(&args, "work", stay.work);
    if (stay.idle)
        timeline_span(&args, "idle", stay.idle);
    if (stay.resume)
        timeline_span(&args, "resume", stay.resume);
    if (stay.lost)
        timeline_span(&args, "lost", stay.lost);
}

static void put_slices(const struct pass *pass, struct timeline_event *event,
                       uint32_t number, struct gpu_slice slice)
{
    struct timeline_writer *w = pass->w;
    event->process = timeline_node(w->run, slice.node);
    for (struct gpu_walk walk = gpu_walk(0, slice.mask);
         gpu_walk_next(&walk);) {
        struct timeline_args args;
        event->track = timeline_gpu(w->run, slice.node, walk.gpu);
        event->id = (uint64_t)number * NODE_GPUS_MAX + walk.gpu;
        if (!timeline_begin(w, event, &args))
            return; /* the node's other GPUs are not shown either */
        timeline_copy(&args, out_memory(pass->args));
        timeline_end(w, event, &args);
    }
}

/* Names a slice by the identifier of its job, followed by a word on how the
 * attempt ended unless the job ran to its end as it should. */
static void name_slice(char *name, size_t room, const char *id,
                       const struct ending *ending)
{
    bool failed =
        ending->outcome && (strcmp(ending->outcome, "failed") == 0 ||
                            strcmp(ending->outcome, "cancelled") == 0);
    const char *word = failed            ? ending->outcome
                       : ending->outcome ? NULL
                                         : ending->how;
    snprintf(name, room, "%s%s%s", id, word ? " " : "", word ? word : "");
}

static void timeline_put_attempt(const struct pass *pass, uint32_t number)
{
    struct timeline_writer *w = pass->w;
    const struct run_result *run = w->run;
    const struct attempt *a = &run->ledger.attempts[number];
    sim_time end = facts_attempt_end(&w->reader.results, number);
    if (end < w->timeline->from || a->start >= w->timeline->to)
        return;
    struct ending ending = ending_of(run, a);
    const struct job *job = &run->jobset.jobs[a->job];
    char buf[SOURCE_ID_MAX], name[SOURCE_ID_MAX + 16], category[60];
    const char *id = jobset_source_id(&run->jobset, job, buf);
    name_slice(name, sizeof name, id, &ending);
    snprintf(category, sizeof category, "attempt,%s%s%s%s", ending.how,
             ending.outcome ? "," : "", ending.outcome ? ending.outcome : "",
             a->shared ? ",shared" : "");
    struct timeline_event event = {
        .name = name,
        .category = category,
        .colour = ending.colour,
        .kind = a->shared ? TIMELINE_SHARED : TIMELINE_SLICE,
        .at = a->start,
        .length = end - a->start,
    };
    struct gpu_set set = facts_where(&w->reader, number);
    timeline_describe(pass, number, id, &ending, set);
    for (uint32_t i = 0; i < set.count; i++)
        put_slices(pass, &event, number, set.at[i]);
}

/* Writes the attempts of jobs on GPUs. */
static void timeline_attempts(struct timeline_writer *w)
{
    const struct run_result *run = w->run;
    struct pass pass = {
        .w = w,
        .numbers =
            mem_zalloc(run->jobset.n_jobs + (size_t)1, sizeof *pass.numbers),
        .args = out_to_memory(),
    };
    find_rows(&pass);
    for (uint32_t i = 0; i < run->ledger.n_attempts; i++) {
        pass.numbers[run->ledger.attempts[i].job]++;
        timeline_put_attempt(&pass, i);
    }
    free(pass.numbers);
    free(pass.rows);
    out_abandon(pass.args);
}

/* Counters of a timeline: the jobs that wait and the GPUs that are busy or out
 * of service in each virtual cluster, read from the moves of the run. A value
 * is kept once per instant, after all moves of the instant, and only if it
 * differs from the one before. */

static void timeline_keep(struct timeline *tl, uint16_t vc, unsigned kind,
                          sim_time at)
{
    tl->counts = mem_grow(tl->counts, &tl->cap_counts, tl->n_counts + 1,
                          sizeof *tl->counts);
    tl->counts[tl->n_counts++] = (struct timeline_count){
        .at = at,
        .value = tl->values[vc][kind],
        .vc = vc,
        .kind = (uint8_t)kind,
    };
    tl->kept[vc][kind] = tl->values[vc][kind];
}

/* Keeps the counters that changed at `now`, and all counters at the start of
 * the crop. `next`: time of the next move. */
static void keep_instant(struct timeline *tl, sim_time next)
{
    bool first = !tl->begun && next > tl->from;
    if (tl->now >= tl->to || (!tl->begun && !first))
        return;
    sim_time at = tl->now > tl->from ? tl->now : tl->from;
    uint32_t vc = first ? 0 : tl->changed_from;
    uint32_t end = first ? tl->cluster->n_vcs : tl->changed_to;
    tl->begun = true;
    for (; vc < end; vc++) {
        for (unsigned kind = 0; kind < TIMELINE_COUNTERS && tl->vcs[vc]; kind++)
            if (first || tl->values[vc][kind] != tl->kept[vc][kind])
                timeline_keep(tl, (uint16_t)vc, kind, at);
    }
    tl->changed_from = UINT32_MAX;
    tl->changed_to = 0;
}

/* Marks a virtual cluster as changed and returns its counters, which the caller
 * changes. */
static uint32_t *timeline_change(struct timeline *tl, uint32_t vc)
{
    if (vc < tl->changed_from)
        tl->changed_from = vc;
    if (vc + 1 > tl->changed_to)
        tl->changed_to = vc + 1;
    return tl->values[vc];
}

static uint16_t timeline_vc_of(const struct timeline *tl, node_id node)
{
    uint16_t home = tl->cluster->nodes[node].home;
    return home == UINT16_MAX ? 0 : home;
}

/* Counts GPUs that get their first holder or lose their last one; where virtual
 * clusters share nodes, the GPUs of the job, for its virtual cluster. */
static void timeline_count_gpus(struct timeline *tl, const struct job *job,
                                struct gpu_set set, bool taken)
{
    if (tl->cluster->merged) {
        uint32_t *sum = &timeline_change(tl, job->vc)[TIMELINE_BUSY];
        *sum += taken ? gpu_set_size(set) : 0 - gpu_set_size(set);
        return;
    }
    for (uint32_t i = 0; i < set.count; i++) {
        struct gpu_slice slice = set.at[i];
        uint32_t *busy =
            &timeline_change(tl, timeline_vc_of(tl, slice.node))[TIMELINE_BUSY];
        gpu_id first = tl->cluster->nodes[slice.node].first_gpu;
        for (struct gpu_walk w = gpu_walk(first, slice.mask);
             gpu_walk_next(&w);) {
            uint8_t *holders = &tl->holders[w.gpu];
            if (taken)
                *busy += (*holders)++ == 0;
            else
                *busy -= --*holders == 0;
        }
    }
}

static void timeline_count_node(struct timeline *tl,
                                const struct ledger_move *move)
{
    bool closed = move->kind == LEDGER_NODE_DOWN;
    if (!closed && move->kind != LEDGER_NODE_UP)
        return;
    uint32_t *sum =
        &timeline_change(tl, timeline_vc_of(tl, move->node))[TIMELINE_CLOSED];
    uint32_t gpus = tl->cluster->nodes[move->node].gpus;
    if (closed && !tl->closed[move->node])
        *sum += gpus;
    if (!closed && tl->closed[move->node])
        *sum -= gpus;
    tl->closed[move->node] = closed;
}

/* True if a move of this kind leaves its job waiting for GPUs. job.state is not
 * used, because it changes before some moves are reported and after others. The
 * state after a failure comes with the next move of its instant. */
static bool waits_after(enum ledger_kind kind)
{
    return kind == LEDGER_SUBMITTED || kind == LEDGER_STOPPED ||
           kind == LEDGER_PROFILED || kind == LEDGER_EVICTED ||
           kind == LEDGER_FAILED || kind == LEDGER_RETRIED;
}

static void read_move(void *self, const struct ledger_move *move)
{
    struct timeline *tl = self;
    if (move->at > tl->now) {
        keep_instant(tl, move->at);
        tl->now = move->at;
    }
    if (!move->job) {
        timeline_count_node(tl, move);
        return;
    }
    const struct job *job = move->job;
    bool pending = waits_after(move->kind);
    if (pending != tl->pending[job->id]) {
        uint32_t *sum = &timeline_change(tl, job->vc)[TIMELINE_PENDING];
        *sum = pending ? *sum + 1 : *sum - 1;
        tl->pending[job->id] = pending;
    }
    if (move->kind == LEDGER_STARTED)
        timeline_count_gpus(tl, job, move->where, true);
    else if (ledger_ends_attempt(move->kind))
        timeline_count_gpus(tl, job, move->where, false);
}

enum status timeline_open(struct timeline *tl, const struct timeline_wish *wish,
                          struct run_result *run, struct error *err)
{
    const struct cluster *c = &run->cluster;
    *tl = (struct timeline){.wish = *wish, .cluster = c, .now = -1};
    enum status st = timeline_crop(tl, run, err);
    if (st != STATUS_OK) {
        timeline_fini(tl);
        return st;
    }
    tl->holders = mem_zalloc(c->n_gpus + (size_t)1, sizeof *tl->holders);
    tl->pending =
        mem_zalloc(run->jobset.n_jobs + (size_t)1, sizeof *tl->pending);
    tl->closed = mem_zalloc(c->n_nodes + (size_t)1, sizeof *tl->closed);
    tl->values = mem_zalloc(c->n_vcs + (size_t)1, sizeof *tl->values);
    tl->kept = mem_zalloc(c->n_vcs + (size_t)1, sizeof *tl->kept);
    ledger_read_by(&run->ledger, (struct ledger_reader){read_move, tl});
    return STATUS_OK;
}

void timeline_close(struct timeline *tl)
{
    keep_instant(tl, TIME_NEVER);
}

void timeline_fini(struct timeline *tl)
{
    free(tl->vcs);
    free(tl->holders);
    free(tl->pending);
    free(tl->closed);
    free(tl->values);
    free(tl->kept);
    free(tl->counts);
    *tl = (struct timeline){0};
}

/* Writes the counters of virtual clusters. */
static void timeline_counters(struct timeline_writer *w)
{
    static const struct {
        const char *name, *unit;
    } counters[TIMELINE_COUNTERS] = {
        [TIMELINE_PENDING] = {"pending jobs", "jobs"},
        [TIMELINE_BUSY] = {"busy GPUs", "GPUs"},
        [TIMELINE_CLOSED] = {"GPUs out of service", "GPUs"},
    };
    const struct timeline *tl = w->timeline;
    bool closes = w->run->ledger.n_node_changes > 0;
    for (size_t i = 0; i < tl->n_counts; i++) {
        const struct timeline_count *count = &tl->counts[i];
        if (count->kind == TIMELINE_CLOSED && !closes)
            continue;
        timeline_count(w, timeline_vc(count->vc), counters[count->kind].name,
                       counters[count->kind].unit, count->at, count->value);
    }
}

static bool is_cropped(const struct timeline *tl)
{
    return tl->wish.from || tl->wish.to || tl->wish.n_vcs;
}

/* Writes the head of the file: version, policy, the date of time 0, and the
 * crop. */
static void timeline_put_head(const struct timeline_writer *w)
{
    const struct timeline *tl = w->timeline;
    struct timeline_args args = {.out = w->out};
    out_text(w->out, "{\"displayTimeUnit\":\"ms\",\"otherData\":{");
    timeline_text(&args, "schedsim", SCHEDSIM_VERSION);
    timeline_text(&args, "policy", w->run->policy);
    char zero[TIME_TEXT_MAX], utc[TIME_TEXT_MAX + 1];
    time_to_text(w->run->jobset.zero, zero);
    snprintf(utc, sizeof utc, "%sZ", zero);
    timeline_text(&args, "time_zero", utc);
    if (tl->wish.from)
        timeline_span(&args, "from_s", tl->from);
    if (tl->wish.to)
        timeline_span(&args, "to_s", tl->to);
    for (uint32_t vc = 0; tl->wish.n_vcs && vc < w->run->cluster.n_vcs; vc++) {
        char key[24];
        snprintf(key, sizeof key, "vc %u", vc);
        if (tl->vcs[vc])
            timeline_text(&args, key, w->run->cluster.vcs[vc]);
    }
    out_text(w->out, "},\"traceEvents\":[\n");
}

/* Names a track if it has events or if `always` is set. Returns true if the
 * track was named. */
static bool name_track(struct timeline_writer *w, uint32_t process,
                       uint32_t track, const char *name, bool always)
{
    if (!always && !w->has_events[track])
        return false;
    timeline_name_track(w, process, track, name);
    return true;
}

static void name_node(struct timeline_writer *w, node_id n)
{
    static const char *const names[TIMELINE_NODE_TRACKS] = {
        [TIMELINE_OUTAGES] = "out of service",
        [TIMELINE_FAULTS] = "faults",
        [TIMELINE_LOANS] = "profiler"};
    const struct cluster *c = &w->run->cluster;
    const struct node *node = &c->nodes[n];
    const struct pool *pool = &c->pools[node->pool];
    uint32_t process = timeline_node(w->run, n);
    bool all = !is_cropped(w->timeline), any = false;
    char name[256];
    for (unsigned g = 0; g < node->gpus; g++) {
        snprintf(name, sizeof name, "GPU %u", node->first_gpu + g);
        any |= name_track(w, process, timeline_gpu(w->run, n, g), name, all);
    }
    for (unsigned t = 0; t < TIMELINE_NODE_TRACKS; t++)
        any |= name_track(w, process, timeline_node_track(w->run, n, t),
                          names[t], false);
    snprintf(name, sizeof name, "node %u %s %s%s", n, c->types[pool->type].name,
             cluster_home(c, n),
             pool->profiler && !pool->loan ? ", for profiling" : "");
    if (any)
        timeline_name_process(w, process, name);
}

static void name_vc(struct timeline_writer *w, uint32_t vc)
{
    static const char *const names[TIMELINE_VC_TRACKS] = {
        [TIMELINE_STORAGE] = "storage faults",
        [TIMELINE_REJECTIONS] = "rejected jobs"};
    char name[256];
    snprintf(name, sizeof name, "virtual cluster %s", w->run->cluster.vcs[vc]);
    timeline_name_process(w, timeline_vc(vc), name);
    for (unsigned t = 0; t < TIMELINE_VC_TRACKS; t++)
        name_track(w, timeline_vc(vc), timeline_vc_track(w->run, vc, t),
                   names[t], false);
}

static void put_names(struct timeline_writer *w)
{
    const struct run_result *run = w->run;
    for (uint32_t vc = 0; vc < run->cluster.n_vcs; vc++) {
        if (w->timeline->vcs[vc])
            name_vc(w, vc);
    }
    if (advice_exists(run)) {
        timeline_name_process(w, timeline_model(run), "language model");
        for (uint32_t i = 0; i < run->ledger.station.servers; i++) {
            char name[32];
            snprintf(name, sizeof name, "server %u", i);
            name_track(w, timeline_model(run), timeline_server(run, i), name,
                       !is_cropped(w->timeline));
        }
    }
    for (node_id n = 0; n < run->cluster.n_nodes; n++) {
        if (timeline_shows_node(w, n))
            name_node(w, n);
    }
}

void report_timeline(struct out *out, struct results results)
{
    struct timeline_writer w = {
        .out = out,
        .run = results.run,
        .timeline = results.timeline,
        .has_events = mem_zalloc(timeline_tracks(results.run) + (size_t)1,
                                 sizeof *w.has_events),
    };
    facts_reader_init(&w.reader, results);
    timeline_put_head(&w);
    timeline_counters(&w);
    timeline_attempts(&w);
    timeline_failures(&w);
    timeline_outages(&w);
    timeline_evictions(&w);
    if (advice_exists(w.run))
        timeline_station(&w);
    put_names(&w);
    out_text(out, "\n]}\n");
    facts_reader_fini(&w.reader);
    free(w.has_events);
}
