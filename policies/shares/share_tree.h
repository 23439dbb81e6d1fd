/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fair shares: a tree of accounts and users with shares and decayed usage, and
 * the two factors that Slurm computes from it (SchedMD, "Fair Tree Fairshare
 * Algorithm" and "Classic Fairshare Algorithm"; the plug-in
 * priority/multifactor of Slurm 22.05). A leaf is a user in an account, the
 * root the whole cluster. Usage has any unit, such as GPU-seconds; only ratios
 * count.
 *
 * Fair tree. The level of a node is LF = S / U: its shares as a part of those
 * of its siblings, over its usage as a part of its parent's. Without usage LF
 * is infinite, without shares it is 0. From the root down siblings are visited
 * by falling LF, a leaf before an account at equal LF. The factor of a leaf is
 * its rank / number of leaves; the rank begins at the number of leaves and
 * falls by one for each leaf. Leaves of equal LF share a rank.
 *
 * Classic. S: product of the parts of the shares from the root down. U: usage /
 * usage of the root. E = U below the root, else U + (E of the parent - U) x
 * part of the shares. The factor is 2^(-E / S). */
#ifndef POLICIES_SHARE_TREE_H
#define POLICIES_SHARE_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What happens to sibling accounts of equal LF. */
enum share_ties {
    /* They are visited one after the other, the one added last first; the first
     * leaf of the second takes the rank that was given last. So does Slurm
     * 22.05 (tests/slurm/priorities.py), whose count of tied accounts ends at
     * the first account. */
    SHARE_TIES_CODE,
    /* Their children are put together and ordered by LF, as the page
     * of the algorithm says. */
    SHARE_TIES_DOCUMENT,
};

#define SHARE_ROOT 0

struct share_node {
    uint32_t parent; /* number of the account; SHARE_ROOT for the root */
    uint32_t first, last, next; /* children and next sibling; 0: none */
    bool is_leaf;
    double shares;    /* >= 0 */
    double children;  /* sum of the shares of its children */
    double usage;     /* that of its leaves, decayed */
    double effective; /* classic: E */
    double norm;      /* classic: S */
    double factor;    /* of a leaf; 0..1 */
};

struct share_tree {
    struct share_node *at; /* at[SHARE_ROOT] is the root */
    uint32_t n, n_leaves;
    size_t cap;
    struct share_visit *visits; /* room for the walk of the fair tree */
    size_t cap_visits;
};

void share_tree_init(struct share_tree *tree); /* makes the root */
void share_tree_fini(struct share_tree *tree); /* accepts all zeroes */

/* Adds a node without usage. Returns its number, which grows by one from call
 * to call. */
uint32_t share_tree_add(struct share_tree *tree, uint32_t parent, double shares,
                        bool is_leaf);
/* Adds usage to a node and to all above it. */
void share_tree_charge(struct share_tree *tree, uint32_t node, double usage);
/* Multiplies all usage by `factor`. */
void share_tree_decay(struct share_tree *tree, double factor);

/* Sets the factors of fair tree. */
void share_tree_rank(struct share_tree *tree, enum share_ties ties);
/* The first computes E and S of accounts, the second the classic factors from
 * them. Slurm does the first before a tick and the second after it, so that
 * accounts are a tick late. */
void share_tree_classic_accounts(struct share_tree *tree);
void share_tree_classic(struct share_tree *tree);

/* How usage decays. The quarter of a promille between the two is Slurm's: after
 * one half-life of a week 0.50007 is left by its rule. */
enum share_decay {
    SHARE_DECAY_SLURM, /* 1 - 0.693 / half-life in seconds, a second */
    SHARE_DECAY_EXACT, /* 2^(-1 / half-life) */
};
/* Returns the factor by which usage decays in a second. `half_life_s`: 0: no
 * decay. */
double share_decay_of(enum share_decay rule, double half_life_s);
/* Returns the usage that a job of `rate` adds in `span_s` seconds: rate x span
 * x decay^span. Slurm decays the newest interval whole, as if all of it were as
 * old as its beginning. */
double share_usage_of(double decay, double rate, double span_s);

#endif
