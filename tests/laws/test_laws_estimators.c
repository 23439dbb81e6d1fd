/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Laws of each estimator of the registry. None looks ahead: if a trace is cut
 * at some time, the predictions and decisions up to that time stay the same. A
 * job that returns after a failure does not count as a new job. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/support/test.h"

#include "sim/run/registry.h"
#include "sim/run/rehearse.h"
#include "sim/run/run_internal.h"

enum { CUT = 700, ALL = 1000 };

/* Largest error of a learner, as a share of that of a mean. */
#define LEARNED_MOST 0.9

static char predictions[] = "/tmp/schedsim-law-XXXXXX";

static void trace_path(char *out, size_t room)
{
    const char *root = getenv("SCHEDSIM_ROOT");
    snprintf(out, room, "%s/traces/samples/lucid.csv", root ? root : ".");
}

/* Writes predictions for half of the jobs, so that the estimator `file` must
 * pass questions about the other jobs to the layer below. */
static void write_predictions(void)
{
    struct error err;
    struct out *out;
    int fd = mkstemp(predictions);
    assert_true(fd >= 0);
    close(fd);
    assert_int_equal(out_open(predictions, &out, &err), STATUS_OK);
    out_text(out, "job_id,prediction\n");
    for (unsigned i = 1; i <= ALL; i += 2)
        out_printf(out, "%u,%u\n", i, 1 + i * 7919u % 5000u);
    assert_int_equal(out_close(out, &err), STATUS_OK);
}

static void chain_of(const struct estimator_ops *ops, char *out, size_t room)
{
    if (strcmp(ops->name, "file") == 0)
        snprintf(out, room, "file:path=%s,oracle", predictions);
    else if (strcmp(ops->name, "blend") == 0)
        snprintf(out, room, "blend,gbdt,history,oracle");
    else
        snprintf(out, room, "%s,oracle", ops->name);
}

static struct run *prepare(const char *path, const char *chain, uint64_t limit)
{
    static struct error err;
    struct run *run = NULL;
    const struct run_config config = {
        .trace = path,
        /* wide enough to start many jobs, too small to start all at once */
        .cluster = "48x8",
        .policy = "qssf",
        .estimators = chain,
        .load = {.from = INT64_MIN, .to = INT64_MIN, .limit = limit},
        .seed = 7,
    };
    if (run_prepare(&config, &run, &err) != STATUS_OK)
        fail_msg("%s: %s", chain, err.message);
    return run;
}

static struct guess *predict(const char *path, const char *chain,
                             uint64_t limit)
{
    static struct error err;
    struct run *run = prepare(path, chain, limit);
    uint32_t n = run_result(run)->jobset.n_jobs;
    assert_int_equal(n, limit);
    struct guess *guesses = mem_zalloc(n, sizeof *guesses);
    if (rehearse(run, guesses, &err) != STATUS_OK)
        fail_msg("%s: %s", chain, err.message);
    run_free(run);
    return guesses;
}

static void predictions_do_not_look_ahead(void **state)
{
    (void)state;
    char path[4096], chain[256];
    trace_path(path, sizeof path);
    for (size_t e = 0; estimators[e]; e++) {
        chain_of(estimators[e], chain, sizeof chain);
        struct guess *cut = predict(path, chain, CUT);
        struct guess *all = predict(path, chain, ALL);
        for (size_t i = 0; i < CUT; i++) {
            if (cut[i].known != all[i].known || cut[i].mean != all[i].mean ||
                cut[i].spread != all[i].spread)
                fail_msg("%s: job %zu", chain, i);
        }
        free(cut);
        free(all);
    }
}

static struct run *simulate(const char *path, const char *chain, uint64_t limit)
{
    static struct error err;
    struct run *run = prepare(path, chain, limit);
    enum status st = run_execute(run, &err);
    if (st != STATUS_OK && st != STATUS_INCOMPLETE)
        fail_msg("%s: %s", chain, err.message);
    return run;
}

static void decisions_do_not_look_ahead(void **state)
{
    (void)state;
    char path[4096], chain[256];
    trace_path(path, sizeof path);
    for (size_t e = 0; estimators[e]; e++) {
        chain_of(estimators[e], chain, sizeof chain);
        struct run *cut = simulate(path, chain, CUT);
        struct run *all = simulate(path, chain, ALL);
        const struct ledger *a = &run_result(cut)->ledger;
        const struct ledger *b = &run_result(all)->ledger;
        sim_time until = run_result(all)->jobset.jobs[CUT].submitted;
        size_t i = 0;
        for (; i < a->n_attempts && a->attempts[i].start < until; i++) {
            if (a->attempts[i].job != b->attempts[i].job ||
                a->attempts[i].start != b->attempts[i].start)
                fail_msg("%s: attempt %zu", chain, i);
        }
        assert_true(i > CUT / 4); /* enough decisions were compared */
        assert_true(b->attempts[i].start >= until);
        run_free(cut);
        run_free(all);
    }
}

/* Returns the logarithms of the run times of the first ALL jobs, s. */
static double *logs_of_durations(const char *path)
{
    struct run *run = prepare(path, "oracle", ALL);
    double *logs = mem_zalloc(ALL, sizeof *logs);
    for (job_id i = 0; i < ALL; i++)
        logs[i] =
            log1p(span_seconds(jobset_duration(&run_result(run)->jobset, i)));
    run_free(run);
    return logs;
}

/* Mean error of the logarithms, over the jobs of the second half of which the
 * learner knows something: of its beliefs and of the mean run time of all
 * earlier jobs. */
static void errors_of(const struct guess *guesses, const double *logs,
                      double *learner, double *plain)
{
    double sum = 0, n = 0;
    *learner = *plain = 0;
    for (size_t i = 0; i < ALL; sum += expm1(logs[i++])) {
        if (i < ALL / 2 || !guesses[i].known)
            continue;
        *learner += fabs(log1p(span_seconds(guesses[i].mean)) - logs[i]);
        *plain += fabs(log1p(sum / (double)i) - logs[i]);
        n++;
    }
    assert_true(n > ALL / 4);
    *learner /= n;
    *plain /= n;
}

/* The learners must give answers in these runs, or the laws above would also
 * hold for estimators that never answer; and better ones than the mean of all
 * earlier jobs. */
static void the_learners_learn(void **state)
{
    (void)state;
    static const char *const learners[] = {"history", "gbdt", "ga2m"};
    char path[4096];
    trace_path(path, sizeof path);
    double learner, plain, *logs = logs_of_durations(path);
    for (size_t e = 0; e < sizeof learners / sizeof *learners; e++) {
        struct guess *guesses = predict(path, learners[e], ALL);
        size_t known = 0, distinct = 0;
        for (size_t i = 1; i < ALL; i++) {
            known += guesses[i].known;
            distinct += guesses[i].mean != guesses[i - 1].mean;
        }
        assert_true(known > ALL / 2);
        assert_true(distinct > ALL / 4);
        errors_of(guesses, logs, &learner, &plain);
        print_message("# figure: %s, mean error of the logarithm %.3f, of a "
                      "mean %.3f\n",
                      learners[e], learner, plain);
        assert_true(learner < LEARNED_MOST * plain);
        free(guesses);
    }
    free(logs);
}

static void show(struct run *run, enum event_kind kind, struct job *job,
                 enum job_state state, sim_time at, struct wakeups *wakeups)
{
    const struct event event = {.at = at, .kind = kind, .job = job};
    job->state = (uint8_t)state;
    if (kind == EVENT_STARTED)
        job->attempts++;
    for (struct estimator *l = run->parts.estimator; l; l = l->below) {
        if (l->ops->observe)
            l->ops->observe(l->self, &event, wakeups);
    }
}

/* Checks that the return of a failed job changes no belief about it and adds no
 * wake-up. Some jobs end before it fails, more before it returns. All jobs look
 * alike, and the later ones run longer. */
static void check_return(struct run *run, const char *chain)
{
    struct job *jobs = run_result(run)->jobset.jobs, *job = &jobs[CUT];
    struct wakeups wakeups = {0};
    struct belief before, after;
    sim_time now = job->submitted + CUT * SPAN_SECOND;
    for (struct job *j = jobs; j <= job; j++) {
        j->user = job->user;
        j->name = job->name;
        j->gpus = job->gpus;
        show(run, EVENT_SUBMITTED, j, JOB_PENDING, j->submitted, &wakeups);
        show(run, EVENT_STARTED, j, JOB_RUNNING, now, &wakeups);
        if (j < job)
            show(run, EVENT_FINISHED, j, JOB_FINISHED, now + 60 * SPAN_SECOND,
                 &wakeups);
    }
    now += SPAN_SECOND;
    show(run, EVENT_FAILED, job, JOB_HELD, now, &wakeups);
    for (struct job *j = job + 1; j < jobs + ALL; j++) {
        j->user = job->user;
        j->name = job->name;
        j->gpus = job->gpus;
        show(run, EVENT_SUBMITTED, j, JOB_PENDING, now, &wakeups);
        show(run, EVENT_STARTED, j, JOB_RUNNING, now, &wakeups);
        show(run, EVENT_FINISHED, j, JOB_FINISHED, now + CUT * SPAN_SECOND,
             &wakeups);
    }
    size_t n_wakeups = wakeups.count;
    now += CUT * SPAN_SECOND;
    bool knew = estimator_remaining(run->parts.estimator, job, now, &before);
    show(run, EVENT_SUBMITTED, job, JOB_PENDING, now, &wakeups);
    bool knows = estimator_remaining(run->parts.estimator, job, now, &after);
    if (!knew || !knows || before.mean != after.mean ||
        wakeups.count != n_wakeups ||
        estimator_due(run->parts.estimator, job, now) != TIME_NEVER)
        fail_msg("%s: %lld s, %lld s after the return, %zu wake-ups", chain,
                 (long long)(before.mean / SPAN_SECOND),
                 (long long)(after.mean / SPAN_SECOND),
                 wakeups.count - n_wakeups);
    free(wakeups.at);
}

static void a_job_that_returns_is_not_new(void **state)
{
    (void)state;
    static struct error err;
    char path[4096], chain[256];
    trace_path(path, sizeof path);
    for (size_t e = 0; estimators[e]; e++) {
        chain_of(estimators[e], chain, sizeof chain);
        struct run *run = prepare(path, chain, ALL);
        if (run_start(run, &err) != STATUS_OK)
            fail_msg("%s: %s", chain, err.message);
        check_return(run, chain);
        run_free(run);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(predictions_do_not_look_ahead),
        cmocka_unit_test(decisions_do_not_look_ahead),
        cmocka_unit_test(the_learners_learn),
        cmocka_unit_test(a_job_that_returns_is_not_new),
    };
    write_predictions();
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(predictions);
    return failed;
}
