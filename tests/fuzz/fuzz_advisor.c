/* SPDX-License-Identifier: GPL-3.0-or-later */
/* libFuzzer target: reads any bytes as a Python source, as a configuration file
 * of each kind, as a launch command, as each file that a launch may start, as a
 * notebook and as metadata. All settings that are found must have a key and a
 * value. */
#include <string.h>

#include "base/check.h"
#include "schedmate/advisor/advisor_internal.h"
#include "schedmate/advisor/answer.h"
#include "schedmate/advisor/clues.h"
#include "schedmate/advisor/launch_internal.h"
#include "schedmate/advisor/metadata.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_settings(const struct settings *settings)
{
    for (size_t i = 0; i < settings->n; i++) {
        CHECK(settings->at[i].key && settings->at[i].value[0]);
        CHECK(settings->at[i].where[0]);
    }
}

static void try_sources(struct text text, struct arena *arena)
{
    static const char *const names[] = {"a.py", "a.json", "a.yaml", "a.toml"};
    struct settings settings;
    struct text module;
    size_t at = 0;
    struct text code = py_strip(text, arena);
    CHECK(code.len == text.len);
    while (py_next_import(code, &at, &module))
        CHECK(module.len > 0);
    settings_init(&settings, arena);
    py_settings(code, "a.py", false, &settings);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        conf_settings(text, names[i], &settings);
    settings_resolve(&settings);
    check_settings(&settings);
    settings_fini(&settings);
}

/* Reads the input for any path: all files have this text. */
static bool read_any(void *self, const char *dir, const char *path,
                     const char **found, struct text *out)
{
    (void)dir;
    *found = path;
    *out = *(const struct text *)self;
    return true;
}

static void try_command(struct text text, const struct launch_files *files,
                        struct arena *arena)
{
    struct launch launch;
    struct settings settings;
    settings_init(&settings, arena);
    if (launch_find(text, files, arena, &launch)) {
        CHECK(launch.script || launch.module || launch.program);
        CHECK(launch.where);
        launch_settings(&launch, "command", 0, &settings);
    }
    check_settings(&settings);
    settings_fini(&settings);
    CHECK(launch_raw(text, arena));
}

static void try_metadata(struct text text, struct arena *arena)
{
    struct metadata metadata = {0};
    struct text rest, key = text_split(text, '=', &rest);
    metadata_set(&metadata, METADATA_MODEL_NAME, text, "x", arena);
    metadata_add(&metadata, key, rest, arena);
    const char *value = metadata.fields[METADATA_MODEL_NAME].text;
    CHECK(!value ||
          (strlen(value) <= METADATA_VALUE_MAX && !strchr(value, '\n')));
    struct error err;
    struct clues *clues = clues_new();
    if (clues_add(clues, "x.json", text, &err) != STATUS_OK)
        CHECK(*err.message);
    clue_task(clues, text);
    clue_model_type(clues, text);
    clue_dataset(clues, text);
    clue_dataset_in_code(clues, text);
    clue_optimizer_in_code(clues, text);
    clues_free(clues);
}

static bool read_fuzz(void *self, const char *path, struct arena *arena,
                      struct text *out, bool *cut, char why[WORKSPACE_WHY_MAX])
{
    (void)path;
    (void)arena;
    (void)why;
    *cut = false;
    *out = *(const struct text *)self;
    return true;
}

static void note_nothing(void *self, const char *path)
{
    (void)self;
    (void)path;
}

/* The input is each file, each request, the command and each line of an answer
 * about them. */
static void try_answer(struct text text, struct arena *arena)
{
    static const struct workspace_file files[] = {
        {"a.py", 20000}, {"b/c.yaml", 1}, {"b/n.ipynb", 1}, {"t.md", 1}};
    const struct workspace workspace = {
        .self = &text, .files = files, .n_files = 4, .read = read_fuzz};
    struct look look = {
        .workspace = &workspace, .arena = arena, .shown = note_nothing};
    struct out *out = out_to_memory();
    const char *lines[8];
    size_t n = 0;
    look_add_first(&look, files[0].path);
    for (size_t i = 0; i < 4; i++)
        look_at_first(&look, files[i].path, 2000, out);
    for (struct text rest = text; rest.len && n < 8;) {
        struct text line = text_split(rest, '\n', &rest);
        lines[n] = arena_copy(arena, line.at, line.len);
        look_request(&look, lines[n++], 2000, out);
    }
    CHECK(out_memory(out).len < (1 << 20));
    out_abandon(out);
    struct model_answer answer;
    struct metadata rules = {0}, merged;
    answer_read(&look, n ? lines[0] : "", lines, n, &answer);
    answer_keep(&look, "x", &answer.metadata, &answer);
    const struct llm_trust measured = {0};
    answer_merge(&answer, &rules, 1, &measured, arena, &merged);
    for (unsigned i = 0; i < METADATA_FIELDS; i++) {
        CHECK(!merged.fields[i].text ||
              (merged.fields[i].where && merged.fields[i].quote));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena arena;
    arena_init(&arena);
    struct text text = {arena_copy(&arena, (const char *)data, size), size};
    try_sources(text, &arena);
    const struct launch_files files = {&text, read_any};
    try_command(text, NULL, &arena);
    try_command(text_from("bash x.sh a b"), &files, &arena);
    try_command(text_from("make train"), &files, &arena);
    try_command(text_from("just train"), &files, &arena);
    try_command(text_from("train x"), &files, &arena);
    notebook_code(text, &arena);
    try_metadata(text, &arena);
    try_answer(text, &arena);
    arena_fini(&arena);
    return 0;
}
