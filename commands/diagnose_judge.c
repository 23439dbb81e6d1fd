/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Judges the logs of a job. The rules judge each log. The log with the earliest
 * cause decides; its diagnosis is then weighed against the reports of the
 * kernel and of the scheduler or, with --method rcacopilot, made by comparison
 * with known incidents. */
#include <stdlib.h>
#include <string.h>

#include "commands/cmd_diagnose_internal.h"

/* Judges the window by comparison with known incidents. */
static enum status compare(const struct diagnose_input *input,
                           const struct log_window *w, struct diagnosis *out,
                           struct error *err)
{
    struct incidents *all =
        incidents_new(&input->incidents, &embed_hashed, NULL);
    enum status st = incident_file_read(input->known, 0, all, err);
    *out = (struct diagnosis){.reason = "", .part = PART_NONE};
    if (st == STATUS_OK && w->text.len > 0)
        st = incidents_judge(all, w->text, 0, out, err);
    incidents_free(all);
    return st;
}

/* Finds the window of the open log and judges the log alone, by the rules. */
static enum status read_log(struct diagnose_input *input, struct log_window *w,
                            struct diagnosis *out, struct error *err)
{
    struct logs_input *logs = &input->logs;
    enum status st =
        log_window_find(logs->file, &input->locator, &input->handler,
                        logs->classifier, input->knowledge, w, err);
    if (st == STATUS_OK)
        st = log_classifier_status(logs->classifier, err);
    struct diagnosis_sources from = {.knowledge = input->knowledge};
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
                      struct diagnose_log *out)
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
                 struct diagnose_log *out)
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
static int class_of(const struct diagnose_log *log)
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
static bool comes_first(const struct diagnose_log *a,
                        const struct diagnose_log *b)
{
    int x = class_of(a), y = class_of(b);
    if (x != y)
        return x > y;
    if (a->has_time && b->has_time && log_stamp_alike(&a->at, &b->at) &&
        (a->at.at + APART < b->at.at || b->at.at + APART < a->at.at))
        return a->at.at < b->at.at;
    return a->diagnosis.confidence > b->diagnosis.confidence;
}

/* Reads and judges all logs, one after another, and collects the hosts that
 * they name. */
static enum status read_all(struct diagnose_input *input,
                            struct host_table *hosts, struct error *err)
{
    struct logs_input *logs = &input->logs;
    enum status st = STATUS_OK;
    for (size_t i = 0; i < input->n_logs && st == STATUS_OK; i++) {
        struct log_window w = {0};
        struct diagnosis d;
        st = log_file_open(input->all[i].path, &logs->file, err);
        if (st == STATUS_OK)
            st = read_log(input, &w, &d, err);
        if (st == STATUS_OK)
            st = log_file_scan(logs->file, read_host, hosts, err);
        if (st == STATUS_OK)
            note(&w, &d, &input->all[i]);
        log_window_fini(&w);
        log_file_close(logs->file);
        logs->file = NULL;
    }
    return st;
}

/* Notes in `hosts` which process is missing, if several others wait for one:
 * the only process of known rank whose log reports nothing. */
static void find_missing(const struct diagnose_input *input,
                         struct host_table *hosts)
{
    int64_t missing = -1;
    size_t silent = 0, waiting = 0;
    for (size_t i = 0; i < input->n_logs; i++) {
        const struct diagnose_log *log = &input->all[i];
        waiting += class_of(log) == 2;
        if (class_of(log) > 0 || log->rank < 0)
            continue;
        missing = log->rank;
        silent++;
    }
    if (silent == 1 && waiting > 1)
        host_table_absent(hosts, missing);
}

#define LINES_BEFORE 10

/* Finds the host and the rank of the process to blame. */
static void blame(const struct diagnose_input *input,
                  const struct host_table *hosts, struct answer *a)
{
    const struct diagnosis *d = &a->diagnosis;
    const struct log_window *w = &a->window;
    struct host_guess *host = &a->host;
    struct text rest = w->text, line;
    uint64_t cause = cause_in(w, &input->all[a->log].diagnosis);
    /* Without a cause, lines of a launcher may stand before the error. */
    uint64_t before = d->source == HANDLER_NOTHING ? LINES_BEFORE : 0;
    a->rank = input->all[a->log].rank;
    host_guess_begin(host);
    if (!d->failed)
        return;
    if (d->evidence == EVIDENCE_KERNEL && a->kernel.host.basis == HOST_NAMED)
        *host = a->kernel.host;
    if (input->end.why.len)
        host_guess_read(host, input->end.why, 0);
    for (uint64_t i = 0; log_first_line(&rest, &line); i++) {
        if (i + before < cause)
            continue;
        if (i == cause && a->rank < 0)
            a->rank = log_rank_of(line);
        if (i == cause && d->host.len)
            host_guess_offer(host, d->host, HOST_NAMED, w->first_line + i);
        host_guess_read(host, line, w->first_line + i);
    }
    host_guess_missing(host, hosts,
                       d->kind == FAILURE_INFRASTRUCTURE &&
                           d->part == PART_NETWORK);
    if (host->basis == HOST_MISSING)
        a->rank = host->rank;
}

static enum status read_kernel(struct diagnose_input *input,
                               struct kernel_finding *out, struct error *err)
{
    struct log_file *file = NULL;
    input->range.nodes = &input->names.node;
    input->range.n_nodes = input->names.node != NULL;
    enum status st = log_file_open(input->kernel_log, &file, err);
    if (st == STATUS_OK)
        st = kernel_log_read(file, input->knowledge, &input->range, out, err);
    log_file_close(file);
    return st;
}

/* Makes the diagnosis from the log that decides, the reports of the kernel and
 * of the scheduler, and the answer of the model if there is one. */
static enum status judge(struct diagnose_input *input, struct answer *a,
                         struct error *err)
{
    struct logs_input *logs = &input->logs;
    struct diagnosis compared;
    bool compares = input->reads == HANDLER_RCACOPILOT;
    struct diagnosis_sources from = {
        .knowledge = input->knowledge,
        .judged = compares ? &compared : NULL,
        .end = &input->end,
        .kernel = input->kernel_log ? &a->kernel : NULL,
        .client = logs_has_model(logs) && !compares
                      ? backend_client(logs->backend)
                      : NULL,
        .config = &input->handler,
        .arena = &logs->scratch,
    };
    enum status st = compares ? compare(input, &a->window, &compared, err)
                              : log_window_failed(logs->file, &input->handler,
                                                  &input->end, &a->window, err);
    if (st == STATUS_OK && input->kernel_log)
        st = read_kernel(input, &a->kernel, err);
    log_window_judged(&a->window, &from);
    return st == STATUS_OK ? diagnosis_make(&from, &a->diagnosis, err) : st;
}

/* Reads all logs if there are several, finds the one that decides, and judges
 * it. */
static enum status read_logs(struct diagnose_input *input,
                             struct host_table *hosts, struct answer *out,
                             struct error *err)
{
    struct logs_input *logs = &input->logs;
    enum status st = STATUS_OK;
    if (input->n_logs > 1)
        st = read_all(input, hosts, err);
    for (size_t i = 1; i < input->n_logs; i++) {
        if (comes_first(&input->all[i], &input->all[out->log]))
            out->log = i;
    }
    if (st == STATUS_OK && input->n_logs > 1) {
        find_missing(input, hosts);
        logs->path = input->all[out->log].path;
        st = log_file_open(logs->path, &logs->file, err);
    }
    if (st == STATUS_OK)
        st = read_log(input, &out->window, &out->diagnosis, err);
    if (st == STATUS_OK && input->n_logs == 1 && out->diagnosis.failed)
        st = log_file_scan(logs->file, read_host, hosts, err);
    if (st == STATUS_OK && input->n_logs == 1)
        note(&out->window, &out->diagnosis, &input->all[0]);
    return st;
}

enum status diagnose_judge(struct diagnose_input *input, struct answer *out,
                           struct error *err)
{
    struct host_table *hosts = host_table_new();
    enum status st = read_logs(input, hosts, out, err);
    if (st == STATUS_OK)
        st = judge(input, out, err);
    if (st == STATUS_OK)
        blame(input, hosts, out);
    host_table_free(hosts);
    return st;
}

bool diagnose_disagrees(const struct diagnose_input *input,
                        const struct answer *a)
{
    return input->names.node && a->host.basis >= HOST_MISSING &&
           !host_is_same(input->names.node, a->host.name);
}
