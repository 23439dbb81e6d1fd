/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The logs that `diagnose` reads: those of the command line or all files of
 * directories, and the ranks in their names. */
#include <errno.h>
#include <fts.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/ascii.h"
#include "commands/cmd_diagnose_internal.h"

/* Largest number of logs, and of folders between a directory and its logs. */
#define LOGS_MAX 4096
#define DEPTH_MAX 8

static enum status add(struct diagnose_input *input, const char *path,
                       struct error *err)
{
    struct arena *arena = &input->logs.call.arena;
    if (input->n_logs == LOGS_MAX)
        return error_set(err, STATUS_USAGE, "%s: more than %d logs", path,
                         LOGS_MAX);
    size_t len = strlen(path) + 1;
    char *copy = arena_alloc(arena, len);
    memcpy(copy, path, len);
    input->all = mem_grow(input->all, &input->cap_logs, input->n_logs + 1,
                          sizeof *input->all);
    input->all[input->n_logs++] =
        (struct diagnose_log){.path = copy, .rank = -1};
    return STATUS_OK;
}

static int by_name(const FTSENT **a, const FTSENT **b)
{
    return strcmp((*a)->fts_name, (*b)->fts_name);
}

/* Adds all regular files of a directory and of the folders in it, down to
 * DEPTH_MAX levels, except hidden files and folders. Links are not followed. */
static enum status add_folder(struct diagnose_input *input, const char *path,
                              struct error *err)
{
    char *roots[] = {(char *)(uintptr_t)path, NULL};
    FTS *walk = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, by_name);
    if (!walk)
        return error_set(err, STATUS_BAD_INPUT, "%s: %s", path,
                         strerror(errno));
    enum status st = STATUS_OK;
    size_t before = input->n_logs;
    FTSENT *at;
    while (st == STATUS_OK && (at = fts_read(walk))) {
        bool hidden = at->fts_level > 0 && at->fts_name[0] == '.';
        if (at->fts_info == FTS_D && (hidden || at->fts_level > DEPTH_MAX))
            fts_set(walk, at, FTS_SKIP);
        else if (at->fts_info == FTS_F && !hidden)
            st = add(input, at->fts_path, err);
    }
    fts_close(walk);
    if (st == STATUS_OK && input->n_logs == before)
        st = error_set(err, STATUS_BAD_INPUT, "%s: has no files", path);
    return st;
}

/* Returns the number of at most 7 digits at the beginning of `t`; -1: none. */
static int64_t number_at(struct text t)
{
    size_t n = 0;
    uint32_t value;
    while (n < 7 && ascii_is_digit(text_char(t, n)))
        n++;
    return text_to_u32((struct text){t.at, n}, &value) ? (int64_t)value : -1;
}

/* Returns the rank that a path names: "rank3", "task_3", "worker-3", "proc.3",
 * or the folder of torchrun's "attempt_0/3/stderr.log"; -1: none. */
static int64_t rank_in_path(const char *path)
{
    static const char *const words[] = {"rank", "task", "worker", "proc"};
    const char *base = strrchr(path, '/');
    struct text folder = {path, base ? (size_t)(base - path) : 0};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        const char *at = strcasestr(base ? base : path, words[i]);
        if (!at)
            continue;
        at += strlen(words[i]);
        at += *at && strchr("_-.=", *at);
        int64_t rank = number_at(text_from(at));
        if (rank >= 0)
            return rank;
    }
    if (!base || strncmp(base + 1, "std", 3) != 0)
        return -1;
    const char *parent = memrchr(folder.at, '/', folder.len);
    size_t skipped = parent ? (size_t)(parent - path) + 1 : 0;
    struct text name = text_skip(folder, skipped);
    for (size_t i = 0; i < name.len; i++) {
        if (!ascii_is_digit(name.at[i]))
            return -1;
    }
    return number_at(name);
}

/* Sets the ranks of logs whose names differ in one number only, such as Slurm's
 * %t: that number is the rank. */
static void ranks_by_difference(struct diagnose_input *input)
{
    struct diagnose_log *all = input->all;
    if (input->n_logs < 2)
        return;
    const char *first = all[0].path;
    size_t same = 0;
    while (first[same] && first[same] == all[1].path[same])
        same++;
    while (same > 0 && ascii_is_digit(first[same - 1]))
        same--;
    const char *rest = first + same + strspn(first + same, "0123456789");
    for (size_t i = 0; i < input->n_logs; i++) {
        const char *path = all[i].path;
        if (strncmp(path, first, same) != 0 || !ascii_is_digit(path[same]) ||
            strcmp(path + same + strspn(path + same, "0123456789"), rest) != 0)
            return;
    }
    for (size_t i = 0; i < input->n_logs; i++)
        all[i].rank = number_at(text_from(all[i].path + same));
}

static void find_ranks(struct diagnose_input *input)
{
    bool named = false;
    for (size_t i = 0; i < input->n_logs; i++) {
        struct diagnose_log *log = &input->all[i];
        log->rank = input->rank_order ? (int64_t)i : rank_in_path(log->path);
        named |= log->rank >= 0;
    }
    if (!named)
        ranks_by_difference(input);
}

enum status diagnose_find_logs(struct diagnose_input *input, struct error *err)
{
    enum status st = STATUS_OK;
    for (size_t i = 0; i < input->paths.n && st == STATUS_OK; i++) {
        const char *path = input->paths.at[i];
        struct stat about;
        bool folder = stat(path, &about) == 0 && S_ISDIR(about.st_mode);
        if (folder && !input->folders)
            st = error_set(err, STATUS_BAD_INPUT,
                           "%s: is a directory; --dir reads all its files",
                           path);
        else if (strcmp(path, "-") == 0 && input->paths.n > 1)
            st = error_set(err, STATUS_USAGE,
                           "-: standard input goes with no other log");
        else
            st = folder ? add_folder(input, path, err) : add(input, path, err);
    }
    find_ranks(input);
    return st;
}
