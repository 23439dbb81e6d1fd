/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The main program: runs the subcommand, prints its error and exits. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "commands/cli.h"
#include "commands/terminal.h"

/* True if a word that is no command is probably a misspelt one: it is no option
 * and no file (a directory is no trace) and does not look like a path. Any
 * other word goes to `run`, which takes it for a trace or an option. */
static bool is_misspelt(const char *word)
{
    struct stat is;
    return word[0] != '-' && !strpbrk(word, "./") &&
           (stat(word, &is) != 0 || S_ISDIR(is.st_mode));
}

static const char *as_command(const char *word)
{
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)
        return "help";
    return word;
}

static bool asks_version(const char *word)
{
    return strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0 ||
           strcmp(word, "version") == 0;
}

static enum status main_run_command(int argc, char **argv, struct error *err)
{
    if (asks_version(argv[1])) {
        puts("schedsim " SCHEDSIM_VERSION);
        return STATUS_END;
    }
    const struct command *command = cli_find(commands, as_command(argv[1]));
    if (command)
        return cli_run(command, command->name, argc - 1, argv + 1, err);
    if (is_misspelt(argv[1])) {
        cli_unknown(NULL, commands, argv[1], err);
        return error_prefix(err, "'%s' is not a file, and there is ", argv[1]);
    }
    /* `run` is the default command: it gets all arguments. */
    return cli_run(&command_run, command_run.name, argc, argv, err);
}

/* Applies --color before anything is printed. Leaves a wrong value to the
 * command, which refuses it. */
static void choose_color(int argc, char **argv)
{
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        const char *value = NULL;
        if (strncmp(argv[i], "--color=", 8) == 0)
            value = argv[i] + 8;
        else if (strcmp(argv[i], "--color") == 0 && i + 1 < argc)
            value = argv[i + 1];
        for (unsigned w = 0; value && tone_when_words[w]; w++) {
            if (strcmp(value, tone_when_words[w]) == 0)
                tone_choose(w);
        }
    }
}

/* Returns `st`, or STATUS_FAILED after a message if the command ended well but
 * standard output did not take all that was printed. */
static enum status end_output(enum status st, bool json)
{
    struct error err;
    const bool failed = fflush(stdout) != 0;
    if ((!failed && !ferror(stdout)) ||
        (st != STATUS_OK && st != STATUS_INCOMPLETE))
        return st;
    error_set(&err, STATUS_FAILED, "standard output: cannot write%s%s",
              failed ? ": " : "", failed ? strerror(errno) : "");
    cli_print_error(stderr, &err, json);
    return STATUS_FAILED;
}

int main(int argc, char **argv)
{
    static struct error err;
    /* A parent that ignores SIGCHLD passes this on, and how children end would
     * not be known. */
    signal(SIGCHLD, SIG_DFL);
    /* A file beyond the limit of `ulimit -f` is an error of write, after which
     * the half-written result is removed. */
    signal(SIGXFSZ, SIG_IGN);
    choose_color(argc, argv);
    if (argc < 2) {
        cli_print_commands(stderr);
        return status_exit(STATUS_USAGE);
    }
    char **words = cli_moved(&argc, argv);
    enum status st = main_run_command(argc, words, &err);
    if (st != STATUS_OK && st != STATUS_END && err.message[0])
        cli_print_error(stderr, &err, cli_wants_json(argc, words));
    st = end_output(st, cli_wants_json(argc, words));
    if (words != argv)
        free(words);
    return status_exit(st);
}
