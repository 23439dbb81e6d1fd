/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/estimators/tally.h"

#include <stdlib.h>

#include "base/arena.h"

bool tally_key_of(const struct job *job, unsigned parts, struct tally_key *out)
{
    uint32_t what = parts & TALLY_MODEL ? job->model : job->name;
    bool names = parts & (TALLY_NAME | TALLY_MODEL);
    if (((parts & TALLY_USER) && !job->user) || (names && !what))
        return false;
    uint64_t user = parts & TALLY_USER ? job->user : 0;
    uint64_t gpus = parts & TALLY_GPUS ? job->gpus : 0;
    uint64_t vc = parts & TALLY_VC ? job->vc : 0;
    out->who = user << 32 | (names ? what : 0);
    out->what = (uint64_t)(parts | 32) << 56 | vc << 32 | gpus;
    return true;
}

/* Hashes both halves of a key with the last step of splitmix64 (Steele, Lea,
 * Flood 2014). */
static size_t slot_of(struct tally_key key, size_t n_slots)
{
    uint64_t x = key.who + UINT64_C(0x9e3779b97f4a7c15) * key.what;
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (size_t)(x ^ (x >> 31)) & (n_slots - 1);
}

/* Returns the cell of the key, or the empty cell where it belongs. */
static struct tally_cell *seek(const struct tally *tally, struct tally_key key)
{
    size_t i = slot_of(key, tally->n_slots);
    while (tally->cells[i].key.what && (tally->cells[i].key.who != key.who ||
                                        tally->cells[i].key.what != key.what))
        i = (i + 1) & (tally->n_slots - 1);
    return &tally->cells[i];
}

static void widen(struct tally *tally)
{
    struct tally wide = {.n = tally->n,
                         .n_slots = tally->n_slots ? 2 * tally->n_slots : 64};
    wide.cells = mem_zalloc(wide.n_slots, sizeof *wide.cells);
    for (size_t i = 0; i < tally->n_slots; i++) {
        if (tally->cells[i].key.what)
            *seek(&wide, tally->cells[i].key) = tally->cells[i];
    }
    free(tally->cells);
    *tally = wide;
}

void tally_fini(struct tally *tally)
{
    free(tally->cells);
    *tally = (struct tally){0};
}

const struct tally_cell *tally_find(const struct tally *tally,
                                    struct tally_key key)
{
    if (!tally->n)
        return NULL;
    const struct tally_cell *cell = seek(tally, key);
    return cell->key.what ? cell : NULL;
}

void tally_add(struct tally *tally, struct tally_key key, double value,
               double decay, sim_time at)
{
    if (2 * tally->n >= tally->n_slots)
        widen(tally);
    struct tally_cell *cell = seek(tally, key);
    if (!cell->key.what) {
        *cell = (struct tally_cell){.key = key};
        tally->n++;
    }
    cell->weight = cell->weight * decay + 1;
    cell->sum = cell->sum * decay + value;
    cell->squares = cell->squares * decay + value * value;
    cell->at = at;
}
