/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A policy that does what a test tells it, at the time the test names, and logs
 * the events that it is shown. So tests reach all calls of plan.h in the
 * engine, also calls that no policy of the registry makes. */
#ifndef TESTS_PROBES_SCRIPT_H
#define TESTS_PROBES_SCRIPT_H

#include "tests/support/rig.h"

enum deed_kind {
    DEED_START,        /* on the GPUs that the job asked for */
    DEED_START_AS,     /* in the shape `type`, `gpus` */
    DEED_START_ON,     /* on the first `gpus` GPUs of node `other` */
    DEED_START_ACROSS, /* on one GPU of node `other` and one of node `gpus` */
    DEED_SHARE,        /* together with the job `other` */
    DEED_PROFILE,      /* for `seconds` */
    DEED_STOP,
    DEED_LEND,       /* lend node `other` */
    DEED_TAKE_BACK,  /* take back node `other` */
    DEED_IMAGINE,    /* imagine that the job were gone */
    DEED_WAKE,       /* wake at `seconds` */
    DEED_WAKE_AFTER, /* wake after `seconds` */
    DEED_WAKE_ROUND, /* wake at the next round of length `seconds` */
    DEED_REST,       /* rest until `seconds` */
};

/* Value of deed.at for a deed that is done at each decision. */
#define DEED_ALWAYS (-1.0)

struct deed {
    double at; /* time of the one decision at which the deed is done, s */
    enum deed_kind kind;
    job_id job;
    double seconds;
    uint8_t type;
    uint32_t gpus, other;
    bool refused; /* true if the call must return false */
};

enum { SCRIPT_LOG = 4096, SCRIPT_DEEDS = 32 };

struct script {
    const struct deed *deeds;
    size_t n_deeds; /* number of deeds, at most SCRIPT_DEEDS */
    /* Gives the names of jobs for the log; NULL: the log has their numbers. */
    const struct jobset *jobs;
    /* what the policy observed, one line per instant: "10 finished a, submitted
     * b
     * " */
    char log[SCRIPT_LOG];
    size_t n_log;
    bool done[SCRIPT_DEEDS]; /* by deed: true if its time has come */
    /* first deed with an unexpected outcome: refused or not; NULL: none */
    const struct deed *surprise;
};

/* The policy. Its config is a struct script, to which the policy writes. */
extern const struct policy_ops script_policy;

/* Writes the attempts of a job, such as "0..10 profiled@2, 10..30 finished@0",
 * with the node after the @. A plus marks an attempt that was co-located:
 * "0..10+". */
const char *script_attempts(const struct rig *rig, job_id job, char *out,
                            size_t room);

#endif
