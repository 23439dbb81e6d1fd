/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Appends records to a log, and replaces all logs by one. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <zlib.h>

#include "commands/study/sweep_internal.h"

static double journal_write_now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

void journal_end_line(struct out *out, size_t begin)
{
    struct text all = out_memory(out);
    out_printf(out, "~%08lx\n",
               crc32(0, (const unsigned char *)all.at + begin,
                     (unsigned)(all.len - begin)));
}

void journal_put_path(struct out *out, const char *path)
{
    for (const char *c = path; *c; c++) {
        if ((unsigned char)*c < ' ' || *c == '%')
            out_printf(out, "%%%02x", (unsigned)(unsigned char)*c);
        else
            out_char(out, *c);
    }
}

/* Writes all bytes at the end of the log. */
static enum status journal_write_append(int fd, const char *path,
                                        struct text bytes, struct error *err)
{
    while (bytes.len) {
        ssize_t n = write(fd, bytes.at, bytes.len);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return error_set(err, STATUS_FAILED, "%s: %s", path,
                             strerror(n < 0 ? errno : ENOSPC));
        bytes = text_skip(bytes, (size_t)n);
    }
    return STATUS_OK;
}

enum status journal_lock(const char *path, int *fd, struct error *err)
{
    /* Another process may remove the log between open and flock; then this
     * process has locked a file without a name and begins again. */
    for (int attempt = 0; attempt < 100; attempt++) {
        struct stat mine, named;
        *fd = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
        if (*fd < 0)
            break;
        if (flock(*fd, LOCK_EX | LOCK_NB) != 0) {
            const bool is_busy = errno == EWOULDBLOCK;
            close(*fd);
            *fd = -1;
            if (is_busy)
                return STATUS_OK;
            break;
        }
        if (fstat(*fd, &mine) == 0 && stat(path, &named) == 0 &&
            mine.st_ino == named.st_ino && mine.st_dev == named.st_dev)
            return STATUS_OK;
        close(*fd);
    }
    *fd = -1;
    return error_set(err, STATUS_FAILED, "%s: cannot be locked: %s", path,
                     strerror(errno));
}

enum status journal_begin(struct journal *j, const char *name,
                          struct error *err)
{
    char path[4352];
    size_t end = 0;
    if (!j->dir)
        return STATUS_OK;
    snprintf(path, sizeof path, "%.4000s/journal/%.255s.log", j->dir, name);
    enum status st = journal_lock(path, &j->fd, err);
    if (st == STATUS_OK && j->fd < 0)
        st = error_set(err, STATUS_FAILED,
                       "%s: another process works on this part of the sweep",
                       path);
    if (st != STATUS_OK)
        return st;
    j->log_path = mem_text(path);
    /* Read the log again under the lock, and remove what follows its last valid
     * line. */
    uint64_t damaged = j->n_damaged;
    st = journal_read_log(j, path, &end, err);
    j->n_damaged = damaged;
    if (st == STATUS_OK && ftruncate(j->fd, (off_t)end) != 0)
        st = error_set(err, STATUS_FAILED, "%s: %s", path, strerror(errno));
    j->synced = journal_write_now_s();
    return st;
}

/* True if the log does not have the definition yet. Marks the definition as
 * present. */
static bool journal_write_is_new(bool **has, size_t *cap, uint32_t at)
{
    size_t before = *cap;
    *has = mem_grow(*has, cap, (size_t)at + 1, sizeof **has);
    if (*cap > before)
        memset(*has + before, 0, (*cap - before) * sizeof **has);
    bool was = (*has)[at];
    (*has)[at] = true;
    return !was;
}

/* Writes the definitions that an entry needs and the log lacks, then its
 * record. */
static void put_entry(struct journal *j, const struct journal_entry *e,
                      struct out *out)
{
    size_t begin = out_memory(out).len;
    if (j->version != e->version) {
        out_printf(out, "V\t%s\t", interner_string(&j->texts, e->version));
        journal_end_line(out, begin);
        j->version = e->version;
    }
    begin = out_memory(out).len;
    if (journal_write_is_new(&j->has_text, &j->cap_has_text, e->columns)) {
        out_printf(out, "C\t%u\t", e->columns);
        out_text(out, interner_string(&j->texts, e->columns));
        out_char(out, '\t');
        journal_end_line(out, begin);
    }
    for (size_t i = 0; i < e->record.n_files; i++) {
        const struct journal_file *file = j->files[e->files[i]];
        begin = out_memory(out).len;
        if (!journal_write_is_new(&j->has_file, &j->cap_has_file, e->files[i]))
            continue;
        out_printf(out, "F\t%u\t%s\t", e->files[i], file->sha256);
        journal_put_path(out, file->path);
        out_char(out, '\t');
        journal_end_line(out, begin);
    }
    begin = out_memory(out).len;
    out_printf(out, "R\t%s\t%d\t%u\t", e->record.key, e->record.status,
               e->columns);
    for (size_t i = 0; i < e->record.n_files; i++)
        out_printf(out, "%s%u", i ? "," : "", e->files[i]);
    out_char(out, '\t');
    out_text(out, e->record.cells);
    out_char(out, '\t');
    journal_end_line(out, begin);
}

enum status journal_add(struct journal *j, const struct journal_record *r,
                        double seconds, struct error *err)
{
    uint32_t files[JOURNAL_FILES_MAX];
    for (size_t i = 0; i < r->n_files; i++)
        files[i] = journal_file_of(j, text_from(r->files[i]->sha256),
                                   text_from(r->files[i]->path));
    journal_store(j, r, files);
    struct journal_entry *e = journal_entry_of(j, text_from(r->key));
    e->seconds = seconds;
    if (j->fd < 0)
        return STATUS_OK;
    struct out *line = out_to_memory();
    put_entry(j, e, line);
    size_t begin = out_memory(line).len;
    out_printf(line, "T\t%s\t%.6f\t", r->key, seconds);
    journal_end_line(line, begin);
    enum status st =
        journal_write_append(j->fd, j->log_path, out_memory(line), err);
    out_abandon(line);
    enum { SYNC_S = 2 };
    if (st == STATUS_OK && journal_write_now_s() - j->synced > SYNC_S)
        st = journal_sync(j, err);
    return st;
}

enum status journal_sync(struct journal *j, struct error *err)
{
    if (j->fd >= 0 && !out_sync(j->fd))
        return error_set(err, STATUS_FAILED, "%s: %s", j->log_path,
                         strerror(errno));
    j->synced = journal_write_now_s();
    return STATUS_OK;
}

static int journal_write_by_key(const void *a, const void *b)
{
    const struct journal_entry *const *x = a, *const *y = b;
    return strcmp((*x)->record.key, (*y)->record.key);
}

/* Makes a copy of the journal with its records sorted by their keys, so that
 * the lines of done.log do not depend on the order in which runs ended. The
 * caller closes the copy. */
static struct journal *sorted(const struct journal *j)
{
    struct journal *to = NULL;
    struct error err;
    size_t n = 0;
    const struct journal_entry **all =
        mem_alloc((j->keys.n_strings + 1) * sizeof *all);
    for (size_t i = 1; i < j->keys.n_strings; i++) {
        if (j->entries[i].record.key)
            all[n++] = &j->entries[i];
    }
    qsort(all, n, sizeof *all, journal_write_by_key);
    if (journal_open(NULL, false, &to, &err) != STATUS_OK)
        abort(); /* journal_open cannot fail without a directory */
    for (size_t i = 0; i < n; i++) {
        const struct journal_record *r = journal_find(j, all[i]->record.key);
        if (journal_add(to, r, all[i]->seconds, &err) != STATUS_OK)
            abort();
    }
    free(all);
    return to;
}

enum status journal_write_file(const struct journal *j, const char *name,
                               struct out *bytes, struct error *err)
{
    char path[4352], left[4400];
    struct out *out;
    if (!j->dir)
        return STATUS_OK;
    snprintf(path, sizeof path, "%.4000s/%s", j->dir, name);
    snprintf(left, sizeof left, "%s.partial", path);
    unlink(left);
    enum status st = out_open(path, &out, err);
    if (st != STATUS_OK)
        return st;
    struct text text = out_memory(bytes);
    out_bytes(out, text.at, text.len);
    return out_close(out, err);
}

/* Removes all logs but done.log. Leaves those that another process writes, and
 * then sets *busy. */
static enum status remove_logs(struct journal *j, bool *busy, struct error *err)
{
    char dir[4352], path[4700];
    const struct dirent *entry;
    enum status st = STATUS_OK;
    snprintf(dir, sizeof dir, "%.4000s/journal", j->dir);
    DIR *open = opendir(dir);
    while (open && st == STATUS_OK && (entry = readdir(open))) {
        size_t n = strlen(entry->d_name);
        int fd = -1;
        if (n < 4 || strcmp(entry->d_name + n - 4, ".log") != 0 ||
            strcmp(entry->d_name, "done.log") == 0)
            continue;
        snprintf(path, sizeof path, "%s/%.255s", dir, entry->d_name);
        const bool is_mine = j->log_path && strcmp(path, j->log_path) == 0;
        if (!is_mine)
            st = journal_lock(path, &fd, err);
        if (st == STATUS_OK && (is_mine || fd >= 0))
            unlink(path);
        else
            *busy = true;
        if (fd >= 0)
            close(fd);
    }
    if (open)
        closedir(open);
    return st;
}

enum status journal_compact(struct journal *j, bool *busy, struct error *err)
{
    *busy = false;
    if (!j->dir)
        return STATUS_OK;
    enum status st = journal_read_others(j, err);
    if (st != STATUS_OK)
        return st;
    struct journal *all = sorted(j);
    struct out *lines = out_to_memory(), *times = out_to_memory();
    out_text(times, "run,seconds\n");
    for (size_t i = 1; i < all->keys.n_strings; i++) {
        const struct journal_entry *e = &all->entries[i];
        put_entry(all, e, lines);
        if (!isnan(e->seconds))
            out_printf(times, "%s,%.3f\n", e->record.key, e->seconds);
    }
    st = journal_write_file(j, "journal/done.log", lines, err);
    if (st == STATUS_OK)
        st = journal_write_file(j, "seconds.csv", times, err);
    out_abandon(lines);
    out_abandon(times);
    journal_close(all);
    return st == STATUS_OK ? remove_logs(j, busy, err) : st;
}
