/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the agent of the Scheduling Advisor may ask to see of a job's files:
 * lines of files, an outline of a source, lines that hold a word, the files of
 * a folder. Each view is short: comments and blank lines are left out, indents
 * are narrow, runs of similar lines are one, big folders are a count. A request
 * that cannot be met is answered with the reason. */
#ifndef MODELS_LOOK_H
#define MODELS_LOOK_H

#include "base/out.h"
#include "schedmate/advisor/jail.h"

enum { LOOK_FIRST_MAX = 32 };

struct look {
    const struct workspace *workspace;
    struct arena *arena;
    /* Files that matter most, such as those that the command names: they and
     * their folders come first. */
    const char *first[LOOK_FIRST_MAX];
    size_t n_first;
    /* Is told of each file that is shown. */
    void *self;
    void (*shown)(void *self, const char *path);
};

/* Adds a file to `first`, unless it is there or the table is full. Keeps the
 * pointer. */
void look_add_first(struct look *look, const char *path);

/* Sets *out to the text of a file and *path to its path as the workspace has
 * it; of a notebook the code alone. Returns false, with the reason in `why`, if
 * it cannot be read. */
bool look_text(const struct look *look, const char **path, struct text *out,
               bool *cut, char why[WORKSPACE_WHY_MAX]) MUST_USE;

/* Writes the folders with the names of their files, those that matter most
 * first, in at most about `room` bytes. `below`: the folder to show, without a
 * slash at its end; "" for all. */
void look_tree(const struct look *look, const char *below, size_t room,
               struct out *out);

/* Writes a file that the agent has not asked for: whole if it is short, else
 * its outline. */
void look_at_first(const struct look *look, const char *path, size_t room,
                   struct out *out);

/* Meets one request in at most about `room` bytes:
 *   read PATH [FROM-TO]      lines of a file
 *   outline PATH             declared options, assignments and lines that tell
 *                            of the training, with their numbers
 *   grep WORD|WORD [in PATH] lines that hold one of the words, whatever the
 * case list FOLDER              files and folders */
void look_request(const struct look *look, const char *request, size_t room,
                  struct out *out);

#endif
