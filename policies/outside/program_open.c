/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Describes the policy `exec` and its settings, opens its program before a run
 * and ends it after. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "policies/outside/program_internal.h"

static const char *const confine_names[] = {"auto", "on", "off", NULL};

const struct option program_options[] = {
    OPT_TEXT(struct program_config, command, "command", NULL,
             "program and its arguments, split at blanks as in a shell; "
             "exec:COMMAND sets it",
             NULL, .reach = "runs a program"),
    OPT_TEXT(struct program_config, record, "record", NULL,
             "file to which the answers are written", NULL,
             .reach = "writes a file"),
    OPT_PATH(struct program_config, replay, "replay", NULL,
             "recorded file that answers instead of the program", NULL),
    OPT_SPAN(struct program_config, answer, "answer_s", 10, 0, 86400,
             "longest real time for the start and for each answer; 0: no limit",
             "assumed: a thousand times what a plan takes"),
    OPT_SPAN(struct program_config, whole, "whole_s", 0, 0, 31536000,
             "longest real time for the whole run; 0: no limit", NULL),
    OPT_U32(struct program_config, memory_mib, "memory_mib", 0, 0, 16777216,
            "most memory of the program, as address space; 0: no limit", NULL),
    OPT_CHOICE(struct program_config, confine, "confine", CONFINE_AUTO,
               confine_names,
               "keep the program from opening other files (Landlock). auto: "
               "if the kernel can do so; on: the run fails if the kernel "
               "cannot; off: never",
               NULL, .reach = "lets the program out of its sandbox",
               .reach_at = "off"),
    OPT_TEXT(struct program_config, reads, "reads", "",
             "other files and directories that the confined program may read, "
             "separated by '+'",
             NULL, .reach = "lets the program read files"),
    OPT_TEXT(struct program_config, pass, "pass", "",
             "variables of the environment that the program sees, separated "
             "by '+'; without them it sees only PYTHONHASHSEED=0",
             NULL, .reach = "gives the program your environment"),
    OPT_BOOL(struct program_config, show_messages, "show_messages", false,
             "show what the program writes to its standard error", NULL),
    {0},
};

const struct policy_ops policy_exec = {
    .name = "exec",
    .summary =
        "another program decides: exec:COMMAND (docs/policy-protocol.md)",
    .options = program_options,
    .config_size = sizeof(struct program_config),
    .state_size = sizeof(struct program *),
    .init = program_init,
    .observe = program_observe,
    .decide = program_decide,
    .count = program_count,
};

static enum status check(const struct program_config *config, bool answered,
                         struct error *err)
{
    bool runs = answered || (config->command && config->command[0]);
    if (runs == (config->replay != NULL))
        return error_set(err, STATUS_USAGE,
                         runs ? "policy exec: a replay needs no command"
                              : "policy exec: a command is missing; write "
                                "exec:COMMAND");
    if (config->replay && config->record)
        return error_set(err, STATUS_USAGE,
                         "policy exec: a replay cannot be recorded again: "
                         "give either record or replay");
    return STATUS_OK;
}

static enum status start(struct program *program, struct remarks *remarks,
                         struct error *err)
{
    const struct program_config *config = program->config;
    struct child_setup setup = {
        .command = config->command,
        .pass = config->pass,
        .reads = config->reads,
        .confine = (enum confine_choice)config->confine,
        .answer_limit = config->answer,
        .whole_limit = config->whole,
        .memory_mib = config->memory_mib,
        .shows_messages = config->show_messages,
    };
    if (config->replay)
        return record_read(config->replay, &program->record, err);
    enum status st = STATUS_OK;
    if (config->record)
        st = record_write(config->record, &program->record, err);
    if (st == STATUS_OK && !program->answerer.answer)
        st = child_start(&setup, &program->child, remarks, err);
    return st;
}

/* Adds a hint to the error of a program that failed at its first question: it
 * may lack a file or a variable. */
static void add_hint(const struct program *program, struct error *err)
{
    size_t len = strlen(err->message);
    if (program->child && program->config->confine != CONFINE_OFF)
        snprintf(err->message + len, sizeof err->message - len,
                 " (the program may read only its own files, and its "
                 "environment is empty: reads=PATH lets it read a path, "
                 "pass=NAME gives it a variable)");
}

static enum status greet(struct program *program, struct arena *arena,
                         struct error *err)
{
    char text[64];
    int n = snprintf(text, sizeof text, "{\"say\":\"hello\",\"protocol\":%d}\n",
                     PROTOCOL_VERSION);
    struct text question = {text, (size_t)n}, answer;
    enum status st = program_ask(program, question, &answer, err);
    if (st == STATUS_OK)
        st = answer_hello(answer, &program->said, err);
    if (st != STATUS_OK) {
        error_prefix(err, "policy exec: ");
        add_hint(program, err);
        return st;
    }
    program_keep(program, question, answer);
    program->ops = policy_exec;
    program->ops.needs = program->said.needs;
    n = snprintf(text, sizeof text, "exec:%s", program->said.name);
    program->ops.name = arena_copy(arena, text, (size_t)n);
    return STATUS_OK;
}

enum status program_open(const struct program_config *config,
                         struct program_answerer answerer, struct arena *arena,
                         struct remarks *remarks, struct program **out,
                         struct error *err)
{
    enum status st = check(config, answerer.answer != NULL, err);
    if (st != STATUS_OK)
        return st;
    struct program *program = mem_zalloc(1, sizeof *program);
    program->config = config;
    program->answerer = answerer;
    st = start(program, remarks, err);
    if (st == STATUS_OK)
        st = greet(program, arena, err);
    if (st != STATUS_OK)
        program_free(program);
    else
        *out = program;
    return st;
}

const struct policy_ops *program_policy(const struct program *program)
{
    return &program->ops;
}

enum status program_end(struct program *program, struct remarks *remarks,
                        struct error *err)
{
    struct record *record = program->record;
    if (program->child)
        child_end(program->child, remarks);
    if (!record)
        return STATUS_OK;
    uint64_t rest = record_rest(record);
    if (rest)
        remarks_add(remarks, REMARK_NUMBERS,
                    "policy exec: %llu answers of the record were not asked "
                    "for",
                    (unsigned long long)rest);
    program->record = NULL;
    return record_close(record, err);
}

void program_free(struct program *program)
{
    if (!program)
        return;
    child_free(program->child);
    record_free(program->record);
    messages_fini(&program->messages);
    free(program);
}
