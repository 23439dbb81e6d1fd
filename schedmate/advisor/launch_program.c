/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads a command without wrappers: Python, launchers of processes, shells,
 * batch systems, notebooks, installed programs. */

#include <stdio.h>
#include <string.h>

#include "base/ascii.h"
#include "schedmate/advisor/launch_internal.h"

/* Options of launchers and schedulers that say how many nodes, processes and
 * GPUs a job gets, in which folder, with which variables and how often it runs,
 * and which file configures the launcher. */

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

#define LAUNCH_PROGRAM_OPTION(name_, of_, meaning_) \
    { \
        .name = name_, .of = of_, .meaning = meaning_ \
    }

/* Names are written with '_' for '-'. `of`: launchers that have the option;
 * NULL: all. */
static const struct {
    const char *name, *of;
    enum meaning meaning;
} launch_program_rows[] = {
    LAUNCH_PROGRAM_OPTION("nproc_per_node", NULL, IS_PER_NODE),
    LAUNCH_PROGRAM_OPTION("num_processes", NULL, IS_TOTAL),
    LAUNCH_PROGRAM_OPTION("nnodes", NULL, IS_NODES),
    LAUNCH_PROGRAM_OPTION("num_machines", NULL, IS_NODES),
    LAUNCH_PROGRAM_OPTION("num_nodes", NULL, IS_NODES),
    LAUNCH_PROGRAM_OPTION("nodes", NULL, IS_NODES),
    LAUNCH_PROGRAM_OPTION("include", "deepspeed", IS_INCLUDE),
    LAUNCH_PROGRAM_OPTION("num_gpus", NULL, IS_PER_NODE),
    LAUNCH_PROGRAM_OPTION("ngpu", NULL, IS_GPUS),
    LAUNCH_PROGRAM_OPTION("config_file", NULL, IS_CONFIG),
    LAUNCH_PROGRAM_OPTION("config_file_path", NULL, IS_CONFIG),
    LAUNCH_PROGRAM_OPTION("N", "srun sbatch salloc", IS_NODES),
    LAUNCH_PROGRAM_OPTION(
        "n", "srun sbatch salloc mpirun mpiexec mpiexec.hydra", IS_TOTAL),
    LAUNCH_PROGRAM_OPTION("np", NULL, IS_TOTAL),
    LAUNCH_PROGRAM_OPTION("c", "mpirun mpiexec", IS_TOTAL),
    LAUNCH_PROGRAM_OPTION("ntasks", NULL, IS_TOTAL),
    LAUNCH_PROGRAM_OPTION("ntasks_per_node", NULL, IS_PER_NODE),
    LAUNCH_PROGRAM_OPTION("tasks_per_node", NULL, IS_PER_NODE),
    LAUNCH_PROGRAM_OPTION("npernode", NULL, IS_PER_NODE),
    LAUNCH_PROGRAM_OPTION("ppn", "mpirun mpiexec mpiexec.hydra", IS_PER_NODE),
    LAUNCH_PROGRAM_OPTION("perhost", "mpirun mpiexec mpiexec.hydra",
                          IS_PER_NODE),
    LAUNCH_PROGRAM_OPTION("gres", NULL, IS_GRES),
    LAUNCH_PROGRAM_OPTION("gpus_per_node", NULL, IS_GPUS_PER_NODE),
    LAUNCH_PROGRAM_OPTION("gpus_per_task", NULL, IS_GPUS_PER_TASK),
    LAUNCH_PROGRAM_OPTION("gpus", "docker podman nvidia-docker", IS_DEVICES),
    LAUNCH_PROGRAM_OPTION("gpus", NULL, IS_GPUS),
    LAUNCH_PROGRAM_OPTION("G", "srun sbatch salloc", IS_GPUS),
    LAUNCH_PROGRAM_OPTION("n", "composer", IS_PER_NODE),
    LAUNCH_PROGRAM_OPTION("nproc", NULL, IS_PER_NODE),
    LAUNCH_PROGRAM_OPTION("world_size", "composer", IS_TOTAL),
    LAUNCH_PROGRAM_OPTION("e", "docker podman nvidia-docker", IS_ENV),
    LAUNCH_PROGRAM_OPTION(
        "env", "docker podman nvidia-docker singularity apptainer", IS_ENV),
    LAUNCH_PROGRAM_OPTION("w", "docker podman nvidia-docker", IS_DIR),
    LAUNCH_PROGRAM_OPTION("workdir", NULL, IS_DIR),
    LAUNCH_PROGRAM_OPTION("chdir", NULL, IS_DIR),
    LAUNCH_PROGRAM_OPTION("D", "srun sbatch", IS_DIR),
    LAUNCH_PROGRAM_OPTION("cwd", NULL, IS_DIR),
    LAUNCH_PROGRAM_OPTION("pwd", "singularity apptainer", IS_DIR),
    LAUNCH_PROGRAM_OPTION("C", "env", IS_DIR),
    LAUNCH_PROGRAM_OPTION("directory", "uv", IS_DIR),
    LAUNCH_PROGRAM_OPTION("project", "uv", IS_OTHER),
    LAUNCH_PROGRAM_OPTION("l", "qsub", IS_SELECT),
    LAUNCH_PROGRAM_OPTION("array", "sbatch", IS_ARRAY),
    LAUNCH_PROGRAM_OPTION("a", "sbatch", IS_ARRAY),
    LAUNCH_PROGRAM_OPTION("gpu", "bsub", IS_GPUS_PER_NODE),
    LAUNCH_PROGRAM_OPTION("j", "torchx", IS_OTHER),
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
static void program_include(const char *value, struct launch_counts *counts)
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

static void program_take(enum meaning meaning, const char *value,
                         struct launch_context *context)
{
    uint32_t n, *plain = plain_count(meaning, &context->counts);
    if (plain)
        *plain = launch_number(value, &n) ? n : 0;
    else if (meaning == IS_INCLUDE)
        program_include(value, &context->counts);
    else if (meaning == IS_SELECT)
        select_of(value, &context->counts);
    else if (meaning == IS_ARRAY && tasks_of(value) > 1)
        context->runs = tasks_of(value);
    else
        take_devices(meaning, value, &context->counts);
    take_text(meaning, value, context);
}

/* In launch_program.c. Takes an option of the launcher or scheduler `of`, such
 * as --nproc_per_node, into account. Keeps the pointer `value`; changes nothing
 * if that is NULL. Returns true if the option is known, in which case it takes
 * a value. */
static bool launch_option(const char *of, const char *name, const char *value,
                          struct launch_context *context)
{
    char key[64];
    size_t n = 0;
    while (*name == '-')
        name++;
    for (; name[n] && name[n] != '=' && n < sizeof key - 1; n++)
        key[n] = name[n] == '-' ? '_' : name[n];
    key[n] = '\0';
    for (size_t i = 0;
         i < sizeof launch_program_rows / sizeof *launch_program_rows; i++) {
        if (strcmp(launch_program_rows[i].name, key) == 0 &&
            (!launch_program_rows[i].of ||
             launch_listed(launch_program_rows[i].of, launch_base(of)))) {
            if (value)
                program_take(launch_program_rows[i].meaning, value, context);
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

/* A program that starts processes of a Python script. */
struct launcher {
    const char *name;
    const char *subcommand; /* word that must follow; NULL: none */
    const char *flags;      /* options without a value */
};

static const struct launcher launchers[] = {
    {.name = "torchrun",
     .flags = "--standalone --no-python --no_python --use_env"},
    {.name = "deepspeed",
     .flags = "--bind_cores_to_rank --no_ssh --no_local_rank --force_multi "
              "--enable_each_rank_log"},
    {.name = "accelerate",
     .subcommand = "launch",
     .flags = "--multi_gpu --use_deepspeed --use_fsdp --cpu --tpu --debug "
              "--use_ipex --same_network -q --quiet --use_megatron_lm "
              "--enable_cpu_affinity"},
    {.name = "accelerate-launch",
     .flags = "--multi_gpu --use_deepspeed --use_fsdp"},
    {.name = "composer", .flags = "-v --verbose"},
    {.name = "colossalai", .subcommand = "run", .flags = "--skip"},
    {.name = "fabric", .subcommand = "run", .flags = ""},
    {.name = "lightning", .subcommand = "run", .flags = ""},
    {.name = "fleetrun", .flags = ""},
};

struct launch_program_reading {
    struct launch_finder *finder;
    struct launch_context context;
    struct launch launch;
    struct launch_words words;
    size_t i;
};

static void finish(struct launch_program_reading *r)
{
    struct launch *launch = &r->launch;
    const struct launch_context *context = &r->context;
    for (; r->i < r->words.n && launch->n_words < LAUNCH_WORDS_MAX; r->i++)
        launch->words[launch->n_words++] = r->words.at[r->i];
    launch->dir = context->dir[0] ? context->dir : NULL;
    launch->where = context->where;
    launch->config = context->config;
    launch->counts = context->counts;
    launch->hardware = context->hardware;
    launch->runs = context->runs;
    if (!launch->launcher ||
        (context->launcher && strcmp(launch->launcher, "python") == 0))
        launch->launcher =
            context->launcher ? context->launcher : launch->launcher;
    memcpy(launch->env, context->env, sizeof launch->env);
    launch->n_env = context->n_env;
    launch_add(r->finder, launch);
}

static void set_script(struct launch_program_reading *r, const char *script)
{
    r->launch.script = script;
    r->launch.is_shell = launch_is_shell_script(script);
    r->i++;
    finish(r);
}

/* Turns -p, -r or --parameters NAME VALUE of papermill into NAME=VALUE. */
static void program_take_parameters(struct launch_program_reading *r)
{
    struct launch_words words = r->words;
    for (; r->i + 2 < words.n; r->i++) {
        if (!launch_listed("-p -r --parameters", words.at[r->i]))
            continue;
        const char *name = words.at[r->i + 1], *value = words.at[r->i + 2];
        size_t room = strlen(name) + strlen(value) + 2;
        char *pair = arena_alloc(r->finder->arena, room);
        snprintf(pair, room, "%s=%s", name, value);
        if (r->launch.n_words < LAUNCH_WORDS_MAX)
            r->launch.words[r->launch.n_words++] = pair;
        r->i += 2;
    }
    r->i = words.n;
}

/* Reads a command that runs a notebook: jupyter nbconvert --execute x.ipynb,
 * papermill in.ipynb out.ipynb -p k v, jupyter execute x.ipynb. */
static bool read_notebook(struct launch_program_reading *r)
{
    struct launch_words words = r->words;
    for (; r->i < words.n; r->i++) {
        if (launch_ends(words.at[r->i], ".ipynb")) {
            r->launch.launcher = "jupyter";
            r->launch.script = words.at[r->i++];
            program_take_parameters(r);
            finish(r);
            return true;
        }
    }
    return false;
}

/* Keeps an option of the launcher, as "name=value". */
static void program_add_option(struct launch_program_reading *r,
                               const char *word, const char *value)
{
    char text[200];
    while (*word == '-')
        word++;
    int n = snprintf(text, sizeof text, "%.*s=%s", (int)strcspn(word, "="),
                     word, value);
    if (n > 0 && (size_t)n < sizeof text &&
        r->launch.n_options < LAUNCH_OPTIONS_MAX)
        r->launch.options[r->launch.n_options++] =
            arena_copy(r->finder->arena, text, (size_t)n);
}

/* Takes an option of a launcher; `next` is the word after it, or NULL. Returns
 * true if the next word is its value. */
static bool program_take_option(struct launch_program_reading *r,
                                const char *launcher, const char *word,
                                const char *next)
{
    const char *equal = strchr(word, '=');
    const char *value = equal ? equal + 1 : next;
    bool counted = launch_option(launcher, word, value, &r->context);
    bool valued = !equal && next &&
                  (counted || (next[0] != '-' && !launch_is_program(next)));
    program_add_option(r, word, equal ? equal + 1 : valued ? next : "true");
    return valued;
}

/* Reads the options of a launcher and follows what is after them. */
static bool read_launcher(struct launch_program_reading *r, const char *name,
                          const char *flags)
{
    struct launch_words words = r->words;
    r->launch.launcher = name;
    for (; r->i < words.n; r->i++) {
        const char *word = words.at[r->i];
        const char *next = r->i + 1 < words.n ? words.at[r->i + 1] : NULL;
        if (launch_listed("-m --module", word) && next) {
            r->launch.module = next;
            r->i += 2;
            finish(r);
            return true;
        }
        if (word[0] != '-' || !word[1])
            break;
        if (launch_listed(flags, word))
            program_add_option(r, word, "true");
        else
            r->i += program_take_option(r, name, word, next);
    }
    if (r->i == words.n)
        return false;
    /* the words of another command: torchrun --no-python python x.py */
    if (!launch_ends(words.at[r->i], ".py") &&
        launch_is_program(words.at[r->i])) {
        r->context.launcher = name;
        launch_take(r->finder, &r->context,
                    (struct launch_words){words.at + r->i, words.n - r->i});
        return true;
    }
    set_script(r, words.at[r->i]);
    return true;
}

static bool is_launching_module(const struct launch_program_reading *r,
                                const char *module)
{
    return launch_is_launching(module) ||
           launch_ends(module, ".distributed.launch") ||
           (r->i + 1 < r->words.n &&
            launch_ends(r->words.at[r->i + 1], ".py") && !strchr(module, '.'));
}

/* Follows COMMAND of `python -m pkg.launch --ngpu 2 -- COMMAND`. */
static bool read_after_dashes(struct launch_program_reading *r,
                              const char *module)
{
    size_t at = r->i + 1;
    while (at < r->words.n && strcmp(r->words.at[at], "--") != 0)
        at++;
    if (at + 1 >= r->words.n || !launch_is_program(r->words.at[at + 1]))
        return false;
    for (size_t i = r->i + 1; i + 1 < at; i++)
        launch_option(module, r->words.at[i], r->words.at[i + 1], &r->context);
    launch_take(
        r->finder, &r->context,
        (struct launch_words){r->words.at + at + 1, r->words.n - at - 1});
    return true;
}

/* Reads what follows `python -m`. A module that starts a script, or a module
 * without a dot in its name before a script, is the launcher of that script. */
static bool read_module(struct launch_program_reading *r)
{
    if (r->i >= r->words.n)
        return false;
    const char *module = r->words.at[r->i];
    if (is_launching_module(r, module)) {
        r->i++;
        r->launch.launcher = module;
        return read_launcher(r, module, "--use_env --no_python --module -l");
    }
    if (launch_listed("jupyter papermill nbconvert", module))
        return read_notebook(r);
    if (read_after_dashes(r, module))
        return true;
    r->launch.module = module;
    r->i++;
    finish(r);
    return true;
}

static bool read_python(struct launch_program_reading *r)
{
    struct launch_words words = r->words;
    r->launch.launcher = "python";
    for (; r->i < words.n; r->i++) {
        const char *word = words.at[r->i];
        if (strcmp(word, "-m") == 0) {
            r->i++;
            return read_module(r);
        }
        if (strcmp(word, "-c") == 0)
            return false;
        if (launch_listed("-W -X --check-hash-based-pycs", word))
            r->i++;
        else if (strcmp(word, "--") != 0 && (word[0] != '-' || !word[1]))
            break;
    }
    if (r->i == words.n || strcmp(words.at[r->i], "-") == 0)
        return false;
    set_script(r, words.at[r->i]);
    return true;
}

/* Reads bash -c "...", bash x.sh or a here-document; false: none of these. */
static bool read_shell(struct launch_program_reading *r)
{
    struct launch_words words = r->words;
    struct launch_finder *finder = r->finder;
    for (; r->i < words.n &&
           (words.at[r->i][0] == '-' || words.at[r->i][0] == '+');
         r->i++) {
        const char *word = words.at[r->i];
        bool command = word[0] == '-' && word[1] != '-' && strchr(word, 'c');
        if (command && r->i + 1 < words.n) {
            size_t rest = r->i + 2 < words.n ? r->i + 3 : words.n;
            rest = rest > words.n ? words.n : rest;
            launch_follow(
                finder, &r->context, NULL, text_from(words.at[r->i + 1]),
                (struct launch_words){words.at + rest, words.n - rest});
            return true;
        }
        r->i += launch_listed("-o --rcfile --init-file", word);
    }
    if (r->i == words.n && r->context.document.len) {
        launch_follow(finder, &r->context, NULL, r->context.document,
                      (struct launch_words){NULL, 0});
        return true;
    }
    if (r->i == words.n)
        return false;
    r->launch.launcher = NULL;
    r->launch.script = words.at[r->i++];
    r->launch.is_shell = true;
    finish(r);
    return true;
}

/* Takes an option of a batch system; true if the next word is its value. */
static bool has_value(struct launch_program_reading *r, const char *word,
                      const char *next)
{
    static const char values[] =
        "-p -J -o -e -t -c -A -q -w -x -a -d -M -C -l -N -v -P -W -j -m -S";
    bool plain =
        word[1] == '-' && next && next[0] != '-' && !launch_is_program(next);
    return launch_option(r->words.at[0], word, next, &r->context) ||
           launch_listed(values, word) || plain;
}

/* Reads sbatch or qsub: options, then a script, --wrap or a here-document.
 * Returns false if there is none of these. */
static bool read_batch(struct launch_program_reading *r)
{
    struct launch_words words = r->words;
    for (; r->i < words.n && words.at[r->i][0] == '-'; r->i++) {
        const char *word = words.at[r->i], *equal = strchr(word, '=');
        const char *next = r->i + 1 < words.n ? words.at[r->i + 1] : NULL;
        if (strncmp(word, "--wrap", 6) == 0 && (equal || next)) {
            launch_follow(r->finder, &r->context, NULL,
                          text_from(equal ? equal + 1 : next),
                          (struct launch_words){NULL, 0});
            return true;
        }
        if (equal)
            launch_option(words.at[0], word, equal + 1, &r->context);
        else
            r->i += has_value(r, word, next);
    }
    if (r->i < words.n)
        return read_shell(r);
    if (!r->context.document.len)
        return false;
    launch_batch_head(r->context.document, &r->context, r->finder->arena);
    return read_shell(r);
}

/* Reads x.sh, x.py, or ./run whose first line names the program to run it. */
static bool program_read_file(struct launch_program_reading *r)
{
    const char *word = r->words.at[0], *found;
    struct text text, first, rest;
    if (launch_is_shell_script(word) || launch_ends(word, ".py")) {
        r->i = 0;
        set_script(r, word);
        return true;
    }
    if (!launch_read_file(r->finder, r->context.dir, word, &found, &text))
        return false;
    first = text_split(text, '\n', &rest);
    if (!text_starts(first, "#!"))
        return false;
    r->launch.script = word;
    r->launch.launcher =
        memmem(first.at, first.len, "python", 6) ? "python" : NULL;
    r->launch.is_shell = r->launch.launcher == NULL;
    r->i = 1;
    finish(r);
    return true;
}

/* Takes a program that is not a file of the job: an entry point of its package
 * or an installed tool. Returns false if it is no launch, such as echo. */
static bool read_tool(struct launch_program_reading *r)
{
    const char *name = r->words.at[0];
    if (launch_is_ordinary(name))
        return false;
    const char *entry = launch_entry(r->finder, launch_base(name));
    if (entry && strpbrk(entry, " \n")) { /* a task: its command */
        size_t room = strlen(entry) + 6;
        char *task = arena_alloc(r->finder->arena, room);
        snprintf(task, room, "%s \"$@\"", entry);
        launch_follow(r->finder, &r->context, NULL, text_from(task),
                      (struct launch_words){r->words.at + 1, r->words.n - 1});
        return true;
    }
    r->launch.module = entry;
    r->launch.program = name;
    r->launch.launcher = entry ? "python" : NULL;
    r->i = 1;
    finish(r);
    return true;
}

/* True if the program is not known, as in "$PYTHON", but its arguments are
 * those of Python. */
static bool is_some_python(const struct launch_program_reading *r)
{
    const char *next = r->words.n > 1 ? r->words.at[1] : "";
    return r->words.at[0][0] == '$' &&
           (launch_ends(next, ".py") || launch_listed("-m -u -W -X", next));
}

static bool read_known(struct launch_program_reading *r, const char *base)
{
    if (launch_is_python(base) || is_some_python(r))
        return read_python(r);
    if (launch_listed("bash sh zsh dash ksh source .", base))
        return read_shell(r);
    if (launch_listed("sbatch qsub", base))
        return read_batch(r);
    if (launch_listed("jupyter papermill jupyter-nbconvert runipy", base))
        return read_notebook(r);
    return false;
}

bool launch_program(struct launch_finder *finder,
                    const struct launch_context *context,
                    struct launch_words words)
{
    const char *base = launch_base(words.at[0]);
    struct launch_program_reading *r =
        ARENA_NEW(finder->arena, struct launch_program_reading);
    *r = (struct launch_program_reading){
        .finder = finder, .context = *context, .words = words, .i = 1};
    for (size_t i = 0; i < sizeof launchers / sizeof *launchers; i++) {
        const char *sub = launchers[i].subcommand;
        if (strcmp(base, launchers[i].name) == 0 &&
            (!sub || (words.n > 1 && strcmp(words.at[1], sub) == 0))) {
            r->i += sub != NULL;
            return read_launcher(r, launchers[i].name, launchers[i].flags);
        }
    }
    return read_known(r, base) || program_read_file(r) || read_tool(r);
}

/* Takes programs that start another program, such as nohup, off a command. */

/* A program that starts the command in its arguments. */
struct wrapper {
    const char *name; /* base name of the program */
    /* one of these subcommands must follow; NULL: none */
    const char *subcommands;
    const char *flags;  /* options without a value */
    const char *values; /* options with a value that the next word gives */
    /* number of words between options and command, such as the name of an image
     */
    size_t skip;
    bool launches; /* true if it counts as the launcher */
};

static const struct wrapper wrappers[] = {
    {.name = "env",
     .flags = "-i -0 --ignore-environment",
     .values = "-u --unset -S"},
    {.name = "nohup"},
    {.name = "exec", .values = "-a"},
    {.name = "command"},
    {.name = "builtin"},
    {.name = "then"},
    {.name = "do"},
    {.name = "time", .flags = "-p -v", .values = "-f -o"},
    {.name = "nice", .values = "-n"},
    {.name = "ionice", .values = "-c -n"},
    {.name = "chrt", .flags = "-r -f -b -i", .skip = 1},
    {.name = "timeout",
     .flags = "--foreground --preserve-status -v",
     .values = "-k -s",
     .skip = 1},
    {.name = "stdbuf", .values = "-i -o -e"},
    {.name = "unbuffer"},
    {.name = "setsid", .flags = "-w -f -c --wait"},
    {.name = "sudo", .flags = "-E -H -n -S -i", .values = "-u -g"},
    {.name = "gosu", .skip = 1},
    {.name = "numactl", .values = "-N -m -C -i -p"},
    {.name = "taskset", .flags = "-a", .values = "-c"},
    {.name = "xvfb-run", .flags = "-a", .values = "-s -n"},
    {.name = "catchsegv"},
    {.name = "strace", .flags = "-f", .values = "-o -e"},
    {.name = "tini", .flags = "-s -g -v"},
    {.name = "dumb-init"},
    {.name = "nsys", .subcommands = "profile", .values = "-o -t -c -s -w -f"},
    {.name = "ncu", .values = "-o -k -c"},
    {.name = "nvprof", .values = "-o"},
    {.name = "py-spy", .subcommands = "record", .values = "-o -f -r -d"},
    {.name = "kernprof", .flags = "-l -v -lv"},
    {.name = "viztracer", .values = "-o"},
    {.name = "scalene"},
    {.name = "coverage", .subcommands = "run", .flags = "-a -p"},
    {.name = "memray", .subcommands = "run", .values = "-o", .flags = "-f"},
    {.name = "conda",
     .subcommands = "run",
     .flags = "--no-capture-output --live-stream -v",
     .values = "-n -p --name --prefix --cwd"},
    {.name = "mamba",
     .subcommands = "run",
     .flags = "--no-capture-output --live-stream",
     .values = "-n -p --name --prefix"},
    {.name = "micromamba",
     .subcommands = "run",
     .values = "-n -p --name --prefix -a"},
    {.name = "uv",
     .subcommands = "run",
     .flags = "--no-sync --frozen --locked --isolated --active --all-extras "
              "--no-project --offline -q -v --no-dev --dev --all-groups",
     .values = "--with --extra --group --python -p --package --env-file "
               "--project --directory --index-url --with-requirements"},
    {.name = "rye", .subcommands = "run"},
    {.name = "poetry", .subcommands = "run", .flags = "-q"},
    {.name = "pipenv", .subcommands = "run"},
    {.name = "pdm", .subcommands = "run", .flags = "-s", .values = "-p"},
    {.name = "hatch", .subcommands = "run", .values = "-e"},
    {.name = "pixi",
     .subcommands = "run",
     .flags = "--frozen --locked",
     .values = "-e --environment --manifest-path"},
    {.name = "dotenv", .subcommands = "run", .values = "-f"},
    {.name = "singularity",
     .subcommands = "exec run",
     .flags = "--nv --cleanenv -e -c -C --contain --containall --rocm "
              "--writable-tmpfs --no-home --writable --fakeroot",
     .values = "-B --bind --pwd --env -H --home --overlay -W --workdir",
     .skip = 1},
    {.name = "apptainer",
     .subcommands = "exec run",
     .flags = "--nv --cleanenv -e -c -C --contain --containall --rocm "
              "--writable-tmpfs --no-home --writable --fakeroot",
     .values = "-B --bind --pwd --env -H --home --overlay -W --workdir",
     .skip = 1},
    {.name = "enroot",
     .subcommands = "start",
     .flags = "-w --rw -r --root",
     .values = "-m --mount -e --env -c",
     .skip = 1},
    {.name = "udocker", .subcommands = "run", .skip = 1},
    {.name = "charliecloud"},
    {.name = "ch-run", .flags = "-w", .values = "-b --bind -c", .skip = 1},
    {.name = "shifter", .values = "--image --volume --module"},
    {.name = "srun",
     .launches = true,
     .flags = "--exclusive --overlap --unbuffered -u -l --label --pty -X "
              "--kill-on-bad-exit --no-container-mount-home --verbose -v -K "
              "--container-writable --no-container-remap-root -E "
              "--container-mount-home --interactive -Q --quiet"},
    {.name = "salloc", .flags = "--exclusive"},
    {.name = "mpirun",
     .launches = true,
     .flags = "--allow-run-as-root --oversubscribe --tag-output --display-map "
              "--report-bindings -v --use-hwthread-cpus",
     .values = "-H --host -hostfile --hostfile -f -bind-to --bind-to -map-by "
               "--map-by -x --mca -mca -genv"},
    {.name = "mpiexec",
     .launches = true,
     .flags = "--allow-run-as-root --oversubscribe -l -v",
     .values = "-H --host -hostfile --hostfile -f -bind-to --bind-to -map-by "
               "--map-by -x --mca -mca -genv"},
    {.name = "mpiexec.hydra", .launches = true, .values = "-f -genv -hosts"},
    {.name = "aprun", .launches = true, .values = "-n -N -d -j"},
    {.name = "jsrun", .launches = true, .values = "-n -r -a -c -g -l -b"},
    {.name = "horovodrun",
     .launches = true,
     .flags = "--verbose --gloo --mpi --autotune",
     .values = "-H --hosts --hostfile -p --start-timeout"},
    {.name = "torchpack",
     .subcommands = "dist-run",
     .launches = true,
     .values = "-H -hostfile"},
    {.name = "ray",
     .subcommands = "job",
     .launches = true,
     .flags = "--no-wait submit --verbose"},
    {.name = "ray", .subcommands = "exec", .flags = "--stop", .skip = 1},
    {.name = "dvc",
     .subcommands = "run stage",
     .flags = "add --force -f --no-exec --run",
     .values = "-n --name -d --deps -o --outs -O --outs-no-cache -p --params "
               "-m --metrics -M --metrics-no-cache --plots -w --wdir"},
    {.name = "dstack", .subcommands = "run"},
    {.name = "torch_xla.distributed.xla_dist"},
    {.name = "kubectl",
     .subcommands = "exec",
     .flags = "-it -i -t",
     .values = "-n -c",
     .skip = 1},
    {.name = "bsub",
     .flags = "-I -Is -K",
     .values = "-q -n -J -o -e -eo -oo -W -M -R -P -G -m -u"},
};

static const struct wrapper dockers[] = {
    {.subcommands = "run create",
     .flags = "--rm -it -ti -i -t -d -itd -dit -td --privileged --detach "
              "--interactive --tty --init --read-only",
     .values = "-v --volume --name --shm-size -e --env --env-file -p -u --user "
               "-w --workdir --ulimit --runtime --network --net --mount -m "
               "--memory --cpus --gpus --entrypoint -h --hostname --device "
               "--security-opt --cap-add --ipc --pid --group-add --label -l",
     .skip = 1},
    {.subcommands = "exec",
     .flags = "-it -ti -i -t -d -itd --privileged",
     .values = "-e --env -u --user -w --workdir",
     .skip = 1},
};

static const struct wrapper *find_wrapper(struct launch_words words)
{
    const char *base = launch_base(words.at[0]);
    const char *sub = words.n > 1 ? words.at[1] : "";
    for (size_t i = 0; i < sizeof wrappers / sizeof *wrappers; i++) {
        const struct wrapper *row = &wrappers[i];
        if (strcmp(base, row->name) == 0 &&
            (!row->subcommands || launch_listed(row->subcommands, sub)))
            return row;
    }
    if (!launch_listed("docker podman nvidia-docker", base))
        return NULL;
    for (size_t i = 0; i < sizeof dockers / sizeof *dockers; i++) {
        if (launch_listed(dockers[i].subcommands, sub))
            return &dockers[i];
    }
    return NULL;
}

static void program_take_variable(const char *word,
                                  struct launch_context *context)
{
    if (context->n_env < LAUNCH_ENV_MAX)
        context->env[context->n_env++] = word;
}

/* True if the word after an unknown option is likely to be its value. */
static bool is_value(struct launch_words words, size_t i)
{
    return i + 1 < words.n && words.at[i + 1][0] != '-' &&
           !launch_is_program(words.at[i + 1]) &&
           !launch_is_assignment(words.at[i + 1]);
}

/* Takes an option of srun with its value in one word, such as -n4. */
static bool take_joined(const char *of, const char *word,
                        struct launch_context *context)
{
    char name[3] = {'-', word[1], '\0'};
    if (strcmp(launch_base(of), "srun") != 0 || word[1] == '-' || !word[1] ||
        !word[2] || !strchr("nNcG", word[1]))
        return false;
    launch_option(of, name, word + 2, context);
    return true;
}

/* Reads the option at index `i` and returns the index after it and its value.
 */
static size_t wrappers_take_option(const struct wrapper *row,
                                   struct launch_words words, size_t i,
                                   struct launch_context *context)
{
    const char *word = words.at[i], *equal = strchr(word, '=');
    const char *of = words.at[0];
    const char *next = i + 1 < words.n ? words.at[i + 1] : NULL;
    if (equal) {
        launch_option(of, word, equal + 1, context);
        return i + 1;
    }
    if (row->flags && launch_listed(row->flags, word))
        return i + 1;
    if (take_joined(of, word, context))
        return i + 1;
    bool counted = launch_option(of, word, next, context);
    bool known = counted || (row->values && launch_listed(row->values, word));
    if (next && (known || is_value(words, i))) {
        bool two = strstr(word, "mca") != NULL || strstr(word, "genv") != NULL;
        return i + 2 + (two && i + 2 < words.n);
    }
    return i + 1;
}

/* True for -m of a wrapper that starts a module of Python: uv run -m pkg. */
static bool starts_module(const struct wrapper *row, const char *word)
{
    return !row->launches && launch_listed("-m --module", word) &&
           !(row->values && launch_listed(row->values, word));
}

/* Turns "-m pkg x" into the command "python -m pkg x". */
static void add_python(struct launch_words *words, struct arena *arena)
{
    const char **at = ARENA_ARRAY(arena, const char *, words->n + 1);
    at[0] = "python";
    at[1] = "-m";
    for (size_t i = 1; i < words->n; i++)
        at[i + 1] = words->at[i];
    words->at = at;
    words->n++;
}

static size_t read_options(const struct wrapper *row, struct launch_words words,
                           size_t i, struct launch_context *context)
{
    while (i < words.n) {
        const char *word = words.at[i];
        if (strcmp(word, "--") == 0)
            return i + 1;
        if (starts_module(row, word))
            return i;
        if (word[0] == '-' && word[1])
            i = wrappers_take_option(row, words, i, context);
        else if (row->flags && launch_listed(row->flags, word) &&
                 word[0] != '-' && i == 2)
            i++; /* the second part of a subcommand such as `job submit` */
        else
            return i;
    }
    return i;
}

/* Drops a `--` at the start of the command, as after the name of an image. */
static void drop_separator(struct launch_words *words)
{
    if (words->n && strcmp(words->at[0], "--") == 0) {
        words->at++;
        words->n--;
    }
}

bool launch_unwrap(struct launch_words *words, struct launch_context *context,
                   struct arena *arena)
{
    if (words->n && launch_is_assignment(words->at[0])) {
        program_take_variable(words->at[0], context);
        words->at++;
        words->n--;
        return true;
    }
    const struct wrapper *row = words->n ? find_wrapper(*words) : NULL;
    if (!row)
        return false;
    size_t i = read_options(row, *words, row->subcommands ? 2 : 1, context);
    i += row->skip;
    if (row->launches && !context->launcher)
        context->launcher = launch_base(words->at[0]);
    if (i > words->n)
        i = words->n;
    words->at += i;
    words->n -= i;
    drop_separator(words);
    if (words->n && starts_module(row, words->at[0]))
        add_python(words, arena);
    return true;
}
