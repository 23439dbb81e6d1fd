/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads the recorded allocation problems of Sia. */
#include "tests/support/ilp.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

static uint32_t count_at(const json_t *object, const char *member)
{
    return (uint32_t)json_integer_value(json_object_get(object, member));
}

static const char *text_at(const json_t *object, const char *member)
{
    const char *text = json_string_value(json_object_get(object, member));
    return text ? text : "";
}

static int64_t hundredths(const json_t *number)
{
    return llround(100 * json_number_value(number));
}

static void read_space(const json_t *file, struct choice_problem *p)
{
    const json_t *types = json_object_get(file, "gpu_types");
    const json_t *configs = json_object_get(file, "configs");
    p->n_types = (uint32_t)json_array_size(types);
    p->n_configs = (uint32_t)json_array_size(configs);
    uint32_t *capacity = mem_zalloc(p->n_types + 1, sizeof *capacity);
    struct choice_config *list = mem_zalloc(p->n_configs + 1, sizeof *list);
    for (uint32_t t = 0; t < p->n_types; t++)
        capacity[t] = count_at(json_array_get(types, t), "gpus");
    for (uint32_t c = 0; c < p->n_configs; c++) {
        const json_t *config = json_array_get(configs, c);
        list[c].gpus = count_at(config, "gpus");
        while (list[c].type + 1 < p->n_types &&
               strcmp(text_at(json_array_get(types, list[c].type), "name"),
                      text_at(config, "gpu_type")) != 0)
            list[c].type++;
    }
    p->capacity = capacity;
    p->configs = list;
}

static void read_jobs(const json_t *jobs, struct choice_problem *p)
{
    uint32_t n = (uint32_t)json_array_size(jobs);
    int32_t *cost = mem_zalloc((size_t)n * p->n_configs + 1, sizeof *cost);
    uint32_t *current = mem_zalloc(n + 1, sizeof *current);
    bool *forced = mem_zalloc(n + 1, sizeof *forced);
    for (uint32_t j = 0; j < n; j++) {
        const json_t *job = json_array_get(jobs, j);
        const json_t *costs = json_object_get(job, "cost");
        for (uint32_t c = 0; c < p->n_configs; c++)
            cost[(size_t)j * p->n_configs + c] =
                (int32_t)hundredths(json_array_get(costs, c));
        current[j] = json_is_integer(json_object_get(job, "current_config"))
                         ? count_at(job, "current_config")
                         : CHOICE_NONE;
        forced[j] = json_is_true(json_object_get(job, "forced"));
    }
    p->n_jobs = n;
    p->cost = cost;
    p->current = current;
    p->forced = forced;
}

bool ilp_read(const char *path, struct ilp_set *out)
{
    json_t *file = json_load_file(path, 0, NULL);
    const json_t *rounds = json_object_get(file, "rounds");
    size_t n = json_array_size(rounds);
    *out = (struct ilp_set){.rounds = mem_zalloc(n + 1, sizeof *out->rounds)};
    for (; out->n_rounds < n; out->n_rounds++) {
        const json_t *recorded = json_array_get(rounds, out->n_rounds);
        struct ilp_round *round = &out->rounds[out->n_rounds];
        round->problem.none_cost =
            (int32_t)hundredths(json_object_get(file, "lambda_n"));
        read_space(file, &round->problem);
        read_jobs(json_object_get(recorded, "jobs"), &round->problem);
        round->optimum = hundredths(json_object_get(recorded, "optimum"));
        round->relaxed =
            100 * json_number_value(json_object_get(recorded, "lp_bound"));
    }
    json_decref(file);
    return n > 0;
}

/* Frees an array of a problem. The pointer is const because the solver must not
 * change the array. */
static void release(const void *memory)
{
    free((void *)(uintptr_t)memory);
}

void ilp_free(struct ilp_set *set)
{
    for (uint32_t i = 0; i < set->n_rounds; i++) {
        const struct choice_problem *p = &set->rounds[i].problem;
        release(p->configs);
        release(p->capacity);
        release(p->cost);
        release(p->current);
        release(p->forced);
    }
    free(set->rounds);
    *set = (struct ilp_set){0};
}
