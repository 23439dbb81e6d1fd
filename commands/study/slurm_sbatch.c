/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes the calls of sbatch, and the scripts that they submit. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands/study/sweep_internal.h"
#include "commands/tool.h"

const char *sbatch_text(struct out *out, struct arena *arena)
{
    struct text t = out_memory(out);
    const char *copy = arena_copy(arena, t.at, t.len);
    out_abandon(out);
    return copy;
}

/* Writes a word in single quotes, so that the shell reads it unchanged. */
static void sbatch_put_word(struct out *out, const char *word)
{
    out_char(out, '\'');
    for (; *word; word++) {
        if (*word == '\'')
            out_text(out, "'\\''");
        else
            out_char(out, *word);
    }
    out_char(out, '\'');
}

/* Writes the script of a task, which computes its shard with the shell
 * expression `shard`, or, if that is NULL, of the job that collects. Exit
 * status 4 of a shard means that jobs of some run did not finish; that is a
 * result, so the task ends with 0. */
const char *sbatch_script(const struct slurm_submission *sub, const char *shard,
                          struct arena *arena)
{
    static const char *const versions[] = {"refuse", "redo", "keep"};
    const struct sweep_options *o = sub->sweep->options;
    struct out *out = out_to_memory();
    out_text(out, "#!/bin/sh\n# Written by schedsim sweep --slurm.\ncd ");
    sbatch_put_word(out, sub->here);
    out_text(out, " || exit 1\n");
    sbatch_put_word(out, sub->program);
    out_text(out, " sweep ");
    sbatch_put_word(out, o->grid);
    out_text(out, " --out ");
    sbatch_put_word(out, o->out);
    out_printf(out, " --quiet --other-version %s%s%s",
               versions[o->other_version], o->keep ? " --keep" : "",
               sub->sweep->grid.trust.given ? " --trust" : "");
    if (shard)
        out_printf(out,
                   " --shard \"%s\" --threads \"${SLURM_CPUS_PER_TASK:-1}\"\n"
                   "status=$?\n[ $status -eq 4 ] && status=0\nexit $status\n",
                   shard);
    else
        out_text(out, " --collect\n");
    return sbatch_text(out, arena);
}

void sbatch_add(struct sbatch_words *w, const char *fmt, ...)
{
    char buf[PATH_MAX + 64];
    va_list args;
    va_start(args, fmt);
    vsnprintf(buf, sizeof buf, fmt, args);
    va_end(args);
    w->at[w->n++] = arena_copy(w->arena, buf, strlen(buf));
    w->at[w->n] = NULL;
}

/* Adds --output with the file for messages. Doubles each percent sign of the
 * path, because one begins a pattern of Slurm. */
static void add_output(struct sbatch_words *w, const char *dir,
                       const char *name)
{
    char safe[PATH_MAX];
    size_t n = 0;
    for (; *dir && n + 3 < sizeof safe; dir++) {
        if (*dir == '%')
            safe[n++] = '%';
        safe[n++] = *dir;
    }
    safe[n] = '\0';
    sbatch_add(w, "--output=%.4000s/slurm/%s", safe, name);
}

void sbatch_add_last(struct sbatch_words *w, const struct slurm_submission *sub,
                     const char *name)
{
    add_output(w, sub->sweep->options->out, name);
    for (size_t i = 0; i < sub->options->n_sbatch; i++)
        w->at[w->n++] = sub->options->sbatch[i];
    w->at[w->n] = NULL;
}

/* Prints a call of sbatch with its script, as one could type it into a
 * shell. */
static void print_call(const struct sbatch_words *w, const char *input)
{
    struct arena arena;
    struct out *out = out_to_memory();
    arena_init(&arena);
    for (size_t i = 0; i < w->n; i++) {
        out_text(out, i ? " " : "");
        if (i)
            sbatch_put_word(out, w->at[i]);
        else
            out_text(out, w->at[i]);
    }
    printf("%s <<'END'\n%sEND\n", sbatch_text(out, &arena), input);
    arena_fini(&arena);
}

enum status sbatch_submit(const struct slurm_submission *sub,
                          const struct sbatch_words *w, const char *input,
                          char job[32], struct error *err)
{
    snprintf(job, 32, "JOB");
    if (sub->sweep->options->dry_run) {
        print_call(w, input);
        return STATUS_OK;
    }
    struct tool_run *run = mem_zalloc(1, sizeof *run);
    run->argv = w->at;
    run->input = input;
    enum status st = tool_run(run, err);
    size_t n = strspn(run->output, "0123456789");
    if (st == STATUS_OK && (run->status != 0 || n == 0 || n > 20))
        st = error_set(err, STATUS_FAILED,
                       "sbatch: exit status %d; %zu arrays were submitted "
                       "before",
                       run->status, sub->n_arrays);
    else if (st == STATUS_OK)
        snprintf(job, 32, "%.*s", (int)n, run->output);
    free(run);
    return st;
}
