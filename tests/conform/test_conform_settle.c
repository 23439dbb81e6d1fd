/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rule 5 of plan.h: if a policy is asked a second time at the same instant,
 * after its plan was committed, it may only plan a wake. This test asks the
 * policy itself, because the engine never asks twice at one instant. In half of
 * the runs answers of an estimator come while jobs wait or run. */
#include <stdio.h>
#include <string.h>

#include "policies/registry.h"
#include "sim/run/registry.h"
#include "tests/support/advice.h"
#include "tests/support/draw.h"
#include "tests/support/rig.h"

enum { JOBSETS = 200 };

/* The policy under test, and the virtual clusters that had changed when the
 * engine asked the policy. */
struct watch {
    const struct policy_ops *inner;
    uint16_t touched[8];
    uint32_t n_touched;
};

/* The descriptor that the engine gets has no place for this state, so it is a
 * global variable, and only one test may use it at a time. */
static struct watch watch;

static void watch_decide(void *self, const struct view *view, struct plan *plan)
{
    struct vc_list touched = view_touched(view);
    watch.n_touched = touched.count;
    memcpy(watch.touched, touched.at, touched.count * sizeof *touched.at);
    watch.inner->decide(self, view, plan);
}

/* Writes the first action of a plan as text for the message of a failure. */
static void name_action(const struct plan *plan, char *out, size_t room)
{
    const struct plan_action *a = &plan->actions[0];
    const char *kind = plan_kind_name(a->kind);
    if (a->job && a->where.count)
        snprintf(out, room, "%s of job %u on node %u", kind, a->job->id,
                 a->where.at[0].node);
    else if (a->job)
        snprintf(out, room, "%s of job %u", kind, a->job->id);
    else
        snprintf(out, room, "%s of node %u", kind, a->node);
}

/* Asks the policy a second time. Returns true if its plan has only wakes;
 * otherwise writes the first action to `what`. */
static bool settles(struct engine *e, char *what, size_t room)
{
    for (uint32_t i = 0; i < watch.n_touched; i++)
        board_touch(&e->board, watch.touched[i]);
    watch.inner->decide(e->parts.policy.self, &e->view, &e->plan);
    bool settled = e->plan.n_actions == 0;
    if (!settled)
        name_action(&e->plan, what, room);
    plan_undo_to(&e->plan, 0);
    plan_clear(&e->plan);
    board_untouch(&e->board);
    arena_reset(&e->scratch);
    return settled;
}

/* Adds a monitor that evicts each guest after a second. */
static void add_monitor(struct rig *rig)
{
    const struct monitor_ops *ops = monitors[0];
    struct option rows[16];
    size_t n = 0;
    for (; ops->options[n].name; n++) {
        rows[n] = ops->options[n];
        if (strcmp(rows[n].name, "look_s") == 0)
            rows[n].number = 1;
        else if (strcmp(rows[n].name, "threshold") == 0)
            rows[n].number = 100;
    }
    rows[n] = (struct option){0};
    rig->parts.monitor.ops = ops;
    rig->parts.monitor.config = rig_defaults(rig, rows, ops->config_size);
}

static size_t count_evictions(const struct ledger *ledger)
{
    size_t n = 0;
    for (size_t i = 0; i < ledger->n_attempts; i++)
        n += ledger->attempts[i].how == LEDGER_EVICTED;
    return n;
}

/* Runs a policy on the lab and asks it twice at each decision. `advice`: the
 * answers that a layer on top of the chain gives after some time; NULL: no such
 * layer. `n_evicted`: the run has a monitor, and the number of its evictions is
 * added to this; NULL: no monitor. */
static enum status check(const struct lab *lab, const struct policy_ops *policy,
                         const struct test_advice *advice, size_t *n_evicted,
                         struct error *err)
{
    struct rig rig;
    struct estimator layer;
    char what[96];
    struct policy_ops watched = *policy;
    watched.decide = watch_decide;
    watch = (struct watch){.inner = policy};
    enum status st = rig_load(&rig, lab, err);
    if (st == STATUS_OK)
        st = rig_policy(&rig, policy, policy->name, err);
    if (st == STATUS_OK) {
        rig.parts.policy.ops = &watched;
        if (advice)
            advice_put(&layer, advice, &rig.parts);
        if (n_evicted)
            add_monitor(&rig);
        st = rig_start(&rig, err);
    }
    while (st == STATUS_OK) {
        uint64_t before = rig.engine.n_decisions;
        st = engine_step(&rig.engine, err);
        bool asked = rig.engine.n_decisions > before;
        if (st == STATUS_OK && asked &&
            !settles(&rig.engine, what, sizeof what))
            st = error_set(err, STATUS_BROKEN,
                           "asked again at %g s, it plans %s",
                           span_seconds(rig.engine.board.now), what);
    }
    if (n_evicted)
        *n_evicted += count_evictions(&rig.ledger);
    rig_close(&rig);
    return st == STATUS_END ? STATUS_OK : st;
}

/* Decides for a policy that never settles: it stops or starts a job at each
 * decision. */
static void restless_decide(void *self, const struct view *view,
                            struct plan *plan)
{
    (void)self;
    if (view_first_running(view, 0))
        plan_stop(plan, view_first_running(view, 0));
    else if (view_first_pending(view, 0))
        plan_start(plan, view_first_pending(view, 0));
}

static const struct policy_ops restless = {.name = "restless",
                                           .decide = restless_decide};

/* Checks that a policy that breaks the rule is reported, in a message that
 * names the action. */
static bool names_the_action(struct lab *lab)
{
    struct error err;
    lab_clear(lab);
    lab->groups[0] = (struct lab_group){
        .count = 1, .gpus = 1, .vc = "v", .type = "g", .speed = 1};
    lab->jobs[0] = (struct lab_job){.name = "a",
                                    .vc = "v",
                                    .end = "completed",
                                    .runs = SPAN_SECOND,
                                    .gpus = 1};
    lab->n_groups = lab->n_jobs = 1;
    return lab_write(lab, &err) == STATUS_OK &&
           check(lab, &restless, NULL, NULL, &err) == STATUS_BROKEN &&
           strcmp(err.message,
                  "asked again at 0 s, it plans stop of job 0 on node 0") == 0;
}

/* Returns the number of jobsets in which the policy does not settle or the run
 * fails. */
static int check_policy(struct lab *lab, const struct policy_ops *policy,
                        size_t *n_evicted)
{
    static struct error err;
    int failed = 0;
    for (uint64_t seed = 0; seed < JOBSETS; seed++) {
        gsl_rng *rng = rng_open(seed, "test settle");
        struct test_advice advice[DRAW_JOBS_MAX];
        lab_clear(lab);
        draw_lab(rng, lab);
        advice_draw(rng, lab->n_jobs, advice);
        rng_free(rng);
        lab->groups[lab->n_groups - 1].profiler =
            lab->n_groups > 1 && (policy->needs & POLICY_PROFILES);
        enum status st = lab_write(lab, &err);
        if (st == STATUS_OK)
            st = check(lab, policy, seed % 2 ? advice : NULL, n_evicted, &err);
        if (st != STATUS_OK && failed++ == 0)
            printf("# jobset %d: %s\n", (int)seed, err.message);
    }
    if (failed)
        printf("# in %d jobsets it does not\n", failed);
    return failed;
}

int main(void)
{
    struct lab *lab = lab_new();
    int number = 0, broken = 0;
    if (!lab)
        return 1;
    broken += !names_the_action(lab);
    printf("%sok %d - an action that comes too late is named\n",
           broken ? "not " : "", ++number);
    for (size_t i = 0; policies[i]; i++) {
        size_t n_evicted = 0;
        bool shares = policies[i]->needs & POLICY_SHARES;
        int failed = check_policy(lab, policies[i], NULL);
        printf("%sok %d - %s settles\n", failed ? "not " : "", ++number,
               policies[i]->name);
        broken += failed;
        if (!shares)
            continue;
        failed = check_policy(lab, policies[i], &n_evicted);
        failed += n_evicted < JOBSETS / 10;
        printf("%sok %d - %s settles with a monitor, %zu evictions\n",
               failed ? "not " : "", ++number, policies[i]->name, n_evicted);
        broken += failed;
    }
    printf("1..%d\n", number);
    lab_free(lab);
    return broken > 0;
}
