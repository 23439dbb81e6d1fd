/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/results/provenance.h"

#include <csv.h>
#include <gnu/libc-version.h>
#include <gsl/gsl_version.h>
#include <jansson.h>
#include <limits.h>
#include <openssl/crypto.h>
#include <schedsim_commit.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "base/library.h"

static const char *given(const struct provenance *p, const char *name)
{
    for (size_t i = 0; i < p->n_options; i++) {
        if (strcmp(p->options[i].name, name) == 0)
            return p->options[i].text;
    }
    return NULL;
}

void provenance_selection(struct json_stream *js, const struct provenance *p)
{
    static const char *const names[] = {"vc", "from", "to", "jobs"};
    json_stream_object(js, "selection");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *text = given(p, names[i]);
        if (text)
            json_stream_text(js, names[i], text);
    }
    json_stream_object_end(js);
}

static void options(struct json_stream *js, const struct provenance *p)
{
    json_stream_object(js, "options");
    json_stream_text(js, "trace", p->trace);
    for (size_t i = 0; i < p->n_options; i++)
        json_stream_text(js, p->options[i].name, p->options[i].text);
    json_stream_object_end(js);
}

/* Writes the crop of the timeline as typed, so that `rerun` repeats it. */
static void timeline(struct json_stream *js, const struct timeline_wish *wish)
{
    if (!wish || !(wish->from || wish->to || wish->n_vcs))
        return;
    json_stream_object(js, "timeline");
    if (wish->from)
        json_stream_text(js, "from", wish->from);
    if (wish->to)
        json_stream_text(js, "to", wish->to);
    json_stream_array(js, "vcs");
    for (size_t i = 0; i < wish->n_vcs; i++)
        json_stream_text(js, NULL, wish->vcs[i]);
    json_stream_array_end(js);
    json_stream_object_end(js);
}

static void files(struct json_stream *js, const struct run_result *run)
{
    json_stream_array(js, "files");
    for (size_t i = 0; i < run->n_files; i++) {
        const struct run_file *file = &run->files[i];
        json_stream_object(js, NULL);
        json_stream_text(js, "what", file->what);
        json_stream_text(js, "path", file->path);
        json_stream_text(js, "sha256", file->sha256);
        json_stream_object_end(js);
    }
    json_stream_array_end(js);
}

static void model(struct json_stream *js, const struct provenance_model *m)
{
    if (!m->backend)
        return;
    json_stream_object(js, "language_model");
    json_stream_text(js, "backend", m->backend);
    json_stream_whole(js, "asked", (int64_t)m->asked);
    json_stream_whole(js, "hits", (int64_t)m->hits);
    json_stream_whole(js, "served", (int64_t)m->served);
    json_stream_whole(js, "misses", (int64_t)m->misses);
    json_stream_object_end(js);
}

static void numbers_text(void *function, char text[32])
{
    int v[3];
    ((void (*)(int *, int *, int *))function)(&v[0], &v[1], &v[2]);
    snprintf(text, 32, "%d.%d.%d", v[0], v[1], v[2]);
}

static void glpk_text(void *function, char text[32])
{
    snprintf(text, 32, "%s", ((const char *(*)(void))function)());
}

/* Libraries that are loaded on demand. The manifest lists only those that this
 * run has loaded. */
static const struct {
    const char *name, *files[3], *function;
    void (*text)(void *function, char text[32]);
} loaded[] = {
    {.name = "glpk",
     .files = {"libglpk.so.40", "libglpk.so"},
     .function = "glp_version",
     .text = glpk_text},
    {.name = "nlopt",
     .files = {"libnlopt.so.0", "libnlopt.so"},
     .function = "nlopt_version",
     .text = numbers_text},
    {.name = "xgboost",
     .files = {"libxgboost.so.0", "libxgboost.so"},
     .function = "XGBoostVersion",
     .text = numbers_text},
};

#define TEXT_OF(number) #number
#define NUMBERS(major, minor, release) \
    TEXT_OF(major) "." TEXT_OF(minor) "." TEXT_OF(release)

static void libraries(struct json_stream *js)
{
    json_stream_object(js, "libraries");
    json_stream_text(js, "glibc", gnu_get_libc_version());
    json_stream_text(js, "gsl", gsl_version);
    json_stream_text(js, "jansson", jansson_version_str());
    json_stream_text(js, "libcsv", NUMBERS(CSV_MAJOR, CSV_MINOR, CSV_RELEASE));
    json_stream_text(js, "openssl", OpenSSL_version(OPENSSL_VERSION_STRING));
    json_stream_text(js, "zlib", zlibVersion());
    json_stream_text(js, "zstd", ZSTD_versionString());
    for (size_t i = 0; i < sizeof loaded / sizeof *loaded; i++) {
        char text[32];
        void *function = library_loaded(loaded[i].files, loaded[i].function);
        if (!function)
            continue;
        loaded[i].text(function, text);
        json_stream_text(js, loaded[i].name, text);
    }
    json_stream_object_end(js);
}

const char *provenance_commit(void)
{
    return SCHEDSIM_COMMIT;
}

void provenance_write(struct json_stream *js, const struct provenance *p,
                      const struct run_result *run)
{
    char directory[PATH_MAX];
    json_stream_object(js, "provenance");
    json_stream_array(js, "arguments");
    for (int i = 0; i < p->argc; i++)
        json_stream_text(js, NULL, p->argv[i]);
    json_stream_array_end(js);
    if (getcwd(directory, sizeof directory))
        json_stream_text(js, "directory", directory);
    options(js, p);
    timeline(js, p->timeline);
    files(js, run);
    model(js, &p->model);
    json_stream_text(js, "commit", provenance_commit());
#ifdef __clang__
    json_stream_text(js, "compiler", "clang " __clang_version__);
#else
    json_stream_text(js, "compiler", "gcc " __VERSION__);
#endif
    libraries(js);
    json_stream_object_end(js);
}

const char *provenance_version(void)
{
    return SCHEDSIM_VERSION " " SCHEDSIM_COMMIT;
}

size_t provenance_start(struct text manifest)
{
    static const char key[] = ",\n  \"provenance\": {";
    const char *at = memmem(manifest.at, manifest.len, key, strlen(key));
    return at ? (size_t)(at - manifest.at) : manifest.len;
}
