/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A small run touches 400 pages of 4 KiB for the first time, a large one ten
 * thousand, at 1 to 2 us each: the kernel is asked for pages of 2 MiB instead,
 * each of which costs as much as a hundred small ones. */
#include "sim/base/heap.h"

#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
    HUGE_PAGE = 2 * 1024 * 1024, /* of x86-64 and of most ARM64 kernels */
    SMALL_PAGE = 4096,
    REGION = 64 * 1024 * 1024, /* address space, used as it is touched */
    STEP = 1024 * 1024,        /* grown by so much when the region is full */
    OWN_MAPPING = 32 * 1024 * 1024, /* the most that malloc.h allows */
};

/* Moves the end of the heap, where malloc will begin, to one small page before
 * a huge one: malloc writes there at once, and a page that was written before
 * madvise is asked would stay a small one. Returns the huge one's address. */
static uintptr_t align_heap(void)
{
    uintptr_t end = (uintptr_t)sbrk(0);
    uintptr_t huge = (end + SMALL_PAGE + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
    if (end % SMALL_PAGE != 0 ||
        sbrk((intptr_t)(huge - SMALL_PAGE - end)) == (void *)-1)
        return 0;
    return huge;
}

void heap_prepare(void)
{
    uintptr_t huge = align_heap();
    mallopt(M_MMAP_THRESHOLD, OWN_MAPPING);
    mallopt(M_TRIM_THRESHOLD, INT32_MAX);
    mallopt(M_TOP_PAD, REGION);
    /* Extends the heap; volatile, or a compiler would leave it out. */
    void *volatile first = malloc(1);
    mallopt(M_TOP_PAD, STEP);
    free(first);
    uintptr_t end = (uintptr_t)sbrk(0);
    if (huge && end > huge)
        madvise((void *)huge, end - huge, MADV_HUGEPAGE);
}
