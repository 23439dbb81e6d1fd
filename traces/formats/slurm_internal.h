/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by the two formats of Slurm's accounting: the text of `sacct -P` and
 * the JSON of `sacct --json` and `squeue --json`. The format csv and
 * traces/guess read single cells with slurm_end, slurm_tres_read and
 * slurm_gres, and sim/present the jobs that wait or run. */
#ifndef TRACES_SLURM_INTERNAL_H
#define TRACES_SLURM_INTERNAL_H

#include <jansson.h>

#include "traces/trace.h"

enum { SLURM_VC_PARTITION, SLURM_VC_ACCOUNT, SLURM_VC_QOS, SLURM_VC_NONE };
extern const char *const slurm_vcs[];

/* Counts that the reader of either format keeps for its note. */
struct slurm_counts {
    uint64_t steps;      /* rows of steps, which are parts of jobs */
    uint64_t unfinished; /* jobs that wait or run, which get no run time */
    uint64_t above;      /* jobs whose utilisation is above 100 % and is left
                          * out */
};

/* Resources of a job, from Slurm's TRES. 0 or an empty text: not named. */
struct slurm_tres {
    uint32_t gpus, cpus, nodes;
    struct text gpu_type;
    double gpu_util; /* sum over the GPUs of a task, percent; -1: unknown */
    double gpu_mib;  /* sum over the GPUs of a task, MiB; -1: unknown */
    double mem_mib;  /* main memory, MiB; -1: not named */
};

/* Returns how the job ended; TRACE_END_UNKNOWN if it waits or runs or Slurm has
 * no such state. Reads only the first word ("CANCELLED by 1000"), and accepts a
 * word that sacct cut to a width and marked with "+". Sets *state to the whole
 * word, or leaves it unchanged if Slurm has no such state. *unfinished: true if
 * the job waits or runs. */
enum trace_end slurm_end(struct text *state, bool *unfinished);

/* Reads "cpu=8,gres/gpu:a100=2,gres/gpu=2,mem=16G". Skips unknown names,
 * entries without a value, and values with a ':', which are times. Returns
 * false if a number is malformed, negative or above 1e15. */
bool slurm_tres_read(struct text tres, struct slurm_tres *out);

/* Returns the GPUs per node in "gpu:2", "gpu:a100:4" or "gres:gpu:2(S:0-1)", 0
 * if there are none. Only the first entry for GPUs in a list counts. Sets *type
 * if this entry names one, and otherwise leaves it unchanged. */
uint32_t slurm_gres(struct text gres, struct text *type);

/* Reads a time limit: "DAYS-HOURS[:MINUTES[:SECONDS]]", "[H:]MM:SS" or minutes.
 * *out becomes 0 for UNLIMITED, INFINITE, NONE, Partition_Limit, INVALID and an
 * empty text. Returns false for any other text. */
bool slurm_limit_read(struct text t, sim_span *out);

/* Reads a number, or {set, infinite, number}. Returns false if the number is
 * not set, is infinite, negative or at least 1e12, or is no number. */
bool slurm_json_read_number(const json_t *value, double *out);

#endif
