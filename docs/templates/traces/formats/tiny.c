/* SPDX-License-Identifier: GPL-3.0-or-later */
/* id,submit,gpus,seconds: seconds since 1970 UTC. */
#include "traces/columns.h"
#include "traces/trace.h"

static const struct trace_column columns[] = {
    {.names = "id", .kind = COLUMN_ID, .required = true},
    {.names = "submit", .kind = COLUMN_SUBMITTED, .required = true},
    {.names = "gpus", .kind = COLUMN_GPUS, .required = true},
    {.names = "seconds", .kind = COLUMN_DURATION, .required = true},
};

static const struct trace_signature signatures[] = {
    {.sure = 90, .names = {"id", "submit", "gpus", "seconds"}},
    {0},
};

const struct trace_ops trace_tiny = {
    .name = "tiny",
    .summary = "id,submit,gpus,seconds",
    .columns = columns,
    .n_columns = sizeof columns / sizeof *columns,
    .signatures = signatures,
};
