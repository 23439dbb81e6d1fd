/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/probes/script.h"

#include <stdarg.h>
#include <stdio.h>

struct scripted {
    struct script *script;
    sim_time logged; /* instant of the last line */
};

static enum status script_init(void *self, const void *config,
                               const struct run_env *env, struct error *err)
{
    (void)env;
    (void)err;
    /* the test owns it and reads it afterwards */
    struct script *const *at = config;
    *(struct scripted *)self = (struct scripted){*at, -1};
    return STATUS_OK;
}

static const char *const names[EVENT_N_KINDS] = {
    [EVENT_FINISHED] = "finished", [EVENT_PROFILED] = "profiled",
    [EVENT_FAILED] = "failed",     [EVENT_NODE_DOWN] = "down",
    [EVENT_NODE_UP] = "up",        [EVENT_SUBMITTED] = "submitted",
    [EVENT_BELIEF] = "belief",     [EVENT_WAKE] = "wake",
    [EVENT_STARTED] = "started",   [EVENT_STOPPED] = "stopped"};

/* Appends to the log; text beyond its end is dropped. */
static void put(struct script *script, const char *format, ...)
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
    struct script *script = s->script;
    if (view_now(view) != s->logged)
        put(script, "%s%g: ", script->n_log ? "\n" : "",
            span_seconds(view_now(view)));
    else
        put(script, ", ");
    s->logged = view_now(view);
    put(script, "%s", names[event->kind]);
    if (event->job || event->node != NODE_NONE)
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

static bool act(struct plan *plan, const struct view *view,
                const struct deed *deed)
{
    const struct job *job = view_job(view, deed->job);
    struct shape shape = {.gpu_type = deed->type, .gpus = deed->gpus};
    switch (deed->kind) {
    case DEED_START:
        return plan_start(plan, job);
    case DEED_START_AS:
        return plan_start_as(plan, job, shape);
    case DEED_START_ON:
        return start_on(plan, job, deed->other, deed->gpus);
    case DEED_START_ACROSS:
        return start_across(plan, job, deed->other, deed->gpus);
    case DEED_SHARE:
        return plan_share(plan, job, view_job(view, deed->other));
    case DEED_PROFILE:
        return plan_profile(plan, job, span_from_seconds(deed->seconds));
    case DEED_RESIZE:
        return plan_resize(plan, job, shape);
    case DEED_STOP:
        plan_stop(plan, job);
        return true;
    case DEED_REJECT:
        plan_reject(plan, job, "the script says so");
        return true;
    case DEED_LEND:
        return plan_lend(plan, deed->other);
    case DEED_TAKE_BACK:
        return plan_take_back(plan, deed->other);
    case DEED_IMAGINE:
        plan_imagine_gone(plan, job);
        return true;
    case DEED_WAKE:
        plan_wake_at(plan, span_from_seconds(deed->seconds));
        return true;
    case DEED_REST:
        plan_rest_until(plan, span_from_seconds(deed->seconds));
        return true;
    }
    return false;
}

static void script_decide(void *self, const struct view *view,
                          struct plan *plan)
{
    struct script *script = ((struct scripted *)self)->script;
    for (size_t i = 0; i < script->n_deeds; i++) {
        const struct deed *deed = &script->deeds[i];
        if (span_from_seconds(deed->at) == view_now(view))
            script->refused += !act(plan, view, deed);
    }
}

const struct policy_ops script_policy = {
    .name = "script",
    .summary = "what a test says",
    .config_size = sizeof(struct script *),
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
