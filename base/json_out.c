/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/json_out.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"

json_t *json_read_file(const char *path, struct error *err)
{
    json_error_t where;
    errno = 0;
    json_t *value = json_load_file(path, JSON_REJECT_DUPLICATES, &where);
    if (!value && where.line < 1) /* the file could not be opened */
        error_set(err, STATUS_BAD_INPUT, "%s: cannot be opened: %s", path,
                  strerror(errno));
    else if (!value)
        error_set(err, STATUS_BAD_INPUT, "%s:%d:%d: %s", path, where.line,
                  where.column, where.text);
    return value;
}

json_t *json_text(const char *s)
{
    if (!s)
        return json_null();
    json_t *value = json_string(s);
    if (value)
        return value;
    size_t len = strlen(s);
    char *clean = mem_alloc(len + 1);
    for (size_t i = 0; i <= len; i++)
        clean[i] = (unsigned char)s[i] < 0x80 ? s[i] : '?';
    value = json_string(clean);
    free(clean);
    return value;
}

json_t *json_number(double value)
{
    if (isnan(value))
        return json_null();
    if (value == floor(value) && fabs(value) < 9e15)
        return json_integer((json_int_t)value);
    return json_real(value);
}

void json_put(json_t *object, const char *key, json_t *value)
{
    CHECK(json_object_set_new_nocheck(object, key, value) == 0);
}

static int write_piece(const char *at, size_t len, void *out)
{
    out_bytes(out, at, len);
    return 0;
}

void json_write(struct out *out, const json_t *value)
{
    json_dump_callback(value, write_piece, out,
                       JSON_INDENT(2) | JSON_REAL_PRECISION(15) |
                           JSON_ENCODE_ANY);
    out_char(out, '\n');
}
