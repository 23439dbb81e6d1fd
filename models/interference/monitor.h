/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Monitors watch jobs that share GPUs. The engine tells the monitor of a run
 * when a job (the guest) starts on GPUs that another job (the resident) holds.
 * It asks the monitor again at the time that the monitor names, and evicts the
 * guest if the monitor says so. A job that was evicted once never shares GPUs
 * again.
 *
 * The engine keeps one company for each pair of resident and guest: a gang that
 * joins the GPUs of three jobs begins three companies. A company lasts until
 * the monitor asks for no look, decides against an eviction, or evicts, or
 * until one of the two attempts ends or moves to other GPUs. The monitor is not
 * told that a company ended.
 *
 * The speeds in a sighting are exact. A monitor whose measurements have an
 * error adds the error. It draws with keyed_uniform or keyed_normal
 * (base/rng.h) by the ids and the attempts of the two jobs, so that a draw
 * does not depend on the order of the looks. */
#ifndef MODELS_MONITOR_H
#define MODELS_MONITOR_H

#include "base/state/gpu_set.h"
#include "base/state/plugin.h"

/* The progress of a resident at one time, as its log would show it. */
struct sighting {
    /* work per time, divided by the work per time of the resident alone on the
     * same GPUs; 1 if no other job slows it down; may exceed 1 */
    double rel_speed;
    sim_span work; /* work done since the submission and not lost since, us */
};

struct company {
    /* The two jobs. As long as the company lasts, their field `attempts` does
     * not change. */
    const struct job *resident, *guest;
    /* numbers of the two starts among all starts of the run
     * (allocation.serial) */
    uint64_t resident_serial, guest_serial;
    sim_time joined; /* time at which the guest started */
    sim_time ready;  /* time at which the guest begins to work, >= joined */
    /* Progress of the resident when the guest started. The relative speed
     * counts only the jobs that started on its GPUs before the guest. */
    struct sighting before;
    /* Relative speed of the resident after the guest has joined, if no other
     * job comes or goes. From this speed a monitor computes when the resident
     * will have done a number of steps. */
    double beside;
    struct gpu_set where; /* GPUs of the resident; valid during a call only */
    /* Figure that only the monitor uses, such as what it measured; 0 at first.
     * If it is a pointer, the engine does not free it. */
    uint64_t kept;
};

struct judgement {
    bool evict;      /* true: the guest leaves its GPUs */
    bool keeps_work; /* true: the guest keeps the work that it has done */
    bool bar_host;   /* true: the resident never shares GPUs again either */
    /* When the eviction happens, >= now. Without effect if the company has
     * ended by then. */
    sim_time at;
    const char *why; /* cause, for timeline.json; lives as long as the run */
};

struct monitor_ops {
    PLUGIN_HEAD;
    /* Called when the company begins. Returns the time of the look, >= joined;
     * TIME_NEVER: no look. */
    sim_time (*joined)(void *self, struct company *company);
    /* Called at the time of the look, at most once for a company. `now`:
     * progress of the resident beside all jobs on its GPUs. On entry,
     * out->evict is false and out->at is the present time. */
    void (*look)(void *self, struct company *company,
                 const struct sighting *now, struct judgement *out);
};

struct monitor {
    PART_OF(monitor_ops); /* ops NULL: no job is watched */
};

#endif
