/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/drive/drive.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "schedmate/llm/llm.h"
#include "schedmate/watch/watch_internal.h"
#include "sim/drive/drive_internal.h"

const char *const drive_by_names[] = {
    [DRIVE_BY_RELEASE] = "release", [DRIVE_BY_NICE] = "nice", NULL};

/* A plan that is older is not carried out: the driver was stopped, or the
 * machine slept. */
#define PLAN_AGE_MAX (30 * SPAN_SECOND)
/* Pause after a refusal, before Slurm is asked again. */
#define AGAIN_AFTER SPAN_SECOND

/* Jobs that were changed at a time, for the limit by the hour. */
struct acted {
    sim_time at;
    uint32_t n;
};

struct driver {
    const struct drive_options *options;
    struct drive_book book;
    struct drive_guard guard;
    int log, signals; /* descriptors */
    struct acted *acted;
    size_t n_acted, cap_acted;
    uint64_t cycle;
    sim_time good;   /* when a cycle last ended well, or Slurm did not answer */
    sim_time before; /* present of the cycle before; 0: none */
    bool refused;    /* the last actions were refused in part */
    uint64_t n_unanswered; /* by the language model, until now */
    bool unanswered;       /* some were in the last cycle */
    char told[ERROR_MAX];  /* the note that was printed last */
};

/* What one cycle reads and makes. */
struct drive_cycle {
    struct slurm_answers answers;
    struct state state;
    struct drive_jobs jobs;
    struct drive_plan plan;
    struct drive_acts acts;
    struct drive_left left;
    uint32_t n_capped;
    sim_time read_at; /* on the clock of drive_clock */
};

enum status drive_ask(const struct drive_options *options,
                      struct slurm_answers *out, struct error *err)
{
    const struct slurm_live live = {.limit = options->answer,
                                    .conf = options->files.conf,
                                    .only_json = true};
    return options->files.squeue ? slurm_answers_read(&options->files, out, err)
                                 : slurm_live_ask(&live, out, err);
}

/* Prints a note unless it was the last one. */
static void note_once(struct driver *d, const char *words)
{
    if (strcmp(d->told, words) == 0)
        return;
    snprintf(d->told, sizeof d->told, "%s", words);
    if (*words)
        drive_say(d->options, true, "%s", words);
}

static void cycle_free(struct drive_cycle *c)
{
    drive_acts_fini(&c->acts);
    drive_plan_fini(&c->plan);
    drive_jobs_fini(&c->jobs);
    state_fini(&c->state);
    slurm_answers_fini(&c->answers);
}

/* Returns how many jobs may be changed now. */
static uint32_t acts_left(struct driver *d)
{
    const sim_time since = drive_clock() - SPAN_HOUR;
    uint32_t n = 0;
    size_t kept = 0;
    for (size_t i = 0; i < d->n_acted; i++) {
        if (d->acted[i].at < since)
            continue;
        d->acted[kept++] = d->acted[i];
        n += d->acted[i].n;
    }
    d->n_acted = kept;
    return n < d->options->per_hour ? d->options->per_hour - n : 0;
}

/* Notes in the book what is about to be done. */
static void book_acts(struct driver *d, const struct drive_cycle *c)
{
    for (size_t i = 0; i < c->acts.n; i++) {
        const struct drive_act *act = &c->acts.at[i];
        const struct drive_job *job = drive_jobs_find(&c->jobs, act->id);
        if (!job || act->kind == DRIVE_RELEASE)
            continue;
        struct drive_entry *entry = drive_book_entry(&d->book, act->id);
        if (act->kind == DRIVE_REQUEUE) {
            entry->put_back = job->restarts;
            continue;
        }
        if (!entry->has_nice || entry->nice_set != job->nice)
            entry->nice_was = job->nice;
        entry->has_nice = true;
        entry->nice_set = act->nice;
    }
}

/* Notes which jobs are free now: a later hold is not ours. */
static void book_released(struct driver *d, const struct drive_cycle *c)
{
    for (size_t i = 0; i < c->acts.n; i++) {
        const struct drive_act *act = &c->acts.at[i];
        const struct drive_job *job = drive_jobs_find(&c->jobs, act->id);
        if (job && act->kind == DRIVE_RELEASE && !act->failed)
            drive_book_entry(&d->book, act->id)->freed = job->restarts;
    }
}

/* Reads Slurm and plans. */
static enum status cycle_plan(struct driver *d, struct drive_cycle *c,
                              struct error *err)
{
    const struct drive_options *o = d->options;
    *c = (struct drive_cycle){0};
    drive_acts_init(&c->acts);
    c->read_at = drive_clock();
    enum status st = drive_ask(o, &c->answers, err);
    if (st != STATUS_OK)
        d->good = drive_clock(); /* nobody can do anything now */
    if (st == STATUS_OK)
        st = slurm_state_make(&c->answers, &c->state, err);
    if (st == STATUS_OK)
        st = drive_jobs_read(&c->answers, o, c->state.at, true, &d->book,
                             &c->jobs, err);
    (void)drive_guard_beat(&d->guard);
    if (st == STATUS_OK) {
        drive_jobs_open(&c->jobs, &c->state);
        st = drive_plan_make(&o->config, &c->state, o->by == DRIVE_BY_NICE,
                             o->requeue, &c->plan, err);
    }
    if (st != STATUS_OK)
        return st;
    if (o->by == DRIVE_BY_NICE)
        drive_nice_acts(o, &c->plan, &c->state, &c->jobs, &d->book, &c->acts,
                        &c->n_capped);
    else
        drive_release_acts(o, &c->plan, &c->state, &c->jobs, acts_left(d),
                           &c->acts, &c->left);
    return STATUS_OK;
}

static void cycle_say(struct driver *d, const struct drive_cycle *c)
{
    const struct drive_options *o = d->options;
    char at[TIME_TEXT_MAX];
    time_to_text(c->state.at, at);
    for (size_t i = 0; i < c->acts.n; i++) {
        const struct drive_act *act = &c->acts.at[i];
        drive_say(o, false, "%s %s%s %s %s", at, o->execute ? "" : "would ",
                  drive_act_names[act->kind], act->id, act->why);
    }
    if (!o->execute)
        drive_say_kept(o, &c->plan, &c->state, &c->jobs);
    if (c->left.n_foreign)
        drive_say(o, true,
                  "jobs that the policy stops, but that are not marked, no "
                  "batch jobs with Requeue=1, or of others, run on: %u; starts "
                  "that wait for their GPUs: %u",
                  c->left.n_foreign, c->left.n_late);
    if (c->plan.n_moves)
        drive_say(
            o, true,
            "the policy moves %u job%s to other GPUs, which Slurm cannot: "
            "all stay where they are",
            c->plan.n_moves, c->plan.n_moves == 1 ? "" : "s");
    if (c->n_capped)
        drive_say(o, true,
                  "%u job%s would need a nice above --nice-max: the order "
                  "there stays Slurm's",
                  c->n_capped, c->n_capped == 1 ? "" : "s");
}

/* Carries out what was decided: first the log and the book, then Slurm. */
static enum status cycle_act(struct driver *d, struct drive_cycle *c,
                             struct error *err)
{
    const struct drive_options *o = d->options;
    struct error said = {0};
    enum status st = drive_log_decision(d->log, d->cycle, &c->state, &c->plan,
                                        &c->acts, err);
    if (!o->execute || st != STATUS_OK)
        return st;
    book_acts(d, c);
    st = drive_book_write(&d->book, o->dir, err);
    if (st != STATUS_OK)
        return st;
    if (!drive_guard_beat(&d->guard))
        return STATUS_END;
    if (drive_clock() - c->read_at > PLAN_AGE_MAX)
        return error_set(err, STATUS_FAILED,
                         "the plan is older than 30 s, and is not carried out");
    const bool good = drive_acts_do(&c->acts, o->answer, &said);
    d->refused = !good;
    d->acted =
        mem_grow(d->acted, &d->cap_acted, d->n_acted + 1, sizeof *d->acted);
    d->acted[d->n_acted++] = (struct acted){drive_clock(), (uint32_t)c->acts.n};
    if (!good)
        drive_say(o, true, "%s; Slurm is asked again", said.message);
    book_released(d, c);
    st = drive_log_outcome(d->log, d->cycle, &c->acts, good, &said, err);
    return st == STATUS_OK ? drive_book_write(&d->book, o->dir, err) : st;
}

/* True if the clock of Slurm went backwards: what it says of times is not yet
 * to be relied on. */
static bool went_back(struct driver *d, const struct drive_cycle *c)
{
    const bool back = d->before && c->state.at < d->before;
    if (back)
        drive_say(d->options, true,
                  "Slurm's clock went back by %.0f s: nothing is done in this "
                  "cycle",
                  span_seconds(d->before - c->state.at));
    d->before = c->state.at;
    return back;
}

/* Says that the language model has stopped answering. */
static void tell_unanswered(struct driver *d)
{
    const struct llm_client *client = d->options->config.model.client;
    if (!client)
        return;
    const uint64_t n = llm_client_total(client).unknown;
    struct arena arena;
    arena_init(&arena);
    if (n > d->n_unanswered && !d->unanswered)
        drive_say(d->options, true, "%s",
                  llm_client_unanswered(client, &arena));
    arena_fini(&arena);
    d->unanswered = n > d->n_unanswered;
    d->n_unanswered = n;
}

static enum status drive_once(struct driver *d, struct error *err)
{
    struct drive_cycle c;
    d->cycle++;
    d->refused = false;
    enum status st = cycle_plan(d, &c, err);
    tell_unanswered(d);
    if (st == STATUS_OK && !went_back(d, &c)) {
        const uint32_t most = acts_left(d);
        if (c.acts.n > most && d->options->by == DRIVE_BY_NICE)
            c.acts.n = most;
        if (most == 0)
            note_once(d, "the limit of --max-actions-per-hour is reached: "
                         "nothing is done until the hour is over");
        cycle_say(d, &c);
        if (c.acts.n)
            st = cycle_act(d, &c, err);
    }
    cycle_free(&c);
    return st;
}

/* Waits for the next cycle. Returns true if a signal asks for the end. */
static bool drive_wait(struct driver *d, sim_span span)
{
    const sim_time until = drive_clock() + span;
    sim_span rest;
    while ((rest = until - drive_clock()) > 0) {
        struct pollfd one = {.fd = d->signals, .events = POLLIN};
        /* in pieces, so that the guard hears of a driver that waits for long */
        if (rest > SPAN_SECOND)
            rest = SPAN_SECOND;
        (void)drive_guard_beat(&d->guard);
        if (poll(&one, 1, (int)(rest / 1000) + 1) > 0 &&
            service_take(d->signals).end)
            return true;
    }
    return service_take(d->signals).end;
}

/* Judges how a cycle ended. Returns STATUS_OK if the next may follow. */
static enum status drive_judge(struct driver *d, enum status st,
                               struct error *err)
{
    const sim_time now = drive_clock();
    if (st == STATUS_USAGE || st == STATUS_END || !d->options->execute)
        return st;
    if (st == STATUS_OK) {
        note_once(d, "");
        d->good = now;
        return STATUS_OK;
    }
    note_once(d, err->message);
    if (now - d->good < d->options->release_after)
        return STATUS_OK;
    return st;
}

static enum status drive_loop(struct driver *d, struct error *err)
{
    const struct drive_options *o = d->options;
    enum status st = STATUS_OK;
    d->good = drive_clock();
    while (st == STATUS_OK) {
        if (!drive_guard_beat(&d->guard))
            return STATUS_END;
        st = drive_judge(d, drive_once(d, err), err);
        if (st != STATUS_OK || (o->cycles && d->cycle >= o->cycles))
            break;
        if (drive_wait(d, d->refused ? AGAIN_AFTER : o->every))
            break;
    }
    return st;
}

/* Makes the folder of the driver's files. */
static enum status drive_make_dir(const struct drive_options *o,
                                  struct error *err)
{
    char part[4096];
    snprintf(part, sizeof part, "%.4000s", o->dir);
    for (char *slash = part + 1; *slash; slash++) {
        if (*slash != '/')
            continue;
        *slash = 0;
        if (mkdir(part, 0700) != 0 && errno != EEXIST)
            return error_set(err, STATUS_FAILED, "%s: %s", part,
                             strerror(errno));
        *slash = '/';
    }
    if (mkdir(part, 0700) != 0 && errno != EEXIST)
        return error_set(err, STATUS_FAILED, "%s: %s", part, strerror(errno));
    return STATUS_OK;
}

/* Takes the lock, reads the book of an earlier driver, and writes the scope
 * into it, before the guard begins to live. */
static enum status drive_begin(struct driver *d, struct error *err)
{
    const struct drive_options *o = d->options;
    enum status st = STATUS_OK;
    if (o->execute) {
        st = drive_make_dir(o, err);
        if (st == STATUS_OK)
            st = drive_book_read(o->dir, &d->book, err);
        if (st == STATUS_OK)
            st = drive_guard_begin(o, &d->guard, err);
    }
    if (st == STATUS_OK)
        st = drive_log_open(o, &d->log, err);
    if (st == STATUS_OK)
        st = drive_log_begin(d->log, o, err);
    if (st == STATUS_OK && o->execute) {
        drive_book_set_scope(&d->book, o);
        st = drive_book_write(&d->book, o->dir, err);
    }
    return st;
}

/* Gives everything back. */
static enum status drive_end(struct driver *d, enum status st,
                             struct error *err)
{
    const struct drive_options *o = d->options;
    struct error trouble;
    if (st == STATUS_END) { /* the guard is gone */
        st = error_set(err, STATUS_FAILED,
                       "the guard is gone: it has released all jobs, or was "
                       "killed (%.200s/guard.log); the driver ends",
                       o->dir);
    }
    enum status undone = drive_undo_by(o, &d->book, 3 * SPAN_SECOND, &trouble);
    if (undone == STATUS_OK)
        return st;
    drive_say(o, true, "%s; the guard goes on trying", trouble.message);
    d->guard.pipe = -1; /* the end of the driver is its sign */
    return st == STATUS_OK ? error_set(err, undone, "%s", trouble.message) : st;
}

enum status drive_run(const struct drive_options *options, struct error *err)
{
    struct driver d = {.options = options,
                       .guard = {.pipe = -1, .lock = -1},
                       .log = -1,
                       .signals = -1};
    enum status st = service_signals(&d.signals, err);
    if (st == STATUS_OK)
        st = drive_begin(&d, err);
    if (st == STATUS_OK)
        st = drive_loop(&d, err);
    if (d.guard.pipe >= 0)
        st = drive_end(&d, st, err);
    drive_guard_end(&d.guard);
    if (d.log >= 0)
        close(d.log);
    if (d.signals >= 0)
        close(d.signals);
    drive_book_fini(&d.book);
    free(d.acted);
    return st;
}
