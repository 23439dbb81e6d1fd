/* SPDX-License-Identifier: GPL-3.0-or-later */
/* job_info_df.csv of Alibaba's spot-GPU trace of 2026 (GFS, Duan et al., ASPLOS
 * 2026): job_name,organization,gpu_model,cpu_request,gpu_request,worker_num,
 * submit_time,duration,job_type. Times are seconds; submissions count from the
 * first job. A job has worker_num workers, each with gpu_request GPUs and
 * cpu_request cores. job_type is HP (high priority) or Spot. */
#include "traces/columns.h"
#include "traces/trace.h"

static const struct trace_column alibaba_spot_columns[] = {
    {.names = "job_name", .kind = COLUMN_ID, .required = true},
    {.names = "organization", .kind = COLUMN_USER},
    {.names = "gpu_model", .kind = COLUMN_GPU_TYPE, .required = true},
    {.names = "cpu_request", .kind = COLUMN_CPUS, .help = "cores of a worker"},
    {.names = "gpu_request",
     .kind = COLUMN_GPUS,
     .required = true,
     .doc_unit = "GPUs",
     .help = "GPUs of a worker"},
    {.names = "worker_num",
     .kind = COLUMN_NODES,
     .required = true,
     .filled = true,
     .help = "workers; a worker runs on one node"},
    {.names = "submit_time",
     .kind = COLUMN_SUBMITTED,
     .required = true,
     .doc_unit = "s",
     .help = "from the first submission"},
    {.names = "duration",
     .kind = COLUMN_DURATION,
     .required = true,
     .doc_unit = "s"},
    {.names = "job_type",
     .kind = COLUMN_PRIORITY,
     .help = "HP or Spot; kept as the priority"},
};

static const struct trace_signature alibaba_spot_signatures[] = {
    {.sure = 95,
     .names = {"job_name", "organization", "gpu_model", "gpu_request",
               "worker_num", "submit_time", "duration"}},
    {0},
};

/* Returns the product, or UINT32_MAX if the product is larger. */
static uint32_t alibaba_spot_times(uint32_t a, uint32_t b)
{
    const uint64_t product = (uint64_t)a * b;
    return product > UINT32_MAX ? UINT32_MAX : (uint32_t)product;
}

static void spot_finish(void *state, const struct columns *file,
                        struct trace_row *row)
{
    (void)state;
    (void)file;
    row->gpus = alibaba_spot_times(row->gpus, row->nodes);
    row->cpus = alibaba_spot_times(row->cpus, row->nodes);
}

const struct trace_ops trace_alibaba_spot = {
    .name = "alibaba-spot",
    .summary = "Alibaba's spot-GPU trace of 2026: job_info_df.csv",
    .columns = alibaba_spot_columns,
    .n_columns = sizeof alibaba_spot_columns / sizeof *alibaba_spot_columns,
    .signatures = alibaba_spot_signatures,
    .finish = spot_finish,
};
