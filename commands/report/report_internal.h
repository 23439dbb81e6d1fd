/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of `plot` and `report` share: the runs that were read, the
 * series drawn from them, gnuplot, the page. */
#ifndef COMMANDS_REPORT_REPORT_INTERNAL_H
#define COMMANDS_REPORT_REPORT_INTERNAL_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/json.h"
#include "base/out.h"
#include "base/units.h"
#include "commands/explain_waits.h"
#include "commands/runs_file.h"
#include "sim/verify/verify_advice.h"
#include "sim/verify/verify_failures.h"

/* == axis.c: Divides an axis of time into equal bins, and computes integrals by
 * bin of functions that are constant between events. */

enum { AXIS_BINS = 360 };

struct axis {
    sim_time end;   /* the axis is 0 .. end, > 0 */
    sim_span width; /* length of a bin; the last bins may be shorter or empty */
};

/* An integral by bin. Before axis_finish, `at` has only the first and the last
 * bin of each range that was added; for the bins between them, steps[i] is the
 * change of the function at the beginning of bin i. axis_finish adds both up in
 * `at`. The numbers are unsigned, because sums over hostile times may wrap
 * around. The caller sets them to 0 before the first axis_add. */
struct axis_sum {
    uint64_t at[AXIS_BINS], steps[AXIS_BINS + 1];
};

struct axis axis_over(sim_time end);
/* Returns the length of the part of a bin that lies before `end` and on the
 * axis; 0 if no part does. */
sim_span axis_length(const struct axis *axis, unsigned bin, sim_time end);
/* Adds `weight` from `from` until `to`; what lies outside the axis is left
 * out. */
void axis_add(const struct axis *axis, struct axis_sum *sum, sim_time from,
              sim_time to, uint64_t weight);
void axis_finish(const struct axis *axis, struct axis_sum *sum);

/* == runs.c: Reads result directories that are shown together, as `verify`
 * reads them. Gives each a label, and all one axis of time. */

enum { REPORT_RUNS_MAX = 24 };

/* A row of advice.csv whose question a server of the language model worked
 * on. */
struct report_question {
    sim_time begun, answered;
    uint32_t server;
};

struct report_run {
    const char *dir; /* path of the directory, as the user gave it */
    /* Unique among the runs: the title; if several runs have this title, also
     * the last part of the directory or, if that is not unique either, its
     * whole path. */
    const char *label;
    const char *title; /* the policy, with the mark of what it knew */
    const char *policy;
    struct verify_data data;
    /* failures.exists: true if the run has failures.csv */
    struct verify_failures failures;
    struct report_question *questions;
    size_t n_questions, cap_questions;
    uint32_t servers; /* 1 + largest server number; 0: none */
};

struct report_runs {
    struct arena arena;
    struct report_run *at;
    size_t n; /* number of runs, 1 .. REPORT_RUNS_MAX */
    /* Common axis of time: 0 .. end, the latest end of a run or of an attempt.
     * At least 1 us. */
    sim_time end;
    /* True if all runs have one trace and selection of jobs, so that a job of
     * one run is the job of another with the same row in jobs.csv. */
    bool same_jobs;
    /* for a remark: the first thing found in which a run differs from the first
     * run: "trace", "jobs", "first_submission", "cluster" or "rules"; NULL: in
     * none of these */
    const char *differs;
};

/* Reads n directories. Returns STATUS_BAD_INPUT, with a message that names the
 * file, if one is not a whole result of this version of the program or one of
 * its files has been changed since; STATUS_FAILED if a file that manifest.json
 * lists cannot be read; STATUS_USAGE if there are too many directories or one
 * is given twice. The paths are borrowed. The caller calls report_runs_close
 * after success only. */
enum status report_runs_open(const char *const *dirs, size_t n,
                             struct report_runs *out,
                             struct error *err) MUST_USE;
void report_runs_close(struct report_runs *runs);

/* True for the jobs over which summary.json describes the JCT and the queueing
 * delay: jobs that finished and are counted. */
bool report_run_counts(const struct report_run *run,
                       const struct verify_job *job);

/* == cdf.c: Distributions of times over jobs, as shares of jobs on a
 * logarithmic grid. */

enum { CDF_POINTS = 400 };

enum report_metric {
    REPORT_JCT,         /* time from the submission of a job to its end */
    REPORT_QUEUE_DELAY, /* total time for which a job was pending */
    REPORT_TIMES,       /* number of metrics that are times */
    /* JCT / recorded running time; 1 is held as 1 s, so that it has the grid of
     * a time */
    REPORT_SLOWDOWN = REPORT_TIMES,
    REPORT_METRICS,
};
/* Names of the metrics in summary.json. */
extern const char *const report_metric_names[REPORT_METRICS];

/* True if the job is among those of the metric: report_run_counts accepts it,
 * and the metric is defined for it. */
bool report_metric_is_of(const struct report_run *run,
                         const struct verify_job *job,
                         enum report_metric metric);
/* Returns the metric of such a job. */
sim_span report_metric_of(const struct verify_job *job,
                          enum report_metric metric);

/* Fills a grid for all runs: 0, then from 1 s in equal ratios, rounded to
 * milliseconds, to the largest value of any run or to 10 s if that is more. */
void cdf_grid(const struct report_runs *runs, enum report_metric metric,
              sim_span grid[CDF_POINTS]);
/* Sets shares[i] to the share of jobs whose value is at most grid[i], over the
 * jobs for which report_metric_is_of is true; NaN if there are none. The grid
 * is that of cdf_grid. */
void cdf_shares(const struct report_run *run, enum report_metric metric,
                const sim_span grid[CDF_POINTS], double shares[CDF_POINTS]);

/* == boxes.c: Box plots: percentiles of a metric by classes of jobs. */

enum boxes_by {
    BOXES_BY_GPUS,     /* GPUs that the job asks for */
    BOXES_BY_DURATION, /* running time that the trace recorded */
    BOXES_BY_STATE,    /* how the trace recorded the end of the job */
    BOXES_BYS,
};
extern const char *const boxes_by_names[BOXES_BYS];
enum { BOXES_CLASSES_MAX = 6 };

/* Percentiles by nearest rank, largest value and mean, seconds. n: number of
 * jobs; if it is 0, all other members are 0. */
struct box {
    size_t n;
    double p5, p25, p50, p75, p95, max, mean;
};

/* Returns the words of a class, such as "2-4 GPUs"; NULL after the last
 * class. */
const char *boxes_class(enum boxes_by by, unsigned class);
/* Fills a box for each class, over the jobs for which report_metric_is_of is
 * true. */
void boxes_of(const struct report_run *run, enum report_metric metric,
              enum boxes_by by, struct box out[BOXES_CLASSES_MAX]);

/* == gnuplot.c: Runs gnuplot, another program, on a script. No shell takes
 * part: gnuplot reads the script from its standard input and writes the figure
 * to its standard output, and texts of a result get into a script only through
 * gnuplot_quote. */

/* Runs gnuplot without the settings of the user and writes what it draws to
 * `out`. Returns STATUS_FAILED if gnuplot is not installed, cannot be started,
 * fails or draws nothing. The error has the last error message of gnuplot, if
 * it printed one. A PDF gets a fixed date. */
enum status gnuplot_run(struct text script, struct out *out,
                        struct error *err) MUST_USE;

/* Writes a text in single quotes, in which gnuplot replaces nothing. A single
 * quote becomes a typographic apostrophe, a control character '?'. */
void gnuplot_quote(struct out *out, const char *text);

/* == occupancy.c: Computes for each node how long its GPUs were in each state
 * over time. */

enum occupancy_state {
    OCCUPANCY_BUSY,      /* a job held the GPU; includes the next two states */
    OCCUPANCY_SHARED,    /* two or more jobs held the GPU */
    OCCUPANCY_PROFILING, /* a job held the GPU to be profiled */
    OCCUPANCY_DOWN,      /* the node of the GPU was out of service */
    OCCUPANCY_STATES,
};

struct occupancy {
    struct axis axis;
    /* GPU-us by node and state: [node * OCCUPANCY_STATES + state] */
    struct axis_sum *sums;
    size_t n_nodes;
};

/* Computes the states of all GPUs of a run over the axis of time of `runs`. The
 * caller frees the result with occupancy_fini. */
struct occupancy occupancy_of(const struct report_runs *runs,
                              const struct report_run *run);
void occupancy_fini(struct occupancy *occupancy);
/* Returns GPU-us of a node in a state during a bin. */
uint64_t occupancy_at(const struct occupancy *occupancy, size_t node,
                      enum occupancy_state state, unsigned bin);

/* == load.c: Computes how busy a virtual cluster was over time, and how many
 * jobs waited. */

#define LOAD_ALL UINT32_MAX /* all virtual clusters together */

/* Means over each bin, or over its part before the end of the run. NaN: the run
 * was over before the bin. */
struct load {
    double up[AXIS_BINS];           /* GPUs of nodes in service */
    double busy[AXIS_BINS];         /* GPUs that at least one job held */
    double pending[AXIS_BINS];      /* jobs that wait for GPUs */
    double pending_gpus[AXIS_BINS]; /* GPUs that these jobs ask for */
};

/* Computes the load of one virtual cluster. `vc`: its symbol in run->data.vcs;
 * LOAD_ALL: the load of all together. */
void load_of(const struct report_run *run, const struct occupancy *occupancy,
             uint32_t vc, struct load *out);

/* == page.c: Writes the page of `schedsim report`: one HTML file that needs no
 * network. The page holds the style, the scripts and the numbers, which the
 * scripts draw. */

/* A file of commands/report/page or of uPlot, which is compiled into the
 * program. */
struct page_asset {
    const char *name, *text;
    size_t len;
};
/* all files; the name of the last element is NULL */
extern const struct page_asset page_assets[];

/* True if the program was built with uPlot. Without it the page draws lines
 * itself: they cannot be zoomed. */
bool page_has_uplot(void);
/* Writes the page. `data`: the result of page_data. */
void page_write(struct out *out, const json_t *data);

/* == page_data.c: Makes the numbers of the page as JSON. Long arrays of numbers
 * are texts with commas between the numbers; a missing number leaves its place
 * empty. */

struct page_wishes {
    /* title of the page; NULL: made from the trace and the policies */
    const char *title;
    uint32_t waiters; /* jobs in the list of the longest waits of a run */
};

/* Makes all numbers of the page. Returns the error of page_waiters. The caller
 * frees *out with json_decref, also after an error. */
enum status page_data(const struct report_runs *runs,
                      const struct page_wishes *wishes, json_t **out,
                      struct error *err) MUST_USE;

/* In page_charts.c. Returns a text of numbers with four significant digits and
 * commas between them; NaN becomes an empty text. */
json_t *page_numbers(const double *values, size_t n);
/* Adds what the charts of a run draw to `json`. */
void page_charts(const struct report_runs *runs, const struct report_run *run,
                 json_t *json);
/* In page_nodes.c. Makes the map of nodes over time: rows of nodes and of
 * servers of the language model, with a character for each bin, and GPU hours
 * by state and virtual cluster. */
json_t *page_nodes(const struct report_run *run,
                   const struct occupancy *occupancy);

/* == page_lists.c: Makes lists of the page: jobs that waited longest, failures
 * that cost most, and the paired differences of two runs. */

/* Lists the jobs with the longest queueing delays above 0, longest first, at
 * most n_max. Returns
 * STATUS_BAD_INPUT if jobs.csv cannot be read or lacks the column `user` or
 * `name`. The caller owns *out, also after an error. */
enum status page_waiters(const struct report_run *run, size_t n_max,
                         json_t **out, struct error *err) MUST_USE;
/* Lists the failures of jobs, those that undid the most GPU time first,
 * at most n_max. */
json_t *page_failures(const struct report_run *run, size_t n_max);
/* Returns, by metric, the difference of a run from the first one, over the jobs
 * that both count. The runs must have equal jobs. */
json_t *page_differences(const struct report_run *first,
                         const struct report_run *run);

/* == plot.c: Writes figures of finished results for papers, as gnuplot scripts
 * that contain their data. A figure has one panel for each kind that the user
 * asks for, or one for each run where lines or boxes would hide each other. */

enum plot_kind {
    PLOT_CDF, /* share of jobs whose JCT, delay or slowdown is at most a value
               */
    PLOT_UTILISATION, /* share of GPUs in service that are busy, over time */
    PLOT_QUEUE,       /* jobs that wait for GPUs, over time */
    PLOT_BOXES,       /* percentiles by class of jobs */
    PLOT_NODES,       /* heat map: how busy each node is, over time */
    PLOT_GANTT,       /* which job holds each GPU, over time */
    /* one value for each setting of a sweep, or each result: */
    PLOT_BARS,     /* means over replications */
    PLOT_RELATIVE, /* ratios to a baseline */
    PLOT_LINES,    /* means over a setting that is a number, such as load */
    PLOT_KINDS     /* number of kinds */
};
extern const char *const plot_kind_names[]; /* ends with NULL */

enum plot_format { PLOT_SVG, PLOT_PDF, PLOT_PNG };

enum { PLOT_PANELS_MAX = 32 };

struct plot_wishes {
    unsigned kinds[PLOT_PANELS_MAX];
    size_t n_kinds; /* number of kinds, > 0 */
    enum plot_format format;
    unsigned metric; /* cdf and boxes: metric, enum report_metric */
    /* bars, relative and lines: name of the column of runs.csv */
    const char *column;
    unsigned by; /* boxes: classes of jobs, enum boxes_by */
    /* utilisation, queue, nodes and gantt: virtual cluster; NULL: all */
    const char *vc;
    sim_time from, to; /* the same: part of the axis of time; to 0: its end */
    /* relative: the policy, or name of a result; NULL: the first */
    const char *baseline;
    const char *over; /* lines: setting on the x axis; NULL: chosen */
    bool log;         /* bars, relative and lines: logarithmic axis of values */
    /* size of the figure, cm; height 0: chosen to fit the rows of panels,
     * the key and the title */
    double width, height;
    double font_size;   /* size of the font, pt */
    unsigned columns;   /* number of panels side by side */
    const char *font;   /* name of the font, as fontconfig names it */
    const char *title;  /* title of the figure; NULL: none */
    const char *output; /* output of the script; NULL: standard output */
    /* names in the key for the first n_labels runs or, in a figure of a sweep,
     * colours; all others keep their own names */
    const char *const *labels;
    size_t n_labels;
};

/* Writes the script. Returns STATUS_USAGE if a run does not have the virtual
 * cluster or numbers it differently from the first run, if the runs have
 * nothing to draw for a kind, or too much, or if there are too many panels. */
enum status plot_write(struct out *out, const struct report_runs *runs,
                       const struct plot_wishes *wishes,
                       struct error *err) MUST_USE;

/* Writes the script of bars, relative or lines for the rows of a sweep. Bars
 * have a colour for each value of one of the columns that vary (`name`, else
 * `policy`, else the last one), and a group for each combination of the others;
 * lines have an x for each value of one column and a line for each combination
 * of the others. Sets *n_missing to the number of settings that have no value
 * to draw. Returns STATUS_USAGE if there is nothing to draw, or too much. */
enum status plot_sweep(struct out *out, const struct runs_file *file,
                       const struct plot_wishes *wishes, size_t *n_missing,
                       struct error *err) MUST_USE;
/* Makes a sweep of results: a setting `result` for each, with one run and one
 * metric. Returns STATUS_USAGE if the results lack the column. The caller calls
 * runs_file_close in any case. */
enum status plot_sweep_of(const struct report_runs *runs, const char *column,
                          struct runs_file *out, struct error *err) MUST_USE;

/* State and functions that the panels of a figure share. */

enum { PLOT_NAME_MAX = 128 };

/* The frame of a figure: its panels and their margins, in em. */
struct plot_frame {
    size_t rows, columns;
    double left, right, below; /* left and right of each panel; below the last
                                * row */
    double inner, gap;         /* height of a panel, and what is between two */
    bool named;                /* true: some panels have a name above them */
    /* the names stand above the panels, beside samples of lines or boxes */
    enum { PLOT_KEY_NONE, PLOT_KEY_LINES, PLOT_KEY_BOXES } key;
};

struct plot {
    struct out *out;
    const struct report_runs *runs; /* runs of the figure; NULL for a sweep */
    const struct plot_wishes *wishes;
    uint32_t vc;           /* symbol in each run's data.vcs, or LOAD_ALL */
    bool each_vc;          /* a panel for each virtual cluster of one run */
    const char *time_unit; /* unit of the axis of time */
    double time_scale;     /* microseconds in time_unit */
    double from, end; /* beginning and end of the axis of time, in time_unit */
    double most_waiting; /* queue: most jobs that wait in any run */
    double most_busy;    /* utilisation: most busy GPUs of any run, % */
    /* names of the runs, or of the colours of a sweep, with at most the length
     * that fits */
    char (*names)[PLOT_NAME_MAX];
    size_t n_names;
    struct plot_frame frame;
};

/* Return the width of the figure, and of a panel without its margins, in em. */
double plot_width(const struct plot *plot);
double plot_panel_width(const struct plot *plot);
/* Returns a round step, 1, 2 or 5 times a power of ten, of which at most `most`
 * fit into a span above 0. */
double plot_step(double span, double most);
/* Copies a name; leaves out its middle if it is wider than this many em. */
void plot_fit(const char *name, double em, char out[PLOT_NAME_MAX]);
/* Copies the names of plot->names, at the length that fits in the key, or above
 * a panel if there is none. */
void plot_names(struct plot *plot, const char *const *names);
/* Returns how dark box number i is filled, 0..1. */
double plot_density(const struct plot *plot, size_t i);
/* Returns colour number i of the palette as 0xRRGGBB. */
uint32_t plot_colour(size_t i);
/* plot_head writes the terminal and the styles. plot_layout, called after the
 * data are written, writes the layout of panels. plot->names and plot->frame
 * must be set. Returns STATUS_USAGE for a title that does not fit, or if there
 * is no room for the panels. */
enum status plot_head(const struct plot *plot, struct error *err) MUST_USE;
void plot_layout(const struct plot *plot);
/* Writes one label for the y axes of the panels with the numbers first .. last,
 * beside the column of the first. */
void plot_side_label(const struct plot *plot, const char *words, size_t first,
                     size_t last);
/* Writes a label to the right of a panel, for its scale of colours. */
void plot_right_label(const struct plot *plot, const char *words, size_t panel);
/* Writes a label below the x axis of a panel. */
void plot_foot_label(const struct plot *plot, const char *words, size_t panel);
/* Begins a data block, which is named after its panel and its number in the
 * panel. Its rows follow; plot_data_end ends it. */
void plot_data(const struct plot *plot, unsigned panel, size_t number);
void plot_data_end(const struct plot *plot);
/* Writes a number of a row, after a blank; NaN for one that is not finite. */
void plot_number(const struct plot *plot, double value);
/* Writes "plot" (for number 0) or a comma, and the name of a data block. */
void plot_of(const struct plot *plot, unsigned panel, size_t number);
/* Writes the line style of a run or of a colour of a sweep. */
void plot_style(const struct plot *plot, size_t run);
/* Makes the axis 'x' or 'y' a logarithmic axis of seconds, with tics at round
 * lengths of time such as 10 min. */
void plot_log_time(const struct plot *plot, char axis);
/* Makes the axis 'x' or 'y' an axis of numbers from 0 to at least hi > 0, with
 * about as many tics. */
void plot_numbers(const struct plot *plot, char axis, double hi, double most);
/* Makes the axis 'x' or 'y' a logarithmic axis of numbers that holds lo .. hi,
 * both > 0. Returns its beginning. */
double plot_log_numbers(const struct plot *plot, char axis, double lo,
                        double hi);

/* A panel of the figure: it shows the runs first .. first + n - 1. */
struct panel {
    enum plot_kind kind;
    size_t first, n;
    bool is_bare; /* true: a panel below has the numbers of the x axis */
    uint32_t vc;  /* virtual cluster; LOAD_ALL: all of them */
};

/* Returns what the metric of cdf and boxes is called on an axis. */
const char *plot_metric_words(const struct plot *plot);

/* Panels. For each, one function writes its data blocks; another one writes its
 * axes and its plot command, within the multiplot. `queue`: true for waiting
 * jobs, false for busy GPUs. */
void plot_cdf_data(const struct plot *plot, unsigned number);
void plot_cdf(const struct plot *plot, unsigned number);
void plot_load_data(const struct plot *plot, unsigned number,
                    const struct panel *panel);
void plot_load(const struct plot *plot, unsigned number,
               const struct panel *panel);
void plot_boxes_data(const struct plot *plot, unsigned number,
                     const struct panel *panel);
void plot_boxes(const struct plot *plot, unsigned number,
                const struct panel *panel);
void plot_nodes_data(const struct plot *plot, unsigned number, size_t run);
void plot_nodes(const struct plot *plot, unsigned number, size_t run);
/* In plot_gantt.c. Returns STATUS_USAGE if there are too many GPUs or stretches
 * to be told apart on paper. */
enum status plot_gantt_data(const struct plot *plot, unsigned number,
                            size_t run, struct error *err) MUST_USE;
void plot_gantt(const struct plot *plot, unsigned number, size_t run);
/* Returns the most jobs of a virtual cluster that wait in a bin of any run, at
 * least 1, or its busiest bin, %, at least 100. */
double plot_most_load(const struct plot *plot, uint32_t vc, bool queue);
/* In plot_nodes.c. Fills `shown` with the numbers of the nodes of a run that
 * are drawn, and returns how many there are. */
size_t plot_nodes_shown(const struct plot *plot, const struct verify_data *d,
                        uint32_t *shown);

/* == waiters.c: Finds the jobs of a run that waited longest, and why they
 * waited. */

struct waiter {
    const struct verify_job *job;
    /* user and name of the job; "" if the trace has none */
    const char *user, *name;
    uint32_t n_waits;       /* number of times that the job waited */
    struct waiting longest; /* the longest wait, as `explain` measures it */
};

struct waiters {
    struct arena arena;
    struct waiter *at; /* jobs, the longest queueing delay first */
    size_t n;
};

/* Finds the jobs with the longest queueing delays above 0, at most n_max.
 * Returns STATUS_BAD_INPUT if jobs.csv cannot be read or lacks the column
 * `user` or `name`. The caller calls waiters_fini, also if this fails. */
enum status waiters_of(const struct report_run *run, size_t n_max,
                       struct waiters *out, struct error *err) MUST_USE;
void waiters_fini(struct waiters *waiters);

#endif
