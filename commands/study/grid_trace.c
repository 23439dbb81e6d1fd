/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads the traces of a grid: files, windows of a file, resampled and generated
 * replications. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands/study/sweep_internal.h"
#include "traces/shelf.h"
#include "traces/trace.h"

enum { SEEDS_MAX = 100000, GRID_TRACE_WORDS_MAX = 64 };

/* Keys of an entry that are not options of the command that makes the trace. */
static const char *const own_keys[] = {"resample", "generate", "seeds",
                                       "options"};

/* The maker and the seed of a replication. */
struct recipe {
    struct made_trace *maker;
    uint64_t seed;
};

static enum status trace_make(void *self, struct out *bytes, struct error *err)
{
    const struct recipe *recipe = self;
    return made_trace_write(recipe->maker, recipe->seed, bytes, err);
}

static struct grid_trace *add_trace(struct grid *grid,
                                    struct grid_traces *traces)
{
    traces->at =
        mem_grow(traces->at, &traces->cap, traces->n + 1, sizeof *traces->at);
    struct grid_trace *trace = ARENA_NEW(&grid->arena, struct grid_trace);
    traces->at[traces->n++] = trace;
    return trace;
}

static enum status bad_trace(const struct grid *grid, struct error *err)
{
    return grid_refuse(
        grid, "trace", err,
        "trace: expected a file, {\"resample\": FILE, \"seeds\": N}, "
        "{\"generate\": CLUSTER, \"seeds\": N} or {\"windows\": FILE, "
        "\"length\": \"30d\", \"n\": N or \"step\": \"15d\"}");
}

/* Turns a member of an entry into an option, such as "--joint" or "--jobs=500",
 * and adds it to `words`. Adds nothing for false and null. */
static enum status trace_add_word(struct grid *grid, const char *key,
                                  const json_t *value, const char **words,
                                  size_t *n, struct error *err)
{
    char word[1024];
    const char *text = grid_value_text(grid, value);
    if (json_is_false(value) || json_is_null(value))
        return STATUS_OK;
    if (!text && !json_is_true(value))
        return grid_refuse(grid, key, err,
                           "%.100s: expected text, a number, true or false",
                           key);
    if (*n == GRID_TRACE_WORDS_MAX)
        return grid_refuse(grid, key, err, "more than %d options",
                           GRID_TRACE_WORDS_MAX);
    snprintf(word, sizeof word, "--%.200s%s%.800s", key, text ? "=" : "",
             text ? text : "");
    for (char *c = word; *c && *c != '='; c++)
        *c = *c == '_' ? '-' : *c;
    words[(*n)++] = arena_copy(&grid->arena, word, strlen(word));
    return STATUS_OK;
}

static bool trace_is_own(const char *key)
{
    for (size_t i = 0; i < sizeof own_keys / sizeof *own_keys; i++) {
        if (strcmp(own_keys[i], key) == 0)
            return true;
    }
    return false;
}

/* Reads the options of an entry: "options", a list of words, and all members
 * that are not among own_keys. */
static enum status trace_read_words(struct grid *grid, const json_t *entry,
                                    const char *words[GRID_TRACE_WORDS_MAX],
                                    size_t *n, struct error *err)
{
    const json_t *list = json_object_get(entry, "options");
    const char *key;
    json_t *value;
    enum status st = STATUS_OK;
    if (list && !json_is_array(list))
        return grid_refuse(grid, "options", err,
                           "options: expected a list of texts, such as "
                           "[\"--joint\"]");
    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *word = json_string_value(json_array_get(list, i));
        if (!word || *n == GRID_TRACE_WORDS_MAX)
            return grid_refuse(grid, "options", err,
                               "options: expected at most %d texts, such as "
                               "[\"--joint\"]",
                               GRID_TRACE_WORDS_MAX);
        words[(*n)++] = arena_copy(&grid->arena, word, strlen(word));
    }
    json_object_foreach((json_t *)(uintptr_t)entry, key, value)
    {
        if (st == STATUS_OK && !trace_is_own(key))
            st = trace_add_word(grid, key, value, words, n, err);
    }
    return st;
}

/* Reads "seeds": the number of seeds, which then count from 1, or a list of
 * them. Sets *out to an array in the arena. */
static enum status trace_read_seeds(struct grid *grid, const json_t *entry,
                                    uint64_t **out, size_t *n,
                                    struct error *err)
{
    const json_t *seeds = json_object_get(entry, "seeds");
    const json_int_t count = json_integer_value(seeds);
    const bool is_list = json_is_array(seeds);
    if (is_list ? json_array_size(seeds) == 0
                : !json_is_integer(seeds) || count < 1 || count > SEEDS_MAX)
        return grid_refuse(grid, "seeds", err,
                           "seeds: expected a number from 1 to %d, or a list "
                           "of seeds",
                           SEEDS_MAX);
    *n = is_list ? json_array_size(seeds) : (size_t)count;
    *out = ARENA_ARRAY(&grid->arena, uint64_t, *n);
    for (size_t i = 0; i < *n; i++) {
        const json_t *seed = is_list ? json_array_get(seeds, i) : NULL;
        if (seed && (!json_is_integer(seed) || json_integer_value(seed) < 0))
            return grid_refuse(grid, "seeds", err,
                               "seeds: element %zu is not a whole number, at "
                               "least 0",
                               i + 1);
        (*out)[i] = seed ? (uint64_t)json_integer_value(seed) : i + 1;
        for (size_t k = 0; k < i && seed; k++) {
            if ((*out)[k] == (*out)[i])
                return grid_refuse(grid, "seeds", err,
                                   "seeds: %" PRIu64 " is there twice",
                                   (*out)[i]);
        }
    }
    return STATUS_OK;
}

static const char *trace_join(struct grid *grid, const char *first,
                              const char *const *words, size_t n)
{
    struct out *out = out_to_memory();
    out_text(out, first);
    for (size_t i = 0; i < n; i++) {
        out_char(out, ' ');
        out_text(out, words[i]);
    }
    struct text text = out_memory(out);
    const char *joined = arena_copy(&grid->arena, text.at, text.len);
    out_abandon(out);
    return joined;
}

/* Names a replication and registers it on the shelf under this name. */
static void name_trace(struct grid *grid, struct grid_trace *trace,
                       struct shelf *shelf)
{
    char seed[32];
    struct recipe *recipe = ARENA_NEW(&grid->arena, struct recipe);
    *recipe = (struct recipe){trace->maker, trace->replication};
    snprintf(seed, sizeof seed, "seed %" PRIu64 ")", trace->replication);
    const char *words[] = {"(made by", trace->made, seed};
    trace->name = trace_join(grid, trace->source, words, 3);
    shelf_add(shelf, trace->name, (struct shelf_maker){trace_make, recipe});
}

static enum status read_made(struct grid *grid, const json_t *entry,
                             enum made_kind kind, struct shelf *shelf,
                             struct grid_traces *out, struct error *err)
{
    const char *command = kind == MADE_RESAMPLED ? "resample" : "generate";
    const char *source = json_string_value(json_object_get(entry, command));
    const char *words[GRID_TRACE_WORDS_MAX];
    struct made_trace *maker;
    uint64_t *seeds = NULL;
    size_t n_words = 0, n_seeds = 0;
    if (!source)
        return bad_trace(grid, err);
    enum status st = trace_read_words(grid, entry, words, &n_words, err);
    if (st == STATUS_OK)
        st = trace_read_seeds(grid, entry, &seeds, &n_seeds, err);
    if (st != STATUS_OK)
        return st;
    st = made_trace_open(kind, source, words, n_words, &maker, err);
    if (st != STATUS_OK) {
        char message[900];
        snprintf(message, sizeof message, "%.890s", err->message);
        return grid_refuse(grid, command, err, "%s", message);
    }
    grid->makers = mem_grow(grid->makers, &grid->cap_makers, grid->n_makers + 1,
                            sizeof *grid->makers);
    grid->makers[grid->n_makers++] = maker;
    source = arena_copy(&grid->arena, source, strlen(source));
    const char *made = trace_join(grid, command, words, n_words);
    for (size_t i = 0; i < n_seeds; i++) {
        struct grid_trace *trace = add_trace(grid, out);
        *trace = (struct grid_trace){.source = source,
                                     .made = made,
                                     .maker = maker,
                                     .is_file = kind == MADE_RESAMPLED,
                                     .is_replication = true,
                                     .replication = seeds[i]};
        name_trace(grid, trace, shelf);
    }
    return STATUS_OK;
}

struct windows {
    const char *path, *length_text;
    sim_span length, step; /* step 0: `n` windows at equal distances */
    json_int_t n;          /* number of windows; 0: as many as fit */
};

static enum status trace_read_span(struct grid *grid, const json_t *entry,
                                   const char *key, sim_span *out,
                                   const char **text, struct error *err)
{
    const char *value = grid_value_text(grid, json_object_get(entry, key));
    if (!value || !text_to_duration(text_from(value), out) ||
        *out < SPAN_SECOND)
        return grid_refuse(grid, key, err,
                           "%s: expected a length of time of at least a "
                           "second, such as \"30d\"",
                           key);
    if (text)
        *text = value;
    return STATUS_OK;
}

/* Refuses members of an entry that windows do not have. */
static enum status check_window_keys(const struct grid *grid,
                                     const json_t *entry, struct error *err)
{
    static const char *const keys[] = {"windows", "length", "n", "step"};
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)entry, key, value)
    {
        bool known = false;
        for (size_t i = 0; i < 4; i++)
            known |= strcmp(keys[i], key) == 0;
        const char *near = known ? NULL : text_nearest(text_from(key), keys, 4);
        if (!known)
            return grid_refuse(grid, key, err, "no key '%.100s' of windows%s",
                               key, text_suggest(near).words);
    }
    return STATUS_OK;
}

static enum status read_window_keys(struct grid *grid, const json_t *entry,
                                    struct windows *w, struct error *err)
{
    enum status st = check_window_keys(grid, entry, err);
    if (st != STATUS_OK)
        return st;
    const json_t *n = json_object_get(entry, "n");
    const bool has_step = json_object_get(entry, "step") != NULL;
    w->path = grid_value_text(grid, json_object_get(entry, "windows"));
    w->n = json_integer_value(n);
    if (!w->path || strcmp(w->path, "-") == 0 || (n != NULL) == has_step)
        return bad_trace(grid, err);
    if (n && (!json_is_integer(n) || w->n < 1 || w->n > SEEDS_MAX))
        return grid_refuse(grid, "n", err, "n: expected 1 to %d windows",
                           SEEDS_MAX);
    st = trace_read_span(grid, entry, "length", &w->length, &w->length_text,
                         err);
    if (st == STATUS_OK && has_step)
        st = trace_read_span(grid, entry, "step", &w->step, NULL, err);
    return st;
}

static const char *seconds_text(struct grid *grid, sim_time at)
{
    struct out *out = out_to_memory();
    out_span(out, at);
    struct text text = out_memory(out);
    const char *copy = arena_copy(&grid->arena, text.at, text.len);
    out_abandon(out);
    return copy;
}

/* Cuts the trace from its first submission on into windows, which begin at
 * whole seconds and do not contain their end. */
static enum status trace_cut(struct grid *grid, struct windows *w,
                             sim_time first, sim_time last,
                             struct grid_traces *out, struct error *err)
{
    const sim_span room = last - first + SPAN_SECOND - w->length;
    if (room < 0)
        return grid_refuse(grid, "windows", err,
                           "windows: %.300s is shorter than a window of %s",
                           w->path, w->length_text);
    if (!w->step && w->n > 1)
        w->step = room / (w->n - 1) / SPAN_SECOND * SPAN_SECOND;
    if (!w->n)
        w->n = room / w->step + 1;
    if (w->n > 1 && w->step < SPAN_SECOND)
        return grid_refuse(grid, "n", err, "n: too many windows");
    if (w->n > SEEDS_MAX)
        return grid_refuse(grid, "step", err, "step: more than %d windows",
                           SEEDS_MAX);
    const char *words[] = {w->length_text};
    const char *made = trace_join(grid, "window of", words, 1);
    for (json_int_t i = 0; i < w->n; i++) {
        struct grid_trace *trace = add_trace(grid, out);
        const sim_time from = first / SPAN_SECOND * SPAN_SECOND + i * w->step;
        *trace =
            (struct grid_trace){.source = w->path,
                                .made = made,
                                .name = w->path,
                                .is_file = true,
                                .is_replication = true,
                                .replication = (uint64_t)i + 1,
                                .from = seconds_text(grid, from),
                                .to = seconds_text(grid, from + w->length - 1)};
    }
    return STATUS_OK;
}

static enum status read_windows(struct grid *grid, const json_t *entry,
                                struct shelf *shelf, struct grid_traces *out,
                                struct error *err)
{
    const struct load_options all = {.from = TRACE_NO_TIME,
                                     .to = TRACE_NO_TIME};
    struct windows w = {0};
    struct jobset jobs;
    enum status st = read_window_keys(grid, entry, &w, err);
    if (st == STATUS_OK)
        st = shelf_load(shelf, w.path, NULL, &all, &jobs, err);
    if (st != STATUS_OK)
        return st;
    sim_time first = jobs.first, last = jobs.last;
    jobset_fini(&jobs);
    return trace_cut(grid, &w, first, last, out, err);
}

enum status grid_trace_read(struct grid *grid, const json_t *entry,
                            struct shelf *shelf, struct grid_traces *out,
                            struct error *err)
{
    const char *path = json_string_value(entry);
    if (path && strcmp(path, "-") == 0)
        return grid_refuse(grid, "trace", err,
                           "trace: standard input cannot be read again when "
                           "the sweep is continued");
    if (path) {
        struct grid_trace *trace = add_trace(grid, out);
        path = arena_copy(&grid->arena, path, strlen(path));
        *trace = (struct grid_trace){
            .source = path, .made = "", .name = path, .is_file = true};
        return STATUS_OK;
    }
    const bool resamples = json_object_get(entry, "resample") != NULL;
    const bool generates = json_object_get(entry, "generate") != NULL;
    const bool cuts = json_object_get(entry, "windows") != NULL;
    if (!json_is_object(entry) || resamples + generates + cuts != 1)
        return bad_trace(grid, err);
    if (cuts)
        return read_windows(grid, entry, shelf, out, err);
    return read_made(grid, entry, resamples ? MADE_RESAMPLED : MADE_GENERATED,
                     shelf, out, err);
}
