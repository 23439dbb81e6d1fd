/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `plot DIR...`: draws a figure for a paper from finished results or from a
 * sweep, through gnuplot. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands/cli.h"
#include "commands/compared.h"
#include "commands/report/report_internal.h"
#include "commands/terminal.h"

struct plot_input {
    struct cli_call call;
    struct arg_words dirs;
    struct arg_list kinds, labels;
    const char *out, *script;
    double width, height, font_size;
    uint32_t columns;
    unsigned by;
    const char *quantity, *vc, *font, *title;
    bool quiet;
};

/* Finds the format of the figure by the end of its file name. Returns
 * STATUS_USAGE for all but .svg, .pdf and .png. */
static enum status plot_choose_format(const char *path, enum plot_format *out,
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

/* Finds a word in a list. If it is not there, returns STATUS_USAGE with a
 * message that names the option and all words of the list. */
static enum status plot_choose(const char *option, const char *const *words,
                               size_t n, const char *word, size_t *out,
                               struct error *err)
{
    char list[120];
    size_t len = 0;
    list[0] = '\0';
    for (size_t i = 0; i < n; i++) {
        if (strcmp(words[i], word) == 0) {
            *out = i;
            return STATUS_OK;
        }
        len += (size_t)snprintf(list + len, sizeof list - len, "%s%s",
                                i ? ", " : "", words[i]);
    }
    return error_set(err, STATUS_USAGE, "--%s: '%.100s' is not one of %s",
                     option, word, list);
}

static bool is_bars(const struct plot_wishes *w)
{
    return w->kinds[0] == PLOT_BARS;
}

/* Reads --quantity: for bars any column of a sweep, for all other kinds the JCT
 * or the queueing delay. Refuses bars beside another kind. */
static enum status take_quantity(const struct plot_input *input,
                                 struct plot_wishes *w, struct error *err)
{
    static const char *const names[] = {
        [REPORT_JCT] = "jct", [REPORT_QUEUE_DELAY] = "queue-delay"};
    static const char *const columns[] = {"jct_s", "queue_delay_s"};
    const char *name = input->quantity;
    size_t i = REPORT_QUEUE_DELAY;
    for (size_t k = 0; k < w->n_kinds; k++) {
        if (w->kinds[k] == PLOT_BARS && w->n_kinds > 1)
            return error_set(err, STATUS_USAGE,
                             "--kind: bars cannot be combined with other "
                             "kinds in one figure");
    }
    enum status st =
        plot_choose("quantity", names, REPORT_METRICS, name, &i, err);
    w->column = st == STATUS_OK ? columns[i] : name;
    w->metric = (unsigned)i;
    if (is_bars(w))
        return STATUS_OK;
    return st;
}

static enum status take_wishes(const struct plot_input *input,
                               struct plot_wishes *w, struct error *err)
{
    *w = (struct plot_wishes){
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
        size_t kind = 0;
        enum status st =
            plot_choose("kind", plot_kind_names, PLOT_KINDS, name, &kind, err);
        if (st != STATUS_OK)
            return st;
        w->kinds[w->n_kinds++] = (unsigned)kind;
    }
    if (w->n_kinds == 0 && runs_file_is(input->dirs.at[0]))
        w->kinds[w->n_kinds++] = PLOT_BARS;
    if (w->n_kinds == 0)
        w->kinds[w->n_kinds++] = PLOT_CDF;
    enum status st = take_quantity(input, w, err);
    if (st != STATUS_OK)
        return st;
    if (w->n_labels > input->dirs.n && !is_bars(w))
        return error_set(err, STATUS_USAGE,
                         "--label: given %zu times for %zu results; expected "
                         "one for each result, or none",
                         w->n_labels, input->dirs.n);
    if (!input->out && !input->script)
        return error_set(err, STATUS_USAGE,
                         "plot: --out FIGURE or --script FILE is missing");
    if (input->script && input->out && strchr(input->out, '\''))
        return error_set(err, STATUS_USAGE,
                         "--out: %s: a script cannot name a file with a '",
                         input->out);
    return input->out ? plot_choose_format(input->out, &w->format, err)
                      : STATUS_OK;
}

/* The data of a figure: finished results, or the rows of a sweep. */
struct plot_source {
    struct report_runs runs;
    struct runs_file sweep;
    bool is_sweep;
};

static enum status plot_write_script(struct out *out,
                                     const struct plot_source *source,
                                     const struct plot_wishes *wishes,
                                     struct error *err)
{
    return source->is_sweep ? plot_bars(out, &source->sweep, wishes, err)
                            : plot_write(out, &source->runs, wishes, err);
}

/* Writes the script to the file of --script, if the user names one. */
static enum status keep_script(const struct plot_input *input,
                               const struct plot_source *source,
                               const struct plot_wishes *wishes,
                               struct error *err)
{
    struct out *out;
    if (!input->script)
        return STATUS_OK;
    enum status st =
        out_open_sparing(input->script, input->call.force, &out, err);
    if (st != STATUS_OK)
        return st;
    st = plot_write_script(out, source, wishes, err);
    if (st == STATUS_OK)
        return out_close(out, err);
    out_abandon(out);
    return st;
}

/* Runs gnuplot on the script that keep_script writes, without the line that
 * names the output, and writes the figure to the file of --out. */
static enum status plot_draw(const struct plot_input *input,
                             const struct plot_source *source,
                             struct plot_wishes wishes, struct error *err)
{
    struct out *script = out_to_memory(), *figure = NULL;
    wishes.output = NULL;
    enum status st = plot_write_script(script, source, &wishes, err);
    if (st == STATUS_OK)
        st = out_open_sparing(input->out, input->call.force, &figure, err);
    if (st == STATUS_OK)
        st = gnuplot_run(out_memory(script), figure, err);
    out_abandon(script);
    if (st == STATUS_OK)
        return out_close(figure, err);
    out_abandon(figure);
    return st;
}

static enum status open_sweep(const struct plot_input *input,
                              const struct plot_wishes *wishes,
                              struct plot_source *source, struct error *err)
{
    const char *path = input->dirs.at[0];
    struct runs_wishes what = {.metrics = &wishes->column, .n_metrics = 1};
    if (input->dirs.n > 1 || !runs_file_is(path))
        return error_set(err, STATUS_USAGE,
                         "--kind bars: expected one sweep: its directory or "
                         "its runs.csv");
    source->is_sweep = true;
    enum status st = runs_file_open(path, &what, &source->sweep, err);
    if (st == STATUS_OK && source->sweep.n_failed && !input->quiet)
        say(stderr, "note: %zu runs of the sweep failed and are left out",
            source->sweep.n_failed);
    if (st == STATUS_OK && source->sweep.n_unfinished && !input->quiet)
        say(stderr,
            "note: in %zu runs of the sweep some job did not finish; "
            "their bars are hatched",
            source->sweep.n_unfinished);
    return st;
}

static enum status open_results(const struct plot_input *input,
                                struct plot_source *source, struct error *err)
{
    for (size_t i = 0; i < input->dirs.n; i++) {
        if (runs_file_is(input->dirs.at[i]))
            return error_set(err, STATUS_USAGE,
                             "%s: is a sweep; --kind bars draws it",
                             input->dirs.at[i]);
    }
    enum status st =
        report_runs_open(input->dirs.at, input->dirs.n, &source->runs, err);
    if (st == STATUS_OK && source->runs.n > 1 && !source->runs.same_jobs &&
        !input->quiet)
        say(stderr, "note: the results differ in their %s",
            source->runs.differs ? source->runs.differs : "jobs");
    return st;
}

static enum status plot_run(void *self, struct error *err)
{
    struct plot_input *input = self;
    struct plot_wishes wishes;
    struct plot_source source = {0};
    enum status st = compared_expand(&input->dirs, &input->call.arena, err);
    if (st == STATUS_OK)
        st = take_wishes(input, &wishes, err);
    if (st != STATUS_OK)
        return st;
    st = is_bars(&wishes) ? open_sweep(input, &wishes, &source, err)
                          : open_results(input, &source, err);
    bool opened = st == STATUS_OK;
    if (st == STATUS_OK)
        st = keep_script(input, &source, &wishes, err);
    if (st == STATUS_OK && input->out)
        st = plot_draw(input, &source, wishes, err);
    if (source.is_sweep)
        runs_file_close(&source.sweep);
    else if (opened)
        report_runs_close(&source.runs);
    return st;
}

static const char *const bys[] = {"gpus", "duration", "state", NULL};

static const struct arg plot_args[] = {
    TAKE_WORDS(struct plot_input, dirs, "DIR", "result directory"),
    TAKE_TEXT(struct plot_input, out, "out", "FILE",
              "the figure: .pdf, .svg or .png", .letter = 'o'),
    TAKE_FORCE(struct plot_input),
    TAKE_LIST(
        struct plot_input, kinds, "kind", "KIND",
        "cdf (default), utilisation, queue, boxes or nodes; a figure has a "
        "panel for each KIND given"),
    TAKE_TEXT(
        struct plot_input, quantity, "quantity", "NAME",
        "of cdf and boxes: queue-delay or jct; of bars: these, or a column "
        "of runs.csv such as jct_s_p99",
        .initial = "queue-delay"),
    TAKE_CHOICE(struct plot_input, by, "boxes-by", "CLASS", bys,
                "classes of jobs for boxes: by gpus, duration or state",
                .initial = "gpus"),
    TAKE_TEXT(struct plot_input, vc, "vc", "NAME",
              "of utilisation, queue and nodes: one virtual cluster"),
    TAKE_LIST(struct plot_input, labels, "label", "TEXT",
              "name of a result in the key; may be given once for each DIR, "
              "in their order; default: its policy"),
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
    .about = "Draws a figure from finished results, or from a sweep, through "
             "gnuplot.",
    .notes =
        "The figures show the numbers of 'schedsim report'. Colours can be "
        "told apart by people with colour blindness, lines also in grey. "
        "An SVG or a PDF has equal bytes for equal results, fonts and "
        "versions of gnuplot. gnuplot is a program of its own (on Debian: "
        "apt-get install gnuplot-nox).",
    .parts = {{.rows = plot_args}},
    .input_size = sizeof(struct plot_input),
    .run = plot_run,
    .examples =
        "plot runs/fifo runs/srtf --out cdf.pdf\n"
        "plot runs/fifo runs/srtf --kind utilisation --kind queue "
        "--out load.svg\n"
        "plot runs/srtf --kind nodes --width 17.5 --out nodes.png\n"
        "plot sweep --quantity jct --out bars.pdf\n"
        "plot runs/* --kind boxes --quantity jct --boxes-by duration --out "
        "boxes.pdf --script boxes.gp",
};
