/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `report DIR...`: writes a page that shows finished results side by side. */
#include <stdio.h>
#include <string.h>

#include "commands/cli.h"
#include "commands/compared.h"
#include "commands/report/report_internal.h"
#include "commands/terminal.h"

struct report_input {
    struct cli_call call;
    struct arg_words dirs;
    const char *out, *baseline;
    struct page_wishes wishes;
};

/* Returns the last part of a path, which may end with slashes. */
static struct text report_last_part(const char *path)
{
    struct text part = text_from(path);
    while (part.len > 1 && part.at[part.len - 1] == '/')
        part.len--;
    for (size_t i = part.len; i > 0; i--) {
        if (part.at[i - 1] == '/' && i < part.len)
            return text_skip(part, i);
    }
    return part;
}

/* Moves the directory that --baseline names, whole or by its last part, to the
 * front, because differences are to the first result. */
static enum status report_put_first(struct report_input *input,
                                    struct error *err)
{
    const char **dirs = input->dirs.at;
    size_t n = input->dirs.n, at = 0;
    if (!input->baseline)
        return STATUS_OK;
    while (at < n && strcmp(dirs[at], input->baseline) != 0 &&
           !text_is(report_last_part(dirs[at]), input->baseline))
        at++;
    if (at == n)
        return error_set(err, STATUS_USAGE,
                         "--baseline: '%.200s' is none of the directories",
                         input->baseline);
    const char *first = dirs[at];
    memmove(dirs + 1, dirs, at * sizeof *dirs);
    dirs[0] = first;
    return STATUS_OK;
}

static enum status cmd_report_run(void *self, struct error *err)
{
    struct report_input *input = self;
    struct report_runs runs;
    struct out *out;
    json_t *data = NULL;
    enum status st = compared_expand(&input->dirs, &input->call.arena, err);
    if (st == STATUS_OK)
        st = report_put_first(input, err);
    if (st == STATUS_OK)
        st = report_runs_open(input->dirs.at, input->dirs.n, &runs, err);
    if (st != STATUS_OK)
        return st;
    st = page_data(&runs, &input->wishes, &data, err);
    if (st == STATUS_OK)
        st = out_open_sparing(input->out, input->call.force, &out, err);
    if (st == STATUS_OK && !page_has_uplot())
        say(stderr,
            "schedsim: report: this build has no uPlot, so lines cannot be "
            "zoomed; to get it: apt-get install npm, then meson setup "
            "--reconfigure in the build directory (docs/report.md)");
    if (st == STATUS_OK) {
        page_write(out, data);
        st = out_close(out, err);
    }
    if (st == STATUS_OK && strcmp(input->out, "-") != 0)
        say(stderr, "schedsim: %s shows %zu result%s", input->out, runs.n,
            say_plural(runs.n));
    json_decref(data);
    report_runs_close(&runs);
    return st;
}

static const struct arg report_args[] = {
    TAKE_WORDS(struct report_input, dirs, "DIR", "result directory"),
    TAKE_TEXT(struct report_input, out, "out", "FILE",
              "the page; - is standard output", .initial = "report.html",
              .letter = 'o'),
    TAKE_TEXT(struct report_input, baseline, "baseline", "DIR",
              "the result to which the others are compared, or the last part "
              "of its name; default: the first"),
    TAKE_FORCE(struct report_input),
    TAKE_TEXT(struct report_input, wishes.title, "title", "TEXT",
              "heading of the page"),
    TAKE_U32(struct report_input, wishes.waiters, "waiters", "N",
             "jobs in the list of the longest waits of each run",
             .initial = "20", .lo = 0, .hi = 1000),
    {0},
};

const struct command command_report = {
    .name = "report",
    .summary = "show finished results as one page for a browser",
    .about = "Writes one HTML page that compares finished results and needs no "
             "network. The first DIR is the one with which the others are "
             "compared.",
    .parts = {{.rows = report_args}},
    .input_size = sizeof(struct report_input),
    .run = cmd_report_run,
    .examples = "report runs/fifo runs/srtf\nreport runs/* -o page.html",
};
