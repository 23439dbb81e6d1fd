/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Keeps the answers of a program in a file, so that a run can be repeated
 * without the program. */
#include "policies/outside/program_internal.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct record {
    struct out *out; /* file of a new record; NULL: the record is read */
    FILE *in;        /* file of an existing record; NULL: the record is new */
    char *path;
    char *line; /* buffer of getline, with the last line that was read */
    size_t cap;
    uint64_t number; /* number of the last line that was read, from 1 */
};

static const char head[] = "{\"asked\":\"", middle[] = "\",\"answer\":";
enum { HASH_DIGITS = 16 };

static struct record *new_record(const char *path)
{
    struct record *record = mem_zalloc(1, sizeof *record);
    size_t size = strlen(path) + 1;
    record->path = mem_alloc(size);
    memcpy(record->path, path, size);
    return record;
}

enum status record_write(const char *path, struct record **out,
                         struct error *err)
{
    struct record *record = new_record(path);
    enum status st = out_open(path, &record->out, err);
    if (st != STATUS_OK)
        record_free(record);
    else
        *out = record;
    return st;
}

enum status record_read(const char *path, struct record **out,
                        struct error *err)
{
    struct record *record = new_record(path);
    record->in = fopen(path, "re");
    if (!record->in) {
        enum status st =
            error_set(err, STATUS_BAD_INPUT, "%s: %s", path, strerror(errno));
        record_free(record);
        return st;
    }
    *out = record;
    return STATUS_OK;
}

static void write_hash(struct text question, char out[HASH_DIGITS + 1])
{
    snprintf(out, HASH_DIGITS + 1, "%016" PRIx64, text_hash(question));
}

void record_add(struct record *record, struct text question, struct text answer)
{
    char hash[HASH_DIGITS + 1];
    write_hash(question, hash);
    out_text(record->out, head);
    out_text(record->out, hash);
    out_text(record->out, middle);
    out_bytes(record->out, answer.at, answer.len);
    out_text(record->out, "}\n");
}

/* Reads the next line and splits it into the hash and the answer. Returns false
 * if there is no line or it is not a line of a record. */
static bool record_read_line(struct record *record, struct text *hash,
                             struct text *answer)
{
    const size_t before = sizeof head - 1 + HASH_DIGITS;
    ssize_t n = getline(&record->line, &record->cap, record->in);
    size_t len = n > 0 ? (size_t)n : 0;
    while (len && (record->line[len - 1] == '\n'))
        len--;
    record->number += n > 0;
    if (len < before + sizeof middle || record->line[len - 1] != '}' ||
        memcmp(record->line, head, sizeof head - 1) != 0 ||
        memcmp(record->line + before, middle, sizeof middle - 1) != 0)
        return false;
    *hash = (struct text){record->line + sizeof head - 1, HASH_DIGITS};
    size_t start = before + sizeof middle - 1;
    *answer = (struct text){record->line + start, len - 1 - start};
    return true;
}

enum status record_next(struct record *record, struct text question,
                        struct text *answer, struct error *err)
{
    char want[HASH_DIGITS + 1];
    struct text hash;
    write_hash(question, want);
    if (!record_read_line(record, &hash, answer)) {
        if (feof(record->in))
            return error_set(err, STATUS_BAD_INPUT,
                             "%s: the record ends after %" PRIu64
                             " answers, but the run goes on",
                             record->path, record->number);
        return error_set(err, STATUS_BAD_INPUT,
                         "%s:%" PRIu64 ": not a line of a record", record->path,
                         record->number);
    }
    if (!text_is(hash, want))
        return error_set(err, STATUS_BAD_INPUT,
                         "%s:%" PRIu64
                         ": the record answers another question: the trace, "
                         "the cluster, an option or the simulator differs from "
                         "those of the recorded run",
                         record->path, record->number);
    return STATUS_OK;
}

uint64_t record_rest(struct record *record)
{
    uint64_t n = 0;
    struct text hash, answer;
    while (record->in && record_read_line(record, &hash, &answer))
        n++;
    return n;
}

enum status record_close(struct record *record, struct error *err)
{
    enum status st = STATUS_OK;
    if (record->out)
        st = out_close(record->out, err);
    record->out = NULL;
    record_free(record);
    return st;
}

void record_free(struct record *record)
{
    if (!record)
        return;
    out_abandon(record->out);
    if (record->in)
        fclose(record->in);
    free(record->path);
    free(record->line);
    free(record);
}
