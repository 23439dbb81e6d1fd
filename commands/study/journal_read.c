/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads a log. Its lines have fields between tabs and end with a checksum:
 *
 *   V VERSION                          of the program, until the next V
 *   C NUMBER NAME,NAME,...             names of the cells of a record
 *   F NUMBER SHA256 PATH               a file that runs read
 *   R KEY STATUS C-NUMBER F-NUMBER,... CELLS
 *   T KEY SECONDS                      real time of a run */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "commands/study/sweep_internal.h"

enum { JOURNAL_READ_FIELDS_MAX = 6, CRC_LEN = 8 };

/* The definitions of a log, to which its later lines refer by number. */
struct log_state {
    /* version that the log named last, as a symbol of texts; 0: none yet */
    uint32_t version;
    /* by number in the log: symbol of texts, index of files; 0: not defined */
    uint32_t *columns, *files;
    size_t cap_columns, cap_files;
};

static bool to_index(struct text t, uint32_t *out)
{
    return text_to_u32(t, out) && *out < 1000000;
}

/* Stores a definition of the log under its number. */
static void define(uint32_t **list, size_t *cap, uint32_t at, uint32_t value)
{
    size_t before = *cap;
    *list = mem_grow(*list, cap, (size_t)at + 1, sizeof **list);
    if (*cap > before)
        memset(*list + before, 0, (*cap - before) * sizeof **list);
    (*list)[at] = value;
}

static uint32_t defined(const uint32_t *list, size_t cap, uint32_t at)
{
    return at < cap ? list[at] : 0;
}

/* Returns the path with each %XX changed back to its byte. */
static struct text read_path(struct journal *j, struct text t)
{
    char *to = arena_copy(&j->arena, t.at, t.len);
    size_t n = 0;
    for (size_t i = 0; i < t.len; i++) {
        unsigned byte;
        char hex[3] = {i + 2 < t.len ? t.at[i + 1] : 0,
                       i + 2 < t.len ? t.at[i + 2] : 0, 0};
        if (t.at[i] == '%' && sscanf(hex, "%2x", &byte) == 1) {
            to[n++] = (char)byte;
            i += 2;
        } else {
            to[n++] = t.at[i];
        }
    }
    to[n] = '\0';
    return (struct text){to, n};
}

/* Reads a list of file numbers with commas between them, as indexes of
 * journal.files. Returns false if there are too many or if one of them is not a
 * number that the log defines. */
static bool read_files(const struct log_state *log, struct text list,
                       uint32_t files[JOURNAL_FILES_MAX], uint32_t *n)
{
    *n = 0;
    while (list.len) {
        const char *comma = memchr(list.at, ',', list.len);
        size_t len = comma ? (size_t)(comma - list.at) : list.len;
        struct text one = {list.at, len};
        uint32_t at;
        if (*n == JOURNAL_FILES_MAX || !to_index(one, &at) ||
            !defined(log->files, log->cap_files, at))
            return false;
        files[(*n)++] = defined(log->files, log->cap_files, at);
        list = text_skip(list, comma ? len + 1 : len);
    }
    return true;
}

/* Stores a record, unless the journal keeps the one that it has: always if
 * `keeps`, else if only the new one is of a failed run. Returns false if the
 * line is wrong. */
static bool journal_read_take_record(struct journal *j,
                                     const struct log_state *log,
                                     const struct text *f)
{
    uint32_t status, columns, n, files[JOURNAL_FILES_MAX];
    if (!log->version || f[1].len != JOURNAL_KEY_MAX - 1 ||
        !text_to_u32(f[2], &status) || !to_index(f[3], &columns) ||
        !read_files(log, f[4], files, &n))
        return false;
    columns = defined(log->columns, log->cap_columns, columns);
    if (!columns)
        return false;
    const struct journal_entry *e = journal_entry_of(j, f[1]);
    if (e->record.key &&
        (j->keeps || (status != 0 && status != 4 &&
                      (e->record.status == 0 || e->record.status == 4))))
        return true;
    const struct journal_record record = {
        .key = arena_copy(&j->arena, f[1].at, f[1].len),
        .version = interner_string(&j->texts, log->version),
        .columns = interner_string(&j->texts, columns),
        .cells = arena_copy(&j->arena, f[5].at, f[5].len),
        .status = (int)status,
        .n_files = n};
    journal_store(j, &record, files);
    return true;
}

/* Stores one line whose checksum is right. Returns false if the line has no
 * known form. */
static bool journal_read_take_line(struct journal *j, struct log_state *log,
                                   const struct text *f, size_t n)
{
    uint32_t at;
    if (n == 2 && text_is(f[0], "V")) {
        log->version = interner_add(&j->texts, f[1]);
        return true;
    }
    if (n == 3 && text_is(f[0], "C") && to_index(f[1], &at)) {
        define(&log->columns, &log->cap_columns, at,
               interner_add(&j->texts, f[2]));
        return true;
    }
    if (n == 4 && text_is(f[0], "F") && to_index(f[1], &at)) {
        define(&log->files, &log->cap_files, at,
               journal_file_of(j, f[2], read_path(j, f[3])));
        return true;
    }
    if (n == 3 && text_is(f[0], "T"))
        return text_to_double(f[2], &journal_entry_of(j, f[1])->seconds);
    return n == 6 && text_is(f[0], "R") && journal_read_take_record(j, log, f);
}

/* Checks the checksum of a line and splits the line into fields. Returns the
 * number of fields; 0: the line is damaged. */
static size_t journal_read_split(struct text line,
                                 struct text f[JOURNAL_READ_FIELDS_MAX])
{
    char crc[CRC_LEN + 1];
    size_t n = 0;
    if (line.len < CRC_LEN + 2 || line.at[line.len - CRC_LEN - 1] != '~')
        return 0;
    const size_t len = line.len - CRC_LEN - 1;
    snprintf(crc, sizeof crc, "%08lx",
             crc32(0, (const unsigned char *)line.at, (unsigned)len));
    if (memcmp(crc, line.at + len + 1, CRC_LEN) != 0)
        return 0;
    for (size_t begin = 0; begin < len && n < JOURNAL_READ_FIELDS_MAX;) {
        const char *tab = memchr(line.at + begin, '\t', len - begin);
        size_t end = tab ? (size_t)(tab - line.at) : len;
        f[n++] = (struct text){line.at + begin, end - begin};
        begin = end + 1;
    }
    return n;
}

static enum status journal_read_slurp(const char *path, struct out **out,
                                      struct error *err)
{
    FILE *file = fopen(path, "re");
    if (!file)
        return error_set(err, STATUS_FAILED, "%s: %s", path, strerror(errno));
    *out = out_to_memory();
    enum { PIECE = 65536 };
    size_t n;
    while ((n = fread(out_reserve(*out, PIECE), 1, PIECE, file)) > 0)
        (*out)->len += n;
    bool failed = ferror(file);
    fclose(file);
    if (!failed)
        return STATUS_OK;
    out_abandon(*out);
    return error_set(err, STATUS_FAILED, "%s: cannot be read", path);
}

enum status journal_read_log(struct journal *j, const char *path, size_t *end,
                             struct error *err)
{
    struct log_state log = {0};
    struct out *bytes;
    enum status st = journal_read_slurp(path, &bytes, err);
    if (st != STATUS_OK)
        return st;
    struct text all = out_memory(bytes);
    *end = 0;
    for (size_t begin = 0; begin < all.len;) {
        struct text fields[JOURNAL_READ_FIELDS_MAX];
        const char *feed = memchr(all.at + begin, '\n', all.len - begin);
        if (!feed)
            break;
        struct text line = {all.at + begin, (size_t)(feed - all.at) - begin};
        size_t n = journal_read_split(line, fields);
        begin += line.len + 1;
        if (n && journal_read_take_line(j, &log, fields, n))
            *end = begin;
        else
            j->n_damaged += begin < all.len;
    }
    free(log.columns);
    free(log.files);
    out_abandon(bytes);
    return STATUS_OK;
}

enum status journal_read_others(struct journal *j, struct error *err)
{
    const uint64_t damaged = j->n_damaged;
    j->keeps = true;
    enum status st = journal_read_all(j, err);
    j->keeps = false;
    j->n_damaged = damaged;
    return st;
}

enum status journal_read_seconds(struct journal *j, struct error *err)
{
    char path[4352];
    struct out *bytes;
    snprintf(path, sizeof path, "%.4000s/seconds.csv", j->dir);
    if (access(path, F_OK) != 0)
        return STATUS_OK;
    enum status st = journal_read_slurp(path, &bytes, err);
    if (st != STATUS_OK)
        return st;
    struct text all = out_memory(bytes);
    while (all.len) {
        const char *feed = memchr(all.at, '\n', all.len);
        size_t len = feed ? (size_t)(feed - all.at) : all.len;
        double seconds;
        if (len > JOURNAL_KEY_MAX && all.at[JOURNAL_KEY_MAX - 1] == ',' &&
            text_to_double(
                (struct text){all.at + JOURNAL_KEY_MAX, len - JOURNAL_KEY_MAX},
                &seconds))
            journal_entry_of(j, (struct text){all.at, JOURNAL_KEY_MAX - 1})
                ->seconds = seconds;
        all = text_skip(all, feed ? len + 1 : len);
    }
    out_abandon(bytes);
    return STATUS_OK;
}
