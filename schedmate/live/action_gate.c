/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "schedmate/live/action_gate.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/ascii.h"
#include "schedmate/live/home.h"
#include "schedmate/logs/log_host.h"

/* The state of one decision. */
struct decision {
    const struct action_gate *gate;
    const struct action_case *its;
    const char *action;
    char state[PATH_MAX], log[PATH_MAX];
    struct action_answer *out;
};

static void refuse(struct decision *d, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
static void refuse(struct decision *d, const char *fmt, ...)
{
    char why[4 * PATH_MAX];
    va_list args;
    va_start(args, fmt);
    vsnprintf(why, sizeof why, fmt, args);
    va_end(args);
    json_array_append_new(d->out->refused, json_text(why));
}

static bool is_refused(const struct decision *d)
{
    return json_array_size(d->out->refused) > 0;
}

static enum status place(const char *given, const char *name, char *out,
                         struct error *err)
{
    if (!given)
        return home_path(HOME_STATE, name,
                         " to keep the actions in; name files with "
                         "--action-state and --action-log",
                         out, err);
    if (snprintf(out, PATH_MAX, "%s", given) >= PATH_MAX)
        return error_set(err, STATUS_USAGE, "%s: the path is too long", given);
    return STATUS_OK;
}

/* Finds the files of the state and of the log. If that fails, for example
 * because the user has no home directory, it is an error only with
 * gate->execute; otherwise d->state becomes empty, and the limits are not
 * checked. */
static enum status places(struct decision *d, struct error *err)
{
    const struct action_gate *gate = d->gate;
    enum status st = place(gate->state, "actions.state", d->state, err);
    if (st == STATUS_OK)
        st = place(gate->log, "actions.log", d->log, err);
    if (st == STATUS_OK || gate->execute)
        return st;
    d->state[0] = 0;
    return STATUS_OK;
}

/* True for the name of one node. A list of nodes, such as "gpu[1-4]", could
 * evade the limits of a node. */
static bool is_one_node(const char *name)
{
    for (const char *c = name; *c; c++) {
        if (!ascii_is_name(*c) && *c != '.' && *c != '-')
            return false;
    }
    return *name != 0;
}

/* Checks what only a disruptive action needs: one node, the host that the logs
 * blame, evidence or a check, and room within the limits. */
static enum status check_disruptive(struct decision *d, struct error *err)
{
    const char *node = d->its->names.node;
    bool proven = d->out->evidence != EVIDENCE_LOG;
    if (!node || !is_one_node(node)) {
        refuse(d, "it is disruptive: needs the name of one node (--node)");
        return STATUS_OK;
    }
    if (d->its->host && !host_is_same(node, d->its->host))
        refuse(d, "the logs blame %s, and --node names %s", d->its->host, node);
    if (!proven && !d->out->check)
        refuse(d,
               "it is disruptive, and any user can print such a line: needs a "
               "line of the kernel at the time of the job (--kernel-log, "
               "--from), a "
               "state of the scheduler, "
               "or a \"confirm\" command in %s",
               d->its->book);
    return d->state[0] ? action_state(d->state, &d->gate->limits, node,
                                      d->action, false, d->out->refused, err)
                       : STATUS_OK;
}

static enum status look(struct decision *d, const struct action_book *book,
                        struct error *err)
{
    const struct diagnosis *its = d->its->diagnosis;
    struct action_answer *out = d->out;
    enum status st = STATUS_OK;
    out->command = action_command(book, its->action, &d->its->names);
    if (!out->command)
        return STATUS_OK;
    out->disruptive = action_book_disrupts(
        book, its->action,
        log_knowledge_action(d->its->knowledge, its->action)->disruptive);
    if (out->disruptive && out->evidence == EVIDENCE_LOG)
        out->check = action_check(book, its->action, &d->its->names);
    if (!action_book_is_safe(d->its->book))
        refuse(d, "%s: others than its owner can write it", d->its->book);
    action_book_refuses(book, its->action, &d->its->names, out->refused);
    if (its->confidence < d->gate->floor)
        refuse(d,
               "the confidence is %.2f, the least is %.2f "
               "(--action-confidence)",
               its->confidence, d->gate->floor);
    if (out->disruptive)
        st = check_disruptive(d, err);
    return st;
}

/* Runs the operator's check. Refuses the command unless the check confirms
 * it. */
static enum status confirm(struct decision *d, struct error *err)
{
    struct action_answer *out = d->out;
    const struct action_result *said = &out->check_result;
    enum status st =
        action_run(out->check, d->gate->check_limit, &out->check_result, err);
    out->checked = st == STATUS_OK;
    if (st != STATUS_OK)
        refuse(d, "the check cannot be run");
    else if (said->timed_out)
        refuse(d, "the check gave no answer within %.3g s (--check-limit)",
               span_seconds(d->gate->check_limit));
    else if (said->exit_status != 0)
        refuse(d, "the check does not confirm it (exit status %d, signal %d)",
               said->exit_status, said->signal);
    else
        out->evidence = EVIDENCE_HOOK;
    return st;
}

static enum status execute(struct decision *d, struct error *err)
{
    struct action_answer *out = d->out;
    enum status st = STATUS_OK;
    if (out->check)
        st = confirm(d, err);
    if (st == STATUS_OK && !is_refused(d) && out->disruptive)
        st = action_state(d->state, &d->gate->limits, d->its->names.node,
                          d->action, true, out->refused, err);
    if (st == STATUS_OK && !is_refused(d)) {
        st =
            action_run(out->command, d->gate->command_limit, &out->result, err);
        out->ran = st == STATUS_OK;
    }
    return st;
}

static json_t *result_json(const struct action_result *result)
{
    json_t *row = json_object();
    json_put(row, "exit_status", json_integer(result->exit_status));
    json_put(row, "signal", json_integer(result->signal));
    json_put(row, "timed_out", json_boolean(result->timed_out));
    return row;
}

static json_t *diagnosis_json(const struct diagnosis *d)
{
    json_t *row = json_object();
    json_put(row, "error_type", json_text(failure_kinds[d->kind]));
    json_put(row, "faulty_component", json_text(failure_parts[d->part]));
    json_put(row, "reason", json_text(d->reason));
    json_put(row, "signature",
             json_text(d->signature ? d->signature->name : NULL));
    json_put(row, "source", json_text(handler_sources[d->source]));
    json_put(row, "confidence", json_number(d->confidence));
    return row;
}

/* Returns the line of the log of actions as a new object. `failed`: the message
 * of an error, or NULL. */
static json_t *line_of(const struct decision *d, const char *failed)
{
    const struct action_answer *out = d->out;
    json_t *row = json_object();
    char when[TIME_TEXT_MAX];
    int64_t now = action_now();
    time_to_text(now * SPAN_SECOND, when);
    json_put(row, "unix_s", json_integer(now));
    json_put(row, "time_utc", json_text(when));
    json_put(row, "log", json_text(d->its->names.log));
    json_put(row, "job", json_text(d->its->names.job));
    json_put(row, "node", json_text(d->its->names.node));
    json_put(row, "diagnosis", diagnosis_json(d->its->diagnosis));
    json_put(row, "evidence", json_text(handler_evidence_words[out->evidence]));
    json_put(row, "action", json_text(d->action));
    json_put(row, "disruptive", json_boolean(out->disruptive));
    json_put(row, "argv", json_deep_copy(out->command));
    json_put(row, "ran", json_boolean(out->ran));
    json_put(row, "refused", json_deep_copy(out->refused));
    json_put(row, "error", json_text(failed));
    json_put(row, "check",
             out->checked ? result_json(&out->check_result) : json_null());
    if (out->ran)
        json_object_update_new(row, result_json(&out->result));
    return row;
}

static enum status open_log(const struct decision *d, int *fd,
                            struct error *err)
{
    enum status st = home_make_folders(d->log, err);
    if (st != STATUS_OK)
        return st;
    *fd = open(d->log, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    return *fd >= 0 ? STATUS_OK
                    : error_set(err, STATUS_FAILED, "%s: %s", d->log,
                                strerror(errno));
}

/* Appends one line with one call, so that lines of several processes do not
 * mix. */
static enum status write_line(const struct decision *d, int fd,
                              const char *failed, struct error *err)
{
    json_t *row = line_of(d, failed);
    char *line = json_dumps(row, JSON_COMPACT | JSON_REAL_PRECISION(10));
    size_t len = strlen(line);
    line[len] = '\n'; /* replaces the final 0, which is not needed any more */
    bool good =
        write(fd, line, len + 1) == (ssize_t)(len + 1) && fsync(fd) == 0;
    free(line);
    json_decref(row);
    return good ? STATUS_OK
                : error_set(err, STATUS_FAILED, "%s: %s", d->log,
                            strerror(errno));
}

/* Runs the command unless it is refused, and logs both cases. Opens the log
 * first, so that no command runs if the log cannot be opened. STATUS_FAILED
 * also if the command is refused. */
static enum status carry_out(struct decision *d, struct error *err)
{
    int fd = -1;
    enum status st = open_log(d, &fd, err), written;
    if (st != STATUS_OK)
        return st;
    if (!is_refused(d))
        st = execute(d, err);
    written = write_line(d, fd, st == STATUS_OK ? NULL : err->message,
                         st == STATUS_OK ? err : NULL);
    close(fd);
    if (st == STATUS_OK)
        st = written;
    if (st == STATUS_OK && is_refused(d)) {
        const char *why = json_string_value(json_array_get(d->out->refused, 0));
        size_t more = json_array_size(d->out->refused) - 1;
        st = error_set(err, STATUS_FAILED, "%s is refused: %s%s", d->action,
                       why, more ? "; and more" : "");
    }
    return st;
}

enum status action_gate(const struct action_gate *gate,
                        const struct action_case *its,
                        struct action_answer *out, struct error *err)
{
    struct action_book *book = NULL;
    struct decision d = {.gate = gate,
                         .its = its,
                         .action = handler_actions[its->diagnosis->action],
                         .out = out};
    *out = (struct action_answer){.refused = json_array(),
                                  .evidence = its->diagnosis->evidence};
    if (its->undated)
        out->evidence = EVIDENCE_LOG;
    enum status st = action_book_read(its->book, &book, err);
    if (st == STATUS_OK)
        st = places(&d, err);
    if (st == STATUS_OK && its->diagnosis->failed)
        st = look(&d, book, err);
    if (st == STATUS_OK && out->command && gate->execute)
        st = carry_out(&d, err);
    action_book_free(book);
    return st;
}

void action_answer_fini(struct action_answer *answer)
{
    json_decref(answer->command);
    json_decref(answer->check);
    json_decref(answer->refused);
}
