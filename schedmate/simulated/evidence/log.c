/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "schedmate/simulated/evidence/log.h"

#include "schedmate/simulated/evidence/evidence_internal.h"

/* Number of lines that log_each makes at a time. */
#define EACH_LINES 256

const struct log_style *log_style_find(struct text name)
{
    for (size_t i = 0; i < log_n_styles; i++) {
        if (text_is(name, log_styles[i].name))
            return &log_styles[i];
    }
    return NULL;
}

const char *log_style_name(size_t i)
{
    return i < log_n_styles ? log_styles[i].name : NULL;
}

static uint64_t lines_of(const struct log_shape *s)
{
    return s->head_lines + s->body_lines + s->end_lines;
}

static void log_write_head(struct out *out, const struct log_shape *s,
                           uint64_t i)
{
    struct log_spot spot = {
        .shape = s,
        .key = log_mix(s->attempt_key, i),
        .at = (double)s->attempt->segments[0].at,
        .steps = s->steps_begin,
        .before = s->steps_begin,
    };
    log_list_line(out, &spot, s->head, i);
}

/* Returns the event that prints the line after the first `lines` lines of the
 * body: the first event up to s->now after which the body is longer. Bisects,
 * because the number of lines until an event is known without a loop. */
static uint64_t event_of_line(const struct log_shape *s, uint64_t lines)
{
    uint64_t low = s->begin, high = s->now;
    lines += log_lines_until(s, s->begin);
    while (low + 1 < high) {
        uint64_t middle = low + (high - low) / 2;
        if (log_lines_until(s, middle) > lines)
            high = middle;
        else
            low = middle;
    }
    return high;
}

/* Writes line i of an event: the bursts of chatter come first, then the event's
 * own lines. */
static void write_event(struct out *out, const struct log_shape *s,
                        uint64_t event, uint64_t i)
{
    struct log_spot spot = {
        .shape = s,
        .key = log_mix(log_mix(s->attempt_key, event), i),
        .steps = log_event_steps(s, event),
        .before = log_event_steps(s, event - 1),
    };
    if (spot.before < s->steps_begin)
        spot.before = s->steps_begin;
    spot.at = log_time_of(s, (double)spot.steps, false);
    for (size_t c = 0; c < s->n_channels; c++) {
        uint64_t burst, n = log_burst_at(s, c, event, &burst);
        if (i < n) {
            log_chatter_line(out, &spot, &s->channels[c], burst, i);
            return;
        }
        i -= n;
    }
    log_list_line(out, &spot,
                  log_event_is_end(s, event) ? s->unit_end : s->record, i);
}

static void log_write_end(struct out *out, const struct log_shape *s,
                          uint64_t i)
{
    struct log_spot spot = {
        .shape = s,
        .key = log_mix(s->attempt_key, UINT64_MAX - i),
        .at = (double)s->attempt->until,
        .steps = log_steps_done(s),
        .before = s->steps_begin,
    };
    for (size_t k = 0; k < s->n_ends; k++) {
        uint64_t n = log_list_count(s, s->ends[k]);
        if (i < n) {
            log_list_line(out, &spot, s->ends[k], i);
            return;
        }
        i -= n;
    }
}

/* Writes line i of an attempt: of its head, its body or its end. */
static void log_write_line(struct out *out, const struct log_shape *s,
                           uint64_t i)
{
    if (i < s->head_lines) {
        log_write_head(out, s, i);
        return;
    }
    i -= s->head_lines;
    if (i >= s->body_lines) {
        log_write_end(out, s, i - s->body_lines);
        return;
    }
    uint64_t event = event_of_line(s, i);
    uint64_t before =
        log_lines_until(s, event - 1) - log_lines_until(s, s->begin);
    write_event(out, s, event, i - before);
}

uint64_t log_count(const struct log_source *source)
{
    uint64_t lines = 0;
    for (size_t a = 0; a < source->n_attempts; a++) {
        struct log_shape shape;
        log_shape_init(&shape, source, &source->attempts[a]);
        lines += lines_of(&shape);
    }
    return lines;
}

struct text log_text(const struct log_source *source, uint64_t first,
                     uint64_t n, struct arena *arena)
{
    struct out *out = out_to_memory();
    for (size_t a = 0; a < source->n_attempts && n > 0; a++) {
        struct log_shape shape;
        log_shape_init(&shape, source, &source->attempts[a]);
        uint64_t lines = lines_of(&shape);
        for (; first < lines && n > 0; first++, n--)
            log_write_line(out, &shape, first);
        first = first < lines ? 0 : first - lines;
    }
    struct text made = out_memory(out);
    struct text kept = {arena_copy(arena, made.at, made.len), made.len};
    out_abandon(out);
    return kept;
}

struct text log_tail(const struct log_source *source, uint64_t n,
                     struct arena *arena)
{
    uint64_t lines = log_count(source);
    return log_text(source, lines > n ? lines - n : 0, n, arena);
}

void log_each(const struct log_source *source, log_use_line use, void *self)
{
    struct arena arena;
    uint64_t number = 0;
    arena_init(&arena);
    for (;;) {
        struct text rest = log_text(source, number, EACH_LINES, &arena);
        size_t from = 0;
        if (rest.len == 0)
            break;
        for (size_t i = 0; i < rest.len; i++) {
            if (rest.at[i] != '\n' && rest.at[i] != '\r')
                continue;
            use(self, (struct text){rest.at + from, i - from}, number++);
            from = i + 1;
        }
        arena_reset(&arena);
    }
    arena_fini(&arena);
}

bool log_chunk(void *self, uint64_t i, struct text *out)
{
    struct log_reader *reader = self;
    arena_reset(reader->arena);
    *out = log_text(reader->source, i * reader->chunk, reader->chunk,
                    reader->arena);
    return out->len > 0;
}
