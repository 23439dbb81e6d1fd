/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Settings and state that the files of policy lucid share. lucid.c holds the
 * hooks and lucid_options.c the settings. lucid_walk.c decides which jobs
 * start, and which of them share GPUs; lucid_score.c computes sharing scores,
 * lucid_queue.c finds partners, and profiler.c chooses the jobs to profile.
 * lucid_first.c is the profiling that the authors' simulator runs as a separate
 * simulation, and lucid_echo.c repeats the effect of that profiling on a
 * virtual cluster. */
#ifndef POLICIES_LUCID_LUCID_H
#define POLICIES_LUCID_LUCID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/state/job.h"
#include "base/state/ledger.h"
#include "policies/policy.h"

/* == lucid_queue.c: An ordered queue of jobs that finds a partner for a given
 * job. For each class (virtual cluster, GPU type, GPU count) Lucid keeps two
 * such queues: the waiting jobs, by priority, and the running jobs that can
 * take a partner, by start. Both are treaps. Each node has the smallest memory
 * and the largest priority of its subtree, by sharing class. With these bounds
 * a search for a partner skips subtrees in which no job can suit, instead of
 * walking the whole queue. */

#define SHARING_CLASSES 3 /* Tiny, Medium, Jumbo: scores 0, 1, 2 */
#define NODE_NIL UINT32_MAX

struct lucid_key {
    int64_t major;
    uint64_t minor;
};

enum lucid_role {
    LUCID_WAITS,
    LUCID_RESIDENT, /* the job runs alone and may take a partner */
    LUCID_PAIRED,   /* the job runs beside `partner` */
    LUCID_SOLE,     /* the job runs, and may not take a partner */
};

/* A job that waits or runs, as a node of a treap. */
struct lucid_node {
    struct lucid_key key; /* place of the node in its queue */
    int64_t priority;     /* believed GPU time, GPU-us; INT64_MAX: unknown */
    /* MiB per GPU: for a waiting job, its demand; for a resident, its demand
     * minus the memory of one GPU that it holds. INFINITY: it must not share */
    double memory;
    /* by sharing class: smallest memory and largest priority in the subtree of
     * this node */
    double least_memory[SHARING_CLASSES];
    int64_t most_priority[SHARING_CLASSES];
    uint32_t left, right; /* children in the treap; NODE_NIL: none */
    job_id job;
    uint32_t partner; /* LUCID_PAIRED: node of the partner */
    uint16_t class;   /* class of the job, an index in lucid_vc.classes */
    uint8_t score;    /* sharing class, 0 to SHARING_CLASSES - 1 */
    uint8_t role;     /* state of the job, enum lucid_role */
    bool came_later;  /* LUCID_PAIRED: the job started after its partner */
};

struct lucid_nodes {
    struct lucid_node *at;
    size_t n, cap;
    uint32_t unused; /* list of unused nodes, linked by `left` */
};

static inline bool lucid_before(struct lucid_key a, struct lucid_key b)
{
    return a.major != b.major ? a.major < b.major : a.minor < b.minor;
}

void lucid_nodes_init(struct lucid_nodes *nodes);
void lucid_nodes_fini(struct lucid_nodes *nodes); /* accepts all zeroes */
uint32_t lucid_node_new(struct lucid_nodes *nodes, job_id job);
void lucid_node_free(struct lucid_nodes *nodes, uint32_t node);

/* A queue is its root; NODE_NIL if it is empty. A node's key, priority, memory
 * and score are set before it is inserted and must not change until it is
 * removed. No two keys are equal. */
void lucid_insert(struct lucid_nodes *nodes, uint32_t *queue, uint32_t node);
void lucid_remove(struct lucid_nodes *nodes, uint32_t *queue, uint32_t node);
uint32_t lucid_first(const struct lucid_nodes *nodes, uint32_t queue);
/* Returns the first node after a key; NODE_NIL if there is none. */
uint32_t lucid_next(const struct lucid_nodes *nodes, uint32_t queue,
                    struct lucid_key after);

/* The conditions that a partner must meet. */
struct lucid_wish {
    double memory; /* the node's memory is less than this */
    int score;     /* the node's score is at most this */
    /* bounds of the node's priority. `most` must be INFINITY unless the queue
     * is ordered by priority: the search ends at the first node above
     * `most` */
    double least, most;
    struct lucid_key after; /* the node's key comes after this one */
};
/* Returns the first node in order that meets the wish; NODE_NIL if there is
 * none. */
uint32_t lucid_find(const struct lucid_nodes *nodes, uint32_t queue,
                    const struct lucid_wish *wish);

/* == profiler.c: Profiles jobs for a policy that schedules only profiled jobs:
 * chooses which jobs are profiled, in which order and for how long, and which
 * may be scheduled afterwards. A policy passes all events to profiler_observe,
 * calls profiler_decide first in its decide, and then takes over the jobs that
 * profiler_take_ready hands out. The policy never sees the jobs that wait for a
 * profile.
 *
 *     struct config { struct profiler_config profiler; ... };
 *     options[] = { ..., PROFILER_OPTIONS(struct config, profiler), {0} };
 *
 * A job is profiled once, on free GPUs of profiler nodes, unless
 * - its demand is believed already, and not only by a default that a profile
 *   would replace (view_demand_settled),
 * - it asks for more than profile_max_gpus GPUs,
 * - no profiler node that is up has that many GPUs of a type on which it can
 *   run.
 *
 * While an answer of an estimator about the job is on its way
 * (view_advice_due), a job that could be profiled is held back. With the answer
 * the job is handed out without a profile, or waits for its profile if its
 * demand is still unknown. Jobs with the fewest GPUs are profiled first; jobs
 * with equally many in order of arrival. The first job that does not fit blocks
 * the rest. A job whose profile is cut short by a failure is profiled again,
 * unless its demand is known by then. Jobs that are exempt although their
 * demand is unknown are counted (profiler_remark).
 *
 * The set of profiler nodes can grow with the load (profile_lend_nodes): while
 * many jobs wait, the pool with the most GPUs on idle nodes, of the pools that
 * have a node for the first waiting job, lends its last such node.
 *
 * Where nodes set aside for good would leave a job too few GPUs, the profiler
 * has *standing loans* instead: nodes for jobs (node.lends) that are lent from
 * the beginning on. A job that needs more GPUs than are outside the profiler
 * gets lent nodes back, standing or not, by profiler_yield. If jobs are being
 * profiled on them, no further job is profiled until these have ended, at most
 * profile_s later; this is a *drain*. While no job waits for a profile, any job
 * gets idle nodes back that it fills; a smaller job would keep a node from many
 * profiles for long. When a node of the pool is idle again, it is lent again.
 * Until then another pool with nodes of that type lends an idle one, so that a
 * long job of one virtual cluster does not stop the profiles of all others. */

struct profiler_config {
    /* longest time for which a job is profiled, us (profile_s) */
    sim_span limit;
    /* largest number of GPUs of a job that is profiled (profile_max_gpus) */
    uint32_t max_gpus;
    /* largest number of nodes lent at a time (profile_lend_nodes) */
    uint32_t lend_nodes;
    /* a node is lent while more jobs than this wait (profile_lend_above) */
    uint32_t lend_above;
    /* lent nodes go back while fewer jobs than this wait
     * (profile_return_below) */
    uint32_t return_below;
    /* lent nodes go back only if jobs are expected to ask for at most this many
     * GPUs in 10 minutes (profile_quiet_gpus) */
    double quiet_gpus;
};

#define PROFILER_OPTIONS(type, field) \
    OPT_SPAN(type, field.limit, "profile_s", 100, 0.000001, 86400, \
             "longest time for which a job is profiled", \
             "SchedMate (5.2), Lucid: 100 s; Lucid's simulator: Venus 200 s, " \
             "Philly 80 s"), \
        OPT_U32(type, field.max_gpus, "profile_max_gpus", 8, 0, 1000000, \
                "jobs with more GPUs are not profiled; 0: no job is", \
                "Lucid's simulator: Venus 8, Philly 4"), \
        OPT_U32( \
            type, field.lend_nodes, "profile_lend_nodes", 1, 0, 1000, \
            "most idle nodes that virtual clusters lend the profiler at once", \
            "Lucid's simulator: 1 on Venus; 0: none"), \
        OPT_U32(type, field.lend_above, "profile_lend_above", 10, 0, 1000000, \
                "a node is lent while more jobs than this wait for a profile", \
                "Lucid's simulator", OPT_WHEN("profile_lend_nodes!=0")), \
        OPT_U32(type, field.return_below, "profile_return_below", 5, 1, \
                1000000, \
                "an idle node that was lent is returned if fewer jobs than " \
                "this wait for a profile", \
                "Lucid's simulator", OPT_WHEN("profile_lend_nodes!=0")), \
        OPT_DOUBLE( \
            type, field.quiet_gpus, "profile_quiet_gpus", 40, 0, 1e9, \
            "a node that was lent is returned only if jobs are expected to " \
            "ask for at most this many GPUs in 10 minutes (--forecast; " \
            "without a forecast this is not checked)", \
            "Lucid's simulator: 5 x the GPUs of the largest job that is " \
            "profiled", \
            OPT_WHEN("profile_lend_nodes!=0"))

struct profiler_entry {
    const struct job *job;
    uint64_t seq; /* number of the entry in order of arrival */
};

/* A standing loan. */
struct profiler_own {
    node_id home;  /* node with node.lends */
    uint16_t pool; /* pool of `home` */
    node_id node;  /* node that is lent now; NODE_NONE: none */
};

enum { PROFILER_ANSWERS = 16 };
/* Whether the placer finds GPUs for a job on a set of nodes if all of them are
 * empty. */
struct profiler_answer {
    uint32_t gpus; /* 0: no answer */
    uint16_t vc;
    uint8_t gpu_type;
    bool fits;
    uint64_t *nodes; /* bit id % 64 of word id / 64: the node is in the set */
};

struct profiler {
    const struct profiler_config *config;
    uint8_t *stages; /* by job: enum stage (profiler.c) */
    /* Jobs that wait for a profile, fewest GPUs first; a job that no longer
     * waits stays here until it is at the top. */
    struct profiler_entry *heap;
    size_t n, cap;
    /* Jobs that may be scheduled; those before next_ready have been handed out.
     */
    const struct job **ready;
    size_t n_ready, next_ready, cap_ready;
    uint64_t seq;     /* number of entries into the heap so far */
    size_t n_waiting; /* number of jobs that wait for a profile */
    node_id *lent;    /* nodes that this policy has lent to the profiler */
    size_t n_lent, cap_lent;
    struct profiler_own *own; /* standing loans */
    size_t n_own, cap_own;
    /* job for which the profiler drains; NULL: it does not. The policy sets it
     * to NULL before it looks at the waiting jobs of that virtual cluster
     * again. */
    const struct job *drain;
    /* The last answers, which a job that waits asks for again and again;
     * answers[n_answers % PROFILER_ANSWERS] is overwritten next. */
    struct profiler_answer answers[PROFILER_ANSWERS];
    size_t n_answers;
    uint64_t *nodes; /* room for the set of nodes of a question */
    /* true if profiler_yield has ended a loan since profiler_decide, which the
     * policy must then call again at this instant */
    bool yielded;
    /* true if the head did not fit and no GPU of a profiler node has come free
     * since */
    bool blocked;
    uint32_t n_jobs; /* number of jobs of the run */
    /* Jobs of unknown demand that were never profiled: those that ask for more
     * than max_gpus GPUs, and those that no profiler node could take. */
    uint32_t n_large, n_homeless;
    /* smallest number of GPUs for which one of the n_homeless jobs asked;
     * UINT32_MAX: n_homeless is 0 */
    uint32_t homeless_gpus;
    /* number of GPUs of the widest profiler node when n_homeless became 1 */
    uint32_t node_gpus;
};

/* Call from the policy's init and fini. */
void profiler_init(struct profiler *p, const struct profiler_config *config,
                   const struct view *view);
void profiler_fini(struct profiler *p); /* accepts all zeroes */
/* Call with every event that the policy observes. */
void profiler_observe(struct profiler *p, const struct view *view,
                      const struct event *event);
/* Starts to profile the jobs whose turn it is, and lends and takes back
 * nodes. */
void profiler_decide(struct profiler *p, const struct view *view,
                     struct plan *plan);
/* Tries to start a waiting job, which plan_start could not start, with nodes
 * that are lent to the profiler. Only nodes on which no job is profiled are
 * taken back, and only if the job then starts. Either it otherwise has too few
 * GPUs outside the profiler, or no job waits for a profile and it fills the
 * nodes. Returns true if the plan starts the job. If a job has too few GPUs and
 * only profiles are in the way, begins a drain and returns false: until the
 * drain is over, the policy must start no job of this virtual cluster that
 * comes after the job, and must try the job again at each decision. */
bool profiler_yield(struct profiler *p, struct plan *plan,
                    const struct job *job);
/* Returns the next job that may be scheduled: it was profiled or is exempt, an
 * estimator has told its demand, it is back after a failure or a stop, or its
 * profiler nodes are gone. Jobs come in the order in which this happened.
 * Returns NULL if there is no such job at this instant. A job that the policy
 * itself stops is not handed out again; the policy must keep track of it. */
const struct job *profiler_take_ready(struct profiler *p);
/* Adds remarks that say which jobs were never profiled, and why. */
void profiler_remark(const struct profiler *p, struct remarks *remarks);

/* == lucid.c */

enum lucid_sharing {
    LUCID_SHARING_DYNAMIC,
    LUCID_SHARING_ON,
    LUCID_SHARING_OFF
};
enum lucid_walks { LUCID_WALKS_SETTLED, LUCID_WALKS_ONCE };
enum lucid_unknown { LUCID_UNKNOWN_BY_SPEED, LUCID_UNKNOWN_BY_UTIL };
enum lucid_profiling {
    LUCID_PROFILING_BEFORE,
    LUCID_PROFILING_NONE,
    LUCID_PROFILING_PARALLEL
};

struct lucid_config {
    /* settings that say which jobs may share GPUs */
    uint32_t pair_gpus, score_sum;
    double ratio, memory_mib;
    double tiny_util, medium_util, tiny_speed, medium_speed;
    unsigned unknown;
    bool later_alone, idle_first;
    /* settings that say when GPUs are shared */
    unsigned sharing, walks;
    double quiet_jobs;
    uint32_t quiet_gpus;
    sim_span switch_period;
    /* settings of profiling */
    unsigned profiling;
    struct profiler_config profiler;
    sim_span up_period, down_period;
    uint32_t profile_nodes, up_waiting, down_waiting, down_factor;
    const char *echo_vc;
};

extern const struct option lucid_options[];

/* The jobs of one virtual cluster that ask for the same number of GPUs of the
 * same type. */
struct lucid_class {
    uint32_t gpus;
    uint8_t gpu_type;
    bool blocked;       /* true: its jobs do not fit until GPUs come free */
    uint32_t waiting;   /* root of the queue of waiting jobs, by priority */
    uint32_t residents; /* root of the queue of residents, by start */
    uint32_t first;     /* node of the first waiting job; NODE_NIL: none */
};

struct lucid_list {
    uint32_t *at; /* indices in lucid.nodes, or of virtual clusters */
    size_t n, cap;
};

struct lucid_vc {
    struct lucid_class *classes;
    size_t n_classes, cap_classes;
    size_t n_waiting; /* number of waiting jobs of all classes */
    /* jobs that have begun to wait, or got a new rank, since the last walk */
    struct lucid_list arrived;
    /* residents with which some waiting jobs have not been compared yet */
    struct lucid_list residents;
    bool dirty; /* true if a start may have become possible */
    /* true if the last walk did not look for pairs */
    bool stale;
    sim_time walked; /* time of the last walk; -1: there was none */
};

/* The exchange of nodes between a virtual cluster and the profiler, as in the
 * authors' simulator. */
struct lucid_echo {
    const struct ledger *first; /* ledger of the first stage; NULL: none */
    size_t next; /* index in `first` of the next change of a node to echo */
    uint16_t vc; /* virtual cluster that gives and gets nodes */
    uint32_t *labels;   /* labels of the nodes of `vc`, from first_node on */
    node_id first_node; /* first node of the first ordinary pool of `vc` */
    uint32_t n_nodes;   /* number of nodes of that pool; 0: nothing is echoed */
    bool removed;       /* true once a node has left the virtual cluster */
    node_id spare;      /* profiler node whose changes are echoed */
};

/* Counts of the jobs for which something had to be assumed; lucid_remark
 * reports them. */
struct lucid_fallbacks {
    uint32_t n_jobs; /* number of jobs of the run */
    /* number of jobs that could share if their demand were known */
    uint32_t unknown;
    /* by sharing class: number of jobs of unknown utilisation that got this
     * class */
    uint32_t assumed[SHARING_CLASSES];
    /* by sharing class: believed rate of the last job of `assumed` beside a
     * copy of itself; 1: as fast as alone */
    double rel_speed[SHARING_CLASSES];
    /* true if the forecast had no answer, and none was to come */
    bool no_forecast;
};

struct lucid {
    const struct lucid_config *config;
    struct profiler profiler;
    struct lucid_nodes nodes;
    struct lucid_vc *vcs;
    uint32_t n_vcs;
    uint32_t share_limit;
    size_t n_waiting; /* number of waiting jobs of all virtual clusters */
    uint64_t entries; /* number of times that a job entered a queue */
    uint64_t starts;  /* number of starts in all walks so far */
    bool shares;      /* true while GPUs may be shared */
    /* sharing=dynamic: GPUs are not shared while at most this many submissions
     * are expected in 10 minutes */
    double quiet_jobs;
    sim_time ask_again; /* when to ask for the outlook again */
    struct lucid_fallbacks fallbacks;
    /* ledger of the first stage; NULL: there was none */
    const struct ledger *first;
    size_t next_first; /* index in `first` of the next attempt to repeat */
    /* by new resident of the present walk: the first newcomer that suits;
     * NODE_NIL: there is none */
    struct lucid_list found;
    /* virtual clusters of the jobs that the profiler has just handed out */
    struct lucid_list joined;
    struct lucid_echo echo;
};

/* State that the policy keeps for each job (policy_ops.job_size); zeroed at
 * first. */
struct lucid_mine {
    /* 1 + number of the job's node in lucid.nodes; 0: the job has none, because
     * it has not entered a queue or has stopped running */
    uint32_t node;
    bool counted; /* true if the job is counted in the fallbacks */
    bool unknown; /* true if fallbacks.unknown counts the job */
};

static inline struct lucid_node *lucid_node_of(struct lucid *s,
                                               const struct view *view,
                                               const struct job *job)
{
    const struct lucid_mine *mine = view_mine(view, job);
    return mine->node ? &s->nodes.at[mine->node - 1] : NULL;
}

void lucid_list_add(struct lucid_list *list, uint32_t node);
void lucid_list_drop(struct lucid_list *list, uint32_t node);

/* lucid_wait puts a node into its queue of waiting jobs; lucid_wait_no_more
 * takes the node out. */
void lucid_wait(struct lucid *s, struct lucid_vc *vc, uint32_t node);
void lucid_wait_no_more(struct lucid *s, struct lucid_vc *vc, uint32_t node);

/* Takes a waiting job that was rejected out of its queue, and frees its node.
 */
void lucid_forget(struct lucid *s, const struct view *view,
                  const struct job *job);

/* Returns the memory, MiB, of the first GPU of `where`: the option memory_mib
 * if it is set, else what the cluster states; INFINITY if that is unknown too.
 * `where` must not be empty. */
double lucid_gpu_memory(const struct lucid *s, const struct view *view,
                        struct gpu_set where);

/* Starts the jobs of a virtual cluster that can start. Returns false if none
 * could. */
bool lucid_walk(struct lucid *s, struct plan *plan, uint16_t vc);

/* lucid_first.c. Runs the first stage and sets s->first to its ledger. Does
 * nothing unless profiling=parallel and the run allows side runs. Returns the
 * error of the side run. */
enum status lucid_first_run(struct lucid *s, const struct run_env *env,
                            struct error *err) MUST_USE;
/* True if the job ended while the first stage profiled it. */
bool lucid_first_ended(const struct lucid *s, const struct job *job);
/* Repeats the first stage up to now: each job that ended there starts at the
 * same time and on the same GPUs. These GPUs are free, because no other job
 * uses them. Returns the time at which the next of these jobs starts;
 * TIME_NEVER: there is none. */
sim_time lucid_first_repeat(struct lucid *s, struct plan *plan);

/* lucid_echo.c. Nothing is echoed unless the first stage has changed a node and
 * the virtual cluster echo_vc exists. lucid_echo_fini accepts all zeroes. */
void lucid_echo_init(struct lucid_echo *echo, const struct lucid *s,
                     const struct view *view);
void lucid_echo_fini(struct lucid_echo *echo);
/* Echoes the changes of the spare profiler node that are due. Returns true if
 * there were any. */
bool lucid_echo_decide(struct lucid_echo *echo, struct plan *plan);
/* Returns the time of the next change of a node in the first stage; TIME_NEVER:
 * there is none, or nothing is echoed. */
sim_time lucid_echo_next(const struct lucid_echo *echo);

/* lucid_score.c. Returns the sharing score, 0 to 2, of a job whose demand is
 * known: from its sharing class if the class is known, else from its
 * utilisation. If the utilisation is only assumed, the option `unknown` may
 * choose the believed relative speed instead. Counts the job, once, if its
 * utilisation is assumed and it could share. */
uint8_t lucid_score(struct lucid *s, const struct view *view,
                    const struct job *job, const struct demand *demand);
/* Counts a job of unknown demand, once, if it could share otherwise. */
void lucid_count_unknown(struct lucid *s, const struct view *view,
                         const struct job *job);
/* Removes a job from the count of jobs of unknown demand. Called when a new
 * belief may make the demand of the job known. */
void lucid_count_known(struct lucid *s, const struct view *view,
                       const struct job *job);
/* Adds remarks on the assumptions that Lucid had to make in this run. */
void lucid_remark(const void *self, struct remarks *remarks);

#endif
