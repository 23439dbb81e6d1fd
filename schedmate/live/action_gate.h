/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Decides whether the operator's command for a diagnosis may run, and runs it.
 *
 * Any user can print any line into the log of a job, so no node is taken out of
 * service because of a log alone. A command is refused if
 *
 * - a value in it is missing or could be taken for something else
 *   (action_book.h), or the file of commands is not safe (action_book_is_safe);
 * - the confidence of the diagnosis is below the floor;
 * - it is disruptive and the evidence is the log alone (enum handler_evidence),
 *   unless the operator's check confirms it;
 * - it is disruptive and not about exactly one node, or a limit of
 *   action_state.h is reached;
 * - it is disruptive and the logs blame another host than --node names;
 * - a model alone says so, or the scheduler says otherwise than the log;
 * - the job had its share of this action today. Instead of a restart that the
 *   log alone asks for again, the operator is told.
 *
 * If action_gate.execute is true, each run and each refusal is one line in a
 * log of actions. */
#ifndef SIM_ACTION_GATE_H
#define SIM_ACTION_GATE_H

#include "base/json.h"
#include "schedmate/live/action_book.h"
#include "schedmate/live/action_state.h"
#include "schedmate/logs/handler.h"

/* Runs a command of the operator without a shell.
 */

struct action_result {
    /* exit status; -1: a signal ended the command, or its end is not known */
    int exit_status;
    /* signal that ended the command, SIGKILL after the limit; 0: none, or not
     * known */
    int signal;
    bool timed_out;
};

/* Runs the command, a JSON array of at most ACTION_WORDS_MAX texts, with empty
 * input; its output goes to standard error. Its process group is killed after
 * about `limit` microseconds, which is no error. STATUS_FAILED if the command
 * cannot be started. */
enum status action_run(const json_t *argv, sim_span limit,
                       struct action_result *out, struct error *err) MUST_USE;

/* Returns the seconds since 1970. */
int64_t action_now(void);

struct action_gate {
    /* smallest confidence, 0 to 1, of a diagnosis that may lead to an action */
    double floor;
    struct action_limits limits;
    sim_span command_limit, check_limit; /* largest run times, us */
    /* paths of the file of begun actions (action_state.h) and of the log of
     * actions; NULL: actions.state and actions.log in the user's state
     * directory */
    const char *state, *log;
    bool execute; /* false: only report what would be done */
};

/* The input of a decision. All is borrowed. */
struct action_case {
    const char *book; /* file of the operator's commands */
    const struct diagnosis *diagnosis;
    const struct log_knowledge *knowledge;
    struct action_names names;
    /* True if the line of the kernel log may be older than the job. Any user
     * could point at an old line, so it then counts as evidence of the log
     * only. */
    bool undated;
    const char *host; /* host that the logs blame; NULL: no host is certain */
    bool denied;      /* by the scheduler (job_end_denies) */
};

struct action_answer {
    /* arguments; NULL: the job did not fail, or the book has no command */
    json_t *command;
    /* arguments of the check; NULL: none is needed, or the book has none */
    json_t *check;
    json_t *refused; /* array of texts: why the command must not run */
    bool disruptive;
    /* true: the operator is told instead of restarting the job again */
    bool instead;
    bool checked, ran;
    /* evidence of the diagnosis, or EVIDENCE_LOG if the case is undated;
     * EVIDENCE_HOOK once the check has confirmed it */
    enum handler_evidence evidence;
    struct action_result check_result, result;
};

/* Decides and, with gate->execute, runs the command if there is one and it is
 * not refused. *out is valid even if this fails; the caller frees it with
 * action_answer_fini. A refusal with gate->execute is STATUS_FAILED. */
enum status action_gate(const struct action_gate *gate,
                        const struct action_case *its,
                        struct action_answer *out, struct error *err) MUST_USE;

void action_answer_fini(struct action_answer *answer);

#endif
