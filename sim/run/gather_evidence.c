/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/run/gather_evidence.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "models/estimators/estimator.h"
#include "schedmate/simulated/evidence/evidence.h"
#include "traces/evidence/sidecar.h"

static void note_count(struct run *run, const char *key, uint32_t n,
                       const char *help)
{
    char text[16];
    snprintf(text, sizeof text, "%" PRIu32, n);
    compose_note(run, "evidence", key, text, help, NULL);
}

/* Records how many jobs have evidence. Adds a remark if no job has any, as with
 * the side-car of another trace. */
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
        remarks_add(&run->result.remarks, REMARK_CONCLUSION,
                    "--evidence: there is none for any of the %" PRIu32 " jobs",
                    jobs->n_jobs);
}

/* Returns the path of the repositories that come with the program, which have
 * an index: in traces/evidence of a folder above the binary (a build folder in
 * the tree) or in share/schedsim beside the binary (a build folder elsewhere)
 * or beside its folder (an installation), else below the working directory. */
static const char *own_folder(struct arena *arena)
{
    static const char *const below[] = {"traces/evidence",
                                        "share/schedsim/traces/evidence"};
    char program[PATH_MAX], path[2 * PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);
    for (int up = 1; n > 0 && up <= 3; up++) {
        const char *slash = memrchr(program, '/', (size_t)n);
        n = slash ? slash - program : 0;
        for (size_t i = 0; n > 0 && i < sizeof below / sizeof *below; i++) {
            snprintf(path, sizeof path, "%.*s/%s/index.json", (int)n, program,
                     below[i]);
            if (access(path, R_OK) == 0)
                return arena_copy(arena, path,
                                  strlen(path) - strlen("/index.json"));
        }
    }
    return below[0];
}

/* Reads a side-car, whose paths may be in the folder that the user names and
 * among the repositories beside the binary. */
static enum status read_paths(struct run *run, const char *path,
                              const struct run_env *env, struct evidence **out,
                              char sha256[DIGEST_HEX_MAX], struct error *err)
{
    const char *roots[3] = {0}, *own = own_folder(&run->result.arena);
    size_t n = 0;
    if (run->config.evidence_root)
        roots[n++] = run->config.evidence_root;
    if (run->config.evidence_root && access(roots[0], X_OK) != 0)
        return error_set(err, STATUS_USAGE, "--evidence-root: %s: %s", roots[0],
                         strerror(errno));
    if (own[0] == '/')
        roots[n++] = own;
    return evidence_read(path, roots, env, out, sha256, err);
}

static enum status generate(struct run *run, struct error *err)
{
    struct arena *arena = &run->result.arena;
    const struct run_env env = compose_env(run);
    const char *folder = own_folder(arena);
    struct out *path = out_to_memory();
    out_printf(path, "%s/index.json", folder);
    out_char(path, '\0');
    const char *index =
        arena_copy(arena, out_memory(path).at, out_memory(path).len);
    out_abandon(path);
    if (access(index, R_OK) != 0)
        return error_set(err, STATUS_USAGE,
                         "--evidence generated: no %s near the program or "
                         "here, nor in share/schedsim, where `meson install` "
                         "puts it",
                         index);
    enum status st = evidence_generate(folder, &env, &run->evidence, err);
    if (st != STATUS_OK)
        return st;
    const char *sha256 = compose_file(run, "evidence", index, NULL);
    compose_note(run, "evidence", "index_sha256", sha256,
                 "SHA-256 of the index of repositories from which evidence is "
                 "made up",
                 "traces/evidence/index.json, assumed");
    return STATUS_OK;
}

static enum status read_sidecar(struct run *run, const char *path,
                                struct error *err)
{
    char sha256[DIGEST_HEX_MAX];
    const struct run_env env = compose_env(run);
    enum status st = read_paths(run, path, &env, &run->evidence, sha256, err);
    if (st != STATUS_OK)
        return st;
    compose_note(run, "evidence", "sha256", sha256,
                 "SHA-256 of the side-car: what each job submitted and logs",
                 NULL);
    compose_file(run, "evidence", path, sha256);
    return STATUS_OK;
}

const char *gather_sidecar(struct run *run, const char *trace)
{
    if (!trace || strcmp(trace, "-") == 0)
        return NULL;
    const char *path = sidecar_path(trace, &run->result.arena);
    return access(path, F_OK) == 0 ? path : NULL;
}

/* Reads the side-car of the trace of --train, if there is one. */
static enum status gather_past(struct run *run, struct error *err)
{
    const char *path = gather_sidecar(run, run->config.train);
    char sha256[DIGEST_HEX_MAX];
    struct run_env env = compose_env(run);
    if (!path || !run->n_past)
        return STATUS_OK;
    struct job *jobs = mem_alloc(run->n_past * sizeof *jobs);
    for (uint32_t i = 0; i < run->n_past; i++)
        jobs[i] = run->past[i].job;
    env.jobs = jobs;
    env.n_jobs = run->n_past;
    enum status st =
        read_paths(run, path, &env, &run->past_evidence, sha256, err);
    free(jobs);
    if (st == STATUS_OK) {
        compose_note(run, "evidence", "train_sha256", sha256,
                     "SHA-256 of the side-car of --train", NULL);
        compose_file(run, "evidence of train", path, sha256);
    }
    return st;
}

enum status gather_evidence(struct run *run, struct error *err)
{
    const char *path = run->config.evidence;
    enum status st = STATUS_OK;
    if (!path)
        path = gather_sidecar(run, run->config.trace);
    if (path && strcmp(path, "generated") == 0)
        st = generate(run, err);
    else if (path)
        st = read_sidecar(run, path, err);
    if (path && st == STATUS_OK)
        count_jobs(run);
    return st == STATUS_OK ? gather_past(run, err) : st;
}
