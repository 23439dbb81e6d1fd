/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The evidence of all jobs of a run, which the files of schedmate/evidence
 * share. */
#ifndef SCHEDMATE_EVIDENCE_INTERNAL_H
#define SCHEDMATE_EVIDENCE_INTERNAL_H

#include "schedmate/simulated/evidence/evidence.h"

struct job_evidence {
    struct evidence_command command;
    struct evidence_log log;
    bool has_command, has_log;
};

struct evidence {
    struct job_evidence *jobs; /* by job_id */
    uint32_t n_jobs;
};

#endif
