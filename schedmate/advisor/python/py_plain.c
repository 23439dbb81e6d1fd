/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads plain values, merges configurations, sets dotted keys, and replaces
 * ${...} in configurations. */
#include <string.h>

#include "schedmate/advisor/python/py_config.h"
#include "schedmate/advisor/python/py_machine_internal.h"

enum { DEEP_MAX = 16, PASSES_MAX = 3 };

static struct py_value *scalar(struct arena *arena, enum py_type type,
                               const char *where, enum setting_rank rank)
{
    struct py_value *value = py_value_new(arena, type);
    value->where = where;
    value->rank = (uint8_t)rank;
    return value;
}

static struct py_value *list_of(struct arena *arena, struct text inside,
                                const char *where, enum setting_rank rank)
{
    struct py_value *list = scalar(arena, PYV_LIST, where, rank);
    list->map = ARENA_NEW(arena, struct py_map);
    while (inside.len) {
        struct text item = text_trim(text_split(inside, ',', &inside));
        if (item.len)
            py_map_set(list->map, arena, (struct text){"", 0},
                       py_plain_value(arena, item, where, rank));
    }
    return list;
}

/* True for [a, b] and (a, b) without brackets inside. */
static bool is_bracketed(struct text word)
{
    char open = text_char(word, 0), close = open == '[' ? ']' : ')';
    return word.len >= 2 && (open == '[' || open == '(') &&
           word.at[word.len - 1] == close &&
           !memchr(word.at + 1, open, word.len - 1);
}

/* Reads a whole number with underscores, such as 10_000. */
static bool grouped_number(struct text word, double *out)
{
    char digits[32];
    size_t n = 0;
    for (size_t i = 0; i < word.len && n < sizeof digits; i++) {
        char c = word.at[i];
        if (c >= '0' && c <= '9')
            digits[n++] = c;
        else if (c != '_' || i == 0)
            return false;
    }
    return n < sizeof digits && text_to_double((struct text){digits, n}, out);
}

struct py_value *py_plain_value(struct arena *arena, struct text word,
                                const char *where, enum setting_rank rank)
{
    static const char *const nothing[] = {"None", "null", "~", "Null", NULL};
    static const char *const yes[] = {"True", "true", "TRUE", NULL};
    static const char *const no[] = {"False", "false", "FALSE", NULL};
    struct py_value *value;
    double number;
    if (py_is_one_of(word, nothing) || !word.len)
        return scalar(arena, PYV_NONE, where, rank);
    if (py_is_one_of(word, yes) || py_is_one_of(word, no)) {
        value = scalar(arena, PYV_BOOL, where, rank);
        value->number = (word.at[0] | 32) == 't';
        return value;
    }
    if (text_to_double(word, &number) || grouped_number(word, &number)) {
        value = scalar(arena, PYV_NUMBER, where, rank);
        value->number = number;
        return value;
    }
    if (is_bracketed(word))
        return list_of(arena, (struct text){word.at + 1, word.len - 2}, where,
                       rank);
    char quote = word.at[0];
    if (word.len >= 2 && (quote == '"' || quote == '\'') &&
        word.at[word.len - 1] == quote)
        word = (struct text){word.at + 1, word.len - 2};
    value = scalar(arena, PYV_TEXT, where, rank);
    value->text = word;
    return value;
}

struct py_value *py_copy(struct py_machine *machine,
                         const struct py_value *value, unsigned depth)
{
    struct py_value *copy = ARENA_NEW(machine->arena, struct py_value);
    *copy = *value;
    if (!value->map || depth > DEEP_MAX || machine->steps++ > PY_STEPS_MAX ||
        (value->type != PYV_DICT && value->type != PYV_LIST))
        return depth ? (struct py_value *)(uintptr_t)value : copy;
    machine->steps += value->map->n;
    copy->map = ARENA_NEW(machine->arena, struct py_map);
    copy->map->maybe = machine->maybe;
    copy->map->open = value->map->open;
    for (size_t i = 0; i < value->map->n; i++)
        py_map_set(copy->map, machine->arena, value->map->at[i].key,
                   py_copy(machine, value->map->at[i].value, depth + 1));
    return copy;
}

static void merge(struct py_machine *machine, struct py_value *into,
                  const struct py_value *from, bool deep, unsigned depth)
{
    into->map->open |= from->map->open;
    for (size_t i = 0; i < from->map->n && machine->steps++ < PY_STEPS_MAX;
         i++) {
        const struct py_item *item = &from->map->at[i];
        struct py_value *old = py_map_get(into->map, item->key);
        bool both = deep && old && old->type == PYV_DICT &&
                    item->value->type == PYV_DICT && depth < DEEP_MAX;
        if (both)
            merge(machine, old, item->value, deep, depth + 1);
        else
            py_set(machine, into->map, item->key, item->value);
    }
}

void py_merge(struct py_machine *machine, struct py_value *into,
              const struct py_value *from, bool deep)
{
    if (into->map != from->map)
        merge(machine, into, from, deep, 0);
}

void py_set_dotted(struct py_machine *machine, struct py_value *into,
                   struct text key, struct py_value *value)
{
    struct text part, rest = key;
    for (int i = 0; i < DEEP_MAX; i++) {
        part = text_split(rest, '.', &rest);
        if (!rest.len)
            break;
        struct py_value *inner = py_map_get(into->map, part);
        bool holds = inner && inner->map &&
                     (inner->type == PYV_DICT || inner->type == PYV_OBJECT);
        if (!holds) {
            inner = py_dict_value(machine);
            py_map_set(into->map, machine->arena, part, inner);
        }
        into = inner;
    }
    py_map_set(into->map, machine->arena, part, value);
}

struct py_value *py_get_dotted(const struct py_value *from, struct text key)
{
    struct py_value *value = NULL;
    uint32_t place;
    while (key.len && from && from->map) {
        struct text part = text_split(key, '.', &key);
        value = py_map_get(from->map, part);
        if (from->type == PYV_LIST && text_to_u32(part, &place) &&
            place < from->map->n)
            value = from->map->at[place].value;
        from = value;
        if (!value)
            return NULL;
    }
    return key.len ? NULL : value;
}

struct py_value *py_merge_list(struct py_machine *machine,
                               struct py_value *into,
                               const struct py_value *list)
{
    for (size_t i = 0; i < list->map->n; i++) {
        struct py_value *word = list->map->at[i].value, *next;
        if (!py_is_text(word))
            continue;
        struct text value, key = text_split(word->text, '=', &value);
        if (value.len) {
            py_set_dotted(
                machine, into, key,
                py_plain_value(machine->arena, value, word->where, word->rank));
        } else if (i + 1 < list->map->n) {
            next = list->map->at[++i].value;
            if (py_is_text(next))
                next = py_plain_value(machine->arena, next->text, next->where,
                                      next->rank);
            py_set_dotted(machine, into, key, next);
        }
    }
    return machine->none;
}

/* Returns the value of the reference `inner` between ${ and }; NULL if it is
 * unknown. */
static struct py_value *resolved(struct py_machine *machine,
                                 const struct py_value *root,
                                 const struct py_value *at, struct text inner)
{
    struct text rest, kind = text_split(inner, ':', &rest);
    if (kind.len < inner.len) {
        struct text other, name = text_split(rest, ',', &other);
        char key[128] = "";
        name = text_trim(name);
        bool env = text_is(kind, "oc.env") || text_is(kind, "env");
        if (!env || name.len >= sizeof key)
            return NULL;
        memcpy(key, name.at, name.len);
        const char *set = machine->host->environment(machine->host->self, key);
        other = text_trim(set ? text_from(set) : other);
        return other.len
                   ? py_plain_value(machine->arena, other, NULL, SETTING_CONFIG)
                   : NULL;
    }
    if (text_char(inner, 0) == '.')
        return py_get_dotted(at, text_skip(inner, 1));
    return py_get_dotted(root, inner);
}

/* Returns the value of a text with ${...} in it; NULL if it is unknown. */
static struct py_value *filled(struct py_machine *machine,
                               const struct py_value *root,
                               const struct py_value *at,
                               const struct py_value *value)
{
    struct text t = value->text, out = {"", 0};
    for (int i = 0; i < DEEP_MAX; i++) {
        const char *open = t.len ? memmem(t.at, t.len, "${", 2) : NULL;
        const char *close =
            open ? memchr(open, '}', (size_t)(t.at + t.len - open)) : NULL;
        if (!close)
            break;
        struct text inner = {open + 2, (size_t)(close - open) - 2};
        struct py_value *found = resolved(machine, root, at, inner);
        bool whole = open == t.at && close + 1 == t.at + t.len && !out.len;
        if (whole || !found || !py_is_scalar(found))
            return whole ? found : NULL;
        out = py_join(machine->arena, out, "",
                      (struct text){t.at, (size_t)(open - t.at)});
        out = py_join(machine->arena, out, "",
                      py_value_text(found, machine->arena));
        t = text_skip(t, (size_t)(close + 1 - t.at));
    }
    struct py_value *copy = ARENA_NEW(machine->arena, struct py_value);
    *copy = *value;
    copy->text = py_join(machine->arena, out, "", t);
    return copy;
}

static void interpolate(struct py_machine *machine, const struct py_value *root,
                        struct py_value *at, unsigned depth)
{
    for (size_t i = 0; at->map && depth < DEEP_MAX && i < at->map->n &&
                       machine->steps++ < PY_STEPS_MAX;
         i++) {
        struct py_value *value = at->map->at[i].value;
        if (value->type == PYV_DICT || value->type == PYV_LIST) {
            interpolate(machine, root, value, depth + 1);
        } else if (value->type == PYV_TEXT && value->text.len > 3 &&
                   memmem(value->text.at, value->text.len, "${", 2)) {
            struct py_value *found = filled(machine, root, at, value);
            bool source = found && !found->where && py_is_scalar(found);
            if (source)
                found =
                    py_with_source(machine, found, value->where, value->rank);
            at->map->at[i].value = found ? found : machine->unknown;
        }
    }
}

void py_interpolate(struct py_machine *machine, struct py_value *root)
{
    for (int i = 0; i < PASSES_MAX; i++)
        interpolate(machine, root, root, 0);
}
