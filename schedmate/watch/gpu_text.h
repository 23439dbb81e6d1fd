/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads utilisation and memory of GPUs from the texts of NVIDIA's tools and of
 * other exporters for Prometheus:
 *
 *   dcgm-exporter   DCGM_FI_DEV_GPU_UTIL{gpu="0",UUID="GPU-1",...} 87
 *   dcgmi dmon      a table with columns such as GPUTL and FBUSD
 *   nvidia-smi --query-gpu=index,utilization.gpu,memory.used --format=csv
 *   nvidia-smi dmon a table with columns gpu, sm and fb
 *
 * A value out of its range is refused. A value that the tool does not know
 * ("-", "N/A", DCGM's blank values) is left out. */
#ifndef SIM_WATCH_GPU_TEXT_H
#define SIM_WATCH_GPU_TEXT_H

#include "base/text.h"

/* One reading of one GPU. Numbers that are not known are -1. */
struct gpu_sample {
    struct text node, index, uuid; /* empty: not known */
    struct text job;               /* the job or pod that the tool names, or
                                    * empty */
    double util;                   /* percent, 0 to 100 */
    double mem_mib;                /* used memory, MiB */
};

enum { GPU_COLUMNS_MAX = 64 };
/* What the lines of a text mean; all zeroes before its first line. */
struct gpu_format {
    enum { GPU_UNKNOWN, GPU_PROMETHEUS, GPU_TABLE, GPU_CSV } kind;
    /* number of the column, from 0; -1: none */
    int index, uuid, util, mem;
    double mem_unit;  /* unit of the column `mem`, MiB */
    uint64_t refused; /* values out of range */
    bool strange;     /* true if a header without usable columns was read */
};

/* Reads one line. Returns true if it gives a sample, whose texts point into the
 * line. Lines of dcgm-exporter give one figure each. */
bool gpu_text_line(struct gpu_format *format, struct text line,
                   struct gpu_sample *out);

#endif
