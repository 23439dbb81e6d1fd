/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Users submit runs of scripts. A script fixes what a person repeats: the size,
 * the model, the name, and for each final state a typical duration. Runs of one
 * script therefore resemble each other as much as the published jobs of one
 * user do, and no more: estimators from history depend on that. How a run will
 * end is not known before. The sizes, ends and durations of all scripts
 * together follow the calibrated table. */
#include "traces/generate/population.h"

#include <gsl/gsl_randist.h>
#include <math.h>

/* Values of urn.slack, in jobs: by how many jobs an outcome may exceed its
 * share before it is not drawn. They are a few times the number of consecutive
 * jobs that have one outcome. */
#define SLACK_USERS 128.0
#define SLACK_SIZES 64.0
#define SLACK_KINDS 64.0
#define SLACK_STATES 32.0
#define SLACK_BINS 16.0

static struct population_group *group_of(const struct population *p,
                                         uint32_t size, uint32_t kind)
{
    return &p->groups[size * p->calibration->n_kinds + kind];
}

/* Returns the mean duration of a bin in seconds. Durations are log-uniform
 * within a bin. */
static double mean_of_bin(uint32_t bin)
{
    double hi = (double)(UINT32_C(1) << bin);
    return bin ? hi / 2 / log(2) : 1;
}

/* Builds the urns of sizes, kinds, states and durations from the sizes that fit
 * the cluster, and computes the expected GPU time of a job. */
static void build_jobs(struct population *p, uint32_t gpus)
{
    const struct calibration *c = p->calibration;
    double share[CALIBRATION_CLASSES] = {0}, sum[CALIBRATION_CLASSES] = {0};
    urn_init(&p->sizes, p->arena, c->n_gpu_counts, SLACK_SIZES);
    for (size_t i = 0; i < c->n_gpu_counts; i++) {
        if (c->gpu_counts[i].value > gpus)
            continue;
        uint32_t size = calibration_class((uint32_t)c->gpu_counts[i].value);
        share[size] += c->gpu_counts[i].weight;
        sum[size] += c->gpu_counts[i].weight * c->gpu_counts[i].value;
        urn_add(&p->sizes, i, c->gpu_counts[i].weight);
        p->n_sizes = i + 1;
    }
    urn_ready(&p->sizes);
    for (size_t i = 0; i < CALIBRATION_CLASSES; i++)
        urn_init(&p->kinds[i], p->arena, c->n_kinds, SLACK_KINDS);
    p->groups = ARENA_ARRAY(p->arena, struct population_group,
                            CALIBRATION_CLASSES * c->n_kinds);
    for (size_t i = 0; i < CALIBRATION_CLASSES * c->n_kinds; i++)
        urn_init(&p->groups[i].states, p->arena, CALIBRATION_STATES,
                 SLACK_STATES);
    double jobs = 0;
    for (size_t i = 0; i < c->n_cells; i++) {
        const struct calibration_cell *cell = &c->cells[i];
        struct population_group *group = group_of(p, cell->size, cell->kind);
        urn_add(&p->kinds[cell->size], cell->kind, cell->share);
        urn_add(&group->states, cell->state, cell->share);
        struct urn *bins = &group->bins[cell->state];
        urn_init(bins, p->arena, CALIBRATION_BINS, SLACK_BINS);
        double seconds = 0;
        for (uint32_t b = 0; b < CALIBRATION_BINS; b++) {
            urn_add(bins, b, cell->bins[b]);
            seconds += cell->bins[b] * mean_of_bin(b);
        }
        urn_ready(bins);
        if (share[cell->size] > 0) {
            jobs += cell->share;
            p->gpu_s +=
                cell->share * seconds * sum[cell->size] / share[cell->size];
        }
    }
    p->gpu_s /= jobs;
    for (size_t i = 0; i < CALIBRATION_CLASSES; i++)
        urn_ready(&p->kinds[i]);
    for (size_t i = 0; i < CALIBRATION_CLASSES * c->n_kinds; i++)
        urn_ready(&p->groups[i].states);
}

/* Returns the share of all jobs whose users are to belong to the virtual
 * cluster. The share is proportional to its nodes, so that its load is too. The
 * published numbers of jobs per virtual cluster (Lucid, five of Venus) are not
 * used: a small virtual cluster has a third of the jobs, and because the sizes
 * of those jobs are not published, the generator would give it ten times the
 * load that it can take. */
static double wanted_share(const struct calibration *c, size_t vc)
{
    double nodes = 0;
    for (size_t v = 0; v < c->n_vcs; v++)
        nodes += c->vcs[v].nodes;
    return c->vcs[vc].nodes / nodes;
}

/* Assigns users to virtual clusters, the busiest users first, each to the
 * virtual cluster that is furthest below its wanted share. */
static void build_users(struct population *p)
{
    const struct calibration *c = p->calibration;
    double *given = ARENA_ARRAY(p->arena, double, c->n_vcs + 1);
    p->users = ARENA_ARRAY(p->arena, struct user, c->n_users);
    urn_init(&p->who, p->arena, c->n_users, SLACK_USERS);
    for (size_t i = 0; i < c->n_users; i++)
        urn_add(&p->who, i, c->users[i]);
    urn_ready(&p->who);
    for (size_t i = 0; i < c->n_users; i++) {
        p->chance += p->who.share[i] * p->who.share[i];
        size_t best = 0;
        for (size_t v = 1; v < c->n_vcs; v++) {
            if (wanted_share(c, v) - given[v] >
                wanted_share(c, best) - given[best])
                best = v;
        }
        p->users[i].vc = best;
        given[best] += p->who.share[i];
    }
}

void population_init(struct population *out,
                     const struct calibration *calibration,
                     const struct calibration_model *models, size_t n_models,
                     uint32_t gpus, uint64_t seed, struct arena *arena)
{
    *out = (struct population){
        .arena = arena,
        .calibration = calibration,
        .models = models,
        .n_models = n_models,
        .people = rng_open(seed, "synthetic.people"),
        .shapes = rng_open(seed, "synthetic.shapes"),
        .durations = rng_open(seed, "synthetic.durations"),
        .last_user = UINT32_MAX,
    };
    build_jobs(out, gpus);
    build_users(out);
}

void population_fini(struct population *p)
{
    rng_free(p->people);
    rng_free(p->shapes);
    rng_free(p->durations);
}

static uint32_t pick_user(struct population *p, double gap_s)
{
    const struct calibration *c = p->calibration;
    double stay = 0;
    for (size_t i = 0; i < c->n_stay; i++) {
        stay = c->stay[i].weight;
        if (c->stay[i].value >= 0 && gap_s < c->stay[i].value + 1)
            break;
    }
    /* The measured share also counts the cases in which an independent draw
     * gives the same user. Subtract them. */
    stay = (stay - p->chance) / (1 - p->chance);
    if (p->last_user == UINT32_MAX || gsl_rng_uniform(p->people) >= stay)
        p->last_user = (uint32_t)urn_draw(&p->who, p->people, p->who.n);
    urn_count(&p->who, p->last_user);
    return p->last_user;
}

/* Returns how many entries of gpu_counts a user's jobs may have: those that fit
 * the virtual cluster of the user. */
static size_t sizes_for(const struct population *p, const struct user *user)
{
    const struct calibration *c = p->calibration;
    if (!c->n_vcs)
        return p->n_sizes;
    double most = c->vcs[user->vc].nodes * (double)c->gpus_per_node;
    size_t n = p->n_sizes;
    while (n > 1 && c->gpu_counts[n - 1].value > most)
        n--;
    return n;
}

static struct script *script_new(struct population *p, struct user *user)
{
    const struct calibration *c = p->calibration;
    user->current = user->n < POPULATION_REMEMBERED
                        ? user->n++
                        : rng_below(p->shapes, POPULATION_REMEMBERED);
    struct script *t = &user->scripts[user->current];
    size_t i = urn_draw(&p->sizes, p->shapes, sizes_for(p, user));
    uint32_t gpus = (uint32_t)c->gpu_counts[i].value;
    *t = (struct script){
        .number = ++p->n_scripts,
        .gpus = gpus,
        .count = i,
        .size = calibration_class(gpus),
        /* `over` is the declared limit over the run time. The run time is a
         * uniform share, 0.05 to 1, of the limit, and limits are round values
         * (Mu'alem and Feitelson, TPDS 2001, section 4). */
        .over = 1 / (1 - 0.95 * gsl_rng_uniform(p->shapes)),
    };
    t->kind = (uint32_t)urn_draw(&p->kinds[t->size], p->shapes, c->n_kinds);
    return t;
}

static struct script *pick_script(struct population *p, struct user *user)
{
    const struct calibration *c = p->calibration;
    if (!user->n)
        return script_new(p, user);
    if (gsl_rng_uniform(p->people) < c->keep)
        return &user->scripts[user->current];
    if (user->n < 2 || gsl_rng_uniform(p->people) >= c->back)
        return script_new(p, user);
    size_t step = 1 + rng_below(p->people, (uint32_t)user->n - 1);
    user->current = (user->current + step) % user->n;
    return &user->scripts[user->current];
}

/* Draws the model of a script of this size class. */
static const struct calibration_model *pick_model(struct population *p,
                                                  uint32_t size)
{
    double left = gsl_rng_uniform(p->shapes);
    size_t i = 0;
    while (i + 1 < p->n_models && left >= p->models[i].share[size])
        left -= p->models[i++].share[size];
    return &p->models[i];
}

/* Draws a bin, and a duration within it by a log-uniform distribution. Returns
 * seconds. */
static double typical_seconds(struct population *p, struct urn *bins)
{
    size_t bin = urn_draw(bins, p->durations, CALIBRATION_BINS);
    double hi = (double)(UINT32_C(1) << bin);
    return hi * exp2(-gsl_rng_uniform(p->durations));
}

/* Draws the final state and the duration of one more run of the script. Returns
 * the duration in seconds. */
static double run(struct population *p, struct script *t)
{
    const struct calibration *c = p->calibration;
    struct population_group *group = group_of(p, t->size, t->kind);
    if (!t->ran || gsl_rng_uniform(p->durations) >= c->persist)
        t->state = (uint32_t)urn_draw(&group->states, p->durations,
                                      CALIBRATION_STATES);
    t->ran = true;
    urn_count(&group->states, t->state);
    struct urn *bins = &group->bins[t->state];
    double *typical = &t->typical[t->state];
    if (*typical <= 0 || gsl_rng_uniform(p->durations) < c->jump)
        *typical = typical_seconds(p, bins);
    double seconds = *typical * exp(gsl_ran_gaussian(p->durations, c->spread));
    seconds = fmin(fmax(ceil(seconds), 1), UINT32_C(1) << 21);
    urn_count(bins, calibration_bin(seconds));
    if (!t->model)
        t->model = pick_model(p, t->size);
    return seconds;
}

struct submission population_next(struct population *p, double gap_s)
{
    struct submission out = {.user = pick_user(p, gap_s)};
    out.script = pick_script(p, &p->users[out.user]);
    out.seconds = run(p, out.script);
    urn_count(&p->sizes, out.script->count);
    urn_count(&p->kinds[out.script->size], out.script->kind);
    return out;
}
