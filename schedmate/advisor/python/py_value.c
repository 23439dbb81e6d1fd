/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "schedmate/advisor/python/py_value.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/ascii.h"
#include "schedmate/advisor/python/py_machine.h"
#include "schedmate/advisor/python/py_machine_internal.h"
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

void py_forget_items(struct py_map *map)
{
    map->n = 0;
    map->open = true;
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

/* Prints a number by a conversion of C such as "05d" or ".3f", which means the
 * same in Python. Returns false for any other conversion. */
static bool print_number(double number, struct text conversion, char *out,
                         size_t size)
{
    char format[16] = "%";
    size_t n = conversion.len - 1;
    char kind = conversion.at[n];
    if (n > 6 || !strchr("dfegFEG", kind) || !kind)
        return false;
    for (size_t i = 0; i < n; i++) {
        if (!ascii_is_digit(conversion.at[i]) && conversion.at[i] != '.')
            return false;
        format[i + 1] = conversion.at[i];
    }
    bool whole = kind == 'd';
    if (whole && !(fabs(number) < 1e15))
        return false;
    snprintf(format + n + 1, sizeof format - n - 1, whole ? "lld" : "%c", kind);
    int len = whole ? snprintf(out, size, format, (long long)number)
                    : snprintf(out, size, format, number);
    return len >= 0 && (size_t)len < size;
}

bool py_print(struct py_machine *machine, const struct py_value *value,
              struct text conversion, struct text *out)
{
    char digits[128];
    if (conversion.len && !text_is(conversion, "s")) {
        if (value->type != PYV_NUMBER ||
            !print_number(value->number, conversion, digits, sizeof digits))
            return false;
        out->at = arena_copy(machine->arena, digits, strlen(digits));
        *out = text_from(out->at);
        return true;
    }
    if (value->type == PYV_BOOL)
        *out = text_from(value->number != 0 ? "True" : "False");
    else if (value->type == PYV_NONE)
        *out = text_from("None");
    else
        *out = py_value_text(value, machine->arena);
    return py_is_scalar(value) || value->type == PYV_NONE;
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
enum { PY_VALUE_TEXT_MAX = 500 };

struct text py_join(struct arena *arena, struct text a, const char *between,
                    struct text b)
{
    size_t n = strlen(between), len = a.len + n + b.len;
    if (len > PY_VALUE_TEXT_MAX)
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

/* Makes the values of the evaluator of Python, merges two values that a
 * variable may have, and reports values as settings. */

const char *py_where(struct py_machine *machine, uint32_t line)
{
    char where[4200];
    int n = snprintf(where, sizeof where, "%.4096s:%u", machine->file->path,
                     (unsigned)line);
    return arena_copy(machine->arena, where, (size_t)n);
}

static struct py_value *value_literal(struct py_machine *machine,
                                      enum py_type type)
{
    struct py_value *value = py_value_new(machine->arena, type);
    value->rank = (uint8_t)machine->rank;
    value->where = py_where(machine, machine->line);
    return value;
}

struct py_value *py_number_value(struct py_machine *machine, double number)
{
    struct py_value *value = value_literal(machine, PYV_NUMBER);
    value->number = number;
    return value;
}

struct py_value *py_bool_value(struct py_machine *machine, bool is)
{
    struct py_value *value = value_literal(machine, PYV_BOOL);
    value->number = is;
    return value;
}

struct py_value *py_text_value(struct py_machine *machine, struct text text)
{
    struct py_value *value = value_literal(machine, PYV_TEXT);
    value->text = text;
    return value;
}

static struct py_value *value_collection(struct py_machine *machine,
                                         enum py_type type)
{
    struct py_value *value = py_value_new(machine->arena, type);
    value->map = ARENA_NEW(machine->arena, struct py_map);
    value->map->maybe = machine->maybe;
    return value;
}

struct py_value *py_list_value(struct py_machine *machine)
{
    return value_collection(machine, PYV_LIST);
}

struct py_value *py_dict_value(struct py_machine *machine)
{
    return value_collection(machine, PYV_DICT);
}

struct py_value *py_library_value(struct py_machine *machine, struct text name)
{
    struct py_value *value = py_value_new(machine->arena, PYV_LIBRARY);
    value->text = name;
    return value;
}

struct py_value *py_object_value(struct py_machine *machine, struct text name)
{
    struct py_value *value = value_collection(machine, PYV_OBJECT);
    value->of = py_library_value(machine, name);
    return value;
}

struct py_value *py_with_source(struct py_machine *machine,
                                const struct py_value *value, const char *where,
                                enum setting_rank rank)
{
    struct py_value *copy = ARENA_NEW(machine->arena, struct py_value);
    *copy = *value;
    copy->where = where;
    copy->rank = (uint8_t)rank;
    return copy;
}

static bool is_known(const struct py_value *value)
{
    return value && value->type != PYV_UNKNOWN && value->type != PYV_NONE &&
           value->type != PYV_METHOD;
}

/* True if the call that made `outer` had `inner` as an argument, as in model =
 * wrap(model), or was a method of it. */
static bool wraps(const struct py_value *outer, const struct py_value *inner)
{
    const struct py_call *call = outer->call;
    for (size_t i = 0; call && i < call->arguments.n; i++) {
        if (call->arguments.at[i].value == inner)
            return true;
    }
    return call && call->self == inner;
}

static bool same_maker(const struct py_value *a, const struct py_value *b)
{
    return a->type == PYV_OBJECT && b->type == PYV_OBJECT && a->of && b->of &&
           (a->of == b->of ||
            (a->of->text.len && text_equal(a->of->text, b->of->text)));
}

/* True if two values are equal, made by the same class, or both functions. */
static bool agree(const struct py_value *a, const struct py_value *b)
{
    return a == b || same_maker(a, b) ||
           (py_is_scalar(a) && py_is_scalar(b) && py_same(a, b)) ||
           (a->type == PYV_FUNCTION && b->type == PYV_FUNCTION);
}

struct py_value *py_either(struct py_machine *machine, struct py_value *a,
                           struct py_value *b)
{
    if (!is_known(a))
        return is_known(b) ? b : a ? a : b;
    if (!is_known(b) || agree(a, b) || wraps(a, b))
        return a;
    if (wraps(b, a))
        return b;
    if ((a->type == PYV_LIST || a->type == PYV_DICT) && a->type == b->type)
        return a->map->n ? a : b;
    return machine->unknown;
}

void py_set(struct py_machine *machine, struct py_map *map, struct text key,
            struct py_value *value)
{
    struct py_value *old = py_map_get(map, key);
    if (old && machine->maybe > map->maybe)
        value = py_either(machine, old, value);
    py_map_set(map, machine->arena, key, value);
}

/* Largest number of recent settings that are searched for an equal one. */
enum { RECENT = 200 };

/* True if a module that describes a library reads a value of such a module. */
static bool is_internal(const struct py_machine *machine,
                        const struct py_value *value)
{
    return machine->file && machine->file->is_library &&
           text_starts(text_from(value->where), PY_LIBRARY_PATH);
}

void py_note_read(struct py_machine *machine, struct text name,
                  const struct py_value *value)
{
    machine->reads = true;
    py_note(machine, name, value);
    machine->reads = false;
}

void py_note(struct py_machine *machine, struct text name,
             const struct py_value *value)
{
    struct settings *settings = machine->settings;
    if (!py_is_scalar(value) || !value->where || !name.len || !settings ||
        value->text.len > 200 || is_internal(machine, value))
        return;
    enum setting_rank rank = value->rank == SETTING_COMMAND
                                 ? SETTING_CARRIED
                                 : (enum setting_rank)value->rank;
    for (size_t i = settings->n; i && settings->n - i < RECENT; i--) {
        struct setting *known = &settings->at[i - 1];
        if (known->rank <= rank && strcmp(known->where, value->where) == 0 &&
            text_is(name, known->key)) {
            known->is_read |= machine->reads;
            return;
        }
    }
    size_t n = settings->n;
    settings_add(settings, rank, name, py_value_text(value, machine->arena),
                 value->where, 0);
    if (settings->n > n) {
        settings->at[n].used = !machine->whole;
        settings->at[n].is_read = machine->reads;
    }
}

bool py_calls_have(const struct py_machine *machine, const char *name)
{
    for (size_t i = 0; i < machine->n_calls; i++) {
        if (py_name_ends(machine->calls[i]->name, name))
            return true;
    }
    return false;
}

bool py_machine_run(struct py_machine *machine, const char *path)
{
    machine->unknown = py_value_new(machine->arena, PYV_UNKNOWN);
    machine->none = py_value_new(machine->arena, PYV_NONE);
    machine->rank = SETTING_ASSIGNED;
    if (!py_load(machine, path))
        return false;
    py_call_later(machine);
    /* The last configuration that is read overrides those before it. */
    machine->whole = true;
    for (size_t i = machine->loaded.n; i-- > 0;)
        py_note_all(machine, machine->loaded.at[i].value, (struct text){"", 0},
                    0);
    machine->whole = false;
    return true;
}

/* Reads plain values, merges configurations, sets dotted keys, and replaces
 * ${...} in configurations. */

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

static void value_merge(struct py_machine *machine, struct py_value *into,
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
            value_merge(machine, old, item->value, deep, depth + 1);
        else
            py_set(machine, into->map, item->key, item->value);
    }
}

void py_merge(struct py_machine *machine, struct py_value *into,
              const struct py_value *from, bool deep)
{
    if (into->map != from->map)
        value_merge(machine, into, from, deep, 0);
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
