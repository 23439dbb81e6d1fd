/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests recordings of requests and answers, and the layer `replay`. */
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "schedmate/llm/llm_internal.h"
#include "sim/run/registry.h"

static const struct llm_field no_fields[] = {{0}};
static const struct llm_schema schema = {"test", no_fields};

static const struct llm_sampling sampling = {.model = "m \"1\"",
                                             .embed_model = "e",
                                             .temperature = 0.1,
                                             .top_p = 1,
                                             .seed = 7};
static const struct llm_message messages[] = {{LLM_SYSTEM, "You \xc3\xa4re"},
                                              {LLM_USER, "a\nb\x01 \"c\" \\"}};

static struct llm_request chat(void)
{
    return (struct llm_request){.kind = LLM_CHAT,
                                .purpose = "test",
                                .prompt_version = "p/1",
                                .messages = messages,
                                .n_messages = 2,
                                .max_tokens = 100,
                                .sampling = &sampling};
}

/* Digests from Python: hashlib.sha256(json.dumps({...}, sort_keys=True,
 * separators=(",", ":"), ensure_ascii=False).encode()). */
static void the_key_is_that_of_canonical_json(void **state)
{
    static const char *const inputs[] = {"x", "y"};
    struct llm_request request = chat();
    struct out *out = out_to_memory();
    char key[DIGEST_HEX_MAX];
    (void)state;
    llm_request_json(&request, out);
    out_char(out, '\0');
    assert_string_equal(
        out_memory(out).at,
        "{\"kind\":\"chat\",\"max_tokens\":100,\"messages\":[{\"content\":"
        "\"You \xc3\xa4re\",\"role\":\"system\"},{\"content\":\"a\\nb\\u0001 "
        "\\\"c\\\" \\\\\",\"role\":\"user\"}],\"model\":\"m \\\"1\\\"\","
        "\"prompt_version\":\"p/1\",\"response_schema_hash\":null,\"seed\":7,"
        "\"temperature\":0.1,\"top_p\":1,\"v\":1}");
    out_abandon(out);
    llm_request_key(&request, key);
    assert_string_equal(
        key,
        "f9bd36d550b43c5fa2707e8acf888ad194c3bb6f3c5f1cc8d3927ba71c2806ad");
    request = (struct llm_request){.kind = LLM_EMBED,
                                   .prompt_version = "p/1",
                                   .inputs = inputs,
                                   .n_inputs = 2,
                                   .sampling = &sampling};
    llm_request_key(&request, key);
    assert_string_equal(
        key,
        "ef2540c5ea1865e4f4f9c273a66561fa9d4e875e422daf4f4325ca1b59bb5ddd");
}

static void what_decides_the_answer_decides_the_key(void **state)
{
    struct llm_request request = chat(), other = chat();
    struct llm_sampling changed = sampling;
    char key[DIGEST_HEX_MAX], key2[DIGEST_HEX_MAX];
    (void)state;
    llm_request_key(&request, key);
    other.purpose = "another module";
    llm_request_key(&other, key2);
    assert_string_equal(key, key2);
    other.schema = &schema;
    llm_request_key(&other, key2);
    assert_string_not_equal(key, key2);
    other = chat();
    other.prompt_version = "p/2";
    llm_request_key(&other, key2);
    assert_string_not_equal(key, key2);
    other = chat();
    changed.seed = 8;
    other.sampling = &changed;
    llm_request_key(&other, key2);
    assert_string_not_equal(key, key2);
    other = chat();
    other.n_messages = 1;
    llm_request_key(&other, key2);
    assert_string_not_equal(key, key2);
}

struct place {
    char dir[64], file[96];
};

static int make_place(void **state)
{
    static struct place place;
    snprintf(place.dir, sizeof place.dir, "/tmp/test_llm.XXXXXX");
    if (!mkdtemp(place.dir))
        return -1;
    snprintf(place.file, sizeof place.file, "%s/recording.jsonl", place.dir);
    *state = &place;
    return 0;
}

static int remove_place(void **state)
{
    struct place *place = *state;
    unlink(place->file);
    return rmdir(place->dir);
}

static void add(struct recording *recording, const char *text, double latency_s)
{
    static struct error err;
    struct llm_request request = chat();
    char key[DIGEST_HEX_MAX];
    const struct llm_reply reply = {.known = true,
                                    .text = text,
                                    .finish_reason = "stop",
                                    .model = "m",
                                    .server = "vllm",
                                    .fingerprint = "f",
                                    .usage = {.prompt = 3, .completion = 4},
                                    .latency = span_from_seconds(latency_s),
                                    .attempts = 2};
    llm_request_key(&request, key);
    if (recording_add(recording, &request, key, &reply, 0, false, &err) !=
        STATUS_OK)
        fail_msg("%s", err.message);
}

static struct recording *opened(const char *path)
{
    static struct error err;
    struct recording *recording;
    if (recording_open(path, false, &recording, &err) != STATUS_OK)
        fail_msg("%s", err.message);
    return recording;
}

static void holds(const struct recording *recording, const char *text)
{
    struct llm_request request = chat();
    struct llm_reply reply = {0};
    struct arena arena;
    char key[DIGEST_HEX_MAX];
    arena_init(&arena);
    llm_request_key(&request, key);
    assert_true(recording_find(recording, key, &arena, &reply));
    assert_true(reply.known);
    assert_string_equal(reply.text, text);
    assert_int_equal(reply.method, LLM_BY_RECORDING);
    assert_int_equal(reply.usage.prompt, 3);
    assert_int_equal(reply.usage.completion, 4);
    assert_int_equal(reply.latency, 1234567);
    arena_fini(&arena);
}

/* Returns the number of keys that have a record. Symbol 0 is the empty string
 * and not a key. */
static size_t keys_of(const struct recording *recording)
{
    return recording->keys.n_strings - 1;
}

static void what_was_recorded_is_found_and_the_last_counts(void **state)
{
    const struct place *place = *state;
    struct recording *recording = opened(place->file);
    assert_int_equal(keys_of(recording), 0);
    add(recording, "first", 1);
    add(recording, "sec\"ond\n\xc3\xa4", 1.234567);
    holds(recording, "sec\"ond\n\xc3\xa4");
    recording_free(recording);
    recording = opened(place->file);
    assert_int_equal(keys_of(recording), 1);
    assert_false(recording->cut);
    holds(recording, "sec\"ond\n\xc3\xa4");
    recording_free(recording);
    struct stat about;
    assert_int_equal(stat(place->file, &about), 0);
    assert_int_equal(about.st_mode & 077, 0); /* owner only */
}

/* A file may be cut anywhere: whole records stay, and more can be added. */
static void a_cut_recording_is_mended_by_the_next_record(void **state)
{
    const struct place *place = *state;
    struct recording *recording = opened(place->file);
    struct stat one, two;
    add(recording, "first", 1);
    assert_int_equal(stat(place->file, &one), 0);
    add(recording, "second", 1.234567);
    assert_int_equal(stat(place->file, &two), 0);
    recording_free(recording);
    for (off_t at = two.st_size - 1; at > one.st_size; at -= 13) {
        static struct error err;
        assert_int_equal(truncate(place->file, at), 0);
        assert_int_equal(recording_open(place->file, true, &recording, &err),
                         0);
        assert_int_equal(keys_of(recording), 1);
        assert_int_equal(recording->cut, at < two.st_size - 1);
        add(recording, "second", 1.234567);
        recording_free(recording);
        assert_int_equal(recording_open(place->file, true, &recording, &err),
                         0);
        assert_false(recording->cut);
        holds(recording, "second");
        recording_free(recording);
        assert_int_equal(truncate(place->file, two.st_size), 0);
    }
}

#define KEY_0 "0000000000000000000000000000000000000000000000000000000000000000"
#define CHAT_0 \
    "{\"key\": \"" KEY_0 "\", \"kind\": \"chat\", \"reply\": {\"content\": " \
    "\"a\"}}\n"

static void damage_is_named_with_file_and_line(void **state)
{
    static const char *const bad[][2] = {
        {CHAT_0 "{\"key\": \n", "tape:2:"},
        {CHAT_0 "[]\n", "tape:2:1: expected a JSON object"},
        {"{\"key\": \"xyz\"}\n", "tape:1:1: \"key\" is not 64 hexadecimal"},
        {"{\"key\": \"" KEY_0 "\", \"kind\": \"poem\"}\n",
         "tape:1:1: \"kind\""},
        {"{\"key\": \"" KEY_0 "\", \"kind\": \"chat\"}\n",
         "tape:1:1: the object \"reply\" is missing"},
        {"{\"key\": \"" KEY_0 "\", \"kind\": \"chat\", \"reply\": "
         "{\"content\": 7}}\n",
         "tape:1:1: the reply has no string"},
        {"{\"key\": \"" KEY_0 "\", \"kind\": \"chat\", \"reply\": "
         "{\"content\": \"\"}, \"latency_ms\": -1}\n",
         "tape:1:1: \"latency_ms\" is not a number"},
        {"{\"key\": \"" KEY_0 "\", \"kind\": \"chat\", \"reply\": "
         "{\"content\": \"\"}, \"usage\": {\"prompt\": \"many\"}}\n",
         "tape:1:1: \"usage\" holds"},
        {"{\"key\": \"" KEY_0 "\", \"kind\": \"embed\", \"reply\": "
         "{\"embedding\": [\"AAAAAA==\", \"AAAAAAAAAAA=\"]}}\n",
         "tape:1:1: embeddings differ in width"},
        {"{\"key\": \"" KEY_0 "\", \"kind\": \"embed\", \"reply\": "
         "{\"embedding\": [1]}}\n",
         "tape:1:1: an embedding is not base64"},
        {"\xff\xfe\n", "tape:1:"},
        {"{\"key\": 5}\n", "tape:1:1: \"key\" is not 64 hexadecimal"},
        {"{\"key\": \"G"
         "123456789abcdef0123456789abcdef0123456789abcdef"
         "0123456789abcdef\"}\n",
         "tape:1:1: \"key\" is not 64 hexadecimal"},
        {"{\"key\": \"" KEY_0 "\", \"kind\": \"chat\", \"failed\": 5}\n",
         "tape:1:1: \"failed\" is not a string"},
        {"{\"key\": \"" KEY_0 "\", \"kind\": \"chat\", \"reply\": 5}\n",
         "tape:1:1: the object \"reply\" is missing"},
        {"{\"key\": \"" KEY_0 "\", \"kind\": \"embed\", \"reply\": {}}\n",
         "tape:1:1: the array \"embedding\" is missing"},
        {"{\"key\": \"" KEY_0 "\", \"kind\": \"embed\", \"reply\": "
         "{\"embedding\": [\"???\"]}}\n",
         "tape:1:1: an embedding is not base64"},
        {"{\"key\": \"" KEY_0 "\", \"kind\": \"chat\", \"reply\": "
         "{\"content\": \"\"}, \"latency_ms\": \"x\"}\n",
         "tape:1:1: \"latency_ms\" is not a number"},
        {"{\"key\": \"" KEY_0 "\", \"kind\": \"chat\", \"reply\": "
         "{\"content\": \"\"}, \"usage\": {\"prompt\": 1e300}}\n",
         "tape:1:1: \"usage\" holds"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        static struct error err;
        struct recording *recording;
        assert_int_equal(
            recording_read("tape", text_from(bad[i][0]), &recording, &err),
            STATUS_BAD_INPUT);
        if (strncmp(err.message, bad[i][1], strlen(bad[i][1])) != 0)
            fail_msg("%s", err.message);
    }
}

static void a_record_of_failure_stands_for_no_answer(void **state)
{
    static struct error err;
    struct recording *recording;
    struct llm_reply reply = {0};
    struct arena arena;
    (void)state;
    arena_init(&arena);
    assert_int_equal(
        recording_read("tape",
                       text_from("{\"key\": \"" KEY_0 "\", \"kind\": \"chat\", "
                                 "\"failed\": \"it rained\"}\n"),
                       &recording, &err),
        STATUS_OK);
    assert_true(recording_find(recording, KEY_0, &arena, &reply));
    assert_false(reply.known);
    assert_string_equal(reply.why, "it rained");
    recording_free(recording);
    arena_fini(&arena);
}

/* Counts the requests that reach the layer below `replay`. */
static unsigned asked;

static enum status count_ask(void *self, const struct llm *below,
                             const struct llm_request *request,
                             struct arena *arena, struct llm_reply *reply,
                             struct error *err)
{
    (void)self;
    (void)below;
    (void)request;
    (void)arena;
    (void)err;
    asked++;
    reply->known = true;
    reply->text = "live";
    reply->method = LLM_BY_MODEL;
    reply->latency = 5;
    return STATUS_OK;
}

static sim_time zero(void *self)
{
    (void)self;
    return 0;
}

static enum status replay(const char *file, const char *mode,
                          struct llm_reply *reply, struct error *err)
{
    static const struct llm_ops counting = {.name = "counting",
                                            .ask = count_ask};
    const struct llm_clock clock = {.elapsed = zero, .utc = zero};
    const struct llm below = {.ops = &counting};
    struct llm top = {.below = &below};
    struct arena arena;
    struct llm_env env = {.arena = &arena, .clock = &clock};
    struct llm_request request = chat();
    arena_init(&arena);
    assert_int_equal(llm_find(text_from("replay"), &top.ops, err), STATUS_OK);
    void *config = arena_alloc(&arena, top.ops->config_size);
    top.self = arena_alloc(&arena, top.ops->state_size);
    option_defaults(top.ops->options, config);
    enum status st =
        option_set(top.ops->options, config, "test", text_from("file"),
                   text_from(file), &arena, err);
    if (st == STATUS_OK)
        st = option_set(top.ops->options, config, "test", text_from("mode"),
                        text_from(mode), &arena, err);
    if (st == STATUS_OK)
        st = top.ops->init(top.self, config, &env, err);
    if (st == STATUS_OK)
        st = llm_ask(&top, &request, &arena, reply, err);
    reply->text =
        reply->known && strcmp(reply->text, "live") == 0 ? "live" : "other";
    reply->why = "";
    if (top.self)
        top.ops->fini(top.self);
    arena_fini(&arena);
    return st;
}

static void each_mode_does_what_it_says(void **state)
{
    static struct error err;
    const struct place *place = *state;
    struct llm_reply reply = {0};
    char key[DIGEST_HEX_MAX];
    struct llm_request request = chat();
    asked = 0;
    assert_int_equal(replay(place->file, "replay", &reply, &err),
                     STATUS_FAILED); /* the file does not exist */
    assert_int_equal(replay(place->file, "off", &reply, &err), STATUS_OK);
    assert_int_equal(access(place->file, F_OK), -1);
    assert_int_equal(replay(place->file, "auto", &reply, &err), STATUS_OK);
    assert_int_equal(asked, 2);
    assert_int_equal(reply.method, LLM_BY_MODEL);
    assert_int_equal(replay(place->file, "auto", &reply, &err), STATUS_OK);
    assert_int_equal(asked, 2);
    assert_int_equal(reply.method, LLM_BY_RECORDING);
    assert_int_equal(reply.latency, 5);
    assert_string_equal(reply.text, "live");
    assert_int_equal(replay(place->file, "record", &reply, &err), STATUS_OK);
    assert_int_equal(asked, 3);
    assert_int_equal(replay(place->file, "strict", &reply, &err), STATUS_OK);
    assert_int_equal(asked, 3);
    assert_int_equal(truncate(place->file, 0), 0);
    assert_int_equal(replay(place->file, "replay", &reply, &err), STATUS_OK);
    assert_false(reply.known);
    assert_int_equal(replay(place->file, "strict", &reply, &err),
                     STATUS_FAILED);
    llm_request_key(&request, key);
    assert_non_null(strstr(err.message, key));
    assert_int_equal(asked, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_key_is_that_of_canonical_json),
        cmocka_unit_test(what_decides_the_answer_decides_the_key),
        cmocka_unit_test_setup_teardown(
            what_was_recorded_is_found_and_the_last_counts, make_place,
            remove_place),
        cmocka_unit_test_setup_teardown(
            a_cut_recording_is_mended_by_the_next_record, make_place,
            remove_place),
        cmocka_unit_test(damage_is_named_with_file_and_line),
        cmocka_unit_test(a_record_of_failure_stands_for_no_answer),
        cmocka_unit_test_setup_teardown(each_mode_does_what_it_says, make_place,
                                        remove_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
