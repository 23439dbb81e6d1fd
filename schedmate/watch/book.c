/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The jobs that are watched and their logs, in memory. */
#include "schedmate/watch/watch_internal.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/check.h"

const char *const watch_phases[] = {
    [WATCH_RUNNING] = "running", [WATCH_STALLED] = "stalled",
    [WATCH_FAILED] = "failed",   [WATCH_ENDED] = "ended",
    [WATCH_ENDED + 1] = NULL,
};

/* Both structs begin with their name, so one comparison serves both trees. */
_Static_assert(offsetof(struct watch_job, id) == 0, "the name is first");
_Static_assert(offsetof(struct watch_file, path) == 0, "the name is first");

static int book_by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void *book_find(void *const *root, const char *name)
{
    void *const *at = tfind(&name, root, book_by_name);
    return at ? *at : NULL;
}

static void book_enter(void **root, void *thing)
{
    CHECK(tsearch(thing, root, book_by_name));
}

struct watch_job *book_job(const struct book *book, const char *id)
{
    return book_find(&book->jobs_by_id, id);
}

struct watch_file *book_file(const struct book *book, const char *path)
{
    return book_find(&book->files_by_path, path);
}

struct watch_job *book_add_job(struct book *book, const char *id, json_t *facts)
{
    struct watch_job *job = mem_zalloc(1, sizeof *job);
    job->id = mem_text(id);
    job->facts = facts ? facts : json_object();
    job->index = book->n_jobs;
    job->dirty = true;
    book->jobs = mem_grow(book->jobs, &book->cap_jobs, book->n_jobs + 1,
                          sizeof(struct watch_job *));
    book->jobs[book->n_jobs++] = job;
    book_enter(&book->jobs_by_id, job);
    return job;
}

struct watch_file *book_add_file(struct book *book, const char *path,
                                 struct watch_job *job)
{
    struct watch_file *file = mem_zalloc(1, sizeof *file);
    file->path = mem_text(path);
    file->uid = UINT32_MAX;
    file->index = book->n_files;
    file->dirty = true;
    book->files = mem_grow(book->files, &book->cap_files, book->n_files + 1,
                           sizeof(struct watch_file *));
    book->files[book->n_files++] = file;
    book_enter(&book->files_by_path, file);
    book_move_file(file, job);
    return file;
}

void book_move_file(struct watch_file *file, struct watch_job *job)
{
    if (file->job) {
        struct watch_file **at = &file->job->files;
        while (*at != file)
            at = &(*at)->next_of_job;
        *at = file->next_of_job;
    }
    file->job = job;
    file->next_of_job = job ? job->files : NULL;
    if (job)
        job->files = file;
    file->dirty = true;
}

void book_rename_file(struct book *book, struct watch_file *file,
                      const char *path)
{
    tdelete(file, &book->files_by_path, book_by_name);
    free(file->path);
    file->path = mem_text(path);
    book_enter(&book->files_by_path, file);
    file->dirty = true;
}

static void free_job(struct watch_job *job)
{
    json_decref(job->facts);
    free(job->id);
    free(job);
}

void book_drop_job(struct book *book, struct watch_job *job)
{
    CHECK(!job->files);
    tdelete(job, &book->jobs_by_id, book_by_name);
    book->jobs[job->index] = book->jobs[--book->n_jobs];
    book->jobs[job->index]->index = job->index;
    free_job(job);
}

static void free_file(struct watch_file *file)
{
    free(file->path);
    free(file);
}

void book_drop_file(struct book *book, struct watch_file *file)
{
    book_move_file(file, NULL);
    tdelete(file, &book->files_by_path, book_by_name);
    book->files[file->index] = book->files[--book->n_files];
    book->files[file->index]->index = file->index;
    free_file(file);
}

static void leave_alone(void *thing)
{
    (void)thing; /* the arrays own jobs and files */
}

void book_fini(struct book *book)
{
    tdestroy(book->jobs_by_id, leave_alone);
    tdestroy(book->files_by_path, leave_alone);
    for (size_t i = 0; i < book->n_jobs; i++)
        free_job(book->jobs[i]);
    for (size_t i = 0; i < book->n_files; i++)
        free_file(book->files[i]);
    free(book->jobs);
    free(book->files);
    *book = (struct book){0};
}

const char *job_fact(const struct watch_job *job, const char *key)
{
    const char *text = json_string_value(json_object_get(job->facts, key));
    return text ? text : "";
}

double job_number(const struct watch_job *job, const char *key, double unknown)
{
    const json_t *value = json_object_get(job->facts, key);
    return json_is_number(value) ? json_number_value(value) : unknown;
}
