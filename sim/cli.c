/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The array of subcommands, and argp without its exits and its own printing. */
#include "sim/cli.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/base/check.h"
#include "sim/base/text.h"
#include "sim/cmd_trace.h"

const struct command *const commands[] = {
    &command_run,     &command_compare,  &command_trace,   &command_verify,
    &command_explain, &command_estimate, &command_history, &command_advise,
    &command_track,   &command_diagnose, &command_list,    NULL,
};

error_t cli_fail(struct argp_state *state, const char *fmt, ...)
{
    struct cli_input *input = state->input;
    char message[2048];
    va_list args;
    va_start(args, fmt);
    vsnprintf(message, sizeof message, fmt, args);
    va_end(args);
    if (!input->failed)
        error_set(input->err, STATUS_USAGE, "%s", message);
    input->failed = true;
    return EINVAL;
}

static bool is_help(const char *arg)
{
    return strcmp(arg, "--help") == 0 || strcmp(arg, "-h") == 0;
}

/* --help and --usage are answered here, because argp answers them in the
 * middle of its work and cannot say that it did. */
static bool answer_help(const struct argp *argp, int argc, char **argv)
{
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        bool help = is_help(argv[i]);
        if (!help && strcmp(argv[i], "--usage") != 0)
            continue;
        char name[64];
        snprintf(name, sizeof name, "schedsim %s", argv[0]);
        argp_help(argp, stdout,
                  help ? ARGP_HELP_LONG | ARGP_HELP_DOC | ARGP_HELP_USAGE
                       : ARGP_HELP_USAGE,
                  name);
        return true;
    }
    return false;
}

/* Does an argument that begins with '-' name an option, perhaps shortened? */
static bool is_known(const char *arg, const char *const *names, size_t n)
{
    size_t len = strcspn(arg, "=");
    for (size_t i = 0; i < n; i++) {
        if (strncmp(arg, names[i], len) == 0)
            return true;
    }
    return false;
}

/* argp does not say what it did not understand: the first unknown option, or
 * else what stands where it stopped. */
static enum status refuse(const struct argp *argp, int argc, char **argv,
                          int stopped, struct error *err)
{
    const char *names[128] = {0};
    size_t n = 0;
    for (const struct argp_option *o = argp->options;
         o && (o->name || o->key || o->doc) && n < 128; o++) {
        if (o->name)
            names[n++] = o->name;
    }
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (strncmp(argv[i], "--", 2) != 0 || is_known(argv[i] + 2, names, n))
            continue;
        struct text word = {argv[i] + 2, strcspn(argv[i] + 2, "=")};
        const char *near = text_nearest(word, names, n);
        if (near)
            return error_set(err, STATUS_USAGE,
                             "no option '%s'; did you mean '--%s'?", argv[i],
                             near);
        return error_set(err, STATUS_USAGE, "no option '%s'; see --help",
                         argv[i]);
    }
    const char *at =
        argv[stopped > 0 && stopped <= argc ? stopped - 1 : argc - 1];
    if (at[0] == '-' && at[1] == '-')
        return error_set(err, STATUS_USAGE, "%s: needs a value, or takes none",
                         at);
    return error_set(err, STATUS_USAGE, "'%s' is not understood; see --help",
                     at);
}

enum status cli_parse(const struct argp *argp, int argc, char **argv,
                      void *input, struct error *err)
{
    struct cli_input *head = input;
    *head = (struct cli_input){.err = err};
    if (answer_help(argp, argc, argv))
        return STATUS_END;
    int at = 0;
    error_t failed = argp_parse(argp, argc, argv, ARGP_SILENT, &at, input);
    if (head->failed)
        return STATUS_USAGE;
    if (failed)
        return refuse(argp, argc, argv, at, err);
    return STATUS_OK;
}

const struct command *cli_find(const struct command *const *list,
                               const char *name)
{
    for (size_t i = 0; list[i]; i++) {
        if (strcmp(list[i]->name, name) == 0)
            return list[i];
    }
    return NULL;
}

static void print_group(const struct command_group *group)
{
    printf("usage: schedsim %s COMMAND [arguments]\n\ncommands:\n",
           group->name);
    for (size_t i = 0; group->commands[i]; i++)
        printf("  %-10s %s\n", group->commands[i]->name,
               group->commands[i]->summary);
    if (group->print_more)
        group->print_more();
    printf("\n'schedsim %s COMMAND --help' tells more of each.\n", group->name);
}

static enum status unknown(const struct command_group *group, const char *name,
                           struct error *err)
{
    const char *names[16];
    size_t n = 0;
    for (; group->commands[n]; n++) {
        CHECK(n < sizeof names / sizeof *names);
        names[n] = group->commands[n]->name;
    }
    const char *near = text_nearest(text_from(name), names, n);
    if (near)
        return error_set(err, STATUS_USAGE,
                         "%s: no command '%s'; did you mean '%s'?", group->name,
                         name, near);
    return error_set(err, STATUS_USAGE, "%s: no command '%s'; see %s --help",
                     group->name, name, group->name);
}

enum status cli_run_group(const struct command_group *group, int argc,
                          char **argv, struct error *err)
{
    if (argc < 2)
        return error_set(err, STATUS_USAGE,
                         "%s: a command is missing; see %s --help", group->name,
                         group->name);
    if (is_help(argv[1])) {
        print_group(group);
        return STATUS_END;
    }
    const struct command *command = cli_find(group->commands, argv[1]);
    if (!command)
        return unknown(group, argv[1], err);
    char name[64], *given = argv[1];
    snprintf(name, sizeof name, "%s %s", group->name, command->name);
    argv[1] = name;
    enum status st = command->run(argc - 1, argv + 1, err);
    argv[1] = given;
    return st;
}

bool cli_is_terminal(void)
{
    return isatty(STDERR_FILENO);
}
