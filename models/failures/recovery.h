/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Recovery rules: what happens to a job that failed. The rules form a chain:
 * each one decides or passes the case to the layer below. Whether a retry
 * succeeds is not up to the rules; they say only whether the job itself was
 * corrected (ruling.uncorrected).
 *
 * A rule that decides by chance draws with keyed_uniform or keyed_normal
 * (base/rng.h) by the failure's `key`, so that the n-th failure of a job
 * gets the same draws under every policy. */
#ifndef MODELS_RECOVERY_H
#define MODELS_RECOVERY_H

#include "base/state/cluster.h"
#include "base/state/plugin.h"

enum verdict {
    VERDICT_GIVE_UP, /* the job ends as failed */
    VERDICT_RESTART, /* the job runs again from its beginning */
    VERDICT_RESUME,  /* the job goes on from its last checkpoint */
    VERDICT_N
};
/* Returns the word for the verdict: "give-up", "restart", "resume". */
const char *verdict_name(enum verdict verdict);

/* What really happened; see models/failures/failure_truth.h. */
struct failure_truth;

struct failure {
    const struct job *job;
    sim_time at;  /* when the job failed */
    sim_span ran; /* time that the failed attempt held its GPUs, >= 0 */
    /* Work that the job had done when it failed, in microseconds on the GPUs
     * that it asks for. work: since its submission, less what it has lost;
     * done: in this attempt. */
    sim_span work, done;
    /* Failures of the job so far, this one included. Preemptions do not
     * count. */
    uint32_t failures;
    uint64_t key; /* key of the draws, made from the job and the number of its
                     failure */
    struct gpu_set where; /* the GPUs that the job held when it failed */
    sim_span gap; /* time until the job was submitted again, as the trace
                     recorded it; -1: the trace does not contain this failure */
    /* The node of the job that went out of service, which every scheduler
     * can see. NODE_NONE: all nodes of the job are still in service. */
    node_id gone;
    const struct failure_truth *truth;
};

struct ruling {
    enum verdict verdict;
    /* time until a person or a program notices the failure, >= 0 */
    sim_span detected;
    sim_span delay; /* time until the job is pending again, >= detected */
    /* The one node that is taken out of service when `delay` is over, tested
     * for `test` and, if it is found to be faulty, repaired. NODE_NONE:
     * none. */
    node_id suspect;
    sim_span test;
    /* True if the job itself is not corrected. If its own code or settings have
     * failed, it then fails again at the same point of its work. */
    bool uncorrected;
    /* what the rule took for the cause, or NULL; lives as long as the run */
    const char *cause;
    /* name of the rule that decided; recovery_ask sets it if it is NULL */
    const char *by;
};

struct recovery {
    PART_OF(recovery_ops);
    struct recovery *below; /* next layer; NULL at the bottom */
};

struct recovery_ops {
    PLUGIN_HEAD;
    /* Writes the ruling, or returns false and writes nothing, to let the layer
     * below decide. If no layer decides, the job is given up. On entry, `out`
     * holds VERDICT_GIVE_UP and no suspect. `layer` has the rule's state, its
     * config and the layer below. */
    bool (*rule)(const struct recovery *layer, const struct failure *failure,
                 struct ruling *out) MUST_USE;
};

/* Asks the rules from `first`, which may be NULL, down. A layer that only adds
 * to a ruling calls this for the layer below. Leaves `out` unchanged if no rule
 * decides. */
void recovery_ask(const struct recovery *first, const struct failure *failure,
                  struct ruling *out);
/* Draws a keyed lognormal time: `median` times exp(sigma x normal), at most
 * SECONDS_MAX. `k` is the number of the draw. */
sim_span recovery_draw(uint64_t stream, const struct failure *failure,
                       uint32_t k, sim_span median, double sigma);

#endif
