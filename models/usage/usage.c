/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The usage table, step times by its rows, and the distance between two
 * rows. */
#include "models/usage/usage.h"

#include <math.h>
#include <stdlib.h>

const char *figure_name(enum usage_figure figure)
{
    static const char *const names[] = {
#define FIGURE_NAME(name, key) key,
        USAGE_FIGURES(FIGURE_NAME)
#undef FIGURE_NAME
    };
    return names[figure];
}

double usage_step_seconds(const struct usage *usage, uint32_t gpus,
                          uint32_t nodes)
{
    const struct figure *f = usage->figures;
    double others = (double)nodes - 1;
    for (unsigned i = FIGURE_STEP_FIXED_S; i <= FIGURE_STEP_SPREAD_S; i++) {
        if (f[i].value < 0 || usage->batch_size == 0 || gpus < nodes || !nodes)
            return 0;
    }
    return f[FIGURE_STEP_FIXED_S].value +
           f[FIGURE_STEP_SAMPLE_S].value * usage->batch_size +
           f[FIGURE_STEP_NODES_S].value * others / nodes +
           f[FIGURE_STEP_SPREAD_S].value * others / gpus;
}

/* Returns the next letter or digit in lower case and moves *at past it; 0 at
 * the end of the text. */
static char next_sign(const char **at)
{
    for (; **at; (*at)++) {
        char c = **at;
        bool upper = c >= 'A' && c <= 'Z';
        if (upper || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) {
            (*at)++;
            return upper ? (char)(c - 'A' + 'a') : c;
        }
    }
    return 0;
}

bool model_name_equal(const char *a, const char *b)
{
    for (;;) {
        char x = next_sign(&a), y = next_sign(&b);
        if (x != y)
            return false;
        if (!x)
            return true;
    }
}

/* Returns log2(n), n > 0. Batch sizes are mostly powers of two. For these, log2
 * is not called, so that most runs never load the tables of log2 into
 * memory. */
static double log2_of(uint32_t n)
{
    return (n & (n - 1)) == 0 ? __builtin_ctz(n) : log2(n);
}

double usage_distance(const struct usage *a, const struct usage *b)
{
    if (!model_name_equal(a->model, b->model))
        return 2;
    double far = 0;
    if (a->batch_size && b->batch_size)
        far += fmin(fabs(log2_of(a->batch_size) - log2_of(b->batch_size)), 16) /
               32;
    if (a->amp >= 0 && b->amp >= 0 && a->amp != b->amp)
        far += 0.1;
    if (a->dataset[0] && b->dataset[0] &&
        !model_name_equal(a->dataset, b->dataset))
        far += 0.3;
    return far;
}

void usage_add(struct usage_table *table, const struct usage *usage)
{
    table->rows =
        mem_grow(table->rows, &table->cap, table->n + 1, sizeof *table->rows);
    table->rows[table->n++] = *usage;
}

void usage_fini(struct usage_table *table)
{
    free(table->rows);
    *table = (struct usage_table){0};
}
