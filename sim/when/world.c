/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/when/world.h"

#include <stdlib.h>

void when_world_init(struct when_world *world, const struct state *state)
{
    *world = (struct when_world){.state = state};
    dependents_init(&world->dependents, state);
}

void when_world_fini(struct when_world *world)
{
    dependents_fini(&world->dependents);
    free(world->state_job);
}

/* Finds the jobs of the state in those of a run. These are the same in all
 * runs, unless jobs wait for the ends of others. */
static void world_map(struct when_world *world, const struct jobset *jobs)
{
    const struct state *state = world->state;
    struct interner ids;
    if (world->state_job && !world->dependents.n)
        return;
    free(world->state_job);
    uint32_t *by_symbol = mem_alloc((state->n_jobs + 2) * sizeof *by_symbol);
    interner_init(&ids);
    for (size_t i = 0; i < state->n_jobs; i++)
        by_symbol[interner_add(&ids, text_from(state->jobs[i].id))] =
            (uint32_t)i;
    world->state_job =
        mem_alloc((jobs->n_jobs + 1u) * sizeof *world->state_job);
    for (uint32_t i = 0; i < jobs->n_jobs; i++) {
        char buf[SOURCE_ID_MAX];
        const char *id = jobset_source_id(jobs, &jobs->jobs[i], buf);
        uint32_t symbol = interner_find(&ids, text_from(id));
        world->state_job[i] =
            symbol == UINT32_MAX ? JOB_NONE : by_symbol[symbol];
    }
    interner_fini(&ids);
    free(by_symbol);
}

enum status when_world_run(struct when_world *world,
                           const struct run_config *config,
                           const sim_span *runs, const sim_span *plans,
                           struct run **out, struct error *err)
{
    struct dependents *dependents = &world->dependents;
    struct run_config own = *config;
    own.present = (struct run_present){
        dependents->n ? &dependents->state : world->state, runs, plans};
    dependents_begin(dependents, runs);
    for (;;) {
        enum status st = run_prepare(&own, out, err);
        if (st != STATUS_OK)
            return st;
        st = run_execute(*out, err);
        if (st != STATUS_OK && st != STATUS_INCOMPLETE) {
            run_free(*out);
            return st;
        }
        world_map(world, &run_result(*out)->jobset);
        if (!dependents_learn(dependents, run_result(*out), world->state_job))
            return STATUS_OK;
        run_free(*out);
    }
}
