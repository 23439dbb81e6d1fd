/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `compare`: runs several policies on one trace and prints one row for each, or
 * compares finished results. A second table shows how much JCT and queueing
 * delay of a job differ from those under the first policy, as a mean over jobs.
 * The mean of such paired differences has a narrower interval than the
 * difference of two means, because both policies ran the same jobs. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "commands/cli.h"
#include "commands/compare_finished.h"
#include "commands/compare_internal.h"
#include "commands/compare_runs.h"
#include "commands/dump_config.h"
#include "commands/replay.h"
#include "commands/replications.h"
#include "commands/row_remarks.h"
#include "commands/run_options.h"
#include "sim/results/job_pass.h"

struct compare_input {
    struct cli_call call;
    struct run_options options;
    struct arg_list policies;
    const char *file, *against;
    struct arg_words words; /* the trace, or finished results, or a sweep */
    struct gates gates;
    uint32_t replications; /* number of replications; 0: the trace itself is
                            * run */
    bool json, quiet, dump, remarks;
};

static bool is_directory(const char *path)
{
    struct stat is;
    return stat(path, &is) == 0 && S_ISDIR(is.st_mode);
}

/* True if options are given that finished results do not take. */
static bool has_options(const struct compare_input *input)
{
    const struct gates *gates = &input->gates;
    bool any = input->policies.n || input->file || input->dump ||
               input->replications || gates->paths.n ||
               !isnan(gates->tolerance) || gates->two_sided ||
               gates->any_baseline;
    for (size_t i = 0; i < RUN_ARGS_MAX; i++)
        any |= input->options.given[i] != NULL;
    return any;
}

/* Finds out whether finished results are compared, and refuses words and
 * options that contradict each other. If the first word is not a result, it is
 * the trace. */
static enum status read_words(struct compare_input *input, bool *are_results,
                              struct error *err)
{
    const struct arg_words *words = &input->words;
    *are_results =
        words->n && (is_directory(words->at[0]) || runs_file_is(words->at[0]));
    if (!*are_results) {
        if (input->against)
            return error_set(err, STATUS_USAGE,
                             "--against: is only for a sweep (its directory "
                             "or its runs.csv)");
        if (words->n > 1)
            return error_set(err, STATUS_USAGE,
                             "compare: expected one trace, or several "
                             "directories of finished results; '%.100s' is "
                             "not a directory",
                             words->at[0]);
        input->options.config.trace = words->n ? words->at[0] : NULL;
        return STATUS_OK;
    }
    if (has_options(input))
        return error_set(err, STATUS_USAGE,
                         "compare: finished results take no options of a "
                         "simulation, only --json and, for a sweep, --metric "
                         "and --against");
    return STATUS_OK;
}

/* Adds the options in the file of --config to those of the command line,
 * refuses options that are missing or contradict each other, and opens the
 * gates. */
static enum status read_config(struct compare_input *input, struct error *err)
{
    struct arg_list *policies = &input->policies;
    const struct run_config *config = &input->options.config;
    enum status st = STATUS_OK;
    if (input->file)
        st = run_options_file(&input->options, input->file, policies,
                              &input->call.arena, err);
    if (st != STATUS_OK)
        return st;
    if (policies->n == 0 && config->policy)
        policies->at[policies->n++] = config->policy;
    if (!config->trace)
        return error_set(err, STATUS_USAGE,
                         "compare: a trace is missing; see --help");
    if (policies->n == 0)
        return error_set(err, STATUS_USAGE,
                         "compare: give --policy at least once");
    if (strcmp(config->trace, "-") == 0 && policies->n > 1)
        return error_set(err, STATUS_USAGE,
                         "compare: standard input can be read only once");
    const struct gates *gates = &input->gates;
    if (input->replications &&
        (gates->paths.n || gates->metrics.n || !isnan(gates->tolerance)))
        return error_set(err, STATUS_USAGE,
                         "compare: --replications cannot be combined with "
                         "--baseline, --metric and --tolerance");
    return gates_open(&input->gates, err);
}

/* Keeps the paired metrics of each job, NaN for a job that is not counted. */
static void keep_values(struct outcome_of_policy *o, struct results results)
{
    struct facts_reader reader;
    struct facts facts;
    facts_reader_init(&reader, results);
    for (size_t m = 0; m < PAIRED_N; m++)
        o->values[m] = mem_zalloc(o->n_jobs + 1, sizeof *o->values[m]);
    for (job_id id = 0; id < o->n_jobs; id++) {
        facts_read(&reader, id, &facts);
        for (size_t m = 0; m < PAIRED_N; m++)
            o->values[m][id] = counted_has(&results.run->counted, facts.job)
                                   ? facts.metric[paired_metrics[m].metric]
                                   : NAN;
    }
    facts_reader_fini(&reader);
}

static void keep(struct outcome_of_policy *o, struct results results)
{
    arena_init(&o->arena);
    o->remarks.arena = &o->arena;
    remarks_add_all(&o->remarks, &results.run->remarks);
    o->knowledge = knowledge_copy(&results.run->knowledge, &o->arena);
    o->title = knowledge_name(o->spec, o->knowledge.mark, &o->arena);
    physics_read(results.run, o->spec, &o->arena, &o->physics);
    o->n_jobs = results.run->jobset.n_jobs;
    o->n_unfinished = results.run->n_unfinished;
    const char *why = results.run->unfinished ? results.run->unfinished : "";
    o->unfinished = arena_copy(&o->arena, why, strlen(why));
    o->seed = results.run->seed;
    keep_values(o, results);
    job_pass(NULL, NULL, results, &o->summary);
    struct failure_summary *failures = &o->summary.failures;
    for (size_t i = 0; i < failures->n_causes; i++) {
        const char *cause = failures->causes[i].cause;
        failures->causes[i].cause = arena_copy(&o->arena, cause, strlen(cause));
    }
}

/* Runs one policy. `first`: the outcome of the first policy; NULL: this is the
 * first. The summary outlives the run, but the names of its groups belong to
 * the run and must not be used afterwards. */
static enum status run_one(const struct compare_input *input, const char *spec,
                           const struct outcome_of_policy *first,
                           struct outcome_of_policy *out, struct error *err)
{
    struct replay replay;
    struct run_config config = input->options.config;
    struct replay_options options = {
        .progress = !input->quiet && cli_is_terminal(), .label = spec};
    run_options_of_policy(&input->policies, spec, &config);
    out->spec = spec;
    enum status st = replay_run(&config, &options, &replay, err);
    if (st != STATUS_OK && st != STATUS_INCOMPLETE)
        return st;
    keep(out, replay.results);
    enum status fits = gates_fill(&input->gates, replay.results, &out->summary,
                                  first ? &first->gates : NULL, &out->remarks,
                                  &out->gates, err);
    replay_fini(&replay);
    return fits == STATUS_OK ? st : fits;
}

static void pair(const struct outcome_of_policy *first,
                 struct outcome_of_policy *o)
{
    for (size_t m = 0; m < PAIRED_N; m++)
        o->minus_first[m] = difference_of_jobs(
            first->values[m], o->values[m],
            o->n_jobs < first->n_jobs ? o->n_jobs : first->n_jobs);
}

static void outcome_free(struct outcome_of_policy *o)
{
    summary_fini(&o->summary);
    for (size_t m = 0; m < PAIRED_N; m++)
        free(o->values[m]);
    remarks_fini(&o->remarks);
    physics_fini(&o->physics);
    arena_fini(&o->arena);
    *o = (struct outcome_of_policy){0};
}

/* Runs all policies. Those that finish fill `all` from its beginning; the
 * others are added to `failed`. Sets *n to the number of outcomes. Returns
 * STATUS_INCOMPLETE if a run is incomplete. */
static enum status run_all(const struct compare_input *input,
                           struct outcome_of_policy *all, size_t *n,
                           struct failed_policies *failed, struct error *err)
{
    enum status incomplete = STATUS_OK;
    *n = 0;
    for (size_t i = 0; i < input->policies.n; i++) {
        struct outcome_of_policy *o = &all[*n];
        const char *spec = input->policies.at[i];
        enum status st = run_one(input, spec, *n ? all : NULL, o, err);
        if (st != STATUS_OK && st != STATUS_INCOMPLETE) {
            failed_policies_add(failed, spec, err);
            outcome_free(o);
            continue;
        }
        incomplete = st == STATUS_INCOMPLETE ? st : incomplete;
        pair(&all[0], o);
        ++*n;
    }
    return incomplete;
}

static enum status judge(const struct compare_input *input,
                         const struct outcome_of_policy *all, size_t n,
                         struct error *err)
{
    size_t failed = 0;
    enum status st = STATUS_OK;
    for (size_t i = 0; i < n; i++)
        st = gates_judge(&input->gates, &all[i].gates, all[i].spec, &failed,
                         err);
    if (failed > 1) {
        size_t len = strlen(err->message);
        snprintf(err->message + len, sizeof err->message - len,
                 "; %zu more fail%s", failed - 1, failed == 2 ? "s" : "");
    }
    return st;
}

/* Prints the outcomes and judges them. The status is that of the first run that
 * failed, if one did. */
static enum status report(const struct compare_input *input,
                          const struct outcome_of_policy *all, size_t n,
                          const struct failed_policies *failed,
                          enum status incomplete, struct error *err)
{
    enum status st = STATUS_OK;
    if (input->json)
        st = compare_print_json(all, n, failed, &input->gates, err);
    else
        compare_print_table(all, n, failed, &input->gates, input->remarks);
    if (st != STATUS_OK)
        return st;
    if (incomplete != STATUS_OK && !input->json)
        err->message[0] = '\0'; /* the table has reported the unfinished jobs */
    st = judge(input, all, n, err);
    if (!failed->n)
        return st == STATUS_OK ? incomplete : st;
    error_set(err, failed->at[0].status, "%s: %s", failed->at[0].spec,
              failed->at[0].message);
    if (!input->json)
        err->message[0] = '\0'; /* the table has reported it */
    return err->status;
}

static enum status compare_all(const struct compare_input *input,
                               struct outcome_of_policy *all, struct error *err)
{
    struct failed_policies failed = {.n = 0};
    size_t n;
    enum status st = run_all(input, all, &n, &failed, err);
    if (n)
        st = report(input, all, n, &failed, st, err);
    else
        st = error_set(err, failed.at[0].status, "%s", failed.at[0].message);
    failed_policies_fini(&failed);
    return st;
}

/* Compares the runs of one sweep, or several results. */
static enum status compare_results(const struct compare_input *input,
                                   struct error *err)
{
    const struct arg_words *words = &input->words;
    const struct arg_list *names = &input->gates.metrics;
    const struct runs_wishes wishes = {names->at, names->n, input->against};
    if (runs_file_is(words->at[0]) && words->n == 1)
        return compare_runs(words->at[0], &wishes,
                            input->json      ? COMPARE_JSON
                            : input->remarks ? COMPARE_REMARKS
                                             : COMPARE_TABLE,
                            err);
    if (names->n || input->against)
        return error_set(err, STATUS_USAGE,
                         "compare: --metric and --against are for one sweep");
    if (words->n == 1)
        return error_set(err, STATUS_USAGE,
                         "compare: '%.100s' is one result; name at least two",
                         words->at[0]);
    return compare_finished(words->at, words->n, input->json, input->remarks,
                            err);
}

static enum status run(void *self, struct error *err)
{
    struct compare_input *input = self;
    bool are_results;
    enum status st = read_words(input, &are_results, err);
    if (st != STATUS_OK)
        return st;
    if (are_results)
        return compare_results(input, err);
    struct outcome_of_policy *all = mem_zalloc(ARG_LIST_MAX, sizeof *all);
    st = read_config(input, err);
    if (st == STATUS_OK && input->dump)
        st = dump_config_compare(&input->options, &input->policies, err);
    else if (st == STATUS_OK && input->replications)
        st = replications_compare(&input->options.config, &input->policies,
                                  input->replications, input->json,
                                  input->remarks, err);
    else if (st == STATUS_OK)
        st = compare_all(input, all, err);
    for (size_t i = 0; i < ARG_LIST_MAX; i++)
        outcome_free(&all[i]);
    free(all);
    gates_fini(&input->gates);
    return st;
}

static const struct arg args[] = {
    TAKE_OPTIONAL_WORDS(struct compare_input, words, "TRACE|DIR", "trace"),
    TAKE_LIST(struct compare_input, policies, "policy", "SPEC",
              "which job runs next: NAME[:KEY=VALUE,...]; one row each",
              .letter = 'p', .group = RUN_OF_SCHEDULER),
    TAKE_U32(
        struct compare_input, replications, "replications", "N",
        "run each policy on N traces that `trace resample` makes of TRACE, "
        "and show intervals over them; default: on TRACE itself",
        .lo = 2, .hi = 10000),
    TAKE_TEXT(struct compare_input, against, "against", "KEY=VALUE",
              "for a sweep: compare each setting with the one that differs "
              "from it only in this, such as policy=fifo; default: with the "
              "first setting of its trace"),
    TAKE_FLAG(struct compare_input, json, "json", "print JSON"),
    TAKE_FLAG(struct compare_input, remarks, "remarks", ROW_REMARKS_HELP),
    TAKE_TEXT(struct compare_input, file, "config", "FILE", CONFIG_HELP),
    TAKE_FLAG(struct compare_input, options.trusts, "trust", TRUST_HELP),
    TAKE_FLAG(struct compare_input, dump, "dump-config", DUMP_CONFIG_HELP),
    TAKE_FLAG(struct compare_input, quiet, "quiet", "draw no progress line",
              .letter = 'q'),
    {0},
};

static const struct compare_input defaults = {.gates = {.tolerance = NAN}};

const struct command command_compare = {
    .name = "compare",
    .summary = "replay a trace through several policies, one row each",
    .about = "Replays a trace through several policies and shows one row each, "
             "or compares finished results (DIR DIR...) or the runs of a sweep "
             "(DIR, or its runs.csv) without a simulation.",
    .notes = "Give --policy once for each policy. A second table has the "
             "differences to the first row, paired job by job; docs/"
             "statistics.md explains it. Results must be of the same jobs of "
             "one trace; what else differs is listed below the table.",
    .parts = {{.rows = args, .group = RUN_OF_COMMAND},
              {.rows = gates_args,
               .offset = offsetof(struct compare_input, gates),
               .group = RUN_OF_COMMAND},
              RUN_ARG_PART(struct compare_input, options)},
    .input_size = sizeof(struct compare_input),
    .defaults = &defaults,
    .run = run,
    .examples = "compare traces/samples/venus.csv --policy fifo --policy srtf\n"
                "compare traces/samples/venus.csv --policy srtf --baseline "
                "results --metric jct_s.p99:2\n"
                "compare results/fifo results/srtf\n"
                "compare sweep/runs.csv --against policy=fifo",
    .ends = CLI_ENDS(INCOMPLETE) | CLI_ENDS(BAD_PLAN) | CLI_ENDS(TOLERANCE),
};
