/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `worth`: what SchedMate would save on a trace, and how good its advice must
 * be. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "commands/cli.h"
#include "commands/cmd_run.h"
#include "commands/run_options.h"
#include "commands/study/sweep_internal.h"
#include "commands/study/worth.h"
#include "commands/summary_table.h"
#include "commands/terminal.h"
#include "policies/registry.h"

struct worth_input {
    struct cli_call call;
    struct run_options options;
    const char *file, *plot, *measured;
    uint32_t draws, threads;
    double price_in, price_out, price_gpu;
    bool json, remarks, quiet;
};

struct worth_study {
    struct worth *worth;
    size_t n_done, n_tasks;
    double begun_s, shown_s;
    struct remarks *remarks; /* of the first run of the policy alone */
    bool draws, quiet;       /* `draws`: a terminal sees the progress */
};

static double worth_now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static const char *worth_text(struct arena *arena, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static const char *worth_text(struct arena *arena, const char *format, ...)
{
    char buf[8192];
    va_list worth_args;
    va_start(worth_args, format);
    vsnprintf(buf, sizeof buf, format, worth_args);
    va_end(worth_args);
    return arena_copy(arena, buf, strlen(buf));
}

/* Returns the policy of the user with this layer. */
static const char *with_layer(const struct worth *worth, const char *layer,
                              struct arena *arena)
{
    size_t n = strcspn(worth->config.policy, ":");
    return worth_text(arena, "%.*s+%s%s", (int)n, worth->config.policy, layer,
                      worth->config.policy + n);
}

/* Returns settings of SchedMate: those of the user, then these. */
static const char *with_settings(const struct worth *worth, const char *more,
                                 struct arena *arena)
{
    const char *own = worth->config.schedmate;
    return own ? worth_text(arena, "%s,%s", own, more)
               : worth_text(arena, "%s", more);
}

/* Returns the settings of advice of which this share is right. A handler is
 * right in this share of its verdicts and tosses a coin in the others; of the
 * failures on which its precision was measured a quarter were of the
 * infrastructure, and it names one of eight nodes. */
static const char *quality_settings(const struct worth *worth, double quality,
                                    struct arena *arena)
{
    double recall = 0.5 + 0.5 * quality, alarms = 0.5 - 0.5 * quality;
    double precision = recall * 0.25 / (recall * 0.25 + alarms * 0.75);
    return with_settings(
        worth,
        worth_text(arena,
                   "fidelity=calibrated,beliefs=law,match=1,duration_sigma=0,"
                   "util_error=0,detection=1,reading_error=0,random=%g,"
                   "recall=%g,precision=%g,node_right=%g",
                   1 - quality, recall, precision, quality + (1 - quality) / 8),
        arena);
}

static void worth_add(struct worth *worth, const char *name, const char *policy,
                      const char *schedmate, double quality)
{
    worth->rows[worth->n_rows++] = (struct worth_row){.name = name,
                                                      .policy = policy,
                                                      .schedmate = schedmate,
                                                      .quality = quality};
}

/* True if jobs can fail in the run, so that the handler matters. */
static bool may_fail(const struct run_config *config)
{
    return config->faults || config->recovery || config->chains;
}

static void worth_make_rows(struct worth *worth, unsigned needs,
                            const char *measured, struct arena *arena)
{
    const char *law = with_settings(worth, "beliefs=law", arena);
    const char *all = with_layer(worth, "schedmate", arena);
    worth_add(worth, "alone", worth->config.policy, NULL, NAN);
    worth_add(worth, "with SchedMate", all, law, NAN);
    worth_add(worth, "careful", all,
              with_settings(worth, "beliefs=law,careful", arena), NAN);
    worth->measured_row = measured ? worth->n_rows : 0;
    if (measured)
        worth_add(
            worth, "measured errors", all,
            with_settings(
                worth,
                worth_text(arena, "fidelity=calibrated,beliefs=law,measured=%s",
                           measured),
                arena),
            NAN);
    worth_add(worth, "advisor", with_layer(worth, "advisor", arena), law, NAN);
    if (needs & POLICY_SHARES)
        worth_add(worth, "tracker", with_layer(worth, "tracker", arena),
                  worth->config.schedmate, NAN);
    if (may_fail(&worth->config))
        worth_add(worth, "handler", with_layer(worth, "handler", arena),
                  worth->config.schedmate, NAN);
    worth->first_quality = worth->n_rows;
    for (unsigned i = 0; i < WORTH_QUALITIES; i++) {
        double quality = i / (double)(WORTH_QUALITIES - 1);
        worth_add(worth, worth_text(arena, "quality %.2f", quality), all,
                  quality_settings(worth, quality, arena), quality);
    }
}

static void worth_take(void *self, const struct study_run *run)
{
    struct worth_study *study = self;
    struct worth *worth = study->worth;
    size_t draw = run->index / worth->n_rows;
    struct worth_row *row = &worth->rows[run->index % worth->n_rows];
    struct summary s;
    if (!run->replay)
        return;
    job_pass(NULL, NULL, run->replay->results, &s);
    const double hour = 1e-6 / 3600;
    const double values[WORTH_MEASURES] = {
        [WORTH_JCT] = s.of[METRIC_JCT].mean,
        [WORTH_WAIT] = s.of[METRIC_WAIT].mean,
        [WORTH_PROFILING] = (double)s.gpu_time.profiling * hour,
        [WORTH_IDLE_WORK] =
            s.gpu_time.rigid
                ? (s.gpu_time.lost + s.gpu_time.overhead + s.gpu_time.slowed) *
                      hour
                : NAN,
        [WORTH_RESTARTS] = (double)(s.evictions.evictions +
                                    (s.failures.any ? s.failures.restarts : 0)),
    };
    for (unsigned m = 0; m < WORTH_MEASURES; m++)
        row->value[m][draw] = values[m];
    struct worth_cost *cost = &row->cost[draw];
    for (unsigned m = 0; m < ADVICE_MODULES && s.advice.any; m++)
        cost->questions[m] = (double)s.advice.by_module[m];
    cost->tokens_in = (double)s.advice.tokens_in;
    cost->tokens_out = (double)s.advice.tokens_out;
    cost->gpu_s = (double)s.advice.service * 1e-6;
    cost->n_unfinished = run->replay->results.run->n_unfinished;
    if (run->index == WORTH_ALONE) /* one thread at most has this run */
        remarks_add_all(study->remarks, &run->replay->results.run->remarks);
    summary_fini(&s);
}

static bool worth_note(void *self, const struct study_run *run)
{
    struct worth_study *study = self;
    (void)run;
    study->n_done++;
    return true;
}

static void worth_tick(void *self)
{
    struct worth_study *s = self;
    char left[TABLE_SPAN_MAX];
    double now = worth_now_s(), done = (double)s->n_done;
    if (s->quiet || now < s->shown_s || done < 1)
        return;
    s->shown_s = now + (s->draws ? 0.2 : 30);
    table_span((now - s->begun_s) / done * (double)(s->n_tasks - s->n_done),
               left);
    fprintf(stderr,
            s->draws ? "\r%s%zu of %zu runs, %s left\033[K"
                     : "%s%zu of %zu runs, %s left\n",
            "worth: ", s->n_done, s->n_tasks, left);
    fflush(stderr);
}

static enum status worth_check(struct worth_input *input, struct worth *worth,
                               unsigned *needs, struct error *err)
{
    struct run_config *config = &input->options.config;
    const struct policy_ops *policy;
    enum status st = STATUS_OK;
    if (input->file)
        st = run_options_file(&input->options, input->file, NULL,
                              &input->call.arena, err);
    if (st != STATUS_OK)
        return st;
    if (!config->trace)
        return error_set(err, STATUS_USAGE,
                         "mate worth: a trace is missing; see --help");
    if (strcmp(config->trace, "-") == 0)
        return error_set(err, STATUS_USAGE,
                         "mate worth: standard input can be read only once");
    if (!config->policy || !input->options.given[run_options_row("policy")])
        config->policy = "lucid";
    size_t n = strcspn(config->policy, ":");
    if (memchr(config->policy, '+', n))
        return error_set(
            err, STATUS_USAGE,
            "mate worth: --policy %.200s: expected a policy without "
            "layers; worth adds SchedMate's itself",
            config->policy);
    struct text name = {config->policy, n};
    st = policy_find(name, &policy, err);
    if (st == STATUS_OK)
        *needs = policy->needs;
    size_t len = input->plot ? strlen(input->plot) : 0;
    if (st == STATUS_OK && input->plot &&
        (len < 5 || strcmp(input->plot + len - 4, ".svg") != 0))
        st = error_set(err, STATUS_USAGE, "--plot: %s: expected a file .svg",
                       input->plot);
    worth->config = *config;
    return st;
}

/* Returns the share of jobs of which the trace or a recipe gives the GPU
 * utilisation, without which nothing can be told about pairs. */
static double share_of_known(const struct jobset *jobs)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < jobs->n_jobs; i++)
        n += jobs->jobs[i].gpu_util != GPU_UTIL_UNKNOWN;
    return jobs->n_jobs ? n / (double)jobs->n_jobs : 0;
}

/* Runs the policy alone, and keeps what the report needs. If the policy shares
 * or profiles and the trace tells the utilisation of less than half of its
 * jobs, later runs give jobs models of SchedMate's Table 1. */
static enum status worth_base(struct worth *worth, unsigned needs,
                              struct arena *arena, struct error *err)
{
    struct replay replay;
    const struct replay_options observe = {.label = "worth"};
    struct run_config config = worth->config;
    config.schedmate = NULL; /* the policy alone has no layer of it */
    enum status st = replay_run(&config, &observe, &replay, err);
    if (st != STATUS_OK && st != STATUS_INCOMPLETE)
        return st;
    const struct run_result *r = replay.results.run;
    worth->policy = worth_text(arena, "%s", r->policy);
    worth->cluster = worth_text(arena, "%s", r->cluster_name);
    worth->n_jobs = r->jobset.n_jobs;
    if (!worth->config.cluster)
        worth->config.cluster = worth->cluster;
    worth->assumes_models = needs & (POLICY_SHARES | POLICY_PROFILES) &&
                            !worth->config.model_recipe &&
                            share_of_known(&r->jobset) < 0.5;
    if (worth->assumes_models)
        worth->config.model_recipe = "schedmate";
    replay_fini(&replay);
    return worth->n_jobs ? STATUS_OK
                         : error_set(err, STATUS_BAD_INPUT,
                                     "%s: no job is left to simulate",
                                     worth->config.trace);
}

static enum status worth_execute(const struct worth_input *input,
                                 struct worth *worth, struct remarks *remarks,
                                 struct error *err)
{
    const size_t n = worth->n_rows * worth->draws;
    struct study_task *tasks = mem_zalloc(n, sizeof *tasks);
    for (size_t i = 0; i < n; i++) {
        const struct worth_row *row = &worth->rows[i % worth->n_rows];
        tasks[i].config = worth->config;
        tasks[i].config.policy = row->policy;
        tasks[i].config.schedmate = row->schedmate;
        tasks[i].config.seed = worth->config.seed + i / worth->n_rows;
    }
    struct worth_study mine = {.worth = worth,
                               .n_tasks = n,
                               .begun_s = worth_now_s(),
                               .quiet = input->quiet,
                               .remarks = remarks,
                               .draws = cli_is_terminal() && !input->quiet};
    mine.shown_s = mine.draws ? 0 : mine.begun_s + 30;
    struct study study = {.tasks = tasks,
                          .n = n,
                          .n_threads = input->threads,
                          .stop_at_error = true,
                          .self = &mine,
                          .take = worth_take,
                          .note = worth_note,
                          .tick = worth_tick};
    enum status st = study_execute(&study, err);
    if (mine.draws)
        fputs("\r\033[K", stderr);
    free(tasks);
    study_end(&study, "mate worth",
              "nothing is kept, the same command begins again");
    return st;
}

static enum status worth_answer(const struct worth_input *input,
                                const struct worth *worth, struct error *err)
{
    enum status st = STATUS_OK;
    if (input->plot)
        st = worth_plot(worth, input->plot, err);
    if (st == STATUS_OK && input->json) {
        struct out *out;
        st = out_open("-", &out, err);
        if (st == STATUS_OK) {
            worth_json(worth, out);
            st = out_close(out, err);
        }
    } else if (st == STATUS_OK) {
        worth_print(worth, input->remarks);
    }
    return st;
}

static enum status worth_run(void *self, struct error *err)
{
    struct worth_input *input = self;
    struct arena *arena = &input->call.arena;
    struct remarks remarks = {.arena = arena};
    struct worth *worth = mem_zalloc(1, sizeof *worth);
    unsigned needs = 0;
    enum status st = worth_check(input, worth, &needs, err);
    if (st == STATUS_OK && input->measured)
        st = measured_read(input->measured, arena, &worth->measured, err);
    worth->trace = input->options.config.trace;
    worth->draws = input->draws;
    worth->price_in = input->price_in;
    worth->price_out = input->price_out;
    worth->price_gpu = input->price_gpu;
    worth->remarks = &remarks;
    if (st == STATUS_OK)
        st = worth_base(worth, needs, arena, err);
    if (st == STATUS_OK) {
        worth_make_rows(worth, needs, input->measured, arena);
        st = worth_execute(input, worth, &remarks, err);
    }
    if (st == STATUS_OK)
        st = worth_answer(input, worth, err);
    remarks_fini(&remarks);
    free(worth);
    return st;
}

static const struct arg worth_args[] = {
    TAKE_OPTIONAL_WORD(struct worth_input, options.config.trace, "TRACE",
                       "trace"),
    TAKE_U32(struct worth_input, draws, "draws", "N",
             "draws of the errors of the advice, and of what else chance "
             "decides; each is a run of every row",
             .initial = "5", .lo = 2, .hi = WORTH_DRAWS_MAX, .often = true),
    TAKE_KEYS("price", "prices, to count money, such as gpu=2.5",
              .often = true),
    TAKE_DOUBLE(struct worth_input, price_in, "token-price-in", "P",
                "price of a million tokens that the model reads; default: "
                "money is not counted",
                .hi = 1e9, .often = true, .of = "price"),
    TAKE_DOUBLE(struct worth_input, price_out, "token-price-out", "P",
                "price of a million tokens that the model writes", .hi = 1e9,
                .of = "price"),
    TAKE_DOUBLE(struct worth_input, price_gpu, "gpu-price", "P",
                "price of an hour of a GPU, of a local model and of those "
                "that are saved",
                .hi = 1e9, .often = true, .of = "price"),
    TAKE_TEXT(struct worth_input, plot, "plot", "FILE.svg",
              "draw the change of the JCT over the quality of the advice",
              .often = true),
    TAKE_TEXT(struct worth_input, measured, "measured", "FILE",
              "measured quality of a model (bench/recordings/quality.json, "
              "bench/modules.py --llm SPEC --out FILE): run its errors, and "
              "mark its share of right answers"),
    TAKE_U32(struct worth_input, threads, "threads", "N",
             "runs at a time; default: processors of this machine; the answer "
             "does not depend on it",
             .lo = 1, .hi = 1024),
    TAKE_FLAG(struct worth_input, json, "json", "print JSON", .letter = 'j',
              .often = true),
    TAKE_FLAG(struct worth_input, quiet, "quiet", "draw no progress",
              .letter = 'q', .often = true),
    TAKE_FLAG(struct worth_input, remarks, "remarks", ROW_REMARKS_HELP),
    TAKE_TEXT(struct worth_input, file, "config", "FILE", CONFIG_HELP),
    TAKE_FLAG(struct worth_input, options.trusts, "trust", TRUST_HELP),
    {0},
};

const struct command command_worth = {
    .name = "worth",
    .summary = "find what SchedMate would save here, and how good its advice "
               "must be",
    .about = "Simulates a policy (--policy, default lucid) alone, with "
             "SchedMate, with each of its modules, and with advice of "
             "each quality from useless to perfect, over several draws of its "
             "errors; prints what it saves, what it costs, and the quality "
             "from which on it does no harm.",
    .notes = "Settings of --schedmate hold for all rows. Intervals are those "
             "of one further draw: 95 % of single runs with another seed are "
             "expected in them. docs/worth.md says what is believed.",
    .parts = {{.rows = worth_args, .group = RUN_OF_COMMAND},
              RUN_ARG_PART(struct worth_input, options)},
    .input_size = sizeof(struct worth_input),
    .run = worth_run,
    .is_simulation = true,
    .examples =
        "mate worth traces/samples/venus.csv\n"
        "mate worth traces/samples/seren.csv --cluster 20x8:A100 --policy "
        "tiresias:aware=queue\n"
        "mate worth traces/samples/venus.csv --plot worth.svg --json",
    .ends = CLI_ENDS(BAD_PLAN),
};
