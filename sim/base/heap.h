/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How the C library's allocator is set for a process that simulates. */
#ifndef SIM_BASE_HEAP_H
#define SIM_BASE_HEAP_H

/* Makes malloc serve a run from huge pages, where the system has them, and keep
 * what is freed for the rest of the run. Changes no result; where the system
 * says no, all stays as it was. To be called once, before anything is
 * allocated. */
void heap_prepare(void);

#endif
