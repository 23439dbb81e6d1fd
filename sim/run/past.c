/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/run/past.h"

#include <string.h>

#include "sim/run/gather_evidence.h"
#include "traces/shelf.h"
#include "traces/trace.h"

/* Returns the run's symbol for the text of a symbol of another jobset; 0 for
 * symbol 0. */
static uint32_t symbol(struct run *run, const struct jobset *from, uint32_t old)
{
    if (!old)
        return 0;
    return interner_add(&run->result.jobset.strings,
                        text_from(jobset_string(from, old)));
}

/* Returns the index in the cluster of the virtual cluster that a symbol of
 * another jobset names: 0 if the cluster has only one, UINT16_MAX if it has
 * several and none of this name. */
static uint16_t vc_of(const struct run *run, const struct jobset *from,
                      uint16_t symbol)
{
    if (run->spec.n_vcs == 1)
        return 0;
    return cluster_vc_find(&run->result.cluster,
                           interner_string(&from->vcs, symbol));
}

/* Returns the identifier by which a side-car names a job of another jobset, as
 * the run stores it: a number as it is, a text as a symbol of the run. */
static uint32_t source_id(struct run *run, const struct jobset *from,
                          uint32_t old)
{
    return old & SOURCE_ID_NUMBER ? old : symbol(run, from, old);
}

static void take(struct run *run, const struct jobset *from)
{
    bool has_evidence = gather_sidecar(run, run->config.train) != NULL;
    sim_time zero = run->result.jobset.zero;
    run->past = mem_alloc((from->n_jobs + (size_t)1) * sizeof *run->past);
    for (uint32_t i = 0; i < from->n_jobs; i++) {
        struct job job = from->jobs[i];
        sim_span ran = jobset_duration(from, i);
        job.submitted += from->zero - zero;
        if (job.submitted + ran > 0)
            continue;
        job.id = JOB_NONE;
        job.user = symbol(run, from, job.user);
        job.name = symbol(run, from, job.name);
        job.model = symbol(run, from, job.model);
        job.source_id = has_evidence ? source_id(run, from, job.source_id) : 0;
        job.vc = vc_of(run, from, from->names[i].vc);
        run->past[run->n_past++] = (struct past_job){
            job, ran, job.submitted + ran, from->truths[i].aborts};
    }
}

enum status past_load(struct run *run, struct error *err)
{
    struct jobset from;
    struct load_options options = {
        .from = TRACE_NO_TIME,
        .to = run->result.jobset.zero - 1,
        .vc = run->config.load.vc,
    };
    if (!run->config.train)
        return STATUS_OK;
    const char *format = strcmp(run->config.train, run->config.trace) == 0
                             ? run->config.format
                             : NULL;
    enum status st = shelf_load(run->config.shelf, run->config.train, format,
                                &options, &from, err);
    if (st != STATUS_OK)
        return st;
    take(run, &from);
    compose_note(
        run, "train", "sha256", from.digest,
        "SHA-256 of the trace that estimators learned from before the run",
        NULL);
    compose_file(run, "train", run->config.train, from.digest);
    jobset_fini(&from);
    return STATUS_OK;
}
