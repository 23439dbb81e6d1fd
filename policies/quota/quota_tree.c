/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Amounts in a tree of quotas: what is lent, used and left
 * (pkg/cache/scheduler/resource_node.go and its file on fair sharing). */
#include "policies/quota/quota.h"

static int64_t quota_above_zero(int64_t amount)
{
    return amount > 0 ? amount : 0;
}

void quota_tree_init(struct quota_tree *tree)
{
    for (uint32_t i = 0; i < tree->n; i++) {
        tree->nodes[i].subtree = tree->nodes[i].nominal;
        tree->nodes[i].usage = 0;
        tree->nodes[i].height = 0;
    }
    for (uint32_t i = tree->n; i-- > 0;) {
        struct quota_node *node = &tree->nodes[i];
        node->local =
            node->lending_limit == QUOTA_NO_LIMIT
                ? 0
                : quota_above_zero(node->subtree - node->lending_limit);
        if (node->parent == QUOTA_NO_PARENT)
            continue;
        struct quota_node *parent = &tree->nodes[node->parent];
        parent->subtree += node->subtree - node->local;
        if (parent->height < node->height + 1)
            parent->height = node->height + 1;
    }
}

void quota_use(struct quota_tree *tree, uint32_t queue, int64_t amount)
{
    for (uint32_t i = queue; i != QUOTA_NO_PARENT && amount != 0;
         i = tree->nodes[i].parent) {
        struct quota_node *node = &tree->nodes[i];
        const int64_t before = quota_above_zero(node->usage - node->local);
        node->usage += amount;
        amount = quota_above_zero(node->usage - node->local) - before;
    }
}

/* Returns the unused part of what a node does not lend. */
static int64_t quota_local_left(const struct quota_node *node)
{
    return quota_above_zero(node->local - node->usage);
}

static int64_t quota_left(const struct quota_tree *tree, uint32_t i)
{
    const struct quota_node *node = &tree->nodes[i];
    if (node->parent == QUOTA_NO_PARENT)
        return node->subtree - node->usage;
    int64_t above = quota_left(tree, node->parent);
    if (node->borrowing_limit != QUOTA_NO_LIMIT) {
        const int64_t most = node->subtree - node->local -
                             quota_above_zero(node->usage - node->local) +
                             node->borrowing_limit;
        above = above < most ? above : most;
    }
    return quota_local_left(node) + above;
}

int64_t quota_available(const struct quota_tree *tree, uint32_t node)
{
    const int64_t left = quota_left(tree, node);
    return tree->nodes[node].is_queue ? quota_above_zero(left) : left;
}

int64_t quota_potential(const struct quota_tree *tree, uint32_t i)
{
    const struct quota_node *node = &tree->nodes[i];
    if (node->parent == QUOTA_NO_PARENT)
        return node->subtree;
    int64_t above = quota_potential(tree, node->parent);
    if (node->borrowing_limit != QUOTA_NO_LIMIT &&
        above > node->subtree - node->local + node->borrowing_limit)
        above = node->subtree - node->local + node->borrowing_limit;
    return node->local + above;
}

bool quota_borrows(const struct quota_tree *tree, uint32_t node, int64_t more)
{
    return tree->nodes[node].usage + more > tree->nodes[node].subtree;
}

uint32_t quota_height_that_fits(const struct quota_tree *tree, uint32_t queue,
                                int64_t amount, bool *below_root)
{
    uint32_t i = queue;
    while (quota_borrows(tree, i, amount) &&
           tree->nodes[i].parent != QUOTA_NO_PARENT) {
        amount = quota_above_zero(amount - quota_local_left(&tree->nodes[i]));
        i = tree->nodes[i].parent;
    }
    *below_root = tree->nodes[i].parent != QUOTA_NO_PARENT;
    return tree->nodes[i].height;
}

struct quota_share quota_share_of(const struct quota_tree *tree, uint32_t i)
{
    const struct quota_node *node = &tree->nodes[i];
    struct quota_share share = {0};
    if (node->parent == QUOTA_NO_PARENT || !quota_borrows(tree, i, 0))
        return share;
    const int64_t lendable = quota_potential(tree, node->parent);
    if (lendable <= 0)
        return share;
    share.unweighted =
        1000.0 * (double)(node->usage - node->subtree) / (double)lendable;
    share.infinite = node->weight <= 0;
    share.weighted = share.infinite ? 0 : share.unweighted / node->weight;
    return share;
}

int quota_share_compare(struct quota_share a, struct quota_share b)
{
    if (a.infinite != b.infinite)
        return a.infinite ? 1 : -1;
    if (a.infinite)
        return (a.unweighted > b.unweighted) - (a.unweighted < b.unweighted);
    return (a.weighted > b.weighted) - (a.weighted < b.weighted);
}

uint32_t quota_root(const struct quota_tree *tree, uint32_t node)
{
    while (tree->nodes[node].parent != QUOTA_NO_PARENT)
        node = tree->nodes[node].parent;
    return node;
}

uint32_t quota_common(const struct quota_tree *tree, uint32_t a, uint32_t b)
{
    /* A parent has a lower index than its children. */
    while (a != b && a != QUOTA_NO_PARENT && b != QUOTA_NO_PARENT) {
        if (a > b)
            a = tree->nodes[a].parent;
        else
            b = tree->nodes[b].parent;
    }
    return a == b ? a : QUOTA_NO_PARENT;
}
