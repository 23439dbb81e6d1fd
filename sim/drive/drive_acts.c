/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The commands that change Slurm. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "schedmate/watch/watch_internal.h"
#include "sim/drive/drive_internal.h"

/* Most jobs of one command, so that its words stay short. */
enum { BATCH_MAX = 500 };

const char *const drive_act_names[] = {
    [DRIVE_RELEASE] = "release",
    [DRIVE_REQUEUE] = "requeue",
    [DRIVE_NICE] = "nice",
};

void drive_acts_init(struct drive_acts *acts)
{
    *acts = (struct drive_acts){0};
    arena_init(&acts->arena);
}

void drive_acts_fini(struct drive_acts *acts)
{
    free(acts->at);
    arena_fini(&acts->arena);
    *acts = (struct drive_acts){0};
}

void drive_acts_add(struct drive_acts *acts, enum drive_act_kind kind,
                    const char *id, int64_t nice, const char *why)
{
    if (!drive_id_is_plain(id))
        return; /* no identifier of Slurm looks otherwise */
    acts->at = mem_grow(acts->at, &acts->cap, acts->n + 1, sizeof *acts->at);
    struct drive_act *act = &acts->at[acts->n++];
    *act = (struct drive_act){.kind = kind, .nice = nice};
    snprintf(act->id, sizeof act->id, "%s", id);
    act->why = arena_copy(&acts->arena, why, strlen(why));
}

/* Runs one command for the jobs of a batch. */
static enum status run_batch(enum drive_act_kind kind, const char *ids,
                             int64_t nice, sim_span limit, struct error *err)
{
    char jobs[BATCH_MAX * 34 + 8], value[40];
    struct text said = {0};
    snprintf(jobs, sizeof jobs, "%s%s", kind == DRIVE_NICE ? "jobid=" : "",
             ids);
    snprintf(value, sizeof value, "nice=%" PRId64, nice);
    const char *release[] = {"scontrol", "release", jobs, NULL};
    const char *requeue[] = {"scontrol", "requeuehold", "Incomplete", jobs,
                             NULL};
    const char *update[] = {"scontrol", "update", jobs, value, NULL};
    const char *const *const words[] = {[DRIVE_RELEASE] = release,
                                        [DRIVE_REQUEUE] = requeue,
                                        [DRIVE_NICE] = update};
    enum status st = program_output(words[kind], limit, &said, err);
    free((char *)(uintptr_t)said.at);
    return st;
}

/* Carries out, from the action `first` on, those of its kind and nice that are
 * not done. */
static bool do_batch(struct drive_acts *acts, size_t first, bool *done,
                     sim_span limit, struct error *said)
{
    const struct drive_act *like = &acts->at[first];
    char ids[BATCH_MAX * 34] = "";
    size_t taken[BATCH_MAX], n = 0, len = 0;
    for (size_t i = first; i < acts->n && n < BATCH_MAX; i++) {
        const struct drive_act *act = &acts->at[i];
        if (done[i] || act->kind != like->kind || act->nice != like->nice)
            continue;
        len += (size_t)snprintf(ids + len, sizeof ids - len, "%s%s",
                                n ? "," : "", act->id);
        taken[n++] = i;
    }
    const bool good =
        run_batch(like->kind, ids, like->nice, limit, said) == STATUS_OK;
    for (size_t i = 0; i < n; i++) {
        done[taken[i]] = true;
        acts->at[taken[i]].failed = !good;
    }
    return good;
}

bool drive_acts_do(struct drive_acts *acts, sim_span limit, struct error *said)
{
    bool *done = mem_zalloc(acts->n + 1, sizeof *done);
    bool good = true;
    for (size_t i = 0; i < acts->n; i++) {
        if (!done[i] && !do_batch(acts, i, done, limit, good ? said : NULL))
            good = false;
    }
    free(done);
    return good;
}

json_t *drive_acts_json(const struct drive_acts *acts)
{
    json_t *list = json_array();
    for (size_t i = 0; i < acts->n; i++) {
        const struct drive_act *act = &acts->at[i];
        json_t *row = json_object();
        json_put(row, "do", json_text(drive_act_names[act->kind]));
        json_put(row, "job", json_text(act->id));
        if (act->kind == DRIVE_NICE)
            json_put(row, "nice", json_integer(act->nice));
        json_put(row, "why", json_text(act->why));
        json_array_append_new(list, row);
    }
    return list;
}
