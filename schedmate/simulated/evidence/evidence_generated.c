/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Evidence for a trace without a side-car: each job whose model and data set a
 * repository trains gets a command of such a repository. The draws for the
 * command are keyed by the user and the name of the job, so that jobs of one
 * user with equal names, models, data sets, batch sizes and numbers of GPUs
 * have equal commands. The time of a step varies from job to job. Nothing here
 * reads the truth about a job. */
#include <math.h>
#include <stdlib.h>

#include "base/out.h"
#include "base/rng.h"
#include "models/usage/usage.h"
#include "schedmate/simulated/evidence/evidence_internal.h"
#include "traces/evidence/choice.h"

/* Number of GPUs that the commands assume for each node if a job needs several
 * nodes. */
#define NODE_GPUS 8

struct evidence_generated_maker {
    const struct run_env *env;
    const struct repositories *all;
    uint64_t stream;
    struct interner texts; /* directories and commands */
    const char **copies;   /* by symbol of `texts`: a copy of the text */
    size_t cap_copies;
};

static const char *generated_copy(struct evidence_generated_maker *m,
                                  struct text t)
{
    size_t known = m->texts.n_strings;
    uint32_t symbol = interner_add(&m->texts, t);
    m->copies =
        mem_grow(m->copies, &m->cap_copies, symbol + 1, sizeof *m->copies);
    if (symbol == known || symbol == 0)
        m->copies[symbol] = arena_copy(m->env->arena, t.at, t.len);
    return m->copies[symbol];
}

/* Returns a key of draws that is equal for jobs of one user with one name. */
static uint64_t generated_key_of(const struct run_env *env,
                                 const struct job *job)
{
    uint64_t user = text_hash(text_from(env->string(env->strings, job->user)));
    uint64_t name = text_hash(text_from(env->string(env->strings, job->name)));
    return user * UINT64_C(0x9e3779b97f4a7c15) ^ name;
}

static bool generated_trains(const struct repo_task *task,
                             const struct usage *usage)
{
    return model_name_equal(task->model, usage->model) &&
           (!usage->dataset[0] ||
            model_name_equal(task->dataset, usage->dataset));
}

/* Draws one of the tasks that train the model, and on its data set where that
 * is known; NULL if there is none. */
static const struct repo_task *generated_pick_task(
    const struct evidence_generated_maker *m, const struct usage *usage,
    struct repo_draws *draws)
{
    uint32_t n = 0, seen = 0;
    for (uint32_t i = 0; i < m->all->n_tasks; i++)
        n += generated_trains(&m->all->tasks[i], usage);
    uint32_t wanted = n ? repo_draw(draws, n) : 0;
    for (uint32_t i = 0; i < m->all->n_tasks && n; i++) {
        if (generated_trains(&m->all->tasks[i], usage) && seen++ == wanted)
            return &m->all->tasks[i];
    }
    return NULL;
}

/* Sets the batch size of the choice to the batch size of the job, if the
 * repository lists that size. */
static void take_batch(struct repo_choice *choice, const struct job *job)
{
    const struct repo_task *task = choice->task;
    for (uint32_t i = 0; i < task->n_batches; i++) {
        if (task->batches[i].size == job->batch_size)
            choice->batch = i;
    }
}

static void generated_make(struct evidence_generated_maker *m,
                           const struct job *job, struct job_evidence *out)
{
    struct repo_draws draws = {m->stream, generated_key_of(m->env, job), 0};
    const struct usage *usage = &m->env->usage->rows[job->usage];
    const struct repo_task *task =
        usage->model[0] ? generated_pick_task(m, usage, &draws) : NULL;
    if (!task)
        return;
    struct repo_choice choice = repo_choice_new(m->all, task, draws);
    take_batch(&choice, job);
    struct out *text = out_to_memory();
    repo_choice_write(&choice, job->gpus, NODE_GPUS, text);
    out->command.command = generated_copy(m, out_memory(text));
    out_abandon(text);
    text = out_to_memory();
    out_printf(text, "%s/%s", m->all->folder, task->directory);
    out->command.directory = generated_copy(m, out_memory(text));
    out_abandon(text);
    out->command.branch = choice.branch;
    repo_choice_log(m->all, &choice, job->gpus, &out->log);
    out->log.step_s *=
        exp(m->all->spread * keyed_normal(m->stream, job->id, 0));
    out->has_command = out->has_log = true;
}

enum status evidence_generate(const char *folder, const struct run_env *env,
                              struct evidence **out, struct error *err)
{
    struct repositories *all = ARENA_NEW(env->arena, struct repositories);
    enum status st = repositories_read(folder, env->arena, all, err);
    if (st != STATUS_OK)
        return st;
    struct evidence_generated_maker maker = {
        .env = env, .all = all, .stream = rng_stream(env->seed, "evidence")};
    interner_init(&maker.texts);
    *out = ARENA_NEW(env->arena, struct evidence);
    (*out)->n_jobs = env->n_jobs;
    (*out)->jobs = ARENA_ARRAY(env->arena, struct job_evidence, env->n_jobs);
    for (uint32_t i = 0; i < env->n_jobs && env->usage; i++)
        generated_make(&maker, &env->jobs[i], &(*out)->jobs[i]);
    free(maker.copies);
    interner_fini(&maker.texts);
    return STATUS_OK;
}
