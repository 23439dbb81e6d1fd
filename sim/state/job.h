/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The public job record: what the cluster was told at submission, and the
 * state, which every part of the program may know. What really happens to the
 * job is in truth.h; what a policy remembers about it is in the policy's own
 * bytes. */
#ifndef SIM_JOB_H
#define SIM_JOB_H

#include <stdbool.h>

#include "sim/base/units.h"

enum job_state {
    JOB_FUTURE,   /* not submitted yet                                       */
    JOB_PENDING,  /* waits for GPUs                                          */
    JOB_RUNNING,  /* holds GPUs                                              */
    JOB_HELD,     /* failed; waits for the delay of the recovery rule, then is
                     pending */
    JOB_FINISHED, /* ran to its recorded end                                 */
    JOB_FAILED,   /* given up by the recovery rule                           */
    JOB_REJECTED, /* can never start, or refused by the policy               */
    JOB_N_STATES
};

#define GPU_TYPE_ANY UINT8_MAX
#define GPU_UTIL_UNKNOWN UINT8_MAX

/* What may be done with the job's shape (Sia, section 2.2). */
enum job_elasticity {
    JOB_RIGID,    /* the GPUs it asked for, always                       */
    JOB_SCALES,   /* any number of GPUs, batch size fixed                */
    JOB_ADAPTIVE, /* any number of GPUs, batch size chosen with it       */
};

/* How much a job slows down the jobs on its GPUs and is slowed down by
 * them (Lucid,
 * ASPLOS'23). */
enum sharing_class {
    SHARING_UNKNOWN,
    SHARING_TINY,
    SHARING_MEDIUM,
    SHARING_JUMBO,
};

struct job {
    job_id id;
    uint32_t gpus;
    sim_time submitted;
    sim_span declared;  /* the user's own estimate, 0 if none            */
    uint32_t user;      /* symbols of the jobset's strings , 0 if none  */
    uint32_t name;      /* job name or script                            */
    uint32_t model;     /* model or application                          */
    uint32_t source_id; /* the trace's own: see jobset_source_id       */
    float mem_mib;      /* GPU memory per GPU, declared; 0 if unknown    */
    uint32_t batch_size;
    uint16_t vc;        /* index into the cluster's virtual clusters     */
    uint8_t gpu_type;   /* asked for, or GPU_TYPE_ANY                    */
    uint8_t state;      /* enum job_state                                */
    uint8_t elasticity; /* enum job_elasticity                           */
    uint8_t gpu_util;   /* profiled, percent of one GPU, or ..._UNKNOWN  */
    uint16_t attempts;  /* starts so far */
    uint16_t usage;     /* model it trains: models/usage/usage.h */
};

_Static_assert(sizeof(struct job) <= 64, "a job fills one cache line");

/* The table of legal moves. */
bool job_may_move(enum job_state from, enum job_state to);
bool job_is_terminal(const struct job *job);

#endif
