/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The interface between the files of the evaluator of Python. */
#ifndef SCHEDMATE_ADVISOR_PYTHON_PY_MACHINE_INTERNAL_H
#define SCHEDMATE_ADVISOR_PYTHON_PY_MACHINE_INTERNAL_H

#include "schedmate/advisor/python/py_machine.h"

/* == py_config.c: Reads configuration files as values, and merges such values.
 */

/* Returns the value of the configuration file at a path that the program names,
 * merged over its bases, which are the files under the key `_base_`,
 * `base_config` or the like. Returns NULL if there is no such file or it has no
 * value. If the value is a dictionary, adds a copy of it to machine->loaded. */
struct py_value *py_read_config(struct py_machine *machine, struct text path);

/* Returns what open(path) gives: an object that holds the path. */
struct py_value *py_open(struct py_machine *machine, struct text path);

/* Returns the value true if the project has the file, else unknown. */
struct py_value *py_exists(struct py_machine *machine, struct text path);

/* Sets the items of `from` in `into`. If `deep`, an item that is a dictionary
 * in both is merged instead of replaced. */
void py_merge(struct py_machine *machine, struct py_value *into,
              const struct py_value *from, bool deep);
/* Sets in `into` the pairs KEY VALUE or KEY=VALUE of a list; keys may be
 * dotted. Returns the value None. */
struct py_value *py_merge_list(struct py_machine *machine,
                               struct py_value *into,
                               const struct py_value *list);
/* Sets the value of a dotted key and makes the dictionaries around it that are
 * missing. */
void py_set_dotted(struct py_machine *machine, struct py_value *into,
                   struct text key, struct py_value *value);
struct py_value *py_get_dotted(const struct py_value *from, struct text key);
struct py_value *py_copy(struct py_machine *machine,
                         const struct py_value *value, unsigned depth);
/* Returns the value that a word of the command or of a file means: a truth
 * value, a number, None (also for an empty word), a list in brackets, or the
 * text without its quotes. */
struct py_value *py_plain_value(struct arena *arena, struct text word,
                                const char *where, enum setting_rank rank);
/* Replaces ${key}, ${.key}, ${oc.env:NAME,default} and ${env:NAME,default} in
 * the texts of a configuration by their values. A text with a reference that is
 * not known becomes unknown. */
void py_interpolate(struct py_machine *machine, struct py_value *root);

/* After this many steps (struct py_machine), nothing more is evaluated. */
enum { PY_STEPS_MAX = 400000 };

/* How a statement ends. */
enum py_flow { PY_GO, PY_BREAK, PY_CONTINUE, PY_LEAVE };

/* A call of a function of the project that is being evaluated. */
struct py_frame {
    struct py_value *result; /* NULL: nothing was returned yet */
    struct py_value *owner;  /* class of the method, for super(), or NULL */
    struct py_value *self;
    struct py_scope *scope;
};

/* Statements. */
enum py_flow py_execute(struct py_machine *machine, const struct py_node *list,
                        struct py_scope *scope);
/* Sets an item. If an undecided condition that is being followed began after
 * the map was made, an item that exists gets py_either of its old and its new
 * value. */
void py_set(struct py_machine *machine, struct py_map *map, struct text key,
            struct py_value *value);
/* Returns the value of something that may be `a` or `b`. If only one is known,
 * returns that one; if neither is, `a`. None and methods count as unknown. If
 * both are equal, objects of one class or functions, returns `a`; if one wraps
 * the other, the wrapper; if both are lists or both dictionaries, `a` unless it
 * is empty. Otherwise returns unknown. */
struct py_value *py_either(struct py_machine *machine, struct py_value *a,
                           struct py_value *b);
/* Definitions and imports. */
enum py_flow py_define(struct py_machine *machine, const struct py_node *node,
                       struct py_scope *scope);
enum py_flow py_define_class(struct py_machine *machine,
                             const struct py_node *node,
                             struct py_scope *scope);
enum py_flow py_import_names(struct py_machine *machine,
                             const struct py_node *node,
                             struct py_scope *scope);
enum py_flow py_import_from(struct py_machine *machine,
                            const struct py_node *node, struct py_scope *scope);
/* Returns the module of the project with this name, or the one that describes a
 * library of this name; NULL if there is neither, it cannot be loaded or the
 * steps are used up. */
struct py_value *py_import(struct py_machine *machine, struct text module);
struct py_file *py_load(struct py_machine *machine, const char *path);

/* Expressions. */
struct py_value *py_evaluate(struct py_machine *machine,
                             const struct py_node *node,
                             struct py_scope *scope);
struct py_value *py_lookup(struct py_machine *machine, struct py_scope *scope,
                           struct text name);
struct py_value *py_attribute(struct py_machine *machine,
                              struct py_value *value, struct text name);
struct py_value *py_item_at(struct py_machine *machine, struct py_value *value,
                            const struct py_value *key);

/* Prints a value as "%" or str.format does, by a conversion such as "5.2f";
 * "" and "s" mean str(value). Returns false if the value or the conversion is
 * not known. */
bool py_print(struct py_machine *machine, const struct py_value *value,
              struct text conversion, struct text *out);

/* Returns a part of a formatted text with '}' for "}}". */
struct text py_one_brace(struct py_machine *machine, struct text t);

/* Leaves each item of a list once. */
void py_once(struct py_machine *machine, struct py_map *map);

/* Makers of values. */
struct py_value *py_number_value(struct py_machine *machine, double number);
struct py_value *py_bool_value(struct py_machine *machine, bool value);
struct py_value *py_text_value(struct py_machine *machine, struct text text);
struct py_value *py_list_value(struct py_machine *machine);
struct py_value *py_dict_value(struct py_machine *machine);
struct py_value *py_library_value(struct py_machine *machine, struct text name);
/* Returns an object of the class `name` of a library. */
struct py_value *py_object_value(struct py_machine *machine, struct text name);
/* Returns a copy of the value with the source `where` and `rank`. */
struct py_value *py_with_source(struct py_machine *machine,
                                const struct py_value *value, const char *where,
                                enum setting_rank rank);
const char *py_where(struct py_machine *machine, uint32_t line);

/* Calls. */
struct py_value *py_call(struct py_machine *machine, struct py_value *callee,
                         const struct py_map *arguments);
/* Calls a function, a class or a method with one argument, or with none if
 * `first` is NULL. */
struct py_value *py_call_with(struct py_machine *machine,
                              struct py_value *callee, struct py_value *first);
struct py_value *py_method(struct py_machine *machine, struct py_value *object,
                           const char *name);
/* Runs the body of a function, whatever its decorators are. */
struct py_value *py_run(struct py_machine *machine, struct py_value *function,
                        const struct py_map *arguments);
/* Returns the attribute of a class or its bases and sets *owner to the class
 * that has it; NULL if there is none. `depth` is 0 except in recursive calls.
 */
struct py_value *py_class_attribute(const struct py_value *class,
                                    struct text name, struct py_value **owner,
                                    unsigned depth);
/* Returns the dotted name of the first base outside the project, or of the
 * class itself if it is outside; an empty text if there is none. `depth` is 0
 * except in recursive calls. */
struct text py_library_base(const struct py_value *class, unsigned depth);
/* Returns the default that a call of field, Field, Option or Argument gives,
 * unknown if it gives none; any other value unchanged. */
struct py_value *py_field_default(struct py_machine *machine,
                                  struct py_value *value);

/* Returns the result of a call of a library's function, class or method; NULL
 * if nothing is known about it. */
struct py_value *py_library_call(struct py_machine *machine,
                                 struct py_call *call);
/* Notes what a decorator of a library says of the function or class that it
 * decorates: an option or a command of click, or a name in a registry. */
void py_decorated(struct py_machine *machine, struct py_value *decorator,
                  struct py_value *value);
/* Calls a function whose arguments a decorator such as hydra.main or
 * click.command takes from the command. Returns NULL if the function has no
 * such decorator or the call has arguments. */
struct py_value *py_command_call(struct py_machine *machine,
                                 struct py_value *function,
                                 const struct py_map *arguments);
/* Returns the result of a call of a method of a text, list or dictionary, or of
 * `command` of a group of click; NULL for an unknown method. */
struct py_value *py_builtin_method(struct py_machine *machine,
                                   struct py_call *call);

/* The next four functions return the result of a call of a built-in function,
 * of a function about classes, about files and paths, and about configurations;
 * NULL for a call that is not theirs. */
struct py_value *py_function_call(struct py_machine *machine,
                                  struct py_call *call);
struct py_value *py_class_call(struct py_machine *machine,
                               struct py_call *call);
struct py_value *py_config_call(struct py_machine *machine,
                                struct py_call *call);
/* py_first returns the first argument, unknown if there is none; py_as_dict, a
 * dictionary of the arguments. */
struct py_value *py_first(struct py_machine *machine, struct py_call *call);
struct py_value *py_as_dict(struct py_machine *machine, struct py_call *call);

/* Returns the result of a call of a parser of options, such as argparse; NULL
 * for any other call. */
struct py_value *py_option_call(struct py_machine *machine,
                                struct py_call *call);

/* Return the result of a call of a library that takes options from the command:
 * the first, of fire, tyro and the like; the second, of typer and absl. Return
 * NULL for any other call. */
struct py_value *py_command_library(struct py_machine *machine,
                                    struct py_call *call);
struct py_value *py_click_call(struct py_machine *machine,
                               struct py_call *call);
/* Makes an object of a class, or calls a function, with the values that the
 * command or `config` (NULL: none) has for its parameters. In the command,
 * names begin with `prefix`; without `config` they may also lack it. A class
 * outside the project gets all options. */
struct py_value *py_from_command(struct py_machine *machine,
                                 struct py_value *callee, struct text prefix,
                                 const struct py_value *config);
/* Returns the options of the command, --key value and key=value, by name
 * without dashes and with '_' for '-'. Other words are items without a key. */
struct py_value *py_command_words(struct py_machine *machine);

/* Gives the scalars in a dictionary or list, and in those inside it, the rank
 * SETTING_CONFIG if theirs is larger. */
void py_mark_config(struct py_machine *machine, struct py_value *value,
                    unsigned depth);

/* Composes the configuration of hydra.main(config_path, config_name). */
struct py_value *py_hydra_compose(struct py_machine *machine,
                                  const struct py_call *main);

/* A function of a library. `call` returns the result of a call of it; NULL:
 * nothing is known about it. */
struct py_library_row {
    const char *name; /* the end of its dotted name */
    struct py_value *(*call)(struct py_machine *, struct py_call *);
};
/* Returns the result of the first row that fits the call and does not return
 * NULL; NULL if there is none. */
struct py_value *py_by_rows(struct py_machine *machine, struct py_call *call,
                            const struct py_library_row *rows, size_t n);

/* Calls functions that the script itself does not call. */
void py_call_later(struct py_machine *machine);

/* Reports each value of a configuration, except those in lists, by its dotted
 * key, which begins with `path`. `depth` is 0 except in recursive calls. */
void py_note_all(struct py_machine *machine, const struct py_value *value,
                 struct text path, unsigned depth);
/* As py_note, for a value that the program reads. */
void py_note_read(struct py_machine *machine, struct text name,
                  const struct py_value *value);
/* Adds a value that the program reads or assigns under a name as a setting,
 * unless one of the last settings says the same. Ignores values that are not
 * scalars or have no source, texts of more than 200 bytes, and what modules
 * that describe libraries read from one another. */
void py_note(struct py_machine *machine, struct text name,
             const struct py_value *value);

#endif
