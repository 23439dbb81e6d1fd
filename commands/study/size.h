/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How large a cluster must be: finds by bisection the smallest number of nodes,
 * or the largest load, at which a run meets targets such as "queue_delay.p95 <
 * 10min". The search is made for the recorded trace and for each replication of
 * it, so that the number gets an interval.
 *
 * What varies is a whole number x for each *unit*: the nodes of the cluster, of
 * each virtual cluster, the nodes to buy of each GPU type, or the load in
 * percent. A run gets its x as clauses of --what-if, which the answer repeats
 * for the user. A *series* is the search for one unit in one replication. */
#ifndef COMMANDS_STUDY_SIZE_H
#define COMMANDS_STUDY_SIZE_H

#include "base/arena.h"
#include "base/error.h"
#include "base/text.h"
#include "commands/run_options.h"
#include "sim/results/summary.h"
#include "sim/run/run.h"

/* == size_prices.c: Reads prices of GPUs from a JSON file of the user. No price
 * is built in. */

/* Hours of a month: a twelfth of 365.25 days. */
#define SIZE_MONTH_HOURS 730.5

struct size_price {
    const char *type;
    double per_gpu_hour; /* in the currency of the file, >= 0 */
    uint32_t gpus;       /* GPUs of a node; 0: not stated */
    double speed;        /* speed as in a cluster file; 0: not stated */
};

struct size_prices {
    const char *currency;
    struct size_price *types;
    size_t n;
};

/* Reads {"currency": text, "types": [{"name", "per_gpu_hour", "gpus", "speed"},
 * ...]}. Texts are in the arena. Returns STATUS_BAD_INPUT if the file cannot be
 * read, has another form, or prices a type twice. */
enum status size_prices_read(const char *path, struct arena *arena,
                             struct size_prices *out,
                             struct error *err) MUST_USE;
/* Returns the price of a type; NULL: the file has none. `prices` may be NULL.
 */
const struct size_price *size_price_of(const struct size_prices *prices,
                                       const char *type);

enum { SIZE_TARGETS_MAX = 8 };

/* A target: a bound on a number of a summary. */
struct size_target {
    const char *text; /* the target as the user wrote it */
    char name[64];    /* the metric, such as "queue_delay_s.p95" */
    /* If `scalar` is NULL and `is_over` false: the metric and the column of its
     * distribution. */
    unsigned metric, column;
    const struct scalar *scalar;
    bool is_over; /* true: the share of jobs that wait longer than `over` */
    sim_span over;
    bool is_time; /* true: the number is a time in seconds */
    /* true: the number exists for a whole run only, not for groups of jobs */
    bool by_run;
    bool is_least;  /* true: the value must be at least `bound` */
    bool is_strict; /* true: the value must not be equal to `bound` */
    double bound;
};

/* Parses "METRIC[.COLUMN] < VALUE", with <, <=, > or >=. VALUE may have a unit
 * of time or a percent sign. *out keeps `text`. Returns STATUS_USAGE if the
 * metric, the column or the value is not valid. */
enum status size_target_parse(const char *text, struct size_target *out,
                              struct error *err) MUST_USE;
/* Returns the value of the target's metric in a group of jobs or, if `group` is
 * NULL, in the whole summary; NaN: no job has a value. */
double size_target_value(const struct size_target *target,
                         const struct summary *summary,
                         const struct group *group);
bool size_target_holds(const struct size_target *target, double value);
/* Formats a value of the metric for people; "-" for NaN. */
enum { SIZE_VALUE_MAX = 48 };
const char *size_target_words(const struct size_target *target, double value,
                              char buf[SIZE_VALUE_MAX]);

enum size_vary { SIZE_NODES, SIZE_VC, SIZE_LOAD, SIZE_TYPE };

/* Equal nodes: of the cluster as it is described, or to buy. */
struct size_pool {
    const char *vc, *type; /* vc NULL: there is one virtual cluster only */
    uint32_t gpus;         /* GPUs of a node */
    double speed;          /* speed of the GPUs; 0: not stated */
    uint32_t nodes;
    /* 1 + index of the unit that the pool is part of; 0: the pool stays as it
     * is */
    uint32_t varies;
};

struct size_unit {
    const char *name;
    int64_t now, least, most; /* x today, and the range of x */
};

struct size_space {
    enum size_vary vary;
    bool more_is_better; /* true: a larger x meets targets more easily */
    bool joint;          /* true: one run has the x of all units */
    struct size_pool *pools;
    struct size_unit *units;
    size_t n_pools, n_units;
    /* what varies, in words, such as "nodes of 8 V100 in vc3" */
    const char *what;
};

/* Reads what varies: "nodes [of [GPUSx]TYPE] [in VC]", "vc", "load" or
 * "gpu-type [in VC]". `base`: a run of the trace as it is. `prices`: NULL if
 * the user gave none. `most`: largest number of nodes of a unit, or largest
 * load in percent; 0: chosen here. Returns STATUS_USAGE if the text is not
 * understood or does not fit the cluster or the prices, or if `most` is more
 * than --what-if takes. */
enum status size_space_parse(const char *text, const struct run_config *config,
                             const struct run_result *base,
                             const struct size_prices *prices, uint32_t most,
                             struct arena *arena, struct size_space *out,
                             struct error *err) MUST_USE;
/* Sets nodes[i] to the nodes of pool i when the units have these x. In a unit
 * with several pools, each pool gets one node, and the pools share the other
 * nodes in proportion to today's numbers, by the method of Sainte-Lague, so
 * that no pool shrinks when x grows. */
void size_space_nodes(const struct size_space *space, const int64_t *x,
                      uint32_t *nodes);
/* Returns the clauses of --what-if that change the cluster or the load to x, in
 * the arena; "" if nothing changes. */
const char *size_space_clauses(const struct size_space *space, const int64_t *x,
                               struct arena *arena);

/* The result of a run for the unit whose x it was: over the jobs of the unit if
 * size_space.joint, otherwise over all jobs. In size.whole it is over all jobs,
 * and x is not set. */
struct size_point {
    int64_t x;
    /* true if all targets are met (if there are no jobs, they are), all jobs
     * ended and, unless the user ignores that, none was rejected */
    bool holds;
    double values[SIZE_TARGETS_MAX];
    double longest_wait; /* longest queueing delay, seconds */
    uint64_t rejected, unfinished;
    /* names the first job that did not finish, and why; "": all finished */
    const char *why;
};

struct size_series {
    /* points in the order in which they were tried */
    struct size_point *points;
    size_t n, cap;
    /* distance to the next point, as long as all points met the targets or none
     * did */
    int64_t step;
    /* ends of the bisection: indexes of a point that met the targets, which is
     * the answer so far, and of one that did not */
    size_t good, bad;
    bool has_good, has_bad;
};

struct size {
    const struct run_config *config;
    struct size_space space;
    struct size_target targets[SIZE_TARGETS_MAX];
    size_t n_targets;
    uint32_t replications;
    uint32_t block_days; /* length of the blocks of the replications, days */
    unsigned threads;
    /* true: targets can be met although jobs were rejected */
    bool ignores_rejected;
    /* series by replication (0: the trace itself), then by unit */
    struct size_series *series;
    uint64_t n_runs;
    /* If all units are searched for together: the result of a run of the trace
     * in which each unit has its answer, and the number of units with an answer
     * that miss their targets in this run. */
    struct size_point whole;
    size_t broken_units;
    struct arena arena;
};

static inline struct size_series *size_series(const struct size *size,
                                              uint32_t replication, size_t unit)
{
    return &size->series[replication * size->space.n_units + unit];
}

/* Executes the search. The caller has set all members up to `ignores_rejected`,
 * and has initialised the arena. Returns an error if the replications cannot be
 * made or a run fails. Ends the program if a signal ends the runs. */
enum status size_search(struct size *size, struct error *err) MUST_USE;
void size_fini(struct size *size);
/* Returns the answer of a series: of the points of the bisection that met the
 * targets, the one at which they are hardest to meet; NULL if none met them. */
const struct size_point *size_answer(const struct size_series *series);
/* True if x is at the end of the range at which the targets are easiest to
 * meet. */
bool size_is_best(const struct size *size, size_t unit, int64_t x);

/* The interval of the x of one unit: the middle 95 % of the answers of the n
 * replications in which the targets can be met. */
struct size_interval {
    uint32_t n, n_failed; /* replications with, and without an answer */
    int64_t lo, hi;
};
struct size_interval size_interval_of(const struct size *size, size_t unit);
/* Returns the interval of the sum of x over all units. */
struct size_interval size_interval_of_sum(const struct size *size);

/* Tells whether, among the points that were tried on the recorded trace, an
 * easier x always met the targets if a harder x did (is_kept). `first` is the
 * hardest x that met them, if `any` did. If the order is not kept, `broken` is
 * an easier x that did not meet them and, with has_safe, `safe` and all easier
 * x met them. */
struct size_order {
    bool any; /* true if some point met the targets */
    bool is_kept, has_safe;
    int64_t first, broken, safe;
    size_t n; /* number of points tried */
};
struct size_order size_order_of(const struct size *size, size_t unit);

/* Returns x by unit: the answer of `unit`, or of all units if `unit` is
 * SIZE_MAX; today's x for all other units and for units without an answer. The
 * caller frees the array. */
int64_t *size_answers(const struct size *size, size_t unit);
/* Returns the number of GPUs of the nodes of a unit, or with SIZE_MAX of all
 * nodes, at these x. */
double size_gpus(const struct size *size, const int64_t *x, size_t unit);

struct size_report {
    const struct size *size;
    /* prices of GPUs; NULL: the user gave none */
    const struct size_prices *prices;
    const struct remarks *remarks;
    const struct knowledge
        *knowledge; /* what the policy knew in the base run */
    const char *policy, *cluster, *trace;
    double seconds;
    bool all_remarks; /* print all remarks, not only the gravest */
};
/* Both print the answer to standard output. */
void size_print(const struct size_report *report);
enum status size_print_json(const struct size_report *report,
                            struct error *err) MUST_USE;
/* True if the targets can be met: by one unit, or by all if they are searched
 * for together. *choice: the unit to choose; SIZE_MAX: all or, if false is
 * returned, none. */
bool size_is_met(const struct size_report *report, size_t *choice);
/* Writes to `to` why the targets of a unit cannot be met. */
void size_why(const struct size *size, size_t unit, char *to, size_t room);
/* Returns the price of a month of the nodes of a unit, or with SIZE_MAX of all
 * nodes, at these x; NaN: a price is not known. */
double size_month(const struct size_report *report, const int64_t *x,
                  size_t unit);

/* == replicas.c: Makes replications of a recorded trace on a shelf: the blocks
 * of each virtual cluster in another order, as `trace resample` makes them. */

struct shelf;    /* defined in traces/shelf.h */
struct replicas; /* the replications of one trace; opaque */

/* Puts replications 1 .. n of the trace of `config`, which have these numbers
 * as seeds, on the shelf. `name` begins the names of the replications there; no
 * other replicas on the shelf may have it. `block_days`: length of a block,
 * days. Free the replicas after the shelf. Returns STATUS_USAGE if the run
 * would use evidence of the recorded jobs, because evidence cannot be
 * resampled, and an error if the trace cannot be opened; *out is set only on
 * success. */
enum status replicas_open(const struct run_config *config, const char *name,
                          uint32_t n, uint32_t block_days, struct shelf *shelf,
                          struct replicas **out, struct error *err) MUST_USE;
void replicas_free(struct replicas *replicas); /* accepts NULL */
/* Makes `config`, which is that of the recorded trace, the configuration of a
 * replication, 1 or more. New texts live in `arena` or are owned by `replicas`.
 */
void replicas_configure(const struct replicas *replicas, uint32_t replication,
                        struct arena *arena, struct run_config *config);

#endif
