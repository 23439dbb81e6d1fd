/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The virtual clusters as their users see them, under fifo: jobs start in order
 * of submission as soon as there are nodes for them. */
#include <math.h>
#include <stdlib.h>

#include "traces/generate/generate_internal.h"

void open_vcs(struct maker *m)
{
    const struct calibration *c = m->calibration;
    const struct people *p = m->people;
    double published = 0;
    for (size_t v = 0; v < c->n_vcs; v++)
        published += c->vcs[v].nodes;
    for (size_t v = 0; v < m->n_vcs; v++) {
        struct vc_state *vc = &m->vcs[v];
        double part = c->n_vcs ? c->vcs[v].nodes / published : 1, load = 0;
        double capacity = part * m->options->gpus;
        m->out->demands[v].capacity = capacity;
        for (size_t i = 0; i < p->n_users; i++)
            load += p->users[i].vc == v ? p->users[i].gpu_s : 0;
        /* If the load is above the published one, users must be allowed more
         * GPUs, or their jobs would never be submitted. */
        load /= m->options->span;
        vc->limit = fmax(m->traits->plan * capacity, 1.15 * load);
        vc->most = fmax(m->traits->rho * capacity, 1.15 * load);
        nodes_open(&vc->nodes, (uint32_t)ceil(capacity / c->gpus_per_node),
                   c->gpus_per_node);
    }
    m->places = mem_alloc((2 * p->n_runs + 1) * sizeof *m->places);
}

void close_vcs(struct maker *m)
{
    for (size_t v = 0; v < m->n_vcs; v++) {
        nodes_close(&m->vcs[v].nodes);
        free(m->vcs[v].queue);
    }
    free(m->places);
    free(m->vcs);
    free(m->ends.heap);
}

static void vcs_start(struct maker *m, struct vc_state *vc, uint32_t job,
                      double now)
{
    const struct entry *entry = &m->out->entries[job];
    const struct session *s = session_of(m, entry->run);
    m->places[job] = nodes_take(&vc->nodes, job, s->gpus);
    put(&m->ends, now + entry->seconds, job);
}

bool can_start_now(const struct vc_state *vc, uint32_t gpus)
{
    return vc->first == vc->n_queue && nodes_fit(&vc->nodes, gpus);
}

void occupy(struct maker *m, uint32_t run, double now, double seconds)
{
    const struct session *s = session_of(m, run);
    struct vc_state *vc = vc_of(m, s);
    uint32_t job = (uint32_t)m->out->n++;
    m->out->entries[job] = (struct entry){now, run, seconds};
    vc->running += s->gpus;
    if (can_start_now(vc, s->gpus)) {
        vcs_start(m, vc, job, now);
        return;
    }
    m->out->n_waiting++;
    if (vc->first == vc->n_queue)
        vc->first = vc->n_queue = 0;
    vc->queue =
        mem_grow(vc->queue, &vc->cap_queue, vc->n_queue + 1, sizeof *vc->queue);
    vc->queue[vc->n_queue++] = job;
}

void leave_vc(struct maker *m, uint32_t job)
{
    const struct session *s = session_of(m, m->out->entries[job].run);
    struct vc_state *vc = vc_of(m, s);
    vc->running -= s->gpus;
    nodes_leave(&vc->nodes, job, s->gpus, m->places[job]);
}

/* Starts the jobs at the front of the queue for which there is room. */
static void serve(struct maker *m, struct vc_state *vc, double now)
{
    while (vc->first < vc->n_queue) {
        uint32_t job = vc->queue[vc->first];
        uint32_t gpus = session_of(m, m->out->entries[job].run)->gpus;
        if (!nodes_fit(&vc->nodes, gpus))
            return;
        vc->first++;
        m->out->waited_s += now - m->out->entries[job].at;
        vcs_start(m, vc, job, now);
    }
}

void serve_vcs(struct maker *m, double now)
{
    for (size_t v = 0; v < m->n_vcs; v++)
        serve(m, &m->vcs[v], now);
}

double waits_since(const struct maker *m, const struct vc_state *vc)
{
    return vc->first < vc->n_queue ? m->out->entries[vc->queue[vc->first]].at
                                   : INFINITY;
}
