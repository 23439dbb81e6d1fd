/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads the text of a scenario. */
#include "tests/scenarios/scenario_internal.h"

#include <stdio.h>
#include <string.h>

enum status parser_bad(struct parser *p, const char *what, struct text word)
{
    return error_set(p->err, STATUS_BAD_INPUT, "%s:%d: %s: '%.*s'", p->path,
                     p->number, what, TEXT_ARGS(word));
}

struct text parser_word(struct parser *p)
{
    p->line = text_trim(p->line);
    return text_split(p->line, ' ', &p->line);
}

bool parser_copy_name(char out[24], struct text t)
{
    if (t.len == 0 || t.len >= 24)
        return false;
    memcpy(out, t.at, t.len);
    out[t.len] = '\0';
    return true;
}

/* Returns the rest of the line as a string that lives as long as the scenario.
 */
static const char *rest_of(struct parser *p)
{
    struct text rest = text_trim(p->line);
    return arena_copy(&p->s->arena, rest.at, rest.len);
}

/* A setting written as "key value", and the place where its value is stored. */
struct pair {
    const char *key;
    enum { PAIR_SPAN, PAIR_U32, PAIR_DOUBLE, PAIR_NAME, PAIR_BOOL } kind;
    void *at;
};

static bool set_pair(const struct pair *pair, struct text value)
{
    switch (pair->kind) {
    case PAIR_SPAN:
        return text_to_span(value, pair->at);
    case PAIR_U32:
        return text_to_u32(value, pair->at);
    case PAIR_DOUBLE:
        return text_to_double(value, pair->at);
    case PAIR_NAME:
        return parser_copy_name(pair->at, value);
    case PAIR_BOOL:
        return text_to_bool(value, pair->at);
    }
    return false;
}

static enum status read_pairs(struct parser *p, const struct pair *pairs,
                              size_t n)
{
    struct text key;
    while ((key = parser_word(p)).len) {
        size_t i = 0;
        while (i < n && !text_is(key, pairs[i].key))
            i++;
        struct text value = parser_word(p);
        if (i == n)
            return parser_bad(p, "unknown word", key);
        if (!set_pair(&pairs[i], value))
            return parser_bad(p, "not a value", value);
    }
    return STATUS_OK;
}

/* Reads the rest of a line "cluster N nodes of G gpus ...". */
static enum status read_cluster(struct parser *p)
{
    struct lab *lab = p->s->lab;
    if (lab->n_groups == LAB_GROUPS)
        return parser_bad(p, "too many groups", p->line);
    struct lab_group *g = &lab->groups[lab->n_groups++];
    *g = (struct lab_group){.speed = 1, .vc = "default", .type = "gpu"};
    struct text count = parser_word(p);
    parser_word(p); /* skips "node" or "nodes" */
    parser_word(p); /* skips "of" */
    struct text gpus = parser_word(p);
    parser_word(p); /* skips "gpu" or "gpus" */
    if (!text_to_u32(count, &g->count) || !text_to_u32(gpus, &g->gpus))
        return parser_bad(p, "not a count", count);
    const struct pair pairs[] = {
        {"vc", PAIR_NAME, g->vc},
        {"type", PAIR_NAME, g->type},
        {"speed", PAIR_DOUBLE, &g->speed},
        {"memory", PAIR_DOUBLE, &g->mem_mib},
        {"rack", PAIR_U32, &g->rack},
        {"profiler", PAIR_BOOL, &g->profiler},
    };
    return read_pairs(p, pairs, sizeof pairs / sizeof *pairs);
}

/* Reads the rest of a line "node K down A [up B]". */
static enum status read_node(struct parser *p)
{
    struct lab *lab = p->s->lab;
    struct text number = parser_word(p);
    uint32_t node;
    if (!text_to_u32(number, &node) || lab->n_changes + 2 > LAB_CHANGES)
        return parser_bad(p, "not a node", number);
    sim_span down = -1, up = -1;
    const struct pair pairs[] = {{"down", PAIR_SPAN, &down},
                                 {"up", PAIR_SPAN, &up}};
    enum status st = read_pairs(p, pairs, 2);
    if (down >= 0)
        lab->changes[lab->n_changes++] =
            (struct capacity_change){.at = down, .node = node};
    if (up >= 0)
        lab->changes[lab->n_changes++] =
            (struct capacity_change){.at = up, .node = node, .up = true};
    return st;
}

/* Appends the rest of the line, JSON, to a list. */
static enum status scenario_append(struct parser *p, char *list, size_t room)
{
    size_t n = strlen(list);
    struct text rest = text_trim(p->line);
    if (n + rest.len + 2 > room)
        return parser_bad(p, "too many", rest);
    if (n)
        list[n++] = ',';
    memcpy(list + n, rest.at, rest.len);
    list[n + rest.len] = '\0';
    return STATUS_OK;
}

/* Reads the rest of a line "queue JSON" or "cohort JSON". */
static enum status read_queue(struct parser *p)
{
    return scenario_append(p, p->s->lab->queues, sizeof p->s->lab->queues);
}
static enum status read_cohort(struct parser *p)
{
    return scenario_append(p, p->s->lab->cohorts, sizeof p->s->lab->cohorts);
}

static enum status read_job(struct parser *p)
{
    struct lab *lab = p->s->lab;
    struct text name = parser_word(p);
    if (lab->n_jobs == LAB_JOBS)
        return parser_bad(p, "too many jobs", name);
    struct lab_job *job = &lab->jobs[lab->n_jobs++];
    *job = (struct lab_job){.end = "completed", .epoch = 1000};
    if (!parser_copy_name(job->name, name))
        return parser_bad(p, "not a name", name);
    const struct pair pairs[] = {
        {"at", PAIR_SPAN, &job->submitted},
        {"gpus", PAIR_U32, &job->gpus},
        {"runs", PAIR_SPAN, &job->runs},
        {"user", PAIR_NAME, job->user},
        {"vc", PAIR_NAME, job->vc},
        {"type", PAIR_NAME, job->type},
        {"model", PAIR_NAME, job->model},
        {"memory", PAIR_DOUBLE, &job->mem_mib},
        {"util", PAIR_DOUBLE, &job->util},
        {"declared", PAIR_SPAN, &job->declared},
        {"deadline", PAIR_SPAN, &job->deadline},
        {"ends", PAIR_NAME, job->end},
        {"priority", PAIR_NAME, job->priority},
        {"elastic", PAIR_NAME, job->elastic},
        {"batch", PAIR_U32, &job->batch},
        {"log", PAIR_NAME, job->log},
        {"step", PAIR_SPAN, &job->step},
        {"every", PAIR_U32, &job->log_every},
        {"epoch", PAIR_U32, &job->epoch},
        {"mute", PAIR_BOOL, &job->mute},
    };
    return read_pairs(p, pairs, sizeof pairs / sizeof *pairs);
}

/* Reads the rest of a line "advice JOB after D ...". */
static enum status read_advice(struct parser *p)
{
    struct scenario *s = p->s;
    struct text name = parser_word(p);
    struct scenario_advice *a = &s->advice[s->n_advice];
    if (s->n_advice == LAB_JOBS || !parser_copy_name(a->job, name))
        return parser_bad(p, "not a name", name);
    s->n_advice++;
    *a->donor = '\0';
    a->advice = (struct test_advice){.asks = true, .util = ADVICE_NO_DEMAND};
    a->line = p->number;
    const struct pair pairs[] = {
        {"after", PAIR_SPAN, &a->advice.after},
        {"runs", PAIR_SPAN, &a->advice.runs},
        {"util", PAIR_DOUBLE, &a->advice.util},
        {"memory", PAIR_DOUBLE, &a->advice.mem_mib},
        {"donor", PAIR_NAME, a->donor},
        {"secret", PAIR_BOOL, &a->advice.secret},
    };
    return read_pairs(p, pairs, sizeof pairs / sizeof *pairs);
}

static enum status read_expect(struct parser *p)
{
    struct scenario *s = p->s;
    struct text name = parser_word(p);
    struct scenario_expect *expect = &s->expects[s->n_expects];
    if (s->n_expects == LAB_JOBS || !parser_copy_name(expect->name, name))
        return parser_bad(p, "not a name", name);
    expect->rest = text_trim(p->line);
    expect->line = p->number;
    s->n_expects++;
    return STATUS_OK;
}

/* Reads the rest of a line "status ok|incomplete|broken [WORDS of the
 * message]". */
static enum status read_status(struct parser *p)
{
    struct text name = parser_word(p);
    if (text_is(name, "incomplete"))
        p->s->status = STATUS_INCOMPLETE;
    else if (text_is(name, "broken"))
        p->s->status = STATUS_BAD_PLAN;
    else if (!text_is(name, "ok"))
        return parser_bad(p, "not a status", name);
    p->s->message = rest_of(p);
    return STATUS_OK;
}

/* Reads the rest of a line "sees T EVENT, EVENT...", and adds it to the
 * expected log of the script. */
static enum status read_sees(struct parser *p)
{
    struct scenario *s = p->s;
    struct text line = text_trim(p->line);
    if (s->n_sees + line.len + 2 > sizeof s->sees)
        return parser_bad(p, "too much is seen", line);
    if (s->n_sees)
        s->sees[s->n_sees++] = '\n';
    memcpy(s->sees + s->n_sees, line.at, line.len);
    s->n_sees += line.len;
    s->sees[s->n_sees] = '\0';
    return STATUS_OK;
}

static enum status read_changes(struct parser *p)
{
    p->s->changes = rest_of(p);
    return STATUS_OK;
}

static enum status read_decisions(struct parser *p)
{
    struct text number = parser_word(p);
    return text_to_u64(number, &p->s->decisions)
               ? STATUS_OK
               : parser_bad(p, "not a count", number);
}

/* Reads the name of a policy of the tests. Returns false if the line names
 * another policy. */
static bool read_own_policy(struct parser *p)
{
    struct text rest = text_trim(p->line);
    struct text name = text_split(rest, ':', &rest);
    if (text_is(name, "script"))
        p->s->own = OWN_SCRIPT;
    else if (text_is(name, "packer"))
        p->s->own = OWN_PACKER;
    else
        return false;
    p->s->own_spec = text_trim(p->line);
    return true;
}

/* Reads a line that sets a field of the run's configuration. Returns false if
 * no field has the name `key`. */
static bool read_config(struct parser *p, struct text key)
{
    struct run_config *c = &p->s->config;
    const struct {
        const char *key;
        const char **at;
    } rows[] = {
        {"policy", &c->policy},       {"profilers", &c->profilers},
        {"placer", &c->placer},       {"estimators", &c->estimators},
        {"overhead", &c->overhead},   {"interference", &c->interference},
        {"belief", &c->belief},       {"throughput", &c->throughput},
        {"faults", &c->faults},       {"forecast", &c->forecast},
        {"recovery", &c->recovery},   {"conventions", &c->conventions},
        {"engine", &c->engine},       {"time-law", &c->time_law},
        {"schedmate", &c->schedmate}, {"monitor", &c->monitor},
        {"quota", &c->quota},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (!text_is(key, rows[i].key))
            continue;
        *rows[i].at = rest_of(p);
        return true;
    }
    return false;
}

static enum status read_line(struct parser *p)
{
    struct text key = parser_word(p);
    if (key.len == 0)
        return STATUS_OK;
    static const struct {
        const char *key;
        enum status (*read)(struct parser *);
    } lines[] = {{"cluster", read_cluster}, {"node", read_node},
                 {"job", read_job},         {"advice", read_advice},
                 {"expect", read_expect},   {"status", read_status},
                 {"sees", read_sees},       {"decisions", read_decisions},
                 {"changes", read_changes}, {"queue", read_queue},
                 {"cohort", read_cohort}};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        if (text_is(key, lines[i].key))
            return lines[i].read(p);
    }
    if (text_is(key, "at") || text_is(key, "always"))
        return read_deed(p, text_is(key, "always"));
    if (text_is(key, "policy") && read_own_policy(p))
        return STATUS_OK;
    return read_config(p, key) ? STATUS_OK : parser_bad(p, "unknown line", key);
}

enum status scenario_parse(struct text text, const char *path, struct lab *lab,
                           struct scenario *out, struct error *err)
{
    *out = (struct scenario){.lab = lab, .config = {.seed = 1}, .message = ""};
    arena_init(&out->arena);
    lab_clear(lab);
    struct parser p = {.s = out, .path = path, .err = err};
    enum status st = STATUS_OK;
    while (text.len && st == STATUS_OK) {
        struct text comment;
        p.line = text_split(text, '\n', &text);
        p.line = text_split(p.line, '#', &comment);
        p.number++;
        st = read_line(&p);
    }
    if (st == STATUS_OK && (lab->n_jobs == 0 || lab->n_groups == 0))
        st = error_set(err, STATUS_BAD_INPUT, "%s: no job or no cluster", path);
    return st;
}

void scenario_fini(struct scenario *scenario)
{
    arena_fini(&scenario->arena);
}
