/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Converts the lines, events and steps of a log into each other without a loop
 * over the lines, so that any line can be written without those before it. */
#include "schedmate/simulated/evidence/evidence_internal.h"

#include "base/check.h"

uint64_t log_mix(uint64_t a, uint64_t b)
{
    uint64_t x = a ^ (b + UINT64_C(0x9e3779b97f4a7c15) + (a << 6) + (a >> 2));
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

uint64_t log_draw(uint64_t key, uint64_t what, uint64_t n)
{
    return log_mix(key, what) % n;
}

double log_draw_real(uint64_t key, uint64_t what)
{
    return ((double)(log_mix(key, what) >> 11) + 0.5) * 0x1p-53;
}

/* Arguments `what` of log_draw with the key of a job. */
enum log_shape_draw {
    DRAW_HEAD,
    DRAW_RECORD,
    DRAW_UNIT,
    DRAW_DONE,
    DRAW_UNIT_LENGTH
};
/* Arguments `what` of log_draw with the key of an attempt. */
enum end_draw { DRAW_CASCADE, DRAW_TEARDOWN, DRAW_STOP, DRAW_FAULTY };

/* Number of progress lines of a unit in styles that do not print by epochs:
 * drawn from UNIT_MIN to UNIT_MIN + UNIT_MORE - 1. */
#define UNIT_MIN 20
#define UNIT_MORE 180

static const struct log_list *shape_choose(const struct log_choice *choice,
                                           uint64_t key, uint64_t what)
{
    static const struct log_list none = {0};
    if (choice->n_lists == 0)
        return &none;
    return &choice->lists[log_draw(key, what, choice->n_lists)];
}

static void init_unit(struct log_shape *s)
{
    const struct log_kind *kind = &s->source->kind;
    const struct log_style *style = kind->style;
    s->every = style->whole_epochs ? kind->epoch_steps : kind->log_every;
    if (style->by_epoch || style->whole_epochs)
        s->unit = kind->epoch_steps;
    else
        s->unit = s->every *
                  (UNIT_MIN + log_draw(s->key, DRAW_UNIT_LENGTH, UNIT_MORE));
    s->every = s->every < s->unit ? s->every : s->unit;
    s->first = style->from_first ? 1 : s->every;
    s->unit_events = (s->unit - s->first) / s->every + 2;
}

uint64_t log_event_steps(const struct log_shape *s, uint64_t event)
{
    if (event == 0)
        return 0;
    uint64_t unit = (event - 1) / s->unit_events;
    uint64_t i = (event - 1) % s->unit_events;
    if (i + 1 == s->unit_events)
        return (unit + 1) * s->unit;
    return unit * s->unit + s->first + i * s->every;
}

bool log_event_is_end(const struct log_shape *s, uint64_t event)
{
    return event % s->unit_events == 0;
}

/* Returns the number of events of the first `steps` steps. */
static uint64_t events_of(const struct log_shape *s, uint64_t steps)
{
    uint64_t rest = steps % s->unit;
    uint64_t records = rest < s->first ? 0 : (rest - s->first) / s->every + 1;
    return steps / s->unit * s->unit_events + records;
}

/* Returns d(burst), the draw whose differences are the sizes of bursts (struct
 * log_channel). */
static uint64_t burst_draw(const struct log_channel *c, uint64_t burst)
{
    return log_draw(c->key, 2 * burst, c->mean + UINT64_C(1));
}

/* Returns the event before whose lines a burst comes. */
static uint64_t burst_event(const struct log_channel *c, uint64_t burst)
{
    return burst * c->every + 1 + log_draw(c->key, 2 * burst + 1, c->every);
}

static uint64_t burst_size(const struct log_channel *c, uint64_t burst)
{
    return c->mean + burst_draw(c, burst + 1) - burst_draw(c, burst);
}

uint64_t log_burst_at(const struct log_shape *s, size_t channel, uint64_t event,
                      uint64_t *burst)
{
    const struct log_channel *c = &s->channels[channel];
    *burst = (event - 1) / c->every;
    return burst_event(c, *burst) == event ? burst_size(c, *burst) : 0;
}

static uint64_t chatter_until(const struct log_shape *s, uint64_t event)
{
    uint64_t lines = 0;
    for (size_t i = 0; i < s->n_channels && event > 0; i++) {
        const struct log_channel *c = &s->channels[i];
        uint64_t burst = (event - 1) / c->every;
        lines += burst * c->mean + burst_draw(c, burst) - burst_draw(c, 0);
        if (burst_event(c, burst) <= event)
            lines += burst_size(c, burst);
    }
    return lines;
}

uint64_t log_lines_until(const struct log_shape *s, uint64_t event)
{
    uint64_t units = event / s->unit_events, rest = event % s->unit_events;
    return units * ((s->unit_events - 1) * s->record_lines + s->unit_lines) +
           rest * s->record_lines + chatter_until(s, event);
}

/* Chooses the lists that the attempt ends with, and the rank that fails first.
 */
static void init_end(struct log_shape *s)
{
    const struct log_attempt *a = s->attempt;
    uint32_t gpus = s->source->kind.gpus;
    s->faulty = (uint32_t)log_draw(s->attempt_key, DRAW_FAULTY, gpus);
    if (a->end == LOG_COMPLETED)
        s->ends[s->n_ends++] =
            shape_choose(&s->source->kind.style->done, s->key, DRAW_DONE);
    if (a->end == LOG_STOPPED)
        s->ends[s->n_ends++] =
            shape_choose(&log_stops, s->attempt_key, DRAW_STOP);
    if (a->end == LOG_FAILED) {
        s->faulty = log_faulty_rank(s);
        s->ends[s->n_ends++] = log_cascade_choose(
            &a->failure, log_mix(s->attempt_key, DRAW_CASCADE));
        if (s->source->hostile)
            s->ends[s->n_ends++] = &log_hostile_end;
        s->ends[s->n_ends++] =
            shape_choose(&log_teardowns, s->attempt_key, DRAW_TEARDOWN);
    }
    for (size_t i = 0; i < s->n_ends; i++)
        s->end_lines += log_list_count(s, s->ends[i]);
}

void log_shape_init(struct log_shape *s, const struct log_source *source,
                    const struct log_attempt *attempt)
{
    const struct log_kind *kind = &source->kind;
    const struct log_style *style = kind->style;
    CHECK(attempt->n_segments > 0 && kind->step_s > 0 && kind->gpus > 0);
    CHECK(kind->nodes > 0 && kind->epoch_steps > 0 && kind->log_every > 0);
    *s = (struct log_shape){.source = source, .attempt = attempt};
    s->key = log_mix(source->key, 1);
    s->attempt_key = log_mix(s->key, attempt->number);
    s->step_us = kind->step_s * (double)SPAN_SECOND;
    init_unit(s);
    s->head = shape_choose(&style->head, s->key, DRAW_HEAD);
    s->record = shape_choose(kind->prints_time ? &style->timed : &style->plain,
                             s->key, DRAW_RECORD);
    s->unit_end = shape_choose(&style->unit, s->key, DRAW_UNIT);
    s->record_lines = log_list_count(s, s->record);
    s->unit_lines = log_list_count(s, s->unit_end);
    log_chatter_init(s);
    double begun = (double)attempt->segments[0].work / s->step_us;
    s->steps_begin = begun > 0 ? (uint64_t)(begun + 1e-6) : 0;
    s->begin = events_of(s, s->steps_begin);
    s->now = events_of(s, log_steps_done(s));
    s->now = s->now < s->begin ? s->begin : s->now;
    s->head_lines = log_list_count(s, s->head);
    s->body_lines = log_lines_until(s, s->now) - log_lines_until(s, s->begin);
    init_end(s);
}
