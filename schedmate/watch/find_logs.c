/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Logs appear, disappear, are renamed, rotated and replaced. A log is
 * identified by its device and inode, so a log that was renamed is not taken
 * for a new one, and what was written to a log before it was rotated is read at
 * its new path. */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "schedmate/watch/watch_internal.h"

/* Time between two reads of all folders, for changes that inotify does not
 * report. */
#define FULL_SCAN (60 * SPAN_SECOND)

/* Files that the book does not have. */
struct news {
    struct new_file {
        char *path; /* NULL: the file has been dealt with */
        struct folder *folder;
        struct stat about;
    } * at;
    size_t n, cap;
    struct watch *w;
};

static sim_time logs_time_of(const struct stat *about)
{
    return (sim_time)about->st_mtim.tv_sec * SPAN_SECOND +
           about->st_mtim.tv_nsec / 1000;
}

static void adopt(struct watch_file *f, const struct stat *about)
{
    f->dev = about->st_dev;
    f->inode = about->st_ino;
    f->size = (uint64_t)about->st_size;
    f->mtime = logs_time_of(about);
    f->stale = f->dirty = true;
}

/* Notes whether a file in the book was written, or whether its path now names
 * another file (`renewed`). The first file that is seen at the path is taken as
 * it is. */
static void logs_compare(struct watch_file *f, const struct stat *about)
{
    if (f->inode == 0) {
        adopt(f, about);
        return;
    }
    f->renewed = f->dev != about->st_dev || f->inode != about->st_ino;
    if (f->renewed) {
        f->next_dev = about->st_dev;
        f->next_inode = about->st_ino;
        return;
    }
    if (f->size == (uint64_t)about->st_size && f->mtime == logs_time_of(about))
        return;
    f->size = (uint64_t)about->st_size;
    f->mtime = logs_time_of(about);
    f->stale = true;
}

static void logs_found(void *self, struct folder *folder, const char *path,
                       const struct stat *about)
{
    struct news *news = self;
    struct watch_file *f = book_file(&news->w->book, path);
    if (f) {
        f->visit = news->w->counts.looks;
        f->folder = folder;
        logs_compare(f, about);
        return;
    }
    news->at = mem_grow(news->at, &news->cap, news->n + 1, sizeof *news->at);
    news->at[news->n++] = (struct new_file){mem_text(path), folder, *about};
}

/* Returns the new file that is `f` at another path; NULL if there is none. A
 * deleted file's inode may be used again, so the head is compared too. */
static struct new_file *logs_moved_to(struct news *news,
                                      const struct watch_file *f)
{
    for (size_t i = 0; i < news->n; i++) {
        const struct new_file *one = &news->at[i];
        if (one->path && one->about.st_dev == f->dev &&
            one->about.st_ino == f->inode && follow_begins_same(f, one->path))
            return &news->at[i];
    }
    return NULL;
}

static void forget_new(struct new_file *one)
{
    free(one->path);
    one->path = NULL;
}

/* Adds a rotated log to the book, so that it is not taken for a new one. */
static void keep_unfollowed(struct watch *w, struct new_file *one)
{
    struct watch_file *f = book_add_file(&w->book, one->path, NULL);
    adopt(f, &one->about);
    f->stale = false;
    f->folder = one->folder;
    f->visit = w->counts.looks;
    forget_new(one);
}

static void say_lost(char *words, size_t cap, const struct watch_file *f)
{
    uint64_t lost = f->size > f->offset ? f->size - f->offset : 0;
    snprintf(words, cap,
             lost ? "%" PRIu64 " bytes of the old file were not read"
                  : "all "
                    "of "
                    "the "
                    "old "
                    "file "
                    "was "
                    "read",
             lost);
}

/* Handles a followed log whose path now names another file. Reads the rest of
 * the old file at its new path, if it has one, reports the change, and begins
 * the new file at offset 0. */
static void logs_replace(struct news *news, struct watch_file *f)
{
    struct watch *w = news->w;
    struct new_file *moved = logs_moved_to(news, f);
    const struct stat is = {.st_dev = f->dev, .st_ino = f->inode};
    char path[PATH_MAX], words[PATH_MAX + 32];
    int64_t suspects = 0;
    bool rotated = moved != NULL;
    if (moved)
        snprintf(path, sizeof path, "%s", moved->path);
    else
        rotated = folders_find_inode(f->path, &is, path, sizeof path) &&
                  follow_begins_same(f, path);
    if (rotated) {
        (void)watch_read_rest(w, f, path);
        suspects = f->suspects;
        snprintf(words, sizeof words, "the old file is called %s now", path);
    } else {
        say_lost(words, sizeof words, f);
    }
    event_log(w, f->job, f->path, rotated ? "rotated" : "replaced", words);
    if (moved)
        keep_unfollowed(w, moved);
    follow_restart(f);
    f->suspects = suspects;
    f->dev = f->next_dev;
    f->inode = f->next_inode;
    f->size = 0;
    f->renewed = false;
    f->stale = true;
}

/* Handles a followed log whose path no file has any more: follows it at its new
 * path, or drops it. A log that never existed stays. */
static void vanish(struct news *news, struct watch_file *f)
{
    struct watch *w = news->w;
    struct new_file *moved = logs_moved_to(news, f);
    char words[64];
    if (f->inode == 0)
        return; /* a scheduler named the log, which is not written yet */
    if (moved) {
        event_log(w, f->job, f->path, "renamed", moved->path);
        watch_names_add(&w->gone_files, mem_text(f->path));
        book_rename_file(&w->book, f, moved->path);
        f->folder = moved->folder;
        f->visit = w->counts.looks;
        logs_compare(f, &moved->about);
        forget_new(moved);
        return;
    }
    say_lost(words, sizeof words, f);
    event_log(w, f->job, f->path, "deleted", words);
    watch_drop_file(w, f);
}

/* True if the path of `one`, an unfollowed log, now names the file that a
 * followed log had at another path. */
static bool was_followed(const struct watch *w, const struct watch_file *one)
{
    for (size_t i = 0; i < w->book.n_files; i++) {
        const struct watch_file *f = w->book.files[i];
        if (f->job && f->dev == one->next_dev && f->inode == one->next_inode)
            return true;
    }
    return false;
}

static bool is_gone(const struct watch *w, const struct watch_file *f)
{
    return f->folder && folder_was_read(w->folders, f->folder) &&
           f->visit != w->counts.looks;
}

/* Renews the entry of an unfollowed log whose path names another file now, or
 * none. If the old file has a new path, adds an entry for it. If the path now
 * names the file of a followed log, as when a.1.log becomes a.2.log and a.log
 * becomes a.1.log, the old entry takes over that file; otherwise the old entry
 * is dropped. */
static void renew_unfollowed(struct news *news, struct watch_file *f)
{
    struct watch *w = news->w;
    bool gone = is_gone(w, f);
    if (!gone && !f->renewed)
        return;
    struct new_file *moved = logs_moved_to(news, f);
    if (moved)
        keep_unfollowed(w, moved);
    if (!gone && was_followed(w, f)) {
        f->dev = f->next_dev;
        f->inode = f->next_inode;
        f->renewed = f->stale = false;
        f->dirty = true;
    } else {
        /* if another file has this path, the next scan finds it as a new log */
        watch_drop_file(w, f);
        w->full_scan = 0;
    }
}

static void look_at_named(struct watch_file *f)
{
    struct stat about;
    f->renewed = false;
    if (stat(f->path, &about) == 0 && S_ISREG(about.st_mode))
        logs_compare(f, &about);
    else if (f->inode && errno == ENOENT)
        f->visit = UINT64_MAX; /* marks the file as gone for look_at_known */
}

static void look_at_known(struct news *news)
{
    struct watch *w = news->w;
    struct book *book = &w->book;
    for (size_t i = book->n_files; i-- > 0;) {
        if (!book->files[i]->folder && book->files[i]->job)
            look_at_named(book->files[i]);
    }
    /* From the end, because files may be removed. Files that are not followed
     * come first, while the followed ones still have their old inodes. */
    for (size_t i = book->n_files; i-- > 0;) {
        if (i < book->n_files && !book->files[i]->job)
            renew_unfollowed(news, book->files[i]);
    }
    for (size_t i = book->n_files; i-- > 0;) {
        if (i >= book->n_files || !book->files[i]->job)
            continue;
        struct watch_file *f = book->files[i];
        if (is_gone(w, f) || (!f->folder && f->visit == UINT64_MAX))
            vanish(news, f);
        else if (f->renewed)
            logs_replace(news, f);
    }
}

/* Returns the id of a job that no scheduler names: the path of its log relative
 * to the watched directory, or the whole path if the log lies elsewhere. */
static const char *relative(const struct watch *w, const char *path)
{
    char root[PATH_MAX];
    if (!realpath(w->settings->folders.dir, root))
        return path;
    size_t len = strlen(root);
    return strncmp(path, root, len) == 0 && path[len] == '/' ? path + len + 1
                                                             : path;
}

static void add_new(struct watch *w, const struct new_file *one)
{
    sim_time at = logs_time_of(&one->about);
    if (w->book.n_files >= w->config->files) {
        w->counts.over_limit++;
        watch_say(w, "more than %u logs: some are not followed (--set files)",
                  w->config->files);
        return;
    }
    if (at < w->clock.now - w->config->forget) {
        w->counts.old++;
        return;
    }
    const char *id = relative(w, one->path);
    struct watch_job *job = book_job(&w->book, id);
    if (!job)
        job = book_add_job(&w->book, id, NULL);
    if (job->phase == WATCH_ENDED)
        job->seen = 0, job->phase = WATCH_RUNNING;
    struct watch_file *f = book_add_file(&w->book, one->path, job);
    adopt(f, &one->about);
    f->folder = one->folder;
    f->visit = w->counts.looks;
    job->grown = at < w->clock.now ? at : w->clock.now;
    watch_tell_seen(w, job);
}

static void say_left_out(struct watch *w)
{
    struct folders_left left = folders_left_out(w->folders);
    if (w->counts.old)
        watch_say(w,
                  "logs without a new line for %.0f s are not followed "
                  "(--forget)",
                  span_seconds(w->config->forget));
    if (left.compressed)
        watch_say(w, "compressed logs are not followed");
    if (left.links)
        watch_say(w, "links to logs are not followed");
    if (left.deep)
        watch_say(w,
                  "folders more than %u levels deep are not read (--set depth)",
                  w->settings->folders.depth);
    if (left.unreadable)
        watch_say(w, "some folders cannot be read");
}

void watch_find_logs(struct watch *w)
{
    struct news news = {.w = w};
    sim_time since = w->clock.now - w->full_scan;
    bool all = w->full_scan == 0 || since >= FULL_SCAN;
    if (all) {
        w->full_scan = w->clock.now;
        w->counts.old = w->counts.over_limit = 0;
    }
    if (w->folders)
        folders_scan(w->folders, all, logs_found, &news);
    look_at_known(&news);
    for (size_t i = 0; i < news.n; i++) {
        if (news.at[i].path)
            add_new(w, &news.at[i]);
        free(news.at[i].path);
    }
    free(news.at);
    if (all && w->folders)
        say_left_out(w);
}

void watch_give_log(struct watch *w, struct watch_job *job, const char *path,
                    uint32_t uid)
{
    struct watch_file *f = book_file(&w->book, path);
    struct watch_job *other = f ? f->job : NULL;
    if (f && (other == job || (!other && f->inode)))
        return; /* the job has this log already, or the log is not followed */
    if (other && other->scheduled && !other->over) {
        watch_say(w,
                  "%s: is named as the log of job %s and of job %s; it "
                  "counts for job %s",
                  path, other->id, job->id, other->id);
        return;
    }
    if (!f && w->book.n_files >= w->config->files) {
        w->counts.over_limit++;
        return;
    }
    if (!f)
        f = book_add_file(&w->book, path, job);
    else
        book_move_file(f, job);
    f->uid = uid;
    if (other && !other->files && !other->scheduled) {
        json_t *row = event_begin(other, WATCH_EVENT_ENDED);
        json_put(row, "basis", json_text("named"));
        json_put(row, "is_job", event_text(job->id));
        event_tell(w, WATCH_EVENT_ENDED, row);
        watch_drop_job(w, other);
    }
}

void watch_drop_file(struct watch *w, struct watch_file *file)
{
    watch_names_add(&w->gone_files, mem_text(file->path));
    book_drop_file(&w->book, file);
}

void watch_drop_job(struct watch *w, struct watch_job *job)
{
    while (job->files)
        watch_drop_file(w, job->files);
    watch_names_add(&w->gone_jobs, mem_text(job->id));
    book_drop_job(&w->book, job);
}
