/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Hardware fails by competing risks. A node has the risks of its GPUs, its
 * NVLink, its NIC and link, and the rest of the node; a virtual cluster has the
 * risk of its storage.
 *
 * Each risk is a renewal process: after a repair the time in service until the
 * next fault of the kind is drawn anew, Weibull or exponential. A node that is
 * down does not age. Two laws can be added: with `frailty` the hazard of a node
 * grows with the faults it has had, and with `bursts` a fault can bring others
 * on further nodes within `burst_s` seconds, and another one on its node soon
 * after the repair. A profile (fault_profiles.json) has the figures.
 *
 * One heap holds the next fault of each node and virtual cluster, another the
 * faults of batches. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/heap.h"
#include "base/rng.h"
#include "models/failures/fault_internal.h"

enum { LAW_OF_PROFILE, LAW_ON, LAW_OFF };

struct hardware_config {
    unsigned profile, frailty, bursts;
    double rate_factor, repair_factor, shape, hidden;
    sim_span relapse, repair_max;
};

static const char *const fault_hardware_laws[] = {"profile", "on", "off", NULL};

static const struct option hardware_options[] = {
    OPT_CHOICE(struct hardware_config, profile, "profile", 1,
               fault_profile_names,
               "profile that gives the figures; 'schedsim list fault-profiles' "
               "lists them",
               NULL),
    OPT_DOUBLE(struct hardware_config, rate_factor, "rate_factor", 1, 0, 1e6,
               "factor on all rates of faults", NULL),
    OPT_DOUBLE(
        struct hardware_config, shape, "shape", 0, 0, 10,
        "shape of the Weibull distribution of the time between faults, at the "
        "same mean rate, >= 0.1; 1: exponential; 0: as in the profile",
        NULL),
    OPT_DOUBLE(struct hardware_config, hidden, "hidden", -1, -1, 1,
               "chance that a fault is hidden and leaves the node in service; "
               "-1: as in the profile",
               NULL),
    OPT_SPAN(struct hardware_config, relapse, "relapse_s", 0, 0, SECONDS_MAX,
             "hidden faults: mean time after which a job that starts on the "
             "node fails; 0: as in the profile",
             NULL),
    OPT_DOUBLE(struct hardware_config, repair_factor, "repair_factor", 1, 0,
               1e6, "factor on repair times, including the longest", NULL),
    OPT_SPAN(struct hardware_config, repair_max, "repair_max_s", 0, 0,
             SECONDS_MAX, "longest repair time; 0: as in the profile", NULL),
    OPT_CHOICE(
        struct hardware_config, frailty, "frailty", LAW_OF_PROFILE,
        fault_hardware_laws,
        "whether the hazard of a node grows with the faults it has had; it "
        "never falls again, so use it for runs of up to a year",
        NULL),
    OPT_CHOICE(struct hardware_config, bursts, "bursts", LAW_OF_PROFILE,
               fault_hardware_laws,
               "whether faults come in batches, and again after repairs", NULL),
    {0},
};

/* A node, or a virtual cluster with storage. */
struct fault_hardware_place {
    double due[FAULT_N_SCOPES];  /* time at which the kind fails if the hazard
                                    does not change, seconds; INFINITY: never */
    double from[FAULT_N_SCOPES]; /* time from which the kind ages, seconds */
    uint32_t number[FAULT_N_SCOPES]; /* number of faults of the kind so far */
    uint32_t n_faults;               /* number of faults of all kinds so far */
    uint32_t heap_at; /* index of the entry of this place in `clocks` */
    double up_from;   /* time from which the place is in service, seconds */
};

/* The next fault of a place by its own clock, or a fault of a batch. */
struct due {
    double at; /* time of the fault, seconds */
    uint32_t place;
    uint32_t kind; /* kind of the fault, enum fault_scope */
};

struct hardware {
    const struct cluster *cluster;
    struct fault_figures figures;
    struct fault_hardware_place
        *places;        /* the nodes, then the virtual clusters */
    struct due *clocks; /* heap; one entry per place that can fail */
    struct due *batch;  /* heap of the faults that batches bring */
    size_t n_clocks, n_batch, cap_batch;
    uint64_t stream;
};

static bool hardware_is_before(const void *a, const void *b)
{
    const struct due *x = a, *y = b;
    if (x->at != y->at)
        return x->at < y->at;
    if (x->place != y->place)
        return x->place < y->place;
    return x->kind < y->kind;
}

static void hardware_placed(const void *owner, const void *entry, size_t at)
{
    const struct hardware *s = owner;
    s->places[((const struct due *)entry)->place].heap_at = (uint32_t)at;
}

static const struct heap_kind clock_kind = {.size = sizeof(struct due),
                                            .before = hardware_is_before,
                                            .placed = hardware_placed};
static const struct heap_kind batch_kind = {.size = sizeof(struct due),
                                            .before = hardware_is_before};

/* Returns the next fault of a place by its own clocks, without batches. Its
 * time is INFINITY if the place has no further fault. */
static struct due hardware_first_of(const struct hardware *s, uint32_t place)
{
    const struct fault_hardware_place *p = &s->places[place];
    unsigned kind = 0;
    for (unsigned k = 1; k < FAULT_N_SCOPES; k++) {
        if (p->due[k] < p->due[kind])
            kind = k;
    }
    return (struct due){.at = p->due[kind], .place = place, .kind = kind};
}

/* Returns the figures of the profile, changed as the settings say. The rates
 * are still means over all faults; risk_prepare adjusts them to the laws that
 * are on. */
static struct fault_figures figures_of(const struct hardware_config *c)
{
    struct fault_figures f;
    option_defaults(fault_profiles[c->profile].rows, &f);
    for (unsigned k = 0; k < FAULT_N_SCOPES; k++) {
        f.risk[k].rate *= c->rate_factor;
        f.risk[k].shape = c->shape > 0 ? fmax(c->shape, 0.1) : f.risk[k].shape;
        f.risk[k].repair_mu += c->repair_factor > 0 ? log(c->repair_factor) : 0;
    }
    if (c->repair_max)
        f.repair_max_s = span_seconds(c->repair_max);
    f.repair_max_s *= c->repair_factor;
    f.hidden_share = c->hidden >= 0 ? c->hidden : f.hidden_share;
    f.relapse_s = c->relapse ? span_seconds(c->relapse) : f.relapse_s;
    if (c->frailty != LAW_OF_PROFILE)
        f.frailty = c->frailty == LAW_ON;
    if (c->bursts != LAW_OF_PROFILE)
        f.bursts = c->bursts == LAW_ON;
    return f;
}

/* Notes each figure in force with its source for the manifest. */
static void hardware_note(const struct fault_figures *figures,
                          const struct option *rows, const struct run_env *env)
{
    static const char prefix[] = "figure_";
    for (const struct option *row = rows; row->kind != OPTION_END; row++) {
        char value[OPTION_TEXT_MAX];
        size_t len = strlen(row->name);
        char *key = arena_alloc(env->arena, sizeof prefix + len);
        memcpy(key, prefix, sizeof prefix - 1);
        memcpy(key + sizeof prefix - 1, row->name, len);
        env_note(env, key, option_value(row, figures, value), row->help,
                 row->source);
    }
}

/* Sets the first fault of each kind of a place, and adds the place to the heap
 * if it can ever fail. */
static void add_place(struct hardware *s, uint32_t place)
{
    struct fault_hardware_place *p = &s->places[place];
    bool is_node = place < s->cluster->n_nodes;
    for (unsigned k = 0; k < FAULT_N_SCOPES; k++) {
        bool mine = is_node == (k != FAULT_STORAGE);
        uint64_t key = risk_key(place, (enum fault_scope)k, 0);
        p->due[k] = mine ? risk_gap(&s->figures.risk[k], s->stream, key, true)
                         : INFINITY;
    }
    const struct due due = hardware_first_of(s, place);
    if (isfinite(due.at))
        heap_put(&clock_kind, s, s->clocks, s->n_clocks++, &due);
}

static enum status hardware_init(void *self, const void *config,
                                 const struct run_env *env, struct error *err)
{
    const struct hardware_config *c = config;
    struct hardware *s = self;
    const struct cluster *cluster = env->cluster;
    uint32_t n = cluster->n_nodes + cluster->n_vcs;
    (void)err;
    *s = (struct hardware){.cluster = cluster,
                           .figures = figures_of(c),
                           .stream = rng_stream(env->seed, "fault hardware")};
    hardware_note(&s->figures, fault_profiles[c->profile].rows, env);
    risk_prepare(&s->figures);
    s->places = mem_zalloc(n, sizeof *s->places);
    s->clocks = mem_zalloc(n, sizeof *s->clocks);
    for (uint32_t place = 0; place < n; place++)
        add_place(s, place);
    return STATUS_OK;
}

/* Adds the further faults of the batch that a fault begins, if it begins
 * one. */
static void add_batch(struct hardware *s, const struct due *due, uint64_t key)
{
    uint32_t n_nodes = s->cluster->n_nodes;
    uint32_t n = n_nodes > 1 ? risk_burst(&s->figures, s->stream, key) : 0;
    for (uint32_t i = 0; i < n; i++) {
        double wait = keyed_uniform(s->stream, key, DRAW_BURST_FIRST + 2 * i);
        double which =
            keyed_uniform(s->stream, key, DRAW_BURST_FIRST + 2 * i + 1);
        uint32_t other = (uint32_t)(which * (n_nodes - 1));
        const struct due further = {.at = due->at + wait * s->figures.burst_s,
                                    .place = other + (other >= due->place),
                                    .kind = due->kind};
        s->batch =
            mem_grow(s->batch, &s->cap_batch, s->n_batch + 1, sizeof *s->batch);
        heap_put(&batch_kind, s, s->batch, s->n_batch++, &further);
    }
}

/* Advances the clocks of a place after a fault of one kind. The clock of this
 * kind begins anew after the repair. The clocks of other kinds stand still
 * while the place is down. All clocks run faster if the place became frailer.
 * The heap gets the new first fault of the place. */
static void hardware_renew(struct hardware *s, const struct due *due,
                           sim_span repair, uint64_t key)
{
    struct fault_hardware_place *p = &s->places[due->place];
    double repaired = due->at + span_seconds(repair);
    double hazard = risk_frailty(&s->figures, p->n_faults), gap;
    double frailer = risk_frailty(&s->figures, ++p->n_faults);
    for (unsigned k = 0; k < FAULT_N_SCOPES; k++) {
        double left = p->due[k] - fmax(due->at, p->from[k]);
        p->from[k] = fmax(p->from[k], p->up_from);
        p->due[k] = p->from[k] + fmax(left, 0) * hazard / frailer;
    }
    gap =
        risk_gap(&s->figures.risk[due->kind], s->stream, key, false) / frailer;
    if (due->kind != FAULT_STORAGE)
        risk_refaults(&s->figures, s->stream, key, repair, &gap);
    p->from[due->kind] = repaired;
    p->due[due->kind] = repaired + gap;
    const struct due next = hardware_first_of(s, due->place);
    heap_take(&clock_kind, s, s->clocks, s->n_clocks, p->heap_at);
    heap_put(&clock_kind, s, s->clocks, s->n_clocks - 1, &next);
}

/* Fills *out with the fault that is due, then draws the next fault of the place
 * and, if the fault is that of a node by its own clock and begins a batch, the
 * faults of the batch. */
static void strike(struct hardware *s, const struct due *due, bool of_batch,
                   struct fault *out)
{
    static const char *const causes[FAULT_N_SCOPES] = {
        [FAULT_NODE] = "node fault",       [FAULT_GPU] = "GPU fault",
        [FAULT_NVLINK] = "NVLink fault",   [FAULT_NIC] = "NIC or link fault",
        [FAULT_STORAGE] = "storage fault",
    };
    struct fault_hardware_place *p = &s->places[due->place];
    const struct fault_figures *f = &s->figures;
    enum fault_scope kind = (enum fault_scope)due->kind;
    bool storage = kind == FAULT_STORAGE;
    uint64_t key = risk_key(due->place, kind, ++p->number[kind]);
    bool hidden = keyed_uniform(s->stream, key, DRAW_HIDDEN) < f->hidden_share;
    *out = (struct fault){.at = span_from_seconds(due->at),
                          .relapse = span_from_seconds(f->relapse_s),
                          .cause = causes[kind],
                          .key = key,
                          .node = storage ? NODE_NONE : due->place,
                          .scope = (uint8_t)kind,
                          .share = (float)f->storage_share};
    if (storage) {
        out->vc = (uint16_t)(due->place - s->cluster->n_nodes);
    } else {
        double gpu = keyed_uniform(s->stream, key, DRAW_GPU);
        out->gpu = (uint8_t)(gpu * s->cluster->nodes[due->place].gpus);
        out->after = hidden ? FAULT_HIDDEN : FAULT_DOWN;
        out->repair = risk_repair(f, kind, s->stream, key);
    }
    p->up_from = hidden ? fmax(p->up_from, due->at)
                        : due->at + span_seconds(out->repair);
    hardware_renew(s, due, out->repair, key);
    if (!of_batch && !storage)
        add_batch(s, due, key);
}

/* Finds the next fault; returns false if there is none. Removes a fault of a
 * batch from its heap; renew() replaces the entry in `clocks` later. */
static bool hardware_take(struct hardware *s, struct due *out, bool *of_batch)
{
    *of_batch =
        s->n_batch && (!s->n_clocks || s->batch[0].at < s->clocks[0].at);
    if (*of_batch) {
        *out = s->batch[0];
        heap_take(&batch_kind, s, s->batch, s->n_batch--, 0);
        return true;
    }
    if (!s->n_clocks)
        return false;
    *out = s->clocks[0];
    return true;
}

static bool hardware_next(void *self, struct fault *out)
{
    struct hardware *s = self;
    struct due due;
    bool of_batch;
    while (hardware_take(s, &due, &of_batch)) {
        if (!(due.at < SECONDS_MAX))
            return false;
        if (of_batch && due.at < s->places[due.place].up_from)
            continue; /* the node is down already */
        strike(s, &due, of_batch, out);
        return true;
    }
    return false;
}

static double hardware_rate(const void *config, const struct cluster *cluster)
{
    const struct fault_figures figures = figures_of(config);
    (void)cluster;
    return risk_total(&figures) / 1000 / 86400;
}

static void hardware_fini(void *self)
{
    struct hardware *s = self;
    free(s->places);
    free(s->clocks);
    free(s->batch);
}

const struct fault_ops fault_hardware = {
    .name = "hardware",
    .summary = "parts of nodes fail at the rates of a profile, independently "
               "or in batches",
    .options = hardware_options,
    .config_size = sizeof(struct hardware_config),
    .state_size = sizeof(struct hardware),
    .init = hardware_init,
    .next = hardware_next,
    .rate = hardware_rate,
    .fini = hardware_fini,
};
