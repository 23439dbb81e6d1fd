/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/results/timeline_event.h"

#include <inttypes.h>

#include "base/json_stream.h"

/* Begins an event. The first one has no comma before it. */
static void put_phase(struct timeline_writer *w, const char *phase)
{
    out_text(w->out, w->n_events++ ? ",\n{\"ph\":\"" : "{\"ph\":\"");
    out_text(w->out, phase);
    out_text(w->out, "\",\"name\":");
}

static void put_number(struct out *out, const char *key, uint64_t value)
{
    out_text(out, key);
    out_u64(out, value);
}

bool timeline_shows_node(const struct timeline_writer *w, node_id node)
{
    const struct cluster *c = &w->run->cluster;
    return w->timeline->vcs[c->pools[c->nodes[node].pool].vc];
}

static bool shows_process(const struct timeline_writer *w, uint32_t process)
{
    uint32_t model = timeline_model(w->run);
    if (process > model)
        return timeline_shows_node(w, process - timeline_node(w->run, 0));
    return process == model || w->timeline->vcs[process - timeline_vc(0)];
}

/* Cuts the event to the crop; false if nothing is left. */
static bool cut(const struct timeline_writer *w, struct timeline_event *event)
{
    const struct timeline *tl = w->timeline;
    sim_time end = event->at + event->length;
    if (!shows_process(w, event->process))
        return false;
    if (event->length <= 0)
        return event->at >= tl->from && event->at < tl->to;
    if (event->at < tl->from)
        event->at = tl->from;
    event->length = (end < tl->to ? end : tl->to) - event->at;
    return event->length > 0;
}

static void put_place(struct timeline_writer *w, const struct timeline_event *e)
{
    put_number(w->out, ",\"pid\":", e->process);
    put_number(w->out, ",\"tid\":", e->track);
    put_number(w->out, ",\"ts\":", (uint64_t)e->at);
}

static void put_category(struct out *out, const struct timeline_event *e)
{
    out_text(out, ",\"cat\":");
    json_put_text(out, e->category);
    if (e->kind == TIMELINE_SHARED)
        out_printf(out, ",\"id2\":{\"local\":\"%" PRIu64 "\"}", e->id);
}

bool timeline_begin(struct timeline_writer *w,
                    const struct timeline_event *event,
                    struct timeline_args *args)
{
    static const char *const phases[] = {[TIMELINE_SLICE] = "X",
                                         [TIMELINE_SHARED] = "b",
                                         [TIMELINE_INSTANT] = "i"};
    struct timeline_event shown = *event;
    struct out *out = w->out;
    if (!cut(w, &shown))
        return false;
    w->has_events[event->track] = true;
    put_phase(w, phases[event->kind]);
    json_put_text(out, event->name);
    put_category(out, event);
    put_place(w, &shown);
    if (event->kind == TIMELINE_SLICE)
        put_number(out, ",\"dur\":", (uint64_t)shown.length);
    if (event->kind == TIMELINE_INSTANT)
        out_text(out, ",\"s\":\"t\"");
    if (event->colour)
        out_printf(out, ",\"cname\":\"%s\"", event->colour);
    out_text(out, ",\"args\":{");
    *args = (struct timeline_args){.out = out};
    if (shown.length != event->length) {
        timeline_span(args, "start_s", event->at);
        timeline_span(args, "end_s", event->at + event->length);
    }
    return true;
}

void timeline_end(struct timeline_writer *w, const struct timeline_event *event,
                  struct timeline_args *args)
{
    struct timeline_event end = *event;
    out_text(args->out, "}}");
    if (event->kind != TIMELINE_SHARED)
        return;
    cut(w, &end);
    end.at += end.length;
    put_phase(w, "e");
    json_put_text(w->out, event->name);
    put_category(w->out, event);
    put_place(w, &end);
    out_char(w->out, '}');
}

/* Writes the name of an argument, after a comma unless it is the first. */
static void put_key(struct timeline_args *args, const char *key)
{
    if (args->any)
        out_char(args->out, ',');
    args->any = true;
    json_put_text(args->out, key);
    out_char(args->out, ':');
}

void timeline_text(struct timeline_args *args, const char *key,
                   const char *value)
{
    if (!value || !*value)
        return;
    put_key(args, key);
    json_put_text(args->out, value);
}

void timeline_span(struct timeline_args *args, const char *key, sim_span value)
{
    put_key(args, key);
    out_span(args->out, value);
}

void timeline_whole(struct timeline_args *args, const char *key, uint64_t value)
{
    put_key(args, key);
    out_u64(args->out, value);
}

void timeline_bool(struct timeline_args *args, const char *key, bool value)
{
    put_key(args, key);
    out_text(args->out, value ? "true" : "false");
}

void timeline_copy(struct timeline_args *args, struct text written)
{
    if (args->any && written.len)
        out_char(args->out, ',');
    args->any |= written.len > 0;
    out_bytes(args->out, written.at, written.len);
}

void timeline_count(struct timeline_writer *w, uint32_t process,
                    const char *name, const char *unit, sim_time at,
                    uint64_t value)
{
    put_phase(w, "C");
    json_put_text(w->out, name);
    put_number(w->out, ",\"pid\":", process);
    put_number(w->out, ",\"ts\":", (uint64_t)at);
    out_printf(w->out, ",\"args\":{\"%s\":%" PRIu64 "}}", unit, value);
}

static void put_name(struct timeline_writer *w, const char *kind,
                     uint32_t process)
{
    put_phase(w, "M");
    json_put_text(w->out, kind);
    put_number(w->out, ",\"pid\":", process);
}

void timeline_name_process(struct timeline_writer *w, uint32_t process,
                           const char *name)
{
    put_name(w, "process_name", process);
    out_text(w->out, ",\"args\":{\"name\":");
    json_put_text(w->out, name);
    out_text(w->out, "}}");
}

void timeline_name_track(struct timeline_writer *w, uint32_t process,
                         uint32_t track, const char *name)
{
    put_name(w, "thread_name", process);
    put_number(w->out, ",\"tid\":", track);
    out_text(w->out, ",\"args\":{\"name\":");
    json_put_text(w->out, name);
    out_text(w->out, "}}");
}
