/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "schedmate/advisor/python/py_value.h"

#include <string.h>

#include "schedmate/llm/llm_text.h"

struct py_value *py_value_new(struct arena *arena, enum py_type type)
{
    struct py_value *value = ARENA_NEW(arena, struct py_value);
    value->type = type;
    return value;
}

static struct py_item *item_of(const struct py_map *map, struct text key)
{
    for (size_t i = 0; i < map->n; i++) {
        if (map->at[i].key.len == key.len && key.len &&
            memcmp(map->at[i].key.at, key.at, key.len) == 0)
            return &map->at[i];
    }
    return NULL;
}

struct py_value *py_map_get(const struct py_map *map, struct text key)
{
    const struct py_item *item = map ? item_of(map, key) : NULL;
    return item ? item->value : NULL;
}

struct py_value *py_map_find(const struct py_map *map, const char *key)
{
    return py_map_get(map, text_from(key));
}

void py_map_set(struct py_map *map, struct arena *arena, struct text key,
                struct py_value *value)
{
    struct py_item *item = item_of(map, key);
    if (item) {
        item->value = value;
        return;
    }
    if (map->n == PY_ITEMS_MAX) {
        map->open = true;
        return;
    }
    if (map->n == map->cap) {
        size_t cap = map->cap ? 2 * map->cap : 8;
        struct py_item *more = arena_alloc(arena, cap * sizeof *more);
        if (map->n)
            memcpy(more, map->at, map->n * sizeof *more);
        map->at = more;
        map->cap = cap;
    }
    map->at[map->n++] = (struct py_item){key, value};
}

void py_map_remove(struct py_map *map, struct text key)
{
    struct py_item *item = item_of(map, key);
    if (!item)
        return;
    size_t after = (size_t)(map->at + map->n - item) - 1;
    memmove(item, item + 1, after * sizeof *item);
    map->n--;
}

bool py_is_scalar(const struct py_value *value)
{
    return value && (value->type == PYV_BOOL || value->type == PYV_NUMBER ||
                     value->type == PYV_TEXT);
}

bool py_is_text(const struct py_value *value)
{
    return value && value->type == PYV_TEXT;
}

bool py_same(const struct py_value *a, const struct py_value *b)
{
    if (a == b)
        return true;
    if (a->type == PYV_TEXT && b->type == PYV_TEXT)
        return text_equal(a->text, b->text);
    bool numbers = (a->type == PYV_NUMBER || a->type == PYV_BOOL) &&
                   (b->type == PYV_NUMBER || b->type == PYV_BOOL);
    if (numbers)
        return a->number == b->number;
    return a->type == b->type && a->type == PYV_NONE;
}

struct text py_value_text(const struct py_value *value, struct arena *arena)
{
    if (value->type == PYV_TEXT)
        return value->text;
    if (value->type == PYV_BOOL)
        return text_from(value->number != 0 ? "true" : "false");
    if (value->type != PYV_NUMBER)
        return (struct text){"", 0};
    struct out *out = out_to_memory();
    llm_json_number(out, value->number);
    struct text text = out_memory(out);
    text.at = arena_copy(arena, text.at, text.len);
    out_abandon(out);
    return text;
}

bool py_is_one_of(struct text text, const char *const *words)
{
    for (; *words; words++) {
        if (text_is(text, *words))
            return true;
    }
    return false;
}

struct text py_last_name(struct text dotted)
{
    const char *dot = dotted.len ? memrchr(dotted.at, '.', dotted.len) : NULL;
    return dot ? text_skip(dotted, (size_t)(dot + 1 - dotted.at)) : dotted;
}

/* Largest length of a text that py_join makes, bytes. */
enum { TEXT_MAX = 500 };

struct text py_join(struct arena *arena, struct text a, const char *between,
                    struct text b)
{
    size_t n = strlen(between), len = a.len + n + b.len;
    if (len > TEXT_MAX)
        return a;
    char *at = arena_alloc(arena, len + 1);
    if (a.len)
        memcpy(at, a.at, a.len);
    memcpy(at + a.len, between, n);
    if (b.len)
        memcpy(at + a.len + n, b.at, b.len);
    return (struct text){at, len};
}

enum py_truth py_truth(const struct py_value *value)
{
    enum py_type type = value->type;
    if (type == PYV_NONE)
        return PY_NO;
    if (type == PYV_BOOL || type == PYV_NUMBER)
        return value->number != 0 ? PY_YES : PY_NO;
    if (type == PYV_TEXT)
        return value->text.len ? PY_YES : PY_NO;
    if (type == PYV_LIST || type == PYV_DICT)
        return value->map->n ? PY_YES : value->map->open ? PY_PERHAPS : PY_NO;
    return type == PYV_FUNCTION || type == PYV_CLASS || type == PYV_FILE
               ? PY_YES
               : PY_PERHAPS;
}
