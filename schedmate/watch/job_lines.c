/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads what another scheduler reports about its jobs: JSON Lines in a file
 * that grows or is replaced, or on standard input. */
#include "schedmate/watch/watch_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "schedmate/live/log_file.h"

/* Number of bytes after which one look reads no more. */
#define JOB_LINES_LOOK_BYTES (16u << 20)
/* Prefix of the path of the file in the state, which distinguishes the file
 * from a log. */
#define JOB_LINES_STATE_PREFIX "jobs:"
enum { JOB_LOGS_MAX = 64 };

struct job_lines {
    char *path; /* absolute path of the file; NULL: standard input */
    /* name of the file in the state; NULL: standard input */
    char *key;
    struct text rest; /* unfinished line of standard input; owned */
    bool ended;       /* true if standard input has ended */
    uint64_t line;
    struct watch *w;
};

static const char *const text_keys[] = {
    "user",     "node",  "name",     "workdir",   "command", "branch", "vc",
    "metadata", "state", "gpu_type", "exit_code", "signal",  "reason", NULL};
static const char *const time_keys[] = {"submitted", "started", "ended", NULL};
static const char *const other_keys[] = {"job", "log", "logs", "gpus", NULL};

enum status job_lines_open(const char *path, struct job_lines **out,
                           struct error *err)
{
    struct job_lines *l = mem_zalloc(1, sizeof *l);
    char real[PATH_MAX];
    *out = l;
    if (strcmp(path, "-") == 0) {
        int flags = fcntl(STDIN_FILENO, F_GETFL);
        fcntl(STDIN_FILENO, F_SETFL, flags | O_NONBLOCK);
        return STATUS_OK;
    }
    if (!realpath(path, real)) {
        enum status st =
            error_set(err, STATUS_BAD_INPUT, "%s: %s", path, strerror(errno));
        job_lines_close(l);
        *out = NULL;
        return st;
    }
    l->path = mem_text(real);
    l->key = mem_alloc(strlen(real) + sizeof JOB_LINES_STATE_PREFIX);
    snprintf(l->key, strlen(real) + sizeof JOB_LINES_STATE_PREFIX, "%s%s",
             JOB_LINES_STATE_PREFIX, real);
    return STATUS_OK;
}

void job_lines_close(struct job_lines *l)
{
    if (!l)
        return;
    free((char *)(uintptr_t)l->rest.at);
    free(l->path);
    free(l->key);
    free(l);
}

int job_lines_fd(const struct job_lines *l)
{
    return l->path || l->ended ? -1 : STDIN_FILENO;
}

static void lines_bad(struct job_lines *l, const char *words)
{
    l->w->counts.bad_jobs++;
    watch_say(l->w, "%s: line %llu: %s; the line is left out",
              l->path ? l->path : "standard input", (unsigned long long)l->line,
              words);
}

static bool is_in(const char *const *names, const char *name)
{
    while (*names && strcmp(*names, name) != 0)
        names++;
    return *names != NULL;
}

/* Returns a text or a whole number as a new text value; NULL for any other
 * value. */
static json_t *as_text(const json_t *value)
{
    char digits[32];
    if (json_is_string(value))
        return json_string(json_string_value(value));
    if (!json_is_integer(value))
        return NULL;
    snprintf(digits, sizeof digits, "%lld",
             (long long)json_integer_value(value));
    return json_string(digits);
}

/* Returns seconds since 1970 as a new value; NULL if `value` is not a time. */
static json_t *as_time(const json_t *value)
{
    sim_time at;
    bool zoned;
    if (json_is_number(value))
        return json_real(json_number_value(value));
    if (json_is_string(value) &&
        text_to_time(text_from(json_string_value(value)), &at, &zoned))
        return json_real(span_seconds(at));
    return NULL;
}

/* Returns a new list of the GPUs: an index becomes "NODE:INDEX", a text stays
 * as it is, other values are left out. */
static json_t *as_gpus(const json_t *value, const char *node)
{
    json_t *list = json_array(), *one;
    size_t i;
    char name[256];
    json_array_foreach(value, i, one)
    {
        if (json_is_integer(one)) {
            snprintf(name, sizeof name, "%s:%lld", node,
                     (long long)json_integer_value(one));
            json_array_append_new(list, json_text(name));
        } else if (json_is_string(one)) {
            json_array_append(list, one);
        }
    }
    return list;
}

static void take_facts(struct job_lines *l, json_t *row, json_t *facts)
{
    const char *key;
    json_t *value;
    json_object_foreach(row, key, value)
    {
        json_t *fact = NULL;
        if (is_in(text_keys, key))
            fact = as_text(value);
        else if (is_in(time_keys, key))
            fact = as_time(value);
        else if (strcmp(key, "gpus") == 0) {
            const char *node = json_string_value(json_object_get(row, "node"));
            fact = as_gpus(value, node ? node : "");
        } else if (!is_in(other_keys, key))
            watch_say(l->w, "key '%s' of a job is not used", key);
        if (fact)
            json_object_set_new(facts, key, fact);
        else if (is_in(text_keys, key) || is_in(time_keys, key))
            watch_say(l->w, "line %llu: '%s' has no usable value",
                      (unsigned long long)l->line, key);
    }
}

static void lines_give_log(struct job_lines *l, struct watch_job *job,
                           const json_t *log)
{
    char real[PATH_MAX];
    const char *path = json_string_value(log);
    if (!path || !*path) {
        lines_bad(l, "expected the path of a log");
        return;
    }
    /* a log that does not exist yet keeps the name that was given */
    if (realpath(path, real))
        path = real;
    else if (path[0] != '/') {
        lines_bad(
            l, "expected an absolute path, because the log does not exist yet");
        return;
    }
    watch_give_log(l->w, job, path, UINT32_MAX);
}

static void lines_take_row(struct job_lines *l, json_t *row)
{
    struct watch *w = l->w;
    json_t *id = as_text(json_object_get(row, "job"));
    const json_t *log = json_object_get(row, "log"),
                 *logs = json_object_get(row, "logs"), *one;
    json_t *facts = json_object();
    size_t i;
    if (!id || !*json_string_value(id)) {
        lines_bad(l, "'job' is missing: expected the name of the job");
        json_decref(id);
        json_decref(facts);
        return;
    }
    struct watch_job *job = book_job(&w->book, json_string_value(id));
    if (!job)
        job = book_add_job(&w->book, json_string_value(id), NULL);
    job->scheduled = job->dirty = true;
    take_facts(l, row, facts);
    watch_take_facts(w, job, facts);
    if (log)
        lines_give_log(l, job, log);
    json_array_foreach(logs, i, one)
    {
        if (i < JOB_LOGS_MAX)
            lines_give_log(l, job, one);
    }
    watch_tell_seen(w, job);
    json_decref(facts);
    json_decref(id);
}

static void lines_take_line(void *self, struct watch_file *file,
                            struct text line)
{
    struct job_lines *l = self;
    json_error_t error;
    (void)file;
    l->line++;
    line = text_trim(line);
    if (line.len == 0)
        return;
    json_t *row = json_loadb(line.at, line.len, JSON_REJECT_DUPLICATES, &error);
    if (json_is_object(row))
        lines_take_row(l, row);
    else
        lines_bad(l, row ? "expected a JSON object" : error.text);
    json_decref(row);
}

/* Returns the file's entry in the book, made if necessary. If the path now
 * names another file than before, the next read begins at offset 0. */
static struct watch_file *lines_renew(struct job_lines *l, struct watch *w)
{
    struct watch_file *f = book_file(&w->book, l->key);
    struct stat about;
    if (!f)
        f = book_add_file(&w->book, l->key, NULL);
    if (stat(l->path, &about) != 0) {
        watch_say(w, "%s: %s", l->path, strerror(errno));
        return f;
    }
    if (f->dev != about.st_dev || f->inode != about.st_ino) {
        follow_restart(f);
        f->dev = about.st_dev;
        f->inode = about.st_ino;
        l->line = 0;
    }
    return f;
}

static void lines_read_file(struct job_lines *l, struct watch *w)
{
    struct watch_file *f = lines_renew(l, w);
    const struct follow_request request = {.path = l->path,
                                           .limit = JOB_LINES_LOOK_BYTES,
                                           .line = lines_take_line,
                                           .self = l};
    uint64_t bytes;
    if (follow_read(f, &request, &bytes) == FOLLOW_TRUNCATED) {
        follow_restart(f);
        l->line = 0;
        (void)follow_read(f, &request, &bytes);
    }
}

/* Takes the whole lines of a piece of standard input, and keeps what is after
 * them. At the end of the input the last line needs no '\n'. */
static void lines_take_piece(struct job_lines *l, struct text piece)
{
    struct text all = piece, line;
    while (all.len > 0 && (l->ended || memchr(all.at, '\n', all.len))) {
        line = text_split(all, '\n', &all);
        lines_take_line(l, NULL, line);
    }
    if (all.len > LOG_LINE_KEPT) {
        lines_bad(l, "the line is too long");
        all.len = 0;
    }
    char *rest = mem_alloc(all.len + 1);
    memcpy(rest, all.at, all.len);
    l->rest = (struct text){rest, all.len};
}

static void lines_read_input(struct job_lines *l)
{
    size_t all = 0;
    while (!l->ended && all < JOB_LINES_LOOK_BYTES) {
        char *buf = mem_alloc(l->rest.len + LOG_LINE_KEPT);
        memcpy(buf, l->rest.at ? l->rest.at : "", l->rest.len);
        ssize_t n = read(STDIN_FILENO, buf + l->rest.len, LOG_LINE_KEPT);
        if (n < 0 && errno == EAGAIN) {
            free(buf);
            return;
        }
        l->ended = n <= 0;
        struct text piece = {buf, l->rest.len + (n > 0 ? (size_t)n : 0)};
        free((char *)(uintptr_t)l->rest.at);
        all += piece.len;
        lines_take_piece(l, piece);
        free(buf);
    }
}

void job_lines_read(struct job_lines *l, struct watch *w)
{
    l->w = w;
    if (l->path)
        lines_read_file(l, w);
    else
        lines_read_input(l);
}
