/* SPDX-License-Identifier: GPL-3.0-or-later */
/* advice.csv, and the part `advice` of summary.json. */
#include "sim/results/advice.h"

#include <math.h>
#include <stdlib.h>

#include "base/json.h"
#include "base/out.h"
#include "sim/results/statistics.h"

const char *advice_module_name(enum advice_module module)
{
    static const char *const names[ADVICE_MODULES] = {
        [ADVICE_ADVISOR] = "advisor",
        [ADVICE_TRACKER] = "tracker",
        [ADVICE_HANDLER] = "handler",
    };
    return names[module];
}

const char *advice_basis_name(enum advice_basis basis)
{
    static const char *const names[ADVICE_BASES] = {
        [ADVICE_WAITS] = "waits",
        [ADVICE_NOTHING] = "nothing",
        [ADVICE_RESUBMISSION] = "resubmission",
        [ADVICE_SIMILAR] = "similar",
        [ADVICE_LAW] = "law",
        [ADVICE_READ] = "read",
    };
    return names[basis];
}

bool advice_exists(const struct run_result *run)
{
    return run->ledger.station.servers > 0;
}

#define ADVICE_CELL(name) \
    static void name(struct out *out, const struct run_result *run, \
                     const struct advice_line *line)

ADVICE_CELL(advice_put_job)
{
    char id[SOURCE_ID_MAX];
    out_csv(out, text_from(jobset_source_id(&run->jobset, line->job, id)));
}

ADVICE_CELL(put_asked)
{
    (void)run;
    out_span(out, (sim_time)line->row->asked);
}

ADVICE_CELL(put_begun)
{
    (void)run;
    out_span(out, advice_begun(line->row));
}

ADVICE_CELL(put_answered)
{
    (void)run;
    out_span(out, advice_answered(line->row));
}

ADVICE_CELL(put_server)
{
    (void)run;
    if (line->row->server != ADVICE_NO_SERVER)
        out_u64(out, line->row->server);
}

ADVICE_CELL(put_module)
{
    (void)run;
    out_text(out, advice_module_name((enum advice_module)line->row->module));
}

ADVICE_CELL(put_basis)
{
    (void)run;
    out_text(out, advice_basis_name((enum advice_basis)line->row->basis));
}

ADVICE_CELL(put_k)
{
    (void)run;
    out_u64(out, line->row->k);
}

ADVICE_CELL(put_tokens_in)
{
    (void)run;
    out_u64(out, line->tokens.in);
}

ADVICE_CELL(put_tokens_out)
{
    (void)run;
    out_u64(out, line->tokens.out);
}

ADVICE_CELL(put_counted)
{
    (void)run;
    out_u64(out, line->counted);
}

const struct advice_column advice_columns[] = {
    {{"job_id", "", "text, bounds advice",
      "job that the question is about, as in jobs.csv"},
     advice_put_job},
    {{"asked_s", "s", "time, law advice", "time of the question"}, put_asked},
    {{"begun_s", "s", "time, law advice",
      "time at which a server began to work on it; the question that was asked "
      "first is served first"},
     put_begun},
    {{"answered_s", "s", "time, bounds advice",
      "time of the answer, which may be after the end of the run"},
     put_answered},
    {{"server", "", "count?, law advice",
      "number of the server that worked on it, from 0: the one that was free "
      "first, of several the one with the lowest number; empty: the language "
      "model was not asked"},
     put_server},
    {{"module", "", "text, law advice", "advisor, tracker or handler"},
     put_module},
    {{"basis", "", "text, law advice",
      "what the answer rests on: resubmission (the user's earlier runs of the "
      "job), similar (completed jobs of the kind), law (a law of errors, "
      "because "
      "the trace names no kinds), read (a "
      "log), nothing (the layers below answer); waits: the run ended before "
      "the answer"},
     put_basis},
    {{"k", "", "count, law advice",
      "number of jobs or logs that the answer rests on"},
     put_k},
    {{"tokens_in", "", "count, law advice", "tokens that the model read"},
     put_tokens_in},
    {{"tokens_out", "", "count, law advice", "tokens that the model wrote"},
     put_tokens_out},
    {{"counted", "", "flag, law advice",
      "1: the tokens of this question were counted; 0: they are what "
      "`--schedmate` assumes for its module (advisor_tokens, tracker_tokens, "
      "handler_tokens, answer_tokens)"},
     put_counted},
    {{NULL, NULL, NULL, NULL}, NULL},
};

void report_advice(struct out *out, struct results results)
{
    const struct run_result *run = results.run;
    for (const struct advice_column *c = advice_columns; c->put; c++) {
        out_text(out, c == advice_columns ? "" : ",");
        out_text(out, c->column.name);
    }
    out_char(out, '\n');
    for (uint32_t i = 0; i < run->ledger.n_advices; i++) {
        struct advice_line line = {.row = &run->ledger.advices[i]};
        line.job = &run->jobset.jobs[line.row->job];
        line.tokens = ledger_tokens(&run->ledger, i, &line.counted);
        for (const struct advice_column *c = advice_columns; c->put; c++) {
            if (c != advice_columns)
                out_char(out, ',');
            c->put(out, run, &line);
        }
        out_char(out, '\n');
    }
}

/* The part `advice` of summary.json. */

/* Returns the number of rows of the advisor whose answer came before the run
 * ended. */
static double settled(const struct advice_summary *s)
{
    uint64_t n = 0;
    for (unsigned b = 0; b < ADVICE_BASES; b++)
        n += b == ADVICE_WAITS ? 0 : s->by_basis[b];
    return (double)n;
}

static double advice_k_mean(const void *part)
{
    const struct advice_summary *s = part;
    return scalar_ratio((double)s->k_sum,
                        (double)(s->by_basis[ADVICE_RESUBMISSION] +
                                 s->by_basis[ADVICE_SIMILAR]));
}

static double advice_resubmission_share(const void *part)
{
    const struct advice_summary *s = part;
    return scalar_ratio((double)s->by_basis[ADVICE_RESUBMISSION], settled(s));
}

static double advice_similar_share(const void *part)
{
    const struct advice_summary *s = part;
    return scalar_ratio((double)s->by_basis[ADVICE_SIMILAR], settled(s));
}

static double advice_law_share(const void *part)
{
    const struct advice_summary *s = part;
    return scalar_ratio((double)s->by_basis[ADVICE_LAW], settled(s));
}

static double advice_nothing_share(const void *part)
{
    const struct advice_summary *s = part;
    return scalar_ratio((double)s->by_basis[ADVICE_NOTHING], settled(s));
}

static double advice_delay_p99(const void *part)
{
    const struct advice_summary *s = part;
    return s->questions ? s->delay_p99 : NAN;
}

static double advice_per_hour(const void *part)
{
    const struct advice_summary *s = part;
    double span = (double)(s->last_answered - s->first_asked);
    return scalar_ratio((double)s->questions * (double)SPAN_HOUR, span);
}

static double advice_capacity(const void *part)
{
    const struct advice_summary *s = part;
    return scalar_ratio((double)s->questions * s->servers * (double)SPAN_HOUR,
                        (double)s->service);
}

static gpu_time summary_whole(const struct advice_summary *s)
{
    return (gpu_time)s->servers * s->end;
}

static double advice_idle(const void *part)
{
    const struct advice_summary *s = part;
    return (double)(summary_whole(s) - s->busy) / (double)SPAN_HOUR;
}

static double advice_utilisation(const void *part)
{
    const struct advice_summary *s = part;
    return scalar_ratio((double)s->busy, (double)summary_whole(s));
}

const struct scalar advice_scalars[] = {
    {{"questions", "", "count, law advice", "questions to the language model"},
     SCALAR_FIELD(struct advice_summary, questions)},
    {{"unasked", "jobs", "count, law advice",
      "jobs about which the model was not asked: the advisor knew them from "
      "the "
      "user's earlier runs, or knew nothing of what they submitted "
      "(fidelity=replay)"},
     SCALAR_FIELD(struct advice_summary, unasked)},
    {{"resubmission_share", "", "share or null, law advice",
      "jobs answered from the user's earlier runs of the job / all jobs about "
      "which the advisor has answered"},
     .compute = advice_resubmission_share},
    {{"similar_share", "", "share or null, law advice",
      "jobs answered from completed jobs of the kind / all jobs about which "
      "the "
      "advisor has answered"},
     .compute = advice_similar_share},
    {{"law_share", "", "share or null, law advice",
      "jobs answered by a law of errors / all jobs about which the advisor has "
      "answered"},
     .compute = advice_law_share},
    {{"nothing_share", "", "share or null, law advice",
      "jobs for which nothing was found / all jobs about which the advisor has "
      "answered"},
     .compute = advice_nothing_share},
    {{"k_mean", "jobs", "number or null, law advice",
      "ended jobs that an answer from the user's earlier runs or from jobs of "
      "the kind rests on, mean"},
     .compute = advice_k_mean},
    {{"wait_mean_s", "s", "time or null, law advice",
      "question until a server began to work on it, mean"},
     SCALAR_TIME_RATIO(struct advice_summary, wait_sum, SPAN_SECOND,
                       questions)},
    {{"delay_mean_s", "s", "time or null, law advice",
      "question until its answer, mean"},
     SCALAR_TIME_RATIO(struct advice_summary, delay_sum, SPAN_SECOND,
                       questions)},
    {{"delay_p99_s", "s", "time or null, law advice",
      "99th percentile of these delays, nearest rank"},
     .compute = advice_delay_p99},
    {{"per_hour", "1/h", "number or null, law advice",
      "questions / time from the first question to the last answer"},
     .compute = advice_per_hour},
    {{"capacity_per_hour", "1/h", "number or null, law advice",
      "questions that all servers together answer in an hour of work"},
     .compute = advice_capacity},
    {{"tokens_in", "", "count, law advice", "tokens that the model read"},
     SCALAR_FIELD(struct advice_summary, tokens_in)},
    {{"tokens_out", "", "count, law advice", "tokens that the model wrote"},
     SCALAR_FIELD(struct advice_summary, tokens_out)},
    {{"counted", "", "count, law advice",
      "questions whose tokens were counted; those of the others are assumed "
      "(`--schedmate`)"},
     SCALAR_FIELD(struct advice_summary, counted)},
    {{"servers", "", "count, law advice",
      "servers of the language model, one GPU each"},
     SCALAR_FIELD(struct advice_summary, servers)},
    {{"cluster_gpus", "GPUs", "count, law advice",
      "GPUs of the described cluster that serve the model and run no jobs; 0: "
      "it is served outside the cluster"},
     SCALAR_FIELD(struct advice_summary, gpus)},
    {{"busy_gpu_hours", "GPU h", "number, law advice",
      "time for which servers worked, within the makespan"},
     SCALAR_TIME(struct advice_summary, busy, SPAN_HOUR)},
    {{"idle_gpu_hours", "GPU h", "number, law advice",
      "servers x makespan - busy_gpu_hours"},
     .compute = advice_idle},
    {{"utilisation", "", "share or null, law advice",
      "busy_gpu_hours / (servers x makespan)"},
     .compute = advice_utilisation},
    {.column = {.name = NULL}},
};

const struct column advice_groupings[] = {
    {.name = "by_module",
     .unit = "",
     .rule = "object, law advice",
     .help = "questions by module: advisor, tracker, handler"},
    {.name = "by_basis",
     .unit = "jobs",
     .rule = "object, law advice",
     .help = "jobs about which the advisor was asked, by the basis of its "
             "answer as in advice.csv"},
    {.name = NULL},
};

/* Returns the length of the part of [from, to) that lies before `end`. */
static sim_span summary_before(sim_time from, sim_time to, sim_time end)
{
    if (to > end)
        to = end;
    return to > from ? to - from : 0;
}

static void summary_add_question(struct advice_summary *s,
                                 const struct advice_row *row)
{
    sim_time asked = (sim_time)row->asked, answered = advice_answered(row);
    if (s->questions++ == 0)
        s->first_asked = asked;
    if (answered > s->last_answered)
        s->last_answered = answered;
    s->by_module[row->module]++;
    s->wait_sum += (double)row->waited;
    s->delay_sum += (double)(answered - asked);
    s->service += row->service;
    s->busy += summary_before(advice_begun(row), answered, s->end);
}

static double summary_p99_of(const struct ledger *ledger, uint64_t questions)
{
    static const double percent = 99;
    double *delays = mem_alloc((questions + 1) * sizeof *delays), p99;
    size_t n = 0;
    for (size_t i = 0; i < ledger->n_advices; i++) {
        const struct advice_row *row = &ledger->advices[i];
        if (row->server != ADVICE_NO_SERVER)
            delays[n++] = span_seconds((sim_span)(row->waited + row->service));
    }
    stats_percentiles(delays, n, &percent, 1, &p99);
    free(delays);
    return p99;
}

void advice_summary_init(struct advice_summary *s,
                         const struct results *results)
{
    const struct ledger *ledger = &results->run->ledger;
    *s = (struct advice_summary){
        .any = true,
        .servers = ledger->station.servers,
        .gpus = ledger->station.gpus,
        .end = results->meter->last_end,
    };
    for (uint32_t i = 0; i < ledger->n_advices; i++) {
        const struct advice_row *row = &ledger->advices[i];
        bool counted;
        struct advice_tokens tokens = ledger_tokens(ledger, i, &counted);
        s->tokens_in += tokens.in;
        s->tokens_out += tokens.out;
        if (row->module == ADVICE_ADVISOR) {
            s->by_basis[row->basis]++;
            s->k_sum += row->k;
        }
        if (row->server == ADVICE_NO_SERVER) {
            s->unasked++;
            continue;
        }
        s->counted += counted;
        summary_add_question(s, row);
    }
    if (s->questions)
        s->delay_p99 = summary_p99_of(ledger, s->questions);
}

void report_advice_summary(struct json_stream *js,
                           const struct advice_summary *s)
{
    json_stream_object(js, "advice");
    report_scalars(js, advice_scalars, s);
    json_stream_object(js, advice_groupings[0].name);
    for (unsigned m = 0; m < ADVICE_MODULES; m++)
        json_stream_whole(js, advice_module_name((enum advice_module)m),
                          (int64_t)s->by_module[m]);
    json_stream_object_end(js);
    json_stream_object(js, advice_groupings[1].name);
    for (unsigned b = 0; b < ADVICE_BASES; b++) {
        if (s->by_basis[b])
            json_stream_whole(js, advice_basis_name((enum advice_basis)b),
                              (int64_t)s->by_basis[b]);
    }
    json_stream_object_end(js);
    json_stream_object_end(js);
}
