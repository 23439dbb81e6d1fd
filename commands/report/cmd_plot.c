/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `plot DIR...`: draws a figure for a paper from finished results or from a
 * sweep, through gnuplot. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/find.h"
#include "base/meant.h"
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
    const char *quantity, *vc, *font, *title, *baseline, *over;
    sim_span from, to;
    bool quiet, log;
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
 * message that names the option, and the word that is meant or nearest, or all
 * words of the list. */
static enum status plot_choose(const char *option, const char *const *words,
                               size_t n, const char *word, size_t *out,
                               struct error *err)
{
    char meant[MEANT_WORDS_MAX], list[FIND_WORDS_MAX];
    *out = find_or_suggest(word, words, n, list);
    if (*out < n)
        return STATUS_OK;
    if (meant_find("figure", text_from(word), words, n, meant))
        return error_set(err, STATUS_USAGE, "--%s: no '%.60s'; %s", option,
                         word, meant);
    return error_set(err, STATUS_USAGE, "--%s: %s", option, list);
}

static bool is_of_sweep(unsigned kind)
{
    return kind >= PLOT_BARS;
}

/* Reads --quantity: for what is drawn of a sweep any of its columns, for all
 * other kinds a metric of jobs. Refuses the former beside another kind. */
static enum status take_quantity(const struct plot_input *input,
                                 struct plot_wishes *w, struct error *err)
{
    static const char *const names[] = {[REPORT_JCT] = "jct",
                                        [REPORT_QUEUE_DELAY] = "queue-delay",
                                        [REPORT_SLOWDOWN] = "slowdown"};
    const char *name = input->quantity;
    size_t i;
    for (size_t k = 0; k < w->n_kinds; k++) {
        if (is_of_sweep(w->kinds[k]) && w->n_kinds > 1)
            return error_set(err, STATUS_USAGE,
                             "--kind: %s cannot be combined with other "
                             "kinds in one figure",
                             plot_kind_names[w->kinds[k]]);
    }
    if (!name) /* papers show relative JCTs; a ratio of delays of 0 is none */
        name = w->kinds[0] == PLOT_RELATIVE ? "jct" : "queue-delay";
    enum status st =
        plot_choose("quantity", names, REPORT_METRICS, name, &i, err);
    w->column = st == STATUS_OK ? report_metric_names[i] : name;
    w->metric = (unsigned)i;
    return is_of_sweep(w->kinds[0]) ? STATUS_OK : st;
}

/* Refuses an option that no kind of the figure heeds. */
static enum status refuse_idle(const struct plot_input *input,
                               const struct plot_wishes *w, struct error *err)
{
    const unsigned over_time = 1u << PLOT_UTILISATION | 1u << PLOT_QUEUE |
                               1u << PLOT_NODES | 1u << PLOT_GANTT;
    unsigned of = 0;
    for (size_t k = 0; k < w->n_kinds; k++)
        of |= 1u << w->kinds[k];
    const struct {
        bool given;
        unsigned kinds; /* a bit for each kind that heeds the option */
        const char *name;
    } options[] = {
        {input->baseline, 1u << PLOT_RELATIVE, "baseline"},
        {input->over, 1u << PLOT_LINES, "over"},
        {input->log, 1u << PLOT_BARS | 1u << PLOT_RELATIVE | 1u << PLOT_LINES,
         "log"},
        {input->columns > 1, (1u << PLOT_BARS) - 1, "columns"},
        {input->vc, over_time, "vc"},
        {input->from > 0, over_time, "from"},
        {input->to > 0, over_time, "to"},
    };
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        if (options[i].given && !(options[i].kinds & of))
            return error_set(err, STATUS_USAGE,
                             "--%s: has no effect on --kind %s",
                             options[i].name, plot_kind_names[w->kinds[0]]);
    }
    return STATUS_OK;
}

static enum status take_wishes(const struct plot_input *input,
                               struct plot_wishes *w, struct error *err)
{
    *w = (struct plot_wishes){
        .by = input->by,
        .vc = input->vc,
        .from = input->from,
        .to = input->to,
        .baseline = input->baseline,
        .over = input->over,
        .log = input->log,
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
    if (st == STATUS_OK)
        st = refuse_idle(input, w, err);
    if (st != STATUS_OK)
        return st;
    if (w->n_labels > input->dirs.n && !runs_file_is(input->dirs.at[0]))
        return error_set(err, STATUS_USAGE,
                         "--label: given %zu times for %zu results; expected "
                         "one for each result, or none",
                         w->n_labels, input->dirs.n);
    if (input->script && input->out && strchr(input->out, '\''))
        return error_set(err, STATUS_USAGE,
                         "--out: %s: a script cannot name a file with a '",
                         input->out);
    return input->out ? plot_choose_format(input->out, &w->format, err)
                      : STATUS_OK;
}

/* The data of a figure: finished results, or the rows of a sweep; the results
 * may be held as a sweep, too. */
struct plot_source {
    struct report_runs runs;
    struct runs_file sweep;
    bool has_runs, has_sweep;
    size_t n_missing; /* settings that have no value to draw */
};

static enum status plot_write_script(struct out *out,
                                     struct plot_source *source,
                                     const struct plot_wishes *wishes,
                                     struct error *err)
{
    return is_of_sweep(wishes->kinds[0])
               ? plot_sweep(out, &source->sweep, wishes, &source->n_missing,
                            err)
               : plot_write(out, &source->runs, wishes, err);
}

/* Writes the script to the file of --script, if the user names one. */
static enum status keep_script(const struct plot_input *input,
                               struct plot_source *source,
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
                             struct plot_source *source,
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
    struct runs_wishes what = {.metrics = &wishes->column, .n_metrics = 1};
    source->has_sweep = true;
    enum status st =
        runs_file_open(input->dirs.at[0], &what, &source->sweep, err);
    if (st == STATUS_OK && source->sweep.n_failed && !input->quiet)
        say(stderr, "note: %zu runs of the sweep failed and are left out",
            source->sweep.n_failed);
    return st;
}

static enum status open_results(const struct plot_input *input,
                                const struct plot_wishes *wishes,
                                struct plot_source *source, struct error *err)
{
    unsigned kind = wishes->kinds[0];
    enum status st =
        report_runs_open(input->dirs.at, input->dirs.n, &source->runs, err);
    source->has_runs = st == STATUS_OK;
    if (st == STATUS_OK && source->runs.n > 1 && !source->runs.same_jobs) {
        const char *in = source->runs.differs ? source->runs.differs : "jobs";
        if (kind == PLOT_RELATIVE)
            return error_set(err, STATUS_USAGE,
                             "--kind relative: the results differ in their %s",
                             in);
        if (!input->quiet)
            say(stderr, "note: the results differ in their %s", in);
    }
    if (st != STATUS_OK || !is_of_sweep(kind))
        return st;
    source->has_sweep = true;
    return plot_sweep_of(&source->runs, wishes->column, &source->sweep, err);
}

/* Opens what the words name, if the kind of figure can be drawn of it. */
static enum status plot_open(const struct plot_input *input,
                             const struct plot_wishes *wishes,
                             struct plot_source *source, struct error *err)
{
    unsigned kind = wishes->kinds[0];
    bool sweep = runs_file_is(input->dirs.at[0]);
    for (size_t i = 0; i < input->dirs.n; i++) {
        if (runs_file_is(input->dirs.at[i]) && input->dirs.n > 1)
            return error_set(err, STATUS_USAGE,
                             "%s: is a sweep; a figure shows one, alone",
                             input->dirs.at[i]);
    }
    if (sweep && !is_of_sweep(kind))
        return error_set(err, STATUS_USAGE,
                         "%s: is a sweep; --kind bars, relative and lines draw "
                         "it",
                         input->dirs.at[0]);
    if (!sweep && kind == PLOT_LINES)
        return error_set(err, STATUS_USAGE,
                         "--kind lines: expected one sweep: its directory or "
                         "its runs.csv");
    enum status st = sweep ? open_sweep(input, wishes, source, err)
                           : open_results(input, wishes, source, err);
    if (st == STATUS_OK && source->has_sweep && source->sweep.n_unfinished &&
        !input->quiet)
        say(stderr, "note: in %zu runs some job did not finish; %s",
            source->sweep.n_unfinished,
            kind == PLOT_LINES ? "their points are drawn all the same"
                               : "their bars are hatched");
    return st;
}

/* Says what the figure leaves out and, if the user did not name its file, where
 * it is. */
static void say_what(const struct plot_source *source,
                     const struct plot_wishes *wishes, const char *path)
{
    size_t n = source->has_runs ? source->runs.n : source->sweep.n_settings;
    if (source->n_missing)
        say(stderr, "note: %zu settings have no value%s, and are left out",
            source->n_missing,
            wishes->kinds[0] == PLOT_RELATIVE
                ? " over the same finished jobs as the baseline"
            : wishes->log ? " above 0"
                          : "");
    if (path)
        say(stderr, "schedsim: %s shows %zu %s%s", path, n,
            source->has_runs ? "result" : "setting", say_plural(n));
}

static enum status plot_run(void *self, struct error *err)
{
    struct plot_input *input = self;
    struct plot_wishes wishes;
    struct plot_source source = {0};
    bool unnamed = !input->out && !input->script;
    if (unnamed)
        input->out = "figure.pdf";
    enum status st = compared_expand(&input->dirs, &input->call.arena, err);
    if (st == STATUS_OK)
        st = take_wishes(input, &wishes, err);
    if (st == STATUS_OK)
        st = plot_open(input, &wishes, &source, err);
    if (st == STATUS_OK)
        st = keep_script(input, &source, &wishes, err);
    if (st == STATUS_OK && input->out)
        st = plot_draw(input, &source, wishes, err);
    if (st == STATUS_OK && !input->quiet)
        say_what(&source, &wishes, unnamed ? input->out : NULL);
    if (source.has_sweep)
        runs_file_close(&source.sweep);
    if (source.has_runs)
        report_runs_close(&source.runs);
    return st;
}

static const char *const bys[] = {"gpus", "duration", "state", NULL};

static const struct arg plot_args[] = {
    TAKE_WORDS(struct plot_input, dirs, "DIR", "result directory"),
    TAKE_LIST(struct plot_input, kinds, "kind", "KIND",
              "of results cdf (default), boxes, utilisation, queue, nodes or "
              "gantt, one panel for each KIND given, of results or a sweep "
              "bars or relative, of a sweep lines",
              .often = true),
    TAKE_TEXT(struct plot_input, quantity, "quantity", "NAME",
              "jct, queue-delay, slowdown or, of bars, relative and lines, "
              "a column such as jct_s_p99",
              .often = true),
    TAKE_TEXT(struct plot_input, baseline, "baseline", "NAME",
              "of relative: the policy that is 1 (default: the first)",
              .often = true),
    TAKE_TEXT(struct plot_input, over, "over", "NAME",
              "of lines: the setting on the x axis; default: load, else the "
              "first that is a number",
              .often = true),
    TAKE_FLAG(struct plot_input, log, "log",
              "of bars, relative and lines: logarithmic axis", .often = true),
    TAKE_TEXT(struct plot_input, out, "out", "FILE",
              "the figure: .pdf, .svg or .png; default: figure.pdf, unless "
              "--script is given",
              .letter = 'o', .often = true),
    TAKE_FORCE(struct plot_input),
    TAKE_LIST(struct plot_input, labels, "label", "TEXT",
              "name of a result; once for each DIR, in their order",
              .often = true),
    TAKE_TEXT(struct plot_input, title, "title", "TEXT",
              "heading of the figure", .often = true),
    TAKE_KEYS("style", "size and font, such as width=17.5,font-size=9",
              .often = true),
    TAKE_DOUBLE(struct plot_input, width, "width", "CM",
                "8.4 fits a column of a two-column paper, 17.5 its page",
                .lo = 3, .hi = 100, .initial = "8.4", .often = true,
                .of = "style"),
    TAKE_DOUBLE(struct plot_input, height, "height", "CM",
                "0: by what is shown", .lo = 0, .hi = 200, .initial = "0",
                .of = "style"),
    TAKE_U32(struct plot_input, columns, "columns", "N", "panels side by side",
             .lo = 1, .hi = 8, .initial = "1"),
    TAKE_TEXT(struct plot_input, font, "font", "NAME",
              "font, as fontconfig names it", .initial = "Helvetica",
              .of = "style"),
    TAKE_DOUBLE(struct plot_input, font_size, "font-size", "PT",
                "size of all text", .lo = 4, .hi = 40, .initial = "8",
                .of = "style"),
    TAKE_CHOICE(struct plot_input, by, "boxes-by", "CLASS", bys,
                "of boxes: classes of jobs by gpus, duration or state",
                .initial = "gpus", .of = "style"),
    TAKE_TEXT(struct plot_input, vc, "vc", "NAME",
              "of utilisation, queue, nodes and gantt: one virtual cluster; of "
              "utilisation and queue also each"),
    TAKE_SPAN(struct plot_input, from, "from", "TIME",
              "of the same: begin the axis of time here, such as 2d",
              .initial = "0"),
    TAKE_SPAN(struct plot_input, to, "to", "TIME",
              "of the same: end it here; 0: at the end of the run",
              .initial = "0"),
    TAKE_TEXT(struct plot_input, script, "script", "FILE",
              "also keep gnuplot's script with its data; without --out, "
              "gnuplot is not needed"),
    TAKE_FLAG(struct plot_input, quiet, "quiet", "print no notes",
              .letter = 'q'),
    {0},
};

const struct command command_plot = {
    .name = "plot",
    .summary = "draw a figure for a paper from finished results",
    .about = "Draws finished results or a sweep through gnuplot "
             "(docs/plot.md has pictures).",
    .parts = {{.rows = plot_args}},
    .input_size = sizeof(struct plot_input),
    .run = plot_run,
    .examples = "plot runs/fifo runs/srtf --kind cdf --quantity slowdown\n"
                "plot sweep --kind relative --baseline fifo -o jct.pdf\n"
                "plot sweep --kind lines --over load -o load.svg",
};
