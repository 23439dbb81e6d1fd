/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the policy of a run knew about its jobs: on what the beliefs rested that
 * it asked for. A result that rests on the truth is an upper bound, so tables,
 * JSON, pages and figures say it beside the numbers, in these words. */
#ifndef SIM_RUN_KNOWLEDGE_H
#define SIM_RUN_KNOWLEDGE_H

#include "base/arena.h"

/* Texts live as long as the run. All NULL: the policy asked for nothing. */
struct knowledge {
    /* Kinds of beliefs about run times with their estimators, those asked first
     * first, such as "oracle" or "declared; learned: ga2m,history"; NULL: the
     * policy asked for no run time. */
    const char *run_times;
    const char *demand; /* as `run_times`, such as "trace: workload" */
    /* Goes beside the name of the policy if beliefs came from the truth:
     * "oracle, an upper bound" or "truth with errors"; NULL: they did not. */
    const char *mark;
    const char *words; /* all of it as a sentence without a stop */
    /* share of the jobs whose run time the policy asked for that got an answer,
     * 0..1; NaN: it asked for none */
    double answered;
};

struct run;
/* Fills the knowledge in the results, and adds a remark if fewer than half of
 * the jobs got an answer. Called once, after the last instant and before the
 * engine ends. */
void knowledge_find(struct run *run);

/* Returns a copy whose texts live in the arena. */
struct knowledge knowledge_copy(const struct knowledge *k, struct arena *arena);

/* Returns "NAME (MARK)", or NAME if there is no mark. */
const char *knowledge_name(const char *name, const char *mark,
                           struct arena *arena);

#endif
