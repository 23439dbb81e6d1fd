/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A job runs at the speed of the GPU type, and only on exactly as many GPUs as
 * it asked for. */
#include "models/elastic/throughput.h"

static double rigid_rate(const struct throughput *model,
                         const struct cluster *cluster, const struct job *job,
                         struct shape shape)
{
    (void)model;
    if (shape.gpus != job->gpus)
        return 0;
    return cluster->types[shape.gpu_type].speed;
}

const struct throughput_ops throughput_rigid = {
    .name = "rigid",
    .summary = "fixed number of GPUs, speed of the GPU type",
    .rate = rigid_rate,
};
