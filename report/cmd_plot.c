/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `plot DIR...`: draws a figure for a paper from finished results, through
 * gnuplot. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/gnuplot.h"
#include "report/plot.h"
#include "sim/base/find.h"
#include "sim/cli/cli.h"
#include "sim/cli/table.h"

struct plot_input {
    struct cli_call call;
    struct arg_words dirs;
    struct arg_list kinds, labels;
    const char *out, *script;
    double width, height, font_size;
    uint32_t columns;
    unsigned metric, by;
    const char *vc, *font, *title;
    bool quiet;
};

/* Finds the format of the figure by the end of its name. */
static enum status choose_format(const char *path, enum plot_format *out,
                                 struct error *err)
{
    static const char *const ends[] = {
        [PLOT_SVG] = ".svg", [PLOT_PDF] = ".pdf", [PLOT_PNG] = ".png"};
    size_t len = strlen(path);
    for (unsigned i = 0; i < 3; i++) {
        if (len > 4 && strcmp(path + len - 4, ends[i]) == 0) {
            *out = (enum plot_format)i;
            return STATUS_OK;
        }
    }
    return error_set(err, STATUS_USAGE,
                     "--out: %s: a figure is a file .pdf, .svg or .png", path);
}

static enum status take_wishes(const struct plot_input *input,
                               struct plot_wishes *w, struct error *err)
{
    *w = (struct plot_wishes){
        .metric = input->metric,
        .by = input->by,
        .vc = input->vc,
        .width = input->width,
        .height = input->height,
        .font_size = input->font_size,
        .columns = input->columns,
        .font = input->font,
        .title = input->title,
        .output = input->out,
        .labels = input->labels.at,
        .n_labels = input->labels.n,
    };
    for (size_t i = 0; i < input->kinds.n; i++) {
        const char *name = input->kinds.at[i];
        size_t kind;
        enum status st = find_in("kind of figure", plot_kind_names, PLOT_KINDS,
                                 (struct text){name, strlen(name)}, &kind, err);
        if (st != STATUS_OK)
            return error_prefix(err, "--kind: ");
        w->kinds[w->n_kinds++] = (unsigned)kind;
    }
    if (w->n_kinds == 0)
        w->kinds[w->n_kinds++] = PLOT_CDF;
    if (w->n_labels > input->dirs.n)
        return error_set(err, STATUS_USAGE,
                         "--label: given %zu times for %zu results",
                         w->n_labels, input->dirs.n);
    if (!input->out && !input->script)
        return error_set(err, STATUS_USAGE,
                         "plot: --out FIGURE or --script FILE is missing");
    if (input->script && input->out && strchr(input->out, '\''))
        return error_set(err, STATUS_USAGE,
                         "--out: %s: a script cannot name a file with a '",
                         input->out);
    return input->out ? choose_format(input->out, &w->format, err) : STATUS_OK;
}

/* Keeps the script in a file of its own. */
static enum status keep_script(const struct plot_input *input,
                               const struct report_runs *runs,
                               const struct plot_wishes *wishes,
                               struct error *err)
{
    struct out *out;
    if (!input->script)
        return STATUS_OK;
    enum status st = out_open(input->script, &out, err);
    if (st != STATUS_OK)
        return st;
    st = plot_write(out, runs, wishes, err);
    if (st == STATUS_OK)
        return out_close(out, err);
    out_abandon(out);
    return st;
}

/* Runs gnuplot on the same script, without the line that names its output. */
static enum status draw(const struct plot_input *input,
                        const struct report_runs *runs,
                        struct plot_wishes wishes, struct error *err)
{
    struct out *script = out_to_memory(), *figure = NULL;
    wishes.output = NULL;
    enum status st = plot_write(script, runs, &wishes, err);
    if (st == STATUS_OK)
        st = out_open(input->out, &figure, err);
    if (st == STATUS_OK)
        st = gnuplot_run(out_memory(script), figure, err);
    out_abandon(script);
    if (st == STATUS_OK)
        return out_close(figure, err);
    out_abandon(figure);
    return st;
}

static enum status run(void *self, struct error *err)
{
    const struct plot_input *input = self;
    struct plot_wishes wishes;
    struct report_runs runs;
    enum status st = take_wishes(input, &wishes, err);
    if (st == STATUS_OK)
        st = report_runs_open(input->dirs.at, input->dirs.n, &runs, err);
    if (st != STATUS_OK)
        return st;
    if (runs.n > 1 && !runs.same_jobs && !input->quiet)
        say(stderr, "note: the results differ in their %s",
            runs.differs ? runs.differs : "jobs");
    st = keep_script(input, &runs, &wishes, err);
    if (st == STATUS_OK && input->out)
        st = draw(input, &runs, wishes, err);
    report_runs_close(&runs);
    return st;
}

static const char *const quantities[] = {[REPORT_JCT] = "jct",
                                         [REPORT_QUEUE_DELAY] = "queue-delay",
                                         [REPORT_METRICS] = NULL};
static const char *const bys[] = {"gpus", "duration", "state", NULL};

static const struct arg args[] = {
    TAKE_WORDS(struct plot_input, dirs, "DIR", "result directory"),
    TAKE_TEXT(struct plot_input, out, "out", "FILE",
              "the figure: .pdf, .svg or .png", .letter = 'o'),
    TAKE_LIST(
        struct plot_input, kinds, "kind", "KIND",
        "cdf (default), utilisation, queue, boxes or nodes; a figure has a "
        "panel for each KIND given"),
    TAKE_CHOICE(struct plot_input, metric, "quantity", "QUANTITY", quantities,
                "of cdf and boxes: jct or queue-delay",
                .initial = "queue-delay"),
    TAKE_CHOICE(struct plot_input, by, "by", "CLASS", bys,
                "of boxes: classes of jobs by gpus, duration or state",
                .initial = "gpus"),
    TAKE_TEXT(struct plot_input, vc, "vc", "NAME",
              "of utilisation, queue and nodes: one virtual cluster"),
    TAKE_LIST(struct plot_input, labels, "label", "TEXT",
              "name of a result in the key, in the order of DIR; default: its "
              "policy"),
    TAKE_TEXT(struct plot_input, title, "title", "TEXT",
              "heading of the figure; default: none"),
    TAKE_DOUBLE(struct plot_input, width, "width", "CM",
                "width; 8.4 fits a column of a two-column paper, 17.5 its page",
                .lo = 3, .hi = 100, .initial = "8.4"),
    TAKE_DOUBLE(struct plot_input, height, "height", "CM",
                "height; 0: by the number of panels", .lo = 0, .hi = 200,
                .initial = "0"),
    TAKE_U32(struct plot_input, columns, "columns", "N", "panels side by side",
             .lo = 1, .hi = 8, .initial = "1"),
    TAKE_TEXT(struct plot_input, font, "font", "NAME",
              "font, as fontconfig names it", .initial = "Helvetica"),
    TAKE_DOUBLE(struct plot_input, font_size, "font-size", "PT",
                "size of all text", .lo = 4, .hi = 40, .initial = "8"),
    TAKE_TEXT(
        struct plot_input, script, "script", "FILE",
        "also keep gnuplot's script with its data; without --out, gnuplot "
        "is not needed"),
    TAKE_FLAG(struct plot_input, quiet, "quiet", "print no notes",
              .letter = 'q'),
    {0},
};

const struct command command_plot = {
    .name = "plot",
    .summary = "draw a figure for a paper from finished results",
    .about = "Draws a figure from finished results, through gnuplot.",
    .notes =
        "The figures show the numbers of 'schedsim report'. Colours can be "
        "told apart by people with colour blindness, lines also in grey. "
        "An SVG or a PDF has equal bytes for equal results, fonts and "
        "versions of gnuplot. gnuplot is a program of its own (on Debian: "
        "apt-get install gnuplot-nox).",
    .parts = {{.rows = args}},
    .input_size = sizeof(struct plot_input),
    .run = run,
    .examples = "plot runs/fifo runs/srtf --out cdf.pdf\n"
                "plot runs/fifo runs/srtf --kind utilisation --kind queue "
                "--out load.svg\n"
                "plot runs/srtf --kind nodes --width 17.5 --out nodes.png\n"
                "plot runs/* --kind boxes --quantity jct --by duration --out "
                "boxes.pdf --script boxes.gp",
};
