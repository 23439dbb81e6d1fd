/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Settings of the C library's allocator for a process that simulates. */
#ifndef SIM_BASE_HUGE_PAGES_H
#define SIM_BASE_HUGE_PAGES_H

/* Makes malloc serve a run from huge pages, where the system has them, and keep
 * freed memory for the rest of the run. Changes no result; if the system
 * refuses, the settings stay as they were. Call it once, before anything is
 * allocated. */
void huge_pages_prepare(void);

#endif
