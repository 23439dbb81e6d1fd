/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes the files of a run into its result directory, in a fixed order. */
#include "sim/results/report.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/json.h"
#include "sim/results/failures.h"
#include "sim/results/manifest.h"
#include "sim/results/row.h"

/* Writes summary.json: what was run, the remarks, the outcomes, the metrics
 * overall and by group, and a part for each feature that the run used, such as
 * profiling. */

static void packing(struct json_stream *js, const struct run_result *run,
                    const struct packing *p);

static void report_distribution(struct json_stream *js, const char *key,
                                const struct distribution *d)
{
    const double values[] = {(double)d->count, d->mean, d->mean_lo,
                             d->mean_hi,       d->p50,  d->p90,
                             d->p95,           d->p99,  d->max};
    json_stream_object(js, key);
    for (size_t i = 0; distribution_columns[i].name; i++) {
        if (i > 0 && d->count == 0)
            break;
        json_stream_number(js, distribution_columns[i].name, values[i]);
    }
    if (d->lack)
        json_stream_text(js, lack_columns[0].name,
                         interval_lack_words[d->lack]);
    json_stream_object_end(js);
}

static void report_group_of(struct json_stream *js, const char *key,
                            const struct totals *totals,
                            const struct distribution *of,
                            const struct summary *summary, bool whole)
{
    char name[EXTRAS_NAME_MAX];
    json_stream_object(js, key);
    if (whole)
        report_scalars(js, run_scalars, summary);
    report_scalars(js, scalars, totals);
    for (size_t i = 0; i < summary->extras.n_over; i++)
        json_stream_number(js, extras_over_name(summary->extras.over[i], name),
                           totals->counted ? (double)totals->over[i] /
                                                 (double)totals->counted
                                           : NAN);
    if (whole && summary->extras.by_user) {
        json_stream_number(js, jain_columns[0].name, summary->jain_users);
        json_stream_number(js, jain_columns[1].name, summary->jain_rho);
    }
    for (size_t m = 0; metrics[m].column.name; m++) {
        if (whole || metrics[m].grouped)
            report_distribution(js, metrics[m].column.name, &of[m]);
    }
    json_stream_object_end(js);
}

void report_metrics(struct json_stream *js, const struct summary *summary)
{
    report_group_of(js, "metrics", &summary->totals, summary->of, summary,
                    true);
}

static void outcomes(struct json_stream *js, const struct totals *totals)
{
    json_stream_object(js, "outcomes");
    for (unsigned i = 0; i < OUTCOME_N; i++) {
        if (totals->outcome[i])
            json_stream_whole(js, outcome_name((enum outcome)i),
                              (int64_t)totals->outcome[i]);
    }
    json_stream_object_end(js);
}

static void profiling(struct json_stream *js, const struct profiling *p)
{
    json_stream_object(js, "profiling");
    report_scalars(js, profiling_scalars, p);
    json_stream_object_end(js);
}

/* Writes a row of usage as text, such as "ResNet50 64 amp"; "unknown" for row
 * 0. */
static void usage_text(struct json_stream *js, const char *key,
                       const struct run_result *run, uint16_t number)
{
    char batch[16] = "", words[256] = "unknown";
    const struct usage *p = number ? &run->usage.rows[number] : NULL;
    if (p && p->batch_size)
        snprintf(batch, sizeof batch, " %u", p->batch_size);
    if (p)
        snprintf(words, sizeof words, "%.200s%s%s", p->model, batch,
                 p->amp > 0 ? " amp" : "");
    json_stream_text(js, key, words);
}

static void pairs(struct json_stream *js, const struct run_result *run,
                  const struct packing *p)
{
    const struct coloc_pair *rows[PACKING_PAIRS];
    size_t n = packing_pairs(p, rows);
    json_stream_array(js, "pairs");
    for (size_t i = 0; i < n; i++) {
        double time = (double)rows[i]->time;
        json_stream_object(js, NULL);
        usage_text(js, pair_columns[0].name, run, rows[i]->usage);
        usage_text(js, pair_columns[1].name, run, rows[i]->beside);
        json_stream_number(js, pair_columns[2].name, time / (double)SPAN_HOUR);
        json_stream_number(js, pair_columns[3].name, rows[i]->work / time);
        json_stream_object_end(js);
    }
    json_stream_array_end(js);
}

static void packing(struct json_stream *js, const struct run_result *run,
                    const struct packing *p)
{
    double whole = (double)coloc_time(p->coloc);
    json_stream_object(js, "packing");
    report_scalars(js, packing_scalars, p);
    json_stream_object(js, "by_pace");
    for (size_t i = 0; i < SPEED_N && whole > 0; i++)
        json_stream_number(js, speed_columns[i].name,
                           (double)p->coloc->of_speed[i] / whole);
    json_stream_object_end(js);
    pairs(js, run, p);
    json_stream_object_end(js);
}

static void elastic(struct json_stream *js, const struct elastic *e)
{
    json_stream_object(js, "elastic");
    report_scalars(js, elastic_scalars, e);
    json_stream_object_end(js);
}

static void report_counts(struct json_stream *js, const struct run_result *run)
{
    json_stream_object(js, "counts");
    for (size_t i = 0; i < run->n_counts; i++)
        json_stream_whole(js, run->counts[i].name,
                          (int64_t)run->counts[i].value);
    json_stream_object_end(js);
}

static void groups_by(struct json_stream *js, const struct summary *summary,
                      unsigned by)
{
    if ((by == GROUP_TYPE && !summary->extras.by_type) ||
        (by == GROUP_USER && !summary->extras.by_user))
        return;
    json_stream_object(js, grouping_columns[by].name);
    for (size_t g = 0; g < summary->n_groups[by]; g++) {
        const struct group *group = &summary->groups[by][g];
        if (group->totals.jobs)
            report_group_of(js, group->name, &group->totals, group->of, summary,
                            false);
    }
    json_stream_object_end(js);
}

void report_remarks(struct json_stream *js, const struct remarks *remarks)
{
    json_stream_array(js, "remarks");
    for (size_t i = 0; i < remarks->count; i++)
        json_stream_text(js, NULL, remarks->at[i].text);
    json_stream_array_end(js);
    json_stream_array(js, "remark_ranks");
    for (size_t i = 0; i < remarks->count; i++)
        json_stream_text(js, NULL, remark_rank_words[remarks->at[i].rank]);
    json_stream_array_end(js);
}

enum { KNOWLEDGE_ANSWERED = 4 };

const struct column knowledge_columns[] = {
    {.name = "run_times",
     .unit = "",
     .rule = "text?, bounds knowledge",
     .help = "on what the beliefs about run times rest that the policy asked "
             "for, with the estimators: `oracle` (the truth), `learned: "
             "ga2m,history`, `declared`, `file`, `errors: noisy; oracle`; "
             "layers asked first are first. Missing if it asked for none"},
    {.name = "demand",
     .unit = "",
     .rule = "text?, bounds knowledge",
     .help = "the same of the demand on GPUs: `trace: workload`, `profiled`"},
    {.name = "mark",
     .unit = "",
     .rule = "text?, law knowledge",
     .help =
         "only if beliefs came from the truth: `oracle, an upper bound`, or "
         "`truth with errors` that were drawn around it. Tables and "
         "figures put it beside the name of the policy"},
    {.name = "words",
     .unit = "",
     .rule = "text, bounds knowledge",
     .help = "all of it for people"},
    [KNOWLEDGE_ANSWERED] = {.name = "answered",
                            .unit = "",
                            .rule = "share?, bounds knowledge",
                            .help = "share of the jobs whose run time the "
                                    "policy asked for that got an answer, "
                                    "0..1"},
    {.name = NULL},
};

void report_knowledge(struct json_stream *js, const struct knowledge *k)
{
    const char *const texts[KNOWLEDGE_ANSWERED] = {k->run_times, k->demand,
                                                   k->mark, k->words};
    if (!k->words)
        return;
    json_stream_object(js, "knowledge");
    for (size_t i = 0; i < KNOWLEDGE_ANSWERED; i++) {
        if (texts[i])
            json_stream_text(js, knowledge_columns[i].name, texts[i]);
    }
    if (k->run_times)
        json_stream_number(js, knowledge_columns[KNOWLEDGE_ANSWERED].name,
                           k->answered);
    json_stream_object_end(js);
}

void report_summary(struct out *out, struct results results,
                    const struct summary *summary)
{
    const struct run_result *run = results.run;
    struct json_stream stream = json_stream_to(out), *js = &stream;
    json_stream_object(js, NULL);
    json_stream_text(js, "policy", run->policy);
    json_stream_text(js, "placer", run->placer);
    json_stream_text(js, "rules", run->conventions);
    json_stream_text(js, "cluster", run->cluster_name);
    json_stream_text(js, "format", run->jobset.format);
    identity_write(js, run);
    json_stream_bool(js, "complete", run->n_unfinished == 0);
    json_stream_whole(js, "unfinished", run->n_unfinished);
    if (run->n_unfinished) {
        json_stream_text(js, "unfinished_why", run->unfinished);
        json_stream_number(js, "finished_share",
                           summary_finished_share(&summary->totals));
    }
    report_knowledge(js, &run->knowledge);
    report_remarks(js, &run->remarks);
    outcomes(js, &summary->totals);
    report_metrics(js, summary);
    if (summary->profiling.any)
        profiling(js, &summary->profiling);
    if (summary->packing.coloc)
        packing(js, run, &summary->packing);
    if (summary->elastic.any)
        elastic(js, &summary->elastic);
    if (summary->failures.any)
        report_failure_summary(js, &summary->failures);
    if (summary->evictions.any)
        report_evictions(js, &summary->evictions);
    if (summary->deadlines.jobs)
        report_deadlines(js, &summary->deadlines);
    if (run->n_spot)
        report_classes(js, &summary->classes);
    if (summary->advice.any)
        report_advice_summary(js, &summary->advice);
    if (summary->failures.any || summary->evictions.any || summary->advice.any)
        report_gpu_time(js, &summary->gpu_time);
    if (run->n_counts)
        report_counts(js, run);
    for (unsigned by = 0; by < GROUPINGS; by++)
        groups_by(js, summary, by);
    json_stream_object_end(js);
    json_stream_end(js);
}

/* first_stage.csv: the attempts of the side run (run_env.side_run), one per
 * row, in the order of their starts. */

static void report_put_gpus(struct out *out, const struct run_result *run,
                            const struct gpu_slice *slices, uint32_t n)
{
    const char *blank = "";
    for (uint32_t i = 0; i < n; i++) {
        const struct node *node = &run->cluster.nodes[slices[i].node];
        for (struct gpu_walk w = gpu_walk(node->first_gpu, slices[i].mask);
             gpu_walk_next(&w); blank = " ")
            out_printf(out, "%s%" PRIu32, blank, w.gpu);
    }
}

/* Writes the attempts of the side run; run_result.side_run must not be NULL. */
static void report_side_run(struct out *out, const struct run_result *run)
{
    const struct ledger *side = run->side_run;
    struct gpu_slice *slices = NULL;
    size_t room = 0;
    char id[SOURCE_ID_MAX];
    out_text(out, "job_id,starting_time,finish_time,ended,gpus\n");
    for (size_t i = 0; i < side->n_attempts; i++) {
        const struct attempt *a = &side->attempts[i];
        uint32_t n = ledger_where(side, a, slices, (uint32_t)room);
        slices = mem_grow(slices, &room, n, sizeof *slices);
        ledger_where(side, a, slices, n);
        out_csv(out, text_from(jobset_source_id(
                         &run->jobset, &run->jobset.jobs[a->job], id)));
        out_char(out, ',');
        out_span(out, a->start);
        out_char(out, ',');
        if (a->end != TIME_NEVER)
            out_span(out, a->end);
        out_text(out, a->how == LEDGER_FINISHED ? ",1," : ",0,");
        report_put_gpus(out, run, slices, n);
        out_char(out, '\n');
    }
    free(slices);
}

void job_pass(struct out *jobs, struct out *attempts, struct results results,
              struct summary *summary)
{
    struct facts_reader reader;
    struct facts facts;
    struct values values;
    struct row job_row, attempt_row;
    facts_reader_init(&reader, results);
    summary_init(summary, &results);
    values_init(&values, results.run);
    if (jobs)
        row_init_jobs(&job_row, jobs, &reader);
    if (attempts)
        row_init(&attempt_row, attempts, &reader, attempt_columns);
    for (job_id id = 0; id < results.run->jobset.n_jobs; id++) {
        facts_read(&reader, id, &facts);
        struct text head = {0};
        if (jobs)
            head = row_write_job(&job_row, &facts);
        if (attempts)
            row_write_attempts(&attempt_row, &facts, head);
        summary_add(summary, &facts);
        gpu_time_add(&summary->gpu_time, &results, &facts);
        if (results.run->jobset.terms)
            deadlines_add(&summary->deadlines, results.run, &facts);
        if (results.run->n_spot)
            classes_add(&summary->classes, &results, &facts);
        values_add(&values, &facts);
    }
    if (jobs)
        row_fini(&job_row);
    if (attempts)
        row_fini(&attempt_row);
    summary_describe(summary, &values, &results);
    values_fini(&values);
    facts_reader_fini(&reader);
}

/* Writes jobs.csv and, in the same pass, attempts.csv if `with_attempts`. */
static enum status write_jobs(struct result_dir *dir, struct results results,
                              struct summary *summary, bool with_attempts,
                              struct error *err)
{
    struct out *jobs, *attempts = NULL;
    enum status st = result_dir_file(dir, RESULT_JOBS, &jobs, err);
    if (st == STATUS_OK && with_attempts)
        st = result_dir_file(dir, RESULT_ATTEMPTS, &attempts, err);
    if (st != STATUS_OK)
        return st;
    job_pass(jobs, attempts, results, summary);
    st = result_dir_seal(dir, RESULT_ATTEMPTS, err);
    return st == STATUS_OK ? result_dir_seal(dir, RESULT_JOBS, err) : st;
}

/* Writes the content of one file. Does nothing for a file that has been written
 * already. */
static void fill_file(struct out *out, enum result_file file,
                      struct results results, const struct summary *summary,
                      const struct result_dir *dir)
{
    switch ((int)file) {
    case RESULT_FAILURES:
        report_failures(out, results);
        break;
    case RESULT_ADVICE:
        report_advice(out, results);
        break;
    case RESULT_SUMMARY:
        report_summary(out, results, summary);
        break;
    case RESULT_FIRST_STAGE:
        report_side_run(out, results.run);
        break;
    case RESULT_TIMELINE_GZIP:
        out_gzip(out);
        report_timeline(out, results);
        break;
    case RESULT_TIMELINE:
        report_timeline(out, results);
        break;
    case RESULT_MANIFEST:
        report_manifest(out, results, dir);
        break;
    default: /* write_jobs wrote jobs and attempts; series and decisions were
              * written while the simulation ran */
        break;
    }
}

/* Writes one file and closes it before the next is opened, so that the files
 * can use the same memory for their buffers. */
static enum status report_write_file(struct result_dir *dir,
                                     enum result_file file,
                                     struct results results,
                                     const struct summary *summary,
                                     struct error *err)
{
    struct out *out;
    enum status st = result_dir_file(dir, file, &out, err);
    if (st != STATUS_OK)
        return st;
    fill_file(out, file, results, summary, dir);
    return result_dir_seal(dir, file, err);
}

enum status report_write(struct result_dir *dir, struct results results,
                         struct summary *summary, struct report_wishes wishes,
                         struct error *err)
{
    const struct {
        enum result_file file;
        bool wanted;
    } files[] = {
        {RESULT_FAILURES, failure_rows_exist(results.run)},
        {RESULT_ADVICE, advice_exists(results.run)},
        {RESULT_SUMMARY, true},
        {RESULT_FIRST_STAGE, results.run->side_run},
        {RESULT_TIMELINE, wishes.timeline.wanted && !wishes.timeline.gzip},
        {RESULT_TIMELINE_GZIP, wishes.timeline.wanted && wishes.timeline.gzip},
        {RESULT_MANIFEST, true},
    };
    /* The manifest holds the digests of all other files, so these are closed
     * first. */
    static const enum result_file done[] = {
        RESULT_SERIES, RESULT_SERIES_VC, RESULT_SERIES_TYPE, RESULT_DECISIONS};
    enum status st = STATUS_OK;
    results.columns = wishes.columns.columns ? &wishes.columns : NULL;
    for (size_t i = 0; i < sizeof done / sizeof *done && st == STATUS_OK; i++)
        st = result_dir_seal(dir, done[i], err);
    if (st == STATUS_OK)
        st = write_jobs(dir, results, summary,
                        wishes.attempts || attempts_say_more(results.run), err);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        if (st == STATUS_OK && files[i].wanted)
            st = report_write_file(dir, files[i].file, results, summary, err);
    }
    return st;
}
