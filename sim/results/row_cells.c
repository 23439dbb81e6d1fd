/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Cells that rows of jobs.csv and of attempts.csv have in common. */
#include "sim/results/row_internal.h"
#include <math.h>

char *row_put_symbol(struct row *row, char *at, uint32_t symbol)
{
    const struct interner *in = &row->run->jobset.strings;
    return symbol && symbol < in->n_strings
               ? row_put_name(row, at, NAME_STRING, symbol)
               : at;
}

char *cell_job_id(struct row *row, char *at)
{
    const struct job *job = row->facts->job;
    char buf[SOURCE_ID_MAX];
    if (job->source_id & SOURCE_ID_NUMBER)
        return digits_put(at, job->source_id & ~SOURCE_ID_NUMBER);
    return row_put_csv(
        row, at, text_from(jobset_source_id(&row->run->jobset, job, buf)));
}

char *cell_format(struct row *row, char *at)
{
    return row->run->jobset.format ? row_put_name(row, at, NAME_FORMAT, 0) : at;
}

char *cell_profile(struct row *row, char *at)
{
    return row_put_symbol(row, at, row->facts->job->model);
}

char *cell_requested_number(struct row *row, char *at)
{
    return digits_put(at, row->facts->job->gpus);
}

char *cell_requested_time(struct row *row, char *at)
{
    static const struct word none = WORD("-1");
    sim_span declared = row->facts->job->declared;
    return declared > 0 ? digits_put_span(at, declared) : put_word(at, &none);
}

char *cell_success(struct row *row, char *at)
{
    enum outcome o = row->facts->outcome;
    *at = o == OUTCOME_COMPLETED || o == OUTCOME_UNKNOWN ? '1' : '0';
    return at + 1;
}

char *cell_final_state(struct row *row, char *at)
{
    static const struct word words[OUTCOME_N] = {
        [OUTCOME_COMPLETED] = WORD("COMPLETED_SUCCESSFULLY"),
        [OUTCOME_UNKNOWN] = WORD("COMPLETED_SUCCESSFULLY"),
        [OUTCOME_FAILED] = WORD("COMPLETED_FAILED"),
        [OUTCOME_GIVEN_UP] = WORD("COMPLETED_FAILED"),
        [OUTCOME_CANCELLED] = WORD("COMPLETED_KILLED"),
        [OUTCOME_REJECTED] = WORD("REJECTED"),
        [OUTCOME_UNFINISHED] = WORD("UNFINISHED"),
    };
    return put_word(at, &words[row->facts->outcome]);
}

/* Writes a ratio with six decimals, which are more than readers need and take a
 * third of the time of an exact double. The exact times are in the same row. */
char *row_put_ratio(struct row *row, char *at, double value)
{
    if (value >= 0 && value < 1e9) {
        uint64_t millionths = (uint64_t)span_from_seconds(value);
        uint64_t whole = millionths / 1000000;
        at = digits_put(at, whole);
        /* A fraction of 0 is written too, because a branch would be
         * mispredicted. */
        return digits_put_millionths(at,
                                     (uint32_t)(millionths - whole * 1000000));
    }
    if (isnan(value))
        return at;
    row->out->len = (size_t)(at - row->out->buf);
    out_double(row->out, value);
    return out_reserve(row->out, ROW_BYTES);
}

char *cell_consumed_energy(struct row *row, char *at)
{
    static const struct word unknown = WORD("-1");
    (void)row;
    return put_word(at, &unknown);
}

char *cell_metadata(struct row *row, char *at)
{
    (void)row;
    return at;
}
