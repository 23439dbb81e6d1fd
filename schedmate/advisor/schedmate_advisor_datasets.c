/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the name of the dataset by the Scheduling Advisor's rules: from
 * settings that give the name or a path, from what the code loads, and from
 * other words of the command. */
#include <string.h>

#include "base/ascii.h"
#include "schedmate/advisor/advisor_clues.h"
#include "schedmate/advisor/schedmate_advisor_rules_internal.h"

static bool ends_with(struct text t, const char *end)
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
    bool class = value.len > 7 && ends_with(value, "Dataset");
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

/* Returns the name of a dataset that a class or function for several datasets
 * gets: Planetoid(root, "Cora"), load(name="x") or
 * DglNodePropPredDataset("ogbn-arxiv"). NULL if the call gives no name. */
static const struct py_value *named_of_collection(const struct py_call *call)
{
    static const char *const second[] = {"Planetoid",
                                         "TUDataset",
                                         "Amazon",
                                         "Coauthor",
                                         "WebKB",
                                         "Actor",
                                         "MoleculeNet",
                                         "LRGBDataset",
                                         "CitationFull",
                                         "Airports",
                                         "GNNBenchmarkDataset",
                                         "WikipediaNetwork",
                                         "HeterophilousGraphDataset",
                                         "MD17",
                                         NULL};
    struct text class = py_last_name(call->name);
    const struct py_value *name = py_argument(call, -1, "name");
    if (!name && py_is_one_of(class, second))
        name = py_argument(call, 1, "name");
    if (!name && ends_with(class, "PredDataset"))
        name = py_argument(call, 0, "name");
    return py_is_text(name) ? name : NULL;
}

/* Sets the dataset that the code loads for the training. */
static void set_dataset_from_calls(struct rules *rules)
{
    const struct py_call *call = rules->gather.calls.dataset;
    if (!call)
        return;
    const struct py_value *name = py_argument(call, 0, "path");
    const struct py_value *one = named_of_collection(call);
    if (one)
        set_dataset_name(rules, one->text, call->where);
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
