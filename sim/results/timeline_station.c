/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The language model in timeline.json: a process with a track for each server,
 * on it a slice for each question that the server worked on, and counters of
 * the questions that wait for a server and of those that a server works on. A
 * crop to virtual clusters leaves out the slices of other clusters' jobs, but
 * the counters count all questions, because all share the servers. */
#include <stdlib.h>

#include "sim/results/advice.h"
#include "sim/results/timeline_event.h"

static void put_question(struct timeline_writer *w, uint32_t number)
{
    const struct run_result *run = w->run;
    const struct advice_row *row = &run->ledger.advices[number];
    const struct job *job = &run->jobset.jobs[row->job];
    char id[SOURCE_ID_MAX];
    bool counted;
    struct advice_tokens tokens = ledger_tokens(&run->ledger, number, &counted);
    const struct timeline_event event = {
        .name = jobset_source_id(&run->jobset, job, id),
        .category = advice_module_name((enum advice_module)row->module),
        .process = timeline_model(run),
        .track = timeline_server(run, row->server),
        .at = advice_begun(row),
        .length = row->service,
    };
    struct timeline_args args;
    if (!w->timeline->vcs[job->vc] || !timeline_begin(w, &event, &args))
        return;
    timeline_span(&args, "waited", (sim_span)row->waited);
    timeline_text(&args, "basis",
                  advice_basis_name((enum advice_basis)row->basis));
    timeline_whole(&args, "k", row->k);
    timeline_whole(&args, "tokens_in", tokens.in);
    timeline_whole(&args, "tokens_out", tokens.out);
    timeline_end(w, &event, &args);
}

/* A change of two numbers of questions: of those that wait for a server and of
 * those that a server works on. */
struct step {
    sim_time at;
    int waiting, served;
};

static int by_time(const void *a, const void *b)
{
    sim_time x = ((const struct step *)a)->at, y = ((const struct step *)b)->at;
    return (x > y) - (x < y);
}

/* Lists the steps of all questions by time. Returns their number. */
static size_t list_steps(const struct ledger *ledger, struct step *steps)
{
    size_t n = 0;
    for (size_t i = 0; i < ledger->n_advices; i++) {
        const struct advice_row *row = &ledger->advices[i];
        if (row->server == ADVICE_NO_SERVER)
            continue;
        steps[n++] = (struct step){(sim_time)row->asked, 1, 0};
        steps[n++] = (struct step){advice_begun(row), -1, 1};
        steps[n++] = (struct step){advice_answered(row), 0, -1};
    }
    qsort(steps, n, sizeof *steps, by_time);
    return n;
}

/* Writes the counters at each time in the crop at which a counter changes. */
static void put_counters(struct timeline_writer *w)
{
    const struct timeline *tl = w->timeline;
    const struct ledger *ledger = &w->run->ledger;
    struct step *steps = mem_alloc((3 * ledger->n_advices + 1) * sizeof *steps);
    size_t n = list_steps(ledger, steps), i = 0;
    int waiting = 0, served = 0, was_waiting = -1, was_served = -1;
    for (sim_time at = tl->from; at < tl->to && n;) {
        for (; i < n && steps[i].at <= at; i++) {
            waiting += steps[i].waiting;
            served += steps[i].served;
        }
        uint32_t process = timeline_model(w->run);
        if (waiting != was_waiting)
            timeline_count(w, process, "questions that wait", "questions", at,
                           (uint64_t)waiting);
        if (served != was_served)
            timeline_count(w, process, "questions in service", "questions", at,
                           (uint64_t)served);
        was_waiting = waiting;
        was_served = served;
        if (i == n)
            break;
        at = steps[i].at;
    }
    free(steps);
}

void timeline_station(struct timeline_writer *w)
{
    const struct ledger *ledger = &w->run->ledger;
    for (uint32_t i = 0; i < ledger->n_advices; i++) {
        if (ledger->advices[i].server != ADVICE_NO_SERVER)
            put_question(w, i);
    }
    put_counters(w);
}
