/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/results/baseline.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "base/json_out.h"

enum status baseline_open(const char *path, struct baseline *out,
                          struct error *err)
{
    struct stat is;
    size_t room = strlen(path) + sizeof "/summary.json";
    bool folder = stat(path, &is) == 0 && S_ISDIR(is.st_mode);
    *out = (struct baseline){.path = mem_alloc(room)};
    snprintf(out->path, room, "%s%s", path, folder ? "/summary.json" : "");
    out->root = json_read_file(out->path, err);
    if (!out->root)
        return STATUS_BAD_INPUT;
    if (json_is_object(json_object_get(out->root, "metrics")))
        return STATUS_OK;
    return error_set(
        err, STATUS_BAD_INPUT,
        "%s: is not a summary.json of a result: it has no 'metrics'",
        out->path);
}

void baseline_close(struct baseline *baseline)
{
    json_decref(baseline->root);
    free(baseline->path);
}

/* Returns an identity value of the baseline, or NULL if the baseline was
 * written by an older version that did not record it. A baseline without a
 * window of counted jobs counts all jobs, so that value is then "". */
static const char *held(const struct baseline *baseline, size_t i)
{
    const json_t *all = json_object_get(baseline->root, "identity");
    const char *value =
        json_string_value(json_object_get(all, identity_columns[i].name));
    return value || i != IDENTITY_COUNTED ? value : "";
}

static bool differs(const struct baseline *baseline, size_t i,
                    const struct identity *identity)
{
    const char *value = held(baseline, i);
    return !value || strcmp(value, identity->values[i]) != 0;
}

size_t baseline_nearest(const struct baseline *all, size_t n,
                        const struct identity *identity)
{
    size_t best = 0, least = IDENTITY_N + 1;
    for (size_t i = 0; i < n; i++) {
        size_t count = 0;
        for (size_t k = 0; k < IDENTITY_N; k++)
            count += differs(&all[i], k, identity);
        if (count < least) {
            best = i;
            least = count;
        }
    }
    return best;
}

/* Writes one difference, "another cluster (venus, not kalos)". Returns the
 * length that it has without a cut, as snprintf does. */
static size_t describe(const struct baseline *baseline, size_t i,
                       const struct identity *identity, char *at, size_t room)
{
    static const char *const words[IDENTITY_N] = {
        "another trace",
        "another number of jobs",
        "another first submission",
        "another cluster",
        "another policy",
        "other conventions",
        "another warm-up or cool-down"};
    const char *there = held(baseline, i), *here = identity->values[i];
    const char *name =
        json_string_value(json_object_get(baseline->root, "cluster"));
    if (strcmp(identity_columns[i].name, "cluster") == 0 && name &&
        strcmp(name, identity->cluster_name) != 0) {
        there = name;
        here = identity->cluster_name;
    }
    bool digest = strlen(here) == 64;
    return (size_t)snprintf(at, room, "%s (%.*s, not %.*s)", words[i],
                            digest ? 12 : 60, there, digest ? 12 : 60, here);
}

enum status baseline_check(const struct baseline *baseline,
                           const struct identity *identity, struct error *err)
{
    char words[1024] = "";
    size_t len = 0;
    for (size_t i = 0; i < IDENTITY_N && len + 2 < sizeof words; i++) {
        if (!differs(baseline, i, identity))
            continue;
        if (!held(baseline, i))
            return error_set(err, STATUS_BAD_INPUT,
                             "%s: does not have its %s (identity.%s); make it "
                             "again with this version",
                             baseline->path, identity_columns[i].name,
                             identity_columns[i].name);
        if (len)
            len += (size_t)snprintf(words + len, sizeof words - len, ", ");
        len += describe(baseline, i, identity, words + len, sizeof words - len);
    }
    if (!len)
        return STATUS_OK;
    return error_set(err, STATUS_BAD_INPUT, "%s: is of %s", baseline->path,
                     words);
}
