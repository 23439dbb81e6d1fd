/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "commands/replay.h"

#include <stdlib.h>

#include "commands/progress_line.h"
#include "commands/run_model.h"

/* Opens the language model and makes the run. */
static enum status prepare(const struct run_config *config, struct replay *out,
                           struct error *err)
{
    struct run_config own = *config;
    *out = (struct replay){0};
    enum status st = run_model_open(&own, &out->model, err);
    if (st == STATUS_OK)
        st = run_prepare(&own, &out->run, err);
    if (st != STATUS_OK)
        backend_free(out->model);
    return st;
}

enum status replay_open(const struct run_config *config,
                        const struct replay_options *options,
                        struct replay *out, struct error *err)
{
    enum status st = prepare(config, out, err);
    if (st != STATUS_OK)
        return st;
    struct run_result *result = run_result(out->run);
    if (options->timeline && options->timeline->wanted)
        st = timeline_open(&out->timeline, options->timeline, result, err);
    if (st != STATUS_OK) {
        run_free(out->run);
        backend_free(out->model);
        *out = (struct replay){0};
        return st;
    }
    meter_init(&out->meter, &result->cluster, result->jobset.n_jobs);
    if (options->series) {
        /* The series reads the state from the meter. A sample shows the state
         * before a job moves, so the series must see each move before the
         * meter. */
        series_init(&out->series, &out->meter, options->series,
                    options->interval);
        out->has_series = true;
        ledger_read_by(&result->ledger, series_reader(&out->series));
    }
    for (unsigned k = 0; k < SERIES_SPLITS; k++) {
        if (!options->series_by[k])
            continue;
        series_by_init(&out->series_by[k], (enum series_split)k, &out->meter,
                       &result->cluster, options->series_by[k],
                       options->interval);
        ledger_read_by(&result->ledger, series_by_reader(&out->series_by[k]));
    }
    ledger_read_by(&result->ledger, meter_reader(&out->meter));
    alone_init(&out->alone, &result->ledger, result->jobset.n_jobs);
    ledger_read_by(&result->ledger, alone_reader(&out->alone));
    if (result->cluster.share_limit > 1) {
        coloc_init(&out->coloc, &result->cluster, result->jobset.n_jobs);
        ledger_read_by(&result->ledger, coloc_reader(&out->coloc));
    }
    if (options->decisions)
        run_log_decisions(out->run, options->decisions);
    return STATUS_OK;
}

void replay_close(struct replay *replay)
{
    struct run_result *result = run_result(replay->run);
    bool shares = result->cluster.share_limit > 1;
    meter_close(&replay->meter, result->ledger.last);
    if (shares)
        coloc_close(&replay->coloc, &result->ledger, result->ledger.last);
    if (replay->has_series)
        series_close(&replay->series, result->ledger.last);
    for (unsigned k = 0; k < SERIES_SPLITS; k++) {
        if (replay->series_by[k].out)
            series_by_close(&replay->series_by[k], result->ledger.last);
    }
    replay->results = results_of(result, &replay->meter);
    replay->results.alone = &replay->alone;
    if (replay->timeline.wish.wanted) {
        timeline_close(&replay->timeline);
        replay->results.timeline = &replay->timeline;
    }
    replay->results.coloc = shares ? &replay->coloc : NULL;
}

enum status replay_run(const struct run_config *config,
                       const struct replay_options *options, struct replay *out,
                       struct error *err)
{
    struct progress_line line;
    enum status st = replay_open(config, options, out, err);
    if (st != STATUS_OK)
        return st;
    progress_line_init(&line, stderr, options->label,
                       run_result(out->run)->jobset.n_jobs);
    if (options->progress)
        run_on_instant(out->run, progress_line_instant, &line);
    st = run_execute(out->run, err);
    progress_line_fini(&line);
    if (st == STATUS_OK || st == STATUS_INCOMPLETE)
        replay_close(out);
    else
        replay_fini(out);
    return st;
}

void replay_fini(struct replay *replay)
{
    if (!replay->run)
        return;
    for (unsigned k = 0; k < SERIES_SPLITS; k++)
        series_by_fini(&replay->series_by[k]);
    meter_fini(&replay->meter);
    coloc_fini(&replay->coloc);
    alone_fini(&replay->alone);
    timeline_fini(&replay->timeline);
    run_free(replay->run);
    backend_free(replay->model);
    replay->run = NULL;
}
