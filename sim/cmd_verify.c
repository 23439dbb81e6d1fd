/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `verify DIR`: an independent check of a result. */
#include <inttypes.h>
#include <stdio.h>

#include "sim/cli.h"
#include "sim/table.h"
#include "sim/verify.h"

struct verify_input {
    struct cli_input head;
    const char *dir;
    bool all;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct verify_input *input = state->input;
    switch (key) {
    case 'a':
        input->all = true;
        return 0;
    case ARGP_KEY_ARG:
        if (input->dir)
            return cli_fail(state, "one directory at a time");
        input->dir = arg;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

struct printer {
    uint64_t printed, limit;
};

static void print(void *self, const char *words)
{
    struct printer *p = self;
    if (p->printed++ < p->limit)
        say(stdout, "%s", words);
}

static enum status cmd_verify(int argc, char **argv, struct error *err)
{
    static const struct argp_option rows[] = {
        {.name = "all",
         .key = 'a',
         .doc = "print every violation, not only the first 20"},
        {0}};
    const struct argp argp = {
        .options = rows,
        .parser = parse,
        .args_doc = "DIR",
        .doc = "Checks a result directory without the simulator: gangs, "
               "virtual clusters, oversubscription, nodes that were down, "
               "conservation of work, every metric and every digest.\v"
               "Each violation is a line."};
    struct verify_input input = {0};
    enum status st = cli_parse(&argp, argc, argv, &input, err);
    if (st != STATUS_OK)
        return st;
    if (!input.dir)
        return error_set(err, STATUS_USAGE, "verify: which directory?");
    struct printer printer = {.limit = input.all ? UINT64_MAX : 20};
    struct verify_report report = {.line = print, .self = &printer};
    st = verify_dir(input.dir, &report, err);
    if (printer.printed > printer.limit)
        printf("... and %" PRIu64 " more; --all prints them\n",
               printer.printed - printer.limit);
    if (st == STATUS_OK)
        say(stdout, "%s: all checks passed", input.dir);
    return st;
}

const struct command command_verify = {
    .name = "verify",
    .summary = "check a result directory, independently of the simulator",
    .run = cmd_verify,
    .examples = "verify results\nverify results --all",
    .ends = CLI_ENDS(BROKEN),
};
