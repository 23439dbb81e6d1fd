/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "schedmate/advisor/metadata.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/ascii.h"
#include "schedmate/advisor/advisor_versions.h"
#include "schedmate/llm/llm_text.h"

static const char *copy(struct arena *arena, const json_t *value);
static json_t *string(const char *s);

/* TERM: a word of the trade such as AdamW or "image classification", no path
 * and no expression. NAME: no expression, no file. COUNT: a whole number. */
enum metadata_kind { KIND_TEXT, KIND_TERM, KIND_NAME, KIND_COUNT, KIND_NUMBER };

/* What a field is: a name, what a model is told of it and the largest value of
 * a number. */
struct metadata_row {
    const char *name, *help;
    double hi;
    enum metadata_kind kind;
};

static const struct metadata_row metadata_rows[] = {
    [METADATA_MODEL_NAME] = {.name = "model_name",
                             .help = "what is trained: resnet50, GPT-2 124M",
                             .kind = KIND_NAME},
    [METADATA_TASK_TYPE] = {.name = "task_type",
                            .help = "image classification, language modelling",
                            .kind = KIND_TERM},
    [METADATA_DATASET_NAME] = {.name = "dataset_name"},
    [METADATA_BATCH_SIZE] =
        {.name = "batch_size",
         .help = "of one process in one pass forward, before accumulation; if "
                 "the code splits a batch over GPUs, the batch as written",
         .hi = 1e9,
         .kind = KIND_COUNT},
    [METADATA_FRAMEWORK] = {.name = "framework",
                            .help = "PyTorch, PyTorch + HF Trainer",
                            .kind = KIND_TERM},
    [METADATA_MODEL_TYPE] = {.name = "model_type",
                             .help = "CNN, Transformer, GAN",
                             .kind = KIND_TERM},
    [METADATA_DATASET_SIZE] =
        {.name = "dataset_size",
         .help = "samples, tokens or bytes that the files state"},
    [METADATA_AUGMENTATION] = {.name = "augmentation"},
    [METADATA_DISTRIBUTED] = {.name = "distributed",
                              .help = "DDP, FSDP, DeepSpeed ZeRO-3"},
    [METADATA_HARDWARE] = {.name = "hardware", .help = "that the job asks for"},
    [METADATA_PROCESSES] = {.name = "processes",
                            .help = "in all",
                            .hi = 1e6,
                            .kind = KIND_COUNT},
    [METADATA_GPUS] =
        {.name = "gpus",
         .help =
             "in all; 1 for plain `python` unless the code takes all it sees",
         .hi = 1e6,
         .kind = KIND_COUNT},
    [METADATA_NODES] = {.name = "nodes", .hi = 1e6, .kind = KIND_COUNT},
    [METADATA_GPUS_PER_NODE] = {.name = "gpus_per_node",
                                .hi = 1e4,
                                .kind = KIND_COUNT},
    [METADATA_EPOCHS] = {.name = "epochs",
                         .help =
                             "passes over the data, if these end the training",
                         .hi = 1e9,
                         .kind = KIND_NUMBER},
    [METADATA_MAX_STEPS] =
        {.name = "max_steps",
         .help = "optimizer steps (environment steps in reinforcement "
                 "learning), if these end the training",
         .hi = 1e12,
         .kind = KIND_COUNT},
    [METADATA_LEARNING_RATE] = {.name = "learning_rate",
                                .help = "as written, at its peak",
                                .hi = 1e6,
                                .kind = KIND_NUMBER},
    [METADATA_OPTIMIZER] = {.name = "optimizer", .kind = KIND_TERM},
    [METADATA_GRADIENT_ACCUMULATION] = {.name = "gradient_accumulation",
                                        .hi = 1e6,
                                        .kind = KIND_COUNT},
    [METADATA_SEQUENCE_LENGTH] = {.name = "sequence_length",
                                  .help = "tokens of a sample",
                                  .hi = 1e9,
                                  .kind = KIND_COUNT},
    [METADATA_PRECISION] = {.name = "precision",
                            .help = "fp32, fp16, bf16",
                            .kind = KIND_TERM},
    [METADATA_BATCH_UNIT] =
        {.name = "batch_unit",
         .help = "if not samples: tokens, rays, environment steps"},
    [METADATA_GLOBAL_BATCH_SIZE] =
        {.name = "global_batch_size",
         .help = "of an optimizer step of all processes, only if written",
         .hi = 1e9,
         .kind = KIND_COUNT},
    [METADATA_ACTING_LEARNING_RATE] = {.name = "acting_learning_rate",
                                       .help =
                                           "if the code scales the one written",
                                       .hi = 1e6,
                                       .kind = KIND_NUMBER},
    [METADATA_TRAIN_TOKENS] = {.name = "train_tokens",
                               .help =
                                   "if a number of tokens ends the training",
                               .hi = 1e18,
                               .kind = KIND_COUNT},
    [METADATA_INPUT_SIZE] = {.name = "input_size",
                             .help = "of an image, clip or signal: 224x224"},
    [METADATA_PARAMETERS] = {.name = "parameters",
                             .help = "of the model, only if written"},
};

const char *metadata_name(enum metadata_field field)
{
    return metadata_rows[field].name;
}

const char *metadata_help(enum metadata_field field)
{
    return metadata_rows[field].help;
}

bool metadata_is_number(enum metadata_field field)
{
    return metadata_rows[field].kind >= KIND_COUNT;
}

enum metadata_field metadata_field_of(struct text name)
{
    unsigned i = 0;
    while (i < METADATA_FIELDS && !text_is(name, metadata_rows[i].name))
        i++;
    return i;
}

/* True for a text that is a path, a call or an expression and no name. */
static bool is_expression(struct text value)
{
    static const char *const ends[] = {".py",   ".yaml", ".yml",
                                       ".json", ".toml", ".sh"};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        size_t n = strlen(ends[i]);
        if (value.len > n && memcmp(value.at + value.len - n, ends[i], n) == 0)
            return true;
    }
    return value.len == 0 || strchr("/.~$<({[-=", value.at[0]) ||
           memchr(value.at, '$', value.len) ||
           (value.len > 1 && memcmp(value.at + value.len - 1, "(", 1) == 0);
}

/* True for the name of a variable that holds a name or a thing, not the name
 * itself. */
static bool is_placeholder(struct text value)
{
    static const char *const whole[] = {"model", "optimizer", "net",  "network",
                                        "data",  "dataset",   "task", "name"};
    static const char *const ends[] = {"_path", "_name", "_dir", "_file"};
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++) {
        if (text_is(value, whole[i]))
            return true;
    }
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        size_t n = strlen(ends[i]);
        if (value.len > n && memcmp(value.at + value.len - n, ends[i], n) == 0)
            return true;
    }
    return false;
}

bool metadata_can_be(enum metadata_field field, struct text value)
{
    const struct metadata_row *row = &metadata_rows[field];
    double number;
    if (row->kind < KIND_COUNT && is_placeholder(value))
        return false;
    switch (row->kind) {
    case KIND_COUNT:
    case KIND_NUMBER:
        return text_to_double(value, &number) && number > 0 &&
               number <= row->hi &&
               (row->kind == KIND_NUMBER || number == floor(number));
    case KIND_TERM:
        return !is_expression(value) && (!memchr(value.at, '/', value.len) ||
                                         memchr(value.at, ' ', value.len));
    case KIND_NAME:
        return !is_expression(value);
    case KIND_TEXT:
        break;
    }
    return true;
}

static bool is_said(struct text value)
{
    static const char *const nothing[] = {"",     "unknown", "none",
                                          "null", "n/a",     "not specified"};
    for (size_t i = 0; i < sizeof nothing / sizeof *nothing; i++) {
        if (text_is_nocase(value, nothing[i]))
            return false;
    }
    return true;
}

/* Returns the value as one line of at most METADATA_VALUE_MAX bytes of
 * UTF-8. */
static const char *one_line(struct text value, struct arena *arena)
{
    size_t len =
        value.len < METADATA_VALUE_MAX ? value.len : METADATA_VALUE_MAX;
    while (len && len < value.len &&
           ((unsigned char)value.at[len] & 0xc0) == 0x80)
        len--;
    char *copy = arena_copy(arena, value.at, len);
    llm_utf8_clean(copy, len);
    for (size_t i = 0; i < len; i++) {
        if ((unsigned char)copy[i] < ' ' || copy[i] == 127)
            copy[i] = ' ';
    }
    return copy;
}

void metadata_set(struct metadata *metadata, enum metadata_field field,
                  struct text value, const char *where, struct arena *arena)
{
    value = text_trim(value);
    if (!is_said(value) || !metadata_can_be(field, value))
        return;
    metadata->fields[field] =
        (struct metadata_value){.text = one_line(value, arena), .where = where};
}

static bool is_key(struct text key)
{
    for (size_t i = 0; i < key.len; i++) {
        char c = key.at[i];
        if (!ascii_is_name(c) && c != '-' && c != '.')
            return false;
    }
    return key.len > 0 && key.len <= 64;
}

void metadata_add(struct metadata *metadata, struct text key, struct text value,
                  struct arena *arena)
{
    key = text_trim(key);
    value = text_trim(value);
    if (!is_key(key) || !is_said(value))
        return;
    const char *name = arena_copy(arena, key.at, key.len);
    size_t i = 0;
    while (i < metadata->n_other && strcmp(metadata->other[i].key, name) < 0)
        i++;
    if (metadata->n_other == METADATA_OTHER_MAX ||
        (i < metadata->n_other && strcmp(metadata->other[i].key, name) == 0))
        return;
    memmove(&metadata->other[i + 1], &metadata->other[i],
            (metadata->n_other - i) * sizeof *metadata->other);
    metadata->other[i] = (struct metadata_pair){name, one_line(value, arena)};
    metadata->n_other++;
}

double metadata_coverage(const struct metadata *metadata)
{
    /* A row counts as known if one of its two fields is. */
    static const struct {
        enum metadata_field field, or_field;
        unsigned weight;
    } weights[] = {
        {METADATA_MODEL_NAME, METADATA_MODEL_NAME, 3},
        {METADATA_DATASET_NAME, METADATA_DATASET_NAME, 2},
        {METADATA_BATCH_SIZE, METADATA_BATCH_SIZE, 2},
        {METADATA_EPOCHS, METADATA_MAX_STEPS, 2},
        {METADATA_TASK_TYPE, METADATA_TASK_TYPE, 1},
        {METADATA_FRAMEWORK, METADATA_FRAMEWORK, 1},
        {METADATA_LEARNING_RATE, METADATA_LEARNING_RATE, 1},
        {METADATA_OPTIMIZER, METADATA_OPTIMIZER, 1},
        {METADATA_GPUS, METADATA_PROCESSES, 1},
    };
    unsigned known = 0, all = 0;
    for (size_t i = 0; i < sizeof weights / sizeof *weights; i++) {
        all += weights[i].weight;
        if (metadata->fields[weights[i].field].text ||
            metadata->fields[weights[i].or_field].text)
            known += weights[i].weight;
    }
    return (double)known / all;
}

static void put_pair(struct out *out, const char *key, const char *value,
                     bool *first)
{
    if (!*first)
        out_char(out, ' ');
    *first = false;
    out_text(out, key);
    out_char(out, '=');
    for (; *value; value++)
        out_char(out, *value == ' ' ? '_' : *value);
}

void metadata_text(const struct metadata *metadata, struct out *out)
{
    bool first = true;
    for (unsigned i = 0; i < METADATA_FIELDS; i++) {
        if (metadata->fields[i].text)
            put_pair(out, metadata_rows[i].name, metadata->fields[i].text,
                     &first);
    }
    for (size_t i = 0; i < metadata->n_other; i++)
        put_pair(out, metadata->other[i].key, metadata->other[i].value, &first);
    if (metadata->command && metadata_coverage(metadata) < METADATA_LITTLE)
        put_pair(out, "command", metadata->command, &first);
}

static size_t votes_for(const struct metadata *all, size_t n, unsigned field,
                        const char *text)
{
    size_t votes = 0;
    for (size_t i = 0; i < n; i++)
        votes += all[i].fields[field].text &&
                 strcasecmp(all[i].fields[field].text, text) == 0;
    return votes;
}

static size_t votes_for_pair(const struct metadata *all, size_t n,
                             const struct metadata_pair *pair)
{
    size_t votes = 0;
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < all[i].n_other; k++)
            votes += strcmp(all[i].other[k].key, pair->key) == 0 &&
                     strcasecmp(all[i].other[k].value, pair->value) == 0;
    }
    return votes;
}

void metadata_vote(const struct metadata *all, size_t n, struct arena *arena,
                   struct metadata *out, double *agreement)
{
    double sum = 0;
    size_t known = 0;
    *out = (struct metadata){0};
    for (unsigned f = 0; f < METADATA_FIELDS; f++) {
        size_t most = 0;
        for (size_t i = 0; i < n; i++) {
            const struct metadata_value *value = &all[i].fields[f];
            size_t votes = value->text ? votes_for(all, n, f, value->text) : 0;
            if (votes > most) {
                most = votes;
                out->fields[f] = *value;
            }
        }
        sum += (double)most / (double)n;
        known += most > 0;
    }
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < all[i].n_other; k++) {
            const struct metadata_pair *pair = &all[i].other[k];
            if (votes_for_pair(all, n, pair) * 2 > n)
                metadata_add(out, text_from(pair->key), text_from(pair->value),
                             arena);
        }
    }
    *agreement = known ? sum / (double)known : 0;
}

struct versions {
    char *path;
    json_t *jobs; /* array; the result that was stored first comes first */
};

static void digest_text(struct text t, char hex[DIGEST_HEX_MAX])
{
    struct digest *digest = digest_new();
    digest_add(digest, t.at, t.len);
    digest_end(digest, hex);
}

static void digest_tree(const struct workspace *workspace,
                        char hex[DIGEST_HEX_MAX])
{
    struct digest *digest = digest_new();
    for (size_t i = 0; i < workspace->n_files; i++)
        digest_add(digest, workspace->files[i].path,
                   strlen(workspace->files[i].path) + 1);
    digest_end(digest, hex);
}

/* Writes the digest of a file's text to `hex`. Returns false if the file cannot
 * be read. */
static bool digest_source(const struct workspace *workspace, const char *path,
                          char hex[DIGEST_HEX_MAX])
{
    char why[WORKSPACE_WHY_MAX];
    struct arena arena;
    struct text text;
    bool cut;
    arena_init(&arena);
    bool good =
        workspace->read(workspace->self, path, &arena, &text, &cut, why);
    if (good)
        digest_text(text, hex);
    arena_fini(&arena);
    return good;
}

static bool is_job(const json_t *job)
{
    static const char *const strings[] = {"identity", "tree", "text", "method"};
    for (size_t i = 0; i < sizeof strings / sizeof *strings; i++) {
        if (!json_is_string(json_object_get(job, strings[i])))
            return false;
    }
    return json_is_object(json_object_get(job, "files")) &&
           json_is_object(json_object_get(job, "fields")) &&
           json_is_object(json_object_get(job, "where")) &&
           json_is_object(json_object_get(job, "other")) &&
           json_is_number(json_object_get(job, "agreement"));
}

static enum status parse(struct versions *versions, json_t *root,
                         struct error *err)
{
    json_t *jobs = json_object_get(root, "jobs");
    if (json_integer_value(json_object_get(root, "version")) != 1 ||
        !json_is_array(jobs))
        return error_set(err, STATUS_BAD_INPUT,
                         "%s: no cache of the advisor of version 1",
                         versions->path);
    for (size_t i = 0; i < json_array_size(jobs); i++) {
        if (!is_job(json_array_get(jobs, i)))
            return error_set(err, STATUS_BAD_INPUT,
                             "%s: job %zu of the cache is damaged",
                             versions->path, i + 1);
    }
    versions->jobs = json_incref(jobs);
    return STATUS_OK;
}

enum status versions_open(const char *path, struct versions **out,
                          struct error *err)
{
    struct versions *versions = mem_zalloc(1, sizeof *versions);
    json_error_t where;
    enum status st = STATUS_OK;
    versions->path = mem_text(path);
    if (!versions->path)
        abort();
    if (access(path, F_OK) != 0) {
        versions->jobs = json_array();
    } else {
        json_t *root = json_load_file(path, JSON_REJECT_DUPLICATES, &where);
        st = root ? parse(versions, root, err)
                  : error_set(err, STATUS_BAD_INPUT, "%s:%d:%d: %s", path,
                              where.line, where.column, where.text);
        json_decref(root);
    }
    if (st != STATUS_OK) {
        versions_free(versions);
        versions = NULL;
    }
    *out = versions;
    return st;
}

void versions_free(struct versions *versions)
{
    if (!versions)
        return;
    json_decref(versions->jobs);
    free(versions->path);
    free(versions);
}

static json_t *find_job(const struct versions *versions, const char *identity,
                        size_t *where)
{
    for (*where = json_array_size(versions->jobs); (*where)-- > 0;) {
        json_t *job = json_array_get(versions->jobs, *where);
        if (strcmp(json_string_value(json_object_get(job, "identity")),
                   identity) == 0)
            return job;
    }
    return NULL;
}

static const char *copy(struct arena *arena, const json_t *value)
{
    const char *s = json_string_value(value);
    return s ? arena_copy(arena, s, strlen(s)) : "";
}

static void restore_fields(const json_t *job, struct arena *arena,
                           struct metadata *out)
{
    *out = (struct metadata){0};
    for (unsigned i = 0; i < METADATA_FIELDS; i++) {
        const char *key = metadata_name(i);
        const json_t *value =
            json_object_get(json_object_get(job, "fields"), key);
        if (!json_is_string(value))
            continue;
        metadata_set(
            out, i, text_from(json_string_value(value)),
            copy(arena, json_object_get(json_object_get(job, "where"), key)),
            arena);
        value = json_object_get(json_object_get(job, "quotes"), key);
        if (json_is_string(value))
            out->fields[i].quote = copy(arena, value);
    }
}

static void restore(const json_t *job, struct arena *arena,
                    struct advisor_result *out)
{
    const char *name;
    json_t *value;
    *out = (struct advisor_result){0};
    restore_fields(job, arena, &out->metadata);
    json_object_foreach(json_object_get(job, "other"), name, value)
        metadata_add(
            &out->metadata, text_from(name),
            text_from(json_is_string(value) ? json_string_value(value) : ""),
            arena);
    json_object_foreach(json_object_get(job, "files"), name, value)
        advisor_note_file(out, arena_copy(arena, name, strlen(name)));
    out->method =
        strcmp(json_string_value(json_object_get(job, "method")), "rules") == 0
            ? LLM_BY_RULES
            : LLM_BY_MODEL;
    out->agreement = json_number_value(json_object_get(job, "agreement"));
    out->metadata.command = copy(arena, json_object_get(job, "command"));
    const char *note = copy(arena, json_object_get(job, "note"));
    out->note = *note ? note : NULL;
    out->coverage = metadata_coverage(&out->metadata);
}

enum versions_state versions_check(const struct versions *versions,
                                   const char *identity,
                                   const struct workspace *workspace,
                                   struct arena *arena,
                                   struct advisor_result *result,
                                   struct advisor_memory *memory)
{
    size_t where;
    const char *name;
    json_t *value, *job = find_job(versions, identity, &where);
    char hex[DIGEST_HEX_MAX];
    if (!job)
        return VERSIONS_NEW;
    json_t *files = json_object_get(job, "files");
    const char **changed =
        ARENA_ARRAY(arena, const char *, json_object_size(files) + 1);
    const char **seen =
        ARENA_ARRAY(arena, const char *, json_object_size(files) + 1);
    size_t n = 0, n_seen = 0;
    json_object_foreach(files, name, value)
    {
        seen[n_seen++] = arena_copy(arena, name, strlen(name));
        const char *before = json_string_value(value);
        if (!before || !digest_source(workspace, name, hex) ||
            strcmp(before, hex) != 0)
            changed[n++] = seen[n_seen - 1];
    }
    digest_tree(workspace, hex);
    if (n == 0 &&
        strcmp(json_string_value(json_object_get(job, "tree")), hex) == 0) {
        restore(job, arena, result);
        return VERSIONS_SAME;
    }
    *memory = (struct advisor_memory){
        .text = copy(arena, json_object_get(job, "text")),
        .changed = changed,
        .n_changed = n,
        .seen = seen,
        .n_seen = n_seen};
    restore_fields(job, arena, &memory->metadata);
    return VERSIONS_CHANGED;
}

static json_t *string(const char *s)
{
    json_t *value = json_string(s);
    return value ? value : json_string("");
}

enum metadata_part { PART_TEXT, PART_WHERE, PART_QUOTE };

static json_t *metadata_fields_of(const struct metadata *metadata,
                                  enum metadata_part part)
{
    json_t *object = json_object();
    for (unsigned i = 0; i < METADATA_FIELDS; i++) {
        const struct metadata_value *value = &metadata->fields[i];
        const char *const parts[] = {value->text, value->where, value->quote};
        if (value->text && parts[part])
            json_object_set_new(object, metadata_name(i), string(parts[part]));
    }
    return object;
}

static json_t *metadata_job_of(const char *identity,
                               const struct workspace *workspace,
                               const struct advisor_result *result)
{
    char hex[DIGEST_HEX_MAX];
    json_t *job = json_object(), *files = json_object(), *other = json_object();
    const struct metadata *metadata = &result->metadata;
    struct out *text = out_to_memory();
    for (size_t i = 0; i < result->n_files; i++) {
        if (digest_source(workspace, result->files[i], hex))
            json_object_set_new(files, result->files[i], string(hex));
    }
    for (size_t i = 0; i < metadata->n_other; i++)
        json_object_set_new(other, metadata->other[i].key,
                            string(metadata->other[i].value));
    digest_tree(workspace, hex);
    metadata_text(metadata, text);
    out_char(text, '\0');
    json_object_set_new(job, "identity", string(identity));
    json_object_set_new(job, "tree", string(hex));
    json_object_set_new(job, "files", files);
    json_object_set_new(
        job, "method",
        string(result->method == LLM_BY_RULES ? "rules" : "llm"));
    json_object_set_new(job, "agreement", json_real(result->agreement));
    json_object_set_new(job, "text", string(out_memory(text).at));
    json_object_set_new(job, "command",
                        string(metadata->command ? metadata->command : ""));
    json_object_set_new(job, "note", string(result->note ? result->note : ""));
    json_object_set_new(job, "fields", metadata_fields_of(metadata, PART_TEXT));
    json_object_set_new(job, "where", metadata_fields_of(metadata, PART_WHERE));
    json_object_set_new(job, "quotes",
                        metadata_fields_of(metadata, PART_QUOTE));
    json_object_set_new(job, "other", other);
    out_abandon(text);
    return job;
}

static enum status write_file(const struct versions *versions,
                              struct error *err)
{
    struct out *out;
    json_t *root = json_object();
    json_object_set_new(root, "version", json_integer(1));
    json_object_set(root, "jobs", versions->jobs);
    char *text = json_dumps(root, JSON_INDENT(1) | JSON_PRESERVE_ORDER);
    json_decref(root);
    if (!text)
        return error_set(err, STATUS_FAILED, "%s: cannot be written",
                         versions->path);
    /* Only the owner may read the file: launch commands and files may hold
     * secrets. */
    enum status st = out_open_private(versions->path, &out, err);
    if (st == STATUS_OK) {
        out_text(out, text);
        out_char(out, '\n');
        st = out_close(out, err);
    }
    free(text);
    return st;
}

enum status versions_keep(struct versions *versions, const char *identity,
                          const struct workspace *workspace,
                          const struct advisor_result *result,
                          struct error *err)
{
    size_t where;
    if (find_job(versions, identity, &where))
        json_array_remove(versions->jobs, where);
    while (json_array_size(versions->jobs) >= VERSIONS_MAX)
        json_array_remove(versions->jobs, 0);
    json_array_append_new(versions->jobs,
                          metadata_job_of(identity, workspace, result));
    return write_file(versions, err);
}
