/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A labelled log corpus: a directory with logs and with index.jsonl, which has
 * one object per log. bench/README.md describes the fields. */
#ifndef BENCH_LOG_CORPUS_H
#define BENCH_LOG_CORPUS_H

#include "base/arena.h"
#include "schedmate/logs/log_classifier.h"

struct corpus_line {
    struct text text;
    /* Number of the line's normalised text within its file. */
    uint32_t template;
    /* An enum log_class. Blank lines and lines without a label are left out. */
    uint8_t label;
    struct log_context context;
};

struct corpus_file {
    /* source: the repository that the log is from; the name of the file if the
     * index names none. */
    const char *name, *source;
    struct corpus_line *lines;
    uint32_t n_lines, n_templates;
    uint32_t fold;
};

struct corpus {
    struct arena arena;
    struct corpus_file *files;
    size_t n_files, cap_files;
};

/* Reads a corpus and divides its files into folds. All files of one source are
 * in the same fold. The sources are assigned from the largest to the smallest,
 * each to the fold with the fewest templates. Returns STATUS_BAD_INPUT if a
 * file cannot be read or a row of the index is not valid. The caller must call
 * corpus_fini, also after an error. */
enum status corpus_read(const char *dir, uint32_t n_folds, struct corpus *out,
                        struct error *err) MUST_USE;
void corpus_fini(struct corpus *corpus);

#endif
