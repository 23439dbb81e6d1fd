/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The log of decisions. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/drive/drive_internal.h"

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
               ? STATUS_OK
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
