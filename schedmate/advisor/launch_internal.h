/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by the files that read launch commands (launch_*.c). */
#ifndef SCHEDMATE_ADVISOR_LAUNCH_INTERNAL_H
#define SCHEDMATE_ADVISOR_LAUNCH_INTERNAL_H

#include "base/out.h"
#include "schedmate/advisor/python/settings.h"
#include "schedmate/advisor/shell_internal.h"

/* == launch.c: Finds what a launch command finally starts: which launcher
 * starts how many processes of which script, with which arguments. Follows
 * shell scripts (shell_internal.h), wrappers such as `docker run`, `srun` or
 * `uv run`, Makefiles, justfiles, containers and entry points of packages.
 * Nothing is run. */

#define LAUNCH_WORDS_MAX 512
#define LAUNCH_ENV_MAX 64
#define LAUNCH_OPTIONS_MAX 32

/* Processes, nodes and GPUs that the launch asks for; 0: not known. */
struct launch_counts {
    uint32_t processes; /* on all nodes together */
    uint32_t per_node;  /* processes on each node */
    uint32_t nodes;
    uint32_t gpus; /* on all nodes together */
    uint32_t gpus_per_node;
    uint32_t gpus_per_task; /* GPUs of each process */
    /* GPUs of one copy of the model: product of the sizes of tensor, pipeline
     * and context parallelism, 1 if none is given; a lower bound of `gpus` */
    uint32_t gpus_at_least;
};

struct launch {
    /* such as "python", "torchrun" or "deepspeed"; or NULL */
    const char *launcher;
    /* folder, relative to the root, in which the launch runs, set by `cd` or an
     * option such as --chdir; NULL: the root */
    const char *dir;
    const char *script; /* path of a Python or shell script or a notebook, or
                           NULL */
    /* module after -m, of an entry point or of an installed tool, or NULL */
    const char *module;
    /* program that is not a file of the job, such as an installed tool or an
     * entry point (`module` then has its module); or NULL */
    const char *program;
    /* true if the script is a shell script in which no launch was found */
    bool is_shell;
    /* number of processes per node, or of all processes if the number per node
     * is not given; 0: neither is given */
    uint32_t processes;
    uint32_t nodes;     /* number of nodes; 0: not given */
    const char *config; /* configuration file of the launcher, such as
                           accelerate's, or NULL */
    const char *words[LAUNCH_WORDS_MAX]; /* arguments of the script */
    size_t n_words;
    /* Where the command was found, such as "command" or "run.sh:12". */
    const char *where;
    struct launch_counts counts;
    /* resources that a batch script requests from Slurm or PBS, or NULL */
    const char *hardware;
    /* options of the launcher: "name=value", "name=true" for a flag */
    const char *options[LAUNCH_OPTIONS_MAX];
    size_t n_options;
    /* variables that the command or its script exports: "NAME=value" */
    const char *env[LAUNCH_ENV_MAX];
    size_t n_env;
    /* Number of runs that a loop with different values or a job array starts;
     * 0: neither, SHELL_RUNS_MANY (shell_internal.h): not known. */
    size_t runs;
    /* What the answer leaves out, for the user; or NULL. */
    const char *note;
    /* how much the launch looks like that of a training run
     * (launch.c) */
    int score;
};

/* The files of the job. */
struct launch_files {
    void *self;
    /* Reads the file `path`, which a command in the folder `dir` names, into
     * *out and sets *found to its path from the root. Returns false if there is
     * no such file or it cannot be read. */
    bool (*read)(void *self, const char *dir, const char *path,
                 const char **found, struct text *out);
};

/* Finds what a command starts. Of several programs, the program that looks most
 * like training counts. `files` NULL: no file is read. Returns false if the
 * command starts nothing that can be a job; *out is then empty. Strings live as
 * long as the arena. */
bool launch_find(struct text command, const struct launch_files *files,
                 struct arena *arena, struct launch *out) MUST_USE;

/* Adds the arguments of the script as settings: --key value, --key=value,
 * key=value, and a dotted key with the value as the next word. A flag gets the
 * value "true", a value that is unknown "$"; of a path that is unknown in part,
 * the end that is known is kept. The pairs in a value such as a=1,b=2 are
 * added, too. Options of the launcher are not added. */
void launch_settings(const struct launch *launch, const char *where,
                     size_t line, struct settings *out);

/* Returns a sentence that says why no file was read and, if the launch names
 * one, which file was looked for. */
const char *launch_why(const struct launch *launch, struct arena *arena);

/* Returns the words of a command for the text of a job about which little is
 * known: paths by their last part, without options that only name the run, say
 * where it writes or listens, or set its seed. Adds no word after 1000 bytes.
 */
const char *launch_raw(struct text command, struct arena *arena);

enum {
    LAUNCH_FOUND_MAX = 64, /* largest number of launches that are compared */
    LAUNCH_DEPTH_MAX = 8,  /* largest depth of scripts that start scripts */
    /* largest number of wrappers that are taken off a command */
    LAUNCH_UNWRAP_MAX = 16,
};

/* What is known of a command while its wrappers are taken off. */
struct launch_context {
    const char *dir;   /* current folder from the root */
    const char *where; /* see struct launch */
    const char *launcher, *config, *hardware;
    struct launch_counts counts;
    const char *env[LAUNCH_ENV_MAX];
    size_t n_env;
    size_t runs;
    size_t depth; /* number of scripts that lead to the command */
    struct text document;
};

struct launch_finder {
    const struct launch_files *files;
    struct arena *arena;
    struct shell_budget budget;
    struct launch *found; /* array of LAUNCH_FOUND_MAX launches */
    size_t n_found;
    /* context of the script that is followed */
    const struct launch_context *context;
};

struct launch_words {
    const char *const *at;
    size_t n;
};

/* In launch.c. Takes the wrappers off a command, given as its words, and
 * adds the launches to which it leads. */
void launch_take(struct launch_finder *finder,
                 const struct launch_context *context,
                 struct launch_words words);
/* Follows a shell script with its arguments and adds the launches in it.
 * `path`: the file of the script; NULL: it is a command line. */
void launch_follow(struct launch_finder *finder,
                   const struct launch_context *context, const char *path,
                   struct text script, struct launch_words args);
bool launch_read_file(struct launch_finder *finder, const char *dir,
                      const char *path, const char **found, struct text *out);
void launch_add(struct launch_finder *finder, const struct launch *launch);

/* In launch.c. */
const char *launch_base(const char *path);
bool launch_ends(const char *s, const char *end);
bool launch_is_assignment(const char *word);
bool launch_is_shell_script(const char *word);
/* True for a word that is likely to be what a wrapper starts, and not the value
 * of an option of the wrapper: a known program, a script, or a path that begins
 * with "./". */
bool launch_is_program(const char *word);
bool launch_is_python(const char *word);
/* True if `word` is one of the words of `list`, which blanks separate. */
bool launch_listed(const char *list, const char *word);
/* True for a module that starts a script, as torch.distributed.run does. */
bool launch_is_launching(const char *module);
/* True for a program that is no launch once its wrappers are taken off, such as
 * echo, and for a word that begins with '$' or '-'. */
bool launch_is_ordinary(const char *program);
bool launch_number(const char *word, uint32_t *out);

/* In launch_program.c. Takes off one wrapper, or an assignment of a variable,
 * which goes to the context; *words becomes the command inside, which may be
 * empty. Takes the options of the wrapper into account. Returns false if the
 * command begins with neither. */
bool launch_unwrap(struct launch_words *words, struct launch_context *context,
                   struct arena *arena);

/* Reads the requests (#SBATCH, #PBS -l, #BSUB -gpu) in the first 4000 lines of
 * a batch script into the context. */
void launch_batch_head(struct text script, struct launch_context *context,
                       struct arena *arena);

/* In launch_program.c. Reads a command without wrappers, which has at least one
 * word, and adds the launches to which it leads. Returns false if it is not a
 * launch. */
bool launch_program(struct launch_finder *finder,
                    const struct launch_context *context,
                    struct launch_words words);

/* In launch_files.c. The next two functions follow what a Makefile, a
 * justfile, a container or a file of Kubernetes or DVC starts. They return true
 * if the command is one that they follow, even if it leads to no launch. */
bool launch_target(struct launch_finder *finder,
                   const struct launch_context *context,
                   struct launch_words words);
/* In launch_files.c. Returns the module of the entry point `name` that the
 * package declares, the command (a text with blanks) of a task of this name, or
 * the module that describes an installed program (library_modules.h); NULL if
 * there is none. */
const char *launch_entry(struct launch_finder *finder, const char *name);

#endif
