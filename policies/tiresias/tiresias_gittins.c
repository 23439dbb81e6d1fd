/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The Gittins index of a job that has attained `a`, given samples S of the
 * service that jobs attain until they end. */
#include "policies/tiresias/tiresias.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"

void gittins_fini(struct gittins *g)
{
    free(g->samples);
    free(g->before);
    free(g->reach);
    free(g->next);
    free(g->indices);
    *g = (struct gittins){0};
}

void gittins_learn(struct gittins *g, double sample)
{
    g->samples = mem_grow(g->samples, &g->cap, g->n + 1, sizeof *g->samples);
    g->samples[g->n++] = sample;
}

static enum status gittins_read_lines(struct gittins *g, FILE *file,
                                      const char *path, struct error *err)
{
    char *line = NULL;
    size_t room = 0;
    double sample;
    enum status st = STATUS_OK;
    for (unsigned number = 1;
         st == STATUS_OK && getline(&line, &room, file) >= 0; number++) {
        struct text rest, cell = text_from(line);
        cell.len = strcspn(line, "\r\n");
        cell = text_trim(text_split(cell, ',', &rest));
        if (text_to_double(cell, &sample) && sample >= 0 && sample < 1e15)
            gittins_learn(g, sample);
        else if (number > 1 && cell.len)
            st = error_set(err, STATUS_BAD_INPUT,
                           "%s:%u: '%.*s' is not an amount of service", path,
                           number, TEXT_ARGS(cell));
    }
    free(line);
    if (st == STATUS_OK && ferror(file))
        st = error_set(err, STATUS_FAILED, "%s: %s", path, strerror(errno));
    if (st == STATUS_OK && g->n == 0)
        st = error_set(err, STATUS_BAD_INPUT, "%s: holds no sample", path);
    return st;
}

enum status gittins_read(struct gittins *g, const char *path, struct error *err)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        return error_set(err, STATUS_FAILED, "%s: %s", path, strerror(errno));
    enum status st = gittins_read_lines(g, file, path, err);
    fclose(file);
    return st;
}

static int gittins_ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Returns the index of the first sorted sample above `attained`, or n_sorted
 * if there is none. */
static size_t first_above(const struct gittins *g, double attained)
{
    size_t lo = 0, hi = g->n_sorted;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (g->samples[mid] > attained)
            hi = mid;
        else
            lo = mid + 1;
    }
    return lo;
}

/* True if the slope from the point (x, y) to vertex b of the hull is at least
 * that to vertex a. */
static bool steeper(const struct gittins *g, double x, double y, size_t a,
                    size_t b)
{
    double rise_a = (double)(a + 1) - y, run_a = g->reach[a] - x;
    double rise_b = (double)(b + 1) - y, run_b = g->reach[b] - x;
    return rise_b * run_a >= rise_a * run_b;
}

static void link_hulls(struct gittins *g)
{
    size_t n = g->n_sorted;
    for (size_t k = n; k-- > 0;) {
        size_t to = k + 1 < n ? k + 1 : k;
        while (to != k && g->next[to] != to &&
               steeper(g, g->reach[k], (double)(k + 1), to, g->next[to]))
            to = g->next[to];
        g->next[k] = (uint32_t)to;
    }
}

static double textbook(const struct gittins *g, double attained)
{
    size_t i = first_above(g, attained);
    if (i == g->n_sorted)
        return 0;
    double y = (double)i;
    double x = g->before[i] + attained * (double)(g->n_sorted - i);
    size_t best = i;
    while (g->next[best] != best && steeper(g, x, y, best, g->next[best]))
        best = g->next[best];
    return ((double)(best + 1) - y) / (g->reach[best] - x);
}

/* Rounds `value` to a multiple of 1 / scale, halves up. The exact product
 * decides, not the rounded one. */
static double round_to(double value, double scale)
{
    double product = value * scale, lost = fma(value, scale, -product);
    double whole = floor(product);
    double over = product - whole - 0.5;
    if (over > 0 || (over == 0 && lost >= 0) || (over < 0 && over + lost >= 0))
        whole += 1;
    return whole / scale;
}

/* Returns the index just below a sample, as Tiresias' simulator computes it.
 * The simulator sums whole samples, where the textbook sums the part of each
 * sample above the attained service. It counts in whole seconds. */
static double simulator_at(const struct gittins *g, size_t sample)
{
    size_t n = g->n_sorted;
    double attained = g->samples[sample] - 1;
    double until = attained + g->delta;
    size_t i = first_above(g, attained);
    size_t j = until > g->samples[n - 1] - 1 ? n - 1 : first_above(g, until);
    double rest = (double)(n - i);
    double sum = g->before[j] - g->before[i] + g->delta * (double)(n - j);
    double chance = round_to((double)(j - i) / rest, 1e5);
    double cost = floor(sum / rest);
    return cost > 0 ? round_to(chance * 1e6 / cost, 1e4) : 0;
}

static double simulator(const struct gittins *g, double attained)
{
    size_t i = first_above(g, attained);
    return i < g->n_sorted ? g->indices[i] : 0;
}

void gittins_build(struct gittins *g)
{
    size_t n = g->n;
    double sum = 0;
    if (n == 0)
        return;
    qsort(g->samples, n, sizeof *g->samples, gittins_ascending);
    g->n_sorted = n;
    g->before = mem_resize(g->before, n * sizeof *g->before);
    g->reach = mem_resize(g->reach, n * sizeof *g->reach);
    g->next = mem_resize(g->next, n * sizeof *g->next);
    g->indices = mem_resize(g->indices, n * sizeof *g->indices);
    for (size_t k = 0; k < n; k++) {
        g->before[k] = sum;
        sum += g->samples[k];
        g->reach[k] = sum + g->samples[k] * (double)(n - 1 - k);
    }
    if (g->delta > 0) {
        for (size_t k = 0; k < n; k++)
            g->indices[k] = simulator_at(g, k);
    } else {
        link_hulls(g);
    }
}

double gittins_index(const struct gittins *g, double attained)
{
    return g->delta > 0 ? simulator(g, attained) : textbook(g, attained);
}
