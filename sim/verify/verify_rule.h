/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The rules that columns declare (struct column in sim/results/columns.h),
 * checked in each row as it is read. */
#ifndef SIM_VERIFY_VERIFY_RULE_H
#define SIM_VERIFY_VERIFY_RULE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/rows.h"
#include "sim/results/columns.h"
#include "sim/verify/verify.h"

/* Columns that a file may have, one after the other. */
struct verify_table {
    const struct column *at; /* ends with a NULL name */
    size_t stride;           /* bytes from one column to the next */
    bool optional;           /* the file may lack all of these columns */
};
#define VERIFY_TABLE(columns) \
    { \
        .at = (const void *)(columns), .stride = sizeof *(columns) \
    }
#define VERIFY_OPTIONAL_TABLE(columns) \
    { \
        .at = (const void *)(columns), .stride = sizeof *(columns), \
        .optional = true \
    }

enum verify_form {
    VERIFY_TEXT,
    VERIFY_FLAG,
    VERIFY_COUNT,
    VERIFY_TIME,
    VERIFY_TIME_OR_NONE,
    VERIFY_SPAN,
    VERIFY_RATIO,
    VERIFY_SET,
    /* of JSON files only */
    VERIFY_NUMBER,
    VERIFY_SIGNED,
    VERIFY_SHARE,
    VERIFY_DIGEST,
    VERIFY_DATE,
    VERIFY_OBJECT,
    VERIFY_LIST,
    VERIFY_FORMS
};

struct verify_rule {
    enum verify_form form;
    bool may_be_empty; /* `?`, or a text */
    bool may_be_null, may_miss;
    enum verify_check {
        VERIFY_GIVEN,
        VERIFY_ALWAYS,
        VERIFY_ONE_OF,
        VERIFY_RISES,
        VERIFY_DIFFERENCE,
        VERIFY_QUOTIENT,
        VERIFY_AS,
        VERIFY_MANIFEST,
        VERIFY_LAW,
        VERIFY_BOUNDS
    } check;
    /* the column after `?`; the words after the check, or its columns A and
     * B */
    struct text with, of, other;
};

/* The parts of `verify` that compute columns again, each in the file
 * sim/verify/verify_NAME.c; ends with NULL. */
extern const char *const verify_laws[];

/* Understands a rule. Returns false if it is not in the vocabulary. */
bool verify_rule_read(const char *words, struct verify_rule *out);

/* Returns what messages call a form, such as "a whole number". */
const char *verify_form_words(enum verify_form form);

/* A number in a cell, as the form says; 0 for texts and empty cells. */
union verify_value {
    int64_t whole; /* flag, count, time in us */
    double ratio;
};

struct verify_rules; /* the rules of a file; opaque */

struct verify_csv;

/* Finds the rules of the columns of csv->tables that the header names. Unless
 * csv->any_columns, the header must have all columns of tables that are not
 * optional; otherwise some of all, in their order. STATUS_BROKEN if the header
 * has others. The caller calls verify_rules_free. */
enum status verify_rules_new(const struct rows *rows,
                             const struct verify_csv *csv,
                             struct verify_rules **out,
                             struct error *err) MUST_USE;
void verify_rules_free(struct verify_rules *rules); /* accepts NULL */

/* Checks a row and reports what breaks a rule. Returns the first cell that has
 * not its form, and then checks nothing; -1: none. */
int verify_rules_check(struct verify_rules *rules, const struct text *cells,
                       uint64_t line);
/* Says that a cell has not its form. Returns STATUS_BROKEN. */
enum status verify_rules_fail(const struct verify_rules *rules, int cell,
                              struct text is, struct error *err) MUST_USE;
/* The values of the last row that was checked, by cell. */
const union verify_value *verify_rules_values(const struct verify_rules *rules);

#endif
