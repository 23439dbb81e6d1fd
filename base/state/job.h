/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The public job record: what the user declared at submission, and the state,
 * which every part of the program may know. What really happens to the job is
 * in truth.h; what a policy remembers about the job is in the policy's own
 * bytes (view_mine). */
#ifndef SIM_JOB_H
#define SIM_JOB_H

#include <assert.h>
#include <stdbool.h>

#include "base/units.h"

enum job_state {
    JOB_FUTURE,   /* not submitted yet */
    JOB_PENDING,  /* waits for GPUs */
    JOB_RUNNING,  /* holds GPUs */
    JOB_HELD,     /* failed; waits for the delay of the recovery rule, then is
                     pending */
    JOB_FINISHED, /* ran to its recorded end */
    JOB_FAILED,   /* given up after a failure or too many starts */
    JOB_REJECTED, /* can never start, or refused by the policy */
    JOB_N_STATES
};

#define GPU_TYPE_ANY UINT8_MAX
/* The cluster has no GPU of the type that the job asks for. Such a job is
 * rejected on arrival. */
#define GPU_TYPE_NONE (UINT8_MAX - 1)
#define GPU_UTIL_UNKNOWN UINT8_MAX

/* How a policy may change the GPUs of a job (Sia, section 2.2). */
enum job_elasticity {
    JOB_RIGID,    /* not at all: it runs on the number that it asks for */
    JOB_SCALES,   /* any number of GPUs with the same total batch size */
    JOB_ADAPTIVE, /* any number of GPUs; the job then chooses a batch size */
};

/* How much a job and the jobs that share its GPUs slow each other down (Lucid,
 * ASPLOS'23). */
enum sharing_class {
    SHARING_UNKNOWN,
    SHARING_TINY,
    SHARING_MEDIUM,
    SHARING_JUMBO,
};

struct job {
    job_id id;
    uint32_t gpus; /* number of GPUs that it asks for; 0: rejected on arrival */
    sim_time submitted; /* time of submission, microseconds, >= 0 */
    sim_span declared;  /* run time that the user declared, us; 0: none */
    /* user, name and model are symbols of jobset.strings; 0: unknown. */
    uint32_t user;
    uint32_t name;       /* job name or script */
    uint32_t model;      /* model or application that it trains */
    uint32_t source_id;  /* identifier in the trace, read by jobset_source_id */
    float mem_mib;       /* memory on each of its GPUs, MiB; 0: unknown */
    uint32_t batch_size; /* samples per step on all GPUs; 0: unknown */
    uint16_t vc;         /* its virtual cluster, an index of cluster.vcs */
    uint8_t gpu_type;    /* index of cluster.types, GPU_TYPE_ANY or _NONE */
    uint8_t state;       /* enum job_state */
    uint8_t elasticity;  /* enum job_elasticity */
    uint8_t gpu_util;    /* percent of one GPU, or GPU_UTIL_UNKNOWN */
    uint16_t attempts;   /* number of its starts so far */
    uint16_t usage;      /* its row in the run's usage table; 0: unknown */
    bool barred;         /* true: the job never shares GPUs (again); see
                          * view_may_share */
};

#define JOB_NO_DEADLINE INT64_MIN
/* What the submitter demands of a job besides struct job. Few traces have any
 * of it, so it lies in a list of its own. */
struct job_terms {
    sim_span deadline; /* from its submission, us; JOB_NO_DEADLINE: none. 0 or
                        * less: missed from the start */
    /* Its priority as the trace writes it, a symbol of jobset.strings; 0: none.
     * Traces disagree on whether a high number comes first. */
    uint32_t priority;
    bool spot; /* of class spot (--job-classes); false: guaranteed */
};
/* What the trace tells of a job for which the simulator keeps no account. Kept
 * only for a run that uses it (load_options.extras). */
struct job_extras {
    uint32_t cpus; /* number of CPUs of the whole job; 0: unknown */
    float mem_mib; /* main memory of the whole job, MiB; 0: unknown */
    uint32_t kind; /* kind of the job, a symbol of jobset.strings; 0: none */
    /* Account that its use is charged to: the virtual cluster that the trace
     * names, a symbol of jobset.strings. 0: none, or the policy has no
     * POLICY_USES_EXTRAS */
    uint32_t account;
};

static_assert(sizeof(struct job) <= 64, "a job fills one cache line");

/* By state: the states to which a job may move, as bits 1 << enum job_state. */
extern const uint8_t job_moves[JOB_N_STATES];

/* True if a job may move from the first state to the second. */
static inline bool job_may_move(enum job_state from, enum job_state to)
{
    return job_moves[from] >> to & 1;
}
static inline bool job_is_terminal(const struct job *job)
{
    return job_moves[job->state] == 0;
}

#endif
