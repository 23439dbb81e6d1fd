/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The limit that ends a run which makes no progress, and the message to the
 * user about the jobs that are left. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "sim/engine/engine_internal.h"

bool engine_is_stalled(const struct engine *e)
{
    const struct board *b = &e->board;
    return b->n_in[JOB_RUNNING] == 0 && b->n_in[JOB_HELD] == 0 &&
           e->next_submitted == TIME_NEVER;
}

bool limits_are_stalled(const struct engine *e)
{
    uint32_t limit = e->parts.config.stall;
    return limit && e->n_stalled >= limit && engine_is_stalled(e);
}

job_id engine_first_stuck(const struct engine *e)
{
    for (uint16_t vc = 0; vc < e->parts.cluster->n_vcs; vc++) {
        job_id first = e->board.pending[vc].first;
        if (first != JOB_NONE)
            return first;
    }
    return JOB_NONE;
}

/* Appends which of the limits faults_max and stall_changes has ended the run,
 * if one has. */
static void explain_limit(const struct engine *e, char *out, size_t room)
{
    if (limits_are_flooded(e))
        snprintf(out, room,
                 "; %" PRIu32 " faults and failures of jobs (--engine "
                 "faults_max)",
                 e->parts.config.faults_max);
    else if (limits_are_stalled(e))
        snprintf(out, room,
                 "; %" PRIu32 " failures and returns of nodes in a row let no "
                 "job start (--engine stall_changes)",
                 e->n_stalled);
}

void engine_explain_stuck(const struct engine *e, const char *id, char *out,
                          size_t room)
{
    const struct board *b = &e->board;
    job_id first = engine_first_stuck(e);
    if (first == JOB_NONE) {
        int len = snprintf(out, room, "%" PRIu32 " jobs still running",
                           b->n_in[JOB_RUNNING]);
        explain_limit(e, out + len, room - (size_t)len);
        return;
    }
    uint16_t vc = b->jobs[first].vc;
    snprintf(out, room,
             "%" PRIu32 " waiting in virtual cluster %s, first job %.60s"
             " for %" PRIu32 " GPUs of which %" PRIu32 " are free",
             b->pending[vc].count, e->parts.cluster->vcs[vc], id,
             b->jobs[first].gpus, cluster_vc_free(e->parts.cluster, vc));
    size_t n = strlen(out);
    explain_limit(e, out + n, room - n);
}
