/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/scenarios/own_policy.h"

#include <string.h>

#include "sim/run/run_internal.h"

/* Sets *out to the number of the job with this name; to 0 if the name is empty.
 * Returns false if no job has the name. */
static bool job_number(const struct jobset *jobs, const char *name, job_id *out)
{
    *out = 0;
    while (name[0] && *out < jobs->n_jobs &&
           strcmp(jobset_string(jobs, jobs->jobs[*out].name), name) != 0)
        ++*out;
    return *out < jobs->n_jobs;
}

/* Copies a deed and replaces the names of jobs and types by their numbers in
 * the run. Returns STATUS_BROKEN if a name is unknown. */
static enum status bind(const struct run *run, const struct scenario_deed *from,
                        struct deed *to, struct error *err)
{
    const struct jobset *jobs = &run->result.jobset;
    *to = from->deed;
    job_id other = 0;
    if (!job_number(jobs, from->job, &to->job) ||
        !job_number(jobs, from->other, &other))
        return error_set(err, STATUS_BROKEN, "line %d: no job %s or %s",
                         from->line, from->job, from->other);
    if (from->other[0])
        to->other = other;
    uint32_t type = 0;
    while (from->type[0] && type < run->spec.n_types &&
           strcmp(run->spec.types[type].name, from->type) != 0)
        type++;
    if (type == run->spec.n_types)
        return error_set(err, STATUS_BROKEN, "line %d: no type %s", from->line,
                         from->type);
    to->type = (uint8_t)type;
    return STATUS_OK;
}

static enum status put_script(struct own_policy *own, struct run *run,
                              struct error *err)
{
    const struct scenario *s = own->scenario;
    enum status st = STATUS_OK;
    for (size_t i = 0; i < s->n_deeds && st == STATUS_OK; i++)
        st = bind(run, &s->deeds[i], &own->deeds[i], err);
    own->script = (struct deed_script){.deeds = own->deeds,
                                       .n_deeds = s->n_deeds,
                                       .jobs = &run->result.jobset};
    own->script_at = &own->script;
    run->parts.policy.ops = &script_policy;
    run->parts.policy.config = &own->script_at;
    return st;
}

static enum status put_packer(struct own_policy *own, struct run *run,
                              struct error *err)
{
    struct spec spec;
    enum status st = spec_parse("policy", own->scenario->own_spec, &spec, err);
    if (st == STATUS_OK)
        st = spec_apply(&spec, packer_policy.options, &own->packer,
                        "policy packer", &run->result.arena, err);
    run->parts.policy.ops = &packer_policy;
    run->parts.policy.config = &own->packer;
    return st;
}

enum status own_policy_put(struct own_policy *own,
                           const struct scenario *scenario, struct run *run,
                           struct error *err)
{
    *own = (struct own_policy){.scenario = scenario};
    if (scenario->own == OWN_SCRIPT)
        return put_script(own, run, err);
    if (scenario->own == OWN_PACKER)
        return put_packer(own, run, err);
    return STATUS_OK;
}

enum status own_policy_check(const struct own_policy *own, struct error *err)
{
    const struct scenario *s = own->scenario;
    if (s->own != OWN_SCRIPT)
        return STATUS_OK;
    for (size_t i = 0; i < s->n_deeds && s->status != STATUS_BAD_PLAN; i++) {
        if (!own->script.done[i])
            return error_set(err, STATUS_BROKEN,
                             "line %d: the policy was not asked then",
                             s->deeds[i].line);
        if (own->script.surprise == &own->deeds[i])
            return error_set(err, STATUS_BROKEN, "line %d: %s",
                             s->deeds[i].line,
                             own->deeds[i].refused ? "it was not refused"
                                                   : "it was refused");
    }
    if (s->n_sees && strcmp(own->script.log, s->sees) != 0)
        return error_set(err, STATUS_BROKEN, "the policy saw: %s",
                         own->script.log);
    return STATUS_OK;
}
