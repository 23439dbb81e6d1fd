/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A policy that does what a test tells it, when it tells it, and writes down
 * what it is shown: so every call of plan.h reaches the engine, those too that
 * no policy of the registry makes. */
#ifndef TESTS_PROBES_SCRIPT_H
#define TESTS_PROBES_SCRIPT_H

#include "tests/support/rig.h"

enum deed_kind {
    DEED_START,        /* as it asked                           */
    DEED_START_AS,     /* in the shape type, gpus               */
    DEED_START_ON,     /* the first `gpus` GPUs of node `other` */
    DEED_START_ACROSS, /* one GPU of node `other`, one of `gpus` */
    DEED_SHARE,        /* with the job `other`                  */
    DEED_PROFILE,      /* for `seconds`                         */
    DEED_RESIZE,       /* to the shape type, gpus               */
    DEED_STOP,
    DEED_REJECT,
    DEED_LEND,      /* node `other` */
    DEED_TAKE_BACK, /* likewise */
    DEED_IMAGINE,   /* gone                  */
    DEED_WAKE,      /* at `seconds`          */
    DEED_REST,      /* until `seconds`       */
};

struct deed {
    double at; /* the instant in which it is done */
    enum deed_kind kind;
    job_id job;
    double seconds;
    uint8_t type;
    uint32_t gpus, other;
};

enum { SCRIPT_LOG = 4096 };

struct script {
    const struct deed *deeds;
    size_t n_deeds;
    char log[SCRIPT_LOG]; /* "10: finished 0, submitted 1\n" an instant */
    size_t n_log;
    unsigned refused; /* calls that answered false */
};

/* The policy; its config is a struct script, which it writes to. */
extern const struct policy_ops script_policy;

/* "0..10 profiled@2, 10..30 finished@0", node by node; what has a plus ran in
 * company: "0..10+". */
const char *script_attempts(const struct rig *rig, job_id job, char *out,
                            size_t room);

#endif
