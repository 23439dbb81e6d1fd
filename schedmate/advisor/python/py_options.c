/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parses the command by the options of argparse and click. */
#include <string.h>

#include "schedmate/advisor/python/py_config.h"
#include "schedmate/advisor/python/py_machine_internal.h"

static const struct text none = {"", 0};
static bool is_flag(struct text name)
{
    return text_char(name, 0) == '-';
}

struct text py_plain_name(struct py_machine *machine, struct text name)
{
    while (is_flag(name))
        name = text_skip(name, 1);
    char *at = arena_copy(machine->arena, name.at, name.len);
    for (size_t i = 0; i < name.len; i++)
        at[i] = at[i] == '-' ? '_' : at[i];
    return (struct text){at, name.len};
}

struct text py_option_name(struct py_machine *machine,
                           const struct py_call *option)
{
    const struct py_value *dest = py_argument(option, -1, "dest"), *word;
    struct text best = none;
    unsigned most = 0;
    if (py_is_text(dest))
        return dest->text;
    for (int i = 0; i < 8 && (word = py_argument(option, i, "\1")); i++) {
        if (!py_is_text(word))
            continue;
        struct text rest, name = text_split(word->text, '/', &rest);
        unsigned rank = !is_flag(name) ? 3 : text_char(name, 1) == '-' ? 2 : 1;
        if (rank > most) {
            most = rank;
            best = name;
        }
    }
    return py_plain_name(machine, best);
}

static void add_aliases(struct py_machine *machine,
                        const struct py_call *option)
{
    const struct py_value *word;
    struct text best = py_option_name(machine, option);
    for (int i = 0; i < 8 && (word = py_argument(option, i, "\1")); i++) {
        if (!py_is_text(word))
            continue;
        struct text rest, name = text_split(word->text, '/', &rest);
        if (machine->settings &&
            !text_equal(py_plain_name(machine, name), best))
            settings_alias(machine->settings, name, best);
    }
}

static bool word_is(const struct py_value *value, const char *word)
{
    return py_is_text(value) && text_is(value->text, word);
}

bool py_is_library(const struct py_value *value, const char *name)
{
    return value && value->type == PYV_LIBRARY &&
           py_name_ends(value->text, name);
}

/* Converts a word as the `type` of the option says. */
static struct py_value *converted(struct py_machine *machine,
                                  const struct py_call *option,
                                  const struct py_value *word)
{
    struct py_value *type = py_argument(option, -1, "type"), *made;
    struct py_value *text =
        py_with_source(machine, word, word->where, word->rank);
    if (type && (type->type == PYV_FUNCTION || type->type == PYV_CLASS)) {
        made = py_call_with(machine, type, text);
        if (py_is_scalar(made) || made->type == PYV_LIST)
            return py_with_source(machine, made, word->where, word->rank);
    }
    return py_is_library(type, "str")
               ? text
               : py_plain_value(machine->arena, word->text, word->where,
                                word->rank);
}

static struct py_value *default_of(struct py_machine *machine,
                                   const struct py_call *option)
{
    struct py_value *value = py_argument(option, -1, "default");
    const struct py_value *action = py_argument(option, -1, "action");
    const struct py_value *flag = py_argument(option, -1, "is_flag");
    if (!value &&
        (word_is(action, "store_true") || (flag && py_truth(flag) == PY_YES)))
        value = py_bool_value(machine, false);
    if (!value && word_is(action, "store_false"))
        value = py_bool_value(machine, true);
    if (!value)
        return machine->none;
    if (value->type == PYV_TEXT)
        value = converted(machine, option, value);
    if (py_is_scalar(value) && value->rank >= SETTING_DECLARED)
        value = py_with_source(machine, value, value->where, SETTING_DECLARED);
    return value;
}

/* A walk over the words of the command. */
struct walk {
    const struct py_map *words, *options;
    size_t at, positional;
    struct py_value *out;
};

static struct text next_word(const struct walk *walk)
{
    return walk->at < walk->words->n &&
                   py_is_text(walk->words->at[walk->at].value)
               ? walk->words->at[walk->at].value->text
               : none;
}

static bool is_option_word(struct text word)
{
    double number;
    return is_flag(word) && word.len > 1 && !text_to_double(word, &number);
}

/* True for --no-NAME, and for the second name of --on/--off. */
static bool is_negation(struct text word, struct text on, struct text off)
{
    return (off.len && text_equal(off, word)) ||
           (word.len > 5 && text_starts(word, "--no") && on.len > 2 &&
            word.len == on.len + 3 &&
            memcmp(word.at + 5, on.at + 2, on.len - 2) == 0);
}

/* True if the word abbreviates a long name, as --batch does for
 * --batch-size. */
static bool begins(struct text name, struct text word)
{
    return word.len > 3 && name.len > word.len && text_starts(name, "--") &&
           memcmp(name.at, word.at, word.len) == 0;
}

/* Finds the option that a word of the command names: by its whole name, by
 * --no-NAME (*negated is then true), or by the beginning of its name. Returns
 * NULL if there is none. */
static const struct py_call *option_of(const struct walk *walk,
                                       struct text word, bool *negated)
{
    const struct py_call *begun = NULL;
    for (size_t i = 0; i < walk->options->n; i++) {
        const struct py_call *option = walk->options->at[i].value->call;
        const struct py_value *name;
        for (int k = 0;
             option && k < 8 && (name = py_argument(option, k, "\1")); k++) {
            struct text off, on;
            if (!py_is_text(name))
                continue;
            on = text_split(name->text, '/', &off);
            *negated = is_negation(word, on, off);
            if (text_equal(on, word) || *negated)
                return option;
            if (begins(on, word))
                begun = option;
        }
    }
    return begun;
}

static struct py_value *list_of_words(struct py_machine *machine,
                                      struct walk *walk,
                                      const struct py_call *option, double most)
{
    struct py_value *list = py_list_value(machine);
    while (walk->at < walk->words->n && (double)list->map->n < most &&
           !is_option_word(next_word(walk)))
        py_map_set(
            list->map, machine->arena, none,
            converted(machine, option, walk->words->at[walk->at++].value));
    return list;
}

/* True for a switch: an option that takes no value and means true. */
static bool is_switch(const struct py_call *option)
{
    const struct py_value *action = py_argument(option, -1, "action");
    const struct py_value *flag = py_argument(option, -1, "is_flag");
    const struct py_value *first = py_argument(option, 0, "\1");
    return word_is(action, "store_true") ||
           (flag && py_truth(flag) == PY_YES) ||
           py_is_library(action, "BooleanOptionalAction") ||
           (py_is_text(first) && first->text.len &&
            memchr(first->text.at, '/', first->text.len));
}

static bool takes_many(const struct py_value *nargs)
{
    return word_is(nargs, "*") || word_is(nargs, "+") ||
           word_is(nargs, "...") || py_is_library(nargs, "REMAINDER");
}

/* Returns the value of an option: from the words after it or, if it takes none
 * of them, what the option itself means. */
static struct py_value *value_of(struct py_machine *machine, struct walk *walk,
                                 const struct py_call *option, bool negated)
{
    const struct py_value *action = py_argument(option, -1, "action");
    const struct py_value *nargs = py_argument(option, -1, "nargs");
    struct py_value *constant = py_argument(option, -1, "const"), *on;
    bool off = negated || word_is(action, "store_false");
    on = py_with_source(machine, py_bool_value(machine, !off),
                        machine->words_where, SETTING_COMMAND);
    if (off || is_switch(option))
        return on;
    if (word_is(action, "store_const") || word_is(action, "count"))
        return constant ? constant : on;
    if (takes_many(nargs))
        return list_of_words(machine, walk, option, 1e9);
    if (nargs && nargs->type == PYV_NUMBER)
        return list_of_words(machine, walk, option, nargs->number);
    if (walk->at >= walk->words->n || is_option_word(next_word(walk)))
        return word_is(nargs, "?") && constant ? constant : on;
    return converted(machine, option, walk->words->at[walk->at++].value);
}

static void take_option(struct py_machine *machine, struct walk *walk)
{
    struct text word = next_word(walk), value, name;
    bool negated;
    struct py_value *source = walk->words->at[walk->at++].value, *result;
    name = text_split(word, '=', &value);
    const struct py_call *option = option_of(walk, name, &negated);
    if (!option) {
        /* The word after an option that is not declared is taken for its value.
         */
        walk->at += !value.len && walk->at < walk->words->n &&
                    !is_option_word(next_word(walk));
        return;
    }
    struct text dest = py_option_name(machine, option);
    if (value.len) {
        struct py_value *text =
            py_with_source(machine, source, source->where, source->rank);
        text->text = value;
        result = converted(machine, option, text);
    } else {
        result = value_of(machine, walk, option, negated);
    }
    py_set_dotted(machine, walk->out, dest, result);
}

/* Takes a word without dashes as the value of the next option whose name has
 * none. Skips the word if there is no such option. */
static void take_positional(struct py_machine *machine, struct walk *walk)
{
    const struct py_value *name;
    for (; walk->positional < walk->options->n; walk->positional++) {
        const struct py_call *option =
            walk->options->at[walk->positional].value->call;
        name = option ? py_argument(option, 0, "\1") : NULL;
        if (!py_is_text(name) || is_flag(name->text))
            continue;
        walk->positional++;
        py_map_set(walk->out->map, machine->arena,
                   py_option_name(machine, option),
                   value_of(machine, walk, option, false));
        return;
    }
    walk->at++;
}

struct py_value *py_parse_options(struct py_machine *machine,
                                  const struct py_map *calls)
{
    struct walk walk = {.words = machine->words,
                        .options = calls,
                        .out = py_dict_value(machine)};
    for (size_t i = 0; i < calls->n; i++) {
        const struct py_call *option = calls->at[i].value->call;
        add_aliases(machine, option);
        struct py_value *plain = default_of(machine, option);
        py_set_dotted(machine, walk.out, py_option_name(machine, option),
                      plain);
        py_note(machine, py_option_name(machine, option), plain);
    }
    while (walk.at < walk.words->n) {
        if (is_option_word(next_word(&walk)))
            take_option(machine, &walk);
        else
            take_positional(machine, &walk);
    }
    return walk.out;
}
