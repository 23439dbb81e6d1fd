/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reports the first column of a header that schedsim's own format does not
 * define. */
#include <string.h>

#include "base/rows.h"

/* True if `name` is one of `names`, which `bar` separates. */
static bool is_among(struct text name, const char *names, char bar)
{
    struct text rest = text_from(names);
    while (rest.len) {
        if (text_equal(text_split(rest, bar, &rest), name))
            return true;
    }
    return false;
}

/* Fills `names` with the names of the columns, as many as fit into `room`,
 * where the texts live. Returns their number. */
static size_t list_names(const struct rows_column *columns, size_t n,
                         char *room, size_t size, const char **names)
{
    size_t count = 0, used = 0;
    for (size_t i = 0; i < n; i++) {
        struct text rest = text_from(columns[i].names);
        while (rest.len && count < ROWS_CELLS_MAX) {
            struct text name = text_split(rest, '|', &rest);
            if (used + name.len + 1 > size)
                return count;
            memcpy(room + used, name.at, name.len);
            room[used + name.len] = '\0';
            names[count++] = room + used;
            used += name.len + 1;
        }
    }
    return count;
}

static enum status nobody_reads(const struct rows *r, int cell,
                                const struct rows_column *columns, size_t n,
                                const char *ask, struct error *err)
{
    char room[4096];
    const char *names[ROWS_CELLS_MAX];
    struct text name = text_from(rows_header_name(r, (size_t)cell));
    size_t count = list_names(columns, n, room, sizeof room, names);
    const char *near = text_nearest(name, names, count);
    return rows_bad(r, cell, err, "no such column%s%s%s%s%s%.*s",
                    near ? "; did you mean '" : "", near ? near : "",
                    near ? "'?" : "", ask ? "; to skip it, say " : "",
                    ask ? ask : "", ask ? (int)name.len : 0, name.at);
}

enum status rows_header_known(const struct rows *r,
                              const struct rows_column *columns, size_t n,
                              const char *skip, const char *ask,
                              struct error *err)
{
    if (skip && strcmp(skip, "*") == 0)
        return STATUS_OK;
    for (size_t cell = 0; rows_header_name(r, cell); cell++) {
        struct text name = text_from(rows_header_name(r, cell));
        bool known = skip && is_among(name, skip, '+');
        for (size_t i = 0; i < n && !known; i++)
            known = is_among(name, columns[i].names, '|') ||
                    (name.len == 0 && columns[i].names[0] == '\0');
        if (!known)
            return nobody_reads(r, (int)cell, columns, n, ask, err);
    }
    return STATUS_OK;
}
