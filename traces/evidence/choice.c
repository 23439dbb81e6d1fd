/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/evidence/choice.h"

#include <math.h>

#include "base/check.h"
#include "base/rng.h"

uint32_t repo_draw(struct repo_draws *draws, uint32_t n)
{
    uint32_t k = draws->k++;
    double at = keyed_uniform(draws->stream, draws->key, k) * n;
    return at < n ? (uint32_t)at : n - 1;
}

struct repo_choice repo_choice_new(const struct repositories *all,
                                   const struct repo_task *task,
                                   struct repo_draws draws)
{
    struct repo_choice choice = {
        .task = task,
        .branch = all->branches[repo_draw(&draws, all->n_branches)],
        .command = repo_draw(&draws, task->n_commands),
        .batch = repo_draw(&draws, task->n_batches),
    };
    for (uint32_t i = 0; i < task->n_knobs; i++)
        choice.values[i] = repo_draw(&draws, task->knobs[i].n);
    return choice;
}

/* Draws an index below n other than `old`; returns `old` if n is 1. */
static uint32_t another(struct repo_draws *draws, uint32_t old, uint32_t n)
{
    return n > 1 ? (old + 1 + repo_draw(draws, n - 1)) % n : old;
}

void repo_choice_vary(const struct repositories *all,
                      struct repo_choice *choice, struct repo_draws draws)
{
    const struct repo_task *task = choice->task;
    uint32_t k = draws.k++;
    double at = keyed_uniform(draws.stream, draws.key, k);
    if (at < all->repeat)
        return;
    uint32_t knob = repo_draw(&draws, task->n_knobs + 1);
    if (knob == task->n_knobs)
        choice->batch = another(&draws, choice->batch, task->n_batches);
    else
        choice->values[knob] =
            another(&draws, choice->values[knob], task->knobs[knob].n);
}

static void choice_write_value(const struct repo_choice *choice,
                               struct text name, uint32_t gpus,
                               uint32_t node_gpus, struct out *out)
{
    const struct repo_task *task = choice->task;
    const struct {
        const char *name;
        uint32_t value;
    } numbers[] = {
        {"batch", task->batches[choice->batch].size},
        {"gpus", gpus},
        {"nodes", (gpus + node_gpus - 1) / node_gpus},
        {"node_gpus", gpus < node_gpus ? gpus : node_gpus},
    };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        if (text_is(name, numbers[i].name)) {
            out_u64(out, numbers[i].value);
            return;
        }
    }
    for (uint32_t i = 0; i < task->n_knobs; i++) {
        if (text_is(name, task->knobs[i].name)) {
            out_text(out, task->knobs[i].values[choice->values[i]]);
            return;
        }
    }
    out_printf(out, "{%.*s}", TEXT_ARGS(name));
}

void repo_choice_write(const struct repo_choice *choice, uint32_t gpus,
                       uint32_t node_gpus, struct out *out)
{
    struct text rest = text_from(choice->task->commands[choice->command]);
    while (rest.len) {
        struct text plain = text_split(rest, '{', &rest);
        out_bytes(out, plain.at, plain.len);
        if (!rest.len)
            break;
        struct text name = text_split(rest, '}', &rest);
        choice_write_value(choice, name, gpus, node_gpus, out);
    }
}

static uint64_t at_least_one(double x)
{
    return x < 1 ? 1 : (uint64_t)x;
}

void repo_choice_log(const struct repositories *all,
                     const struct repo_choice *choice, uint32_t gpus,
                     struct evidence_log *out)
{
    const struct repo_task *task = choice->task;
    const struct repo_knob *knob = &task->knobs[task->length];
    double length, batch = task->batches[choice->batch].size;
    bool number = text_to_double(
        text_from(knob->values[choice->values[task->length]]), &length);
    CHECK(number);
    if (!task->batch_per_job)
        batch *= (double)at_least_one((double)gpus / task->gpus_per_rank);
    double items = task->items_per_step;
    uint64_t epoch = at_least_one(
        task->samples / (items > 0 && task->batch_per_job ? items : batch));
    uint64_t steps =
        at_least_one(items > 0 ? ceil(length / items) : length * (double)epoch);
    *out = (struct evidence_log){
        .style = task->style,
        .step_time = task->step_time,
        .step_s = task->batches[choice->batch].step_s *
                  (1 + all->communication * log2(gpus)),
        .start_s = task->start_s,
        .steps = steps,
        .steps_per_epoch = epoch,
        .log_every = task->log_every ? task->log_every : epoch,
        .batch_size = at_least_one(batch),
    };
}
