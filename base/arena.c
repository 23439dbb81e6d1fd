/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/arena.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"

/* Blocks start small and double up to LAST_BLOCK, because a run has a dozen
 * arenas and most of them hold a few hundred bytes. */
#define FIRST_BLOCK (size_t)(4 * 1024)
#define LAST_BLOCK (size_t)(256 * 1024)

struct arena_block {
    struct arena_block *next;
    size_t bytes; /* usable bytes of the block, without its header */
};

static const size_t header =
    (sizeof(struct arena_block) + ARENA_ALIGN - 1) / ARENA_ALIGN * ARENA_ALIGN;

/* Ends the process at once: what exit would still write or free may need memory
 * too. */
static _Noreturn void out_of_memory(void)
{
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

static void add_block(struct arena *arena, size_t need)
{
    size_t bytes = arena->head ? arena->head->bytes * 2 : FIRST_BLOCK;
    if (bytes > LAST_BLOCK)
        bytes = LAST_BLOCK;
    if (bytes < need)
        bytes = need;
    struct arena_block *block = mem_alloc(header + bytes);
    block->next = arena->head;
    block->bytes = bytes;
    arena->head = block;
    arena->at = (char *)block + header;
    arena->end = arena->at + bytes;
}

void *arena_take_slowly(struct arena *arena, size_t bytes)
{
    add_block(arena, bytes);
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
    arena->at = (char *)arena->head + header;
    arena->end = arena->at + arena->head->bytes;
}
