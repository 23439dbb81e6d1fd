/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The policy `exec`: opens the program, decides when to ask it, and makes its
 * answer the plan. */
#include "policies/outside/program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "policies/outside/program_internal.h"

struct program {
    const struct program_config *config;
    struct policy_ops ops;
    struct introduction said;
    struct child *child;   /* the program; NULL: the record answers */
    struct record *record; /* record of the answers; NULL: there is none */
    struct messages messages;
    bool woken; /* true if a wake came since the last question */
    uint64_t n_asked, n_spared;
};

/* The state of the plug-in, which lives in the arena of the run. */
struct program_state {
    struct program *program;
};

static struct program *of(const void *self)
{
    return ((const struct program_state *)self)->program;
}

/* Asks the program, or the record that replaces it. *answer is valid until the
 * next question. Returns the errors of child_ask and record_next. */
static enum status program_ask(struct program *program, struct text question,
                               struct text *answer, struct error *err)
{
    if (program->child)
        return child_ask(program->child, question, answer, err);
    return record_next(program->record, question, answer, err);
}

/* Adds an answer that was understood to the record, if one is written. */
static void program_keep(struct program *program, struct text question,
                         struct text answer)
{
    if (program->record && !program->config->replay)
        record_add(program->record, question, answer);
}

/* Hooks of the descriptor. */
static enum status program_init(void *self, const void *config,
                                const struct run_env *env, struct error *err)
{
    struct program_state *state = self;
    /* The config of this plug-in is its program. The pointer is cast to
     * non-const, because the state of the program changes. */
    struct program *program = (struct program *)(uintptr_t)config;
    struct text answer;
    state->program = program;
    messages_init(&program->messages, env, env->arena);
    program->messages.knows_times = program->said.needs & POLICY_NEEDS_DURATION;
    program->messages.knows_demand = program->said.needs & POLICY_NEEDS_DEMAND;
    struct text question = message_begin(&program->messages);
    enum status st = program_ask(program, question, &answer, err);
    if (st == STATUS_OK)
        st = answer_begin(answer, err);
    if (st == STATUS_OK)
        program_keep(program, question, answer);
    else
        error_prefix(err, "policy %s: ", program->ops.name);
    return st;
}

static void program_observe(void *self, const struct view *view,
                            const struct event *event)
{
    struct program *program = of(self);
    program->woken |= event->kind == EVENT_WAKE;
    message_event(&program->messages, view, event);
}

static void program_adopt(void *self, const struct view *view,
                          const struct job *job)
{
    message_adopt(&of(self)->messages, view, job);
}

/* True if some pool of the virtual cluster has enough free GPUs for a waiting
 * job. */
static bool program_has_room(const struct view *view, uint16_t vc)
{
    const struct cluster *c = view_cluster(view);
    uint32_t most = 0;
    for (uint32_t p = c->vc_pools[vc].first; p < c->vc_pools[vc].end; p++) {
        if (!c->pools[p].profiler && c->pools[p].n_free > most)
            most = c->pools[p].n_free;
    }
    if (most == 0)
        return false;
    for (const struct job *job = view_first_pending(view, vc); job;
         job = view_next_pending(view, job)) {
        if (job->gpus <= most)
            return true;
    }
    return false;
}

/* True if a start can have become possible, a wake has come, or the program
 * wants to be asked always. A program that stops jobs or shares GPUs can always
 * make room for a job that waits. */
static bool is_worth_asking(const struct program *program,
                            const struct view *view)
{
    struct vc_list touched = view_touched(view);
    bool makes_room = program->said.needs & (POLICY_PREEMPTS | POLICY_SHARES);
    if (program->woken || program->said.asked_always)
        return true;
    for (uint32_t i = 0; i < touched.count; i++) {
        uint16_t vc = touched.at[i];
        if (view_n_pending(view, vc) > 0 &&
            (makes_room || program_has_room(view, vc)))
            return true;
    }
    return false;
}

static void program_decide(void *self, const struct view *view,
                           struct plan *plan)
{
    struct program *program = of(self);
    struct error err;
    struct text answer;
    message_touch(&program->messages, view);
    if (!is_worth_asking(program, view)) {
        program->n_spared++;
        return;
    }
    uint64_t number = ++program->n_asked;
    program->woken = false;
    struct text question = message_decide(&program->messages, plan, number);
    enum status st = program_ask(program, question, &answer, &err);
    if (st != STATUS_OK) {
        char why[ERROR_MAX + 64];
        snprintf(why, sizeof why, "question %llu: %s",
                 (unsigned long long)number, err.message);
        plan_refuse(plan, st, JOB_NONE, why);
        return;
    }
    answer_plan(answer, number, program->said.needs, plan);
    if (plan->broken.status != STATUS_OK)
        return;
    program_keep(program, question, answer);
    message_plan(&program->messages, plan);
}

static size_t program_count(const void *self, struct policy_count *out)
{
    const struct program *program = of(self);
    out[0] = (struct policy_count){
        .name = "questions",
        .help = "times that the program was asked for a plan",
        .value = program->n_asked};
    out[1] = (struct policy_count){
        .name = "questions_spared",
        .help = "instants at which the program was not asked, because no "
                "start can have become possible",
        .value = program->n_spared};
    return 2;
}

/* Describes the policy `exec` and its settings, opens its program before a run
 * and ends it after. */

static const char *const confine_names[] = {"auto", "on", "off", NULL};

static const struct option program_options[] = {
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
    .adopt = program_adopt,
    .decide = program_decide,
    .count = program_count,
};

static enum status program_check(const struct program_config *config,
                                 struct error *err)
{
    bool runs = config->command && config->command[0];
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

static enum status program_start(struct program *program,
                                 struct remarks *remarks, struct error *err)
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
    if (st == STATUS_OK)
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
    program->ops.needs = program->said.needs | POLICY_USES_EXTRAS;
    n = snprintf(text, sizeof text, "exec:%s", program->said.name);
    program->ops.name = arena_copy(arena, text, (size_t)n);
    return STATUS_OK;
}

enum status program_open(const struct program_config *config,
                         struct arena *arena, struct remarks *remarks,
                         struct program **out, struct error *err)
{
    enum status st = program_check(config, err);
    if (st != STATUS_OK)
        return st;
    struct program *program = mem_zalloc(1, sizeof *program);
    program->config = config;
    st = program_start(program, remarks, err);
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

static bool outside_ends_in(struct text name, const char *ending)
{
    const size_t len = strlen(ending);
    return name.len > len && memcmp(name.at + name.len - len, ending, len) == 0;
}

bool outside_is_path(struct text name)
{
    return memchr(name.at, '/', name.len) || outside_ends_in(name, ".so") ||
           memmem(name.at, name.len, ".so+", 4);
}

bool outside_is_source(struct text name)
{
    return outside_ends_in(name, ".c") || outside_ends_in(name, ".cc") ||
           outside_ends_in(name, ".cpp");
}

/* Refuses the source of a policy, with what to type in its place. */
static enum status source_refuse(struct text name, struct error *err)
{
    const bool python = outside_ends_in(name, ".py");
    size_t stem = name.len;
    if (python || outside_ends_in(name, ".lua"))
        return error_set(err, STATUS_USAGE,
                         "policy %.*s is a program: write "
                         "\"exec:%s %.*s\"",
                         TEXT_ARGS(name), python ? "python3" : "lua",
                         TEXT_ARGS(name));
    if (!outside_is_source(name))
        return STATUS_OK;
    while (name.at[stem - 1] != '.')
        stem--;
    return error_set(err, STATUS_USAGE,
                     "policy %.*s is a source: build it first: schedsim policy "
                     "build %.*s; then write %.*sso",
                     TEXT_ARGS(name), TEXT_ARGS(name), (int)stem, name.at);
}

/* Cuts the last ",KEY=VALUE", or the whole text if it is "KEY=VALUE", off the
 * text if KEY is a setting of `exec`. Otherwise returns false. */
static bool cut_setting(struct text *text, struct spec_setting *out)
{
    size_t at = text->len;
    while (at > 0 && text->at[at - 1] != ',')
        at--;
    struct text value, key = text_split(text_skip(*text, at), '=', &value);
    if (key.len + at == text->len)
        return false;
    for (const struct option *o = program_options; o->kind != OPTION_END; o++) {
        if (!text_is(key, o->name))
            continue;
        *out = (struct spec_setting){.key = key, .value = value};
        text->len = at > 0 ? at - 1 : 0;
        return true;
    }
    return false;
}

static void parse_exec(struct text rest, struct spec *out)
{
    struct spec_setting cut[SPEC_SETTINGS_MAX];
    size_t n = 0;
    *out = (struct spec){.name = text_from("exec")};
    while (n < SPEC_SETTINGS_MAX - 1 && rest.len && cut_setting(&rest, &cut[n]))
        n++;
    rest = text_trim(rest);
    if (rest.len)
        out->settings[out->n_settings++] =
            (struct spec_setting){.key = text_from("command"), .value = rest};
    while (n > 0)
        out->settings[out->n_settings++] = cut[--n];
}

/* Parses PATH.so[+LAYER...] and its settings. A path may contain a '+', so only
 * a '+' after ".so" begins a layer. */
static enum status parse_path(struct text path, struct text settings,
                              struct spec *out, struct error *err)
{
    char text[256];
    struct text name = path, rest = {0};
    for (size_t i = 3; i < path.len; i++) {
        if (path.at[i] != '+' || memcmp(path.at + i - 3, ".so", 3) != 0)
            continue;
        name.len = i;
        rest = text_skip(path, i + 1);
    }
    snprintf(text, sizeof text, "policy %.*s", TEXT_ARGS(name));
    struct spec parsed = {0};
    enum status st = STATUS_OK;
    if (settings.len) {
        /* spec_parse expects a name before the settings */
        struct text whole = {path.at + path.len - 1, settings.len + 2};
        st = spec_parse(text, whole, &parsed, err);
    }
    if (st != STATUS_OK)
        return st;
    *out = parsed;
    out->name = name;
    out->n_layers = 0;
    return spec_add_layers("policy", rest, out, err);
}

enum status outside_spec(struct text text, struct spec *out, struct error *err)
{
    struct text rest, layers, head = text_split(text, ':', &rest);
    struct text name = text_split(head, '+', &layers);
    if (text_is(name, "exec")) {
        parse_exec(rest, out);
        return spec_add_layers("policy", layers, out, err);
    }
    enum status st = source_refuse(head, err);
    if (st != STATUS_OK)
        return st;
    if (outside_is_path(head))
        return parse_path(head, rest, out, err);
    return spec_parse("policy", text, out, err);
}
