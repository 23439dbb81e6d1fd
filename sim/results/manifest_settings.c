/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes the settings in force to the manifest. */
#include <stdio.h>
#include <string.h>

#include "base/json_stream.h"
#include "sim/results/manifest_internal.h"

/* Returns all values of the key "name" that have the owner of `first`: for a
 * chain the names of its layers, top first, "advisor,history". */
static const char *names_of(const struct run_setting *first,
                            const struct run_setting *end, char *buf,
                            size_t room)
{
    size_t n = 0;
    buf[0] = '\0';
    for (const struct run_setting *s = first; s < end && n + 1 < room; s++) {
        if (s->owner == first->owner && strcmp(s->key, "name") == 0)
            n += (size_t)snprintf(buf + n, room - n, "%s%s", n ? "," : "",
                                  s->value);
    }
    return buf;
}

/* Writes the settings of the owner of `first`: each key once, with its last
 * value. Only of the key "name" are all values listed (names_of). */
static void settings_of(struct json_stream *js, const struct run_setting *first,
                        const struct run_setting *end)
{
    char names[512];
    json_stream_object(js, first->owner);
    for (const struct run_setting *s = first; s < end; s++) {
        const char *value = s->value;
        bool repeated = false;
        if (s->owner != first->owner)
            continue;
        for (const struct run_setting *t = first; t < s && !repeated; t++)
            repeated = t->owner == s->owner && strcmp(t->key, s->key) == 0;
        for (const struct run_setting *t = s + 1; t < end; t++) {
            if (t->owner == s->owner && strcmp(t->key, s->key) == 0)
                value = t->value;
        }
        if (strcmp(s->key, "name") == 0)
            value = names_of(first, end, names, sizeof names);
        if (!repeated)
            json_stream_text(js, s->key, value);
    }
    json_stream_object_end(js);
}

void manifest_settings(struct json_stream *js, const struct run_result *run)
{
    const struct run_setting *all = run->settings, *end = all + run->n_settings;
    json_stream_object(js, "configuration");
    for (const struct run_setting *s = all; s < end; s++) {
        bool known = false;
        for (const struct run_setting *t = all; t < s && !known; t++)
            known = t->owner == s->owner;
        if (!known)
            settings_of(js, s, end);
    }
    json_stream_object_end(js);
}
