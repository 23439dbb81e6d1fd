/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/cli/replay.h"

#include <stdlib.h>

#include "sim/cli/progress_line.h"
#include "sim/results/series.h"

enum status replay_run(const struct run_config *config,
                       const struct replay_options *options, struct replay *out,
                       struct error *err)
{
    struct progress_line line;
    struct series series;
    *out = (struct replay){0};
    enum status st = run_prepare(config, &out->run, err);
    if (st != STATUS_OK)
        return st;
    struct run_result *result = run_result(out->run);
    gauge_init(&out->gauge, &result->cluster, result->workload.n_jobs);
    if (options->series) {
        /* The series is attached before the gauge, because a sample shows the
         * state before a job moves. */
        series_init(&series, &out->gauge, options->series, options->interval);
        ledger_read_by(&result->ledger, series_reader(&series));
    }
    ledger_read_by(&result->ledger, gauge_reader(&out->gauge));
    bool shares = result->cluster.share_limit > 1;
    if (shares) {
        company_init(&out->company, &result->cluster, result->workload.n_jobs);
        ledger_read_by(&result->ledger, company_reader(&out->company));
    }
    if (options->decisions)
        run_log_decisions(out->run, options->decisions);
    progress_line_init(&line, stderr, options->label, result->workload.n_jobs);
    if (options->progress)
        run_on_instant(out->run, progress_line_instant, &line);
    st = run_execute(out->run, err);
    progress_line_fini(&line);
    if (st != STATUS_OK && st != STATUS_INCOMPLETE) {
        replay_fini(out);
        return st;
    }
    gauge_close(&out->gauge, result->ledger.last);
    if (shares)
        company_close(&out->company, &result->ledger, result->ledger.last);
    if (options->series)
        series_close(&series, result->ledger.last);
    out->results = results_of(result, &out->gauge);
    out->results.company = shares ? &out->company : NULL;
    return st;
}

void replay_fini(struct replay *replay)
{
    if (!replay->run)
        return;
    gauge_fini(&replay->gauge);
    company_fini(&replay->company);
    run_free(replay->run);
    replay->run = NULL;
}
