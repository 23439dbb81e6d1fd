/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The Scheduling Advisor's rules on code: dataset and framework of a job. */

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/ascii.h"
#include "schedmate/advisor/advisor_internal.h"
#include "schedmate/advisor/clues.h"

static const char *distribution(struct rules *rules);

static bool code_ends_with(struct text t, const char *end)
{
    size_t n = strlen(end);
    return t.len >= n && memcmp(t.at + t.len - n, end, n) == 0;
}

static bool is_generic(struct text name)
{
    static const char *const names[] = {
        "data",     "dataset",  "datasets",  "train",     "input",   "path",
        "dir",      "root",     "lmdb",      "json",      "text",    "files",
        "training", "images",   "raw",       "processed", "shards",  "val",
        "all",      "parquet",  "csv",       "custom",    "default", "core",
        "src",      "scripts",  "resources", "assets",    "storage", "home",
        "mnt",      "scratch",  "work",      "workspace", "tmp",     "nfs",
        "shared",   "projects", "users",     "opt",       "var",     "lustre",
        "gpfs",     "raid",     "ssd",       "inputs",    "output",  "outputs"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (text_is_nocase(name, names[i]))
            return true;
    }
    return false;
}

/* Returns the path without the last parts that are general words: data/x/train
 * becomes data/x. */
static struct text telling_part(struct text path)
{
    for (int i = 0; i < 4; i++) {
        struct text rest, last = rules_last_part(path);
        struct text stem = text_split(last, '.', &rest);
        size_t before = (size_t)(last.at - path.at);
        if (!path.len || !is_generic(stem) || before < 2)
            break;
        path.len = before - 1;
    }
    return path;
}

static bool is_dataset_name(struct text value)
{
    struct text rest;
    /* The name of a class says how data are read, not which. */
    bool class = value.len > 7 && code_ends_with(value, "Dataset");
    return rules_is_name(value) && !class &&
           !is_generic(
               text_split(rules_last_part(telling_part(value)), '.', &rest));
}

/* Returns the dataset that the tables of clues give for a path or a name, which
 * may have '-' or '_' in it, as in ml-1m; NULL if they give none. */
static const char *known_dataset(const struct clues *clues, struct text value)
{
    char joined[METADATA_VALUE_MAX];
    struct text name = rules_last_part(value);
    const char *known = clue_dataset(clues, value);
    size_t n = 0;
    for (size_t i = 0; i < name.len && n < sizeof joined; i++) {
        if (name.at[i] != '-' && name.at[i] != '_')
            joined[n++] = name.at[i];
    }
    return known ? known : clue_dataset(clues, (struct text){joined, n});
}

/* Writes at most `room` letters and digits of a text in lower case and returns
 * their number. */
static size_t plain(struct text t, char *out, size_t room)
{
    size_t n = 0;
    for (size_t i = 0; i < t.len && n < room; i++) {
        if (ascii_is_alnum(t.at[i]))
            out[n++] = ascii_lower(t.at[i]);
    }
    return n;
}

/* True for a name that is not the path of a file and that consists of the name
 * of a known dataset and more: code-alpaca-20k is not Alpaca. */
static bool says_more(struct text value, const char *known)
{
    char name[METADATA_VALUE_MAX], part[METADATA_VALUE_MAX];
    if (value.len == 0)
        return false;
    const char *slash = memchr(value.at, '/', value.len);
    size_t rest = slash ? value.len - (size_t)(slash + 1 - value.at) : 0;
    if (memchr(value.at, '.', value.len) || text_char(value, 0) == '/' ||
        (slash && memchr(slash + 1, '/', rest)))
        return false;
    size_t n = plain(rules_last_part(value), name, sizeof name);
    size_t m = plain(text_from(known), part, sizeof part);
    if (n == m + 7 && memcmp(name + m, "dataset", 7) == 0)
        return false; /* the name of a class, such as CocoDataset */
    return m && n > m && memmem(name, n, part, m);
}

/* If the dataset is not set, sets it from a path or from its name on a hub: to
 * the dataset that the tables of clues give for it, else to its last component
 * up to the first dot, unless that is a general word. */
static void set_dataset_name(struct rules *rules, struct text value,
                             const char *where)
{
    value = telling_part(value);
    const char *known = known_dataset(rules->gather.clues, value);
    struct text rest, name = text_split(rules_last_part(value), '.', &rest);
    if (known && !says_more(value, known))
        rules_set(rules, METADATA_DATASET_NAME, known, where);
    else if (name.len && !is_generic(name) &&
             !rules_has(rules, METADATA_DATASET_NAME))
        metadata_set(rules->out, METADATA_DATASET_NAME, name, where,
                     rules->arena);
}

/* Sets the dataset that the code loads for the training. */
static void set_dataset_from_calls(struct rules *rules)
{
    const struct py_call *call = rules->gather.calls.dataset;
    if (!call)
        return;
    const struct py_value *name = py_argument(call, 0, "path");
    const char *known = clue_dataset_in_code(rules->gather.clues, call->name);
    if (!known && call->callee && call->callee->type == PYV_CLASS)
        known = clue_dataset(rules->gather.clues, py_last_name(call->name));
    const struct py_value *root = py_argument(call, 0, "root");
    if (known && strcmp(known, "image folder") == 0) {
        if (py_is_text(root) && is_dataset_name(root->text))
            set_dataset_name(rules, root->text, call->where);
        return; /* the class itself names no dataset */
    }
    if (known)
        rules_set(rules, METADATA_DATASET_NAME, known, call->where);
    else if (py_is_text(name) && rules_is_name(name->text))
        set_dataset_name(rules, name->text, call->where);
}

static void set_dataset_from_code(struct rules *rules)
{
    const struct gather *gather = &rules->gather;
    set_dataset_from_calls(rules);
    if (gather->calls.trains)
        return;
    for (size_t i = 0; i < gather->n_sources; i++) {
        const struct gather_source *source = &gather->sources[i];
        const char *loaded =
            rules_literal(source->code, "load_dataset(", rules->arena);
        if (loaded)
            set_dataset_name(rules, text_from(loaded), source->path);
        rules_set(rules, METADATA_DATASET_NAME,
                  clue_dataset_in_code(rules->gather.clues, source->code),
                  source->path);
    }
}

void rules_set_dataset(struct rules *rules)
{
    static const char mixer[] = "dataset_mixer.";
    const struct settings *settings = &rules->gather.settings;
    for (size_t i = 0; i < settings->n; i++) {
        const struct setting *setting = &settings->at[i];
        if (strncmp(setting->key, mixer, sizeof mixer - 1) == 0)
            set_dataset_name(rules, text_from(setting->key + sizeof mixer - 1),
                             setting->where);
    }
    const struct setting *setting = rules_find(
        rules, rules_options(rules, METADATA_DATASET_NAME), is_dataset_name);
    /* The dataset that the code loads counts more than the default of an
     * option. */
    if (setting && setting->rank >= SETTING_DECLARED)
        set_dataset_from_calls(rules);
    if (setting)
        set_dataset_name(rules, text_from(setting->value), setting->where);
    set_dataset_from_code(rules);
    /* The value of a setting of the command or a configuration may contain the
     * name of the dataset, as in filelists/ljs_train.txt. */
    for (size_t i = 0;
         i < settings->n && !rules_has(rules, METADATA_DATASET_NAME); i++) {
        if (settings->at[i].rank <= SETTING_CONFIG)
            rules_set(rules, METADATA_DATASET_NAME,
                      clue_dataset(rules->gather.clues,
                                   text_from(settings->at[i].value)),
                      settings->at[i].where);
    }
    /* A word of the command may name the dataset, such as a folder of data that
     * is given without an option. */
    const struct launch *launch = &rules->gather.launch;
    for (size_t i = 0; i < launch->n_words; i++)
        rules_set(
            rules, METADATA_DATASET_NAME,
            clue_dataset(rules->gather.clues, text_from(launch->words[i])),
            rules->gather.launch_where);
}

/* Finds the framework of a job and how its processes work together, from
 * imports, classes, the launcher and settings. */

/* The frameworks that the sources import or the launch uses: the first base
 * such as PyTorch, and frameworks that build on PyTorch, in the order in which
 * they are found. */
struct frameworks {
    const char *base;
    const char *more[8];
    size_t n;
};

static void add_framework(struct frameworks *frameworks, const char *name)
{
    for (size_t i = 0; i < frameworks->n; i++) {
        if (strcmp(frameworks->more[i], name) == 0)
            return;
    }
    if (frameworks->n < sizeof frameworks->more / sizeof *frameworks->more)
        frameworks->more[frameworks->n++] = name;
}

/* Position of a walk over the imports of all sources. */
struct imports {
    size_t source, at; /* index of the source; offset in its code */
};

/* Sets *package to the package of the next import: "a" of `import a.b`. Returns
 * false after the last import. */
static bool next_import(const struct rules *rules, struct imports *walk,
                        struct text *package)
{
    const struct gather *gather = &rules->gather;
    struct text module, rest;
    for (; walk->source < gather->n_sources; walk->source++, walk->at = 0) {
        if (py_next_import(gather->sources[walk->source].code, &walk->at,
                           &module)) {
            *package = text_split(module, '.', &rest);
            return true;
        }
    }
    return false;
}

static void find_frameworks(struct rules *rules, struct frameworks *out)
{
    struct text package;
    for (struct imports walk = {0}; next_import(rules, &walk, &package);) {
        bool base;
        const char *name = clue_framework(rules->gather.clues, package, &base);
        if (name && base)
            out->base = out->base ? out->base : name;
        else if (name)
            add_framework(out, name);
    }
    const char *module = rules->gather.launch.module;
    struct text rest,
        first = text_split(text_from(module ? module : ""), '.', &rest);
    bool ignored;
    const char *of_module =
        clue_framework(rules->gather.clues, first, &ignored);
    if (of_module && !ignored)
        add_framework(out, of_module);
    const char *launcher = rules->gather.launch.launcher;
    if (launcher && strcmp(launcher, "deepspeed") == 0)
        add_framework(out, "DeepSpeed");
}

void rules_set_framework(struct rules *rules)
{
    static const char *const keys[] = {"job/framework", NULL};
    const struct setting *said = rules_find(rules, keys, NULL);
    if (said) /* the module that describes a library names the framework */
        rules_set(rules, METADATA_FRAMEWORK, said->value, said->where);
    struct frameworks found = {0};
    char text[METADATA_VALUE_MAX];
    find_frameworks(rules, &found);
    if (!found.base && !found.n)
        return;
    /* Without a base among the imports, the base is PyTorch. */
    int n =
        snprintf(text, sizeof text, "%s", found.base ? found.base : "PyTorch");
    for (size_t i = 0; i < found.n && n > 0 && (size_t)n < sizeof text; i++)
        n +=
            snprintf(text + n, sizeof text - (size_t)n, " + %s", found.more[i]);
    rules_set(rules, METADATA_FRAMEWORK, text, rules_where(rules));
}

bool rules_imports(const struct rules *rules, const char *package)
{
    struct text name;
    for (struct imports at = {0}; next_import(rules, &at, &name);) {
        if (text_is(name, package))
            return true;
    }
    return false;
}

static const char *zero_stage(struct rules *rules)
{
    static const char *const keys[] = {"zero_optimization.stage", "zero_stage",
                                       "stage", NULL};
    const struct setting *stage = rules_find(rules, keys, setting_is_positive);
    char text[32];
    if (!stage || strlen(stage->value) != 1)
        return "DeepSpeed";
    int n = snprintf(text, sizeof text, "DeepSpeed ZeRO-%s", stage->value);
    return arena_copy(rules->arena, text, (size_t)n);
}

/* The evidence for how the processes of a job work together. */
struct rules_code_distribution {
    const struct rules *rules;
    const char *launcher; /* "": there is no launcher */
    const char *type;     /* distributed_type of accelerate; "": none */
    const char *strategy; /* `strategy` of Lightning's trainer; "": none */
};

static bool strategy_is(const struct rules_code_distribution *d,
                        const char *name)
{
    return strncasecmp(d->strategy, name, strlen(name)) == 0;
}

static bool is_config_file(struct text value)
{
    char path[200];
    if (value.len >= sizeof path)
        return false;
    memcpy(path, value.at, value.len);
    path[value.len] = '\0';
    return conf_is_config(path);
}

/* True if an option names a configuration of DeepSpeed, as --deepspeed x.json
 * of the trainer of Transformers does. */
static bool names_deepspeed(const struct rules_code_distribution *d)
{
    static const char *const keys[] = {"deepspeed", "deepspeed_config",
                                       "deepspeed_config_file", NULL};
    const struct setting *file = rules_find(d->rules, keys, is_config_file);
    return file && file->rank <= SETTING_USED;
}

static bool is_deepspeed(const struct rules_code_distribution *d)
{
    return names_deepspeed(d) || strategy_is(d, "deepspeed") ||
           strcmp(d->launcher, "deepspeed") == 0 ||
           rules_imports(d->rules, "deepspeed") ||
           strcmp(d->type, "DEEPSPEED") == 0;
}

static bool is_fsdp(const struct rules_code_distribution *d)
{
    static const char *const keys[] = {"fsdp", NULL};
    return rules_find(d->rules, keys, rules_is_name) ||
           strategy_is(d, "fsdp") || rules_code_has(d->rules, "fully_shard") ||
           rules_code_has(d->rules, "FullyShardedDataParallel") ||
           strcmp(d->type, "FSDP") == 0;
}

static bool is_horovod(const struct rules_code_distribution *d)
{
    return strcmp(d->launcher, "horovodrun") == 0 ||
           (rules_imports(d->rules, "horovod") &&
            !strstr(d->launcher, "torch"));
}

static bool is_ddp(const struct rules_code_distribution *d)
{
    return strategy_is(d, "ddp") ||
           rules_code_has(d->rules, "DistributedDataParallel") ||
           rules_code_has(d->rules, "init_process_group") ||
           strcmp(d->launcher, "torchrun") == 0 ||
           strncmp(d->launcher, "torch.distributed", 17) == 0 ||
           strcmp(d->type, "MULTI_GPU") == 0;
}

static bool is_mpi(const struct rules_code_distribution *d)
{
    return rules_imports(d->rules, "mpi4py") ||
           strncmp(d->launcher, "mpi", 3) == 0;
}

static bool is_mirrored(const struct rules_code_distribution *d)
{
    return rules_code_has(d->rules, "MirroredStrategy") ||
           rules_code_has(d->rules, "MultiWorkerMirroredStrategy");
}

static bool is_pmap(const struct rules_code_distribution *d)
{
    return rules_code_has(d->rules, "jax.pmap");
}

/* True for a strategy of Lightning's trainer: accelerator="gpu" is not a
 * strategy. */
static bool is_strategy(struct text value)
{
    static const char *const names[] = {"ddp",     "fsdp", "deepspeed", "dp",
                                        "horovod", "auto", "xla"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        size_t n = strlen(names[i]);
        if (value.len >= n &&
            text_is_nocase((struct text){value.at, n}, names[i]))
            return true;
    }
    return false;
}

/* Returns the name of the first method that fits; NULL if none does. A method
 * is tested before the methods on which it is built. */
static const char *distribution(struct rules *rules)
{
    static const char *const type_keys[] = {"distributed_type", NULL};
    static const char *const strategy_keys[] = {"strategy", "accelerator",
                                                "distributed_backend", NULL};
    static const struct {
        const char *name;
        bool (*fits)(const struct rules_code_distribution *d);
    } methods[] = {{"FSDP", is_fsdp},
                   {"Horovod", is_horovod},
                   {"DDP", is_ddp},
                   {"MPI", is_mpi},
                   {"MirroredStrategy", is_mirrored},
                   {"data parallel (pmap)", is_pmap}};
    const char *launcher = rules->gather.launch.launcher;
    const struct setting *type = rules_find(rules, type_keys, NULL);
    const struct setting *strategy =
        rules_find(rules, strategy_keys, is_strategy);
    const struct rules_code_distribution d = {
        .rules = rules,
        .strategy = strategy ? strategy->value : "",
        .launcher = launcher ? launcher : "",
        .type = type ? type->value : ""};
    if (is_deepspeed(&d))
        return zero_stage(rules);
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        if (methods[i].fits(&d))
            return methods[i].name;
    }
    return rules_code_has(rules, "DataParallel") ? "DataParallel" : NULL;
}

void rules_set_processes(struct rules *rules)
{
    static const char *const keys[] = {"num_processes", NULL};
    const struct launch *launch = &rules->gather.launch;
    const char *where = rules->gather.launch_where;
    const struct setting *of_config =
        rules_find(rules, keys, setting_is_positive);
    char text[U64_TEXT_MAX + 1];
    static const char *const job_keys[] = {"job/distributed", NULL};
    const struct setting *said = rules_find(rules, job_keys, NULL);
    if (said)
        rules_set(rules, METADATA_DISTRIBUTED, said->value, said->where);
    rules_set(rules, METADATA_DISTRIBUTED, distribution(rules),
              rules_where(rules));
    if (launch->counts.processes) {
        metadata_set(
            rules->out, METADATA_PROCESSES,
            (struct text){text, u64_to_text(launch->counts.processes, text)},
            where, rules->arena);
    } else if (of_config && of_config->rank == SETTING_CONFIG) {
        rules_set(rules, METADATA_PROCESSES, of_config->value,
                  of_config->where);
    }
    rules_set(rules, METADATA_HARDWARE, rules->gather.hardware, where);
}
