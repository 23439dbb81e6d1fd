/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Temporary files and directories that are removed also when a signal ends the
 * program (SIGINT, SIGTERM, SIGHUP and others whose default is to end it). A
 * signal that was ignored when the program started, as nohup does with SIGHUP,
 * stays ignored. After the removal the program ends by the signal itself, so
 * whoever waits for it sees what it was. SIGKILL cannot be caught: what it
 * leaves, sim/staging.h recognises. */
#ifndef SIM_BASE_INTERRUPT_H
#define SIM_BASE_INTERRUPT_H

#include <stdbool.h>

/* Owned by the caller, as is the path; neither may move or change from
 * interrupt_removes to interrupt_keeps. */
struct interrupt_path {
    const char *path;
    bool directory; /* removed only if it is empty by then */
    struct interrupt_path *next;
};

/* From now on a signal removes it. Added last is removed first, so a directory
 * comes before what lies in it. */
void interrupt_removes(struct interrupt_path *one);
/* From now on no more. One that was never added is left alone. */
void interrupt_keeps(struct interrupt_path *one);

/* Between the two a signal waits: while files change their names, so that
 * nothing is removed that has just become a result. */
void interrupt_hold(void);
void interrupt_release(void);

#endif
