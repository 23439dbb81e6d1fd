/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "schedmate/live/job_logs.h"

#include <errno.h>
#include <fts.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/ascii.h"
#include "schedmate/live/case_file.h"
#include "schedmate/live/incident_file.h"
#include "schedmate/logs/log_stream.h"

/* Largest number of logs, and of folders between a directory and its logs. */
#define JOB_LOGS_MOST 4096
#define JOB_LOGS_DEPTH_MAX 8

static enum status logs_add(struct job_logs *logs, const char *path,
                            struct error *err)
{
    if (logs->n == JOB_LOGS_MOST)
        return error_set(err, STATUS_USAGE, "%s: more than %d logs", path,
                         JOB_LOGS_MOST);
    size_t len = strlen(path) + 1;
    char *copy = arena_alloc(logs->arena, len);
    memcpy(copy, path, len);
    logs->all = mem_grow(logs->all, &logs->cap, logs->n + 1, sizeof *logs->all);
    logs->all[logs->n++] = (struct judged_log){.path = copy, .rank = -1};
    return STATUS_OK;
}

static int logs_by_name(const FTSENT **a, const FTSENT **b)
{
    return strcmp((*a)->fts_name, (*b)->fts_name);
}

/* Adds all regular files of a directory and of the folders in it, down to
 * JOB_LOGS_DEPTH_MAX levels, except hidden files and folders. Links are not
 * followed. */
static enum status add_folder(struct job_logs *logs, const char *path,
                              struct error *err)
{
    char *roots[] = {(char *)(uintptr_t)path, NULL};
    FTS *walk = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, logs_by_name);
    if (!walk)
        return error_set(err, STATUS_BAD_INPUT, "%s: %s", path,
                         strerror(errno));
    enum status st = STATUS_OK;
    size_t before = logs->n;
    FTSENT *at;
    while (st == STATUS_OK && (at = fts_read(walk))) {
        bool hidden = at->fts_level > 0 && at->fts_name[0] == '.';
        if (at->fts_info == FTS_D &&
            (hidden || at->fts_level > JOB_LOGS_DEPTH_MAX))
            fts_set(walk, at, FTS_SKIP);
        else if (at->fts_info == FTS_F && !hidden)
            st = logs_add(logs, at->fts_path, err);
    }
    fts_close(walk);
    if (st == STATUS_OK && logs->n == before)
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
static void ranks_by_difference(struct job_logs *logs)
{
    struct judged_log *all = logs->all;
    if (logs->n < 2)
        return;
    const char *first = all[0].path;
    size_t same = 0;
    while (first[same] && first[same] == all[1].path[same])
        same++;
    while (same > 0 && ascii_is_digit(first[same - 1]))
        same--;
    const char *rest = first + same + strspn(first + same, "0123456789");
    for (size_t i = 0; i < logs->n; i++) {
        const char *path = all[i].path;
        if (strncmp(path, first, same) != 0 || !ascii_is_digit(path[same]) ||
            strcmp(path + same + strspn(path + same, "0123456789"), rest) != 0)
            return;
    }
    for (size_t i = 0; i < logs->n; i++)
        all[i].rank = number_at(text_from(all[i].path + same));
}

enum status job_logs_add(struct job_logs *logs, const char *path, bool folders,
                         struct error *err)
{
    struct stat about;
    bool folder = stat(path, &about) == 0 && S_ISDIR(about.st_mode);
    if (folder && !folders)
        return error_set(err, STATUS_BAD_INPUT,
                         "%s: is a directory; --dir reads all its files", path);
    return folder ? add_folder(logs, path, err) : logs_add(logs, path, err);
}

void job_logs_rank(struct job_logs *logs, bool in_order)
{
    bool named = false;
    for (size_t i = 0; i < logs->n; i++) {
        struct judged_log *log = &logs->all[i];
        log->rank = in_order ? (int64_t)i : rank_in_path(log->path);
        named |= log->rank >= 0;
    }
    if (!named)
        ranks_by_difference(logs);
}

/* Judges the window by comparison with known incidents. */
static enum status job_logs_compare(const struct job_logs *logs,
                                    const struct log_window *w,
                                    struct diagnosis *out, struct error *err)
{
    struct incidents *all =
        incidents_new(&logs->incidents, &embed_hashed, NULL);
    enum status st = incident_file_read(logs->known, 0, all, err);
    *out = (struct diagnosis){.reason = "", .part = PART_NONE};
    if (st == STATUS_OK && w->text.len > 0)
        st = incidents_judge(all, w->text, 0, out, err);
    incidents_free(all);
    return st;
}

/* Finds the window of the open log and judges the log alone, by the rules. */
static enum status read_log(struct job_logs *logs, struct log_window *w,
                            struct diagnosis *out, struct error *err)
{
    enum status st = log_window_find(logs->file, &logs->locator, &logs->handler,
                                     logs->classifier, logs->knowledge, w, err);
    if (st == STATUS_OK)
        st = log_classifier_status(logs->classifier, err);
    struct diagnosis_sources from = {.knowledge = logs->knowledge};
    log_window_judged(w, &from);
    return st == STATUS_OK ? diagnosis_make(&from, out, err) : st;
}

static bool read_host(void *self, struct text line, uint64_t offset)
{
    (void)offset;
    host_table_read(self, line);
    return true;
}

/* Returns the number, from 0, of the line in the window that has the cause, or
 * that of the first error if no signature gave the cause. */
static uint64_t cause_in(const struct log_window *w, const struct diagnosis *d)
{
    struct text before = {w->text.at, w->error_at}, line;
    uint64_t n = 0;
    if (d->failed && d->source == HANDLER_SIGNATURE)
        return d->line;
    while (log_first_line(&before, &line))
        n++;
    return n;
}

/* Keeps the last time stamp up to the line of the cause; if there is none, the
 * first one after it. */
static void note_time(const struct log_window *w, uint64_t cause,
                      struct judged_log *out)
{
    struct text rest = w->text, line;
    for (uint64_t i = 0; log_first_line(&rest, &line); i++) {
        struct log_stamp at;
        if (i > cause && out->has_time)
            break;
        if (!log_stamp_of(line, &at))
            continue;
        out->at = at;
        out->has_time = true;
    }
}

/* Smallest confidence with which a lost connection (CAUSE_NETWORK) or a failure
 * of kind "other", such as a kill (CAUSE_OTHER), counts as a cause and not as a
 * consequence. */
#define CAUSE_NETWORK 0.86
#define CAUSE_OTHER 0.90

static bool is_fallout(const struct diagnosis *d)
{
    bool network = d->kind == FAILURE_INFRASTRUCTURE && d->part == PART_NETWORK;
    if (d->signature && d->signature->role != LOG_ROLE_CAUSE)
        return true;
    return (network && d->confidence < CAUSE_NETWORK) ||
           (d->kind == FAILURE_OTHER && d->confidence < CAUSE_OTHER);
}

static void note(const struct log_window *w, const struct diagnosis *d,
                 struct judged_log *out)
{
    uint64_t cause = cause_in(w, d);
    out->diagnosis = *d;
    out->diagnosis.host = (struct text){0};
    out->is_fallout = d->failed && is_fallout(d);
    out->lines = w->located.lines;
    if (!d->failed)
        return;
    out->line = w->first_line + cause;
    note_time(w, cause, out);
}

/* Returns 3 for a cause, 2 for a consequence, 1 for a failure without a cause,
 * 0 for no failure. */
static int logs_class_of(const struct judged_log *log)
{
    const struct diagnosis *d = &log->diagnosis;
    if (!d->failed)
        return 0;
    if (d->source == HANDLER_NOTHING)
        return 1;
    return log->is_fallout ? 2 : 3;
}

/* Time stamps that are nearer than this do not order two logs, because the
 * clocks of nodes differ and reports take time. */
#define APART SPAN_SECOND

/* True if log `a` decides rather than `b`: the larger class_of wins, then the
 * earlier time if both are known and not too near, then the larger
 * confidence. */
static bool logs_comes_first(const struct judged_log *a,
                             const struct judged_log *b)
{
    int x = logs_class_of(a), y = logs_class_of(b);
    if (x != y)
        return x > y;
    if (a->has_time && b->has_time && log_stamp_alike(&a->at, &b->at) &&
        (a->at.at + APART < b->at.at || b->at.at + APART < a->at.at))
        return a->at.at < b->at.at;
    return a->diagnosis.confidence > b->diagnosis.confidence;
}

/* Reads and judges all logs, one after another, and collects the hosts that
 * they name. */
static enum status read_all(struct job_logs *logs, struct host_table *hosts,
                            struct error *err)
{
    enum status st = STATUS_OK;
    for (size_t i = 0; i < logs->n && st == STATUS_OK; i++) {
        struct log_window w = {0};
        struct diagnosis d;
        st = log_file_open(logs->all[i].path, &logs->file, err);
        if (st == STATUS_OK)
            st = read_log(logs, &w, &d, err);
        if (st == STATUS_OK)
            st = log_file_scan(logs->file, read_host, hosts, err);
        if (st == STATUS_OK)
            note(&w, &d, &logs->all[i]);
        log_window_fini(&w);
        log_file_close(logs->file);
        logs->file = NULL;
    }
    return st;
}

/* Notes in `hosts` which process is missing, if several others wait for one:
 * the only process of known rank whose log reports nothing. */
static void find_missing(const struct job_logs *logs, struct host_table *hosts)
{
    int64_t missing = -1;
    size_t silent = 0, waiting = 0;
    for (size_t i = 0; i < logs->n; i++) {
        const struct judged_log *log = &logs->all[i];
        waiting += logs_class_of(log) == 2;
        if (logs_class_of(log) > 0 || log->rank < 0)
            continue;
        missing = log->rank;
        silent++;
    }
    if (silent == 1 && waiting > 1)
        host_table_absent(hosts, missing);
}

#define JOB_LOGS_LINES_BEFORE 10

/* Takes the host that a model names if nothing else names one. */
static void offer_model_host(const struct diagnosis *d, struct host_guess *host)
{
    if (host->basis == HOST_UNKNOWN && d->words.host)
        host_guess_offer(host, text_from(d->words.host), HOST_COMPLAINS,
                         d->words.line);
}

void job_logs_host(const struct diagnosis *d, const struct log_window *w,
                   const struct kernel_finding *kernel, struct text why,
                   struct host_guess *out)
{
    struct text rest = w->text, line;
    uint64_t cause = cause_in(w, d);
    /* Without a cause, lines of a launcher may stand before the error. */
    uint64_t before = d->source == HANDLER_NOTHING ? JOB_LOGS_LINES_BEFORE : 0;
    host_guess_begin(out);
    if (!d->failed)
        return;
    if (d->evidence == EVIDENCE_KERNEL && kernel->host.basis == HOST_NAMED)
        *out = kernel->host;
    if (why.len)
        host_guess_read(out, why, 0);
    for (uint64_t i = 0; log_first_line(&rest, &line); i++) {
        if (i + before < cause)
            continue;
        if (i == cause && d->host.len)
            host_guess_offer(out, d->host, HOST_NAMED, w->first_line + i);
        host_guess_read(out, line, w->first_line + i);
    }
    offer_model_host(d, out);
}

/* Finds the host and the rank of the process to blame. */
static void blame(const struct job_logs *logs, const struct host_table *hosts,
                  struct job_finding *a)
{
    const struct diagnosis *d = &a->diagnosis;
    const struct log_window *w = &a->window;
    struct text rest = w->text, line = {0};
    uint64_t cause = cause_in(w, &logs->all[a->log].diagnosis);
    a->rank = logs->all[a->log].rank;
    job_logs_host(d, w, &a->kernel, logs->end.why, &a->host);
    if (!d->failed)
        return;
    for (uint64_t i = 0; i <= cause && log_first_line(&rest, &line); i++)
        ;
    if (a->rank < 0 && line.len)
        a->rank = log_rank_of(line);
    host_guess_missing(&a->host, hosts,
                       d->kind == FAILURE_INFRASTRUCTURE &&
                           d->part == PART_NETWORK);
    if (a->host.basis == HOST_MISSING)
        a->rank = a->host.rank;
}

static enum status read_kernel(struct job_logs *logs,
                               struct kernel_finding *out, struct error *err)
{
    struct log_file *file = NULL;
    enum status st = log_file_open(logs->kernel_log, &file, err);
    if (st == STATUS_OK)
        st = kernel_log_read(file, logs->knowledge, &logs->range, out, err);
    log_file_close(file);
    return st;
}

/* Largest number of other logs that a question names. */
#define OTHERS_MOST 12

/* Returns what the other logs say, in words for a question; NULL: nothing. */
static const char *words_of_others(const struct job_logs *logs, size_t decides)
{
    struct out *out = out_to_memory();
    size_t failed = 0;
    if (logs->n > 1)
        out_printf(out, "Other logs of the job: %zu.\n", logs->n - 1);
    for (size_t i = 0; i < logs->n; i++) {
        const struct judged_log *log = &logs->all[i];
        const struct diagnosis *d = &log->diagnosis;
        if (i == decides || !d->failed || ++failed > OTHERS_MOST)
            continue;
        out_printf(out, "- rank %" PRId64 ": %s%s%s\n", log->rank,
                   d->source == HANDLER_NOTHING ? "unknown failure"
                                                : failure_kinds[d->kind],
                   d->reason[0] ? ", " : "", d->reason);
    }
    if (failed > OTHERS_MOST)
        out_printf(out, "- and %zu more\n", failed - OTHERS_MOST);
    struct text all = out_memory(out);
    const char *words =
        all.len ? arena_copy(logs->arena, all.at, all.len) : NULL;
    out_abandon(out);
    return words;
}

/* Makes the diagnosis from the log that decides, the reports of the kernel and
 * of the scheduler, and the answer of the model if there is one. */
static enum status logs_judge(struct job_logs *logs, struct job_finding *a,
                              struct error *err)
{
    struct diagnosis compared;
    bool compares = logs->method == HANDLER_RCACOPILOT;
    struct diagnosis_sources from = {
        .knowledge = logs->knowledge,
        .judged = compares ? &compared : NULL,
        .end = &logs->end,
        .kernel = logs->kernel_log ? &a->kernel : NULL,
        .client = compares ? NULL : logs->client,
        .config = &logs->handler,
        .arena = logs->arena,
    };
    enum status st = compares
                         ? job_logs_compare(logs, &a->window, &compared, err)
                         : log_window_failed(logs->file, &logs->handler,
                                             &logs->end, &a->window, err);
    if (st == STATUS_OK && logs->kernel_log)
        st = read_kernel(logs, &a->kernel, err);
    struct log_window tail = {0};
    log_window_judged(&a->window, &from);
    if (st == STATUS_OK)
        st = log_window_tail(logs->file, &from, &tail, err);
    from.tail = tail.text;
    from.tail_line = tail.first_line;
    from.others = from.client ? words_of_others(logs, a->log) : NULL;
    if (from.client && logs->cases && from.window.len > 0)
        from.cases = case_similar(logs->cases, from.window, logs->arena);
    if (st == STATUS_OK)
        st = diagnosis_make(&from, &a->diagnosis, err);
    log_window_fini(&tail);
    return st;
}

/* Reads all logs if there are several, finds the one that decides, and judges
 * it. */
static enum status read_logs(struct job_logs *logs, struct host_table *hosts,
                             struct job_finding *out, struct error *err)
{
    enum status st = STATUS_OK;
    if (logs->n > 1)
        st = read_all(logs, hosts, err);
    for (size_t i = 1; i < logs->n; i++) {
        if (logs_comes_first(&logs->all[i], &logs->all[out->log]))
            out->log = i;
    }
    if (st == STATUS_OK && logs->n > 1) {
        find_missing(logs, hosts);
        st = log_file_open(logs->all[out->log].path, &logs->file, err);
    }
    if (st == STATUS_OK)
        st = read_log(logs, &out->window, &out->diagnosis, err);
    if (st == STATUS_OK && logs->n == 1 && out->diagnosis.failed)
        st = log_file_scan(logs->file, read_host, hosts, err);
    if (st == STATUS_OK && logs->n == 1)
        note(&out->window, &out->diagnosis, &logs->all[0]);
    return st;
}

enum status job_logs_judge(struct job_logs *logs, struct job_finding *out,
                           struct error *err)
{
    struct host_table *hosts = host_table_new();
    enum status st = read_logs(logs, hosts, out, err);
    if (st == STATUS_OK)
        st = logs_judge(logs, out, err);
    if (st == STATUS_OK)
        blame(logs, hosts, out);
    host_table_free(hosts);
    return st;
}
