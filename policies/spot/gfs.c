/* SPDX-License-Identifier: GPL-3.0-or-later */
/* GFS (Duan et al., ASPLOS 2026): guaranteed jobs take idle GPUs where they
 * disturb least, and stop the spot jobs that lose least if they must; spot jobs
 * start within a quota that is a forecast of what guaranteed jobs leave. */
#include <math.h>
#include <stdlib.h>

#include "policies/spot/spot_internal.h"

/* Returns how many spot jobs were stopped on the node in this last time. */
static double gfs_stops(const struct spot_room *room, node_id node,
                        sim_span last)
{
    const struct spot_stops *on = &room->spot->stops[node];
    const sim_time since = view_now(room->plan->view) - last;
    size_t n = 0;
    while (n < on->n && on->at[on->n - 1 - n] > since)
        n++;
    return (double)n;
}

/* As coded: (free + 1) x 100 - GPUs of the same class on the node. Ties: by the
 * score 10000 max(0, 1 - 0.01 x 2^(0.8 stops in 1 h + 0.2 stops in 24 h)):
 * guaranteed jobs go to the low score, spot jobs to the high one. */
static double gfs_rank(const struct spot_room *room, bool is_spot, node_id node)
{
    const struct node *n = &view_cluster(room->plan->view)->nodes[node];
    const uint32_t *same = is_spot ? room->spots : room->guaranteed;
    const double stops = 0.8 * gfs_stops(room, node, SPAN_HOUR) +
                         0.2 * gfs_stops(room, node, SPAN_DAY);
    const double score = 10000 * fmax(0, 1 - 0.01 * exp2(fmin(stops, 100)));
    return ((n->n_free + 1.0) * 100 - same[node]) * 1e5 +
           (is_spot ? -score : score);
}

/* A spot job on a node, and the GPU-us that a stop would waste. */
struct gfs_victim {
    const struct job *job;
    uint32_t gpus; /* on the node */
    double waste;
};

static int gfs_by_waste(const void *a, const void *b)
{
    const struct gfs_victim *x = a, *y = b;
    if (x->waste < y->waste || x->waste > y->waste)
        return x->waste > y->waste ? -1 : 1;
    return x->job->id < y->job->id ? -1 : x->job->id > y->job->id;
}

/* Chooses the victims as coded, by two pointers: from the dearest on, spare
 * each job whose GPUs are not needed and take the next; then the same from the
 * cheapest on, and so on by turns. Returns their number; they are the first of
 * `all`. */
static uint32_t gfs_choose(const struct spot_room *room, node_id node,
                           uint32_t gpus, struct gfs_victim *all)
{
    const struct view *view = room->plan->view;
    const struct spot_config *config = room->spot->config;
    uint32_t n = 0, taken = 0, open = spot_open(room, node);
    for (uint32_t i = 0; i < room->n_running; i++) {
        const struct job *job = room->running[i];
        const uint32_t held = spot_held_on(view, job, node);
        const sim_span ran = view_now(view) - view_started(view, job);
        if (held && spot_runs(room, job))
            all[n++] = (struct gfs_victim){
                job, held,
                (double)job->gpus * (double)(config->waste_as_coded
                                                 ? ran
                                                 : ran % view_guarantee(view))};
    }
    if (n)
        qsort(all, n, sizeof *all, gfs_by_waste);
    for (uint32_t dear = 0, end = n; dear < end;) {
        const bool from_end = taken % 2;
        const uint32_t i = from_end ? end - 1 : dear;
        if (from_end)
            end--;
        else
            dear++;
        if (open - all[i].gpus >= gpus && open >= all[i].gpus)
            open -= all[i].gpus;
        else
            all[n + taken++] = all[i];
    }
    for (uint32_t i = 0; i < taken; i++)
        all[i] = all[n + i];
    return taken;
}

/* Room for the jobs on a node and those that are chosen. */
static struct gfs_victim *gfs_room(const struct spot_room *room)
{
    return plan_scratch(room->plan,
                        (2 * room->n_running + 1) * sizeof(struct gfs_victim));
}

/* As coded: the eviction rate of the whole run if these jobs are stopped, + 5 x
 * waste / (GPUs of the pool x window). */
static double gfs_cost(const struct spot_room *room, node_id node,
                       uint32_t gpus)
{
    const struct cluster *c = view_cluster(room->plan->view);
    const uint32_t p = c->nodes[node].pool;
    const struct spot_pool *pool = &room->spot->pools[p];
    struct gfs_victim *all = gfs_room(room);
    const uint32_t n = gfs_choose(room, node, gpus, all);
    const double failed = (double)(pool->failed + n);
    double waste = 0;
    for (uint32_t i = 0; i < n; i++)
        waste += all[i].waste;
    if (!n)
        return 0;
    return failed / (failed + (double)pool->succeeded) +
           5 * waste /
               ((double)c->pools[p].n_gpus *
                (double)room->spot->config->window);
}

static uint32_t gfs_victims(const struct spot_room *room, node_id node,
                            uint32_t gpus, const struct job **out)
{
    struct gfs_victim *all = gfs_room(room);
    const uint32_t n = gfs_choose(room, node, gpus, all);
    for (uint32_t i = 0; i < n; i++)
        out[i] = all[i].job;
    return n;
}

static const struct spot_rules gfs_rules = {
    .by_size = true,
    .spares = true,
    .rank = gfs_rank,
    .cost = gfs_cost,
    .victims = gfs_victims,
};

static const struct option gfs_options[] = {
    SPOT_OPTIONS,
    OPT_BOOL(struct spot_config, waste_as_coded, "waste_from_start", false,
             "a stop wastes the GPU time since the start of the job; false: "
             "since its last checkpoint, one each guarantee_s (--job-classes)",
             "GFS (ASPLOS'26): false; its code: true"),
    OPT_SPAN(struct spot_config, window, "window_s", 31.0 * 86400, 1,
             SECONDS_MAX,
             "a node's cost is its eviction rate + 5 x waste / (GPUs of the "
             "pool x window_s)",
             "GFS' code: the measured month"),
    {0},
};

static enum status gfs_init(void *self, const void *config,
                            const struct run_env *env, struct error *err)
{
    (void)err;
    return spot_begin(self, &gfs_rules, config, env);
}

const struct policy_ops policy_gfs = {
    SPOT_HOOKS,
    .name = "gfs",
    .summary = "GFS: spot jobs on what guaranteed jobs are expected to leave",
    .options = gfs_options,
    .init = gfs_init,
};
