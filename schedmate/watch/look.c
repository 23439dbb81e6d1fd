/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes one look: reads the sources and the logs, judges the jobs, then stores
 * all changes in one transaction and writes the output. */
#include <stdlib.h>

#include "schedmate/watch/watch_internal.h"

static bool has_changes(const struct watch *w)
{
    if (w->lines.n || w->gone_files.n || w->gone_jobs.n ||
        outbox_told(w->outbox) != store_told(w->store))
        return true;
    for (size_t i = 0; i < w->book.n_jobs; i++) {
        if (w->book.jobs[i]->dirty)
            return true;
    }
    for (size_t i = 0; i < w->book.n_files; i++) {
        if (w->book.files[i]->dirty)
            return true;
    }
    return false;
}

/* Rows are removed before others are written, because a name may be used
 * again. */
static enum status remove_rows(struct watch *w, struct error *err)
{
    enum status st = STATUS_OK;
    for (size_t i = 0; i < w->gone_files.n && st == STATUS_OK; i++)
        st = store_drop_file(w->store, w->gone_files.at[i], err);
    for (size_t i = 0; i < w->gone_jobs.n && st == STATUS_OK; i++)
        st = store_drop_job(w->store, w->gone_jobs.at[i], err);
    return st;
}

static enum status look_write_rows(struct watch *w, struct error *err)
{
    enum status st = STATUS_OK;
    for (size_t i = 0; i < w->book.n_jobs && st == STATUS_OK; i++) {
        struct watch_job *job = w->book.jobs[i];
        if (job->dirty)
            st = store_put_job(w->store, job, err);
        job->dirty = false;
    }
    for (size_t i = 0; i < w->book.n_files && st == STATUS_OK; i++) {
        struct watch_file *f = w->book.files[i];
        if (f->dirty)
            st = store_put_file(w->store, f, err);
        f->dirty = false;
    }
    for (size_t i = 0; i < w->lines.n && st == STATUS_OK; i++)
        st = store_add_line(w->store, text_from(w->lines.at[i]), err);
    return st;
}

static enum status store_all(struct watch *w, struct error *err)
{
    if (!has_changes(w))
        return STATUS_OK;
    enum status st = store_begin(w->store, err);
    if (st == STATUS_OK && outbox_told(w->outbox) != store_told(w->store))
        st = store_set_told(w->store, outbox_told(w->outbox), err);
    if (st == STATUS_OK)
        st = remove_rows(w, err);
    if (st == STATUS_OK)
        st = look_write_rows(w, err);
    if (st == STATUS_OK)
        st = store_commit(w->store, err);
    watch_names_clear(&w->gone_files);
    watch_names_clear(&w->gone_jobs);
    watch_names_clear(&w->lines);
    return st;
}

enum status watch_look(struct watch *w, struct error *err)
{
    sim_time begin = w->clock.now;
    w->counts.looks++;
    if (w->job_lines)
        job_lines_read(w->job_lines, w);
    if (w->slurm)
        slurm_jobs_ask(w->slurm, w);
    watch_find_logs(w);
    watch_read_logs(w);
    if (w->gpu)
        gpu_files_read(w->gpu, w);
    watch_tell_jobs(w);
    enum status st = watch_keep_ended(w, err);
    if (st == STATUS_OK)
        st = store_all(w, err);
    if (st == STATUS_OK)
        st = outbox_flush(w->outbox, err);
    watch_clock_renew(&w->clock);
    w->counts.look_s = span_seconds(w->clock.now - begin);
    if (st == STATUS_OK && w->metrics)
        metrics_publish(w->metrics, w);
    return st;
}
