/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds and reads the configuration files of a job. */
#include <string.h>

#include "base/ascii.h"
#include "schedmate/advisor/advisor_gather_internal.h"
#include "schedmate/advisor/confscan.h"

enum {
    CONFIGS_MAX = 16, /* largest number of files that are read */
    NAME_BYTES = 200, /* names of this many bytes or more are not followed */
};

/* Configuration files, in the order in which they were read. */
struct configs {
    const char *paths[CONFIGS_MAX];
    struct text texts[CONFIGS_MAX];
    size_t n;
};

static bool is_source(const struct gather *gather, const char *path)
{
    for (size_t i = 0; i < gather->n_sources; i++) {
        if (strcmp(gather->sources[i].path, path) == 0)
            return true;
    }
    return false;
}

/* Reads the configuration file that the file `from` names (NULL: the command or
 * a source names it) and adds its settings. Does nothing if `name` is NULL or
 * not that of a configuration file of the project, or if the file or
 * CONFIGS_MAX others were read before. */
static void add_config(struct gather *gather, struct configs *configs,
                       const char *from, const char *name)
{
    struct text text;
    const char *path = name && conf_is_config(name)
                           ? gather_resolve(gather, from, name)
                           : NULL;
    for (size_t i = 0; path && i < configs->n; i++) {
        if (strcmp(configs->paths[i], path) == 0)
            return;
    }
    if (!path || configs->n == CONFIGS_MAX || is_source(gather, path) ||
        !gather_read(gather, path, &text))
        return;
    configs->texts[configs->n] = text;
    configs->paths[configs->n++] = path;
    conf_settings(text, path, &gather->settings);
}

/* Reads the files that are named after `_base_` or `_BASE_`, the key with which
 * a configuration of OpenMMLab or PaddlePaddle names the configurations that it
 * changes. A list of names may go on over several lines. */
static void add_bases(struct gather *gather, struct configs *configs,
                      size_t number)
{
    static const char *const keys[] = {"_base_", "_BASE_"};
    struct text rest = configs->texts[number];
    const char *hit = NULL;
    for (size_t i = 0; i < 2 && !hit && rest.at; i++)
        hit = memmem(rest.at, rest.len, keys[i], strlen(keys[i]));
    if (!hit)
        return;
    rest = text_skip(rest, (size_t)(hit - rest.at) + strlen(keys[0]));
    bool is_list = false;
    for (size_t i = 0; i < rest.len;) {
        size_t from = i;
        while (i < rest.len &&
               (ascii_is_name(rest.at[i]) || strchr("./-", rest.at[i])))
            i++;
        struct text name = {rest.at + from, i - from};
        if (name.len && name.len < NAME_BYTES)
            add_config(gather, configs, configs->paths[number],
                       arena_copy(gather->input->arena, name.at, name.len));
        char c = text_char(rest, i);
        is_list |= c == '[';
        if (c == ']' || (c == '\n' && !is_list && name.len))
            return;
        i += i == from;
    }
}

void gather_configs(struct gather *gather)
{
    struct configs configs = {.n = 0};
    add_config(gather, &configs, NULL, gather->launch.config);
    for (size_t i = 0; i < gather->launch.n_words; i++) {
        const char *word = gather->launch.words[i], *equal = strchr(word, '=');
        add_config(gather, &configs, NULL, equal ? equal + 1 : word);
    }
    size_t n = gather->settings.n;
    for (size_t i = 0; i < n; i++) {
        const struct setting *setting = &gather->settings.at[i];
        const char *const keys[] = {setting->key, NULL};
        if (setting->rank == SETTING_DECLARED &&
            conf_is_config(setting->value) &&
            settings_find(&gather->settings, keys, NULL) == setting)
            add_config(gather, &configs, NULL, setting->value);
    }
    for (size_t i = 0; i < configs.n; i++)
        add_bases(gather, &configs, i);
}
