/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What generated jobs run: each script of a user becomes a task of a
 * repository, with a command that the user repeats or varies from run to run
 * (traces/evidence/choice.h). */
#include "traces/generate/generate_internal.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/rng.h"

/* Numbers of the first draw of each purpose. Draws of one key must not
 * overlap. */
enum {
    DRAW_REPOSITORIES = 0, /* key: user */
    DRAW_TASK = 0,         /* key: script */
    DRAW_FIRST = 8,        /* key: script; the first choice */
    DRAW_RUN = 0,          /* key: job; how the run differs from the last one */
    DRAW_TIME = 8,         /* key: job; the time of a step, and when the job
                            * ends */
};

struct habits {
    struct habits_options options;
    struct arena *arena;
    uint64_t of_users, of_scripts, of_jobs; /* streams */
    uint64_t job;                           /* number of the current job */
    struct out *command;
    char name[96];
    struct sidecar_row row;
};

static bool habits_in_family(const struct habits *h,
                             const struct repo_task *task)
{
    return !h->options.family || strcmp(h->options.family, task->family) == 0;
}

enum status habits_open(const struct habits_options *options,
                        struct arena *arena, struct habits **out,
                        struct error *err)
{
    const struct repositories *all = options->repositories;
    struct habits *h = ARENA_NEW(arena, struct habits);
    uint32_t n = 0;
    *h = (struct habits){
        .options = *options,
        .arena = arena,
        .of_users = rng_stream(options->seed, "habits.users"),
        .of_scripts = rng_stream(options->seed, "habits.scripts"),
        .of_jobs = rng_stream(options->seed, "habits.jobs"),
    };
    for (uint32_t i = 0; i < all->n_tasks; i++)
        n += habits_in_family(h, &all->tasks[i]);
    if (n == 0)
        return error_set(
            err, STATUS_USAGE,
            "--set family: no repository of %s trains a model of the "
            "family '%.60s'",
            all->folder, options->family ? options->family : "");
    h->command = out_to_memory();
    *out = h;
    return STATUS_OK;
}

void habits_close(struct habits *habits)
{
    if (habits)
        out_abandon(habits->command);
}

/* True if the user works in the repository with this number. The user's first
 * draw says how many repositories the user has, the others which ones. */
static bool works_in(const struct habits *h, uint32_t user, uint32_t repository)
{
    const struct repositories *all = h->options.repositories;
    struct repo_draws draws = {h->of_users, user, DRAW_REPOSITORIES};
    uint32_t n = 1 + repo_draw(&draws, all->per_user);
    for (uint32_t i = 0; i < n; i++) {
        if (repo_draw(&draws, all->n_directories) == repository)
            return true;
    }
    return false;
}

static bool habits_suits(const struct habits *h, const struct repo_task *task,
                         uint32_t gpus)
{
    return habits_in_family(h, task) && gpus >= task->gpus_from &&
           gpus <= task->gpus_to;
}

/* Returns how well a task suits a script, from 3 (the user's repository, and it
 * runs on this number of GPUs) to 0 (another family). */
static uint32_t grade(const struct habits *h, const struct repo_task *task,
                      uint32_t number, uint32_t user, uint32_t gpus)
{
    if (habits_suits(h, task, gpus))
        return works_in(h, user, number) ? 3 : 2;
    return habits_in_family(h, task);
}

/* Draws the task of a new script, among the tasks of the best grade. */
static const struct repo_task *habits_pick_task(const struct habits *h,
                                                uint32_t user,
                                                const struct script *script)
{
    const struct repositories *all = h->options.repositories;
    struct repo_draws draws = {h->of_scripts, script->number, DRAW_TASK};
    uint32_t best = 0, n = 0, number = 0;
    const struct repo_task *picked = NULL;
    for (int pass = 0; pass < 2; pass++) {
        uint32_t wanted = n ? repo_draw(&draws, n) : 0, seen = 0;
        number = 0;
        for (uint32_t i = 0; i < all->n_tasks; i++) {
            const struct repo_task *task = &all->tasks[i];
            number += i && strcmp(task->directory, task[-1].directory) != 0;
            uint32_t g = grade(h, task, number, user, script->gpus);
            if (pass == 0 && g > best)
                best = g, n = 0;
            n += pass == 0 && g == best;
            if (pass == 1 && g == best && seen++ == wanted)
                picked = task;
        }
    }
    return picked;
}

static void habits_choose(const struct habits *h,
                          const struct submission *submission)
{
    const struct repositories *all = h->options.repositories;
    struct script *script = submission->script;
    if (script->choice) {
        repo_choice_vary(all, script->choice,
                         (struct repo_draws){h->of_jobs, h->job, DRAW_RUN});
        return;
    }
    const struct repo_task *task =
        habits_pick_task(h, submission->user, script);
    script->choice = ARENA_NEW(h->arena, struct repo_choice);
    *script->choice = repo_choice_new(
        all, task,
        (struct repo_draws){h->of_scripts, script->number, DRAW_FIRST});
}

/* Returns how long the job runs, in whole seconds, at least 1. A run to the end
 * takes the start and all steps. Of the completed jobs, some stop early, after
 * a share of their steps that is drawn uniformly between 0.2 and 1. A job that
 * fails or is cancelled runs for `seconds`, or, if its work takes no longer,
 * for a share of its work that is drawn uniformly between 0 and 1. */
static double duration(const struct habits *h, enum trace_end end,
                       const struct evidence_log *log, double seconds)
{
    double steps = (double)log->steps * log->step_s;
    double share = keyed_uniform(h->of_jobs, h->job, DRAW_TIME + 1);
    bool early = keyed_uniform(h->of_jobs, h->job, DRAW_TIME + 2) <
                 h->options.early_exits;
    if (end == TRACE_END_COMPLETED && early)
        steps *= 0.2 + 0.8 * share;
    double work = log->start_s + steps;
    if (end != TRACE_END_COMPLETED)
        work = seconds < work ? seconds : work * share;
    return fmax(ceil(work), 1);
}

void habits_next(struct habits *habits, const struct submission *submission,
                 struct trace_row *row)
{
    struct habits *h = habits;
    const struct repositories *all = h->options.repositories;
    h->job++;
    habits_choose(h, submission);
    const struct repo_choice *choice = submission->script->choice;
    const struct repo_task *task = choice->task;
    struct evidence_log log;
    repo_choice_log(all, choice, row->gpus, &log);
    log.step_s *=
        exp(all->spread * keyed_normal(h->of_jobs, h->job, DRAW_TIME));
    log.step_s = fmax(round(log.step_s * 1e6), 1) / 1e6;
    row->duration =
        span_from_seconds(duration(h, row->end, &log, submission->seconds));
    snprintf(h->name, sizeof h->name, "%.40s-%.30s-%" PRIu64, task->directory,
             task->name, submission->script->number);
    row->name = text_from(h->name);
    row->model = text_from(task->model);
    row->dataset = text_from(task->dataset);
    row->batch_size = task->batches[choice->batch].size;
    row->amp = task->amp;
    out_abandon(h->command);
    h->command = out_to_memory();
    repo_choice_write(choice, row->gpus, h->options.node_gpus, h->command);
    h->row = (struct sidecar_row){
        .job = row->source_id,
        .directory = text_from(task->directory),
        .command = out_memory(h->command),
        .branch = text_from(choice->branch),
        .has_log = true,
        .log = log,
    };
}

const struct sidecar_row *habits_evidence(const struct habits *habits)
{
    return &habits->row;
}
