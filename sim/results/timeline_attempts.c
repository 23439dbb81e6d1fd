/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Attempts in timeline.json: a slice on each GPU that an attempt held, whose
 * colour shows how the attempt ended. Perfetto chooses a colour by the name
 * without its digits, so the name says how the attempt ended if that is worth a
 * colour of its own. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/results/timeline_event.h"
#include "traces/trace.h"

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
static void put_nodes(struct timeline_args *args, struct gpu_set set)
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
static void describe(const struct pass *pass, uint32_t number, const char *id,
                     const struct ending *ending, struct gpu_set set)
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
    put_nodes(&args, set);
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

static void put_attempt(const struct pass *pass, uint32_t number)
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
    describe(pass, number, id, &ending, set);
    for (uint32_t i = 0; i < set.count; i++)
        put_slices(pass, &event, number, set.at[i]);
}

void timeline_attempts(struct timeline_writer *w)
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
        put_attempt(&pass, i);
    }
    free(pass.numbers);
    free(pass.rows);
    out_abandon(pass.args);
}
