/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Settings of the C library's allocator for a process that simulates. */
#ifndef SIM_BASE_HUGE_PAGES_H
#define SIM_BASE_HUGE_PAGES_H

/* Makes malloc serve small and middle-sized blocks from huge pages, where the
 * system grants them, and keep freed memory for the rest of the run. Changes no
 * result, even if the system refuses. Call it once, before anything is
 * allocated. */
void huge_pages_prepare(void);

#endif
