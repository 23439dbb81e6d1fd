/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "commands/cli_renamed.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

/* Each row renames an option (--LONG, -L) or, without a dash, another word,
 * such as a kind of `list`. */
static const struct renamed {
    const char *command; /* NULL: every command */
    const char *old, *name;
} renamed[] = {
    /* "rules" also means the rules of recovery, and the rules that replace a
     * model. */
    {.old = "--rules", .name = "--conventions"},
    {.command = "list", .old = "rules", .name = "conventions"},
    /* --from and --to mean dates in other commands, and --format means the
     * format of a trace that is read. */
    {.command = "trace info", .old = "--from", .name = "--format"},
    {.command = "trace validate", .old = "--from", .name = "--format"},
    {.command = "trace convert", .old = "--from", .name = "--format"},
    {.command = "history import", .old = "--from", .name = "--format"},
    {.command = "trace convert", .old = "--to", .name = "--as"},
    {.command = "trace convert", .old = "-t", .name = "--as"},
    {.command = "trace generate", .old = "--output", .name = "--out"},
    /* In other commands --workloads means a recipe. */
    {.command = "trace generate", .old = "--workloads", .name = "--family"},
    /* In `list`, --explain means a name to explain; here it meant a file. */
    {.command = "estimate", .old = "--explain", .name = "--learned"},
    /* In other commands -j means --json. */
    {.command = "explain", .old = "-j", .name = "--job"},
    /* The file of a model's answers is called a recording; `advise --cache`
     * means another file. */
    {.command = "advise", .old = "--llm-cache", .name = "--llm-recording"},
    {.command = "advise",
     .old = "--llm-cache-mode",
     .name = "--llm-recording-mode"},
    {.command = "diagnose", .old = "--llm-cache", .name = "--llm-recording"},
    {.command = "diagnose",
     .old = "--llm-cache-mode",
     .name = "--llm-recording-mode"},
    {.command = "track", .old = "--llm-cache", .name = "--llm-recording"},
    {.command = "track",
     .old = "--llm-cache-mode",
     .name = "--llm-recording-mode"},
};

/* Environment variables of the commands that ask a language model. */
static const char *const variables[][2] = {
    {"SCHEDSIM_LLM_CACHE", "SCHEDSIM_LLM_RECORDING"},
    {"SCHEDSIM_LLM_CACHE_MODE", "SCHEDSIM_LLM_RECORDING_MODE"},
};

static void rename_variables(const char *command)
{
    if (strcmp(command, "advise") != 0 && strcmp(command, "diagnose") != 0 &&
        strcmp(command, "track") != 0)
        return;
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        const char *old = variables[i][0], *name = variables[i][1];
        if (!getenv(old) || getenv(name))
            continue;
        setenv(name, getenv(old), 0);
        fprintf(stderr,
                "note: %s: $%s is called $%s now; the old name will be "
                "removed in the next release\n",
                command, old, name);
    }
}

/* Returns the row that renames an argument; NULL if there is none. *value
 * becomes the text after the '=' or after the letter of the argument, if there
 * is one. */
static const struct renamed *row_of(const char *command, char *arg,
                                    char **value)
{
    for (size_t i = 0; i < sizeof renamed / sizeof *renamed; i++) {
        const struct renamed *row = &renamed[i];
        size_t len = strlen(row->old);
        bool word = row->old[0] != '-', letter = !word && row->old[1] != '-';
        if ((row->command && strcmp(row->command, command) != 0) ||
            strncmp(arg, row->old, len) != 0)
            continue;
        if (!letter && arg[len] != '\0' && (word || arg[len] != '='))
            continue;
        *value = arg[len] ? arg + len + !letter : NULL;
        return row;
    }
    return NULL;
}

char **cli_renamed(const char *command, int *argc, char **argv)
{
    char **out = mem_zalloc(2 * (size_t)*argc + 1, sizeof *out);
    int n = 0;
    bool words = false; /* true after "--": all further arguments are words */
    rename_variables(command);
    for (int i = 0; i < *argc; i++) {
        char *value = NULL;
        words |= i > 0 && strcmp(argv[i], "--") == 0;
        const struct renamed *row =
            i > 0 && !words ? row_of(command, argv[i], &value) : NULL;
        out[n++] = row ? (char *)(uintptr_t)row->name : argv[i];
        if (value)
            out[n++] = value;
        if (row)
            fprintf(stderr,
                    "note: %s: %s is called %s now; the old name will be "
                    "removed in the next release\n",
                    command, row->old, row->name);
    }
    *argc = n;
    return out;
}

const char *cli_renamed_key(const char *path, const char *key)
{
    if (strcmp(key, "rules") != 0)
        return key;
    fprintf(stderr,
            "note: %s: rules is called conventions now; the old name will be "
            "removed in the next release\n",
            path);
    return "conventions";
}
