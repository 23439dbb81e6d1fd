/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads the answers of a program: one line of JSON each. */
#include "policies/outside/program_internal.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

static bool answer_action(struct plan *plan, unsigned needs,
                          const json_t *action);

/* Parses a line that must be one JSON object, which the caller releases.
 * Returns NULL, with a reason in `why`, if it is not. */
static json_t *answer_parse(struct text line, char *why, size_t room)
{
    json_error_t bad;
    json_t *root = json_loadb(line.at, line.len, JSON_REJECT_DUPLICATES, &bad);
    if (json_is_object(root))
        return root;
    if (root)
        snprintf(why, room, "the answer is not a JSON object: '%.*s'",
                 TEXT_ARGS(line));
    else
        snprintf(why, room, "the answer is not JSON (column %d: %.80s): '%.*s'",
                 bad.column, bad.text, TEXT_ARGS(line));
    json_decref(root);
    return NULL;
}

static bool set_name(const json_t *value, char *out, size_t room)
{
    const char *name = json_string_value(value);
    size_t n = name ? strlen(name) : 0;
    if (n == 0 || n >= room)
        return false;
    for (size_t i = 0; i < n; i++) {
        bool letter = (name[i] >= 'a' && name[i] <= 'z') ||
                      (name[i] >= 'A' && name[i] <= 'Z') ||
                      (name[i] >= '0' && name[i] <= '9');
        if (!letter && !strchr("-_.", name[i]))
            return false;
    }
    memcpy(out, name, n + 1);
    return true;
}

static const struct {
    const char *word;
    unsigned bit;
} need_words[] = {{"duration", POLICY_NEEDS_DURATION},
                  {"demand", POLICY_NEEDS_DEMAND},
                  {"preempt", POLICY_PREEMPTS},
                  {"share", POLICY_SHARES}};

static enum status answer_set_needs(const json_t *list, unsigned *needs,
                                    struct error *err)
{
    size_t i;
    const json_t *value;
    if (list && json_typeof(list) != JSON_ARRAY)
        return error_set(err, STATUS_BAD_INPUT, "\"needs\" is not a list");
    json_array_foreach(list, i, value)
    {
        const char *word = json_string_value(value);
        size_t k = 0, n = sizeof need_words / sizeof *need_words;
        while (k < n && (!word || strcmp(word, need_words[k].word) != 0))
            k++;
        if (k == n)
            return error_set(err, STATUS_BAD_INPUT,
                             "\"needs\" has '%.40s'; it may have duration, "
                             "demand, preempt and share",
                             word ? word : "(a value that is not text)");
        *needs |= need_words[k].bit;
    }
    return STATUS_OK;
}

static enum status read_hello(const json_t *root, struct introduction *out,
                              struct error *err)
{
    const json_t *asks = json_object_get(root, "asks");
    const json_t *version = json_object_get(root, "protocol");
    const char *word = json_string_value(asks);
    if (!json_is_integer(version) ||
        json_integer_value(version) != PROTOCOL_VERSION)
        return error_set(err, STATUS_BAD_INPUT,
                         "the program did not answer \"protocol\":%d, the "
                         "only version of the protocol that this schedsim "
                         "knows",
                         PROTOCOL_VERSION);
    if (!set_name(json_object_get(root, "name"), out->name, sizeof out->name))
        return error_set(err, STATUS_BAD_INPUT,
                         "\"name\" must be a text of 1 to 40 letters, digits, "
                         "'-', '_' and '.'");
    if (asks && (!word || (strcmp(word, "possible") != 0 &&
                           strcmp(word, "always") != 0)))
        return error_set(err, STATUS_BAD_INPUT,
                         "\"asks\" must be \"possible\" or \"always\"");
    out->asked_always = word && strcmp(word, "always") == 0;
    return answer_set_needs(json_object_get(root, "needs"), &out->needs, err);
}

enum status answer_hello(struct text line, struct introduction *out,
                         struct error *err)
{
    char why[256];
    *out = (struct introduction){0};
    json_t *root = answer_parse(line, why, sizeof why);
    if (!root)
        return error_set(err, STATUS_BAD_INPUT, "%s", why);
    enum status st = read_hello(root, out, err);
    json_decref(root);
    return st;
}

enum status answer_begin(struct text line, struct error *err)
{
    char why[256];
    json_t *root = answer_parse(line, why, sizeof why);
    if (!root)
        return error_set(err, STATUS_BAD_INPUT, "%s", why);
    bool ready = json_is_true(json_object_get(root, "ready"));
    json_decref(root);
    if (ready)
        return STATUS_OK;
    return error_set(err, STATUS_BAD_INPUT,
                     "the program does not answer \"ready\":true to the "
                     "description of the cluster");
}

/* Marks the plan as broken, with the message "rule NAME: ...". Always returns
 * false. */
static bool outside_answer_refuse(struct plan *plan, const char *rule,
                                  job_id job, const char *fmt, ...)
{
    char why[512], what[400];
    va_list args;
    va_start(args, fmt);
    vsnprintf(what, sizeof what, fmt, args);
    va_end(args);
    snprintf(why, sizeof why, "rule %s: %s", rule, what);
    plan_refuse(plan, STATUS_BAD_PLAN, job, why);
    return false;
}

/* Refuses the plan, and returns false, if the answer has a key that means
 * nothing, because a misspelt key would otherwise be ignored. */
static bool answer_check_keys(json_t *root, struct plan *plan)
{
    const char *key;
    json_t *value;
    json_object_foreach(root, key, value)
    {
        (void)value;
        if (strcmp(key, "plan") != 0 && strcmp(key, "number") != 0)
            return outside_answer_refuse(
                plan, "answer", JOB_NONE,
                "the answer has the unknown key '%.40s'; it "
                "may have plan and number",
                key);
    }
    return true;
}

static void answer_fill(json_t *root, uint64_t number, unsigned needs,
                        struct plan *plan)
{
    size_t i;
    const json_t *action, *list = json_object_get(root, "plan");
    const json_t *echo = json_object_get(root, "number");
    if (!answer_check_keys(root, plan))
        return;
    if (!json_is_array(list)) {
        outside_answer_refuse(plan, "answer", JOB_NONE,
                              "the answer has no list \"plan\"");
        return;
    }
    if (echo && (json_typeof(echo) != JSON_INTEGER ||
                 (uint64_t)json_integer_value(echo) != number)) {
        outside_answer_refuse(
            plan, "answer", JOB_NONE,
            "\"number\" is not that of the question, %" PRIu64, number);
        return;
    }
    json_array_foreach(list, i, action)
    {
        if (!answer_action(plan, needs, action))
            return;
    }
}

void answer_plan(struct text line, uint64_t number, unsigned needs,
                 struct plan *plan)
{
    char why[256];
    json_t *root = answer_parse(line, why, sizeof why);
    if (root)
        answer_fill(root, number, needs, plan);
    else
        outside_answer_refuse(plan, "answer", JOB_NONE, "%s", why);
    json_decref(root);
}

/* Carries out the actions of a plan. Each action is an object with one verb,
 * such as {"start": 5}. */

/* Finds a job by number. Returns NULL and refuses the plan if no job of this
 * number has been submitted. */
static const struct job *answer_job_of(struct plan *plan, const json_t *value)
{
    json_int_t id = json_integer_value(value);
    const bool whole = json_typeof(value) == JSON_INTEGER;
    if (whole && id >= 0 && id < view_n_jobs(plan->view)) {
        const struct job *job = view_job(plan->view, (job_id)id);
        if (job->state != JOB_FUTURE)
            return job;
    }
    if (whole)
        outside_answer_refuse(plan, "known-job", JOB_NONE,
                              "job %" JSON_INTEGER_FORMAT
                              " does not exist or was not submitted yet",
                              id);
    else
        outside_answer_refuse(plan, "known-job", JOB_NONE,
                              "expected the number of a job, a whole number");
    return NULL;
}

static const char *state_words(const struct job *job)
{
    static const char *const words[JOB_N_STATES] = {
        [JOB_FUTURE] = "is not submitted", [JOB_PENDING] = "waits",
        [JOB_RUNNING] = "is running",      [JOB_HELD] = "is held back",
        [JOB_FINISHED] = "has finished",   [JOB_FAILED] = "was given up",
        [JOB_REJECTED] = "was rejected",
    };
    return words[job->state];
}

/* Returns true if the plan may start the job; else refuses the plan. */
static bool answer_may_start(struct plan *plan, const struct job *job)
{
    if (plan_is_started(plan, job))
        return outside_answer_refuse(
            plan, "start-once", job->id,
            "job %" PRIu32 " is started twice in one plan", job->id);
    if (job->state != JOB_PENDING && !plan_is_stopped(plan, job))
        return outside_answer_refuse(plan, "start-waiting", job->id,
                                     "job %" PRIu32 " cannot be started: it %s",
                                     job->id, state_words(job));
    return true;
}

/* A start that a booking prevents is passed over: the program cannot know of
 * it. */
static bool refuse_fit(struct plan *plan, const struct job *job)
{
    if (plan->bookings && plan->bookings->kept[job->id])
        return true;
    return outside_answer_refuse(
        plan, "fits", job->id,
        "job %" PRIu32 " (%" PRIu32 " GPUs) does not fit: %" PRIu32
        " GPUs are free in its virtual cluster",
        job->id, job->gpus, plan_free_gpus(plan, job->vc));
}

/* Reads [node,[gpu,...]]. Returns false and refuses the plan if the cluster
 * does not have the node or one of the GPUs, if a GPU is named twice, or if
 * none is named. */
static bool answer_slice_of(struct plan *plan, const struct job *job,
                            const json_t *value, struct gpu_slice *out)
{
    const struct cluster *c = view_cluster(plan->view);
    const json_t *node = json_array_get(value, 0), *gpu;
    const json_t *gpus = json_array_get(value, 1);
    json_int_t id = json_integer_value(node);
    size_t i;
    *out = (struct gpu_slice){0};
    if (!json_is_integer(node) || id < 0 || id >= c->n_nodes)
        return outside_answer_refuse(
            plan, "known-gpu", job->id,
            "the plan puts job %" PRIu32
            " on a node that the cluster does not have",
            job->id);
    out->node = (node_id)id;
    json_array_foreach(gpus, i, gpu)
    {
        json_int_t at = json_integer_value(gpu);
        if (json_typeof(gpu) != JSON_INTEGER || at < 0 ||
            at >= c->nodes[id].gpus || (out->mask >> at & 1))
            return outside_answer_refuse(
                plan, "known-gpu", job->id,
                "the plan puts job %" PRIu32 " on a GPU that node %" PRIu32
                " does not have, or names a GPU of it twice",
                job->id, out->node);
        out->mask |= UINT64_C(1) << at;
    }
    if (!out->mask)
        return outside_answer_refuse(plan, "known-gpu", job->id,
                                     "the plan puts job %" PRIu32
                                     " on node %" PRIu32
                                     " but names no GPU of it",
                                     job->id, out->node);
    return true;
}

/* Checks the GPUs of a start together: as many as the job asks for, on
 * different nodes of one pool without profiler nodes, and of the virtual
 * cluster and GPU type of the job. Returns false and refuses the plan if they
 * break a rule. */
static bool check_set(struct plan *plan, const struct job *job,
                      struct gpu_set set)
{
    const struct cluster *c = view_cluster(plan->view);
    const struct pool *pool = &c->pools[c->nodes[set.at[0].node].pool];
    if (gpu_set_size(set) != job->gpus)
        return outside_answer_refuse(plan, "own-size", job->id,
                                     "job %" PRIu32 " asks for %" PRIu32
                                     " GPUs, and the plan gives it %" PRIu32,
                                     job->id, job->gpus, gpu_set_size(set));
    for (uint32_t i = 0; i < set.count; i++) {
        if (!pool_has(c, pool, set.at[i].node))
            return outside_answer_refuse(
                plan, "one-pool", job->id,
                "the plan puts job %" PRIu32
                " on nodes of several virtual clusters or "
                "GPU types",
                job->id);
        for (uint32_t k = 0; k < i; k++) {
            if (set.at[k].node == set.at[i].node)
                return outside_answer_refuse(plan, "known-gpu", job->id,
                                             "the plan names node %" PRIu32
                                             " twice for job %" PRIu32,
                                             set.at[i].node, job->id);
        }
    }
    if (!cluster_serves(c, pool, job->vc) || pool->profiler)
        return outside_answer_refuse(
            plan, "own-cluster", job->id,
            "the plan puts job %" PRIu32
            " outside its virtual cluster, or on a node set "
            "aside for profiling",
            job->id);
    if (job->gpu_type != GPU_TYPE_ANY && job->gpu_type != pool->type)
        return outside_answer_refuse(
            plan, "own-type", job->id,
            "the plan puts job %" PRIu32
            " on GPUs of another type than it asks for",
            job->id);
    return true;
}

/* Reads the GPUs of a start into the scratch of the plan. Returns false and
 * refuses the plan if they break a rule. */
static bool set_of(struct plan *plan, const struct job *job,
                   const json_t *value, struct gpu_set *out)
{
    size_t n = json_array_size(value);
    if (n == 0 || n > view_cluster(plan->view)->n_nodes)
        return outside_answer_refuse(plan, "known-gpu", job->id,
                                     "\"on\" of job %" PRIu32
                                     " is not a list of [node, [gpu, ...]]",
                                     job->id);
    struct gpu_slice *at = plan_scratch(plan, n * sizeof *at);
    for (size_t i = 0; i < n; i++) {
        if (!answer_slice_of(plan, job, json_array_get(value, i), &at[i]))
            return false;
    }
    *out = (struct gpu_set){at, (uint32_t)n};
    return check_set(plan, job, *out);
}

static bool do_start(struct plan *plan, const json_t *action,
                     const json_t *value)
{
    const json_t *on = json_object_get(action, "on");
    const struct job *job = answer_job_of(plan, value);
    struct gpu_set set;
    if (!job || !answer_may_start(plan, job))
        return false;
    if (!on)
        return plan_start(plan, job) || refuse_fit(plan, job);
    if (!set_of(plan, job, on, &set))
        return false;
    return plan_start_on(plan, job, set) || refuse_fit(plan, job);
}

/* Starts the jobs of a list, in order. With `all`, goes on after a job that
 * does not fit; otherwise stops there. Returns false and refuses the plan if a
 * job breaks a rule. */
static bool start_list(struct plan *plan, const json_t *list, bool all)
{
    size_t i;
    const json_t *value;
    if (json_typeof(list) != JSON_ARRAY)
        return outside_answer_refuse(
            plan, "action", JOB_NONE,
            "\"queue\" and \"fill\" need a list of jobs");
    json_array_foreach(list, i, value)
    {
        const struct job *job = answer_job_of(plan, value);
        if (!job || !answer_may_start(plan, job))
            return false;
        if (!plan_start(plan, job) && !all)
            break;
    }
    return true;
}

/* Refuses a queue of several virtual clusters: a job that does not fit would
 * hold back those of the other clusters, which it cannot compete with. */
static bool is_of_one_vc(struct plan *plan, const json_t *list)
{
    const struct job *first = NULL;
    size_t i;
    const json_t *value;
    json_array_foreach(list, i, value)
    {
        const struct job *job = answer_job_of(plan, value);
        if (!job)
            return false;
        first = first ? first : job;
        if (job->vc != first->vc)
            return outside_answer_refuse(
                plan, "queue-vc", job->id,
                "a queue has job %" PRIu32 " and job %" PRIu32
                " of another virtual cluster; give each "
                "virtual cluster a queue of its own",
                first->id, job->id);
    }
    return true;
}

static bool do_queue(struct plan *plan, const json_t *action,
                     const json_t *value)
{
    (void)action;
    return is_of_one_vc(plan, value) && start_list(plan, value, false);
}

static bool do_fill(struct plan *plan, const json_t *action,
                    const json_t *value)
{
    (void)action;
    return start_list(plan, value, true);
}

static bool do_stop(struct plan *plan, const json_t *action,
                    const json_t *value)
{
    const struct job *job = answer_job_of(plan, value);
    (void)action;
    if (!job)
        return false;
    if (plan_is_stopped(plan, job))
        return outside_answer_refuse(
            plan, "stop-once", job->id,
            "job %" PRIu32 " is stopped twice in one plan", job->id);
    if (job->state != JOB_RUNNING)
        return outside_answer_refuse(plan, "stop-running", job->id,
                                     "job %" PRIu32 " cannot be stopped: it %s",
                                     job->id, state_words(job));
    plan_stop(plan, job);
    return true;
}

static bool do_share(struct plan *plan, const json_t *action,
                     const json_t *value)
{
    const json_t *with = json_object_get(action, "with");
    const json_t *on = json_object_get(action, "on");
    const struct job *job = answer_job_of(plan, value), *resident = NULL;
    struct gpu_set set;
    if (!job || !answer_may_start(plan, job))
        return false;
    if (!with == !on)
        return outside_answer_refuse(
            plan, "action", job->id,
            "\"share\" needs either \"with\" or \"on\"");
    if (with) {
        resident = answer_job_of(plan, with);
        if (!resident)
            return false;
        set = plan_where(plan, resident);
        if (set.count == 0)
            return outside_answer_refuse(plan, "share-running", job->id,
                                         "the plan lets job %" PRIu32
                                         " share the GPUs of job %" PRIu32
                                         ", which holds none",
                                         job->id, resident->id);
        if (!check_set(plan, job, set))
            return false;
    } else if (!set_of(plan, job, on, &set)) {
        return false;
    }
    if (plan_share_on(plan, job, set))
        return true;
    return outside_answer_refuse(
        plan, "share-room", job->id,
        "job %" PRIu32 " cannot share these GPUs: too many jobs hold one of "
        "them, their memory does not suffice, a job was barred from sharing "
        "after an eviction, or a node is out of service",
        job->id);
}

/* Reads a time, which must lie after now. Returns false and refuses the plan if
 * it does not. */
static bool answer_later(struct plan *plan, const json_t *value, sim_time *out)
{
    json_int_t at = json_integer_value(value);
    if (json_typeof(value) != JSON_INTEGER || at <= view_now(plan->view) ||
        at > TIME_NEVER)
        return outside_answer_refuse(
            plan, "later", JOB_NONE,
            "a wake or a rest must end at a whole number of "
            "microseconds after now (%" PRId64 ")",
            view_now(plan->view));
    *out = at;
    return true;
}

static bool do_wake(struct plan *plan, const json_t *action,
                    const json_t *value)
{
    sim_time at = 0;
    (void)action;
    if (!answer_later(plan, value, &at))
        return false;
    plan_wake_at(plan, at);
    return true;
}

static bool do_rest(struct plan *plan, const json_t *action,
                    const json_t *value)
{
    sim_time at = 0;
    (void)action;
    if (!answer_later(plan, value, &at))
        return false;
    plan_rest_until(plan, at);
    return true;
}

/* The verbs. An action is refused if the introduction did not name the needs of
 * its verb. `more`: other keys that the action may have. */
static const struct verb {
    const char *name;
    bool (*act)(struct plan *plan, const json_t *action, const json_t *value);
    unsigned needs;
    const char *need; /* the word for `needs` in the introduction */
    const char *more[2];
} verbs[] = {
    {.name = "start", .act = do_start, .more = {"on"}},
    {.name = "queue", .act = do_queue},
    {.name = "fill", .act = do_fill},
    {.name = "stop",
     .act = do_stop,
     .needs = POLICY_PREEMPTS,
     .need = "preempt"},
    {.name = "share",
     .act = do_share,
     .needs = POLICY_SHARES,
     .need = "share",
     .more = {"with", "on"}},
    {.name = "wake_us", .act = do_wake},
    {.name = "rest_until_us", .act = do_rest},
};

enum { N_VERBS = sizeof verbs / sizeof *verbs };

static const struct verb *verb_of(const json_t *action)
{
    for (size_t i = 0; i < N_VERBS; i++) {
        if (json_object_get(action, verbs[i].name))
            return &verbs[i];
    }
    return NULL;
}

static size_t count_keys(const struct verb *verb, const json_t *action)
{
    size_t n = 1;
    for (size_t i = 0; i < 2 && verb->more[i]; i++)
        n += json_object_get(action, verb->more[i]) != NULL;
    return n;
}

/* Carries out one action of the plan. Returns false if it breaks a rule, which
 * is then in plan->broken. */
static bool answer_action(struct plan *plan, unsigned needs,
                          const json_t *action)
{
    const struct verb *verb = verb_of(action);
    if (!verb)
        return outside_answer_refuse(
            plan, "action", JOB_NONE,
            "unknown action: expected start, queue, fill, "
            "stop, share, wake_us or rest_until_us");
    if (json_object_size(action) != count_keys(verb, action))
        return outside_answer_refuse(plan, "action", JOB_NONE,
                                     "the action %s has an unknown key",
                                     verb->name);
    if ((needs & verb->needs) != verb->needs)
        return outside_answer_refuse(
            plan, "said-needs", JOB_NONE,
            "the program did not say in \"needs\" that it "
            "wants to %s",
            verb->need);
    return verb->act(plan, action, json_object_get(action, verb->name));
}
