/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A policy that performs the deeds which a test lists, at their times, and logs
 * the events that it is shown. With it, tests make all calls of plan.h in a
 * running engine, also calls that no policy of the registry makes. */
#ifndef TESTS_PROBES_SCRIPT_H
#define TESTS_PROBES_SCRIPT_H

#include "tests/support/rig.h"

enum deed_kind {
    DEED_START,    /* start on GPUs that the placer chooses, as the job asked */
    DEED_START_AS, /* start on `gpus` GPUs of type `type` */
    DEED_START_ON, /* start on the first `gpus` GPUs of node `other` */
    /* start on one GPU of node `other` and one of node `gpus` */
    DEED_START_ACROSS,
    DEED_SHARE,   /* start on the GPUs of the running job `other` */
    DEED_PROFILE, /* profile the job for `seconds` */
    DEED_STOP,
    DEED_LEND,       /* lend node `other` */
    DEED_TAKE_BACK,  /* take back node `other` */
    DEED_IMAGINE,    /* imagine_gone: plan as if the job had left its GPUs */
    DEED_WAKE,       /* wake the policy at time `seconds` */
    DEED_WAKE_AFTER, /* wake the policy after `seconds` */
    DEED_WAKE_ROUND, /* wake the policy at the next multiple of `seconds` */
    DEED_REST,       /* make no decision before time `seconds` */
};

/* Value of deed.at for a deed that is done at each decision. */
#define DEED_ALWAYS (-1.0)

struct deed {
    /* time of the decision at which the deed is done, s, or DEED_ALWAYS */
    double at;
    enum deed_kind kind;
    job_id job;
    double seconds;
    uint8_t type;
    uint32_t gpus, other;
    bool refused; /* true if the plan must refuse the deed */
};

enum { SCRIPT_LOG = 4096, SCRIPT_DEEDS = 32 };

struct deed_script {
    const struct deed *deeds;
    size_t n_deeds; /* number of deeds, at most SCRIPT_DEEDS */
    /* the jobs, to log their names; NULL: the log has their numbers */
    const struct jobset *jobs;
    /* the events that the policy was shown, one line per instant, such as
     * "10 finished a, submitted b" */
    char log[SCRIPT_LOG];
    size_t n_log;
    /* by deed: true if the time of the deed has come */
    bool done[SCRIPT_DEEDS];
    /* first deed that was refused but should not have been, or the reverse;
     * NULL: none */
    const struct deed *surprise;
};

/* The policy. Its config points to a struct deed_script *. The policy changes
 * that script. */
extern const struct policy_ops script_policy;

/* Writes the attempts of a job to `out`, and returns `out`. Example: "0..10
 * profiled@2, 10..30 finished@0" has start and end in seconds, how the attempt
 * ended, and its node ("@0+1": nodes 0 and 1). "0..10+" marks an attempt that
 * shared GPUs. */
const char *script_attempts(const struct rig *rig, job_id job, char *out,
                            size_t room);

#endif
