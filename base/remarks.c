/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/remarks.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"

/* Size of the longest remark with its terminator, bytes; longer remarks are
 * cut. */
#define REMARK_MAX 1024

void remarks_add(struct remarks *remarks, const char *format, ...)
{
    char text[REMARK_MAX];
    va_list args;
    if (!remarks)
        return;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    text_clean(text);
    for (size_t i = 0; i < remarks->count; i++) {
        if (strcmp(remarks->at[i], text) == 0)
            return;
    }
    remarks->at = mem_grow(remarks->at, &remarks->cap, remarks->count + 1,
                           sizeof *remarks->at);
    remarks->at[remarks->count++] =
        arena_copy(remarks->arena, text, strlen(text));
}

void remarks_last_first(struct remarks *remarks)
{
    if (!remarks->count)
        return;
    const char *last = remarks->at[remarks->count - 1];
    memmove(remarks->at + 1, remarks->at,
            (remarks->count - 1) * sizeof *remarks->at);
    remarks->at[0] = last;
}

void remarks_fini(struct remarks *remarks)
{
    free(remarks->at);
    *remarks = (struct remarks){0};
}
