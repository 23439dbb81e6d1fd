/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "commands/trust.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/ascii.h"
#include "commands/commands_internal.h"
#include "commands/run_options.h"
#include "commands/terminal.h"
#include "policies/outside/program.h"

/* What was found is listed up to this length, bytes. */
enum { FOUND_MAX = 700, TRUST_VALUE_MAX = 120 };

/* Notes a setting, once. `key` NULL: the value itself acts. */
static void trust_find(struct trust *trust, const char *option, const char *key,
                       struct text value, const char *what)
{
    char words[512];
    size_t len = strlen(trust->found);
    int n = value.len < TRUST_VALUE_MAX ? (int)value.len : TRUST_VALUE_MAX;
    snprintf(words, sizeof words, "%s %s%s%.*s%s (%s)", option, key ? key : "",
             key ? "=" : "", n, value.at,
             value.len > TRUST_VALUE_MAX ? "..." : "", what);
    if (strstr(trust->found, words))
        return;
    trust->n++;
    if (len < FOUND_MAX)
        snprintf(trust->found + len, sizeof trust->found - len, "%s%s",
                 len ? ", " : "", words);
    else if (!strstr(trust->found, " and more"))
        snprintf(trust->found + len, sizeof trust->found - len, " and more");
}

/* True if `value` is one of `values`, which are separated by '|', or if that is
 * NULL. */
static bool trust_is_among(struct text value, const char *values)
{
    struct text rest = text_from(values ? values : "");
    bool found = !values;
    while (rest.len && !found)
        found = text_equal(text_split(rest, '|', &rest), value);
    return found;
}

/* Notes each KEY=VALUE in the text that the row is about. Does not parse the
 * text: whatever could be the key counts. */
static void see_row(struct trust *trust, const char *option,
                    const struct option *row, const char *text)
{
    const char *at = text;
    while ((at = strstr(at, row->name))) {
        bool begins = at == text || !ascii_is_name(at[-1]);
        at += strlen(row->name);
        struct text value = {at + 1, *at ? strcspn(at + 1, ",") : 0};
        if (begins && *at == '=' && trust_is_among(value, row->reach_at))
            trust_find(trust, option, row->name, value, row->reach);
    }
}

/* Notes an item that acts by being named, at the start of the text or after a
 * comma. */
static void see_name(struct trust *trust, const char *option,
                     const struct list_item *item, const char *text)
{
    struct text rest = text_from(text);
    while (item->reach && rest.len) {
        struct text one = text_split(rest, ',', &rest);
        struct text name = {one.at, 0};
        while (name.len < one.len && !strchr(":+", one.at[name.len]))
            name.len++;
        if (text_is(name, item->name))
            trust_find(trust, option, NULL, name, item->reach);
    }
}

static void see_kind(struct trust *trust, const char *option,
                     const struct list_kind *kind, const char *text)
{
    struct list_item item;
    for (size_t i = 0; kind->at(i, &item); i++) {
        const struct option *row = item.options;
        see_name(trust, option, &item, text);
        for (; row && row->kind != OPTION_END; row++) {
            if (row->reach)
                see_row(trust, option, row, text);
        }
    }
}

/* Notes a policy that is a shared object, and the command of `exec`, which the
 * user writes without its key. */
static void see_policy(struct trust *trust, const char *text)
{
    struct spec spec;
    struct error err;
    if (outside_spec(text_from(text), &spec, &err) != STATUS_OK)
        return;
    if (outside_is_path(spec.name))
        trust_find(trust, "policy", NULL, spec.name, "loads code");
    for (size_t i = 0; i < spec.n_settings; i++) {
        const struct spec_setting *s = &spec.settings[i];
        if (text_is(s->key, "command"))
            trust_find(trust, "policy", "command", s->value, "runs a program");
    }
}

void trust_see(struct trust *trust, const char *option, const char *value)
{
    const struct arg *row = &run_args[run_options_row(option)];
    if (!trust->file || trust->given)
        return;
    if (row->reach && trust_is_among(text_from(value), row->reach_at))
        trust_find(trust, option, NULL, text_from(value), row->reach);
    struct text kinds = text_from(row->settings_of ? row->settings_of : "");
    while (kinds.len) {
        struct text name = text_split(kinds, ' ', &kinds);
        for (const struct list_kind *k = list_kinds; k->name; k++) {
            if (text_is(name, k->name))
                see_kind(trust, option, k, value);
        }
    }
    if (strcmp(option, "policy") == 0)
        see_policy(trust, value);
}

/* Asks the person at the terminal. */
static bool is_allowed(const struct trust *trust)
{
    char answer[16] = "";
    say(stderr, "%s sets what acts outside the simulation: %s", trust->file,
        trust->found);
    fputs("Trust it? [y/N] ", stderr);
    return fgets(answer, sizeof answer, stdin) &&
           (strcmp(answer, "y\n") == 0 || strcmp(answer, "yes\n") == 0);
}

enum status trust_ask(struct trust *trust, struct error *err)
{
    if (trust->n == 0 || trust->given)
        return STATUS_OK;
    if (isatty(0) && isatty(2))
        trust->given = is_allowed(trust);
    if (trust->given)
        return STATUS_OK;
    return error_set(err, STATUS_BAD_INPUT,
                     "%s: sets what acts outside the simulation: %s; --trust "
                     "allows it, if you trust who wrote the file",
                     trust->file, trust->found);
}
