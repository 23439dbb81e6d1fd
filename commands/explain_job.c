/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Explains one job: its wait (explain_internal.h), its failure and the advice
 * it got. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands/cli.h"
#include "commands/explain_internal.h"
#include "commands/terminal.h"

static const struct verify_failure *find(const struct verify_failures *failures,
                                         uint32_t job, uint32_t attempt)
{
    for (size_t i = 0; i < failures->n_rows; i++) {
        const struct verify_failure *row = &failures->rows[i];
        if (row->job == job && row->attempt == attempt)
            return row;
    }
    return NULL;
}

static const char *word(const struct verify_failures *failures, uint32_t symbol)
{
    return interner_string(&failures->words, symbol);
}

static void print_ruling(const struct verify_failures *failures,
                         const struct verify_failure *row)
{
    char noticed[TABLE_SPAN_MAX], pending[TABLE_SPAN_MAX];
    const char *by = word(failures, row->by);
    bool ends = strcmp(word(failures, row->verdict), "give-up") == 0;
    if (ends) {
        say(stdout, "    the recovery rule '%s' gave the job up", by);
        return;
    }
    say(stdout,
        "    the recovery rule '%s': noticed after %s, pending again after %s, "
        "%s",
        by, table_span(span_seconds(row->detected), noticed),
        table_span(span_seconds(row->delay), pending),
        strcmp(word(failures, row->verdict), "restart") == 0
            ? "from the beginning"
            : "from the last checkpoint");
}

static void print(const struct verify_failures *failures,
                  const struct verify_failure *row)
{
    char lost[TABLE_SPAN_MAX], node[64] = "", suspect[64] = "";
    if (row->node != VERIFY_NO_NODE)
        snprintf(node, sizeof node, " of node %" PRIu32, row->node);
    if (row->suspect != VERIFY_NO_NODE)
        snprintf(suspect, sizeof suspect, "; node %" PRIu32 " was suspected",
                 row->suspect);
    say(stdout,
        "    failure %" PRIu32 " of the job: %s (%s)%s, lost %s of work%s",
        row->number, word(failures, row->cause), word(failures, row->kind),
        node, table_span(span_seconds(row->lost), lost), suspect);
    print_ruling(failures, row);
}

static void explain_job_put(json_t *event,
                            const struct verify_failures *failures,
                            const struct verify_failure *row)
{
    json_t *json = json_object();
    json_put(json, "number", json_integer(row->number));
    json_put(json, "cause", json_text(word(failures, row->cause)));
    json_put(json, "kind", json_text(word(failures, row->kind)));
    if (row->fault)
        json_put(json, "fault", json_integer(row->fault));
    if (row->node != VERIFY_NO_NODE)
        json_put(json, "node", json_integer(row->node));
    if (row->suspect != VERIFY_NO_NODE)
        json_put(json, "suspect", json_integer(row->suspect));
    json_put(json, "by", json_text(word(failures, row->by)));
    json_put(json, "verdict", json_text(word(failures, row->verdict)));
    json_put(json, "detected_s", json_number(span_seconds(row->detected)));
    json_put(json, "delay_s", json_number(span_seconds(row->delay)));
    json_put(json, "lost_s", json_number(span_seconds(row->lost)));
    json_put(event, "failure", json);
}

void explain_failure(const struct verify_failures *failures,
                     const struct verify_attempt *attempt, json_t *json)
{
    const struct verify_data *d = failures->data;
    const struct verify_job *job = &d->jobs[attempt->job];
    uint32_t number = (uint32_t)(attempt - d->attempts) - job->first_attempt;
    const struct verify_failure *row = find(failures, attempt->job, number + 1);
    json_t *all = json_object_get(json, "events");
    if (!row)
        return;
    if (json)
        explain_job_put(json_array_get(all, json_array_size(all) - 1), failures,
                        row);
    else
        print(failures, row);
}

const char *explain_time(sim_time at, char buf[EXPLAIN_TIME_MAX])
{
    double seconds = span_seconds(at);
    int n = snprintf(buf, EXPLAIN_TIME_MAX, "%.6f", seconds);
    while (buf[n - 1] == '0')
        n--;
    n -= buf[n - 1] == '.';
    snprintf(buf + n, EXPLAIN_TIME_MAX - (size_t)n, " s (day %.2f)",
             seconds / 86400);
    return buf;
}

json_t *explain_event(json_t *json, const char *what, sim_time from,
                      sim_time to)
{
    json_t *row = json_object(), *all = json_object_get(json, "events");
    json_put(row, "event", json_text(what));
    json_put(row, "from_s", json_number(span_seconds(from)));
    json_put(row, "to_s", json_number(span_seconds(to)));
    json_array_append_new(all, row);
    return row;
}

static double gpu_hours(uint64_t gpu_us)
{
    return (double)gpu_us / (double)SPAN_HOUR;
}

static void put_top(json_t *row, const char *key, const char *amount,
                    double unit, const struct explain_top *top,
                    const struct verify_data *d, bool users)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < top->n; i++) {
        const struct explain_share *s = &top->at[i];
        json_t *one = json_object();
        if (users) {
            json_put(one, "user",
                     json_text(interner_string(&d->users, s->who)));
            json_put(one, "jobs", json_integer(s->n_jobs));
        } else {
            json_put(one, "job", json_text(d->jobs[s->who].id));
        }
        json_put(one, amount, json_number((double)s->amount / unit));
        json_array_append_new(list, one);
    }
    json_put(row, key, list);
}

static void write_waiting(json_t *json, const struct verify_data *d,
                          const struct waiting *w,
                          const struct explain_who *who)
{
    json_t *row = explain_event(
        json, w->to_profile ? "waits for a profile" : "waits", w->from, w->to);
    json_put(row, "started", json_boolean(w->started));
    json_put(row, "after_failure", json_boolean(w->after_failure));
    explain_reasons_put(row, w->why);
    if (w->to_profile)
        return;
    json_put(row, "free_gpus", json_integer(w->free_gpus));
    json_put(row, "earlier_jobs_waiting", json_integer(w->ahead));
    json_put(row, "later_jobs_started",
             json_integer((json_int_t)w->later_starts));
    json_put(row, "later_jobs_gpus", json_integer((json_int_t)w->later_gpus));
    json_put(row, "later_jobs_gpu_h", json_number(gpu_hours(w->later_time)));
    if (!who)
        return;
    json_put(row, "later_jobs", json_integer(who->later_jobs));
    json_put(row, "held_gpu_h", json_number(gpu_hours(who->held)));
    put_top(row, "holders", "gpu_h", (double)SPAN_HOUR, &who->users, d, true);
    put_top(row, "holding_jobs", "gpu_h", (double)SPAN_HOUR, &who->jobs, d,
            false);
    put_top(row, "blocked_by", "seconds", (double)SPAN_SECOND, &who->blocks, d,
            false);
}

/* Appends to a line of at most `room` bytes. */
static void __attribute__((format(printf, 3, 4)))
append(char *line, size_t room, const char *fmt, ...)
{
    size_t n = strlen(line);
    va_list args;
    va_start(args, fmt);
    vsnprintf(line + n, room - n, fmt, args);
    va_end(args);
}

/* Prints the jobs that blocked the job, such as "; in front: job 7 (64 GPUs)
 * 2.1 h". */
static void name_blocks(char *line, size_t room, const struct verify_data *d,
                        const struct explain_top *blocks)
{
    char span[TABLE_SPAN_MAX];
    for (uint32_t i = 0; i < blocks->n; i++) {
        const struct verify_job *front = &d->jobs[blocks->at[i].who];
        append(line, room, "%sjob %.60s (%u GPU%s) %s",
               i ? ", " : "; in front: ", front->id, front->gpus,
               say_plural(front->gpus),
               table_span(span_seconds((sim_span)blocks->at[i].amount), span));
    }
    if (blocks->n_more)
        append(line, room, " and %u more", blocks->n_more);
}

static void print_reason(const struct verify_data *d, const struct waiting *w,
                         enum explain_reason reason,
                         const struct explain_who *who)
{
    char line[1024] = "", span[TABLE_SPAN_MAX];
    append(line, sizeof line, "    %s %s", explain_codes[reason],
           table_span(span_seconds(w->why->spans[reason]), span));
    if (reason == EXPLAIN_OVERTAKEN && who)
        append(line, sizeof line, " (%u job%s, %.4g GPU h)", who->later_jobs,
               say_plural(who->later_jobs), gpu_hours(w->later_time));
    append(line, sizeof line, ": %s", explain_helps[reason]);
    if (who && (reason == EXPLAIN_BLOCKED_BY || reason == EXPLAIN_RESERVED_FOR))
        name_blocks(line, sizeof line, d, &who->blocks);
    say(stdout, "%s", line);
}

/* Prints the reasons, the longest first. */
static void print_reasons(const struct verify_data *d, const struct waiting *w,
                          const struct explain_who *who)
{
    struct explain_reasons rest = *w->why;
    for (explain_reasons_rank(&rest); rest.main != EXPLAIN_NONE;
         explain_reasons_rank(&rest)) {
        print_reason(d, w, rest.main, who);
        rest.spans[rest.main] = 0;
    }
}

static void print_holders(const struct verify_data *d,
                          const struct explain_who *who)
{
    char line[1024] = "";
    for (uint32_t i = 0; i < who->users.n; i++) {
        const struct explain_share *s = &who->users.at[i];
        append(line, sizeof line, "%s%.60s (%u job%s, %.0f %%)", i ? ", " : "",
               interner_string(&d->users, s->who), s->n_jobs,
               say_plural(s->n_jobs),
               100 * (double)s->amount / (double)who->held);
    }
    if (who->held)
        say(stdout,
            "    meanwhile other jobs held %.4g GPU h of the GPUs that it "
            "could use%s%s",
            gpu_hours(who->held), who->users.n ? ", most of them users " : "",
            line);
    line[0] = '\0';
    for (uint32_t i = 0; i < who->jobs.n; i++) {
        const struct explain_share *s = &who->jobs.at[i];
        append(line, sizeof line, "%s%.60s (%.0f %%)", i ? ", " : "",
               d->jobs[s->who].id, 100 * (double)s->amount / (double)who->held);
    }
    if (who->jobs.n)
        say(stdout, "    most of them jobs %s", line);
}

static void print_waiting(const struct verify_data *d, const struct waiting *w,
                          uint32_t need, const struct explain_who *who)
{
    char span[TABLE_SPAN_MAX], at[EXPLAIN_TIME_MAX];
    say(stdout, "%s  waits %s%s%s", explain_time(w->from, at),
        table_span(span_seconds(w->to - w->from), span),
        w->to_profile ? " to be profiled" : "",
        w->started ? "" : ", and the job never starts");
    if (!w->to_profile && w->to > w->released)
        say(stdout,
            "    needs %u GPU%s; %u %s free in its virtual cluster, %u earlier "
            "job%s waited already",
            need, say_plural(need), w->free_gpus,
            w->free_gpus == 1 ? "was" : "were", w->ahead, say_plural(w->ahead));
    print_reasons(d, w, who);
    if (w->later_starts)
        say(stdout,
            "    meanwhile %" PRIu64 " start%s of jobs submitted later, on "
            "%" PRIu64 " GPU%s",
            w->later_starts, say_plural(w->later_starts), w->later_gpus,
            say_plural(w->later_gpus));
    if (who && !w->to_profile)
        print_holders(d, who);
}

/* Adds who else was profiled meanwhile, and how many GPUs are set aside or, if
 * none are, were lent at the end of the wait. */
static void tell_profiler(const struct verify_data *d, const struct waiting *w,
                          json_t *json)
{
    uint32_t n = 0, gpus = 0;
    for (size_t i = 0; i < d->n_attempts; i++) {
        const struct verify_attempt *a = &d->attempts[i];
        n += a->profiling && a->start < w->to && a->end > w->from;
    }
    for (size_t i = 0; i < d->n_nodes; i++)
        gpus += d->nodes[i].profiler ? d->nodes[i].gpus : 0;
    bool owns = gpus > 0;
    for (size_t i = 0; !owns && i < d->n_changes; i++) {
        const struct verify_change *change = &d->changes[i];
        if (change->kind >= NODE_LENT && change->at <= w->to)
            gpus += change->kind == NODE_LENT ? d->nodes[change->node].gpus
                                              : -d->nodes[change->node].gpus;
    }
    if (json) {
        json_t *all = json_object_get(json, "events");
        json_t *row = json_array_get(all, json_array_size(all) - 1);
        json_put(row, "profiled_meanwhile", json_integer(n));
        json_put(row, "profiler_gpus", json_integer(gpus));
        return;
    }
    say(stdout, "    meanwhile %u others were profiled; %u GPUs %s for that", n,
        gpus, owns ? "are set aside" : "were lent");
}

void explain_wait(const struct verify_data *d,
                  const struct explain_waits *waits,
                  const struct verify_job *job, const struct waiting *wait,
                  bool named, json_t *json)
{
    struct explain_who who;
    named &= !wait->to_profile;
    if (named)
        explain_who_of(d, waits, wait, job, &who);
    if (json)
        write_waiting(json, d, wait, named ? &who : NULL);
    else
        print_waiting(d, wait, job->gpus, named ? &who : NULL);
    if (wait->to_profile)
        tell_profiler(d, wait, json);
}

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
    struct verify_advice_reader reader = {dir, keep, advice, NULL};
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
    const char *many = say_plural(q->k);
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
