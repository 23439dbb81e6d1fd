/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "schedmate/live/action_book.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/ascii.h"

struct action_book {
    json_t *rows;
};

enum { MARKS = 3 };
static const char *const action_book_marks[MARKS] = {"{job}", "{node}",
                                                     "{log}"};

static const char *book_value_of(const struct action_names *names, size_t mark)
{
    const char *const all[MARKS] = {names->job, names->node, names->log};
    return all[mark];
}

/* Returns the mark that begins at `word`; MARKS if none does. */
static size_t mark_at(const char *word)
{
    size_t i = 0;
    while (i < MARKS && strncmp(word, action_book_marks[i],
                                strlen(action_book_marks[i])) != 0)
        i++;
    return i;
}

/* Refuses a word in braces that is not a mark, such as {nod}, because it is
 * most likely a misspelt one. */
static enum status check_marks(const char *path, const char *name,
                               const char *word, struct error *err)
{
    for (const char *at = word; (at = strchr(at, '{')); at++) {
        size_t n = 1;
        while (ascii_is_letter(at[n]) || at[n] == '_')
            n++;
        if (n == 1 || at[n] != '}' || mark_at(at) < MARKS)
            continue;
        const char *near =
            text_nearest((struct text){at, n + 1}, action_book_marks, MARKS);
        return error_set(err, STATUS_BAD_INPUT,
                         "%s: %s: no value '%.*s'; %s%s%s", path, name,
                         (int)(n + 1 < 40 ? n + 1 : 40), at,
                         near ? "did you mean '"
                              : "there are {job}, {node} "
                                "and {log}",
                         near ? near : "", near ? "'?" : "");
    }
    return STATUS_OK;
}

static enum status book_check_words(const char *path, const char *name,
                                    const json_t *row, struct error *err)
{
    size_t i, n = json_array_size(row);
    const json_t *word;
    bool good = n > 0 && n <= ACTION_WORDS_MAX;
    enum status st = STATUS_OK;
    json_array_foreach(row, i, word) good &= json_is_string(word);
    if (!good || !*json_string_value(json_array_get(row, 0)))
        return error_set(err, STATUS_BAD_INPUT,
                         "%s: %s: expected a list of 1 to %d strings", path,
                         name, ACTION_WORDS_MAX);
    json_array_foreach(row, i, word)
    {
        if (st == STATUS_OK)
            st = check_marks(path, name, json_string_value(word), err);
    }
    return st;
}

static enum status book_unknown(const char *path, const char *what,
                                const char *found, const char *const *names,
                                size_t n, struct error *err)
{
    const char *near = text_nearest(text_from(found), names, n);
    return error_set(err, STATUS_BAD_INPUT, "%s: no %s '%.60s'%s", path, what,
                     found, text_suggest(near).words);
}

/* Checks {"command": [...], "confirm": [...], "disruptive": true}. */
static enum status check_object(const char *path, const char *name,
                                const json_t *row, struct error *err)
{
    static const char *const keys[] = {"command", "confirm", "disruptive"};
    const char *key;
    json_t *value;
    enum status st = STATUS_OK;
    if (!json_object_get(row, "command"))
        return error_set(err, STATUS_BAD_INPUT, "%s: %s: expected \"command\"",
                         path, name);
    json_object_foreach((json_t *)(uintptr_t)row, key, value)
    {
        bool words = strcmp(key, keys[0]) == 0 || strcmp(key, keys[1]) == 0;
        if (st != STATUS_OK)
            break;
        if (words)
            st = book_check_words(path, name, value, err);
        else if (strcmp(key, keys[2]) != 0)
            st = book_unknown(path, "key", key, keys, 3, err);
        else if (!json_is_boolean(value))
            st = error_set(err, STATUS_BAD_INPUT,
                           "%s: %s: disruptive: expected true or false", path,
                           name);
    }
    return st;
}

static enum status book_check_row(const char *path, const char *name,
                                  const json_t *row, struct error *err)
{
    bool known = strcmp(name, "confirm") == 0;
    for (size_t k = 0; handler_actions[k]; k++)
        known |= strcmp(handler_actions[k], name) == 0;
    if (!known)
        return book_unknown(path, "action", name, handler_actions, N_ACTIONS,
                            err);
    return json_is_object(row) && strcmp(name, "confirm") != 0
               ? check_object(path, name, row, err)
               : book_check_words(path, name, row, err);
}

enum status action_book_read(const char *path, struct action_book **out,
                             struct error *err)
{
    const char *name;
    json_t *row;
    enum status st = STATUS_OK;
    json_t *rows = json_read_file(path, err);
    if (!rows)
        return STATUS_BAD_INPUT;
    if (!json_is_object(rows))
        st = error_set(err, STATUS_BAD_INPUT,
                       "%s: expected an object of actions", path);
    json_object_foreach(rows, name, row)
    {
        st = book_check_row(path, name, row, err);
        if (st != STATUS_OK)
            break;
    }
    if (st != STATUS_OK) {
        json_decref(rows);
        return st;
    }
    *out = mem_zalloc(1, sizeof **out);
    (*out)->rows = rows;
    return STATUS_OK;
}

void action_book_free(struct action_book *book)
{
    if (!book)
        return;
    json_decref(book->rows);
    free(book);
}

static const json_t *command_of(const struct action_book *book,
                                enum handler_action action)
{
    const json_t *row = json_object_get(book->rows, handler_actions[action]);
    return json_is_object(row) ? json_object_get(row, "command") : row;
}

static const json_t *check_of(const struct action_book *book,
                              enum handler_action action)
{
    const json_t *row = json_object_get(book->rows, handler_actions[action]);
    const json_t *own = json_object_get(row, "confirm");
    return own ? own : json_object_get(book->rows, "confirm");
}

/* Returns one argument with the names filled in. */
static json_t *book_fill(const char *word, const struct action_names *names)
{
    struct out *out = out_to_memory();
    while (*word) {
        size_t mark = mark_at(word);
        if (mark == MARKS) {
            out_char(out, *word++);
            continue;
        }
        const char *value = book_value_of(names, mark);
        out_text(out, value ? value : "");
        word += strlen(action_book_marks[mark]);
    }
    out_char(out, 0);
    json_t *value = json_text(out_memory(out).at);
    out_abandon(out);
    return value;
}

static json_t *fill_all(const json_t *words, const struct action_names *names)
{
    size_t i;
    const json_t *word;
    if (!words)
        return NULL;
    json_t *argv = json_array();
    json_array_foreach(words, i, word)
        json_array_append_new(argv, book_fill(json_string_value(word), names));
    return argv;
}

json_t *action_command(const struct action_book *book,
                       enum handler_action action,
                       const struct action_names *names)
{
    return fill_all(command_of(book, action), names);
}

json_t *action_check(const struct action_book *book, enum handler_action action,
                     const struct action_names *names)
{
    return fill_all(check_of(book, action), names);
}

bool action_book_disrupts(const struct action_book *book,
                          enum handler_action action, bool otherwise)
{
    const json_t *row = json_object_get(book->rows, handler_actions[action]);
    const json_t *said = json_object_get(row, "disruptive");
    return said ? json_is_true(said) : otherwise;
}

/* Returns why a value cannot be a part of a command; NULL: it can. */
static const char *book_fault_of(const char *value)
{
    if (!value || !*value)
        return "is empty or not given";
    if (*value == '-')
        return "begins with '-', as an option does";
    if (strlen(value) > ACTION_VALUE_MAX)
        return "is too long";
    for (const char *c = value; *c; c++) {
        if (!ascii_is_alnum(*c) && !strchr("._:,@%+=/[]-", *c))
            return "has a character other than letters, digits and "
                   "._:,@%+=/[]-";
    }
    return NULL;
}

void action_book_refuses(const struct action_book *book,
                         enum handler_action action,
                         const struct action_names *names, json_t *out)
{
    const json_t *const lists[] = {command_of(book, action),
                                   check_of(book, action)};
    for (size_t mark = 0; mark < MARKS; mark++) {
        const char *fault = book_fault_of(book_value_of(names, mark));
        bool used = false;
        size_t i;
        const json_t *word;
        for (size_t k = 0; k < 2; k++) {
            json_array_foreach(lists[k], i, word) used |=
                strstr(json_string_value(word), action_book_marks[mark]) !=
                NULL;
        }
        char why[160];
        snprintf(why, sizeof why, "%s %s", action_book_marks[mark],
                 fault ? fault : "");
        if (used && fault)
            json_array_append_new(out, json_text(why));
    }
}

bool action_book_is_safe(const char *path)
{
    struct stat at;
    return stat(path, &at) == 0 && (at.st_mode & (S_IWGRP | S_IWOTH)) == 0 &&
           (at.st_uid == 0 || at.st_uid == geteuid());
}
