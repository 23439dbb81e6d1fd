/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/shelf.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/arena.h"

enum book_state { BOOK_EMPTY, BOOK_LOADING, BOOK_READY, BOOK_FAILED };

/* The jobset of one trace and one set of load options. */
struct shelf_book {
    const char *key;
    enum book_state state;
    unsigned n_readers; /* number of threads that are copying it */
    uint64_t used;      /* number of the last request for this book */
    size_t bytes;
    struct jobset jobset; /* valid if `state` is BOOK_READY */
    struct error *err;    /* set if `state` is BOOK_FAILED */
    struct shelf_book *next;
};

/* A trace that a function makes, and its name. */
struct made {
    const char *name;
    struct shelf_maker maker;
    struct made *next;
};

struct shelf {
    pthread_mutex_t lock; /* guards all other fields */
    pthread_cond_t loaded;
    struct arena arena; /* owns keys, names and the elements of the lists */
    struct shelf_book *books;
    struct made *made;
    size_t max_bytes, bytes;
    uint64_t n_requests, n_parsed;
};

struct shelf *shelf_new(size_t max_bytes)
{
    struct shelf *shelf = mem_zalloc(1, sizeof *shelf);
    pthread_mutex_init(&shelf->lock, NULL);
    pthread_cond_init(&shelf->loaded, NULL);
    arena_init(&shelf->arena);
    shelf->max_bytes = max_bytes ? max_bytes : SHELF_BYTES;
    return shelf;
}

void shelf_free(struct shelf *shelf)
{
    if (!shelf)
        return;
    for (struct shelf_book *b = shelf->books; b; b = b->next) {
        jobset_fini(&b->jobset);
        free(b->err);
    }
    pthread_cond_destroy(&shelf->loaded);
    pthread_mutex_destroy(&shelf->lock);
    arena_fini(&shelf->arena);
    free(shelf);
}

void shelf_add(struct shelf *shelf, const char *name, struct shelf_maker maker)
{
    pthread_mutex_lock(&shelf->lock);
    struct made *made = ARENA_NEW(&shelf->arena, struct made);
    *made = (struct made){arena_copy(&shelf->arena, name, strlen(name)), maker,
                          shelf->made};
    shelf->made = made;
    pthread_mutex_unlock(&shelf->lock);
}

/* Writes a key. Two keys are equal exactly if path, format and options are
 * equal; the lengths in front keep the parts apart. */
static void shelf_write_key(struct out *out, const char *path,
                            const char *format, const struct load_options *o)
{
    out_printf(out,
               "%zu %zu %zu %" PRId64 " %" PRId64 " %" PRIu64 " %" PRId64
               " %d%d%d%d%d %d%d ",
               strlen(path), format ? strlen(format) : 0,
               o->vc ? strlen(o->vc) : 0, o->from, o->to, o->limit,
               o->chain_link, o->elastic, o->propose, o->extras, o->waits,
               o->accounts, format != NULL, o->vc != NULL);
    out_text(out, path);
    out_text(out, format ? format : "");
    out_text(out, o->vc ? o->vc : "");
    out_char(out, '\0');
}

/* Returns the book with this key. Adds the book if it is new. The caller holds
 * the lock. */
static struct shelf_book *find_book(struct shelf *shelf, const char *key)
{
    for (struct shelf_book *b = shelf->books; b; b = b->next) {
        if (strcmp(b->key, key) == 0)
            return b;
    }
    struct shelf_book *book = ARENA_NEW(&shelf->arena, struct shelf_book);
    *book =
        (struct shelf_book){.key = arena_copy(&shelf->arena, key, strlen(key)),
                            .next = shelf->books};
    shelf->books = book;
    return book;
}

static const struct made *find_made(struct shelf *shelf, const char *name)
{
    const struct made *found = NULL;
    pthread_mutex_lock(&shelf->lock);
    for (const struct made *m = shelf->made; m && !found; m = m->next)
        found = strcmp(m->name, name) == 0 ? m : NULL;
    pthread_mutex_unlock(&shelf->lock);
    return found;
}

/* Loads a trace that a function makes, through a file in memory. */
static enum status load_made(const struct made *made, const char *format,
                             const struct load_options *options,
                             struct jobset *out, struct error *err)
{
    char path[64];
    struct out *bytes = out_to_memory();
    enum status st = made->maker.make(made->maker.self, bytes, err);
    int fd = st == STATUS_OK ? out_unnamed_file(out_memory(bytes)) : -1;
    if (st == STATUS_OK && fd < 0)
        st = error_set(err, STATUS_FAILED, "cannot keep a trace in memory: %s",
                       strerror(errno));
    out_abandon(bytes);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    if (st == STATUS_OK) {
        st = jobset_load(path, format ? format : "native", options, out, err);
        if (st != STATUS_OK)
            error_prefix(err, "%s: ", made->name);
    }
    if (fd >= 0)
        close(fd);
    return st;
}

/* Drops the least recently used parsed traces until the others fit into
 * max_bytes. Keeps `keep` and traces that a thread is copying. The caller holds
 * the lock. */
static void shelf_make_room(struct shelf *shelf, const struct shelf_book *keep)
{
    while (shelf->bytes > shelf->max_bytes) {
        struct shelf_book *oldest = NULL;
        for (struct shelf_book *b = shelf->books; b; b = b->next) {
            if (b != keep && b->state == BOOK_READY && b->n_readers == 0 &&
                (!oldest || b->used < oldest->used))
                oldest = b;
        }
        if (!oldest)
            return;
        jobset_fini(&oldest->jobset);
        shelf->bytes -= oldest->bytes;
        oldest->state = BOOK_EMPTY;
    }
}

/* Parses a trace and stores the jobset or the error in its book. The caller
 * holds the lock; it is released while the trace is parsed. */
static void load_book(struct shelf *shelf, struct shelf_book *book,
                      const char *path, const char *format,
                      const struct load_options *options)
{
    struct error err = {0};
    book->state = BOOK_LOADING;
    shelf->n_parsed++;
    pthread_mutex_unlock(&shelf->lock);
    const struct made *made = find_made(shelf, path);
    enum status st =
        made ? load_made(made, format, options, &book->jobset, &err)
             : jobset_load(path, format, options, &book->jobset, &err);
    pthread_mutex_lock(&shelf->lock);
    if (st == STATUS_OK) {
        book->bytes = jobset_bytes(&book->jobset);
        book->state = BOOK_READY;
        shelf->bytes += book->bytes;
        shelf_make_room(shelf, book);
    } else {
        book->jobset = (struct jobset){0};
        book->err = mem_alloc(sizeof *book->err);
        *book->err = err;
        book->state = BOOK_FAILED;
    }
    pthread_cond_broadcast(&shelf->loaded);
}

/* Copies the jobset of a book that is ready. The caller holds the lock; it is
 * released while the jobset is copied. */
static void copy_book(struct shelf *shelf, struct shelf_book *book,
                      struct jobset *out)
{
    book->n_readers++;
    pthread_mutex_unlock(&shelf->lock);
    jobset_copy(&book->jobset, out);
    pthread_mutex_lock(&shelf->lock);
    book->n_readers--;
}

enum status shelf_load(struct shelf *shelf, const char *path,
                       const char *format, const struct load_options *options,
                       struct jobset *out, struct error *err)
{
    enum status st = STATUS_OK;
    if (!shelf)
        return jobset_load(path, format, options, out, err);
    struct out *key = out_to_memory();
    shelf_write_key(key, path, format, options);
    pthread_mutex_lock(&shelf->lock);
    struct shelf_book *book = find_book(shelf, out_memory(key).at);
    out_abandon(key);
    while (book->state == BOOK_LOADING)
        pthread_cond_wait(&shelf->loaded, &shelf->lock);
    if (book->state == BOOK_EMPTY)
        load_book(shelf, book, path, format, options);
    book->used = ++shelf->n_requests;
    if (book->state == BOOK_READY)
        copy_book(shelf, book, out);
    else {
        st = book->err->status;
        if (err)
            *err = *book->err;
    }
    pthread_mutex_unlock(&shelf->lock);
    return st;
}

uint64_t shelf_parsed(struct shelf *shelf)
{
    pthread_mutex_lock(&shelf->lock);
    uint64_t n = shelf->n_parsed;
    pthread_mutex_unlock(&shelf->lock);
    return n;
}
