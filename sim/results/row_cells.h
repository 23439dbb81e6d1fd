/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The cells that rows of jobs.csv and of attempts.csv have in common, and the
 * macros by which the two files turn their list of columns into the
 * descriptions of the columns and into the code that writes a row. The
 * functions are inline, because a row has up to 37 cells and a call costs as
 * much as most of them. */
#ifndef SIM_ROW_CELLS_H
#define SIM_ROW_CELLS_H

#include "sim/results/row_internal.h"

/* For a list of columns, X(name, unit, help): the description of a column, and
 * the call that writes its cell and a comma. */
#define ROW_COLUMN(name, unit, help) {#name, unit, help},
#define ROW_CELL(name, unit, help) \
    at = put_##name(row, at); \
    *at++ = ',';

/* Writes a string of the trace; nothing if the job has none. */
static inline char *put_symbol(struct row *row, char *at, uint32_t symbol)
{
    const struct interner *in = &row->run->jobset.strings;
    return symbol && symbol < in->n_strings
               ? row_put_name(row, at, NAME_STRING, symbol)
               : at;
}

/* Writes a ratio rounded to six decimals, or with all digits if it is negative
 * or at least 1e9. Six decimals are more than readers need, and an exact double
 * would take three times as long. The exact times are in the same row. Writes
 * nothing for NaN. */
static inline char *put_ratio(struct row *row, char *at, double value)
{
    if (!(value >= 0 && value < 1e9))
        return row_put_odd_ratio(row, at, value);
    /* A fraction of 0 is written by the same code, because a branch would be
     * mispredicted. */
    uint64_t millionths = (uint64_t)span_from_seconds(value);
    uint64_t whole = millionths / 1000000;
    at = digits_put(at, whole);
    return digits_put_millionths(at, (uint32_t)(millionths - whole * 1000000));
}

static inline char *put_flag(char *at, bool flag)
{
    *at = flag ? '1' : '0';
    return at + 1;
}

/* Writes a number that is below ten for most jobs. */
static inline char *put_small(char *at, uint64_t number)
{
    if (number >= 10)
        return digits_put(at, number);
    *at = (char)('0' + number);
    return at + 1;
}

static inline char *put_job_id(struct row *row, char *at)
{
    uint32_t id = row->facts->job->source_id;
    return id & SOURCE_ID_NUMBER ? digits_put(at, id & ~SOURCE_ID_NUMBER)
                                 : row_put_named_id(row, at);
}

static inline char *put_workload_name(struct row *row, char *at)
{
    return row->run->jobset.format ? row_put_name(row, at, NAME_FORMAT, 0) : at;
}

static inline char *put_profile(struct row *row, char *at)
{
    return put_symbol(row, at, row->facts->job->model);
}

static inline char *put_requested_number_of_resources(struct row *row, char *at)
{
    return put_small(at, row->facts->job->gpus);
}

static inline char *put_requested_time(struct row *row, char *at)
{
    sim_span declared = row->facts->job->declared;
    return declared > 0 ? digits_put_span(at, declared) : stpcpy(at, "-1");
}

/* Writes 1 if the job ran to its recorded end, which was neither a failure nor
 * a cancellation; otherwise 0. */
static inline char *put_success_of_job(const struct row *row, char *at)
{
    enum outcome o = row->facts->outcome;
    return put_flag(at, o == OUTCOME_COMPLETED || o == OUTCOME_UNKNOWN);
}

/* Writes how the job ended, in Batsim's words. */
static inline char *put_end_of_job(const struct row *row, char *at)
{
    static const char *const words[OUTCOME_N] = {
        [OUTCOME_COMPLETED] = "COMPLETED_SUCCESSFULLY",
        [OUTCOME_UNKNOWN] = "COMPLETED_SUCCESSFULLY",
        [OUTCOME_FAILED] = "COMPLETED_FAILED",
        [OUTCOME_GIVEN_UP] = "COMPLETED_FAILED",
        [OUTCOME_CANCELLED] = "COMPLETED_KILLED",
        [OUTCOME_REJECTED] = "REJECTED",
        [OUTCOME_UNFINISHED] = "UNFINISHED",
    };
    return stpcpy(at, words[row->facts->outcome]);
}

static inline char *put_consumed_energy(struct row *row, char *at)
{
    (void)row;
    return stpcpy(at, "-1");
}

static inline char *put_metadata(struct row *row, char *at)
{
    (void)row;
    return at;
}

#endif
