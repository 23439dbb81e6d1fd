/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/formats/csv_map.h"

#include <stdio.h>
#include <string.h>

#include "base/ascii.h"
#include "base/json_keys.h"

#define KEY(name_, class_, kind_, field_) \
    { \
        .name = (name_), .class = CSV_##class_, .kind = COLUMN_##kind_, \
        .field = offsetof(struct trace_row, field_) \
    }
const struct csv_key_info csv_keys[CSV_N_KEYS] = {
    [CSV_SUBMIT] = KEY("submit", INSTANT, SUBMITTED, submitted),
    [CSV_GPUS] = KEY("gpus", COUNT, GPUS, gpus),
    [CSV_DURATION] = KEY("duration", LENGTH, DURATION, duration),
    [CSV_START] = KEY("start", INSTANT, START, submitted),
    [CSV_END] = KEY("end", INSTANT, END, submitted),
    [CSV_WAIT] = KEY("wait", LENGTH, QUEUE, queue),
    [CSV_LIMIT] = KEY("limit", LENGTH, DECLARED, declared),
    [CSV_DUE] = KEY("due", INSTANT, DUE, deadline),
    [CSV_DEADLINE] = KEY("deadline", LENGTH, DEADLINE, deadline),
    [CSV_ID] = KEY("id", TEXT, ID, source_id),
    [CSV_USER] = KEY("user", TEXT, USER, user),
    [CSV_VC] = KEY("vc", TEXT, VC, vc),
    [CSV_NAME] = KEY("name", TEXT, NAME, name),
    [CSV_MODEL] = KEY("model", TEXT, MODEL, model),
    [CSV_DATASET] = KEY("dataset", TEXT, DATASET, dataset),
    [CSV_GPU_TYPE] = KEY("gpu_type", TEXT, GPU_TYPE, gpu_type),
    [CSV_KIND] = KEY("kind", TEXT, JOB_KIND, kind),
    [CSV_PRIORITY] = KEY("priority", TEXT, PRIORITY, priority),
    [CSV_STATE] = KEY("state", WORDS, OTHER, end),
    [CSV_CPUS] = KEY("cpus", COUNT, CPUS, cpus),
    [CSV_NODES] = KEY("nodes", COUNT, NODES, nodes),
    [CSV_BATCH_SIZE] = KEY("batch_size", COUNT, BATCH_SIZE, batch_size),
    [CSV_ATTEMPTS] = KEY("attempts", COUNT, ATTEMPTS, attempts),
    [CSV_MEM] = KEY("mem", AMOUNT, MEM, mem_mib),
    [CSV_GPU_MEM] = KEY("gpu_mem", AMOUNT, GPU_MEM, gpu_mem_mib),
    [CSV_GPU_UTIL] = KEY("gpu_util", NUMBER, GPU_UTIL, gpu_util),
};

#define OWNER "trace format csv"

bool csv_take_word(struct text *list, struct text *word)
{
    if (!list->len)
        return false;
    if (list->at[0] != '"') {
        *word = text_trim(text_split(*list, '+', list));
        return true;
    }
    *word = text_split(text_skip(*list, 1), '"', list);
    if (text_char(*list, 0) == '+')
        *list = text_skip(*list, 1);
    return true;
}

/* Takes a term: a name in quotes, or the text before the next '*' or ':'.
 * *quoted: true if the term was in quotes. Returns false if the term is empty
 * or its quote is not closed. */
static bool take_term(struct text *t, struct text *term, bool *quoted)
{
    size_t n = 0;
    *quoted = text_char(*t, 0) == '"';
    if (*quoted) {
        const char *end = memchr(t->at + 1, '"', t->len - 1);
        if (!end)
            return false;
        *term = (struct text){t->at + 1, (size_t)(end - t->at) - 1};
        *t = text_trim(text_skip(*t, term->len + 2));
        return term->len > 0;
    }
    while (n < t->len && t->at[n] != '*' && t->at[n] != ':')
        n++;
    *term = text_trim((struct text){t->at, n});
    *t = text_skip(*t, n);
    return term->len > 0;
}

static enum status malformed(enum csv_key key, struct text value,
                             const char *why, struct error *err)
{
    return error_set(err, STATUS_USAGE, OWNER ": %s: '%.*s': %s",
                     csv_keys[key].name, TEXT_ARGS(value), why);
}

static bool is_numeric(enum csv_class class)
{
    return class == CSV_COUNT || class == CSV_AMOUNT || class == CSV_NUMBER;
}

static enum status read_terms(enum csv_key key, struct text whole,
                              struct text *t, struct csv_value *out,
                              struct error *err)
{
    const bool numeric = is_numeric(csv_keys[key].class);
    do {
        struct text name;
        bool quoted;
        double number;
        if (out->n_terms == CSV_TERMS_MAX)
            return malformed(key, whole, "more than 4 factors", err);
        if (out->n_terms && !numeric)
            return malformed(key, whole, "only numbers can be multiplied", err);
        if (!take_term(t, &name, &quoted))
            return malformed(key, whole, "a column is expected", err);
        struct csv_term *term = &out->terms[out->n_terms++];
        *term = (struct csv_term){.column = name, .cell = -1};
        if (!quoted && numeric && text_to_double(name, &number))
            *term = (struct csv_term){.number = number, .cell = -1};
        if (text_char(*t, 0) != '*')
            return STATUS_OK;
        *t = text_trim(text_skip(*t, 1));
    } while (t->len);
    return malformed(key, whole, "a column is expected after '*'", err);
}

static bool set_form(struct text word, enum csv_form *out)
{
    *out = text_is(word, "gres")      ? CSV_GRES
           : text_is(word, "tres")    ? CSV_TRES
           : text_is(word, "request") ? CSV_ASKED
           : text_is(word, "text")    ? CSV_WORDED
           : text_is(word, "list")    ? CSV_LIST
                                      : CSV_PLAIN;
    return *out != CSV_PLAIN;
}

static bool set_scale(struct text word, double *out)
{
    static const struct {
        const char *word;
        double mib;
    } scales[] = {
        {"b", 1.0 / (1024 * 1024)},
        {"kib", 1.0 / 1024},
        {"mib", 1},
        {"gib", 1024},
        {"tib", 1024 * 1024},
    };
    for (size_t i = 0; i < sizeof scales / sizeof *scales; i++) {
        if (text_is_nocase(word, scales[i].word)) {
            *out = scales[i].mib;
            return true;
        }
    }
    return false;
}

static bool set_words(struct text name, struct text words,
                      struct csv_value *out)
{
    static const char *const ends[CSV_N_ENDS] = {
        [TRACE_END_COMPLETED] = "ok",
        [TRACE_END_FAILED] = "failed",
        [TRACE_END_CANCELLED] = "cancelled",
        [CSV_RUNNING] = "running",
    };
    for (size_t i = 0; i < CSV_N_ENDS; i++) {
        if (text_is(name, ends[i]) && words.len) {
            out->words[i] = words;
            out->has_words = true;
            return true;
        }
    }
    return false;
}

/* Takes the text before the next ':' outside quotes. */
static struct text take_modifier(struct text *t)
{
    bool quoted = false;
    size_t n = 0;
    for (; n < t->len && (quoted || t->at[n] != ':'); n++)
        quoted ^= t->at[n] == '"';
    struct text one = {t->at, n};
    *t = text_skip(*t, n < t->len ? n + 1 : n);
    return text_trim(one);
}

/* Texts of messages that say what may follow a ':', by class. */
static const char *const right[] = {
    [CSV_TEXT] = "a text has no unit; a name with ':' goes into double quotes",
    [CSV_INSTANT] = "a unit is expected: date, s, ms, us, ns, min, h or d",
    [CSV_LENGTH] = "a unit is expected: clock, hm, s, ms, us, ns, min, h or d",
    [CSV_COUNT] = "or=NUMBER, gres, tres, text, request or list is expected",
    [CSV_AMOUNT] = "a unit is expected: b, kib, mib, gib, tib or or=NUMBER",
    [CSV_NUMBER] = "or=NUMBER is expected",
    [CSV_WORDS] = "ok=WORD+WORD, failed=, cancelled= or running= is expected",
};

/* Reads a modifier, the text after a ':', such as a unit or "or=0". Returns
 * false if the key does not allow the modifier or it is malformed. */
static bool read_modifier(enum csv_key key, struct text one,
                          struct csv_value *out)
{
    struct text value, name = text_split(one, '=', &value);
    const enum csv_class class = csv_keys[key].class;
    if (is_numeric(class) && text_is(name, "or")) {
        out->has_otherwise = text_to_double(value, &out->otherwise);
        return out->has_otherwise;
    }
    if (class == CSV_INSTANT)
        return unit_find(one, &out->unit) && out->unit != UNIT_CLOCK &&
               out->unit != UNIT_HM;
    if (class == CSV_LENGTH)
        return unit_find(one, &out->unit) && out->unit != UNIT_MAP_DATE;
    if (class == CSV_AMOUNT)
        return set_scale(one, &out->scale);
    if (class == CSV_WORDS)
        return set_words(name, value, out);
    return key == CSV_GPUS && set_form(one, &out->form);
}

static enum status read_value(enum csv_key key, struct text whole,
                              struct csv_value *out, struct error *err)
{
    struct text t = text_trim(whole);
    *out = (struct csv_value){.unit = UNIT_ANY, .scale = 1};
    enum status st = read_terms(key, whole, &t, out, err);
    if (st != STATUS_OK)
        return st;
    if (t.len && t.at[0] != ':')
        return malformed(key, whole, "'*' or ':' is expected after a quote",
                         err);
    t = t.len ? text_skip(t, 1) : t;
    while (t.len) {
        if (!read_modifier(key, take_modifier(&t), out))
            return malformed(key, whole, right[csv_keys[key].class], err);
    }
    return STATUS_OK;
}

/* Settings in a map file that are not keys of columns. */
static const struct {
    const char *name;
    size_t at; /* offset in struct csv_config */
} file_texts[] = {
    {"sep", offsetof(struct csv_config, sep)},
    {"header", offsetof(struct csv_config, header)},
    {"zone", offsetof(struct csv_config, zone)},
    {"date", offsetof(struct csv_config, date)},
    {"origin", offsetof(struct csv_config, origin)},
    {"missing", offsetof(struct csv_config, missing)},
    {"same", offsetof(struct csv_config, same)},
    {"decimal", offsetof(struct csv_config, decimal)},
};
enum { N_FILE_TEXTS = sizeof file_texts / sizeof *file_texts };

/* Takes a setting from the map file, unless the command line has given it. */
static enum status take_text(const json_t *file, const char *path,
                             const char *name, const char **to,
                             struct error *err)
{
    const json_t *value = json_object_get(file, name);
    char place[JSON_PLACE_MAX];
    if (!value || (*to && **to))
        return STATUS_OK;
    if (!json_is_string(value))
        return error_set(err, STATUS_BAD_INPUT, "%s: %s: a text is expected",
                         json_key_place(path, name, place), name);
    *to = json_string_value(value);
    return STATUS_OK;
}

static enum status read_file(const char *path, struct csv_map *out,
                             struct error *err)
{
    const char *known[CSV_N_KEYS + N_FILE_TEXTS + 2] = {"comment"};
    json_error_t wrong;
    out->file = json_load_file(path, JSON_REJECT_DUPLICATES, &wrong);
    if (!out->file && wrong.line < 0)
        return error_set(err, STATUS_BAD_INPUT, "%s: %s", path, wrong.text);
    if (!out->file)
        return error_set(err, STATUS_BAD_INPUT, "%s:%d:%d: %s", path,
                         wrong.line, wrong.column, wrong.text);
    if (!json_is_object(out->file))
        return error_set(err, STATUS_BAD_INPUT,
                         "%s:1:1: a column map is a JSON object", path);
    size_t n = 1;
    for (size_t i = 0; i < CSV_N_KEYS; i++)
        known[n++] = csv_keys[i].name;
    for (size_t i = 0; i < N_FILE_TEXTS; i++)
        known[n++] = file_texts[i].name;
    enum status st = json_keys_known(out->file, known, path, "", err);
    for (size_t i = 0; i < CSV_N_KEYS && st == STATUS_OK; i++)
        st = take_text(out->file, path, csv_keys[i].name,
                       &out->config.values[i], err);
    for (size_t i = 0; i < N_FILE_TEXTS && st == STATUS_OK; i++)
        st = take_text(
            out->file, path, file_texts[i].name,
            (const char **)(void *)((char *)&out->config + file_texts[i].at),
            err);
    return st;
}

static enum status complete(const struct csv_map *map, struct error *err)
{
    const struct csv_value *v = map->values;
    const char *lack = !v[CSV_SUBMIT].n_terms ? "submit="
                       : !v[CSV_GPUS].n_terms ? "gpus="
                       : !v[CSV_DURATION].n_terms &&
                               !(v[CSV_START].n_terms && v[CSV_END].n_terms)
                           ? "duration=, or start= and end="
                           : NULL;
    if (!lack)
        return STATUS_OK;
    return error_set(err, STATUS_USAGE,
                     OWNER ": the map lacks %s; 'schedsim trace guess FILE' "
                           "proposes a map",
                     lack);
}

enum status csv_map_read(const struct csv_config *config, struct csv_map *out,
                         struct error *err)
{
    *out = (struct csv_map){.config = *config};
    enum status st = STATUS_OK;
    if (config->map && *config->map)
        st = read_file(config->map, out, err);
    for (size_t i = 0; i < CSV_N_KEYS && st == STATUS_OK; i++) {
        const char *value = out->config.values[i];
        if (value && *value)
            st = read_value((enum csv_key)i, text_from(value), &out->values[i],
                            err);
    }
    return st == STATUS_OK ? complete(out, err) : st;
}

void csv_map_close(struct csv_map *map)
{
    json_decref(map->file);
    map->file = NULL;
}
