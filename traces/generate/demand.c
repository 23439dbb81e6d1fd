/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Counts what the submissions need of each virtual cluster. */
#include <math.h>
#include <stdlib.h>

#include "traces/generate/generate_internal.h"

/* Counts the GPUs that the jobs of a virtual cluster use if none of them waits.
 * A change has its time as the score and, as the item, twice the number of
 * GPUs, plus 1 if they are taken. Sorts the changes. */
static void demand_count_one(struct vc_demand *demand, struct rank *changes,
                             size_t n)
{
    double used = 0, last = 0;
    ranks_sort(changes, n);
    for (size_t i = 0; i < n; i++) {
        double gpus = changes[i].item / 2;
        demand->over_s += used > demand->capacity ? changes[i].score - last : 0;
        last = changes[i].score;
        used += changes[i].item % 2 ? gpus : -gpus;
        demand->most = fmax(demand->most, used);
    }
}

void timetable_count(struct timetable *timetable, const struct people *people,
                     double span)
{
    struct timetable *t = timetable;
    struct rank *changes = mem_alloc((2 * t->n + 1) * sizeof *changes);
    for (size_t v = 0; v < t->n_demands; v++) {
        struct vc_demand *demand = &t->demands[v];
        size_t n = 0;
        for (size_t i = 0; i < t->n; i++) {
            const struct entry *e = &t->entries[i];
            const struct session *s =
                &people->sessions[people->runs[e->run].session];
            double end = fmin(e->at + e->seconds, span);
            if (people->users[s->user].vc != v)
                continue;
            changes[n++] = (struct rank){e->at, s->gpus * 2 + 1};
            changes[n++] = (struct rank){end, s->gpus * 2};
            demand->gpu_s += e->seconds * s->gpus;
            t->running_gpu_s += i < t->n_running ? e->seconds * s->gpus : 0;
        }
        demand_count_one(demand, changes, n);
    }
    free(changes);
}
