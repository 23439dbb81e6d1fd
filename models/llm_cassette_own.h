/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A recording from inside, for the two files that read it and add to it. */
#ifndef MODELS_LLM_CASSETTE_OWN_H
#define MODELS_LLM_CASSETTE_OWN_H

#include <jansson.h>
#include <sys/types.h>

#include "models/llm_cassette.h"

struct cassette {
    char *path;
    struct interner keys;
    json_t **records; /* by symbol of the key */
    size_t cap;
    off_t whole;       /* bytes up to the end of the last whole line */
    off_t size;        /* as it was read */
    bool cut, unended; /* what is behind it: half a record; a whole one */
    bool writable;
};

/* A record that keeps to the form, under its key, in place of what was there;
 * takes the reference. */
void cassette_keep(struct cassette *cassette, json_t *record);

/* "FILE: cannot WHAT: " and what errno says. */
enum status cassette_cannot(const struct cassette *cassette, const char *what,
                            struct error *err);

#endif
