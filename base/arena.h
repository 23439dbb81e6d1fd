/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Memory that is freed together. An arena owns everything that was taken from
 * it; nothing is freed one by one. When memory runs out these functions abort
 * the program, so no caller checks for NULL.
 *
 * An array that must grow does not live in an arena: mem_grow resizes it, and
 * its caller owns and frees it. The code is in memory.c. */
#ifndef SIM_BASE_ARENA_H
#define SIM_BASE_ARENA_H

#include <stddef.h>
#include <stdint.h>

struct arena_block;

#define ARENA_ALIGN 16u

struct arena {
    struct arena_block *head;
    char *at, *end;
};

void arena_init(struct arena *arena);
void arena_fini(struct arena *arena); /* accepts an arena of zeroes */

/* Returns zeroed memory, aligned for any type and valid until arena_reset or
 * arena_fini. */
void *arena_alloc(struct arena *arena, size_t bytes);
/* arena_take returns memory as arena_alloc does but does not zero it; use it
 * for small pieces that the caller fills at once. arena_take_slowly serves
 * arena_take when the block is full; call arena_take instead. */
void *arena_take_slowly(struct arena *arena, size_t bytes);
static inline void *arena_take(struct arena *arena, size_t bytes)
{
    bytes = (bytes + ARENA_ALIGN - 1) / ARENA_ALIGN * ARENA_ALIGN;
    if (bytes > (size_t)(arena->end - arena->at))
        return arena_take_slowly(arena, bytes);
    void *p = arena->at;
    arena->at += bytes;
    return p;
}
char *arena_copy(struct arena *arena, const char *at, size_t len);

/* Releases everything that was taken and keeps one block for reuse. */
void arena_reset(struct arena *arena);

#define ARENA_NEW(arena, type) ((type *)arena_alloc((arena), sizeof(type)))
#define ARENA_ARRAY(arena, type, n) \
    ((type *)arena_alloc((arena), sizeof(type) * (size_t)(n)))

/* Like malloc, calloc and realloc, but abort instead of failing and never
 * return NULL, even for 0 bytes. */
void *mem_alloc(size_t bytes);
void *mem_zalloc(size_t count, size_t size);
/* Return a copy, which free releases: of `len` bytes and a NUL after them, or
 * of a text. */
char *mem_copy(const char *at, size_t len);
char *mem_text(const char *text);
void *mem_resize(void *old, size_t bytes);

/* mem_grow returns `old` (which may be NULL), moved if necessary, with room for
 * at least `need` elements of `element` bytes, and updates *cap, the number of
 * elements that fit. A capacity that must grow grows at least by half. Doubling
 * it would hold more memory while a large array is copied. mem_grow_slowly
 * serves mem_grow when the array must grow. */
void *mem_grow_slowly(void *old, size_t *cap, size_t need, size_t element);

static inline void *mem_grow(void *old, size_t *cap, size_t need,
                             size_t element)
{
    return need <= *cap ? old : mem_grow_slowly(old, cap, need, element);
}

#endif
