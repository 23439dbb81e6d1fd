/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The log of decisions. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/drive/drive_internal.h"

/* Returns the size of the whole lines; -1: the file cannot be read. */
static off_t log_whole(int from, off_t size)
{
    char block[4096];
    while (size > 0) {
        const off_t n = size < (off_t)sizeof block ? size : (off_t)sizeof block;
        size -= n;
        if (pread(from, block, (size_t)n, size) != n)
            return -1;
        const char *line = memrchr(block, '\n', (size_t)n);
        if (line)
            return size + (line + 1 - block);
    }
    return 0;
}

/* True if what begins there is a line of a driver, as far as it goes. */
static bool log_is_ours(int from, off_t at)
{
    char rest[sizeof "{\"drive\":" - 1];
    const ssize_t n = pread(from, rest, sizeof rest, at);
    return n > 0 && (memcmp(rest, "{\"drive\":", (size_t)n) == 0 ||
                     memcmp(rest, "{\"cycle\":", (size_t)n) == 0);
}

/* Cuts off a last line that a kill left unfinished, so that the next one stands
 * by itself; not while another driver writes to the file. */
static enum status log_mend(const char *path, int fd, struct error *err)
{
    struct stat about;
    if (fstat(fd, &about) != 0 || !S_ISREG(about.st_mode) ||
        flock(fd, LOCK_EX | LOCK_NB) != 0)
        return STATUS_OK;
    const int from = open(path, O_RDONLY | O_CLOEXEC);
    const off_t whole = log_whole(from, about.st_size);
    const bool ours =
        whole == about.st_size || (whole >= 0 && log_is_ours(from, whole));
    if (from >= 0)
        close(from);
    if (!ours)
        return error_set(err, STATUS_FAILED,
                         "%s: cannot be read, or its last line is not whole "
                         "and not of drive: nothing is added to it",
                         path);
    return whole == about.st_size || ftruncate(fd, whole) == 0
               ? STATUS_OK
               : error_set(err, STATUS_FAILED, "%s: %s", path, strerror(errno));
}

enum status drive_log_open(const struct drive_options *options, int *fd,
                           struct error *err)
{
    char path[4096];
    *fd = -1;
    if (!options->log && !options->execute)
        return STATUS_OK;
    if (options->log)
        snprintf(path, sizeof path, "%.4000s", options->log);
    else
        snprintf(path, sizeof path, "%.4000s/decisions.jsonl", options->dir);
    *fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    return *fd >= 0
               ? log_mend(path, *fd, err)
               : error_set(err, STATUS_FAILED, "%s: %s", path, strerror(errno));
}

/* Appends the object as one line and waits until it is on the disk. What a full
 * disk has left of the line is taken back, so that the next line stands by
 * itself. Frees `row`. */
static enum status log_line(int fd, json_t *row, struct error *err)
{
    const off_t before = lseek(fd, 0, SEEK_END);
    char *line = json_dumps(row, JSON_COMPACT);
    size_t len = strlen(line), done = 0;
    ssize_t n = 0;
    json_decref(row);
    line[len++] = '\n'; /* in place of the final 0 */
    while (done < len && (n = write(fd, line + done, len - done)) >= 0)
        done += (size_t)n;
    int code = done < len ? errno : 0;
    if (code == 0 && fsync(fd) != 0 && errno != EINVAL && errno != EROFS)
        code = errno;
    free(line);
    if (code == 0)
        return STATUS_OK;
    if (before >= 0 && ftruncate(fd, before) != 0) {
        /* no file, such as a pipe: nothing is left of the line in it */
    }
    return error_set(err, STATUS_FAILED, "the log of decisions: %s",
                     strerror(code));
}

static json_t *log_names(const struct drive_names *names)
{
    json_t *list = json_array();
    for (size_t i = 0; i < names->n; i++)
        json_array_append_new(list, json_text(names->at[i]));
    return list;
}

enum status drive_log_begin(int fd, const struct drive_options *options,
                            struct error *err)
{
    if (fd < 0)
        return STATUS_OK;
    json_t *row = json_object();
    json_put(row, "drive", json_integer(1));
    json_put(row, "by", json_text(drive_by_names[options->by]));
    json_put(row, "execute", json_boolean(options->execute));
    json_put(row, "requeue", json_boolean(options->requeue));
    json_put(row, "mark", json_text(options->scope.mark));
    json_put(row, "partitions", log_names(&options->scope.partitions));
    json_put(row, "users", log_names(&options->scope.users));
    json_put(row, "nice_max", json_integer(options->nice_max));
    json_object_set(row, "options", options->settings);
    return log_line(fd, row, err);
}

/* Returns the state as a state file has it. */
static json_t *log_state(const struct state *state)
{
    struct out *out = out_to_memory();
    state_write(state, out);
    const struct text bytes = out_memory(out);
    json_t *root = json_loadb(bytes.at, bytes.len, 0, NULL);
    out_abandon(out);
    return root;
}

enum status drive_log_decision(int fd, uint64_t cycle,
                               const struct state *state,
                               const struct drive_plan *plan,
                               const struct drive_acts *acts, struct error *err)
{
    if (fd < 0)
        return STATUS_OK;
    json_t *row = json_object();
    char at[TIME_TEXT_MAX];
    time_to_text(state->at, at);
    json_put(row, "cycle", json_integer((json_int_t)cycle));
    json_put(row, "time_utc", json_text(at));
    json_put(row, "plan", drive_plan_json(plan, state));
    json_put(row, "actions", drive_acts_json(acts));
    json_put(row, "state", log_state(state));
    return log_line(fd, row, err);
}

enum status drive_log_outcome(int fd, uint64_t cycle,
                              const struct drive_acts *acts, bool good,
                              const struct error *said, struct error *err)
{
    if (fd < 0)
        return STATUS_OK;
    json_t *row = json_object(), *refused = json_array();
    for (size_t i = 0; i < acts->n; i++) {
        if (acts->at[i].failed)
            json_array_append_new(refused, json_text(acts->at[i].id));
    }
    json_put(row, "cycle", json_integer((json_int_t)cycle));
    json_put(row, "done", json_boolean(good));
    if (!good) {
        json_put(row, "said", json_text(said->message));
        json_put(row, "in_refused_batch", refused);
    } else {
        json_decref(refused);
    }
    return log_line(fd, row, err);
}
