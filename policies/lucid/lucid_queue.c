/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An ordered queue of jobs that finds a partner for a given job. */
#include "policies/lucid/lucid.h"

#include <math.h>
#include <stdlib.h>

#include "base/arena.h"

void lucid_nodes_init(struct lucid_nodes *nodes)
{
    *nodes = (struct lucid_nodes){.unused = NODE_NIL};
}

void lucid_nodes_fini(struct lucid_nodes *nodes)
{
    free(nodes->at);
    *nodes = (struct lucid_nodes){0};
}

uint32_t lucid_node_new(struct lucid_nodes *nodes, job_id job)
{
    uint32_t node = nodes->unused;
    if (node != NODE_NIL) {
        nodes->unused = nodes->at[node].left;
    } else {
        nodes->at =
            mem_grow(nodes->at, &nodes->cap, nodes->n + 1, sizeof *nodes->at);
        node = (uint32_t)nodes->n++;
    }
    nodes->at[node] = (struct lucid_node){
        .job = job, .left = NODE_NIL, .right = NODE_NIL, .partner = NODE_NIL};
    return node;
}

void lucid_node_free(struct lucid_nodes *nodes, uint32_t node)
{
    nodes->at[node].left = nodes->unused;
    nodes->unused = node;
}

/* Returns the number that shapes the treap: no node has a higher one than its
 * parent. It is a hash of the job number (splitmix64's finaliser), so that
 * equal runs have equal trees. */
static uint64_t rank_of(const struct lucid_nodes *nodes, uint32_t node)
{
    uint64_t x = nodes->at[node].job + UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

static void add_child(const struct lucid_nodes *nodes, struct lucid_node *node,
                      uint32_t child)
{
    if (child == NODE_NIL)
        return;
    const struct lucid_node *c = &nodes->at[child];
    for (int s = 0; s < SHARING_CLASSES; s++) {
        if (c->least_memory[s] < node->least_memory[s])
            node->least_memory[s] = c->least_memory[s];
        if (c->most_priority[s] > node->most_priority[s])
            node->most_priority[s] = c->most_priority[s];
    }
}

static void sum_up(const struct lucid_nodes *nodes, struct lucid_node *node)
{
    for (int s = 0; s < SHARING_CLASSES; s++) {
        bool own = s == node->score;
        node->least_memory[s] = own ? node->memory : INFINITY;
        node->most_priority[s] = own ? node->priority : INT64_MIN;
    }
    add_child(nodes, node, node->left);
    add_child(nodes, node, node->right);
}

/* Splits a tree into the nodes before `key` and all others. */
static void split(struct lucid_nodes *nodes, uint32_t tree,
                  struct lucid_key key, uint32_t *before, uint32_t *rest)
{
    if (tree == NODE_NIL) {
        *before = *rest = NODE_NIL;
        return;
    }
    struct lucid_node *node = &nodes->at[tree];
    if (lucid_before(node->key, key)) {
        split(nodes, node->right, key, &node->right, rest);
        *before = tree;
    } else {
        split(nodes, node->left, key, before, &node->left);
        *rest = tree;
    }
    sum_up(nodes, node);
}

static uint32_t merge(struct lucid_nodes *nodes, uint32_t a, uint32_t b)
{
    if (a == NODE_NIL || b == NODE_NIL)
        return a == NODE_NIL ? b : a;
    struct lucid_node *x = &nodes->at[a], *y = &nodes->at[b];
    bool a_is_root = rank_of(nodes, a) > rank_of(nodes, b);
    if (a_is_root)
        x->right = merge(nodes, x->right, b);
    else
        y->left = merge(nodes, a, y->left);
    sum_up(nodes, a_is_root ? x : y);
    return a_is_root ? a : b;
}

void lucid_insert(struct lucid_nodes *nodes, uint32_t *queue, uint32_t number)
{
    struct lucid_node *node = &nodes->at[number];
    if (*queue != NODE_NIL && rank_of(nodes, *queue) > rank_of(nodes, number)) {
        struct lucid_node *root = &nodes->at[*queue];
        bool left = lucid_before(node->key, root->key);
        lucid_insert(nodes, left ? &root->left : &root->right, number);
        sum_up(nodes, root);
        return;
    }
    split(nodes, *queue, node->key, &node->left, &node->right);
    sum_up(nodes, node);
    *queue = number;
}

void lucid_remove(struct lucid_nodes *nodes, uint32_t *queue, uint32_t number)
{
    struct lucid_node *root = &nodes->at[*queue];
    if (*queue == number) {
        *queue = merge(nodes, root->left, root->right);
        return;
    }
    bool left = lucid_before(nodes->at[number].key, root->key);
    lucid_remove(nodes, left ? &root->left : &root->right, number);
    sum_up(nodes, root);
}

uint32_t lucid_first(const struct lucid_nodes *nodes, uint32_t queue)
{
    uint32_t first = NODE_NIL;
    for (; queue != NODE_NIL; queue = nodes->at[queue].left)
        first = queue;
    return first;
}

uint32_t lucid_next(const struct lucid_nodes *nodes, uint32_t queue,
                    struct lucid_key after)
{
    uint32_t next = NODE_NIL;
    while (queue != NODE_NIL) {
        const struct lucid_node *node = &nodes->at[queue];
        bool behind = lucid_before(after, node->key);
        next = behind ? queue : next;
        queue = behind ? node->left : node->right;
    }
    return next;
}

/* False if no node of the subtree can meet the wish. True may be wrong: the
 * smallest memory and the largest priority can belong to different nodes, and
 * wish->most and wish->after are not looked at. */
static bool may_hold(const struct lucid_node *node,
                     const struct lucid_wish *wish)
{
    for (int s = 0; s <= wish->score && s < SHARING_CLASSES; s++) {
        if (node->least_memory[s] < wish->memory &&
            (double)node->most_priority[s] >= wish->least)
            return true;
    }
    return false;
}

static bool lucid_queue_passes(const struct lucid_node *node,
                               const struct lucid_wish *wish)
{
    return node->score <= wish->score && node->memory < wish->memory &&
           (double)node->priority >= wish->least &&
           (double)node->priority <= wish->most;
}

uint32_t lucid_find(const struct lucid_nodes *nodes, uint32_t queue,
                    const struct lucid_wish *wish)
{
    if (queue == NODE_NIL)
        return NODE_NIL;
    const struct lucid_node *node = &nodes->at[queue];
    if (!may_hold(node, wish))
        return NODE_NIL;
    if (!lucid_before(wish->after, node->key))
        return lucid_find(nodes, node->right, wish);
    uint32_t found = lucid_find(nodes, node->left, wish);
    if (found != NODE_NIL || (double)node->priority > wish->most)
        return found;
    if (lucid_queue_passes(node, wish))
        return queue;
    return lucid_find(nodes, node->right, wish);
}
