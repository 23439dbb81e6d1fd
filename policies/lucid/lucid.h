/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Settings and state that the files of policy lucid share. lucid.c holds the
 * hooks and lucid_options.c the settings. lucid_walk.c decides which jobs
 * start, and which of them share GPUs; lucid_score.c computes sharing scores,
 * lucid_queue.c finds partners, and profiler.c chooses the jobs to profile.
 * lucid_first.c is the profiling that the authors' simulator runs as a separate
 * simulation, and lucid_echo.c repeats the effect of that profiling on a
 * virtual cluster. */
#ifndef POLICIES_LUCID_H
#define POLICIES_LUCID_H

#include "base/state/ledger.h"
#include "policies/lucid/lucid_queue.h"
#include "policies/lucid/profiler.h"
#include "policies/policy.h"

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
