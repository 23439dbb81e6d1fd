/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The answer of `diagnose` as text and as JSON. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "commands/commands_internal.h"

static json_t *opinion_json(const struct handler_opinion *o)
{
    if (!o->given)
        return json_null();
    json_t *row = json_object();
    bool infra = o->has_kind && o->kind == FAILURE_INFRASTRUCTURE;
    json_put(row, "failed", json_boolean(o->failed));
    json_put(row, "error_type",
             o->has_kind ? json_text(failure_kinds[o->kind]) : json_null());
    json_put(row, "faulty_component",
             infra ? json_text(failure_parts[o->part]) : json_null());
    json_put(row, "confidence", json_number(logs_confidence(o->confidence)));
    return row;
}

static json_t *words_json(const struct handler_words *w)
{
    json_t *row = json_object();
    json_put(row, "cause_line",
             w->line ? json_integer((json_int_t)w->line) : json_null());
    json_put(row, "quote", json_text(w->quote));
    json_put(row, "quote_refused", json_boolean(w->refused_quote));
    json_put(row, "host", json_text(w->host));
    json_put(row, "action", json_text(w->action));
    json_put(row, "second_type", json_text(w->second));
    json_put(row, "second_weight", json_number(w->second_weight));
    json_put(row, "sentence", json_text(w->sentence));
    return row;
}

static json_t *answers_json(const struct diagnosis *d)
{
    if (!d->asked)
        return json_null();
    json_t *row = json_object();
    json_put(row, "class", json_text(llm_trust_names[d->class]));
    json_put(row, "rules", opinion_json(&d->rules));
    json_put(row, "model", opinion_json(&d->model));
    json_put(row, "words", words_json(&d->words));
    return row;
}

static void write_opinion(const struct handler_opinion *o, const char *name,
                          struct out *out)
{
    out_printf(out, "%s %s", name,
               !o->given                  ? "cannot tell"
               : o->failed && o->has_kind ? failure_kinds[o->kind]
               : o->failed                ? "unknown"
                                          : "no failure");
    if (o->has_kind && o->kind == FAILURE_INFRASTRUCTURE)
        out_printf(out, ", %s", failure_parts[o->part]);
}

/* Writes a text of the model on one line. */
static void write_said(const char *title, const char *words, struct out *out)
{
    char shown[301];
    size_t n = words ? strnlen(words, sizeof shown - 1) : 0;
    if (n == 0)
        return;
    memcpy(shown, words, n);
    shown[n] = 0;
    text_clean(shown);
    out_printf(out, "%-12s %s\n", title, shown);
}

static void write_words_of(const struct handler_words *w, struct out *out)
{
    write_said("model says", w->sentence, out);
    write_said("model quotes", w->quote, out);
    if (w->refused_quote)
        out_text(out, "             its quote is not in the log\n");
    if (w->second)
        out_printf(out, "             or, with weight %.2f: %s\n",
                   w->second_weight, w->second);
}

static void write_answers(const struct diagnosis *d, struct out *out)
{
    if (!d->asked)
        return;
    out_printf(out, "answers      %s (", handler_agreements[d->agreement]);
    write_opinion(&d->rules, "rules:", out);
    write_opinion(&d->model, "; model:", out);
    out_text(out, ")\n");
    write_words_of(&d->words, out);
}

/* Number of lines at the end of the window that are shown if the cause is
 * unknown. */
#define DIAGNOSE_PRINT_TAIL_LINES 5

/* Returns the last lines of the window. *line becomes the number of the first
 * of them in the log. */
static struct text tail_of(const struct answer *a, uint64_t *line)
{
    struct text rest = a->found.window.text, last;
    uint64_t n = 0;
    while (n < DIAGNOSE_PRINT_TAIL_LINES && log_last_line(&rest, &last))
        n++;
    *line = a->found.window.first_line + a->found.window.lines - n;
    return text_skip(a->found.window.text, rest.len);
}

static bool shows_tail(const struct answer *a)
{
    return a->found.diagnosis.failed &&
           a->found.diagnosis.source == HANDLER_NOTHING &&
           a->found.window.text.len > 0;
}

/* Longest part of a line that is shown, bytes. */
#define SHOWN_MAX 200
static void shown_text(struct text line, char out[SHOWN_MAX + 1])
{
    size_t n = line.len < SHOWN_MAX ? line.len : SHOWN_MAX;
    memcpy(out, line.at, n);
    out[n] = 0;
    for (size_t i = 0; i < n; i++)
        out[i] = out[i] ? out[i] : '?';
    text_clean(out);
}

static json_t *tail_json(const struct answer *a)
{
    char shown[SHOWN_MAX + 1];
    uint64_t number;
    struct text rest = tail_of(a, &number), line;
    json_t *list = json_array();
    while (log_first_line(&rest, &line)) {
        json_t *row = json_object();
        shown_text(line, shown);
        json_put(row, "line", json_integer((json_int_t)number++));
        json_put(row, "text", json_text(shown));
        json_array_append_new(list, row);
    }
    return list;
}

static void write_tail(const struct answer *a, struct out *out)
{
    char shown[SHOWN_MAX + 1];
    uint64_t number;
    struct text rest = tail_of(a, &number), line;
    while (log_first_line(&rest, &line)) {
        shown_text(line, shown);
        out_printf(out, "line %-7" PRIu64 " %s\n", number++, shown);
    }
}

static void put_result(json_t *row, const struct action_result *result)
{
    json_put(row, "exit_status", json_integer(result->exit_status));
    json_put(row, "signal", json_integer(result->signal));
    json_put(row, "timed_out", json_boolean(result->timed_out));
}

static json_t *check_json(const struct action_answer *act)
{
    if (!act->check)
        return json_null();
    json_t *row = json_object();
    json_put(row, "argv", json_deep_copy(act->check));
    json_put(row, "ran", json_boolean(act->checked));
    if (act->checked)
        put_result(row, &act->check_result);
    return row;
}

static json_t *diagnose_print_command_json(const struct answer *a)
{
    const struct action_answer *act = &a->act;
    if (!act->command)
        return json_null();
    json_t *row = json_object();
    json_put(row, "argv", json_deep_copy(act->command));
    json_put(row, "ran", json_boolean(act->ran));
    json_put(row, "disruptive", json_boolean(act->disruptive));
    json_put(row, "instead", json_boolean(act->instead));
    json_put(row, "refused", json_deep_copy(act->refused));
    json_put(row, "evidence", json_text(handler_evidence_words[act->evidence]));
    json_put(row, "confirm", check_json(act));
    if (act->ran)
        put_result(row, &act->result);
    return row;
}

static void write_words(const char *title, const json_t *argv, struct out *out)
{
    size_t i;
    const json_t *word;
    out_text(out, title);
    json_array_foreach(argv, i, word)
    {
        size_t len = json_string_length(word);
        char *clean = mem_alloc(len + 1);
        memcpy(clean, json_string_value(word), len + 1);
        text_clean(clean);
        out_printf(out, " %s", clean);
        free(clean);
    }
    out_char(out, '\n');
}

#define INDENT "             "

static void diagnose_print_write_command(const struct diagnose_input *input,
                                         const struct answer *a,
                                         struct out *out)
{
    const struct action_answer *act = &a->act;
    size_t i;
    const json_t *why;
    if (!act->command)
        return;
    write_words("command     ", act->command, out);
    if (act->instead)
        out_text(out, INDENT "instead of restarting the job again\n");
    if (act->check)
        write_words("confirmed by", act->check, out);
    json_array_foreach(act->refused, i, why) out_printf(
        out, "%s: %s\n",
        input->gate.execute ? INDENT "refused" : INDENT "would be refused",
        json_string_value(why));
    if (json_array_size(act->refused) > 0)
        return;
    if (!input->gate.execute)
        out_printf(out, INDENT "not run: --execute would run it%s\n",
                   act->check ? " if the check confirms it" : "");
    else if (!act->ran)
        out_text(out, INDENT "not run\n");
    else if (act->result.timed_out)
        out_text(out, INDENT "ended at its time limit\n");
    else if (act->result.signal)
        out_printf(out, INDENT "ended by signal %d\n", act->result.signal);
    else
        out_printf(out, INDENT "exit status %d\n", act->result.exit_status);
}

/* Returns the word for the role that a log plays in the failure. */
static const char *role_of(const struct diagnose_input *input,
                           const struct answer *a, size_t i)
{
    const struct judged_log *log = &input->job.all[i];
    if (!log->diagnosis.failed)
        return "no failure";
    if (i == a->found.log)
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
    if (input->job.n < 2)
        return json_null();
    json_t *list = json_array();
    for (size_t i = 0; i < input->job.n; i++) {
        const struct judged_log *log = &input->job.all[i];
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

/* True if --node names another host than the one that the logs blame. False if
 * no --node is given or no host is certain. */
static bool disagrees(const struct diagnose_input *input,
                      const struct answer *a)
{
    return input->names.node && a->found.host.basis >= HOST_MISSING &&
           !host_is_same(input->names.node, a->found.host.name);
}

static void put_places(const struct diagnose_input *input,
                       const struct answer *a, json_t *row)
{
    const struct host_guess *h = &a->found.host;
    const char *resource = diagnosis_resource(&a->found.diagnosis);
    json_put(row, "rank", whole(a->found.rank));
    json_put(row, "host", h->basis ? json_text(h->name) : json_null());
    json_put(row, "host_line",
             h->line ? json_integer((json_int_t)h->line) : json_null());
    json_put(row, "host_basis", json_text(host_bases[h->basis]));
    json_put(row, "host_confidence", json_number(host_trust[h->basis]));
    json_put(row, "host_disagrees", json_boolean(disagrees(input, a)));
    json_put(row, "advice", json_text(a->found.diagnosis.advice));
    json_put(row, "resource", json_text(resource));
    json_put(row, "logs", logs_json(input, a));
    json_put(row, "kernel",
             input->job.kernel_log
                 ? kernel_finding_json(input->job.kernel_log, &a->found.kernel)
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
    const struct host_guess *h = &a->found.host;
    if (a->found.rank >= 0)
        out_printf(out, "rank         %" PRId64 "\n", a->found.rank);
    if (!h->basis)
        return;
    out_printf(out, "host         %s (%s", h->name, words[h->basis]);
    if (h->line)
        out_printf(out, ", line %" PRIu64, h->line);
    out_text(out, ")\n");
    if (disagrees(input, a))
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
    if (input->job.n < 2)
        return;
    out_printf(out, "log          %s, of %zu\n",
               input->job.all[a->found.log].path, input->job.n);
    for (size_t i = 0; i < input->job.n; i++) {
        const struct judged_log *log = &input->job.all[i];
        const struct diagnosis *d = &log->diagnosis;
        if (i == a->found.log || ++shown > LOGS_SHOWN)
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
    if (!input->job.kernel_log)
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

static void write_places(const struct diagnose_input *input,
                         const struct answer *a, struct out *out)
{
    write_logs(input, a, out);
    write_kernel(input, &a->found.kernel, out);
    if (a->found.diagnosis.failed)
        write_host(input, a, out);
}

/* Longest text of the scheduler that is shown, bytes. */
#define DIAGNOSE_PRINT_WORDS_MAX 200

static void write_fact(const char *title, struct text words, struct out *out)
{
    char shown[DIAGNOSE_PRINT_WORDS_MAX + 1];
    size_t n = words.len < DIAGNOSE_PRINT_WORDS_MAX ? words.len
                                                    : DIAGNOSE_PRINT_WORDS_MAX;
    if (n == 0)
        return;
    memcpy(shown, words.at, n);
    shown[n] = 0;
    text_clean(shown);
    out_printf(out, "%-12s %s\n", title, shown);
}

static void write_facts(const struct job_end *end, struct out *out)
{
    write_fact("ended by", end->by, out);
    write_fact("reason given", end->why, out);
}

static json_t *located_json(const struct answer *a, const char *method)
{
    const struct located *l = &a->found.window.located;
    json_t *row = json_object();
    json_put(row, "method", json_text(method));
    json_put(row, "found", json_boolean(l->found));
    if (l->found) {
        json_put(row, "line", json_integer((json_int_t)l->line));
        json_put(row, "chunk", json_integer((json_int_t)l->chunk));
        json_put(row, "sure", json_boolean(l->sure));
        json_put(row, "error_lines", json_integer((json_int_t)l->error_lines));
        json_put(row, "decoys", json_integer((json_int_t)l->decoys));
    }
    json_put(row, "lines", json_integer((json_int_t)l->lines));
    json_put(row, "classified", json_integer((json_int_t)l->classified));
    return row;
}

/* Returns the number, from 1, of the line in the log to which the cause refers;
 * 0 if nothing failed, or if the cause is unknown or comes from the scheduler
 * or the kernel. */
static uint64_t cause_line(const struct answer *a)
{
    const struct diagnosis *d = &a->found.diagnosis;
    if (d->failed && d->source == HANDLER_MODEL)
        return d->words.line;
    bool has = d->failed && d->reason[0] && d->source != HANDLER_NOTHING &&
               d->source != HANDLER_SCHEDULER && d->source != HANDLER_KERNEL;
    return has ? a->found.window.first_line + d->line : 0;
}

/* Returns the kind of failure; "unknown" if it is not known. */
static const char *diagnose_print_kind_of(const struct diagnosis *d)
{
    return d->source == HANDLER_NOTHING ? "unknown" : failure_kinds[d->kind];
}

static json_t *text_or_null(struct text t)
{
    return t.len ? json_text(t.at) : json_null();
}

/* Returns what the scheduler reported, as an object. */
static json_t *end_json(const struct job_end *end)
{
    json_t *row = json_object();
    static const char *const verdicts[] = {
        [END_SAYS_NOTHING] = "nothing",
        [END_SAYS_WELL] = "completed",
        [END_SAYS_FAILED] = "failed",
    };
    json_put(row, "says", json_text(verdicts[job_end_verdict(end)]));
    json_put(row, "state", json_text(end_states[end->state]));
    json_put(row, "exit_code",
             end->has_code ? json_integer(end->code) : json_null());
    json_put(row, "signal",
             end->signal ? json_text(job_end_signal_name(end->signal))
                         : json_null());
    json_put(row, "by", text_or_null(end->by));
    json_put(row, "reason", text_or_null(end->why));
    return row;
}

/* Returns a signature as an object; a JSON null if `s` is NULL. */
static json_t *signature_json(const struct log_signature *s)
{
    if (!s)
        return json_null();
    json_t *row = json_object();
    json_put(row, "name", json_text(s->name));
    json_put(row, "file", json_text(s->file));
    json_put(row, "means",
             s->reason ? json_text(s->reason->means) : json_null());
    return row;
}

/* Returns the signature files of a site and the digest of all signatures, as an
 * object. */
static json_t *knowledge_json(const struct log_knowledge *k)
{
    json_t *row = json_object(), *files = json_array();
    for (size_t i = 0; log_knowledge_file(k, i); i++)
        json_array_append_new(files, json_text(log_knowledge_file(k, i)));
    json_put(row, "files", files);
    json_put(row, "digest", json_text(log_knowledge_digest(k)));
    return row;
}

static void write_knowledge(const struct log_knowledge *k,
                            const struct log_signature *s, struct out *out)
{
    if (s)
        out_printf(out, "signature    %s (%s)\n", s->name,
                   log_knowledge_is_ours(k, s->file) ? "built in" : s->file);
    for (size_t i = 0; log_knowledge_file(k, i); i++)
        out_printf(out, "%s%s\n", i ? "             " : "also read    ",
                   log_knowledge_file(k, i));
}

static void diagnose_print_write_json(const struct diagnose_input *input,
                                      const struct answer *a, struct out *out)
{
    const struct diagnosis *d = &a->found.diagnosis;
    bool infra = d->failed && d->kind == FAILURE_INFRASTRUCTURE;
    json_t *row = json_object(), *window = json_object();
    json_put(row, "log", json_text(input->logs.path));
    json_put(row, "failed", json_boolean(d->failed));
    json_put(row, "error_type",
             d->failed ? json_text(diagnose_print_kind_of(d)) : json_null());
    json_put(row, "faulty_component",
             infra ? json_text(failure_parts[d->part]) : json_null());
    json_put(row, "reason", d->reason[0] ? json_text(d->reason) : json_null());
    json_put(row, "signature", signature_json(d->signature));
    json_put(row, "knowledge", knowledge_json(input->job.knowledge));
    json_put(row, "cause_line",
             cause_line(a) ? json_integer((json_int_t)cause_line(a))
                           : json_null());
    json_put(row, "source", json_text(handler_sources[d->source]));
    json_put(row, "evidence",
             d->failed ? json_text(handler_evidence_words[d->evidence])
                       : json_null());
    json_put(row, "also", d->also ? json_text(d->also) : json_null());
    json_put(row, "job_end", end_json(&input->job.end));
    json_put(row, "method", json_text(llm_method_name(d->method)));
    json_put(row, "confidence", json_number(logs_confidence(d->confidence)));
    json_put(row, "agreement", json_text(handler_agreements[d->agreement]));
    json_put(row, "answers", answers_json(d));
    json_put(row, "action", json_text(handler_actions[d->action]));
    json_put(row, "command", diagnose_print_command_json(a));
    json_put(row, "located",
             located_json(a, locate_methods[input->job.locator.method]));
    json_put(window, "first_line",
             json_integer((json_int_t)a->found.window.first_line));
    json_put(window, "lines", json_integer((json_int_t)a->found.window.lines));
    json_put(window, "bytes",
             json_integer((json_int_t)a->found.window.text.len));
    json_put(row, "window", window);
    put_places(input, a, row);
    json_put(row, "tail", shows_tail(a) ? tail_json(a) : json_null());
    json_put(row, "read_as", logs_read_as_json(input->logs.file));
    json_put(row, "case", json_text(a->kept));
    json_put(row, "why", json_text(d->why));
    json_put(row, "tokens", json_integer((json_int_t)d->tokens));
    json_put(row, "latency_s", json_number(span_seconds(d->latency)));
    logs_write_row(out, row);
}

static void diagnose_print_write_text(const struct diagnose_input *input,
                                      const struct answer *a, struct out *out)
{
    const struct diagnosis *d = &a->found.diagnosis;
    const struct located *l = &a->found.window.located;
    if (!d->failed) {
        out_printf(out, "failure      none found in %" PRIu64 " lines\n",
                   l->lines);
        if (d->also)
            out_printf(out, "also         %s: %s\n",
                       handler_evidence_words[d->also_evidence], d->also);
        write_places(input, a, out);
        return;
    }
    out_printf(out, "failure      %s", diagnose_print_kind_of(d));
    if (d->kind == FAILURE_INFRASTRUCTURE)
        out_printf(out, ", %s", failure_parts[d->part]);
    out_printf(out, "%s%s\n", d->reason[0] ? ": " : "", d->reason);
    if (d->also)
        out_printf(out, "also         %s: %s\n",
                   handler_evidence_words[d->also_evidence], d->also);
    if (shows_tail(a))
        write_tail(a, out);
    if (l->found)
        out_printf(out, "first error  line %" PRIu64 " of %" PRIu64 "%s%s\n",
                   l->line, l->lines, l->sure ? "" : " (not sure)",
                   l->decoys ? ", after errors that training survived" : "");
    if (cause_line(a))
        out_printf(out, "cause        line %" PRIu64 "\n", cause_line(a));
    write_places(input, a, out);
    const struct log_action *action =
        log_knowledge_action(input->job.knowledge, d->action);
    out_printf(out, "action       %s: %s\n", handler_actions[d->action],
               d->advice ? d->advice : action->words);
    write_facts(&input->job.end, out);
    diagnose_print_write_command(input, a, out);
    out_printf(out, "method       %s (%s), confidence %.2f\n",
               llm_method_name(d->method), handler_sources[d->source],
               d->confidence);
    write_knowledge(input->job.knowledge, d->signature, out);
    write_answers(d, out);
    if (d->why)
        out_printf(out, "             no answer of a model: %s\n", d->why);
    out_printf(out, "read         %" PRIu64 " lines from line %" PRIu64 "\n",
               a->found.window.lines, a->found.window.first_line);
}

enum status diagnose_print(const struct diagnose_input *input,
                           const struct answer *a, struct error *err)
{
    struct out *out;
    enum status st = out_open("-", &out, err);
    if (st != STATUS_OK)
        return st;
    if (input->logs.json)
        diagnose_print_write_json(input, a, out);
    else
        diagnose_print_write_text(input, a, out);
    if (!input->logs.json && a->kept)
        out_printf(out, "case         %s\n", a->kept);
    if (!input->logs.json)
        logs_write_read_as(input->logs.file, "read as", out);
    return out_close(out, err);
}
