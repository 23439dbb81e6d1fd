/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Options of launchers and schedulers that say how many nodes, processes and
 * GPUs a job gets, in which folder, with which variables and how often it runs,
 * and which file configures the launcher. */
#include <stdio.h>
#include <string.h>

#include "base/ascii.h"
#include "schedmate/advisor/launch_internal.h"

enum meaning {
    IS_OTHER, /* takes a value that does not matter here */
    IS_PER_NODE,
    IS_TOTAL,
    IS_NODES,
    IS_GPUS,
    IS_GPUS_PER_NODE,
    IS_GPUS_PER_TASK,
    IS_GRES,
    IS_INCLUDE,
    IS_CONFIG,
    IS_ENV,
    IS_DEVICES,
    IS_DIR,
    IS_SELECT,
    IS_ARRAY,
};

#define OPTION(name_, of_, meaning_) \
    { \
        .name = name_, .of = of_, .meaning = meaning_ \
    }

/* Names are written with '_' for '-'. `of`: launchers that have the option;
 * NULL: all. */
static const struct {
    const char *name, *of;
    enum meaning meaning;
} rows[] = {
    OPTION("nproc_per_node", NULL, IS_PER_NODE),
    OPTION("num_processes", NULL, IS_TOTAL),
    OPTION("nnodes", NULL, IS_NODES),
    OPTION("num_machines", NULL, IS_NODES),
    OPTION("num_nodes", NULL, IS_NODES),
    OPTION("nodes", NULL, IS_NODES),
    OPTION("include", "deepspeed", IS_INCLUDE),
    OPTION("num_gpus", NULL, IS_PER_NODE),
    OPTION("ngpu", NULL, IS_GPUS),
    OPTION("config_file", NULL, IS_CONFIG),
    OPTION("config_file_path", NULL, IS_CONFIG),
    OPTION("N", "srun sbatch salloc", IS_NODES),
    OPTION("n", "srun sbatch salloc mpirun mpiexec mpiexec.hydra", IS_TOTAL),
    OPTION("np", NULL, IS_TOTAL),
    OPTION("c", "mpirun mpiexec", IS_TOTAL),
    OPTION("ntasks", NULL, IS_TOTAL),
    OPTION("ntasks_per_node", NULL, IS_PER_NODE),
    OPTION("tasks_per_node", NULL, IS_PER_NODE),
    OPTION("npernode", NULL, IS_PER_NODE),
    OPTION("ppn", "mpirun mpiexec mpiexec.hydra", IS_PER_NODE),
    OPTION("perhost", "mpirun mpiexec mpiexec.hydra", IS_PER_NODE),
    OPTION("gres", NULL, IS_GRES),
    OPTION("gpus_per_node", NULL, IS_GPUS_PER_NODE),
    OPTION("gpus_per_task", NULL, IS_GPUS_PER_TASK),
    OPTION("gpus", "docker podman nvidia-docker", IS_DEVICES),
    OPTION("gpus", NULL, IS_GPUS),
    OPTION("G", "srun sbatch salloc", IS_GPUS),
    OPTION("n", "composer", IS_PER_NODE),
    OPTION("nproc", NULL, IS_PER_NODE),
    OPTION("world_size", "composer", IS_TOTAL),
    OPTION("e", "docker podman nvidia-docker", IS_ENV),
    OPTION("env", "docker podman nvidia-docker singularity apptainer", IS_ENV),
    OPTION("w", "docker podman nvidia-docker", IS_DIR),
    OPTION("workdir", NULL, IS_DIR),
    OPTION("chdir", NULL, IS_DIR),
    OPTION("D", "srun sbatch", IS_DIR),
    OPTION("cwd", NULL, IS_DIR),
    OPTION("pwd", "singularity apptainer", IS_DIR),
    OPTION("C", "env", IS_DIR),
    OPTION("directory", "uv", IS_DIR),
    OPTION("project", "uv", IS_OTHER),
    OPTION("l", "qsub", IS_SELECT),
    OPTION("array", "sbatch", IS_ARRAY),
    OPTION("a", "sbatch", IS_ARRAY),
    OPTION("gpu", "bsub", IS_GPUS_PER_NODE),
    OPTION("j", "torchx", IS_OTHER),
};

/* Returns the number at the start of a text; 0 if there is none. */
static uint32_t leading_number(const char *text)
{
    char digits[16];
    uint32_t n;
    snprintf(digits, sizeof digits, "%.*s", (int)strspn(text, "0123456789"),
             text);
    return launch_number(digits, &n) ? n : 0;
}

/* Reads the number of GPUs in a request: 4, a100:4, gpu:a100:4, gpu=4, or
 * "num=4:mode=x" of LSF. A request for "gpu" without a number, as in gpu:a100,
 * asks for one GPU. Returns 0 if the request asks for none. */
static uint32_t gpus_of(const char *value)
{
    value += *value == '"' || *value == '\'';
    const char *gpu = strstr(value, "gpu"), *num = strstr(value, "num=");
    if (num)
        return leading_number(num + 4);
    if (ascii_is_digit(value[0]))
        return leading_number(value);
    const char *from = gpu ? gpu : value;
    size_t len = strcspn(from, ",(\"'");
    const char *last = memrchr(from, ':', len);
    last = last ? last : memchr(from, '=', len);
    if (last)
        return ascii_is_digit(last[1]) ? leading_number(last + 1) : gpu != NULL;
    return gpu && len == 3;
}

/* Returns the number of devices in a list such as 0,1,2 or "device=0,1". A
 * single number above 0 is the number of devices, unless it follows "device=".
 */
static uint32_t devices_of(const char *value)
{
    uint32_t n = 0;
    bool named = strstr(value, "device=") != NULL;
    value += strcspn(value, "0123456789");
    if (!named && !strchr(value, ',') && launch_number(value, &n))
        return n;
    n = *value != '\0';
    for (; *value; value++)
        n += *value == ',' && ascii_is_digit(value[1]);
    return n;
}

/* Counts the nodes and GPUs of deepspeed's --include: worker-0:0,1@worker-1:2.
 */
static void include(const char *value, struct launch_counts *counts)
{
    uint32_t nodes = 0, gpus = 0;
    while (*value) {
        size_t len = strcspn(value, "@");
        const char *colon = memchr(value, ':', len);
        nodes++;
        gpus += colon ? 1 : 0;
        for (const char *c = colon; c && c < value + len; c++)
            gpus += *c == ',';
        value += len + (value[len] == '@');
    }
    counts->nodes = nodes;
    counts->processes = gpus;
    counts->gpus = gpus;
    counts->gpus_per_node =
        gpus && nodes && gpus % nodes == 0 ? gpus / nodes : 0;
}

/* Reads a request of PBS: select=2:ncpus=8:ngpus=4 or nodes=2:ppn=4:gpus=2. */
static void select_of(const char *value, struct launch_counts *counts)
{
    static const char *const nodes[] = {"select=", "nodes="};
    static const char *const gpus[] = {"ngpus=", ":gpus="};
    for (size_t i = 0; i < 2; i++) {
        const char *at = strstr(value, nodes[i]);
        uint32_t n = at ? leading_number(at + strlen(nodes[i])) : 0;
        counts->nodes = n ? n : counts->nodes;
        at = strstr(value, gpus[i]);
        n = at ? leading_number(at + strlen(gpus[i])) : 0;
        counts->gpus_per_node = n ? n : counts->gpus_per_node;
    }
}

static void take_text(enum meaning meaning, const char *value,
                      struct launch_context *context)
{
    if (meaning == IS_CONFIG)
        context->config = value;
    else if (meaning == IS_DIR)
        context->dir = value[0] == '/' ? value + 1 : value;
    else if (meaning == IS_ENV && strchr(value, '=') &&
             context->n_env < LAUNCH_ENV_MAX)
        context->env[context->n_env++] = value;
}

/* Returns the count that an option sets to a plain number; NULL if the option
 * is of another kind. */
static uint32_t *plain_count(enum meaning meaning, struct launch_counts *counts)
{
    return meaning == IS_PER_NODE ? &counts->per_node
           : meaning == IS_TOTAL  ? &counts->processes
           : meaning == IS_NODES  ? &counts->nodes
                                  : NULL;
}

static void take_devices(enum meaning meaning, const char *value,
                         struct launch_counts *counts)
{
    uint32_t n = gpus_of(value);
    if (meaning == IS_GPUS)
        counts->gpus = strchr(value, ',') ? devices_of(value) : n;
    else if (meaning == IS_GPUS_PER_NODE || meaning == IS_GRES)
        counts->gpus_per_node = n;
    else if (meaning == IS_GPUS_PER_TASK)
        counts->gpus_per_task = n;
    else if (meaning == IS_DEVICES)
        counts->gpus = strcmp(value, "all") == 0 ? 0 : devices_of(value);
}

/* Returns the number of tasks in a job array such as 0-23%4, 1,3,5 or 0-10:2.
 */
static size_t tasks_of(const char *value)
{
    size_t n = 0;
    while (*value && *value != '%') {
        size_t len = strcspn(value, ",%");
        const char *dash = memchr(value, '-', len);
        const char *step = memchr(value, ':', len);
        uint32_t from = leading_number(value);
        uint32_t to = dash ? leading_number(dash + 1) : from;
        uint32_t by = step ? leading_number(step + 1) : 1;
        n += to >= from && by ? (to - from) / by + 1 : 1;
        value += len + (value[len] == ',');
    }
    return n;
}

static void take(enum meaning meaning, const char *value,
                 struct launch_context *context)
{
    uint32_t n, *plain = plain_count(meaning, &context->counts);
    if (plain)
        *plain = launch_number(value, &n) ? n : 0;
    else if (meaning == IS_INCLUDE)
        include(value, &context->counts);
    else if (meaning == IS_SELECT)
        select_of(value, &context->counts);
    else if (meaning == IS_ARRAY && tasks_of(value) > 1)
        context->runs = tasks_of(value);
    else
        take_devices(meaning, value, &context->counts);
    take_text(meaning, value, context);
}

bool launch_option(const char *of, const char *name, const char *value,
                   struct launch_context *context)
{
    char key[64];
    size_t n = 0;
    while (*name == '-')
        name++;
    for (; name[n] && name[n] != '=' && n < sizeof key - 1; n++)
        key[n] = name[n] == '-' ? '_' : name[n];
    key[n] = '\0';
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (strcmp(rows[i].name, key) == 0 &&
            (!rows[i].of || launch_listed(rows[i].of, launch_base(of)))) {
            if (value)
                take(rows[i].meaning, value, context);
            return true;
        }
    }
    return false;
}

/* Takes the requests on a line of a batch script: "--nodes=2 --gres gpu:8" or
 * "-N 2". */
static void take_requests(struct text line, struct launch_context *context,
                          struct arena *arena)
{
    struct text rest = text_trim(settings_without_comment(line));
    while (rest.len) {
        struct text word = text_split(rest, ' ', &rest), value;
        struct text key = text_split(word, '=', &value);
        rest = text_trim(rest);
        if (key.len == word.len && rest.len && rest.at[0] != '-') {
            value = text_split(rest, ' ', &rest);
            rest = text_trim(rest);
        }
        if (text_char(key, 0) == '-')
            launch_option("sbatch", arena_copy(arena, key.at, key.len),
                          value.len ? arena_copy(arena, value.at, value.len)
                                    : NULL,
                          context);
    }
}

static void add_wish(char *wishes, size_t room, size_t *n, struct text wish)
{
    wish = text_trim(settings_without_comment(wish));
    bool told = memmem(wish.at, wish.len, "gpu", 3) ||
                memmem(wish.at, wish.len, "nodes", 5) ||
                memmem(wish.at, wish.len, "constraint", 10);
    if (told && *n + wish.len + 2 < room)
        *n += (size_t)snprintf(wishes + *n, room - *n, "%s%.*s", *n ? " " : "",
                               (int)wish.len, wish.at);
}

void launch_batch_head(struct text script, struct launch_context *context,
                       struct arena *arena)
{
    char wishes[200];
    size_t n = 0;
    for (int i = 0; script.len && i < 4000; i++) {
        struct text line = text_trim(text_split(script, '\n', &script));
        if (text_starts(line, "#SBATCH ")) {
            struct text wish = text_trim(text_skip(line, 8));
            take_requests(wish, context, arena);
            if (text_starts(wish, "--"))
                add_wish(wishes, sizeof wishes, &n, text_skip(wish, 2));
        } else if (text_starts(line, "#BSUB -gpu ")) {
            struct text wish = text_trim(text_skip(line, 11));
            launch_option("bsub", "-gpu", arena_copy(arena, wish.at, wish.len),
                          context);
        } else if (text_starts(line, "#PBS -l ")) {
            struct text wish = text_skip(line, 8);
            select_of(arena_copy(arena, wish.at, wish.len), &context->counts);
            add_wish(wishes, sizeof wishes, &n, wish);
        }
    }
    if (n)
        context->hardware = arena_copy(arena, wishes, n);
}
