/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Keeps the answers of a program in a file, so that a run can be repeated
 * without the program. Each line is {"asked":"HASH","answer":ANSWER}. HASH is
 * the hash of the question, so a record never answers a question that was not
 * recorded. */
#ifndef OUTSIDE_RECORD_H
#define OUTSIDE_RECORD_H

#include "base/out.h"

struct record;

/* Opens a new record; the file appears when record_close is called. Returns the
 * error of out_open. */
enum status record_write(const char *path, struct record **out,
                         struct error *err) MUST_USE;
/* Opens a record to give its answers again. Returns STATUS_BAD_INPUT if the
 * file cannot be opened. */
enum status record_read(const char *path, struct record **out,
                        struct error *err) MUST_USE;
/* Adds an answer, which is one line of JSON. */
void record_add(struct record *record, struct text question,
                struct text answer);
/* Returns the next answer, valid until the next call. Returns STATUS_BAD_INPUT
 * if the record has no more answers, its next answer is to another question, or
 * its next line is not one of a record. */
enum status record_next(struct record *record, struct text question,
                        struct text *answer, struct error *err) MUST_USE;
/* Returns the number of answers that record_next has not returned yet, and
 * reads past them; 0 for a new record. */
uint64_t record_rest(struct record *record);
/* Writes the file, if the record is new, and frees the record. Returns the
 * error of out_close. */
enum status record_close(struct record *record, struct error *err) MUST_USE;
/* Frees the record and leaves no file. Accepts NULL. */
void record_free(struct record *record);

#endif
