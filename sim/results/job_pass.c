/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/results/job_pass.h"

#include "sim/results/row_internal.h"

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
        row_init(&job_row, jobs, &reader, job_columns_of(results.run));
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
        deadlines_add(&summary->deadlines, results.run, &facts);
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
