/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/support/slurp.h"

#include <stdio.h>

#include "base/arena.h"

char *slurp(const char *path, size_t *len)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        return NULL;
    char *text = NULL;
    size_t cap = 0, n;
    *len = 0;
    do {
        text = mem_grow(text, &cap, *len + 4096, 1);
        n = fread(text + *len, 1, 4095, file);
        *len += n;
    } while (n > 0);
    text[*len] = '\0';
    if (ferror(file)) {
        free(text);
        text = NULL;
    }
    fclose(file);
    return text;
}
