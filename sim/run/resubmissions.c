/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/run/resubmissions.h"

#include <inttypes.h>

#include "base/rng.h"
#include "base/state/truth.h"
#include "models/failures/causes.h"
#include "sim/run/compose_internal.h"

struct linked_config {
    sim_span link;
};

static const struct option linked_options[] = {
    OPT_SPAN(struct linked_config, link, "link_s", 3600, 1e-6, SECONDS_MAX,
             "longest time from the end of a failed row to the submission of "
             "the row that continues it",
             "assumed: an hour"),
    {0},
};

enum status resubmissions_read(struct run *run, struct load_options *options,
                               struct error *err)
{
    static const char *const names[] = {"off", "linked"};
    struct linked_config config;
    struct spec spec;
    const char *text = run->config.chains ? run->config.chains : "off";
    enum status st = spec_parse("chains", text_from(text), &spec, err);
    if (st != STATUS_OK)
        return st;
    bool linked = text_is(spec.name, "linked");
    if (!linked && !text_is(spec.name, "off")) {
        const char *near = text_nearest(spec.name, names, 2);
        return error_set(err, STATUS_USAGE,
                         "--chains: '%.*s' is neither off nor linked%s%s%s",
                         TEXT_ARGS(spec.name), near ? "; did you mean '" : "",
                         near ? near : "", near ? "'?" : "");
    }
    const struct option *rows = linked ? linked_options : NULL;
    st = spec_apply(&spec, rows, &config, "chains", &run->result.arena, err);
    if (st != STATUS_OK)
        return st;
    options->chain_link = linked ? config.link : 0;
    if (!linked)
        return STATUS_OK;
    compose_note(run, "chains", "name", "linked", NULL, NULL);
    compose_note_options(run, "chains linked", rows, &config);
    return STATUS_OK;
}

static void draw_causes(struct run *run, const struct job *job,
                        const struct truth *truth)
{
    struct own_failure *failures = run->result.jobset.failures;
    uint64_t stream = rng_stream(run->config.seed, "cause of a failure");
    sim_span before = truth->work;
    for (uint32_t k = 0; k < truth->n_failures; k++) {
        struct own_failure *f = &failures[truth->first_failure + k];
        const struct failure_cause *cause = cause_draw(
            keyed_uniform(stream, job->id, k), before - f->left, job->gpus);
        f->cause = cause->name;
        f->kind = (uint8_t)cause->kind;
        before = f->left;
    }
}

/* Refuses a job that fails at a point of its work which this run cannot reach
 * exactly. */
static enum status refuse(const struct run *run, const struct job *job,
                          struct error *err)
{
    const struct jobset *w = &run->result.jobset;
    const struct engine_parts *parts = &run->parts;
    char buf[SOURCE_ID_MAX];
    const char *id = jobset_source_id(w, job, buf);
    if (throughput_knows(&parts->throughput, job))
        return error_set(
            err, STATUS_USAGE,
            "--chains: job %.60s fails at points of its recorded run time, "
            "but --throughput %s replaces that: --throughput rigid",
            id, parts->throughput.ops->name);
    if (parts->law.ops->rounds || parts->law.ops->one_speed)
        return error_set(err, STATUS_USAGE,
                         "--chains: job %.60s fails at points of its work, but "
                         "--time-law %s rounds the times of work: --time-law "
                         "exact",
                         id, parts->law.ops->name);
    return STATUS_OK;
}

enum status resubmissions_finish(struct run *run, struct error *err)
{
    struct run_result *r = &run->result;
    const struct jobset *w = &r->jobset;
    uint32_t n_jobs = 0, n_failures = 0;
    for (uint32_t i = 0; i < w->n_jobs; i++) {
        const struct truth *truth = &w->truths[i];
        if (truth->n_failures == 0)
            continue;
        enum status st = refuse(run, &w->jobs[i], err);
        if (st != STATUS_OK)
            return st;
        n_jobs++;
        n_failures += truth->n_failures;
        draw_causes(run, &w->jobs[i], truth);
    }
    if (n_failures)
        remarks_add(&r->remarks, REMARK_NUMBERS,
                    "%" PRIu32
                    " jobs fail at recorded points of their work, %" PRIu32
                    " times in all, because rows that continue a failed "
                    "row are linked to it (--chains)",
                    n_jobs, n_failures);
    return STATUS_OK;
}
