/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One event of timeline.json with arguments, in the Chrome trace event format.
 * A process is a node, a virtual cluster or the language model. A track is one
 * of its threads: on a node the GPUs come first. */
#ifndef SIM_TIMELINE_EVENT_H
#define SIM_TIMELINE_EVENT_H

#include "sim/results/facts.h"

struct timeline_event {
    const char *name;     /* text that the viewer shows */
    const char *category; /* word by which the viewer can filter */
    uint32_t process, track;
    sim_time at;
    sim_span length; /* length of a slice; -1: the event is an instant */
};

struct timeline_args {
    struct out *out;
    bool any; /* true if an argument has been written */
};

/* Writes the event up to its arguments. */
struct timeline_args timeline_begin(struct out *out,
                                    const struct timeline_event *event);
/* Each writes one argument. A text that is NULL or empty is left out; a span is
 * written in seconds. */
void timeline_text(struct timeline_args *args, const char *key,
                   const char *value);
void timeline_span(struct timeline_args *args, const char *key, sim_span value);
void timeline_whole(struct timeline_args *args, const char *key,
                    uint64_t value);
void timeline_bool(struct timeline_args *args, const char *key, bool value);
void timeline_end(struct timeline_args *args);

/* Names a process, or a track of it. */
void timeline_name_process(struct out *out, uint32_t process, const char *name);
void timeline_name_track(struct out *out, uint32_t process, uint32_t track,
                         const char *name);

/* Writes what failed in the run: for each node a track of its faults and one of
 * the time that it is out of service, for each virtual cluster a track of its
 * storage faults, and each failure of a job on the first GPU that it held. */
void timeline_failures(struct out *out, const struct results *results);
/* Writes the part of it that has a length: the slices of nodes that are out of
 * service, and of hidden faults. */
void timeline_outages(struct out *out, const struct results *results);

/* Writes a process for the language model of SchedMate, after those of the
 * virtual clusters: what its servers worked on. */
void timeline_station(struct out *out, const struct results *results);
/* Writes the evictions of the run, in the file timeline_evictions.c. */
void timeline_evictions(struct out *out, struct facts_reader *reader);

/* Tracks of a node after its GPUs. */
static inline uint32_t timeline_outage_track(const struct run_result *run,
                                             node_id node)
{
    return run->cluster.nodes[node].gpus;
}
static inline uint32_t timeline_fault_track(const struct run_result *run,
                                            node_id node)
{
    return run->cluster.nodes[node].gpus + 1u;
}

/* Writes the arguments of a fault that its instant and its slice share. */
void timeline_fault_args(struct timeline_args *args,
                         const struct fault_row *fault);

#endif
