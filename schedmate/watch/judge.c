/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Asks the modules of SchedMate about the logs of a job: the Metric Tracker
 * about the beginning and the end of the log with the most progress, the
 * Failure Handler about each log, at most JUDGED_LOGS, or the end of a large
 * one. */
#include <dirent.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "schedmate/live/job_logs.h"
#include "schedmate/live/kernel_log.h"
#include "schedmate/live/log_file.h"
#include "schedmate/llm/llm.h"
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
static int judge_copy_end(int fd, uint64_t from, uint64_t to)
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

/* Opens the part of a log that is judged: the whole of it, or its last `most`
 * bytes, where
 * *skipped is the number of bytes before it. `name` becomes a path of the
 * descriptor, so that the log that was opened is judged even if it is renamed
 * meanwhile. Returns the descriptor; -1 if the log cannot be read. */
static int open_judged(struct watch_file *f, uint64_t most, uint64_t *skipped,
                       char name[32])
{
    int fd = -1;
    *skipped = 0;
    if (f->inode == 0 || follow_open(f, f->path, &fd) != FOLLOW_READ)
        return -1;
    if (f->size > most) {
        *skipped = f->size - most;
        int copy = judge_copy_end(fd, *skipped, f->size);
        close(fd);
        fd = copy;
    }
    snprintf(name, 32, "/proc/self/fd/%d", fd);
    return fd;
}

/* Time after the end of a job in which a report of the kernel belongs to it: a
 * scheduler may note the end before the kernel says why. The hook of
 * contrib/slurm waits as long. */
#define KERNEL_LATE (60 * SPAN_SECOND)
/* Largest number of entries of the directory of kernel logs that are read. */
#define KERNEL_FILES_MAX 10000

/* The search of the kernel logs for what happened to one job. */
struct kernel_search {
    struct watch *w;
    struct kernel_range range;
    uint64_t most; /* bytes at the end of each log that are read */
    struct log_judgement *out;
};

/* Adds the finding of one log; the strongest of all logs counts, and of equally
 * strong ones the first. */
static void add_finding(struct kernel_search *s, const char *path,
                        const struct kernel_finding *f)
{
    struct kernel_finding *all = &s->out->kernel, sum = *all;
    if (f->cause.weight > all->cause.weight || !s->out->kernel_log[0]) {
        *all = *f;
        snprintf(s->out->kernel_log, sizeof s->out->kernel_log, "%s", path);
    }
    all->kernel_lines = sum.kernel_lines + f->kernel_lines;
    all->other_host = sum.other_host + f->other_host;
    all->outside = sum.outside + f->outside;
    all->undated = sum.undated + f->undated;
}

/* Reads the kernel log at `path`, which is that of `node`; NULL: of any. */
static void read_kernel_log(struct kernel_search *s, const char *path,
                            const char *node)
{
    struct watch *w = s->w;
    struct stat about;
    struct watch_file f = {.uid = UINT32_MAX};
    struct log_file *file = NULL;
    struct kernel_finding found;
    struct error err;
    uint64_t skipped;
    char name[32];
    if (stat(path, &about) == 0) {
        f.path = (char *)(uintptr_t)path;
        f.dev = about.st_dev;
        f.inode = about.st_ino;
    }
    int fd = open_judged(&f, s->most, &skipped, name);
    if (fd < 0) {
        watch_say(w, "%s: expected a readable log of the kernel, not packed",
                  path);
        return;
    }
    enum status st = log_file_open(name, &file, &err);
    if (st == STATUS_OK)
        st = kernel_log_read(file, w->knowledge, &s->range, &found, &err);
    if (st != STATUS_OK) {
        watch_say(w, "%s: cannot be read: %s", path, err.message);
    } else {
        if (node && found.cause.weight > 0)
            host_guess_offer(&found.host, text_from(node), HOST_NAMED,
                             found.line);
        if (skipped > 0)
            found.line = 0; /* lines are counted from the part that was read */
        add_finding(s, path, &found);
    }
    if (skipped > 0)
        watch_say(w, "%s: only its end is read (judge_mib)", path);
    log_file_close(file);
    close(fd);
}

/* Returns the node whose log a file is: its name up to the first '.', if that
 * is one of the nodes, else NULL. */
static const char *node_of(const struct kernel_range *range, const char *file)
{
    char name[NAME_MAX + 1];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(file, "."), file);
    for (size_t i = 0; i < range->n_nodes; i++) {
        if (host_is_same(range->nodes[i], name))
            return range->nodes[i];
    }
    return NULL;
}

static int judge_by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

/* Reads those logs of the directory that are of the job's nodes. Returns how
 * many there are; -1 if it is no directory. */
static int read_kernel_folder(struct kernel_search *s, const char *folder)
{
    struct dirent **entries = NULL;
    char path[PATH_MAX];
    int n = scandir(folder, &entries, NULL, judge_by_name), mine = 0;
    int read = n < KERNEL_FILES_MAX ? n : KERNEL_FILES_MAX;
    for (int i = 0; i < read; i++)
        mine += node_of(&s->range, entries[i]->d_name) != NULL;
    s->most /= mine > 0 ? (uint64_t)mine : 1;
    for (int i = 0; i < n; i++) {
        const char *node =
            i < read ? node_of(&s->range, entries[i]->d_name) : NULL;
        if (node && snprintf(path, sizeof path, "%s/%s", folder,
                             entries[i]->d_name) < PATH_MAX)
            read_kernel_log(s, path, node);
        free(entries[i]);
    }
    free(entries);
    return n < 0 ? -1 : mine;
}

/* Finds what the kernels of the job's nodes reported while it ran. If its begin
 * is not known, lines of any time count, as for `diagnose` without --from. */
static void read_kernel_logs(struct watch *w, const struct watch_job *job,
                             struct log_judgement *out)
{
    const char *path = w->settings->kernel_log;
    json_t *names = slurm_nodes(text_from(job_fact(job, "node"))), *name;
    size_t i, n = json_array_size(names);
    const char **nodes = mem_zalloc(n + 1, sizeof *nodes);
    sim_time from, to;
    struct kernel_search s = {
        .w = w,
        .range = {.nodes = nodes, .from = INT64_MIN, .to = INT64_MIN},
        .most = (uint64_t)w->config->judge_mib << 20,
        .out = out};
    json_array_foreach(names, i, name) nodes[s.range.n_nodes++] =
        json_string_value(name);
    if (span_from_outside(job_number(job, "started", NAN), SECONDS_MAX,
                          &from)) {
        s.range.from = from;
        if (span_from_outside(job_number(job, "ended", NAN), SECONDS_MAX, &to))
            s.range.to = to + KERNEL_LATE;
    }
    int logs = read_kernel_folder(&s, path);
    if (logs < 0)
        read_kernel_log(&s, path, n == 1 ? nodes[0] : NULL);
    else if (logs == 0)
        watch_say(w, "%s: has no kernel log of job %s (node: %s)", path,
                  job->id, n > 0 ? job_fact(job, "node") : "not known");
    free(nodes);
    json_decref(names);
}

/* Makes the diagnosis of a window, as `diagnose` does. A window without text:
 * the log shows nothing. `file` may be NULL. out->kernel has been read. */
static enum status watch_judge_window(struct watch *w, struct log_file *file,
                                      const struct handler_config *handler,
                                      const struct job_end *end,
                                      const struct log_window *window,
                                      struct log_judgement *out,
                                      struct error *err)
{
    struct diagnosis *d = &out->diagnosis;
    struct host_guess host;
    struct diagnosis_sources from = {
        .knowledge = w->knowledge,
        .end = end,
        .kernel = out->kernel_log[0] ? &out->kernel : NULL,
        .client = w->has_model ? backend_client(w->backend) : NULL,
        .config = handler,
        .arena = &w->scratch};
    struct log_window tail = {0};
    enum status st = STATUS_OK;
    log_window_judged(window, &from);
    arena_reset(&w->scratch);
    if (file)
        st = log_window_tail(file, &from, &tail, err);
    from.tail = tail.text;
    from.tail_line = tail.first_line;
    if (st == STATUS_OK)
        st = diagnosis_make(&from, d, err);
    log_window_fini(&tail);
    job_logs_host(d, window, &out->kernel, end->why, &host);
    out->host[0] = 0;
    out->host_basis = host.basis;
    if (host.basis != HOST_UNKNOWN)
        snprintf(out->host, sizeof out->host, "%s", host.name);
    d->host = (struct text){0}; /* its text belongs to the window */
    return st;
}

/* Judges one log. out->kernel has been read. Returns false if the log cannot be
 * read or judged. */
static bool watch_judge_log(struct watch *w, struct watch_file *f,
                            const struct job_end *end,
                            struct log_judgement *out)
{
    struct locator_config locator;
    struct handler_config handler;
    struct log_window window = {0};
    struct log_file *file = NULL;
    struct diagnosis *d = &out->diagnosis;
    struct error err;
    char name[32];
    int fd = open_judged(f, (uint64_t)w->config->judge_mib << 20, &out->skipped,
                         name);
    out->file = f;
    if (fd < 0)
        return false;
    option_defaults(locator_options, &locator);
    option_defaults(handler_options, &handler);
    enum status st = log_file_open(name, &file, &err);
    if (st == STATUS_OK)
        st = log_window_find(file, &locator, &handler, w->classifier,
                             w->knowledge, &window, &err);
    if (st == STATUS_OK)
        st = log_window_failed(file, &handler, end, &window, &err);
    if (st == STATUS_OK)
        st = watch_judge_window(w, file, &handler, end, &window, out, &err);
    bool by_log = d->source == HANDLER_SIGNATURE;
    if (st == STATUS_OK && d->source == HANDLER_MODEL && !out->skipped)
        out->cause_line = d->words.line;
    if (st == STATUS_OK && d->reason[0] && by_log && !out->skipped &&
        window.text.len > 0)
        out->cause_line = window.first_line + d->line;
    if (st != STATUS_OK)
        watch_say(w, "%s: cannot be judged: %s", f->path, err.message);
    w->counts.judged++;
    log_window_fini(&window);
    log_file_close(file);
    close(fd);
    return st == STATUS_OK;
}

static bool judge_is_better(const struct log_judgement *a,
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
    static const struct log_window nothing;
    struct job_end end;
    struct error err;
    struct log_judgement begin = {
        .diagnosis = {.reason = "", .part = PART_NONE}};
    int n = 0;
    judge_end(w, job, &end);
    if (w->settings->kernel_log)
        read_kernel_logs(w, job, &begin);
    *out = begin;
    for (struct watch_file *f = job->files; f && n < JUDGED_LOGS;
         f = f->next_of_job, n++) {
        struct log_judgement one = begin;
        if (watch_judge_log(w, f, &end, &one) &&
            (!out->file || judge_is_better(&one, out)))
            *out = one;
    }
    /* If no log could be read, the scheduler and the kernel decide alone; no
     * model is asked about no text, so nothing can go wrong. */
    if (!out->file)
        (void)watch_judge_window(w, NULL, NULL, &end, &nothing, out, &err);
}

unsigned judgement_kind(const struct diagnosis *d)
{
    return d->source == HANDLER_NOTHING ? FAILURE_N_KINDS : d->kind;
}

const char *judgement_kind_name(unsigned kind)
{
    return kind < FAILURE_N_KINDS ? failure_kinds[kind] : "unknown";
}

void judgement_put(const struct watch *w, const struct log_judgement *j,
                   json_t *row)
{
    const struct diagnosis *d = &j->diagnosis;
    unsigned kind = judgement_kind(d);
    bool infra = kind == FAILURE_INFRASTRUCTURE;
    json_put(row, "error_type", json_text(judgement_kind_name(kind)));
    json_put(row, "faulty_component",
             infra ? json_text(failure_parts[d->part]) : json_null());
    json_put(row, "reason", d->reason[0] ? event_text(d->reason) : json_null());
    json_put(row, "host", j->host[0] ? event_text(j->host) : json_null());
    json_put(row, "host_basis", event_text(host_bases[j->host_basis]));
    json_put(row, "action", json_text(handler_actions[d->action]));
    json_put(row, "confidence", json_number(round(d->confidence * 100) / 100));
    json_put(row, "method", json_text(llm_method_name(d->method)));
    json_put(row, "source", json_text(handler_sources[d->source]));
    json_put(row, "evidence", json_text(handler_evidence_words[d->evidence]));
    if (d->also)
        json_put(row, "also", event_text(d->also));
    json_put(row, "log", j->file ? event_text(j->file->path) : json_null());
    json_put(row, "cause_line",
             j->cause_line ? json_integer((json_int_t)j->cause_line)
                           : json_null());
    if (j->skipped)
        json_put(row, "skipped_bytes", json_integer((json_int_t)j->skipped));
    if (w->settings->kernel_log)
        json_put(row, "kernel",
                 j->kernel_log[0]
                     ? kernel_finding_json(j->kernel_log, &j->kernel)
                     : json_null());
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
            st = tracker_ask(backend_client(w->backend), lines, head,
                             &w->scratch, out, err);
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
