/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `verify DIR`: checks a result with code that the simulator does not use, or
 * with --again repeats its run. */
#include <inttypes.h>
#include <stdio.h>

#include "base/json.h"
#include "commands/commands_internal.h"
#include "commands/terminal.h"
#include "sim/verify/verify.h"

struct verify_printer {
    uint64_t printed, limit;
    json_t *violations; /* receives the violations; NULL: they are printed */
};

static void verify_print(void *self, const char *words)
{
    struct verify_printer *p = self;
    if (p->printed++ >= p->limit)
        return;
    if (p->violations)
        json_array_append_new(p->violations, json_text(words));
    else
        say(stdout, "%s", words);
}

/* Prints the number of violations and the texts of the first ones as
 * {"violations": 0, "told": []}. A result that cannot be read at all gives an
 * error instead. */
static enum status verify_print_json(struct verify_printer *p,
                                     struct error *err)
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

static void print_end(const struct verify_printer *p, const char *dir,
                      bool passed)
{
    if (p->printed > p->limit)
        printf("... and %" PRIu64 " more; --all prints them\n",
               p->printed - p->limit);
    if (passed)
        say(stdout, "%s: all checks passed", dir);
}

static enum status verify_run(void *self, struct error *err)
{
    const struct verify_input *input = self;
    if (input->again)
        return rerun_result(input, err);
    if (input->out || input->trusts)
        return error_set(err, STATUS_USAGE, "verify: --%s needs --again",
                         input->out ? "out" : "trust");
    struct verify_printer printer = {.limit = input->all ? UINT64_MAX : 20,
                                     .violations =
                                         input->json ? json_array() : NULL};
    struct verify_report report = {.line = verify_print, .self = &printer};
    enum status st = verify_dir(input->dir, &report, err);
    if (input->json && (st == STATUS_OK || st == STATUS_BROKEN)) {
        struct error broken = *err;
        enum status printed = verify_print_json(&printer, err);
        if (printed != STATUS_OK)
            st = printed;
        else
            *err = broken;
    } else if (!input->quiet) {
        print_end(&printer, input->dir, st == STATUS_OK);
    }
    json_decref(printer.violations);
    return st;
}

static const struct arg verify_args[] = {
    TAKE_WORD(struct verify_input, dir, "DIR", "result directory"),
    TAKE_FLAG(struct verify_input, all, "all",
              "print all violations, not only the first 20", .letter = 'a'),
    TAKE_FLAG(struct verify_input, again, "again",
              "repeat the run, with the options in its manifest.json, and "
              "compare the bytes of all files instead"),
    TAKE_TEXT(struct verify_input, out, "out", "DIR",
              "with --again: keep the new result in this directory",
              .letter = 'o'),
    TAKE_FLAG(struct verify_input, trusts, "trust",
              "with --again: " TRUST_HELP),
    TAKE_FLAG(struct verify_input, json, "json",
              "print the number of violations and their texts as JSON: "
              "{\"violations\": N, \"told\": [TEXT, ...]}; with --again, "
              "whether the results are the same",
              .letter = 'j'),
    TAKE_FLAG(struct verify_input, quiet, "quiet",
              "print no result line and draw no progress line", .letter = 'q'),
    {0},
};

const struct command command_verify = {
    .name = "verify",
    .summary = "check a result independently of the simulator, or run it again",
    .about = "Recomputes a result directory without the simulator and checks "
             "gangs, virtual clusters, oversubscription, nodes that were down, "
             "conservation of work, every metric and every digest.",
    .notes =
        "Prints one line for each violation. With --again the object "
        "\"provenance\" of manifest.json is not compared, because it names "
        "paths, program and libraries. Relative paths are relative to the "
        "directory in which the run was started or, if its inputs are not "
        "there, to the current directory. The exit status is 3 if an input "
        "file is missing or has changed, and 6 if the results differ.",
    .parts = {{.rows = verify_args}},
    .input_size = sizeof(struct verify_input),
    .run = verify_run,
    .examples = "verify results\nverify results --all\n"
                "verify results --again --out again",
    .ends = CLI_ENDS(BROKEN) | CLI_ENDS(TOLERANCE) | CLI_ENDS(BAD_PLAN),
};
