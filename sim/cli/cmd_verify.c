/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `verify DIR`: checks a result independently of the simulator. */
#include <inttypes.h>
#include <stdio.h>

#include "sim/base/json_out.h"
#include "sim/cli/cli.h"
#include "sim/cli/table.h"
#include "sim/verify/verify.h"

struct verify_input {
    struct cli_input head;
    const char *dir;
    bool all, json;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct verify_input *input = state->input;
    switch (key) {
    case 'a':
        input->all = true;
        return 0;
    case 'j':
        input->json = true;
        return 0;
    case ARGP_KEY_ARG:
        if (input->dir)
            return cli_fail(state, "give one directory only");
        input->dir = arg;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

struct printer {
    uint64_t printed, limit;
    json_t *violations; /* NULL: print them instead */
};

static void print(void *self, const char *words)
{
    struct printer *p = self;
    if (p->printed++ >= p->limit)
        return;
    if (p->violations)
        json_array_append_new(p->violations, json_text(words));
    else
        say(stdout, "%s", words);
}

/* Prints {"violations": 0, "told": []}. A result that cannot be read at all is
 * an error instead. */
static enum status print_json(struct printer *p, struct error *err)
{
    struct out *out;
    enum status st = out_open("-", &out, err);
    if (st != STATUS_OK)
        return st;
    json_t *root = json_object();
    json_put(root, "violations", json_integer((json_int_t)p->printed));
    json_put(root, "told", json_incref(p->violations));
    json_write(out, root);
    json_decref(root);
    return out_close(out, err);
}

static void print_end(const struct printer *p, const char *dir, bool passed)
{
    if (p->printed > p->limit)
        printf("... and %" PRIu64 " more; --all prints them\n",
               p->printed - p->limit);
    if (passed)
        say(stdout, "%s: all checks passed", dir);
}

static enum status cmd_verify(int argc, char **argv, struct error *err)
{
    static const struct argp_option rows[] = {
        {.name = "all",
         .key = 'a',
         .doc = "print all violations, not only the first 20"},
        {.name = "json", .key = 'j', .doc = "print JSON"},
        {0}};
    const struct argp argp = {
        .options = rows,
        .parser = parse,
        .args_doc = "DIR",
        .doc = "Recomputes a result directory without the simulator and checks "
               "gangs, virtual clusters, oversubscription, nodes that were "
               "down, conservation of work, every metric and every "
               "digest.\vPrints one line for each violation."};
    struct verify_input input = {0};
    enum status st = cli_parse(&argp, argc, argv, &input, err);
    if (st != STATUS_OK)
        return st;
    if (!input.dir)
        return error_set(err, STATUS_USAGE,
                         "verify: a result directory is missing; see --help");
    struct printer printer = {.limit = input.all ? UINT64_MAX : 20,
                              .violations = input.json ? json_array() : NULL};
    struct verify_report report = {.line = print, .self = &printer};
    st = verify_dir(input.dir, &report, err);
    if (input.json && (st == STATUS_OK || st == STATUS_BROKEN)) {
        struct error broken = *err;
        enum status printed = print_json(&printer, err);
        if (printed != STATUS_OK)
            st = printed;
        else
            *err = broken;
    } else {
        print_end(&printer, input.dir, st == STATUS_OK);
    }
    json_decref(printer.violations);
    return st;
}

const struct command command_verify = {
    .name = "verify",
    .summary = "check a result directory, independently of the simulator",
    .run = cmd_verify,
    .examples = "verify results\nverify results --all",
    .ends = CLI_ENDS(BROKEN),
};
