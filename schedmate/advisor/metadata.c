/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "schedmate/advisor/metadata.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/ascii.h"
#include "schedmate/advisor/advisor_versions.h"
#include "schedmate/llm/llm_text.h"

/* A row of the schema for a text. A model may answer `unknown`, so that it does
 * not have to invent a value. */
#define TEXT_FIELD(name_, required_, help_) \
    { \
        .name = name_, .type = LLM_STRING, .required = required_, .max = 400, \
        .help = help_ \
    }

#define COUNT_FIELD(name_, required_, hi_, help_) \
    { \
        .name = name_, .type = LLM_NUMBER, .required = required_, .hi = hi_, \
        .help = help_ \
    }

static const char *copy(struct arena *arena, const json_t *value);
static json_t *string(const char *s);

static const struct llm_field rows[] = {
    [METADATA_MODEL_NAME] =
        TEXT_FIELD("model_name", true,
                   "the model that is trained, e.g. resnet50, GPT-2 124M; "
                   "unknown if it cannot be told"),
    [METADATA_TASK_TYPE] =
        TEXT_FIELD("task_type", true,
                   "e.g. image classification, language modelling; unknown if "
                   "it cannot be told"),
    [METADATA_DATASET_NAME] =
        TEXT_FIELD("dataset_name", true,
                   "e.g. ImageNet, OpenWebText; unknown if it cannot be told"),
    [METADATA_BATCH_SIZE] = COUNT_FIELD(
        "batch_size", true, 1e9,
        "samples of one process in one step; 0 if it cannot be told"),
    [METADATA_FRAMEWORK] =
        TEXT_FIELD("framework", true, "e.g. PyTorch, PyTorch + HF Trainer"),
    [METADATA_MODEL_TYPE] =
        TEXT_FIELD("model_type", false, "e.g. CNN, Transformer, GAN"),
    [METADATA_DATASET_SIZE] =
        TEXT_FIELD("dataset_size", false, "samples, tokens or bytes"),
    [METADATA_AUGMENTATION] = TEXT_FIELD("augmentation", false, "of the data"),
    [METADATA_DISTRIBUTED] =
        TEXT_FIELD("distributed", false, "e.g. DDP, FSDP, DeepSpeed ZeRO-3"),
    [METADATA_HARDWARE] =
        TEXT_FIELD("hardware", false, "what the job asks for or expects"),
    [METADATA_PROCESSES] =
        COUNT_FIELD("processes", false, 1e6, "in all, one a GPU as a rule"),
    [METADATA_GPUS] = COUNT_FIELD("gpus", false, 1e6, "of all nodes together"),
    [METADATA_NODES] = COUNT_FIELD("nodes", false, 1e6, "of the cluster"),
    [METADATA_GPUS_PER_NODE] =
        COUNT_FIELD("gpus_per_node", false, 1e4, "of one node"),
    [METADATA_EPOCHS] = COUNT_FIELD("epochs", false, 1e9, "passes over it"),
    [METADATA_MAX_STEPS] = COUNT_FIELD("max_steps", false, 1e12, "of training"),
    [METADATA_LEARNING_RATE] =
        COUNT_FIELD("learning_rate", false, 1e6, "at its peak"),
    [METADATA_OPTIMIZER] = TEXT_FIELD("optimizer", false, "e.g. AdamW"),
    [METADATA_GRADIENT_ACCUMULATION] =
        COUNT_FIELD("gradient_accumulation", false, 1e6, "batches of one step"),
    [METADATA_SEQUENCE_LENGTH] =
        COUNT_FIELD("sequence_length", false, 1e9, "tokens of one sample"),
    [METADATA_PRECISION] =
        TEXT_FIELD("precision", false, "e.g. fp32, fp16, bf16"),
    [METADATA_FIELDS] = {.name = "other",
                         .type = LLM_LIST,
                         .max = METADATA_OTHER_MAX,
                         .help = "what else tells this job from others and "
                                 "how long it runs, each as key=value"},
    {0},
};

const struct llm_schema metadata_schema = {"job_metadata", rows};

const char *metadata_name(enum metadata_field field)
{
    return rows[field].name;
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
    if (!is_said(value))
        return;
    metadata->fields[field] =
        (struct metadata_value){one_line(value, arena), where};
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

static void set_number(struct metadata *out, enum metadata_field field,
                       double value, struct arena *arena)
{
    struct out *text = out_to_memory();
    if (value > 0) {
        llm_json_number(text, value);
        metadata_set(out, field, out_memory(text), "model", arena);
    }
    out_abandon(text);
}

void metadata_from_values(const struct llm_value *values, struct arena *arena,
                          struct metadata *out)
{
    *out = (struct metadata){0};
    for (unsigned i = 0; i < METADATA_FIELDS; i++) {
        if (!values[i].present)
            continue;
        if (rows[i].type == LLM_NUMBER)
            set_number(out, i, values[i].number, arena);
        else
            metadata_set(out, i, text_from(values[i].string), "model", arena);
    }
    for (size_t i = 0; i < values[METADATA_FIELDS].n_list; i++) {
        struct text value;
        struct text key =
            text_split(text_from(values[METADATA_FIELDS].list[i]), '=', &value);
        metadata_add(out, key, value, arena);
    }
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
            put_pair(out, rows[i].name, metadata->fields[i].text, &first);
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
    versions->path = strdup(path);
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

static void restore(const json_t *job, struct arena *arena,
                    struct advisor_result *out)
{
    const char *name;
    json_t *value;
    *out = (struct advisor_result){0};
    for (unsigned i = 0; i < METADATA_FIELDS; i++) {
        const char *key = metadata_name(i);
        value = json_object_get(json_object_get(job, "fields"), key);
        if (json_is_string(value))
            metadata_set(&out->metadata, i, text_from(json_string_value(value)),
                         copy(arena, json_object_get(
                                         json_object_get(job, "where"), key)),
                         arena);
    }
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
    return VERSIONS_CHANGED;
}

static json_t *string(const char *s)
{
    json_t *value = json_string(s);
    return value ? value : json_string("");
}

static json_t *metadata_fields_of(const struct metadata *metadata, bool where)
{
    json_t *object = json_object();
    for (unsigned i = 0; i < METADATA_FIELDS; i++) {
        const struct metadata_value *value = &metadata->fields[i];
        if (value->text)
            json_object_set_new(object, metadata_name(i),
                                string(where ? value->where : value->text));
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
    json_object_set_new(job, "fields", metadata_fields_of(metadata, false));
    json_object_set_new(job, "where", metadata_fields_of(metadata, true));
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
