/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Settings of the Failure Handler in simulated time. Table 4 of SchedMate gives
 * the F1 score F and the precision P of the handler and of its baselines on 300
 * failures, 75 of them of the infrastructure. The recall is R = F P / (2 P -
 * F):
 *
 *   handler                F1     precision  recall
 *   locator (7B)           0.677  0.757      0.612
 *   last-lines (7B)        0.111  0.750      0.060
 *   rcacopilot             0.430  0.500      0.377
 *
 * The accuracies in Table 4 do not fit these figures: it has 0.901 in the first
 * row, where 0.854 follows from F1 and precision. */
#ifndef SCHEDMATE_HANDLER_SETTINGS_H
#define SCHEDMATE_HANDLER_SETTINGS_H

#include "base/option.h"
#include "schedmate/logs/handler_method.h"

struct handler_settings {
    unsigned method; /* enum handler_method */
    /* For the fidelity calibrated: chance that a failure of the infrastructure
     * is recognised, and share of such failures among those that are taken for
     * one. -1: the figure of the method. */
    double recall, precision;
    /* Share of infrastructure failures in the set on which the precision was
     * measured. */
    double share;
    /* Chance that a right alarm blames the node at fault; else it blames a
     * random node of the job. */
    double node_right;
    /* Shortest and longest time until a failure is noticed, and until the node
     * is found and isolated. If the longest time is below the shortest, the
     * shortest is taken. */
    sim_span detect, detect_max, isolate, isolate_max;
    sim_span reload; /* time to start the job again from its checkpoint */
    sim_span test;   /* time for which an isolated node is tested */
    /* a restarted job that does this much work beyond the point where it failed
     * has recovered; 0: every restarted job has recovered */
    sim_span again;
    uint32_t restarts, attempts;
};

#define HANDLER_TIMES \
    "assumed (docs/failures.md): SchedMate publishes no times of recovery"

/* Rows of a table of options; `type` has a field `handler`. */
#define HANDLER_SETTINGS(type) \
    OPT_CHOICE(type, handler.method, "handler", HANDLER_LOCATOR, \
               handler_methods, \
               "how the handler judges the log of a failed job. locator: by " \
               "the lines around the first error; last-lines: by the last " \
               "500 lines; rcacopilot: by comparison with earlier failures", \
               "SchedMate, Table 4"), \
        OPT_DOUBLE( \
            type, handler.recall, "recall", -1, -1, 1, \
            "handler, calibrated: chance that a failure of the " \
            "infrastructure is recognised; -1: 0.612 with the locator, 0.060 " \
            "with last-lines, 0.377 with rcacopilot", \
            "calibrated: implied by F1 and precision in SchedMate, Table 4 " \
            "(7B)", \
            OPT_WHEN("fidelity=calibrated")), \
        OPT_DOUBLE(type, handler.precision, "precision", -1, -1, 1, \
                   "handler, calibrated: share of infrastructure failures " \
                   "among those taken for one; -1: 0.757 with the locator, " \
                   "0.750 with last-lines, 0.500 with rcacopilot", \
                   "calibrated: SchedMate, Table 4 (7B)", \
                   OPT_WHEN("fidelity=calibrated")), \
        OPT_DOUBLE(type, handler.share, "infrastructure", 0.25, 0.001, 0.999, \
                   "handler, calibrated: share of infrastructure failures in " \
                   "the set on which `precision` was measured", \
                   "SchedMate, 5.4: 75 of 300", \
                   OPT_WHEN("fidelity=calibrated")), \
        OPT_DOUBLE(type, handler.node_right, "node_right", 0.9, 0, 1, \
                   "handler, calibrated: chance that the node that it names " \
                   "is the one at fault", \
                   "assumed: not published", OPT_WHEN("fidelity=calibrated")), \
        OPT_SPAN(type, handler.detect, "detect_s", 60, 0, 86400, \
                 "handler: shortest time until it notices a failure", \
                 HANDLER_TIMES), \
        OPT_SPAN(type, handler.detect_max, "detect_max_s", 300, 0, 86400, \
                 "handler: longest time until it notices a failure; if below " \
                 "detect_s, it always takes detect_s", \
                 HANDLER_TIMES), \
        OPT_SPAN(type, handler.isolate, "isolate_s", 60, 0, 86400, \
                 "handler: shortest time to find and isolate the node at " \
                 "fault", \
                 HANDLER_TIMES), \
        OPT_SPAN(type, handler.isolate_max, "isolate_max_s", 600, 0, 86400, \
                 "handler: longest time to find and isolate that node; if " \
                 "below isolate_s, it always takes isolate_s", \
                 HANDLER_TIMES), \
        OPT_SPAN(type, handler.reload, "reload_s", 300, 0, 86400, \
                 "handler: time to submit the job again with its checkpoint; " \
                 "use 0 with an overhead model that has restart_s", \
                 HANDLER_TIMES), \
        OPT_SPAN(type, handler.test, "test_s", 300, 0, 86400, \
                 "handler: time for which the isolated node is tested", \
                 "assumed: five minutes for nccl-tests"), \
        OPT_U32( \
            type, handler.restarts, "restarts", 3, 1, 200, \
            "handler: times in a row that it restarts a job which does not " \
            "recover; then it leaves the job to the layer below", \
            "assumed; SchedMate tells the user if a restart fails, but not " \
            "after how many"), \
        OPT_SPAN(type, handler.again, "again_s", 3600, 0, SECONDS_MAX, \
                 "handler: work by which a restarted job must get beyond " \
                 "where it failed, to have recovered; 0: each has", \
                 "assumed: two intervals of checkpoints"), \
        OPT_U32(type, handler.attempts, "attempts", 1000, 1, 60000, \
                "handler: number of failures at which a job is left to the " \
                "layer below", \
                "assumed: no limit in practice; ends endless repetition")

#endif
