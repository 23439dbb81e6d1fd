/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The columns of advice.csv, one per row of the table below. */
#include "base/out.h"
#include "sim/results/advice.h"

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

#define CELL(name) \
    static void name(struct out *out, const struct run_result *run, \
                     const struct advice_line *line)

CELL(put_job)
{
    char id[SOURCE_ID_MAX];
    out_csv(out, text_from(jobset_source_id(&run->jobset, line->job, id)));
}

CELL(put_asked)
{
    (void)run;
    out_span(out, (sim_time)line->row->asked);
}

CELL(put_begun)
{
    (void)run;
    out_span(out, advice_begun(line->row));
}

CELL(put_answered)
{
    (void)run;
    out_span(out, advice_answered(line->row));
}

CELL(put_server)
{
    (void)run;
    if (line->row->server != ADVICE_NO_SERVER)
        out_u64(out, line->row->server);
}

CELL(put_module)
{
    (void)run;
    out_text(out, advice_module_name((enum advice_module)line->row->module));
}

CELL(put_basis)
{
    (void)run;
    out_text(out, advice_basis_name((enum advice_basis)line->row->basis));
}

CELL(put_k)
{
    (void)run;
    out_u64(out, line->row->k);
}

CELL(put_tokens_in)
{
    (void)run;
    out_u64(out, line->tokens.in);
}

CELL(put_tokens_out)
{
    (void)run;
    out_u64(out, line->tokens.out);
}

CELL(put_counted)
{
    (void)run;
    out_u64(out, line->counted);
}

const struct advice_column advice_columns[] = {
    {{"job_id", "", "job that the question is about, as in jobs.csv"}, put_job},
    {{"asked_s", "s", "time of the question"}, put_asked},
    {{"begun_s", "s",
      "time at which a server began to work on it; the question that was asked "
      "first is served first"},
     put_begun},
    {{"answered_s", "s",
      "time of the answer, which may be after the end of the run"},
     put_answered},
    {{"server", "",
      "number of the server that worked on it, from 0: the one that was free "
      "first, of several the one with the lowest number; empty: the language "
      "model was not asked"},
     put_server},
    {{"module", "", "advisor, tracker or handler"}, put_module},
    {{"basis", "",
      "what the answer rests on: resubmission (the user's earlier runs of the "
      "job), similar (completed jobs of the kind), law (a law of errors, "
      "because "
      "the trace names no kinds), read (a "
      "log), nothing (the layers below answer); waits: the run ended before "
      "the answer"},
     put_basis},
    {{"k", "", "number of jobs or logs that the answer rests on"}, put_k},
    {{"tokens_in", "", "tokens that the model read"}, put_tokens_in},
    {{"tokens_out", "", "tokens that the model wrote"}, put_tokens_out},
    {{"counted", "",
      "1: the tokens of this question were counted; 0: they are what "
      "`--schedmate` assumes for its module (advisor_tokens, tracker_tokens, "
      "handler_tokens, answer_tokens)"},
     put_counted},
    {{NULL, NULL, NULL}, NULL},
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
