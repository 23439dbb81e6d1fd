/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How often the Failure Handler is right, as a law. */
#include "schedmate/simulated/simulated_internal.h"

#include "base/rng.h"
#include "models/failures/failure_truth.h"

/* F1 score and precision, by enum handler_method: SchedMate, Table 4, 7B model.
 */
static const struct published {
    double f1, precision;
} published[] = {
    [HANDLER_LOCATOR] = {.f1 = 0.677, .precision = 0.757},
    [HANDLER_LAST_LINES] = {.f1 = 0.111, .precision = 0.750},
    [HANDLER_RCACOPILOT] = {.f1 = 0.430, .precision = 0.500},
};

enum { DRAW_VERDICT, DRAW_NODE_RIGHT, DRAW_NODE };

/* Returns the recall that follows from an F1 score and a precision; 0 if no
 * recall gives them. */
static double implied_recall(double f1, double precision)
{
    double rest = 2 * precision - f1;
    return rest > 0 ? f1 * precision / rest : 0;
}

/* Returns the chance of a false alarm at which the precision comes out right,
 * at most 1; 0 if no alarm is right. `share`: share of infrastructure failures
 * among all failures, 0..1. */
static double false_alarm(double recall, double precision, double share)
{
    double right = share * recall;
    if (right <= 0)
        return 0;
    double wrong = precision > 0 ? right * (1 - precision) / precision : 1;
    return wrong < 1 - share ? wrong / (1 - share) : 1;
}

struct handler_law handler_law_of(const struct handler_settings *settings,
                                  uint64_t seed)
{
    const struct published *p = &published[settings->method];
    struct handler_law law = {
        .recall = settings->recall >= 0 ? settings->recall
                                        : implied_recall(p->f1, p->precision),
        .precision =
            settings->precision >= 0 ? settings->precision : p->precision,
        .node_right = settings->node_right,
        .stream = rng_stream(seed, "handler verdict"),
    };
    law.false_alarm = false_alarm(law.recall, law.precision, settings->share);
    return law;
}

/* Draws one of the nodes of the job. */
static node_id some_node(const struct handler_law *law,
                         const struct failure *failure)
{
    double u = keyed_uniform(law->stream, failure->key, DRAW_NODE);
    return failure->where.at[(uint32_t)(u * failure->where.count)].node;
}

void handler_judge_by_law(const struct handler_law *law,
                          const struct failure *failure,
                          struct handler_verdict *out)
{
    bool hardware = failure->truth->kind == FAILURE_INFRASTRUCTURE;
    uint64_t key = failure->key;
    *out = (struct handler_verdict){.node = NODE_NONE};
    if (keyed_uniform(law->stream, key, DRAW_VERDICT) >=
        (hardware ? law->recall : law->false_alarm))
        return;
    out->infrastructure = true;
    out->told = "infrastructure";
    bool right = hardware && keyed_uniform(law->stream, key, DRAW_NODE_RIGHT) <
                                 law->node_right;
    out->node = right ? failure->truth->node : some_node(law, failure);
}

void handler_judge_truly(const struct failure *failure,
                         struct handler_verdict *out)
{
    const struct failure_truth *truth = failure->truth;
    *out = (struct handler_verdict){.node = NODE_NONE, .told = truth->cause};
    if (truth->kind != FAILURE_INFRASTRUCTURE)
        return;
    out->infrastructure = true;
    out->node = truth->node;
}
