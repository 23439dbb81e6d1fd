/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "commands/differences.h"

#include <math.h>
#include <string.h>

#include "commands/summary_table.h"

const char *estimate_text(const struct estimate *e, const char *unit,
                          char buf[ESTIMATE_TEXT_MAX])
{
    char mean[TABLE_SPAN_MAX], lo[TABLE_SPAN_MAX], hi[TABLE_SPAN_MAX];
    struct interval in = e->interval;
    if (e->n == 0) {
        snprintf(buf, ESTIMATE_TEXT_MAX, "-");
    } else if (strcmp(unit, "s") == 0) {
        const struct distribution d = {
            .count = e->n, .mean = e->mean, .mean_lo = in.lo, .mean_hi = in.hi};
        summary_mean(&d, buf);
    } else if (isnan(in.lo)) {
        snprintf(buf, ESTIMATE_TEXT_MAX, "%s", table_figure(e->mean, mean));
    } else {
        snprintf(buf, ESTIMATE_TEXT_MAX, "%s [%s, %s]",
                 table_figure(e->mean, mean),
                 table_figure_as(in.lo, e->mean, lo),
                 table_figure_as(in.hi, e->mean, hi));
    }
    return buf;
}

void differences_init(struct differences *all, const char *what,
                      const char *pairs)
{
    static const char *const heads[] = {"minus first [95 %]", "change"};
    *all = (struct differences){0};
    table_init(&all->table, 8, 1 | 2 | 1u << 7);
    table_add(&all->table, "%s", what);
    table_add(&all->table, "metric");
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
        table_add(&all->table, "%s", heads[i]);
    table_add(&all->table, "%s less", pairs);
    table_add(&all->table, "%s more", pairs);
    table_add(&all->table, "Cohen's d");
    table_add(&all->table, "verdict");
}

/* Adds a share in percent, or "-" for NaN. A change is shown with its sign. */
static void percent_cell(struct table *table, double share, bool is_change)
{
    double percent = 100 * share;
    if (isnan(percent))
        table_add(table, "-");
    else if (is_change)
        table_add(table, fabs(percent) < 9999 ? "%+.1f %%" : "%+.0f %%",
                  percent);
    else
        table_add(table, "%.1f %%", percent);
}

void differences_add(struct differences *all, const char *setting,
                     const char *metric, const char *unit,
                     const struct difference *d)
{
    char buf[ESTIMATE_TEXT_MAX];
    const char *word = difference_words[d->verdict];
    /* "jct_s" is shown as "jct", because the cells have a unit */
    const size_t n = strlen(metric), cut = n > 2 ? n - 2 : n;
    const bool is_time = strcmp(metric + cut, "_s") == 0;
    struct table *table = &all->table;
    all->n_rows++;
    table_add(table, "%s", setting);
    table_add(table, "%.*s", (int)(is_time ? cut : n), metric);
    table_add(table, "%s", estimate_text(&d->estimate, unit, buf));
    percent_cell(table, d->change, true);
    percent_cell(table, d->less, false);
    percent_cell(table, d->more, false);
    if (isnan(d->cohen_d))
        table_add(table, "-");
    else
        table_add(table, "%.2f", d->cohen_d);
    all->any_noise |= d->verdict == DIFFERENCE_NOISE;
    all->any_unknown |= d->verdict == DIFFERENCE_UNKNOWN;
    all->any_incomparable |= d->verdict == DIFFERENCE_INCOMPARABLE;
    all->any_needed |= !isnan(d->needed);
    all->any_by_parts |= d->by_parts;
    if (d->by_parts)
        table_add(table, "%s by parts", word);
    else if (isnan(d->needed))
        table_add(table, "%s", word);
    else if (d->needed <= 1e6)
        table_add(table, "%s (%.0f needed)", word, d->needed);
    else
        table_add(table, "%s (over 1000000 needed)", word);
    /* less of a time is better; of other metrics it may be worse */
    if (is_time && d->verdict == DIFFERENCE_LESS)
        table_tone(table, TONE_BETTER);
    else if (is_time && d->verdict == DIFFERENCE_MORE)
        table_tone(table, TONE_WORSE);
}

void differences_finish(struct differences *all, FILE *to)
{
    if (all->n_rows) {
        fputc('\n', to);
        table_print(&all->table, to);
    }
    if (all->any_incomparable)
        say_prose(to, "not comparable: the two did not finish the same jobs");
    if (all->any_by_parts)
        say_prose(
            to, "by parts: most of 16 parts of the jobs lie on this side (sign "
                "test, 5 %%); how large the difference is remains open");
    if (all->any_noise)
        say_prose(
            to,
            "noise: the interval contains 0, so chance alone may explain "
            "the difference%s",
            all->any_needed
                ? ". N needed: with N replications like this the interval "
                  "would exclude 0 in 4 of 5 cases, if the difference is real "
                  "(approximate)"
                : "");
    if (all->any_unknown)
        say_prose(to, "unknown: too few pairs, or pairs too much alike, for an "
                      "interval");
    table_fini(&all->table);
}

void difference_write(struct json_stream *js, const char *key,
                      const char *count, const struct difference *d)
{
    const struct estimate *e = &d->estimate;
    json_stream_object(js, key);
    json_stream_whole(js, count, (int64_t)e->n);
    json_stream_number(js, "mean", e->mean);
    json_stream_number(js, "mean_lo", e->interval.lo);
    json_stream_number(js, "mean_hi", e->interval.hi);
    if (strcmp(count, "replications") == 0)
        json_stream_text(js, "interval_of",
                         e->is_spread ? "resamples" : "samples");
    json_stream_number(js, "change", d->change);
    json_stream_number(js, "less", d->less);
    json_stream_number(js, "more", d->more);
    json_stream_number(js, "cohen_d", d->cohen_d);
    json_stream_text(js, "verdict", difference_words[d->verdict]);
    if (d->by_parts)
        json_stream_bool(js, "by_parts", true);
    json_stream_number(js, "replications_needed",
                       isinf(d->needed) ? NAN : d->needed);
    json_stream_object_end(js);
}
