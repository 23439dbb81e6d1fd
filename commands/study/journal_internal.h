/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by journal.c, which keeps the records, journal_read.c, which reads a
 * log, and journal_write.c, which writes logs. */
#ifndef STUDY_JOURNAL_INTERNAL_H
#define STUDY_JOURNAL_INTERNAL_H

#include "base/out.h"
#include "commands/study/journal.h"

/* A record, and where its texts and files are in the lists of struct journal.
 */
struct journal_entry {
    struct journal_record record; /* key NULL: there is no record */
    /* version and columns, as symbols of `texts` */
    uint32_t version, columns;
    /* files of the record, as indexes of journal.files */
    uint32_t *files;
    /* real time of the run, seconds; NaN: not known */
    double seconds;
};

struct journal {
    /* directory of the sweep; NULL: nothing is kept on the disk */
    const char *dir;
    struct arena arena;
    /* keys of runs; a symbol is an index of `entries` */
    struct interner keys;
    struct journal_entry *entries; /* entry 0 is not used */
    size_t cap_entries;
    struct interner texts; /* versions and lists of columns */
    /* texts "SHA256 PATH"; a symbol is an index of `files` */
    struct interner paths;
    /* files, in the arena; the list is owned */
    const struct journal_file **files;
    size_t cap_files;
    uint64_t n_damaged;
    /* true: records that are read do not replace those that are there */
    bool keeps;
    /* The following fields describe the log to which records are appended. */
    int fd; /* descriptor of the log; -1: none */
    char *log_path;
    /* by index of `files`: true if this process has written its definition */
    bool *has_file;
    /* by symbol of `texts`: true if this process has written its definition */
    bool *has_text;
    size_t cap_has_file, cap_has_text;
    /* symbol of the version that this process wrote last; 0: none */
    uint32_t version;
    double synced; /* time of the last sync, seconds */
};

/* Ends a line with its checksum. `begin`: length of `out` before the line. */
void journal_end_line(struct out *out, size_t begin);
/* Writes a path. Bytes below 32 and '%' become %XX. */
void journal_put_path(struct out *out, const char *path);
/* Returns the entry of a key. Makes the entry if there is none. The entry is
 * valid until the next call. */
struct journal_entry *journal_entry_of(struct journal *journal,
                                       struct text key);
/* Returns the index of a file. Adds the file if it is new. */
uint32_t journal_file_of(struct journal *journal, struct text sha256,
                         struct text path);
/* Stores a record in place of the one with its key, and copies its texts.
 * `files`: indexes of its files, which are used instead of record->files. */
void journal_store(struct journal *journal, const struct journal_record *record,
                   const uint32_t *files);
/* Opens a log, which it makes if there is none, and locks it. Returns STATUS_OK
 * with *fd -1 if another process has locked it. */
enum status journal_lock(const char *path, int *fd, struct error *err) MUST_USE;
/* Reads a log into the journal. *end: length of the log up to the end of its
 * last valid line. Returns STATUS_FAILED if the log cannot be read. */
enum status journal_read_log(struct journal *journal, const char *path,
                             size_t *end, struct error *err) MUST_USE;
/* Reads all logs, then seconds.csv. The last record of a run counts, but the
 * record of a failed run does not replace that of one that did not fail. */
enum status journal_read_all(struct journal *journal,
                             struct error *err) MUST_USE;
/* Reads all logs again, for what other processes have added to them. Records
 * that the journal has already stay as they are, and damaged lines do not
 * count. */
enum status journal_read_others(struct journal *journal,
                                struct error *err) MUST_USE;
/* Reads how long runs took, from DIR/seconds.csv if there is one. */
enum status journal_read_seconds(struct journal *journal,
                                 struct error *err) MUST_USE;

#endif
