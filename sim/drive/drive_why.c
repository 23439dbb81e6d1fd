/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The actions that follow from a plan, each with its reason. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/drive/drive_internal.h"

void drive_say(const struct drive_options *options, bool note, const char *fmt,
               ...)
{
    char line[1024];
    va_list args;
    va_start(args, fmt);
    vsnprintf(line, sizeof line, fmt, args);
    va_end(args);
    text_clean(line);
    options->say(line, note);
}

enum { SPAN_WORDS_MAX = 32 };

static const char *span_words(sim_span span, char out[SPAN_WORDS_MAX])
{
    const int64_t s = span / SPAN_SECOND;
    if (s < 60)
        snprintf(out, SPAN_WORDS_MAX, "%ds", (int)(s > 0 ? s : 0));
    else if (s < 3600)
        snprintf(out, SPAN_WORDS_MAX, "%dmin", (int)(s / 60));
    else
        snprintf(out, SPAN_WORDS_MAX, "%" PRId64 "h %02dmin", s / 3600,
                 (int)(s % 3600 / 60));
    return out;
}

/* Writes "(8 GPUs, user u, waits for 2h 10min)". */
static void job_words(const struct state *state, size_t index, char *out,
                      size_t room)
{
    const struct state_job *job = &state->jobs[index];
    const bool runs = job->started != TIME_NEVER;
    char span[SPAN_WORDS_MAX];
    snprintf(
        out, room, "(%u GPU%s, user %.40s, %s %s)", job->gpus,
        job->gpus == 1 ? "" : "s", *job->user ? job->user : "?",
        runs ? "has run for" : "has waited for",
        span_words(state->at - (runs ? job->started : job->submitted), span));
}

static void start_why(const struct drive_plan *plan, const struct state *state,
                      const struct drive_choice *start, char *out, size_t room)
{
    char words[160], passes[160] = "";
    job_words(state, start->job, words, sizeof words);
    if (start->passes)
        snprintf(passes, sizeof passes,
                 "; %u that came before wait%s, the first is %.40s (%u GPUs)",
                 start->passes, start->passes == 1 ? "s" : "",
                 state->jobs[start->first].id, state->jobs[start->first].gpus);
    snprintf(out, room, "%s: %.60s starts it now; %u of %u GPUs are free%s",
             words, plan->policy, start->free, start->total, passes);
}

static void stop_why(const struct drive_plan *plan, const struct state *state,
                     const struct drive_choice *stop, char *out, size_t room)
{
    char words[160];
    job_words(state, stop->job, words, sizeof words);
    snprintf(out, room, "%s: %.60s stops it%s%.40s; its work is lost", words,
             plan->policy, plan->n_starts ? ", and starts " : "",
             plan->n_starts ? state->jobs[plan->starts[0].job].id : "");
}

/* Releases what the policy does not see. */
static void acts_unseen(const struct drive_jobs *jobs, struct drive_acts *acts)
{
    for (size_t i = 0; i < jobs->n; i++) {
        const struct drive_job *job = &jobs->at[i];
        char id[48];
        if (!job->ours || (job->is_planned && !job->is_part))
            continue;
        if (job->is_part && !job->is_leader)
            continue; /* released with its leader */
        snprintf(id, sizeof id, "%s", job->id);
        id[strcspn(id, "+")] = 0;
        drive_acts_add(acts, DRIVE_RELEASE, id, 0,
                       job->is_part ? "(heterogeneous): no policy plans it"
                                    : "(asks for no GPU): no policy plans it");
    }
}

/* Puts jobs back that the policy stops. `room`: by virtual cluster, GPUs that
 * starts may take. */
static void acts_stop(const struct drive_plan *plan, const struct state *state,
                      const struct drive_jobs *jobs, uint32_t most,
                      struct drive_acts *acts, struct drive_left *left,
                      int64_t *room)
{
    char why[512];
    for (size_t i = 0; i < plan->n_stops; i++) {
        const struct drive_choice *stop = &plan->stops[i];
        const struct state_job *job = &state->jobs[stop->job];
        const struct drive_job *fact = drive_jobs_find(jobs, job->id);
        if (!fact || !fact->in_scope || !fact->marked || !fact->running ||
            !fact->may_requeue || fact->is_part || acts->n >= most) {
            left->n_foreign++;
            continue;
        }
        room[stop->vc] += job->gpus;
        stop_why(plan, state, stop, why, sizeof why);
        drive_acts_add(acts, DRIVE_REQUEUE, job->id, 0, why);
    }
}

static void acts_start(const struct drive_plan *plan, const struct state *state,
                       const struct drive_jobs *jobs, uint32_t most,
                       struct drive_acts *acts, struct drive_left *left,
                       int64_t *room)
{
    char why[512];
    for (size_t i = 0; i < plan->n_starts; i++) {
        const struct drive_choice *start = &plan->starts[i];
        const struct state_job *job = &state->jobs[start->job];
        const struct drive_job *fact = drive_jobs_find(jobs, job->id);
        room[start->vc] -= job->gpus;
        if (room[start->vc] < 0) {
            left->n_late++;
            room[start->vc] += job->gpus;
            continue;
        }
        if (!fact || !fact->ours || fact->waits || acts->n >= most)
            continue;
        start_why(plan, state, start, why, sizeof why);
        drive_acts_add(acts, DRIVE_RELEASE, job->id, 0, why);
    }
}

void drive_release_acts(const struct drive_options *options,
                        const struct drive_plan *plan,
                        const struct state *state,
                        const struct drive_jobs *jobs, uint32_t most,
                        struct drive_acts *acts, struct drive_left *left)
{
    uint32_t n_vcs = 1;
    (void)options;
    *left = (struct drive_left){0};
    for (size_t i = 0; i < plan->n_starts; i++)
        n_vcs = plan->starts[i].vc >= n_vcs ? plan->starts[i].vc + 1 : n_vcs;
    for (size_t i = 0; i < plan->n_stops; i++)
        n_vcs = plan->stops[i].vc >= n_vcs ? plan->stops[i].vc + 1 : n_vcs;
    int64_t *room = mem_zalloc(n_vcs, sizeof *room);
    for (size_t i = 0; i < plan->n_starts; i++)
        room[plan->starts[i].vc] = plan->starts[i].free;
    acts_unseen(jobs, acts);
    acts_stop(plan, state, jobs, most, acts, left, room);
    acts_start(plan, state, jobs, most, acts, left, room);
    free(room);
}

static bool is_in_plan(const struct drive_plan *plan, size_t job)
{
    for (size_t i = 0; i < plan->n_starts; i++) {
        if (plan->starts[i].job == job)
            return true;
    }
    return false;
}

void drive_say_kept(const struct drive_options *options,
                    const struct drive_plan *plan, const struct state *state,
                    const struct drive_jobs *jobs)
{
    char words[160];
    for (size_t i = 0; i < state->n_jobs; i++) {
        const struct state_job *job = &state->jobs[i];
        const struct drive_job *fact = drive_jobs_find(jobs, job->id);
        if (!fact || !fact->in_scope || !fact->pending || fact->free ||
            is_in_plan(plan, i))
            continue;
        job_words(state, i, words, sizeof words);
        if (fact->ours)
            drive_say(options, false, "keep %s %s: %s", job->id, words,
                      fact->waits ? "may not begin yet, by its dependency or "
                                    "begin time"
                                  : "the policy does not start it now");
        else if (fact->marked)
            drive_say(options, false, "leave %s %s: held by %s", job->id, words,
                      strcmp(fact->reason, "JobHeldUser") == 0
                          ? "its owner, after it had been free"
                          : fact->reason);
    }
}
