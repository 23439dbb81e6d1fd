/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The operator's command for a diagnosis: the options, and the part of the
 * report about the command. */
#include <stdlib.h>
#include <string.h>

#include "commands/cmd_diagnose_internal.h"

enum { GROUP_ACT = 2 };

const struct arg diagnose_act_args[] = {
    TAKE_HEAD(GROUP_ACT, "Commands of the operator"),
    TAKE_TEXT(struct diagnose_input, actions, "actions", "FILE",
              "JSON: the command of each recommended action",
              .group = GROUP_ACT),
    TAKE_FLAG(struct diagnose_input, gate.execute, "execute",
              "run the command of the action, if nothing speaks against it",
              .group = GROUP_ACT),
    TAKE_TEXT(struct diagnose_input, names.job, "job", "ID",
              "what {job} in a command stands for", .group = GROUP_ACT),
    TAKE_TEXT(struct diagnose_input, names.node, "node", "NAME",
              "what {node} in a command stands for, and the only host of the "
              "kernel log that counts",
              .group = GROUP_ACT),
    /* Most signatures of weight 80 or more are specific, such as codes of
     * hardware and words of the scheduler. Most exceptions and messages of
     * NCCL, which can follow from other failures, have less weight. */
    TAKE_DOUBLE(struct diagnose_input, gate.floor, "action-confidence", "X",
                "least confidence of a diagnosis whose command runs", .lo = 0,
                .hi = 1, .initial = "0.8", .group = GROUP_ACT),
    /* Assumed: a repair, a restart and the next failure of the node take longer
     * than this. */
    TAKE_SPAN(struct diagnose_input, gate.limits.cooldown, "node-cooldown",
              "SECONDS", "least time between two disruptive commands on a node",
              .lo = 0, .hi = 30 * 86400, .initial = "3600", .group = GROUP_ACT),
    /* Assumed: a node that fails three times in a day needs a person. */
    TAKE_U32(struct diagnose_input, gate.limits.per_node, "node-limit", "N",
             "most disruptive commands on a node in 24 hours", .lo = 0,
             .hi = 1000, .initial = "3", .group = GROUP_ACT),
    /* Llama 3 (section 3.3.4): 419 unexpected interruptions in 54 days on
     * 16,384 GPUs, 0.3 an hour. */
    TAKE_U32(struct diagnose_input, gate.limits.per_hour, "cluster-limit", "N",
             "most disruptive commands on all nodes in an hour", .lo = 0,
             .hi = 100000, .initial = "4", .group = GROUP_ACT),
    TAKE_SPAN(struct diagnose_input, gate.command_limit, "action-limit",
              "SECONDS", "end a command that runs longer", .lo = 0.1,
              .hi = 86400, .initial = "300", .group = GROUP_ACT),
    TAKE_SPAN(struct diagnose_input, gate.check_limit, "check-limit", "SECONDS",
              "end a check (\"confirm\") that runs longer", .lo = 0.1,
              .hi = 86400, .initial = "60", .group = GROUP_ACT),
    TAKE_TEXT(struct diagnose_input, gate.log, "action-log", "FILE",
              "append a line of JSON about each command that was run or "
              "refused; default schedsim/actions.log in $XDG_STATE_HOME or "
              "~/.local/state",
              .group = GROUP_ACT),
    TAKE_TEXT(struct diagnose_input, gate.state, "action-state", "FILE",
              "remember disruptive commands here; default "
              "schedsim/actions.state in $XDG_STATE_HOME or ~/.local/state",
              .group = GROUP_ACT),
    {0},
};

enum status diagnose_act(const struct diagnose_input *input, struct answer *a,
                         struct error *err)
{
    struct action_case its = {.book = input->actions,
                              .diagnosis = &a->diagnosis,
                              .knowledge = input->knowledge,
                              .names = input->names};
    its.names.log = input->logs.path;
    its.undated = a->diagnosis.evidence == EVIDENCE_KERNEL && !a->kernel.placed;
    if (a->host.basis >= HOST_MISSING)
        its.host = a->host.name;
    return action_gate(&input->gate, &its, &a->act, err);
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

json_t *diagnose_command_json(const struct answer *a)
{
    const struct action_answer *act = &a->act;
    if (!act->command)
        return json_null();
    json_t *row = json_object();
    json_put(row, "argv", json_deep_copy(act->command));
    json_put(row, "ran", json_boolean(act->ran));
    json_put(row, "disruptive", json_boolean(act->disruptive));
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

void diagnose_write_command(const struct diagnose_input *input,
                            const struct answer *a, struct out *out)
{
    const struct action_answer *act = &a->act;
    size_t i;
    const json_t *why;
    if (!act->command)
        return;
    write_words("command     ", act->command, out);
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
