/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prints the cosine of each pair of lines in standard input, by the built-in
 * embedding: line i of the output has the cosines of line i with all lines. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "schedmate/llm/ngrams.h"

int main(void)
{
    const uint32_t width = embed_hashed.dimensions;
    struct text *lines = NULL;
    size_t n = 0, cap = 0, room = 0;
    char *line = NULL;
    struct error err;
    ssize_t len;
    while ((len = getline(&line, &room, stdin)) > 0) {
        len -= line[len - 1] == '\n';
        lines = mem_grow(lines, &cap, n + 1, sizeof *lines);
        char *copy = mem_alloc((size_t)len + 1);
        memcpy(copy, line, (size_t)len);
        lines[n++] = (struct text){copy, (size_t)len};
    }
    free(line);
    float *vectors = mem_zalloc(n * width + 1, sizeof *vectors);
    if (embed_hashed.embed(NULL, lines, n, vectors, &err) != STATUS_OK)
        return 1;
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < n; k++)
            printf(
                "%s%.6f", k ? " " : "",
                embed_cosine(vectors + i * width, vectors + k * width, width));
        putchar('\n');
    }
    for (size_t i = 0; i < n; i++)
        free((char *)(uintptr_t)lines[i].at);
    free(lines);
    free(vectors);
    return 0;
}
