/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs the program that decides: starts it, exchanges lines with it, and ends
 * it.
 *
 * The program gets no descriptors but its standard ones, an environment that
 * holds only PYTHONHASHSEED=0 and what the caller names, an empty directory of
 * its own as current directory, and no core dump. It is in a process group of
 * its own, which is killed at the latest when the child is freed. The program
 * itself is also killed when this process ends. */
#ifndef OUTSIDE_CHILD_H
#define OUTSIDE_CHILD_H

#include "base/remarks.h"
#include "base/text.h"
#include "policies/outside/confine.h"

struct child_setup {
    const char *command; /* words, with quotes as in a shell */
    /* variables of the environment that the program gets: names, separated by
     * '+'; "": none */
    const char *pass;
    /* paths that the program may read when confined, separated by '+'; "":
     * none */
    const char *reads;
    enum confine_choice confine;
    /* limit on the time for the start and for each answer, us; 0: none */
    sim_span answer_limit;
    /* limit on the time from the start to the last answer, us; 0: none */
    sim_span whole_limit;
    uint32_t memory_mib; /* limit on the address space, MiB; 0: no limit */
    /* true: the program writes to the standard error of this process */
    bool shows_messages;
};

struct child;

/* Starts the program. Adds a remark if the kernel cannot confine it and
 * setup->confine is CONFINE_AUTO. The caller frees *out with child_free.
 * Returns STATUS_USAGE if the command is malformed, its program does not exist
 * or may not be executed, or `pass` names too many variables or one that does
 * not exist; STATUS_FAILED if the program cannot be started or must be confined
 * and cannot be. */
enum status child_start(const struct child_setup *setup, struct child **out,
                        struct remarks *remarks, struct error *err) MUST_USE;

/* Sends a line, which ends with a line feed, and waits for one line. *answer is
 * that line without its line feed, valid until the next call. Returns
 * STATUS_FAILED, and says in `err` what the program did instead, if it does not
 * answer in time or with one line. */
enum status child_ask(struct child *child, struct text line,
                      struct text *answer, struct error *err) MUST_USE;

/* Closes the input of the program and waits at most a second until it has
 * ended. Adds remarks on what the user must know: that the program did not end
 * or failed, that it wrote to its standard error, that it left files in its
 * directory. */
void child_end(struct child *child, struct remarks *remarks);

/* Kills the program and its group if the program has not been reaped yet, waits
 * for it, and removes its directory if that is empty. Accepts NULL. */
void child_free(struct child *child);

#endif
