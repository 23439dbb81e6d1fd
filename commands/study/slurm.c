/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Submits to Slurm what a sweep has not run yet: arrays of tasks that each
 * make one shard of the sweep, and after them a job that collects. */

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "commands/study/sweep_internal.h"
#include "commands/terminal.h"
#include "commands/tool.h"

/* Slurm's default of MaxArraySize, for a dry run on a machine without Slurm. */
enum { USUAL_ARRAY = 1001 };

uint32_t slurm_shards(const struct sweep *s,
                      const struct slurm_options *options, double *seconds)
{
    const double left = sweep_left_s(s, s->n_todo);
    double n = options->n_tasks;
    if (n == 0)
        n = ceil((isnan(left) ? 0 : left) / (60 * options->task_minutes));
    n = fmax(fmin(n, (double)s->n_todo), 1);
    *seconds = left / n;
    return (uint32_t)n;
}

/* Reads MaxArraySize, which a site may set to any number. A dry run assumes
 * USUAL_ARRAY if scontrol does not tell it. */
static enum status slurm_read_limit(struct slurm_submission *sub,
                                    struct error *err)
{
    static const char *const argv[] = {"scontrol", "show", "config", NULL};
    static const char key[] = "MaxArraySize";
    struct tool_run *run = mem_zalloc(1, sizeof *run);
    uint32_t size = USUAL_ARRAY;
    run->argv = argv;
    run->is_silent = sub->sweep->options->dry_run;
    enum status st = tool_run(run, err);
    const char *at = st == STATUS_OK ? strstr(run->output, key) : NULL;
    const char *value = at ? strchr(at, '=') : NULL;
    struct text rest,
        line = text_split(text_from(value ? value + 1 : ""), '\n', &rest);
    bool known =
        run->status == 0 && text_to_u32(text_trim(line), &size) && size > 1;
    free(run);
    if (!known && sub->sweep->options->dry_run) {
        say(stdout,
            "# scontrol does not answer here: MaxArraySize is assumed "
            "to be %d, Slurm's default",
            USUAL_ARRAY);
        st = STATUS_OK;
        size = USUAL_ARRAY;
    } else if (!known && st == STATUS_OK) {
        st = error_set(err, STATUS_FAILED,
                       "--slurm: 'scontrol show config' names no MaxArraySize; "
                       "is this a machine of a Slurm cluster?");
    }
    sub->max_index = size - 1;
    return st;
}

static void find_work(struct slurm_submission *sub)
{
    const struct sweep *s = sub->sweep;
    sub->has_work = mem_zalloc(sub->n_shards, sizeof *sub->has_work);
    for (size_t i = 0; i < s->n_todo; i++)
        sub->has_work[s->todo[i] % sub->n_shards] = true;
    for (uint32_t i = 0; i < sub->n_shards; i++)
        sub->n_tasks += sub->has_work[i];
}

/* Appends the id of a Slurm job to DIR/slurm/submitted, for check_queue. A dry
 * run has no job to keep. */
static enum status keep_job(const struct slurm_submission *sub, const char *job,
                            struct error *err)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%.4000s/slurm/submitted",
             sub->sweep->options->out);
    FILE *file = sub->sweep->options->dry_run ? NULL : fopen(path, "ae");
    if (sub->sweep->options->dry_run)
        return STATUS_OK;
    bool good = file && fprintf(file, "%s\n", job) > 0;
    if (file && fclose(file) != 0)
        good = false;
    return good ? STATUS_OK
                : error_set(err, STATUS_FAILED, "%s: cannot write: %s", path,
                            strerror(errno));
}

/* Writes the indexes, such as "1-4,7", of the array whose first shard is
 * `first`: those of the shards that have work. Returns false if none has. */
static bool put_indexes(const struct slurm_submission *sub, uint32_t first,
                        struct out *out)
{
    bool any = false;
    uint32_t end = sub->n_shards - first < sub->max_index
                       ? sub->n_shards - first
                       : sub->max_index;
    for (uint32_t i = 0, last; i < end; i = last + 1) {
        last = i;
        if (!sub->has_work[first + i])
            continue;
        while (last + 1 < end && sub->has_work[first + last + 1])
            last++;
        out_printf(out, any ? ",%u" : "%u", i + 1);
        if (last > i)
            out_printf(out, "-%u", last + 1);
        any = true;
    }
    return any;
}

/* Submits the array whose first shard has number `first`, from 0, unless none
 * of its shards has work. */
static enum status submit_array(struct slurm_submission *sub, uint32_t first,
                                struct arena *arena, struct error *err)
{
    char shard[64], job[32];
    struct sbatch_words words = {.arena = arena};
    struct out *indexes = out_to_memory();
    bool any = put_indexes(sub, first, indexes);
    const char *array = sbatch_text(indexes, arena);
    if (!any)
        return STATUS_OK;
    snprintf(shard, sizeof shard, "$((SLURM_ARRAY_TASK_ID + %u))/%u", first,
             sub->n_shards);
    sbatch_add(&words, "sbatch");
    sbatch_add(&words, "--parsable");
    sbatch_add(&words, "--job-name=schedsim-sweep");
    words.at[words.n++] = "--array";
    words.at[words.n++] = array;
    sbatch_add(&words, "--requeue");
    sbatch_add(&words, "--open-mode=append");
    sbatch_add(&words, "--ntasks=1");
    sbatch_add(&words, "--cpus-per-task=1");
    sbatch_add_last(&words, sub, "%A_%a.log");
    enum status st =
        sbatch_submit(sub, &words, sbatch_script(sub, shard, arena), job, err);
    if (st != STATUS_OK)
        return st;
    sub->n_arrays++;
    out_printf(sub->jobs, ":%s", job);
    return keep_job(sub, job, err);
}

static enum status submit_collector(struct slurm_submission *sub, char job[32],
                                    struct arena *arena, struct error *err)
{
    struct sbatch_words words = {.arena = arena};
    struct text after = out_memory(sub->jobs);
    sbatch_add(&words, "sbatch");
    sbatch_add(&words, "--parsable");
    sbatch_add(&words, "--job-name=schedsim-collect");
    sbatch_add(&words, "--dependency=%s%.*s",
               sub->options->only_ok ? "afterok" : "afterany",
               after.len < 4000 ? (int)after.len : 4000, after.at);
    sbatch_add(&words, "--requeue");
    sbatch_add_last(&words, sub, "collect-%j.log");
    enum status st =
        sbatch_submit(sub, &words, sbatch_script(sub, NULL, arena), job, err);
    return st == STATUS_OK ? keep_job(sub, job, err) : st;
}

/* Refuses a submission, unless it is a dry run, while jobs of an earlier one
 * are in the queue. */
static enum status check_queue(const struct slurm_submission *sub,
                               struct error *err)
{
    char path[PATH_MAX], line[64], ids[4096] = "";
    size_t n = 0;
    snprintf(path, sizeof path, "%.4000s/slurm/submitted",
             sub->sweep->options->out);
    FILE *file = fopen(path, "re");
    while (file && fgets(line, sizeof line, file) && n < sizeof ids - 64)
        n += (size_t)snprintf(ids + n, sizeof ids - n, "%s%.*s", n ? "," : "",
                              (int)strspn(line, "0123456789"), line);
    if (file)
        fclose(file);
    if (n == 0 || sub->sweep->options->dry_run)
        return STATUS_OK;
    const char *const argv[] = {"squeue", "--noheader", "--format=%A",
                                "--jobs", ids,          NULL};
    struct tool_run *run = mem_zalloc(1, sizeof *run);
    run->argv = argv;
    /* squeue prints an error for jobs that ended long ago */
    run->is_silent = true;
    enum status st = tool_run(run, err);
    size_t len = strcspn(run->output, " \n");
    if (st == STATUS_OK && run->status == 0 && len)
        st = error_set(err, STATUS_FAILED,
                       "--slurm: job %.*s of this sweep is still in the queue; "
                       "wait for it, or scancel it",
                       (int)len, run->output);
    free(run);
    return st;
}

static enum status slurm_make_folder(const struct slurm_submission *sub,
                                     struct error *err)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%.4000s/slurm", sub->sweep->options->out);
    if (sub->sweep->options->dry_run || mkdir(path, 0777) == 0 ||
        errno == EEXIST)
        return STATUS_OK;
    return error_set(err, STATUS_FAILED, "%s: %s", path, strerror(errno));
}

static enum status find_paths(struct slurm_submission *sub, struct error *err)
{
    ssize_t n =
        readlink("/proc/self/exe", sub->program, sizeof sub->program - 1);
    if (n > 0 && getcwd(sub->here, sizeof sub->here))
        return STATUS_OK;
    return error_set(err, STATUS_FAILED, "--slurm: %s", strerror(errno));
}

/* Prints what was submitted, or what a dry run would submit. */
static void slurm_tell(const struct slurm_submission *sub, double seconds,
                       const char *collector)
{
    char span[TABLE_SPAN_MAX];
    struct text jobs = out_memory(sub->jobs);
    const bool dry = sub->sweep->options->dry_run;
    const char *length = isnan(seconds)
                             ? "an unknown time, because no run was timed"
                             : table_span(seconds, span);
    if (dry)
        say(stdout,
            "# would submit %zu run%s as %zu task%s in %zu array%s; a task "
            "takes %s",
            sub->sweep->n_todo, say_plural(sub->sweep->n_todo), sub->n_tasks,
            say_plural(sub->n_tasks), sub->n_arrays, say_plural(sub->n_arrays),
            length);
    else
        say(stderr,
            "submitted %zu run%s as %zu task%s; a task takes %s; arrays: job "
            "%.*s; then job %s collects",
            sub->sweep->n_todo, say_plural(sub->sweep->n_todo), sub->n_tasks,
            say_plural(sub->n_tasks), length, jobs.len ? (int)jobs.len - 1 : 0,
            jobs.at + 1, collector);
}

static enum status submit_all(struct slurm_submission *sub, double seconds,
                              struct error *err)
{
    struct arena arena;
    char collector[32];
    enum status st = STATUS_OK;
    arena_init(&arena);
    for (uint32_t i = 0; i < sub->n_shards && st == STATUS_OK;
         i += sub->max_index) {
        st = submit_array(sub, i, &arena, err);
        if (sub->n_shards - i <= sub->max_index)
            break;
    }
    if (st == STATUS_OK)
        st = submit_collector(sub, collector, &arena, err);
    if (st == STATUS_OK && !sub->sweep->options->quiet)
        slurm_tell(sub, seconds, collector);
    arena_fini(&arena);
    return st;
}

enum status slurm_check(const struct slurm_options *options, struct error *err)
{
    static const char *const own[] = {"--array", "--parsable", "--dependency",
                                      "--wrap",  "-a",         "-d"};
    if (options->n_sbatch > SBATCH_WORDS_MAX / 2)
        return error_set(err, STATUS_USAGE,
                         "--slurm: at most %d options of "
                         "sbatch",
                         SBATCH_WORDS_MAX / 2);
    for (size_t i = 0; i < options->n_sbatch; i++) {
        const char *word = options->sbatch[i];
        if (word[0] != '-')
            return error_set(err, STATUS_USAGE,
                             "--slurm: '%.100s' is not an option of sbatch, "
                             "such as --partition=cpu",
                             word);
        for (size_t k = 0; k < sizeof own / sizeof *own; k++) {
            size_t n = strlen(own[k]);
            if (strncmp(word, own[k], n) == 0 &&
                (n == 2 || word[n] == '=' || !word[n]))
                return error_set(err, STATUS_USAGE,
                                 "--slurm: sweep sets sbatch's %s itself",
                                 own[k]);
        }
    }
    return STATUS_OK;
}

enum status slurm_submit(const struct sweep *sweep,
                         const struct slurm_options *options, struct error *err)
{
    struct slurm_submission *sub = mem_zalloc(1, sizeof *sub);
    double seconds;
    sub->sweep = sweep;
    sub->options = options;
    sub->n_shards = slurm_shards(sweep, options, &seconds);
    sub->jobs = out_to_memory();
    find_work(sub);
    enum status st = find_paths(sub, err);
    if (st == STATUS_OK)
        st = slurm_make_folder(sub, err);
    if (st == STATUS_OK)
        st = check_queue(sub, err);
    if (st == STATUS_OK)
        st = slurm_read_limit(sub, err);
    if (st == STATUS_OK)
        st = submit_all(sub, seconds, err);
    out_abandon(sub->jobs);
    free(sub->has_work);
    free(sub);
    return st;
}
