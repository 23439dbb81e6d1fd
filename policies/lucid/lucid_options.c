/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The options of policy lucid, and the sources of their numbers. */
#include "policies/lucid/lucid.h"

static const char *const sharing_names[] = {"dynamic", "on", "off", NULL};
static const char *const walks_names[] = {"settled", "once", NULL};
static const char *const unknown_names[] = {"pace", "util", NULL};
static const char *const profiling_names[] = {"before", "none", "parallel",
                                              NULL};

#define SIMULATOR "Lucid's simulator"
#define ANALYSER "Lucid's simulation/analyzer: classes by mean pace in pairs"

/* The two limits of utilisation come from a decision tree of depth 2, fitted to
 * the published classes of Lucid's 66 workloads. Share of workloads that the
 * tree classifies correctly:
 *
 *     in sample              0.803
 *     leaving out one        0.773
 *     leaving out a model    0.788
 *
 * With memory and memory bandwidth added, the tree fits better but predicts
 * worse. Classes by mean speed in pairs, which Lucid's analysis script takes
 * for labels, cannot be learned from the 56 workloads that were measured in
 * pairs: the share is 0.286 with one left out. */
#define LUCID_OPTIONS_FIT "bench/fit_sharing.py, Lucid's single_data.csv"

const struct option lucid_options[] = {
    OPT_U32(struct lucid_config, pair_gpus, "pair_gpus", 8, 0, 1000000,
            "jobs of more GPUs do not share; 0: no job does", SIMULATOR),
    OPT_U32(struct lucid_config, score_sum, "score_sum", 2, 0, 4,
            "largest sum of the sharing scores of a pair (Tiny 0, Medium 1, "
            "Jumbo 2)",
            "Lucid, section 3.4"),
    OPT_DOUBLE(struct lucid_config, tiny_util, "tiny_util", 25, 0, 100,
               "below this GPU utilisation a job is Tiny, if its class is not "
               "known otherwise",
               LUCID_OPTIONS_FIT),
    OPT_DOUBLE(struct lucid_config, medium_util, "medium_util", 60.33, 0, 100,
               "otherwise it is Medium below this GPU utilisation, and Jumbo "
               "from it on",
               LUCID_OPTIONS_FIT),
    OPT_CHOICE(struct lucid_config, unknown, "unknown", LUCID_UNKNOWN_BY_SPEED,
               unknown_names,
               "class of a job of unknown utilisation: by its relative speed "
               "beside a job like itself, by the model of --belief; or by the "
               "utilisation that the estimator assumes",
               SIMULATOR ": every workload is known"),
    OPT_DOUBLE(struct lucid_config, tiny_speed, "tiny_pace", 0.95, 0, 10,
               "a job of unknown utilisation is Tiny if its relative speed "
               "beside a job like itself is at least this",
               ANALYSER, OPT_WHEN("unknown=pace")),
    OPT_DOUBLE(struct lucid_config, medium_speed, "medium_pace", 0.85, 0, 10,
               "otherwise it is Medium if that relative speed is at least "
               "this, and Jumbo if it is lower",
               ANALYSER, OPT_WHEN("unknown=pace")),
    OPT_DOUBLE(
        struct lucid_config, ratio, "ratio", 2, 0.01, 1e6,
        "a job joins another only if its believed time <= ratio x the other's",
        SIMULATOR),
    OPT_DOUBLE(struct lucid_config, memory_mib, "memory_mib", 0, 0, 1e9,
               "memory of a GPU in MiB; a pair must need less. 0: the memory "
               "that the cluster states for the GPU",
               SIMULATOR ": 24576"),
    OPT_BOOL(struct lucid_config, later_alone, "later_alone", true,
             "a job whose partner has ended is alone again and may be joined",
             SIMULATOR ": false, a defect"),
    OPT_BOOL(
        struct lucid_config, idle_first, "idle_first", true,
        "a job that fits on idle GPUs does not join another",
        "Lucid, Indolent Packing: jobs are packed inactively (its authors' "
        "answer to reviewers); their simulator: false"),
    OPT_CHOICE(struct lucid_config, sharing, "sharing", LUCID_SHARING_DYNAMIC,
               sharing_names,
               "whether jobs share; dynamic: unless few submissions are "
               "expected (--forecast)",
               "Lucid, section 3.4"),
    OPT_DOUBLE(struct lucid_config, quiet_jobs, "quiet_jobs", 2, 0, 1e9,
               "no job shares while at most this many submissions are expected "
               "in 10 minutes, on a cluster of quiet_gpus GPUs",
               SIMULATOR, OPT_WHEN("sharing=dynamic")),
    OPT_U32(struct lucid_config, quiet_gpus, "quiet_gpus", 1080, 0, 10000000,
            "size of the cluster for which quiet_jobs holds; on others it is "
            "scaled in proportion; 0: it holds on any",
            SIMULATOR ": Venus, 135 nodes of 8 GPUs",
            OPT_WHEN("sharing=dynamic")),
    OPT_SPAN(struct lucid_config, switch_period, "switch_s", 100, 1, 86400,
             "sharing is switched on and off at multiples of this", SIMULATOR,
             OPT_WHEN("sharing=dynamic")),
    OPT_CHOICE(struct lucid_config, walks, "walks", LUCID_WALKS_SETTLED,
               walks_names,
               "the queue is walked until no job starts, or once a second",
               SIMULATOR ": once"),
    OPT_CHOICE(struct lucid_config, profiling, "profiling",
               LUCID_PROFILING_BEFORE, profiling_names,
               "before: a job is scheduled after it was profiled; parallel: "
               "all jobs are profiled in a simulation before the run, at no "
               "cost to jobs that do not end while they are profiled",
               SIMULATOR ": parallel"),
    PROFILER_OPTIONS(struct lucid_config, profiler),
    OPT_U32(struct lucid_config, profile_nodes, "profile_nodes", 2, 1, 65535,
            "profiling=parallel: number of profiler nodes in use at first; "
            "more are used, if there are any, while many jobs wait "
            "(up_waiting)",
            SIMULATOR, OPT_WHEN("profiling=parallel")),
    OPT_U32(struct lucid_config, up_waiting, "up_waiting", 10, 0, 1000000,
            "profiling=parallel: the profiler uses one node more if more jobs "
            "than this wait for a profile",
            SIMULATOR, OPT_WHEN("profiling=parallel")),
    OPT_SPAN(struct lucid_config, up_period, "up_s", 10, 1, 86400,
             "profiling=parallel: time between two of these checks", SIMULATOR,
             OPT_WHEN("profiling=parallel")),
    OPT_U32(struct lucid_config, down_waiting, "down_waiting", 5, 0, 1000000,
            "profiling=parallel: the profiler uses one node less if fewer "
            "jobs than this wait for a profile",
            SIMULATOR, OPT_WHEN("profiling=parallel")),
    OPT_SPAN(struct lucid_config, down_period, "down_s", 100, 1, 86400,
             "profiling=parallel: time between two of these checks", SIMULATOR,
             OPT_WHEN("profiling=parallel")),
    OPT_U32(struct lucid_config, down_factor, "down_factor", 5, 0, 1000000,
            "profiling=parallel: the profiler uses one node less only if jobs "
            "are expected to ask in 10 minutes for at most this times "
            "profile_max_gpus GPUs",
            SIMULATOR, OPT_WHEN("profiling=parallel")),
    OPT_TEXT(struct lucid_config, echo_vc, "echo_vc", "",
             "profiling=parallel: virtual cluster that lends the profiler its "
             "node; empty: none does",
             SIMULATOR ": Venus vcYVn", OPT_WHEN("profiling=parallel")),
    {0},
};
