/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The ledger: an append-only record of every state change. It keeps the
 * attempts of all jobs in a compact form, and shows each move to its readers
 * (such as series and timeline) as it happens. All results are computed from
 * it, never from the engine's own state. Intervals are half-open: [start,
 * end). */
#ifndef SIM_LEDGER_H
#define SIM_LEDGER_H

#include "base/state/cluster.h"
#include "base/state/job.h"

enum ledger_kind {
    LEDGER_SUBMITTED,
    LEDGER_STARTED,
    LEDGER_STOPPED,  /* stopped by the policy, or because its node left: pending
                        again */
    LEDGER_MOVED,    /* goes on at once on other GPUs, at no cost */
    LEDGER_PROFILED, /* its profiling time is over: pending again */
    LEDGER_EVICTED,  /* stopped by the monitor: pending again */
    LEDGER_FINISHED, /* ran to its recorded end */
    LEDGER_FAILED,   /* the attempt failed; HELD, RETRIED or GIVEN_UP
                        follows */
    LEDGER_HELD,     /* waits for the delay of a ruling */
    LEDGER_RETRIED,  /* pending again, at once or after the delay */
    LEDGER_GIVEN_UP,
    LEDGER_REJECTED,
    LEDGER_NODE_DOWN,
    LEDGER_NODE_UP,
    LEDGER_NODE_LENT, /* the node goes to the profiler */
    LEDGER_NODE_BACK,
    LEDGER_RATE, /* the rate of a running job changed */
    LEDGER_OPEN, /* still running when a limit, such as the horizon, ended the
                    run */
};

/* True if a move of this kind takes a job off its GPUs. */
static inline bool ledger_ends_attempt(enum ledger_kind kind)
{
    return kind == LEDGER_STOPPED || kind == LEDGER_MOVED ||
           kind == LEDGER_PROFILED || kind == LEDGER_EVICTED ||
           kind == LEDGER_FINISHED || kind == LEDGER_FAILED;
}

/* True if a move of this kind changes the state of a node. */
static inline bool ledger_is_of_node(enum ledger_kind kind)
{
    return kind == LEDGER_NODE_DOWN || kind == LEDGER_NODE_UP ||
           kind == LEDGER_NODE_LENT || kind == LEDGER_NODE_BACK;
}

struct ledger_move {
    sim_time at;
    enum ledger_kind kind;
    /* NULL for moves of nodes. Its field `state` may hold the state before or
     * the state after the move */
    const struct job *job;
    /* GPUs of the attempt, set for starts, ends and LEDGER_RATE. Here and
     * below, LEDGER_OPEN is an end */
    struct gpu_set where;
    uint32_t gpus; /* number of GPUs in `where`, set for starts */
    node_id node;  /* the node, set for moves of nodes */
    /* set for ends: sum of the time spent on the start and on writing
     * checkpoints, the work added by the stop, and the time on GPUs after all
     * work was done, us */
    sim_span overhead;
    sim_span resume;  /* part of overhead: work added by the stop, to be done by
                         a later attempt */
    sim_span writing; /* part of overhead: time in which checkpoints were
                         written */
    /* set for ends: work lost by a failure, an eviction or profiling, us */
    sim_span lost;
    double work; /* set for ends: work of the attempt, microseconds at rate 1 */
    double rate; /* set for starts and LEDGER_RATE: work per time */
    double rel_speed; /* set with `rate`: rate / rate when alone */
    double alone;    /* set for starts, ends and LEDGER_RATE: work per time when
                        alone, while no checkpoint is written */
    sim_span active; /* set for LEDGER_RATE: time for which the attempt has
                        worked or written checkpoints so far */
    bool shared, profiling; /* set for starts and ends of attempts */
    /* reason of a stop, an eviction, a failure, a rejection or a change of a
     * node; or NULL */
    const char *why;
};

/* A reader of moves. Called by ledger_add for each move, in order. */
struct ledger_reader {
    void (*read)(void *self, const struct ledger_move *move);
    void *self;
};

#define ATTEMPT_NONE UINT32_MAX
struct attempt {
    sim_time start, end; /* end: TIME_NEVER while it runs */
    job_id job;
    uint32_t previous; /* number of the previous attempt of the job, or
                          ATTEMPT_NONE */
    uint32_t where;    /* offset of its GPUs, read by ledger_where */
    uint8_t how; /* enum ledger_kind that ended it; LEDGER_OPEN if it ran when a
                    limit ended the run */
    uint8_t n_gpus; /* number of GPUs held; 0: more than 255, see ledger_gpus */
    bool shared;    /* true if it held a shared GPU at some time */
    bool profiling : 1; /* true if it ran on a node of the profiler */
    bool costly : 1;    /* true if ledger_cost returns its costs */
};

/* Costs of an attempt. Stored only if overhead or lost is not 0 or the work
 * done differs from the time spent, because in many runs no attempt has
 * costs. */
struct attempt_cost {
    sim_span overhead, resume, lost; /* us, as in struct ledger_move */
    sim_span writing; /* part of overhead: time in which checkpoints were
                         written */
    double work;      /* work done, microseconds at rate 1 */
};

struct rejection {
    job_id job;
    sim_time at;
    const char *why; /* cause of the rejection; owned by the ledger */
};

struct node_change {
    sim_time at;
    node_id node;
    uint8_t kind;    /* enum ledger_kind */
    const char *why; /* cause of the change; owned by the ledger */
};

/* A fault of hardware as the fault model reported it, whether it hit a job
 * or not. */
struct fault_row {
    sim_time at;
    sim_span repair;   /* time until the node is repaired, us */
    const char *cause; /* cause of the fault; borrowed for the run */
    node_id node;      /* node that the fault hits; NODE_NONE: storage */
    /* number of running jobs that it hit when it struck, including those that
     * had done all their work and so did not fail */
    uint32_t n_hit;
    uint16_t vc;   /* virtual cluster of the node or of the storage */
    uint8_t scope; /* enum fault_scope */
    uint8_t after; /* enum fault_after */
    /* FAULT_GPU: the GPU has the number `gpu` modulo the number of GPUs of the
     * node */
    uint8_t gpu;
    bool harmless; /* true if it is an operator's act that makes no job fail */
    bool missed;   /* true if the node was already out of service */
};
#define FAULT_NONE UINT32_MAX

/* A failure of a job: what happened and what the recovery rule decided. The
 * attempt holds the job, its GPUs and the work lost. */
struct failure_row {
    uint32_t attempt; /* number of the attempt that failed */
    uint32_t fault; /* number of the fault that caused the failure; FAULT_NONE:
                       the job itself did */
    /* number of failures of the job so far, this one included */
    uint32_t number;
    /* from the failure until it was noticed, and until the job was to be
     * pending again (0 if the job was given up), us */
    sim_span detected, delay;
    sim_span test;     /* time for which the suspect was to be tested, us */
    const char *cause; /* the real cause */
    const char *told;  /* the cause that the rule named, or NULL */
    const char *by;    /* name of the rule that decided; "none": no rule did */
    node_id node;      /* the node at fault, NODE_NONE: none */
    node_id suspect;   /* the node that the ruling suspects; NODE_NONE: none */
    uint8_t kind;      /* enum failure_kind */
    uint8_t verdict;   /* enum verdict */
};

/* An eviction of a job from shared GPUs. The attempt holds the job, the time
 * and the work lost. */
struct eviction_row {
    uint32_t attempt; /* number of the attempt that the monitor ended */
    job_id host;      /* the resident that the newcomer slowed down too much */
    const char *why;  /* cause that the monitor gave; borrowed for the run */
};

/* The module of SchedMate that asked about a job. */
enum advice_module {
    ADVICE_ADVISOR,
    ADVICE_TRACKER,
    ADVICE_HANDLER,
    ADVICE_MODULES, /* number of modules */
};
/* The basis of an answer. */
enum advice_basis {
    ADVICE_WAITS,        /* the answer has not come yet */
    ADVICE_NOTHING,      /* nothing was found */
    ADVICE_RESUBMISSION, /* the user's earlier runs of the same command */
    ADVICE_SIMILAR,      /* ended jobs of the same kind */
    ADVICE_LAW,          /* published errors, drawn around the truth, where the
                          * trace lists no kinds of jobs */
    ADVICE_READ,         /* a log of the job */
    ADVICE_BASES,        /* number of bases */
};

/* A question that a module of SchedMate asked about a job, and its answer. It
 * is packed, because a run can have one for each job. The answer came at asked
 * + waited + service. */
struct advice_row {
    uint64_t asked : 56; /* time of the question, us */
    uint64_t module : 3; /* enum advice_module */
    uint64_t basis : 5;  /* enum advice_basis */
    /* time until a server was free, us; at most ADVICE_WAIT_MAX */
    uint64_t waited : 48;
    uint64_t server : 8; /* number of the server, from 0; ADVICE_NO_SERVER: no
                          * model was asked */
    uint64_t k : 8;      /* number of jobs or logs that the answer rests on */
    job_id job;
    uint32_t service; /* time for which the server worked on it, us */
};
#define ADVICE_WAIT_MAX (((uint64_t)1 << 48) - 1)
static inline sim_time advice_begun(const struct advice_row *row)
{
    return (sim_time)(row->asked + row->waited);
}
static inline sim_time advice_answered(const struct advice_row *row)
{
    return (sim_time)(row->asked + row->waited + row->service);
}
/* Tokens of a question. */
struct advice_tokens {
    uint32_t in, out; /* number of tokens that the model read, and that it
                       * wrote */
};
#define ADVICE_NO_SERVER UINT8_MAX
#define ADVICE_NONE UINT32_MAX

/* The servers of the language model of a run. */
struct advice_station {
    uint32_t servers; /* 0: no module of SchedMate takes part in the run */
    /* number of GPUs of the described cluster that serve the model; 0: the
     * model is served outside the cluster */
    uint32_t gpus;
    /* By enum advice_module: tokens that are assumed for a question whose
     * tokens were not counted. */
    struct advice_tokens tokens[ADVICE_MODULES];
};

struct ledger {
    struct attempt *attempts; /* by number of the attempt, in the order of
                               * starts */
    uint32_t *last_attempt; /* by job: number of its last attempt; ATTEMPT_NONE:
                               never started */
    /* Indexed as `attempts` is; only the entries of costly attempts are set.
     * NULL before the first costly attempt. */
    struct attempt_cost *costs;
    struct rejection *rejections;
    struct node_change *node_changes;
    struct fault_row *faults;       /* ordered by time */
    struct failure_row *failures;   /* ordered by time */
    struct eviction_row *evictions; /* ordered by time */
    size_t n_evictions, cap_evictions;
    struct advice_row *advices; /* by time of the question */
    size_t n_advices, cap_advices;
    struct advice_station station;
    /* By number of the question, in cap_tokens entries; zeroes if not counted.
     * NULL: no question's tokens were counted. */
    struct advice_tokens *tokens;
    size_t cap_tokens;
    size_t n_faults, cap_faults, n_failures, cap_failures;
    uint8_t *where; /* GPUs of attempts, packed */
    size_t n_attempts, cap_attempts, cap_costs;
    size_t n_rejections, cap_rejections, n_node_changes, cap_node_changes;
    size_t n_where, cap_where;
    struct ledger_reader readers[8];
    size_t n_readers;
    uint64_t n_moves;
    sim_time last; /* time of the last move of a job; if a limit, such as the
                      horizon, ended the run: that time */
    struct arena arena;
};

void ledger_init(struct ledger *ledger, uint32_t n_jobs);
void ledger_fini(struct ledger *ledger);
void ledger_read_by(struct ledger *ledger, struct ledger_reader reader);
void ledger_add(struct ledger *ledger, const struct ledger_move *move);
/* Records a fault; returns its number. The texts of faults, failures and
 * evictions are borrowed for the run. */
uint32_t ledger_add_fault(struct ledger *ledger, const struct fault_row *row);
/* Records a failure. Failures must be added in the order in which they
 * happen. */
void ledger_add_failure(struct ledger *ledger, const struct failure_row *row);
void ledger_add_eviction(struct ledger *ledger, struct eviction_row row);
/* Records a question; returns its number. `n_jobs`: number of jobs of the run,
 * for the size of the first allocation. */
uint32_t ledger_add_advice(struct ledger *ledger, const struct advice_row *row,
                           uint32_t n_jobs);
/* Records the counted tokens of question number `advice`. */
void ledger_count_tokens(struct ledger *ledger, uint32_t advice,
                         struct advice_tokens tokens);
/* Returns the tokens of a question: the counted ones if there are any, else
 * those that the station assumes for its module. No tokens if no model was
 * asked. Sets *counted to true if they were counted, else to false. */
struct advice_tokens ledger_tokens(const struct ledger *ledger, uint32_t advice,
                                   bool *counted);

/* Sets the end of the run to `horizon`, the time at which a limit ended it,
 * even if no job moves then. */
void ledger_close(struct ledger *ledger, sim_time horizon);

/* Writes the GPUs of an attempt to `out`, which has room for `room` slices.
 * Returns the number of slices, which may exceed `room`. */
uint32_t ledger_where(const struct ledger *ledger,
                      const struct attempt *attempt, struct gpu_slice *out,
                      uint32_t room);
/* Returns the number of GPUs that an attempt held. */
uint32_t ledger_count_gpus(const struct ledger *ledger,
                           const struct attempt *attempt);
static inline uint32_t ledger_gpus(const struct ledger *ledger,
                                   const struct attempt *attempt)
{
    return attempt->n_gpus ? attempt->n_gpus
                           : ledger_count_gpus(ledger, attempt);
}
/* Returns the costs of an attempt, or NULL if none are stored. */
static inline const struct attempt_cost *ledger_cost(
    const struct ledger *ledger, uint32_t attempt)
{
    return ledger->attempts[attempt].costly ? &ledger->costs[attempt] : NULL;
}

#endif
