/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `diagnose LOG`: says why a job failed, which part is to blame, and what to
 * do. The commands for these actions come from the operator's file (--actions).
 * They are shown, and run only with --execute. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "models/logs/schedmate_handler.h"
#include "sim/cli/cmd_logs_internal.h"
#include "sim/live/action_run.h"
#include "sim/live/incident_file.h"
#include "sim/live/log_window.h"

struct diagnose_input {
    struct logs_input logs;
    struct locator_config locator;
    struct handler_config handler;
    struct incidents_config incidents;
    unsigned reads; /* enum handler_method */
    bool classes, execute;
    const char *known; /* file of known incidents, or NULL */
    const char *actions, *action_log;
    struct action_names names;
    sim_span limit;
};

struct class_printer {
    struct log_classifier *classifier;
    struct log_context context;
    struct out *out;
    uint64_t line;
};

static bool print_class(void *self, struct text line, uint64_t offset)
{
    struct class_printer *p = self;
    (void)offset;
    struct log_verdict v = log_classify_next(p->classifier, line, &p->context);
    out_u64(p->out, ++p->line);
    out_printf(p->out, " %s %.2f\n", log_class_names[v.class], (double)v.score);
    return true;
}

static enum status print_classes(struct diagnose_input *input,
                                 struct error *err)
{
    struct class_printer p = {.classifier = input->logs.classifier};
    enum status st = out_open("-", &p.out, err);
    if (st != STATUS_OK)
        return st;
    st = log_file_scan(input->logs.file, print_class, &p, err);
    if (st == STATUS_OK)
        st = log_classifier_status(p.classifier, err);
    if (st != STATUS_OK) {
        out_abandon(p.out);
        return st;
    }
    return out_close(p.out, err);
}

static enum status judge(struct diagnose_input *input,
                         const struct log_window *w, struct diagnosis *out,
                         struct error *err)
{
    struct logs_input *logs = &input->logs;
    bool last = input->locator.method == LOCATE_LAST;
    struct handler_weights *weights;
    *out = (struct diagnosis){.reason = "", .part = PART_NONE};
    if (w->text.len == 0)
        return STATUS_OK;
    weights = mem_alloc(sizeof *weights);
    enum status st = handler_weights_read(NULL, weights, err);
    if (st == STATUS_OK && last)
        handler_judge_end(w->text, out);
    else if (st == STATUS_OK)
        handler_judge(w->text, w->error_at, w->located.sure, weights, out);
    free(weights);
    if (st == STATUS_OK && logs_has_model(logs))
        st = handler_ask(backend_client(logs->backend), w->text, &logs->scratch,
                         out, err);
    return st;
}

/* Judges by comparison with known incidents. */
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

struct answer {
    struct log_window window;
    struct diagnosis diagnosis;
    json_t *argv; /* the command of the action; NULL: there is none */
    bool ran;
    struct action_result result;
};

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

static json_t *run_json(const struct answer *a)
{
    json_t *row = json_object();
    json_put(row, "argv", json_deep_copy(a->argv));
    json_put(row, "ran", json_boolean(a->ran));
    if (a->ran) {
        json_put(row, "exit_status", json_integer(a->result.exit_status));
        json_put(row, "signal", json_integer(a->result.signal));
        json_put(row, "timed_out", json_boolean(a->result.timed_out));
    }
    return row;
}

/* Returns the number of the line in the log that has the signature, from 1; 0
 * if there is no such line. */
static uint64_t cause_line(const struct answer *a)
{
    return a->diagnosis.reason[0] ? a->window.first_line + a->diagnosis.line
                                  : 0;
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
             d->failed ? json_text(failure_kinds[d->kind]) : json_null());
    json_put(row, "faulty_component",
             infra ? json_text(failure_parts[d->part]) : json_null());
    json_put(row, "reason", d->reason[0] ? json_text(d->reason) : json_null());
    json_put(row, "cause_line",
             cause_line(a) ? json_integer((json_int_t)cause_line(a))
                           : json_null());
    json_put(row, "source", json_text(handler_sources[d->source]));
    json_put(row, "method", json_text(llm_method_name(d->method)));
    json_put(row, "confidence", json_number(logs_confidence(d->confidence)));
    json_put(row, "action", json_text(handler_actions[d->action]));
    json_put(row, "command", a->argv ? run_json(a) : json_null());
    json_put(row, "located",
             located_json(a, locate_methods[input->locator.method]));
    json_put(window, "first_line",
             json_integer((json_int_t)a->window.first_line));
    json_put(window, "lines", json_integer((json_int_t)a->window.lines));
    json_put(window, "bytes", json_integer((json_int_t)a->window.text.len));
    json_put(row, "window", window);
    json_put(row, "why", json_text(d->why));
    json_put(row, "tokens", json_integer((json_int_t)d->tokens));
    json_put(row, "latency_s", json_number(span_seconds(d->latency)));
    logs_write_row(out, row);
}

static void write_command(const struct answer *a, struct out *out)
{
    size_t i;
    const json_t *word;
    out_text(out, "command     ");
    json_array_foreach(a->argv, i, word)
        out_printf(out, " %s", json_string_value(word));
    if (!a->ran)
        out_text(out, "\n             not run: --execute would run it\n");
    else if (a->result.timed_out)
        out_text(out, "\n             ended at its time limit\n");
    else if (a->result.signal)
        out_printf(out, "\n             ended by signal %d\n",
                   a->result.signal);
    else
        out_printf(out, "\n             exit status %d\n",
                   a->result.exit_status);
}

static void write_text(const struct answer *a, struct out *out)
{
    const struct diagnosis *d = &a->diagnosis;
    const struct located *l = &a->window.located;
    if (!d->failed) {
        out_printf(out, "failure      none found in %" PRIu64 " lines\n",
                   l->lines);
        return;
    }
    out_printf(out, "failure      %s", failure_kinds[d->kind]);
    if (d->kind == FAILURE_INFRASTRUCTURE)
        out_printf(out, ", %s", failure_parts[d->part]);
    out_printf(out, "%s%s\n", d->reason[0] ? ": " : "", d->reason);
    if (l->found)
        out_printf(out, "first error  line %" PRIu64 " of %" PRIu64 "%s%s\n",
                   l->line, l->lines, l->sure ? "" : " (not sure)",
                   l->decoys ? ", after errors that training survived" : "");
    if (cause_line(a))
        out_printf(out, "cause        line %" PRIu64 "\n", cause_line(a));
    out_printf(out, "action       %s: %s\n", handler_actions[d->action],
               handler_action_words[d->action]);
    if (a->argv)
        write_command(a, out);
    out_printf(out, "method       %s (%s), confidence %.2f\n",
               llm_method_name(d->method), handler_sources[d->source],
               d->confidence);
    if (d->why)
        out_printf(out, "             no answer of a model: %s\n", d->why);
    out_printf(out, "read         %" PRIu64 " lines from line %" PRIu64 "\n",
               a->window.lines, a->window.first_line);
}

static enum status act(struct diagnose_input *input, struct answer *a,
                       struct error *err)
{
    struct action_book *book = NULL;
    enum status st = action_book_read(input->actions, &book, err);
    if (st != STATUS_OK)
        return st;
    input->names.log = input->logs.path;
    a->argv = action_argv(book, a->diagnosis.action, &input->names);
    if (a->argv && input->execute && a->diagnosis.failed) {
        st = action_run(a->argv, input->limit, &a->result, err);
        a->ran = st == STATUS_OK;
        if (a->ran && input->action_log)
            st = action_note(input->action_log,
                             handler_actions[a->diagnosis.action], a->argv,
                             &a->result, err);
    }
    action_book_free(book);
    return st;
}

static enum status print_answer(const struct diagnose_input *input,
                                const struct answer *a, struct error *err)
{
    struct out *out;
    enum status st = out_open("-", &out, err);
    if (st != STATUS_OK)
        return st;
    if (input->logs.json)
        write_json(input, a, out);
    else
        write_text(a, out);
    return out_close(out, err);
}

static enum status diagnose(struct diagnose_input *input, struct error *err)
{
    struct logs_input *logs = &input->logs;
    struct answer a = {0};
    enum status st =
        log_window_find(logs->file, &input->locator, &input->handler,
                        logs->classifier, &a.window, err);
    if (st == STATUS_OK)
        st = log_classifier_status(logs->classifier, err);
    if (st == STATUS_OK)
        st = input->reads == HANDLER_RCACOPILOT
                 ? compare(input, &a.window, &a.diagnosis, err)
                 : judge(input, &a.window, &a.diagnosis, err);
    /* A command that cannot be run must not suppress the diagnosis, so its
     * error is reported last. */
    enum status acted = STATUS_OK;
    if (st == STATUS_OK && input->actions)
        acted = act(input, &a, err);
    if (st == STATUS_OK && (acted == STATUS_OK || a.argv))
        st = print_answer(input, &a, acted == STATUS_OK ? err : NULL);
    if (st == STATUS_OK)
        st = acted;
    json_decref(a.argv);
    log_window_fini(&a.window);
    return st;
}

static enum status run(void *self, struct error *err)
{
    struct diagnose_input *input = self;
    if (input->execute && !input->actions)
        return error_set(err, STATUS_USAGE, "--execute: needs --actions FILE");
    if ((input->reads == HANDLER_RCACOPILOT) != (input->known != NULL))
        return error_set(err, STATUS_USAGE,
                         "--method rcacopilot and --incidents FILE: one needs "
                         "the other");
    if (input->reads != HANDLER_LOCATOR) {
        input->locator.method = LOCATE_LAST;
        input->handler.window = input->reads == HANDLER_RCACOPILOT
                                    ? input->incidents.lines
                                    : HANDLER_LAST_LINES_READ;
    }
    enum status st = logs_open(&input->logs, err);
    if (st == STATUS_OK)
        st = input->classes ? print_classes(input, err) : diagnose(input, err);
    logs_account(&input->logs, st);
    logs_close(&input->logs);
    return st;
}

static const struct arg_table settings[] = {
    {locator_options, offsetof(struct diagnose_input, locator)},
    {handler_options, offsetof(struct diagnose_input, handler)},
    {incidents_options, offsetof(struct diagnose_input, incidents)},
    {0},
};

static const struct arg args[] = {
    TAKE_CHOICE(struct diagnose_input, reads, "method", "NAME", handler_methods,
                "locator (default: the lines around the first error), "
                "last-lines (as --locator last --window 500) or rcacopilot "
                "(the most similar of the --incidents)"),
    TAKE_TEXT(struct diagnose_input, known, "incidents", "FILE",
              "JSON Lines: logs of earlier failures and their causes"),
    TAKE_SETTING(settings, "locator", "NAME",
                 "scan (default), binary (as the paper searches) or last (no "
                 "search: the end of the log)"),
    TAKE_SETTING(settings, "window", "N",
                 "lines around the first error that are judged; default 200"),
    TAKE_SETTINGS(settings, "set", "any setting of 'schedsim list logs'"),
    TAKE_FLAG(struct diagnose_input, classes, "classes",
              "only print what each line is"),
    TAKE_TEXT(struct diagnose_input, actions, "actions", "FILE",
              "JSON: the command of each recommended action"),
    TAKE_FLAG(struct diagnose_input, execute, "execute",
              "run the command of the action"),
    TAKE_TEXT(struct diagnose_input, names.job, "job", "ID",
              "what {job} in a command stands for"),
    TAKE_TEXT(struct diagnose_input, names.node, "node", "NAME",
              "what {node} in a command stands for"),
    TAKE_SPAN(struct diagnose_input, limit, "action-limit", "SECONDS",
              "end a command that runs longer", .lo = 0.1, .hi = 86400,
              .initial = "300"),
    TAKE_TEXT(struct diagnose_input, action_log, "action-log", "FILE",
              "append a line of JSON about each command that was run"),
    {0},
};

const struct command command_diagnose = {
    .name = "diagnose",
    .summary = "say from a log why a job failed, and what to do",
    .about = "Says why the job of a log failed (- is standard input): kind of "
             "failure, part to blame, what to do. Nothing is executed unless "
             "--execute is given.",
    .parts = {{.rows = args}, {.rows = logs_args}},
    .input_size = sizeof(struct diagnose_input),
    .run = run,
    .examples = "diagnose tests/logs/ib_completion.log\n"
                "diagnose train.log --json",
};
