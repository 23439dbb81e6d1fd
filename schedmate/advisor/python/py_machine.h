/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Evaluates Python source as far as possible without running it: follows the
 * entry script into the modules of the project, through the parsers of options,
 * configuration files and conditions that are known, and records which
 * libraries the job calls with which values. If a condition is unknown, both
 * branches are followed, and a value on which they disagree is unknown. No code
 * is run, and nothing outside the host's files is read. The work is bounded. */
#ifndef MODELS_ADVISOR_PY_MACHINE_H
#define MODELS_ADVISOR_PY_MACHINE_H

#include "schedmate/advisor/python/py_value.h"
#include "schedmate/advisor/python/settings.h"

/* What the evaluator asks of its caller. */
struct py_host {
    void *self;
    /* Returns the path of the source file of a module, or of the module that
     * describes a library; NULL if there is neither. `module` may begin with
     * dots; `from` is the importing file. */
    const char *(*module)(void *self, const char *from, struct text module);
    /* Returns the path of a file that the program opens; NULL if there is none.
     * `path` may be relative to the folder of the file `from` (NULL: of the
     * command) or to the root. */
    const char *(*find)(void *self, const char *from, const char *path);
    bool (*read)(void *self, const char *path, struct text *out);
    /* Returns the value of an environment variable that the command sets; NULL
     * if it does not set it or the value is not known. */
    const char *(*environment)(void *self, const char *name);
};

/* Prefix of the paths of modules that describe a library. A name that such a
 * module lacks is still a name of the library. */
#define PY_LIBRARY_PATH "library:"

/* The function by which the module of a library says what the job trains. */
#define PY_JOB "schedsim.job"
/* The function by which the module of a library says which object is the
 * model. */
#define PY_MODEL "schedsim.model"

enum { PY_CALLS_MAX = 6000, PY_FILES_MAX = 80 };

struct py_machine {
    struct arena *arena;
    const struct py_host *host;
    /* receives the values that the program reads or assigns */
    struct settings *settings;
    /* arguments of the script: texts, or unknown values */
    const struct py_map *words;
    const char *words_where;
    bool distributed; /* true if a launcher starts several processes */
    /* the recorded calls and their number are results; the rest is private */
    struct py_call *calls[PY_CALLS_MAX];
    size_t n_calls;
    struct py_file *files[PY_FILES_MAX];
    size_t n_files;
    struct py_file *file; /* file whose code is evaluated */
    struct py_frame *frame;
    struct py_value *unknown, *none;
    uint32_t line;
    unsigned maybe, depth, loops;
    enum setting_rank rank; /* rank that literals get in the evaluated code */
    size_t steps; /* work done: nodes evaluated, items and files read */
    /* true while py_note reports a value that is read, not assigned */
    bool reads;
    bool whole; /* true while py_note reports all values of a file */
    struct py_map registry; /* classes and functions by the names under which
                               registries have them */
    struct py_map flags;    /* options declared by absl */
    struct py_map loaded;   /* configurations that the code has read */
    /* The options of the command and the words that they were read from. */
    struct py_value *options;
    const struct py_map *options_of;
    /* number of configurations that are being read as bases of one another */
    unsigned config_depth;
};

/* Evaluates the script at `path` as the main program. *machine is 0 except for
 * its public fields, which the caller has set. The results lie in
 * machine->arena. Returns false if the file cannot be read. */
bool py_machine_run(struct py_machine *machine, const char *path) MUST_USE;

/* Returns true if the dotted name of some call is `name` or ends with `.name`.
 */
bool py_calls_have(const struct py_machine *machine, const char *name);
/* Returns the argument with this keyword or, if `place` is not negative,
 * argument `place` from 0 of those without a keyword; NULL if there is none. No
 * argument has the keyword "\1". */
struct py_value *py_argument(const struct py_call *call, int place,
                             const char *keyword);
/* True if a class is derived from a class outside the project whose dotted name
 * is `base` or ends with `.base`, or if it is such a class itself. */
bool py_derives(const struct py_value *class, const char *base);
/* True if the dotted name is `end` or ends with `.end`. */
bool py_name_ends(struct text name, const char *end);

#endif
