/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The virtual clusters as their users see them, under fifo: jobs start in the
 * order of their submission as soon as there are nodes for them. */
#include <math.h>
#include <stdlib.h>

#include "traces/generate/ranks.h"
#include "traces/generate/timetable_internal.h"

void open_halls(struct maker *m)
{
    const struct calibration *c = m->calibration;
    const struct people *p = m->people;
    double published = 0;
    for (size_t v = 0; v < c->n_vcs; v++)
        published += c->vcs[v].nodes;
    for (size_t v = 0; v < m->n_halls; v++) {
        struct hall *hall = &m->halls[v];
        double part = c->n_vcs ? c->vcs[v].nodes / published : 1, load = 0;
        double capacity = part * m->options->gpus;
        m->out->rooms[v].capacity = capacity;
        for (size_t i = 0; i < p->n_users; i++)
            load += p->users[i].vc == v ? p->users[i].gpu_s : 0;
        /* A load above the published one needs more room than there is. */
        load /= m->options->span;
        hall->limit = fmax(m->traits->plan * capacity, 1.15 * load);
        hall->most = fmax(m->traits->rho * capacity, 1.15 * load);
        nodes_open(&hall->nodes, (uint32_t)ceil(capacity / c->gpus_per_node),
                   c->gpus_per_node);
    }
    m->places = mem_alloc((2 * p->n_runs + 1) * sizeof *m->places);
}

void close_halls(struct maker *m)
{
    for (size_t v = 0; v < m->n_halls; v++) {
        nodes_close(&m->halls[v].nodes);
        free(m->halls[v].queue);
    }
    free(m->places);
    free(m->halls);
    free(m->ends.heap);
}

static void start(struct maker *m, struct hall *hall, uint32_t job, double now)
{
    const struct entry *entry = &m->out->entries[job];
    const struct session *s = session_of(m, entry->run);
    m->places[job] = nodes_take(&hall->nodes, job, s->gpus);
    put(&m->ends, now + entry->seconds, job);
}

bool can_start_now(const struct hall *hall, uint32_t gpus)
{
    return hall->first == hall->n_queue && nodes_fit(&hall->nodes, gpus);
}

void occupy(struct maker *m, uint32_t run, double now, double seconds)
{
    const struct session *s = session_of(m, run);
    struct hall *hall = hall_of(m, s);
    uint32_t job = (uint32_t)m->out->n++;
    m->out->entries[job] = (struct entry){now, run, seconds};
    hall->running += s->gpus;
    if (can_start_now(hall, s->gpus)) {
        start(m, hall, job, now);
        return;
    }
    m->out->n_waiting++;
    if (hall->first == hall->n_queue)
        hall->first = hall->n_queue = 0;
    hall->queue = mem_grow(hall->queue, &hall->cap_queue, hall->n_queue + 1,
                           sizeof *hall->queue);
    hall->queue[hall->n_queue++] = job;
}

void leave_hall(struct maker *m, uint32_t job)
{
    const struct session *s = session_of(m, m->out->entries[job].run);
    struct hall *hall = hall_of(m, s);
    hall->running -= s->gpus;
    nodes_leave(&hall->nodes, job, s->gpus, m->places[job]);
}

/* Starts the jobs at the front of the queue for which there is room. */
static void serve(struct maker *m, struct hall *hall, double now)
{
    while (hall->first < hall->n_queue) {
        uint32_t job = hall->queue[hall->first];
        uint32_t gpus = session_of(m, m->out->entries[job].run)->gpus;
        if (!nodes_fit(&hall->nodes, gpus))
            return;
        hall->first++;
        m->out->waited_s += now - m->out->entries[job].at;
        start(m, hall, job, now);
    }
}

void serve_halls(struct maker *m, double now)
{
    for (size_t v = 0; v < m->n_halls; v++)
        serve(m, &m->halls[v], now);
}

double waits_since(const struct maker *m, const struct hall *hall)
{
    return hall->first < hall->n_queue
               ? m->out->entries[hall->queue[hall->first]].at
               : INFINITY;
}
