/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Resolves the crop of a timeline: the user's words become times and virtual
 * clusters of the run. */
#include <stdio.h>
#include <string.h>

#include "base/find.h"
#include "sim/results/timeline_event.h"

/* A time as the user gave it. */
struct when {
    sim_time at;
    bool is_date; /* true: `at` counts from 1970, otherwise from the first
                   * submission */
};

static enum status read_when(const char *option, const char *typed,
                             struct when *out, struct error *err)
{
    struct text t = {typed, strlen(typed)};
    bool zoned;
    *out = (struct when){0};
    if (text_to_duration(t, &out->at) && out->at >= 0)
        return STATUS_OK;
    out->is_date = true;
    if (text_to_time(t, &out->at, &zoned))
        return STATUS_OK;
    return error_set(err, STATUS_USAGE,
                     "--%s: '%.100s' is not a date (2020-04-07 or \"2020-04-07 "
                     "12:00\", UTC) or a time since the first submission "
                     "(5400, 90min, 36h, 2d)",
                     option, typed);
}

enum status timeline_check(const struct timeline_wish *wish, struct error *err)
{
    struct when when;
    enum status st = STATUS_OK;
    if (wish->from)
        st = read_when("timeline-from", wish->from, &when, err);
    if (st == STATUS_OK && wish->to)
        st = read_when("timeline-to", wish->to, &when, err);
    return st;
}

/* Resolves one end of the crop; STATUS_USAGE if it is neither a date nor a
 * time. `otherwise`: the result if the user gave none. */
static enum status resolve(const char *option, const char *typed,
                           sim_time otherwise, sim_time zero, sim_time *out,
                           struct error *err)
{
    struct when when;
    *out = otherwise;
    if (!typed)
        return STATUS_OK;
    enum status st = read_when(option, typed, &when, err);
    if (st == STATUS_OK)
        *out = when.is_date ? when.at - zero : when.at;
    return st;
}

/* Refuses a name that no virtual cluster has: returns STATUS_USAGE. `err` holds
 * the error of find_in; if that suggests no name, the new message lists the
 * known ones. */
static enum status refuse_vc(const struct cluster *c, const char *name,
                             struct error *err)
{
    char list[200];
    size_t len = 0;
    list[0] = '\0';
    if (strstr(err->message, "did you mean"))
        return error_prefix(err, "--timeline-vc: ");
    for (uint32_t vc = 0; vc < c->n_vcs && len < sizeof list; vc++)
        len += (size_t)snprintf(list + len, sizeof list - len, "%s'%s'",
                                vc ? ", " : "", c->vcs[vc]);
    return error_set(err, STATUS_USAGE,
                     "--timeline-vc: no virtual cluster '%.100s'; the cluster "
                     "has %s%s",
                     name, list, len < sizeof list ? "" : "...");
}

static enum status choose_vcs(struct timeline *tl, struct error *err)
{
    const struct cluster *c = tl->cluster;
    tl->vcs = mem_zalloc(c->n_vcs + (size_t)1, sizeof *tl->vcs);
    for (uint32_t vc = 0; vc < c->n_vcs && !tl->wish.n_vcs; vc++)
        tl->vcs[vc] = true;
    for (size_t i = 0; i < tl->wish.n_vcs; i++) {
        const char *name = tl->wish.vcs[i];
        size_t vc;
        enum status st = find_in("virtual cluster", c->vcs, c->n_vcs,
                                 (struct text){name, strlen(name)}, &vc, err);
        if (st != STATUS_OK)
            return refuse_vc(c, name, err);
        tl->vcs[vc] = true;
    }
    return STATUS_OK;
}

enum status timeline_crop(struct timeline *tl, const struct run_result *run,
                          struct error *err)
{
    const struct timeline_wish *w = &tl->wish;
    sim_time zero = run->jobset.zero;
    enum status st = resolve("timeline-from", w->from, 0, zero, &tl->from, err);
    if (st == STATUS_OK)
        st = resolve("timeline-to", w->to, TIME_NEVER, zero, &tl->to, err);
    if (st == STATUS_OK && tl->from >= tl->to)
        st = error_set(err, STATUS_USAGE,
                       "--timeline-to: %s is %.6f s after the first "
                       "submission, not later than the start of the timeline "
                       "at %.6f s",
                       w->to ? w->to : "the end of time", span_seconds(tl->to),
                       span_seconds(tl->from));
    return st == STATUS_OK ? choose_vcs(tl, err) : st;
}
