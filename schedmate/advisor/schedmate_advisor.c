/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "schedmate/advisor/schedmate_advisor.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "schedmate/advisor/answer.h"
#include "schedmate/advisor/launch_internal.h"
#include "schedmate/advisor/look.h"
#include "schedmate/advisor/prompts.h"

/* Version of the prompt, of the schema and of the text of observations. It is
 * part of the key under which a recording keeps an answer: raise it when any of
 * these changes. */
#define PROMPT_VERSION "advisor/3"

enum {
    TOKENS_MAX = 1400, /* of one reply: a thought and requests, or all fields */
    BYTES_OF_TOKEN = 4, /* about, of sources and English */
    ROOM_LEAST = 600,   /* bytes below which nothing more is shown */
    TREE_BYTES = 1000,  /* of the first view of the directory */
    FIRST_READ = 2,     /* files that the rules read first, shown as well */
    ADVISOR_FIRST_BYTES =
        8500, /* of the files that are shown without being asked for */
};

const struct option advisor_options[] = {
    OPT_U32(struct advisor_config, steps, "steps", 8, 1, 64,
            "most questions of the agent", NULL),
    OPT_U32(struct advisor_config, context, "context", 0, 0, 1000000,
            "tokens that one question may have, with its answer, at least "
            "4,000; 0: 8,000, or what the server says that it has, if more",
            "8,000: smallest context of local servers in use"),
    OPT_U32(struct advisor_config, read_kib, "read_kib", 6, 1, 1024,
            "most KiB that the agent is shown at a time", NULL),
    OPT_U32(struct advisor_config, votes, "votes", 1, 1, 16,
            "answers that vote on each field; 1: no vote",
            "SchedMate, NSDI '24 poster: vote and evaluate"),
    OPT_DOUBLE(struct advisor_config, vote_temperature, "vote_temperature", 0.7,
               0, 2, "temperature of all answers but the first", NULL),
    OPT_DOUBLE(struct advisor_config, trust, "trust", 0, 0, 1,
               "measured share of the model's values with a telling quote that "
               "are right; 0: not measured, judged by the numbers on which it "
               "agrees with the rules",
               NULL),
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

enum { STEP_THOUGHT, STEP_LOOK, STEP_ANSWER };
static const struct llm_field step_fields[] = {
    [STEP_THOUGHT] = {.name = "thought",
                      .type = LLM_STRING,
                      .help = "what is missing, in a few words"},
    [STEP_LOOK] = {.name = "look",
                   .type = LLM_LIST,
                   .max = 16,
                   .help = "requests, or null"},
    [STEP_ANSWER] = {.name = "answer",
                     .type = LLM_LIST,
                     .help = "lines FIELD | VALUE | PLACE | QUOTE, or null"},
    {0},
};
static const struct llm_schema step_schema = {"agent_step", step_fields};

struct agent {
    const struct advisor_input *input;
    struct advisor_result *result;
    size_t context;              /* tokens of a question and its answer */
    struct advisor_result rules; /* what the rules found */
    struct look look;
    struct llm_message *messages;
    size_t n, cap;
    size_t said; /* bytes of all messages */
    /* reason why the model gave no answer; NULL: it has answered so far */
    const char *why;
};

/* Adds the text of `out` as a message and frees `out`. */
static void advisor_say(struct agent *agent, enum llm_role role,
                        struct out *out)
{
    struct text t = out_memory(out);
    agent->messages = mem_grow(agent->messages, &agent->cap, agent->n + 1,
                               sizeof *agent->messages);
    agent->messages[agent->n++] = (struct llm_message){
        role, arena_copy(agent->input->arena, t.at, t.len)};
    agent->said += t.len;
    out_abandon(out);
}

static void say_words(struct agent *agent, enum llm_role role,
                      const char *words)
{
    struct out *out = out_to_memory();
    out_text(out, words);
    advisor_say(agent, role, out);
}

/* Adds the message that all jobs share, so that a server keeps it in its cache:
 * the requirement, the requests and the fields (SchedMate, section 4.1). */
static void say_system(struct agent *agent)
{
    struct out *out = out_to_memory();
    CHECK(strcmp(prompts[0].name, "advisor") == 0);
    out_bytes(out, prompts[0].text, prompts[0].len);
    for (unsigned i = 0; i < METADATA_FIELDS; i++) {
        const char *help = metadata_help(i);
        out_printf(out, "%s%s%s\n", metadata_name(i), help ? ": " : "",
                   help ? help : "");
    }
    out_text(out,
             "Other names are free, for what else tells this job from "
             "others of its project or decides how long it runs: "
             "eval_interval, save_interval, warmup_steps, frozen, lora_rank "
             "and the like.\n");
    advisor_say(agent, LLM_SYSTEM, out);
}

static void put_memory(const struct advisor_memory *before, struct out *out)
{
    out_printf(out, "An earlier version of these files had this metadata: %s\n",
               before->text);
    if (!before->n_changed)
        out_text(out, "Since then files were added or removed, and none of "
                      "those you read has changed.\n");
    else
        out_text(out, "Since then these files have changed; read only these "
                      "again:\n");
    for (size_t i = 0; i < before->n_changed; i++)
        out_printf(out, "%s\n", before->changed[i]);
}

static void put_rules(const struct agent *agent, struct out *out)
{
    const struct metadata *found = &agent->rules.metadata;
    out_text(out, "\nThe rules found:\n");
    for (unsigned i = 0; i < METADATA_FIELDS; i++) {
        const struct metadata_value *value = &found->fields[i];
        if (value->text)
            out_printf(out, "%s = %s (%s)\n", metadata_name(i), value->text,
                       value->where ? value->where : "from names");
    }
    if (agent->rules.why)
        out_printf(out, "nothing in files: %s\n", agent->rules.why);
}

/* Adds the file of a place such as "train.py:12" to those that come first. */
static void advisor_add_first(struct agent *agent, struct text place)
{
    char path[1024];
    struct text rest;
    place = text_split(place, ':', &rest);
    if (!place.len || place.len >= sizeof path)
        return;
    memcpy(path, place.at, place.len);
    path[place.len] = '\0';
    const struct workspace_file *file =
        workspace_find(agent->input->workspace, path);
    if (file)
        look_add_first(&agent->look, file->path);
}

/* Puts the files that the command names first, then the first ones that the
 * rules read, such as the script, then those where they found something. */
static void find_first(struct agent *agent)
{
    struct text rest = text_from(agent->input->command);
    while (rest.len) {
        size_t n = 0;
        while (n < rest.len && !strchr(" \t\n'\"=,;&|()", rest.at[n]))
            n++;
        advisor_add_first(agent, (struct text){rest.at, n});
        rest = text_skip(rest, n < rest.len ? n + 1 : n);
    }
    for (size_t i = 0; i < agent->rules.n_files && i < FIRST_READ; i++)
        look_add_first(&agent->look, agent->rules.files[i]);
    for (unsigned i = 0; i < METADATA_FIELDS; i++) {
        if (agent->rules.metadata.fields[i].where)
            advisor_add_first(agent,
                              text_from(agent->rules.metadata.fields[i].where));
    }
}

/* Adds the first question: the command, what the rules found, the directory and
 * the files that matter most, in the order of their use. */
static void say_task(struct agent *agent)
{
    const struct advisor_memory *before = agent->input->before;
    struct out *out = out_to_memory();
    out_printf(out, "The launch command: %s\n", agent->input->command);
    if (before)
        put_memory(before, out);
    put_rules(agent, out);
    out_text(out, "\nThe directory:\n");
    look_tree(&agent->look, "", TREE_BYTES, out);
    size_t room = out_memory(out).len + ADVISOR_FIRST_BYTES;
    for (size_t i = 0; i < agent->look.n_first; i++) {
        bool again = !before;
        for (size_t k = 0; before && k < before->n_changed; k++)
            again |= strcmp(before->changed[k], agent->look.first[i]) == 0;
        if (again && out_memory(out).len + ROOM_LEAST < room) {
            out_char(out, '\n');
            look_at_first(&agent->look, agent->look.first[i],
                          room - out_memory(out).len, out);
        }
    }
    advisor_say(agent, LLM_USER, out);
}

/* Asks once and adds the latency to the result. If there is an answer, sets the
 * method of the result; if not, reply->known is false and agent->why has the
 * reason. */
static enum status ask(struct agent *agent, const struct llm_sampling *sampling,
                       struct llm_reply *reply, struct error *err)
{
    const struct llm_request request = {
        .kind = LLM_CHAT,
        .purpose = "advisor",
        .prompt_version = PROMPT_VERSION,
        .messages = agent->messages,
        .n_messages = agent->n,
        .schema = &step_schema,
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

/* Returns how many bytes the next observation may have, so that the question
 * and its answer fit the context; 0 if too few are left. */
static size_t room_of(const struct agent *agent)
{
    const struct advisor_config *config = agent->input->config;
    size_t all = (agent->context - TOKENS_MAX) * BYTES_OF_TOKEN;
    size_t left = agent->said < all ? all - agent->said : 0;
    size_t one = (size_t)config->read_kib << 10;
    return left < ROOM_LEAST ? 0 : left < one ? left : one;
}

/* Adds what the agent asked to see. */
static void observe(struct agent *agent, const struct llm_value *requests)
{
    struct out *out = out_to_memory();
    size_t room = room_of(agent);
    for (size_t i = 0; i < requests->n_list; i++) {
        size_t used = out_memory(out).len;
        /* Later requests share what the earlier ones leave. */
        size_t share = used < room ? (room - used) / (requests->n_list - i) : 0;
        if (share < ROOM_LEAST / 2) {
            out_printf(out, "%zu more requests do not fit; ask again.\n",
                       requests->n_list - i);
            break;
        }
        look_request(&agent->look, requests->list[i],
                     i + 1 == requests->n_list ? room - used : share, out);
    }
    if (requests->n_list == 0)
        out_text(out, "Give requests in \"look\" or lines in \"answer\".");
    advisor_say(agent, LLM_USER, out);
}

/* True if a reply ends the search: it has lines, or neither lines nor requests
 * but an empty list of lines. */
static bool is_answer(const struct llm_reply *reply)
{
    const struct llm_value *values = reply->values;
    return values[STEP_LOOK].n_list == 0 && values[STEP_ANSWER].present;
}

/* Lets the agent look until it answers, then fills *reply with its answer. If
 * there is none, sets agent->why. */
static enum status explore(struct agent *agent, struct llm_reply *reply,
                           struct error *err)
{
    struct advisor_result *result = agent->result;
    const uint32_t steps = agent->input->config->steps;
    for (;;) {
        if (result->steps + 1 >= steps || room_of(agent) == 0)
            say_words(agent, LLM_USER,
                      "Nothing more can be shown. Answer now "
                      "with what you know.");
        bool last = result->steps + 1 >= steps || room_of(agent) == 0;
        enum status st = ask(agent, NULL, reply, err);
        if (st != STATUS_OK || !reply->known)
            return st;
        result->steps++;
        if (is_answer(reply) || (last && reply->values[STEP_ANSWER].present))
            return STATUS_OK;
        if (last)
            break;
        say_words(agent, LLM_ASSISTANT, reply->text);
        observe(agent, &reply->values[STEP_LOOK]);
    }
    agent->why = "the model looked at files as long as it might and gave no "
                 "answer";
    return STATUS_OK;
}

/* Reads the first answer and draws further ones if a vote is wanted. */
static enum status extract(struct agent *agent, const struct llm_reply *first,
                           struct model_answer *answer, struct error *err)
{
    const struct advisor_input *input = agent->input;
    const struct advisor_config *config = input->config;
    struct metadata *all =
        ARENA_ARRAY(input->arena, struct metadata, config->votes);
    const struct llm_value *lines = &first->values[STEP_ANSWER];
    size_t n = 1;
    answer_read(&agent->look, input->command, lines->list, lines->n_list,
                answer);
    all[0] = answer->metadata;
    for (uint32_t i = 1; i < config->votes; i++) {
        struct llm_sampling sampling = input->llm->sampling;
        struct llm_reply reply;
        struct model_answer more;
        sampling.seed += i;
        sampling.temperature = config->vote_temperature;
        enum status st = ask(agent, &sampling, &reply, err);
        if (st != STATUS_OK)
            return st;
        if (!reply.known || !reply.values[STEP_ANSWER].present)
            continue;
        lines = &reply.values[STEP_ANSWER];
        answer_read(&agent->look, input->command, lines->list, lines->n_list,
                    &more);
        all[n++] = more.metadata;
    }
    agent->why = NULL; /* the first answer stands */
    metadata_vote(all, n, input->arena, &answer->metadata,
                  &agent->result->agreement);
    return STATUS_OK;
}

/* Returns the tokens that a question and its answer may have. */
static size_t advisor_context(const struct advisor_input *input)
{
    enum { CONTEXT_LEAST = 4000, CONTEXT_USUAL = 8000, CONTEXT_MOST = 1000000 };
    uint64_t set = input->config->context;
    if (set)
        return set < CONTEXT_LEAST ? CONTEXT_LEAST : set;
    uint64_t has = llm_client_context(input->llm, input->arena);
    return has < CONTEXT_USUAL  ? CONTEXT_USUAL
           : has > CONTEXT_MOST ? CONTEXT_MOST
                                : has;
}

static void note_shown(void *self, const char *path)
{
    advisor_note_file(self, path);
}

/* Asks the model for metadata, after the rules have answered. *why becomes NULL
 * if there is an answer, or else the reason why there is none. */
static enum status by_model(const struct advisor_input *input,
                            struct advisor_result *out, const char **why,
                            struct error *err)
{
    struct agent agent = {
        .input = input, .result = out, .context = advisor_context(input)};
    struct model_answer answer;
    struct llm_reply reply;
    agent.look = (struct look){.workspace = input->workspace,
                               .arena = input->arena,
                               .self = out,
                               .shown = note_shown};
    advisor_by_rules(input, &agent.rules);
    find_first(&agent);
    say_system(&agent);
    say_task(&agent);
    enum status st = explore(&agent, &reply, err);
    if (st == STATUS_OK && !agent.why)
        st = extract(&agent, &reply, &answer, err);
    if (st == STATUS_OK && !agent.why) {
        if (input->before)
            answer_keep(&agent.look, input->command, &input->before->metadata,
                        &answer);
        answer_merge(&answer, &agent.rules.metadata, input->config->trust,
                     &input->llm->trust, input->arena, &out->metadata);
        out->rules = agent.rules.metadata;
        out->model = answer.metadata;
        memcpy(out->withdrawn, answer.withdrawn, sizeof out->withdrawn);
        out->by_model = true;
        out->note = agent.rules.note;
        out->n_refused = answer.n_refused;
        memcpy(out->refused, answer.refused, sizeof answer.refused);
        /* The result rests on what the rules and an earlier answer read, too.
         */
        for (size_t i = 0; i < agent.rules.n_files; i++)
            advisor_note_file(out, agent.rules.files[i]);
        for (size_t i = 0; input->before && i < input->before->n_seen; i++)
            advisor_note_file(out, input->before->seen[i]);
        out->coverage = metadata_coverage(&out->metadata);
    }
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
