/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Clues: words that tell what a job trains, built in or of a site
 * (knowledge/clues.schema.json describes the files), and the kinds of models.
 */

#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/find.h"
#include "base/json.h"
#include "schedmate/advisor/advisor_internal.h"
#include "schedmate/advisor/clues.h"

/* Returns the first occurrence of `word` in `t` as a whole word; NULL if there
 * is none. */
static const char *find_word(struct text t, const char *word)
{
    size_t n = strlen(word);
    if (!t.len)
        return NULL;
    const char *end = t.at + t.len, *hit = t.at;
    while ((hit = memmem(hit, (size_t)(end - hit), word, n))) {
        if ((hit == t.at || !ascii_is_name(hit[-1])) &&
            (hit + n == end || !ascii_is_name(hit[n])))
            return hit;
        hit++;
    }
    return NULL;
}

bool clue_has_word(struct text t, const char *word)
{
    return find_word(t, word) != NULL;
}

static bool starts_with(struct text name, const char *clue)
{
    size_t n = strlen(clue);
    return name.len >= n && (name.len == n || n >= 4) &&
           text_is_nocase((struct text){name.at, n}, clue);
}

/* Returns the value of the first row of the table that matches any name in the
 * evidence; NULL if no row does. */
static const char *look_up(const struct clue_list *table, struct text evidence)
{
    size_t best = table->n;
    for (size_t i = 0; i < evidence.len;) {
        size_t from = i;
        while (i < evidence.len && ascii_is_alnum(evidence.at[i]))
            i++;
        struct text name = {evidence.at + from, i - from};
        /* A clue also fits the rest of a name from a capital that follows no
         * other capital: ViT fits SmallViT. */
        for (size_t part = 0; part < name.len; part++) {
            struct text rest = text_skip(name, part);
            bool begins = part == 0 || (ascii_is_upper(rest.at[0]) &&
                                        !ascii_is_upper(rest.at[-1]));
            for (size_t k = 0; k < best && begins; k++) {
                if (starts_with(rest, table->at[k].name))
                    best = k;
            }
        }
        i += i == from;
    }
    return best < table->n ? table->at[best].value : NULL;
}

const char *clue_task(const struct clues *clues, struct text evidence)
{
    return look_up(&clues->lists[CLUES_TASKS], evidence);
}

const char *clue_model_type(const struct clues *clues, struct text evidence)
{
    return look_up(&clues->lists[CLUES_MODEL_TYPES], evidence);
}

const char *clue_dataset(const struct clues *clues, struct text evidence)
{
    return look_up(&clues->lists[CLUES_DATASETS], evidence);
}

const char *clue_dataset_in_code(const struct clues *clues, struct text code)
{
    const struct clue_list *names = &clues->lists[CLUES_DATASET_NAMES];
    const char *first = NULL, *value = NULL;
    for (size_t i = 0; i < names->n; i++) {
        const char *at = find_word(code, names->at[i].name);
        if (at && (!first || at < first)) {
            first = at;
            value = names->at[i].value;
        }
    }
    return value;
}

const char *clue_optimizer_in_code(const struct clues *clues, struct text code)
{
    const struct clue_list *names = &clues->lists[CLUES_OPTIMIZERS];
    const char *first = NULL, *value = NULL;
    for (size_t i = 0; i < names->n; i++) {
        const char *at = find_word(code, names->at[i].name);
        size_t n = strlen(names->at[i].name);
        bool called = at && at + n < code.at + code.len && at[n] == '(';
        if (called && (!first || at < first)) {
            first = at;
            value = names->at[i].name;
        }
    }
    return value;
}

const char *clue_optimizer(const struct clues *clues, struct text name)
{
    const struct clue_list *names = &clues->lists[CLUES_OPTIMIZERS];
    for (size_t i = 0; i < names->n; i++) {
        if (text_is_nocase(name, names->at[i].name))
            return names->at[i].name;
    }
    return NULL;
}

const char *clue_augmentation_in_code(const struct clues *clues,
                                      struct text code, size_t i)
{
    const struct clue_list *names = &clues->lists[CLUES_AUGMENTATIONS];
    for (size_t k = 0; k < names->n; k++) {
        if (clue_has_word(code, names->at[k].name) && i-- == 0)
            return names->at[k].name;
    }
    return NULL;
}

const char *const *clue_options(const struct clues *clues, const char *field,
                                struct arena *arena)
{
    const struct clue_list *names = &clues->lists[CLUES_OPTION_NAMES];
    const struct clue_list *words = &clues->lists[CLUES_OPTION_WORDS];
    const char **list = arena_alloc(arena, (names->n + 2) * sizeof *list);
    size_t n = 0;
    for (size_t i = 0; i < names->n; i++) {
        if (strcmp(names->at[i].value, field) == 0)
            list[n++] = names->at[i].name;
    }
    for (size_t i = 0; i < words->n; i++) {
        const struct clue *row = &words->at[i];
        if (strcmp(row->name, field) != 0)
            continue;
        size_t room = strlen(row->value) + strlen(row->more) + 3;
        char *pattern = arena_alloc(arena, room);
        snprintf(pattern, room, "~%s/%s", row->value, row->more);
        list[n++] = pattern;
        break;
    }
    list[n] = NULL;
    return list;
}

const char *clue_framework(const struct clues *clues, struct text package,
                           bool *base)
{
    const struct clue_list *list = &clues->lists[CLUES_FRAMEWORKS];
    for (size_t i = 0; i < list->n; i++) {
        if (text_is(package, list->at[i].name)) {
            *base = list->at[i].base;
            return list->at[i].value;
        }
    }
    return NULL;
}

#define CLUES_FORMAT 1

#define WORD_BYTES 60

#define WORDS_BYTES 300 /* largest length of the words of an option, bytes */

#define CLUES_ROWS_MAX 4096 /* largest number of rows of a list in one file */

/* Characters that a name may have. A name with a character that the compared
 * text never has would never match. */
enum letters { LETTERS_DIGITS, LETTERS_NAME, LETTERS_DOTTED };

static const struct clue_form {
    const char *key;
    unsigned columns;
    enum letters letters; /* characters that a name may have */
} forms[N_CLUE_KINDS] = {
    [CLUES_TASKS] = {.key = "tasks", .columns = 2, .letters = LETTERS_DIGITS},
    [CLUES_MODEL_TYPES] = {.key = "model_types",
                           .columns = 2,
                           .letters = LETTERS_DIGITS},
    [CLUES_DATASETS] = {.key = "datasets",
                        .columns = 2,
                        .letters = LETTERS_DIGITS},
    [CLUES_DATASET_NAMES] = {.key = "dataset_names",
                             .columns = 2,
                             .letters = LETTERS_NAME},
    [CLUES_OPTIMIZERS] = {.key = "optimizers",
                          .columns = 1,
                          .letters = LETTERS_NAME},
    [CLUES_AUGMENTATIONS] = {.key = "augmentations",
                             .columns = 1,
                             .letters = LETTERS_NAME},
    [CLUES_FRAMEWORKS] = {.key = "frameworks",
                          .columns = 3,
                          .letters = LETTERS_NAME},
    [CLUES_OPTION_NAMES] = {.key = "option_names",
                            .columns = 2,
                            .letters = LETTERS_DOTTED},
    [CLUES_OPTION_WORDS] = {.key = "option_words",
                            .columns = 3,
                            .letters = LETTERS_NAME},
    [CLUES_LAYERS] = {.key = "layers", .columns = 2, .letters = LETTERS_DOTTED},
    [CLUES_MODEL_CLASSES] = {.key = "model_classes",
                             .columns = 2,
                             .letters = LETTERS_DOTTED},
    [CLUES_TASK_CALLS] = {.key = "task_calls",
                          .columns = 2,
                          .letters = LETTERS_DOTTED},
};

/* The file that is read, and the list and row in it. */
struct clue_reader {
    struct clues *clues;
    const char *path;
    struct text json;
    const char *list; /* key of the list; NULL: the root */
    size_t row;       /* index of the row; SIZE_MAX: the list itself */
    struct error *err;
};

static enum status bad(const struct clue_reader *r, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

static enum status bad(const struct clue_reader *r, const char *fmt, ...)
{
    const struct json_step steps[] = {
        {.key = r->list}, {.key = "rows"}, {.row = r->row}};
    size_t n = !r->list ? 0 : r->row == SIZE_MAX ? 1 : 3;
    struct json_place place = json_place_at(r->json, steps, n);
    char words[400], row[32] = "";
    va_list args;
    va_start(args, fmt);
    vsnprintf(words, sizeof words, fmt, args);
    va_end(args);
    if (n == 3)
        snprintf(row, sizeof row, " row %zu", r->row + 1);
    return error_set(r->err, STATUS_BAD_INPUT, "%s:%zu:%zu: %s%s%s%s", r->path,
                     place.line, place.column, r->list ? r->list : "", row,
                     r->list ? ": " : "", words);
}

/* Returns STATUS_OK if `found` is one of n names, else STATUS_BAD_INPUT with an
 * error that suggests the nearest name. */
static enum status check_one_of(const struct clue_reader *r, const char *found,
                                const char *const *names, size_t n)
{
    char words[FIND_WORDS_MAX];
    return find_or_suggest(found, names, n, words) == n ? bad(r, "%s", words)
                                                        : STATUS_OK;
}

static enum status check_keys(const struct clue_reader *r, const json_t *object,
                              const char *const *names, size_t n)
{
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)object, key, value)
    {
        enum status st = check_one_of(r, key, names, n);
        if (st != STATUS_OK)
            return st;
    }
    return STATUS_OK;
}

/* Checks that a field is one of those whose options the rules look for. */
static enum status check_field(const struct clue_reader *r, const char *field)
{
    const struct clue_list *known = &clues_built_in.lists[CLUES_OPTION_NAMES];
    const char *names[32];
    size_t n = 0;
    for (size_t i = 0; i < known->n && n < sizeof names / sizeof *names; i++) {
        size_t k = 0;
        while (k < n && strcmp(names[k], known->at[i].value) != 0)
            k++;
        if (k == n)
            names[n++] = known->at[i].value;
    }
    return check_one_of(r, field, names, n);
}

static enum status check_letters(const struct clue_reader *r, const char *name,
                                 enum letters letters)
{
    static const char *const words[] = {
        [LETTERS_DIGITS] = "letters and digits",
        [LETTERS_NAME] = "letters, digits and '_'",
        [LETTERS_DOTTED] = "letters, digits, '_' and '.'"};
    for (const char *p = name; *p; p++) {
        bool fits = ascii_is_alnum(*p) ||
                    (*p == '_' && letters != LETTERS_DIGITS) ||
                    (*p == '.' && letters == LETTERS_DOTTED);
        if (!fits)
            return bad(r, "the name '%.60s' can never match: expected %s", name,
                       words[letters]);
    }
    return STATUS_OK;
}

/* Checks that the words of an option consist of letters and digits, with blanks
 * between them. */
static enum status check_words(const struct clue_reader *r, const char *words)
{
    for (const char *p = words; *p; p++) {
        if (!ascii_is_alnum(*p) && *p != ' ')
            return bad(r, "expected words of letters and digits, not '%.60s'",
                       words);
    }
    return STATUS_OK;
}

/* Reads column `i` of a row as a text of 1 to `max` bytes. A row that is not an
 * array is itself the only column. */
static enum status read_text(const struct clue_reader *r, const json_t *row,
                             size_t i, size_t max, const char **out)
{
    const json_t *value = json_is_array(row) ? json_array_get(row, i) : row;
    size_t len = json_string_length(value);
    if (!json_is_string(value) || len == 0 || len > max)
        return bad(r, "column %zu: expected a text of 1 to %zu bytes", i + 1,
                   max);
    *out = arena_copy(&r->clues->arena, json_string_value(value), len);
    return STATUS_OK;
}

static enum status read_third(const struct clue_reader *r, const json_t *row,
                              enum clue_kind kind, struct clue *out)
{
    const json_t *value = json_array_get(row, 2);
    if (kind == CLUES_FRAMEWORKS && !json_is_boolean(value))
        return bad(r, "column 3: expected true or false");
    out->base = json_is_true(value);
    return kind == CLUES_OPTION_WORDS
               ? read_text(r, row, 2, WORDS_BYTES, &out->more)
               : STATUS_OK;
}

/* Checks that a row of options names a field and that its words are valid. */
static enum status check_option(const struct clue_reader *r,
                                enum clue_kind kind, const struct clue *row)
{
    if (kind == CLUES_OPTION_NAMES)
        return check_field(r, row->value);
    enum status st = check_field(r, row->name);
    if (st == STATUS_OK)
        st = check_words(r, row->value);
    return st == STATUS_OK ? check_words(r, row->more) : st;
}

static enum status read_row(const struct clue_reader *r, const json_t *row,
                            enum clue_kind kind, struct clue *out)
{
    const struct clue_form *form = &forms[kind];
    size_t max = kind == CLUES_OPTION_WORDS ? WORDS_BYTES : WORD_BYTES;
    if (form->columns == 1 && !json_is_string(row))
        return bad(r, "expected a text");
    if (form->columns > 1 && json_array_size(row) != form->columns)
        return bad(r, "expected an array of %u values", form->columns);
    enum status st = read_text(r, row, 0, WORD_BYTES, &out->name);
    if (st == STATUS_OK)
        st = check_letters(r, out->name, form->letters);
    if (st == STATUS_OK && form->columns > 1)
        st = read_text(r, row, 1, max, &out->value);
    if (st == STATUS_OK && form->columns > 2)
        st = read_third(r, row, kind, out);
    bool option = kind == CLUES_OPTION_NAMES || kind == CLUES_OPTION_WORDS;
    return st == STATUS_OK && option ? check_option(r, kind, out) : st;
}

static bool has_name(const struct clue *rows, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++) {
        if (strcmp(rows[i].name, name) == 0)
            return true;
    }
    return false;
}

/* Puts n rows before the rows of a list, drops old rows of the same names and
 * counts the rows that replace an old one. The array `rows` has room for the
 * old rows, too. */
static void put_before(struct clue_list *list, struct clue *rows, size_t n,
                       struct clues_file *file)
{
    size_t end = n;
    for (size_t i = 0; i < n; i++)
        file->replaced += has_name(list->at, list->n, rows[i].name);
    for (size_t i = 0; i < list->n; i++) {
        if (!has_name(rows, n, list->at[i].name))
            rows[end++] = list->at[i];
    }
    *list = (struct clue_list){rows, end};
}

static enum status clues_read_list(struct clue_reader *r, const json_t *table,
                                   enum clue_kind kind, struct clues_file *file)
{
    static const char *const keys[] = {"about", "rows"};
    struct clue_list *list = &r->clues->lists[kind];
    const json_t *rows = json_object_get(table, "rows");
    size_t n = json_array_size(rows), before = file->replaced;
    r->list = forms[kind].key;
    r->row = SIZE_MAX;
    if (!json_is_object(table))
        return bad(r, "expected an object with the key 'rows'");
    enum status st = check_keys(r, table, keys, 2);
    if (st == STATUS_OK && (!json_is_array(rows) || n > CLUES_ROWS_MAX))
        st = bad(r, "rows: expected an array of at most %d rows",
                 CLUES_ROWS_MAX);
    if (st != STATUS_OK)
        return st;
    struct clue *all =
        ARENA_ARRAY(&r->clues->arena, struct clue, n + list->n + 1);
    for (r->row = 0; r->row < n; r->row++) {
        struct clue row = {0};
        st = read_row(r, json_array_get(rows, r->row), kind, &row);
        if (st == STATUS_OK && has_name(all, r->row, row.name))
            st = bad(r, "the name '%s' is used twice in this list", row.name);
        if (st != STATUS_OK)
            return st;
        all[r->row] = row;
    }
    put_before(list, all, n, file);
    file->added += n - (file->replaced - before);
    return STATUS_OK;
}

static enum status read_root(struct clue_reader *r, const json_t *root,
                             struct clues_file *file)
{
    const char *keys[N_CLUE_KINDS + 4] = {"$schema", "about", "licence",
                                          "format"};
    for (size_t i = 0; i < N_CLUE_KINDS; i++)
        keys[4 + i] = forms[i].key;
    if (!json_is_object(root))
        return bad(r, "expected an object");
    enum status st = check_keys(r, root, keys, N_CLUE_KINDS + 4);
    if (st == STATUS_OK &&
        json_integer_value(json_object_get(root, "format")) != CLUES_FORMAT)
        st = bad(r, "expected \"format\": %d", CLUES_FORMAT);
    for (unsigned i = 0; i < N_CLUE_KINDS && st == STATUS_OK; i++) {
        const json_t *table = json_object_get(root, forms[i].key);
        if (table)
            st = clues_read_list(r, table, i, file);
    }
    return st;
}

enum status clues_add(struct clues *clues, const char *path, struct text json,
                      struct error *err)
{
    struct clue_reader reader = {
        .clues = clues, .path = path, .json = json, .err = err};
    struct clues_file file = {
        .path = arena_copy(&clues->arena, path, strlen(path))};
    json_error_t where;
    json_t *root =
        json_loadb(json.at, json.len, JSON_REJECT_DUPLICATES, &where);
    if (!root)
        return error_set(err, STATUS_BAD_INPUT, "%s:%d:%d: %s", path,
                         where.line, where.column, where.text);
    enum status st = read_root(&reader, root, &file);
    json_decref(root);
    clues->files = mem_grow(clues->files, &clues->cap_files, clues->n_files + 1,
                            sizeof *clues->files);
    clues->files[clues->n_files++] = file;
    return st;
}

struct clues *clues_new(void)
{
    struct clues *clues = mem_zalloc(1, sizeof *clues);
    *clues = clues_built_in;
    arena_init(&clues->arena);
    return clues;
}

void clues_free(struct clues *clues)
{
    if (!clues)
        return;
    arena_fini(&clues->arena);
    free(clues->files);
    free(clues);
}

const struct clues_file *clues_file(const struct clues *clues, size_t i)
{
    return i < clues->n_files ? &clues->files[i] : NULL;
}

void clues_digest(const struct clues *clues, char hex[DIGEST_HEX_MAX])
{
    struct digest *digest = digest_new();
    for (size_t k = 0; k < N_CLUE_KINDS; k++) {
        digest_add(digest, forms[k].key, strlen(forms[k].key) + 1);
        for (size_t i = 0; i < clues->lists[k].n; i++) {
            const struct clue *row = &clues->lists[k].at[i];
            const char *const texts[] = {row->name, row->value, row->more};
            for (size_t t = 0; t < 3; t++)
                digest_add(digest, texts[t] ? texts[t] : "",
                           texts[t] ? strlen(texts[t]) + 1 : 1);
            digest_add(digest, row->base ? "1" : "0", 1);
        }
    }
    digest_end(digest, hex);
}

/* True if `word` occurs anywhere in the text. */
static bool clues_holds(struct text t, const char *word)
{
    return t.at && t.len && memmem(t.at, t.len, word, strlen(word));
}

/* Returns the type in the first row of the table of layers that matches one of
 * the calls from index `from` to end - 1; NULL if no row does. */
static const char *kind_of_calls(const struct clues *clues,
                                 const struct py_machine *machine, size_t from,
                                 size_t end)
{
    const struct clue_list *layers = &clues->lists[CLUES_LAYERS];
    for (size_t k = 0; k < layers->n; k++) {
        const struct clue *row = &layers->at[k];
        bool dotted = strchr(row->name, '.') != NULL;
        for (size_t i = from; i < end && i < machine->n_calls; i++) {
            struct text name = machine->calls[i]->name;
            if (clues_holds(dotted ? name : py_last_name(name), row->name))
                return row->value;
        }
    }
    return NULL;
}

/* Returns the kind of a model by the name of its class in a library such as
 * transformers or diffusers; NULL if no clue fits. */
static const char *kind_of_library(const struct clues *clues, struct text name)
{
    const struct clue_list *classes = &clues->lists[CLUES_MODEL_CLASSES];
    for (size_t i = 0; i < classes->n; i++) {
        const struct clue *row = &classes->at[i];
        if (clues_holds(name, row->name))
            return row->value;
    }
    return NULL;
}

const char *advisor_kind_of_model(const struct clues *clues,
                                  const struct py_machine *machine,
                                  const struct py_value *model)
{
    const struct py_call *call = model ? model->call : NULL;
    if (!call)
        return NULL;
    const char *kind = kind_of_library(clues, call->name);
    if (kind)
        return kind;
    if (call->end > call->first)
        return kind_of_calls(clues, machine, call->first, call->end);
    /* a model that is put together by functions of a library */
    bool composed = py_name_ends(call->name, "Sequential") ||
                    py_name_ends(call->name, "Model");
    return composed ? kind_of_calls(clues, machine, 0, machine->n_calls) : NULL;
}

const char *advisor_task_of_calls(const struct clues *clues,
                                  const struct py_machine *machine,
                                  const struct py_value *model)
{
    const struct clue_list *tasks = &clues->lists[CLUES_TASK_CALLS];
    for (size_t k = 0; k < tasks->n; k++) {
        const struct clue *row = &tasks->at[k];
        for (size_t i = 0; i < machine->n_calls; i++) {
            const struct py_call *call = machine->calls[i];
            /* The class of a model tells the task only if that model is the one
             * that is trained. */
            bool of_model = strncmp(row->name, "For", 3) == 0 ||
                            strcmp(row->name, "LMHeadModel") == 0;
            if (of_model && model && model->call != call)
                continue;
            if (clues_holds(call->name, row->name))
                return row->value;
        }
    }
    return NULL;
}
