/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Settings of the C library's allocator for a process that simulates. The code
 * is in memory.c. */
#ifndef SIM_BASE_HUGE_PAGES_H
#define SIM_BASE_HUGE_PAGES_H

/* Makes malloc place the first 64 MiB of the heap in huge pages, where the
 * system grants them, and keep freed blocks of the heap for the rest of the
 * run. Changes no result, even if the system refuses. Call it once, before
 * anything is allocated. */
void huge_pages_prepare(void);

#endif
