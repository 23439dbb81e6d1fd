/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `explain DIR`: says when and why one job or many waited. It reads only a
 * result directory, so it works for any policy. */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands/args.h"
#include "commands/cli.h"
#include "commands/explain_internal.h"
#include "commands/explain_reasons.h"
#include "commands/explain_waits.h"
#include "commands/terminal.h"

/* The jobs that the user asks for. */
struct explain_wish {
    struct arg_list jobs;
    const char *user;
    uint32_t worst; /* number of jobs to show, those with the longest queueing
                     * delays; 0: no limit */
    bool all;
};

/* Jobs, and why they waited. */
struct explain_many {
    const struct verify_data *data;
    struct explain_waits waits; /* of the jobs */
    bool named; /* true: who held the GPUs and who blocked is told too */
    const struct verify_job **jobs;
    struct explain_reasons *reasons; /* by place in `jobs` */
    size_t n;
};

const char *const explain_codes[] = {
#define EXPLAIN_CODE(name, code, help) code,
    EXPLAIN_REASONS(EXPLAIN_CODE)
#undef EXPLAIN_CODE
};

const char *const explain_helps[] = {
#define EXPLAIN_HELP(name, code, help) help,
    EXPLAIN_REASONS(EXPLAIN_HELP)
#undef EXPLAIN_HELP
};

void explain_reasons_rank(struct explain_reasons *reasons)
{
    reasons->main = EXPLAIN_NONE;
    for (unsigned r = 1; r < EXPLAIN_N_REASONS; r++) {
        if (reasons->spans[r] > reasons->spans[reasons->main])
            reasons->main = (enum explain_reason)r;
    }
}

static sim_span explain_reasons_sum(const struct explain_reasons *reasons)
{
    sim_span sum = 0;
    for (unsigned r = 0; r < EXPLAIN_N_REASONS; r++)
        sum += reasons->spans[r];
    return sum;
}

void explain_reasons_put(json_t *json, const struct explain_reasons *reasons)
{
    json_t *all = json_object();
    for (unsigned r = 1; r < EXPLAIN_N_REASONS; r++) {
        if (reasons->spans[r])
            json_put(all, explain_codes[r],
                     json_number(span_seconds(reasons->spans[r])));
    }
    json_put(json, "reason", json_text(explain_codes[reasons->main]));
    json_put(json, "reasons", all);
}

/* `explain` for many jobs: which jobs, in which order, and a row for each. */

/* Says that the result has no such job, and names up to three jobs whose ids
 * begin most like it, such as the tasks of an array job. */
static enum status no_job(const char *dir, const char *id,
                          const struct verify_data *d, struct error *err)
{
    size_t best = 0, n = 0;
    const char *near[3] = {0};
    for (size_t i = 0; i < d->n_jobs; i++) {
        size_t same = 0;
        while (id[same] && d->jobs[i].id[same] == id[same])
            same++;
        n = same > best ? 0 : n;
        best = same > best ? same : best;
        if (same == best && n < 3)
            near[n++] = d->jobs[i].id;
    }
    if (best == 0)
        return error_set(err, STATUS_USAGE, "%s: has no job '%.100s'", dir, id);
    char words[3 * 66] = "";
    for (size_t i = 0, len = 0; i < n; i++)
        len += (size_t)snprintf(words + len, sizeof words - len, "%s'%.60s'",
                                i ? ", " : "", near[i]);
    return error_set(err, STATUS_USAGE, "%s: has no job '%.100s'; nearest: %s",
                     dir, id, words);
}

static enum status find_named(const struct explain_wish *wish, const char *dir,
                              struct explain_many *out, struct error *err)
{
    const struct verify_data *d = out->data;
    for (size_t k = 0; k < wish->jobs.n; k++) {
        size_t i = 0;
        while (i < d->n_jobs && strcmp(d->jobs[i].id, wish->jobs.at[k]) != 0)
            i++;
        if (i == d->n_jobs)
            return no_job(dir, wish->jobs.at[k], d, err);
        out->jobs[out->n++] = &d->jobs[i];
    }
    return STATUS_OK;
}

/* Finds the symbol of the user with this name; 0 if `user` is NULL.
 * STATUS_USAGE if the result has no such user. */
static enum status find_user(const char *user, const char *dir,
                             const struct verify_data *d, uint32_t *out,
                             struct error *err)
{
    const char **names;
    *out = user ? interner_find(&d->users, text_from(user)) : 0;
    if (!user || (*out != UINT32_MAX && *out != 0))
        return STATUS_OK;
    names = mem_alloc((d->users.n_strings + 1) * sizeof *names);
    for (uint32_t s = 1; s < d->users.n_strings; s++)
        names[s - 1] = interner_string(&d->users, s);
    const char *near =
        text_nearest(text_from(user), names, d->users.n_strings - 1);
    enum status st =
        error_set(err, STATUS_USAGE, "%s: has no jobs of user '%.100s'%s", dir,
                  user, text_suggest(near).words);
    free(names);
    return st;
}

/* Measures the waits of the jobs. If they are few, lists also which jobs were
 * in front. */
static void measure(const struct explain_wish *wish,
                    const struct verify_failures *failures,
                    struct explain_many *out)
{
    const struct verify_data *d = out->data;
    uint32_t *asked = mem_alloc((out->n + 1) * sizeof *asked);
    for (size_t i = 0; i < out->n; i++)
        asked[i] = (uint32_t)(out->jobs[i] - d->jobs);
    out->named = wish->jobs.n || wish->worst;
    explain_waits_of(failures, asked, out->n, out->named, &out->waits);
    free(asked);
    out->reasons = mem_alloc((out->n + 1) * sizeof *out->reasons);
    for (size_t i = 0; i < out->n; i++)
        out->reasons[i] = explain_waits_sum(&out->waits, d, out->jobs[i]);
}

/* Finds the jobs: the named jobs, in the order given; without names, the jobs
 * of the user, or all jobs, in the order of submission. With `worst`, takes
 * only the jobs with the longest queueing delays, longest first. Measures why
 * each waited; of named jobs and of the longest delays also who was to blame.
 * STATUS_USAGE if a job or the user is not in the result. The
 * caller calls explain_many_fini, also after an error. */
static enum status explain_many_find(const struct explain_wish *wish,
                                     const char *dir,
                                     const struct verify_failures *failures,
                                     struct explain_many *out,
                                     struct error *err)
{
    const struct verify_data *d = failures->data;
    uint32_t user;
    size_t room = wish->jobs.n ? wish->jobs.n : d->n_jobs;
    room = wish->worst && wish->worst < room ? wish->worst : room;
    *out = (struct explain_many){
        .data = d, .jobs = mem_alloc((room + 1) * sizeof *out->jobs)};
    enum status st = find_user(wish->user, dir, d, &user, err);
    if (st == STATUS_OK && wish->jobs.n)
        st = find_named(wish, dir, out, err);
    if (st != STATUS_OK)
        return st;
    if (wish->worst) {
        uint32_t *longest = mem_alloc((room + 1) * sizeof *longest);
        out->n = explain_longest(d, user, room, longest);
        for (size_t i = 0; i < out->n; i++)
            out->jobs[i] = &d->jobs[longest[i]];
        free(longest);
    }
    for (size_t i = 0; i < d->n_jobs && !wish->jobs.n && !wish->worst; i++) {
        if (!user || d->jobs[i].user == user)
            out->jobs[out->n++] = &d->jobs[i];
    }
    measure(wish, failures, out);
    return STATUS_OK;
}

static void explain_many_fini(struct explain_many *many)
{
    explain_waits_fini(&many->waits);
    free(many->jobs);
    free(many->reasons);
}

/* Sums over the jobs. */
struct explain_all_sums {
    size_t n_waited, n_rejected;
    sim_span spans[EXPLAIN_N_REASONS], delay, whole;
};

static struct explain_all_sums add_up(const struct explain_many *many)
{
    struct explain_all_sums sums = {0};
    for (size_t i = 0; i < many->n; i++) {
        const struct explain_reasons *r = &many->reasons[i];
        sums.n_waited += many->jobs[i]->queue_delay > 0;
        sums.n_rejected += r->main == EXPLAIN_REJECTED;
        sums.delay += many->jobs[i]->queue_delay;
        for (unsigned k = 0; k < EXPLAIN_N_REASONS; k++) {
            sums.spans[k] += r->spans[k];
            sums.whole += r->spans[k];
        }
    }
    return sums;
}

static void print_sums(const struct explain_many *many)
{
    struct explain_all_sums sums = add_up(many);
    char span[TABLE_SPAN_MAX];
    printf("%zu of %zu jobs waited, %s in all", sums.n_waited, many->n,
           table_span(span_seconds(sums.delay), span));
    if (sums.n_rejected)
        printf("; %zu %s rejected", sums.n_rejected,
               sums.n_rejected == 1 ? "was" : "were");
    for (unsigned k = 1, any = 0; k < EXPLAIN_N_REASONS; k++) {
        if (sums.spans[k])
            printf("%s%s %.1f %%", any++ ? ", " : "\nwhy: ", explain_codes[k],
                   100 * (double)sums.spans[k] / (double)sums.whole);
    }
    putchar('\n');
}

/* Adds the main reason of a job, with who was to blame. */
static void add_reason(struct table *table, const struct explain_many *many,
                       size_t i)
{
    const struct verify_job *job = many->jobs[i], *front;
    const struct explain_waits *waits = &many->waits;
    const struct waiting *w = explain_waits_job(waits, many->data, job);
    enum explain_reason main = many->reasons[i].main;
    uint64_t starts = 0, gpu_time = 0;
    for (uint32_t k = 0; k <= job->n_attempts; k++) {
        starts += w[k].later_starts;
        gpu_time += w[k].later_time;
    }
    front = many->named &&
                    (main == EXPLAIN_BLOCKED_BY || main == EXPLAIN_RESERVED_FOR)
                ? explain_who_blocked(many->data, waits, job)
                : NULL;
    if (main == EXPLAIN_OVERTAKEN)
        table_add(table, "%s (%" PRIu64 " start%s, %.4g GPU h)",
                  explain_codes[main], starts, say_plural(starts),
                  (double)gpu_time / (double)SPAN_HOUR);
    else
        table_add(table, "%s%s%s", explain_codes[main], front ? " " : "",
                  front ? front->id : "");
}

/* Prints a row for each job that waited or was rejected, and the sums by
 * reason. */
static void explain_many_print(const struct explain_many *many)
{
    static const char *const heads[] = {"job",    "user",   "vc",    "GPUs",
                                        "waited", "reason", "of it", "outcome"};
    enum { COLUMNS = sizeof heads / sizeof *heads };
    const struct verify_data *d = many->data;
    struct table table;
    char span[TABLE_SPAN_MAX];
    size_t n = 0;
    table_init(&table, COLUMNS, 0xa7);
    for (size_t i = 0; i < COLUMNS; i++)
        table_add(&table, "%s", heads[i]);
    for (size_t i = 0; i < many->n; i++) {
        const struct verify_job *job = many->jobs[i];
        const struct explain_reasons *r = &many->reasons[i];
        if (r->main == EXPLAIN_NONE)
            continue;
        sim_span all = explain_reasons_sum(r);
        n++;
        table_add(&table, "%s", job->id);
        table_add(&table, "%s", interner_string(&d->users, job->user));
        table_add(&table, "%s", interner_string(&d->vcs, job->vc));
        table_add(&table, "%u", job->gpus);
        table_add(&table, "%s",
                  table_span(span_seconds(job->queue_delay), span));
        add_reason(&table, many, i);
        if (all > 0 && r->spans[r->main] > 0)
            table_add(&table, "%.0f %%",
                      100 * (double)r->spans[r->main] / (double)all);
        else
            table_add(&table, "-");
        table_add(&table, "%s", verify_outcomes[job->outcome]);
    }
    if (n)
        table_print(&table, stdout);
    table_fini(&table);
    print_sums(many);
}

/* Adds the members "n_jobs", "n_waited", "n_rejected", "queue_delay_s" and
 * "reasons". */
static void explain_many_put(json_t *json, const struct explain_many *many)
{
    struct explain_all_sums sums = add_up(many);
    json_t *reasons = json_object();
    for (unsigned k = 1; k < EXPLAIN_N_REASONS; k++) {
        if (sums.spans[k])
            json_put(reasons, explain_codes[k],
                     json_number(span_seconds(sums.spans[k])));
    }
    json_put(json, "n_jobs", json_integer((json_int_t)many->n));
    json_put(json, "n_waited", json_integer((json_int_t)sums.n_waited));
    json_put(json, "n_rejected", json_integer((json_int_t)sums.n_rejected));
    json_put(json, "queue_delay_s", json_number(span_seconds(sums.delay)));
    json_put(json, "reasons", reasons);
}

struct explain_input {
    struct cli_call call;
    const char *dir;
    struct explain_wish wish;
    bool json;
};

static const char *how_words(uint8_t how)
{
    switch (how) {
    case 's':
        return "stopped by the policy";
    case 'e':
        return "evicted by the monitor; it never shares GPUs again";
    case 'm':
        return "moved to other GPUs";
    case 'x':
        return "failed";
    case 'p':
        return "profiling over";
    case 'o':
        return "still running at the end of the run";
    default:
        return "finished";
    }
}

static void tell_attempt(const struct verify_data *d,
                         const struct verify_attempt *a, json_t *json)
{
    char span[TABLE_SPAN_MAX], at[EXPLAIN_TIME_MAX];
    uint32_t node = d->node_of[d->ranges[a->first_gpu_range].first];
    if (json) {
        json_t *row = explain_event(json, a->profiling ? "is profiled" : "runs",
                                    a->start, a->end);
        json_put(row, "gpus", json_integer(a->gpus));
        json_put(row, "first_node", json_integer(node));
        json_put(row, "end", json_text(how_words(a->how)));
        return;
    }
    say(stdout, "%s  %s on %u GPU%s of node %u%s, runs %s: %s",
        explain_time(a->start, at), a->profiling ? "is profiled" : "starts",
        a->gpus, say_plural(a->gpus), node,
        a->n_ranges > 1 ? " and others" : "",
        table_span(span_seconds(a->end - a->start), span), how_words(a->how));
}

static void tell_job(const struct verify_data *d, const struct verify_job *job,
                     json_t *json)
{
    char span[TABLE_SPAN_MAX], at[EXPLAIN_TIME_MAX];
    int64_t gpus = 0; /* of its virtual cluster, not set aside for profiling */
    for (size_t i = 0; i < d->n_nodes; i++)
        gpus += d->nodes[i].vc == job->vc && !d->nodes[i].profiler
                    ? d->nodes[i].gpus
                    : 0;
    gpus = d->merged ? 0 : gpus;
    for (size_t i = 0; i < d->n_quotas; i++) /* its quota, if there are any */
        gpus += d->quotas[i].vc == job->vc ? d->quotas[i].nominal : 0;
    const char *vc = interner_string(&d->vcs, job->vc);
    if (json) {
        json_put(json, "job", json_text(job->id));
        json_put(json, "gpus", json_integer(job->gpus));
        json_put(json, "vc", json_text(vc));
        json_put(json, "vc_gpus", json_integer(gpus));
        json_put(json, "duration_s", json_number(span_seconds(job->duration)));
        json_put(json, "submitted_s",
                 json_number(span_seconds(job->submitted)));
        json_put(json, "outcome", json_text(verify_outcomes[job->outcome]));
        json_put(json, "held_back_s",
                 json_number(span_seconds(d->told[job - d->jobs].held)));
        json_put(json, "events", json_array());
        return;
    }
    say(stdout, "job %s: %u GPU%s in %s (%" PRId64 " GPUs), runs %s, %s",
        job->id, job->gpus, say_plural(job->gpus), vc, gpus,
        table_span(span_seconds(job->duration), span),
        verify_outcomes[job->outcome]);
    say(stdout, "%s  submitted", explain_time(job->submitted, at));
}

/* Tells what happened to the job, in order of time. */
static void explain_job(const struct verify_failures *failures,
                        struct explain_advice *advice,
                        const struct explain_many *many,
                        const struct verify_job *job, json_t *json)
{
    const struct verify_data *d = failures->data;
    const struct waiting *waits = explain_waits_job(&many->waits, d, job);
    tell_job(d, job, json);
    for (uint32_t i = 0; i <= job->n_attempts; i++) {
        const struct verify_attempt *a = &d->attempts[job->first_attempt + i];
        const struct waiting *w = &waits[i];
        explain_questions(advice, w->from, json);
        if (w->to > w->from)
            explain_wait(d, &many->waits, job, w, many->named, json);
        explain_questions(advice, w->to, json);
        if (i == job->n_attempts)
            break;
        tell_attempt(d, a, json);
        if (a->how == 'x')
            explain_failure(failures, a, json);
        if (a->how == 'e')
            explain_eviction(advice, a, json);
    }
}

/* Explains job number `i` of `many`, with all of its events: prints them, or
 * adds them to `json` if that is not NULL. */
static enum status explain_one(const struct explain_input *input,
                               const struct verify_failures *failures,
                               struct explain_many *many, size_t i,
                               json_t *json, struct error *err)
{
    struct explain_advice advice = {0};
    const struct verify_job *job = many->jobs[i];
    enum status st =
        explain_advice_read(&advice, input->dir, many->data, job, err);
    if (st == STATUS_OK)
        explain_job(failures, &advice, many, job, json);
    if (st == STATUS_OK && json)
        explain_reasons_put(json, &many->reasons[i]);
    explain_advice_fini(&advice);
    return st;
}

static enum status write_json(json_t *json, struct error *err)
{
    struct out *out;
    enum status st = out_open("-", &out, err);
    if (st != STATUS_OK)
        return st;
    json_write(out, json);
    return out_close(out, err);
}

/* Writes the answer as JSON. For one named job: an object with its events.
 * Otherwise: an object with sums and a list with an object of this kind for
 * each job. */
static enum status explain_json(const struct explain_input *input,
                                const struct verify_failures *failures,
                                struct explain_many *many, struct error *err)
{
    json_t *root = json_object(), *jobs = json_array();
    bool one = input->wish.jobs.n == 1;
    enum status st = STATUS_OK;
    if (!one)
        explain_many_put(root, many);
    for (size_t i = 0; i < many->n && st == STATUS_OK; i++) {
        json_t *json = one ? json_incref(root) : json_object();
        st = explain_one(input, failures, many, i, json, err);
        if (one)
            json_decref(json);
        else
            json_array_append_new(jobs, json);
    }
    if (one)
        json_decref(jobs);
    else
        json_put(root, "jobs", jobs);
    if (st == STATUS_OK)
        st = write_json(root, err);
    json_decref(root);
    return st;
}

static enum status explain(const struct explain_input *input,
                           const struct verify_failures *failures,
                           struct explain_many *many, struct error *err)
{
    enum status st = STATUS_OK;
    if (input->json)
        return explain_json(input, failures, many, err);
    if (!input->wish.jobs.n)
        explain_many_print(many);
    for (size_t i = 0; i < many->n && st == STATUS_OK && input->wish.jobs.n;
         i++) {
        if (i)
            putchar('\n');
        st = explain_one(input, failures, many, i, NULL, err);
    }
    return st;
}

static enum status check_wish(const struct explain_wish *wish,
                              struct error *err)
{
    if (!wish->jobs.n && !wish->user && !wish->worst && !wish->all)
        return error_set(err, STATUS_USAGE,
                         "explain: which jobs? Give --job ID, --user NAME, "
                         "--worst N or --all");
    if (wish->jobs.n && (wish->user || wish->worst || wish->all))
        return error_set(err, STATUS_USAGE,
                         "explain: --job names its jobs; leave out --%s",
                         wish->user    ? "user"
                         : wish->worst ? "worst"
                                       : "all");
    return STATUS_OK;
}

/* Ignores violations in rows of failures.csv, because `verify` reports them. */
static void ignore(void *self, const char *words)
{
    (void)self;
    (void)words;
}

static enum status run(void *self, struct error *err)
{
    const struct explain_input *input = self;
    struct verify_data data;
    struct verify_report report = {.line = ignore};
    struct verify_failures failures;
    struct explain_many many = {0};
    enum status st = check_wish(&input->wish, err);
    if (st == STATUS_OK)
        st = verify_read(input->dir, VERIFY_COLUMNS_OF_WAITS, NULL, &data, err);
    if (st != STATUS_OK)
        return st;
    st = verify_failures_read(&failures, input->dir, &data, &report, err);
    if (st == STATUS_OK)
        st = explain_many_find(&input->wish, input->dir, &failures, &many, err);
    if (st == STATUS_OK)
        st = explain(input, &failures, &many, err);
    explain_many_fini(&many);
    verify_failures_fini(&failures);
    verify_data_fini(&data);
    return st;
}

static const struct arg explain_args[] = {
    TAKE_WORD(struct explain_input, dir, "DIR", "result directory"),
    TAKE_LIST(struct explain_input, wish.jobs, "job", "ID",
              "a job, by its job_id in jobs.csv; may be given more than once",
              .often = true),
    TAKE_TEXT(struct explain_input, wish.user, "user", "NAME",
              "the jobs of this user", .often = true),
    TAKE_U32(struct explain_input, wish.worst, "worst", "N",
             "the N jobs, or jobs of --user, with the longest queueing delays",
             .lo = 1, .hi = 1e9, .often = true),
    TAKE_FLAG(struct explain_input, wish.all, "all", "all jobs"),
    TAKE_FLAG(struct explain_input, json, "json", "print JSON", .letter = 'j',
              .often = true),
    {0},
};

#define REASON_LINE(name, code, help) code ": " help "; "

const struct command command_explain = {
    .name = "explain",
    .summary = "say when and why jobs of a result waited",
    .about = "Says when jobs of a result waited, and why: all events of jobs "
             "that --job names, otherwise a row for each job that waited.",
    .notes =
        "The reasons, of which each moment of a wait has one: " EXPLAIN_REASONS(
            REASON_LINE) "in JSON each job has `reason`, the "
                         "longest, and `reasons`, the seconds of each. --job "
                         "and --worst "
                         "also name who held the GPUs and which jobs stood in "
                         "front.",
    .parts = {{.rows = explain_args}},
    .input_size = sizeof(struct explain_input),
    .run = run,
    .examples = "explain results --job 17\n"
                "explain results --job 17 --job 18 --json\n"
                "explain results --worst 10\n"
                "explain results --user anna --json",
};
