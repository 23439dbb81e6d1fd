/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ended jobs of a trace as the history of a state. */
#include "sim/present/slurm_state.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "traces/trace.h"

static const char *history_text(struct state *state, struct text t)
{
    return t.len ? arena_copy(&state->arena, t.at, t.len) : "";
}

/* True if the job had ended by the present, as far as the row tells. */
static bool had_ended(const struct state *state, const struct trace_row *row)
{
    sim_span waited = row->queue == TRACE_NO_TIME ? 0 : row->queue;
    return row->submitted == TRACE_NO_TIME ||
           row->submitted + waited + row->duration <= state->at;
}

enum status state_add_history(struct state *state, const char *path,
                              struct error *err)
{
    struct trace_reader *reader;
    struct trace_row row;
    enum status st = trace_open(path, NULL, &reader, err);
    if (st != STATUS_OK)
        return st;
    while ((st = trace_next(reader, &row, err)) == STATUS_OK) {
        if (row.duration == TRACE_NO_TIME || row.duration <= 0 ||
            row.gpus == 0 || !had_ended(state, &row))
            continue;
        struct state_ended *ended = state_add_ended(state);
        ended->user = history_text(state, row.user);
        ended->name = history_text(state, row.name);
        ended->gpus = row.gpus;
        ended->limit = row.declared > 0 ? row.declared : 0;
        ended->ran = row.duration;
    }
    trace_close(reader);
    return st == STATUS_END ? STATUS_OK : st;
}

/* A reader of traces takes a path: the text goes into a file without a name. */
enum status state_add_history_text(struct state *state, const char *name,
                                   struct text text, struct error *err)
{
    char path[64];
    int fd = out_unnamed_file(text);
    if (fd < 0)
        return error_set(err, STATUS_FAILED, "%s: %s", name, strerror(errno));
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    enum status st = state_add_history(state, path, err);
    if (st != STATUS_OK)
        st = error_prefix(err, "%s: ", name);
    close(fd);
    return st;
}
