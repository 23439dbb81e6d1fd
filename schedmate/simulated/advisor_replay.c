/* SPDX-License-Identifier: GPL-3.0-or-later */
/* SchedMate's Scheduling Advisor in simulated time, by the code of the live
 * modules. */
#include "schedmate/simulated/simulated_internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/out.h"
#include "models/estimators/estimator.h"
#include "schedmate/advisor/jail.h"
#include "schedmate/advisor/schedmate_advisor.h"
#include "schedmate/jobs/lookup.h"
#include "schedmate/llm/embed_llm.h"
#include "schedmate/simulated/evidence/evidence.h"

/* jobdb_job.source of the jobs of the run; their source_id is a job_id. */
#define OF_THE_RUN "run"

/* The result of reading one directory with one command. */
struct advisor_replay_reading {
    bool readable;        /* false: jail_open refuses the directory */
    struct text metadata; /* written by metadata_text; empty: unknown */
    double coverage;      /* share of the metadata that is known, 0..1 */
    /* time of all questions together, us; -1: no model was asked */
    sim_span latency;
    struct advice_tokens tokens; /* tokens of all questions together */
};

struct advisor_replay {
    struct schedmate *shared;
    const struct evidence *evidence, *past_evidence;
    const char *(*string)(const void *strings, uint32_t symbol);
    const void *strings;
    struct arena *arena;  /* lives as long as the run */
    struct arena scratch; /* reset by each lookup and each reading */
    struct advisor_config agent;
    struct jail_limits limits;
    struct lookup_config lookup;
    struct jobdb *ended; /* jobs that have ended, in memory */
    const struct embed_ops *embedding;
    struct embed_llm embedding_llm;
    struct interner questions; /* the key of a reading: directory, line feed,
                                * command */
    struct advisor_replay_reading *readings; /* by symbol of the question */
    size_t cap_readings;
    job_id *donors; /* by job: the most similar ended job; JOB_NONE: none */
};

static enum status open_store(struct advisor_replay *r, struct error *err)
{
    struct schedmate *s = r->shared;
    option_defaults(lookup_options, &r->lookup);
    r->lookup.top = s->config->top;
    r->lookup.threshold = s->config->similarity;
    r->embedding = &embed_hashed;
    enum status st = jobdb_open(JOBDB_MEMORY, true, &r->ended, err);
    if (st != STATUS_OK || s->config->embed != EMBED_BY_MODEL)
        return st;
    if (!s->model.client)
        return error_set(err, STATUS_USAGE,
                         "--schedmate embed=llm: no language model is named; "
                         "name one with --llm");
    st = embed_llm_init(&r->embedding_llm, s->model.client, err);
    r->embedding = &r->embedding_llm.ops;
    return st;
}

void advisor_replay_free(struct advisor_replay *r)
{
    if (!r)
        return;
    jobdb_close(r->ended);
    interner_fini(&r->questions);
    free(r->readings);
    arena_fini(&r->scratch);
    free(r);
}

/* Finds what the user submitted as the job. Returns false if that is unknown,
 * or if an error has stopped the run. */
static bool submission_of(const struct advisor_replay *r, const struct job *job,
                          struct evidence_command *out)
{
    return r->evidence && !language_model_failed(&r->shared->model) &&
           evidence_command(r->evidence, job, out);
}

static const char *user_of(const struct advisor_replay *r,
                           const struct job *job)
{
    return job->user ? r->string(r->strings, job->user) : "";
}

static double replay_known(const struct figures *figures, double unit)
{
    return figures->n ? figures->mean / unit : -1;
}

/* Stores what a lookup found. The most similar job becomes the donor of the job
 * if it belongs to the run. */
static void replay_found(struct advisor_replay *r, const struct job *job,
                         const struct lookup *lookup, struct found *out)
{
    static const enum advice_basis bases[] = {[LOOKUP_NOTHING] = ADVICE_NOTHING,
                                              [LOOKUP_RESUBMISSION] =
                                                  ADVICE_RESUBMISSION,
                                              [LOOKUP_SIMILAR] = ADVICE_SIMILAR,
                                              [LOOKUP_LITTLE] = ADVICE_NOTHING};
    *out = (struct found){
        .advice = {.seconds = replay_known(&lookup->duration_s, 1),
                   .compute = replay_known(&lookup->gpu_util, 100),
                   .mem_mib = replay_known(&lookup->mem_mib, 1)},
        .basis = bases[lookup->basis],
        .k = lookup->n,
    };
    if (lookup->n && text_is(lookup->matches[0].job.source, OF_THE_RUN))
        r->donors[job->id] =
            (job_id)strtoul(lookup->matches[0].job.source_id.at, NULL, 10);
}

bool advisor_replay_repeats(struct advisor_replay *r, const struct job *job,
                            struct found *out)
{
    struct evidence_command submission;
    struct lookup lookup;
    struct error err;
    if (!submission_of(r, job, &submission))
        return false;
    const struct jobdb_filter who = {.user = text_from(user_of(r, job)),
                                     .workdir = text_from(submission.directory),
                                     .command = text_from(submission.command),
                                     .branch = text_from(submission.branch)};
    arena_reset(&r->scratch);
    if (lookup_resubmission(r->ended, &r->lookup, &who, &r->scratch, &lookup,
                            &err) != STATUS_OK) {
        language_model_fail(&r->shared->model, &err);
        return false;
    }
    replay_found(r, job, &lookup, out);
    return out->k > 0;
}

/* Returns the reading of a submission, valid until the next call. *is_new is
 * true if the caller must read it first. */
static struct advisor_replay_reading *reading_of(
    struct advisor_replay *r, const struct evidence_command *submission,
    bool *is_new)
{
    struct out *key = out_to_memory();
    size_t before = r->questions.n_strings;
    out_printf(key, "%s\n%s", submission->directory, submission->command);
    uint32_t symbol = interner_add(&r->questions, out_memory(key));
    out_abandon(key);
    *is_new = symbol >= before;
    r->readings = mem_grow(r->readings, &r->cap_readings, symbol + 1,
                           sizeof *r->readings);
    if (*is_new)
        r->readings[symbol] = (struct advisor_replay_reading){.latency = -1};
    return &r->readings[symbol];
}

/* Keeps what was read. If a model was asked and gave no answer, the metadata
 * stay unknown: the findings of the rules must not pass for answers of the
 * model. */
static void replay_keep(struct advisor_replay *r,
                        const struct advisor_result *result,
                        struct advisor_replay_reading *out)
{
    bool asked = r->shared->model.client != NULL;
    if (asked)
        out->latency = result->latency;
    if (asked && result->why)
        return;
    out->coverage = result->coverage;
    struct out *words = out_to_memory();
    metadata_text(&result->metadata, words);
    struct text text = out_memory(words);
    out->metadata =
        (struct text){arena_copy(r->arena, text.at, text.len), text.len};
    out_abandon(words);
}

/* The files of a job without a directory: none, so its command is all there is
 * to read. */
static const struct workspace nowhere;

/* Reads a directory with a command. A directory that jail_open refuses stays
 * unreadable. */
static void advisor_replay_read_command(
    struct advisor_replay *r, const struct evidence_command *submission,
    struct advisor_replay_reading *out)
{
    struct language_model *model = &r->shared->model;
    struct advice_tokens before = language_model_tokens(model), after;
    struct jail *jail = NULL;
    struct advisor_result result;
    struct error err;
    bool has_directory = submission->directory[0] != '\0';
    if (has_directory &&
        jail_open(submission->directory, &r->limits, &jail, &err) != STATUS_OK)
        return;
    out->readable = true;
    arena_reset(&r->scratch);
    const struct advisor_input input = {
        .command = submission->command,
        .workspace = jail ? jail_workspace(jail) : &nowhere,
        .llm = model->client,
        .config = &r->agent,
        .arena = &r->scratch,
    };
    enum status st = advisor_extract(&input, &result, &err);
    if (st == STATUS_OK)
        replay_keep(r, &result, out);
    else
        language_model_fail(model, &err);
    jail_free(jail);
    after = language_model_tokens(model);
    out->tokens =
        (struct advice_tokens){after.in - before.in, after.out - before.out};
}

bool advisor_replay_read(struct advisor_replay *r, const struct job *job,
                         struct question *question)
{
    struct evidence_command submission;
    bool is_new;
    struct language_model *model = &r->shared->model;
    if (!submission_of(r, job, &submission)) {
        model->n_no_command++;
        return false;
    }
    struct advisor_replay_reading *reading =
        reading_of(r, &submission, &is_new);
    if (is_new)
        advisor_replay_read_command(r, &submission, reading);
    if (!reading->readable) {
        language_model_unreadable(model, submission.directory);
        return false;
    }
    question->service = language_model_service(reading->latency);
    question->tokens = reading->tokens;
    return true;
}

void advisor_replay_look_up(struct advisor_replay *r, const struct job *job,
                            struct found *out)
{
    struct evidence_command submission;
    struct lookup lookup = {0};
    struct error err;
    bool is_new;
    if (submission_of(r, job, &submission)) {
        const struct advisor_replay_reading *reading =
            reading_of(r, &submission, &is_new);
        struct text metadata = reading->metadata;
        r->shared->model.n_unknown += metadata.len == 0;
        arena_reset(&r->scratch);
        if (metadata.len &&
            lookup_similar(r->ended, &r->lookup, r->embedding,
                           &r->embedding_llm, metadata, reading->coverage,
                           &r->scratch, &lookup, &err) != STATUS_OK)
            language_model_fail(&r->shared->model, &err);
    }
    replay_found(r, job, &lookup, out);
}

/* Adds an ended job to the database that lookups search. `source` names
 * the list that job->id is an index into: OF_THE_RUN or "past". */
static void replay_add(struct advisor_replay *r, const char *source,
                       const struct job *job,
                       const struct evidence_command *submission, sim_span ran)
{
    struct error err;
    char id[16];
    bool is_new;
    snprintf(id, sizeof id, "%" PRIu32, job->id);
    struct jobdb_job row = {
        .source = text_from(source),
        .source_id = text_from(id),
        .user = text_from(user_of(r, job)),
        .workdir = text_from(submission->directory),
        .command = text_from(submission->command),
        .branch = text_from(submission->branch),
        .metadata = reading_of(r, submission, &is_new)->metadata,
        .end = text_from("completed"),
        .submitted = job->submitted,
        .duration = ran,
        .gpus = job->gpus,
        .gpu_util = job->gpu_util == GPU_UTIL_UNKNOWN ? -1 : job->gpu_util,
        .mem_mib = job->mem_mib > 0 ? (double)job->mem_mib : -1,
    };
    if (jobdb_add(r->ended, &row, NULL, &err) != STATUS_OK)
        language_model_fail(&r->shared->model, &err);
}

void advisor_replay_add(struct advisor_replay *r, const struct job *job,
                        sim_span ran)
{
    struct evidence_command submission;
    if (submission_of(r, job, &submission))
        replay_add(r, OF_THE_RUN, job, &submission, ran);
}

bool advisor_replay_donor(const struct advisor_replay *r, const struct job *job,
                          job_id *out)
{
    if (r->donors[job->id] == JOB_NONE)
        return false;
    *out = r->donors[job->id];
    return true;
}

/* Reads the directories and commands of the jobs of the past that were not
 * aborted, and adds these jobs to those that lookups search. A real cluster
 * reads a directory when its job is submitted, so no job of the run waits for
 * these readings. */
static void replay_learn_past(struct advisor_replay *r,
                              const struct run_env *env)
{
    for (uint32_t i = 0; i < env->n_past; i++) {
        struct evidence_command submission;
        struct job job = env->past[i].job;
        bool is_new;
        job.id = i;
        if (env->past[i].aborted || language_model_failed(&r->shared->model) ||
            !evidence_command(r->past_evidence, &job, &submission))
            continue;
        struct advisor_replay_reading *reading =
            reading_of(r, &submission, &is_new);
        if (is_new)
            advisor_replay_read_command(r, &submission, reading);
        replay_add(r, "past", &job, &submission, env->past[i].ran);
    }
}

enum status advisor_replay_new(const struct run_env *env,
                               struct advisor_replay **out, struct error *err)
{
    struct advisor_replay *r = mem_zalloc(1, sizeof *r);
    r->shared = env->schedmate;
    r->evidence = env->evidence;
    r->past_evidence = env->past_evidence;
    r->string = env->string;
    r->strings = env->strings;
    r->arena = env->arena;
    arena_init(&r->scratch);
    interner_init(&r->questions);
    option_defaults(advisor_options, &r->agent);
    option_defaults(jail_options, &r->limits);
    r->donors = ARENA_ARRAY(env->arena, job_id, env->n_jobs);
    for (uint32_t i = 0; i < env->n_jobs; i++)
        r->donors[i] = JOB_NONE;
    *out = r;
    enum status st = open_store(r, err);
    if (st == STATUS_OK && r->past_evidence)
        replay_learn_past(r, env);
    return st;
}
