/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads a command: splits it into words and finds the files that it names. No
 * shell takes part. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "policies/outside/child_internal.h"

/* Copies the next word to `out` without its quotes and without the backslashes
 * that protect a character. Returns the position after the word; NULL if a
 * quote is not closed. */
static const char *next_word(const char *at, char *out)
{
    char quote = '\0';
    for (; *at && (quote || (*at != ' ' && *at != '\t')); at++) {
        if (quote == *at) {
            quote = '\0';
        } else if (!quote && (*at == '\'' || *at == '"')) {
            quote = *at;
        } else {
            if (*at == '\\' && quote != '\'' && at[1])
                at++;
            *out++ = *at;
        }
    }
    *out = '\0';
    return quote ? NULL : at;
}

static bool is_file(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISREG(info.st_mode);
}

/* Replaces a relative path by an absolute one. Does not follow links, because a
 * Python interpreter finds its environment by the link through which it was
 * started. */
static void make_absolute(char **word)
{
    char cwd[PATH_MAX];
    if ((*word)[0] == '/' || !getcwd(cwd, sizeof cwd))
        return;
    size_t size = strlen(cwd) + strlen(*word) + 2;
    char *path = mem_alloc(size);
    snprintf(path, size, "%s/%s", cwd, *word);
    free(*word);
    *word = path;
}

/* Replaces the name of a program by its path, from the PATH of this process.
 * Returns false if no folder of PATH has the program. */
static bool find_in_path(char **word)
{
    const char *path = getenv("PATH");
    struct text rest = text_from(path ? path : "/usr/local/bin:/usr/bin:/bin");
    while (rest.len) {
        char at[PATH_MAX];
        struct text dir = text_split(rest, ':', &rest);
        int n = snprintf(at, sizeof at, "%.*s/%s", (int)dir.len, dir.at, *word);
        if (dir.len == 0 || n >= (int)sizeof at || !is_file(at) ||
            access(at, X_OK) != 0)
            continue;
        free(*word);
        *word = mem_alloc((size_t)n + 1);
        memcpy(*word, at, (size_t)n + 1);
        make_absolute(word);
        return true;
    }
    return false;
}

static enum status find_program(char **word, struct error *err)
{
    if (!strchr(*word, '/')) {
        if (find_in_path(word))
            return STATUS_OK;
        return error_set(err, STATUS_USAGE,
                         "policy exec: no program '%s' in PATH%s", *word,
                         is_file(*word) ? "; a file in this directory is "
                                          "written with ./ in front"
                                        : "");
    }
    if (!is_file(*word))
        return error_set(err, STATUS_USAGE, "policy exec: no program '%s'",
                         *word);
    if (access(*word, X_OK) != 0)
        return error_set(err, STATUS_USAGE,
                         "policy exec: '%s' may not be executed; write the "
                         "interpreter before it, such as exec:python3 %s",
                         *word, *word);
    make_absolute(word);
    return STATUS_OK;
}

enum status command_split(const char *text, struct command_words *out,
                          struct error *err)
{
    const char *at = text + strspn(text, " \t");
    *out = (struct command_words){0};
    while (*at) {
        if (out->n == CHILD_WORDS_MAX)
            return error_set(err, STATUS_USAGE,
                             "policy exec: more than %d words in the command",
                             CHILD_WORDS_MAX);
        char *word = mem_alloc(strlen(at) + 1);
        out->words[out->n++] = word;
        at = next_word(at, word);
        if (!at)
            return error_set(err, STATUS_USAGE,
                             "policy exec: a quote is not closed in '%s'",
                             text);
        at += strspn(at, " \t");
    }
    if (out->n == 0)
        return error_set(err, STATUS_USAGE,
                         "policy exec: the command is empty");
    for (size_t i = 1; i < out->n; i++) {
        if (is_file(out->words[i]))
            make_absolute(&out->words[i]);
    }
    return find_program(&out->words[0], err);
}

void command_free(struct command_words *command)
{
    for (size_t i = 0; i < command->n; i++)
        free(command->words[i]);
    *command = (struct command_words){0};
}
