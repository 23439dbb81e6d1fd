/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "schedmate/logs/log_tables.h"

#include <jansson.h>
#include <string.h>

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool read_row(const json_t *row, size_t n, float *out)
{
    const char *digits = json_string_value(json_object_get(row, "int8"));
    double scale = json_number_value(json_object_get(row, "scale"));
    if (!digits || strlen(digits) != 2 * n || !(scale > 0))
        return false;
    for (size_t i = 0; i < n; i++) {
        int hi = hex_digit(digits[2 * i]), lo = hex_digit(digits[2 * i + 1]);
        if (hi < 0 || lo < 0)
            return false;
        out[i] = (float)((double)(int8_t)(hi * 16 + lo) * scale);
    }
    return true;
}

enum status log_table_read(const char *name, struct text table,
                           const char *const *keys, size_t n, float *rows,
                           struct error *err)
{
    json_error_t where;
    enum status st = STATUS_OK;
    json_t *root =
        json_loadb(table.at, table.len, JSON_REJECT_DUPLICATES, &where);
    if (!root)
        return error_set(err, STATUS_BAD_INPUT, "%s:%d:%d: %s", name,
                         where.line, where.column, where.text);
    const json_t *weights = json_object_get(root, "weights");
    for (size_t k = 0; keys[k] && st == STATUS_OK; k++) {
        if (!read_row(json_object_get(weights, keys[k]), n, rows + k * n))
            st = error_set(err, STATUS_BAD_INPUT,
                           "%s: weights of '%s': expected a positive scale and "
                           "%zu signed bytes as hexadecimal digits",
                           name, keys[k], n);
    }
    json_decref(root);
    return st;
}
