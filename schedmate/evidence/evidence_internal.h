/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by the files of schedmate/evidence: the evidence of all jobs of a run.
 */
#ifndef SCHEDMATE_EVIDENCE_INTERNAL_H
#define SCHEDMATE_EVIDENCE_INTERNAL_H

#include "schedmate/evidence/evidence.h"

struct job_evidence {
    struct evidence_command command;
    struct evidence_log log;
    bool has_command, has_log;
};

struct evidence {
    struct job_evidence *jobs; /* by job */
    uint32_t n_jobs;
};

#endif
