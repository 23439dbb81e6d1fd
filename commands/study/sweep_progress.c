/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Draws progress: on a terminal one line that overwrites itself, elsewhere a
 * line every half minute. The file reads real time, which reaches no result. */
#include <math.h>
#include <stdio.h>
#include <time.h>

#include "commands/cli.h"
#include "commands/study/sweep_internal.h"
#include "commands/terminal.h"

enum { LINES_S = 30 };
static const double draws_s = 0.2;

static double progress_now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

unsigned sweep_threads(const struct sweep *s)
{
    return s->options->threads ? s->options->threads : study_processors();
}

double sweep_left_s(const struct sweep *s, size_t n_left)
{
    double sum = 0, known = 0;
    size_t n_known = 0, n_unknown = 0;
    for (size_t i = s->n_todo - n_left; i < s->n_todo; i++) {
        double seconds = journal_seconds(s->journal, s->tasks[s->todo[i]].key);
        if (isnan(seconds))
            n_unknown++;
        else
            sum += seconds;
    }
    if (!n_unknown)
        return sum;
    for (size_t i = 0; i < s->grid.n_runs; i++) {
        double seconds = journal_seconds(s->journal, s->tasks[i].key);
        if (!isnan(seconds)) {
            known += seconds;
            n_known++;
        }
    }
    return n_known ? sum + known / (double)n_known * (double)n_unknown : NAN;
}

static void progress_write_line(const struct sweep *s, char *to, size_t room)
{
    char left[TABLE_SPAN_MAX] = "?", failed[64] = "";
    const double seconds = sweep_left_s(s, s->n_todo - s->n_made);
    const double n = sweep_threads(s);
    if (!isnan(seconds))
        table_span(seconds / n, left);
    if (s->n_failed)
        snprintf(failed, sizeof failed, ", %zu failed", s->n_failed);
    snprintf(to, room, "sweep: %zu of %zu runs%s, %s left",
             s->n_before + s->n_made, s->n_mine, failed, left);
}

void sweep_progress(struct sweep *s)
{
    char line[256];
    const double now = progress_now_s();
    const bool draws = cli_is_terminal();
    /* the first line comes at once on a terminal, elsewhere after LINES_S */
    if (s->begun_s == 0)
        s->begun_s = now + (draws ? 0 : LINES_S);
    if (now < s->begun_s)
        return;
    s->begun_s = now + (draws ? draws_s : LINES_S);
    progress_write_line(s, line, sizeof line);
    fprintf(stderr, draws ? "\r%s\033[K" : "%s\n", line);
    fflush(stderr);
}

void sweep_progress_end(void)
{
    if (!cli_is_terminal())
        return;
    fputs("\r\033[K", stderr);
    fflush(stderr);
}
