/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Adds ended jobs to the history, with what their GPUs did. A job is added
 * before its end is stored. Its source and id do not depend on when it is
 * added, so a program that is killed in between and restarted adds it only
 * once. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "schedmate/live/advise.h"
#include "schedmate/watch/watch_internal.h"

/* Writes the source and the id of a job. Jobs of Slurm get the source and id
 * under which the accounting is imported, so that the history holds each of
 * them once. */
static void name_source(const struct watch *w, const struct watch_job *job,
                        char source[96], char id[320])
{
    const char *cluster = job_fact(job, "cluster");
    bool slurm = strcmp(job_fact(job, "from"), "slurm") == 0;
    if (slurm) {
        snprintf(source, 96, "slurm%s%s", *cluster ? ":" : "", cluster);
        snprintf(id, 320, "%s", job->id);
        return;
    }
    snprintf(source, 96, "watch:%s", store_id(w->store));
    snprintf(id, 320, "%.256s@%" PRId64, job->id, job->seen / SPAN_SECOND);
}

static sim_time time_fact(const struct watch_job *job, const char *key)
{
    double at = job_number(job, key, -1);
    return at >= 0 && at < SECONDS_MAX ? span_from_seconds(at) : JOBDB_NO_TIME;
}

static sim_span history_run_time(const struct watch_job *job)
{
    sim_time from = time_fact(job, "started"), to = time_fact(job, "ended");
    if (from == JOBDB_NO_TIME)
        from = job->seen;
    if (to == JOBDB_NO_TIME)
        to = job->over_at;
    return to > from ? to - from : 0;
}

static struct text fact(const struct watch_job *job, const char *key)
{
    return text_from(job_fact(job, key));
}

/* Describes what the job trains, so that later similar jobs find it in the
 * history. The caller frees the description. Returns NULL if the user did not
 * ask for that, the job has metadata already, its directory or command is not
 * known, or the description fails. */
static struct advise *history_describe(struct watch *w,
                                       const struct watch_job *job)
{
    const struct advise_settings settings = {
        .workdir = job_fact(job, "workdir"),
        .command = job_fact(job, "command"),
        .backend = {.llm = "rules"},
        .clues = w->clues};
    struct advise *advise = NULL;
    struct error err;
    if (!w->settings->describe || *job_fact(job, "metadata") ||
        !*settings.workdir || !*settings.command)
        return NULL;
    if (advise_run(&settings, &advise, &err) != STATUS_OK) {
        watch_say(w, "a job cannot be described: %s", err.message);
        return NULL;
    }
    return advise;
}

static enum status history_add(struct watch *w, const struct watch_job *job,
                               struct error *err)
{
    char source[96], id[320];
    const struct gpu_use *gpu = &job->gpu;
    struct advise *advise = history_describe(w, job);
    name_source(w, job, source, id);
    struct jobdb_job row = {
        .source = text_from(source),
        .source_id = text_from(id),
        .user = fact(job, "user"),
        .workdir = fact(job, "workdir"),
        .command = fact(job, "command"),
        .branch = fact(job, "branch"),
        .name = fact(job, "name"),
        .vc = fact(job, "vc"),
        .gpu_type = fact(job, "gpu_type"),
        .metadata = fact(job, "metadata"),
        .end = text_from(watch_end_word(w, job)),
        .state = fact(job, "state"),
        .exit_code = fact(job, "exit_code"),
        .hosts = fact(job, "node"),
        .failure = fact(job, "failure"),
        .submitted = time_fact(job, "submitted"),
        .duration = history_run_time(job),
        .gpus = (uint32_t)json_array_size(json_object_get(job->facts, "gpus")),
        .gpu_util = gpu->samples ? gpu->sum / (double)gpu->samples : -1,
        /* the maximum, because the next run of the job needs as much */
        .mem_mib = gpu->mem_samples ? gpu->mem_max : -1,
    };
    if (advise)
        row.metadata = text_from(advise_report_of(advise)->text);
    enum status st = jobdb_add(w->history, &row, NULL, err);
    advise_free(advise);
    return st;
}

enum status watch_keep_ended(struct watch *w, struct error *err)
{
    enum status st = STATUS_OK;
    for (size_t i = 0; i < w->book.n_jobs && st == STATUS_OK; i++) {
        struct watch_job *job = w->book.jobs[i];
        if (job->keep)
            st = history_add(w, job, err);
        job->keep = false;
    }
    return st;
}
