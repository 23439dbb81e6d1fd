/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Any file with one job per row. A column map gives the meaning of each column
 * (csv.h has the grammar). Columns that the map does not name are not read.
 * The file has a header, or its columns have numbers or names that the user
 * gives. Cells are separated by one character; a cell may be in double quotes,
 * and blanks around it do not count. */

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/json.h"
#include "traces/columns.h"
#include "traces/formats/csv.h"
#include "traces/formats/records.h"
#include "traces/formats/slurm_internal.h"
#include "traces/zone.h"

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

/* Takes the next word of a list that is separated by '+'. A word may be in
 * double quotes. Returns false at the end of the list. */
static bool csv_take_word(struct text *list, struct text *word)
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
static enum status csv_take_text(const json_t *file, const char *path,
                                 const char *name, const char **to,
                                 struct error *err)
{
    const json_t *value = json_object_get(file, name);
    char place[JSON_PLACE_MAX];
    if (!value || **to)
        return STATUS_OK;
    if (!json_is_string(value))
        return error_set(err, STATUS_BAD_INPUT, "%s: %s: a text is expected",
                         json_key_place(path, name, place), name);
    *to = json_string_value(value);
    return STATUS_OK;
}

static enum status csv_read_file(const char *path, struct csv_map *out,
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
        st = csv_take_text(out->file, path, csv_keys[i].name,
                           &out->config.values[i], err);
    for (size_t i = 0; i < N_FILE_TEXTS && st == STATUS_OK; i++)
        st = csv_take_text(
            out->file, path, file_texts[i].name,
            (const char **)(void *)((char *)&out->config + file_texts[i].at),
            err);
    return st;
}

static enum status csv_complete(const struct csv_map *map, struct error *err)
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

/* Fills *out from the settings, whose texts are borrowed, and from the file
 * that they name; a setting takes precedence over the file. Returns
 * STATUS_BAD_INPUT if the file cannot be read or is not an object of known keys
 * with texts, STATUS_USAGE if a value is malformed or a required key is
 * missing. The caller must call csv_map_close, also after an error. */
static enum status csv_map_read(const struct csv_config *config,
                                struct csv_map *out, struct error *err)
{
    *out = (struct csv_map){.config = *config};
    enum status st = STATUS_OK;
    if (*config->map)
        st = csv_read_file(config->map, out, err);
    for (size_t i = 0; i < CSV_N_KEYS && st == STATUS_OK; i++) {
        const char *value = out->config.values[i];
        if (*value)
            st = read_value((enum csv_key)i, text_from(value), &out->values[i],
                            err);
    }
    return st == STATUS_OK ? csv_complete(out, err) : st;
}

static void csv_map_close(struct csv_map *map)
{
    json_decref(map->file);
    map->file = NULL;
}

/* Reads an amount of memory from a text that is not empty, such as "4", "64G"
 * or "4000Mn". `scale`: unit of a number without a suffix, MiB. */
static bool csv_read_amount(struct text t, double scale, double *out)
{
    static const char suffixes[] = "kmgt";
    static const double mib[] = {1.0 / 1024, 1, 1024, 1024.0 * 1024};
    /* Slurm ends amounts of memory with n (per node) or c (per core). */
    if (t.len > 1 && (t.at[t.len - 1] == 'n' || t.at[t.len - 1] == 'c'))
        t.len--;
    if (t.len > 2 && t.at[t.len - 1] == 'B')
        t.len--;
    if (t.len > 2 && t.at[t.len - 1] == 'i')
        t.len--;
    const char *hit = memchr(suffixes, ascii_lower(t.at[t.len - 1]), 4);
    if (hit) {
        t.len--;
        scale = mib[hit - suffixes];
    }
    if (!text_to_double(text_trim(t), out))
        return false;
    *out *= scale;
    return true;
}

/* Returns true for a word that names no GPU type. */
static bool names_no_type(struct text t)
{
    static const char *const words[] = {
        "gpu", "gpus",  "card",   "cards", "x",      "gres", "nvidia",
        "a",   "karte", "karten", "of",    "device", "each", "devices"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (text_is_nocase(t, words[i]))
            return true;
    }
    return false;
}

/* Takes the next word of a text such as "4x A100 (SXM)", without the marks
 * around it; an empty text at the end. 0xc3 begins the multiplication sign. */
static struct text take_gpu_word(struct text *t)
{
    static const char before[] = " \txX*:=()/,", after[] = " \t*:=()/,";
    size_t i = 0;
    while (i < t->len &&
           (strchr(before, t->at[i]) || (unsigned char)t->at[i] == 0xc3))
        i += (unsigned char)t->at[i] == 0xc3 && i + 1 < t->len ? 2 : 1;
    size_t n = i;
    while (n < t->len && !strchr(after, t->at[n]) &&
           (unsigned char)t->at[n] != 0xc3)
        n++;
    const struct text word = {t->at + i, n - i};
    *t = text_skip(*t, n);
    return word;
}

/* Cuts the number off a word that is one, or that begins with one and an x:
 * "4", "4x", "4xA100". Returns false for other words. */
static bool take_count(struct text *word, double *out)
{
    size_t d = 0;
    while (d < word->len && ascii_is_digit(word->at[d]))
        d++;
    const bool times = ascii_lower(text_char(*word, d)) == 'x';
    if (!d || (d < word->len && !times) ||
        !text_to_double((struct text){word->at, d}, out))
        return false;
    *word = text_skip(*word, d + (d < word->len));
    return true;
}

bool csv_worded_gpus(struct text t, double *out, struct text *type)
{
    struct text best = {"", 0}, word;
    bool found = false;
    t = text_trim(t);
    while ((word = take_gpu_word(&t)).len) {
        double count;
        if (take_count(&word, &count)) {
            if (found)
                return false; /* several numbers */
            found = true;
            *out = count;
        }
        if (word.len > 1 && !best.len && !names_no_type(word))
            best = word;
    }
    if (best.len)
        *type = best;
    return found;
}

/* Returns true for names of GPUs in a request: ngpus, gpu, nvidia.com/gpu, or
 * num as in LSF's "num=4:mode=shared". */
static bool asks_for_gpus(struct text name)
{
    static const char *const names[] = {
        "gpu",     "gpus",     "ngpus", "ngpu",    "num",      "num_gpus",
        "num_gpu", "gpucount", "cuda",  "gpu_num", "gpu_count"};
    for (size_t i = name.len; i-- > 0;) {
        if (name.at[i] == '/' || name.at[i] == '.') {
            name = text_skip(name, i + 1);
            break;
        }
    }
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (text_is_nocase(name, names[i]))
            return true;
    }
    return false;
}

/* Returns true if the number of a word, "2" or "nodes=2", before a ':' is one
 * of chunks. */
static bool counts_chunks(struct text word, struct text name, char mark)
{
    return mark == ':' && (name.len == word.len || text_is(name, "nodes") ||
                           text_is(name, "select"));
}

bool csv_asked_gpus(struct text t, double *out)
{
    double chunks = 1, number;
    bool found = false;
    *out = 0;
    while (t.len) {
        struct text value;
        size_t n = 0;
        while (n < t.len && !strchr(" ,;:+{}()[]'\"", t.at[n]))
            n++;
        const struct text word = {t.at, n};
        const struct text name = text_split(word, '=', &value);
        const char mark = text_char(t, n);
        t = text_skip(t, n < t.len ? n + 1 : n);
        if (!text_to_double(value.len ? value : word, &number) || number < 0)
            number = -1;
        else if (counts_chunks(word, name, mark))
            chunks = number;
        else if (value.len && asks_for_gpus(name)) {
            *out += chunks * number;
            found = true;
        }
        chunks = mark == ':' ? chunks : 1;
    }
    return found;
}

/* Returns the number of items of a list, such as "0,1,2,3" or "[0; 1]". */
static uint32_t list_length(struct text t)
{
    uint32_t n = 0;
    bool inside = false;
    for (size_t i = 0; i < t.len; i++) {
        const bool item = !strchr(" \t,;+|[](){}'\"", t.at[i]);
        n += item && !inside;
        inside = item;
    }
    return n;
}

static enum status csv_read_gpus(const struct rows *rows, int at,
                                 enum csv_form form, double *out,
                                 struct text *type, struct error *err)
{
    const struct text t = rows_cell(rows, at);
    struct slurm_tres tres;
    if (form == CSV_GRES) {
        *out = slurm_gres(t, type);
        return STATUS_OK;
    }
    if (form == CSV_LIST) {
        *out = list_length(t);
        return STATUS_OK;
    }
    if (form == CSV_ASKED) {
        csv_asked_gpus(t, out);
        return STATUS_OK;
    }
    if (form == CSV_WORDED) {
        if (csv_worded_gpus(t, out, type))
            return STATUS_OK;
        return rows_bad(rows, at, err, "'%.*s' has no number of GPUs",
                        TEXT_ARGS(t));
    }
    if (!slurm_tres_read(t, &tres))
        return rows_bad(rows, at, err,
                        "'%.*s' is not a list such as cpu=8,gres/gpu=2",
                        TEXT_ARGS(t));
    *out = tres.gpus;
    *type = tres.gpu_type.len ? tres.gpu_type : *type;
    return STATUS_OK;
}

static enum status read_term(const struct rows *rows,
                             const struct csv_value *value, size_t i,
                             double *out, struct text *type, struct error *err)
{
    const int at = value->terms[i].cell;
    const struct text t = rows_cell(rows, at);
    if (at < 0) {
        *out = value->terms[i].number;
        return STATUS_OK;
    }
    if (i == 0 && value->form != CSV_PLAIN)
        return csv_read_gpus(rows, at, value->form, out, type, err);
    if (i == 0 ? csv_read_amount(t, value->scale, out) : text_to_double(t, out))
        return STATUS_OK;
    return rows_bad(rows, at, err, "'%.*s' is not a number", TEXT_ARGS(t));
}

/* Computes the product of the terms of a value in the current row. If a cell
 * has no value (cells_tell_nothing), *out becomes value->otherwise; if the map
 * gives none, *known becomes false and *out stays unchanged. *type becomes the
 * GPU type that the cell names, if it names one. */
static enum status csv_product(const struct rows *rows,
                               const struct csv_value *value, double *out,
                               bool *known, struct text *type,
                               struct error *err)
{
    double product = 1, factor = 1;
    *known = true;
    for (size_t i = 0; i < value->n_terms; i++) {
        const int at = value->terms[i].cell;
        if (at >= 0 && cells_tell_nothing(rows_cell(rows, at))) {
            *known = value->has_otherwise;
            if (*known)
                *out = value->otherwise;
            return STATUS_OK;
        }
        enum status st = read_term(rows, value, i, &factor, type, err);
        if (st != STATUS_OK)
            return st;
        product *= factor;
    }
    *out = product;
    return STATUS_OK;
}

/* Words for ends that other clusters use, besides those that cells_end reads.
 */
static const struct {
    const char *word;
    enum trace_end end;
} common[] = {
    {"success", TRACE_END_COMPLETED},    {"succeeded", TRACE_END_COMPLETED},
    {"successful", TRACE_END_COMPLETED}, {"terminated", TRACE_END_COMPLETED},
    {"exited", TRACE_END_COMPLETED},     {"finished", TRACE_END_COMPLETED},
    {"done", TRACE_END_COMPLETED},       {"passed", TRACE_END_COMPLETED},
    {"ok", TRACE_END_COMPLETED},         {"complete", TRACE_END_COMPLETED},
    {"failure", TRACE_END_FAILED},       {"fail", TRACE_END_FAILED},
    {"error", TRACE_END_FAILED},         {"oom", TRACE_END_FAILED},
    {"crashed", TRACE_END_FAILED},       {"timed out", TRACE_END_FAILED},
    {"stopped", TRACE_END_CANCELLED},    {"aborted", TRACE_END_CANCELLED},
    {"deleted", TRACE_END_CANCELLED},    {"preempted", TRACE_END_CANCELLED},
};

static const char *const going_on[] = {"running", "pending", "waiting",
                                       "queued"};

static bool csv_is_among(struct text list, struct text word)
{
    struct text one;
    while (csv_take_word(&list, &one)) {
        if (one.len == word.len && word.len &&
            strncasecmp(one.at, word.at, word.len) == 0)
            return true;
    }
    return false;
}

static enum trace_end common_end(struct text word, bool *running, bool *strange)
{
    bool unfinished;
    struct text state = word;
    enum trace_end end = cells_end(word);
    if (end == TRACE_END_UNKNOWN) { /* "Cancelled by 1000" */
        struct text rest;
        end = cells_end(text_split(word, ' ', &rest));
    }
    if (end == TRACE_END_UNKNOWN)
        end = slurm_end(&state, running);
    unfinished = *running;
    for (size_t i = 0; i < sizeof going_on / sizeof *going_on; i++)
        *running |= text_is_nocase(word, going_on[i]);
    if (end != TRACE_END_UNKNOWN || unfinished || *running)
        return end;
    for (size_t i = 0; i < sizeof common / sizeof *common; i++) {
        if (text_is_nocase(word, common[i].word))
            return common[i].end;
    }
    *strange = true;
    return TRACE_END_UNKNOWN;
}

enum trace_end csv_end(const struct csv_value *value, struct text word,
                       bool *running, bool *strange)
{
    *running = *strange = false;
    if (!word.len)
        return TRACE_END_UNKNOWN;
    if (!value->has_words)
        return common_end(word, running, strange);
    for (size_t i = 0; i < CSV_N_ENDS; i++) {
        if (!csv_is_among(value->words[i], word))
            continue;
        *running = i == CSV_RUNNING;
        return *running ? TRACE_END_UNKNOWN : (enum trace_end)i;
    }
    *strange = true;
    return TRACE_END_UNKNOWN;
}

static bool add_missing(struct csv_missing *missing, struct text word)
{
    if (missing->n == CSV_MISSING_MAX || !word.len)
        return !word.len;
    missing->words[missing->n++] = word;
    missing->first[(unsigned char)word.at[0]] = true;
    if (word.len > missing->longest)
        missing->longest = word.len;
    return true;
}

enum status csv_missing_set(struct csv_missing *missing, const char *more,
                            struct error *err)
{
    static const char *const known[] = {
        "-",   "--",  "Unknown", "unknown", "None", "none", "NA",  "N/A",
        "n/a", "NaN", "nan",     "NaT",     "null", "NULL", "<NA>"};
    struct text list = text_from(more ? more : ""), word;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        add_missing(missing, text_from(known[i]));
    while (csv_take_word(&list, &word)) {
        if (!add_missing(missing, word))
            return error_set(err, STATUS_USAGE,
                             "trace format csv: missing: more than %zu words",
                             CSV_MISSING_MAX - sizeof known / sizeof *known);
    }
    return STATUS_OK;
}

bool csv_is_missing(const struct csv_missing *missing, struct text cell)
{
    if (cell.len > missing->longest ||
        !missing->first[(unsigned char)text_char(cell, 0)])
        return false;
    for (size_t i = 0; i < missing->n; i++) {
        if (text_equal(cell, missing->words[i]))
            return true;
    }
    return false;
}

/* Size of a cell with a number, at most. */
#define CSV_NUMBER_MAX 64

/* A value that the table of columns cannot express, such as a product of
 * columns. read_products computes it. */
struct product {
    enum csv_key key;
    const struct csv_value *value;
};

struct csv {
    struct rows *rows; /* `made`, or borrowed */
    struct rows *made; /* owned; NULL: the file is rows of cells as it is */
    char layout[RECORDS_NOTE_MAX];
    char *numbers; /* cells with a decimal point; NULL: not needed */
    struct csv_map map;
    struct csv_missing missing;
    struct zone zone;
    struct columns columns;
    struct trace_column table[CSV_N_KEYS];
    int16_t cells[CSV_N_KEYS]; /* by row of the table: index of the cell */
    size_t n_table;
    struct product products[CSV_N_KEYS];
    size_t n_products;
    int used[CSV_N_KEYS * CSV_TERMS_MAX]; /* cells to read, each once */
    size_t n_used;
    char separator;
    char strange[32];   /* first unknown word for an end */
    uint64_t n_strange; /* number of such words */
    uint64_t n_running, n_rounded;
};

static const struct {
    const char *word;
    char separator;
} separators[] = {
    {"comma", ','}, {"semicolon", ';'}, {"tab", '\t'}, {"bar", '|'}};

char csv_likely_separator(struct text head)
{
    struct text line = text_split(head, '\n', &head);
    while (head.len && !text_trim(line).len)
        line = text_split(head, '\n', &head);
    char best = ',';
    size_t most = 0;
    for (size_t k = 0; k < sizeof separators / sizeof *separators; k++) {
        size_t n = 0;
        bool quoted = false;
        for (size_t i = 0; i < line.len; i++) {
            quoted ^= line.at[i] == '"';
            n += !quoted && line.at[i] == separators[k].separator;
        }
        if (n > most) {
            most = n;
            best = separators[k].separator;
        }
    }
    return best;
}

static enum status set_separator(struct csv *self, struct error *err)
{
    const char *sep = self->map.config.sep;
    self->separator = '\0';
    if (strcmp(sep, "space") == 0)
        self->separator =
            self->made ? csv_likely_separator(rows_head(self->rows)) : ' ';
    else if (!*sep || (self->made && *sep == ' '))
        self->separator = csv_likely_separator(rows_head(self->rows));
    for (size_t k = 0; k < sizeof separators / sizeof *separators; k++) {
        if (strcmp(sep, separators[k].word) == 0)
            self->separator = separators[k].separator;
    }
    if (!self->separator && strlen(sep) == 1 && !strchr("\"\r\n", *sep))
        self->separator = *sep;
    if (!self->separator)
        return error_set(err, STATUS_USAGE,
                         "trace format csv: sep: '%s' is not comma, semicolon, "
                         "tab, bar, space or one character",
                         sep);
    rows_separate(self->rows, self->separator);
    return STATUS_OK;
}

static enum status set_clock(struct csv *self, struct error *err)
{
    const struct csv_config *c = &self->map.config;
    struct clock *clock = &self->columns.clock;
    struct clock utc = {0};
    sim_time origin;
    if (*c->date)
        clock->format = c->date;
    if (*c->origin) {
        if (!clock_read(&utc, text_from(c->origin), &origin))
            return error_set(err, STATUS_USAGE,
                             "trace format csv: origin: '%s' is not a date",
                             c->origin);
        self->columns.epoch = origin;
    }
    if (!*c->zone || zone_fixed(text_from(c->zone), &clock->offset))
        return STATUS_OK;
    enum status st =
        zone_open(text_from(c->zone), "trace format csv", &self->zone, err);
    if (st == STATUS_OK)
        clock->zone = &self->zone;
    return st;
}

/* Returns the name of a column that the file has: from the header or, if there
 * is none, from the user's list, or "#3" after the end of that list. */
static struct text column_name(const struct csv *self, size_t at)
{
    const char *given = self->map.config.header;
    const char *name = rows_header_name(self->rows, at);
    struct text word = {"", 0};
    if (!*given || strcmp(given, "no") == 0)
        return text_from(name);
    struct text list = text_from(given);
    for (size_t i = 0; i <= at; i++) {
        if (!csv_take_word(&list, &word))
            return text_from(name);
    }
    return word;
}

static enum status no_column(const struct csv *self, enum csv_key key,
                             struct text name, struct error *err)
{
    char room[2048], list[512] = "";
    const char *names[ROWS_CELLS_MAX];
    size_t n = 0, used = 0, len = 0;
    for (; n < ROWS_CELLS_MAX && rows_header_name(self->rows, n); n++) {
        struct text t = column_name(self, n);
        if (used + t.len + 1 > sizeof room)
            break;
        memcpy(room + used, t.at, t.len);
        room[used + t.len] = '\0';
        names[n] = room + used;
        used += t.len + 1;
        if (len < sizeof list)
            len += (size_t)snprintf(list + len, sizeof list - len, "%s%s",
                                    n ? ", " : "", names[n]);
    }
    const char *near = text_nearest(name, names, n);
    return rows_bad_at(self->rows, 1, 1, "header", err,
                       "no column '%.*s' for %s=; %s%s%s", TEXT_ARGS(name),
                       csv_keys[key].name, near ? "did you mean '" : "it has ",
                       near ? near : list, near ? "'?" : "");
}

/* Finds the cell of the only column with this name or number, such as #3. */
static enum status find_cell(const struct csv *self, enum csv_key key,
                             struct text name, int *out, struct error *err)
{
    uint32_t number;
    int found = -1;
    for (size_t i = 0; rows_header_name(self->rows, i); i++) {
        if (!text_equal(column_name(self, i), name))
            continue;
        if (found >= 0)
            return rows_bad_at(self->rows, 1, 1, "header", err,
                               "two columns are called '%.*s'; #%zu and #%zu "
                               "tell them apart",
                               TEXT_ARGS(name), (size_t)found + 1, i + 1);
        found = (int)i;
    }
    if (found < 0 && text_char(name, 0) == '#' &&
        text_to_u32(text_skip(name, 1), &number) && number >= 1 &&
        number <= ROWS_CELLS_MAX && rows_header_name(self->rows, number - 1))
        found = (int)number - 1;
    *out = found;
    return found >= 0 ? STATUS_OK : no_column(self, key, name, err);
}

static void use_cell(struct csv *self, int cell)
{
    for (size_t i = 0; i < self->n_used; i++) {
        if (self->used[i] == cell)
            return;
    }
    self->used[self->n_used++] = cell;
}

/* Returns true if the table of columns can express the value. */
static bool is_simple(enum csv_key key, const struct csv_value *value)
{
    const enum csv_class class = csv_keys[key].class;
    if (class == CSV_WORDS || class == CSV_AMOUNT)
        return false;
    return value->n_terms == 1 && value->terms[0].cell >= 0 &&
           value->form == CSV_PLAIN && !value->has_otherwise;
}

static enum status add_value(struct csv *self, enum csv_key key,
                             struct error *err)
{
    struct csv_value *value = &self->map.values[key];
    for (size_t i = 0; i < value->n_terms; i++) {
        struct csv_term *term = &value->terms[i];
        if (!term->column.len)
            continue;
        enum status st = find_cell(self, key, term->column, &term->cell, err);
        if (st != STATUS_OK)
            return st;
        use_cell(self, term->cell);
    }
    if (value->n_terms && is_simple(key, value)) {
        self->cells[self->n_table] = (int16_t)value->terms[0].cell;
        self->table[self->n_table++] =
            (struct trace_column){.names = csv_keys[key].name,
                                  .kind = csv_keys[key].kind,
                                  .unit = value->unit};
    } else if (value->n_terms && key != CSV_STATE) {
        self->products[self->n_products++] = (struct product){key, value};
    }
    return STATUS_OK;
}

static enum status set_decimal(struct csv *self, struct error *err)
{
    const char *same = self->map.config.same;
    const char *decimal = self->map.config.decimal;
    if (*decimal && strcmp(decimal, "comma") != 0)
        return error_set(err, STATUS_USAGE,
                         "trace format csv: decimal: '%s' is not comma",
                         decimal);
    if (*decimal)
        self->numbers = mem_alloc(CSV_N_KEYS * CSV_TERMS_MAX * CSV_NUMBER_MAX);
    if (*same && !self->map.values[CSV_ID].n_terms)
        return error_set(err, STATUS_USAGE,
                         "trace format csv: same=%s needs id=COLUMN", same);
    return STATUS_OK;
}

static enum status csv_open(void *state, const void *config, struct rows *rows,
                            struct error *err)
{
    struct csv *self = state;
    enum status st = csv_map_read(config, &self->map, err);
    if (st == STATUS_OK)
        st = records_open(rows, &self->made, self->layout, err);
    if (st == STATUS_OK)
        st = set_decimal(self, err);
    if (st != STATUS_OK)
        return st;
    rows = self->made ? self->made : rows;
    self->rows = rows;
    const char *header = self->map.config.header;
    st = set_separator(self, err);
    if (st == STATUS_OK)
        st = csv_missing_set(&self->missing, self->map.config.missing, err);
    if (st == STATUS_OK)
        st = *header ? rows_header_numbers(rows, err)
                     : rows_header(rows, NULL, 0, NULL, err);
    for (size_t key = 0; key < CSV_N_KEYS && st == STATUS_OK; key++)
        st = add_value(self, (enum csv_key)key, err);
    if (st == STATUS_OK)
        st = columns_use(&self->columns, self->table, self->n_table,
                         self->cells, rows, err);
    return st == STATUS_OK ? set_clock(self, err) : st;
}

/* Rewrites a number such as "1.234,5" as "1234.5". Returns false if the text is
 * not such a number. */
static bool point_number(struct csv *self, size_t used, struct text *t)
{
    char *to = self->numbers + used * CSV_NUMBER_MAX;
    size_t n = 0, commas = 0;
    if (t->len >= CSV_NUMBER_MAX)
        return false;
    for (size_t i = 0; i < t->len; i++) {
        const char c = t->at[i];
        commas += c == ',';
        if (!ascii_is_digit(c) && !strchr(".,-", c))
            return false;
        if (c != '.')
            to[n++] = c == ',' ? '.' : c;
    }
    *t = commas == 1 ? (struct text){to, n} : *t;
    return commas == 1;
}

/* Trims the cells that are read, and empties each cell whose text stands for a
 * missing value. */
static void tidy(struct csv *self)
{
    for (size_t i = 0; i < self->n_used; i++) {
        struct text t = rows_cell(self->rows, self->used[i]);
        if (!t.len)
            continue;
        struct text trimmed = text_trim(t);
        if (self->numbers && point_number(self, i, &trimmed)) {
            rows_set_cell(self->rows, self->used[i], trimmed);
            continue;
        }
        const bool missing = csv_is_missing(&self->missing, trimmed);
        if (missing || trimmed.len != t.len)
            rows_set_cell(self->rows, self->used[i],
                          (struct text){trimmed.at, missing ? 0 : trimmed.len});
    }
}

/* Stores a product in its field of the row. A count is rounded up. */
static enum status csv_store(struct csv *self, const struct product *p,
                             double product, struct trace_row *row,
                             struct error *err)
{
    void *field = (char *)row + csv_keys[p->key].field;
    const bool is_count = csv_keys[p->key].class == CSV_COUNT;
    /* 1.1 * 10 is a little above 11 and must not become 12. */
    const double up = ceil(product - 1e-9 * fabs(product));
    if (!(product >= 0 && product <= 1e15) || (is_count && up > UINT32_MAX))
        return rows_bad(self->rows, p->value->terms[0].cell, err,
                        "%s= gives %g, which is not from 0 to %u",
                        csv_keys[p->key].name, product, UINT32_MAX);
    if (!is_count) {
        *(double *)field = product;
        return STATUS_OK;
    }
    self->n_rounded += p->key == CSV_GPUS && up - product > 1e-9 * product;
    *(uint32_t *)field = (uint32_t)up;
    return STATUS_OK;
}

static enum status read_products(struct csv *self, struct trace_row *row,
                                 struct error *err)
{
    enum status st = STATUS_OK;
    for (size_t i = 0; i < self->n_products && st == STATUS_OK; i++) {
        const struct product *p = &self->products[i];
        double product;
        bool known;
        struct text type = {"", 0};
        st = csv_product(self->rows, p->value, &product, &known, &type, err);
        if (type.len && !self->map.values[CSV_GPU_TYPE].n_terms)
            row->gpu_type = type;
        if (st != STATUS_OK)
            return st;
        if (known)
            st = csv_store(self, p, product, row, err);
        else if (p->key == CSV_GPUS)
            st = rows_bad(self->rows, p->value->terms[0].cell, err,
                          "empty; a number of GPUs is expected. If such jobs "
                          "have none, write ':or=0' after the column");
    }
    return st;
}

static void csv_read_end(struct csv *self, struct trace_row *row)
{
    const struct csv_value *value = &self->map.values[CSV_STATE];
    bool running, strange;
    struct text word = rows_cell(self->rows, value->terms[0].cell);
    row->end = csv_end(value, word, &running, &strange);
    if (strange && !self->n_strange++)
        snprintf(self->strange, sizeof self->strange, "%.*s",
                 (int)(word.len < 30 ? word.len : 30), word.at);
    if (running)
        row->duration = TRACE_NO_TIME;
    self->n_running += running;
}

static enum status csv_next(void *state, struct trace_row *row,
                            struct error *err)
{
    struct csv *self = state;
    enum status st = rows_next(self->rows, err);
    row->line = rows_line_number(self->rows);
    if (st != STATUS_OK)
        return st;
    tidy(self);
    st = columns_fill(&self->columns, row, err);
    if (st == STATUS_OK)
        st = read_products(self, row, err);
    if (st == STATUS_OK && self->map.values[CSV_STATE].n_terms)
        csv_read_end(self, row);
    return st;
}

static uint32_t csv_rare(const void *state)
{
    const struct csv *self = state;
    return columns_rare(&self->columns) |
           (self->map.values[CSV_MEM].n_terms ? TRACE_BIT(MEM) : 0);
}

/* Adds a remark to a note, as far as there is room. */
__attribute__((format(printf, 3, 4))) static void csv_say(char *buf,
                                                          size_t room,
                                                          const char *fmt, ...)
{
    va_list args;
    size_t n = strlen(buf);
    snprintf(buf + n, room - n, "%s", n ? "; " : "csv: ");
    n = strlen(buf);
    va_start(args, fmt);
    vsnprintf(buf + n, room - n, fmt, args);
    va_end(args);
}

static void csv_note(const void *state, char *buf, size_t room)
{
    const struct csv *self = state;
    const struct clock *clock = &self->columns.clock;
    const char *zone = self->map.config.zone;
    buf[0] = '\0';
    if (self->layout[0])
        csv_say(buf, room, "%s", self->layout);
    if (clock->n_local)
        csv_say(buf, room, "dates without a zone are taken as %s",
                *zone ? zone : "UTC");
    if (clock->n_twice)
        csv_say(buf, room,
                "%" PRIu64 " dates of a repeated hour taken as the earlier",
                clock->n_twice);
    if (self->n_strange)
        csv_say(buf, room, "%" PRIu64 " ends of unknown words, such as '%s'",
                self->n_strange, self->strange);
    if (self->n_running)
        csv_say(buf, room, "%" PRIu64 " jobs had not ended", self->n_running);
    if (self->n_rounded)
        csv_say(buf, room, "%" PRIu64 " numbers of GPUs rounded up",
                self->n_rounded);
}

static const char *csv_same(const void *config)
{
    const struct csv_config *c = config;
    return c->same;
}

static void csv_close(void *state)
{
    struct csv *self = state;
    csv_map_close(&self->map);
    rows_close(self->made);
    free(self->numbers);
    zone_close(&self->zone);
}

const struct trace_ops trace_csv = {
    .name = "csv",
    .summary = "any file with one job in each row, by a map of its columns",
    .options = csv_options,
    .config_size = sizeof(struct csv_config),
    .state_size = sizeof(struct csv),
    .layout = "rows of cells between one separator, with or without a header; "
              "csv:submit=COLUMN,gpus=COLUMN,duration=COLUMN,... says which "
              "column is what; 'trace guess FILE' proposes a map",
    .open = csv_open,
    .next = csv_next,
    .close = csv_close,
    .same = csv_same,
    .note = csv_note,
    .rare = csv_rare,
};
