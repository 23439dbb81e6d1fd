/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a trace should measure: values of the real cluster with their sources,
 * and bars that say how far a generated trace may be from them. Both are JSON
 * files in traces/fidelity/bars, which are compiled in: one for each cluster,
 * and `rules`, the bars by name of the measure. */
#ifndef TRACES_FIDELITY_BARS_H
#define TRACES_FIDELITY_BARS_H

#include "sim/base/arena.h"
#include "traces/fidelity/distributions.h"

/* A compiled-in JSON file. The build generates the array of these files, which
 * ends with a NULL name. */
struct fidelity_file {
    const char *name, *json;
    size_t len;
};
extern const struct fidelity_file fidelity_files[];

enum bar_kind {
    BAR_NONE,   /* the value is shown, not judged */
    BAR_FACTOR, /* lo x real <= measured <= hi x real */
    BAR_WITHIN, /* real + lo <= measured <= real + hi */
    /* lo <= measured <= hi, widened to the real value if that is known */
    BAR_RANGE,
};

/* Which figure of several traces is judged. */
enum bar_over {
    BAR_MEDIAN,
    BAR_EACH,   /* the worst trace */
    BAR_SPREAD, /* largest over smallest */
};

struct bar {
    /* name of the measure; in the rules it may have wildcards (fnmatch) */
    const char *measure;
    enum bar_kind kind;
    enum bar_over over;
    double lo, hi;
    double real; /* NaN: not known */
    /* where `real` comes from, and "rows", "slice", "published", "measured" or
     * "assumed"; "": unknown */
    const char *source, *status;
};

struct bars {
    struct bar *at;
    size_t n;
    struct real_curve *distributions;
    size_t n_distributions;
    /* cluster on which waits are measured, as `run --cluster` takes it; "": the
     * cluster of the trace */
    const char *cluster;
    double zone_h; /* hours that local time is ahead of UTC */
    /* Number of successive jobs over which users, chains and estimators are
     * measured, because the real figures come from that number of jobs; 0: all
     * jobs. */
    size_t window;
};

/* Loads the bars of a cluster; `arena` owns everything in *out. NULL: the rules
 * alone, for real values that are measured on rows (bars_take_rows). An unknown
 * name is STATUS_USAGE. */
enum status bars_load(const char *name, struct arena *arena, struct bars *out,
                      struct error *err) MUST_USE;
/* Makes bars from the rules and the values measured on the rows of a log. The
 * caller fills in the distributions. */
void bars_take_rows(const struct measures *rows, const char *path,
                    struct arena *arena, struct bars *bars);

enum verdict { VERDICT_NONE, VERDICT_PASS, VERDICT_FAIL, VERDICT_UNKNOWN };

/* A measure over several traces, beside its bar. */
struct judged {
    double median, least, most; /* NaN: no trace tells */
    enum verdict verdict;
};

/* Returns the limits of a measured value; for BAR_SPREAD, of the ratio. */
void bar_limits(const struct bar *bar, double *lo, double *hi);

/* Judges the values of n > 0 traces, some of which may be NaN; changes their
 * order. */
struct judged bar_judge(const struct bar *bar, double *values, size_t n);

#endif
