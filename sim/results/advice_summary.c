/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The part `advice` of summary.json. */
#include <math.h>
#include <stdlib.h>

#include "base/json.h"
#include "sim/results/advice.h"
#include "sim/results/statistics.h"

static double summary_ratio(double part, double whole)
{
    return whole > 0 ? part / whole : NAN;
}

static double of_questions(const struct advice_summary *s)
{
    return (double)s->questions;
}

/* Returns the number of rows of the advisor whose answer came before the run
 * ended. */
static double settled(const struct advice_summary *s)
{
    uint64_t n = 0;
    for (unsigned b = 0; b < ADVICE_BASES; b++)
        n += b == ADVICE_WAITS ? 0 : s->by_basis[b];
    return (double)n;
}

static double of_unasked(const struct advice_summary *s)
{
    return (double)s->unasked;
}

static double of_k(const struct advice_summary *s)
{
    return summary_ratio((double)s->k_sum,
                         (double)(s->by_basis[ADVICE_RESUBMISSION] +
                                  s->by_basis[ADVICE_SIMILAR]));
}

static double of_resubmission(const struct advice_summary *s)
{
    return summary_ratio((double)s->by_basis[ADVICE_RESUBMISSION], settled(s));
}

static double of_similar(const struct advice_summary *s)
{
    return summary_ratio((double)s->by_basis[ADVICE_SIMILAR], settled(s));
}

static double of_law(const struct advice_summary *s)
{
    return summary_ratio((double)s->by_basis[ADVICE_LAW], settled(s));
}

static double of_nothing(const struct advice_summary *s)
{
    return summary_ratio((double)s->by_basis[ADVICE_NOTHING], settled(s));
}

static double summary_of_wait(const struct advice_summary *s)
{
    return summary_ratio(s->wait_sum / (double)SPAN_SECOND,
                         (double)s->questions);
}

static double summary_of_delay(const struct advice_summary *s)
{
    return summary_ratio(s->delay_sum / (double)SPAN_SECOND,
                         (double)s->questions);
}

static double of_delay_p99(const struct advice_summary *s)
{
    return s->questions ? s->delay_p99 : NAN;
}

static double of_per_hour(const struct advice_summary *s)
{
    double span = (double)(s->last_answered - s->first_asked);
    return summary_ratio((double)s->questions * (double)SPAN_HOUR, span);
}

static double of_capacity(const struct advice_summary *s)
{
    return summary_ratio((double)s->questions * s->servers * (double)SPAN_HOUR,
                         (double)s->service);
}

static double of_tokens_in(const struct advice_summary *s)
{
    return (double)s->tokens_in;
}

static double of_tokens_out(const struct advice_summary *s)
{
    return (double)s->tokens_out;
}

static double of_counted(const struct advice_summary *s)
{
    return (double)s->counted;
}

static double of_servers(const struct advice_summary *s)
{
    return s->servers;
}

static double summary_of_gpus(const struct advice_summary *s)
{
    return s->gpus;
}

static double summary_of_busy(const struct advice_summary *s)
{
    return (double)s->busy / (double)SPAN_HOUR;
}

static gpu_time summary_whole(const struct advice_summary *s)
{
    return (gpu_time)s->servers * s->end;
}

static double summary_of_idle(const struct advice_summary *s)
{
    return (double)(summary_whole(s) - s->busy) / (double)SPAN_HOUR;
}

static double of_utilisation(const struct advice_summary *s)
{
    return summary_ratio((double)s->busy, (double)summary_whole(s));
}

const struct advice_scalar advice_scalars[] = {
    {{"questions", "", "questions to the language model"}, of_questions},
    {{"unasked", "jobs",
      "jobs about which the model was not asked: the advisor knew them from "
      "the "
      "user's earlier runs, or knew nothing of what they submitted "
      "(fidelity=replay)"},
     of_unasked},
    {{"resubmission_share", "",
      "jobs answered from the user's earlier runs of the job / all jobs about "
      "which the advisor has answered"},
     of_resubmission},
    {{"similar_share", "",
      "jobs answered from completed jobs of the kind / all jobs about which "
      "the "
      "advisor has answered"},
     of_similar},
    {{"law_share", "",
      "jobs answered by a law of errors / all jobs about which the advisor has "
      "answered"},
     of_law},
    {{"nothing_share", "",
      "jobs for which nothing was found / all jobs about which the advisor has "
      "answered"},
     of_nothing},
    {{"k_mean", "jobs",
      "ended jobs that an answer from the user's earlier runs or from jobs of "
      "the kind rests on, mean"},
     of_k},
    {{"wait_mean_s", "s", "question until a server began to work on it, mean"},
     summary_of_wait},
    {{"delay_mean_s", "s", "question until its answer, mean"},
     summary_of_delay},
    {{"delay_p99_s", "s", "99th percentile of these delays, nearest rank"},
     of_delay_p99},
    {{"per_hour", "1/h",
      "questions / time from the first question to the last answer"},
     of_per_hour},
    {{"capacity_per_hour", "1/h",
      "questions that all servers together answer in an hour of work"},
     of_capacity},
    {{"tokens_in", "", "tokens that the model read"}, of_tokens_in},
    {{"tokens_out", "", "tokens that the model wrote"}, of_tokens_out},
    {{"counted", "",
      "questions whose tokens were counted; those of the others are assumed "
      "(`--schedmate`)"},
     of_counted},
    {{"servers", "", "servers of the language model, one GPU each"},
     of_servers},
    {{"cluster_gpus", "GPUs",
      "GPUs of the described cluster that serve the model and run no jobs; 0: "
      "it is served outside the cluster"},
     summary_of_gpus},
    {{"busy_gpu_hours", "GPU h",
      "time for which servers worked, within the makespan"},
     summary_of_busy},
    {{"idle_gpu_hours", "GPU h", "servers x makespan - busy_gpu_hours"},
     summary_of_idle},
    {{"utilisation", "", "busy_gpu_hours / (servers x makespan)"},
     of_utilisation},
    {{NULL, NULL, NULL}, NULL},
};

const struct column advice_groupings[] = {
    {.name = "by_module",
     .unit = "",
     .help = "questions by module: advisor, tracker, handler"},
    {.name = "by_basis",
     .unit = "jobs",
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
    for (const struct advice_scalar *row = advice_scalars; row->of; row++)
        json_stream_number(js, row->column.name, row->of(s));
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
