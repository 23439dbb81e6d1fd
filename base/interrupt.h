/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Removes temporary files and directories, and says what is therefore as it was
 * before, when a signal ends the program
 * (SIGINT, SIGTERM, SIGHUP and others whose default is to end it). A signal
 * that is ignored (nohup ignores SIGHUP) or has a handler when the first path
 * is added is left alone. After the removal the program ends by the same
 * signal, so that the parent process sees which signal it was. SIGKILL cannot
 * be caught; the next run removes what a killed run left of a result
 * (sim/results/result_dir.c). */
#ifndef SIM_BASE_INTERRUPT_H
#define SIM_BASE_INTERRUPT_H

#include <stdbool.h>

/* The caller owns this record and its path; neither may move or change from
 * interrupt_removes to interrupt_keeps. */
struct interrupt_path {
    const char *path;
    bool directory; /* removed only if it is empty when the signal comes */
    /* What the path was to become: the program says that it is unchanged.
     * NULL: nothing is said. */
    const char *becomes;
    struct interrupt_path *next;
};

/* From now on a signal removes this path. The last path added is removed
 * first, so add a directory before the files in it. */
void interrupt_removes(struct interrupt_path *one);
/* From now on a signal does not remove this path. Does nothing for a path that
 * was never added. */
void interrupt_keeps(struct interrupt_path *one);

/* Removes the paths as a signal does. Only for a process that ends at once,
 * since paths can neither be added nor taken back afterwards. Needs no
 * memory. */
void interrupt_clean(void);

/* Hold back these signals for the calling thread between the two calls, which
 * may be nested. Use them around a rename, so that the handler does not remove
 * a file that has just become a result. */
void interrupt_hold(void);
void interrupt_release(void);

#endif
