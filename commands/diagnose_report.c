/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The answer of `diagnose` as text and as JSON. */
#include <inttypes.h>
#include <string.h>

#include "commands/cmd_diagnose_internal.h"

static json_t *located_json(const struct answer *a, const char *method)
{
    const struct located *l = &a->window.located;
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
    const struct diagnosis *d = &a->diagnosis;
    bool has = d->failed && d->reason[0] && d->source != HANDLER_NOTHING &&
               d->source != HANDLER_SCHEDULER && d->source != HANDLER_KERNEL;
    return has ? a->window.first_line + d->line : 0;
}

/* Returns the kind of failure; "unknown" if it is not known. */
static const char *kind_of(const struct diagnosis *d)
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

static void write_json(const struct diagnose_input *input,
                       const struct answer *a, struct out *out)
{
    const struct diagnosis *d = &a->diagnosis;
    bool infra = d->failed && d->kind == FAILURE_INFRASTRUCTURE;
    json_t *row = json_object(), *window = json_object();
    json_put(row, "log", json_text(input->logs.path));
    json_put(row, "failed", json_boolean(d->failed));
    json_put(row, "error_type",
             d->failed ? json_text(kind_of(d)) : json_null());
    json_put(row, "faulty_component",
             infra ? json_text(failure_parts[d->part]) : json_null());
    json_put(row, "reason", d->reason[0] ? json_text(d->reason) : json_null());
    json_put(row, "signature", signature_json(d->signature));
    json_put(row, "knowledge", knowledge_json(input->knowledge));
    json_put(row, "cause_line",
             cause_line(a) ? json_integer((json_int_t)cause_line(a))
                           : json_null());
    json_put(row, "source", json_text(handler_sources[d->source]));
    json_put(row, "evidence",
             d->failed ? json_text(handler_evidence_words[d->evidence])
                       : json_null());
    json_put(row, "also", d->also ? json_text(d->also) : json_null());
    json_put(row, "job_end", end_json(&input->end));
    json_put(row, "method", json_text(llm_method_name(d->method)));
    json_put(row, "confidence", json_number(logs_confidence(d->confidence)));
    json_put(row, "agreement", json_text(handler_agreements[d->agreement]));
    json_put(row, "answers", diagnose_answers_json(d));
    json_put(row, "action", json_text(handler_actions[d->action]));
    json_put(row, "command", diagnose_command_json(a));
    json_put(row, "located",
             located_json(a, locate_methods[input->locator.method]));
    json_put(window, "first_line",
             json_integer((json_int_t)a->window.first_line));
    json_put(window, "lines", json_integer((json_int_t)a->window.lines));
    json_put(window, "bytes", json_integer((json_int_t)a->window.text.len));
    json_put(row, "window", window);
    diagnose_put_places(input, a, row);
    json_put(row, "tail",
             diagnose_shows_tail(a) ? diagnose_tail_json(a) : json_null());
    json_put(row, "read_as", logs_read_as_json(input->logs.file));
    json_put(row, "case", json_text(a->kept));
    json_put(row, "why", json_text(d->why));
    json_put(row, "tokens", json_integer((json_int_t)d->tokens));
    json_put(row, "latency_s", json_number(span_seconds(d->latency)));
    logs_write_row(out, row);
}

static void write_text(const struct diagnose_input *input,
                       const struct answer *a, struct out *out)
{
    const struct diagnosis *d = &a->diagnosis;
    const struct located *l = &a->window.located;
    if (!d->failed) {
        out_printf(out, "failure      none found in %" PRIu64 " lines\n",
                   l->lines);
        if (d->also)
            out_printf(out, "also         %s: %s\n",
                       handler_evidence_words[d->also_evidence], d->also);
        diagnose_write_places(input, a, out);
        return;
    }
    out_printf(out, "failure      %s", kind_of(d));
    if (d->kind == FAILURE_INFRASTRUCTURE)
        out_printf(out, ", %s", failure_parts[d->part]);
    out_printf(out, "%s%s\n", d->reason[0] ? ": " : "", d->reason);
    if (d->also)
        out_printf(out, "also         %s: %s\n",
                   handler_evidence_words[d->also_evidence], d->also);
    if (diagnose_shows_tail(a))
        diagnose_write_tail(a, out);
    if (l->found)
        out_printf(out, "first error  line %" PRIu64 " of %" PRIu64 "%s%s\n",
                   l->line, l->lines, l->sure ? "" : " (not sure)",
                   l->decoys ? ", after errors that training survived" : "");
    if (cause_line(a))
        out_printf(out, "cause        line %" PRIu64 "\n", cause_line(a));
    diagnose_write_places(input, a, out);
    const struct log_action *action =
        log_knowledge_action(input->knowledge, d->action);
    out_printf(out, "action       %s: %s\n", handler_actions[d->action],
               d->advice ? d->advice : action->words);
    diagnose_write_facts(&input->end, out);
    diagnose_write_command(input, a, out);
    out_printf(out, "method       %s (%s), confidence %.2f\n",
               llm_method_name(d->method), handler_sources[d->source],
               d->confidence);
    write_knowledge(input->knowledge, d->signature, out);
    diagnose_write_answers(d, out);
    if (d->why)
        out_printf(out, "             no answer of a model: %s\n", d->why);
    out_printf(out, "read         %" PRIu64 " lines from line %" PRIu64 "\n",
               a->window.lines, a->window.first_line);
}

enum status diagnose_print(const struct diagnose_input *input,
                           const struct answer *a, struct error *err)
{
    struct out *out;
    enum status st = out_open("-", &out, err);
    if (st != STATUS_OK)
        return st;
    if (input->logs.json)
        write_json(input, a, out);
    else
        write_text(input, a, out);
    if (!input->logs.json && a->kept)
        out_printf(out, "case         %s\n", a->kept);
    if (!input->logs.json)
        logs_write_read_as(input->logs.file, "read as", out);
    return out_close(out, err);
}
