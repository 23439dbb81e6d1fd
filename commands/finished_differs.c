/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds out which finished results can be compared, and in which conditions
 * besides the policy they differ. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands/finished.h"

static const json_t *input_of(const struct finished *f)
{
    return json_object_get(f->manifest, "input");
}

static const char *word(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "unknown";
}

enum status finished_pairs(const struct finished *first,
                           const struct finished *own, struct error *err)
{
    const char *there = word(input_of(first), "sha256");
    const char *here = word(input_of(own), "sha256");
    if (strcmp(there, here) != 0)
        return error_set(err, STATUS_BAD_INPUT,
                         "%s: is of another trace (SHA-256 %.12s, not %.12s of "
                         "%s); jobs of two traces cannot be paired",
                         own->dir, here, there, first->dir);
    if (first->n_jobs != own->n_jobs)
        return error_set(err, STATUS_BAD_INPUT,
                         "%s: has %zu jobs of the trace, %s has %zu (--vc, "
                         "--from, --to, --jobs)",
                         own->dir, own->n_jobs, first->dir, first->n_jobs);
    for (size_t i = 0; i < own->n_jobs; i++) {
        if (own->jobs[i] != first->jobs[i])
            return error_set(err, STATUS_BAD_INPUT,
                             "%s/jobs.csv:%zu: this row is of another job or "
                             "submission than in %s (--vc, --from, --what-if)",
                             own->dir, i + 2, first->dir);
    }
    if (first->count_from != own->count_from ||
        first->count_to != own->count_to)
        return error_set(err, STATUS_BAD_INPUT,
                         "%s: its metrics count other jobs than those of %s "
                         "(--warmup, --cooldown)",
                         own->dir, first->dir);
    return STATUS_OK;
}

/* Passes the differences of one result to the caller's `found`, and counts
 * them. */
struct finder {
    const char *row; /* name of the first result */
    void (*found)(void *self, const struct physics_difference *d);
    void *self;
    size_t n;
};

static void compare(struct finder *finder, const char *what, const char *here,
                    const char *there)
{
    if (strcmp(here, there) == 0)
        return;
    finder->n++;
    if (finder->found)
        finder->found(finder->self, &(struct physics_difference){
                                        what, here, there, finder->row});
}

/* Compares the settings of the policy, the placer, the monitor, SchedMate and
 * its language model that both results have. Settings that only one result has,
 * such as those of another policy, are not reported. */
static void compare_own(struct finder *finder, const struct finished *first,
                        const struct finished *own)
{
    static const char *const owners[] = {"policy ", "placer ",   "placer",
                                         "monitor", "schedmate", "llm"};
    const char *owner, *key;
    char what[160];
    json_t *rows, *value;
    json_object_foreach(json_object_get(own->manifest, "configuration"), owner,
                        rows)
    {
        const json_t *others = json_object_get(
            json_object_get(first->manifest, "configuration"), owner);
        bool is_own = false;
        for (size_t i = 0; i < sizeof owners / sizeof *owners; i++)
            is_own |= strncmp(owner, owners[i], strlen(owners[i])) == 0;
        json_object_foreach(rows, key, value)
        {
            if (!is_own || !others || !json_object_get(others, key))
                continue;
            snprintf(what, sizeof what, "%s: %s", owner, key);
            compare(finder, what, word(rows, key), word(others, key));
        }
    }
}

/* Compares the digests of the files that both runs read in one role. The trace
 * is compared by finished_pairs. */
static void compare_files(struct finder *finder, const struct finished *first,
                          const struct finished *own)
{
    size_t i, k;
    json_t *file, *other;
    json_array_foreach(json_object_get(own->manifest, "files"), i, file)
    {
        json_array_foreach(json_object_get(first->manifest, "files"), k, other)
        {
            char here[16], there[16];
            if (strcmp(word(file, "what"), word(other, "what")) != 0 ||
                strcmp(word(file, "what"), "trace") == 0)
                continue;
            snprintf(here, sizeof here, "%.12s", word(file, "sha256"));
            snprintf(there, sizeof there, "%.12s", word(other, "sha256"));
            compare(finder, word(file, "what"), here, there);
        }
    }
}

/* Reports different clusters, by name if the names differ, otherwise by
 * digest. */
static void compare_clusters(struct finder *finder,
                             const struct finished *first,
                             const struct finished *own)
{
    const json_t *mine = json_object_get(own->summary, "identity");
    const json_t *theirs = json_object_get(first->summary, "identity");
    char here[16], there[16];
    snprintf(here, sizeof here, "%.12s", word(mine, "cluster"));
    snprintf(there, sizeof there, "%.12s", word(theirs, "cluster"));
    if (strcmp(here, there) == 0)
        return;
    if (strcmp(word(own->summary, "cluster"),
               word(first->summary, "cluster")) == 0)
        compare(finder, "cluster", here, there);
    else
        compare(finder, "cluster", word(own->summary, "cluster"),
                word(first->summary, "cluster"));
}

size_t finished_differs(const struct finished *const *all, size_t at,
                        void (*found)(void *self,
                                      const struct physics_difference *d),
                        void *self)
{
    const struct finished *first = all[0], *own = all[at];
    struct finder finder = {.row = first->dir, .found = found, .self = self};
    if (at == 0)
        return 0;
    compare(&finder, "program", word(own->manifest, "schedsim"),
            word(first->manifest, "schedsim"));
    compare(&finder, "seed", word(own->manifest, "seed"),
            word(first->manifest, "seed"));
    compare(&finder, "conventions", word(own->manifest, "rules"),
            word(first->manifest, "rules"));
    compare_clusters(&finder, first, own);
    compare_files(&finder, first, own);
    compare_own(&finder, first, own);
    const struct physics **rows = mem_alloc((at + 1) * sizeof *rows);
    for (size_t i = 0; i <= at; i++)
        rows[i] = &all[i]->physics;
    finder.n += physics_compare(rows, at, found, self);
    free(rows);
    return finder.n;
}
