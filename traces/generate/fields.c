/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads the values of a calibration file by their path, such as
 * "arrivals.hours.value". */
#include "traces/generate/calibration.h"

#include <string.h>

void fields_fail(struct fields *r, const char *path, const char *expected)
{
    if (r->st == STATUS_OK)
        r->st = error_set(r->err, STATUS_BAD_INPUT,
                          "calibration %s: %s: expected %s", r->file, path,
                          expected);
}

/* Returns the value at a path such as "a.b.c", whose keys have fewer than 64
 * bytes each. If there is none, records the failure and returns NULL. */
static json_t *fields_find(struct fields *r, json_t *at, const char *path)
{
    struct text rest = text_from(path);
    while (at && rest.len) {
        struct text key = text_split(rest, '.', &rest);
        char name[64];
        if (key.len >= sizeof name) {
            fields_fail(r, path, "keys of fewer than 64 bytes");
            return NULL;
        }
        memcpy(name, key.at, key.len);
        name[key.len] = 0;
        at = json_object_get(at, name);
    }
    if (!at)
        fields_fail(r, path, "a value");
    return at;
}

double fields_number(struct fields *r, json_t *root, const char *path)
{
    json_t *at = fields_find(r, root, path);
    if (at && !json_is_number(at))
        fields_fail(r, path, "a number");
    return json_number_value(at);
}

double fields_element(struct fields *r, json_t *list, size_t i,
                      const char *path)
{
    json_t *at = json_array_get(list, i);
    if (!json_is_number(at))
        fields_fail(r, path, "numbers");
    return json_number_value(at);
}

uint32_t fields_count(struct fields *r, json_t *root, const char *path)
{
    double value = fields_number(r, root, path);
    if (value < 0 || value > 1e6)
        fields_fail(r, path, "a count");
    return (uint32_t)value;
}

const char *fields_copy(struct fields *r, json_t *at, const char *path)
{
    if (!json_is_string(at)) {
        fields_fail(r, path, "a text");
        return "";
    }
    return arena_copy(r->arena, json_string_value(at), json_string_length(at));
}

const char *fields_string(struct fields *r, json_t *root, const char *path)
{
    return fields_copy(r, fields_find(r, root, path), path);
}

json_t *fields_array(struct fields *r, json_t *root, const char *path,
                     size_t *n)
{
    json_t *at = fields_find(r, root, path);
    if (at && !json_is_array(at))
        fields_fail(r, path, "a list");
    *n = json_array_size(at);
    return at;
}

void fields_fixed(struct fields *r, json_t *root, const char *path, double *out,
                  size_t want)
{
    size_t n;
    json_t *at = fields_array(r, root, path, &n);
    if (n != want)
        fields_fail(r, path, "another number of values");
    for (size_t i = 0; i < n && i < want; i++)
        out[i] = fields_element(r, at, i, path);
}

double *fields_list(struct fields *r, json_t *root, const char *path, size_t *n)
{
    json_t *at = fields_array(r, root, path, n);
    double *out = ARENA_ARRAY(r->arena, double, *n + 1);
    for (size_t i = 0; i < *n; i++)
        out[i] = fields_element(r, at, i, path);
    return out;
}

struct calibration_point *fields_points(struct fields *r, json_t *root,
                                        const char *path, size_t *n)
{
    json_t *at = fields_array(r, root, path, n);
    struct calibration_point *out =
        ARENA_ARRAY(r->arena, struct calibration_point, *n + 1);
    for (size_t i = 0; i < *n; i++) {
        json_t *pair = json_array_get(at, i);
        if (json_array_size(pair) != 2)
            fields_fail(r, path, "pairs");
        out[i].value = fields_element(r, pair, 0, path);
        out[i].weight = fields_element(r, pair, 1, path);
    }
    return out;
}

void fields_within(struct fields *r, const char *path, double value, double lo,
                   double hi)
{
    if (!(value >= lo && value <= hi))
        fields_fail(r, path, "a value in the range of calibration.h");
}
