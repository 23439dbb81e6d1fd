/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "policies/shares/share_tree.h"

#include <math.h>
#include <stdlib.h>

#include "base/arena.h"

/* A node in the walk of the fair tree. Its LF is over / under, which are kept
 * apart because ties are exact then: 1000 / 120 and 100 / 12 are equal as
 * products, but not as quotients. */
struct share_visit {
    double over, under;
    uint32_t node;
    bool is_leaf;
};

struct share_walk {
    struct share_tree *tree;
    enum share_ties ties;
    uint32_t rank;     /* given last */
    uint32_t unshared; /* rank of the next leaf that ties with nobody */
};

void share_tree_init(struct share_tree *tree)
{
    *tree = (struct share_tree){0};
    tree->at = mem_grow(NULL, &tree->cap, 1, sizeof *tree->at);
    tree->at[SHARE_ROOT] = (struct share_node){.shares = 1};
    tree->n = 1;
}

void share_tree_fini(struct share_tree *tree)
{
    free(tree->at);
    free(tree->visits);
    *tree = (struct share_tree){0};
}

uint32_t share_tree_add(struct share_tree *tree, uint32_t parent, double shares,
                        bool is_leaf)
{
    const uint32_t node = tree->n++;
    tree->at = mem_grow(tree->at, &tree->cap, tree->n, sizeof *tree->at);
    tree->at[node] = (struct share_node){
        .parent = parent, .is_leaf = is_leaf, .shares = shares};
    struct share_node *above = &tree->at[parent];
    above->children += shares;
    if (above->last)
        tree->at[above->last].next = node;
    else
        above->first = node;
    above->last = node;
    tree->n_leaves += is_leaf;
    return node;
}

void share_tree_charge(struct share_tree *tree, uint32_t node, double usage)
{
    for (; node != SHARE_ROOT; node = tree->at[node].parent)
        tree->at[node].usage += usage;
    tree->at[SHARE_ROOT].usage += usage;
}

void share_tree_decay(struct share_tree *tree, double factor)
{
    for (uint32_t i = 0; i < tree->n; i++)
        tree->at[i].usage *= factor;
}

/* Returns the part that a node has of the shares of its siblings and itself; 0
 * if all have none. */
static double share_tree_part(const struct share_tree *tree, uint32_t node)
{
    const struct share_node *me = &tree->at[node];
    const double all = tree->at[me->parent].children;
    return all > 0 ? me->shares / all : 0;
}

static struct share_visit share_visit_of(const struct share_tree *tree,
                                         uint32_t node)
{
    const struct share_node *me = &tree->at[node];
    const struct share_node *above = &tree->at[me->parent];
    struct share_visit visit = {.node = node, .is_leaf = me->is_leaf};
    if (!(me->shares > 0)) {
        visit.under = 1;
    } else if (!(me->usage > 0)) {
        visit.over = 1;
    } else {
        visit.over = me->shares * above->usage;
        visit.under = above->children * me->usage;
    }
    return visit;
}

/* Returns < 0 if `x` has the higher LF. */
static int share_visit_levels(const struct share_visit *x,
                              const struct share_visit *y)
{
    const double a = x->over * y->under, b = y->over * x->under;
    return (a < b) - (a > b);
}

static int share_visit_compare(const void *a, const void *b)
{
    const struct share_visit *x = a, *y = b;
    const int levels = share_visit_levels(x, y);
    if (levels)
        return levels;
    if (x->is_leaf != y->is_leaf)
        return x->is_leaf ? -1 : 1;
    return (x->node < y->node) - (x->node > y->node);
}

/* Adds the children of an account to the visits. Returns their new number. */
static size_t share_visit_children(struct share_tree *tree, uint32_t account,
                                   size_t n)
{
    for (uint32_t i = tree->at[account].first; i; i = tree->at[i].next)
        tree->visits[n++] = share_visit_of(tree, i);
    return n;
}

/* Returns how many accounts after number `i` are visited together with it. */
static size_t share_walk_tied(const struct share_walk *walk, size_t i,
                              size_t end)
{
    const struct share_visit *at = walk->tree->visits;
    size_t n = 0;
    if (walk->ties == SHARE_TIES_CODE)
        return 0;
    while (i + n + 1 < end && share_visit_levels(&at[i], &at[i + n + 1]) == 0)
        n++;
    return n;
}

/* Visits siblings number `begin` to before `end`. `tied`: the first of them has
 * the rank that was given last. Each node stands among the visits once, so that
 * there is room for the children from `end` on. */
static void share_walk_visit(struct share_walk *walk, size_t begin, size_t end,
                             bool tied)
{
    struct share_tree *tree = walk->tree;
    const struct share_visit *at = tree->visits;
    if (begin < end)
        qsort(&tree->visits[begin], end - begin, sizeof *at,
              share_visit_compare);
    for (size_t i = begin; i < end; i++) {
        if (i > begin)
            tied = share_visit_levels(&at[i - 1], &at[i]) == 0;
        if (at[i].is_leaf) {
            walk->rank = tied ? walk->rank : walk->unshared;
            walk->unshared--;
            tree->at[at[i].node].factor = (double)walk->rank / tree->n_leaves;
            continue;
        }
        const size_t more = share_walk_tied(walk, i, end);
        size_t n = end;
        for (size_t k = i; k <= i + more; k++)
            n = share_visit_children(tree, at[k].node, n);
        share_walk_visit(walk, end, n, tied);
        i += more;
    }
}

void share_tree_rank(struct share_tree *tree, enum share_ties ties)
{
    struct share_walk walk = {.tree = tree,
                              .ties = ties,
                              .rank = tree->n_leaves,
                              .unshared = tree->n_leaves};
    tree->visits = mem_grow(tree->visits, &tree->cap_visits, tree->n,
                            sizeof *tree->visits);
    share_walk_visit(&walk, 0, share_visit_children(tree, SHARE_ROOT, 0),
                     false);
}

/* Sets S and E of a node; those of its account are known. */
static void share_node_measure(struct share_tree *tree, uint32_t node)
{
    struct share_node *me = &tree->at[node];
    const struct share_node *above = &tree->at[me->parent];
    const double all = tree->at[SHARE_ROOT].usage;
    const double used = all > 0 ? me->usage / all : 0;
    const double part = share_tree_part(tree, node);
    me->norm = above->norm * part;
    me->effective = used;
    if (me->parent != SHARE_ROOT)
        me->effective += (above->effective - used) * part;
}

void share_tree_classic_accounts(struct share_tree *tree)
{
    tree->at[SHARE_ROOT].norm = 1;
    for (uint32_t i = 1; i < tree->n; i++) { /* parents have lower numbers */
        if (!tree->at[i].is_leaf)
            share_node_measure(tree, i);
    }
}

void share_tree_classic(struct share_tree *tree)
{
    for (uint32_t i = 1; i < tree->n; i++) {
        struct share_node *me = &tree->at[i];
        if (!me->is_leaf)
            continue;
        share_node_measure(tree, i);
        me->factor = me->norm > 0 ? exp2(-me->effective / me->norm) : 0;
    }
}

double share_decay_of(enum share_decay rule, double half_life_s)
{
    if (!(half_life_s > 0))
        return 1;
    return rule == SHARE_DECAY_EXACT ? exp2(-1 / half_life_s)
                                     : 1 - 0.693 / half_life_s;
}

double share_usage_of(double decay, double rate, double span_s)
{
    return rate * span_s * pow(decay, span_s);
}
