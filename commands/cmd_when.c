/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `when`: says when the waiting jobs of a cluster will start, and why not
 * sooner, from its present state. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "commands/cli.h"
#include "commands/cmd_run.h"
#include "commands/run_options.h"
#include "commands/terminal.h"
#include "commands/when_delays.h"
#include "sim/present/slurm_live.h"
#include "sim/when/when.h"

struct when_input {
    struct cli_call call;
    struct run_options options;
    struct arg_words words;
    const char *state, *save, *job, *versus;
    struct slurm_files files;
    struct arg_list history;
    sim_time at;
    uint32_t draws, days;
    bool slurm, limits, json;
    bool asks_new; /* the words of sbatch make a job, and the answer is about
                    * it */
};

static bool when_is_asked(const struct when_input *input,
                          const struct state_job *job)
{
    if (input->asks_new)
        return strcmp(job->id, "new") == 0 || strncmp(job->id, "new_", 4) == 0;
    return !input->job || strcmp(input->job, job->id) == 0;
}

static enum status when_check_job(const struct when_input *input,
                                  const struct state *state, struct error *err)
{
    for (size_t i = 0; i < state->n_jobs && input->job; i++) {
        const struct state_job *job = &state->jobs[i];
        if (strcmp(job->id, input->job) != 0)
            continue;
        if (job->started != TIME_NEVER)
            return error_set(err, STATUS_USAGE, "--job: job %.60s runs",
                             input->job);
        if (job->held)
            return error_set(err, STATUS_USAGE,
                             "--job: job %.60s may not start yet: %.200s",
                             input->job, job->held);
        return STATUS_OK;
    }
    if (!input->job)
        return STATUS_OK;
    return error_set(err, STATUS_USAGE, "--job: %.200s has no job '%.60s'",
                     state->path, input->job);
}

static void when_print_row(const struct when *when, const struct when_row *row)
{
    const struct state_job *job = &when->state->jobs[row->job];
    char p10[WHEN_AFTER_MAX], p50[WHEN_AFTER_MAX], p90[WHEN_AFTER_MAX];
    char reason[512];
    when_reason(when, row, reason, sizeof reason);
    text_clean(reason);
    printf("%-12.40s %5u  %10s %10s %10s  %s\n", job->id, job->gpus,
           when_after(when->state, row->p10, p10),
           when_after(when->state, row->p50, p50),
           when_after(when->state, row->p90, p90), reason);
}

/* Returns the policy of the state, or backfill. A plan for many waiting jobs
 * takes seconds a draw, so a long queue has one for its first job alone. */
static const char *when_policy(const struct state *state)
{
    enum { PLANNED_MAX = 50 };
    size_t n = 0;
    for (size_t i = 0; i < state->n_jobs; i++)
        n += state->jobs[i].started == TIME_NEVER && !state->jobs[i].held;
    const bool plans = strncmp(state->policy, "backfill:", 9) == 0;
    return *state->policy && !(plans && n > PLANNED_MAX) ? state->policy
                                                         : "backfill";
}

static void when_print_policy(const struct when_input *input,
                              const struct when *when)
{
    const struct state *state = when->state;
    const char *policy = input->options.config.policy;
    char at[TIME_TEXT_MAX];
    if (!policy)
        policy = when_policy(state);
    time_to_text(state->at, at);
    printf("starts after %s UTC under %s; run times: %s; %u draw%s\n", at,
           when->policy ? when->policy : policy, when->words, when->draws,
           say_plural(when->draws));
    if (!input->options.config.policy && *state->policy)
        printf("policy %s, because %s%s\n", when_policy(state),
               state->policy_why,
               strcmp(when_policy(state), state->policy) == 0
                   ? ""
                   : "; with more than 50 waiting jobs, for the first alone "
                     "unless --policy says otherwise");
}

static void when_print(const struct when_input *input, const struct when *when)
{
    const struct state *state = when->state;
    when_print_policy(input, when);
    printf("\n%-12s %5s  %10s %10s %10s  %s\n", "job", "GPUs", "p10", "p50",
           "p90", "why");
    if (when->n_rows == 0)
        printf("no job waits\n");
    for (size_t i = 0; i < when->n_rows; i++) {
        if (when_is_asked(input, &state->jobs[when->rows[i].job]))
            when_print_row(when, &when->rows[i]);
    }
    for (size_t i = 0; i < state->n_jobs; i++) {
        if (state->jobs[i].held && when_is_asked(input, &state->jobs[i]))
            printf("%-12.40s %5u  may not start yet: %s\n", state->jobs[i].id,
                   state->jobs[i].gpus, state->jobs[i].held);
    }
    if (when->draws > 1 && when->n_rows)
        printf("note: p10 to p90 held %s (docs/when.md)\n", WHEN_HELD);
    for (size_t i = 0; i < state->n_notes; i++)
        printf("note: %s\n", state->notes[i]);
}

static void when_write_start(struct json_stream *js, const char *key,
                             sim_time at)
{
    if (at < TIME_NEVER)
        json_stream_span(js, key, at);
}

static void when_write_held(struct json_stream *js,
                            const struct when_input *input,
                            const struct state *state)
{
    json_stream_array(js, "held");
    for (size_t i = 0; i < state->n_jobs; i++) {
        if (!state->jobs[i].held || !when_is_asked(input, &state->jobs[i]))
            continue;
        json_stream_object(js, NULL);
        json_stream_text(js, "id", state->jobs[i].id);
        json_stream_text(js, "why", state->jobs[i].held);
        json_stream_object_end(js);
    }
    json_stream_array_end(js);
}

static enum status when_write(const struct when_input *input,
                              const struct when *when, struct error *err)
{
    const struct state *state = when->state;
    struct out *out;
    enum status st = out_open("-", &out, err);
    if (st != STATUS_OK)
        return st;
    struct json_stream js = json_stream_to(out);
    json_stream_object(&js, NULL);
    json_stream_span(&js, "at_unix_s", state->at);
    json_stream_text(&js, "policy", when->policy ? when->policy : "");
    json_stream_text(&js, "run_times", when->words);
    json_stream_whole(&js, "draws", when->draws);
    json_stream_array(&js, "jobs");
    for (size_t i = 0; i < when->n_rows; i++) {
        const struct when_row *row = &when->rows[i];
        const struct state_job *job = &state->jobs[row->job];
        char reason[512];
        if (!when_is_asked(input, job))
            continue;
        when_reason(when, row, reason, sizeof reason);
        json_stream_object(&js, NULL);
        json_stream_text(&js, "id", job->id);
        json_stream_whole(&js, "gpus", job->gpus);
        when_write_start(&js, "p10_unix_s", row->p10);
        when_write_start(&js, "p50_unix_s", row->p50);
        when_write_start(&js, "p90_unix_s", row->p90);
        json_stream_whole(&js, "ahead", row->ahead);
        json_stream_text(&js, "why", reason);
        json_stream_object_end(&js);
    }
    json_stream_array_end(&js);
    when_write_held(&js, input, state);
    state_write_notes(state, &js);
    json_stream_object_end(&js);
    json_stream_end(&js);
    return out_close(out, err);
}

static void when_note_unanswered(const struct when_input *input,
                                 struct state *state)
{
    const char *words = llm_client_unanswered(
        input->options.config.model.client, &state->arena);
    if (words)
        state_note(state, "%s", words);
}

/* Answers who is delayed, with --what-if or --versus. */
static enum status when_answer_delays(const struct when_input *input,
                                      struct state *state,
                                      const struct when_options *options,
                                      struct error *err)
{
    struct delays delays;
    const char *job = input->asks_new ? "new" : input->job;
    enum status st = delays_ask(state, options, input->versus, &delays, err);
    if (st != STATUS_OK)
        return st;
    when_note_unanswered(input, state);
    if (input->json)
        st = when_delays_write(&delays, job, err);
    else
        when_delays_print(&delays, job);
    delays_fini(&delays);
    return st;
}

static enum status when_answer(const struct when_input *input,
                               struct state *state, struct error *err)
{
    struct when when;
    struct when_options options = {.config = input->options.config,
                                   .draws = input->draws,
                                   .limits_only = input->limits};
    if (!options.config.policy)
        options.config.policy = when_policy(state);
    enum status st = when_check_job(input, state, err);
    if (st == STATUS_OK && (options.config.what_if || input->versus))
        return when_answer_delays(input, state, &options, err);
    if (st == STATUS_OK)
        st = when_ask(state, &options, &when, err);
    if (st != STATUS_OK)
        return st;
    when_note_unanswered(input, state);
    if (input->json)
        st = when_write(input, &when, err);
    else
        when_print(input, &when);
    when_fini(&when);
    return st;
}

static enum status when_read_slurm(const struct when_input *input,
                                   struct state *state, struct error *err)
{
    const struct slurm_live live = {.conf = input->files.conf,
                                    .history_days = input->days};
    struct slurm_answers answers;
    enum status st = input->slurm
                         ? slurm_live_ask(&live, &answers, err)
                         : slurm_answers_read(&input->files, &answers, err);
    if (st != STATUS_OK)
        return st;
    answers.words = input->words.at;
    answers.n_words = input->words.n;
    if (input->at != ARG_NO_TIME)
        answers.at = input->at;
    st = slurm_state_make(&answers, state, err);
    slurm_answers_fini(&answers);
    return st;
}

static enum status when_read_state(const struct when_input *input,
                                   struct state *state, struct error *err)
{
    const int n = !!input->state + !!input->files.squeue + input->slurm;
    const size_t n_state = input->state != NULL;
    if (n != 1 || !input->files.squeue != !input->files.nodes)
        return error_set(err, STATUS_USAGE,
                         "when: give a state file, or --slurm, or --squeue and "
                         "--sinfo");
    if (input->state && input->files.conf)
        return error_set(err, STATUS_USAGE,
                         "--slurm-conf: a state file has its own settings");
    if (input->files.reservations && !input->files.squeue)
        return error_set(err, STATUS_USAGE,
                         "--reservations: needs --squeue and --sinfo");
    if (input->job && input->words.n > n_state)
        return error_set(err, STATUS_USAGE,
                         "--job: the answer is about the job of the words "
                         "after it; leave out one of both");
    if (!input->state)
        return when_read_slurm(input, state, err);
    enum status st = state_read(input->state, state, err);
    if (st == STATUS_OK && input->words.n > 1) {
        st = state_add_sbatch(state, input->words.at + 1, input->words.n - 1,
                              err);
        if (st != STATUS_OK)
            state_fini(state);
    }
    return st;
}

static enum status when_read(const struct when_input *input,
                             struct state *state, struct error *err)
{
    enum status st = when_read_state(input, state, err);
    if (st != STATUS_OK)
        return st;
    for (size_t i = 0; i < input->history.n && st == STATUS_OK; i++)
        st = state_add_history(state, input->history.at[i], err);
    if (st != STATUS_OK)
        state_fini(state);
    return st;
}

static enum status when_save(const struct when_input *input,
                             const struct state *state, struct error *err)
{
    struct out *out;
    enum status st = STATUS_OK;
    if (!input->save)
        return st;
    st = out_open(input->save, &out, err);
    if (st != STATUS_OK)
        return st;
    state_write(state, out);
    return out_close(out, err);
}

static enum status when_command_run(void *self, struct error *err)
{
    struct when_input *input = self;
    struct state state;
    if (!input->slurm && !input->files.squeue && input->words.n)
        input->state = input->words.at[0];
    input->asks_new = input->words.n > (input->state != NULL);
    enum status st = when_read(input, &state, err);
    if (st != STATUS_OK)
        return st;
    struct backend *model = NULL;
    input->options.config.asks_once = true;
    st = when_save(input, &state, err);
    if (st == STATUS_OK)
        st = run_model_open(&input->options.config, &model, err);
    if (st == STATUS_OK)
        st = when_answer(input, &state, err);
    backend_free(model);
    state_fini(&state);
    return st;
}

static const struct arg when_args[] = {
    TAKE_OPTIONAL_WORDS(struct when_input, words, "STATE] [-- SBATCH WORD",
                        "state file; words of sbatch of a job to ask about"),
    TAKE_FLAG(struct when_input, slurm, "slurm",
              "take the state from the Slurm of this machine", .often = true),
    TAKE_U32(struct when_input, days, "history-days", "N",
             "with --slurm: learn run times from the ended jobs of the last N "
             "days that sacct knows; 0: do not ask sacct",
             .initial = "30", .hi = 3650, .often = true),
    TAKE_TEXT(struct when_input, files.conf, "slurm-conf", "FILE",
              "slurm.conf, or the output of scontrol show config: scheduler "
              "and partitions; default with --slurm: scontrol is asked"),
    TAKE_TEXT(
        struct when_input, files.squeue, "squeue", "FILE",
        "take the state from the output of squeue --json, or of squeue -O "
        "as in docs/when.md, and of --sinfo",
        .often = true),
    TAKE_TEXT(struct when_input, files.nodes, "sinfo", "FILE",
              "output of sinfo --json or scontrol show nodes --json",
              .often = true),
    TAKE_TEXT(struct when_input, files.reservations, "reservations", "FILE",
              "output of scontrol -o show reservation, with TZ=UTC"),
    TAKE_LIST(struct when_input, history, "history", "FILE",
              "ended jobs to learn run times from, such as the output of sacct "
              "--json or a trace; may be given more than once",
              .often = true),
    TAKE_TIME(
        struct when_input, at, "at", "TIME",
        "time at which squeue ran; default: the latest time in its output"),
    TAKE_TEXT(struct when_input, save, "save", "FILE",
              "write the state to this file, for `run --state`"),
    TAKE_TEXT(struct when_input, job, "job", "ID", "answer about this job only",
              .often = true),
    TAKE_TEXT(struct when_input, versus, "versus", "POLICY",
              "say who starts later or sooner under --policy than under this "
              "policy, and by how much",
              .often = true),
    TAKE_U32(struct when_input, draws, "draws", "N",
             "number of simulations, each with other run times",
             .initial = "100", .lo = 1, .hi = WHEN_DRAWS_MAX, .often = true),
    TAKE_FLAG(struct when_input, limits, "limits",
              "let each job run up to its limit, as the scheduler itself "
              "plans: one answer in place of p10, p50, p90"),
    TAKE_FLAG(struct when_input, json, "json", "print JSON", .letter = 'j',
              .often = true),
    {0},
};

const struct command command_when = {
    .name = "when",
    .summary = "when the waiting jobs of a cluster will start, and why",
    .about = "Says when the waiting jobs of a cluster will start: from its "
             "present state, by many short simulations with run times drawn "
             "from limits and from jobs that have ended. p10, p50, p90: the "
             "job starts by then with 10, 50, 90 %. The policy is backfill "
             "unless --policy names another. Jobs that are submitted later "
             "are not foreseen. With --what-if or --versus: who is delayed by "
             "the change and by how much, by the same run times with it and "
             "without it.",
    .notes = "STATE is a JSON file ('schedsim list --explain state-file').",
    .parts = {{.rows = when_args, .group = RUN_OF_COMMAND},
              RUN_ARG_PART(struct when_input, options)},
    .input_size = sizeof(struct when_input),
    .run = when_command_run,
    .is_simulation = true,
    .examples = "when --slurm\n"
                "when --slurm -- -N2 --gpus-per-node=8 -t 4:00:00 train.sh\n"
                "when state.json\n"
                "when state.json --job 1234 --policy fifo\n"
                "when state.json --what-if 'drain 4 nodes for 8h'\n"
                "when state.json --policy srtf --versus backfill\n"
                "when --squeue squeue.json --sinfo sinfo.json --history "
                "sacct.json --save state.json",
};
