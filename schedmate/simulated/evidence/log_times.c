/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes the values of templates that show the speed of the training or the
 * time. */
#include "schedmate/simulated/evidence/evidence_internal.h"

#include <math.h>

typedef void (*write_value)(struct out *, const struct log_spot *,
                            const struct log_piece *);
#define LOG_TIME(name) \
    static void write_##name(struct out *out, const struct log_spot *spot, \
                             const struct log_piece *piece)

/* Varies a printed time, which is the mean of `n` steps, by the jitter of the
 * job. `what` keeps the draws of different values apart. */
static double shaken(const struct log_spot *spot, double seconds, uint64_t n,
                     uint64_t what)
{
    double jitter = spot->shape->source->kind.jitter;
    if (jitter <= 0)
        return seconds;
    uint64_t key =
        log_mix(spot->shape->attempt_key, log_mix(spot->steps, what));
    double z = sqrt(-2 * log(log_draw_real(key, 0))) *
               cos(6.283185307179586 * log_draw_real(key, 1));
    return seconds * fmax(0.3, 1 + jitter * z / sqrt((double)(n ? n : 1)));
}

/* Returns the seconds of the last step, varied by the jitter. */
static double one_step(const struct log_spot *spot)
{
    return shaken(spot, log_step_time(spot->shape, spot->steps), 1, 1);
}

/* Returns the mean seconds of the steps since the event before
 * (log_spot.before), varied by the jitter. */
static double window_step(const struct log_spot *spot)
{
    uint64_t n = spot->steps - spot->before;
    return shaken(
        spot, log_mean_step_time(spot->shape, spot->before, spot->steps), n, 2);
}

/* Returns the number of steps that were done when the epoch began, or when this
 * attempt began if that is later. */
static uint64_t epoch_begin(const struct log_spot *spot)
{
    uint64_t n = spot->shape->source->kind.epoch_steps;
    uint64_t begin = spot->steps ? (spot->steps - 1) / n * n : 0;
    return begin > spot->shape->steps_begin ? begin : spot->shape->steps_begin;
}

LOG_TIME(T)
{
    out_printf(out, "%*.*f", (int)piece->b, (int)piece->a, one_step(spot));
}

LOG_TIME(AVG)
{
    uint64_t from = epoch_begin(spot);
    double mean = log_mean_step_time(spot->shape, from, spot->steps);
    out_printf(out, "%*.*f", (int)piece->b, (int)piece->a,
               shaken(spot, mean, spot->steps - from, 3));
}

/* Writes a part of the time of the last step: `a` percent of it, varied by up
 * to 20 %, with `b` decimals. */
LOG_TIME(PART)
{
    double varied = 0.8 + 0.4 * log_draw_real(spot->key, 4);
    out_printf(out, "%.*f", (int)piece->b,
               piece->a / 100.0 * varied * one_step(spot));
}

LOG_TIME(MS)
{
    out_printf(out, "%.*f", (int)piece->a, 1000 * window_step(spot));
}

static void write_rate(struct out *out, double seconds)
{
    if (seconds > 1)
        out_printf(out, "%5.2fs/it", seconds);
    else
        out_printf(out, "%5.2fit/s", 1 / seconds);
}

/* Writes the rate as tqdm prints it, "s/it" or "it/s"; with a = 1, writes steps
 * per second with `b` decimals. */
LOG_TIME(RATE)
{
    if (piece->a == 1)
        out_printf(out, "%.*f", (int)piece->b, 1 / window_step(spot));
    else
        write_rate(out, window_step(spot));
}

LOG_TIME(THR)
{
    double batch = spot->shape->source->kind.batch;
    out_printf(out, "%.*f", (int)piece->a, batch / window_step(spot));
}

LOG_TIME(AVGTHR)
{
    const struct log_shape *s = spot->shape;
    double mean = log_mean_step_time(s, s->steps_begin, spot->steps);
    out_printf(out, "%.*f", (int)piece->a, s->source->kind.batch / mean);
}

/* Returns the seconds since the epoch began, or since this attempt began if
 * that is later. */
static double epoch_seconds(const struct log_spot *spot)
{
    double begun = log_time_of(spot->shape, (double)epoch_begin(spot), true);
    double span = spot->at - begun;
    return span > 0 ? span * 1e-6 : 0;
}

LOG_TIME(EPOCHTIME)
{
    out_printf(out, "%.*f", (int)piece->a, epoch_seconds(spot));
}

static double run_seconds(const struct log_spot *spot, double steps)
{
    const struct log_shape *s = spot->shape;
    double begun = log_time_of(s, (double)s->steps_begin, true);
    double span = log_time_of(s, steps, false) - begun;
    return span > 0 ? span * 1e-6 : 0;
}

/* Returns the seconds until `to` steps are done, at the mean speed since step
 * `from`. */
static double rest_seconds(const struct log_spot *spot, uint64_t from,
                           uint64_t to)
{
    double mean = log_mean_step_time(spot->shape, from, spot->steps);
    return to > spot->steps ? (double)(to - spot->steps) * mean : 0;
}

/* Writes a span as tqdm does: "03:25", with the hours in front only if there
 * are any. */
static void write_span(struct out *out, double seconds)
{
    unsigned long long s = (unsigned long long)fmin(seconds, 1e12);
    if (s >= 3600)
        out_printf(out, "%llu:", s / 3600);
    out_printf(out, "%02llu:%02llu", s / 60 % 60, s % 60);
}

LOG_TIME(ELAPSED)
{
    (void)piece;
    write_span(out, run_seconds(spot, (double)spot->steps));
}

LOG_TIME(ELAPSEDS)
{
    out_printf(out, "%.*f", (int)piece->a,
               run_seconds(spot, (double)spot->steps));
}

/* Writes the time until the end of the run; with a = 1, until the end of the
 * epoch. */
LOG_TIME(ETA)
{
    const struct log_kind *kind = &spot->shape->source->kind;
    uint64_t done = spot->steps ? spot->steps - 1 : 0;
    uint64_t to = piece->a ? (done / kind->epoch_steps + 1) * kind->epoch_steps
                           : kind->steps;
    uint64_t from = piece->a ? epoch_begin(spot) : spot->before;
    write_span(out, rest_seconds(spot, from, to));
}

/* Writes a bar of `width` cells. A `share` of 1 or more fills it; the last cell
 * that is not empty is drawn in eighths. */
static void times_write_cells(struct out *out, double share, int width)
{
    static const char *const part[] = {" ", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    int eighths = (int)(fmin(1, share) * width * 8);
    for (int i = 0; i < width; i++) {
        int here = eighths - 8 * i;
        out_text(out, here >= 8 ? "█" : part[here > 0 ? here : 0]);
    }
}

/* Writes a state of tqdm's bar over the run, at a/b of the steps from the event
 * before to this line; b = 0: at this line. */
LOG_TIME(BAR)
{
    const struct log_kind *kind = &spot->shape->source->kind;
    struct log_spot here = *spot;
    uint64_t way = spot->steps - spot->before;
    if (piece->b > 0)
        here.steps =
            spot->before + way * (uint64_t)piece->a / (uint64_t)piece->b;
    double share = (double)here.steps / (double)kind->steps;
    out_printf(out, "%3.0f%%|", floor(100 * share));
    times_write_cells(out, share, 10);
    out_printf(out, "| %llu/%llu [", (unsigned long long)here.steps,
               (unsigned long long)kind->steps);
    write_span(out, run_seconds(spot, (double)here.steps));
    out_char(out, '<');
    write_span(out, rest_seconds(spot, spot->before, kind->steps));
    out_text(out, ", ");
    write_rate(out, window_step(spot));
    out_char(out, ']');
}

/* Writes a bar of `a` cells over the steps of the epoch. */
LOG_TIME(BLOCKS)
{
    uint64_t n = spot->shape->source->kind.epoch_steps;
    uint64_t done = spot->steps ? (spot->steps - 1) % n + 1 : 0;
    times_write_cells(out, (double)done / (double)n, piece->a);
}

/* Returns the date of the line without its fraction of a second, and that
 * fraction in microseconds. */
static void date_of(const struct log_spot *spot, char date[TIME_TEXT_MAX],
                    unsigned *micro)
{
    sim_time at = spot->shape->source->zero + (sim_time)spot->at;
    sim_time second = at / SPAN_SECOND;
    *micro = (unsigned)(at - second * SPAN_SECOND);
    time_to_text(second * SPAN_SECOND, date);
}

LOG_TIME(DATE)
{
    (void)piece;
    char date[TIME_TEXT_MAX];
    unsigned micro;
    date_of(spot, date, &micro);
    out_text(out, date);
}

LOG_TIME(DATEMS)
{
    (void)piece;
    char date[TIME_TEXT_MAX];
    unsigned micro;
    date_of(spot, date, &micro);
    out_printf(out, "%s,%03u", date, micro / 1000);
}

LOG_TIME(ISO)
{
    (void)piece;
    char date[TIME_TEXT_MAX];
    unsigned micro;
    date_of(spot, date, &micro);
    date[10] = 'T';
    out_text(out, date);
}

LOG_TIME(SLASH)
{
    (void)piece;
    char date[TIME_TEXT_MAX];
    unsigned micro;
    date_of(spot, date, &micro);
    date[4] = date[7] = '/';
    out_text(out, date);
}

LOG_TIME(CLOCK)
{
    (void)piece;
    char date[TIME_TEXT_MAX];
    unsigned micro;
    date_of(spot, date, &micro);
    out_text(out, date + 11);
}

LOG_TIME(SHORT)
{
    (void)piece;
    char date[TIME_TEXT_MAX];
    unsigned micro;
    date_of(spot, date, &micro);
    date[7] = '/';
    out_text(out, date + 5);
}

LOG_TIME(GLOG)
{
    (void)piece;
    char date[TIME_TEXT_MAX];
    unsigned micro;
    date_of(spot, date, &micro);
    out_printf(out, "%.2s%.2s %s.%06u", date + 5, date + 8, date + 11, micro);
}

LOG_TIME(SYSLOG)
{
    (void)piece;
    static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
    char date[TIME_TEXT_MAX];
    unsigned micro;
    date_of(spot, date, &micro);
    int month = (date[5] - '0') * 10 + (date[6] - '0') - 1;
    out_printf(out, "%.3s %c%c %s", months + (size_t)3 * (size_t)month,
               date[8] == '0' ? ' ' : date[8], date[9], date + 11);
}

void log_write_time(struct out *out, const struct log_spot *spot,
                    const struct log_piece *piece)
{
#define WRITER(name) [LOG_VALUE_##name] = write_##name,
    static const write_value writers[N_LOG_VALUES] = {LOG_TIME_VALUES(WRITER)};
#undef WRITER
    if (writers[piece->value])
        writers[piece->value](out, spot, piece);
}
