/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sorted lists of measured rows, and a store of the models fitted to them. The
 * store exists because a fit takes as long as hundreds of decisions, and jobs
 * of one application often measure equal rows. */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/check.h"
#include "models/elastic/goodput_internal.h"

static int order(const struct step_sample *a, const struct step_sample *b)
{
    if (a->nodes != b->nodes)
        return a->nodes < b->nodes ? -1 : 1;
    if (a->gpus != b->gpus)
        return a->gpus < b->gpus ? -1 : 1;
    return (a->local > b->local) - (a->local < b->local);
}

bool step_samples_add(struct step_samples *samples, struct step_sample row)
{
    size_t low = 0, high = samples->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int sign = order(&samples->rows[middle], &row);
        if (sign == 0)
            return false;
        if (sign < 0)
            low = middle + 1;
        else
            high = middle;
    }
    samples->rows = mem_grow(samples->rows, &samples->cap, samples->n + 1,
                             sizeof *samples->rows);
    memmove(&samples->rows[low + 1], &samples->rows[low],
            (samples->n - low) * sizeof *samples->rows);
    samples->rows[low] = row;
    samples->n++;
    if (row.gpus > samples->most_gpus)
        samples->most_gpus = row.gpus;
    return true;
}

void step_samples_copy(struct step_samples *to, const struct step_samples *from)
{
    to->n = 0;
    to->most_gpus = from->most_gpus;
    if (!from->n)
        return;
    to->rows = mem_grow(to->rows, &to->cap, from->n, sizeof *to->rows);
    memcpy(to->rows, from->rows, from->n * sizeof *to->rows);
    to->n = from->n;
}

void step_samples_fini(struct step_samples *samples)
{
    free(samples->rows);
    *samples = (struct step_samples){0};
}

/* One slot of the store: rows, their hash, and the model that fits them. */
struct fit {
    struct step_sample *rows;
    size_t n; /* number of rows; 0: the slot is free */
    uint64_t hash;
    struct step_model model;
};

struct fits {
    struct fit *slots; /* hash table with open addressing */
    /* number of used slots; number of slots, a power of two */
    size_t n, n_slots;
    struct arena arena;
};

#define FIRST_SLOTS 256

struct fits *fits_new(void)
{
    struct fits *fits = mem_zalloc(1, sizeof *fits);
    arena_init(&fits->arena);
    fits->n_slots = FIRST_SLOTS;
    fits->slots = mem_zalloc(fits->n_slots, sizeof *fits->slots);
    return fits;
}

void fits_free(struct fits *fits)
{
    if (!fits)
        return;
    arena_fini(&fits->arena);
    free(fits->slots);
    free(fits);
}

size_t fits_made(const struct fits *fits)
{
    return fits->n;
}

static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 29;
}

static uint64_t bits(double x)
{
    uint64_t out;
    memcpy(&out, &x, sizeof out);
    return out;
}

static uint64_t hash_rows(const struct step_sample *rows, size_t n)
{
    uint64_t hash = n;
    for (size_t i = 0; i < n; i++) {
        hash = mix(hash, (uint64_t)rows[i].nodes << 32 | rows[i].gpus);
        hash = mix(hash, rows[i].local);
        hash = mix(hash, bits(rows[i].step));
        hash = mix(hash, bits(rows[i].sync));
    }
    return hash;
}

static bool equal(const struct fit *fit, const struct step_samples *samples,
                  uint64_t hash)
{
    if (fit->hash != hash || fit->n != samples->n)
        return false;
    for (size_t i = 0; i < fit->n; i++) {
        const struct step_sample *a = &fit->rows[i], *b = &samples->rows[i];
        if (order(a, b) != 0 || bits(a->step) != bits(b->step) ||
            bits(a->sync) != bits(b->sync))
            return false;
    }
    return true;
}

/* Returns the slot of these rows, or the free slot where they belong. */
static struct fit *slot_of(const struct fits *fits,
                           const struct step_samples *samples, uint64_t hash)
{
    size_t at = (size_t)hash & (fits->n_slots - 1);
    while (fits->slots[at].n && !equal(&fits->slots[at], samples, hash))
        at = (at + 1) & (fits->n_slots - 1);
    return &fits->slots[at];
}

static void grow(struct fits *fits)
{
    struct fit *old = fits->slots;
    size_t n_old = fits->n_slots;
    fits->n_slots *= 2;
    fits->slots = mem_zalloc(fits->n_slots, sizeof *fits->slots);
    for (size_t i = 0; i < n_old; i++) {
        size_t at = (size_t)old[i].hash & (fits->n_slots - 1);
        if (!old[i].n)
            continue;
        while (fits->slots[at].n)
            at = (at + 1) & (fits->n_slots - 1);
        fits->slots[at] = old[i];
    }
    free(old);
}

enum status fits_get(struct fits *fits, const struct step_samples *samples,
                     struct step_model *out, struct error *err)
{
    CHECK(samples->n > 0);
    uint64_t hash = hash_rows(samples->rows, samples->n);
    if (fits->n * 2 >= fits->n_slots)
        grow(fits);
    struct fit *fit = slot_of(fits, samples, hash);
    if (!fit->n) {
        enum status st =
            step_model_fit(samples->rows, samples->n, &fit->model, NULL, err);
        if (st != STATUS_OK)
            return st;
        fit->rows = ARENA_ARRAY(&fits->arena, struct step_sample, samples->n);
        memcpy(fit->rows, samples->rows, samples->n * sizeof *fit->rows);
        fit->n = samples->n;
        fit->hash = hash;
        fits->n++;
    }
    *out = fit->model;
    return STATUS_OK;
}
