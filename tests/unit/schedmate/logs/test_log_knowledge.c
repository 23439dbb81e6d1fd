/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests files of knowledge: the meaning of each key of a signature, which of a
 * site's rows and built-in rows win, and error messages. */
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "schedmate/logs/log_causes.h"
#include "schedmate/logs/log_classifier.h"
#include "schedmate/logs/log_knowledge_internal.h"
#include "tests/support/slurp.h"

#define CAUSES \
    "\"causes\":[{\"name\":\"a cause\",\"kind\":\"other\"," \
    "\"action\":\"tell-user\",\"means\":\"m\"}]"
#define FILE_OF(rows) "{\"format\":1," CAUSES ",\"signatures\":[" rows "]}"

static struct error err;

/* Returns the built-in knowledge with one added file of a site. */
static struct log_knowledge *with(const char *json)
{
    struct log_knowledge *k = log_knowledge_new();
    if (log_knowledge_add(k, "site.json", text_from(json), &err) != STATUS_OK)
        fail_msg("%s", err.message);
    assert_int_equal(log_knowledge_ready(k, &err), STATUS_OK);
    return k;
}

/* Returns how many signatures of the site match a line. */
static unsigned hits(const struct log_knowledge *k, const char *line)
{
    const struct log_signature *s;
    struct log_matches m;
    unsigned n = 0;
    log_matches_begin(k, text_from(line), &m);
    while ((s = log_matches_next(&m)))
        n += strcmp(s->file, "site.json") == 0;
    return n;
}

static void keys_of_a_signature(void **state)
{
    static const struct {
        const char *keys; /* keys besides name, cause and weight */
        const char *yes, *no;
    } all[] = {
        {"\"text\":\"zorg\"", "a zorg b", "a Zorg b"},
        {"\"text\":[\"zorg\",\"zerg\"]", "a zerg", "zarg"},
        {"\"text\":\"ZoRg\",\"case\":\"ignore\"", "zORG", "zarg"},
        {"\"text\":\"zorg\",\"also\":[\"fee\",\"foe\"]", "foe zorg fee",
         "zorg fee"},
        {"\"text\":\"zorg\",\"not\":\"fee\"", "zorg foe", "zorg fee"},
        {"\"text\":\"zorg\",\"anchor\":\"start\"", "[rank3]:   zorg", "a zorg"},
        {"\"text\":\"zorg\",\"anchor\":\"end\"", "a zorg  ", "zorg a"},
        {"\"text\":\"zorg\",\"anchor\":\"word\"", "xzorg (zorg)", "zorgs"},
        {"\"text\":\"zorg\",\"anchor\":\"report\"",
         "agent[8]: CRITICAL zorg3 is gone", "agent[8]: zorg3 is gone"},
        {"\"text\":\"zorg\",\"anchor\":\"report\"",
         "[12:01][error] zorg needs a reset", "[12:01][error] no zorg"},
        {"\"text\":\"zorg\",\"anchor\":\"report\"",
         "E0302 11:20:11.12 17 a.cc:8] zorg: timed out",
         "I0302 11:20:11.12 17 a.cc:8] zorg: timed out"},
        {"\"text\":\"zorg\",\"anchor\":\"report\"",
         "{\"level\": \"error\", \"msg\": \"zorg lost\"}",
         "{\"level\": \"info\", \"msg\": \"zorg lost\"}"},
        {"\"text\":\"zorg\",\"anchor\":\"report\"",
         "[ 8120.11] zorg 0000:43: hang", "[ 8120.11] zorgon hang"},
        {"\"text\":\"zorg\",\"anchor\":\"report\"", "ERROR zorg failed",
         "RuntimeError: zorg failed"},
        {"\"text\":\"zorg\",\"code\":{\"after\":\"=\"}", "zorg = 7",
         "7 = zorg"},
        {"\"text\":\"zorg\",\"code\":{\"after\":\"=\",\"from\":7}", "zorg=7,",
         "zorg=8"},
        {"\"text\":\"zorg\",\"code\":{\"after\":\"=\",\"from\":7,\"to\":9}",
         "zorg x=9", "zorg=10"},
        {"\"text\":\"zorg\",\"code\":{\"after\":\"=\"}", "zorg zorg=1",
         "zorg=1a"},
        {"\"text\":\"zorg\",\"code\":{\"after\":\"=\"}", "zorg=4294967295",
         "zorg=4294967296"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        char json[512];
        snprintf(json, sizeof json,
                 FILE_OF("{\"name\":\"z\",\"cause\":\"a cause\",\"weight\":50,"
                         "%s}"),
                 all[i].keys);
        struct log_knowledge *k = with(json);
        if (hits(k, all[i].yes) != 1 || hits(k, all[i].no) != 0)
            fail_msg("%s", all[i].keys);
        log_knowledge_free(k);
    }
}

static void roles_and_weights(void **state)
{
    (void)state;
    struct log_knowledge *k = with(FILE_OF(
        "{\"name\":\"a\",\"text\":\"zorg\",\"cause\":\"a cause\","
        "\"weight\":50},"
        "{\"name\":\"b\",\"text\":\"zorg\",\"cause\":\"import\",\"weight\":50},"
        "{\"name\":\"c\",\"text\":\"zerg\",\"cause\":\"storage\","
        "\"weight\":60},"
        "{\"name\":\"d\",\"text\":\"zing\",\"cause\":\"import\",\"weight\":1,"
        "\"decides\":true},"
        "{\"name\":\"e\",\"text\":\"calm\",\"role\":\"harmless\"},"
        "{\"name\":\"f\",\"text\":\"wrap\",\"role\":\"wrapper\"}"));
    struct log_cause c = log_cause_of(k, text_from("zorg"));
    assert_string_equal(c.signature->name, "a"); /* the first of two equal
                                                  * ones */
    c = log_cause_of(k, text_from("zorg zerg"));
    assert_string_equal(c.reason, "storage");
    assert_int_equal(c.kind, FAILURE_INFRASTRUCTURE);
    c = log_cause_of(k, text_from("zing zerg Kernel panic"));
    assert_string_equal(c.signature->name, "d");
    assert_int_equal(log_cause_of(k, text_from("calm wrap")).weight, 0);
    assert_true(log_has_role(k, text_from("calm"), LOG_ROLE_HARMLESS));
    assert_true(log_has_role(k, text_from("a wrap"), LOG_ROLE_WRAPPER));
    assert_false(log_has_role(k, text_from("zorg"), LOG_ROLE_HARMLESS));
    log_knowledge_free(k);
}

static void a_site_comes_first(void **state)
{
    (void)state;
    struct log_knowledge *k = with(
        "{\"format\":1,\"causes\":[{\"name\":\"kernel panic\",\"kind\":"
        "\"other\",\"action\":\"restart\",\"means\":\"m\"}],\"signatures\":["
        "{\"name\":\"no-route-to-host\",\"text\":\"x\",\"role\":\"off\"},"
        "{\"name\":\"mine\",\"text\":\"Kernel pan\",\"cause\":\"import\","
        "\"weight\":96}],\"actions\":[{\"name\":\"restart\",\"words\":"
        "\"try again\",\"disruptive\":true}]}");
    /* A row of the site that is off replaces the built-in row. */
    assert_int_equal(log_cause_of(k, text_from("No route to host")).weight, 0);
    /* If weights are equal, the signature of the site wins. */
    struct log_cause c = log_cause_of(k, text_from("Kernel panic"));
    assert_string_equal(c.signature->name, "mine");
    /* A cause of the site replaces the built-in cause of the same name, also
     * for built-in signatures. */
    assert_int_equal(log_knowledge_reason(k, "kernel panic")->action,
                     ACTION_RESTART);
    assert_true(log_knowledge_action(k, ACTION_RESTART)->disruptive);
    assert_string_equal(log_knowledge_action(k, ACTION_RESTART)->words,
                        "try again");
    assert_string_equal(log_knowledge_file(k, 0), "site.json");
    assert_null(log_knowledge_file(k, 1));
    assert_int_equal(strlen(log_knowledge_digest(k)), 64);
    log_knowledge_free(k);
}

static void hosts(void **state)
{
    static const struct {
        const char *line, *host;
    } all[] = {
        {"zorg ON gpu-3.site CANCELLED", "gpu-3.site"},
        {"zorg ON -rf CANCELLED", NULL},
        {"zorg ON a;b CANCELLED", NULL},
        {"zorg ON x ON node_7 CANCELLED", "node_7"},
        {"zorg ON ", NULL},
    };
    (void)state;
    struct log_knowledge *k =
        with(FILE_OF("{\"name\":\"z\",\"text\":\"zorg\",\"cause\":\"a cause\","
                     "\"weight\":50,\"host\":{\"after\":\" ON \",\"before\":"
                     "\" CANCELLED\"}}"));
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        struct text line = text_from(all[i].line), host;
        struct log_cause c = log_cause_of(k, line);
        assert_int_equal(log_signature_host(c.signature, line, &host),
                         all[i].host != NULL);
        if (all[i].host)
            assert_true(text_is(host, all[i].host));
    }
    log_knowledge_free(k);
}

/* Wrong files, and a part of the message for each. */
static const struct {
    const char *json, *message;
} wrong[] = {
    {"{\"format\":1,\n\"signatures\":[\n{\"name\":\"z\",\"text\":\"t\","
     "\"cause\":\"ECC eror\",\"weight\":9}]}",
     "site.json:3:32: signatures 'z': cause: no cause 'ECC eror'; did you "
     "mean 'ECC error'?"},
    {"{\"format\":1,\"signatures\":[{\"name\":\"z\",\"texts\":\"t\"}]}",
     "site.json:1:47: signatures 'z': texts: no 'texts'; did you mean "
     "'text'?"},
    {FILE_OF("{\"name\":\"z\",\"text\":\"t\",\"cause\":\"a cause\","
             "\"weight\":101}"),
     "weight: expected a whole number from 1 to 100"},
    {FILE_OF("{\"name\":\"z\",\"text\":[]}"),
     "text: expected a text or 1 to 16 texts"},
    {FILE_OF("{\"name\":\"z\",\"text\":\"\"}"),
     "text: expected a text of 1 to 200 bytes"},
    {FILE_OF("{\"name\":\"Z\",\"text\":\"t\"}"),
     "name: expected small letters, digits and '-'"},
    {FILE_OF("{\"name\":\"z\",\"text\":\"t\"}"), "expected a key 'cause'"},
    {FILE_OF("{\"name\":\"z\",\"text\":\"t\",\"role\":\"harmles\"}"),
     "role: no 'harmles'; did you mean 'harmless'?"},
    {FILE_OF("{\"name\":\"z\",\"text\":\"t\",\"role\":\"harmless\"},"
             "{\"name\":\"z\",\"text\":\"t\",\"role\":\"harmless\"}"),
     "name: is used twice in this file"},
    {FILE_OF("{\"name\":\"z\",\"text\":\"t\",\"cause\":\"a cause\","
             "\"weight\":9,\"code\":{\"after\":\":\",\"from\":2,\"to\":1}}"),
     "code: 'to' is less than 'from'"},
    {FILE_OF("{\"name\":\"z\",\"text\":\"bash\",\"cause\":\"a cause\","
             "\"weight\":9,\"kernel\":true}"),
     "kernel: 'bash' is no longer than the name of a process (15 bytes), "
     "which any user chooses"},
    {"{\"format\":1,\"causes\":[{\"name\":\"c\",\"kind\":\"other\","
     "\"part\":\"gpu\",\"action\":\"restart\",\"means\":\"m\"}]}",
     "part: is for kind infrastructure"},
    {"{\"format\":1,\"actions\":[{\"name\":\"reboot\"}]}", "no 'reboot'"},
    {"{\"format\":2}", "expected \"format\": 1"},
    {"[]", "site.json:1:1: : expected an object"},
    {"{\"format\":1,}", "site.json:1:13: "},
    {"{\"format\":1,\"causes\":3}", "causes: expected an array"},
    {"{\"format\":1,\"causes\":[3]}", "causes: expected an object"},
    {FILE_OF("{\"name\":\"z\",\"text\":\"t\",\"cause\":\"a "
             "cause\",\"weight\":9,\"decides\":1}"),
     "decides: expected true or false"},
    {FILE_OF("{\"name\":\"z\",\"text\":\"t\",\"cause\":\"a "
             "cause\",\"weight\":9,\"kernel\":\"yes\"}"),
     "kernel: expected true or false"},
    {FILE_OF("{\"name\":\"z\",\"text\":\"t\",\"cause\":\"a "
             "cause\",\"weight\":9,\"anchor\":5}"),
     "anchor: expected a text"},
    {FILE_OF("{\"name\":\"z\",\"text\":\"t\",\"cause\":\"a "
             "cause\",\"weight\":9,\"case\":\"upper\"}"),
     "case: no 'upper'"},
    {FILE_OF("{\"name\":\"z\",\"text\":\"t\",\"cause\":\"a "
             "cause\",\"weight\":9,\"also\":5}"),
     "also: expected a text of 1 to 200 bytes"},
    {FILE_OF("{\"name\":\"z\",\"text\":\"t\",\"cause\":\"a "
             "cause\",\"weight\":9,\"also\":[\"a\",5]}"),
     "also: expected a text of 1 to 200 bytes"},
    {FILE_OF(
         "{\"name\":\"z\",\"text\":\"t\",\"cause\":\"a "
         "cause\",\"weight\":9,\"not\":[\"a\",\"b\",\"c\",\"d\",\"e\",\"f\","
         "\"g\",\"h\",\"i\",\"j\",\"k\",\"l\",\"m\",\"n\",\"o\",\"p\",\"q\"]}"),
     "not: expected a text or 1 to 16 texts"},
    {FILE_OF("{\"name\":\"z\",\"text\":\"t\",\"cause\":\"a "
             "cause\",\"weight\":9,\"code\":5}"),
     "code: expected an object"},
    {FILE_OF("{\"name\":\"z\",\"text\":\"t\",\"cause\":\"a "
             "cause\",\"weight\":9,\"code\":{\"upto\":1}}"),
     "code: no 'upto'"},
    {FILE_OF("{\"name\":\"z\",\"text\":\"t\",\"cause\":\"a "
             "cause\",\"weight\":9,\"code\":{\"from\":1}}"),
     "expected a key 'after'"},
    {FILE_OF("{\"name\":\"z\",\"text\":\"t\",\"cause\":\"a "
             "cause\",\"weight\":9,\"code\":{\"after\":5}}"),
     "after: expected a text of 1 to 200 bytes"},
    {FILE_OF("{\"name\":\"z\",\"text\":\"t\",\"cause\":\"a "
             "cause\",\"weight\":9,\"code\":{\"after\":\":\",\"from\":-1}}"),
     "from: expected a whole number from 0 to 4294967295"},
    {FILE_OF("{\"name\":\"z\",\"text\":\"t\",\"cause\":\"a "
             "cause\",\"weight\":9,\"code\":{\"after\":\":\",\"from\":1.5}}"),
     "from: expected a whole number from 0 to 4294967295"},
    {FILE_OF(
         "{\"name\":\"z\",\"text\":\"t\",\"cause\":\"a "
         "cause\",\"weight\":9,\"code\":{\"after\":\":\",\"to\":4294967296}}"),
     "to: expected a whole number from 0 to 4294967295"},
    {FILE_OF("{\"name\":\"z\",\"text\":\"t\",\"cause\":\"a "
             "cause\",\"weight\":9,\"host\":[]}"),
     "host: expected an object"},
    {FILE_OF("{\"name\":\"z\",\"text\":\"t\",\"cause\":\"a "
             "cause\",\"weight\":9,\"host\":{\"near\":1}}"),
     "host: no 'near'"},
    {FILE_OF("{\"name\":\"z\",\"text\":\"t\",\"cause\":\"a "
             "cause\",\"weight\":9,\"host\":{\"before\":\"x\"}}"),
     "expected a key 'after'"},
    {FILE_OF("{\"name\":\"z\",\"text\":\"t\",\"cause\":\"a "
             "cause\",\"weight\":9,\"host\":{\"after\":\"\"}}"),
     "after: expected a text of 1 to 200 bytes"},
    {FILE_OF("{\"name\":\"z\",\"text\":\"t\",\"cause\":\"a "
             "cause\",\"weight\":9,\"host\":{\"after\":\"x\",\"before\":5}}"),
     "before: expected a text of 1 to 200 bytes"},
    {FILE_OF(
         "{\"name\":\"z\",\"text\":\"t\",\"cause\":\"a cause\",\"weight\":0}"),
     "weight: expected a whole number from 1 to 100"},
    {FILE_OF("{\"name\":\"z\",\"text\":\"t\",\"cause\":\"a "
             "cause\",\"weight\":1.5}"),
     "weight: expected a whole number from 1 to 100"},
    {FILE_OF("{\"name\":\"z\",\"text\":\"t\",\"cause\":\"zzz\",\"weight\":5}"),
     "cause: no cause 'zzz' in the files read so far"},
    {FILE_OF("{\"name\":\"z\",\"text\":\"t\",\"role\":\"off\",\"cause\":\"a "
             "cause\"}"),
     "cause: is not for role 'off'"},
    {FILE_OF("{\"name\":\"z\",\"text\":\"t\",\"role\":\"off\",\"weight\":5}"),
     "weight: is for a signature with a cause"},
    {FILE_OF("{\"name\":\"a{\",\"text\":\"t\"}"),
     "name: expected small letters, digits and '-'"},
    {FILE_OF("{\"text\":\"t\"}"), "expected a key 'name'"},
    {FILE_OF("{\"name\":5,\"text\":\"t\"}"), "name: expected a text of 1 to"},
    {"{\"format\":1,\"causes\":[{\"name\":\"c\"}]}", "expected a key 'kind'"},
    {"{\"format\":1,\"causes\":[{\"name\":\"c\",\"kind\":\"odd\",\"action\":"
     "\"restart\",\"means\":\"m\"}]}",
     "kind: no 'odd'"},
    {"{\"format\":1,\"causes\":[{\"name\":\"c\",\"kind\":\"other\",\"part\":5,"
     "\"action\":\"restart\",\"means\":\"m\"}]}",
     "part: expected a text"},
    {"{\"format\":1,\"causes\":[{\"name\":\"c\",\"kind\":\"other\",\"action\":"
     "\"reboot\",\"means\":\"m\"}]}",
     "action: no 'reboot'"},
    {"{\"format\":1,\"causes\":[{\"name\":\"c\",\"kind\":\"other\",\"action\":"
     "\"restart\",\"means\":\"\"}]}",
     "means: expected a text of 1 to"},
    {"{\"format\":1,\"causes\":[{\"name\":\"c\",\"kind\":\"infrastructure\","
     "\"action\":\"restart\",\"means\":\"m\"}]}",
     "infrastructure needs a 'part' other than none"},
    {"{\"format\":1,\"causes\":[{\"name\":\"c\",\"kid\":1}]}",
     "kid: no 'kid'; did you mean 'kind'?"},
    {"{\"format\":1,\"causes\":[{\"kind\":\"other\"}]}",
     "expected a key 'name'"},
    {"{\"format\":1,\"causes\":[{\"name\":\"c\",\"kind\":\"other\",\"action\":"
     "\"restart\",\"means\":\"m\"},{\"name\":\"c\",\"kind\":\"other\","
     "\"action\":\"restart\",\"means\":\"m\"}]}",
     "name: is used twice in this file"},
    {"{\"format\":1,\"actions\":[{\"word\":\"x\"}]}", "expected a key 'name'"},
    {"{\"format\":1,\"actions\":[{\"name\":\"restart\",\"word\":\"x\"}]}",
     "word: no 'word'"},
    {"{\"format\":1,\"actions\":[{\"name\":\"restart\",\"words\":5}]}",
     "words: expected a text of 1 to"},
    {"{\"format\":1,\"actions\":[{\"name\":\"restart\",\"disruptive\":5}]}",
     "disruptive: expected true or false"},
    {"{\"format\":1,\"signature\":[]}", "signature: no 'signature'"},
};

static void errors_name_their_place(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct log_knowledge *k = log_knowledge_new();
        assert_int_equal(
            log_knowledge_add(k, "site.json", text_from(wrong[i].json), &err),
            STATUS_BAD_INPUT);
        if (!strstr(err.message, wrong[i].message))
            fail_msg("%s\nin place of %s", err.message, wrong[i].message);
        log_knowledge_free(k);
    }
}

/* The automaton must find the texts that a search for each text alone finds. */
static void overlapping_texts(void **state)
{
    (void)state;
    struct log_knowledge *k = with(
        FILE_OF("{\"name\":\"a\",\"text\":\"he\",\"cause\":\"a cause\","
                "\"weight\":1},"
                "{\"name\":\"b\",\"text\":\"she\",\"cause\":\"a cause\","
                "\"weight\":1},"
                "{\"name\":\"c\",\"text\":\"hers\",\"cause\":\"a cause\","
                "\"weight\":1},"
                "{\"name\":\"d\",\"text\":\"ushers\",\"cause\":\"a cause\","
                "\"weight\":1}"));
    assert_int_equal(hits(k, "ushers"), 4);
    assert_int_equal(hits(k, "usher"), 2);
    assert_int_equal(hits(k, "shhe hxrs"), 1);
    assert_int_equal(hits(k, ""), 0);
    /* Only the first 2048 bytes of a line count. */
    char line[3000];
    memset(line, 'x', sizeof line);
    memcpy(line + 2046, "he", 3);
    assert_int_equal(hits(k, line), 1);
    memmove(line + 2047, "he", 3);
    line[2046] = 'x';
    assert_int_equal(hits(k, line), 0);
    log_knowledge_free(k);
}

static void same_text(const char *a, const char *b)
{
    if (a && b)
        assert_string_equal(a, b);
    else
        assert_true(a == b);
}

static void same_texts(struct log_texts a, struct log_texts b)
{
    assert_int_equal(a.n, b.n);
    for (size_t i = 0; i < a.n; i++) {
        assert_int_equal(a.at[i].len, b.at[i].len);
        assert_memory_equal(a.at[i].at, b.at[i].at, a.at[i].len);
    }
}

static void same_reason(const struct log_reason *a, const struct log_reason *b)
{
    same_text(a->name, b->name);
    same_text(a->means, b->means);
    same_text(a->file, b->file);
    assert_int_equal(a->kind, b->kind);
    assert_int_equal(a->part, b->part);
    assert_int_equal(a->action, b->action);
}

static void same_signature(const struct log_signature *a,
                           const struct log_signature *b)
{
    same_text(a->name, b->name);
    same_text(a->file, b->file);
    same_text(a->reason ? a->reason->name : NULL,
              b->reason ? b->reason->name : NULL);
    assert_int_equal(a->weight, b->weight);
    assert_int_equal(a->role, b->role);
    assert_int_equal(a->anchor, b->anchor);
    assert_int_equal(a->any_case, b->any_case);
    assert_int_equal(a->decides, b->decides);
    assert_int_equal(a->kernel, b->kernel);
    same_texts(a->texts, b->texts);
    same_texts(a->also, b->also);
    same_texts(a->none, b->none);
    same_text(a->code_after, b->code_after);
    assert_int_equal(a->code_from, b->code_from);
    assert_int_equal(a->code_to, b->code_to);
    same_text(a->host_after, b->host_after);
    same_text(a->host_before, b->host_before);
}

static void add_built_in(struct log_knowledge *k)
{
    for (const struct log_knowledge_part *p = log_knowledge_parts; p->name; p++)
        if (log_knowledge_add(k, p->name, (struct text){p->json, p->len},
                              &err) != STATUS_OK)
            fail_msg("%s", err.message);
}

/* The compiled rows are those that the reader of a site's files makes of the
 * built-in files, and a reason belongs to the knowledge that names it. */
static void compiled_rows_are_those_of_the_files(void **state)
{
    struct log_knowledge *k = log_knowledge_new(),
                         *twin = log_knowledge_empty();
    (void)state;
    add_built_in(twin);
    assert_int_equal(log_knowledge_ready(k, &err), STATUS_OK);
    assert_int_equal(log_knowledge_ready(twin, &err), STATUS_OK);
    assert_string_equal(log_knowledge_digest(k), log_knowledge_digest(twin));
    assert_int_equal(k->n_files, twin->n_files);
    assert_int_equal(k->n_reasons, twin->n_reasons);
    assert_int_equal(k->n_signatures, twin->n_signatures);
    assert_true(k->n_reasons > 0 && k->n_signatures > 0);
    for (size_t i = 0; i < k->n_files; i++)
        same_text(k->files[i], twin->files[i]);
    for (size_t i = 0; i < k->n_reasons; i++)
        same_reason(k->reasons[i], twin->reasons[i]);
    for (size_t i = 0; i < k->n_signatures; i++) {
        const struct log_signature *s = k->signatures[i];
        same_signature(s, twin->signatures[i]);
        assert_true(log_knowledge_is_ours(k, s->file));
        if (s->reason)
            assert_ptr_equal(s->reason,
                             log_knowledge_reason(k, s->reason->name));
    }
    for (size_t i = 0; i < N_ACTIONS; i++) {
        same_text(k->actions[i].words, twin->actions[i].words);
        assert_int_equal(k->actions[i].disruptive, twin->actions[i].disruptive);
    }
    log_knowledge_free(twin);
    log_knowledge_free(k);
}

/* The digest covers the built-in files and then those of the site. */
static void the_digest_covers_all_files(void **state)
{
    static const char json[] = FILE_OF("");
    struct log_knowledge *k = with(json), *twin = log_knowledge_empty();
    (void)state;
    add_built_in(twin);
    assert_int_equal(
        log_knowledge_add(twin, "site.json", text_from(json), &err), STATUS_OK);
    assert_int_equal(log_knowledge_ready(twin, &err), STATUS_OK);
    assert_string_equal(log_knowledge_digest(k), log_knowledge_digest(twin));
    log_knowledge_free(twin);
    log_knowledge_free(k);
}

static void compiled_weights_are_those_of_the_file(void **state)
{
    static const char *const keys[] = {"error", "warning", "progress", "other",
                                       NULL};
    static struct log_weights weights;
    size_t len;
    char *json = slurp("schedmate/logs/log_weights.json", &len);
    (void)state;
    assert_non_null(json);
    assert_int_equal(log_table_read("weights", (struct text){json, len}, keys,
                                    LOG_FEATURES, weights.at[0], &err),
                     STATUS_OK);
    assert_memory_equal(&weights, &log_weights_built_in, sizeof weights);
    free(json);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_of_a_signature),
        cmocka_unit_test(roles_and_weights),
        cmocka_unit_test(a_site_comes_first),
        cmocka_unit_test(hosts),
        cmocka_unit_test(errors_name_their_place),
        cmocka_unit_test(overlapping_texts),
        cmocka_unit_test(compiled_rows_are_those_of_the_files),
        cmocka_unit_test(the_digest_covers_all_files),
        cmocka_unit_test(compiled_weights_are_those_of_the_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
