/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the measures of a generated trace are compared with: values of the real
 * cluster with their sources, and bars that say how far a trace may be from
 * them. Both are JSON files in traces/fidelity/bars, which are compiled in: one
 * file for each cluster, and rules.json with the bars by name of the measure.
 */
#ifndef TRACES_FIDELITY_BARS_H
#define TRACES_FIDELITY_BARS_H

#include "base/arena.h"
#include "traces/fidelity/measures.h"

/* == distributions.c: Distributions of a real cluster, and how far the jobs of
 * a trace are from them. */

/* Points of a distribution. With the name "run" or "run.SIZE" (of one size
 * class: 1, 2, 4, 8, 16, 32, 64, more; 4 is 3 to 4 GPUs), share[i] is the share
 * of run times of at most at[i] seconds. With the other names `at` is not used:
 * share[i] is the share of the submissions in hour i ("hour") or on day i,
 * Monday first ("weekday"), or the share of the users whose completion rate is
 * in tenth i of 0..1 ("completion"). */
struct real_curve {
    const char *name;
    double *at, *share;
    size_t n;
};

/* Adds figures of n > 0 jobs, which must be sorted by submission: the mean GPU
 * time of a job, shares of jobs and of GPU time by size class and by final
 * state. */
void measure_margins(const struct fidelity_job *jobs, size_t n,
                     struct measures *out);

/* Adds the distance to each distribution whose measure has a name that begins
 * with `group`. For run times, the distance is the largest difference of the
 * shares (Kolmogorov and Smirnov), otherwise half of the sum of the differences
 * (total variation). The distance is NaN if the trace lacks the data (a size
 * class has fewer than 500 jobs, or no job with a user has a known end), or if
 * the distribution has an unknown name or a wrong number of points. */
void measure_distances(const struct fidelity_job *jobs, size_t n,
                       const struct real_curve *distributions,
                       size_t n_distributions, const char *group,
                       struct measures *out);

/* Returns the distributions of real jobs, without size classes that have fewer
 * than 500 jobs and without completion rates that are unknown. `arena` owns
 * them. Sets *n to their number. */
struct real_curve *distributions_of(const struct fidelity_job *jobs,
                                    size_t n_jobs, struct arena *arena,
                                    size_t *n);

/* == bars.c */

/* A JSON file that is compiled in. The build generates the array of these
 * files, which ends with an entry whose name is NULL. */
struct fidelity_file {
    const char *name, *json;
    size_t len;
};
extern const struct fidelity_file fidelity_files[];

enum bar_kind {
    BAR_NONE,   /* the value is shown, not judged */
    BAR_FACTOR, /* lo x real <= measured <= hi x real */
    BAR_WITHIN, /* real + lo <= measured <= real + hi */
    /* lo <= measured <= hi, widened to the real value if that is known. */
    BAR_RANGE,
};

/* Which figure of several traces a bar judges. */
enum bar_over {
    BAR_MEDIAN,
    BAR_EACH,   /* every trace, so the worst trace decides */
    BAR_SPREAD, /* largest value divided by the smallest */
};

struct bar {
    /* Name of the measure. In the rules it may have wildcards (fnmatch). */
    const char *measure;
    enum bar_kind kind;
    enum bar_over over;
    double lo, hi;
    double real; /* value of the real cluster; NaN: unknown */
    /* Source of `real`, and how it was obtained: "rows", "slice", "published",
     * "measured" or "assumed"; "not in the rows": the rows of the log lack the
     * data; "": unknown. */
    const char *source, *status;
};

struct bars {
    struct bar *at;
    size_t n;
    struct real_curve *distributions;
    size_t n_distributions;
    /* Cluster on which waits are measured, as `run --cluster` takes it; "": the
     * cluster of the trace. */
    const char *cluster;
    double zone_h; /* hours that local time is ahead of UTC */
    /* Number of successive jobs over which users, chains and estimators are
     * measured, because the real figures come from as many jobs; 0: all jobs.
     */
    size_t window;
};

/* Loads the bars of a cluster. `arena` owns everything in *out. `name` NULL:
 * loads only the rules, for real values that are measured on rows
 * (bars_take_rows). An unknown name is STATUS_USAGE. */
enum status bars_load(const char *name, struct arena *arena, struct bars *out,
                      struct error *err) MUST_USE;
/* Replaces the rules in *bars by bars: one for each value that was measured on
 * the rows of the log `path`, with the limits of the first rule that fits, and
 * one for each rule of BAR_SPREAD. Borrows `path`. The caller sets the
 * distributions. */
void bars_take_rows(const struct measures *rows, const char *path,
                    struct arena *arena, struct bars *bars);

enum bar_verdict {
    BAR_VERDICT_NONE,
    BAR_VERDICT_PASS,
    BAR_VERDICT_FAIL,
    BAR_VERDICT_UNKNOWN
};

/* The figures of one measure over several traces, and the verdict of its bar.
 */
struct judged {
    double median, least, most; /* NaN: no trace has a value */
    enum bar_verdict verdict;
};

/* Sets *lo and *hi to the limits for a measured value; for BAR_SPREAD, for the
 * ratio. If bar->real is NaN, they are bar->lo and bar->hi. */
void bar_limits(const struct bar *bar, double *lo, double *hi);

/* Judges the values of n > 0 traces. A value may be NaN. Overwrites the array,
 * which afterwards begins with the other values in rising order. */
struct judged bar_judge(const struct bar *bar, double *values, size_t n);

#endif
