/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Updates the list "inputs" of a gate file: the traces and other files from
 * which the expected values were computed. */
#include "commands/study/gate_internal.h"

#include <stdlib.h>
#include <string.h>

/* The identity of one trace or file that the cases have read. */
struct gate_inputs_fresh {
    const char *name, *sha256, *cluster; /* cluster NULL: not recorded */
    bool is_file;
    int64_t jobs;
};

static struct gate_inputs_fresh *find_fresh(struct gate_inputs_fresh *all,
                                            size_t n, bool is_file,
                                            const char *name)
{
    for (size_t i = 0; i < n; i++) {
        if (all[i].is_file == is_file && strcmp(all[i].name, name) == 0)
            return &all[i];
    }
    return NULL;
}

static size_t update_input(const struct gate_file *file, struct arena *arena,
                           struct json_items *list,
                           const struct gate_inputs_fresh *f)
{
    const struct gate_input *was = gate_file_input(file, f->is_file, f->name);
    struct json_items row = {.open = '{', .close = '}'};
    bool has_run = f->cluster != NULL;
    if (was && strcmp(was->sha256, f->sha256) == 0 &&
        (!has_run ||
         (was->jobs == f->jobs && strcmp(was->cluster, f->cluster) == 0)))
        return 0;
    if (was)
        json_items_split(list->at[was - file->inputs].body, &row);
    else
        json_items_insert(
            &row, 0,
            gate_text_member(arena, f->is_file ? "file" : "trace", f->name),
            "");
    json_items_put(&row, "sha256", gate_text_member(arena, "sha256", f->sha256),
                   row.n, " ");
    if (has_run) {
        json_items_put(&row, "jobs", gate_whole_member(arena, "jobs", f->jobs),
                       row.n, " ");
        json_items_put(&row, "cluster",
                       gate_text_member(arena, "cluster", f->cluster), row.n,
                       " ");
    }
    struct out *out = out_to_memory();
    json_items_join(&row, out);
    json_items_free(&row);
    struct text text = gate_text_of(arena, out);
    if (was)
        list->at[was - file->inputs].body = text;
    else
        json_items_insert(list, list->n, text, "\n    ");
    return 1;
}

/* Collects the traces and files that the cases have read, each once. Returns
 * their number. */
static size_t inputs_collect(const struct gate_cases *cases,
                             struct gate_inputs_fresh *out)
{
    size_t n = 0;
    for (size_t i = 0; i < cases->n; i++) {
        const struct gate_case *c = &cases->at[i];
        const struct gate_run *run = &c->runs[0];
        bool is_plain = c->policy->settings.n == 0 && !c->trace->replications;
        struct gate_inputs_fresh *f = find_fresh(out, n, false, c->trace->name);
        if (!f)
            f = &out[n++];
        else if (f->cluster || !is_plain)
            f = NULL;
        if (f)
            *f = (struct gate_inputs_fresh){.name = c->trace->name,
                                            .sha256 = run->sha256,
                                            .cluster =
                                                is_plain ? run->cluster : NULL,
                                            .jobs = run->jobs};
        for (size_t k = 0; k < run->n_files; k++) {
            if (!find_fresh(out, n, true, run->files[k].path))
                out[n++] =
                    (struct gate_inputs_fresh){.name = run->files[k].path,
                                               .sha256 = run->files[k].sha256,
                                               .is_file = true};
        }
    }
    return n;
}

size_t gate_inputs_update(const struct gate_cases *cases, struct arena *arena,
                          struct json_items *list)
{
    size_t n_changed = 0;
    const struct gate_file *file = cases->file;
    size_t room = 0;
    for (size_t i = 0; i < cases->n; i++)
        room += 1 + cases->at[i].runs[0].n_files;
    struct gate_inputs_fresh *fresh = mem_zalloc(room + 1, sizeof *fresh);
    size_t n = inputs_collect(cases, fresh);
    for (size_t i = 0; i < n; i++)
        n_changed += update_input(file, arena, list, &fresh[i]);
    /* Remove inputs that no case has read, but only if all cases were run. */
    for (size_t i = file->n_inputs; i-- > 0 && !cases->n_left;) {
        const struct gate_input *was = &file->inputs[i];
        if (find_fresh(fresh, n, was->is_file, was->name))
            continue;
        json_items_remove(list, i);
        n_changed++;
    }
    free(fresh);
    return n_changed;
}
