/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An ordered queue of jobs that finds a partner for a given job. For each class
 * (virtual cluster, GPU type, GPU count) Lucid keeps two such queues: the
 * waiting jobs, by priority, and the running jobs that can take a partner, by
 * start. Both are treaps. Each node has the smallest memory and the
 * largest priority of its subtree, by sharing class. With these bounds a search
 * for a partner skips subtrees in which no job can suit, instead of walking the
 * whole queue. */
#ifndef POLICIES_LUCID_QUEUE_H
#define POLICIES_LUCID_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/state/job.h"

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

#endif
