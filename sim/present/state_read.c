/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads a state file. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/state/cluster_spec.h"
#include "sim/present/state.h"

#define STATE_KEY(list_, key_, unit_, required_, help_) \
    { \
        .list = list_, .key = key_, .unit = unit_, .required = required_, \
        .help = help_ \
    }

const struct state_key state_keys[] = {
    STATE_KEY("", "state", "number", true, "version of the format: 1"),
    STATE_KEY("", "at_unix_s", "s", true, "the present, since 1970 UTC"),
    STATE_KEY("", "cluster", "text or object", true,
              "the cluster: a preset or shorthand as for --cluster, or an "
              "object with "
              "the keys of a cluster file"),
    STATE_KEY("", "policy", "text", false,
              "policy that is most like the cluster's scheduler, as --policy "
              "takes it; `when` uses it unless --policy names another"),
    STATE_KEY("", "policy_why", "text", false, "why it is"),
    STATE_KEY("", "names", "list of texts", false,
              "names of the nodes, in the order of the cluster; without it a "
              "node has "
              "its number as in the cluster file, from \"0\""),
    STATE_KEY("", "jobs", "list", true, "jobs that run or wait"),
    STATE_KEY("", "ended", "list", false,
              "jobs that have ended, from which run times are learned"),
    STATE_KEY("", "out", "list", false,
              "nodes that are out of service: jobs that run there go on, no "
              "other job "
              "starts there"),
    STATE_KEY("", "reservations", "list", false,
              "nodes that are kept for some jobs for a time, such as for "
              "maintenance: no other job starts there whose limit reaches into "
              "it"),
    STATE_KEY("", "notes", "list of texts", false,
              "what was assumed or left out when the file was made; shown to "
              "the user"),
    STATE_KEY("", "plans", "list", false,
              "what the run that wrote the file has done, plan by plan; a run "
              "with its trace repeats it"),
    STATE_KEY("", "refused", "list", false, "jobs that its policy rejected"),
    STATE_KEY("", "settings", "list of texts", false,
              "its settings; a run with equal ones asks its policy again for "
              "the plans, another one repeats them"),
    STATE_KEY("jobs", "id", "text", true, "identifier, different for each job"),
    STATE_KEY("jobs", "user", "text", false, "who submitted it"),
    STATE_KEY("jobs", "name", "text", false, "name of the job"),
    STATE_KEY("jobs", "vc", "text", false, "virtual cluster"),
    STATE_KEY("jobs", "gpu_type", "text", false,
              "type it asks for; default: any"),
    STATE_KEY("jobs", "gpus", "GPUs", true, "number of GPUs, 1 or more"),
    STATE_KEY("jobs", "submitted_unix_s", "s", true,
              "submission since 1970 UTC; after the present for a job that is "
              "still to "
              "come"),
    STATE_KEY("jobs", "limit_s", "s", false, "time limit"),
    STATE_KEY(
        "jobs", "started_unix_s", "s", false,
        "start since 1970 UTC, before the present; without it the job waits"),
    STATE_KEY(
        "jobs", "where", "list", false,
        "GPUs of a running job: [{\"node\": name, \"gpus\": [0, 1]}], or the "
        "number of GPUs if it is not known which they are"),
    STATE_KEY("jobs", "after", "list", false,
              "what it waits for besides GPUs: identifiers of jobs that have "
              "to end, and {\"start_of\": identifier, \"delay_s\": seconds}; "
              "such a job stays out of the run, and `when` follows it"),
    STATE_KEY("jobs", "after_any", "boolean", false,
              "true: one of these will do; default: all have to come"),
    STATE_KEY("jobs", "held", "text", false,
              "why no scheduler may start the job yet; such a job stays out of "
              "the run"),
    STATE_KEY("jobs", "reservation", "text", false,
              "the reservation that it runs in, and whose nodes alone it uses"),
    STATE_KEY("ended", "user", "text", false, "who submitted it"),
    STATE_KEY("ended", "name", "text", false, "name of the job"),
    STATE_KEY("ended", "gpus", "GPUs", true, "number of GPUs"),
    STATE_KEY("ended", "limit_s", "s", false, "time limit"),
    STATE_KEY("ended", "ran_s", "s", true, "how long it ran"),
    STATE_KEY("out", "node", "text", true, "name of the node"),
    STATE_KEY("out", "until_unix_s", "s", false,
              "when it returns, since 1970 UTC; default: not within the run"),
    STATE_KEY("out", "why", "text", false, "why it is out"),
    STATE_KEY("reservations", "name", "text", true, "its name"),
    STATE_KEY("reservations", "from_unix_s", "s", true,
              "when it begins, since 1970 UTC"),
    STATE_KEY("reservations", "until_unix_s", "s", true, "when it ends"),
    STATE_KEY("reservations", "nodes", "list of texts", true,
              "names of its nodes"),
    STATE_KEY("plans", "at_unix_s", "s", true, "when, since 1970 UTC"),
    STATE_KEY("plans", "do", "list of texts", true,
              "start NODE:MASK,... JOB, share NODE:MASK,... JOB, profile "
              "LIMIT_S NODE:MASK,... JOB, stop JOB; close, open, lend, "
              "take-back NODE; GPUs are a bit mask in hexadecimal"),
    STATE_KEY("refused", "job", "text", true, "its identifier"),
    STATE_KEY("refused", "why", "text", true, "why"),
    {0},
};

enum { STATE_KEYS_MAX = 16 };

struct state_reader {
    struct state *state;
    struct text text; /* bytes of the file, for places in messages */
    struct error *err;
};

/* Makes the error "FILE:LINE:COLUMN: LIST[ROW]: KEY: expected WHAT". */
static enum status state_expected(const struct state_reader *r,
                                  const char *list, size_t row, const char *key,
                                  const char *what)
{
    struct json_place at = json_place(r->text, list, row, key);
    char element[64] = "";
    if (list)
        snprintf(element, sizeof element, "%s[%zu]: ", list, row);
    return error_set(r->err, STATUS_BAD_INPUT, "%s:%zu:%zu: %s%s%sexpected %s",
                     r->state->path, at.line, at.column, element,
                     key ? key : "", key ? ": " : "", what);
}

static enum status state_keys_known(const struct state_reader *r,
                                    const char *list, size_t row,
                                    const json_t *object)
{
    const char *names[STATE_KEYS_MAX];
    char place[64] = "";
    size_t n = 0;
    for (const struct state_key *k = state_keys; k->key; k++) {
        if (strcmp(k->list, list) == 0 && n + 1 < STATE_KEYS_MAX)
            names[n++] = k->key;
    }
    names[n] = NULL;
    if (*list)
        snprintf(place, sizeof place, "%s[%zu]", list, row);
    if (!json_is_object(object))
        return state_expected(r, *list ? list : NULL, row, NULL, "an object");
    return json_keys_known(object, names, r->state->path, place, r->err);
}

/* An element of a list that is being read. `st` is kept from the first failure
 * on, and the functions below then do nothing. */
struct state_item {
    const struct state_reader *r;
    const char *list;
    size_t row;
    const json_t *at;
    enum status st;
};

static void item_fail(struct state_item *item, const char *key,
                      const char *what)
{
    if (item->st == STATUS_OK)
        item->st = state_expected(item->r, item->list, item->row, key, what);
}

static const char *item_text(struct state_item *item, const char *key,
                             bool required)
{
    const json_t *value = json_object_get(item->at, key);
    if (!value && !required)
        return "";
    if (!json_is_string(value) || !json_string_length(value) ||
        memchr(json_string_value(value), '\n', json_string_length(value))) {
        item_fail(item, value ? key : NULL,
                  required ? "a text that is not empty, as the key says"
                           : "a text that is not empty");
        return "";
    }
    return arena_copy(&item->r->state->arena, json_string_value(value),
                      json_string_length(value));
}

/* Reads seconds, from `lo` on; `deflt` if the key is missing. Long times may be
 * texts (json_stream_span). */
static int64_t item_seconds(struct state_item *item, const char *key, double lo,
                            int64_t deflt, bool required)
{
    const json_t *value = json_object_get(item->at, key);
    sim_span out = deflt;
    if (!value && !required)
        return deflt;
    if (!value) {
        char what[64];
        snprintf(what, sizeof what, "a key \"%s\"", key);
        item_fail(item, NULL, what);
    } else if (!json_is_number(value) || json_number_value(value) < lo ||
               !span_from_outside(json_number_value(value), SECONDS_MAX,
                                  &out)) {
        item_fail(item, key, lo > 0 ? "seconds above 0" : "seconds, 0 or more");
    }
    return out;
}

static uint32_t item_gpus(struct state_item *item)
{
    const json_t *value = json_object_get(item->at, "gpus");
    const json_int_t n = json_integer_value(value);
    if (!json_is_integer(value) || n < 1 || n > UINT32_MAX)
        item_fail(item, value ? "gpus" : NULL, "\"gpus\", a number from 1 on");
    return (uint32_t)n;
}

/* Reads the GPUs of one node: their indices, or their number. */
static bool read_slice(const json_t *at, struct arena *arena,
                       struct state_slice *out)
{
    const json_t *node = json_object_get(at, "node");
    const json_t *gpus = json_object_get(at, "gpus");
    if (!json_is_string(node) || json_object_size(at) != 2)
        return false;
    *out =
        (struct state_slice){.node = arena_copy(arena, json_string_value(node),
                                                json_string_length(node))};
    if (json_is_integer(gpus)) {
        out->count = (uint32_t)json_integer_value(gpus);
        return json_integer_value(gpus) > 0 &&
               json_integer_value(gpus) <= NODE_GPUS_MAX;
    }
    for (size_t i = 0; i < json_array_size(gpus); i++) {
        const json_t *gpu = json_array_get(gpus, i);
        const json_int_t k = json_integer_value(gpu);
        if (!json_is_integer(gpu) || k < 0 || k >= NODE_GPUS_MAX ||
            out->mask >> k & 1)
            return false;
        out->mask |= UINT64_C(1) << k;
        out->count++;
    }
    return out->count > 0;
}

static void read_where(struct state_item *item, struct state_job *job)
{
    const json_t *where = json_object_get(item->at, "where");
    struct arena *arena = &item->r->state->arena;
    uint32_t total = 0;
    job->n_where = (uint32_t)json_array_size(where);
    job->where = ARENA_ARRAY(arena, struct state_slice, job->n_where + 1);
    for (uint32_t i = 0; i < job->n_where; i++) {
        if (!read_slice(json_array_get(where, i), arena, &job->where[i])) {
            item_fail(item, "where",
                      "[{\"node\": name, \"gpus\": [0, 1] or a number}]");
            return;
        }
        total += job->where[i].count;
    }
    if (total != job->gpus)
        item_fail(item, where ? "where" : NULL,
                  "\"where\" with as many GPUs as \"gpus\" says");
}

/* Copies a list of texts, which is not empty. Returns their number. */
static size_t item_list(struct state_item *item, const char *key,
                        const char ***out, const char *what)
{
    const json_t *list = json_object_get(item->at, key);
    const size_t n = json_array_size(list);
    struct arena *arena = &item->r->state->arena;
    *out = ARENA_ARRAY(arena, const char *, n + 1);
    bool is_text = n > 0;
    for (size_t i = 0; i < n && is_text; i++) {
        const json_t *one = json_array_get(list, i);
        is_text = json_is_string(one);
        if (is_text)
            (*out)[i] = arena_copy(arena, json_string_value(one),
                                   json_string_length(one));
    }
    if (!is_text)
        item_fail(item, list ? key : NULL, what);
    return is_text ? n : 0;
}

/* Reads an identifier, or {"start_of": identifier, "delay_s": seconds}. */
static bool read_after_one(const json_t *at, struct arena *arena,
                           struct state_after *out)
{
    const json_t *job = at, *delay = NULL;
    size_t n_keys = 0;
    if (json_is_object(at)) {
        out->start = true;
        job = json_object_get(at, "start_of");
        delay = json_object_get(at, "delay_s");
        n_keys = json_object_size(at);
    }
    if (!json_is_string(job) || n_keys != (size_t)out->start + (delay != NULL))
        return false;
    out->job =
        arena_copy(arena, json_string_value(job), json_string_length(job));
    return !delay || (json_is_number(delay) && json_number_value(delay) >= 0 &&
                      span_from_outside(json_number_value(delay), SECONDS_MAX,
                                        &out->delay));
}

/* Reads what a job waits for. Whether the state has these jobs is checked when
 * all jobs are read. */
static void read_after(struct state_item *item, struct state_job *job)
{
    const json_t *list = json_object_get(item->at, "after");
    const json_t *any = json_object_get(item->at, "after_any");
    struct arena *arena = &item->r->state->arena;
    const size_t n = json_array_size(list);
    job->after = ARENA_ARRAY(arena, struct state_after, n + 1);
    for (size_t i = 0; i < n; i++) {
        if (!read_after_one(json_array_get(list, i), arena, &job->after[i])) {
            item_fail(item, "after",
                      "a list of identifiers, and of {\"start_of\": "
                      "identifier, \"delay_s\": seconds}");
            return;
        }
    }
    if (list && !n)
        item_fail(item, "after", "a list that is not empty");
    if (any && (!json_is_boolean(any) || !n))
        item_fail(item, "after_any", "true or false, beside \"after\"");
    job->n_after = (uint32_t)n;
    job->after_any = json_is_true(any);
}

static enum status state_check_after(const struct state_reader *r)
{
    const struct state *state = r->state;
    struct interner ids;
    enum status st = STATUS_OK;
    interner_init(&ids);
    for (size_t i = 0; i < state->n_jobs; i++)
        interner_add(&ids, text_from(state->jobs[i].id));
    for (size_t i = 0; i < state->n_jobs && st == STATUS_OK; i++) {
        for (uint32_t k = 0; k < state->jobs[i].n_after; k++) {
            if (interner_find(&ids, text_from(state->jobs[i].after[k].job)) ==
                UINT32_MAX)
                st = state_expected(r, "jobs", i, "after",
                                    "identifiers of jobs of the state");
        }
    }
    interner_fini(&ids);
    return st;
}

static enum status state_read_job(struct state_item *item)
{
    struct state *state = item->r->state;
    struct state_job *job = state_add_job(state);
    job->id = item_text(item, "id", true);
    job->user = item_text(item, "user", false);
    job->name = item_text(item, "name", false);
    job->vc = item_text(item, "vc", false);
    job->gpu_type = item_text(item, "gpu_type", false);
    const char *held = item_text(item, "held", false);
    job->held = *held ? held : NULL;
    job->reservation = item_text(item, "reservation", false);
    if (*job->reservation &&
        !state_find_reservation(state, text_from(job->reservation)))
        item_fail(item, "reservation", "a name of the list \"reservations\"");
    read_after(item, job);
    job->gpus = item_gpus(item);
    job->submitted = item_seconds(item, "submitted_unix_s", 0, 0, true);
    job->limit = item_seconds(item, "limit_s", 1e-6, 0, false);
    job->started = item_seconds(item, "started_unix_s", 0, TIME_NEVER, false);
    if (job->started == TIME_NEVER)
        return item->st;
    if (job->started >= state->at || job->started < job->submitted)
        item_fail(item, "started_unix_s",
                  "a time from the submission on and before the present");
    if (job->held || job->n_after)
        item_fail(item, job->held ? "held" : "after",
                  "no such key, since the job runs");
    if (item->st == STATUS_OK)
        read_where(item, job);
    return item->st;
}

static enum status state_read_ended(struct state_item *item)
{
    struct state_ended *ended = state_add_ended(item->r->state);
    ended->user = item_text(item, "user", false);
    ended->name = item_text(item, "name", false);
    ended->gpus = item_gpus(item);
    ended->limit = item_seconds(item, "limit_s", 1e-6, 0, false);
    ended->ran = item_seconds(item, "ran_s", 0, 0, true);
    return item->st;
}

static enum status state_read_out(struct state_item *item)
{
    struct state_out *out = state_add_out(item->r->state);
    out->node = item_text(item, "node", true);
    out->why = item_text(item, "why", false);
    out->until = item_seconds(item, "until_unix_s", 0, TIME_NEVER, false);
    return item->st;
}

static enum status state_read_reservation(struct state_item *item)
{
    struct state_reservation *one = state_add_reservation(item->r->state);
    one->name = item_text(item, "name", true);
    one->from = item_seconds(item, "from_unix_s", 0, 0, true);
    one->until = item_seconds(item, "until_unix_s", 0, 0, true);
    if (one->until <= one->from)
        item_fail(item, "until_unix_s", "a time after from_unix_s");
    one->n_nodes =
        item_list(item, "nodes", &one->nodes, "\"nodes\", a list of names");
    return item->st;
}

static enum status state_read_list(const struct state_reader *r,
                                   const json_t *root, const char *list,
                                   bool required,
                                   enum status (*read)(struct state_item *))
{
    const json_t *all = json_object_get(root, list);
    if ((all || required) && !json_is_array(all)) {
        char what[64];
        snprintf(what, sizeof what, "a list \"%s\"", list);
        return state_expected(r, NULL, 0, NULL, what);
    }
    for (size_t i = 0; i < json_array_size(all); i++) {
        struct state_item item = {.r = r, .list = list, .row = i};
        item.at = json_array_get(all, i);
        item.st = state_keys_known(r, list, i, item.at);
        if (item.st == STATUS_OK)
            item.st = read(&item);
        if (item.st != STATUS_OK)
            return item.st;
    }
    return STATUS_OK;
}

static enum status state_read_plan(struct state_item *item)
{
    struct state *state = item->r->state;
    struct state_plan *plan = state_add_plan(state);
    plan->at = item_seconds(item, "at_unix_s", 0, 0, true);
    plan->n = item_list(item, "do", &plan->does, "\"do\", a list of texts");
    if (item->st == STATUS_OK &&
        (plan->at >= state->at || (item->row && plan->at < plan[-1].at)))
        item_fail(item, "at_unix_s",
                  "a time before the present, and not before that of the "
                  "plan above");
    return item->st;
}

static enum status state_read_refusal(struct state_item *item)
{
    struct state_refusal *refusal = state_add_refusal(item->r->state);
    refusal->job = item_text(item, "job", true);
    refusal->why = item_text(item, "why", true);
    return item->st;
}

/* Copies a list of texts of the root. */
enum texts_kind { TEXTS_NAMES, TEXTS_NOTES, TEXTS_SETTINGS };

static enum status read_texts(const struct state_reader *r, const json_t *root,
                              const char *list, enum texts_kind kind)
{
    const json_t *all = json_object_get(root, list);
    struct state *state = r->state;
    if (all && !json_is_array(all))
        return state_expected(r, NULL, 0, NULL, "a list of texts");
    for (size_t i = 0; i < json_array_size(all); i++) {
        const json_t *text = json_array_get(all, i);
        if (!json_is_string(text))
            return state_expected(r, list, i, NULL, "a text");
        const char *own = arena_copy(&state->arena, json_string_value(text),
                                     json_string_length(text));
        if (kind == TEXTS_NAMES)
            state_add_name(state, own);
        else if (kind == TEXTS_SETTINGS)
            state_add_setting(state, own);
        else
            state_note(state, "%s", own);
    }
    return STATUS_OK;
}

static enum status state_read_root(const struct state_reader *r, json_t *root)
{
    struct state *state = r->state;
    struct state_item item = {.r = r, .at = root};
    json_t *cluster = json_object_get(root, "cluster");
    enum status st = state_keys_known(r, "", 0, root);
    if (st != STATUS_OK)
        return st;
    if (json_integer_value(json_object_get(root, "state")) != 1)
        return state_expected(r, NULL, 0, NULL,
                              "\"state\": 1, which marks a state file");
    state->at = item_seconds(&item, "at_unix_s", 0, 0, true);
    state->policy = item_text(&item, "policy", false);
    state->policy_why = item_text(&item, "policy_why", false);
    if (item.st != STATUS_OK)
        return item.st;
    if (!json_is_string(cluster) && !json_is_object(cluster))
        return state_expected(r, NULL, 0, NULL,
                              "\"cluster\", a text or an object");
    state->cluster = json_incref(cluster);
    state->has_past = json_object_get(root, "plans") != NULL;
    st = read_texts(r, root, "names", TEXTS_NAMES);
    if (st == STATUS_OK)
        st = read_texts(r, root, "notes", TEXTS_NOTES);
    if (st == STATUS_OK)
        st = read_texts(r, root, "settings", TEXTS_SETTINGS);
    if (st == STATUS_OK)
        st = state_read_list(r, root, "plans", false, state_read_plan);
    if (st == STATUS_OK)
        st = state_read_list(r, root, "refused", false, state_read_refusal);
    if (st == STATUS_OK)
        st = state_read_list(r, root, "reservations", false,
                             state_read_reservation);
    if (st == STATUS_OK)
        st = state_read_list(r, root, "jobs", true, state_read_job);
    if (st == STATUS_OK)
        st = state_check_after(r);
    if (st == STATUS_OK)
        st = state_read_list(r, root, "ended", false, state_read_ended);
    return st == STATUS_OK
               ? state_read_list(r, root, "out", false, state_read_out)
               : st;
}

enum status state_read_text(const char *path, struct text json,
                            struct state *out, struct error *err)
{
    struct state_reader r = {.state = out, .text = json, .err = err};
    json_error_t why;
    enum status st = STATUS_OK;
    json_t *root = json_loadb(json.at, json.len, JSON_REJECT_DUPLICATES, &why);
    state_init(out, path);
    if (!root)
        st = error_set(err, STATUS_BAD_INPUT, "%s:%d:%d: %s", path, why.line,
                       why.column, why.text);
    if (st == STATUS_OK)
        st = state_read_root(&r, root);
    json_decref(root);
    if (st != STATUS_OK)
        state_fini(out);
    return st;
}

enum status state_read(const char *path, struct state *out, struct error *err)
{
    struct out *bytes = out_to_memory();
    enum status st = out_add_file(bytes, path, err);
    if (st == STATUS_OK)
        st = state_read_text(path, out_memory(bytes), out, err);
    out_abandon(bytes);
    return st;
}
