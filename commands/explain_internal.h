/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of `explain` share: a job, its waits, who held what it
 * wanted, pools. */
#ifndef COMMANDS_EXPLAIN_INTERNAL_H
#define COMMANDS_EXPLAIN_INTERNAL_H

#include <stdint.h>

#include "base/arena.h"
#include "base/json.h"
#include "commands/explain_waits.h"
#include "sim/verify/verify.h"
#include "sim/verify/verify_advice.h"
#include "sim/verify/verify_failures.h"

/* == explain_job.c: The parts of `explain` about one job: its wait, its
 * failure, the questions of SchedMate's modules and evictions.
 *
 * The part of `explain` about the questions of SchedMate's modules and about
 * evictions. */

struct explain_advice {
    const struct verify_data *data;
    const struct verify_job *job; /* the job that is explained */
    /* rows: questions that `explain` needs, the earliest first */
    struct explain_question {
        const struct verify_job *job; /* the explained job, or a job beside
                                       * which it was evicted */
        struct verify_question question;
    } * rows;
    size_t n_rows, cap_rows;
    size_t next; /* index of the first row that explain_questions has not
                  * shown */
};

/* Reads the rows of advice.csv about a job and about the jobs on the GPUs from
 * which it was evicted; none if the result has no such file. */
enum status explain_advice_read(struct explain_advice *advice, const char *dir,
                                const struct verify_data *data,
                                const struct verify_job *job,
                                struct error *err) MUST_USE;

void explain_advice_fini(struct explain_advice *advice);

/* Shows the next questions about the job, up to and including the time `until`.
 * Prints a line for each, or adds events to `json` if that is not NULL. */
void explain_questions(struct explain_advice *advice, sim_time until,
                       json_t *json);

/* Shows beside which jobs an attempt was evicted: prints a line for each of
 * these jobs, with the time at which the log of that job was last read, or adds
 * their ids as the member `beside` to the last event. */
void explain_eviction(const struct explain_advice *advice,
                      const struct verify_attempt *attempt, json_t *json);

/* Shows the events of one job: its waits here, its attempts in explain.c. */

/* Formats a time as "84122 s (day 0.97)"; days count from 0. Returns `buf`. */
#define EXPLAIN_TIME_MAX 64

const char *explain_time(sim_time at, char buf[EXPLAIN_TIME_MAX]);

/* Adds an event to the member `events` of `json`; returns the event, which
 * `json` owns. */
json_t *explain_event(json_t *json, const char *what, sim_time from,
                      sim_time to);

/* Shows a wait of the job and its reasons. `named`: also who held the GPUs, and
 * which jobs blocked it. Prints lines, or adds an event to `json` if that is
 * not NULL. */
void explain_wait(const struct verify_data *d,
                  const struct explain_waits *waits,
                  const struct verify_job *job, const struct waiting *wait,
                  bool named, json_t *json);

/* The part of `explain` that shows failures of a job. */

/* Shows why the attempt failed and what the recovery rule decided, if
 * failures.csv has a row for it. If `json` is NULL, prints two lines; otherwise
 * adds a member `failure` to the last of its `events`. */
void explain_failure(const struct verify_failures *failures,
                     const struct verify_attempt *attempt, json_t *json);

/* == Sums over a prefix of a list whose entries change: a Fenwick tree. Adding
 * to an entry and summing a prefix cost O(log n). Numbers wrap around, so the
 * difference of two sums is right whenever it fits. */

struct explain_sums {
    uint64_t *at; /* n + 1 nodes of the tree; in the arena */
    uint32_t n;
};

static inline struct explain_sums explain_sums_new(struct arena *arena,
                                                   uint32_t n)
{
    struct explain_sums sums = {ARENA_ARRAY(arena, uint64_t, n + 1), n};
    for (uint32_t i = 0; i <= n; i++)
        sums.at[i] = 0;
    return sums;
}

/* Adds to entry `i`, counted from 0; i < n. */
static inline void explain_sums_add(struct explain_sums *sums, uint32_t i,
                                    uint64_t value)
{
    for (i++; i <= sums->n; i += i & -i)
        sums->at[i] += value;
}

/* Returns the sum of the first `i` entries; i <= n. */
static inline uint64_t explain_sums_of(const struct explain_sums *sums,
                                       uint32_t i)
{
    uint64_t sum = 0;
    for (; i > 0; i -= i & -i)
        sum += sums->at[i];
    return sum;
}

/* Returns the largest number of first entries whose sum is at most `most`. All
 * entries must be >= 0 now. */
static inline uint32_t explain_sums_reach(const struct explain_sums *sums,
                                          uint64_t most)
{
    uint32_t i = 0, step = 1;
    while (step <= sums->n / 2)
        step *= 2;
    for (; step > 0; step /= 2) {
        if (step <= sums->n - i && sums->at[i + step] <= most) {
            i += step;
            most -= sums->at[i];
        }
    }
    return i;
}

/* == explain_pools.c: The GPUs of a result over time, for `explain`: which
 * nodes are in service, which GPUs are free, and whether a job of some size
 * could be placed. A caller applies the changes in order of time. */

enum { EXPLAIN_WIDTH_MAX = 64 }; /* GPUs of the widest node */

/* The nodes of one virtual cluster and one GPU type that are not set aside for
 * profiling. A node is available if it is in service and not lent to the
 * profiler. */
struct explain_pool {
    uint32_t vc, type, widest;
    int64_t up, free; /* GPUs of the available nodes; those that nobody holds */
    int64_t lent;     /* GPUs of the nodes in service that are lent */
    uint32_t n_nodes[EXPLAIN_WIDTH_MAX + 1]; /* all nodes, by width */
    /* available nodes, by number of free GPUs */
    uint32_t n_level[EXPLAIN_WIDTH_MAX + 1];
    /* available nodes without a busy GPU, by width */
    uint32_t n_idle[EXPLAIN_WIDTH_MAX + 1];
    /* by rank (explain_pools.rank): GPUs of which jobs of this rank are the
     * holders that were submitted first */
    struct explain_sums held;
    uint64_t n_held; /* sum of `held` */
};

struct explain_pools {
    const struct verify_data *data;
    struct explain_pool *at;
    uint32_t n;
    uint32_t *of_node; /* by node: index in `at`; UINT32_MAX: set aside */
    struct explain_node *nodes;
    /* by job: number of jobs asked for, of its virtual cluster, that were
     * submitted before it. A sum over the ranks up to that of a job asked for
     * is one over the jobs up to it, so sums need no entry for each job. */
    uint32_t *rank;
    uint32_t *holders;  /* by GPU and place: ranks of the jobs that hold it */
    uint8_t *n_holders; /* by GPU */
    bool scattered;     /* the placer takes free GPUs wherever they are */
};

/* Sets all GPUs free and all nodes in service. The memory is in `arena`.
 * `jobs`: the jobs asked for, rising. */
void explain_pools_init(struct explain_pools *pools,
                        const struct verify_data *data, const uint32_t *jobs,
                        size_t n_jobs, struct arena *arena);
void explain_pools_start(struct explain_pools *pools,
                         const struct verify_attempt *attempt);
void explain_pools_end(struct explain_pools *pools,
                       const struct verify_attempt *attempt);
void explain_pools_change(struct explain_pools *pools,
                          const struct verify_change *change);
/* True if the placer of the run could place a job of this size in the pool now.
 * `consolidate`: on one node; a job wider than the widest node on idle nodes,
 * the widest first, and its remainder on one more. Racks are not in the result,
 * so its option one_rack is not considered. Other placers: on any free GPUs. */
bool explain_pools_fit(const struct explain_pools *pools,
                       const struct explain_pool *pool, uint32_t gpus);

/* What explain_waits.c (which waits there are, in which order) and
 * explain_sweep.c (the sweep) share. */

#define EXPLAIN_NO_WAIT UINT32_MAX

/* Whether a job of a class could start. */
enum explain_fit { FIT_OUT, FIT_FULL, FIT_LENT, FIT_FRAGMENTED, FIT_PLACED };

/* How a class is off. It holds from `since` on. */
struct explain_state {
    enum explain_fit fit;
    /* FIT_FULL: the first n_passed jobs of the class are overtaken */
    uint32_t n_passed;
    bool quota; /* FIT_FULL: other virtual clusters have enough free GPUs */
    /* FIT_PLACED: index in explain_line.turns of the first job of the virtual
     * cluster that waits and cannot be placed; EXPLAIN_NO_WAIT: none */
    uint32_t front;
    sim_time rest_until; /* FIT_PLACED: the next round begins then */
};

/* The jobs of one virtual cluster, GPU type and number of GPUs: all could
 * start, or none. Its totals count from the start of the sweep; a wait takes
 * the difference between its end and its start. */
struct explain_class {
    uint32_t vc, type, gpus;
    uint32_t *jobs, n_jobs; /* ranks of the jobs asked for, rising */
    /* turns of the jobs asked for, rising */
    uint32_t *places, n_places;
    uint32_t *heap, n_heap; /* turns that have begun; lazily taken */
    uint32_t n_turns, n_waiting;
    struct explain_state state;
    sim_time since;
    sim_span spans[FIT_PLACED + 1], rested; /* rested: of FIT_PLACED */
    /* by number of overtaken jobs among `jobs`: time of FIT_FULL, in all and
     * with `quota` */
    struct explain_sums passed, quota;
    /* by number of `places` before `front`: time of FIT_PLACED without rest in
     * which there was a `front` */
    struct explain_sums blocked;
};

/* Starts of a virtual cluster, by rank of the job. The GPU time held up to t is
 * t x gpus_now - begun. */
struct explain_vc {
    uint32_t first_class, n_classes, n_waiting;
    struct explain_sums starts, gpus, gpus_now, begun, waiting;
};

/* A wait that the policy must end: it is not empty and not for a profile. */
struct explain_turn {
    sim_time released, to;
    uint32_t job, class;
    uint32_t wait; /* index in explain_waits.at; EXPLAIN_NO_WAIT: the job was
                    * not asked for */
};

/* The waits and classes of a result. */
/* In explain_pool.vc: the nodes are those of all virtual clusters. */
#define EXPLAIN_ANY_VC UINT32_MAX

struct explain_line {
    struct arena arena;
    const struct verify_data *data;
    struct explain_pools pools;
    struct explain_waits *waits;
    struct explain_class *classes;
    struct explain_vc *vcs;
    uint32_t n_classes, n_vcs;
    int64_t *held; /* under quotas: GPUs that each virtual cluster holds */
    /* in the order in which the policy serves them: see explain_waits_of */
    struct explain_turn *turns;
    size_t n_turns, cap_turns;
    bool reserves;  /* the policy keeps GPUs for the head of its queue */
    sim_span round; /* length of a round; 0: the policy has none */
    sim_time phase; /* a time at which a round begins */
    bool blocks;    /* blocks are listed */
};

/* Returns the time of the first round at or after a time; the time itself if
 * the policy has no rounds. */
sim_time explain_next_round(const struct explain_line *line, sim_time at);
/* In explain_sweep.c. Fills all reasons of the waits asked for that have a
 * turn. */
void explain_sweep(struct explain_line *line);
/* In explain_judge.c. Judges whether the jobs of a class could start now; sets
 * all fields but `front` and `rest_until`. */
struct explain_state explain_judge(const struct explain_line *line,
                                   const struct explain_class *c);
/* True if the other virtual clusters have as many free GPUs as a job of the
 * class asks for; under quotas that lend, if they leave it fewer. */
bool explain_is_quota(const struct explain_line *line,
                      const struct explain_class *c);
/* True if jobs of the class may run in the pool. */
bool explain_in_reach(const struct explain_class *c,
                      const struct explain_pool *pool);
/* Returns the number of elements of a rising list that are below a value. */
uint32_t explain_below(const uint32_t *list, uint32_t n, uint32_t value);

/* == explain_who.c: Who held the GPUs that a job could have used while it
 * waited, and which jobs in front kept it waiting. Costs a pass over all
 * attempts a wait. */

enum { EXPLAIN_TOP = 3 };

/* A user or a job, and what it had of the GPUs or of the time. */
struct explain_share {
    uint32_t who;    /* user: symbol of verify_data.users; job: index */
    uint32_t n_jobs; /* user: number of jobs */
    uint64_t amount; /* GPU-us that it held, or us for which it blocked */
};

/* The largest first; n: how many are set; n_more: how many more there are. */
struct explain_top {
    struct explain_share at[EXPLAIN_TOP];
    uint32_t n, n_more;
};

struct explain_who {
    struct explain_top users; /* without jobs that name no user */
    struct explain_top jobs, blocks;
    uint64_t held;       /* GPU-us that all jobs held */
    uint32_t later_jobs; /* jobs submitted later that held such GPUs */
};

/* Finds who held GPUs of the virtual cluster of the job, of its type if it asks
 * for one, during the wait. */
void explain_who_of(const struct verify_data *data,
                    const struct explain_waits *waits,
                    const struct waiting *wait, const struct verify_job *job,
                    struct explain_who *out);
/* Finds the job that blocked a watched job longest, over all of its waits.
 * Returns NULL if none did. */
const struct verify_job *explain_who_blocked(const struct verify_data *data,
                                             const struct explain_waits *waits,
                                             const struct verify_job *job);

#endif
