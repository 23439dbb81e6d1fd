/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "commands/run_report.h"

#include "base/check.h"
#include "commands/run_model.h"
#include "sim/results/job_pass.h"

static enum status simulate(struct run_report *report, struct result_dir *dir,
                            struct error *err)
{
    const struct run_config *config = &report->options->config;
    struct replay_options options = {
        .progress = report->progress,
        .label = config->policy ? config->policy : "fifo",
        .interval = report->provenance.interval,
        .timeline = &report->wishes.timeline,
    };
    enum status st = STATUS_OK;
    if (dir)
        st = result_dir_file(dir, RESULT_SERIES, &options.series, err);
    for (unsigned k = 0; k < SERIES_SPLITS && dir; k++) {
        if (st == STATUS_OK && report->series_by[k])
            st = result_dir_file(dir, k ? RESULT_SERIES_TYPE : RESULT_SERIES_VC,
                                 &options.series_by[k], err);
    }
    if (st == STATUS_OK && report->decisions)
        st = result_dir_file(dir, RESULT_DECISIONS, &options.decisions, err);
    if (st != STATUS_OK)
        return st;
    return replay_run(config, &options, &report->replay, err);
}

/* Copies the options that the user gave to the provenance, so that `rerun` can
 * repeat them. */
static void tell_options(struct run_report *report)
{
    struct provenance *p = &report->provenance;
    p->trace = report->options->config.trace;
    for (size_t i = 0; run_args[i].name; i++) {
        CHECK(p->n_options < PROVENANCE_OPTIONS_MAX);
        if (report->options->given[i])
            p->options[p->n_options++] = (struct provenance_option){
                run_args[i].name, report->options->given[i]};
    }
}

enum status run_report_make(struct run_report *report, struct result_dir *dir,
                            struct error *err)
{
    enum status done = simulate(report, dir, err), st = STATUS_OK;
    if (done != STATUS_OK && done != STATUS_INCOMPLETE) {
        result_dir_abandon(dir);
        return done;
    }
    struct results *results = &report->replay.results;
    tell_options(report);
    report->provenance.timeline = &report->wishes.timeline;
    run_model_account(report->replay.model, &report->provenance.model);
    results->provenance = &report->provenance;
    if (!dir) {
        job_pass(NULL, NULL, *results, &report->summary);
        return done;
    }
    st = report_write(dir, *results, &report->summary, report->wishes, err);
    if (st == STATUS_OK)
        st = result_dir_commit(dir, err);
    else
        result_dir_abandon(dir);
    return st == STATUS_OK ? done : st;
}

void run_report_fini(struct run_report *report)
{
    summary_fini(&report->summary);
    replay_fini(&report->replay);
}
