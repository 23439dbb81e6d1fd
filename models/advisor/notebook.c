/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/advisor/notebook.h"

#include <jansson.h>
#include <string.h>

#include "sim/base/out.h"

bool notebook_is(const char *path)
{
    size_t n = strlen(path);
    return n > 6 && strcmp(path + n - 6, ".ipynb") == 0;
}

static void write_line(const char *line, struct out *out)
{
    size_t blank = strspn(line, " \t");
    if (line[blank] != '%' && line[blank] != '!')
        out_text(out, line);
    else
        out_char(out, '\n');
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
        out_text(out, json_string_value(source));
    json_array_foreach(source, i, line)
    {
        if (json_is_string(line))
            write_line(json_string_value(line), out);
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
