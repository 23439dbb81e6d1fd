/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parses the command by the options of argparse, click, fire and data classes.
 */

#include <string.h>

#include "schedmate/advisor/python/py_machine_internal.h"

static struct py_value *py_config_flag(struct py_machine *machine,
                                       struct text name, struct py_value *value,
                                       const struct py_value *words);

static const struct text py_options_none = {"", 0};

static bool is_flag(struct text name)
{
    return text_char(name, 0) == '-';
}

/* Returns a name without dashes in front and with '_' for '-'. */
static struct text py_plain_name(struct py_machine *machine, struct text name)
{
    while (is_flag(name))
        name = text_skip(name, 1);
    char *at = arena_copy(machine->arena, name.at, name.len);
    for (size_t i = 0; i < name.len; i++)
        at[i] = at[i] == '-' ? '_' : at[i];
    return (struct text){at, name.len};
}

/* Returns the name under which the value of an option is stored. */
static struct text py_option_name(struct py_machine *machine,
                                  const struct py_call *option)
{
    const struct py_value *dest = py_argument(option, -1, "dest"), *word;
    struct text best = py_options_none;
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

static bool command_word_is(const struct py_value *value, const char *word)
{
    return py_is_text(value) && text_is(value->text, word);
}

/* True for a value of a library whose dotted name is `name` or ends with
 * `.name`. */
static bool py_is_library(const struct py_value *value, const char *name)
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

static struct py_value *command_default_of(struct py_machine *machine,
                                           const struct py_call *option)
{
    struct py_value *value = py_argument(option, -1, "default");
    const struct py_value *action = py_argument(option, -1, "action");
    const struct py_value *flag = py_argument(option, -1, "is_flag");
    if (!value && (command_word_is(action, "store_true") ||
                   (flag && py_truth(flag) == PY_YES)))
        value = py_bool_value(machine, false);
    if (!value && command_word_is(action, "store_false"))
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
struct py_command_walk {
    const struct py_map *words, *options;
    size_t at, positional;
    struct py_value *out;
};

static struct text next_word(const struct py_command_walk *walk)
{
    return walk->at < walk->words->n &&
                   py_is_text(walk->words->at[walk->at].value)
               ? walk->words->at[walk->at].value->text
               : py_options_none;
}

static bool py_options_is_option_word(struct text word)
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
static const struct py_call *option_of(const struct py_command_walk *walk,
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
                                      struct py_command_walk *walk,
                                      const struct py_call *option, double most)
{
    struct py_value *list = py_list_value(machine);
    while (walk->at < walk->words->n && (double)list->map->n < most &&
           !py_options_is_option_word(next_word(walk)))
        py_map_set(
            list->map, machine->arena, py_options_none,
            converted(machine, option, walk->words->at[walk->at++].value));
    return list;
}

/* True for a switch: an option that takes no value and means true. */
static bool command_is_switch(const struct py_call *option)
{
    const struct py_value *action = py_argument(option, -1, "action");
    const struct py_value *flag = py_argument(option, -1, "is_flag");
    const struct py_value *first = py_argument(option, 0, "\1");
    return command_word_is(action, "store_true") ||
           (flag && py_truth(flag) == PY_YES) ||
           py_is_library(action, "BooleanOptionalAction") ||
           (py_is_text(first) && first->text.len &&
            memchr(first->text.at, '/', first->text.len));
}

/* True for an option whose value is a word of the command. */
static bool takes_value(const struct py_call *option)
{
    const struct py_value *action = py_argument(option, -1, "action");
    return !command_is_switch(option) &&
           (!action || command_word_is(action, "store") ||
            command_word_is(action, "append"));
}

static bool takes_many(const struct py_value *nargs)
{
    return command_word_is(nargs, "*") || command_word_is(nargs, "+") ||
           command_word_is(nargs, "...") || py_is_library(nargs, "REMAINDER");
}

/* Returns the value of an option with the action "count", given once more. */
static struct py_value *counted(struct py_machine *machine,
                                const struct py_command_walk *walk,
                                const struct py_call *option)
{
    const struct py_value *old =
        py_map_get(walk->out->map, py_option_name(machine, option));
    double n = old && old->type == PYV_NUMBER ? old->number : 0;
    return py_with_source(machine, py_number_value(machine, n + 1),
                          machine->words_where, SETTING_COMMAND);
}

/* Returns the value of an option: from the words after it or, if it takes none
 * of them, what the option itself means. */
static struct py_value *command_value_of(struct py_machine *machine,
                                         struct py_command_walk *walk,
                                         const struct py_call *option,
                                         bool negated)
{
    const struct py_value *action = py_argument(option, -1, "action");
    const struct py_value *nargs = py_argument(option, -1, "nargs");
    struct py_value *constant = py_argument(option, -1, "const"), *on;
    bool off = negated || command_word_is(action, "store_false");
    on = py_with_source(machine, py_bool_value(machine, !off),
                        machine->words_where, SETTING_COMMAND);
    if (off || command_is_switch(option))
        return on;
    if (command_word_is(action, "count"))
        return counted(machine, walk, option);
    if (command_word_is(action, "store_const"))
        return constant ? constant : on;
    if (takes_many(nargs))
        return list_of_words(machine, walk, option, 1e9);
    if (nargs && nargs->type == PYV_NUMBER)
        return list_of_words(machine, walk, option, nargs->number);
    if (walk->at >= walk->words->n ||
        py_options_is_option_word(next_word(walk)))
        return command_word_is(nargs, "?") && constant ? constant : on;
    return converted(machine, option, walk->words->at[walk->at++].value);
}

/* Returns a list of the values that an option with the action "append" has had,
 * with one more. */
static struct py_value *appended(struct py_machine *machine,
                                 const struct py_value *old,
                                 struct py_value *value)
{
    struct py_value *list = py_list_value(machine);
    for (size_t i = 0; old && old->type == PYV_LIST && i < old->map->n; i++)
        py_map_set(list->map, machine->arena, py_options_none,
                   old->map->at[i].value);
    py_map_set(list->map, machine->arena, py_options_none, value);
    return list;
}

static void command_take_option(struct py_machine *machine,
                                struct py_command_walk *walk)
{
    struct text word = next_word(walk), value, name;
    bool negated;
    struct py_value *source = walk->words->at[walk->at++].value, *result;
    name = text_split(word, '=', &value);
    const struct py_call *option = option_of(walk, name, &negated);
    if (!option && name.len > 2 && name.at[1] != '-') {
        /* a value that follows a short name at once, as in -b8 */
        option = option_of(walk, (struct text){name.at, 2}, &negated);
        value = text_skip(word, 2);
        if (option && !takes_value(option))
            option = NULL;
    }
    if (!option) {
        /* The word after an option that is not declared is taken for its value.
         */
        walk->at += !value.len && walk->at < walk->words->n &&
                    !py_options_is_option_word(next_word(walk));
        return;
    }
    struct text dest = py_option_name(machine, option);
    if (value.len) {
        struct py_value *text =
            py_with_source(machine, source, source->where, source->rank);
        text->text = value;
        result = converted(machine, option, text);
    } else {
        result = command_value_of(machine, walk, option, negated);
    }
    if (command_word_is(py_argument(option, -1, "action"), "append"))
        result = appended(machine, py_map_get(walk->out->map, dest), result);
    py_set_dotted(machine, walk->out, dest, result);
}

/* Takes a word without dashes as the value of the next option whose name has
 * none. Skips the word if there is no such option. */
static void take_positional(struct py_machine *machine,
                            struct py_command_walk *walk)
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
                   command_value_of(machine, walk, option, false));
        return;
    }
    walk->at++;
}

/* Parses the command by options that are given as calls of add_argument or
 * click.option, and returns the values by name. Declares the other names of an
 * option as aliases (settings_alias) and reports the defaults (py_note). */
static struct py_value *py_parse_options(struct py_machine *machine,
                                         const struct py_map *calls)
{
    struct py_command_walk walk = {.words = machine->words,
                                   .options = calls,
                                   .out = py_dict_value(machine)};
    for (size_t i = 0; i < calls->n; i++) {
        const struct py_call *option = calls->at[i].value->call;
        struct py_value *plain = command_default_of(machine, option);
        py_set_dotted(machine, walk.out, py_option_name(machine, option),
                      plain);
        py_note(machine, py_option_name(machine, option), plain);
    }
    while (walk.at < walk.words->n) {
        if (py_options_is_option_word(next_word(&walk)))
            command_take_option(machine, &walk);
        else
            take_positional(machine, &walk);
    }
    return walk.out;
}

/* Parsers of the library argparse and of similar libraries. A parser keeps its
 * options as the recorded calls of add_argument. */

static const struct text parser_none = {"", 0};

static const char calls_key[] = "%calls", defaults_key[] = "%defaults",
                  commands_key[] = "%commands";

/* Returns the list or dictionary that an object keeps under a hidden name, and
 * makes it if there is none. */
static struct py_value *kept(struct py_machine *machine,
                             struct py_value *object, const char *key)
{
    struct py_value *value = py_map_find(object->map, key);
    if (!value) {
        value =
            key == calls_key ? py_list_value(machine) : py_dict_value(machine);
        py_map_set(object->map, machine->arena, text_from(key), value);
    }
    return value;
}

static struct py_value *command_add_option(struct py_machine *machine,
                                           struct py_call *call)
{
    if (!call->self || !call->self->map)
        return NULL;
    struct py_value *option = py_object_value(machine, call->name);
    option->call = call;
    py_map_set(kept(machine, call->self, calls_key)->map, machine->arena,
               parser_none, option);
    return option;
}

static struct py_value *same_parser(struct py_machine *machine,
                                    struct py_call *call)
{
    (void)machine;
    return call->self;
}

static struct py_value *add_commands(struct py_machine *machine,
                                     struct py_call *call)
{
    struct py_value *dest = py_argument(call, -1, "dest");
    if (call->self->map && py_is_text(dest))
        py_map_set(call->self->map, machine->arena, text_from("%dest"), dest);
    return call->self;
}

static struct py_value *add_command(struct py_machine *machine,
                                    struct py_call *call)
{
    const struct py_value *name = py_argument(call, 0, "name");
    if (!call->self || !call->self->map || !py_is_text(name))
        return NULL;
    struct py_value *parser =
        py_object_value(machine, text_from("argparse.ArgumentParser"));
    parser->call = call;
    py_map_set(kept(machine, call->self, commands_key)->map, machine->arena,
               name->text, parser);
    return parser;
}

static struct py_value *set_defaults(struct py_machine *machine,
                                     struct py_call *call)
{
    if (!call->self || !call->self->map)
        return NULL;
    struct py_value *defaults = kept(machine, call->self, defaults_key);
    for (size_t i = 0; i < call->arguments.n; i++) {
        const struct py_item *item = &call->arguments.at[i];
        if (item->key.len)
            py_map_set(defaults->map, machine->arena, item->key, item->value);
        else if (item->value->type == PYV_DICT)
            py_merge(machine, defaults, item->value, false);
    }
    return machine->none;
}

static void add_calls(struct py_machine *machine, struct py_value *list,
                      const struct py_value *parser)
{
    const struct py_value *calls = py_map_find(parser->map, calls_key);
    for (size_t i = 0; calls && i < calls->map->n; i++)
        py_map_set(list->map, machine->arena, parser_none,
                   calls->map->at[i].value);
}

/* Adds the options of a parser, of its parents, and of the subcommand that the
 * command names. The defaults of all are merged into `defaults`. */
static void collect(struct py_machine *machine, struct py_value *parser,
                    struct py_value *list, struct py_value *defaults,
                    unsigned depth)
{
    const struct py_value *parents =
        parser->call ? py_argument(parser->call, -1, "parents") : NULL;
    for (size_t i = 0; parents && parents->type == PYV_LIST &&
                       i < parents->map->n && depth < 4;
         i++) {
        if (parents->map->at[i].value->map)
            collect(machine, parents->map->at[i].value, list, defaults,
                    depth + 1);
    }
    add_calls(machine, list, parser);
    const struct py_value *given = py_map_find(parser->map, defaults_key);
    if (given)
        py_merge(machine, defaults, given, false);
    struct py_value *commands = py_map_find(parser->map, commands_key);
    for (size_t i = 0; commands && i < machine->words->n && depth < 4; i++) {
        struct py_value *found =
            py_map_get(commands->map, machine->words->at[i].value->text);
        if (found) {
            py_map_set(defaults->map, machine->arena, text_from("%command"),
                       machine->words->at[i].value);
            collect(machine, found, list, defaults, depth + 1);
            return;
        }
    }
}

/* Returns the parser to which a function of a library has added options, which
 * is the argument of that function; otherwise `parser`. */
static struct py_value *inner_parser(struct py_value *parser)
{
    struct py_value *inner =
        parser->call ? py_argument(parser->call, 0, "parser") : NULL;
    bool own = py_map_find(parser->map, calls_key) || !inner ||
               inner->type != PYV_OBJECT;
    return !own && py_map_find(inner->map, calls_key) ? inner : parser;
}

static struct py_value *parse_args(struct py_machine *machine,
                                   struct py_call *call)
{
    struct py_value *given = py_argument(call, 0, "args");
    const struct py_map *words = machine->words;
    if (!call->self || !call->self->map)
        return NULL;
    call->self = inner_parser(call->self);
    if (given && given->type == PYV_LIST && !given->map->open)
        machine->words = given->map;
    struct py_value *list = py_list_value(machine);
    struct py_value *defaults = py_dict_value(machine);
    collect(machine, call->self, list, defaults, 0);
    struct py_value *values = py_parse_options(machine, list->map);
    for (size_t i = 0; i < defaults->map->n; i++) {
        const struct py_item *item = &defaults->map->at[i];
        struct py_value *old = py_map_get(values->map, item->key);
        if (!old || old->type == PYV_NONE ||
            (old->rank != SETTING_COMMAND && old != item->value))
            py_map_set(values->map, machine->arena, item->key, item->value);
    }
    const struct py_value *command = py_map_find(defaults->map, "%command");
    const struct py_value *dest = py_map_find(call->self->map, "%dest");
    if (command)
        py_map_set(
            values->map, machine->arena,
            dest ? dest->text : text_from("command"),
            py_with_source(machine, command, command->where, SETTING_COMMAND));
    machine->words = words;
    for (size_t i = 0; i < values->map->n; i++)
        py_note_read(machine, values->map->at[i].key, values->map->at[i].value);
    return values;
}

static struct py_value *parse_known(struct py_machine *machine,
                                    struct py_call *call)
{
    struct py_value *values = parse_args(machine, call);
    struct py_value *pair = py_list_value(machine);
    struct py_value *rest = py_list_value(machine);
    if (!values)
        return NULL;
    rest->map->open = true;
    py_map_set(pair->map, machine->arena, parser_none, values);
    py_map_set(pair->map, machine->arena, parser_none, rest);
    return pair;
}

struct py_value *py_option_call(struct py_machine *machine,
                                struct py_call *call)
{
    static const struct py_library_row rows[] = {
        {"add_argument", command_add_option},
        {"add_arg", command_add_option},
        {"add_argument_group", same_parser},
        {"add_mutually_exclusive_group", same_parser},
        {"add_subparsers", add_commands},
        {"add_parser", add_command},
        {"set_defaults", set_defaults},
        {"parse_args", parse_args},
        {"parse_known_args", parse_known},
        {"parse_known_intermixed_args", parse_known}};
    return call->self
               ? py_by_rows(machine, call, rows, sizeof rows / sizeof *rows)
               : NULL;
}

/* Functions and classes whose parameters are options of the command: fire,
 * tyro, jsonargparse, HfArgumentParser, pyrallis and the like. */

static const struct text commands_none = {"", 0};

static bool commands_is_option_word(struct text word)
{
    double number;
    return word.len > 1 && word.at[0] == '-' && !text_to_double(word, &number);
}

static struct text option_name(struct py_machine *machine, struct text word)
{
    while (word.len && (word.at[0] == '-' || word.at[0] == '+'))
        word = text_skip(word, 1);
    char *at = arena_copy(machine->arena, word.at, word.len);
    for (size_t i = 0; i < word.len; i++)
        at[i] = at[i] == '-' ? '_' : at[i];
    return (struct text){at, word.len};
}

static struct py_value *py_command_read_words(struct py_machine *machine)
{
    struct py_value *out = py_dict_value(machine);
    const struct py_map *words = machine->words;
    for (size_t i = 0; i < words->n; i++) {
        struct py_value *word = words->at[i].value, *value;
        if (!py_is_text(word))
            continue;
        bool option = commands_is_option_word(word->text);
        struct text rest, key = text_split(word->text, '=', &rest);
        struct text next =
            i + 1 < words->n && py_is_text(words->at[i + 1].value)
                ? words->at[i + 1].value->text
                : commands_none;
        bool pair = key.len < word->text.len && key.len;
        if (!option && !pair) {
            py_map_set(out->map, machine->arena, commands_none, word);
            continue;
        }
        if (!pair && (!next.len || commands_is_option_word(next)))
            rest = text_from("true");
        else if (!pair)
            rest = next, i++;
        key = option_name(machine, key);
        value = py_plain_value(machine->arena, rest, word->where, word->rank);
        py_map_set(out->map, machine->arena, key, value);
    }
    return out;
}

struct py_value *py_command_words(struct py_machine *machine)
{
    if (machine->options_of != machine->words) {
        machine->options = py_command_read_words(machine);
        machine->options_of = machine->words;
    }
    return machine->options;
}

/* What the command and a configuration give for the parameters of a function or
 * class. */
struct given {
    const struct py_value *words, *config;
    struct text prefix;
    size_t positional;
};

static struct py_value *value_for(struct py_machine *machine,
                                  struct given *given, struct text name)
{
    struct text dotted = py_join(machine->arena, given->prefix, "", name);
    struct py_value *value = py_map_get(given->words->map, dotted);
    if (!value && given->prefix.len && !given->config)
        value = py_map_get(given->words->map, name);
    if (!value && given->config && given->config->map)
        value = py_map_get(given->config->map, name);
    return value;
}

static void command_take(struct py_machine *machine, struct given *given,
                         const struct py_node *annotation,
                         struct py_scope *scope, struct text name,
                         struct py_map *out)
{
    struct py_value *value = value_for(machine, given, name);
    struct py_value *type = annotation && annotation->kind != PY_STRING
                                ? py_evaluate(machine, annotation, scope)
                                : NULL;
    if (type && type->type == PYV_CLASS && machine->depth < 12 &&
        (!value || value->type == PYV_DICT || value->type == PYV_OBJECT)) {
        struct text prefix = py_join(
            machine->arena, py_join(machine->arena, given->prefix, "", name),
            ".", commands_none);
        machine->depth++;
        value = py_from_command(machine, type, prefix, value);
        machine->depth--;
    }
    if (value)
        py_map_set(out, machine->arena, name, value);
}

static void take_fields(struct py_machine *machine, struct given *given,
                        const struct py_value *class, struct py_map *out,
                        unsigned depth)
{
    if (class->type != PYV_CLASS || depth > 5)
        return;
    for (size_t i = 0; i < class->bases->n && i < 3; i++)
        take_fields(machine, given, class->bases->at[i].value, out, depth + 1);
    for (const struct py_node *node = class->node->b; node; node = node->next) {
        if (node->kind == PY_ANN && node->a->kind == PY_NAME)
            command_take(machine, given, node->b, class->scope->up,
                         node->a->text, out);
    }
}

static void command_take_parameters(struct py_machine *machine,
                                    struct given *given,
                                    const struct py_value *function,
                                    struct py_map *out)
{
    for (const struct py_node *node = function->node->a; node;
         node = node->next) {
        if (node->c || text_is(node->text, "self"))
            continue;
        command_take(machine, given, node->a, function->scope, node->text, out);
        struct py_value *plain =
            node->b ? py_evaluate(machine, node->b, function->scope) : NULL;
        if (!py_map_get(out, node->text) && !node->b) {
            const struct py_map *words = given->words->map;
            while (given->positional < words->n &&
                   words->at[given->positional].key.len)
                given->positional++;
            if (given->positional < words->n)
                py_map_set(out, machine->arena, node->text,
                           words->at[given->positional++].value);
        } else if (!py_map_get(out, node->text) && plain) {
            plain = py_field_default(machine, plain);
            if (py_is_scalar(plain))
                plain = py_with_source(machine, plain, plain->where,
                                       SETTING_DECLARED);
            py_map_set(out, machine->arena, node->text, plain);
        }
    }
}

/* Reports each value of an object, because the program can read any of them. A
 * value that stands in the code gets the rank of a declared option. */
static void note_fields(struct py_machine *machine, struct py_value *object)
{
    for (size_t i = 0; object->map && i < object->map->n; i++) {
        struct py_item *item = &object->map->at[i];
        if (py_is_scalar(item->value) && item->value->rank > SETTING_DECLARED)
            item->value = py_with_source(machine, item->value,
                                         item->value->where, SETTING_DECLARED);
        py_note(machine, item->key, item->value);
    }
}

struct py_value *py_from_command(struct py_machine *machine,
                                 struct py_value *callee, struct text prefix,
                                 const struct py_value *config)
{
    struct given given = {
        .words = py_command_words(machine), .config = config, .prefix = prefix};
    struct py_map arguments = {.maybe = machine->maybe};
    struct py_value *owner;
    if (callee->type == PYV_FUNCTION) {
        command_take_parameters(machine, &given, callee, &arguments);
        for (size_t i = 0; i < arguments.n; i++)
            py_note(machine, arguments.at[i].key, arguments.at[i].value);
        return py_run(machine, callee, &arguments);
    }
    if (callee->type != PYV_CLASS) {
        struct py_value *object = py_object_value(machine, callee->text);
        py_merge(machine, object, given.words, false);
        return object;
    }
    struct py_value *init =
        py_class_attribute(callee, text_from("__init__"), &owner, 0);
    if (init && init->type == PYV_FUNCTION)
        command_take_parameters(machine, &given, init, &arguments);
    else
        take_fields(machine, &given, callee, &arguments, 0);
    struct py_value *object = py_call(machine, callee, &arguments);
    /* A base outside the project declares further options. */
    if (object->type == PYV_OBJECT && !prefix.len && !init &&
        py_name_ends(py_library_base(callee, 0), "Arguments"))
        py_merge(machine, object, given.words, false);
    if (object->type == PYV_OBJECT && !init)
        note_fields(machine, object);
    return object;
}

/* Evaluates calls such as tyro.cli(X), simple_parsing.parse(X), CLI(f) and
 * Fire(f). */
static struct py_value *cli(struct py_machine *machine, struct py_call *call)
{
    struct py_value *of = py_argument(call, 0, "component");
    if (!of)
        of = py_argument(call, -1, "config_class");
    if (of && of->type == PYV_DICT && machine->words->n) {
        /* as in fire.Fire({"train": f}) */
        of = py_map_get(of->map, machine->words->at[0].value->text);
    }
    if (!of || (of->type != PYV_FUNCTION && of->type != PYV_CLASS))
        return machine->unknown;
    struct py_value *path =
        py_map_find(py_command_words(machine)->map, "config_path");
    struct py_value *file =
        py_is_text(path) ? py_read_config(machine, path->text) : NULL;
    struct py_value *plain = py_argument(call, -1, "default");
    if (!file && plain && plain->type == PYV_OBJECT)
        file = plain;
    struct py_value *made = py_from_command(machine, of, commands_none, file);
    return made;
}

/* Evaluates fire.Fire(), which without an argument calls the function, or makes
 * an object of the class, that the first word of the command names. */
static struct py_value *fire(struct py_machine *machine, struct py_call *call)
{
    if (call->arguments.n || !machine->words->n)
        return cli(machine, call);
    struct py_value *named = py_map_get(&machine->file->scope.names,
                                        machine->words->at[0].value->text);
    return named && (named->type == PYV_FUNCTION || named->type == PYV_CLASS)
               ? py_from_command(machine, named, commands_none, NULL)
               : machine->unknown;
}

/* Returns the values of the configuration file that the call or the command
 * names, for the parsers of data classes that take one; for parse_dict, a copy
 * of its dictionary. Returns NULL if there is none. */
static struct py_value *named_config(struct py_machine *machine,
                                     const struct py_call *call)
{
    const struct py_value *path = py_argument(call, 0, "json_file");
    struct py_value *words = py_command_words(machine), *file = NULL;
    if (path && path->type == PYV_DICT) /* as in parse_dict(values) */
        return py_copy(machine, path, 0);
    if (!path)
        path = py_argument(call, -1, "yaml_file");
    if (!path)
        path = py_map_find(words->map, "config");
    if (!path && words->map->n && !words->map->at[0].key.len)
        path = words->map->at[0].value;
    if (py_is_text(path))
        file = py_read_config(machine, path->text);
    return file && file->type == PYV_DICT ? file : NULL;
}

/* Evaluates HfArgumentParser((A, B)).parse_args_into_dataclasses() and the
 * like. */
static struct py_value *into_dataclasses(struct py_machine *machine,
                                         struct py_call *call)
{
    const struct py_call *made = call->self ? call->self->call : NULL;
    struct py_value *of = made ? py_argument(made, 0, "dataclass_types") : NULL;
    struct py_value *list = py_list_value(machine);
    struct py_value *file = named_config(machine, call);
    if (!of)
        return NULL;
    if (of->type != PYV_LIST) {
        struct py_value *one = of;
        of = py_list_value(machine);
        py_map_set(of->map, machine->arena, commands_none, one);
    }
    for (size_t i = 0; i < of->map->n; i++) {
        struct py_value *class = of->map->at[i].value;
        struct py_value *object =
            py_from_command(machine, class, commands_none, file);
        if (file && object->type == PYV_OBJECT &&
            (class->type == PYV_LIBRARY || py_library_base(class, 0).len))
            for (size_t k = 0; k < file->map->n; k++) {
                const struct py_item *item = &file->map->at[k];
                if (!py_map_get(object->map, item->key))
                    py_map_set(object->map, machine->arena, item->key,
                               item->value);
            }
        py_map_set(list->map, machine->arena, commands_none, object);
    }
    for (size_t i = 0; file && i < file->map->n; i++)
        py_note(machine, file->map->at[i].key, file->map->at[i].value);
    return list;
}

struct py_value *py_command_library(struct py_machine *machine,
                                    struct py_call *call)
{
    static const struct py_library_row rows[] = {
        {"tyro.cli", cli},
        {"simple_parsing.parse", cli},
        {"draccus.parse", cli},
        {"pyrallis.parse", cli},
        {"jsonargparse.CLI", cli},
        {"jsonargparse.auto_cli", cli},
        {"auto_cli", cli},
        {"CLI", cli},
        {"argbind.cli", cli},
        {"fire.Fire", fire},
        {"Fire", fire},
        {"parse_args_into_dataclasses", into_dataclasses},
        {"parse_args_and_config", into_dataclasses},
        {"parse_dict", into_dataclasses},
        {"parse_json_file", into_dataclasses},
        {"parse_yaml_file", into_dataclasses}};
    return py_by_rows(machine, call, rows, sizeof rows / sizeof *rows);
}

/* What decorators of click, typer and Hydra and flags of absl mean, and the
 * calls of functions with values of the command. */

static const struct text click_none = {"", 0};

/* Evaluates absl.flags.DEFINE_integer("name", default, ...) and the like.
 * Returns NULL for any other call. */
static struct py_value *define_flag(struct py_machine *machine,
                                    struct py_call *call)
{
    struct text kind = py_last_name(call->name);
    struct py_value *name = py_argument(call, 0, "name");
    struct py_value *value = py_argument(call, 1, "default");
    if (!text_starts(kind, "DEFINE_") || !py_is_text(name))
        return NULL;
    struct py_value *words = py_command_words(machine);
    struct py_value *given = py_map_get(words->map, name->text);
    bool config = text_starts(kind, "DEFINE_config_");
    if (config && given && py_is_text(given))
        value = given;
    else if (given && !config)
        value = given;
    else if (py_is_scalar(value))
        value = py_with_source(machine, value, value->where, SETTING_DECLARED);
    if (config && value)
        value = py_config_flag(machine, name->text, value, words);
    py_note_read(machine, name->text, value);
    if (value)
        py_map_set(&machine->flags, machine->arena, name->text, value);
    return machine->none;
}

/* Returns the configuration that the value of an option for configurations
 * means: a text FILE:ARGUMENT, or a dictionary. The options --NAME.key of the
 * command are set in it, and it is added to machine->loaded. Returns `value` if
 * there is no such file or it has no get_config. */
static struct py_value *py_config_flag(struct py_machine *machine,
                                       struct text name, struct py_value *value,
                                       const struct py_value *words)
{
    struct py_value *config = value;
    if (py_is_text(value)) {
        /* config.py:argument calls get_config(argument) */
        struct text argument, path = text_split(value->text, ':', &argument);
        const char *found =
            machine->host->find(machine->host->self, NULL,
                                arena_copy(machine->arena, path.at, path.len));
        struct py_file *file = found ? py_load(machine, found) : NULL;
        struct py_value *get =
            file ? py_map_find(&file->scope.names, "get_config") : NULL;
        if (!get)
            return value;
        config = py_call_with(machine, get,
                              argument.len ? py_text_value(machine, argument)
                                           : NULL);
    }
    if (config->type != PYV_DICT && config->type != PYV_OBJECT)
        return config;
    py_mark_config(machine, config, 0);
    py_map_set(&machine->loaded, machine->arena, click_none, config);
    struct text prefix = py_join(machine->arena, name, ".", click_none);
    for (size_t i = 0; i < words->map->n; i++) {
        struct text key = words->map->at[i].key;
        if (key.len > prefix.len && memcmp(key.at, prefix.at, prefix.len) == 0)
            py_set_dotted(machine, config, text_skip(key, prefix.len),
                          words->map->at[i].value);
    }
    return config;
}

/* Calls a function of click or typer with the values of its options. */
static struct py_value *run_options(struct py_machine *machine,
                                    struct py_value *function,
                                    const struct py_value *calls)
{
    struct py_value *values = py_parse_options(machine, calls->map);
    for (size_t i = 0; i < values->map->n; i++)
        py_note_read(machine, values->map->at[i].key, values->map->at[i].value);
    return py_run(machine, function, values->map);
}

void py_decorated(struct py_machine *machine, struct py_value *decorator,
                  struct py_value *value)
{
    struct py_call *call =
        decorator->type == PYV_OBJECT ? decorator->call : NULL;
    if (!call || !value->map)
        return;
    if (py_name_ends(call->name, "option") ||
        py_name_ends(call->name, "click.argument")) {
        struct py_value *list = py_map_find(value->map, "%options");
        if (!list) {
            list = py_list_value(machine);
            py_map_set(value->map, machine->arena, text_from("%options"), list);
        }
        py_map_set(list->map, machine->arena, click_none, decorator);
    }
    if (py_name_ends(call->name, "register_module") ||
        py_name_ends(call->name, "register")) {
        const struct py_value *name = py_argument(call, 0, "name");
        py_map_set(&machine->registry, machine->arena,
                   py_is_text(name) ? name->text : value->text, value);
    }
}

struct py_value *py_command_call(struct py_machine *machine,
                                 struct py_value *function,
                                 const struct py_map *arguments)
{
    if (arguments->n || !function->map || function->node->kind != PY_DEF)
        return NULL;
    const struct py_value *calls = py_map_find(function->map, "%options");
    const struct py_value *main = py_map_find(function->map, "@main");
    const struct py_value *wrap = py_map_find(function->map, "@wrap");
    if (main && main->call) {
        struct py_map all = {.maybe = machine->maybe};
        py_map_set(&all, machine->arena, click_none,
                   py_hydra_compose(machine, main->call));
        return py_run(machine, function, &all);
    }
    if (calls)
        return run_options(machine, function, calls);
    const struct py_node *first = function->node->a;
    if (wrap && first && first->a) {
        struct py_value *class =
            py_evaluate(machine, first->a, function->scope);
        struct py_value *path =
            py_map_find(py_command_words(machine)->map, "config_path");
        struct py_value *file =
            py_is_text(path) ? py_read_config(machine, path->text) : NULL;
        struct py_map all = {.maybe = machine->maybe};
        py_map_set(&all, machine->arena, click_none,
                   py_from_command(machine, class, click_none, file));
        return py_run(machine, function, &all);
    }
    return NULL;
}

/* Evaluates typer.run(f). */
static struct py_value *typer_run(struct py_machine *machine,
                                  struct py_call *call)
{
    struct py_value *of = py_argument(call, 0, "function");
    return of && of->type == PYV_FUNCTION
               ? py_from_command(machine, of, click_none, NULL)
               : NULL;
}

struct py_value *py_click_call(struct py_machine *machine, struct py_call *call)
{
    static const struct py_library_row rows[] = {{"typer.run", typer_run}};
    struct py_value *value =
        py_by_rows(machine, call, rows, sizeof rows / sizeof *rows);
    return value ? value : define_flag(machine, call);
}
