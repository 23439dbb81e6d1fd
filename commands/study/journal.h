/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Keeps the records of a sweep's runs in DIR/journal: log files of lines, each
 * with a checksum. A process appends lines when a run has ended, so that a
 * sweep which is killed at any moment loses only the runs in execution. A line
 * that was written in part is recognised and ignored. Each shard writes a log
 * of its own, which it locks; all logs are read. When a sweep is complete, its
 * logs are replaced by one, done.log, whose bytes depend only on the records.
 *
 * A record is found by the key of its run: a digest of the settings. It also
 * names the version of the program and the digests of the files that the run
 * read. */
#ifndef STUDY_JOURNAL_H
#define STUDY_JOURNAL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/text.h"

enum { JOURNAL_KEY_MAX = 33, JOURNAL_FILES_MAX = 64 };

/* A file that a run read. */
struct journal_file {
    const char *path, *sha256;
};

struct journal_record {
    const char *key, *version;
    int status; /* exit status of the run; 4: some job did not finish */
    const char *columns; /* names of the cells, with commas between them */
    const char *cells;   /* a line of CSV without its end */
    const struct journal_file *const *files;
    size_t n_files;
};

struct journal; /* an open journal; opaque */

/* Reads the logs of a sweep. `dir`: the directory of the sweep; NULL: nothing
 * is kept on the disk. Makes the directories that are missing. Returns
 * STATUS_USAGE if the directory holds files but no journal, or if the path is
 * empty or too long; STATUS_FAILED if a directory cannot be made or a log
 * cannot be read. `writes`: false for a dry run, which makes no directories.
 * The caller owns *out, which is set only on success. */
enum status journal_open(const char *dir, bool writes, struct journal **out,
                         struct error *err) MUST_USE;
void journal_close(struct journal *journal); /* accepts NULL */

/* Locks the log NAME.log, to which the journal appends from then on. Reads it
 * again, and removes what follows its last valid line. Returns STATUS_FAILED if
 * another process appends to that log, or if it cannot be opened, read or
 * truncated. Does nothing if the sweep has no directory. */
enum status journal_begin(struct journal *journal, const char *name,
                          struct error *err) MUST_USE;
/* Stores a record and the real time that its run took, seconds, in place of an
 * earlier record with the same key. Copies the texts. The record has at most
 * JOURNAL_FILES_MAX files. After journal_begin, also appends both to the log.
 * What was appended survives the end of the process at once, and a crash of the
 * machine after journal_sync, which journal_add calls if the last call was more
 * than 2 s ago. Returns STATUS_FAILED if the log cannot be written; the record
 * is stored all the same. */
enum status journal_add(struct journal *journal,
                        const struct journal_record *record, double seconds,
                        struct error *err) MUST_USE;
enum status journal_sync(struct journal *journal, struct error *err) MUST_USE;

/* Returns the last record of a key that was read or added; NULL: there is none.
 * When logs are read, the record of a failed run does not replace that of a run
 * that did not fail. The record is valid until the next one is read or added.
 */
const struct journal_record *journal_find(const struct journal *journal,
                                          const char *key);
/* Returns the real time that the run with this key took, seconds; NaN: not
 * known. */
double journal_seconds(const struct journal *journal, const char *key);
/* Returns the number of damaged lines. The last line of a log does not count,
 * because it may have been cut off. */
uint64_t journal_n_damaged(const struct journal *journal);

struct out;
/* Writes what is in `bytes`, a stream in memory, to a file of the sweep's
 * directory, which it replaces. Removes NAME.partial first, which a killed
 * process may have left. Does nothing if the sweep has no directory. */
enum status journal_write_file(const struct journal *journal, const char *name,
                               struct out *bytes, struct error *err) MUST_USE;

/* Replaces all logs by done.log and writes DIR/seconds.csv. A log that another
 * process writes is left alone, and *busy is set to true. Does nothing if the
 * sweep has no directory. */
enum status journal_compact(struct journal *journal, bool *busy,
                            struct error *err) MUST_USE;

#endif
