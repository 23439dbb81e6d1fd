/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Between the files of the Lucid policy: its settings and state. lucid.c holds
 * the hooks, lucid_options.c the settings, lucid_walk.c decides who starts and
 * beside whom, lucid_first.c is the profiling that the authors' simulator does
 * in a world of its own, and lucid_echo.c what that does to a virtual cluster.
 */
#ifndef POLICIES_LUCID_H
#define POLICIES_LUCID_H

#include "policies/lucid_queue.h"
#include "policies/policy.h"
#include "policies/profiler.h"
#include "sim/ledger.h"

enum lucid_sharing {
    LUCID_SHARING_DYNAMIC,
    LUCID_SHARING_ON,
    LUCID_SHARING_OFF
};
enum lucid_walks { LUCID_WALKS_SETTLED, LUCID_WALKS_ONCE };
enum lucid_unknown { LUCID_UNKNOWN_PACE, LUCID_UNKNOWN_UTIL };
enum lucid_profiling {
    LUCID_PROFILING_BEFORE,
    LUCID_PROFILING_NONE,
    LUCID_PROFILING_PARALLEL
};

struct lucid_config {
    /* pairs */
    uint32_t pair_gpus, score_sum;
    double ratio, memory_mib;
    double tiny_util, medium_util, tiny_pace, medium_pace;
    unsigned unknown;
    bool later_alone, idle_first;
    /* when */
    unsigned sharing, walks;
    double quiet_jobs;
    uint32_t quiet_gpus;
    sim_span switch_period;
    /* profiling */
    unsigned profiling;
    struct profiler_config profiler;
    sim_span up_period, down_period;
    uint32_t profile_nodes, up_waiting, down_waiting, down_factor;
    const char *echo_vc;
};

extern const struct option lucid_options[];

/* Jobs that differ in nothing but what they share and how long they run. */
struct lucid_class {
    uint32_t gpus;
    uint8_t gpu_type;
    bool blocked;            /* does not fit until GPUs come free */
    uint32_t waiting, hosts; /* queues: by priority, by start */
    uint32_t first;          /* of the waiting */
};

struct lucid_list {
    uint32_t *at; /* nodes */
    size_t n, cap;
};

struct lucid_vc {
    struct lucid_class *classes;
    size_t n_classes, cap_classes, n_waiting;
    struct lucid_list arrived; /* waits, and was not looked at yet */
    struct lucid_list hosts;   /* hosts that were not looked at yet */
    bool dirty;                /* something may have become possible */
    bool stale;                /* no pairs were looked for lately */
    sim_time walked;
};

/* The authors' simulator lets a virtual cluster breathe against the profiler.
 */
struct lucid_echo {
    const struct ledger *first;
    size_t next; /* change of the first stage to be echoed */
    uint16_t vc;
    uint32_t *labels; /* by node of the virtual cluster */
    node_id first_node;
    uint32_t n_nodes;
    bool removed;  /* ever */
    node_id spare; /* profiler node whose changes are echoed */
};

/* Jobs of which something had to be assumed: for lucid_remark. */
struct lucid_fallbacks {
    uint32_t n_jobs;
    uint32_t unknown;                  /* demand: they cannot share */
    uint32_t assumed[SHARING_CLASSES]; /* utilisation: by the class they got */
    double pace[SHARING_CLASSES];      /* of the last of these, beside itself */
    bool no_forecast;
};

struct lucid {
    const struct lucid_config *config;
    struct profiler profiler;
    struct lucid_nodes nodes;
    struct lucid_vc *vcs;
    uint32_t n_vcs;
    uint32_t share_limit;
    size_t n_waiting;
    uint64_t entries, starts; /* so far */
    bool shares;              /* now */
    double quiet_jobs;        /* on this cluster */
    sim_time ask_again;       /* about the outlook */
    struct lucid_fallbacks fallbacks;
    size_t next_profiled;     /* attempt of the first stage */
    struct lucid_list found;  /* scratch of a walk: for each host a job */
    struct lucid_list joined; /* virtual clusters of who was profiled now */
    struct lucid_echo echo;
};

/* Of a job; 0 at first. */
struct lucid_mine {
    uint32_t node; /* 1 + its number, 0: neither waits nor runs */
    bool counted;  /* in the fallbacks */
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

/* Puts a node into the queue of those who wait, and takes it out. */
void lucid_wait(struct lucid *s, struct lucid_vc *vc, uint32_t node);
void lucid_wait_no_more(struct lucid *s, struct lucid_vc *vc, uint32_t node);

/* Starts who can start in a virtual cluster; false if nobody did. */
bool lucid_walk(struct lucid *s, struct plan *plan, uint16_t vc);

/* lucid_echo.c. Nothing to do unless there was a first stage and the virtual
 * cluster is there. */
void lucid_echo_init(struct lucid_echo *echo, const struct lucid_config *config,
                     const struct view *view);
void lucid_echo_fini(struct lucid_echo *echo);
/* True if nodes came or left just now. */
bool lucid_echo_decide(struct lucid_echo *echo, struct plan *plan);
sim_time lucid_echo_next(const struct lucid_echo *echo);

/* lucid_score.c: the sharing score of a job whose demand is told, by its class
 * if that is known, else by its utilisation; counts who fell back. */
uint8_t lucid_score(struct lucid *s, const struct view *view,
                    const struct job *job, const struct demand *demand);
/* Nobody tells the demand of a job that could share otherwise. */
void lucid_count_unknown(struct lucid *s, const struct view *view,
                         const struct job *job);
/* Says what Lucid fell back on in this run. */
void lucid_remark(const void *self, struct remarks *remarks);

extern const struct policy_ops lucid_first_stage;

/* A moment on the grid of whole periods since 1970, strictly after now. */

#endif
