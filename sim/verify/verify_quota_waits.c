/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The jobs that wait under quotas, by virtual cluster, and which of them may
 * have another job stopped. Of two jobs that wait in one virtual cluster, the
 * one of higher priority, or of equal priority and submitted earlier, may have
 * all jobs stopped that the other one may. */
#include <stdlib.h>

#include "base/heap.h"
#include "sim/verify/verify_quota.h"

struct quota_waiting {
    int32_t priority;
    uint32_t job;
};

/* Those that wait, and others that have waited. */
struct quota_waits_heap {
    struct quota_waiting *at;
    size_t n, cap;
};

static bool waits_is_before(const void *a, const void *b)
{
    const struct quota_waiting *x = a, *y = b;
    return x->priority != y->priority ? x->priority > y->priority
                                      : x->job < y->job;
}

static const struct heap_kind waits_kind = {
    .size = sizeof(struct quota_waiting), .before = waits_is_before};

/* Returns the rank of a word in --quota priorities, beside that of `normal`, or
 * the number that it is; 0: neither. */
static int32_t waits_priority_of(const char *words, const char *word)
{
    char *end;
    const long number = strtol(word, &end, 10);
    struct text rest = text_from(words);
    int32_t rank = 0, normal = 0, found = -1;
    if (end != word && *end == '\0')
        return (int32_t)fmin(fmax((double)number, INT32_MIN), INT32_MAX);
    for (; rest.len; rank++) {
        const struct text one = text_split(rest, '+', &rest);
        normal = text_is(one, "normal") ? rank : normal;
        found = text_is(one, word) ? rank : found;
    }
    return found < 0 ? 0 : found - normal;
}

static int32_t waits_priority(const struct verify_quota_waits *w, uint32_t job)
{
    const struct verify_job_class *cells = w->data->classes;
    return cells ? waits_priority_of(w->words, cells[job].priority) : 0;
}

void verify_quota_waits_init(struct verify_quota_waits *w,
                             const struct verify_data *data)
{
    const json_t *settings = json_object_get(
        json_object_get(data->manifest, "configuration"), "quota");
    const char *words =
        json_string_value(json_object_get(settings, "priorities"));
    *w = (struct verify_quota_waits){
        .data = data,
        .words = words ? words : "",
        .any_priority = json_object_get(data->manifest, "columns"),
        .waits = mem_zalloc(data->n_jobs + 1, sizeof *w->waits),
        .heaps = mem_zalloc(data->vcs.n_strings + 1, sizeof *w->heaps)};
}

void verify_quota_waits_fini(struct verify_quota_waits *w)
{
    for (size_t i = 0; i < w->data->vcs.n_strings; i++)
        free(w->heaps[i].at);
    free(w->heaps);
    free(w->waits);
}

void verify_quota_waits_begin(struct verify_quota_waits *w, uint32_t job)
{
    struct quota_waits_heap *h = &w->heaps[w->data->jobs[job].vc];
    const struct quota_waiting one = {waits_priority(w, job), job};
    if (w->waits[job])
        return;
    w->waits[job] = true;
    h->at = mem_grow(h->at, &h->cap, h->n + 1, sizeof *h->at);
    heap_put(&waits_kind, NULL, h->at, h->n++, &one);
}

void verify_quota_waits_end(struct verify_quota_waits *w, uint32_t job)
{
    w->waits[job] = false;
}

bool verify_quota_waits_allow(struct verify_quota_waits *w,
                              const struct verify_quota *asks,
                              enum verify_quota_rule rule, uint32_t victim)
{
    struct quota_waits_heap *h = &w->heaps[asks->vc];
    const struct verify_job *jobs = w->data->jobs;
    while (h->n && !w->waits[h->at[0].job])
        heap_take(&waits_kind, NULL, h->at, h->n--, 0);
    if (!h->n || rule == VERIFY_QUOTA_NEVER)
        return false;
    if (rule == VERIFY_QUOTA_ANY || w->any_priority)
        return true;
    const int32_t priority = waits_priority(w, victim);
    return priority < h->at[0].priority ||
           (rule == VERIFY_QUOTA_LOWER_OR_NEWER &&
            priority == h->at[0].priority &&
            jobs[victim].submitted > jobs[h->at[0].job].submitted);
}
