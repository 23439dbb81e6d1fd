/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of the advisor share: the sources that are scanned, the text
 * of Python, calls, what is gathered, rules. */
#ifndef SCHEDMATE_ADVISOR_ADVISOR_INTERNAL_H
#define SCHEDMATE_ADVISOR_ADVISOR_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"
#include "schedmate/advisor/clues.h"
#include "schedmate/advisor/launch_internal.h"
#include "schedmate/advisor/python/py_machine.h"
#include "schedmate/advisor/python/settings.h"
#include "schedmate/advisor/schedmate_advisor.h"

/* == Finds in the calls of an evaluated script what the training uses: the
 * optimizer and its rate, the loader of the training data, the loop over
 * epochs, the model whose parameters are trained, and the data. The code is in
 * calls.c. */

/* What the calls show of the training. A member that is NULL is not known. */
struct advisor_calls {
    const struct py_call *optimizer, *loader;
    const struct py_value *model;  /* model whose parameters are trained */
    const struct py_call *dataset; /* call that loads the training data */
    /* True if optimizers of different names are made, each under a condition
     * that is not known. */
    bool optimizer_unsure;
    bool trains; /* true if some call is part of a training */
};

void advisor_calls_find(const struct clues *clues,
                        const struct py_machine *machine,
                        struct advisor_calls *out);
/* Adds arguments of the calls to *out as settings: learning rate, batch size,
 * epochs, steps, what the module of a library says of the job, and keyword
 * arguments. */
void advisor_calls_settings(const struct py_machine *machine,
                            const struct advisor_calls *calls,
                            struct settings *out);

/* Returns the name of the model: the name by which the code asks a library for
 * it, else the class or function that makes it. If that is a general name such
 * as Net, returns the name by which a part of the model was asked for, if there
 * is one. Returns NULL if there is no name. Sets *asked to true if the code
 * asks a library for the returned name; if NULL is returned, *asked has no
 * meaning. The name lies in the arena. */
const char *advisor_model_name(const struct clues *clues,
                               const struct py_value *model,
                               struct arena *arena, bool *asked);
/* True for the name of a class that says little about the model, such as Net.
 */
bool advisor_is_plain_model(const char *name);
/* Returns the name of the optimizer that a call makes; NULL if the call makes
 * none or its name is not known. */
const char *advisor_optimizer_name(const struct clues *clues,
                                   const struct py_call *call,
                                   struct arena *arena);

/* == gather.c: Gathers everything that the rules of the Scheduling Advisor look
 * at: the launch command down to the script it starts, that script, the
 * project's own modules that it imports, and the configuration files that the
 * command and these sources name. */

enum { GATHER_SOURCES_MAX = 40 };

struct gather_source {
    const char *path;
    struct text code; /* the text without comments and triple-quoted strings */
};

struct gather {
    const struct advisor_input *input;
    const struct clues *clues;
    /* receives the names of the files that are read */
    struct advisor_result *result;
    struct settings settings;
    struct launch launch;
    bool has_launch;
    /* Where the launch command was found: "command", a line such as
     * "run.sh:12", or the path of a Python script that starts it. */
    const char *launch_where;
    /* resources that a batch script requests from Slurm or PBS, or NULL */
    const char *hardware;
    /* source files; the first is the script */
    struct gather_source sources[GATHER_SOURCES_MAX];
    size_t n_sources;
    /* the evaluation of the script, or NULL */
    const struct py_machine *machine;
    struct advisor_calls calls;
};

void gather_init(struct gather *gather, const struct advisor_input *input,
                 struct advisor_result *result);

void gather_fini(struct gather *gather);

/* Reads the code of a Jupyter notebook. */

/* Returns the text of the code cells, one after the other, in the arena. Lines
 * that are magics or shell commands become empty lines. Returns an empty text
 * if the notebook cannot be parsed. */
struct text notebook_code(struct text source, struct arena *arena);

/* == py_text.c: Parses pieces of Python source: strings, literals, the
 * arguments of a call. No Python code is run. */

/* Returns a copy of the source with comments and triple-quoted strings, most of
 * which are documentation, blanked out, because a commented-out setting has no
 * effect. Line breaks are kept. */
struct text py_strip(struct text source, struct arena *arena);

/* Returns the index after the string literal whose opening quote is at `i`. A
 * literal that never closes ends with its line, a triple-quoted one with the
 * text. */
size_t py_string_end(struct text t, size_t i);

/* Reads a number as Python writes it: 12, 1e-4, 10_000, 5 * 8, 2 ** 10,
 * int(7e6), float(3). Returns false for anything else. */
bool py_number(struct text t, double *out) MUST_USE;

/* Returns a literal in the form of a setting's value: a string with its quotes,
 * "true", "false", or a number in its shortest form. Returns an empty text for
 * anything else. */
struct text py_literal(struct text t, struct arena *arena);

/* Returns the text inside a bracket. `from` is the index after the opening
 * bracket. Returns an empty text if the bracket does not close within 8 KiB. */
struct text py_inside(struct text t, size_t from);

/* Sets *argument to the next argument of a call, without the blanks around it,
 * and moves *rest past it. Returns false after the last. */
bool py_next_argument(struct text *rest, struct text *argument) MUST_USE;

/* Splits name=value. Returns false if the argument has no plain name before a
 * `=`. `==` is not a `=`. */
bool py_keyword(struct text argument, struct text *name,
                struct text *value) MUST_USE;

/* == scan.c: Settings in text that is not run: configuration files, and Python
 * sources.
 *
 * Reads configuration files as settings with dotted keys: JSON (of an array
 * only the first item), TOML, INI and the like (lines "key = value"), Python,
 * and the common part of YAML (nested maps, scalars, lists in brackets). Lines
 * that cannot be read are skipped; a JSON file with an error gives no
 * settings. */

/* True if the path has the ending of a configuration file. */
bool conf_is_config(const char *path);

void conf_settings(struct text source, const char *path, struct settings *out);

/* Finds the settings in a Python source: options declared by argparse, click or
 * absl with their defaults, fields of data classes, assignments of literals,
 * items of dictionaries and keyword arguments that are literals, and the number
 * of rounds of a loop over epochs. The source is read as text and never run.
 * Anything else is skipped. */

/* Adds the settings of a source that py_strip returned. If the source is a
 * configuration file (`is_config`), all settings have rank SETTING_CONFIG;
 * otherwise the rank depends on the kind of statement. */
void py_settings(struct text source, const char *path, bool is_config,
                 struct settings *out);

/* Sets *module to the next imported module at or after the line at *at: "a.b"
 * of `import a.b` and `from a.b import c`, with "." in front if it is relative;
 * of `import a, b` only the first. Moves *at to the next line. Returns false if
 * there is no further import. */
bool py_next_import(struct text source, size_t *at,
                    struct text *module) MUST_USE;

/* The interface between the files of the Scheduling Advisor's rules: the
 * gathered evidence, and functions that set fields. */

struct rules {
    struct gather gather;
    struct arena *arena;
    struct metadata *out;
};

/* Sets a field that is not set yet. A NULL value sets nothing. */
void rules_set(struct rules *rules, enum metadata_field field,
               const char *value, const char *where);
bool rules_has(const struct rules *rules, enum metadata_field field);
const struct setting *rules_find(const struct rules *rules,
                                 const char *const *keys, setting_fits *fits);

/* Returns the names of the options that set a field (clue_options). */
const char *const *rules_options(const struct rules *rules,
                                 enum metadata_field field);

/* Returns true if the value can be a name: it has two characters or more, is
 * not a number, not a switch, not unknown ("$..."), and not a file of weights
 * or notes. */
bool rules_is_name(struct text value);

/* Returns the last part of a path, without slashes after it. */
struct text rules_last_part(struct text path);
/* Finds the first `call`, such as "load_dataset(", and returns the string
 * literal that is its first argument; NULL if there is none. */
const char *rules_literal(struct text code, const char *call,
                          struct arena *arena);

/* Returns true if the evaluated code calls `word` or, if the evaluation found
 * no training, if a source has the word (clue_has_word). */
bool rules_code_has(const struct rules *rules, const char *word);
/* Returns the `where` of a field that was found in the code: the path of the
 * script, or "command" if no script was read. */
const char *rules_where(const struct rules *rules);

/* Returns true if a source imports the package or a module of it. */
bool rules_imports(const struct rules *rules, const char *package);

void rules_set_dataset(struct rules *rules);

/* The first sets the framework; the second, the kind of distribution, the
 * number of processes and the hardware. */
void rules_set_framework(struct rules *rules);
void rules_set_processes(struct rules *rules);

/* In hardware.c. Sets the number of GPUs, of nodes, and of GPUs on each
 * node. */
void rules_set_gpus(struct rules *rules);

/* In hardware.c. Sets the precision of the training, such as bf16. */
void rules_set_precision(struct rules *rules);

/* The lists of clues: schedmate/advisor/knowledge/clues.json, which
 * embed_clues.py writes into C, and the rows of a site. clues.json says what
 * each list is. */

enum clue_kind {
    CLUES_TASKS,
    CLUES_MODEL_TYPES,
    CLUES_DATASETS,
    CLUES_DATASET_NAMES,
    CLUES_OPTIMIZERS,
    CLUES_AUGMENTATIONS,
    CLUES_FRAMEWORKS,
    CLUES_OPTION_NAMES,
    CLUES_OPTION_WORDS,
    CLUES_LAYERS,
    CLUES_MODEL_CLASSES,
    CLUES_TASK_CALLS,
    N_CLUE_KINDS,
};

struct clue {
    const char *name;
    const char *value; /* NULL in lists that have only names */
    const char *more;  /* third column if it is a text; else NULL */
    bool base;         /* for frameworks: false if it builds on PyTorch */
};
struct clue_list {
    const struct clue *at;
    size_t n;
};

struct clues {
    struct clue_list lists[N_CLUE_KINDS]; /* rows of a site come first */
    struct arena arena;
    /* files of the site, in the order in which they were read */
    struct clues_file *files;
    size_t n_files, cap_files;
};

#endif
