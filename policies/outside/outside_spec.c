/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "policies/outside/outside_spec.h"

#include <string.h>

#include "policies/outside/program.h"

bool outside_is_path(struct text name)
{
    return name.len > 0 && memchr(name.at, '/', name.len) != NULL;
}

/* Cuts the last ",KEY=VALUE", or the whole text if it is "KEY=VALUE", off the
 * text if KEY is a setting of `exec`. Otherwise returns false. */
static bool cut_setting(struct text *text, struct spec_setting *out)
{
    size_t at = text->len;
    while (at > 0 && text->at[at - 1] != ',')
        at--;
    struct text value, key = text_split(text_skip(*text, at), '=', &value);
    if (key.len + at == text->len)
        return false;
    for (const struct option *o = program_options; o->kind != OPTION_END; o++) {
        if (!text_is(key, o->name))
            continue;
        *out = (struct spec_setting){.key = key, .value = value};
        text->len = at > 0 ? at - 1 : 0;
        return true;
    }
    return false;
}

static void parse_exec(struct text layers, struct text rest, struct spec *out)
{
    struct spec_setting cut[SPEC_SETTINGS_MAX];
    size_t n = 0;
    *out = (struct spec){.name = text_from("exec")};
    while (layers.len && out->n_layers < SPEC_LAYERS_MAX)
        out->layers[out->n_layers++] = text_split(layers, '+', &layers);
    while (n < SPEC_SETTINGS_MAX - 1 && rest.len && cut_setting(&rest, &cut[n]))
        n++;
    rest = text_trim(rest);
    if (rest.len)
        out->settings[out->n_settings++] =
            (struct spec_setting){.key = text_from("command"), .value = rest};
    while (n > 0)
        out->settings[out->n_settings++] = cut[--n];
}

/* Parses PATH.so[+LAYER...] and its settings. A path may contain a '+', so only
 * a '+' after ".so" begins a layer. */
static enum status parse_path(struct text path, struct text settings,
                              struct spec *out, struct error *err)
{
    char text[256];
    struct text name = path, rest = {0};
    for (size_t i = 3; i < path.len; i++) {
        if (path.at[i] != '+' || memcmp(path.at + i - 3, ".so", 3) != 0)
            continue;
        name.len = i;
        rest = text_skip(path, i + 1);
    }
    snprintf(text, sizeof text, "policy %.*s", TEXT_ARGS(name));
    struct spec parsed = {0};
    enum status st = STATUS_OK;
    if (settings.len) {
        /* spec_parse expects a name before the settings */
        struct text whole = {path.at + path.len - 1, settings.len + 2};
        st = spec_parse(text, whole, &parsed, err);
    }
    if (st != STATUS_OK)
        return st;
    *out = parsed;
    out->name = name;
    out->n_layers = 0;
    while (rest.len && out->n_layers < SPEC_LAYERS_MAX)
        out->layers[out->n_layers++] = text_split(rest, '+', &rest);
    return STATUS_OK;
}

enum status outside_spec(struct text text, struct spec *out, struct error *err)
{
    struct text rest, layers, head = text_split(text, ':', &rest);
    struct text name = text_split(head, '+', &layers);
    if (text_is(name, "exec")) {
        parse_exec(layers, rest, out);
        return STATUS_OK;
    }
    if (outside_is_path(head))
        return parse_path(head, rest, out, err);
    return spec_parse("policy", text, out, err);
}
