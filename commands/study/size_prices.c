/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads prices of GPUs from a JSON file of the user. */
#include "commands/study/size.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/state/cluster_spec.h"

static bool prices_number(const json_t *row, const char *key, double lo,
                          double hi, double deflt, double *out)
{
    const json_t *value = json_object_get(row, key);
    *out = value ? json_number_value(value) : deflt;
    return (!value || json_is_number(value)) &&
           (!value || (*out >= lo && *out <= hi));
}

static enum status prices_read_row(const char *path, size_t i,
                                   const json_t *row, struct arena *arena,
                                   struct size_price *out, struct error *err)
{
    static const char *const keys[] = {"name",  "per_gpu_hour", "gpus",
                                       "speed", "comment",      NULL};
    const char *name = json_string_value(json_object_get(row, "name"));
    double gpus;
    char place[40];
    snprintf(place, sizeof place, "types[%zu]", i);
    enum status st = json_is_object(row)
                         ? json_keys_known(row, keys, path, place, err)
                         : STATUS_OK;
    if (st != STATUS_OK)
        return st;
    if (!name || !*name ||
        !json_is_number(json_object_get(row, "per_gpu_hour")) ||
        !prices_number(row, "per_gpu_hour", 0, 1e9, 0, &out->per_gpu_hour) ||
        !prices_number(row, "gpus", 1, NODE_GPUS_MAX, 0, &gpus) ||
        gpus != floor(gpus) ||
        !prices_number(row, "speed", TYPE_SPEED_MIN, TYPE_SPEED_MAX, 0,
                       &out->speed))
        return error_set(
            err, STATUS_BAD_INPUT,
            "%s: %s: expected {\"name\": text, "
            "\"per_gpu_hour\": 0 or more, \"gpus\": whole number from 1 to 64, "
            "\"speed\": factor above 0}",
            path, place);
    out->type = arena_copy(arena, name, strlen(name));
    out->gpus = (uint32_t)gpus;
    return STATUS_OK;
}

static enum status prices_read_all(const char *path, const json_t *root,
                                   struct arena *arena, struct size_prices *out,
                                   struct error *err)
{
    static const char *const keys[] = {"currency", "types", "comment", NULL};
    const json_t *types = json_object_get(root, "types"), *row;
    const char *currency = json_string_value(json_object_get(root, "currency"));
    size_t i;
    enum status st = STATUS_OK;
    if (!json_is_object(root) || !json_is_array(types) || !currency ||
        !*currency)
        return error_set(err, STATUS_BAD_INPUT,
                         "%s: expected {\"currency\": text, \"types\": "
                         "[{\"name\": text, \"per_gpu_hour\": number}, ...]}",
                         path);
    st = json_keys_known(root, keys, path, "", err);
    *out = (struct size_prices){
        .currency = arena_copy(arena, currency, strlen(currency)),
        .types =
            ARENA_ARRAY(arena, struct size_price, json_array_size(types) + 1)};
    json_array_foreach((json_t *)(uintptr_t)types, i, row)
    {
        if (st != STATUS_OK)
            break;
        st = prices_read_row(path, i, row, arena, &out->types[out->n], err);
        if (st == STATUS_OK && size_price_of(out, out->types[out->n].type))
            st = error_set(err, STATUS_BAD_INPUT,
                           "%s: types[%zu]: %.60s has a price already", path, i,
                           out->types[out->n].type);
        out->n++;
    }
    return st;
}

enum status size_prices_read(const char *path, struct arena *arena,
                             struct size_prices *out, struct error *err)
{
    json_t *root = json_read_file(path, err);
    if (!root)
        return STATUS_BAD_INPUT;
    enum status st = prices_read_all(path, root, arena, out, err);
    json_decref(root);
    return st;
}

const struct size_price *size_price_of(const struct size_prices *prices,
                                       const char *type)
{
    for (size_t i = 0; prices && i < prices->n; i++) {
        if (strcmp(prices->types[i].type, type) == 0)
            return &prices->types[i];
    }
    return NULL;
}
