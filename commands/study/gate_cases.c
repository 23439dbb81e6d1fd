/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Executes the runs of a gate file and compares their values with the expected
 * ones. */
#include "commands/study/gate_internal.h"

#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool cases_matches(const char *pattern, const char *trace,
                          const char *policy)
{
    char both[8192];
    snprintf(both, sizeof both, "%s %s", trace, policy);
    return fnmatch(pattern, trace, 0) == 0 ||
           fnmatch(pattern, policy, 0) == 0 || fnmatch(pattern, both, 0) == 0;
}

static bool cases_fits(const struct arg_list *patterns, const char *trace,
                       const char *policy)
{
    for (size_t i = 0; i < patterns->n; i++) {
        if (cases_matches(patterns->at[i], trace, policy))
            return true;
    }
    return false;
}

static bool cases_is_wanted(const struct gate_choice *choice, const char *trace,
                            const char *policy)
{
    return (choice->only.n == 0 || cases_fits(&choice->only, trace, policy)) &&
           !cases_fits(&choice->except, trace, policy);
}

/* Sets the options of a case: those of the file, then of its trace, then of its
 * policy. Names and values were checked when the file was read. */
static enum status cases_set_options(struct gate_cases *cases,
                                     struct gate_case *c, struct error *err)
{
    const struct gate_settings *all[] = {
        &cases->file->settings, &c->trace->settings, &c->policy->settings};
    run_options_init(&c->options);
    for (size_t i = 0; i < 3; i++) {
        for (size_t k = 0; k < all[i]->n; k++) {
            const struct gate_setting *s = &all[i]->at[k];
            enum status st = run_options_set(&c->options, s->name, s->value,
                                             &cases->arena, err);
            if (st != STATUS_OK)
                return st;
        }
    }
    c->options.config.trace = c->trace->path;
    c->options.config.policy = c->policy->spec;
    return STATUS_OK;
}

static enum status add_case(struct gate_cases *cases,
                            const struct gate_trace *trace,
                            const struct gate_policy *policy, size_t *row,
                            struct error *err)
{
    struct gate_case *c = &cases->at[cases->n++];
    *c = (struct gate_case){.trace = trace, .policy = policy};
    c->row = gate_file_row(cases->file, trace->name, policy->name, *row);
    *row = c->row == SIZE_MAX ? *row : c->row + 1;
    c->n_runs = trace->replications ? trace->replications : 1;
    cases->n_runs += c->n_runs;
    c->runs = ARENA_ARRAY(&cases->arena, struct gate_run, c->n_runs);
    for (uint32_t i = 0; i < c->n_runs; i++)
        c->runs[i].values =
            ARENA_ARRAY(&cases->arena, double, trace->n_metrics);
    c->outcomes =
        ARENA_ARRAY(&cases->arena, struct gate_outcome, trace->n_metrics);
    return cases_set_options(cases, c, err);
}

/* Refuses a pattern that matches no case of the file, because it is a mistake
 * of the user. */
static enum status check_pattern(const struct gate_file *file,
                                 const char *option, const char *pattern,
                                 struct error *err)
{
    enum { NAMES_MAX = 512 };
    const char *names[NAMES_MAX];
    size_t n = 0;
    for (size_t t = 0; t < file->n_traces; t++) {
        const struct gate_trace *trace = &file->traces[t];
        if (n < NAMES_MAX)
            names[n++] = trace->name;
        for (size_t p = 0; p < trace->n_policies; p++) {
            const char *policy = trace->policies[p].name;
            if (cases_matches(pattern, trace->name, policy))
                return STATUS_OK;
            if (n < NAMES_MAX)
                names[n++] = policy;
        }
    }
    const char *near = text_nearest(text_from(pattern), names, n);
    return error_set(err, STATUS_USAGE,
                     "--%s: '%.200s' matches no trace and no policy of "
                     "%s%s",
                     option, pattern, file->path, text_suggest(near).words);
}

/* Finds the expected rows of runs that the file no longer has. */
static void cases_find_gone(struct gate_cases *cases)
{
    const struct gate_file *file = cases->file;
    bool *used = mem_zalloc(file->n_rows + 1, sizeof *used);
    cases->gone = ARENA_ARRAY(&cases->arena, size_t, file->n_rows + 1);
    for (size_t t = 0; t < file->n_traces; t++) {
        const struct gate_trace *trace = &file->traces[t];
        size_t from = 0;
        for (size_t p = 0; p < trace->n_policies; p++) {
            size_t row =
                gate_file_row(file, trace->name, trace->policies[p].name, from);
            if (row != SIZE_MAX)
                used[from = row] = true;
        }
    }
    for (size_t i = 0; i < file->n_rows; i++) {
        if (!used[i])
            cases->gone[cases->n_gone++] = i;
    }
    free(used);
}

enum status gate_cases_make(const struct gate_file *file,
                            const struct gate_choice *choice,
                            struct gate_cases *out, struct error *err)
{
    size_t n_all = 0, row = 0;
    enum status st = STATUS_OK;
    *out = (struct gate_cases){.file = file, .tolerance = NAN};
    arena_init(&out->arena);
    out->causes.arena = out->stale.arena = &out->arena;
    for (size_t i = 0; i < choice->only.n && st == STATUS_OK; i++)
        st = check_pattern(file, "only", choice->only.at[i], err);
    for (size_t i = 0; i < choice->except.n && st == STATUS_OK; i++)
        st = check_pattern(file, "except", choice->except.at[i], err);
    for (size_t t = 0; t < file->n_traces; t++)
        n_all += file->traces[t].n_policies;
    out->at = ARENA_ARRAY(&out->arena, struct gate_case, n_all + 1);
    for (size_t t = 0; t < file->n_traces; t++) {
        const struct gate_trace *trace = &file->traces[t];
        for (size_t p = 0; p < trace->n_policies && st == STATUS_OK; p++) {
            if (cases_is_wanted(choice, trace->name, trace->policies[p].name))
                st = add_case(out, trace, &trace->policies[p], &row, err);
        }
    }
    out->n_left = n_all - out->n;
    if (st == STATUS_OK && out->n == 0)
        st = error_set(err, STATUS_USAGE,
                       "--only and --except leave nothing to run");
    if (choice->only.n + choice->except.n == 0)
        cases_find_gone(out);
    return st;
}

static void free_run(struct gate_run *run)
{
    for (size_t i = 0; i < run->n_files; i++)
        free((char *)(uintptr_t)run->files[i].path);
    free(run->files);
    remarks_fini(&run->remarks);
    arena_fini(&run->arena);
    free(run->message);
    free(run->missing);
    free(run->hint);
}

void gate_cases_free(struct gate_cases *cases)
{
    for (size_t i = 0; i < cases->n; i++) {
        for (uint32_t k = 0; k < cases->at[i].n_runs; k++)
            free_run(&cases->at[i].runs[k]);
    }
    remarks_fini(&cases->causes);
    remarks_fini(&cases->stale);
    arena_fini(&cases->arena);
    *cases = (struct gate_cases){0};
}

bool gate_cases_moved(const struct gate_cases *cases)
{
    return cases->n_outside || cases->n_incomparable || cases->n_new ||
           cases->n_gone || cases->stale.count;
}

const struct gate_run *gate_cases_failed(const struct gate_cases *cases,
                                         const struct gate_case **whose)
{
    for (size_t i = 0; i < cases->n; i++) {
        if (cases->at[i].failed) {
            *whose = &cases->at[i];
            return cases->at[i].failed;
        }
    }
    return NULL;
}
