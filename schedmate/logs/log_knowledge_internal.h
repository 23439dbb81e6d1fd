/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Declarations that the files which implement log_knowledge.h share. */
#ifndef SCHEDMATE_LOGS_LOG_KNOWLEDGE_INTERNAL_H
#define SCHEDMATE_LOGS_LOG_KNOWLEDGE_INTERNAL_H

#include <stddef.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/text.h"
#include "schedmate/logs/log_knowledge.h"

/* A file of schedmate/logs/knowledge, which counts in the digest once a site
 * adds a file. log_knowledge_parts ends with a row of zeroes. */
struct log_knowledge_part {
    const char *name, *json;
    size_t len;
};
extern const struct log_knowledge_part log_knowledge_parts[];

/* The rows of these files, which embed_tables.py writes into C. The names of
 * the files are those of log_knowledge_parts; the rows point at them. */
struct log_knowledge_tables {
    const char *const *files;
    const struct log_reason *reasons;
    const struct log_signature *signatures; /* each `reason` is in `reasons` */
    size_t n_files, n_reasons, n_signatures;
    struct log_action actions[N_ACTIONS];
    char digest[DIGEST_HEX_MAX];
};
extern const struct log_knowledge_tables log_knowledge_built_in;

/* Finds the beginnings of all texts of all signatures in one pass over a line
 * (Aho and Corasick, 1975). Letters of both cases are one class. State 0 is the
 * start. */
struct log_automaton {
    uint8_t class_of[256]; /* 0: a byte that no text has */
    unsigned n_classes;
    uint16_t *next; /* next state, at state * n_classes + class */
    /* by state: nearest state by suffix links that ends a text; 0: none */
    uint16_t *shown;
    uint32_t *first; /* by state: 1 + index into `hits`; 0: ends no text */
    struct log_hit {
        /* next: 1 + index of the next hit of the same state; 0: this is the
         * last */
        uint32_t signature, next;
    } * hits;
    size_t n_states, n_hits;
};

struct log_knowledge {
    struct arena arena;
    struct log_reason **reasons;
    /* the signatures that no later file has replaced */
    struct log_signature **signatures;
    size_t n_reasons, cap_reasons, n_signatures, cap_signatures;
    const char **files;
    size_t n_files, cap_files, n_built_in;
    struct log_action actions[N_ACTIONS];
    /* digest of the files so far; NULL: no file was added, or `digest` has
     * it */
    struct digest *content;
    char digest[DIGEST_HEX_MAX];
    struct log_automaton automaton;
};

/* Returns knowledge without rows, to which files can be added. */
struct log_knowledge *log_knowledge_empty(void);

/* Makes the automaton of the signatures. Returns STATUS_BAD_INPUT if there are
 * too many or their texts are too long together. */
enum status log_automaton_make(struct log_automaton *a,
                               struct log_signature *const *signatures,
                               size_t n, struct error *err) MUST_USE;
void log_automaton_fini(struct log_automaton *a);

/* The weights of log_weights.json, which embed_tables.py writes into C. The
 * file also says on how many files and lines they were trained, by which
 * command, and with which accuracy in cross-validation. */
extern const struct log_weights log_weights_built_in;

/* Reads `table` = {"weights": {key: {"scale": x, "int8": "digits"}, ...}}. Each
 * of `keys`, which end with NULL, has a row of n signed bytes as hexadecimal
 * digits, which are multiplied by the row's scale. Writes the rows into `rows`
 * one after another. Returns STATUS_BAD_INPUT if the table is not valid; `name`
 * is used in messages. */
enum status log_table_read(const char *name, struct text table,
                           const char *const *keys, size_t n, float *rows,
                           struct error *err) MUST_USE;

#endif
