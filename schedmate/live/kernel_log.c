/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "schedmate/live/kernel_log.h"

#include <string.h>

#include "base/ascii.h"
#include "schedmate/logs/log_stream.h"

struct kernel_log_reader {
    const struct log_knowledge *knowledge;
    const struct kernel_range *range;
    struct kernel_finding *out;
    uint64_t line;
};

/* True for "[12345.678901] ..." of dmesg, also after a level such as "<4>". */
static bool has_uptime(struct text t)
{
    size_t i = 0, digits = 0;
    if (text_char(t, 0) == '<')
        while (i < 5 && text_char(t, i++) != '>')
            ;
    if (text_char(t, i++) != '[')
        return false;
    while (text_char(t, i) == ' ')
        i++;
    for (; ascii_is_digit(text_char(t, i)); i++)
        digits++;
    return digits > 0 && text_char(t, i) == '.' &&
           ascii_is_digit(text_char(t, i + 1));
}

/* True for "[Sun Mar  1 04:01:35 2026] ..." of dmesg -T. */
static bool has_date(struct text t)
{
    struct log_stamp at;
    return text_char(t, 0) == '[' && ascii_is_upper(text_char(t, 1)) &&
           log_stamp_of(t, &at) && at.dated;
}

static bool is_kernel_line(struct text t)
{
    size_t n = t.len < 128 ? t.len : 128;
    return memmem(t.at, n, " kernel:", 8) || has_uptime(t) || has_date(t);
}

static bool log_is_one_of(const struct kernel_range *range, const char *host)
{
    for (size_t i = 0; i < range->n_nodes; i++) {
        if (host_is_same(range->nodes[i], host))
            return true;
    }
    return false;
}

/* True if the line lies in the range: it names no other host, and its time is
 * within the limits, if there are any. Otherwise counts it in r->out by the
 * reason. *placed becomes true if there are limits and the line lies within
 * them, otherwise false. */
static bool log_in_range(struct kernel_log_reader *r, struct text line,
                         const struct host_guess *host, bool *placed)
{
    const struct kernel_range *range = r->range;
    struct log_stamp at;
    bool limited = range->from != INT64_MIN || range->to != INT64_MIN;
    *placed = false;
    if (range->n_nodes > 0 && host->name[0] &&
        !log_is_one_of(range, host->name)) {
        r->out->other_host++;
        return false;
    }
    if (!limited)
        return true;
    if (!log_stamp_of(line, &at)) {
        r->out->undated++;
        return false;
    }
    log_stamp_complete(&at, range->from != INT64_MIN ? range->from : range->to);
    if ((range->from != INT64_MIN && at.at < range->from) ||
        (range->to != INT64_MIN && at.at > range->to)) {
        r->out->outside++;
        return false;
    }
    *placed = true;
    return true;
}

/* Leaves out names that a user chose: those of processes, of libraries and of
 * control groups. Otherwise a process called "Xid (x): 79" that ends with a
 * segmentation fault would be a line about a GPU. */
static struct text without_names(struct text line)
{
    static const struct {
        const char *mark;
        bool before, after; /* true if the text before the mark, or after it, is
                             * kept */
    } rows[] = {
        {"segfault at ", false, false},
        {"general protection", false, false},
        {"trap invalid opcode", false, false},
        {"trap divide error", false, false},
        {"fatal signal", false, false},
        {"invoked oom-killer", false, true},
        {"blocked for more than", false, true},
        {"Killed process ", true, false},
        {"reaped process ", true, false},
        {"task_memcg=", true, false},
        {"task=", true, false},
        {"name=", true, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        size_t n = strlen(rows[i].mark);
        const char *at =
            line.len ? memmem(line.at, line.len, rows[i].mark, n) : NULL;
        if (!at)
            continue;
        size_t from = rows[i].before ? 0 : (size_t)(at - line.at);
        size_t to = rows[i].after ? line.len : (size_t)(at - line.at) + n;
        line = (struct text){line.at + from, to - from};
    }
    return line;
}

/* Returns the cause of a line of the kernel; weight 0 if it has none. Only
 * signatures for lines of the kernel count: the first that decides, else the
 * one of the largest weight. A signature that decides takes precedence over a
 * stronger one, because a line with Xid 31, which any program can cause, also
 * matches the signature for any Xid. */
static struct log_cause kernel_cause(const struct log_knowledge *knowledge,
                                     struct text line)
{
    struct log_cause best = {.weight = 0};
    struct log_matches m;
    const struct log_signature *s;
    log_matches_begin(knowledge, line, &m);
    while ((s = log_matches_next(&m))) {
        if (!s->kernel || !s->reason || s->role == LOG_ROLE_HARMLESS ||
            (s->weight <= best.weight && !s->decides))
            continue;
        best = (struct log_cause){.kind = s->reason->kind,
                                  .part = s->reason->part,
                                  .weight = s->weight,
                                  .reason = s->reason->name,
                                  .signature = s};
        if (s->decides)
            break;
    }
    return best;
}

static bool log_read_line(void *self, struct text line, uint64_t offset)
{
    struct kernel_log_reader *r = self;
    struct host_guess host;
    bool placed;
    (void)offset;
    r->line++;
    if (!is_kernel_line(line))
        return true;
    r->out->kernel_lines++;
    host_guess_begin(&host);
    host_guess_read(&host, line, r->line);
    if (!log_in_range(r, line, &host, &placed))
        return true;
    struct log_cause cause = kernel_cause(r->knowledge, without_names(line));
    if (cause.weight <= r->out->cause.weight)
        return true;
    r->out->cause = cause;
    r->out->line = r->line;
    r->out->host = host;
    r->out->placed = placed;
    return true;
}

enum status kernel_log_read(struct log_file *file,
                            const struct log_knowledge *knowledge,
                            const struct kernel_range *range,
                            struct kernel_finding *out, struct error *err)
{
    struct kernel_log_reader r = {
        .knowledge = knowledge, .range = range, .out = out};
    *out = (struct kernel_finding){.host = {.rank = -1}};
    return log_file_scan(file, log_read_line, &r, err);
}

json_t *kernel_finding_json(const char *log, const struct kernel_finding *k)
{
    json_t *row = json_object();
    bool found = k->cause.weight > 0;
    json_put(row, "log", json_text(log));
    json_put(row, "reason", found ? json_text(k->cause.reason) : json_null());
    json_put(row, "line",
             k->line ? json_integer((json_int_t)k->line) : json_null());
    json_put(row, "at_time_of_job", json_boolean(k->placed));
    json_put(row, "kernel_lines", json_integer((json_int_t)k->kernel_lines));
    json_put(row, "of_other_hosts", json_integer((json_int_t)k->other_host));
    json_put(row, "of_other_times", json_integer((json_int_t)k->outside));
    json_put(row, "without_date", json_integer((json_int_t)k->undated));
    return row;
}
