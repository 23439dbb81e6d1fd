/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/verify/verify_keys.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/check.h"
#include "sim/verify/verify_rule.h"

enum { KEYS_TABLES_MAX = 8, KEYS_PATH_MAX = 384 };

/* An object or a list on the way through a file. */
struct keys_place {
    char kind[KEYS_PATH_MAX];  /* path as in result_tables */
    char shown[KEYS_PATH_MAX]; /* path for messages, with its own names */
    const char *star;          /* the name for which the last "*" stands */
    /* the tables of its keys; NULL ends the list */
    const struct result_table *tables[KEYS_TABLES_MAX + 1];
};

struct keys_walk {
    const char *name; /* "manifest" or "summary" */
    const json_t *manifest;
    struct verify_report *report;
    bool laws;     /* compare laws; otherwise check all else */
    double before; /* last value of the one key that rises */
};

/* True if a path is of the kind that a table names: `*` stands for one
 * component. */
static bool keys_path_is(const char *pattern, size_t n, const char *path)
{
    const char *end = pattern + n;
    while (pattern < end && *path) {
        const size_t a = strcspn(pattern, ". "), b = strcspn(path, ".");
        if (*pattern != '*' && (a != b || memcmp(pattern, path, a) != 0))
            return false;
        pattern += a + (pattern + a < end);
        path += b + (path[b] == '.');
    }
    return pattern >= end && !*path;
}

static bool keys_table_is(const struct result_table *table, const char *file,
                          const char *kind)
{
    if (!table->path || strncmp(table->file, file, strlen(file)) != 0)
        return false;
    const char *at = table->path;
    do {
        const size_t n = strcspn(at, " ");
        if (keys_path_is(at, n, kind))
            return true;
        at += n + (at[n] == ' ');
    } while (*at);
    return false;
}

static void keys_find_tables(const char *file, struct keys_place *place)
{
    size_t n = 0;
    for (const struct result_table *t = result_tables; t->file; t++) {
        if (keys_table_is(t, file, place->kind)) {
            CHECK(n < KEYS_TABLES_MAX);
            place->tables[n++] = t;
        }
    }
    place->tables[n] = NULL;
}

/* Returns the row of a key; NULL: the key is unknown there. */
static const struct column *keys_column(const struct keys_place *place,
                                        const char *key)
{
    const struct column *c, *found = NULL;
    for (const struct result_table *const *t = place->tables; *t; t++) {
        for (size_t i = 0; (c = result_column(*t, i))->name; i++) {
            if (strcmp(c->name, key) == 0)
                return c;
            if (strchr(c->name, '*') && fnmatch(c->name, key, 0) == 0)
                found = c;
        }
    }
    return found;
}

static void keys_say(const struct keys_walk *w, const struct keys_place *place,
                     const char *key, const char *words)
{
    verify_say(w->report, "%s%s%s.%s: %s", w->name, *place->shown ? "." : "",
               place->shown, key, words);
}

/* Writes a value for a message. */
static const char *keys_words(const json_t *value, char words[64])
{
    if (json_is_string(value))
        snprintf(words, 64, "'%.40s'", json_string_value(value));
    else if (json_is_number(value))
        snprintf(words, 64, "%.15g", json_number_value(value));
    else
        snprintf(words, 64, "%s",
                 json_is_true(value)     ? "true"
                 : json_is_false(value)  ? "false"
                 : json_is_null(value)   ? "null"
                 : json_is_object(value) ? "an object"
                 : value                 ? "a list"
                                         : "missing");
    return words;
}

static void keys_say_but(const struct keys_walk *w,
                         const struct keys_place *place, const char *key,
                         const json_t *have, const char *who,
                         const json_t *want)
{
    char words[64], others[64];
    verify_say(w->report, "%s%s%s.%s: is %s, %s %s", w->name,
               *place->shown ? "." : "", place->shown, key,
               keys_words(have, words), who, keys_words(want, others));
}

static bool keys_is_digest(const char *text)
{
    return strlen(text) == 64 && strspn(text, "0123456789abcdef") == 64;
}

static bool keys_is_number(enum verify_form form, const json_t *value)
{
    const double number = json_number_value(value);
    const json_type type = json_typeof(value);
    sim_span span;
    if (form == VERIFY_TIME && type == JSON_STRING)
        return text_to_any_span(text_from(json_string_value(value)), &span) &&
               span >= 0;
    if (type != JSON_INTEGER && type != JSON_REAL)
        return false;
    return form == VERIFY_SIGNED ||
           (number >= 0 && (form != VERIFY_SHARE || number <= 1 + 1e-9) &&
            (form != VERIFY_COUNT || number == floor(number)));
}

static bool keys_has_form(const struct verify_rule *rule, const json_t *value)
{
    const char *text = json_string_value(value);
    const json_type type = json_typeof(value);
    if (rule->may_be_null && type == JSON_NULL)
        return true;
    switch ((int)rule->form) {
    case VERIFY_TEXT:
        return text;
    case VERIFY_DIGEST:
        return text && keys_is_digest(text);
    case VERIFY_DATE:
        return text && fnmatch("*[0-9]-[0-9][0-9]-[0-9][0-9] "
                               "[0-9][0-9]:[0-9][0-9]:[0-9][0-9]*Z",
                               text, 0) == 0;
    case VERIFY_FLAG:
        return type == JSON_TRUE || type == JSON_FALSE;
    case VERIFY_OBJECT:
        return type == JSON_OBJECT;
    case VERIFY_LIST:
        return type == JSON_ARRAY;
    default:
        return keys_is_number(rule->form, value);
    }
}

static const json_t *keys_child(const json_t *holder, const char *key)
{
    uint64_t at;
    if (!json_is_array(holder))
        return json_object_get(holder, key);
    return text_to_u64(text_from(key), &at) ? json_array_get(holder, at) : NULL;
}

/* Finds the value of the manifest that a rule names. *known: the manifest has
 * the part in which it should be. */
static const json_t *keys_of_manifest(const struct keys_walk *w,
                                      struct text path, const char *star,
                                      bool *known)
{
    const json_t *value = w->manifest;
    for (bool first = true; path.len; first = false) {
        char key[256];
        struct text word = text_split(path, '.', &path);
        snprintf(key, sizeof key, "%.*s", TEXT_ARGS(word));
        value = keys_child(value, strcmp(key, "*") == 0 ? star : key);
        *known = first ? value != NULL : *known;
    }
    return value;
}

/* True if two values are equal; a number may stand as a text. */
static bool keys_equal(const json_t *a, const json_t *b)
{
    uint64_t number;
    const char *text = json_string_value(b);
    if (text && json_typeof(a) == JSON_INTEGER)
        return text_to_u64(text_from(text), &number) &&
               number == (uint64_t)json_integer_value(a);
    return json_equal(a, b);
}

/* True if `words`, separated by blanks, have the text. */
static bool keys_is_one_of(struct text words, const char *text)
{
    while (words.len) {
        if (text_is(text_split(words, ' ', &words), text))
            return true;
    }
    return false;
}

static double keys_number(const json_t *holder, struct text name)
{
    char key[64];
    snprintf(key, sizeof key, "%.*s", TEXT_ARGS(name));
    return json_number_value(json_object_get(holder, key));
}

static bool keys_close(const char *path, const char *key, double a, double b)
{
    /* For elastic jobs rho is known to six decimals only. */
    const double least =
        strstr(path, "rho") || strstr(key, "rho") ? 1e-6 : 1e-12;
    return fabs(a - b) <= 1e-9 * fmax(fabs(a), fabs(b)) + least;
}

/* True if two values are the same: objects if both are objects, because their
 * members are compared on their own. */
static bool keys_same(const char *path, const char *key, const json_t *a,
                      const json_t *b)
{
    const json_type type = json_typeof(a), other = json_typeof(b);
    const bool numbers = (type == JSON_REAL || type == JSON_INTEGER) &&
                         (other == JSON_REAL || other == JSON_INTEGER);
    if (numbers)
        return keys_close(path, key, json_number_value(a),
                          json_number_value(b));
    return type == JSON_OBJECT ? type == other : json_equal(a, b);
}

static void keys_check_quotient(const struct keys_walk *w,
                                const struct keys_place *place, const char *key,
                                const json_t *holder, const json_t *value,
                                const struct verify_rule *rule)
{
    char who[128];
    const double ratio =
        keys_number(holder, rule->of) / keys_number(holder, rule->other);
    json_t *want = isfinite(ratio) ? json_real(ratio) : json_null();
    if (!keys_same("", key, value, want)) {
        snprintf(who, sizeof who, "%.*s / %.*s is", TEXT_ARGS(rule->of),
                 TEXT_ARGS(rule->other));
        keys_say_but(w, place, key, value, who, want);
    }
    json_decref(want);
}

/* Checks a value of which the rule lists the words that it may have. */
static void keys_check_words(const struct keys_walk *w,
                             const struct keys_place *place, const char *key,
                             const json_t *value,
                             const struct verify_rule *rule)
{
    char words[64], is[160];
    const char *text = json_string_value(value);
    snprintf(words, sizeof words, "%.15g", json_number_value(value));
    if (keys_is_one_of(rule->of, text ? text : words))
        return;
    snprintf(is, sizeof is, "is %s, the rule allows %.*s",
             keys_words(value, words), TEXT_ARGS(rule->of));
    keys_say(w, place, key, is);
}

/* Checks all of a rule but its law. */
static void keys_check_value(struct keys_walk *w,
                             const struct keys_place *place, const char *key,
                             const json_t *holder, const json_t *value,
                             const struct verify_rule *rule)
{
    char words[160];
    bool known = false;
    const json_t *other;
    if (!keys_has_form(rule, value)) {
        char is[64];
        snprintf(words, sizeof words, "is %s, which is not %s",
                 keys_words(value, is), verify_form_words(rule->form));
        keys_say(w, place, key, words);
        return;
    }
    switch ((int)rule->check) {
    case VERIFY_ALWAYS:
    case VERIFY_ONE_OF:
        keys_check_words(w, place, key, value, rule);
        break;
    case VERIFY_RISES:
        if (json_number_value(value) < w->before)
            keys_say(w, place, key, "is before the one above");
        w->before = json_number_value(value);
        break;
    case VERIFY_MANIFEST:
        other = keys_of_manifest(w, rule->of, place->star, &known);
        snprintf(words, sizeof words, "manifest.%.*s is", TEXT_ARGS(rule->of));
        if (known && !keys_equal(value, other))
            keys_say_but(w, place, key, value, words, other);
        break;
    case VERIFY_QUOTIENT:
        keys_check_quotient(w, place, key, holder, value, rule);
        break;
    default: /* a law, or nothing can be checked */
        break;
    }
}

/* Compares a value with the one that was computed again. */
static void keys_check_law(const struct keys_walk *w,
                           const struct keys_place *place, const char *key,
                           const json_t *have, const json_t *want)
{
    if (!want) {
        keys_say(w, place, key, "should not be there");
        return;
    }
    if (!keys_same(place->shown, key, want, have))
        keys_say_but(w, place, key, have, "the files give", want);
}

static void keys_join(char out[KEYS_PATH_MAX], const char *path,
                      const char *key)
{
    snprintf(out, KEYS_PATH_MAX, "%.250s%s%.120s", path, *path ? "." : "", key);
}

static void keys_walk_into(struct keys_walk *w, const struct keys_place *place,
                           const json_t *holder, const json_t *want);

static void keys_visit(struct keys_walk *w, const struct keys_place *place,
                       const char *key, const json_t *holder,
                       const json_t *value, const json_t *want)
{
    struct verify_rule rule;
    const struct column *column = keys_column(place, key);
    struct keys_place inner;
    const bool star = column && strcmp(column->name, "*") == 0;
    if (!column) {
        if (!w->laws)
            keys_say(w, place, key, "is not a key of this file");
        return;
    }
    CHECK(verify_rule_read(column->rule, &rule));
    inner = *place;
    inner.star = star ? key : place->star;
    if (!w->laws)
        keys_check_value(w, &inner, key, holder, value, &rule);
    else if (rule.check == VERIFY_LAW)
        keys_check_law(w, place, key, value, want);
    if (w->laws && rule.check == VERIFY_LAW && !want)
        return;
    if (json_typeof(value) != JSON_OBJECT && json_typeof(value) != JSON_ARRAY)
        return;
    keys_join(inner.kind, place->kind, column->name);
    keys_join(inner.shown, place->shown, key);
    keys_walk_into(w, &inner, value, want);
}

/* Says which keys an object lacks: those that all have, or, of the laws, those
 * that the files give. */
static void keys_check_missing(const struct keys_walk *w,
                               const struct keys_place *place,
                               const json_t *holder, const json_t *want)
{
    struct verify_rule rule;
    const struct column *c;
    const char *key;
    json_t *value;
    for (const struct result_table *const *t = place->tables; *t; t++) {
        for (size_t i = 0; !w->laws && (c = result_column(*t, i))->name; i++) {
            CHECK(verify_rule_read(c->rule, &rule));
            if (!rule.may_miss && !strchr(c->name, '*') &&
                !keys_child(holder, c->name))
                keys_say(w, place, c->name, "is missing");
        }
    }
    if (!w->laws)
        return;
    json_object_foreach((json_t *)(uintptr_t)want, key, value)
    {
        c = keys_column(place, key);
        CHECK(c && verify_rule_read(c->rule, &rule));
        if ((rule.may_miss || strchr(c->name, '*')) && !keys_child(holder, key))
            keys_say(w, place, key, "is missing");
    }
}

static void keys_walk_into(struct keys_walk *w, const struct keys_place *place,
                           const json_t *holder, const json_t *want)
{
    struct keys_place here = *place;
    const char *key;
    size_t i;
    json_t *value;
    keys_find_tables(w->name, &here);
    keys_check_missing(w, &here, holder, want);
    if (json_typeof(holder) == JSON_ARRAY) {
        json_array_foreach((json_t *)(uintptr_t)holder, i, value)
        {
            char number[24];
            snprintf(number, sizeof number, "%zu", i);
            keys_visit(w, &here, number, holder, value,
                       json_array_get(want, i));
        }
        return;
    }
    json_object_foreach((json_t *)(uintptr_t)holder, key, value)
        keys_visit(w, &here, key, holder, value, json_object_get(want, key));
}

static void keys_check(const struct verify_data *data, struct keys_walk *w,
                       const json_t *root, const json_t *want)
{
    const struct keys_place place = {.star = ""};
    w->manifest = data->manifest;
    if (json_typeof(root) == JSON_OBJECT)
        keys_walk_into(w, &place, root, want);
    else if (!w->laws)
        verify_say(w->report, "%s.json: is not an object", w->name);
}

bool verify_part_find(const struct verify_data *data, const char *name,
                      bool wanted, struct verify_report *report,
                      struct verify_part *part)
{
    *part = (struct verify_part){json_object_get(data->summary, name), NULL,
                                 name, report};
    if (wanted) {
        part->want = json_object();
        json_object_set_new(data->want_summary, name, part->want);
    }
    return wanted && json_is_object(part->object);
}

struct verify_part verify_part_inner(const struct verify_part *part,
                                     const char *name)
{
    json_t *want = json_object();
    json_object_set_new(part->want, name, want);
    return (struct verify_part){json_object_get(part->object, name), want, name,
                                part->report};
}

double verify_part_number(const struct verify_part *part, const char *key)
{
    return json_number_value(json_object_get(part->object, key));
}

void verify_part_expect(const struct verify_part *part, const char *key,
                        double want)
{
    json_object_set_new(part->want, key,
                        isnan(want) ? json_null() : json_real(want));
}

void verify_part_near(const struct verify_part *part, const char *key,
                      double want, double off)
{
    const double have = verify_part_number(part, key);
    verify_part_expect(part, key, fabs(have - want) <= off ? have : want);
}

void verify_keys_forms(const struct verify_data *data, const char *name,
                       const json_t *root, struct verify_report *report)
{
    struct keys_walk walk = {.name = name, .report = report};
    keys_check(data, &walk, root, NULL);
}

void verify_keys_laws(const struct verify_data *data, const char *name,
                      const json_t *root, const json_t *want,
                      struct verify_report *report)
{
    struct keys_walk walk = {.name = name, .report = report, .laws = true};
    keys_check(data, &walk, root, want);
}
