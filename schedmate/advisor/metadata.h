/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a job trains, as SchedMate's Scheduling Advisor records it (SchedMate,
 * section 4.1 and figure 6): a few fields that each job has, some that many
 * jobs have, and further pairs that distinguish this job from others. Fields
 * are never compared one by one: all fields together form one text, and texts
 * are compared by their embeddings. */
#ifndef MODELS_METADATA_H
#define MODELS_METADATA_H

#include <stdbool.h>

#include "base/out.h"

enum metadata_field {
    METADATA_MODEL_NAME,
    METADATA_TASK_TYPE,
    METADATA_DATASET_NAME,
    METADATA_BATCH_SIZE,
    METADATA_FRAMEWORK,
    METADATA_MODEL_TYPE,
    METADATA_DATASET_SIZE,
    METADATA_AUGMENTATION,
    METADATA_DISTRIBUTED,
    METADATA_HARDWARE,
    METADATA_PROCESSES,
    METADATA_GPUS,
    METADATA_NODES,
    METADATA_GPUS_PER_NODE,
    METADATA_EPOCHS,
    METADATA_MAX_STEPS,
    METADATA_LEARNING_RATE,
    METADATA_OPTIMIZER,
    METADATA_GRADIENT_ACCUMULATION,
    METADATA_SEQUENCE_LENGTH,
    METADATA_PRECISION,
    METADATA_BATCH_UNIT,
    METADATA_GLOBAL_BATCH_SIZE,
    METADATA_ACTING_LEARNING_RATE,
    METADATA_TRAIN_TOKENS,
    METADATA_INPUT_SIZE,
    METADATA_PARAMETERS,
    METADATA_FIELDS
};
#define METADATA_OTHER_MAX 24
#define METADATA_VALUE_MAX 200 /* bytes; a longer value is cut */

struct metadata_value {
    const char *text; /* the value; NULL: unknown */
    /* where the value was found, such as "train.py:12" or "command" */
    const char *where;
    /* What stands there, if a language model named the value; NULL: the rules
     * found it. */
    const char *quote;
    /* How sure the quote makes the value, 0 to 1 (answer.h); 0 without
     * a quote. */
    double evidence;
};
struct metadata_pair {
    const char *key, *value;
};

/* Keys and values lie in the arena of the call that sets them; `where` is the
 * pointer that the caller gave. */
struct metadata {
    struct metadata_value fields[METADATA_FIELDS];
    struct metadata_pair other[METADATA_OTHER_MAX]; /* ordered by key */
    size_t n_other;
    /* Words of the launch command (launch_raw), which are part of the text of a
     * job about which little is known; or NULL. */
    const char *command;
};

/* Coverage below which little is known about a job: the text of the job then
 * has the words of its command, and its similarity to other jobs is not
 * trusted. */
#define METADATA_LITTLE 0.5

const char *metadata_name(enum metadata_field field);
/* Returns what the value of a field means, in the words that a model is told;
 * NULL: the name says it. */
const char *metadata_help(enum metadata_field field);
bool metadata_is_number(enum metadata_field field);
/* Returns the field of this name, METADATA_FIELDS if there is none. */
enum metadata_field metadata_field_of(struct text name);

/* True if the value can be one of this field: a number in its range, whole for
 * a count; no path for an optimizer, no call or file for a model. */
bool metadata_can_be(enum metadata_field field, struct text value);

/* Sets a field to `value`, which is trimmed, made one line and cut to
 * METADATA_VALUE_MAX. Does nothing if the value is empty, "unknown", "none" or
 * the like, or cannot be one of the field. Keeps the pointer `where`. */
void metadata_set(struct metadata *metadata, enum metadata_field field,
                  struct text value, const char *where, struct arena *arena);
/* Adds a pair and keeps the pairs sorted. Does nothing if there is a pair with
 * this key, if there are METADATA_OTHER_MAX pairs, if the key is longer than 64
 * bytes or has other characters than letters, digits, '_', '-' and '.', or if
 * the value is empty, "unknown" or the like. */
void metadata_add(struct metadata *metadata, struct text key, struct text value,
                  struct arena *arena);

/* Returns the weighted share of known fields among those that distinguish jobs,
 * 0 to 1. Weights: model 3; dataset, batch size, and the length of the training
 * (epochs or steps) 2 each; task, framework, learning rate, optimizer and GPUs
 * (or processes) 1 each; 14 in all. */
double metadata_coverage(const struct metadata *metadata);

/* Writes "model_name=resnet50 task_type=image_classification ...", with each
 * blank in a value replaced by '_'. The text is not raw JSON, because the
 * common keys of JSON make different jobs look alike. If the coverage is below
 * METADATA_LITTLE, "command=" and the words of the command follow. */
void metadata_text(const struct metadata *metadata, struct out *out);

/* Merges n answers, n > 0, by vote. Each field gets its most frequent value,
 * whatever the case of letters; among equally frequent values, the first. A
 * pair is kept if more than half of the answers have it. *agreement: mean share
 * of votes for the chosen value, over the fields that at least one of the n
 * answers has; 0 if there is no such field. */
void metadata_vote(const struct metadata *all, size_t n, struct arena *arena,
                   struct metadata *out, double *agreement);

#endif
