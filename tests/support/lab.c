/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/support/lab.h"

#include <stdio.h>
#include <unistd.h>

#include "base/out.h"
#include "traces/trace.h"

struct lab *lab_new(void)
{
    struct lab *lab = mem_zalloc(1, sizeof *lab);
    snprintf(lab->dir, sizeof lab->dir, "/tmp/schedsim-lab-XXXXXX");
    if (!mkdtemp(lab->dir)) {
        free(lab);
        return NULL;
    }
    snprintf(lab->trace, sizeof lab->trace, "%s/trace.csv", lab->dir);
    snprintf(lab->evidence, sizeof lab->evidence, "%s/trace.evidence.csv",
             lab->dir);
    snprintf(lab->cluster, sizeof lab->cluster, "%s/cluster.json", lab->dir);
    return lab;
}

void lab_free(struct lab *lab)
{
    if (!lab)
        return;
    unlink(lab->trace);
    unlink(lab->evidence);
    unlink(lab->cluster);
    rmdir(lab->dir);
    free(lab);
}

void lab_clear(struct lab *lab)
{
    lab->n_jobs = lab->n_groups = lab->n_changes = 0;
    lab->queues[0] = lab->cohorts[0] = '\0';
}

static enum status write_trace(const struct lab *lab, struct error *err)
{
    struct out *out;
    enum status st = out_open(lab->trace, &out, err);
    if (st != STATUS_OK)
        return st;
    out_text(out, "submitted_unix_s,duration_s,gpus,job_id,name,vc,gpu_type,"
                  "model,end,declared_s,gpu_mem_mib,gpu_util_percent,"
                  "elasticity,batch_size,deadline_s,user,priority\n");
    for (size_t i = 0; i < lab->n_jobs; i++) {
        const struct lab_job *job = &lab->jobs[i];
        out_span(out, job->submitted);
        out_char(out, ',');
        out_span(out, job->runs);
        out_printf(out, ",%u,%zu,%s,%s,%s,%s,%s,", job->gpus, i, job->name,
                   job->vc, job->type, job->model, job->end);
        if (job->declared)
            out_span(out, job->declared);
        out_char(out, ',');
        if (job->mem_mib > 0)
            out_double(out, job->mem_mib);
        out_char(out, ',');
        if (job->util > 0)
            out_double(out, job->util);
        out_printf(out, ",%s,", job->elastic);
        if (job->batch)
            out_u64(out, job->batch);
        out_char(out, ',');
        if (job->deadline)
            out_span(out, job->deadline);
        out_printf(out, ",%s,%s\n", job->user, job->priority);
    }
    return out_close(out, err);
}

/* Writes the side-car of the jobs that have a log. */
static enum status write_evidence(const struct lab *lab, struct error *err)
{
    struct out *out;
    bool any = false;
    for (size_t i = 0; i < lab->n_jobs; i++)
        any |= lab->jobs[i].log[0] != '\0';
    unlink(lab->evidence);
    if (!any)
        return STATUS_OK;
    enum status st = out_open(lab->evidence, &out, err);
    if (st != STATUS_OK)
        return st;
    out_text(out, "job_id,log_style,step_s,start_s,steps,steps_per_epoch,"
                  "log_every,batch_size,step_time\n");
    for (size_t i = 0; i < lab->n_jobs; i++) {
        const struct lab_job *job = &lab->jobs[i];
        if (!job->log[0])
            continue;
        out_printf(out, "%zu,%s,", i, job->log);
        out_span(out, job->step);
        out_printf(out, ",0,1000000,%u,%u,1,%d\n", job->epoch, job->log_every,
                   !job->mute);
    }
    return out_close(out, err);
}

/* Writes the GPU types in the order in which node groups first name them. */
static void write_types(const struct lab *lab, struct out *out)
{
    out_text(out, "\"types\": [");
    for (size_t i = 0; i < lab->n_groups; i++) {
        const struct lab_group *g = &lab->groups[i];
        bool seen = false;
        for (size_t k = 0; k < i; k++)
            seen |= strcmp(lab->groups[k].type, g->type) == 0;
        if (!seen)
            out_printf(out,
                       "%s{\"name\": \"%s\", \"mem_mib\": %g, "
                       "\"speed\": %g}",
                       i ? ", " : "", g->type, g->mem_mib, g->speed);
    }
    out_text(out, "],\n");
}

static enum status write_cluster(const struct lab *lab, struct error *err)
{
    struct out *out;
    const bool nameless = lab->queues[0] != '\0';
    enum status st = out_open(lab->cluster, &out, err);
    if (st != STATUS_OK)
        return st;
    out_text(out, "{\"name\": \"lab\",\n");
    write_types(lab, out);
    out_text(out, "\"nodes\": [");
    for (size_t i = 0; i < lab->n_groups; i++) {
        const struct lab_group *g = &lab->groups[i];
        out_printf(out,
                   "%s{\"count\": %u, \"gpus\": %u, \"type\": \"%s\", "
                   "\"vc\": \"%s\", \"rack\": %u, \"profiler\": %s}",
                   i ? ",\n" : "", g->count, g->gpus, g->type,
                   nameless && strcmp(g->vc, "default") == 0 ? "all" : g->vc,
                   g->rack, g->profiler ? "true" : "false");
    }
    out_text(out, "],\n\"changes\": [");
    for (size_t i = 0; i < lab->n_changes; i++) {
        const struct capacity_change *c = &lab->changes[i];
        out_printf(out, "%s{\"at_s\": ", i ? ", " : "");
        out_span(out, c->at);
        out_printf(out, ", \"node\": %u, \"up\": %s}", c->node,
                   c->up ? "true" : "false");
    }
    out_text(out, "]");
    if (nameless) {
        out_text(out, ",\n\"queues\": [");
        out_text(out, lab->queues);
        out_text(out, "],\n\"cohorts\": [");
        out_text(out, lab->cohorts);
        out_char(out, ']');
    }
    out_text(out, "}\n");
    return out_close(out, err);
}

struct lab_job *lab_add_job(struct lab *lab, double at, double runs,
                            uint32_t gpus)
{
    struct lab_job *job = &lab->jobs[lab->n_jobs];
    *job = (struct lab_job){.submitted = span_from_seconds(at),
                            .runs = span_from_seconds(runs),
                            .gpus = gpus,
                            .end = "completed"};
    snprintf(job->name, sizeof job->name, "j%zu", lab->n_jobs++);
    return job;
}

enum status lab_write(struct lab *lab, struct error *err)
{
    enum status st = write_trace(lab, err);
    if (st == STATUS_OK)
        st = write_evidence(lab, err);
    return st == STATUS_OK ? write_cluster(lab, err) : st;
}

enum status lab_prepare(const struct lab *lab, struct run_config config,
                        struct run **out, struct error *err)
{
    *out = NULL;
    config.trace = lab->trace;
    config.cluster = lab->cluster;
    config.load.from = config.load.to = TRACE_NO_TIME;
    if (!config.format)
        config.format = "native";
    return run_prepare(&config, out, err);
}

enum status lab_run(const struct lab *lab, struct run_config config,
                    struct run **out, struct error *err)
{
    enum status st = lab_prepare(lab, config, out, err);
    if (st != STATUS_OK)
        return st;
    st = run_execute(*out, err);
    if (st != STATUS_OK && st != STATUS_INCOMPLETE) {
        run_free(*out);
        *out = NULL;
    }
    return st;
}

size_t lab_attempts(const struct ledger *ledger, job_id job,
                    const struct attempt **out, size_t room)
{
    size_t n = 0;
    for (uint32_t at = ledger->last_attempt[job]; at != ATTEMPT_NONE;
         at = ledger->attempts[at].previous)
        n++;
    size_t i = n;
    for (uint32_t at = ledger->last_attempt[job]; at != ATTEMPT_NONE;
         at = ledger->attempts[at].previous) {
        if (--i < room)
            out[i] = &ledger->attempts[at];
    }
    return n;
}

const char *lab_state_name(enum job_state state)
{
    static const char *const names[JOB_N_STATES] = {
        [JOB_FUTURE] = "future",     [JOB_PENDING] = "pending",
        [JOB_RUNNING] = "running",   [JOB_HELD] = "held",
        [JOB_FINISHED] = "finished", [JOB_FAILED] = "failed",
        [JOB_REJECTED] = "rejected",
    };
    return names[state];
}
