/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What must be remembered about jobs from one cycle to the next. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/drive/drive_internal.h"

static void book_path(const char *dir, char out[4096])
{
    snprintf(out, 4096, "%.4000s/book.json", dir);
}

/* Returns the index of the entry, or where it belongs. */
static size_t book_place(const struct drive_book *book, const char *id,
                         bool *found)
{
    size_t lo = 0, hi = book->n;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        int order = strcmp(book->entries[mid].id, id);
        if (order == 0) {
            *found = true;
            return mid;
        }
        if (order < 0)
            lo = mid + 1;
        else
            hi = mid;
    }
    *found = false;
    return lo;
}

const struct drive_entry *drive_book_find(const struct drive_book *book,
                                          const char *id)
{
    bool found;
    size_t at = book_place(book, id, &found);
    return found ? &book->entries[at] : NULL;
}

struct drive_entry *drive_book_entry(struct drive_book *book, const char *id)
{
    bool found;
    size_t at = book_place(book, id, &found);
    if (found)
        return &book->entries[at];
    book->entries =
        mem_grow(book->entries, &book->cap, book->n + 1, sizeof *book->entries);
    memmove(&book->entries[at + 1], &book->entries[at],
            (book->n - at) * sizeof *book->entries);
    book->n++;
    book->entries[at] = (struct drive_entry){.freed = -1, .put_back = -1};
    snprintf(book->entries[at].id, sizeof book->entries[at].id, "%s", id);
    return &book->entries[at];
}

static int64_t book_whole(const json_t *row, const char *key, int64_t unknown)
{
    const json_t *value = json_object_get(row, key);
    return json_is_integer(value) ? json_integer_value(value) : unknown;
}

enum status drive_book_read(const char *dir, struct drive_book *out,
                            struct error *err)
{
    char path[4096];
    *out = (struct drive_book){0};
    book_path(dir, path);
    if (access(path, F_OK) != 0 && errno == ENOENT)
        return STATUS_OK;
    json_t *root = json_read_file(path, err);
    if (!root)
        return STATUS_BAD_INPUT;
    const json_t *jobs = json_object_get(root, "jobs");
    bool good = json_integer_value(json_object_get(root, "drive_book")) == 1 &&
                json_is_array(jobs);
    for (size_t i = 0; good && i < json_array_size(jobs); i++) {
        const json_t *row = json_array_get(jobs, i);
        const char *id = json_string_value(json_object_get(row, "id"));
        if (!id || !drive_id_is_plain(id)) {
            good = false;
            break;
        }
        struct drive_entry *entry = drive_book_entry(out, id);
        entry->freed = book_whole(row, "freed", -1);
        entry->put_back = book_whole(row, "put_back", -1);
        entry->foreign = json_is_true(json_object_get(row, "foreign"));
        entry->has_nice = json_object_get(row, "nice_set") != NULL;
        entry->nice_was = book_whole(row, "nice_was", 0);
        entry->nice_set = book_whole(row, "nice_set", 0);
    }
    const char *boot = json_string_value(json_object_get(root, "boot"));
    snprintf(out->boot, sizeof out->boot, "%s", boot ? boot : "");
    out->scope = json_incref(json_object_get(root, "scope"));
    json_decref(root);
    if (good)
        return STATUS_OK;
    drive_book_fini(out);
    return error_set(err, STATUS_BAD_INPUT,
                     "%s: is not a book of drive (\"drive_book\": 1)", path);
}

enum status drive_book_write(const struct drive_book *book, const char *dir,
                             struct error *err)
{
    char path[4096];
    struct out *out;
    json_t *root = json_object(), *jobs = json_array();
    book_path(dir, path);
    json_put(root, "drive_book", json_integer(1));
    json_put(root, "boot", json_text(book->boot));
    if (book->scope)
        json_object_set(root, "scope", book->scope);
    for (size_t i = 0; i < book->n; i++) {
        const struct drive_entry *entry = &book->entries[i];
        json_t *row = json_object();
        json_put(row, "id", json_text(entry->id));
        if (entry->freed >= 0)
            json_put(row, "freed", json_integer(entry->freed));
        if (entry->foreign)
            json_put(row, "foreign", json_true());
        if (entry->put_back >= 0)
            json_put(row, "put_back", json_integer(entry->put_back));
        if (entry->has_nice) {
            json_put(row, "nice_was", json_integer(entry->nice_was));
            json_put(row, "nice_set", json_integer(entry->nice_set));
        }
        json_array_append_new(jobs, row);
    }
    json_put(root, "jobs", jobs);
    enum status st = out_open_private(path, &out, err);
    if (st == STATUS_OK) {
        json_write(out, root);
        st = out_close(out, err);
    }
    json_decref(root);
    return st;
}

void drive_book_fini(struct drive_book *book)
{
    free(book->entries);
    json_decref(book->scope);
    *book = (struct drive_book){0};
}

static json_t *book_names(const struct drive_names *names)
{
    json_t *list = json_array();
    for (size_t i = 0; i < names->n; i++)
        json_array_append_new(list, json_text(names->at[i]));
    return list;
}

void drive_book_set_scope(struct drive_book *book,
                          const struct drive_options *options)
{
    json_decref(book->scope);
    book->scope = json_object();
    json_put(book->scope, "by", json_text(drive_by_names[options->by]));
    json_put(book->scope, "mark", json_text(options->scope.mark));
    json_put(book->scope, "partitions", book_names(&options->scope.partitions));
    json_put(book->scope, "users", book_names(&options->scope.users));
}

static struct drive_names book_list(const json_t *list, struct arena *arena)
{
    const size_t n = json_array_size(list);
    const char **at = ARENA_ARRAY(arena, const char *, n + 1);
    struct drive_names names = {.at = at};
    for (size_t i = 0; i < n; i++) {
        const char *name = json_string_value(json_array_get(list, i));
        if (name)
            at[names.n++] = name;
    }
    return names;
}

void drive_book_get_scope(const struct drive_book *book,
                          struct drive_options *options, struct arena *arena)
{
    if (!book->scope)
        return;
    const char *mark = json_string_value(json_object_get(book->scope, "mark"));
    const char *by = json_string_value(json_object_get(book->scope, "by"));
    options->scope.partitions =
        book_list(json_object_get(book->scope, "partitions"), arena);
    options->scope.users =
        book_list(json_object_get(book->scope, "users"), arena);
    if (mark)
        options->scope.mark = mark;
    if (by)
        options->by = strcmp(by, drive_by_names[DRIVE_BY_NICE]) == 0
                          ? DRIVE_BY_NICE
                          : DRIVE_BY_RELEASE;
}
