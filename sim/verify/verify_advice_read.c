/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads advice.csv. */
#include <limits.h>
#include <stdio.h>

#include "sim/results/advice.h"
#include "sim/verify/verify_advice.h"
#include "sim/verify/verify_csv.h"

const char *const verify_module_names[VERIFY_MODULES] = {
    [ADVISOR] = "advisor", [TRACKER] = "tracker", [HANDLER] = "handler"};
const char *const verify_basis_names[VERIFY_BASES] = {
    [BASIS_WAITS] = "waits",
    [BASIS_NOTHING] = "nothing",
    [BASIS_RESUBMISSION] = "resubmission",
    [BASIS_SIMILAR] = "similar",
    [BASIS_LAW] = "law",
    [BASIS_READ] = "read",
};

#define ADVICE_CELLS(X) \
    X(ADVICE_CELL_JOB, "job_id") \
    X(ADVICE_CELL_ASKED, "asked_s") \
    X(ADVICE_CELL_BEGUN, "begun_s") \
    X(ADVICE_CELL_ANSWERED, "answered_s") \
    X(ADVICE_CELL_SERVER, "server") \
    X(ADVICE_CELL_MODULE, "module") \
    X(ADVICE_CELL_BASIS, "basis") \
    X(ADVICE_CELL_K, "k") \
    X(ADVICE_CELL_IN, "tokens_in") \
    X(ADVICE_CELL_OUT, "tokens_out") \
    X(ADVICE_CELL_COUNTED, "counted")
#define VERIFY_ADVICE_READ_CELL_ENUM(name, words) name,
#define VERIFY_ADVICE_READ_CELL_NAME(name, words) words,
enum advice_cell { ADVICE_CELLS(VERIFY_ADVICE_READ_CELL_ENUM) ADVICE_N_CELLS };
static const char *const verify_advice_read_cell_names[] = {
    ADVICE_CELLS(VERIFY_ADVICE_READ_CELL_NAME)};

static uint32_t word_of(struct text word, const char *const *words, uint32_t n)
{
    uint32_t i = 0;
    while (i < n && !text_is(word, words[i]))
        i++;
    return i;
}

static void advice_read_row(struct verify_csv *csv, void *self)
{
    const struct verify_advice_reader *reader = self;
    const struct verify_question q = {
        .id = verify_csv_cell(csv, ADVICE_CELL_JOB),
        .line = csv->line,
        .asked = verify_csv_span(csv, ADVICE_CELL_ASKED),
        .begun = verify_csv_span(csv, ADVICE_CELL_BEGUN),
        .answered = verify_csv_span(csv, ADVICE_CELL_ANSWERED),
        .server = verify_csv_cell(csv, ADVICE_CELL_SERVER).len
                      ? verify_csv_count(csv, ADVICE_CELL_SERVER)
                      : VERIFY_NO_SERVER,
        .module = word_of(verify_csv_cell(csv, ADVICE_CELL_MODULE),
                          verify_module_names, VERIFY_MODULES),
        .basis = word_of(verify_csv_cell(csv, ADVICE_CELL_BASIS),
                         verify_basis_names, VERIFY_BASES),
        .k = verify_csv_count(csv, ADVICE_CELL_K),
        .tokens_in = verify_csv_count(csv, ADVICE_CELL_IN),
        .tokens_out = verify_csv_count(csv, ADVICE_CELL_OUT),
        .counted = verify_csv_flag(csv, ADVICE_CELL_COUNTED),
    };
    if (csv->st == STATUS_OK)
        reader->row(reader->self, &q);
}

enum status verify_advice_read(struct verify_advice_reader *reader,
                               struct error *err)
{
    char path[PATH_MAX];
    static const struct verify_table tables[] = {VERIFY_TABLE(advice_columns),
                                                 {0}};
    struct verify_csv csv = {.path = path,
                             .tables = reader->report ? tables : NULL,
                             .report = reader->report,
                             .names = verify_advice_read_cell_names,
                             .n_names = ADVICE_N_CELLS,
                             .row = advice_read_row,
                             .self = reader,
                             .err = err};
    snprintf(path, sizeof path, "%s/advice.csv", reader->dir);
    return verify_csv_read(&csv);
}

bool verify_advice_exists(const struct verify_data *data)
{
    return json_object_get(json_object_get(data->manifest, "outputs"),
                           "advice.csv") != NULL;
}
