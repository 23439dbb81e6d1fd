/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Traces of Microsoft's internal ITP clusters (ElasticFlow, Gu et al., ASPLOS
 * 2023): job_id,submission_time,duration,num_gpu. Times are seconds;
 * submissions count from the beginning of the collection. The files with
 * deadlines have num_iteration, model_name, batch_size and deadline too, which
 * their authors drew; a deadline counts from the beginning of the collection.
 *
 * Cluster sizes were not published, so the format names no preset. */
#include "traces/columns.h"
#include "traces/trace.h"

static const struct trace_column itp_columns[] = {
    {.names = "job_id", .kind = COLUMN_ID, .required = true},
    {.names = "submission_time",
     .kind = COLUMN_SUBMITTED,
     .required = true,
     .doc_unit = "s",
     .help = "from the beginning of the collection"},
    {.names = "duration",
     .kind = COLUMN_DURATION,
     .required = true,
     .doc_unit = "s"},
    {.names = "num_gpu",
     .kind = COLUMN_GPUS,
     .required = true,
     .doc_unit = "GPUs"},
    {.names = "model_name",
     .kind = COLUMN_MODEL,
     .help = "drawn, not recorded"},
    {.names = "batch_size",
     .kind = COLUMN_BATCH_SIZE,
     .help = "drawn, not recorded"},
    {.names = "deadline",
     .kind = COLUMN_DUE,
     .doc_unit = "s",
     .help = "from the beginning of the collection; drawn, not recorded"},
};

static const struct trace_signature itp_signatures[] = {
    {.sure = 90, .names = {"job_id", "submission_time", "duration", "num_gpu"}},
    {0},
};

const struct trace_ops trace_itp = {
    .name = "itp",
    .summary = "Microsoft ITP 2021, as published with ElasticFlow",
    .columns = itp_columns,
    .n_columns = sizeof itp_columns / sizeof *itp_columns,
    .signatures = itp_signatures,
};
