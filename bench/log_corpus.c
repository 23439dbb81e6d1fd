/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bench/log_corpus.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "schedmate/logs/log_stream.h"
#include "tests/support/slurp.h"

/* Sets the number of each line's template and the marks of the two lines before
 * it. Lines with equal normalised texts have one template. */
static void number_lines(struct corpus_file *file)
{
    struct interner seen;
    struct log_context context = {0};
    interner_init(&seen);
    for (uint32_t i = 0; i < file->n_lines; i++) {
        struct corpus_line *line = &file->lines[i];
        char normal[NGRAM_LINE_MAX];
        struct text text = {normal, ngram_normalise(line->text, normal)};
        line->template = interner_add(&seen, text);
        line->context = context;
        context.marks[1] = context.marks[0];
        context.marks[0] = log_marks(line->text);
    }
    file->n_templates = (uint32_t)seen.n_strings;
    interner_fini(&seen);
}

static uint8_t class_of(const char *name)
{
    for (uint8_t k = 0; name && k <= LOG_CLASSES; k++) {
        if (text_is(text_from(name), log_class_names[k]))
            return k;
    }
    return UINT8_MAX;
}

/* Labels lines. `runs` is an array of [first line, last line, category]; lines
 * count from 1. Returns false if a run is malformed. */
static bool label_lines(const json_t *runs, uint8_t *labels, size_t n)
{
    size_t i;
    json_t *run;
    json_array_foreach(runs, i, run)
    {
        json_int_t from = json_integer_value(json_array_get(run, 0));
        json_int_t to = json_integer_value(json_array_get(run, 1));
        uint8_t class = class_of(json_string_value(json_array_get(run, 2)));
        if (from < 1 || to > (json_int_t)n || class == UINT8_MAX)
            return false;
        for (json_int_t k = from; k <= to; k++)
            labels[k - 1] = class;
    }
    return true;
}

static bool read_file(struct corpus *corpus, const char *dir, const json_t *row,
                      struct corpus_file *out)
{
    const char *name = json_string_value(json_object_get(row, "file"));
    const char *repo = json_string_value(
        json_object_get(json_object_get(row, "source"), "repo"));
    char path[4096];
    size_t len;
    if (!name)
        return false;
    snprintf(path, sizeof path, "%s/%s", dir, name);
    char *data = slurp(path, &len);
    if (!data)
        return false;
    char *kept = arena_copy(&corpus->arena, data, len);
    free(data);
    size_t n = (size_t)json_integer_value(json_object_get(row, "n_lines"));
    uint8_t *labels = arena_alloc(&corpus->arena, n + 1);
    for (size_t i = 0; i < n; i++)
        labels[i] = LOG_BLANK;
    *out = (struct corpus_file){
        .name = arena_copy(&corpus->arena, name, strlen(name)),
        .lines = ARENA_ARRAY(&corpus->arena, struct corpus_line, n + 1),
    };
    out->source =
        repo ? arena_copy(&corpus->arena, repo, strlen(repo)) : out->name;
    if (!label_lines(json_object_get(row, "labels"), labels, n))
        return false;
    struct text rest = {kept, len};
    for (size_t i = 0; i < n; i++) {
        struct text line = text_split(rest, '\n', &rest);
        if (labels[i] < LOG_BLANK && !log_is_blank(line))
            out->lines[out->n_lines++] =
                (struct corpus_line){.text = line, .label = labels[i]};
    }
    number_lines(out);
    return true;
}

/* Finds the source with the most templates among the sources without a fold; of
 * several such sources, the first. Sets *templates to their number. Returns the
 * index of the first file of the source; n_files if all sources have a fold. */
static size_t largest_left(const struct corpus *corpus, size_t *templates)
{
    size_t best = corpus->n_files;
    *templates = 0;
    for (size_t i = 0; i < corpus->n_files; i++) {
        size_t sum = 0;
        for (size_t k = 0; k < corpus->n_files; k++)
            sum += strcmp(corpus->files[k].source, corpus->files[i].source) == 0
                       ? corpus->files[k].n_templates
                       : 0;
        if (corpus->files[i].fold == UINT32_MAX &&
            (best == corpus->n_files || sum > *templates)) {
            best = i;
            *templates = sum;
        }
    }
    return best;
}

static void fold(struct corpus *corpus, uint32_t n_folds)
{
    size_t *load = ARENA_ARRAY(&corpus->arena, size_t, n_folds);
    size_t templates;
    for (size_t i = 0; i < corpus->n_files; i++)
        corpus->files[i].fold = UINT32_MAX;
    for (;;) {
        size_t first = largest_left(corpus, &templates);
        uint32_t least = 0;
        if (first == corpus->n_files)
            return;
        for (uint32_t f = 1; f < n_folds; f++)
            least = load[f] < load[least] ? f : least;
        load[least] += templates;
        for (size_t i = 0; i < corpus->n_files; i++) {
            if (strcmp(corpus->files[i].source, corpus->files[first].source) ==
                0)
                corpus->files[i].fold = least;
        }
    }
}

enum status corpus_read(const char *dir, uint32_t n_folds, struct corpus *out,
                        struct error *err)
{
    char path[4096];
    size_t len;
    enum status st = STATUS_OK;
    *out = (struct corpus){0};
    arena_init(&out->arena);
    snprintf(path, sizeof path, "%s/index.jsonl", dir);
    char *index = slurp(path, &len);
    if (!index)
        return error_set(err, STATUS_BAD_INPUT, "%s: cannot be read", path);
    struct text rest = {index, len};
    for (unsigned line = 1; rest.len && st == STATUS_OK; line++) {
        struct text row = text_split(rest, '\n', &rest);
        if (log_is_blank(row))
            continue;
        json_t *object = json_loadb(row.at, row.len, 0, NULL);
        out->files = mem_grow(out->files, &out->cap_files, out->n_files + 1,
                              sizeof *out->files);
        if (object && read_file(out, dir, object, &out->files[out->n_files]))
            out->n_files++;
        else
            st = error_set(err, STATUS_BAD_INPUT,
                           "%s:%u: expected a labelled file with its lines",
                           path, line);
        json_decref(object);
    }
    free(index);
    if (st == STATUS_OK)
        fold(out, n_folds);
    return st;
}

void corpus_fini(struct corpus *corpus)
{
    free(corpus->files);
    arena_fini(&corpus->arena);
}
