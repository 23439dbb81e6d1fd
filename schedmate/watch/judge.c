/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Asks the modules of SchedMate about the logs of a job: the Metric Tracker
 * about the beginning and the end of the log with the most progress, the
 * Failure Handler about each log, at most JUDGED_LOGS, or the end of a large
 * one. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "schedmate/live/log_window.h"
#include "schedmate/llm/llm_client.h"
#include "schedmate/logs/handler_facts.h"
#include "schedmate/watch/watch_internal.h"

/* Numbers of bytes from which the step time is read: at the end of a log, and
 * at its beginning, which may give the size of a batch. */
#define SPEED_TAIL (64u << 10)
#define SPEED_HEAD (64u << 10)
/* Largest number of logs of a job that are judged. */
#define JUDGED_LOGS 8

void judge_end(struct watch *w, const struct watch_job *job,
               struct job_end *out)
{
    struct error err;
    const char *state = job_fact(job, "state"),
               *code = job_fact(job, "exit_code"),
               *signal = job_fact(job, "signal");
    *out = (struct job_end){.knowledge = w->knowledge};
    err.status = STATUS_OK;
    if (*state && job_end_read_state(state, out, &err) != STATUS_OK)
        watch_say(w, "state: %s", err.message);
    if (*code && job_end_read_code(code, out, &err) != STATUS_OK)
        watch_say(w, "exit_code: %s", err.message);
    if (*signal && job_end_read_signal(signal, out, &err) != STATUS_OK)
        watch_say(w, "signal: %s", err.message);
    if (*job_fact(job, "reason"))
        job_end_read_reason(job_fact(job, "reason"), out);
}

/* Copies the bytes from `from` to `to` of a log to a file in memory and returns
 * its descriptor, -1 if the file cannot be made. An error of reading or writing
 * cuts the copy short. */
static int copy_end(int fd, uint64_t from, uint64_t to)
{
    int copy = memfd_create("log", MFD_CLOEXEC);
    char *block = mem_alloc(1u << 20);
    while (copy >= 0 && from < to) {
        size_t len = to - from < (1u << 20) ? (size_t)(to - from) : 1u << 20;
        ssize_t n = pread(fd, block, len, (off_t)from);
        if (n <= 0 || write(copy, block, (size_t)n) != n)
            break;
        from += (uint64_t)n;
    }
    free(block);
    return copy;
}

/* Opens the part of a log that is judged: the whole of it, or its end, where
 * *skipped is the number of bytes before it. `name` becomes a path of the
 * descriptor, so that the log that was opened is judged even if it is renamed
 * meanwhile. Returns the descriptor; -1 if the log cannot be read. */
static int open_judged(struct watch *w, struct watch_file *f, uint64_t *skipped,
                       char name[32])
{
    int fd = -1;
    uint64_t most = (uint64_t)w->config->judge_mib << 20;
    *skipped = 0;
    if (f->inode == 0 || follow_open(f, f->path, &fd) != FOLLOW_READ)
        return -1;
    if (f->size > most) {
        *skipped = f->size - most;
        int copy = copy_end(fd, *skipped, f->size);
        close(fd);
        fd = copy;
    }
    snprintf(name, 32, "/proc/self/fd/%d", fd);
    return fd;
}

/* Judges a window as `diagnose` does. */
static enum status judge_window(struct watch *w, struct log_file *file,
                                const struct handler_config *handler,
                                const struct job_end *end,
                                struct log_window *window,
                                struct diagnosis *out, struct error *err)
{
    enum status st = STATUS_OK;
    *out = (struct diagnosis){.reason = "", .part = PART_NONE};
    if (window->text.len > 0) {
        handler_judge(w->knowledge, window->text, window->error_at,
                      window->located.sure, end, out);
    } else if (job_end_verdict(end) == END_SAYS_FAILED) {
        st = log_window_last(file, handler->window, window, err);
        if (st == STATUS_OK && window->text.len > 0)
            handler_judge_end(w->knowledge, window->text, end, out);
    }
    job_end_apply(end, out);
    arena_reset(&w->scratch);
    if (st == STATUS_OK && w->has_model && window->text.len > 0 && out->failed)
        st = handler_ask(handler, w->knowledge, backend_client(w->backend),
                         window->text, &w->scratch, out, err);
    handler_facts_apply(end, out);
    return st;
}

/* Judges one log. Returns false if it cannot be read or judged. */
static bool judge_log(struct watch *w, struct watch_file *f,
                      const struct job_end *end, struct log_judgement *out)
{
    struct locator_config locator;
    struct handler_config handler;
    struct log_window window = {0};
    struct log_file *file = NULL;
    struct diagnosis *d = &out->diagnosis;
    struct error err;
    char name[32];
    *out = (struct log_judgement){.file = f};
    int fd = open_judged(w, f, &out->skipped, name);
    if (fd < 0)
        return false;
    option_defaults(locator_options, &locator);
    option_defaults(handler_options, &handler);
    enum status st = log_file_open(name, &file, &err);
    if (st == STATUS_OK)
        st = log_window_find(file, &locator, &handler, w->classifier,
                             w->knowledge, &window, &err);
    if (st == STATUS_OK)
        st = judge_window(w, file, &handler, end, &window, d, &err);
    bool by_log = d->source == HANDLER_SIGNATURE || d->source == HANDLER_MODEL;
    if (st == STATUS_OK && d->reason[0] && by_log && !out->skipped &&
        window.text.len > 0)
        out->cause_line = window.first_line + d->line;
    if (st == STATUS_OK)
        snprintf(out->host, sizeof out->host, "%.*s", (int)d->host.len,
                 d->host.len ? d->host.at : "");
    else
        watch_say(w, "%s: cannot be judged: %s", f->path, err.message);
    d->host = (struct text){0}; /* its text belongs to the window, which is
                                 * freed here */
    w->counts.judged++;
    log_window_fini(&window);
    log_file_close(file);
    close(fd);
    return st == STATUS_OK;
}

static bool is_better(const struct log_judgement *a,
                      const struct log_judgement *b)
{
    const struct diagnosis *x = &a->diagnosis, *y = &b->diagnosis;
    if (x->failed != y->failed)
        return x->failed;
    return x->confidence > y->confidence;
}

void judge_failure(struct watch *w, struct watch_job *job,
                   struct log_judgement *out)
{
    struct job_end end;
    struct log_judgement one;
    int n = 0;
    judge_end(w, job, &end);
    *out =
        (struct log_judgement){.diagnosis = {.reason = "", .part = PART_NONE}};
    for (struct watch_file *f = job->files; f && n < JUDGED_LOGS;
         f = f->next_of_job, n++) {
        if (judge_log(w, f, &end, &one) && (!out->file || is_better(&one, out)))
            *out = one;
    }
    if (!out->file) /* no log could be read: the report of the scheduler decides
                     * alone */
        job_end_apply(&end, &out->diagnosis);
}

unsigned judgement_kind(const struct diagnosis *d)
{
    return d->source == HANDLER_NOTHING ? FAILURE_N_KINDS : d->kind;
}

const char *judgement_kind_name(unsigned kind)
{
    return kind < FAILURE_N_KINDS ? failure_kinds[kind] : "unknown";
}

void judgement_put(const struct log_judgement *j, json_t *row)
{
    const struct diagnosis *d = &j->diagnosis;
    unsigned kind = judgement_kind(d);
    bool infra = kind == FAILURE_INFRASTRUCTURE;
    json_put(row, "error_type", json_text(judgement_kind_name(kind)));
    json_put(row, "faulty_component",
             infra ? json_text(failure_parts[d->part]) : json_null());
    json_put(row, "reason", d->reason[0] ? event_text(d->reason) : json_null());
    json_put(row, "host", j->host[0] ? event_text(j->host) : json_null());
    json_put(row, "action", json_text(handler_actions[d->action]));
    json_put(row, "confidence", json_number(round(d->confidence * 100) / 100));
    json_put(row, "method", json_text(llm_method_name(d->method)));
    json_put(row, "source", json_text(handler_sources[d->source]));
    json_put(row, "log", j->file ? event_text(j->file->path) : json_null());
    json_put(row, "cause_line",
             j->cause_line ? json_integer((json_int_t)j->cause_line)
                           : json_null());
    if (j->skipped)
        json_put(row, "skipped_bytes", json_integer((json_int_t)j->skipped));
}

static struct watch_file *busiest(const struct watch_job *job)
{
    struct watch_file *best = NULL;
    for (struct watch_file *f = job->files; f; f = f->next_of_job) {
        if (f->inode && (!best || f->progress > best->progress))
            best = f;
    }
    return best;
}

static enum status read_speed(struct watch *w, const struct watch_file *f,
                              const char *name, struct track *out,
                              struct error *err)
{
    struct tracker_config config;
    struct tracker_lines *lines = mem_alloc(sizeof *lines);
    struct text tail = {0}, head = {0};
    struct log_file *file = NULL;
    uint64_t from = f->offset > SPEED_TAIL ? f->offset - SPEED_TAIL : 0;
    option_defaults(tracker_options, &config);
    enum status st = log_file_open(name, &file, err);
    if (st == STATUS_OK)
        st = log_file_piece(file, from, (size_t)(f->offset - from), &tail, err);
    if (st == STATUS_OK)
        st = log_file_piece(file, 0, SPEED_HEAD, &head, err);
    if (st == STATUS_OK) {
        tracker_find(w->classifier, &config, tail, lines);
        tracker_read(&config, lines, head, out);
        arena_reset(&w->scratch);
        if (w->has_model && lines->n > 0)
            st = tracker_ask(backend_client(w->backend), lines, &w->scratch,
                             out, err);
    }
    log_file_close(file);
    free((char *)(uintptr_t)tail.at);
    free((char *)(uintptr_t)head.at);
    free(lines);
    return st;
}

void judge_speed(struct watch *w, struct watch_job *job, struct track *out)
{
    struct watch_file *f = busiest(job);
    struct error err;
    char name[32];
    int fd = -1;
    *out = (struct track){.source = TRACKER_NOT_FOUND};
    if (!f || follow_open(f, f->path, &fd) != FOLLOW_READ)
        return;
    snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
    if (read_speed(w, f, name, out, &err) != STATUS_OK) {
        watch_say(w, "%s: no step time: %s", f->path, err.message);
        *out = (struct track){.source = TRACKER_NOT_FOUND};
    }
    close(fd);
}
