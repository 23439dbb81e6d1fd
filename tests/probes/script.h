/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A policy that does what a test tells it at the time the test names, and logs
 * what it is shown. So tests reach every call of plan.h in the engine, also the
 * calls that no policy of the registry makes. */
#ifndef TESTS_PROBES_SCRIPT_H
#define TESTS_PROBES_SCRIPT_H

#include "tests/support/rig.h"

enum deed_kind {
    DEED_START,        /* as the job asked */
    DEED_START_AS,     /* in the shape type, gpus */
    DEED_START_ON,     /* the first `gpus` GPUs of node `other` */
    DEED_START_ACROSS, /* one GPU of node `other`, one of node `gpus` */
    DEED_SHARE,        /* with the job `other` */
    DEED_PROFILE,      /* for `seconds` */
    DEED_STOP,
    DEED_LEND,       /* node `other` */
    DEED_TAKE_BACK,  /* node `other` */
    DEED_IMAGINE,    /* as if the job were gone */
    DEED_WAKE,       /* at `seconds` */
    DEED_WAKE_AFTER, /* `seconds` after now */
    DEED_WAKE_ROUND, /* at the next round of length `seconds` */
    DEED_REST,       /* until `seconds` */
};

/* Value of deed.at: the deed is done at every decision. */
#define DEED_ALWAYS (-1.0)

struct deed {
    double at; /* time of the decision at which the deed is done, once */
    enum deed_kind kind;
    job_id job;
    double seconds;
    uint8_t type;
    uint32_t gpus, other;
    bool refused; /* the call must return false */
};

enum { SCRIPT_LOG = 4096, SCRIPT_DEEDS = 32 };

struct script {
    const struct deed *deeds;
    size_t n_deeds; /* at most SCRIPT_DEEDS */
    /* Jobs whose names the log has; NULL: it has their numbers. */
    const struct jobset *jobs;
    char log[SCRIPT_LOG]; /* what the policy observed, a line for each instant:
                             "10 finished a, submitted b\n" */
    size_t n_log;
    bool done[SCRIPT_DEEDS];     /* by deed: its time has come */
    const struct deed *surprise; /* first deed that fitted although it should be
                                    refused, or the reverse; NULL: none */
};

/* The policy; its config is a struct script, to which it writes. */
extern const struct policy_ops script_policy;

/* Writes the attempts of a job, such as "0..10 profiled@2, 10..30 finished@0",
 * with the node after the @. A plus marks an attempt that was co-located:
 * "0..10+". */
const char *script_attempts(const struct rig *rig, job_id job, char *out,
                            size_t room);

#endif
