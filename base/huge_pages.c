/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A small run touches 400 pages of 4 KiB for the first time, a large run ten
 * thousand, and each first touch takes 1 to 2 us. The heap therefore asks
 * the kernel for pages of 2 MiB, each of which costs as much as a hundred
 * small ones. */
#include "base/huge_pages.h"

#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
    /* size of a huge page on x86-64 and on most ARM64 kernels */
    HUGE_PAGE = 2 * 1024 * 1024,
    SMALL_PAGE = 4096,
    /* address space of the first extension of the heap; memory is used only
     * when touched */
    REGION = 64 * 1024 * 1024,
    STEP = 1024 * 1024, /* smallest size of a later extension */
    /* blocks of this size and more get a mapping of their own; the C library
     * allows no larger value */
    OWN_MAPPING = 32 * 1024 * 1024,
};

/* Moves the end of the heap, where malloc will begin, to one small page before
 * the start of a huge page. malloc writes to that place at once, and a page
 * that was written before the madvise call would stay small. Returns the
 * address of the huge page, or 0 if the heap cannot be moved. */
static uintptr_t align_heap(void)
{
    uintptr_t end = (uintptr_t)sbrk(0);
    uintptr_t huge = (end + SMALL_PAGE + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
    if (end % SMALL_PAGE != 0 ||
        sbrk((intptr_t)(huge - SMALL_PAGE - end)) == (void *)-1)
        return 0;
    return huge;
}

void huge_pages_prepare(void)
{
    uintptr_t huge = align_heap();
    mallopt(M_MMAP_THRESHOLD, OWN_MAPPING);
    mallopt(M_TRIM_THRESHOLD, INT32_MAX);
    mallopt(M_TOP_PAD, REGION);
    /* Extends the heap. `volatile` keeps the compiler from leaving the call
     * out. */
    void *volatile first = malloc(1);
    mallopt(M_TOP_PAD, STEP);
    free(first);
    uintptr_t end = (uintptr_t)sbrk(0);
    if (huge && end > huge)
        madvise((void *)huge, end - huge, MADV_HUGEPAGE);
}
