/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Opens a handle, sets its options, runs its simulation and closes it. */
#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "commands/made_trace.h"
#include "lib/handle_internal.h"
#include "traces/shelf.h"

static pthread_once_t c_once = PTHREAD_ONCE_INIT;
static locale_t c_locale;

static void make_locale(void)
{
    c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    CHECK(c_locale != (locale_t)0);
}

locale_t handle_enter(void)
{
    pthread_once(&c_once, make_locale);
    return uselocale(c_locale);
}

void handle_leave(locale_t before)
{
    uselocale(before);
}

int handle_status(enum status status)
{
    return status_exit(status);
}

int handle_refuse(struct schedsim *s, const char *why)
{
    if (s->phase == HANDLE_BROKEN)
        return handle_status(s->error.status);
    return handle_status(error_set(&s->error, STATUS_USAGE, "%s", why));
}

int schedsim_abi(void)
{
    return SCHEDSIM_ABI;
}

const char *schedsim_version(void)
{
    return SCHEDSIM_VERSION;
}

schedsim *schedsim_open(void)
{
    struct schedsim *s = mem_zalloc(1, sizeof *s);
    arena_init(&s->arena);
    run_options_init(&s->options);
    s->interval = 600 * SPAN_SECOND;
    return s;
}

void schedsim_close(schedsim *s)
{
    if (!s)
        return;
    tables_free(s);
    if (s->has_summary)
        summary_fini(&s->summary);
    replay_fini(&s->replay);
    out_abandon(s->decisions);
    arena_fini(&s->arena);
    free(s);
}

const char *schedsim_error(const schedsim *s)
{
    return s->error.message;
}

static enum status handle_set(struct schedsim *s, const char *option,
                              const char *value)
{
    double seconds;
    if (strcmp(option, "series_interval") == 0 ||
        strcmp(option, "series-interval") == 0) {
        if (!text_to_double(text_from(value), &seconds) ||
            !(seconds >= 1e-6 && seconds < span_seconds(TIME_NEVER)))
            return error_set(&s->error, STATUS_USAGE,
                             "series_interval: '%.100s' is not a number of "
                             "seconds of at least 0.000001",
                             value);
        s->interval = span_from_seconds(seconds);
        return STATUS_OK;
    }
    if (strcmp(option, "resample") == 0) {
        s->resamples = text_to_u64(text_from(value), &s->resample_seed);
        return s->resamples
                   ? STATUS_OK
                   : error_set(&s->error, STATUS_USAGE,
                               "resample: '%.100s' is not a seed, a whole "
                               "number of at least 0",
                               value);
    }
    if (strcmp(option, "decisions") != 0)
        return run_options_set(&s->options, option, value, &s->arena,
                               &s->error);
    return text_to_bool(text_from(value), &s->wants_decisions)
               ? STATUS_OK
               : error_set(&s->error, STATUS_USAGE,
                           "decisions: '%.100s' is neither 0 nor 1", value);
}

int schedsim_set(schedsim *s, const char *option, const char *value)
{
    if (s->phase != HANDLE_NEW)
        return handle_refuse(s, "options must be set before the run begins");
    locale_t before = handle_enter();
    enum status st = handle_set(s, option, value);
    handle_leave(before);
    return handle_status(st);
}

/* The decide hook when the caller is the policy. It does nothing, because the
 * caller has filled the plan before the engine calls the hook. */
static void decide_nothing(void *self, const struct view *view,
                           struct plan *plan)
{
    (void)self, (void)view, (void)plan;
}

int schedsim_decide_by(schedsim *s, const char *name, unsigned needs)
{
    if (s->phase != HANDLE_NEW)
        return handle_refuse(s, "the policy must be set before the run begins");
    if (needs & ~(unsigned)(SCHEDSIM_PREEMPTS | SCHEDSIM_SHARES))
        return handle_refuse(s, "'needs' has an unknown bit; expected "
                                "SCHEDSIM_PREEMPTS and SCHEDSIM_SHARES, or 0");
    if (!*name || strpbrk(name, ":+, \t\n"))
        return handle_refuse(s, "the name of a policy must not be empty and "
                                "must not contain blanks, ':', '+' or ','");
    char *copy = arena_copy(&s->arena, name, strlen(name));
    s->own = (struct policy_ops){
        .name = copy,
        .summary = "decided by the program that uses the library",
        .needs = needs | POLICY_USES_DURATION, /* schedsim_waiting asks */
        .decide = decide_nothing,
    };
    if (!s->options.config.policy)
        s->options.config.policy = copy;
    return SCHEDSIM_DONE;
}

int schedsim_watch_by(schedsim *s, schedsim_watch *watch, void *self)
{
    if (s->phase != HANDLE_NEW)
        return handle_refuse(s, "a callback that watches the run must be set "
                                "before the run begins");
    s->watch = watch;
    s->watch_self = self;
    return SCHEDSIM_DONE;
}

static bool tell_watch(void *self, sim_time now, uint32_t n_done)
{
    struct schedsim *s = self;
    size_t jobs = schedsim_jobs(s);
    if (n_done != jobs && (n_done - s->watched) * 1000 < jobs)
        return true;
    s->watched = n_done;
    return s->watch(s->watch_self, span_seconds(now), n_done, jobs);
}

/* A resampled trace that the shelf makes. */
struct episode {
    struct made_trace *made;
    uint64_t seed;
};

static enum status write_episode(void *self, struct out *bytes,
                                 struct error *err)
{
    const struct episode *episode = self;
    return made_trace_write(episode->made, episode->seed, bytes, err);
}

/* Makes the configuration that of the resampled trace, which it puts on a new
 * shelf. */
static enum status put_episode(struct schedsim *s, struct episode *episode)
{
    /* as `compare --replications` resamples, but with blocks of a day */
    static const char *const words[] = {"--order=weekdays", "--joint",
                                        "--block-days=1"};
    struct run_config *config = &s->options.config;
    const char *cluster;
    enum status st = made_trace_of_run(
        config, words, sizeof words / sizeof *words, &episode->made, &s->error);
    if (st == STATUS_OK)
        st = made_trace_cluster(episode->made, &cluster, &s->error);
    if (st != STATUS_OK)
        return st;
    struct out *name = out_to_memory();
    out_printf(name, "%s, resampled with seed %" PRIu64, config->trace,
               episode->seed);
    config->trace =
        arena_copy(&s->arena, out_memory(name).at, out_memory(name).len);
    out_abandon(name);
    config->format = "native";
    config->load.from = config->load.to = 0;
    if (!config->cluster && cluster)
        config->cluster = arena_copy(&s->arena, cluster, strlen(cluster));
    config->shelf = shelf_new(0);
    shelf_add(config->shelf, config->trace,
              (struct shelf_maker){write_episode, episode});
    return STATUS_OK;
}

/* Opens the run of the recorded trace, or of a resampled one. */
static enum status open_run(struct schedsim *s,
                            const struct replay_options *wants)
{
    struct run_config *config = &s->options.config;
    struct episode episode = {.seed = s->resample_seed};
    enum status st = s->resamples ? put_episode(s, &episode) : STATUS_OK;
    if (st == STATUS_OK)
        st = replay_open(config, wants, &s->replay, &s->error);
    if (st == STATUS_OK && s->resamples)
        made_trace_remark(episode.made, &run_result(s->replay.run)->remarks);
    shelf_free(config->shelf); /* the run has its own copy of the trace */
    config->shelf = NULL;
    made_trace_free(episode.made);
    return st;
}

static enum status handle_begin(struct schedsim *s)
{
    struct replay_options wants = {.interval = s->interval};
    if (!s->options.config.trace)
        return error_set(&s->error, STATUS_USAGE,
                         "the option trace is missing");
    if (s->own.name)
        s->options.config.own_policy = &s->own;
    wants.series = s->tables[TABLE_SERIES].text = out_to_memory();
    if (s->wants_decisions)
        wants.decisions = s->decisions = out_to_memory();
    enum status st = open_run(s, &wants);
    if (st == STATUS_OK && s->watch)
        run_on_instant(s->replay.run, tell_watch, s);
    return st == STATUS_OK ? run_begin(s->replay.run, &s->error) : st;
}

static int handle_fail(struct schedsim *s, enum status st)
{
    s->phase = HANDLE_BROKEN;
    return handle_status(st);
}

/* Begins the run if it has not begun. Returns -1 if the run can go on, else the
 * status that the call must return. */
static int ready(struct schedsim *s)
{
    if (s->phase == HANDLE_BROKEN)
        return handle_status(s->error.status);
    if (s->phase == HANDLE_ENDED)
        return handle_status(s->ended);
    if (s->phase == HANDLE_RUNS)
        return -1;
    enum status st = handle_begin(s);
    if (st != STATUS_OK)
        return handle_fail(s, st);
    s->phase = HANDLE_RUNS;
    return -1;
}

static int handle_end(struct schedsim *s)
{
    enum status st = run_end(s->replay.run, &s->error);
    if (st != STATUS_OK && st != STATUS_INCOMPLETE)
        return handle_fail(s, st);
    replay_close(&s->replay);
    s->ended = st;
    s->phase = HANDLE_ENDED;
    tables_write(s);
    return handle_status(st);
}

static int step(struct schedsim *s, sim_time until)
{
    int done = ready(s);
    if (done >= 0)
        return done;
    for (;;) {
        enum status st = run_reach(s->replay.run, until, &s->error);
        if (st == STATUS_END)
            return handle_end(s);
        if (st != STATUS_OK)
            return handle_fail(s, st);
        if (!run_question(s->replay.run))
            return SCHEDSIM_MORE;
        if (s->own.name)
            return SCHEDSIM_ASKED;
    }
}

int schedsim_step(schedsim *s, double until)
{
    if (isnan(until))
        return handle_refuse(s, "the time to run to is not a number");
    sim_time to = until >= span_seconds(TIME_NEVER) ? TIME_NEVER
                  : until < 0                       ? -1
                                                    : span_from_seconds(until);
    locale_t before = handle_enter();
    int st = step(s, to);
    handle_leave(before);
    return st;
}

int schedsim_run(schedsim *s)
{
    if (s->own.name)
        return handle_refuse(s, "the program decides itself in this run: call "
                                "schedsim_step or schedsim_run_by");
    return schedsim_step(s, INFINITY);
}

int schedsim_run_by(schedsim *s, schedsim_policy *decide, void *self)
{
    int st;
    if (!s->own.name)
        return handle_refuse(s, "the program decides only after a call of "
                                "schedsim_decide_by before the run");
    while ((st = schedsim_step(s, INFINITY)) == SCHEDSIM_ASKED)
        decide(self, s);
    return st;
}

double schedsim_now(const schedsim *s)
{
    if (s->phase == HANDLE_RUNS)
        return span_seconds(run_now(s->replay.run));
    return s->phase == HANDLE_ENDED ? span_seconds(s->replay.results.end) : 0;
}

size_t schedsim_jobs(const schedsim *s)
{
    return s->replay.run ? run_result(s->replay.run)->jobset.n_jobs : 0;
}
