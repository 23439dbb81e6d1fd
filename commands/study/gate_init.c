/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes the text of a first gate file, which expects no values yet. */
#include "commands/study/gate_internal.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "sim/results/difference.h"

/* Writes the absolute path of the directory in which `file` will lie; returns
 * false if there is no such directory. */
static bool directory_of(const char *file, char out[PATH_MAX])
{
    char copy[PATH_MAX];
    const char *slash = strrchr(file, '/');
    snprintf(copy, sizeof copy, "%.*s", slash ? (int)(slash - file) + 1 : 1,
             slash ? file : ".");
    return realpath(copy, out) != NULL;
}

/* Writes the path that leads from the absolute directory `from` to the absolute
 * path `to`. */
static void lead_to(const char *from, const char *to, struct out *out)
{
    size_t common = 0, i = 0;
    for (; from[i] && from[i] == to[i]; i++) {
        if (from[i] == '/')
            common = i + 1;
    }
    if (!from[i] && to[i] == '/')
        common = i + 1;
    else if (!from[i] && i == 1)
        common = 1; /* `from` is the root directory */
    const char *rest = common <= strlen(from) ? from + common : "";
    for (bool up = *rest != '\0'; up;) {
        out_text(out, "../");
        rest = strchr(rest, '/');
        up = rest != NULL;
        rest = up ? rest + 1 : rest;
    }
    out_text(out, to + common);
}

/* Writes one word of a value: as a path from `directory` if it is the relative
 * path of something that exists, else as it is. */
static void init_put_word(struct text word, const char *directory,
                          struct out *out)
{
    char path[PATH_MAX], whole[PATH_MAX], here[PATH_MAX];
    snprintf(path, sizeof path, "%.*s", (int)word.len, word.at);
    if (word.len && word.len < sizeof path && path[0] != '/' &&
        getcwd(here, sizeof here) && strcmp(here, directory) != 0 &&
        realpath(path, whole)) {
        /* Keep "./", because only a path with a slash names a shared object. */
        if (strncmp(path, "./", 2) == 0)
            out_text(out, "./");
        lead_to(directory, whole, out);
    } else {
        out_bytes(out, word.at, word.len);
    }
}

/* Writes a value as a JSON text. Paths in it, such as DIR in "tables=DIR",
 * become relative to the directory. */
static void init_put_value(const char *value, const char *directory,
                           struct out *out)
{
    struct out *words = out_to_memory();
    const char *at = value;
    if (access(value, F_OK) == 0) {
        init_put_word(text_from(value), directory, words);
        at += strlen(value);
    }
    while (*at) {
        size_t n = strcspn(at, ":=, ;");
        init_put_word((struct text){at, n}, directory, words);
        at += n;
        if (*at)
            out_char(words, *at++);
    }
    out_char(words, '\0');
    json_put_text(out, out_memory(words).at);
    out_abandon(words);
}

static enum status init_put_metric(const struct gate_first *first,
                                   const char *spec, struct out *out,
                                   struct error *err)
{
    struct gate gate;
    enum status st = gate_parse(spec, &gate, err);
    if (st != STATUS_OK)
        return st;
    out_text(out, "\n    {\"metric\": ");
    json_put_text(out, gate.name);
    out_text(out, ", \"tolerance\": \"");
    out_double(out, gate.own ? gate.tolerance : first->tolerance);
    out_printf(out, "%%\", \"better\": \"%s\"}",
               gate_better_words[gate.better]);
    return STATUS_OK;
}

static enum status put_metrics(const struct gate_first *first, struct out *out,
                               struct error *err)
{
    static const struct arg_list usual = {
        {"jct_s.mean", "jct_s.p99", "makespan_s"}, 3};
    const struct arg_list *all = first->metrics.n ? &first->metrics : &usual;
    enum status st = STATUS_OK;
    out_text(out, "  \"metrics\": [");
    for (size_t i = 0; i < all->n && st == STATUS_OK; i++) {
        out_text(out, i ? "," : "");
        st = init_put_metric(first, all->at[i], out, err);
    }
    out_text(out, "\n  ],\n");
    return st;
}

static void init_put_settings(const struct gate_first *first,
                              const char *directory, struct out *out)
{
    size_t n = 0;
    for (size_t i = 0; run_args[i].name; i++) {
        const char *value = first->options->given[i];
        if (!value || strcmp(run_args[i].name, "policy") == 0)
            continue;
        out_text(out, n++ ? ", " : "  \"settings\": {");
        json_put_text(out, run_args[i].name);
        out_text(out, ": ");
        init_put_value(value, directory, out);
    }
    if (n)
        out_text(out, "},\n");
}

static void put_policies(const struct gate_first *first, const char *directory,
                         struct out *out)
{
    out_text(out, "  \"policies\": [");
    for (size_t i = 0; i < first->policies.n; i++) {
        out_text(out, i ? ", " : "");
        init_put_value(first->policies.at[i], directory, out);
    }
    if (!first->policies.n)
        out_text(out, "\"fifo\"");
    out_text(out, "],\n");
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

/* Names trace i after its file, unless the file of another trace has that name.
 */
static void init_put_name(const struct arg_list *traces, size_t i,
                          struct out *out)
{
    const char *name = base_name(traces->at[i]);
    for (size_t k = 0; k < traces->n; k++) {
        if (k != i && strcmp(base_name(traces->at[k]), name) == 0)
            return;
    }
    out_text(out, ", \"name\": ");
    json_put_text(out, name);
}

enum status gate_init(const struct gate_first *first, struct out *out,
                      struct error *err)
{
    char directory[PATH_MAX];
    if (!directory_of(first->file, directory))
        return error_set(err, STATUS_USAGE, "%s: its directory does not exist",
                         first->file);
    out_text(out, "{\n  \"schedsim_gate\": 1,\n");
    enum status st = put_metrics(first, out, err);
    init_put_settings(first, directory, out);
    put_policies(first, directory, out);
    if (first->replications)
        out_printf(out, "  \"replications\": %u,\n", first->replications);
    out_text(out, "  \"traces\": [");
    for (size_t i = 0; i < first->traces.n; i++) {
        out_text(out, i ? ",\n    {\"trace\": " : "\n    {\"trace\": ");
        init_put_value(first->traces.at[i], directory, out);
        init_put_name(&first->traces, i, out);
        out_char(out, '}');
    }
    out_text(out, "\n  ],\n  \"inputs\": [],\n  \"expected\": [],\n"
                  "  \"updates\": []\n}\n");
    return st;
}
