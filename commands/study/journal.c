/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Keeps the records of a sweep's runs in DIR/journal: log files of lines, each
 * with a checksum. */
#include "commands/study/sweep_internal.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct journal_entry *journal_entry_of(struct journal *j, struct text key)
{
    size_t before = j->keys.n_strings;
    uint32_t symbol = interner_add(&j->keys, key);
    j->entries = mem_grow(j->entries, &j->cap_entries, j->keys.n_strings,
                          sizeof *j->entries);
    if (j->keys.n_strings > before)
        j->entries[symbol] = (struct journal_entry){.seconds = NAN};
    return &j->entries[symbol];
}

uint32_t journal_file_of(struct journal *j, struct text sha256,
                         struct text path)
{
    struct out *name = out_to_memory();
    size_t before = j->paths.n_strings;
    out_bytes(name, sha256.at, sha256.len);
    out_char(name, ' ');
    out_bytes(name, path.at, path.len);
    uint32_t i = interner_add(&j->paths, out_memory(name));
    out_abandon(name);
    j->files =
        mem_grow(j->files, &j->cap_files, j->paths.n_strings, sizeof *j->files);
    if (j->paths.n_strings > before) {
        struct journal_file *file = ARENA_NEW(&j->arena, struct journal_file);
        *file = (struct journal_file){
            .path = arena_copy(&j->arena, path.at, path.len),
            .sha256 = arena_copy(&j->arena, sha256.at, sha256.len)};
        j->files[i] = file;
    }
    return i;
}

void journal_store(struct journal *j, const struct journal_record *record,
                   const uint32_t *files)
{
    struct journal_entry *e = journal_entry_of(j, text_from(record->key));
    const size_t n = record->n_files;
    e->version = interner_add(&j->texts, text_from(record->version));
    e->columns = interner_add(&j->texts, text_from(record->columns));
    e->files = ARENA_ARRAY(&j->arena, uint32_t, n + 1);
    memcpy(e->files, files, n * sizeof *files);
    const struct journal_file **at =
        ARENA_ARRAY(&j->arena, const struct journal_file *, n + 1);
    for (size_t i = 0; i < n; i++)
        at[i] = j->files[files[i]];
    e->record = (struct journal_record){
        .key = arena_copy(&j->arena, record->key, strlen(record->key)),
        .version = interner_string(&j->texts, e->version),
        .columns = interner_string(&j->texts, e->columns),
        .cells = arena_copy(&j->arena, record->cells, strlen(record->cells)),
        .status = record->status,
        .files = at,
        .n_files = n};
}

static int is_log(const struct dirent *entry)
{
    size_t n = strlen(entry->d_name);
    return n > 4 && strcmp(entry->d_name + n - 4, ".log") == 0;
}

/* Orders logs: done.log first, because the other logs hold later records. */
static int by_age(const struct dirent **a, const struct dirent **b)
{
    const bool x = strcmp((*a)->d_name, "done.log") == 0;
    const bool y = strcmp((*b)->d_name, "done.log") == 0;
    return x != y ? (x ? -1 : 1) : strcmp((*a)->d_name, (*b)->d_name);
}

enum status journal_read_all(struct journal *j, struct error *err)
{
    struct dirent **names;
    char path[4352];
    size_t end;
    snprintf(path, sizeof path, "%.4000s/journal", j->dir);
    int n = scandir(path, &names, is_log, by_age);
    enum status st = STATUS_OK;
    for (int i = 0; i < n; i++) {
        snprintf(path, sizeof path, "%.4000s/journal/%.255s", j->dir,
                 names[i]->d_name);
        /* A log may vanish when another process compacts the journal. */
        if (st == STATUS_OK && access(path, F_OK) == 0)
            st = journal_read_log(j, path, &end, err);
        free(names[i]);
    }
    if (n >= 0)
        free(names);
    return st == STATUS_OK ? journal_read_seconds(j, err) : st;
}

/* Makes a directory and its parents. */
static enum status make_dirs(const char *path, struct error *err)
{
    char at[4352];
    snprintf(at, sizeof at, "%.4300s", path);
    for (char *c = at + 1; *c; c++) {
        if (*c != '/')
            continue;
        *c = '\0';
        if (mkdir(at, 0777) != 0 && errno != EEXIST)
            return error_set(err, STATUS_FAILED, "%s: %s", at, strerror(errno));
        *c = '/';
    }
    if (mkdir(at, 0777) != 0 && errno != EEXIST)
        return error_set(err, STATUS_FAILED, "%s: %s", at, strerror(errno));
    return STATUS_OK;
}

/* Refuses a directory that has files but no journal. */
static enum status check_dir(const char *dir, struct error *err)
{
    char path[4352];
    struct stat info;
    DIR *open = opendir(dir);
    const struct dirent *entry;
    bool is_other = false;
    if (!open)
        return errno == ENOENT ? STATUS_OK
                               : error_set(err, STATUS_FAILED, "%s: %s", dir,
                                           strerror(errno));
    snprintf(path, sizeof path, "%.4300s/journal", dir);
    while ((entry = readdir(open)))
        is_other |=
            strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    closedir(open);
    if (!is_other || (stat(path, &info) == 0 && S_ISDIR(info.st_mode)))
        return STATUS_OK;
    return error_set(err, STATUS_USAGE,
                     "%s: holds files that are not of a sweep; name a new "
                     "directory",
                     dir);
}

enum status journal_open(const char *dir, bool writes, struct journal **out,
                         struct error *err)
{
    char path[4352];
    struct journal *j = mem_zalloc(1, sizeof *j);
    j->fd = -1;
    arena_init(&j->arena);
    interner_init(&j->keys);
    interner_init(&j->texts);
    interner_init(&j->paths);
    j->dir = dir ? arena_copy(&j->arena, dir, strlen(dir)) : NULL;
    enum status st = STATUS_OK;
    if (dir && (!*dir || strlen(dir) > 4000))
        st = error_set(err, STATUS_USAGE, "--out: the path is %s",
                       *dir ? "too long" : "empty");
    if (st == STATUS_OK && dir)
        st = check_dir(dir, err);
    if (st == STATUS_OK && dir && writes) {
        snprintf(path, sizeof path, "%.4300s/journal", dir);
        st = make_dirs(path, err);
    }
    if (st == STATUS_OK && dir)
        st = journal_read_all(j, err);
    if (st == STATUS_OK)
        *out = j;
    else
        journal_close(j);
    return st;
}

void journal_close(struct journal *j)
{
    if (!j)
        return;
    if (j->fd >= 0)
        close(j->fd);
    free(j->log_path);
    free(j->has_file);
    free(j->has_text);
    free(j->entries);
    free(j->files);
    interner_fini(&j->keys);
    interner_fini(&j->texts);
    interner_fini(&j->paths);
    arena_fini(&j->arena);
    free(j);
}

static struct journal_entry *journal_find_one(const struct journal *j,
                                              const char *key)
{
    uint32_t symbol = interner_find(&j->keys, text_from(key));
    return symbol == UINT32_MAX ? NULL : &j->entries[symbol];
}

const struct journal_record *journal_find(const struct journal *j,
                                          const char *key)
{
    const struct journal_entry *e = journal_find_one(j, key);
    return e && e->record.key ? &e->record : NULL;
}

double journal_seconds(const struct journal *j, const char *key)
{
    const struct journal_entry *e = journal_find_one(j, key);
    return e ? e->seconds : NAN;
}

uint64_t journal_n_damaged(const struct journal *j)
{
    return j->n_damaged;
}
