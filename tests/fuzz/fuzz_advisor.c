/* SPDX-License-Identifier: GPL-3.0-or-later */
/* libFuzzer target: reads any bytes as a Python source, as a configuration file
 * of each kind, as a launch command and as a shell script. All settings that
 * are found must have a key and a value. */
#include <string.h>

#include "models/advisor/advisor_clues.h"
#include "models/advisor/confscan.h"
#include "models/advisor/launch.h"
#include "models/advisor/metadata.h"
#include "models/advisor/py_text.h"
#include "models/advisor/pyscan.h"
#include "sim/base/check.h"

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

/* Reads the text as a script that `caller` starts; NULL: nothing does. */
static void try_script(struct text text, const struct launch *caller,
                       struct arena *arena)
{
    struct launch launch;
    size_t line;
    const char *inner = launch_in_script(text, caller, arena, &line);
    if (inner)
        CHECK(launch_read(text_from(inner), arena, &launch) && line > 0);
}

static void try_command(struct text text, struct arena *arena)
{
    struct launch launch;
    struct settings settings;
    settings_init(&settings, arena);
    if (launch_read(text, arena, &launch)) {
        CHECK(launch.script || launch.module);
        launch_settings(&launch, "command", 0, &settings);
        try_script(text, &launch, arena);
    }
    try_script(text, NULL, arena);
    check_settings(&settings);
    settings_fini(&settings);
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
    clue_task(text);
    clue_model_type(text);
    clue_dataset(text);
    clue_dataset_in_code(text);
    clue_optimizer_in_code(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena arena;
    arena_init(&arena);
    struct text text = {arena_copy(&arena, (const char *)data, size), size};
    try_sources(text, &arena);
    try_command(text, &arena);
    try_metadata(text, &arena);
    arena_fini(&arena);
    return 0;
}
