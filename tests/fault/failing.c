/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Preloaded, lets the allocation with the number FAILING_AT fail. */
#include <errno.h>
#include <stdlib.h>

extern void *__libc_malloc(size_t bytes);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *old, size_t bytes);

static long n_calls, fails_at;

__attribute__((constructor)) static void read_number(void)
{
    const char *at = getenv("FAILING_AT");
    fails_at = at ? atol(at) : 0;
}

static int is_due(void)
{
    if (fails_at == 0 || ++n_calls != fails_at)
        return 0;
    errno = ENOMEM;
    return 1;
}

void *malloc(size_t bytes)
{
    return is_due() ? NULL : __libc_malloc(bytes);
}

void *calloc(size_t count, size_t size)
{
    return is_due() ? NULL : __libc_calloc(count, size);
}

void *realloc(void *old, size_t bytes)
{
    return is_due() ? NULL : __libc_realloc(old, bytes);
}
