/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/estimators/pairwise.h"

#include <stdio.h>

#include "base/check.h"

/* Size of the constraints as text, bytes. A feature takes at most 5 bytes and a
 * pair at most 8, so that there is room for 400 pairs. */
#define CONSTRAINTS_MAX 4096

/* Sums of the gains of pairs of features (a, b), a < b. */
struct gains {
    double of[PAIRWISE_WIDTH_MAX][PAIRWISE_WIDTH_MAX];
};

/* Adds up the gains of the second-level splits of all trees by pair: the
 * feature of the root and that of the second-level split. */
static void pair_gains(const struct trees *trees, struct gains *gains)
{
    for (size_t t = 0; t < trees->n_trees; t++) {
        const struct tree_node *root = &trees->nodes[trees->roots[t]];
        for (int side = 0; side < 2 && root->left >= 0; side++) {
            const struct tree_node *child =
                &trees->nodes[side == 0 ? root->left : root->right];
            unsigned a = root->feature, b = child->feature;
            if (child->left < 0 || a == b)
                continue;
            gains->of[a < b ? a : b][a < b ? b : a] += (double)child->gain;
        }
    }
}

/* Finds the pair with the largest gain and sets its gain to 0, so that the next
 * call finds the next pair. Returns false if no pair with a gain above 0 is
 * left. */
static bool best_pair(struct gains *gains, size_t width, unsigned *a,
                      unsigned *b)
{
    double best = 0;
    for (unsigned i = 0; i < width; i++) {
        for (unsigned k = i + 1; k < width; k++) {
            if (gains->of[i][k] > best) {
                best = gains->of[i][k];
                *a = i;
                *b = k;
            }
        }
    }
    if (best > 0)
        gains->of[*a][*b] = 0;
    return best > 0;
}

/* Writes "[[0],[1],...,[0,4]]": each feature may act alone, and only the best
 * `pairs` pairs may act together. */
static void constraints_of(const struct trees *trees, size_t width,
                           uint32_t pairs, char out[CONSTRAINTS_MAX])
{
    struct gains gains = {0};
    size_t n = 0;
    unsigned a = 0, b = 0;
    pair_gains(trees, &gains);
    for (unsigned f = 0; f < width; f++)
        n += (size_t)snprintf(out + n, CONSTRAINTS_MAX - n, "%s[%u]",
                              f ? "," : "[", f);
    for (uint32_t i = 0; i < pairs && best_pair(&gains, width, &a, &b); i++)
        n += (size_t)snprintf(out + n, CONSTRAINTS_MAX - n, ",[%u,%u]", a, b);
    snprintf(out + n, CONSTRAINTS_MAX - n, "]");
}

enum status pairwise_fit(struct trees *trees, const struct trees_params *given,
                         uint32_t pairs, const float *rows,
                         const float *targets, size_t n, size_t width,
                         struct error *err)
{
    char constraints[CONSTRAINTS_MAX];
    struct trees_params params = *given;
    CHECK(width <= PAIRWISE_WIDTH_MAX);
    params.rounds = given->rounds / 4 + 1;
    params.depth = 2;
    params.constraints = NULL;
    enum status st = trees_fit(trees, &params, rows, targets, n, width, err);
    if (st != STATUS_OK)
        return st;
    constraints_of(trees, width, pairs, constraints);
    params.rounds = given->rounds;
    params.constraints = constraints;
    return trees_fit(trees, &params, rows, targets, n, width, err);
}
