/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/present/state.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void state_init(struct state *state, const char *path)
{
    *state = (struct state){.policy = "", .policy_why = ""};
    arena_init(&state->arena);
    state->path = arena_copy(&state->arena, path, strlen(path));
}

void state_fini(struct state *state)
{
    json_decref(state->cluster);
    free(state->names);
    free(state->jobs);
    free(state->ended);
    free(state->outs);
    free(state->reservations);
    free(state->notes);
    free(state->settings);
    free(state->plans);
    free(state->refusals);
    arena_fini(&state->arena);
    *state = (struct state){0};
}

struct state_job *state_add_job(struct state *state)
{
    state->jobs = mem_grow(state->jobs, &state->cap_jobs, state->n_jobs + 1,
                           sizeof *state->jobs);
    struct state_job *job = &state->jobs[state->n_jobs++];
    *job = (struct state_job){.id = "",
                              .user = "",
                              .name = "",
                              .vc = "",
                              .gpu_type = "",
                              .reservation = "",
                              .started = TIME_NEVER};
    return job;
}

struct state_ended *state_add_ended(struct state *state)
{
    state->ended = mem_grow(state->ended, &state->cap_ended, state->n_ended + 1,
                            sizeof *state->ended);
    struct state_ended *ended = &state->ended[state->n_ended++];
    *ended = (struct state_ended){.user = "", .name = ""};
    return ended;
}

struct state_out *state_add_out(struct state *state)
{
    state->outs = mem_grow(state->outs, &state->cap_outs, state->n_outs + 1,
                           sizeof *state->outs);
    struct state_out *one = &state->outs[state->n_outs++];
    *one = (struct state_out){.node = "", .why = "", .until = TIME_NEVER};
    return one;
}

struct state_reservation *state_add_reservation(struct state *state)
{
    state->reservations =
        mem_grow(state->reservations, &state->cap_reservations,
                 state->n_reservations + 1, sizeof *state->reservations);
    struct state_reservation *one =
        &state->reservations[state->n_reservations++];
    *one = (struct state_reservation){.name = ""};
    return one;
}

size_t state_find_reservation(const struct state *state, struct text name)
{
    for (size_t i = 0; i < state->n_reservations; i++) {
        if (text_is(name, state->reservations[i].name))
            return i + 1;
    }
    return 0;
}

struct state_plan *state_add_plan(struct state *state)
{
    state->plans = mem_grow(state->plans, &state->cap_plans, state->n_plans + 1,
                            sizeof *state->plans);
    struct state_plan *plan = &state->plans[state->n_plans++];
    *plan = (struct state_plan){0};
    return plan;
}

struct state_refusal *state_add_refusal(struct state *state)
{
    state->refusals = mem_grow(state->refusals, &state->cap_refusals,
                               state->n_refusals + 1, sizeof *state->refusals);
    struct state_refusal *refusal = &state->refusals[state->n_refusals++];
    *refusal = (struct state_refusal){.job = "", .why = ""};
    return refusal;
}

void state_add_name(struct state *state, const char *name)
{
    state->names = mem_grow(state->names, &state->cap_names, state->n_names + 1,
                            sizeof *state->names);
    state->names[state->n_names++] = name;
}

void state_add_setting(struct state *state, const char *text)
{
    state->settings = mem_grow(state->settings, &state->cap_settings,
                               state->n_settings + 1, sizeof *state->settings);
    state->settings[state->n_settings++] = text;
}

void state_note(struct state *state, const char *fmt, ...)
{
    char text[512];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    state->notes = mem_grow(state->notes, &state->cap_notes, state->n_notes + 1,
                            sizeof *state->notes);
    state->notes[state->n_notes++] =
        arena_copy(&state->arena, text, strlen(text));
}

static void write_text(struct json_stream *js, const char *key, const char *s)
{
    if (s && *s)
        json_stream_text(js, key, s);
}

static void write_where(struct json_stream *js, const struct state_job *job)
{
    json_stream_array(js, "where");
    for (uint32_t i = 0; i < job->n_where; i++) {
        const struct state_slice *slice = &job->where[i];
        json_stream_object(js, NULL);
        json_stream_text(js, "node", slice->node);
        if (!slice->mask)
            json_stream_whole(js, "gpus", slice->count);
        else
            json_stream_array(js, "gpus");
        for (unsigned gpu = 0; slice->mask && gpu < 64; gpu++) {
            if (slice->mask >> gpu & 1)
                json_stream_whole(js, NULL, gpu);
        }
        if (slice->mask)
            json_stream_array_end(js);
        json_stream_object_end(js);
    }
    json_stream_array_end(js);
}

static void write_after(struct json_stream *js, const struct state_after *after)
{
    if (!after->start) {
        json_stream_text(js, NULL, after->job);
        return;
    }
    json_stream_object(js, NULL);
    json_stream_text(js, "start_of", after->job);
    if (after->delay)
        json_stream_span(js, "delay_s", after->delay);
    json_stream_object_end(js);
}

static void state_write_job(struct json_stream *js, const struct state_job *job)
{
    json_stream_object(js, NULL);
    json_stream_text(js, "id", job->id);
    write_text(js, "user", job->user);
    write_text(js, "name", job->name);
    write_text(js, "vc", job->vc);
    write_text(js, "gpu_type", job->gpu_type);
    json_stream_whole(js, "gpus", job->gpus);
    json_stream_span(js, "submitted_unix_s", job->submitted);
    if (job->limit)
        json_stream_span(js, "limit_s", job->limit);
    write_text(js, "held", job->held);
    write_text(js, "reservation", job->reservation);
    if (job->n_after)
        json_stream_array(js, "after");
    for (uint32_t i = 0; i < job->n_after; i++)
        write_after(js, &job->after[i]);
    if (job->n_after)
        json_stream_array_end(js);
    if (job->after_any)
        json_stream_bool(js, "after_any", true);
    if (job->started != TIME_NEVER) {
        json_stream_span(js, "started_unix_s", job->started);
        write_where(js, job);
    }
    json_stream_object_end(js);
}

static void write_ended(struct json_stream *js, const struct state *state)
{
    json_stream_array(js, "ended");
    for (size_t i = 0; i < state->n_ended; i++) {
        const struct state_ended *ended = &state->ended[i];
        json_stream_object(js, NULL);
        write_text(js, "user", ended->user);
        write_text(js, "name", ended->name);
        json_stream_whole(js, "gpus", ended->gpus);
        if (ended->limit)
            json_stream_span(js, "limit_s", ended->limit);
        json_stream_span(js, "ran_s", ended->ran);
        json_stream_object_end(js);
    }
    json_stream_array_end(js);
}

static void write_outs(struct json_stream *js, const struct state *state)
{
    json_stream_array(js, "out");
    for (size_t i = 0; i < state->n_outs; i++) {
        json_stream_object(js, NULL);
        json_stream_text(js, "node", state->outs[i].node);
        if (state->outs[i].until != TIME_NEVER)
            json_stream_span(js, "until_unix_s", state->outs[i].until);
        write_text(js, "why", state->outs[i].why);
        json_stream_object_end(js);
    }
    json_stream_array_end(js);
}

static void write_list(struct json_stream *js, const char *key,
                       const char *const *texts, size_t n)
{
    json_stream_array(js, key);
    for (size_t i = 0; i < n; i++)
        json_stream_text(js, NULL, texts[i]);
    json_stream_array_end(js);
}

static void write_reservations(struct json_stream *js,
                               const struct state *state)
{
    json_stream_array(js, "reservations");
    for (size_t i = 0; i < state->n_reservations; i++) {
        const struct state_reservation *one = &state->reservations[i];
        json_stream_object(js, NULL);
        json_stream_text(js, "name", one->name);
        json_stream_span(js, "from_unix_s", one->from);
        json_stream_span(js, "until_unix_s", one->until);
        write_list(js, "nodes", one->nodes, one->n_nodes);
        json_stream_object_end(js);
    }
    json_stream_array_end(js);
}

/* Writes the past, as the last keys, because it is long. */
static void write_past(struct json_stream *js, const struct state *state)
{
    write_list(js, "settings", state->settings, state->n_settings);
    json_stream_array(js, "refused");
    for (size_t i = 0; i < state->n_refusals; i++) {
        json_stream_object(js, NULL);
        json_stream_text(js, "job", state->refusals[i].job);
        json_stream_text(js, "why", state->refusals[i].why);
        json_stream_object_end(js);
    }
    json_stream_array_end(js);
    json_stream_array(js, "plans");
    for (size_t i = 0; i < state->n_plans; i++) {
        const struct state_plan *plan = &state->plans[i];
        json_stream_object(js, NULL);
        json_stream_span(js, "at_unix_s", plan->at);
        write_list(js, "do", plan->does, plan->n);
        json_stream_object_end(js);
    }
    json_stream_array_end(js);
}

static void write_value(struct json_stream *js, const char *key,
                        const json_t *value)
{
    const char *name;
    json_t *member;
    if (json_is_object(value)) {
        json_stream_object(js, key);
        /* the macro of jansson needs a pointer without const */
        json_object_foreach((json_t *)(uintptr_t)value, name, member)
            write_value(js, name, member);
        json_stream_object_end(js);
    } else if (json_is_array(value)) {
        json_stream_array(js, key);
        for (size_t i = 0; i < json_array_size(value); i++)
            write_value(js, NULL, json_array_get(value, i));
        json_stream_array_end(js);
    } else if (json_is_string(value)) {
        json_stream_text(js, key, json_string_value(value));
    } else if (json_is_integer(value)) {
        json_stream_whole(js, key, json_integer_value(value));
    } else if (json_is_boolean(value)) {
        json_stream_bool(js, key, json_is_true(value));
    } else {
        json_stream_number(js, key, json_number_value(value));
    }
}

void state_write_notes(const struct state *state, struct json_stream *js)
{
    write_list(js, "notes", state->notes, state->n_notes);
}

void state_write(const struct state *state, struct out *out)
{
    struct json_stream js = json_stream_to(out);
    json_stream_object(&js, NULL);
    json_stream_whole(&js, "state", 1);
    json_stream_span(&js, "at_unix_s", state->at);
    write_value(&js, "cluster", state->cluster);
    write_text(&js, "policy", state->policy);
    write_text(&js, "policy_why", state->policy_why);
    if (state->n_names)
        write_list(&js, "names", state->names, state->n_names);
    write_outs(&js, state);
    if (state->n_reservations)
        write_reservations(&js, state);
    json_stream_array(&js, "jobs");
    for (size_t i = 0; i < state->n_jobs; i++)
        state_write_job(&js, &state->jobs[i]);
    json_stream_array_end(&js);
    write_ended(&js, state);
    state_write_notes(state, &js);
    if (state->has_past)
        write_past(&js, state);
    json_stream_object_end(&js);
    json_stream_end(&js);
}

sim_time state_job_comes(const struct state *state, const struct state_job *job)
{
    const size_t own =
        *job->reservation
            ? state_find_reservation(state, text_from(job->reservation))
            : 0;
    const sim_time from = own ? state->reservations[own - 1].from : 0;
    return job->started == TIME_NEVER && from > job->submitted ? from
                                                               : job->submitted;
}

void state_write_trace(const struct state *state, const sim_span *runs,
                       const sim_span *plans, struct out *out)
{
    out_text(out, "job_id,submitted_unix_s,duration_s,gpus,user,vc,name,"
                  "gpu_type,declared_s\n");
    for (size_t i = 0; i < state->n_jobs; i++) {
        const struct state_job *job = &state->jobs[i];
        const char *texts[] = {job->user, job->vc, job->name, job->gpu_type};
        if (job->held || job->n_after)
            continue;
        out_csv(out, text_from(job->id));
        out_char(out, ',');
        out_span(out, state_job_comes(state, job));
        out_char(out, ',');
        out_span(out, runs[i]);
        out_char(out, ',');
        out_u64(out, job->gpus);
        for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
            out_char(out, ',');
            out_csv(out, text_from(texts[k]));
        }
        out_char(out, ',');
        out_span(out, plans[i]);
        out_char(out, '\n');
    }
}
