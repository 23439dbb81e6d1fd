/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checks what summary.json says the policy knew against the chain of estimators
 * in manifest.json: a result that rests on the truth must be marked. */
#include <string.h>

#include "sim/verify/verify.h"

static const char *verify_knowledge_text_of(const json_t *object,
                                            const char *key)
{
    return json_string_value(json_object_get(object, key));
}

/* What the chain of manifest.json can answer about run times. */
struct chain {
    bool any;    /* some layer answers */
    bool truth;  /* the oracle does, as it is or with errors */
    bool errors; /* the layer above the oracle changes its answers */
};

static struct chain read_chain(const struct verify_data *data)
{
    struct chain c = {0};
    const json_t *all = json_object_get(data->manifest, "configuration");
    const char *name =
        verify_knowledge_text_of(json_object_get(all, "estimator"), "name");
    struct text rest = text_from(name ? name : ""), above = {0};
    while (rest.len && !c.truth) {
        struct text one = text_split(rest, ',', &rest);
        if (text_is(one, "workload") || text_is(one, "profiled") ||
            text_is(one, "same-application"))
            continue; /* these know no run times */
        c.any = true;
        c.truth = text_is(one, "oracle");
        c.errors =
            c.truth && (text_is(above, "noisy") || text_is(above, "blend"));
        above = one;
    }
    return c;
}

/* Gives the mark. `law`: share of the jobs for which the advisor drew its
 * answer from the truth. */
static void expect_mark(const struct verify_data *data, struct chain c,
                        bool asks, bool asks_demand, double law)
{
    /* what the advisor drew from the truth counts if the policy uses it */
    if (!asks && !asks_demand)
        law = 0;
    const char *want = asks && c.truth && !c.errors   ? "oracle, an upper bound"
                       : (asks && c.truth) || law > 0 ? "truth with errors"
                                                      : NULL;
    if (want)
        json_object_set_new(data->want_summary, "knowledge",
                            json_pack("{s:s}", "mark", want));
}

void verify_knowledge(const struct verify_data *data,
                      struct verify_report *report)
{
    const json_t *knowledge = json_object_get(data->summary, "knowledge");
    const json_t *answered = json_object_get(knowledge, "answered");
    const char *times = verify_knowledge_text_of(knowledge, "run_times");
    const char *words = verify_knowledge_text_of(knowledge, "words");
    const double share = json_number_value(answered);
    const double law = json_number_value(
        json_object_get(json_object_get(data->summary, "advice"), "law_share"));
    struct chain c = read_chain(data);
    if (!knowledge)
        return;
    expect_mark(data, c, times != NULL,
                json_object_get(knowledge, "demand") != NULL, law);
    if (times && (strcmp(times, "none") == 0) == c.any)
        verify_say(report,
                   "summary.knowledge.run_times: is '%.60s', which the "
                   "estimators of manifest.json contradict",
                   times);
    if (!words || (times != NULL) != (strncmp(words, "run times ", 10) == 0) ||
        (times != NULL) != json_is_number(answered))
        verify_say(report, "summary.knowledge: words, run_times and answered "
                           "contradict each other");
    if (times && (!(share >= 0 && share <= 1) || (c.truth && share != 1) ||
                  (!c.any && share != 0)))
        verify_say(report,
                   "summary.knowledge.answered: is %.15g, which the estimators "
                   "of manifest.json contradict",
                   share);
}
