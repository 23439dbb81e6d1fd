/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by the files that read launch commands (launch_*.c). */
#ifndef MODELS_LAUNCH_INTERNAL_H
#define MODELS_LAUNCH_INTERNAL_H

#include "base/out.h"
#include "schedmate/advisor/launch.h"
#include "schedmate/advisor/shell.h"

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
/* In launch_files.c. */
bool launch_container(struct launch_finder *finder,
                      const struct launch_context *context,
                      struct launch_words words);

/* In launch_files.c. Returns the module of the entry point `name` that the
 * package declares, the command (a text with blanks) of a task of this name, or
 * the module that describes an installed program (library_modules.h); NULL if
 * there is none. */
const char *launch_entry(struct launch_finder *finder, const char *name);

#endif
