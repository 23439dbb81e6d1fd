/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "commands/physics.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/run/registry.h"

enum when {
    ALWAYS,
    IF_IT_SHARES,
    IF_IT_FORECASTS, /* if the policy asks for a forecast of submissions */
    IF_IT_ASKS_TIMES,
    IF_IT_ASKS_DEMAND
};

/* The kinds of conditions, by the first word of the owner of a setting. A
 * setting whose owner is in no row counts as "other settings", so that a new
 * kind of model is not overlooked. */
static const struct kind {
    const char *owner, *what;
    enum when when;
} kinds[] = {
    {.owner = "throughput", .what = "speeds", .when = ALWAYS},
    {.owner = "interference", .what = "interference", .when = IF_IT_SHARES},
    {.owner = "belief", .what = "believed interference", .when = IF_IT_SHARES},
    {.owner = "overhead", .what = "restarts", .when = ALWAYS},
    {.owner = "faults", .what = "failures", .when = ALWAYS},
    {.owner = "chains", .what = "resubmissions", .when = ALWAYS},
    {.owner = "recovery", .what = "recovery", .when = ALWAYS},
    {.owner = "workloads", .what = "what the jobs train", .when = ALWAYS},
    {.owner = "profilers", .what = "nodes set aside", .when = ALWAYS},
    {.owner = "forecast", .what = "forecast", .when = IF_IT_FORECASTS},
    {.owner = "time-law", .what = "law of time"},
    {.owner = "engine", .what = "settings of the engine", .when = ALWAYS},
    {.owner = "estimator",
     .what = "believed run times",
     .when = IF_IT_ASKS_TIMES},
    {.owner = "estimator",
     .what = "believed demand",
     .when = IF_IT_ASKS_DEMAND},
    {.owner = "", .what = "other settings", .when = ALWAYS},
};
enum { N_KINDS = sizeof kinds / sizeof *kinds, OTHER = N_KINDS - 1 };
_Static_assert(N_KINDS <= PHYSICS_KINDS_MAX, "room for every kind");

/* True if a setting counts as the policy's own, even if its owner is another
 * part: the number of jobs that the policy may put on a GPU (share_limit),
 * whether a job fits one model to its speeds on all GPU types (pooled), and the
 * layers of SchedMate, which the user adds to a policy. */
static bool is_own(const struct run_setting *s)
{
    static const char *const owners[] = {"policy", "placer", "monitor",
                                         "schedmate", "llm"};
    static const char *const keys[] = {"share_limit", "pooled"};
    static const char *const layers[] = {"advisor", "handler", "tracker"};
    for (size_t i = 0; i < sizeof layers / sizeof *layers; i++) {
        if (strcmp(s->key, "name") == 0 && strcmp(s->value, layers[i]) == 0)
            return true;
    }
    size_t n = strcspn(s->owner, " ");
    for (size_t i = 0; i < sizeof owners / sizeof *owners; i++) {
        if (strlen(owners[i]) == n && strncmp(owners[i], s->owner, n) == 0)
            return true;
    }
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        if (strcmp(keys[i], s->key) == 0)
            return true;
    }
    return false;
}

/* True if this layer of the chain of estimators answers questions of this
 * kind. */
static bool answers(const char *layer, enum when when)
{
    const struct estimator_ops *ops;
    struct error err = {0};
    if (estimator_find(text_from(layer), &ops, &err) != STATUS_OK)
        return false;
    return when == IF_IT_ASKS_TIMES ? ops->remaining != NULL
                                    : ops->demand != NULL;
}

/* True if a setting belongs to kind number `k`. */
static bool belongs(const struct run_setting *s, unsigned k)
{
    size_t n = strcspn(s->owner, " ");
    const struct kind *kind = &kinds[k];
    if (k == OTHER) {
        for (unsigned i = 0; i < OTHER; i++) {
            if (strlen(kinds[i].owner) == n &&
                strncmp(kinds[i].owner, s->owner, n) == 0)
                return false;
        }
        return true;
    }
    if (strlen(kind->owner) != n || strncmp(kind->owner, s->owner, n) != 0)
        return false;
    if (kind->when != IF_IT_ASKS_TIMES && kind->when != IF_IT_ASKS_DEMAND)
        return true;
    return answers(s->owner[n] ? s->owner + n + 1 : s->value, kind->when);
}

static struct physics_fact *find(const struct physics *p, unsigned kind,
                                 const char *key)
{
    for (size_t i = 0; i < p->n; i++) {
        const char *k = p->facts[i].key;
        if (p->facts[i].kind == kind &&
            (k == key || (k && key && strcmp(k, key) == 0)))
            return &p->facts[i];
    }
    return NULL;
}

/* Adds a setting to a kind. A later value of a key replaces an earlier one.
 * Names of the layers of a chain are joined with commas. */
static void add(struct physics *p, unsigned kind, const struct run_setting *s,
                struct arena *arena)
{
    bool is_name = strcmp(s->key, "name") == 0;
    struct physics_fact *known = find(p, kind, is_name ? NULL : s->key);
    size_t n = strlen(s->value), before;
    if (!known) {
        p->facts = mem_grow(p->facts, &p->cap, p->n + 1, sizeof *p->facts);
        p->facts[p->n++] = (struct physics_fact){
            kind, is_name ? NULL : arena_copy(arena, s->key, strlen(s->key)),
            arena_copy(arena, s->value, n)};
        return;
    }
    if (!is_name) {
        known->value = arena_copy(arena, s->value, n);
        return;
    }
    before = strlen(known->value);
    char *joined = arena_alloc(arena, before + n + 2);
    memcpy(joined, known->value, before);
    joined[before] = ',';
    memcpy(joined + before + 1, s->value, n + 1);
    known->value = joined;
}

/* True if the run meets the condition `when`, so that settings with this
 * condition affect it. */
static bool counts(enum when when, const struct run_result *run)
{
    unsigned needs = run->policy_needs;
    switch (when) {
    case ALWAYS:
        return true;
    case IF_IT_SHARES:
        return run->cluster.share_limit > 1;
    case IF_IT_FORECASTS:
        return run->policy_forecasts;
    case IF_IT_ASKS_TIMES:
        return needs & POLICY_NEEDS_DURATION;
    case IF_IT_ASKS_DEMAND:
        return needs & POLICY_NEEDS_DEMAND;
    }
    return false;
}

void physics_read(const struct run_result *run, const char *row,
                  struct arena *arena, struct physics *out)
{
    *out = (struct physics){.row = row};
    for (unsigned k = 0; k < N_KINDS; k++)
        out->counts[k] = counts(kinds[k].when, run);
    for (size_t i = 0; i < run->n_settings; i++) {
        const struct run_setting *s = &run->settings[i];
        for (unsigned k = 0; !is_own(s) && k < N_KINDS; k++) {
            if (out->counts[k] && belongs(s, k))
                add(out, k, s, arena);
        }
    }
}

void physics_fini(struct physics *physics)
{
    free(physics->facts);
    *physics = (struct physics){0};
}

static bool same(const char *a, const char *b)
{
    return strcmp(a ? a : "none", b ? b : "none") == 0;
}

/* Writes "key=value" for each key whose value in `a` differs from that in `b`,
 * as long as there is room. Returns the number of keys that differ. */
static size_t say_keys(const struct physics *a, const struct physics *b,
                       unsigned kind, char *buf, size_t room)
{
    size_t n = 0, used = 0;
    buf[0] = '\0';
    for (size_t i = 0; i < a->n; i++) {
        const struct physics_fact *f = &a->facts[i];
        const struct physics_fact *other =
            f->kind == kind && f->key ? find(b, kind, f->key) : NULL;
        if (f->kind != kind || !f->key ||
            (other && same(f->value, other->value)))
            continue;
        int w = snprintf(buf + used, room - used, "%s%s=%s", n ? "," : "",
                         f->key, f->value[0] ? f->value : "\"\"");
        used = w < 0 || used + (size_t)w >= room ? room - 1 : used + (size_t)w;
        n++;
    }
    return n;
}

#define SAY_MAX 160

/* True if two runs differ in a kind of conditions. `here` and `there` become
 * the names of the models if the names differ, otherwise the settings that
 * differ. */
static bool differ(const struct physics *a, const struct physics *b,
                   unsigned kind, char here[SAY_MAX], char there[SAY_MAX])
{
    const struct physics_fact *x = find(a, kind, NULL),
                              *y = find(b, kind, NULL);
    const char *name = x ? x->value : NULL, *other = y ? y->value : NULL;
    if (!same(name, other)) {
        snprintf(here, SAY_MAX, "%s", name ? name : "none");
        snprintf(there, SAY_MAX, "%s", other ? other : "none");
        return true;
    }
    size_t n = say_keys(a, b, kind, here, SAY_MAX);
    size_t m = say_keys(b, a, kind, there, SAY_MAX);
    if (n == 0)
        snprintf(here, SAY_MAX, "none");
    if (m == 0)
        snprintf(there, SAY_MAX, "none");
    return n > 0 || m > 0;
}

size_t physics_compare(const struct physics *const *runs, size_t at,
                       void (*found)(void *self,
                                     const struct physics_difference *d),
                       void *self)
{
    char here[SAY_MAX], there[SAY_MAX];
    size_t n = 0;
    for (unsigned k = 0; k < N_KINDS; k++) {
        size_t first = 0;
        while (first < at && !runs[first]->counts[k])
            first++;
        if (first == at || !runs[at]->counts[k] ||
            !differ(runs[at], runs[first], k, here, there))
            continue;
        struct physics_difference d = {kinds[k].what, here, there,
                                       runs[first]->row};
        if (found)
            found(self, &d);
        n++;
    }
    return n;
}
