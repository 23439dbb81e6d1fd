/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "commands/when_delays.h"

#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "commands/terminal.h"

enum { DELAY_TEXT_MAX = 40, ROWS_MOST = 10 };

/* Writes a delay, such as "+1h 05min", "-20min", "never". */
static const char *delay_text(const struct delays *d, sim_span span,
                              char out[DELAY_TEXT_MAX])
{
    const sim_span length = span < 0 ? -span : span;
    char text[WHEN_AFTER_MAX];
    if (length == DELAYS_NEVER)
        snprintf(out, DELAY_TEXT_MAX, span > 0 ? "never" : "only then");
    else
        snprintf(out, DELAY_TEXT_MAX, "%s%s",
                 length < SPAN_SECOND ? ""
                 : span < 0           ? "-"
                                      : "+",
                 when_after(d->state, d->state->at + length, text));
    return out;
}

static bool row_is_asked(const struct delays *d, const struct delay_row *row,
                         const char *job)
{
    return !job || strcmp(job, d->state->jobs[row->job].id) == 0;
}

static const char *delays_user(const char *user)
{
    return *user ? user : "-";
}

static void delays_print_head(void)
{
    printf("%-12s %-10s %5s  %11s  %11s %11s %11s\n", "job", "user", "GPUs",
           "in", "p10", "p50", "p90");
}

static void delays_print_row(const struct delays *d,
                             const struct delay_row *row)
{
    const struct state_job *job = &d->state->jobs[row->job];
    char before[WHEN_AFTER_MAX], p10[DELAY_TEXT_MAX], p50[DELAY_TEXT_MAX],
        p90[DELAY_TEXT_MAX];
    when_after(d->state, row->before, before);
    printf("%-12.40s %-10.20s %5u  %11s  %11s %11s %11s\n", job->id,
           delays_user(job->user), job->gpus, before,
           delay_text(d, row->p10, p10), delay_text(d, row->p50, p50),
           delay_text(d, row->p90, p90));
}

/* Prints at most ROWS_MOST rows of those later, or sooner (sign -1), by more
 * than DELAYS_LEAST. */
static void delays_print_rows(const struct delays *d, size_t first, size_t n,
                              int sign, const char *title)
{
    size_t n_rows = 0, shown = 0;
    for (size_t i = 0; i < n; i++)
        n_rows += sign * d->rows[first + i].p50 > DELAYS_LEAST;
    if (n_rows == 0)
        return;
    printf("\n%s%s\n", title, n_rows > ROWS_MOST ? ", the ten most" : "");
    delays_print_head();
    for (size_t k = 0; k < n && shown < ROWS_MOST; k++) {
        const size_t i = sign > 0 ? k : n - 1 - k;
        const struct delay_row *row = &d->rows[first + i];
        if (sign * row->p50 <= DELAYS_LEAST)
            break;
        delays_print_row(d, row);
        shown++;
    }
}

static void delays_print_users(const struct delays *d)
{
    char total[DELAY_TEXT_MAX];
    printf("\n%-16s %5s %6s %7s  %s\n", "user", "jobs", "later", "sooner",
           "delay of all its jobs");
    for (size_t i = 0; i < d->n_users && i < ROWS_MOST; i++) {
        const struct delay_sum *sum = &d->users[i];
        printf("%-16.40s %5u %6u %7u  %s\n", delays_user(sum->user),
               sum->n_jobs, sum->n_later, sum->n_sooner,
               delay_text(d, sum->p50, total));
    }
    if (d->n_users > ROWS_MOST)
        printf("and %zu more users\n", d->n_users - ROWS_MOST);
}

static void delays_print_sum(const struct delays *d)
{
    const struct delay_sum *all = &d->all;
    char p10[DELAY_TEXT_MAX], p50[DELAY_TEXT_MAX], p90[DELAY_TEXT_MAX],
        later[DELAY_TEXT_MAX];
    printf("%u of %zu waiting jobs start later by more than a minute",
           all->n_later, d->n_waiting);
    if (all->n_later)
        printf(" (median %s)", delay_text(d, d->later, later));
    printf(", %u sooner\n", all->n_sooner);
    printf("delay of all together: %s (80 %%: %s to %s)\n",
           delay_text(d, all->p50, p50), delay_text(d, all->p10, p10),
           delay_text(d, all->p90, p90));
    if (d->n_never)
        printf("%u of them do not start at all any more\n", d->n_never);
    if (d->n_only_then)
        printf("%u start only then\n", d->n_only_then);
}

void when_delays_print(const struct delays *d, const char *job)
{
    const struct state *state = d->state;
    char at[TIME_TEXT_MAX];
    time_to_text(state->at, at);
    for (size_t i = 0; i < d->n_changes; i++)
        printf("%s\n", d->changes[i]);
    printf("from %s UTC, under %s%s%s; run times: %s; %u draw%s, the same in "
           "both worlds\n\n",
           at, d->after, strcmp(d->before, d->after) ? " against " : "",
           strcmp(d->before, d->after) ? d->before : "", d->words, d->draws,
           say_plural(d->draws));
    if (d->n_waiting == 0)
        printf("no job waits\n");
    else if (job)
        delays_print_head();
    else
        delays_print_sum(d);
    for (size_t i = 0; i < d->n_waiting && job; i++) {
        if (row_is_asked(d, &d->rows[i], job))
            delays_print_row(d, &d->rows[i]);
    }
    if (!job) {
        if (d->all.n_later || d->all.n_sooner)
            delays_print_users(d);
        delays_print_rows(d, 0, d->n_waiting, 1, "start later");
        delays_print_rows(d, 0, d->n_waiting, -1, "start sooner");
        delays_print_rows(d, d->n_waiting, d->n_rows - d->n_waiting, 1,
                          "run now, and end later");
        delays_print_rows(d, d->n_waiting, d->n_rows - d->n_waiting, -1,
                          "run now, and end sooner");
    }
    for (size_t i = 0; i < state->n_notes; i++)
        printf("note: %s\n", state->notes[i]);
}

/* Writes a number of seconds, or a word where it is infinite. */
static void delays_write_span(struct json_stream *js, const char *key,
                              sim_span span)
{
    if (span == DELAYS_NEVER || span == -DELAYS_NEVER)
        json_stream_text(js, key, span > 0 ? "never" : "only then");
    else
        json_stream_span(js, key, span);
}

static void delays_write_time(struct json_stream *js, const char *key,
                              sim_time at)
{
    if (at != TIME_NEVER)
        json_stream_span(js, key, at);
}

static void delays_write_sum(struct json_stream *js,
                             const struct delay_sum *sum)
{
    json_stream_whole(js, "jobs", sum->n_jobs);
    json_stream_whole(js, "later", sum->n_later);
    json_stream_whole(js, "sooner", sum->n_sooner);
    json_stream_span(js, "delay_p10_s", sum->p10);
    json_stream_span(js, "delay_p50_s", sum->p50);
    json_stream_span(js, "delay_p90_s", sum->p90);
}

static void delays_write_rows(struct json_stream *js, const struct delays *d,
                              const char *key, size_t first, size_t end,
                              const char *job)
{
    json_stream_array(js, key);
    for (size_t i = first; i < end; i++) {
        const struct delay_row *row = &d->rows[i];
        const struct state_job *of = &d->state->jobs[row->job];
        if (!row_is_asked(d, row, job))
            continue;
        json_stream_object(js, NULL);
        json_stream_text(js, "id", of->id);
        json_stream_text(js, "user", of->user);
        json_stream_whole(js, "gpus", of->gpus);
        delays_write_time(
            js, row->runs ? "end_before_unix_s" : "start_before_unix_s",
            row->before);
        delays_write_time(js,
                          row->runs ? "end_after_unix_s" : "start_after_unix_s",
                          row->after);
        delays_write_span(js, "delay_p10_s", row->p10);
        delays_write_span(js, "delay_p50_s", row->p50);
        delays_write_span(js, "delay_p90_s", row->p90);
        json_stream_object_end(js);
    }
    json_stream_array_end(js);
}

enum status when_delays_write(const struct delays *d, const char *job,
                              struct error *err)
{
    struct out *out;
    enum status st = out_open("-", &out, err);
    if (st != STATUS_OK)
        return st;
    struct json_stream js = json_stream_to(out);
    json_stream_object(&js, NULL);
    json_stream_span(&js, "at_unix_s", d->state->at);
    json_stream_text(&js, "policy", d->after);
    json_stream_text(&js, "versus", d->before);
    json_stream_text(&js, "run_times", d->words);
    json_stream_whole(&js, "draws", d->draws);
    json_stream_array(&js, "what_if");
    for (size_t i = 0; i < d->n_changes; i++)
        json_stream_text(&js, NULL, d->changes[i]);
    json_stream_array_end(&js);
    json_stream_object(&js, "waiting");
    delays_write_sum(&js, &d->all);
    json_stream_span(&js, "median_delay_of_later_s", d->later);
    json_stream_whole(&js, "never", d->n_never);
    json_stream_whole(&js, "only_then", d->n_only_then);
    json_stream_object_end(&js);
    json_stream_array(&js, "users");
    for (size_t i = 0; i < d->n_users; i++) {
        json_stream_object(&js, NULL);
        json_stream_text(&js, "user", d->users[i].user);
        delays_write_sum(&js, &d->users[i]);
        json_stream_object_end(&js);
    }
    json_stream_array_end(&js);
    delays_write_rows(&js, d, "jobs", 0, d->n_waiting, job);
    delays_write_rows(&js, d, "running", d->n_waiting, d->n_rows, job);
    state_write_notes(d->state, &js);
    json_stream_object_end(&js);
    json_stream_end(&js);
    return out_close(out, err);
}
