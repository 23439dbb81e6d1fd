/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Relations between runs that must hold for any jobset, so that no expected
 * values are needed. Each relation is tested on random jobsets. */
#include <stdio.h>
#include <string.h>

#include "policies/registry.h"
#include "tests/support/draw.h"

enum { JOBSETS = 100 };

static const char *const free_stops =
    "fixed:stop_1_s=0,stop_8_s=0,stop_more_s=0";

/* Writes the lab and runs it. Returns NULL if that fails. */
static struct run *must_run(struct lab *lab, struct run_config config,
                            struct error *err)
{
    struct run *run = NULL;
    enum status st = lab_write(lab, err);
    if (st == STATUS_OK)
        st = lab_run(lab, config, &run, err);
    return st == STATUS_OK || st == STATUS_INCOMPLETE ? run : NULL;
}

static sim_time makespan(struct run *run)
{
    const struct ledger *ledger = &run_result(run)->ledger;
    sim_time last = 0;
    for (size_t i = 0; i < ledger->n_attempts; i++) {
        if (ledger->attempts[i].end > last)
            last = ledger->attempts[i].end;
    }
    return last;
}

/* Returns the sum of end minus submission over all jobs that ran. */
static sim_span total_completion(struct run *run)
{
    const struct run_result *r = run_result(run);
    sim_span sum = 0;
    for (job_id id = 0; id < r->jobset.n_jobs; id++) {
        uint32_t at = r->ledger.last_attempt[id];
        if (at != ATTEMPT_NONE)
            sum += r->ledger.attempts[at].end - r->jobset.jobs[id].submitted;
    }
    return sum;
}

/* Returns true if the starts and ends of job y in run b are `factor` times
 * those of job x in run a. */
static bool same_times(struct run *a, job_id x, struct run *b, job_id y,
                       int64_t factor)
{
    enum { ROOM = 64 };
    const struct attempt *p[ROOM], *q[ROOM];
    size_t n = lab_attempts(&run_result(a)->ledger, x, p, ROOM);
    if (lab_attempts(&run_result(b)->ledger, y, q, ROOM) != n || n > ROOM)
        return false;
    for (size_t i = 0; i < n; i++) {
        if (p[i]->start * factor != q[i]->start ||
            p[i]->end * factor != q[i]->end)
            return false;
    }
    return true;
}

/* A law: draws its jobset into the lab. Returns false with a message if the law
 * does not hold. */
typedef bool (*law)(struct lab *lab, gsl_rng *rng, struct error *err);

/* With one-GPU jobs, more GPUs never lengthen the makespan of fifo. */
static bool more_gpus_are_no_worse(struct lab *lab, gsl_rng *rng,
                                   struct error *err)
{
    struct run_config config = {.policy = "fifo"};
    draw_lab(rng, lab);
    for (size_t i = 0; i < lab->n_jobs; i++)
        lab->jobs[i].gpus = 1;
    if (lab_write(lab, err) != STATUS_OK)
        return false;
    struct run *fewer = must_run(lab, config, err);
    for (size_t i = 0; i < lab->n_groups; i++)
        lab->groups[i].count++;
    struct run *more = must_run(lab, config, err);
    bool good = fewer && more && makespan(more) <= makespan(fewer);
    run_free(fewer);
    run_free(more);
    return good;
}

/* Returns true if the policy can decide in rounds: it has an option round_s. */
static bool has_rounds(const struct policy_ops *policy)
{
    for (const struct option *o = policy->options; o && o->name; o++) {
        if (strcmp(o->name, "round_s") == 0)
            return true;
    }
    return false;
}

/* Writes a spec of the policy in which each option that is a time has `factor`
 * times its default, or its default if that is too large. */
static const char *scaled_policy(const struct policy_ops *policy, double factor,
                                 char *out, size_t room)
{
    char separator = ':';
    size_t n = (size_t)snprintf(out, room, "%s", policy->name);
    void *defaults = mem_zalloc(1, policy->config_size + 1);
    option_defaults(policy->options, defaults);
    for (const struct option *o = policy->options; o && o->name; o++) {
        double value = o->number * factor;
        if (o->kind != OPTION_SPAN || value > o->hi ||
            !option_is_read(policy->options, o, defaults))
            continue;
        n += (size_t)snprintf(out + n, room - n, "%c%s=%g", separator, o->name,
                              value);
        separator = ',';
    }
    free(defaults);
    return out;
}

/* If all times in trace and options are multiplied by 7, so are all times in
 * the result. This law holds for each policy without rounds. */
static bool time_scales(struct lab *lab, gsl_rng *rng, struct error *err)
{
    size_t n = 0, i;
    while (policies[n])
        n++;
    do
        i = rng_below(rng, (uint32_t)n);
    while (has_rounds(policies[i]));
    char policy[512];
    bool profiles = policies[i]->needs & POLICY_PROFILES;
    struct run_config config = {
        .policy = scaled_policy(policies[i], 1, policy, sizeof policy),
        .estimators =
            profiles ? "oracle,profiled:cold_start_s=3,warm_up_s=5" : "oracle",
        .interference =
            "none", /* times at rates other than 1 would be rounded */
        .overhead = "fixed:stop_1_s=1,stop_8_s=2,stop_more_s=3"};
    draw_lab(rng, lab);
    struct run *plain = must_run(lab, config, err);
    for (size_t k = 0; k < lab->n_jobs; k++) {
        lab->jobs[k].submitted *= 7;
        lab->jobs[k].runs *= 7;
    }
    scaled_policy(policies[i], 7, policy, sizeof policy);
    if (profiles)
        config.estimators = "oracle,profiled:cold_start_s=21,warm_up_s=35";
    config.overhead = "fixed:stop_1_s=7,stop_8_s=14,stop_more_s=21";
    struct run *scaled = must_run(lab, config, err);
    bool good = plain && scaled;
    for (job_id id = 0; good && id < lab->n_jobs; id++)
        good = same_times(plain, id, scaled, id, 7);
    run_free(plain);
    run_free(scaled);
    return good;
}

/* The order of rows does not change the run if all submissions differ. */
static bool row_order_means_nothing(struct lab *lab, gsl_rng *rng,
                                    struct error *err)
{
    struct run_config config = {.policy = "srtf", .overhead = free_stops};
    draw_lab(rng, lab);
    for (size_t i = 0; i < lab->n_jobs; i++)
        lab->jobs[i].submitted += (sim_time)i; /* all differ */
    struct run *sorted = must_run(lab, config, err);
    for (size_t i = lab->n_jobs; i > 1; i--) {
        size_t k = rng_below(rng, (uint32_t)i);
        struct lab_job swap = lab->jobs[i - 1];
        lab->jobs[i - 1] = lab->jobs[k];
        lab->jobs[k] = swap;
    }
    struct run *shuffled = must_run(lab, config, err);
    bool good = sorted && shuffled;
    for (job_id id = 0; good && id < lab->n_jobs; id++)
        good = same_times(sorted, id, shuffled, id, 1);
    run_free(sorted);
    run_free(shuffled);
    return good;
}

/* On one GPU with free preemption, no policy without sharing and profiling has
 * a lower mean completion time than srtf (Schrage 1968). */
static bool srtf_is_best_on_one_gpu(struct lab *lab, gsl_rng *rng,
                                    struct error *err)
{
    draw_lab(rng, lab);
    lab->n_groups = 1;
    lab->groups[0].gpus = 1;
    for (size_t i = 0; i < lab->n_jobs; i++) {
        lab->jobs[i].gpus = 1;
        memcpy(lab->jobs[i].vc, "vc0", 4);
    }
    if (lab_write(lab, err) != STATUS_OK)
        return false;
    struct run_config config = {
        .policy = "srtf", .estimators = "oracle", .overhead = free_stops};
    struct run *best = must_run(lab, config, err);
    bool good = best != NULL;
    for (size_t i = 0; good && policies[i]; i++) {
        if (policies[i]->needs & (POLICY_SHARES | POLICY_PROFILES))
            continue;
        config.policy = policies[i]->name;
        struct run *other = must_run(lab, config, err);
        good = other && total_completion(other) >= total_completion(best);
        if (!good)
            error_set(err, STATUS_BROKEN, "%s is better", policies[i]->name);
        run_free(other);
    }
    run_free(best);
    return good;
}

static bool spares_a_node(const struct lab *lab)
{
    for (size_t i = 0; i < lab->n_groups; i++) {
        if (lab->groups[i].count > 1)
            return true;
    }
    return false;
}

/* If a trace is cut at some time, the decisions up to that time stay the same:
 * the policy does not look ahead. The number of profilers is given,
 * because its default depends on the largest job of the trace. */
static bool sees_no_future(struct lab *lab, gsl_rng *rng, const char *policy,
                           bool profiles, struct error *err)
{
    struct run_config config = {
        .policy = policy,
        .overhead = "fixed:stop_1_s=1,stop_8_s=2,stop_more_s=3"};
    draw_lab(rng, lab);
    if (profiles)
        config.profilers = spares_a_node(lab) ? "1" : "0";
    struct run *whole = must_run(lab, config, err);
    size_t keep = 1 + rng_below(rng, (uint32_t)lab->n_jobs - 1);
    sim_time cut = lab->jobs[keep].submitted;
    while (keep > 1 && lab->jobs[keep - 1].submitted == cut)
        keep--;
    lab->n_jobs = keep;
    struct run *head = must_run(lab, config, err);
    bool good = whole && head;
    for (job_id id = 0; good && id < keep; id++) {
        enum { ROOM = 64 };
        const struct attempt *p[ROOM], *q[ROOM];
        size_t a = lab_attempts(&run_result(whole)->ledger, id, p, ROOM);
        size_t b = lab_attempts(&run_result(head)->ledger, id, q, ROOM);
        for (size_t i = 0; good && i < a && p[i]->start < cut; i++)
            good = i < b && p[i]->start == q[i]->start &&
                   (p[i]->end >= cut || p[i]->end == q[i]->end);
    }
    run_free(whole);
    run_free(head);
    return good;
}

static bool nobody_sees_the_future(struct lab *lab, gsl_rng *rng,
                                   struct error *err)
{
    size_t n = 0;
    while (policies[n])
        n++;
    const struct policy_ops *ops = policies[rng_below(rng, (uint32_t)n)];
    return sees_no_future(lab, rng, ops->name, ops->needs & POLICY_PROFILES,
                          err);
}

/* Makes Tiresias compute its limits from the jobs that have ended. */
#define AUTO_LIMITS "tiresias:queues=auto,auto_least=1,auto_start="

static bool limits_see_no_future(struct lab *lab, gsl_rng *rng,
                                 struct error *err)
{
    return sees_no_future(lab, rng, AUTO_LIMITS, false, err);
}

static bool limits_scale_with_the_trace(struct lab *lab, gsl_rng *rng,
                                        struct error *err)
{
    struct run_config config = {.policy = AUTO_LIMITS
                                ",service=time", /* time, not GPU time */
                                .overhead = free_stops};
    draw_lab(rng, lab);
    struct run *plain = must_run(lab, config, err);
    for (size_t k = 0; k < lab->n_jobs; k++) {
        lab->jobs[k].submitted *= 7;
        lab->jobs[k].runs *= 7;
    }
    struct run *scaled = must_run(lab, config, err);
    bool good = plain && scaled;
    for (job_id id = 0; good && id < lab->n_jobs; id++)
        good = same_times(plain, id, scaled, id, 7);
    run_free(plain);
    run_free(scaled);
    return good;
}

/* Returns how many attempts hold GPU `bit` (a mask) of a node at time `at`. */
static uint32_t holders_at(const struct ledger *ledger, node_id node,
                           uint64_t bit, sim_time at)
{
    uint32_t n = 0;
    for (size_t k = 0; k < ledger->n_attempts; k++) {
        const struct attempt *a = &ledger->attempts[k];
        struct gpu_slice slices[16];
        if (a->start > at || a->end <= at)
            continue;
        uint32_t count = ledger_where(ledger, a, slices, 16);
        for (uint32_t i = 0; i < count; i++)
            n += slices[i].node == node && (slices[i].mask & bit);
    }
    return n;
}

/* Returns how many attempts hold the attempt's most shared GPU at time `at`. */
static uint32_t others_at(const struct ledger *ledger, const struct attempt *a,
                          sim_time at)
{
    struct gpu_slice slices[16];
    uint32_t count = ledger_where(ledger, a, slices, 16), most = 0;
    for (uint32_t i = 0; i < count; i++) {
        for (uint64_t m = slices[i].mask; m; m &= m - 1) {
            uint32_t n = holders_at(ledger, slices[i].node, m & -m, at);
            most = n > most ? n : most;
        }
    }
    return most;
}

/* Computes the work of an attempt from the number of jobs on its GPUs over
 * time. The rate is 1, 1/2 or 1/4. */
static double work_of(const struct ledger *ledger, const struct attempt *a)
{
    double work = 0;
    for (sim_time at = a->start; at < a->end;) {
        sim_time next = a->end;
        for (size_t k = 0; k < ledger->n_attempts; k++) {
            const struct attempt *b = &ledger->attempts[k];
            if (b->start > at && b->start < next)
                next = b->start;
            if (b->end > at && b->end < next)
                next = b->end;
        }
        uint32_t n = others_at(ledger, a, at);
        work += (double)(next - at) / (double)(1u << (n - 1));
        at = next;
    }
    return work;
}

/* If sharing halves rates, jobs have still done exactly their work at their
 * ends, except for a microsecond of rounding at each change of rate. */
static bool sharing_conserves_work(struct lab *lab, gsl_rng *rng,
                                   struct error *err)
{
    static const char *const limits[] = {"share_limit=2", "share_limit=3"};
    struct run_config config = {.policy = "horus",
                                .engine = limits[rng_below(rng, 2)],
                                .interference = "constant:slowdown=2"};
    draw_lab(rng, lab);
    for (size_t i = 0; i < lab->n_jobs; i++)
        lab->jobs[i].util = 1 + rng_below(rng, 100);
    struct run *run = must_run(lab, config, err);
    bool good = run != NULL;
    for (job_id id = 0; good && id < lab->n_jobs; id++) {
        const struct ledger *ledger = &run_result(run)->ledger;
        const struct attempt *a;
        if (lab_attempts(ledger, id, &a, 1) != 1)
            continue; /* the job was rejected */
        double off = work_of(ledger, a) - (double)lab->jobs[id].runs;
        good = off > -50 && off < 50;
    }
    run_free(run);
    return good;
}

/* If all jobs have equal priority, multifactor plans as backfill does. */
static bool equal_priorities_are_backfill(struct lab *lab, gsl_rng *rng,
                                          struct error *err)
{
    static const char *const plans[][2] = {
        {"backfill:plan=conservative",
         "multifactor:plan=conservative,weight_age=0,weight_fairshare=0,"
         "weight_jobsize=0,calc_period_s=100000000"},
        {"backfill:plan=slurm",
         "multifactor:plan=slurm,weight_age=0,weight_fairshare=0,"
         "weight_jobsize=0,calc_period_s=100000000"},
    };
    const char *const *plan = plans[rng_below(rng, 2)];
    draw_lab(rng, lab);
    struct run_config config = {.policy = plan[0], .estimators = "oracle"};
    struct run *one = must_run(lab, config, err);
    config.policy = plan[1];
    struct run *other = must_run(lab, config, err);
    bool good = one && other;
    for (job_id id = 0; good && id < lab->n_jobs; id++)
        good = same_times(one, id, other, id, 1);
    run_free(one);
    run_free(other);
    return good;
}

int main(void)
{
    static const struct {
        const char *name;
        law holds;
    } laws[] = {
        {"more GPUs never raise a fifo makespan", more_gpus_are_no_worse},
        {"time scales", time_scales},
        {"the order of rows means nothing", row_order_means_nothing},
        {"srtf is best on one GPU", srtf_is_best_on_one_gpu},
        {"no policy sees the future", nobody_sees_the_future},
        {"queue limits see no future", limits_see_no_future},
        {"queue limits scale with the trace", limits_scale_with_the_trace},
        {"sharing conserves work", sharing_conserves_work},
        {"equal priorities are backfill", equal_priorities_are_backfill},
    };
    enum { N = sizeof laws / sizeof *laws };
    static struct error err;
    struct lab *lab = lab_new();
    int broken = 0;
    if (!lab)
        return 1;
    printf("1..%d\n", N);
    for (int i = 0; i < N; i++) {
        int failed = 0;
        for (uint64_t seed = 0; seed < JOBSETS; seed++) {
            gsl_rng *rng = rng_open(seed, laws[i].name);
            err = (struct error){0};
            lab_clear(lab);
            if (!laws[i].holds(lab, rng, &err) && failed++ == 0)
                printf("# jobset %d: %s\n", (int)seed, err.message);
            rng_free(rng);
        }
        printf("%sok %d - %s\n", failed ? "not " : "", i + 1, laws[i].name);
        broken += failed;
    }
    lab_free(lab);
    return broken > 0;
}
