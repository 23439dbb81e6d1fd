/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/probes/script.h"

#include <stdarg.h>
#include <stdio.h>

#include "traces/load.h"

struct scripted {
    struct deed_script *script;
    sim_time logged; /* time of the newest line in the log */
};

static enum status script_init(void *self, const void *config,
                               const struct run_env *env, struct error *err)
{
    (void)env;
    (void)err;
    /* The config is const, but it points to the script of the test, which the
     * policy changes and the test reads afterwards. */
    struct deed_script *const *at = config;
    CHECK((*at)->n_deeds <= SCRIPT_DEEDS);
    *(struct scripted *)self = (struct scripted){*at, -1};
    return STATUS_OK;
}

static const char *const names[EVENT_N_KINDS] = {
    [EVENT_FINISHED] = "finished", [EVENT_PROFILED] = "profiled",
    [EVENT_FAILED] = "failed",     [EVENT_NODE_DOWN] = "down",
    [EVENT_NODE_UP] = "up",        [EVENT_SUBMITTED] = "submitted",
    [EVENT_BELIEF] = "belief",     [EVENT_WAKE] = "wake",
    [EVENT_STARTED] = "started",   [EVENT_STOPPED] = "stopped",
    [EVENT_REJECTED] = "rejected"};

/* Appends to the log of the script; cuts off text that does not fit. */
static void put(struct deed_script *script, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int n = vsnprintf(script->log + script->n_log, SCRIPT_LOG - script->n_log,
                      format, args);
    va_end(args);
    script->n_log += (size_t)n;
    if (script->n_log >= SCRIPT_LOG)
        script->n_log = SCRIPT_LOG - 1;
}

static void script_observe(void *self, const struct view *view,
                           const struct event *event)
{
    struct scripted *s = self;
    struct deed_script *script = s->script;
    if (view_now(view) != s->logged)
        put(script, "%s%g ", script->n_log ? "\n" : "",
            span_seconds(view_now(view)));
    else
        put(script, ", ");
    s->logged = view_now(view);
    put(script, "%s", names[event->kind]);
    if (event->job && script->jobs)
        put(script, " %s", jobset_string(script->jobs, event->job->name));
    else if (event->job || event->node != NODE_NONE)
        put(script, " %u", event->job ? event->job->id : event->node);
}

static bool start_on(struct plan *plan, const struct job *job, uint32_t node,
                     uint32_t gpus)
{
    struct gpu_slice slice = {node, (UINT64_C(1) << gpus) - 1};
    return plan_start_on(plan, job, (struct gpu_set){&slice, 1});
}

static bool start_across(struct plan *plan, const struct job *job,
                         uint32_t node, uint32_t other)
{
    struct gpu_slice slices[] = {{node, 1}, {other, 1}};
    return plan_start_on(plan, job, (struct gpu_set){slices, 2});
}

/* Does the deed if it is of a kind that the plan may refuse. Returns false if
 * the plan refused the deed. */
static bool try_deed(struct plan *plan, const struct job *job,
                     const struct deed *deed)
{
    switch ((int)deed->kind) {
    case DEED_START:
        return plan_start(plan, job);
    case DEED_START_AS:
        return plan_start_as(
            plan, job,
            (struct shape){.gpu_type = deed->type, .gpus = deed->gpus});
    case DEED_START_ON:
        return start_on(plan, job, deed->other, deed->gpus);
    case DEED_START_ACROSS:
        return start_across(plan, job, deed->other, deed->gpus);
    case DEED_SHARE:
        return plan_share(plan, job, view_job(plan->view, deed->other));
    case DEED_PROFILE:
        return plan_profile(plan, job, span_from_seconds(deed->seconds));
    case DEED_LEND:
        return plan_lend(plan, deed->other);
    case DEED_TAKE_BACK:
        return plan_take_back(plan, deed->other);
    default:
        return true;
    }
}

/* Does the deed if it is of any other kind. The plan accepts it unless it
 * breaks a rule, which ends the run. */
static void do_deed(struct plan *plan, const struct job *job,
                    const struct deed *deed)
{
    sim_span span = span_from_seconds(deed->seconds);
    sim_time now = view_now(plan->view);
    switch ((int)deed->kind) {
    case DEED_STOP:
        plan_stop(plan, job);
        return;
    case DEED_IMAGINE:
        plan_imagine_gone(plan, job);
        return;
    case DEED_WAKE:
        plan_wake_at(plan, span);
        return;
    case DEED_WAKE_AFTER:
        plan_wake_at(plan, now + span);
        return;
    case DEED_WAKE_ROUND:
        plan_wake_at(plan, view_next_round(plan->view, span));
        return;
    case DEED_REST:
        plan_rest_until(plan, span);
        return;
    default:
        return;
    }
}

static void script_decide(void *self, const struct view *view,
                          struct plan *plan)
{
    struct deed_script *script = ((struct scripted *)self)->script;
    for (size_t i = 0; i < script->n_deeds; i++) {
        const struct deed *deed = &script->deeds[i];
        const struct job *job = view_job(view, deed->job);
        bool always = deed->at < 0;
        if (!always &&
            (script->done[i] || span_from_seconds(deed->at) != view_now(view)))
            continue;
        script->done[i] = true;
        do_deed(plan, job, deed);
        if (try_deed(plan, job, deed) == deed->refused && !script->surprise)
            script->surprise = deed;
    }
}

const struct policy_ops script_policy = {
    .name = "script",
    .summary = "what a test says",
    .config_size = sizeof(struct deed_script *),
    .state_size = sizeof(struct scripted),
    .init = script_init,
    .observe = script_observe,
    .decide = script_decide,
};

static const char *how(const struct attempt *a)
{
    if (a->how == LEDGER_FINISHED)
        return "finished";
    if (a->how == LEDGER_PROFILED)
        return "profiled";
    return a->how == LEDGER_STOPPED ? "stopped" : "failed";
}

const char *script_attempts(const struct rig *rig, job_id job, char *out,
                            size_t room)
{
    const struct attempt *attempts[16];
    size_t n = lab_attempts(&rig->ledger, job, attempts, 16), at = 0;
    out[0] = '\0';
    for (size_t i = 0; i < n && at < room; i++) {
        const struct attempt *a = attempts[i];
        struct gpu_slice where[8];
        uint32_t count = ledger_where(&rig->ledger, a, where, 8);
        at += (size_t)snprintf(out + at, room - at, "%s%g..%g%s %s@",
                               i ? ", " : "", span_seconds(a->start),
                               span_seconds(a->end), a->shared ? "+" : "",
                               how(a));
        for (uint32_t k = 0; k < count && at < room; k++)
            at += (size_t)snprintf(out + at, room - at, "%s%u", k ? "+" : "",
                                   where[k].node);
    }
    return out;
}
