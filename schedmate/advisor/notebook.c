/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "schedmate/advisor/notebook.h"

#include <jansson.h>
#include <string.h>

#include "base/out.h"

bool notebook_is(const char *path)
{
    size_t n = strlen(path);
    return n > 6 && strcmp(path + n - 6, ".ipynb") == 0;
}

/* Writes the lines of a text. A magic or a shell command becomes an empty
 * line. */
static void write_lines(const char *text, struct out *out)
{
    struct text rest = text_from(text);
    while (rest.len > 0) {
        const char *end = memchr(rest.at, '\n', rest.len);
        size_t len = end ? (size_t)(end - rest.at) + 1 : rest.len;
        char first = text_char(rest, strspn(rest.at, " \t"));
        if (first != '%' && first != '!')
            out_bytes(out, rest.at, len);
        else
            out_char(out, '\n');
        rest = text_skip(rest, len);
    }
}

static void write_cell(const json_t *cell, struct out *out)
{
    const char *kind = json_string_value(json_object_get(cell, "cell_type"));
    const json_t *source = json_object_get(cell, "source");
    size_t i;
    json_t *line;
    if (!kind || strcmp(kind, "code") != 0)
        return;
    if (json_is_string(source))
        write_lines(json_string_value(source), out);
    json_array_foreach(source, i, line)
    {
        if (json_is_string(line))
            write_lines(json_string_value(line), out);
    }
    out_char(out, '\n');
}

struct text notebook_code(struct text source, struct arena *arena)
{
    json_error_t error;
    json_t *root = json_loadb(source.at, source.len, 0, &error), *cell;
    struct out *out = out_to_memory();
    size_t i;
    json_array_foreach(json_object_get(root, "cells"), i, cell)
        write_cell(cell, out);
    struct text code = out_memory(out);
    code.at = arena_copy(arena, code.at ? code.at : "", code.len);
    out_abandon(out);
    json_decref(root);
    return code;
}
