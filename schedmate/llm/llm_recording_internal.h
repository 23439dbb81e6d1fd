/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The inside of a recording, for llm_recording.c, which reads it,
 * llm_recording.c, which adds to it, and their tests. */
#ifndef MODELS_LLM_RECORDING_INTERNAL_H
#define MODELS_LLM_RECORDING_INTERNAL_H

#include <jansson.h>
#include <sys/types.h>

#include "schedmate/llm/llm_recording.h"

struct recording {
    char *path;
    struct interner keys;
    json_t **records; /* indexed by the symbol of the key */
    size_t cap;
    off_t whole; /* number of bytes up to the end of the last whole line */
    off_t size;  /* size of the file when it was read, bytes */
    /* true if the file ends with a part of a record, after `whole` */
    bool cut;
    bool unended; /* true if the last record is whole but has no newline */
    bool writable;
};

/* Reads a recording from memory instead of a file; `name` is used in messages.
 * Nothing can be added to this recording. Damage is reported as by
 * recording_open. The caller owns *out. */
enum status recording_read(const char *name, struct text text,
                           struct recording **out, struct error *err) MUST_USE;

#endif
