/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "commands/explain_advice.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "commands/cli.h"
#include "commands/explain_wait.h"
#include "commands/table.h"

static bool overlap(const struct verify_data *d, const struct verify_attempt *a,
                    const struct verify_attempt *b)
{
    const struct verify_range *x = d->ranges + a->first_gpu_range;
    for (uint32_t i = 0; i < a->n_ranges; i++, x++) {
        const struct verify_range *y = d->ranges + b->first_gpu_range;
        for (uint32_t k = 0; k < b->n_ranges; k++, y++) {
            if (x->first <= y->last && y->first <= x->last)
                return true;
        }
    }
    return false;
}

/* True if `other`, an attempt of another job, shared a GPU with `attempt` when
 * `attempt` ended. */
static bool is_beside(const struct verify_data *d,
                      const struct verify_attempt *attempt,
                      const struct verify_attempt *other)
{
    return other->shared && other->job != attempt->job &&
           other->start < attempt->end && other->end >= attempt->end &&
           overlap(d, attempt, other);
}

/* Returns the job of a question if `explain` needs the question: the explained
 * job or, for a question of the tracker during an attempt that was evicted, a
 * job beside which it was evicted. Otherwise NULL. */
static const struct verify_job *wanted(const struct explain_advice *advice,
                                       const struct verify_question *q)
{
    const struct verify_data *d = advice->data;
    const struct verify_job *job = advice->job;
    if (text_is(q->id, job->id))
        return job;
    for (uint32_t i = 0; i < job->n_attempts && q->module == TRACKER; i++) {
        const struct verify_attempt *a = &d->attempts[job->first_attempt + i];
        if (a->how != 'e' || q->asked < a->start || q->asked > a->end)
            continue;
        for (size_t k = 0; k < d->n_attempts; k++) {
            const struct verify_attempt *other = &d->attempts[k];
            if (is_beside(d, a, other) &&
                text_is(q->id, d->jobs[other->job].id))
                return &d->jobs[other->job];
        }
    }
    return NULL;
}

static void keep(void *self, const struct verify_question *q)
{
    struct explain_advice *advice = self;
    const struct verify_job *job = wanted(advice, q);
    if (!job)
        return;
    advice->rows = mem_grow(advice->rows, &advice->cap_rows, advice->n_rows + 1,
                            sizeof *advice->rows);
    advice->rows[advice->n_rows++] = (struct explain_question){job, *q};
}

enum status explain_advice_read(struct explain_advice *advice, const char *dir,
                                const struct verify_data *data,
                                const struct verify_job *job, struct error *err)
{
    struct verify_advice_reader reader = {dir, keep, advice};
    *advice = (struct explain_advice){.data = data, .job = job};
    return verify_advice_exists(data) ? verify_advice_read(&reader, err)
                                      : STATUS_OK;
}

void explain_advice_fini(struct explain_advice *advice)
{
    free(advice->rows);
}

/* Returns the basis of an answer, in words. */
static const char *basis_words(const struct verify_question *q, char buf[64])
{
    static const char *const words[VERIFY_BASES] = {
        [BASIS_WAITS] = "the run ended before the answer",
        [BASIS_NOTHING] = "nothing was found",
        [BASIS_LAW] = "from a law of errors",
        [BASIS_READ] = "from its log",
    };
    const char *many = q->k == 1 ? "" : "s";
    if (q->basis == BASIS_RESUBMISSION) {
        snprintf(buf, 64, "from %" PRIu32 " earlier run%s of the user", q->k,
                 many);
        return buf;
    }
    if (q->basis == BASIS_SIMILAR) {
        snprintf(buf, 64, "from %" PRIu32 " ended job%s of the kind", q->k,
                 many);
        return buf;
    }
    return q->basis < VERIFY_BASES ? words[q->basis] : "?";
}

static const char *module_of(const struct verify_question *q)
{
    return q->module < VERIFY_MODULES ? verify_module_names[q->module] : "?";
}

static void print_question(const struct verify_question *q)
{
    char delay[TABLE_SPAN_MAX], wait[TABLE_SPAN_MAX], basis[64];
    char at[EXPLAIN_TIME_MAX];
    if (q->server == VERIFY_NO_SERVER) {
        say(stdout, "%s  the %s answers at once, %s",
            explain_time(q->asked, at), module_of(q), basis_words(q, basis));
        return;
    }
    say(stdout,
        "%s  the %s asks the language model: answer after %s (%s in the "
        "queue), %s",
        explain_time(q->asked, at), module_of(q),
        table_span(span_seconds(q->answered - q->asked), delay),
        table_span(span_seconds(q->begun - q->asked), wait),
        basis_words(q, basis));
}

static void write_question(json_t *json, const struct verify_question *q)
{
    json_t *row = explain_event(json, "asks", q->asked, q->answered);
    json_put(row, "module", json_text(module_of(q)));
    json_put(row, "begun_s", json_number(span_seconds(q->begun)));
    if (q->server != VERIFY_NO_SERVER)
        json_put(row, "server", json_integer(q->server));
    json_put(row, "basis",
             json_text(q->basis < VERIFY_BASES ? verify_basis_names[q->basis]
                                               : "?"));
    json_put(row, "k", json_integer(q->k));
}

void explain_questions(struct explain_advice *advice, sim_time until,
                       json_t *json)
{
    for (; advice->next < advice->n_rows; advice->next++) {
        const struct explain_question *row = &advice->rows[advice->next];
        if (row->question.asked > until)
            return;
        if (row->job != advice->job)
            continue;
        if (json)
            write_question(json, &row->question);
        else
            print_question(&row->question);
    }
}

/* Returns the time of the last question about the log of a job during an
 * attempt; -1 if there was none. */
static sim_time last_read(const struct explain_advice *advice,
                          const struct verify_job *job,
                          const struct verify_attempt *attempt)
{
    sim_time last = -1;
    for (size_t i = 0; i < advice->n_rows; i++) {
        const struct explain_question *row = &advice->rows[i];
        if (row->job == job && row->question.module == TRACKER &&
            row->question.asked >= attempt->start &&
            row->question.asked <= attempt->end)
            last = row->question.asked;
    }
    return last;
}

static void print_beside(const char *id, sim_time read)
{
    char at[EXPLAIN_TIME_MAX];
    if (read < 0)
        say(stdout, "    beside job %s", id);
    else
        say(stdout, "    beside job %s, whose log was last read at %s", id,
            explain_time(read, at));
}

void explain_eviction(const struct explain_advice *advice,
                      const struct verify_attempt *attempt, json_t *json)
{
    const struct verify_data *d = advice->data;
    json_t *events = json_object_get(json, "events"), *beside = NULL;
    if (json) {
        beside = json_array();
        json_put(json_array_get(events, json_array_size(events) - 1), "beside",
                 beside);
    }
    for (size_t i = 0; i < d->n_attempts; i++) {
        const struct verify_attempt *other = &d->attempts[i];
        if (!is_beside(d, attempt, other))
            continue;
        const struct verify_job *job = &d->jobs[other->job];
        if (json)
            json_array_append_new(beside, json_text(job->id));
        else
            print_beside(job->id, last_read(advice, job, attempt));
    }
}
