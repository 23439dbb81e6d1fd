/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tasks of Alibaba's PAI trace of 2020 (MLaaS in the Wild, Weng et al., NSDI
 * 2022) in the form that several simulators read:
 * job_id,arrival_s,service_sec,gpu_count. Times are in seconds; arrival_s is
 * the start of the task, because the trace does not record when a task was
 * submitted. In this form, fractions of GPUs have already been rounded up to
 * whole GPUs, and some run times have been cut at two days.
 *
 * The tables of the trace itself have other columns and no header. */
#include <inttypes.h>
#include <stdio.h>

#include "traces/columns.h"
#include "traces/trace.h"

#define CUT (INT64_C(172800) * SPAN_SECOND)

static const struct trace_column alibaba_pai_columns[] = {
    {.names = "job_id", .kind = COLUMN_ID, .required = true},
    {.names = "arrival_s",
     .kind = COLUMN_SUBMITTED,
     .required = true,
     .doc_unit = "s",
     .help = "start of the task; counts from any instant"},
    {.names = "service_sec",
     .kind = COLUMN_DURATION,
     .required = true,
     .doc_unit = "s"},
    {.names = "gpu_count",
     .kind = COLUMN_GPUS,
     .required = true,
     .doc_unit = "GPUs"},
};

static const struct trace_signature alibaba_pai_signatures[] = {
    {.sure = 90, .names = {"job_id", "arrival_s", "service_sec", "gpu_count"}},
    {0},
};

struct pai {
    uint64_t n_cut; /* rows whose run time is exactly CUT */
};

static void pai_finish(void *state, const struct columns *file,
                       struct trace_row *row)
{
    struct pai *self = state;
    (void)file;
    self->n_cut += row->duration == CUT;
}

static void pai_note(const void *state, char *buf, size_t room)
{
    const struct pai *self = state;
    int n = snprintf(buf, room, "PAI: submissions are starts of tasks");
    if (self->n_cut)
        snprintf(buf + n, room - (size_t)n,
                 "; %" PRIu64 " run times are exactly two days, a cut of the "
                 "source",
                 self->n_cut);
}

const struct trace_ops trace_alibaba_pai = {
    .name = "alibaba-pai",
    .summary = "Alibaba's PAI trace of 2020, one task in each row",
    .state_size = sizeof(struct pai),
    .columns = alibaba_pai_columns,
    .n_columns = sizeof alibaba_pai_columns / sizeof *alibaba_pai_columns,
    .signatures = alibaba_pai_signatures,
    .finish = pai_finish,
    .note = pai_note,
};
