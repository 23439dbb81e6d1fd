/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Work per time of a job by GPU type, GPU count, nodes and batch size. The
 * frame of reference: a rigid job alone on the GPUs it asked for, of a type of
 * speed 1, works at rate 1. */
#ifndef MODELS_THROUGHPUT_H
#define MODELS_THROUGHPUT_H

#include "sim/base/option.h"
#include "sim/cluster.h"
#include "sim/job.h"

struct shape {
    uint8_t gpu_type; /* never GPU_TYPE_ANY */
    uint32_t gpus, nodes;
};

struct throughput_ops {
    const char *name, *summary;
    const struct option *options;
    size_t config_size;
    /* > 0, or 0 if the job cannot run in this shape. Pure. */
    double (*rate)(const void *config, const struct cluster *cluster,
                   const struct job *job, struct shape shape);
};

struct throughput {
    const struct throughput_ops *ops;
    const void *config;
};

#endif
