/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "commands/progress_line.h"

#include <time.h>

#include "commands/table.h"

static int64_t clock_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

void progress_line_init(struct progress_line *line, FILE *to, const char *label,
                        uint32_t n_jobs)
{
    *line = (struct progress_line){
        .to = to, .label = label, .n_jobs = n_jobs, .begun = clock_ns()};
    line->drawn = line->begun;
}

static void draw(const struct progress_line *line, sim_time now,
                 uint32_t n_done, double elapsed_s)
{
    char sim[TABLE_SPAN_MAX], left[TABLE_SPAN_MAX];
    double rate = n_done / elapsed_s;
    table_span(span_seconds(now), sim);
    if (n_done)
        table_span((line->n_jobs - n_done) / rate, left);
    else
        snprintf(left, sizeof left, "?");
    fprintf(line->to,
            "\r%s: simulated %s, %u of %u jobs, %.0f jobs/s, %s left\033[K",
            line->label, sim, n_done, line->n_jobs, rate, left);
    fflush(line->to);
}

bool progress_line_instant(void *self, sim_time now, uint32_t n_done)
{
    /* Read the clock once per this number of instants, because reading the
     * clock takes longer than a short instant. The number must be small: one
     * instant of a slow policy (pollux) can take a second, and the line would
     * seem stuck. */
    enum { INSTANTS_A_LOOK = 16 };
    struct progress_line *line = self;
    if (++line->n_instants % INSTANTS_A_LOOK != 0)
        return true;
    int64_t at = clock_ns();
    int64_t pause = line->visible ? 200000000 : 1000000000;
    if (at - line->drawn < pause)
        return true;
    draw(line, now, n_done, (double)(at - line->begun) * 1e-9);
    line->drawn = at;
    line->visible = true;
    return true;
}

void progress_line_fini(struct progress_line *line)
{
    if (line->visible) {
        fputs("\r\033[K", line->to);
        fflush(line->to);
    }
    line->visible = false;
}
