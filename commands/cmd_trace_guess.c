/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `trace guess`: names the format of a file, or proposes a map of its columns,
 * says why, and prints the command that runs it. */
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/out.h"
#include "commands/commands_internal.h"
#include "commands/terminal.h"
#include "traces/guess/guess.h"
#include "traces/load.h"
#include "traces/trace.h"

struct guess_input {
    struct cli_call call;
    const char *path, *map;
};

/* Prints a blank and a word, quoted if the shell would otherwise change it. */
static void print_word(const char *word)
{
    const char *plain = "-_./:=,+%@#*";
    bool safe = *word != '\0' && *word != '#';
    for (const char *c = word; *c && safe; c++)
        safe = (*c >= '0' && *c <= '9') || (*c >= 'A' && *c <= 'Z') ||
               (*c >= 'a' && *c <= 'z') ||
               (strchr(plain, *c) && *c != '*' && *c != '#');
    if (safe) {
        printf(" %s", word);
        return;
    }
    fputs(" '", stdout);
    for (const char *c = word; *c; c++)
        fputs(*c == '\'' ? "'\\''" : (char[]){*c, '\0'}, stdout);
    putchar('\'');
}

/* Reads the whole file as a run would. */
static enum status guess_load(const char *path, const char *spec,
                              struct jobset *out, struct error *err)
{
    const struct load_options options = {.propose = true};
    return jobset_load(path, spec, &options, out, err);
}

/* Prints the command that runs the file. `spec`: value of --format; NULL: the
 * program recognises the format by itself. */
static void print_command(const char *path, const char *spec,
                          const struct jobset *jobs)
{
    fputs("\nschedsim", stdout);
    print_word(path);
    if (spec) {
        fputs(" --format", stdout);
        print_word(spec);
    }
    if (jobs->proposed) {
        fputs(" --cluster", stdout);
        print_word(jobset_string(jobs, jobs->proposed));
    }
    putchar('\n');
}

static void print_jobs(const struct jobset *jobs)
{
    putchar('\n');
    say(stdout, "%" PRIu64 " rows, %u jobs with GPUs and a run time",
        jobs->n_rows, jobs->n_jobs);
    for (unsigned i = 0; i < LOAD_N_REASONS; i++) {
        if (jobs->dropped[i])
            say(stdout, "note: %" PRIu64 " rows dropped: each %s",
                jobs->dropped[i], load_reason_words((enum load_reason)i));
    }
    if (jobs->note[0])
        say(stdout, "note: %s", jobs->note);
    if (jobs->recorded_on)
        say(stdout, "cluster: the trace comes from %s",
            jobset_string(jobs, jobs->recorded_on));
    else if (jobs->n_jobs)
        say(stdout, "cluster: the file does not tell it: %s",
            jobset_string(jobs, jobs->proposed_why));
}

static void print_choices(const struct proposal *guess)
{
    struct table table;
    table_init(&table, 3, 7);
    for (size_t i = 0; i < guess->n_choices; i++) {
        table_add(&table, "%s", guess->choices[i].key);
        table_add(&table, "%s", guess->choices[i].value);
        table_add(&table, "%s", guess->choices[i].why);
    }
    table_print_plain(&table, stdout);
    table_fini(&table);
    if (guess->unread[0])
        say(stdout, "not read: %s", guess->unread);
    if (guess->n_open)
        fputs("\ncould not be told:\n", stdout);
    for (size_t i = 0; i < guess->n_open; i++)
        say(stdout, "- %s", guess->open[i]);
}

/* Writes the map as JSON, for --format csv:map=FILE. */
static enum status write_map(const struct proposal *guess,
                             const struct guess_input *input, struct error *err)
{
    json_t *map = json_object();
    struct out *out;
    for (size_t i = 0; i < guess->n_choices; i++)
        json_object_set_new(map, guess->choices[i].key,
                            json_string(guess->choices[i].value));
    enum status st = out_is_no_input(input->map, input->path, err);
    if (st == STATUS_OK)
        st = out_open_sparing(input->map, input->call.force, &out, err);
    if (st == STATUS_OK) {
        char *text = json_dumps(map, JSON_INDENT(2));
        out_text(out, text ? text : "{}");
        out_char(out, '\n');
        free(text);
        st = out_close(out, err);
    }
    json_decref(map);
    return st;
}

/* Prints what was found, and refuses to print a command if a column is in
 * doubt. */
static enum status guess_tell(const struct guess_input *input,
                              const struct proposal *guess, struct error *err)
{
    const struct sample *s = &guess->sample;
    say(stdout,
        "no known format fits; %zu columns%s between '%s', judged by their "
        "names "
        "and the first %zu rows:",
        s->n_columns, s->has_header ? "" : " without a header",
        s->separator == '\t' ? "tab" : (char[]){s->separator, '\0'}, s->n_rows);
    if (s->layout[0])
        say(stdout, "layout: %s", s->layout);
    print_choices(guess);
    if (!guess->spec)
        return error_set(
            err, STATUS_BAD_INPUT,
            "%s: no map can be proposed, because it needs a "
            "column that could not be told (see the list above)%s%s",
            input->path, guess->lacking ? ": " : "",
            guess->lacking ? guess->lacking : "");
    if (guess->doubt)
        return error_set(err, STATUS_BAD_INPUT,
                         "%s: the map may be wrong, so no command is printed: "
                         "%s",
                         input->path, guess->doubt);
    return STATUS_OK;
}

static enum status propose(const struct guess_input *input,
                           struct proposal *guess, struct error *err)
{
    struct jobset jobs = {0};
    enum status st = guess_map(input->path, guess, err);
    if (st == STATUS_OK && guess->spec)
        st = guess_weigh(input->path, guess, err);
    if (st == STATUS_OK)
        st = guess_tell(input, guess, err);
    if (st == STATUS_OK && input->map)
        st = write_map(guess, input, err);
    if (st == STATUS_OK)
        st = guess_load(input->path, guess->spec, &jobs, err);
    if (st != STATUS_OK)
        return st;
    print_jobs(&jobs);
    print_command(input->path, guess->spec, &jobs);
    jobset_fini(&jobs);
    return STATUS_OK;
}

/* Judges the rows that a known format gives. *spec becomes the setting that
 * joins rows of one id; NULL if none is needed. Returns STATUS_BAD_INPUT if the
 * rows contradict each other. */
static enum status weigh_known(const char *path, const struct trace_ops *ops,
                               char spec[64], struct error *err)
{
    static const struct guess_columns columns = {.submit = "the submission",
                                                 .start = "the start",
                                                 .end = "the end",
                                                 .duration = "",
                                                 .gpus = "the GPUs",
                                                 .id = "the id",
                                                 .submit_unit_known = true,
                                                 .duration_unit_known = true};
    struct guess_evidence evidence;
    spec[0] = '\0';
    enum status st = evidence_weigh(path, NULL, &columns, &evidence, err);
    if (st != STATUS_OK)
        return st;
    if (evidence.same == SAME_ATTEMPTS && ops->same)
        snprintf(spec, 64, "%s:same=attempts", ops->name);
    if (evidence.doubt[0])
        return error_set(err, STATUS_BAD_INPUT, "%s", evidence.doubt);
    return STATUS_OK;
}

static enum status guess_run(void *self, struct error *err)
{
    const struct guess_input *input = self;
    struct trace_reader *reader = NULL;
    struct proposal guess = {0};
    struct jobset jobs = {0};
    char spec[64];
    if (strcmp(input->path, "-") == 0)
        return error_set(err, STATUS_USAGE,
                         "trace guess: expected a file; it is read twice, and "
                         "standard input can be read only once");
    if (trace_open(input->path, NULL, &reader, err) != STATUS_OK) {
        enum status st = propose(input, &guess, err);
        guess_free(&guess);
        return st;
    }
    const struct trace_ops *ops = trace_format(reader);
    trace_close(reader);
    enum status st = weigh_known(input->path, ops, spec, err);
    if (st == STATUS_OK)
        st = guess_load(input->path, spec[0] ? spec : NULL, &jobs, err);
    if (st != STATUS_OK) {
        say(stdout, "its columns are those of format %s, but: %s", ops->name,
            err->message);
        st = propose(input, &guess, err);
        guess_free(&guess);
        return st;
    }
    say(stdout, "format %s: %s", ops->name, ops->summary);
    if (spec[0])
        say(stdout, "rows that repeat an id are attempts of one job");
    print_jobs(&jobs);
    print_command(input->path, spec[0] ? spec : NULL, &jobs);
    jobset_fini(&jobs);
    return STATUS_OK;
}

static const struct arg trace_guess_args[] = {
    TAKE_WORD(struct guess_input, path, "FILE",
              "file with one job in each row"),
    TAKE_TEXT(struct guess_input, map, "map", "FILE",
              "write the map as JSON, for --format csv:map=FILE"),
    TAKE_FORCE(struct guess_input),
    {0},
};

const struct command trace_command_guess = {
    .name = "guess",
    .summary = "name the format of a file, or propose a map of its columns",
    .about = "Names the format of FILE. If no format fits, proposes a map of "
             "its columns for --format csv, says why each column was chosen "
             "and what could not be told, and prints the command that runs "
             "the file. The map is a proposal: read it before you use it.",
    .parts = {{.rows = trace_guess_args}},
    .input_size = sizeof(struct guess_input),
    .run = guess_run,
    .examples = "trace guess jobs.csv\ntrace guess jobs.csv --map map.json",
};
