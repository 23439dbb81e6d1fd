/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "schedmate/live/action_state.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/rows.h"
#include "schedmate/live/action_run.h"
#include "schedmate/live/home.h"

#define HOUR 3600
#define DAY (24 * HOUR)
/* Number of attempts to take a lock that another process holds, 0.01 s
 * apart. */
#define LOCK_TRIES 1000

/* The actions in the file that may still count. */
struct past {
    json_t *rows; /* array of objects, one per action */
    int64_t now;
    int64_t keep; /* seconds for which a row counts */
};

static enum status damaged(const char *path, uint64_t line, struct error *err)
{
    return error_set(err, STATUS_BAD_INPUT,
                     "%s:%" PRIu64 ": expected {\"unix_s\": SECONDS, \"node\": "
                     "NAME, \"action\": NAME}; repair or remove the file",
                     path, line);
}

/* Refuses a file that another user owns or can write, or that is not a plain
 * file. *absent becomes true if there is no file or it is empty. */
static enum status check_owner(const char *path, bool *absent,
                               struct error *err)
{
    struct stat at;
    *absent = lstat(path, &at) != 0 && errno == ENOENT;
    if (*absent)
        return STATUS_OK;
    if (lstat(path, &at) != 0)
        return error_set(err, STATUS_FAILED, "%s: %s", path, strerror(errno));
    if (!S_ISREG(at.st_mode))
        return error_set(err, STATUS_FAILED, "%s: is not a plain file", path);
    if (at.st_uid != geteuid() || (at.st_mode & (S_IWGRP | S_IWOTH)) != 0)
        return error_set(err, STATUS_FAILED,
                         "%s: another user owns it or can write it", path);
    *absent = at.st_size == 0;
    return STATUS_OK;
}

static enum status read_past(const char *path, struct past *past,
                             struct error *err)
{
    struct rows *rows = NULL;
    struct text line;
    bool absent;
    enum status st = check_owner(path, &absent, err);
    if (st != STATUS_OK || absent)
        return st;
    st = rows_open(path, &rows, err);
    while (st == STATUS_OK && (st = rows_line(rows, &line, err)) == STATUS_OK) {
        json_t *row =
            json_loadb(line.at, line.len, JSON_REJECT_DUPLICATES, NULL);
        json_int_t at = json_integer_value(json_object_get(row, "unix_s"));
        if (at <= 0 || !json_is_string(json_object_get(row, "node")) ||
            !json_is_string(json_object_get(row, "action")))
            st = damaged(path, rows_line_number(rows), err);
        else if (past->now - at <= past->keep)
            json_array_append(past->rows, row);
        json_decref(row);
    }
    rows_close(rows);
    return st == STATUS_END ? STATUS_OK : st;
}

/* Adds to `out` the limits that one more action would exceed. A time in the
 * future, left by a clock that was set back, counts as now. */
static void exceeded(const struct past *past,
                     const struct action_limits *limits, const char *node,
                     json_t *out)
{
    int64_t youngest = INT64_MAX, cooldown = limits->cooldown / SPAN_SECOND;
    uint32_t of_node = 0, of_all = 0;
    char why[200];
    size_t i;
    const json_t *row;
    json_array_foreach(past->rows, i, row)
    {
        int64_t age =
            past->now - json_integer_value(json_object_get(row, "unix_s"));
        const char *name = json_string_value(json_object_get(row, "node"));
        of_all += age < HOUR;
        if (strcmp(name, node) != 0)
            continue;
        of_node += age < DAY;
        youngest = age < youngest ? age : youngest;
    }
    if (youngest < cooldown) {
        snprintf(why, sizeof why,
                 "an action on this node began %" PRId64
                 " s ago; the cool-down is %" PRId64 " s (--node-cooldown)",
                 youngest < 0 ? 0 : youngest, cooldown);
        json_array_append_new(out, json_text(why));
    }
    if (of_node >= limits->per_node) {
        snprintf(why, sizeof why,
                 "%u actions on this node in 24 hours; the limit is %u "
                 "(--node-limit)",
                 of_node, limits->per_node);
        json_array_append_new(out, json_text(why));
    }
    if (of_all >= limits->per_hour) {
        snprintf(why, sizeof why,
                 "%u actions in the cluster in an hour; the limit is %u "
                 "(--cluster-limit)",
                 of_all, limits->per_hour);
        json_array_append_new(out, json_text(why));
    }
}

static enum status lock(const char *path, int *fd, struct error *err)
{
    char name[PATH_MAX];
    int n = snprintf(name, sizeof name, "%s.lock", path);
    if (n < 0 || n >= PATH_MAX)
        return error_set(err, STATUS_USAGE, "%s: the path is too long", path);
    *fd = open(name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (*fd < 0)
        return error_set(err, STATUS_FAILED, "%s: %s", name, strerror(errno));
    for (int i = 0; i < LOCK_TRIES; i++) {
        if (flock(*fd, LOCK_EX | LOCK_NB) == 0)
            return STATUS_OK;
        action_pause();
    }
    return error_set(err, STATUS_FAILED,
                     "%s: another process has held the lock for 10 s", name);
}

static enum status write_past(const char *path, const struct past *past,
                              struct error *err)
{
    struct out *out;
    size_t i;
    const json_t *row;
    enum status st = out_open_private(path, &out, err);
    if (st != STATUS_OK)
        return st;
    json_array_foreach(past->rows, i, row)
    {
        char *line = json_dumps(row, JSON_COMPACT);
        out_text(out, line);
        out_char(out, '\n');
        free(line);
    }
    return out_close(out, err);
}

static enum status compare(const char *path, const struct action_limits *limits,
                           const char *node, const char *action, bool begin,
                           json_t *out, struct error *err)
{
    int64_t cooldown = limits->cooldown / SPAN_SECOND;
    struct past past = {.rows = json_array(),
                        .now = action_now(),
                        .keep = cooldown > DAY ? cooldown : DAY};
    enum status st = read_past(path, &past, err);
    size_t before = json_array_size(out);
    if (st == STATUS_OK)
        exceeded(&past, limits, node, out);
    if (st == STATUS_OK && begin && json_array_size(out) == before) {
        json_t *row = json_object();
        json_put(row, "unix_s", json_integer(past.now));
        json_put(row, "node", json_text(node));
        json_put(row, "action", json_text(action));
        json_array_append_new(past.rows, row);
        st = write_past(path, &past, err);
    }
    json_decref(past.rows);
    return st;
}

enum status action_state(const char *path, const struct action_limits *limits,
                         const char *node, const char *action, bool begin,
                         json_t *out, struct error *err)
{
    int fd = -1;
    enum status st = STATUS_OK;
    if (begin)
        st = home_make_folders(path, err);
    if (st == STATUS_OK && begin)
        st = lock(path, &fd, err);
    if (st == STATUS_OK)
        st = compare(path, limits, node, action, begin, out, err);
    if (fd >= 0)
        close(fd); /* releases the lock */
    return st;
}
