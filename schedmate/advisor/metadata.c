/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "schedmate/advisor/metadata.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/ascii.h"
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
