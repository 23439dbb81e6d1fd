/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Keeps the records of a sweep's runs in DIR/journal: log files of lines, each
 * with a checksum. A process appends a line when a run has ended, so that a
 * sweep which is killed at any moment loses only the runs in execution. A line
 * that was written in part is recognised and ignored. Each shard writes a log
 * of its own, which it locks; all logs are read. When a sweep is complete, its
 * logs are replaced by one, done.log, whose bytes depend only on what is in it.
 *
 * A record is found by the key of its run: a digest of the settings. It also
 * names the version of the program and the digests of the files that the run
 * read. */
#ifndef STUDY_JOURNAL_H
#define STUDY_JOURNAL_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/base/arena.h"
#include "sim/base/text.h"

enum { JOURNAL_KEY_MAX = 33, JOURNAL_FILES_MAX = 64 };

/* A file that a run read. */
struct journal_file {
    const char *path, *sha256;
};

struct journal_record {
    const char *key, *version;
    int status;          /* exit status of the run: 0, 4, or an error */
    const char *columns; /* names of the cells, with commas */
    const char *cells;   /* a line of CSV without its end */
    const struct journal_file *const *files;
    size_t n_files;
};

struct journal; /* an open journal; opaque */

/* Reads the logs of a sweep. `dir`: the directory of the sweep; NULL: nothing
 * is kept on the disk. Makes the directories that are missing; refuses a
 * directory that holds other files than a sweep. `writes`: false for a dry run,
 * which makes nothing. The caller owns *out. */
enum status journal_open(const char *dir, bool writes, struct journal **out,
                         struct error *err) MUST_USE;
void journal_close(struct journal *journal); /* accepts NULL */

/* Begins to append to the log NAME.log; refuses if another process appends to
 * that log. */
enum status journal_begin(struct journal *journal, const char *name,
                          struct error *err) MUST_USE;
/* Appends a record, whose texts are copied, and the seconds that the run took.
 * The line is on its way to the disk when the call returns, and is there after
 * journal_sync. */
enum status journal_add(struct journal *journal,
                        const struct journal_record *record, double seconds,
                        struct error *err) MUST_USE;
enum status journal_sync(struct journal *journal, struct error *err) MUST_USE;

/* Returns the last record of a key that was read or added; NULL: there is none.
 * The record of a failed run never replaces that of a run that did not fail. */
const struct journal_record *journal_find(const struct journal *journal,
                                          const char *key);
/* Returns the real time that the run with this key took, seconds; NaN: not
 * known. */
double journal_seconds(const struct journal *journal, const char *key);
/* Returns the number of damaged lines. A last line of a log that was cut off
 * does not count. */
uint64_t journal_n_damaged(const struct journal *journal);

/* Replaces a file of the sweep's directory, and removes temporary files that a
 * killed process left there. Does nothing if the sweep has no directory. */
struct out;
enum status journal_write_file(const struct journal *journal, const char *name,
                               struct out *bytes, struct error *err) MUST_USE;

/* Replaces all logs by done.log and writes DIR/seconds.csv. A log that another
 * process writes is left alone, and *busy is set to true. */
enum status journal_compact(struct journal *journal, bool *busy,
                            struct error *err) MUST_USE;

#endif
