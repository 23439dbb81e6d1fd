/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Memory: arenas, pages of 2 MiB, and checks that fail at once.
 *
 * A small run touches 400 pages of 4 KiB for the first time, a large run ten
 * thousand, and each first touch takes 1 to 2 us. The heap therefore asks
 * the kernel for pages of 2 MiB, each of which costs as much as a hundred
 * small ones. */

#include <inttypes.h>
#include <malloc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/check.h"
#include "base/error.h"
#include "base/huge_pages.h"
#include "base/interrupt.h"

/* Blocks start small and double up to LAST_BLOCK, because a run has a dozen
 * arenas and most of them hold a few hundred bytes. */
#define FIRST_BLOCK (size_t)(4 * 1024)

#define LAST_BLOCK (size_t)(256 * 1024)

struct arena_block {
    struct arena_block *next;
    size_t bytes; /* usable bytes of the block, without its header */
};

static const size_t memory_header =
    (sizeof(struct arena_block) + ARENA_ALIGN - 1) / ARENA_ALIGN * ARENA_ALIGN;

/* Ends the process at once: what exit would still write or free may need memory
 * too. */
static _Noreturn void out_of_memory(void)
{
    interrupt_clean();
    fputs("schedsim: out of memory\n", stderr);
    _exit(status_exit(STATUS_FAILED));
}

void *mem_alloc(size_t bytes)
{
    void *p = malloc(bytes ? bytes : 1);
    if (!p)
        out_of_memory();
    return p;
}

char *mem_copy(const char *at, size_t len)
{
    char *copy = mem_alloc(len + 1);
    memcpy(copy, at, len);
    copy[len] = '\0';
    return copy;
}

char *mem_text(const char *text)
{
    return mem_copy(text, strlen(text));
}

void *mem_zalloc(size_t count, size_t size)
{
    void *p = calloc(count ? count : 1, size ? size : 1);
    if (!p)
        out_of_memory();
    return p;
}

void *mem_resize(void *old, size_t bytes)
{
    void *p = realloc(old, bytes ? bytes : 1);
    if (!p)
        out_of_memory();
    return p;
}

void *mem_grow_slowly(void *old, size_t *cap, size_t need, size_t element)
{
    size_t room = *cap + *cap / 2;
    if (room < need)
        room = need;
    if (room < 16)
        room = 16;
    if (room > SIZE_MAX / element)
        out_of_memory();
    *cap = room;
    return mem_resize(old, room * element);
}

void arena_init(struct arena *arena)
{
    *arena = (struct arena){0};
}

void arena_fini(struct arena *arena)
{
    while (arena->head) {
        struct arena_block *next = arena->head->next;
        free(arena->head);
        arena->head = next;
    }
    *arena = (struct arena){0};
}

static void memory_add_block(struct arena *arena, size_t need)
{
    size_t bytes = arena->head ? arena->head->bytes * 2 : FIRST_BLOCK;
    if (bytes > LAST_BLOCK)
        bytes = LAST_BLOCK;
    if (bytes < need)
        bytes = need;
    struct arena_block *block = mem_alloc(memory_header + bytes);
    block->next = arena->head;
    block->bytes = bytes;
    arena->head = block;
    arena->at = (char *)block + memory_header;
    arena->end = arena->at + bytes;
}

void *arena_take_slowly(struct arena *arena, size_t bytes)
{
    memory_add_block(arena, bytes);
    void *p = arena->at;
    arena->at += bytes;
    return p;
}

void *arena_alloc(struct arena *arena, size_t bytes)
{
    bytes = (bytes + ARENA_ALIGN - 1) / ARENA_ALIGN * ARENA_ALIGN;
    return memset(arena_take(arena, bytes), 0, bytes);
}

char *arena_copy(struct arena *arena, const char *at, size_t len)
{
    char *p = arena_alloc(arena, len + 1);
    if (len)
        memcpy(p, at, len);
    return p;
}

void arena_reset(struct arena *arena)
{
    if (!arena->head)
        return;
    while (arena->head->next) {
        struct arena_block *next = arena->head->next;
        arena->head->next = next->next;
        free(next);
    }
    arena->at = (char *)arena->head + memory_header;
    arena->end = arena->at + arena->head->bytes;
}

enum {
    /* size of a huge page on x86-64 and on most ARM64 kernels */
    HUGE_PAGE = 2 * 1024 * 1024,
    SMALL_PAGE = 4096,
    /* address space of the first extension of the heap; memory is used only
     * when touched */
    REGION = 64 * 1024 * 1024,
    MEMORY_STEP = 1024 * 1024, /* smallest size of a later extension */
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
    mallopt(M_TOP_PAD, MEMORY_STEP);
    free(first);
    uintptr_t end = (uintptr_t)sbrk(0);
    if (huge && end > huge)
        madvise((void *)huge, end - huge, MADV_HUGEPAGE);
}

_Noreturn void check_failed(const char *file, int line, const char *what,
                            const struct check_where *where)
{
    fprintf(stderr, "%s:%d: broken invariant: %s\n", file, line, what);
    if (where) {
        fprintf(stderr, "  at %.6f s, job %" PRId64 ", seed %" PRIu64 "\n",
                span_seconds(where->now),
                where->job == JOB_NONE ? -1 : (int64_t)where->job, where->seed);
    }
    abort();
}
