/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A labelled log corpus: a directory with the logs and index.jsonl, which has
 * one object per log. bench/README.md describes the fields. */
#ifndef BENCH_LOG_CORPUS_H
#define BENCH_LOG_CORPUS_H

#include "models/logs/schedmate_handler.h"

struct corpus_line {
    struct text text;
    uint32_t template; /* number of its normalised text within its file */
    /* enum log_class; lines of class LOG_BLANK are left out */
    uint8_t label;
    struct log_context context;
};

struct corpus_file {
    const char *name, *source; /* `source` is the repository, or the name of the
                                  file itself */
    struct corpus_line *lines;
    uint32_t n_lines, n_templates;
    uint32_t fold;
    struct text text; /* the whole file */
    bool failed;
    enum failure_kind kind;
    struct text window; /* lines around the first error, or empty */
    size_t error_at;    /* offset of the first error in the window */
};

struct corpus {
    struct arena arena;
    struct corpus_file *files;
    size_t n_files, cap_files;
};

/* Reads a corpus and divides it into folds. Files of one source are in one
 * fold. Sources go, largest first, to the fold that has the fewest templates.
 * Call corpus_fini even if this fails. */
enum status corpus_read(const char *dir, uint32_t n_folds, struct corpus *out,
                        struct error *err) MUST_USE;
void corpus_fini(struct corpus *corpus);

#endif
