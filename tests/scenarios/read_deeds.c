/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads the deeds of a scripted policy, such as "at 5 share b with a". */
#include "tests/scenarios/scenario_internal.h"

enum value {
    VALUE_END,
    VALUE_SECONDS,
    VALUE_GPUS,
    VALUE_NODE,
    VALUE_NODE_2,
    VALUE_TYPE,
    VALUE_JOB
};

static const struct verb {
    /* word: the verb; way: the word after the job, such as "on", or "" */
    const char *word, *way;
    enum deed_kind kind;
    bool has_job; /* true if a job follows the verb */
    /* kinds of the values that follow `way`, ended by VALUE_END */
    enum value values[3];
} verbs[] = {
    {.word = "start", .way = "", .kind = DEED_START, .has_job = true},
    {.word = "start",
     .way = "as",
     .kind = DEED_START_AS,
     .has_job = true,
     .values = {VALUE_GPUS, VALUE_TYPE}},
    {.word = "start",
     .way = "on",
     .kind = DEED_START_ON,
     .has_job = true,
     .values = {VALUE_NODE, VALUE_GPUS}},
    {.word = "start",
     .way = "across",
     .kind = DEED_START_ACROSS,
     .has_job = true,
     .values = {VALUE_NODE, VALUE_NODE_2}},
    {.word = "share",
     .way = "with",
     .kind = DEED_SHARE,
     .has_job = true,
     .values = {VALUE_JOB}},
    {.word = "profile",
     .way = "for",
     .kind = DEED_PROFILE,
     .has_job = true,
     .values = {VALUE_SECONDS}},
    {.word = "stop", .way = "", .kind = DEED_STOP, .has_job = true},
    {.word = "imagine_gone", .way = "", .kind = DEED_IMAGINE, .has_job = true},
    {.word = "lend", .way = "node", .kind = DEED_LEND, .values = {VALUE_NODE}},
    {.word = "take_back",
     .way = "node",
     .kind = DEED_TAKE_BACK,
     .values = {VALUE_NODE}},
    {.word = "wake", .way = "at", .kind = DEED_WAKE, .values = {VALUE_SECONDS}},
    {.word = "wake",
     .way = "after",
     .kind = DEED_WAKE_AFTER,
     .values = {VALUE_SECONDS}},
    {.word = "wake",
     .way = "round",
     .kind = DEED_WAKE_ROUND,
     .values = {VALUE_SECONDS}},
    {.word = "rest",
     .way = "until",
     .kind = DEED_REST,
     .values = {VALUE_SECONDS}},
};

static bool set_value(struct scenario_deed *d, enum value value, struct text t)
{
    switch (value) {
    case VALUE_SECONDS:
        return text_to_double(t, &d->deed.seconds);
    case VALUE_NODE:
        return text_to_u32(t, &d->deed.other);
    case VALUE_GPUS:
    case VALUE_NODE_2:
        return text_to_u32(t, &d->deed.gpus);
    case VALUE_TYPE:
        return parser_copy_name(d->type, t);
    case VALUE_JOB:
        return parser_copy_name(d->other, t);
    case VALUE_END:
        break;
    }
    return false;
}

/* Finds a row of `verbs` by the verb and the word after the job, which may be
 * "". Reads the job, if the verb has one, into *d. Returns NULL if there is no
 * such row, or if the name of the job is too long or missing. */
static const struct verb *find_verb(struct parser *p, struct text word,
                                    struct scenario_deed *d)
{
    const struct verb *end = verbs + sizeof verbs / sizeof *verbs;
    const struct verb *v = verbs;
    while (v < end && !text_is(word, v->word))
        v++;
    if (v == end || (v->has_job && !parser_copy_name(d->job, parser_word(p))))
        return NULL;
    struct text way = parser_word(p);
    while (v < end && !(text_is(word, v->word) && text_is(way, v->way)))
        v++;
    return v < end ? v : NULL;
}

enum status read_deed(struct parser *p, bool always)
{
    struct scenario *s = p->s;
    if (s->n_deeds == SCRIPT_DEEDS)
        return parser_bad(p, "too many deeds", p->line);
    struct scenario_deed *d = &s->deeds[s->n_deeds++];
    *d = (struct scenario_deed){.line = p->number, .deed.at = DEED_ALWAYS};
    struct text word = parser_word(p);
    if (!always) {
        if (!text_to_double(word, &d->deed.at))
            return parser_bad(p, "not a time", word);
        word = parser_word(p);
    }
    d->deed.refused = text_is(word, "refused");
    if (d->deed.refused)
        word = parser_word(p);
    const struct verb *v = find_verb(p, word, d);
    if (!v)
        return parser_bad(p, "unknown deed", word);
    d->deed.kind = v->kind;
    for (const enum value *value = v->values; *value != VALUE_END; value++) {
        word = parser_word(p);
        if (!set_value(d, *value, word))
            return parser_bad(p, "not a value", word);
    }
    word = parser_word(p);
    return word.len ? parser_bad(p, "unknown word", word) : STATUS_OK;
}
