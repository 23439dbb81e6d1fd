/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "schedmate/advisor/schedmate_advisor.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "schedmate/advisor/launch.h"
#include "schedmate/advisor/prompts.h"
#include "schedmate/llm/llm_json.h"
#include "schedmate/llm/llm_text.h"

/* Version of the prompts, of the schemas and of the text of observations. It is
 * part of the key under which a recording keeps an answer: raise it when any of
 * these changes. */
#define PROMPT_VERSION "advisor/2"

/* Largest number of tokens of one answer: a thought and a path, or all
 * metadata. */
enum { TOKENS_MAX = 1024 };

const struct option advisor_options[] = {
    OPT_U32(struct advisor_config, steps, "steps", 12, 1, 64,
            "most actions of the agent", NULL),
    OPT_U32(struct advisor_config, read_kib, "read_kib", 24, 1, 1024,
            "most KiB of one file shown to the agent", NULL),
    OPT_U32(struct advisor_config, total_kib, "total_kib", 96, 1, 8192,
            "most KiB shown to the agent in all; 4 KiB are about 1,000 tokens",
            "context of Qwen2.5: 32,768 tokens"),
    OPT_U32(struct advisor_config, votes, "votes", 1, 1, 16,
            "answers that vote on each field; 1: no vote",
            "SchedMate, NSDI '24 poster: vote and evaluate"),
    OPT_DOUBLE(struct advisor_config, vote_temperature, "vote_temperature", 0.7,
               0, 2, "temperature of all answers but the first", NULL),
    OPT_BOOL(struct advisor_config, evaluate, "evaluate", 0,
             "ask in the end which fields the files do not support, and drop "
             "them",
             "SchedMate, NSDI '24 poster: vote and evaluate"),
    {0},
};

void advisor_note_file(struct advisor_result *result, const char *path)
{
    for (size_t i = 0; i < result->n_files; i++) {
        if (strcmp(result->files[i], path) == 0)
            return;
    }
    if (result->n_files < ADVISOR_FILES_MAX)
        result->files[result->n_files++] = path;
}

enum action { ACTION_TREE, ACTION_READ, ACTION_ANSWER };
static const char *const actions[] = {"file_tree", "file_read", "answer", NULL};
enum { STEP_THOUGHT, STEP_ACTION, STEP_PATH };
static const struct llm_field step_fields[] = {
    [STEP_THOUGHT] = {.name = "thought",
                      .type = LLM_STRING,
                      .required = true,
                      .help = "what is known and what is missing"},
    [STEP_ACTION] = {.name = "action",
                     .type = LLM_STRING,
                     .required = true,
                     .choices = actions,
                     .help = "what to do next"},
    [STEP_PATH] = {.name = "path",
                   .type = LLM_STRING,
                   .help = "of the file to read, else null"},
    {0},
};
static const struct llm_schema step_schema = {"agent_step", step_fields};

static const struct llm_field unsupported_fields[] = {
    {.name = "unsupported",
     .type = LLM_LIST,
     .required = true,
     .help = "names of fields that nothing in the files or the command "
             "supports"},
    {0},
};
static const struct llm_schema unsupported_schema = {"unsupported_fields",
                                                     unsupported_fields};

struct agent {
    const struct advisor_input *input;
    struct advisor_result *result;
    struct llm_message *messages;
    size_t n, cap;
    size_t shown; /* number of bytes of observations so far */
    /* reason why the model gave no answer; NULL: it has answered so far */
    const char *why;
};

static void put_prompt(struct out *out, const char *name)
{
    const struct prompt *prompt = prompts;
    while (prompt->name && strcmp(prompt->name, name) != 0)
        prompt++;
    CHECK(prompt->name);
    out_bytes(out, prompt->text, prompt->len);
    out_char(out, '\n');
}

/* Adds the text of `out` as a message and frees `out`. */
static void say(struct agent *agent, enum llm_role role, struct out *out)
{
    struct text t = out_memory(out);
    agent->messages = mem_grow(agent->messages, &agent->cap, agent->n + 1,
                               sizeof *agent->messages);
    agent->messages[agent->n++] = (struct llm_message){
        role, arena_copy(agent->input->arena, t.at, t.len)};
    out_abandon(out);
}

static void say_words(struct agent *agent, enum llm_role role,
                      const char *words)
{
    struct out *out = out_to_memory();
    out_text(out, words);
    say(agent, role, out);
}

/* Adds a message with the four parts of SchedMate's prompt (section 4.1):
 * requirement, rules and tools, schema, form of the answer. */
static void say_system(struct agent *agent)
{
    struct out *out = out_to_memory();
    put_prompt(out, "advisor_task");
    put_prompt(out, "advisor_react");
    put_prompt(out, "advisor_schema");
    llm_schema_json(&metadata_schema, false, out);
    out_text(out, "\n\n");
    put_prompt(out, "advisor_json");
    say(agent, LLM_SYSTEM, out);
}

static void say_task(struct agent *agent)
{
    const struct advisor_memory *before = agent->input->before;
    struct out *out = out_to_memory();
    out_printf(out, "The launch command: %s\n", agent->input->command);
    if (before) {
        out_printf(out,
                   "An earlier version of these files had this metadata: %s\n",
                   before->text);
        out_text(out, before->n_changed
                          ? "Since then these files have changed; read only "
                            "these again:\n"
                          : "Since then files were added or removed, and none "
                            "of those you read has changed.\n");
        for (size_t i = 0; i < before->n_changed; i++)
            out_printf(out, "%s\n", before->changed[i]);
    }
    out_text(out, "Take the first step.");
    say(agent, LLM_USER, out);
}

/* Asks once and adds the latency to the result. If there is an answer, sets the
 * method of the result; if not, reply->known is false and agent->why has the
 * reason. */
static enum status ask(struct agent *agent, const struct llm_schema *schema,
                       const struct llm_sampling *sampling,
                       struct llm_reply *reply, struct error *err)
{
    const struct llm_request request = {
        .kind = LLM_CHAT,
        .purpose = "advisor",
        .prompt_version = PROMPT_VERSION,
        .messages = agent->messages,
        .n_messages = agent->n,
        .schema = schema,
        .max_tokens = TOKENS_MAX,
        .sampling = sampling,
    };
    enum status st = llm_client_ask(agent->input->llm, &request,
                                    agent->input->arena, reply, err);
    if (st != STATUS_OK)
        return st;
    agent->result->latency += reply->latency;
    if (reply->known)
        agent->result->method = reply->method;
    else
        agent->why = reply->why;
    return STATUS_OK;
}

static size_t room_of(const struct agent *agent)
{
    size_t total = (size_t)agent->input->config->total_kib << 10;
    size_t one = (size_t)agent->input->config->read_kib << 10;
    size_t left = agent->shown < total ? total - agent->shown : 0;
    return left < one ? left : one;
}

/* Cuts `t` to at most `room` bytes, without splitting a UTF-8 character. */
static struct text cut_to(struct text t, size_t room)
{
    if (t.len <= room)
        return t;
    while (room && ((unsigned char)t.at[room] & 0xc0) == 0x80)
        room--;
    return (struct text){t.at, room};
}

static void observe_file(struct agent *agent, const char *path, struct out *out)
{
    const struct workspace *workspace = agent->input->workspace;
    const struct workspace_file *file = workspace_find(workspace, path);
    char why[WORKSPACE_WHY_MAX] = "it is not in the tree";
    struct text text;
    bool cut = false;
    if (!file || !workspace->read(workspace->self, file->path,
                                  agent->input->arena, &text, &cut, why)) {
        out_printf(out, "The file cannot be shown: %s.", why);
        return;
    }
    advisor_note_file(agent->result, file->path);
    struct text part = cut_to(text, room_of(agent));
    out_printf(
        out, "The file %s, %" PRIu64 " bytes%s:\n\n", file->path, file->bytes,
        cut || part.len < text.len ? ", of which the first are shown" : "");
    out_bytes(out, part.at, part.len);
}

static void observe(struct agent *agent, enum action action, const char *path)
{
    struct out *out = out_to_memory();
    out_text(out, "Observation. ");
    if (room_of(agent) == 0) {
        out_text(out, "Nothing more can be shown; answer with what you know.");
    } else if (action == ACTION_TREE) {
        out_text(out, "The tree of the working directory:\n\n");
        workspace_tree(agent->input->workspace, room_of(agent), out);
    } else if (path) {
        observe_file(agent, path, out);
    } else {
        out_text(out, "file_read needs a path.");
    }
    agent->shown += out_memory(out).len;
    say(agent, LLM_USER, out);
}

static enum action action_of(const struct llm_value *values)
{
    unsigned i = 0;
    while (i < ACTION_ANSWER &&
           strcmp(values[STEP_ACTION].string, actions[i]) != 0)
        i++;
    return i;
}

/* Lets the agent take steps until it wants to answer, reaches the limit or
 * gives no answer. In the first two cases, then adds the request for the
 * metadata. */
static enum status explore(struct agent *agent, struct error *err)
{
    struct advisor_result *result = agent->result;
    while (result->steps < agent->input->config->steps) {
        struct llm_reply reply;
        enum status st = ask(agent, &step_schema, NULL, &reply, err);
        if (st != STATUS_OK || !reply.known)
            return st;
        enum action action = action_of(reply.values);
        result->steps++;
        say_words(agent, LLM_ASSISTANT, reply.text);
        if (action == ACTION_ANSWER)
            break;
        observe(agent, action, reply.values[STEP_PATH].string);
    }
    say_words(agent, LLM_USER,
              "Now answer: one JSON object with the fields of the schema.");
    return STATUS_OK;
}

/* Asks for the metadata once, or several times and then votes on each field.
 * Sets agent->why to NULL if there is an answer. */
static enum status extract(struct agent *agent, struct error *err)
{
    const struct advisor_config *config = agent->input->config;
    struct arena *arena = agent->input->arena;
    struct metadata *all = ARENA_ARRAY(arena, struct metadata, config->votes);
    size_t n = 0;
    for (uint32_t i = 0; i < config->votes; i++) {
        struct llm_sampling sampling = agent->input->llm->sampling;
        struct llm_reply reply;
        sampling.seed += i;
        if (i > 0)
            sampling.temperature = config->vote_temperature;
        enum status st = ask(agent, &metadata_schema, &sampling, &reply, err);
        if (st != STATUS_OK)
            return st;
        if (reply.known)
            metadata_from_values(reply.values, arena, &all[n++]);
    }
    if (n) {
        agent->why = NULL;
        metadata_vote(all, n, arena, &agent->result->metadata,
                      &agent->result->agreement);
    }
    return STATUS_OK;
}

static void drop(struct metadata *metadata, const char *name)
{
    for (unsigned i = 0; i < METADATA_FIELDS; i++) {
        if (strcmp(metadata_name(i), name) == 0)
            metadata->fields[i] = (struct metadata_value){0};
    }
    for (size_t i = 0; i < metadata->n_other; i++) {
        if (strcmp(metadata->other[i].key, name) == 0) {
            metadata->n_other--;
            memmove(&metadata->other[i], &metadata->other[i + 1],
                    (metadata->n_other - i) * sizeof *metadata->other);
            break;
        }
    }
}

/* Asks the model which fields are not supported by the files, and drops these.
 * Without an answer, the metadata stay as they are. */
static enum status advisor_evaluate(struct agent *agent, struct error *err)
{
    struct llm_reply reply;
    struct out *out = out_to_memory();
    out_text(out, "This was found: ");
    metadata_text(&agent->result->metadata, out);
    out_text(out,
             "\nCheck each field against the command and the files you have "
             "seen. Name the fields that nothing there supports.");
    say(agent, LLM_USER, out);
    enum status st = ask(agent, &unsupported_schema, NULL, &reply, err);
    if (st == STATUS_OK && reply.known) {
        for (size_t i = 0; i < reply.values[0].n_list; i++)
            drop(&agent->result->metadata, reply.values[0].list[i]);
    }
    agent->why = NULL;
    return st;
}

/* Asks the model for metadata. *why becomes NULL if there is an answer, or else
 * the reason why there is none. */
static enum status by_model(const struct advisor_input *input,
                            struct advisor_result *out, const char **why,
                            struct error *err)
{
    struct agent agent = {.input = input, .result = out};
    say_system(&agent);
    say_task(&agent);
    enum status st = explore(&agent, err);
    if (st == STATUS_OK && !agent.why)
        st = extract(&agent, err);
    if (st == STATUS_OK && !agent.why && input->config->evaluate)
        st = advisor_evaluate(&agent, err);
    /* The result also depends on the files that were not read again. */
    for (size_t i = 0; input->before && i < input->before->n_seen; i++)
        advisor_note_file(out, input->before->seen[i]);
    out->metadata.command = launch_raw(text_from(input->command), input->arena);
    out->coverage = metadata_coverage(&out->metadata);
    *why = agent.why;
    free(agent.messages);
    return st;
}

enum status advisor_extract(const struct advisor_input *input,
                            struct advisor_result *out, struct error *err)
{
    const char *why = NULL;
    *out = (struct advisor_result){0};
    if (input->llm) {
        enum status st = by_model(input, out, &why, err);
        if (st != STATUS_OK || !why)
            return st;
    }
    sim_span latency = out->latency;
    uint32_t steps = out->steps;
    *out =
        (struct advisor_result){.why = why, .latency = latency, .steps = steps};
    advisor_by_rules(input, out);
    return STATUS_OK;
}
