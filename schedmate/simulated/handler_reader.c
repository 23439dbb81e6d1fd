/* SPDX-License-Identifier: GPL-3.0-or-later */
/* SchedMate's Failure Handler in simulated time, by the code of the live
 * module. */
#include "schedmate/simulated/simulated_internal.h"

#include <stdlib.h>
#include <string.h>

#include "schedmate/llm/llm.h"
#include "schedmate/logs/diagnosis.h"
#include "schedmate/logs/incidents.h"

/* Number of lines at the end of a log that are searched for the first error.
 * The report of a failure is a few thousand lines long at most. */
#define SEARCHED_LINES 20000
/* Lowest confidence at which a guess by resemblance restarts a job without a
 * person (assumed). Weaker guesses depend on single words, which any program
 * can print. */
#define GUESS_TRUST 0.1
/* Time after which people have found out why a job failed (assumed). */
#define FOUND_OUT_AFTER SPAN_HOUR

/* A failure whose cause people have not found out yet. */
struct open_case {
    struct text log;
    struct incident incident;
};

struct handler_reader {
    enum handler_method method;
    struct llm_client *llm; /* NULL: rules judge */
    struct locator_config locator;
    struct handler_config window;
    struct incidents_config comparison;
    struct log_classifier *classifier;
    struct log_knowledge *knowledge; /* the built-in knowledge, without files
                                      * of a site */
    struct locator *search;
    struct incidents *incidents; /* NULL: logs are not compared */
    /* In order of time. The first n_closed are in `incidents`, and their logs
     * are freed. */
    struct open_case *open;
    size_t n_open, cap_open, n_closed;
    struct arena scratch; /* reset by each reading */
};

enum status handler_reader_new(enum handler_method method,
                               struct llm_client *llm,
                               struct handler_reader **out, struct error *err)
{
    struct handler_reader *r = mem_zalloc(1, sizeof *r);
    *out = r;
    r->method = method;
    r->llm = llm;
    arena_init(&r->scratch);
    option_defaults(locator_options, &r->locator);
    option_defaults(handler_options, &r->window);
    option_defaults(incidents_options, &r->comparison);
    if (r->method == HANDLER_RCACOPILOT)
        r->incidents = incidents_new(&r->comparison, &embed_hashed, NULL);
    r->search = mem_alloc(sizeof *r->search);
    r->knowledge = log_knowledge_new();
    enum status st = log_knowledge_ready(r->knowledge, err);
    if (st == STATUS_OK)
        st = log_classifier_new(LOG_LINEAR, NULL, &r->classifier, err);
    return st;
}

void handler_reader_free(struct handler_reader *r)
{
    if (!r)
        return;
    for (size_t i = r->n_closed; i < r->n_open; i++)
        free((char *)(uintptr_t)r->open[i].log.at);
    free(r->open);
    incidents_free(r->incidents);
    log_classifier_free(r->classifier);
    log_knowledge_free(r->knowledge);
    free(r->search);
    arena_fini(&r->scratch);
    free(r);
}

/* Returns the last n lines of a log. They lie in the arena, or in log->real. */
static struct text reader_end_of(const struct handler_log *log, uint64_t n,
                                 struct arena *arena)
{
    return log->made ? log_tail(log->made, n, arena)
                     : real_log_tail(log->real, n);
}

/* Finds the lines around the first error in the last SEARCHED_LINES lines.
 * *error_at: offset of the error in the returned text. *sure: whether the
 * locator is sure of it. Returns an empty text if these lines have no error. */
static struct text around_error(struct handler_reader *r,
                                const struct handler_log *log, size_t *error_at,
                                bool *sure)
{
    struct text rest = reader_end_of(log, SEARCHED_LINES, &r->scratch), line;
    struct text all = rest, before;
    struct located located;
    locator_start(r->search, &r->locator, r->classifier, r->knowledge);
    while (log_first_line(&rest, &line))
        locator_feed(r->search, line, (uint64_t)(line.at - all.at));
    locator_end(r->search, &located);
    *sure = located.sure;
    if (!located.found)
        return (struct text){0};
    uint32_t wanted = r->window.window, n = 0;
    before = (struct text){all.at, (size_t)located.offset};
    while (n < wanted / HANDLER_BEFORE_SHARE && log_last_line(&before, &line))
        n++;
    rest = text_skip(all, (size_t)located.offset);
    while (n < wanted && log_first_line(&rest, &line))
        n++;
    *error_at = (size_t)located.offset - before.len;
    return (struct text){all.at + before.len,
                         (size_t)(rest.at - all.at) - before.len};
}

/* Returns the text from line `line` on; lines count from 0. */
static struct text from_line(struct text text, uint64_t line)
{
    struct text skipped;
    while (line-- > 0 && log_first_line(&text, &skipped))
        ;
    return text;
}

/* Judges one log by rules and, if there is a model, by its answer. Sets *window
 * to the lines that were read. If there are any, sets *report to their part
 * from the error on, or to all of them if the error has no known line. */
static enum status reader_judge(struct handler_reader *r,
                                const struct handler_log *log,
                                struct text *window, struct text *report,
                                struct diagnosis *out, struct error *err)
{
    size_t error_at = 0;
    bool sure = true, searched = r->method == HANDLER_LOCATOR;
    if (searched)
        *window = around_error(r, log, &error_at, &sure);
    else
        *window = reader_end_of(log, HANDLER_LAST_LINES_READ, &r->scratch);
    /* The model is told that the job failed, as its scheduler knows. */
    const struct job_end failed = {.knowledge = r->knowledge,
                                   .state = END_FAILED};
    const struct diagnosis_sources from = {.knowledge = r->knowledge,
                                           .window = *window,
                                           .error_at = error_at,
                                           .sure = sure,
                                           .is_end = !searched,
                                           .end = r->llm ? &failed : NULL,
                                           .first_line = 1,
                                           .client = r->llm,
                                           .config = &r->window,
                                           .arena = &r->scratch};
    enum status st = diagnosis_make(&from, out, err);
    bool named = out->source == HANDLER_SIGNATURE || out->rules.has_kind;
    *report =
        named ? from_line(*window, out->line) : text_skip(*window, error_at);
    return st;
}

/* Returns the first node of the job that the report names; NODE_NONE if the
 * report names none of them. */
static node_id node_in(struct text report, struct gpu_set where)
{
    struct text line;
    while (log_first_line(&report, &line)) {
        node_id node;
        if (!log_host_find(line, &node))
            continue;
        for (uint32_t i = 0; i < where.count; i++) {
            if (where.at[i].node == node)
                return node;
        }
    }
    return NODE_NONE;
}

/* Returns true if the action takes a node out of service. */
static bool isolates(enum handler_action action)
{
    return action == ACTION_REPLACE_NODE || action == ACTION_TEST_NETWORK;
}

static bool is_infrastructure(const struct diagnosis *d)
{
    bool guessed = d->source == HANDLER_NEAREST && d->confidence < GUESS_TRUST;
    return d->failed && d->kind == FAILURE_INFRASTRUCTURE && !guessed;
}

/* Adds to the incidents the failures whose causes people have found out by
 * `now`. */
static enum status close_cases(struct handler_reader *r, sim_time now,
                               struct error *err)
{
    enum status st = STATUS_OK;
    while (st == STATUS_OK && r->n_closed < r->n_open &&
           r->open[r->n_closed].incident.at + FOUND_OUT_AFTER <= now) {
        struct open_case *c = &r->open[r->n_closed++];
        st = incidents_add(r->incidents, c->log, &c->incident, err);
        free((char *)(uintptr_t)c->log.at);
    }
    return st;
}

enum status handler_read(struct handler_reader *r,
                         const struct handler_log *log, sim_time at,
                         struct gpu_set where, struct handler_reading *out,
                         struct error *err)
{
    struct diagnosis d;
    struct text window = {0}, report = {0};
    arena_reset(&r->scratch);
    enum status st;
    if (r->incidents) {
        st = close_cases(r, at, err);
        window = report = reader_end_of(log, r->comparison.lines, &r->scratch);
        if (st == STATUS_OK)
            st = incidents_judge(r->incidents, window, at, &d, err);
    } else {
        st = reader_judge(r, log, &window, &report, &d, err);
    }
    if (st != STATUS_OK)
        return st;
    bool asked = !r->incidents && d.asked;
    /* What the rules found must not pass for an answer of the model. */
    if (asked && !d.model.given)
        d.failed = false;
    bool infrastructure = is_infrastructure(&d);
    *out = (struct handler_reading){
        .verdict = {.infrastructure = infrastructure,
                    .node = NODE_NONE,
                    .told = d.failed ? failure_kinds[d.kind] : NULL},
        .latency = asked ? d.latency : -1,
        .tokens = {.in = (uint32_t)(window.len / 4)},
    };
    if (infrastructure)
        out->verdict.told = d.reason[0] ? d.reason : failure_parts[d.part];
    if (infrastructure && isolates(d.action))
        out->verdict.node = node_in(report, where);
    return STATUS_OK;
}

void handler_reader_add(struct handler_reader *r, const struct handler_log *log,
                        sim_time at, enum log_fault found)
{
    static const struct incident labels[LOG_N_FAULTS] = {
        [LOG_FAULT_GPU] = {FAILURE_INFRASTRUCTURE, PART_GPU, 0},
        [LOG_FAULT_NVLINK] = {FAILURE_INFRASTRUCTURE, PART_NVLINK, 0},
        [LOG_FAULT_NETWORK] = {FAILURE_INFRASTRUCTURE, PART_NETWORK, 0},
        [LOG_FAULT_NODE] = {FAILURE_INFRASTRUCTURE, PART_NODE, 0},
        [LOG_FAULT_STORAGE] = {FAILURE_INFRASTRUCTURE, PART_OTHER, 0},
        [LOG_FAULT_FRAMEWORK] = {FAILURE_FRAMEWORK, PART_NONE, 0},
        [LOG_FAULT_SCRIPT] = {FAILURE_SCRIPT, PART_NONE, 0},
        [LOG_FAULT_OTHER] = {FAILURE_OTHER, PART_NONE, 0},
    };
    if (!r->incidents)
        return;
    struct text end = reader_end_of(log, r->comparison.lines, &r->scratch);
    r->open = mem_grow(r->open, &r->cap_open, r->n_open + 1, sizeof *r->open);
    struct open_case *c = &r->open[r->n_open++];
    char *kept = mem_alloc(end.len + 1);
    memcpy(kept, end.at, end.len);
    *c = (struct open_case){.log = {kept, end.len}, .incident = labels[found]};
    c->incident.at = at;
}
