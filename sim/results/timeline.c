/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes timeline.json: the head, the parts, and the names of processes and
 * tracks. The names come last, because a cropped file names only the tracks
 * that have an event: the names of all tracks of a large cluster would fill the
 * file. */
#include <stdio.h>
#include <stdlib.h>

#include "base/json_stream.h"
#include "sim/results/advice.h"
#include "sim/results/report.h"
#include "sim/results/timeline_event.h"

static bool is_cropped(const struct timeline *tl)
{
    return tl->wish.from || tl->wish.to || tl->wish.n_vcs;
}

/* Writes the head of the file: version, policy, the date of time 0, and the
 * crop. */
static void put_head(const struct timeline_writer *w)
{
    const struct timeline *tl = w->timeline;
    struct timeline_args args = {.out = w->out};
    out_text(w->out, "{\"displayTimeUnit\":\"ms\",\"otherData\":{");
    timeline_text(&args, "schedsim", SCHEDSIM_VERSION);
    timeline_text(&args, "policy", w->run->policy);
    char zero[TIME_TEXT_MAX], utc[TIME_TEXT_MAX + 1];
    time_to_text(w->run->jobset.zero, zero);
    snprintf(utc, sizeof utc, "%sZ", zero);
    timeline_text(&args, "time_zero", utc);
    if (tl->wish.from)
        timeline_span(&args, "from_s", tl->from);
    if (tl->wish.to)
        timeline_span(&args, "to_s", tl->to);
    for (uint32_t vc = 0; tl->wish.n_vcs && vc < w->run->cluster.n_vcs; vc++) {
        char key[24];
        snprintf(key, sizeof key, "vc %u", vc);
        if (tl->vcs[vc])
            timeline_text(&args, key, w->run->cluster.vcs[vc]);
    }
    out_text(w->out, "},\"traceEvents\":[\n");
}

/* Names a track if it has events or if `always` is set. Returns true if the
 * track was named. */
static bool name_track(struct timeline_writer *w, uint32_t process,
                       uint32_t track, const char *name, bool always)
{
    if (!always && !w->has_events[track])
        return false;
    timeline_name_track(w, process, track, name);
    return true;
}

static void name_node(struct timeline_writer *w, node_id n)
{
    static const char *const names[TIMELINE_NODE_TRACKS] = {
        [TIMELINE_OUTAGES] = "out of service",
        [TIMELINE_FAULTS] = "faults",
        [TIMELINE_LOANS] = "profiler"};
    const struct cluster *c = &w->run->cluster;
    const struct node *node = &c->nodes[n];
    const struct pool *pool = &c->pools[node->pool];
    uint32_t process = timeline_node(w->run, n);
    bool all = !is_cropped(w->timeline), any = false;
    char name[256];
    for (unsigned g = 0; g < node->gpus; g++) {
        snprintf(name, sizeof name, "GPU %u", node->first_gpu + g);
        any |= name_track(w, process, timeline_gpu(w->run, n, g), name, all);
    }
    for (unsigned t = 0; t < TIMELINE_NODE_TRACKS; t++)
        any |= name_track(w, process, timeline_node_track(w->run, n, t),
                          names[t], false);
    snprintf(name, sizeof name, "node %u %s %s%s", n, c->types[pool->type].name,
             c->vcs[pool->vc],
             pool->profiler && !pool->loan ? ", for profiling" : "");
    if (any)
        timeline_name_process(w, process, name);
}

static void name_vc(struct timeline_writer *w, uint32_t vc)
{
    static const char *const names[TIMELINE_VC_TRACKS] = {
        [TIMELINE_STORAGE] = "storage faults",
        [TIMELINE_REJECTIONS] = "rejected jobs"};
    char name[256];
    snprintf(name, sizeof name, "virtual cluster %s", w->run->cluster.vcs[vc]);
    timeline_name_process(w, timeline_vc(vc), name);
    for (unsigned t = 0; t < TIMELINE_VC_TRACKS; t++)
        name_track(w, timeline_vc(vc), timeline_vc_track(w->run, vc, t),
                   names[t], false);
}

static void put_names(struct timeline_writer *w)
{
    const struct run_result *run = w->run;
    for (uint32_t vc = 0; vc < run->cluster.n_vcs; vc++) {
        if (w->timeline->vcs[vc])
            name_vc(w, vc);
    }
    if (advice_exists(run)) {
        timeline_name_process(w, timeline_model(run), "language model");
        for (uint32_t i = 0; i < run->ledger.station.servers; i++) {
            char name[32];
            snprintf(name, sizeof name, "server %u", i);
            name_track(w, timeline_model(run), timeline_server(run, i), name,
                       !is_cropped(w->timeline));
        }
    }
    for (node_id n = 0; n < run->cluster.n_nodes; n++) {
        if (timeline_shows_node(w, n))
            name_node(w, n);
    }
}

void report_timeline(struct out *out, struct results results)
{
    struct timeline_writer w = {
        .out = out,
        .run = results.run,
        .timeline = results.timeline,
        .has_events = mem_zalloc(timeline_tracks(results.run) + (size_t)1,
                                 sizeof *w.has_events),
    };
    facts_reader_init(&w.reader, results);
    put_head(&w);
    timeline_counters(&w);
    timeline_attempts(&w);
    timeline_failures(&w);
    timeline_outages(&w);
    timeline_evictions(&w);
    if (advice_exists(w.run))
        timeline_station(&w);
    put_names(&w);
    out_text(out, "\n]}\n");
    facts_reader_fini(&w.reader);
    free(w.has_events);
}
