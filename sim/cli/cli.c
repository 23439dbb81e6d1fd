/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Wraps argp, so that it neither exits nor prints on its own. */
#include "sim/cli/cli.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/base/check.h"
#include "sim/base/text.h"
#include "sim/cli/cli_renamed.h"

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

static void print_help(const struct argp *argp, const char *path)
{
    char name[64];
    const struct command *command = cli_find_path(path);
    /* leave out argp's own note on the syntax of options: it tells nothing new
     */
    setenv("ARGP_HELP_FMT", "no-dup-args-note", 0);
    snprintf(name, sizeof name, "schedsim %s", path);
    argp_help(argp, stdout,
              ARGP_HELP_LONG | ARGP_HELP_DOC | ARGP_HELP_SHORT_USAGE, name);
    if (command)
        cli_print_ends(command);
}

/* --help and --usage are answered here, because argp answers them in the middle
 * of its work and does not report that it did. */
static bool answer_help(const struct argp *argp, int argc, char **argv)
{
    char name[64];
    snprintf(name, sizeof name, "schedsim %s", argv[0]);
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (strcmp(argv[i], "--usage") == 0) {
            argp_help(argp, stdout, ARGP_HELP_USAGE, name);
            return true;
        }
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
            print_help(argp, argv[0]);
            return true;
        }
    }
    return false;
}

/* True if an argument that begins with '-' names an option, in full or
 * abbreviated. */
static bool is_known(const char *arg, const char *const *names, size_t n)
{
    size_t len = strcspn(arg, "=");
    for (size_t i = 0; i < n; i++) {
        if (strncmp(arg, names[i], len) == 0)
            return true;
    }
    return false;
}

static bool is_last(const struct argp_option *o)
{
    return !o->name && !o->key && !o->doc;
}

/* argp does not say which word it did not understand. Report the first unknown
 * option, or else the word at which argp stopped. */
static enum status refuse(const struct argp *argp, int argc, char **argv,
                          int stopped, struct error *err)
{
    const char *names[128] = {0};
    size_t n = 0;
    for (const struct argp_option *o = argp->options;
         o && !is_last(o) && n < 128; o++) {
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

/* Refuse an option that is given twice: argp would silently use the last value.
 */
static error_t refuse_second(int key, char *arg, struct argp_state *state)
{
    struct cli_input *input = state->input;
    const struct argp_option *rows = input->argp->options;
    for (size_t i = 0; rows && !is_last(&rows[i]); i++) {
        if (rows[i].key != key || !rows[i].name || !rows[i].arg ||
            (rows[i].flags & CLI_REPEATABLE))
            continue;
        CHECK(i < sizeof input->given / sizeof *input->given);
        if (input->given[i])
            return cli_fail(state, "--%s: is given twice: '%s' and '%s'",
                            rows[i].name, input->given[i], arg);
        input->given[i] = arg;
    }
    return 0;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct cli_input *input = state->input;
    error_t failed = arg ? refuse_second(key, arg, state) : 0;
    return failed ? failed : input->argp->parser(key, arg, state);
}

enum status cli_parse(const struct argp *argp, int argc, char **argv,
                      void *input, struct error *err)
{
    struct cli_input *head = input;
    struct argp once = *argp;
    *head = (struct cli_input){.err = err, .argp = argp};
    if (answer_help(argp, argc, argv))
        return STATUS_END;
    int at = 0;
    enum status st = STATUS_OK;
    char **words = cli_renamed(&argc, argv);
    once.parser = parse;
    error_t failed = argp_parse(&once, argc, words, ARGP_SILENT, &at, input);
    if (head->failed)
        st = STATUS_USAGE;
    else if (failed)
        st = refuse(argp, argc, words, at, err);
    free(words);
    return st;
}

bool cli_is_terminal(void)
{
    return isatty(STDERR_FILENO);
}
