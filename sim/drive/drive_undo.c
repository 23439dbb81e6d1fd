/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Gives all jobs back to Slurm. */
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/drive/drive_internal.h"

/* Time for which Slurm is asked again if it does not answer, and pause between
 * two questions. */
#define UNDO_LIMIT SPAN_HOUR
enum { UNDO_PAUSE_MS = 1000 };

/* Collects what is to be undone. */
static void undo_acts(const struct drive_jobs *jobs,
                      const struct drive_book *book, struct drive_acts *acts)
{
    char id[48];
    for (size_t i = 0; i < jobs->n; i++) {
        const struct drive_job *job = &jobs->at[i];
        const struct drive_entry *entry = drive_book_find(book, job->id);
        if (job->ours && (!job->is_part || job->is_leader)) {
            snprintf(id, sizeof id, "%s", job->id);
            id[strcspn(id, "+")] = 0;
            drive_acts_add(acts, DRIVE_RELEASE, id, 0, "undo");
        }
        if (entry && entry->has_nice && job->pending &&
            job->nice == entry->nice_set && job->nice != entry->nice_was)
            drive_acts_add(acts, DRIVE_NICE, job->id, entry->nice_was, "undo");
    }
}

/* One round: reads Slurm and undoes what is found. *left: number of jobs that
 * were found. */
static enum status undo_round(const struct drive_options *options,
                              struct drive_book *book, size_t *left,
                              struct error *err)
{
    struct slurm_answers answers;
    struct drive_jobs jobs;
    struct drive_acts acts;
    enum status st = drive_ask(options, &answers, err);
    if (st != STATUS_OK)
        return st;
    drive_acts_init(&acts);
    /* the present does not matter: jobs that may not begin yet are released
     * too */
    st = drive_jobs_read(&answers, options, 0, false, book, &jobs, err);
    if (st == STATUS_OK) {
        undo_acts(&jobs, book, &acts);
        drive_jobs_fini(&jobs);
    }
    slurm_answers_fini(&answers);
    *left = acts.n;
    if (st == STATUS_OK && acts.n) {
        (void)drive_acts_do(&acts, options->answer, err);
        for (size_t i = 0; i < acts.n; i++)
            drive_say(options, false, "undo: %s %s",
                      acts.at[i].kind == DRIVE_NICE ? "nice restored of"
                                                    : "released",
                      acts.at[i].id);
    }
    drive_acts_fini(&acts);
    return st;
}

/* True if a failure can pass: Slurm does not answer. */
static bool may_pass(enum status st)
{
    return st == STATUS_FAILED || st == STATUS_BAD_INPUT;
}

enum status drive_undo_by(const struct drive_options *options,
                          struct drive_book *book, sim_span limit,
                          struct error *err)
{
    const sim_time end = drive_clock() + limit;
    size_t left = 1;
    enum status st = STATUS_OK, told = STATUS_OK;
    while (left) {
        st = undo_round(options, book, &left, err);
        if (st == STATUS_OK && left == 0)
            break;
        if (st != STATUS_OK && (!may_pass(st) || drive_clock() > end))
            return st;
        if (st != STATUS_OK && told == STATUS_OK)
            drive_say(options, true, "undo waits: %s", err->message);
        told = st;
        left = 1;
        if (drive_clock() > end)
            return error_set(err, STATUS_FAILED,
                             "undo: jobs stay held though they were released "
                             "again and again");
        poll(NULL, 0, UNDO_PAUSE_MS);
    }
    /* the nices are restored */
    struct error trouble;
    for (size_t i = 0; i < book->n; i++)
        book->entries[i].has_nice = false;
    if (drive_book_write(book, options->dir, &trouble) != STATUS_OK)
        drive_say(options, true, "%s", trouble.message);
    return st;
}

enum status drive_undo(const struct drive_options *options, struct error *err)
{
    struct drive_options own = *options;
    struct drive_book book;
    struct arena arena;
    arena_init(&arena);
    enum status st = drive_book_read(options->dir, &book, err);
    if (st == STATUS_BAD_INPUT && options->scope.partitions.n) {
        drive_say(options, true, "%s; only holds are undone", err->message);
        book = (struct drive_book){0};
        st = STATUS_OK;
    }
    if (st == STATUS_OK)
        drive_book_get_scope(&book, &own, &arena);
    const bool known = own.scope.partitions.n > 0;
    if (st == STATUS_OK && !known)
        drive_say(&own, true,
                  "%.200s has no book of a driver that acted: nothing is "
                  "undone; to release marked jobs, name their partitions "
                  "(--partition)",
                  options->dir);
    const int driver = drive_guard_driver(options->dir);
    if (driver)
        drive_say(&own, true,
                  "a driver is at work (process %d), and goes on unless it is "
                  "ended",
                  driver);
    if (st == STATUS_OK && known)
        st = drive_undo_by(&own, &book, UNDO_LIMIT, err);
    drive_book_fini(&book);
    arena_fini(&arena);
    return st;
}
