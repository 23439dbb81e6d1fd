/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Laws of monitors, for each policy that lets jobs share GPUs, on random
 * jobsets, half of them with failures. A guest is a job that starts on GPUs of
 * another job, its host. A monitor that evicts no job changes no attempt. A
 * monitor that evicts each guest evicts it once, at the time of its look. An
 * evicted job never shares again, nor does a host that is barred. An eviction
 * loses all work of the guest, or none. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "policies/registry.h"
#include "tests/support/draw.h"

enum { JOBSETS = 200, SLICES = 64 };

/* A law about one configuration. It returns false with a message if it does not
 * hold. `look`: time from the start of a guest to the monitor's look at it,
 * us. */
typedef bool (*law)(const struct lab *lab, struct run_config config,
                    sim_span look, struct error *err);

static size_t n_evicted; /* number of evictions in all runs of a law, or, if the
                          * law expects none, number of runs */

static bool broken(struct error *err, const struct ledger *ledger,
                   const struct attempt *a, const char *what)
{
    error_set(err, STATUS_BROKEN, "attempt %d of job %u, %.6f to %.6f s: %s",
              (int)(a - ledger->attempts), a->job, span_seconds(a->start),
              span_seconds(a->end), what);
    return false;
}

static struct run *run_with(const struct lab *lab, struct run_config config,
                            const char *monitor, struct error *err)
{
    struct run *run;
    config.monitor = monitor;
    enum status st = lab_run(lab, config, &run, err);
    return st == STATUS_OK || st == STATUS_INCOMPLETE ? run : NULL;
}

/* Writes the settings of the monitor as on the command line. */
static void put_monitor(char out[96], double threshold, sim_span look,
                        const char *more)
{
    snprintf(out, 96, "perfect:threshold=%g,look_s=%.6f%s", threshold,
             span_seconds(look), more);
}

static bool is_same(const struct ledger *a, const struct ledger *b, uint32_t i)
{
    const struct attempt *x = &a->attempts[i], *y = &b->attempts[i];
    struct gpu_slice here[SLICES], there[SLICES];
    uint32_t n = ledger_where(a, x, here, SLICES);
    bool on_same_gpus = ledger_where(b, y, there, SLICES) == n;
    for (uint32_t k = 0; on_same_gpus && k < n; k++)
        on_same_gpus =
            here[k].node == there[k].node && here[k].mask == there[k].mask;
    return on_same_gpus && x->job == y->job && x->start == y->start &&
           x->end == y->end && x->how == y->how && x->shared == y->shared;
}

static bool no_eviction_changes_no_attempt(const struct lab *lab,
                                           struct run_config config,
                                           sim_span look, struct error *err)
{
    char monitor[96];
    put_monitor(monitor, 0, look, "");
    struct run *without = run_with(lab, config, NULL, err);
    struct run *with = without ? run_with(lab, config, monitor, err) : NULL;
    bool good = with != NULL;
    if (good) {
        const struct ledger *a = &run_result(without)->ledger;
        const struct ledger *b = &run_result(with)->ledger;
        for (uint32_t i = 0; good && i < a->n_attempts; i++) {
            if (i >= b->n_attempts || !is_same(a, b, i))
                good = broken(err, a, &a->attempts[i], "differs");
        }
        if (good && a->n_attempts != b->n_attempts)
            good = broken(err, b, &b->attempts[a->n_attempts], "is new");
        n_evicted++; /* counts the jobset: this law expects no eviction */
    }
    run_free(without);
    run_free(with);
    return good;
}

/* Returns true if the two attempts held a common GPU, even if at different
 * times. */
static bool meet(const struct ledger *ledger, const struct attempt *a,
                 const struct attempt *b)
{
    struct gpu_slice x[SLICES], y[SLICES];
    uint32_t n = ledger_where(ledger, a, x, SLICES);
    uint32_t m = ledger_where(ledger, b, y, SLICES);
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t k = 0; k < m; k++) {
            if (x[i].node == y[k].node && (x[i].mask & y[k].mask))
                return true;
        }
    }
    return false;
}

/* Returns true if the attempt holds its GPUs when the monitor looks at time
 * `at`. Jobs that finish or end their profiling at that time do so before the
 * look. */
static bool holds_at(const struct attempt *a, sim_time at)
{
    bool goes_first = a->how == LEDGER_FINISHED || a->how == LEDGER_PROFILED;
    return a->end > at || (a->end == at && !goes_first);
}

/* Returns true if the monitor looks at the guest: a host was on its GPUs when
 * the guest came, and both are still there. With `perhaps`, a host that ends at
 * the time of the look counts, too: it may end then because the eviction makes
 * it faster, so that its last microsecond of work is done at once. A host that
 * was evicted at the time of the look does not count: it started together with
 * the guest, but before it, and so was evicted first. */
static bool is_looked_at(const struct ledger *ledger, uint32_t guest,
                         sim_span look, bool perhaps)
{
    const struct attempt *g = &ledger->attempts[guest];
    sim_time at = g->start + look;
    for (uint32_t i = 0; i < guest; i++) {
        const struct attempt *r = &ledger->attempts[i];
        bool evicted = r->how == LEDGER_EVICTED && r->end == at;
        bool there = holds_at(r, at) || (perhaps && r->end == at);
        if (r->end > g->start && meet(ledger, r, g) && !evicted && there &&
            holds_at(g, at))
            return true;
    }
    return false;
}

/* Returns true if the attempt shared a GPU with another one at some time. */
static bool shares(const struct ledger *ledger, const struct attempt *a)
{
    for (uint32_t i = 0; i < ledger->n_attempts; i++) {
        const struct attempt *b = &ledger->attempts[i];
        if (b != a && b->start < a->end && b->end > a->start &&
            meet(ledger, a, b))
            return true;
    }
    return false;
}

/* Returns true if an earlier attempt of the job was evicted. */
static bool was_evicted(const struct ledger *ledger, const struct attempt *a)
{
    for (uint32_t i = a->previous; i != ATTEMPT_NONE;
         i = ledger->attempts[i].previous) {
        if (ledger->attempts[i].how == LEDGER_EVICTED)
            return true;
    }
    return false;
}

static bool check_guest(const struct ledger *ledger, uint32_t number,
                        sim_span look, struct error *err)
{
    const struct attempt *a = &ledger->attempts[number];
    if (was_evicted(ledger, a))
        return !shares(ledger, a) ||
               broken(err, ledger, a, "shares although it was evicted");
    if (a->how != LEDGER_EVICTED)
        return !is_looked_at(ledger, number, look, false) ||
               broken(err, ledger, a, "was not evicted");
    n_evicted++;
    if (!is_looked_at(ledger, number, look, true))
        return broken(err, ledger, a, "was evicted without a look");
    return a->end == a->start + look ||
           broken(err, ledger, a, "was not evicted at its look");
}

static bool every_guest_is_evicted_once(const struct lab *lab,
                                        struct run_config config, sim_span look,
                                        struct error *err)
{
    char monitor[96];
    put_monitor(monitor, 100, look, "");
    struct run *run = run_with(lab, config, monitor, err);
    bool good = run != NULL;
    for (uint32_t i = 0; good && i < run_result(run)->ledger.n_attempts; i++)
        good = check_guest(&run_result(run)->ledger, i, look, err);
    run_free(run);
    return good;
}

/* Returns true if `host` was on the GPUs of the evicted guest at its eviction
 * and was there before the guest. */
static bool hosted(const struct ledger *ledger, const struct attempt *host,
                   const struct attempt *guest)
{
    return host < guest && holds_at(host, guest->end) &&
           host->start <= guest->start && meet(ledger, host, guest);
}

/* Checks that after the eviction of its guest no attempt begins on the GPUs of
 * the host, and that later attempts of the host's job share no GPU. */
static bool check_host(const struct ledger *ledger, const struct attempt *host,
                       sim_time evicted, struct error *err)
{
    for (uint32_t i = 0; i < ledger->n_attempts; i++) {
        const struct attempt *a = &ledger->attempts[i];
        if (a->job == host->job && a > host && shares(ledger, a))
            return broken(err, ledger, a, "shares although it is barred");
        if (a != host && a->start >= evicted && a->start < host->end &&
            a->end > a->start && meet(ledger, a, host))
            return broken(err, ledger, a, "joins a barred host");
    }
    return true;
}

static bool barred_hosts_stay_alone(const struct lab *lab,
                                    struct run_config config, sim_span look,
                                    struct error *err)
{
    char monitor[96];
    put_monitor(monitor, 100, look, ",bar_host=true");
    struct run *run = run_with(lab, config, monitor, err);
    bool good = run != NULL;
    const struct ledger *ledger = good ? &run_result(run)->ledger : NULL;
    for (uint32_t i = 0; good && i < ledger->n_attempts; i++) {
        const struct attempt *guest = &ledger->attempts[i];
        if (guest->how != LEDGER_EVICTED)
            continue;
        n_evicted++;
        uint32_t n_hosts = 0, host = 0;
        for (uint32_t k = 0; k < i; k++) {
            if (hosted(ledger, &ledger->attempts[k], guest)) {
                n_hosts++;
                host = k;
            }
        }
        /* Of several hosts, only the one whose look came first is barred. */
        if (n_hosts == 1)
            good = check_host(ledger, &ledger->attempts[host], guest->end, err);
    }
    run_free(run);
    return good;
}

static sim_span distance(double a, double b)
{
    return llabs((long long)(a - b));
}

/* Checks that the work of the attempts of a finished job, less lost work and
 * the work that its stops added, is the recorded run time. An eviction must
 * lose all work of the job if `loses` is true, otherwise none. */
static bool check_work(const struct run_result *result, job_id job, bool loses,
                       struct error *err)
{
    const struct ledger *ledger = &result->ledger;
    enum { ATTEMPTS = 256 };
    const struct attempt *all[ATTEMPTS];
    size_t n = lab_attempts(ledger, job, all, ATTEMPTS);
    double work = 0;
    for (size_t i = 0; i < n && i < ATTEMPTS; i++) {
        const struct attempt_cost *cost =
            ledger_cost(ledger, (uint32_t)(all[i] - ledger->attempts));
        work += cost ? cost->work - (double)cost->resume
                     : (double)(all[i]->end - all[i]->start);
        double lost = cost ? (double)cost->lost : 0;
        if (all[i]->how == LEDGER_EVICTED &&
            distance(lost, loses && work > 0 ? work : 0) > (sim_span)i + 2)
            return broken(err, ledger, all[i], "loses something else");
        work -= lost;
    }
    if (n == 0 || result->jobset.jobs[job].state != JOB_FINISHED)
        return true;
    return distance(work, (double)jobset_duration(&result->jobset, job)) <=
               (sim_span)n + 1 ||
           broken(err, ledger, all[n - 1], "the work is not the run time");
}

static bool work_is_conserved(const struct lab *lab, struct run_config config,
                              sim_span look, struct error *err)
{
    bool good = true;
    for (int loses = 0; good && loses < 2; loses++) {
        char monitor[96];
        put_monitor(monitor, 0.75, look,
                    loses ? ",lose_work=true" : ",lose_work=false");
        struct run *run = run_with(lab, config, monitor, err);
        good = run != NULL;
        for (job_id i = 0; good && i < lab->n_jobs; i++)
            good = check_work(run_result(run), i, loses, err);
        n_evicted++;
        run_free(run);
    }
    return good;
}

/* Draws the jobs and the settings of a run. Returns the time from the start of
 * a guest to the look at it, us. */
static sim_span draw(gsl_rng *rng, struct lab *lab, struct run_config *config)
{
    static const char *const interferences[] = {
        "constant:slowdown=2", "constant:slowdown=1.3", "none"};
    static const sim_span looks[] = {0, SPAN_SECOND, 2 * SPAN_SECOND,
                                     3 * SPAN_SECOND + 1, 7 * SPAN_SECOND};
    draw_lab(rng, lab);
    for (size_t i = 0; i < lab->n_jobs; i++)
        lab->jobs[i].util = 1 + rng_below(rng, 60);
    config->interference = interferences[rng_below(rng, 3)];
    config->overhead =
        rng_below(rng, 2)
            ? "none"
            : "fixed:stop_1_s=2,stop_8_s=2,stop_more_s=2,checkpoint_s=3";
    config->engine = rng_below(rng, 2) ? "share_limit=2" : "share_limit=3";
    config->estimators = "oracle,workload";
    if (rng_below(rng, 2)) {
        config->faults =
            "exponential:per_1000_node_days=1e6,repair_mu=-7,repair_sigma=1";
        config->recovery = "retry:delay_s=2,attempts=1000";
    }
    return looks[rng_below(rng, 5)];
}

static const struct {
    const char *name;
    law is_kept;
} laws[] = {
    {"no eviction changes no attempt", no_eviction_changes_no_attempt},
    {"every guest is evicted once", every_guest_is_evicted_once},
    {"barred hosts stay alone", barred_hosts_stay_alone},
    {"work is conserved", work_is_conserved},
};

static bool holds(struct lab *lab, const struct policy_ops *policy, size_t nth,
                  const char **name, struct error *err)
{
    *name = laws[nth].name;
    n_evicted = 0;
    for (uint64_t seed = 0; seed < JOBSETS; seed++) {
        gsl_rng *rng = rng_open(seed, "test laws monitor");
        struct run_config config = {.policy = policy->name, .seed = seed};
        /* No profiling: the random jobs are so short that few would share after
         * it. */
        if (policy->needs & POLICY_PROFILES)
            config.policy = "lucid:profiling=none,sharing=on";
        lab_clear(lab);
        sim_span look = draw(rng, lab, &config);
        rng_free(rng);
        if (lab_write(lab, err) == STATUS_OK &&
            laws[nth].is_kept(lab, config, look, err))
            continue;
        printf("# jobset %d: %s\n", (int)seed, err->message);
        return false;
    }
    if (n_evicted < JOBSETS / 10)
        printf("# only %zu evictions\n", n_evicted);
    return n_evicted >= JOBSETS / 10;
}

int main(void)
{
    return draw_check_laws(sizeof laws / sizeof *laws, holds);
}
