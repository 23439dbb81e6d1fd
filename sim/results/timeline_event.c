/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/results/timeline_event.h"

#include "sim/base/json_stream.h"

struct timeline_args timeline_begin(struct out *out,
                                    const struct timeline_event *event)
{
    bool instant = event->length < 0;
    out_text(out,
             instant ? ",\n{\"ph\":\"i\",\"s\":\"t\"" : ",\n{\"ph\":\"X\"");
    out_text(out, ",\"name\":");
    json_put_text(out, event->name);
    out_text(out, ",\"cat\":");
    json_put_text(out, event->category);
    out_printf(out, ",\"pid\":%u,\"tid\":%u,\"ts\":", event->process,
               event->track);
    out_i64(out, event->at);
    if (!instant) {
        out_text(out, ",\"dur\":");
        out_i64(out, event->length);
    }
    out_text(out, ",\"args\":{");
    return (struct timeline_args){.out = out};
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

void timeline_end(struct timeline_args *args)
{
    out_text(args->out, "}}");
}

void timeline_name_process(struct out *out, uint32_t process, const char *name)
{
    out_printf(out,
               ",\n{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":%u,"
               "\"args\":{\"name\":",
               process);
    json_put_text(out, name);
    out_text(out, "}}");
}

void timeline_name_track(struct out *out, uint32_t process, uint32_t track,
                         const char *name)
{
    out_printf(out,
               ",\n{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":%u,"
               "\"tid\":%u,\"args\":{\"name\":",
               process, track);
    json_put_text(out, name);
    out_text(out, "}}");
}
