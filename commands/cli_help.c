/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of commands, and what the program prints about itself: help and
 * errors. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/json_out.h"
#include "base/text.h"
#include "commands/cli.h"
#include "commands/table.h"

const struct command *const commands[] = {
    &command_run,
    &command_compare,
    &command_gate,
    &command_sweep,
    &command_trace,
    &command_verify,
    &command_check_policy,
    &command_rerun,
    &command_explain,
    &command_report,
    &command_plot,
    &command_size,
    &command_estimate,
    &command_history,
    &command_advise,
    &command_track,
    &command_diagnose,
    &command_cases,
    &command_watch,
    &command_list,
    &command_help,
    &command_version,
    NULL,
};

const struct command *cli_find(const struct command *const *list,
                               const char *name)
{
    for (size_t i = 0; list && list[i]; i++) {
        if (strcmp(list[i]->name, name) == 0)
            return list[i];
    }
    return NULL;
}

enum status cli_unknown(const char *owner, const struct command *const *list,
                        const char *name, struct error *err)
{
    const char *names[32];
    size_t n = 0;
    for (; list[n]; n++) {
        CHECK(n < sizeof names / sizeof *names);
        names[n] = list[n]->name;
    }
    const char *near = text_nearest(text_from(name), names, n);
    if (near)
        error_set(err, STATUS_USAGE, "no command '%s'; did you mean '%s'?",
                  name, near);
    else
        error_set(err, STATUS_USAGE,
                  "no command '%s'; 'schedsim help%s%s' lists them", name,
                  owner ? " " : "", owner ? owner : "");
    return owner ? error_prefix(err, "%s: ", owner) : STATUS_USAGE;
}

static void print_heading(FILE *to, const char *words)
{
    fprintf(to, "%s%s%s\n", tone_on(to, TONE_HEADING), words,
            tone_off(to, TONE_HEADING));
}

static void print_members(const struct command *const *list, FILE *to)
{
    for (size_t i = 0; list[i]; i++)
        fprintf(to, "  %-10s %s\n", list[i]->name, list[i]->summary);
}

void cli_print_commands(FILE *to)
{
    fputs("schedsim replays GPU-cluster job traces through scheduling "
          "policies.\n\n"
          "usage: schedsim [run] TRACE [options]\n"
          "       schedsim COMMAND [arguments]\n\n",
          to);
    print_heading(to, "commands:");
    print_members(commands, to);
    fputs("\n'schedsim help COMMAND' describes one command.\n", to);
}

static void print_group(const struct command *group)
{
    printf("usage: schedsim %s COMMAND [arguments]\n\n", group->name);
    print_heading(stdout, "commands:");
    print_members(group->members, stdout);
    if (group->print_more)
        group->print_more();
    printf("\n'schedsim help %s COMMAND' describes one command.\n",
           group->name);
}

static void print_examples(const char *lines)
{
    putchar('\n');
    print_heading(stdout, "Examples:");
    while (*lines) {
        size_t len = strcspn(lines, "\n");
        printf("  schedsim %.*s\n", (int)len, lines);
        lines += len + (lines[len] == '\n');
    }
}

bool cli_may_end(const struct command *command, enum status st)
{
    const unsigned common =
        CLI_ENDS(OK) | CLI_ENDS(FAILED) | CLI_ENDS(USAGE) | CLI_ENDS(BAD_INPUT);
    return (common | command->ends) >> st & 1;
}

/* Prints the end of the --help of a command without subcommands: examples and
 * exit statuses. */
static void print_ends(const struct command *command)
{
    if (command->examples)
        print_examples(command->examples);
    putchar('\n');
    print_heading(stdout, "Exit status:");
    for (unsigned st = STATUS_OK; st <= STATUS_SAYS_UNKNOWN; st++) {
        if (cli_may_end(command, st))
            printf("  %d  %s\n", status_exit(st), status_words(st));
    }
}

void cli_print_help(const struct command *command, const char *path)
{
    if (command->members) {
        print_group(command);
        return;
    }
    cli_print_arguments(command, path, false);
    print_ends(command);
}

bool cli_wants_json(int argc, char **argv)
{
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (strcmp(argv[i], "--json") == 0)
            return true;
    }
    return false;
}

void cli_print_error(FILE *to, const struct error *err, bool json)
{
    if (!json) {
        fprintf(to, "%sschedsim:%s ", tone_on(to, TONE_ERROR),
                tone_off(to, TONE_ERROR));
        say(to, "%s", err->message);
        return;
    }
    json_t *root = json_object(), *error = json_object();
    json_put(error, "exit_status", json_integer(status_exit(err->status)));
    json_put(error, "meaning", json_text(status_words(err->status)));
    json_put(error, "message", json_text(err->message));
    json_put(root, "error", error);
    char *text = json_dumps(root, 0);
    fprintf(to, "%s\n", text ? text : "{}");
    free(text);
    json_decref(root);
}
