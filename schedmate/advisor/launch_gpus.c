/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Counts the processes and the GPUs of a launch. */
#include <string.h>

#include "base/ascii.h"
#include "schedmate/advisor/launch_internal.h"

static const char *variable(const struct launch *launch, const char *name)
{
    size_t n = strlen(name);
    for (size_t i = launch->n_env; i-- > 0;) {
        if (strncmp(launch->env[i], name, n) == 0 && launch->env[i][n] == '=')
            return launch->env[i] + n + 1;
    }
    return NULL;
}

/* Returns the number of devices in a list such as 0,1,2 or GPU-x,GPU-y or 0-3;
 * 0 if the list is NULL, empty or unknown, or begins with a minus sign. */
static uint32_t devices(const char *list)
{
    uint32_t n = 0, a, b;
    if (!list || !list[0] || shell_is_unknown(list) || list[0] == '-')
        return 0;
    while (*list) {
        size_t len = strcspn(list, ",");
        const char *dash = memchr(list, '-', len);
        bool range =
            dash && ascii_is_digit(list[0]) && dash[1] &&
            text_to_u32((struct text){list, (size_t)(dash - list)}, &a) &&
            text_to_u32(
                (struct text){dash + 1, len - (size_t)(dash + 1 - list)}, &b) &&
            b >= a && b - a < 64;
        n += range ? b - a + 1 : len > 0;
        list += len + (list[len] == ',');
    }
    return n;
}

/* Returns the value of the first argument of the script that has one of the
 * names; NULL if there is none. A dotted argument has the name after its last
 * dot. */
static const char *argument(const struct launch *launch,
                            const char *const *keys, size_t n_keys)
{
    for (size_t i = 0; i < launch->n_words; i++) {
        const char *word = launch->words[i];
        while (*word == '-' || *word == '+')
            word++;
        size_t len = strcspn(word, "=");
        const char *dot = memrchr(word, '.', len);
        struct text key = {dot ? dot + 1 : word,
                           len - (dot ? (size_t)(dot + 1 - word) : 0)};
        char name[64];
        size_t n = 0;
        for (; n < key.len && n < sizeof name - 1; n++)
            name[n] = key.at[n] == '-' ? '_' : key.at[n];
        name[n] = '\0';
        for (size_t k = 0; k < n_keys; k++) {
            if (strcmp(name, keys[k]) != 0)
                continue;
            if (word[len] == '=')
                return word + len + 1;
            if (word != launch->words[i] && i + 1 < launch->n_words)
                return launch->words[i + 1];
        }
    }
    return NULL;
}

#define ARGUMENT(launch, keys) \
    argument(launch, keys, sizeof keys / sizeof *keys)

/* Returns the product of the sizes of the kinds of parallelism that split one
 * copy of the model; 1 if the arguments give none. */
static uint32_t of_one_copy(const struct launch *launch)
{
    static const char *const tensor[] = {"tensor_model_parallel_size",
                                         "tensor_parallel_size", "tp_size",
                                         "tensor_parallel", "tp"};
    static const char *const pipeline[] = {
        "pipeline_model_parallel_size", "pipeline_parallel_size", "pp_size",
        "pipe_parallel_size",           "pipeline_parallel",      "pp"};
    static const char *const context[] = {"context_parallel_size", "cp_size",
                                          "context_parallel"};
    const char *values[] = {ARGUMENT(launch, tensor),
                            ARGUMENT(launch, pipeline),
                            ARGUMENT(launch, context)};
    uint32_t product = 1, n;
    for (size_t i = 0; i < 3; i++) {
        if (launch_number(values[i], &n) && n <= 4096)
            product *= n;
    }
    return product;
}

static uint32_t product(uint32_t a, uint32_t b)
{
    uint64_t all = (uint64_t)a * b;
    return all <= 1000000 ? (uint32_t)all : 0;
}

/* Returns the device or list of devices that an argument names: "0" for 0,
 * "0,1" for 0,1, "3" for cuda:3. Any other whole number may be a number of GPUs
 * and does not count. Returns NULL if no argument names a device. */
static const char *named_device(const struct launch *launch)
{
    static const char *const names[] = {"gpu", "device", "cuda"};
    const char *device = ARGUMENT(launch, names);
    if (!device)
        return NULL;
    if (strncmp(device, "cuda:", 5) == 0)
        return ascii_is_digit(device[5]) ? device + 5 : NULL;
    bool sure = strcmp(device, "0") == 0 || strchr(device, ',') != NULL;
    return sure && ascii_is_digit(device[0]) ? device : NULL;
}

/* Sets the numbers of nodes and GPUs that arguments of the script give, unless
 * they are known. */
static void count_arguments(struct launch *launch, struct launch_counts *c)
{
    static const char *const gpus[] = {"gpus",    "num_gpus", "n_gpus",
                                       "ngpus",   "n_gpu",    "num_gpu",
                                       "devices", "gpu_num",  "gpu_count"};
    static const char *const ids[] = {"gpu_id",      "gpu_ids",    "device_id",
                                      "gpu_list",    "device_ids", "gpuid",
                                      "visible_gpus"};
    static const char *const nodes[] = {"num_nodes", "nnodes", "n_nodes"};
    const char *value = ARGUMENT(launch, nodes);
    uint32_t n = 0;
    if (!c->nodes && launch_number(value, &n))
        c->nodes = n;
    const char *list = ARGUMENT(launch, ids);
    list = list ? list : named_device(launch);
    value = ARGUMENT(launch, gpus);
    if (value && strchr(value, ','))
        list = value;
    if (c->gpus || c->gpus_per_node || (!list && !value))
        return;
    if (list)
        n = devices(list + (list[0] == '['));
    else if (!launch_number(value, &n))
        return;
    if (c->nodes > 1)
        c->gpus_per_node = n;
    else
        c->gpus = n;
}

/* Computes the counts that are not given from those that the launcher and the
 * batch system give. Each process of a launcher is assumed to have one GPU. */
static void complete(struct launch *launch, struct launch_counts *c)
{
    uint32_t nodes = c->nodes ? c->nodes : 1;
    const char *launcher = launch->launcher ? launch->launcher : "python";
    if (c->per_node && !c->processes)
        c->processes = product(c->per_node, nodes);
    if (!c->gpus && c->gpus_per_node)
        c->gpus = product(c->gpus_per_node, nodes);
    if (!c->gpus)
        c->gpus = product(c->gpus_per_task, c->processes);
    if (!c->gpus && !launch_listed("python jupyter", launcher))
        c->gpus = c->processes;
    if (!c->gpus_per_node && c->nodes && c->gpus && c->gpus % c->nodes == 0)
        c->gpus_per_node = c->gpus / c->nodes;
}

/* Returns the number of GPUs that variables leave visible to the job; 0: not
 * known. */
static uint32_t visible_devices(const struct launch *launch)
{
    static const char *const names[] = {
        "CUDA_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES",
        "NVIDIA_VISIBLE_DEVICES", "ASCEND_RT_VISIBLE_DEVICES"};
    uint32_t n = 0;
    for (size_t i = 0; i < sizeof names / sizeof *names && !n; i++) {
        const char *value = variable(launch, names[i]);
        if (value && ascii_is_digit(value[0]))
            n = devices(value);
    }
    return n;
}

void launch_count(struct launch *launch)
{
    struct launch_counts *c = &launch->counts;
    uint32_t world;
    if (c->per_node && launch_listed("torchrun deepspeed",
                                     launch->launcher ? launch->launcher : ""))
        c->gpus_per_node = c->per_node;
    if (!c->processes && !c->per_node &&
        launch_number(variable(launch, "WORLD_SIZE"), &world))
        c->processes = world;
    count_arguments(launch, c);
    if (!c->gpus && !c->gpus_per_node && !c->processes && !c->per_node)
        c->gpus_per_node = visible_devices(launch);
    complete(launch, c);
    c->gpus_at_least = of_one_copy(launch);
    launch->processes = c->per_node ? c->per_node : c->processes;
    launch->nodes = c->per_node || c->nodes ? c->nodes : 0;
}
