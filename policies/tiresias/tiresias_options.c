/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The settings of policy tiresias. */
#include "policies/tiresias/tiresias.h"

static const char *const auto_of_names[] = {"service", "jobs", NULL};
static const char *const service_names[] = {"gpu-time", "time", NULL};
static const char *const leave_names[] = {"reached", "exceeded", NULL};
static const char *const within_names[] = {"submission", "running-first", NULL};
static const char *const wakes_names[] = {"exact", "divided", NULL};
static const char *const aware_names[] = {"none", "queue", NULL};
static const char *const index_names[] = {"none", "gittins", "simulator", NULL};

const struct option tiresias_options[] = {
    OPT_TEXT(struct tiresias_config, queues, "queues", "18000/180000",
             "service at which a job leaves each queue but the last: seconds, "
             "divided by '/' or ','; auto: limits that follow the service of "
             "the jobs that have ended so far, those of --train included",
             "18000: Lucid's simulator; a tenfold second limit: assumed, "
             "because with it no recorded trace is more than 10 % slower than "
             "with the best of four published lists (docs/defaults.md). "
             "Tiresias' simulator: 3250/7200; auto: "
             "policies/tiresias/tiresias_limits.c"),
    OPT_CHOICE(struct tiresias_config, auto_of, "auto_of", AUTO_OF_SERVICE,
               auto_of_names,
               "queues=auto: limits are quantiles of the service of the jobs "
               "that have ended so far, or of their number",
               "service: each queue ends as much work, as SITA-E splits sizes "
               "(Crovella, Harchol-Balter and Murta, 1998)",
               OPT_WHEN("queues=auto")),
    OPT_TEXT(struct tiresias_config, quantiles, "auto_quantiles", "0.333/0.667",
             "queues=auto: the quantiles, divided by '/'",
             "equal parts, for the three queues of Tiresias' simulator",
             OPT_WHEN("queues=auto")),
    OPT_U32(struct tiresias_config, auto_least, "auto_least", 30, 1, 1000000000,
            "jobs that must have ended before queues=auto follows them",
            "assumed", OPT_WHEN("queues=auto")),
    OPT_TEXT(struct tiresias_config, auto_start, "auto_start", "3250/7200",
             "limits until then, written as for queues",
             "Tiresias' simulator, for its authors' cluster",
             OPT_WHEN("queues=auto")),
    OPT_CHOICE(struct tiresias_config, service, "service", SERVICE_GPU_TIME,
               service_names,
               "what counts as the service of a job: its GPU "
               "time, or its time on GPUs",
               NULL),
    OPT_CHOICE(struct tiresias_config, leave, "leave", LEAVE_REACHED,
               leave_names,
               "demote a job when its service reaches the limit, or only when "
               "it exceeds it",
               "exceeded: Lucid's simulator"),
    OPT_DOUBLE(
        struct tiresias_config, promote, "promote", 0, 0, 1e6,
        "a job that has waited this many times as long as it has run, in whole "
        "seconds, goes back to the first queue; 0: none does. If a stop costs "
        "more than the limit of the first queue, jobs may never end",
        "Tiresias' simulator: 0.5 to 1000"),
    OPT_SPAN(struct tiresias_config, round, "round_s", 0, 0, 86400,
             "length of a round: the policy acts only at multiples of this; "
             "0: at each event",
             "0: Tiresias' simulator; Lucid's: 60"),
    OPT_SPAN(struct tiresias_config, phase, "round_phase_s", 0, 0, 86400,
             "time of the first round; 0: the first submission", NULL,
             OPT_WHEN("round_s!=0")),
    OPT_CHOICE(struct tiresias_config, within, "within", WITHIN_SUBMISSION,
               within_names, "order within a queue",
               "running-first: Tiresias' simulator", OPT_WHEN("index=none")),
    OPT_CHOICE(struct tiresias_config, wakes, "wakes", WAKES_EXACT, wakes_names,
               "when to check whether a job leaves its queue. exact: at the "
               "instant at which it reaches the limit; divided: after (limit "
               "- time that it has run) / GPUs, which is too late",
               "divided: Tiresias' simulator"),
    OPT_CHOICE(struct tiresias_config, index, "index", INDEX_NONE, index_names,
               "rank within a queue: none, the Gittins index, or the index "
               "that Tiresias' simulator uses in its place",
               NULL),
    OPT_CHOICE(
        struct tiresias_config, aware, "aware", AWARE_NONE, aware_names,
        "what believed run times (--estimators) are used for; queue: a job "
        "waits in the queue in which it is believed to end, and a running job "
        "is not demoted while it is believed to need less than the limit of "
        "its queue",
        "SchedMate's poster plans it without a rule; the rule is assumed"),
    OPT_PATH(struct tiresias_config, samples, "samples", "",
             "CSV file of services for the index; none: the services of the "
             "jobs that have ended",
             NULL, OPT_WHEN("index!=none")),
    OPT_SPAN(struct tiresias_config, delta, "delta_s", 3250, 1, SECONDS_MAX,
             "how far the index of Tiresias' simulator looks ahead",
             "Tiresias' simulator", OPT_WHEN("index=simulator")),
    OPT_CHOICE(
        struct tiresias_config, preempt, "preempt", ORDER_PREEMPT_NEEDED,
        order_preempt_names,
        "which running jobs are stopped to make room: those needed, or all "
        "that are over the quota",
        "quota: Lucid's and Tiresias' simulators"),
    {0},
};
