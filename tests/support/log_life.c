/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/support/log_life.h"

static void draw_kind(gsl_rng *rng, struct log_kind *kind)
{
    uint32_t n = 0;
    while (log_style_name(n))
        n++;
    const char *style = log_style_name(rng_below(rng, n));
    *kind = (struct log_kind){
        .style = log_style_find(text_from(style)),
        .step_s = 0.01 + 3 * gsl_rng_uniform(rng),
        .epoch_steps = 1 + rng_below(rng, 300),
        .steps = 1 + rng_below(rng, 100000),
        .log_every = 1 + (uint32_t)rng_below(rng, 40),
        .nodes = 1 + (uint32_t)rng_below(rng, 12),
        .batch = 1 + (uint32_t)rng_below(rng, 512),
        .model = "resnet50",
        .dataset = "imagenet",
        .prints_time = rng_below(rng, 4) > 0,
        .noise = rng_below(rng, 3) ? LOG_STANDARD : LOG_NOISY,
        .jitter = rng_below(rng, 2) ? 0.05 : 0,
    };
    kind->gpus = kind->nodes * (1 + (uint32_t)rng_below(rng, 8));
}

/* Draws the segments of an attempt that begins at time `at`, when `work` is
 * already done. */
static void draw_attempt(gsl_rng *rng, struct log_attempt *a,
                         struct log_segment *segments, sim_time at,
                         sim_span work)
{
    a->segments = segments;
    a->n_segments = 1 + rng_below(rng, 4);
    for (size_t i = 0; i < a->n_segments; i++) {
        double speed = rng_below(rng, 3) ? 0.3 + gsl_rng_uniform(rng) : 0;
        sim_span span = (sim_span)rng_below(rng, 200) * SPAN_SECOND +
                        (sim_span)rng_below(rng, 1000000);
        segments[i] =
            (struct log_segment){.at = at, .work = work, .speed = speed};
        at += span;
        work += (sim_span)(speed * (double)span);
    }
    a->until = at;
}

void log_life_draw(gsl_rng *rng, struct log_life *life)
{
    *life = (struct log_life){
        .source = {.key = rng_below(rng, UINT32_MAX),
                   .zero = (sim_time)rng_below(rng, 20000) * SPAN_DAY,
                   .attempts = life->attempts,
                   .n_attempts = 1 + rng_below(rng, 2),
                   .hostile = rng_below(rng, 2) == 0},
    };
    draw_kind(rng, &life->source.kind);
    for (uint32_t i = 0; i < 16; i++)
        life->hosts[i] = 7 * i + 3;
    sim_time at = 0;
    for (uint32_t i = 0; i < life->source.n_attempts; i++) {
        struct log_attempt *a = &life->attempts[i];
        draw_attempt(rng, a, life->segments[i], at,
                     (sim_span)rng_below(rng, 1000) * SPAN_SECOND);
        at = a->until;
        a->number = i + 1;
        a->hosts = rng_below(rng, 2) ? life->hosts : NULL;
        a->end = (enum log_end)rng_below(rng, 4);
        a->failure = (struct log_failure){
            .fault = (enum log_fault)rng_below(rng, LOG_N_FAULTS),
            .node =
                rng_below(rng, 2) ? NODE_NONE : (node_id)rng_below(rng, 20)};
    }
}
