/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes figures of finished results for papers, as gnuplot scripts that
 * contain their data. A figure has one panel for each kind that the user asks
 * for; a heat map of nodes has one panel for each run. */
#ifndef REPORT_PLOT_H
#define REPORT_PLOT_H

#include "base/out.h"
#include "commands/report/boxes.h"
#include "commands/report/load.h"
#include "commands/runs_file.h"

enum plot_kind {
    PLOT_CDF,         /* share of jobs whose JCT or delay is at most a time */
    PLOT_UTILISATION, /* share of GPUs in service that are busy, over time */
    PLOT_QUEUE,       /* jobs that wait for GPUs, over time */
    PLOT_BOXES,       /* percentiles by class of jobs */
    PLOT_NODES,       /* heat map: how busy each node is, over time */
    PLOT_BARS,        /* means over replications of a sweep */
    PLOT_KINDS        /* number of kinds */
};
extern const char *const plot_kind_names[]; /* ends with NULL */

enum plot_format { PLOT_SVG, PLOT_PDF, PLOT_PNG };

enum { PLOT_PANELS_MAX = 32 };

struct plot_wishes {
    unsigned kinds[PLOT_PANELS_MAX];
    size_t n_kinds; /* number of kinds, > 0 */
    enum plot_format format;
    unsigned metric; /* cdf and boxes: metric, enum report_metric */
    /* bars: name of the column of runs.csv that they show */
    const char *column;
    unsigned by; /* boxes: classes of jobs, enum boxes_by */
    /* utilisation, queue and nodes: virtual cluster; NULL: all */
    const char *vc;
    /* size of the figure, cm; height 0: chosen to fit the rows of panels,
     * the key and the title */
    double width, height;
    double font_size;   /* size of the font, pt */
    unsigned columns;   /* number of panels side by side */
    const char *font;   /* name of the font, as fontconfig lists it */
    const char *title;  /* title of the figure; NULL: none */
    const char *output; /* output of the script; NULL: standard output */
    /* names in the key for the first n_labels runs or, in a figure of bars,
     * colours; all others keep their own names */
    const char *const *labels;
    size_t n_labels;
};

/* Writes the script. Returns STATUS_USAGE if a run does not have the virtual
 * cluster or numbers it differently from the first run, if the runs have
 * nothing to draw for a kind, or if there are too many panels. */
enum status plot_write(struct out *out, const struct report_runs *runs,
                       const struct plot_wishes *wishes,
                       struct error *err) MUST_USE;

/* Writes the script of bars with 95 % intervals for the rows of a sweep: a
 * colour for each value of one of the columns that vary (`name`, else `policy`,
 * else the last one), and a group of bars for each combination of the others.
 * Returns STATUS_USAGE if there are no bars or too many. */
enum status plot_bars(struct out *out, const struct runs_file *file,
                      const struct plot_wishes *wishes,
                      struct error *err) MUST_USE;

#endif
