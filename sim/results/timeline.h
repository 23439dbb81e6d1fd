/* SPDX-License-Identifier: GPL-3.0-or-later */
/* timeline.json: the run in the Chrome trace event format, for Perfetto and
 * chrome://tracing. docs/timeline.md says what is drawn. A crop limits the file
 * to a stretch of time and to some virtual clusters: a cropped file holds the
 * parts of the whole file's slices that lie in the crop. */
#ifndef SIM_TIMELINE_H
#define SIM_TIMELINE_H

#include "sim/results/facts.h"
#include "sim/run/run.h"

/* What the user asks for, as typed. Texts are borrowed. */
struct timeline_wish {
    bool wanted;
    bool gzip; /* true: writes timeline.json.gz in place of timeline.json */
    /* A date in UTC, or a time since the first submission: a number with the
     * unit s, min, h, d or w, or without one for seconds. NULL: no limit. */
    const char *from, *to;
    const char *const *vcs; /* names of virtual clusters */
    size_t n_vcs;           /* number of `vcs`; 0: all virtual clusters */
};

/* The value of a counter of a virtual cluster from `at` on. */
struct timeline_count {
    sim_time at;
    uint32_t value;
    uint16_t vc;
    uint8_t kind; /* enum timeline_counter */
};

/* Counters of a virtual cluster. */
enum timeline_counter {
    TIMELINE_PENDING, /* jobs that wait for GPUs */
    TIMELINE_BUSY,    /* GPUs of its nodes that a job holds */
    TIMELINE_CLOSED,  /* GPUs of its nodes that are out of service */
    TIMELINE_COUNTERS /* number of counters */
};

/* Reads the moves of a run and keeps the counters within the crop. */
struct timeline {
    struct timeline_wish wish;
    const struct cluster *cluster;
    sim_time from, to; /* the crop, [from, to) */
    bool *vcs;         /* by virtual cluster: true if it is shown */
    sim_time now;      /* time of the last move; -1: there was none */
    bool begun;        /* true once the counters at `from` are kept */
    /* All virtual clusters whose counters changed at `now` have numbers from
     * `changed_from` to `changed_to` - 1. */
    uint32_t changed_from, changed_to;
    uint8_t *holders; /* by GPU: number of jobs that hold it */
    bool *pending;    /* by job: true if it waits for GPUs */
    bool *closed;     /* by node: true if it is out of service */
    /* By virtual cluster and counter: the value now, and the last one kept. */
    uint32_t (*values)[TIMELINE_COUNTERS], (*kept)[TIMELINE_COUNTERS];
    struct timeline_count *counts; /* values kept, by time */
    size_t n_counts, cap_counts;
};

/* Checks, before the run is known, that `from` and `to` are dates or times.
 * STATUS_USAGE if one is neither. */
enum status timeline_check(const struct timeline_wish *wish,
                           struct error *err) MUST_USE;

/* Resolves the crop for a run that has been prepared, and attaches the timeline
 * to its ledger. STATUS_USAGE if the crop is empty, names an unknown virtual
 * cluster, or has an end that is neither a date nor a time; there is then
 * nothing to free. */
enum status timeline_open(struct timeline *timeline,
                          const struct timeline_wish *wish,
                          struct run_result *run, struct error *err) MUST_USE;

/* Call it when the run is over. */
void timeline_close(struct timeline *timeline);

void timeline_fini(struct timeline *timeline); /* accepts all zeroes */

/* One event of timeline.json, in the Chrome trace event format. A process is a
 * virtual cluster, the language model or a node, in this order. A track is one
 * of its threads: on a node the GPUs come first. The ids of processes and of
 * tracks begin at 1, because viewers give process 0 and thread 0 a meaning of
 * their own. No two tracks have the same id. */

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
