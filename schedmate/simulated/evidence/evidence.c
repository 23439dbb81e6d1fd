/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "schedmate/simulated/evidence/evidence_internal.h"

bool evidence_command(const struct evidence *evidence, const struct job *job,
                      struct evidence_command *out)
{
    if (job->id >= evidence->n_jobs || !evidence->jobs[job->id].has_command)
        return false;
    *out = evidence->jobs[job->id].command;
    return true;
}

bool evidence_log(const struct evidence *evidence, const struct job *job,
                  struct evidence_log *out)
{
    if (job->id >= evidence->n_jobs || !evidence->jobs[job->id].has_log)
        return false;
    *out = evidence->jobs[job->id].log;
    return true;
}
