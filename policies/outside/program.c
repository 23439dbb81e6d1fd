/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The hooks of the policy `exec`. They decide when to ask the program, and make
 * its answer the plan. */
#include "policies/outside/program.h"

#include <stdio.h>
#include <stdlib.h>

#include "policies/outside/program_internal.h"

/* The state of the plug-in, which lives in the arena of the run. */
struct program_state {
    struct program *program;
};

static struct program *of(const void *self)
{
    return ((const struct program_state *)self)->program;
}

static enum status ask_function(const struct program *program,
                                struct text question, struct text *answer,
                                struct error *err)
{
    const struct program_answerer *who = &program->answerer;
    char *line = mem_alloc(question.len);
    memcpy(line, question.at, question.len);
    /* the 0 byte replaces the line feed, because the function takes a string */
    line[question.len - 1] = '\0';
    const char *said = who->answer(who->self, line);
    free(line);
    if (!said)
        return error_set(err, STATUS_FAILED, "the policy gave no answer");
    *answer = text_from(said);
    return STATUS_OK;
}

enum status program_ask(struct program *program, struct text question,
                        struct text *answer, struct error *err)
{
    if (program->answerer.answer)
        return ask_function(program, question, answer, err);
    if (program->child)
        return child_ask(program->child, question, answer, err);
    return record_next(program->record, question, answer, err);
}

void program_keep(struct program *program, struct text question,
                  struct text answer)
{
    if (program->record && !program->config->replay)
        record_add(program->record, question, answer);
}

enum status program_init(void *self, const void *config,
                         const struct run_env *env, struct error *err)
{
    struct program_state *state = self;
    /* The config of this plug-in is its program. The pointer is cast to
     * non-const, because the state of the program changes. */
    struct program *program = (struct program *)(uintptr_t)config;
    struct text answer;
    state->program = program;
    messages_init(&program->messages, env, env->arena);
    program->messages.knows_times = program->said.needs & POLICY_NEEDS_DURATION;
    program->messages.knows_demand = program->said.needs & POLICY_NEEDS_DEMAND;
    struct text question = message_begin(&program->messages);
    enum status st = program_ask(program, question, &answer, err);
    if (st == STATUS_OK)
        st = answer_begin(answer, err);
    if (st == STATUS_OK)
        program_keep(program, question, answer);
    else
        error_prefix(err, "policy %s: ", program->ops.name);
    return st;
}

void program_observe(void *self, const struct view *view,
                     const struct event *event)
{
    struct program *program = of(self);
    program->woken |= event->kind == EVENT_WAKE;
    message_event(&program->messages, view, event);
}

/* True if some pool of the virtual cluster has enough free GPUs for a waiting
 * job. */
static bool has_room(const struct view *view, uint16_t vc)
{
    const struct cluster *c = view_cluster(view);
    uint32_t most = 0;
    for (uint32_t p = c->vc_first[vc]; p < c->vc_first[vc + 1]; p++) {
        if (!c->pools[p].profiler && c->pools[p].n_free > most)
            most = c->pools[p].n_free;
    }
    if (most == 0)
        return false;
    for (const struct job *job = view_first_pending(view, vc); job;
         job = view_next_pending(view, job)) {
        if (job->gpus <= most)
            return true;
    }
    return false;
}

/* True if a start can have become possible, a wake has come, or the program
 * wants to be asked always. A program that stops jobs or shares GPUs can always
 * make room for a job that waits. */
static bool is_worth_asking(const struct program *program,
                            const struct view *view)
{
    struct vc_list touched = view_touched(view);
    bool makes_room = program->said.needs & (POLICY_PREEMPTS | POLICY_SHARES);
    if (program->woken || program->said.asked_always)
        return true;
    for (uint32_t i = 0; i < touched.count; i++) {
        uint16_t vc = touched.at[i];
        if (view_n_pending(view, vc) > 0 && (makes_room || has_room(view, vc)))
            return true;
    }
    return false;
}

void program_decide(void *self, const struct view *view, struct plan *plan)
{
    struct program *program = of(self);
    struct error err;
    struct text answer;
    message_touch(&program->messages, view);
    if (!is_worth_asking(program, view)) {
        program->n_spared++;
        return;
    }
    uint64_t number = ++program->n_asked;
    program->woken = false;
    struct text question = message_decide(&program->messages, view, number);
    enum status st = program_ask(program, question, &answer, &err);
    if (st != STATUS_OK) {
        char why[ERROR_MAX + 64];
        snprintf(why, sizeof why, "question %llu: %s",
                 (unsigned long long)number, err.message);
        plan_refuse(plan, st, JOB_NONE, why);
        return;
    }
    answer_plan(answer, number, program->said.needs, plan);
    if (plan->broken.status != STATUS_OK)
        return;
    program_keep(program, question, answer);
    message_plan(&program->messages, plan);
}

size_t program_count(const void *self, struct policy_count *out)
{
    const struct program *program = of(self);
    out[0] = (struct policy_count){
        .name = "questions",
        .help = "times that the program was asked for a plan",
        .value = program->n_asked};
    out[1] = (struct policy_count){
        .name = "questions_spared",
        .help = "instants at which the program was not asked, because no "
                "start can have become possible",
        .value = program->n_spared};
    return 2;
}
