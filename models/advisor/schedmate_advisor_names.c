/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the names of the model and of the dataset by the Scheduling Advisor's
 * rules: from a setting that gives the name, else from what the code builds or
 * loads. */
#include <string.h>

#include "models/advisor/advisor_clues.h"
#include "models/advisor/advisor_rules.h"

/* Names of options in public training code, the more telling first. */
static const char *const model_keys[] = {"model_name_or_path",
                                         "pretrained_model_name_or_path",
                                         "model_name",
                                         "arch",
                                         "architecture",
                                         "model",
                                         "model_type",
                                         "backbone",
                                         "net",
                                         "network",
                                         "algo",
                                         NULL};
static const char *const dataset_keys[] = {
    "dataset_name", "dataset",   "env_name",   "env_id",         "env",
    "train_data",   "data_path", "train_file", "training_files", "dataset_path",
    "data_dir",     "data",      NULL};

/* Returns true if the value can be a name: not a number, a switch or a file of
 * weights. */
bool rules_is_name(struct text value)
{
    double number;
    bool flag;
    static const char *const files[] = {".pt", ".pth", ".ckpt", ".bin", ".md"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        size_t n = strlen(files[i]);
        if (value.len > n && memcmp(value.at + value.len - n, files[i], n) == 0)
            return false;
    }
    return value.len > 1 && value.at[0] != '$' &&
           !text_to_double(value, &number) && !text_to_bool(value, &flag);
}

static struct text last_part(struct text path)
{
    while (path.len && path.at[path.len - 1] == '/')
        path.len--;
    const char *slash = path.len ? memrchr(path.at, '/', path.len) : NULL;
    return slash ? (struct text){slash + 1,
                                 path.len - (size_t)(slash + 1 - path.at)}
                 : path;
}

/* Finds a called name that begins with a capital, as in `net = SimpleDLA()`. A
 * lower-case name counts only in a model zoo: `models.resnet50(`. */
static const char *callee(struct text line, struct arena *arena)
{
    struct text rest;
    text_split(line, '=', &rest);
    rest = text_trim(rest);
    const char *open = rest.len ? memchr(rest.at, '(', rest.len) : NULL;
    if (!open)
        return NULL;
    struct text name = {rest.at, (size_t)(open - rest.at)};
    const char *dot = name.len ? memrchr(name.at, '.', name.len) : NULL;
    struct text owner = {name.at, dot ? (size_t)(dot - name.at) : 0};
    if (dot)
        name = (struct text){dot + 1, name.len - owner.len - 1};
    bool capital = name.len && name.at[0] >= 'A' && name.at[0] <= 'Z';
    bool zoo =
        owner.len >= 6 && memcmp(owner.at + owner.len - 6, "models", 6) == 0;
    for (size_t i = 0; i < name.len; i++) {
        if (strchr(" '\"[]{},", name.at[i]))
            return NULL;
    }
    bool wrapper = text_is(name, "DataParallel") ||
                   text_is(name, "DistributedDataParallel") ||
                   text_is(name, "FullyShardedDataParallel") ||
                   text_is(name, "DDP") || text_is(name, "FSDP");
    return name.len > 1 && (capital || zoo) && !wrapper
               ? arena_copy(arena, name.at, name.len)
               : NULL;
}

static bool assigns_model(struct text line)
{
    static const char *const names[] = {"model",     "net",   "network",
                                        "generator", "net_g", "actor_critic",
                                        "policy"};
    struct text rest, name = text_split(line, '=', &rest);
    name = text_trim(name);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (text_is(name, names[i]))
            return true;
    }
    return false;
}

/* Returns the literal of from_pretrained("gpt2"). */
static const char *pretrained(struct text line, struct arena *arena)
{
    static const char call[] = "from_pretrained(";
    const char *hit =
        line.len ? memmem(line.at, line.len, call, sizeof call - 1) : NULL;
    if (!hit)
        return NULL;
    const char *at = hit + sizeof call - 1, *end = line.at + line.len;
    if (at == end || (*at != '"' && *at != '\''))
        return NULL;
    const char *close = memchr(at + 1, *at, (size_t)(end - at - 1));
    return close ? arena_copy(arena, at + 1, (size_t)(close - at - 1)) : NULL;
}

static void set_model_from_code(struct rules *rules)
{
    const struct gather *gather = &rules->gather;
    for (size_t i = 0; i < gather->n_sources; i++) {
        struct text rest = gather->sources[i].code;
        while (rest.len && !rules_has(rules, METADATA_MODEL_NAME)) {
            struct text line = text_split(rest, '\n', &rest);
            const char *name = pretrained(line, rules->arena);
            if (!name && assigns_model(line))
                name = callee(line, rules->arena);
            rules_set(rules, METADATA_MODEL_NAME, name,
                      gather->sources[i].path);
        }
    }
}

/* Sets the model. A setting that names a model ranks above what the code
 * builds, unless the setting is only a default elsewhere in the code. */
void rules_set_model(struct rules *rules)
{
    const struct setting *setting =
        rules_find(rules, model_keys, rules_is_name);
    if (setting && setting->rank == SETTING_LOCAL)
        set_model_from_code(rules);
    if (setting && !rules_has(rules, METADATA_MODEL_NAME)) {
        struct text name = last_part(text_from(setting->value));
        metadata_set(rules->out, METADATA_MODEL_NAME, name, setting->where,
                     rules->arena);
    }
    if (!rules_has(rules, METADATA_MODEL_NAME))
        set_model_from_code(rules);
}

/* Returns the literal of load_dataset("name"). */
static const char *loaded_dataset(struct text code, struct arena *arena)
{
    static const char call[] = "load_dataset(";
    const char *hit =
        code.len ? memmem(code.at, code.len, call, sizeof call - 1) : NULL;
    const char *end = code.at + code.len;
    if (!hit || hit + sizeof call - 1 >= end)
        return NULL;
    const char *at = hit + sizeof call - 1;
    if (*at != '"' && *at != '\'')
        return NULL;
    const char *close = memchr(at + 1, *at, (size_t)(end - at - 1));
    return close ? arena_copy(arena, at + 1, (size_t)(close - at - 1)) : NULL;
}

static bool is_generic(struct text name)
{
    static const char *const names[] = {
        "data", "dataset", "datasets", "train", "input", "path",
        "dir",  "root",    "lmdb",     "json",  "text",  "files"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (text_is_nocase(name, names[i]))
            return true;
    }
    return false;
}

/* Sets the dataset from a path or a hub's name: the dataset that the name is
 * known for, else the last part of the name up to its dot. */
static void set_dataset_name(struct rules *rules, struct text value,
                             const char *where)
{
    const char *known = clue_dataset(value);
    struct text rest, name = text_split(last_part(value), '.', &rest);
    if (known)
        rules_set(rules, METADATA_DATASET_NAME, known, where);
    else if (name.len && !is_generic(name) &&
             !rules_has(rules, METADATA_DATASET_NAME))
        metadata_set(rules->out, METADATA_DATASET_NAME, name, where,
                     rules->arena);
}

static void set_dataset_from_code(struct rules *rules)
{
    const struct gather *gather = &rules->gather;
    for (size_t i = 0; i < gather->n_sources; i++) {
        const struct gather_source *source = &gather->sources[i];
        const char *loaded = loaded_dataset(source->code, rules->arena);
        if (loaded)
            set_dataset_name(rules, text_from(loaded), source->path);
        rules_set(rules, METADATA_DATASET_NAME,
                  clue_dataset_in_code(source->code), source->path);
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
    const struct setting *setting =
        rules_find(rules, dataset_keys, rules_is_name);
    if (setting)
        set_dataset_name(rules, text_from(setting->value), setting->where);
    set_dataset_from_code(rules);
    /* A data file that a module reads may name the dataset:
     * filelists/ljs_train.txt */
    for (size_t i = 0;
         i < settings->n && !rules_has(rules, METADATA_DATASET_NAME); i++) {
        if (settings->at[i].rank <= SETTING_CONFIG)
            rules_set(rules, METADATA_DATASET_NAME,
                      clue_dataset(text_from(settings->at[i].value)),
                      settings->at[i].where);
    }
}
