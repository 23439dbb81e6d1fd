/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where the failure was, in the answer of `diagnose`: which of several logs,
 * which rank, which host, and what the kernel reports. */
#include <inttypes.h>
#include <string.h>

#include "commands/cmd_diagnose_internal.h"

/* Returns the word for the role that a log plays in the failure. */
static const char *role_of(const struct diagnose_input *input,
                           const struct answer *a, size_t i)
{
    const struct diagnose_log *log = &input->all[i];
    if (!log->diagnosis.failed)
        return "no failure";
    if (i == a->log)
        return "decides";
    if (log->diagnosis.source == HANDLER_NOTHING)
        return "unknown";
    return log->is_fallout ? "fall-out" : "later";
}

static json_t *whole(int64_t value)
{
    return value >= 0 ? json_integer((json_int_t)value) : json_null();
}

static json_t *logs_json(const struct diagnose_input *input,
                         const struct answer *a)
{
    if (input->n_logs < 2)
        return json_null();
    json_t *list = json_array();
    for (size_t i = 0; i < input->n_logs; i++) {
        const struct diagnose_log *log = &input->all[i];
        const struct diagnosis *d = &log->diagnosis;
        char at[TIME_TEXT_MAX];
        json_t *row = json_object();
        json_put(row, "log", json_text(log->path));
        json_put(row, "rank", whole(log->rank));
        json_put(row, "role", json_text(role_of(input, a, i)));
        json_put(row, "reason",
                 d->reason && d->reason[0] ? json_text(d->reason)
                                           : json_null());
        json_put(row, "line",
                 log->line ? json_integer((json_int_t)log->line) : json_null());
        if (log->has_time && log->at.dated)
            time_to_text(log->at.at, at);
        json_put(row, "at",
                 log->has_time && log->at.dated ? json_text(at) : json_null());
        json_array_append_new(list, row);
    }
    return list;
}

void diagnose_put_places(const struct diagnose_input *input,
                         const struct answer *a, json_t *row)
{
    const struct host_guess *h = &a->host;
    const char *resource = diagnosis_resource(&a->diagnosis);
    json_put(row, "rank", whole(a->rank));
    json_put(row, "host", h->basis ? json_text(h->name) : json_null());
    json_put(row, "host_line",
             h->line ? json_integer((json_int_t)h->line) : json_null());
    json_put(row, "host_basis", json_text(host_bases[h->basis]));
    json_put(row, "host_confidence", json_number(host_trust[h->basis]));
    json_put(row, "host_disagrees", json_boolean(diagnose_disagrees(input, a)));
    json_put(row, "advice", json_text(a->diagnosis.advice));
    json_put(row, "resource", json_text(resource));
    json_put(row, "logs", logs_json(input, a));
    json_put(row, "kernel",
             input->kernel_log
                 ? kernel_finding_json(input->kernel_log, &a->kernel)
                 : json_null());
}

static void write_host(const struct diagnose_input *input,
                       const struct answer *a, struct out *out)
{
    static const char *const words[N_HOST_BASES] = {
        [HOST_COMPLAINS] = "it reports the failure, which may be elsewhere",
        [HOST_MISSING] = "the others wait for its process",
        [HOST_FAILED] = "a process ended there",
        [HOST_NAMED] = "named as failed",
    };
    const struct host_guess *h = &a->host;
    if (a->rank >= 0)
        out_printf(out, "rank         %" PRId64 "\n", a->rank);
    if (!h->basis)
        return;
    out_printf(out, "host         %s (%s", h->name, words[h->basis]);
    if (h->line)
        out_printf(out, ", line %" PRIu64, h->line);
    out_text(out, ")\n");
    if (diagnose_disagrees(input, a))
        out_printf(out,
                   "             --node names %s: no command for it is run\n",
                   input->names.node);
}

/* Largest number of logs that the text names one by one, besides the one that
 * decides. */
#define LOGS_SHOWN 8

static void write_logs(const struct diagnose_input *input,
                       const struct answer *a, struct out *out)
{
    size_t shown = 0;
    if (input->n_logs < 2)
        return;
    out_printf(out, "log          %s, of %zu\n", input->all[a->log].path,
               input->n_logs);
    for (size_t i = 0; i < input->n_logs; i++) {
        const struct diagnose_log *log = &input->all[i];
        const struct diagnosis *d = &log->diagnosis;
        if (i == a->log || ++shown > LOGS_SHOWN)
            continue;
        out_printf(out, "             %s: %s", log->path, role_of(input, a, i));
        if (d->failed && d->reason[0])
            out_printf(out, ", %s, line %" PRIu64, d->reason, log->line);
        out_char(out, '\n');
    }
    if (shown > LOGS_SHOWN)
        out_printf(out, "             and %zu more\n", shown - LOGS_SHOWN);
}

static void write_kernel(const struct diagnose_input *input,
                         const struct kernel_finding *k, struct out *out)
{
    if (!input->kernel_log)
        return;
    out_text(out, "kernel       ");
    if (k->cause.weight)
        out_printf(out, "%s, line %" PRIu64 "%s", k->cause.reason, k->line,
                   k->placed ? "" : " (at an unknown time: see --from)");
    else
        out_text(out, "no fault");
    out_printf(out, "; %" PRIu64 " lines of the kernel", k->kernel_lines);
    if (k->other_host)
        out_printf(out, ", %" PRIu64 " of other hosts", k->other_host);
    if (k->outside)
        out_printf(out, ", %" PRIu64 " of other times", k->outside);
    if (k->undated)
        out_printf(out, ", %" PRIu64 " without a date left out (use dmesg -T)",
                   k->undated);
    out_char(out, '\n');
}

void diagnose_write_places(const struct diagnose_input *input,
                           const struct answer *a, struct out *out)
{
    write_logs(input, a, out);
    write_kernel(input, &a->kernel, out);
    if (a->diagnosis.failed)
        write_host(input, a, out);
}

/* Longest text of the scheduler that is shown, bytes. */
#define WORDS_MAX 200

static void write_fact(const char *title, struct text words, struct out *out)
{
    char shown[WORDS_MAX + 1];
    size_t n = words.len < WORDS_MAX ? words.len : WORDS_MAX;
    if (n == 0)
        return;
    memcpy(shown, words.at, n);
    shown[n] = 0;
    text_clean(shown);
    out_printf(out, "%-12s %s\n", title, shown);
}

void diagnose_write_facts(const struct job_end *end, struct out *out)
{
    write_fact("ended by", end->by, out);
    write_fact("reason given", end->why, out);
}
