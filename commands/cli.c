/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs a command: answers --help, fills the command's input from the command
 * line, and frees it. */
#include "commands/cli.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/check.h"
#include "base/huge_pages.h"
#include "base/json.h"
#include "base/meant.h"
#include "base/text.h"
#include "commands/args.h"
#include "commands/cli_renamed.h"
#include "commands/terminal.h"
#include "traces/load.h"

/* The table of commands, and what the program prints about itself: help and
 * errors. */

const struct command *const commands[] = {
    &command_run,
    &command_compare,
    &command_trace,
    &command_sweep,
    &command_gate,
    &command_plot,
    &command_report,
    &command_size,
    &command_when,
    &command_drive,
    &command_explain,
    &command_mate,
    &command_policy,
    &command_verify,
    &command_list,
    &command_help,
    NULL,
};

/* The groups of --help; each holds the commands from its first one on. */
static const struct command_group {
    const struct command *first;
    const char *words;
} command_groups[] = {
    {&command_run, "start:"},      {&command_sweep, "experiments:"},
    {&command_size, "operators:"}, {&command_mate, "SchedMate:"},
    {&command_policy, "tools:"},
};

static const struct command *const mate_members[] = {
    &command_advise,    &command_track,   &command_diagnose,
    &command_watch,     &command_history, &command_cases,
    &command_llm_trust, &command_worth,   NULL,
};

const struct command command_mate = {
    .name = "mate",
    .summary = "the three modules on real jobs: advise, track, diagnose, watch",
    .members = mate_members,
};

static const struct command *const policy_members[] = {
    &command_policy_new,
    &command_policy_build,
    &command_check_policy,
    NULL,
};

const struct command command_policy = {
    .name = "policy",
    .summary = "a policy of your own: new, build, check",
    .members = policy_members,
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
    const char *names[32], *inner[32], *inside[32];
    size_t n = 0, n_inner = 0;
    for (; list[n]; n++) {
        names[n] = list[n]->name;
        const struct command *const *member = list[n]->members;
        for (; member && *member; member++, n_inner++) {
            CHECK(n_inner < sizeof inner / sizeof *inner);
            inner[n_inner] = (*member)->name;
            inside[n_inner] = list[n]->name;
        }
        CHECK(n + 1 < sizeof names / sizeof *names);
    }
    char meant[MEANT_WORDS_MAX];
    const struct text word = text_from(name);
    const char *near = text_nearest(word, names, n);
    const char *below = near ? NULL : text_nearest(word, inner, n_inner);
    size_t at = 0;
    while (below && inner[at] != below)
        at++;
    if (!owner && meant_find("command", word, names, n, meant))
        error_set(err, STATUS_USAGE, "no command '%s'; %s", name, meant);
    else if (near)
        error_set(err, STATUS_USAGE, "no command '%s'; did you mean '%s'?",
                  name, near);
    else if (below)
        error_set(err, STATUS_USAGE, "no command '%s'; did you mean '%s %s'?",
                  name, inside[at], below);
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

static void print_member(const struct command *command, FILE *to)
{
    fprintf(to, "  %-10s %s\n", command->name, command->summary);
}

void cli_print_commands(FILE *to)
{
    fputs("schedsim replays GPU-cluster job traces through scheduling "
          "policies.\n\n"
          "usage: schedsim [run] TRACE [options]\n"
          "       schedsim COMMAND [arguments]\n\n",
          to);
    for (size_t i = 0; commands[i] != &command_help; i++) {
        const struct command_group *group = command_groups;
        const size_t n = sizeof command_groups / sizeof *command_groups;
        while (group < command_groups + n && group->first != commands[i])
            group++;
        if (group < command_groups + n)
            print_heading(to, group->words);
        print_member(commands[i], to);
    }
    fputs("\n'schedsim help COMMAND' describes one command; 'schedsim "
          "--version' prints\nthe version.\n",
          to);
}

static void print_group(const struct command *group, const char *path)
{
    printf("usage: schedsim %s COMMAND [arguments]\n\n", path);
    print_heading(stdout, "commands:");
    for (size_t i = 0; group->members[i]; i++)
        print_member(group->members[i], stdout);
    if (group->print_more)
        group->print_more();
    printf("\n'schedsim help %s COMMAND' describes one command.\n", path);
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

/* Prints the end of the whole help of a command: its exit statuses. */
static void print_ends(const struct command *command)
{
    putchar('\n');
    print_heading(stdout, "Exit status:");
    for (unsigned st = STATUS_OK; st <= STATUS_SAYS_UNKNOWN; st++) {
        if (cli_may_end(command, st))
            printf("  %d  %s\n", status_exit(st), status_words(st));
    }
}

void cli_print_help(const struct command *command, const char *path,
                    enum cli_help help)
{
    if (command->members) {
        print_group(command, path);
        return;
    }
    const unsigned n_hidden = cli_print_arguments(command, path, help);
    if (help != CLI_USAGE && command->examples)
        print_examples(command->examples);
    if (n_hidden)
        printf("\n'schedsim %s --help-all' has %u more options, and the exit "
               "statuses.\n",
               path, n_hidden);
    else if (help != CLI_USAGE)
        print_ends(command);
}

bool cli_wants_json(int argc, char **argv)
{
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (strcmp(argv[i], "--json") == 0 || strcmp(argv[i], "-j") == 0)
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

static enum status run_member(const struct command *group, const char *owner,
                              int argc, char **argv, struct error *err)
{
    char path[64];
    if (argc < 2)
        return error_set(
            err, STATUS_USAGE,
            "%s: a command is missing; 'schedsim help %s' lists them", owner,
            owner);
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        cli_print_help(group, owner, CLI_HELP);
        return STATUS_END;
    }
    const struct command *command = cli_find(group->members, argv[1]);
    if (!command)
        return cli_unknown(owner, group->members, argv[1], err);
    snprintf(path, sizeof path, "%s %s", owner, command->name);
    return cli_run(command, path, argc - 1, argv + 1, err);
}

/* Answers --help, --help-all and --usage before argp parses, because argp would
 * print help while it parses and not report that it did. Returns true if it
 * answered. */
static bool answer_help(const struct command *command, const char *path,
                        int argc, char **argv)
{
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (strcmp(argv[i], "--usage") == 0) {
            cli_print_arguments(command, path, CLI_USAGE);
            return true;
        }
        if (strcmp(argv[i], "--help-all") == 0) {
            cli_print_help(command, path, CLI_HELP_ALL);
            return true;
        }
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
            cli_print_help(command, path, CLI_HELP);
            return true;
        }
    }
    return false;
}

enum status cli_run(const struct command *command, const char *path, int argc,
                    char **argv, struct error *err)
{
    /* jansson leaves out what it has no memory for, which nobody checks. */
    json_set_alloc_funcs(mem_alloc, free);
    if (command->members)
        return run_member(command, path, argc, argv, err);
    if (answer_help(command, path, argc, argv))
        return STATUS_END;
    if (command->is_simulation)
        huge_pages_prepare();
    const char **given = mem_zalloc((size_t)argc + 1, sizeof *given);
    memcpy(given, argv, (size_t)argc * sizeof *given);
    given[0] = path;
    struct cli_call *input = mem_zalloc(1, command->input_size);
    if (command->defaults)
        memcpy(input, command->defaults, command->input_size);
    *input = (struct cli_call){.argc = argc, .argv = given};
    arena_init(&input->arena);
    enum status st = cli_parse(command, path, argc, argv, input, err);
    tone_choose(input->color);
    if (st == STATUS_OK)
        st = command->run(input, err);
    arena_fini(&input->arena);
    free(input);
    free(given);
    return st;
}

bool cli_is_terminal(void)
{
    return isatty(STDERR_FILENO);
}

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
    {.command = "mate history import", .old = "--from", .name = "--format"},
    {.command = "trace convert", .old = "--to", .name = "--as"},
    {.command = "trace convert", .old = "-t", .name = "--as"},
    {.command = "trace generate", .old = "--output", .name = "--out"},
    {.command = "mate watch", .old = "--output", .name = "--out"},
    /* In other commands --workloads means a recipe. */
    {.command = "trace generate", .old = "--workloads", .name = "--family"},
    /* In `list`, --explain means a name to explain; here it meant a file. */
    {.command = "trace estimate", .old = "--explain", .name = "--learned"},
    /* In other commands --limit means a number of jobs. */
    {.command = "policy check", .old = "--limit", .name = "--timeout"},
    /* The file of a model's answers is called a recording; `advise --cache`
     * means another file. */
    {.command = "mate advise", .old = "--llm-cache", .name = "--llm-recording"},
    {.command = "mate advise",
     .old = "--llm-cache-mode",
     .name = "--llm-recording-mode"},
    {.command = "mate diagnose",
     .old = "--llm-cache",
     .name = "--llm-recording"},
    {.command = "mate diagnose",
     .old = "--llm-cache-mode",
     .name = "--llm-recording-mode"},
    {.command = "mate track", .old = "--llm-cache", .name = "--llm-recording"},
    {.command = "mate track",
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
    if (strcmp(command, "mate advise") != 0 &&
        strcmp(command, "mate diagnose") != 0 &&
        strcmp(command, "mate track") != 0)
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
static const struct renamed *cli_row_of(const char *command, char *arg,
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
            i > 0 && !words ? cli_row_of(command, argv[i], &value) : NULL;
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

static bool cli_in_range(const struct arg *row, double value)
{
    if (row->lo == 0 && row->hi == 0 && !row->above_lo)
        return true;
    bool low = row->above_lo ? value > row->lo : value >= row->lo;
    bool high = row->below_hi ? value < row->hi : value <= row->hi;
    return low && high;
}

static bool cli_read_text(const struct arg *row, void *field, const char *value)
{
    (void)row;
    *(const char **)field = value;
    return true;
}

static bool read_view(const struct arg *row, void *field, const char *value)
{
    (void)row;
    *(struct text *)field = text_from(value);
    return true;
}

static bool cli_read_flag(const struct arg *row, void *field, const char *value)
{
    (void)row;
    (void)value;
    *(bool *)field = true;
    return true;
}

static bool read_u64(const struct arg *row, void *field, const char *value)
{
    uint64_t *out = field;
    return text_to_count(text_from(value), out) &&
           cli_in_range(row, (double)*out);
}

static bool read_u32(const struct arg *row, void *field, const char *value)
{
    uint64_t count;
    if (!read_u64(row, &count, value) || count > UINT32_MAX)
        return false;
    *(uint32_t *)field = (uint32_t)count;
    return true;
}

static bool read_double(const struct arg *row, void *field, const char *value)
{
    return text_to_double(text_from(value), field) &&
           cli_in_range(row, *(double *)field);
}

static bool cli_read_span(const struct arg *row, void *field, const char *value)
{
    return text_to_duration(text_from(value), field) &&
           cli_in_range(row, span_seconds(*(sim_span *)field));
}

/* Reads a date, seconds since 1970, because some traces have seconds in place
 * of dates, or the time after the first submission. */
static bool cli_read_time(const struct arg *row, void *field, const char *value)
{
    enum when_base base;
    sim_time *at = field;
    if (!text_to_when(text_from(value), &base, at))
        return false;
    if (base == WHEN_FIRST)
        *at += LOAD_SINCE_FIRST;
    return base != WHEN_FIRST || row->may_be_since;
}

static bool read_choice(const struct arg *row, void *field, const char *value)
{
    for (unsigned i = 0; row->choices[i]; i++) {
        if (strcmp(value, row->choices[i]) == 0) {
            *(unsigned *)field = i;
            return true;
        }
    }
    return false;
}

/* The reader of each kind, and the noun for its values in messages. Kinds
 * without a reader need more than the text of the value; see arg_store. */
static const struct {
    bool (*read)(const struct arg *row, void *field, const char *value);
    const char *words;
} cli_kinds[] = {
    [ARG_FLAG] = {cli_read_flag, ""},
    [ARG_TEXT] = {cli_read_text, "a text"},
    [ARG_VIEW] = {read_view, "a text"},
    [ARG_U32] = {read_u32, "a whole number"},
    [ARG_U64] = {read_u64, "a whole number"},
    [ARG_DOUBLE] = {read_double, "a number"},
    [ARG_SPAN] = {cli_read_span, "a time, such as 90, 10min, 2h or 1d"},
    [ARG_TIME] =
        {cli_read_time,
         "a date, such as 2020, 2020-10 or \"2020-10-03 12:00\", or seconds "
         "since 1970"},
    [ARG_CHOICE] = {read_choice, "one of "},
    [ARG_SETTINGS] = {NULL, NULL},
};

static enum status cli_refuse(const struct arg *row, const char *value,
                              struct error *err)
{
    char range[256] = "";
    size_t n = 0;
    for (size_t i = 0; row->choices && row->choices[i] && n < sizeof range; i++)
        n += (size_t)snprintf(range + n, sizeof range - n, "%s%s",
                              i ? ", " : "", row->choices[i]);
    if (row->above_lo)
        snprintf(range, sizeof range, " above %g", row->lo);
    else if (row->hi > 0 && isinf(row->hi))
        snprintf(range, sizeof range, ", %g or more", row->lo);
    else if (row->hi > 0)
        snprintf(range, sizeof range, ", %g to %s%g", row->lo,
                 row->below_hi ? "below " : "", row->hi);
    return error_set(err, STATUS_USAGE, "--%s: '%.500s' is not %s%s%s",
                     row->name, value, cli_kinds[row->kind].words, range,
                     row->may_be_since
                         ? ", or a time after the first submission, such as 2d"
                         : "");
}

static enum status cli_append(const struct arg *row, struct arg_list *list,
                              const char *value, struct error *err)
{
    if (list->n == ARG_LIST_MAX)
        return error_set(err, STATUS_USAGE, "--%s: at most %d times", row->name,
                         ARG_LIST_MAX);
    list->at[list->n++] = value;
    return STATUS_OK;
}

void arg_words_add(struct arg_words *words, const char *value,
                   struct arena *arena)
{
    if (words->n == words->cap) {
        size_t cap = words->cap ? 2 * words->cap : 16;
        const char **at = arena_alloc(arena, cap * sizeof *at);
        if (words->n)
            memcpy(at, words->at, words->n * sizeof *at);
        words->at = at;
        words->cap = cap;
    }
    words->at[words->n++] = value;
}

static bool has_setting(const struct option *rows, struct text key)
{
    while (rows->kind != OPTION_END && !text_is(key, rows->name))
        rows++;
    return rows->kind != OPTION_END;
}

static enum status cli_set(const struct arg *row, char *base, struct text key,
                           struct text value, const char *owner,
                           struct arena *arena, struct error *err)
{
    const struct option *all[4];
    size_t n = 0;
    for (const struct arg_table *t = row->tables; t->rows; t++) {
        if (has_setting(t->rows, key))
            return option_set(t->rows, base + t->offset, owner, key, value,
                              arena, err);
        CHECK(n < sizeof all / sizeof *all);
        all[n++] = t->rows;
    }
    return option_unknown(all, n, owner, key, err);
}

enum status arg_store(const struct arg *row, void *base, const char *value,
                      const char *owner, struct arena *arena, struct error *err)
{
    void *field = (char *)base + row->offset;
    struct text rest, key;
    if (row->kind == ARG_LIST)
        return cli_append(row, field, value, err);
    if (row->kind == ARG_KEYS)
        return STATUS_OK;
    if (row->kind == ARG_WORDS) {
        arg_words_add(field, value, arena);
        return STATUS_OK;
    }
    if (row->kind == ARG_SETTING)
        return cli_set(row, base, text_from(row->name), text_from(value), owner,
                       arena, err);
    if (row->kind == ARG_SETTINGS) {
        key = text_split(text_from(value), '=', &rest);
        if (!strchr(value, '='))
            return error_set(err, STATUS_USAGE,
                             "--%s: '%.500s' is not KEY=VALUE", row->name,
                             value);
        return cli_set(row, base, key, rest, owner, arena, err);
    }
    if (cli_kinds[row->kind].read(row, field, value))
        return STATUS_OK;
    return cli_refuse(row, value, err);
}

struct text arg_key(const struct arg *row)
{
    struct text name = text_from(row->name);
    const size_t of = strlen(row->of);
    if (name.len <= of + 1)
        return name;
    if (memcmp(name.at, row->of, of) == 0 && name.at[of] == '-')
        return text_skip(name, of + 1);
    if (memcmp(name.at + name.len - of, row->of, of) == 0 &&
        name.at[name.len - of - 1] == '-')
        name.len -= of + 1;
    return name;
}

void args_defaults(const struct arg *rows, void *base)
{
    for (; rows->kind != ARG_END; rows++) {
        void *field = (char *)base + rows->offset;
        if (rows->kind == ARG_TIME)
            *(sim_time *)field = ARG_NO_TIME;
        if (rows->initial)
            CHECK(cli_kinds[rows->kind].read(rows, field, rows->initial));
        for (const struct arg_table *t = rows->tables; t && t->rows; t++)
            option_defaults(t->rows, (char *)base + t->offset);
    }
}

#define MOVED(old_, name_, option_) \
    { \
        .old = old_, .name = name_, .option = option_ \
    }

/* Commands that were renamed. */
static const struct {
    const char *old, *name, *option; /* `option` goes before the arguments */
} moved[] = {
    MOVED("advise", "mate advise", NULL),
    MOVED("track", "mate track", NULL),
    MOVED("diagnose", "mate diagnose", NULL),
    MOVED("watch", "mate watch", NULL),
    MOVED("history", "mate history", NULL),
    MOVED("cases", "mate cases", NULL),
    MOVED("llm-trust", "mate trust", NULL),
    MOVED("worth", "mate worth", NULL),
    MOVED("check-policy", "policy check", NULL),
    MOVED("estimate", "trace estimate", NULL),
    MOVED("rerun", "verify", "--again"),
};

char **cli_moved(int *argc, char **argv)
{
    const int at = *argc > 2 && strcmp(argv[1], "help") == 0 ? 2 : 1;
    size_t row = 0;
    while (row < sizeof moved / sizeof *moved &&
           (at >= *argc || strcmp(argv[at], moved[row].old) != 0))
        row++;
    if (row == sizeof moved / sizeof *moved)
        return argv;
    static char first[32];
    struct text second;
    struct text name = text_split(text_from(moved[row].name), ' ', &second);
    char **out = mem_zalloc((size_t)*argc + 2, sizeof *out);
    int n = 0;
    while (n < at)
        out[n] = argv[n], n++;
    snprintf(first, sizeof first, "%.*s", TEXT_ARGS(name));
    out[n++] = first;
    if (second.len)
        out[n++] = (char *)(uintptr_t)second.at;
    if (moved[row].option && at == 1)
        out[n++] = (char *)(uintptr_t)moved[row].option;
    for (int i = at + 1; i < *argc; i++)
        out[n++] = argv[i];
    fprintf(stderr,
            "note: %s is called '%s%s%s' now; the old name will be removed in "
            "the next release\n",
            moved[row].old, moved[row].name, moved[row].option ? " " : "",
            moved[row].option ? moved[row].option : "");
    *argc = n;
    return out;
}
