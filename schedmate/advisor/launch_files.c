/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Follows what a launch command names: targets of a Makefile or a justfile,
 * entry points. */

#include <stdio.h>
#include <string.h>

#include "base/ascii.h"
#include "base/out.h"
#include "schedmate/advisor/advisor_internal.h"
#include "schedmate/advisor/launch_internal.h"
#include "schedmate/advisor/library_modules.h"

enum {
    VARIABLES_MAX = 200,
    TARGETS_MAX = 400,
    /* largest number of prerequisites of a target that are followed */
    NEEDED_MAX = 16,
    LAUNCH_FILES_NESTED_MAX =
        6, /* largest depth of prerequisites and of variables */
    RECIPE_MAX = 1 << 16,
    LAUNCH_FILES_STEPS =
        100, /* steps of the budget that reading a file costs */
};

struct launch_files_target {
    struct text name, needs; /* needs: prerequisites, or parameters of just */
    size_t from; /* offset in rules_file.text of the line after the target's */
    size_t line; /* number of that line, from 1 */
};

/* A Makefile or a justfile. */
struct rules_file {
    struct launch_finder *finder;
    const struct launch_context *context;
    const char *path;
    struct text text;
    bool is_just;
    struct {
        struct text name, value;
        bool fixed; /* true: assignments in the file do not change it */
    } variables[VARIABLES_MAX];
    size_t n_variables;
    struct launch_files_target targets[TARGETS_MAX];
    size_t n_targets;
    size_t left; /* number of targets that may still be followed */
};

static void launch_files_set_variable(struct rules_file *f, struct text name,
                                      struct text value, bool fixed, bool weak)
{
    size_t i = 0;
    while (i < f->n_variables && !text_equal(f->variables[i].name, name))
        i++;
    if (i == VARIABLES_MAX ||
        (i < f->n_variables && (weak || (f->variables[i].fixed && !fixed))))
        return;
    f->n_variables += i == f->n_variables;
    f->variables[i].name = name;
    f->variables[i].value = value;
    f->variables[i].fixed = fixed;
}

static bool is_name(struct text t)
{
    for (size_t i = 0; i < t.len; i++) {
        if (!ascii_is_name(t.at[i]) && t.at[i] != '-')
            return false;
    }
    return t.len > 0;
}

/* Reads NAME = value, NAME := value, NAME ?= value, and NAME += value, which
 * counts as NAME = value. Returns false for any other line. */
static bool launch_files_take_variable(struct rules_file *f, struct text line)
{
    struct text value, name = text_split(line, '=', &value);
    if (name.len == line.len)
        return false;
    char last = text_char(name, name.len - 1);
    while (name.len && strchr(":?+", name.at[name.len - 1]))
        name.len--;
    name = text_trim(name);
    if (text_starts(name, "export "))
        name = text_trim(text_skip(name, 7));
    if (!is_name(name))
        return false;
    value = text_trim(value);
    char quote = text_char(value, 0);
    if (f->is_just && value.len >= 2 && (quote == '"' || quote == '\'') &&
        value.at[value.len - 1] == quote)
        value = (struct text){value.at + 1, value.len - 2};
    launch_files_set_variable(f, name, value, false, last == '?');
    return true;
}

static void take_target(struct rules_file *f, struct text line, size_t at,
                        size_t number)
{
    struct text needs, name = text_split(line, ':', &needs), rest;
    if (name.len == line.len || f->n_targets == TARGETS_MAX)
        return;
    if (text_char(name, 0) == '@')
        name = text_skip(name, 1); /* a quiet recipe of just */
    struct text parameters = {"", 0};
    if (f->is_just) {
        name = text_split(text_trim(name), ' ', &parameters);
        needs = parameters;
    }
    for (name = text_trim(name); name.len; name = text_trim(rest)) {
        struct text one = text_split(name, ' ', &rest);
        if (f->n_targets < TARGETS_MAX && one.len)
            f->targets[f->n_targets++] = (struct launch_files_target){
                one, text_trim(needs), at, number + 1};
    }
}

static void read_rules(struct rules_file *f)
{
    struct text rest = f->text;
    for (size_t number = 1; rest.len; number++) {
        struct text line = text_split(rest, '\n', &rest);
        size_t at = f->text.len - rest.len;
        if (line.len == 0 || line.at[0] == '\t' || line.at[0] == ' ' ||
            line.at[0] == '#' ||
            (line.at[0] == '.' && ascii_is_upper(text_char(line, 1))))
            continue;
        line = text_trim(settings_without_comment(line));
        if (!launch_files_take_variable(f, line))
            take_target(f, line, at, number);
    }
}

static struct text launch_files_value_of(const struct rules_file *f,
                                         struct text name)
{
    for (size_t i = 0; i < f->n_variables; i++) {
        if (text_equal(f->variables[i].name, name))
            return f->variables[i].value;
    }
    return (struct text){NULL, 0};
}

static void launch_files_write_line(struct rules_file *f,
                                    const struct launch_files_target *target,
                                    struct text line, int depth,
                                    struct out *out);

/* Writes what $(NAME), ${NAME}, $@, $< or $$ stands for, or carries out $(eval
 * NAME := value). An unknown name stays a reference, any other dollar sign
 * stays as it is. `t` begins after the dollar sign. Returns the number of
 * characters that were read. */
static size_t write_reference(struct rules_file *f,
                              const struct launch_files_target *target,
                              struct text t, int depth, struct out *out)
{
    char c = text_char(t, 0);
    struct text rest;
    if (c == '$') {
        out_char(out, '$');
        return 1;
    }
    if (c == '@') {
        out_bytes(out, target->name.at, target->name.len);
        return 1;
    }
    if (c == '<') {
        struct text first = text_split(target->needs, ' ', &rest);
        out_bytes(out, first.at, first.len);
        return 1;
    }
    if (c != '(' && c != '{') {
        out_text(out, "$");
        return 0;
    }
    size_t end = shell_bracket_end(t, 0);
    struct text name =
        text_trim((struct text){t.at + 1, end >= 2 ? end - 2 : 0});
    struct text value = launch_files_value_of(f, name);
    if (text_starts(name, "eval ")) /* $(eval NAME := value) */
        launch_files_take_variable(f, text_trim(text_skip(name, 5)));
    else if (value.at && depth < LAUNCH_FILES_NESTED_MAX)
        launch_files_write_line(f, target, value, depth + 1, out);
    else if (is_name(name))
        out_printf(out, "${%.*s}", TEXT_ARGS(name));
    else
        out_text(out, "${UNKNOWN}");
    return end;
}

static size_t write_just(struct rules_file *f, struct text t, int depth,
                         const struct launch_files_target *target,
                         struct out *out)
{
    const char *close = memmem(t.at, t.len, "}}", 2);
    size_t end = close ? (size_t)(close - t.at) : t.len;
    struct text name = text_trim((struct text){t.at + 2, end - 2});
    struct text value = launch_files_value_of(f, name);
    if (value.at && depth < LAUNCH_FILES_NESTED_MAX)
        launch_files_write_line(f, target, value, depth + 1, out);
    else
        out_printf(out, "${%.*s}", TEXT_ARGS(name));
    return end + 2 > t.len ? t.len : end + 2;
}

static void launch_files_write_line(struct rules_file *f,
                                    const struct launch_files_target *target,
                                    struct text line, int depth,
                                    struct out *out)
{
    for (size_t i = 0; i < line.len && out_memory(out).len < RECIPE_MAX;) {
        struct text rest = text_skip(line, i);
        if (f->is_just && text_starts(rest, "{{")) {
            i += write_just(f, rest, depth, target, out);
        } else if (!f->is_just && line.at[i] == '$') {
            i += 1 + write_reference(f, target, text_skip(rest, 1), depth, out);
        } else {
            out_char(out, line.at[i++]);
        }
    }
}

static bool launch_files_is_recipe(const struct rules_file *f, struct text line)
{
    char c = text_char(line, 0);
    return c == '\t' || line.len == 0 || (f->is_just && c == ' ');
}

/* Follows the commands of a target as a shell script whose lines have the
 * numbers that they have in the file. */
static void follow_recipe(struct rules_file *f,
                          const struct launch_files_target *target,
                          struct launch_words args)
{
    struct text rest = text_skip(f->text, target->from);
    struct out *out = out_to_memory();
    bool goes_on = false; /* true if a backslash ends the line before */
    for (size_t i = 1; i < target->line; i++)
        out_char(out, '\n');
    while (rest.len && out_memory(out).len < RECIPE_MAX) {
        struct text line = text_split(rest, '\n', &rest);
        if (!launch_files_is_recipe(f, line))
            break;
        line = text_trim(line);
        while (!goes_on && line.len && strchr("@-+", line.at[0]))
            line = text_skip(line, 1);
        goes_on = line.len && line.at[line.len - 1] == '\\';
        if (text_starts(line, "#!"))
            line.len = 0;
        launch_files_write_line(f, target, line, 0, out);
        out_char(out, '\n');
    }
    struct text text = out_memory(out);
    text.at = arena_copy(f->finder->arena, text.at, text.len);
    out_abandon(out);
    launch_follow(f->finder, f->context, f->path, text, args);
}

static void follow_target(struct rules_file *f, struct text name, int depth,
                          struct launch_words args);

static void follow_needs(struct rules_file *f,
                         const struct launch_files_target *target, int depth)
{
    struct text rest = target->needs, need;
    for (int i = 0; rest.len && i < NEEDED_MAX; i++) {
        need = text_split(rest, ' ', &rest);
        if (need.len)
            follow_target(f, need, depth + 1, (struct launch_words){0});
    }
}

/* Sets the parameters of a recipe of just (NAME, NAME="default", *NAME, +NAME)
 * to the arguments, or to their defaults. */
static void set_parameters(struct rules_file *f,
                           const struct launch_files_target *target,
                           struct launch_words args)
{
    struct text rest = target->needs, value;
    for (size_t i = 0; rest.len; i++) {
        struct text word = text_split(rest, ' ', &rest);
        struct text name = text_split(word, '=', &value);
        bool all = name.len && strchr("*+", name.at[0]);
        if (all)
            name = text_skip(name, 1);
        if (value.len >= 2 && strchr("'\"", value.at[0]))
            value = (struct text){value.at + 1, value.len - 2};
        if (i < args.n && !all)
            value = text_from(args.at[i]);
        struct out *out = out_to_memory();
        for (size_t k = i; all && k < args.n; k++)
            out_printf(out, "'%s' ", args.at[k]);
        if (all && i < args.n) {
            value = out_memory(out);
            value.at = arena_copy(f->finder->arena, value.at, value.len);
        }
        out_abandon(out);
        if (name.len)
            launch_files_set_variable(
                f, name, value.at ? value : (struct text){"", 0}, true, false);
    }
}

static void follow_target(struct rules_file *f, struct text name, int depth,
                          struct launch_words args)
{
    for (size_t i = 0; i < f->n_targets && f->left > 0; i++) {
        const struct launch_files_target *target = &f->targets[i];
        if (!text_equal(target->name, name) || depth > LAUNCH_FILES_NESTED_MAX)
            continue;
        f->left--;
        if (f->is_just)
            set_parameters(f, target, args);
        else
            follow_needs(f, target, depth);
        follow_recipe(f, target, args);
    }
}

/* Sets the variables that arguments NAME=value give. */
static void take_arguments(struct rules_file *f, struct launch_words words)
{
    for (size_t i = 1; i < words.n; i++) {
        struct text value,
            name = text_split(text_from(words.at[i]), '=', &value);
        if (words.at[i][0] != '-' && words.at[i][name.len] == '=')
            launch_files_set_variable(f, name, value, true, false);
    }
}

/* Follows the targets that are given as arguments, or the first target of the
 * file. The words after a target of just are its own arguments. */
static void follow_arguments(struct rules_file *f, struct launch_words words)
{
    bool any = false;
    for (size_t i = 1; i < words.n; i++) {
        const char *word = words.at[i];
        if (launch_listed("-C -f -j --directory --file", word)) {
            i++;
        } else if (word[0] != '-' && !strchr(word, '=')) {
            any = true;
            follow_target(
                f, text_from(word), 0,
                (struct launch_words){words.at + i + 1, words.n - i - 1});
            if (f->is_just)
                return;
        }
    }
    if (!any && f->n_targets)
        follow_target(f, f->targets[0].name, 0, (struct launch_words){0});
}

/* Sets $(MAKE) to `make` with the variables of the command line. */
static void set_make(struct rules_file *f)
{
    struct out *out = out_to_memory();
    out_text(out, "make");
    for (size_t i = 0; i < f->n_variables; i++) {
        out_printf(out, " %.*s='", TEXT_ARGS(f->variables[i].name));
        out_bytes(out, f->variables[i].value.at, f->variables[i].value.len);
        out_char(out, '\'');
    }
    struct text make = out_memory(out);
    make.at = arena_copy(f->finder->arena, make.at, make.len);
    out_abandon(out);
    launch_files_set_variable(f, text_from("MAKE"), make, true, false);
}

bool launch_target(struct launch_finder *finder,
                   const struct launch_context *context,
                   struct launch_words words)
{
    static const char *const makefiles[] = {"Makefile", "makefile",
                                            "GNUmakefile", NULL};
    static const char *const justfiles[] = {"justfile", "Justfile", ".justfile",
                                            NULL};
    const char *base = launch_base(words.at[0]);
    bool is_just = strcmp(base, "just") == 0;
    if (!is_just && strcmp(base, "make") != 0 && strcmp(base, "gmake") != 0)
        return false;
    if (finder->budget.steps < LAUNCH_FILES_STEPS)
        return true;
    finder->budget.steps -= LAUNCH_FILES_STEPS;
    struct rules_file *f = ARENA_NEW(finder->arena, struct rules_file);
    struct launch_context *own =
        ARENA_NEW(finder->arena, struct launch_context);
    *own = *context;
    *f = (struct rules_file){
        .finder = finder, .context = own, .is_just = is_just, .left = 40};
    const char *const *names = is_just ? justfiles : makefiles;
    const char *named[] = {NULL, NULL};
    for (size_t i = 1; i + 1 < words.n; i++) {
        if (launch_listed("-C --directory", words.at[i]))
            own->dir = shell_path(context->dir, words.at[i + 1], finder->arena);
        if (launch_listed("-f --file --justfile", words.at[i]))
            named[0] = words.at[i + 1];
    }
    names = named[0] ? named : names;
    while (*names && !f->path) {
        if (!launch_read_file(finder, own->dir, *names, &f->path, &f->text))
            f->path = NULL;
        names++;
    }
    if (f->path) {
        take_arguments(f, words);
        set_make(f);
        read_rules(f);
        follow_arguments(f, words);
    }
    return true;
}

/* Finds the entry points and tasks that a package declares in pyproject.toml,
 * setup.cfg, setup.py and pixi.toml, and the modules that describe installed
 * programs. */

/* Returns the module of "package.module:function"; the text itself if it is a
 * command. */
static const char *launch_files_module_of(const char *value,
                                          struct arena *arena)
{
    size_t n = strcspn(value, ":");
    for (size_t i = 0; i < n; i++) {
        if (!ascii_is_name(value[i]) && value[i] != '.')
            return value;
    }
    return arena_copy(arena, value, n);
}

/* True for a key that declares the entry point or task `name`, such as
 * project.scripts.NAME or tool.pixi.tasks.NAME.cmd. */
static bool is_entry(const char *key, const char *name)
{
    static const char *const groups[] = {"scripts.", "tasks.",
                                         "console_scripts."};
    size_t n = strlen(name);
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++) {
        const char *at = strstr(key, groups[i]);
        const char *end = at ? at + strlen(groups[i]) : NULL;
        if (at && (at == key || at[-1] == '.') && strncmp(end, name, n) == 0 &&
            (end[n] == '\0' || strcmp(end + n, ".cmd") == 0 ||
             strcmp(end + n, ".shell") == 0 || strcmp(end + n, ".script") == 0))
            return true;
    }
    return false;
}

static const char *in_toml(struct launch_finder *finder, const char *path,
                           const char *name)
{
    struct settings settings;
    struct text text;
    const char *found, *value = NULL;
    char key[64];
    size_t n = 0;
    if (strlen(name) >= sizeof key ||
        !launch_read_file(finder, "", path, &found, &text))
        return NULL;
    for (; name[n]; n++)
        key[n] = name[n] == '-' ? '_' : ascii_lower(name[n]);
    key[n] = '\0';
    settings_init(&settings, finder->arena);
    conf_settings(text, "pyproject.toml", &settings);
    for (size_t i = 0; i < settings.n && !value; i++) {
        if (is_entry(settings.at[i].key, key))
            value = settings.at[i].value;
    }
    settings_fini(&settings);
    return value ? launch_files_module_of(value, finder->arena) : NULL;
}

/* Returns the module of "= package.module:function" at `at`; NULL if `at` has
 * no such text. */
static const char *declared(const char *at, const char *end,
                            struct arena *arena)
{
    size_t len = 0;
    while (at < end && *at == ' ')
        at++;
    if (at == end || *at != '=')
        return NULL;
    for (at++; at < end && *at == ' ';)
        at++;
    while (at + len < end && (ascii_is_name(at[len]) || at[len] == '.'))
        len++;
    return len && at + len < end && at[len] == ':' ? arena_copy(arena, at, len)
                                                   : NULL;
}

/* Returns the module of "name = package.module:function" in setup.py or
 * setup.cfg; NULL if the file has no such text. */
static const char *in_setup(struct launch_finder *finder, const char *path,
                            const char *name)
{
    struct text text;
    const char *found, *module;
    size_t n = strlen(name);
    if (!launch_read_file(finder, "", path, &found, &text) || !text.len)
        return NULL;
    const char *end = text.at + text.len, *hit = text.at;
    while ((hit = memmem(hit, (size_t)(end - hit), name, n))) {
        bool starts = hit == text.at || strchr("\"' \t\n,[", hit[-1]);
        module = starts ? declared(hit + n, end, finder->arena) : NULL;
        if (module)
            return module;
        hit += n;
    }
    return NULL;
}

/* Returns the name of the module that describes an installed program; NULL if
 * none does. */
static const char *installed(struct launch_finder *finder, const char *name)
{
    static const char prefix[] = "program.";
    for (size_t i = 0; library_modules[i].name; i++) {
        const char *module = library_modules[i].name;
        if (strncmp(module, prefix, sizeof prefix - 1) == 0 &&
            strcmp(module + sizeof prefix - 1, name) == 0)
            return arena_copy(finder->arena, module, strlen(module));
    }
    return NULL;
}

const char *launch_entry(struct launch_finder *finder, const char *name)
{
    const char *entry = NULL;
    if (!finder->files || !name[0])
        return NULL;
    entry = in_toml(finder, "pyproject.toml", name);
    entry = entry ? entry : in_toml(finder, "pixi.toml", name);
    entry = entry ? entry : in_setup(finder, "setup.cfg", name);
    entry = entry ? entry : in_setup(finder, "setup.py", name);
    return entry ? entry : installed(finder, name);
}
