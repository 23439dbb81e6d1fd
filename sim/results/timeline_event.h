/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One event of timeline.json, in the Chrome trace event format. A process is a
 * virtual cluster, the language model or a node, in this order. A track is one
 * of its threads: on a node the GPUs come first. The ids of processes and of
 * tracks begin at 1, because viewers give process 0 and thread 0 a meaning of
 * their own. No two tracks have the same id. */
#ifndef SIM_TIMELINE_EVENT_H
#define SIM_TIMELINE_EVENT_H

#include "sim/results/facts.h"
#include "sim/results/timeline.h"

struct timeline_writer {
    struct out *out;
    struct facts_reader reader;
    const struct run_result *run;
    const struct timeline *timeline; /* the crop and the counters */
    bool *has_events;                /* by track: true if the track has an
                                      * event */
    /* number of events written so far; a shared slice counts as two */
    uint64_t n_events;
};

/* How a slice is drawn. */
enum timeline_kind {
    TIMELINE_SLICE,   /* on its track, on which slices do not overlap */
    TIMELINE_SHARED,  /* beside its track: slices with other ids may overlap */
    TIMELINE_INSTANT, /* a mark without length */
};

struct timeline_event {
    const char *name;     /* text that the viewer shows */
    const char *category; /* words by which the viewer can filter */
    const char *colour;   /* name of a colour of chrome://tracing, or NULL */
    uint32_t process, track;
    enum timeline_kind kind;
    uint64_t id; /* TIMELINE_SHARED: id of the slice, unique in its process */
    sim_time at;
    sim_span length; /* 0 for an instant */
};

struct timeline_args {
    struct out *out;
    bool any; /* true if an argument has been written */
};

/* Writes the part of the event that lies in the crop, up to its arguments.
 * Returns false, and writes nothing, if no part does. If the crop cuts the
 * slice, its arguments begin with `start_s` and `end_s` of the whole slice. */
bool timeline_begin(struct timeline_writer *w,
                    const struct timeline_event *event,
                    struct timeline_args *args) MUST_USE;
/* Write one argument each. A text that is NULL or empty is left out; a span is
 * written in seconds. */
void timeline_text(struct timeline_args *args, const char *key,
                   const char *value);
void timeline_span(struct timeline_args *args, const char *key, sim_span value);
void timeline_whole(struct timeline_args *args, const char *key,
                    uint64_t value);
void timeline_bool(struct timeline_args *args, const char *key, bool value);
/* Writes the end of an event that timeline_begin has begun. */
void timeline_end(struct timeline_writer *w, const struct timeline_event *event,
                  struct timeline_args *args);
/* Writes the value of a counter from `at` on, which lies in the crop. */
void timeline_count(struct timeline_writer *w, uint32_t process,
                    const char *name, const char *unit, sim_time at,
                    uint64_t value);

/* Writes faults, failures of jobs (on the first GPU of the failed attempt), and
 * rejections. */
void timeline_failures(struct timeline_writer *w);
/* Writes the times for which nodes are out of service or lent, and hidden
 * faults. */
void timeline_outages(struct timeline_writer *w);
/* Writes each eviction on the first GPU of its attempt. */
void timeline_evictions(struct timeline_writer *w);
/* Writes the questions to the language model, on the servers that worked on
 * them, and the counters of questions. */
void timeline_station(struct timeline_writer *w);

/* Each of these functions returns the id of a process in the file. */
static inline uint32_t timeline_vc(uint32_t vc)
{
    return 1 + vc;
}
static inline uint32_t timeline_model(const struct run_result *run)
{
    return 1 + run->cluster.n_vcs;
}
static inline uint32_t timeline_node(const struct run_result *run, node_id node)
{
    return 2 + run->cluster.n_vcs + node;
}

/* Tracks of a virtual cluster. */
enum timeline_vc_track {
    TIMELINE_STORAGE,    /* faults of its storage */
    TIMELINE_REJECTIONS, /* jobs that were rejected */
    TIMELINE_VC_TRACKS   /* number of these tracks */
};
static inline uint32_t timeline_vc_track(const struct run_result *run,
                                         uint32_t vc,
                                         enum timeline_vc_track track)
{
    return timeline_node(run, run->cluster.n_nodes) + vc * TIMELINE_VC_TRACKS +
           track;
}
static inline uint32_t timeline_server(const struct run_result *run,
                                       uint32_t server)
{
    return timeline_vc_track(run, run->cluster.n_vcs, TIMELINE_STORAGE) +
           server;
}

/* Tracks of a node after its GPUs. */
enum timeline_node_track {
    TIMELINE_OUTAGES,    /* time for which the node is out of service */
    TIMELINE_FAULTS,     /* faults, and the time of hidden faults */
    TIMELINE_LOANS,      /* time for which the node is lent to the profiler */
    TIMELINE_NODE_TRACKS /* number of these tracks */
};
static inline uint32_t timeline_gpu(const struct run_result *run, node_id node,
                                    uint32_t gpu)
{
    return timeline_server(run, ADVICE_NO_SERVER) +
           run->cluster.nodes[node].first_gpu + node * TIMELINE_NODE_TRACKS +
           gpu;
}
static inline uint32_t timeline_node_track(const struct run_result *run,
                                           node_id node,
                                           enum timeline_node_track track)
{
    return timeline_gpu(run, node, run->cluster.nodes[node].gpus) + track;
}
/* Returns one more than the largest id of a track. */
static inline uint32_t timeline_tracks(const struct run_result *run)
{
    return timeline_server(run, ADVICE_NO_SERVER) + run->cluster.n_gpus +
           run->cluster.n_nodes * TIMELINE_NODE_TRACKS;
}

#endif
