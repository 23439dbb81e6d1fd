/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checks on random inputs that each model of the registries keeps the promises
 * of its interface. Estimators: questions do not change later answers, and a
 * call that returns false does not write to the caller's memory. Interference:
 * rates are above 0 and at most 1, do not depend on the order of the jobs, and
 * are 1 for a job that is alone. Overheads: never negative. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/out.h"
#include "models/usage/usage.h"
#include "policies/registry.h"
#include "sim/run/registry.h"
#include "tests/support/draw.h"
#include "tests/support/rig.h"

enum { JOBSETS = 60, ANSWERS = 4096 };

struct answer {
    bool knows, knows_demand;
    struct belief belief;
    struct demand demand;
};

/* A policy that calls another policy and asks the estimators questions. Its
 * state is a global variable, so only one test may use it at a time: the
 * descriptor that the engine gets has no place for it. */
static struct asker {
    const struct policy_ops *inner;
    bool curious; /* true: asks about all jobs, several times per decision */
    bool impure;  /* set if two answers at one instant differed */
    bool spoilt;  /* set if an estimator returned false but wrote to `out` */
    struct answer answers[ANSWERS];
    size_t n, n_known;
} asker;

static struct answer ask(const struct view *view, const struct job *job)
{
    struct answer a;
    memset(&a, 0, sizeof a);
    a.knows = view_remaining(view, job, &a.belief);
    a.knows_demand = view_demand(view, job, &a.demand);
    return a;
}

/* Asks the top layer of the chain alone. It may have no answer, because there
 * are no layers below it. */
static void ask_alone(const struct view *view, const struct job *job)
{
    struct estimator alone = *view->estimator;
    struct answer a, before;
    alone.below = NULL;
    memset(&a, 0xa5, sizeof a);
    before = a;
    a.knows = estimator_remaining(&alone, job, view_now(view), &a.belief);
    a.knows_demand = estimator_demand(&alone, job, &a.demand);
    asker.spoilt |=
        (!a.knows && memcmp(&a.belief, &before.belief, sizeof a.belief)) ||
        (!a.knows_demand && memcmp(&a.demand, &before.demand, sizeof a.demand));
}

static bool is_same(const struct answer *a, const struct answer *b)
{
    return a->knows == b->knows && a->knows_demand == b->knows_demand &&
           (!a->knows || (a->belief.mean == b->belief.mean &&
                          a->belief.spread == b->belief.spread &&
                          a->belief.steady_until == b->belief.steady_until)) &&
           (!a->knows_demand || (a->demand.compute == b->demand.compute &&
                                 a->demand.mem_mib == b->demand.mem_mib));
}

static bool may_ask(const struct job *job)
{
    return job->state != JOB_FUTURE && !job_is_terminal(job);
}

static void ask_everything(const struct view *view)
{
    for (int again = 0; again < 2; again++) {
        for (job_id i = view_n_jobs(view); i-- > 0;) {
            const struct job *job = view_job(view, i);
            if (!may_ask(job))
                continue;
            struct answer a = ask(view, job), b = ask(view, job);
            asker.impure |= !is_same(&a, &b);
            ask_alone(view, job);
        }
    }
}

/* Asks about one job, which the time of the decision chooses, and keeps the
 * answer. A curious asker asks further questions before and after this one;
 * they must not change the answers. */
static void asking_decide(void *self, const struct view *view,
                          struct plan *plan)
{
    const struct job *job = view_job(
        view, (job_id)((uint64_t)view_now(view) / 1000000 % view_n_jobs(view)));
    if (asker.curious)
        ask_everything(view);
    if (may_ask(job) && asker.n < ANSWERS) {
        asker.answers[asker.n] = ask(view, job);
        asker.n_known += asker.answers[asker.n].knows;
        asker.n++;
    }
    if (asker.curious)
        ask_everything(view);
    asker.inner->decide(self, view, plan);
}

/* If the estimator reads a file, writes one with predictions for every second
 * job and puts the path in the config. */
static enum status give_file(const struct lab *lab,
                             const struct estimator_ops *ops, void *config,
                             char path[128], struct error *err)
{
    const struct option *o = ops->options;
    struct out *out;
    while (o && o->kind != OPTION_END &&
           (o->kind != OPTION_TEXT || strcmp(o->name, "path") != 0))
        o++;
    path[0] = 0;
    if (!o || o->kind == OPTION_END)
        return STATUS_OK;
    snprintf(path, 128, "%s/predictions.csv", lab->dir);
    *(const char **)((char *)config + o->offset) = path;
    enum status st = out_open(path, &out, err);
    if (st != STATUS_OK)
        return st;
    out_text(out, "job_id,prediction\n");
    for (size_t i = 0; i < lab->n_jobs; i += 2)
        out_printf(out, "%zu,%zu\n", i, 1 + i * 17 % 29);
    return out_close(out, err);
}

/* Runs with an estimator above the oracle; with the oracle alone if that is the
 * estimator. */
static enum status run_asking(const struct lab *lab,
                              const struct estimator_ops *ops, bool curious,
                              struct error *err)
{
    struct rig rig;
    struct policy_ops asking = *policies[0];
    struct estimator top = {.ops = ops};
    char path[128] = "";
    void *config = NULL;
    asking.decide = asking_decide;
    asker = (struct asker){.inner = policies[0], .curious = curious};
    enum status st = rig_load(&rig, lab, err);
    if (st == STATUS_OK) {
        config = rig_defaults(&rig, ops->options, ops->config_size);
        top.config = config;
        top.below = ops == rig.estimator.ops ? NULL : &rig.estimator;
        rig.parts.estimator = &top;
        rig.parts.policy.ops = &asking;
        rig.parts.policy.config =
            rig_defaults(&rig, asking.options, asking.config_size);
        st = give_file(lab, ops, config, path, err);
    }
    if (st == STATUS_OK)
        st = rig_start(&rig, err);
    if (st == STATUS_OK)
        st = rig_run(&rig, err);
    rig_close(&rig);
    if (path[0])
        unlink(path);
    return st;
}

static const char *check_estimator(struct lab *lab,
                                   const struct estimator_ops *ops,
                                   size_t *n_known)
{
    static struct error err;
    static struct asker quiet;
    if (run_asking(lab, ops, false, &err) != STATUS_OK)
        return err.message;
    quiet = asker;
    if (run_asking(lab, ops, true, &err) != STATUS_OK)
        return err.message;
    *n_known += quiet.n_known;
    if (asker.spoilt)
        return "no answer, but not what the caller had before";
    if (asker.impure)
        return "two answers at one instant differ";
    if (asker.n != quiet.n)
        return "the run depends on whether a policy asks";
    for (size_t i = 0; i < quiet.n; i++) {
        if (!is_same(&asker.answers[i], &quiet.answers[i]))
            return "asking changes later answers";
    }
    return NULL;
}

static const char *check_estimators(struct lab *lab,
                                    const struct estimator_ops *ops)
{
    static struct error err;
    const char *bad = NULL;
    size_t n_known = 0;
    for (uint64_t seed = 0; seed < JOBSETS && !bad; seed++) {
        gsl_rng *rng = rng_open(seed, "test models");
        lab_clear(lab);
        draw_lab(rng, lab);
        for (size_t i = 0; i < lab->n_jobs; i++)
            lab->jobs[i].declared = span_from_seconds(1 + rng_below(rng, 30));
        rng_free(rng);
        bad = lab_write(lab, &err) == STATUS_OK
                  ? check_estimator(lab, ops, &n_known)
                  : err.message;
    }
    return bad || n_known > JOBSETS ? bad : "it hardly ever answers";
}

static void draw_jobs(gsl_rng *rng, struct job *jobs, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        jobs[i] = (struct job){.id = i,
                               .gpus = 1 + rng_below(rng, 16),
                               .state = JOB_RUNNING,
                               .model = rng_below(rng, 5),
                               .mem_mib = (float)rng_below(rng, 40000),
                               .batch_size = rng_below(rng, 256),
                               .gpu_type = GPU_TYPE_ANY};
}

/* Checks that permuting the jobs permutes their rates in the same way, that
 * rates are above 0 and at most 1, and that a job alone has rate 1. */
static const char *check_rates(const struct interference *model, gsl_rng *rng,
                               const struct job *jobs, uint32_t n)
{
    const struct job *order[SHARE_LIMIT_MAX];
    uint32_t from[SHARE_LIMIT_MAX];
    double first[SHARE_LIMIT_MAX], other[SHARE_LIMIT_MAX];
    for (uint32_t i = 0; i < n; i++) {
        order[i] = &jobs[i];
        from[i] = i;
    }
    model->ops->rates(model, order, n, first);
    for (uint32_t i = n; i > 1; i--) {
        uint32_t k = rng_below(rng, i), swap = from[i - 1];
        from[i - 1] = from[k];
        from[k] = swap;
    }
    for (uint32_t i = 0; i < n; i++)
        order[i] = &jobs[from[i]];
    model->ops->rates(model, order, n, other);
    for (uint32_t i = 0; i < n; i++) {
        if (!(first[i] > 0 && first[i] <= 1))
            return "a rate is not in (0, 1]";
        if (other[i] != first[from[i]])
            return "permuting the jobs does not permute the rates";
    }
    return n > 1 || first[0] == 1.0 ? NULL : "a job alone is slowed down";
}

static void no_note(void *self, const char *owner, const char *key,
                    const char *value, const char *help, const char *source)
{
    (void)owner;
    (void)self;
    (void)key;
    (void)value;
    (void)help;
    (void)source;
}

/* Makes a model. If the model needs a file, gives it one with two pairs.
 * Returns what is wrong; NULL: nothing. */
static const char *begin(struct interference *model, struct arena *arena,
                         const struct usage_table *usage)
{
    void *config = arena_alloc(arena, model->ops->config_size + 1);
    static struct error err;
    const struct run_env env = {
        .usage = usage, .arena = arena, .note = no_note};
    option_defaults(model->ops->options, config);
    for (const struct option *o = model->ops->options;
         o && o->kind != OPTION_END; o++) {
        if (strcmp(o->name, "file") == 0 &&
            option_set(model->ops->options, config, model->ops->name,
                       text_from("file"),
                       text_from("tests/scenarios/two_pairs.csv"), arena,
                       &err) != STATUS_OK)
            return err.message;
    }
    model->config = config;
    model->self = arena_alloc(arena, model->ops->state_size + 1);
    if (model->ops->init &&
        model->ops->init(model->self, config, &env, &err) != STATUS_OK)
        return err.message;
    return NULL;
}

static const char *check_interference(struct arena *arena,
                                      const struct interference_ops *ops)
{
    struct job jobs[SHARE_LIMIT_MAX];
    struct interference model = {.ops = ops};
    struct usage_table usage;
    struct error err;
    if (usage_read(NULL, arena, &usage, &err) != STATUS_OK)
        return "no rows of usage";
    for (size_t i = 0; i < usage.n; i++)
        usage.rows[i].n_jobs = 1;
    const char *bad = begin(&model, arena, &usage);
    gsl_rng *rng = rng_open(1, "test interference");
    for (int i = 0; i < 1000 && !bad; i++) {
        uint32_t n = 1 + (uint32_t)i % SHARE_LIMIT_MAX;
        draw_jobs(rng, jobs, n);
        for (uint32_t k = 0; k < n; k++)
            jobs[k].usage = (uint16_t)rng_below(rng, (uint32_t)usage.n);
        bad = check_rates(&model, rng, jobs, n);
    }
    rng_free(rng);
    usage_fini(&usage);
    return bad;
}

static const char *check_overhead(struct arena *arena,
                                  const struct overhead_ops *ops)
{
    struct job job;
    void *config = arena_alloc(arena, ops->config_size + 1);
    const char *bad = NULL;
    option_defaults(ops->options, config);
    struct overhead model = {.ops = ops,
                             .self = arena_alloc(arena, ops->state_size + 1),
                             .config = config};
    const struct run_env env = {.fault_rate = 1e-6};
    if (ops->init && ops->init(model.self, config, &env, NULL) != STATUS_OK)
        return "does not begin with its defaults";
    gsl_rng *rng = rng_open(1, "test overhead");
    for (int i = 0; i < 1000 && !bad; i++) {
        draw_jobs(rng, &job, 1);
        if (ops->start(&model, &job, (enum start_kind)(i % 3), i % 7 - 1) < 0)
            bad = "a start costs less than nothing";
        else if (ops->stop(&model, &job) < 0)
            bad = "a stop costs less than nothing";
        struct checkpoints c = ops->checkpoints(
            &model, &job, 1 + (uint32_t)i % 9, ldexp(1, i % 12 - 6));
        if (c.interval < 0 || c.write < 0)
            bad = "checkpoints are written less often than never";
    }
    rng_free(rng);
    return bad;
}

/* Prints one TAP line. */
static int say(int *number, const char *kind, const char *name, const char *bad)
{
    if (bad)
        printf("# %s\n", bad);
    printf("%sok %d - %s %s\n", bad ? "not " : "", ++*number, kind, name);
    return bad != NULL;
}

int main(void)
{
    int number = 0, failed = 0;
    struct arena arena;
    struct lab *lab = lab_new();
    if (!lab)
        return 1;
    arena_init(&arena);
    for (size_t i = 0; estimators[i]; i++)
        failed += say(&number, "estimator", estimators[i]->name,
                      check_estimators(lab, estimators[i]));
    for (size_t i = 0; interferences[i]; i++)
        failed += say(&number, "interference", interferences[i]->name,
                      check_interference(&arena, interferences[i]));
    for (size_t i = 0; overheads[i]; i++)
        failed += say(&number, "overhead", overheads[i]->name,
                      check_overhead(&arena, overheads[i]));
    printf("1..%d\n", number);
    arena_fini(&arena);
    lab_free(lab);
    return failed > 0;
}
