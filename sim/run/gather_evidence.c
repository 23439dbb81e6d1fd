/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/run/gather_evidence.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "models/evidence/evidence.h"
#include "traces/evidence/sidecar.h"

static void note_count(struct run *run, const char *key, uint32_t n,
                       const char *help)
{
    char text[16];
    snprintf(text, sizeof text, "%" PRIu32, n);
    compose_note(run, "evidence", key, text, help, NULL);
}

/* Records how many jobs have evidence. A side-car of another trace has none. */
static void count_jobs(struct run *run)
{
    const struct jobset *jobs = &run->result.jobset;
    uint32_t n_commands = 0, n_logs = 0;
    for (uint32_t i = 0; i < jobs->n_jobs; i++) {
        struct evidence_command command;
        struct evidence_log log;
        n_commands += evidence_command(run->evidence, &jobs->jobs[i], &command);
        n_logs += evidence_log(run->evidence, &jobs->jobs[i], &log);
    }
    note_count(run, "jobs_with_command", n_commands,
               "jobs whose launch command is known");
    note_count(run, "jobs_with_log", n_logs, "jobs that leave a log");
    if (n_commands + n_logs == 0)
        remarks_add(&run->result.remarks,
                    "--evidence: the file has a row for none of the %" PRIu32
                    " jobs",
                    jobs->n_jobs);
}

enum status gather_evidence(struct run *run, struct error *err)
{
    struct arena *arena = &run->result.arena;
    const char *path = run->config.evidence;
    char sha256[DIGEST_HEX_MAX];
    if (!path && strcmp(run->config.trace, "-") != 0) {
        path = sidecar_path(run->config.trace, arena);
        path = access(path, F_OK) == 0 ? path : NULL;
    }
    if (!path)
        return STATUS_OK;
    const struct run_env env = compose_env(run);
    enum status st = evidence_read(path, &env, &run->evidence, sha256, err);
    if (st != STATUS_OK)
        return st;
    compose_note(run, "evidence", "sha256", sha256,
                 "SHA-256 of the side-car: what each job submitted and logs",
                 NULL);
    compose_file(run, "evidence", path, sha256);
    count_jobs(run);
    return STATUS_OK;
}
