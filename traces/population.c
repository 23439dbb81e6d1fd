/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Users submit runs of scripts. A script fixes what a person repeats: the
 * size, the model, the name, and for each way to end a typical duration. Runs
 * of one script so resemble each other as the published jobs of one user do,
 * which is what history-based estimators live from, and no more than they do:
 * how a run ends is not known before. The sizes, ends and durations of all
 * scripts together follow the calibrated table. */
#include "traces/population.h"

#include <gsl/gsl_randist.h>
#include <math.h>

/* How far counts may run ahead of shares, in jobs: some times the length of the
 * runs in which they come. */
#define SLACK_USERS 128.0
#define SLACK_SIZES 64.0
#define SLACK_KINDS 64.0
#define SLACK_STATES 32.0
#define SLACK_BINS 16.0

/* A job wider than this is submitted as wide as its virtual cluster has room
 * for, but no narrower. An assumption: 2 % of the jobs of Venus are wider. */
#define WIDE_GPUS 32

/* How much likelier at least, where too many jobs have its size: less breaks up
 * the runs of a script, more lets narrow jobs exceed their bound. No source. */
#define STAY 0.25

static struct group *group_of(const struct population *p, uint32_t size,
                              uint32_t kind)
{
    return &p->groups[size * p->calibration->n_kinds + kind];
}

static double mean_of_bin(uint32_t bin)
{
    double hi = (double)(UINT32_C(1) << bin);
    return bin ? hi / 2 / log(2) : 1;
}

/* The table, cut to the sizes that fit, and its mean. */
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
    for (size_t i = 0; i < c->n_gpu_counts; i++)
        p->mean_gpus += p->sizes.share[i] * c->gpu_counts[i].value;
    for (size_t i = 0; i < CALIBRATION_CLASSES; i++)
        urn_init(&p->kinds[i], p->arena, c->n_kinds, SLACK_KINDS);
    p->groups =
        ARENA_ARRAY(p->arena, struct group, CALIBRATION_CLASSES * c->n_kinds);
    for (size_t i = 0; i < CALIBRATION_CLASSES * c->n_kinds; i++)
        urn_init(&p->groups[i].states, p->arena, CALIBRATION_STATES,
                 SLACK_STATES);
    p->factor = ARENA_ARRAY(p->arena, double, c->n_gpu_counts);
    double jobs = 0, in_class[CALIBRATION_CLASSES] = {0};
    for (size_t i = 0; i < c->n_cells; i++) {
        const struct calibration_cell *cell = &c->cells[i];
        struct group *group = group_of(p, cell->size, cell->kind);
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
        in_class[cell->size] += cell->share;
        p->mean_s[cell->size] += cell->share * seconds;
        if (share[cell->size] > 0) {
            jobs += cell->share;
            p->gpu_s +=
                cell->share * seconds * sum[cell->size] / share[cell->size];
        }
    }
    p->gpu_s /= jobs;
    for (size_t i = 0; i < CALIBRATION_CLASSES; i++) {
        urn_ready(&p->kinds[i]);
        if (in_class[i] > 0)
            p->mean_s[i] /= in_class[i];
    }
    for (size_t i = 0; i < CALIBRATION_CLASSES * c->n_kinds; i++)
        urn_ready(&p->groups[i].states);
}

/* The busiest users first, each into the virtual cluster that lacks most of its
 * share. */
static void build_users(struct population *p)
{
    const struct calibration *c = p->calibration;
    p->users = ARENA_ARRAY(p->arena, struct user, c->n_users);
    urn_init(&p->who, p->arena, c->n_users, SLACK_USERS);
    for (size_t i = 0; i < c->n_users; i++)
        urn_add(&p->who, i, c->users[i]);
    urn_ready(&p->who);
    for (size_t i = 0; i < c->n_users; i++) {
        p->chance += p->who.share[i] * p->who.share[i];
        size_t best = 0;
        for (size_t v = 1; v < c->n_vcs; v++) {
            if (c->vcs[v].share - p->demand.vcs[v].jobs >
                c->vcs[best].share - p->demand.vcs[best].jobs)
                best = v;
        }
        p->users[i].vc = best;
        demand_share(&p->demand, best, p->who.share[i]);
    }
}

void population_init(struct population *out,
                     const struct calibration *calibration,
                     const struct calibration_workload *workloads,
                     size_t n_workloads, uint32_t gpus, uint64_t seed,
                     struct arena *arena)
{
    *out = (struct population){
        .arena = arena,
        .calibration = calibration,
        .workloads = workloads,
        .n_workloads = n_workloads,
        .people = rng_open(seed, "synthetic.people"),
        .shapes = rng_open(seed, "synthetic.shapes"),
        .durations = rng_open(seed, "synthetic.durations"),
        .last_user = UINT32_MAX,
    };
    build_jobs(out, gpus);
    demand_init(&out->demand, calibration, out->mean_gpus, out->gpu_s, arena);
    build_users(out);
}

void population_fini(struct population *p)
{
    demand_fini(&p->demand);
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
    /* the measured share contains draws that agree by chance */
    stay = (stay - p->chance) / (1 - p->chance);
    if (p->last_user == UINT32_MAX || gsl_rng_uniform(p->people) >= stay)
        p->last_user = (uint32_t)urn_draw(&p->who, p->people, p->who.n, NULL);
    urn_count(&p->who, p->last_user);
    return p->last_user;
}

/* The published number of GPUs with which a job drawn as this is submitted. */
static size_t narrowed(const struct population *p, size_t vc, size_t i)
{
    const struct calibration *c = p->calibration;
    while (i > 0 && c->gpu_counts[i].value > WIDE_GPUS &&
           !demand_has_room(&p->demand, vc, (uint32_t)c->gpu_counts[i].value))
        i--;
    return i;
}

static size_t pick_size(struct population *p, const struct user *user)
{
    const struct calibration *c = p->calibration;
    size_t n = p->n_sizes;
    for (size_t i = 0; i < n; i++) {
        size_t fitting = narrowed(p, user->vc, i);
        p->factor[i] = demand_of_size(&p->demand, user->vc,
                                      (uint32_t)c->gpu_counts[fitting].value);
    }
    return urn_draw(&p->sizes, p->shapes, n, p->factor);
}

static struct script *script_new(struct population *p, struct user *user)
{
    const struct calibration *c = p->calibration;
    user->current = user->n < POPULATION_REMEMBERED
                        ? user->n++
                        : rng_below(p->shapes, POPULATION_REMEMBERED);
    struct script *t = &user->scripts[user->current];
    size_t i = pick_size(p, user);
    size_t fitting = narrowed(p, user->vc, i);
    uint32_t gpus = (uint32_t)c->gpu_counts[fitting].value;
    *t = (struct script){
        .number = ++p->n_scripts,
        .gpus = gpus,
        .count = i,
        .size = calibration_class(gpus),
        /* declared limits: the run time is a uniform share of the limit, which
         * is a round value (Mu'alem and Feitelson, TPDS 2001, section 4) */
        .over = 1 / (1 - 0.95 * gsl_rng_uniform(p->shapes)),
    };
    t->kind =
        (uint32_t)urn_draw(&p->kinds[t->size], p->shapes, c->n_kinds, NULL);
    return t;
}

/* How much likelier than usual a user stays with a script, for the room that
 * there is and the jobs of its size that are due. */
static double fits(const struct population *p, const struct user *user,
                   size_t script)
{
    const struct script *t = &user->scripts[script];
    if (!p->calibration->n_vcs)
        return 1;
    return demand_of_size(&p->demand, user->vc, t->gpus) *
           fmax(STAY, urn_due(&p->sizes, t->count));
}

static struct script *pick_script(struct population *p, struct user *user)
{
    const struct calibration *c = p->calibration;
    if (!user->n)
        return script_new(p, user);
    double odds = c->keep / (1 - c->keep) * fits(p, user, user->current);
    double keep = odds / (1 + odds);
    if (gsl_rng_uniform(p->people) < keep)
        return &user->scripts[user->current];
    if (user->n < 2 || gsl_rng_uniform(p->people) >= c->back)
        return script_new(p, user);
    size_t step = 1 + rng_below(p->people, (uint32_t)user->n - 1);
    size_t older = (user->current + step) % user->n;
    double chance = fits(p, user, older);
    if (chance < 1 && gsl_rng_uniform(p->people) >= chance)
        return script_new(p, user);
    user->current = older;
    return &user->scripts[user->current];
}

/* A model for jobs of this much GPU time: among those with the highest bound
 * that it reaches, each as likely. */
static const struct calibration_workload *pick_workload(struct population *p,
                                                        double gpu_hours)
{
    double best = 0;
    for (size_t i = 0; i < p->n_workloads; i++) {
        double bound = p->workloads[i].gpu_hours;
        if (bound <= gpu_hours && bound > best)
            best = bound;
    }
    size_t n = 0, seen = 0;
    for (size_t i = 0; i < p->n_workloads; i++)
        n += p->workloads[i].gpu_hours == best;
    size_t pick = rng_below(p->shapes, (uint32_t)n);
    size_t i = 0;
    while (p->workloads[i].gpu_hours != best || seen++ != pick)
        i++;
    return &p->workloads[i];
}

static double typical_seconds(struct population *p, size_t vc, uint32_t gpus,
                              struct urn *bins)
{
    double factor[CALIBRATION_BINS];
    for (uint32_t b = 0; b < CALIBRATION_BINS; b++)
        factor[b] = demand_of_time(&p->demand, vc, gpus, mean_of_bin(b));
    size_t bin = urn_draw(bins, p->durations, CALIBRATION_BINS, factor);
    double hi = (double)(UINT32_C(1) << bin);
    return hi * exp2(-gsl_rng_uniform(p->durations));
}

/* The end and the seconds of one more run. */
static double run(struct population *p, size_t vc, struct script *t)
{
    const struct calibration *c = p->calibration;
    struct group *group = group_of(p, t->size, t->kind);
    if (!t->ran || gsl_rng_uniform(p->durations) >= c->persist)
        t->state = (uint32_t)urn_draw(&group->states, p->durations,
                                      CALIBRATION_STATES, NULL);
    t->ran = true;
    urn_count(&group->states, t->state);
    struct urn *bins = &group->bins[t->state];
    double *typical = &t->typical[t->state];
    double fits = demand_of_time(&p->demand, vc, t->gpus, *typical);
    double keep = (1 - c->jump) * fmin(fits, 1);
    if (*typical <= 0 || gsl_rng_uniform(p->durations) < 1 - keep)
        *typical = typical_seconds(p, vc, t->gpus, bins);
    double seconds = *typical * exp(gsl_ran_gaussian(p->durations, c->spread));
    seconds = fmin(fmax(ceil(seconds), 1), UINT32_C(1) << 21);
    urn_count(bins, calibration_bin(seconds));
    if (!t->workload)
        t->workload = pick_workload(p, *typical * t->gpus / 3600);
    return seconds;
}

struct submission population_next(struct population *p, double gap_s,
                                  double elapsed)
{
    struct submission out = {.user = pick_user(p, gap_s)};
    demand_advance(&p->demand, elapsed - p->demand.now);
    out.script = pick_script(p, &p->users[out.user]);
    size_t vc = p->users[out.user].vc;
    out.seconds = run(p, vc, out.script);
    demand_add(&p->demand, vc, out.script->gpus, out.seconds);
    urn_count(&p->sizes, out.script->count);
    urn_count(&p->kinds[out.script->size], out.script->kind);
    return out;
}
