/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `diagnose LOG`: says why a job failed, which part is to blame, and what to
 * do. The commands for these actions come from the operator's file (--actions).
 * They are shown, and run only with --execute. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "commands/commands_internal.h"
#include "schedmate/live/case_file.h"
#include "schedmate/live/site.h"

enum { GROUP_ACT = 2, GROUP_FEEDBACK = 3 };

static const struct arg act_args[] = {
    TAKE_HEAD(GROUP_ACT, "Commands of the operator"),
    TAKE_TEXT(struct diagnose_input, actions, "actions", "FILE",
              "JSON: the command of each recommended action",
              .group = GROUP_ACT, .often = true),
    TAKE_FLAG(struct diagnose_input, gate.execute, "execute",
              "run the command of the action, if nothing speaks against it",
              .group = GROUP_ACT, .often = true),
    TAKE_TEXT(struct diagnose_input, names.job, "job", "ID",
              "what {job} in a command stands for", .group = GROUP_ACT,
              .often = true),
    TAKE_TEXT(struct diagnose_input, names.node, "node", "NAME",
              "what {node} in a command stands for, and the only host of the "
              "kernel log that counts",
              .group = GROUP_ACT, .often = true),
    /* Most signatures of weight 80 or more are specific, such as codes of
     * hardware and words of the scheduler. Most exceptions and messages of
     * NCCL, which can follow from other failures, have less weight. */
    TAKE_DOUBLE(struct diagnose_input, gate.floor, "action-confidence", "X",
                "least confidence of a diagnosis whose command runs", .lo = 0,
                .hi = 1, .initial = "0.8", .group = GROUP_ACT, .of = "set"),
    /* Assumed: a repair, a restart and the next failure of the node take longer
     * than this. */
    TAKE_SPAN(struct diagnose_input, gate.limits.cooldown, "node-cooldown",
              "SECONDS", "least time between two disruptive commands on a node",
              .lo = 0, .hi = 30 * 86400, .initial = "3600", .group = GROUP_ACT,
              .of = "set"),
    /* Assumed: a node that fails three times in a day needs a person. */
    TAKE_U32(struct diagnose_input, gate.limits.per_node, "node-limit", "N",
             "most disruptive commands on a node in 24 hours", .lo = 0,
             .hi = 1000, .initial = "3", .group = GROUP_ACT, .of = "set"),
    /* Llama 3 (section 3.3.4): 419 unexpected interruptions in 54 days on
     * 16,384 GPUs, 0.3 an hour. */
    TAKE_U32(struct diagnose_input, gate.limits.per_hour, "cluster-limit", "N",
             "most disruptive commands on all nodes in an hour", .lo = 0,
             .hi = 100000, .initial = "4", .group = GROUP_ACT, .of = "set"),
    /* Assumed: whatever a job needs more often in a day needs a person. */
    TAKE_U32(struct diagnose_input, gate.limits.per_job, "job-limit", "N",
             "most equal commands for a job in 24 hours; 1 for a restart on "
             "the log's word alone",
             .lo = 0, .hi = 1000, .initial = "3", .group = GROUP_ACT,
             .of = "set"),
    TAKE_SPAN(struct diagnose_input, gate.command_limit, "action-limit",
              "SECONDS", "end a command that runs longer", .lo = 0.1,
              .hi = 86400, .initial = "300", .group = GROUP_ACT, .of = "set"),
    TAKE_SPAN(struct diagnose_input, gate.check_limit, "check-limit", "SECONDS",
              "end a check (\"confirm\") that runs longer", .lo = 0.1,
              .hi = 86400, .initial = "60", .group = GROUP_ACT, .of = "set"),
    TAKE_TEXT(struct diagnose_input, gate.log, "action-log", "FILE",
              "append a line of JSON about each command that was run or "
              "refused; default schedsim/actions.log in $XDG_STATE_HOME or "
              "~/.local/state",
              .group = GROUP_ACT, .of = "set"),
    TAKE_TEXT(struct diagnose_input, gate.state, "action-state", "FILE",
              "remember disruptive commands here; default "
              "schedsim/actions.state in $XDG_STATE_HOME or ~/.local/state",
              .group = GROUP_ACT, .of = "set"),
    {0},
};

static enum status act(const struct diagnose_input *input, struct answer *a,
                       struct error *err)
{
    struct action_case its = {.book = input->actions,
                              .diagnosis = &a->found.diagnosis,
                              .knowledge = input->job.knowledge,
                              .names = input->names};
    its.names.log = input->logs.path;
    its.denied = job_end_denies(&input->job.end, &a->found.diagnosis);
    its.undated = a->found.diagnosis.evidence == EVIDENCE_KERNEL &&
                  !a->found.kernel.placed;
    if (a->found.host.basis >= HOST_MISSING)
        its.host = a->found.host.name;
    return action_gate(&input->gate, &its, &a->act, err);
}

static const struct arg feedback_args[] = {
    TAKE_HEAD(GROUP_FEEDBACK, "What a person says of the answer"),
    TAKE_TEXT(struct diagnose_input, feedback.words, "feedback", "VERDICT",
              "right, or wrong[,cause=NAME][,kind=KIND][,part=PART]"
              "[,action=NAME]: keep the case; kind=none if nothing failed",
              .group = GROUP_FEEDBACK, .often = true),
    TAKE_TEXT(struct diagnose_input, feedback.note, "note", "TEXT",
              "keep these words with the case", .group = GROUP_FEEDBACK,
              .of = "set"),
    TAKE_TEXT(struct diagnose_input, feedback.folder, "cases", "DIR",
              "folder of the kept cases; default schedsim/cases in "
              "$XDG_DATA_HOME or ~/.local/share",
              .group = GROUP_FEEDBACK),
    {0},
};

static enum status check_feedback(const struct diagnose_input *input,
                                  struct error *err)
{
    if (!input->feedback.words && input->feedback.note)
        return error_set(err, STATUS_USAGE,
                         "--set note: needs --feedback right or wrong");
    return STATUS_OK;
}

static enum status keep_feedback(struct diagnose_input *input, struct answer *a,
                                 struct error *err)
{
    char folder[PATH_MAX];
    struct case_verdict verdict;
    struct log_window tail = {0};
    struct case_note note = {
        .log = input->logs.path,
        .note = input->feedback.note,
        .verdict = &verdict,
        .diagnosis = &a->found.diagnosis,
        .window = &a->found.window,
        .knowledge = input->job.knowledge,
        .given = {input->state, input->exit_code, input->signal, input->reason},
    };
    const char *words = input->feedback.words, *to = input->feedback.folder;
    enum status st = case_verdict_read(words, input->job.knowledge,
                                       &input->logs.scratch, &verdict, err);
    if (st == STATUS_OK && !to)
        st = home_path(HOME_DATA, "cases",
                       " to keep cases in; name a folder with --cases DIR",
                       folder, err);
    if (st == STATUS_OK && a->found.window.text.len == 0) {
        /* No error was found: the end of the log is kept. */
        st = log_window_last(input->logs.file, input->job.handler.window, &tail,
                             err);
        note.window = &tail;
    }
    if (st == STATUS_OK)
        st = case_keep(to ? to : folder, &note, &input->logs.scratch, &a->kept,
                       err);
    log_window_fini(&tail);
    return st;
}

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

/* Returns the status that tells what failed; STATUS_OK if nothing did. */
static enum status diagnose_status(const struct diagnosis *d)
{
    static const enum status by_kind[FAILURE_N_KINDS] = {
        [FAILURE_INFRASTRUCTURE] = STATUS_SAYS_INFRASTRUCTURE,
        [FAILURE_FRAMEWORK] = STATUS_SAYS_FRAMEWORK,
        [FAILURE_SCRIPT] = STATUS_SAYS_USER_SCRIPT,
        [FAILURE_OTHER] = STATUS_SAYS_OTHER,
    };
    if (!d->failed)
        return STATUS_OK;
    return d->source == HANDLER_NOTHING ? STATUS_SAYS_UNKNOWN
                                        : by_kind[d->kind];
}

/* Names the folder of kept cases, if there is one, for questions to a model. */
static void job_cases(struct diagnose_input *input, char folder[PATH_MAX],
                      struct error *none)
{
    const char *cases = input->feedback.folder;
    if (!cases && home_path(HOME_DATA, "cases", "", folder, none) == STATUS_OK)
        cases = folder;
    if (cases && access(cases, R_OK | X_OK) == 0)
        input->job.cases = cases;
}

static enum status diagnose_judge(struct diagnose_input *input,
                                  struct job_finding *out, struct error *err)
{
    char folder[PATH_MAX];
    struct error none;
    job_cases(input, folder, &none);
    struct logs_input *logs = &input->logs;
    struct job_logs *job = &input->job;
    job->file = logs->file;
    job->classifier = logs->classifier;
    job->client = logs_has_model(logs) ? backend_client(logs->backend) : NULL;
    job->range.nodes = &input->names.node;
    job->range.n_nodes = input->names.node != NULL;
    enum status st = job_logs_judge(job, out, err);
    logs->file = job->file;
    logs->path = job->all[out->log].path;
    return st;
}

static enum status diagnose(struct diagnose_input *input, struct error *err)
{
    struct answer a = {0};
    enum status st = diagnose_judge(input, &a.found, err);
    if (st == STATUS_OK && input->feedback.words)
        st = keep_feedback(input, &a, err);
    /* A command that cannot be run must not suppress the diagnosis, so its
     * error is reported last. */
    enum status acted = STATUS_OK;
    if (st == STATUS_OK && input->actions)
        acted = act(input, &a, err);
    if (st == STATUS_OK && (acted == STATUS_OK || a.act.command))
        st = diagnose_print(input, &a, acted == STATUS_OK ? err : NULL);
    if (st == STATUS_OK)
        st = acted;
    if (st == STATUS_OK && input->tells)
        st = diagnose_status(&a.found.diagnosis);
    action_answer_fini(&a.act);
    log_window_fini(&a.found.window);
    return st;
}

/* Finds the logs that the command line names, and their ranks. */
static enum status find_logs(struct diagnose_input *input, struct error *err)
{
    const struct arg_words *paths = &input->paths;
    enum status st = STATUS_OK;
    input->job.arena = &input->logs.call.arena;
    for (size_t i = 0; i < paths->n && st == STATUS_OK; i++)
        st = paths->n > 1 && strcmp(paths->at[i], "-") == 0
                 ? error_set(err, STATUS_USAGE,
                             "-: standard input goes with no other log")
                 : job_logs_add(&input->job, paths->at[i], input->folders, err);
    job_logs_rank(&input->job, input->rank_order);
    return st;
}

/* Reads the options that say how the job ended. */
static enum status read_end(struct diagnose_input *input, struct error *err)
{
    struct job_end *end = &input->job.end;
    enum status st = STATUS_OK;
    const char *option = "--state";
    if (input->state)
        st = job_end_read_state(input->state, end, err);
    if (st == STATUS_OK && input->exit_code) {
        option = "--exit-code";
        st = job_end_read_code(input->exit_code, end, err);
    }
    if (st == STATUS_OK && input->signal) {
        option = "--signal";
        st = job_end_read_signal(input->signal, end, err);
    }
    if (st != STATUS_OK)
        return error_prefix(err, "%s: ", option);
    if (input->reason)
        job_end_read_reason(input->reason, end);
    return STATUS_OK;
}

/* Refuses options that contradict each other or need another one, and sets
 * those that follow from others. */
static enum status check(struct diagnose_input *input, struct error *err)
{
    if (input->gate.execute && !input->actions)
        return error_set(err, STATUS_USAGE, "--execute: needs --actions FILE");
    if ((input->job.method == HANDLER_RCACOPILOT) != (input->job.known != NULL))
        return error_set(err, STATUS_USAGE,
                         "--method rcacopilot and --incidents FILE: one needs "
                         "the other");
    if (input->job.n > 1 && input->job.known)
        return error_set(err, STATUS_USAGE,
                         "--method rcacopilot: give one log only");
    if (input->job.n > 1 && input->classes)
        return error_set(err, STATUS_USAGE, "--classes: give one log only");
    if (!input->job.kernel_log && (input->job.range.from != ARG_NO_TIME ||
                                   input->job.range.to != ARG_NO_TIME))
        return error_set(err, STATUS_USAGE,
                         "--from, --to: are for --kernel-log");
    if (input->job.method != HANDLER_LOCATOR) {
        input->job.locator.method = LOCATE_LAST;
        input->job.handler.window = input->job.method == HANDLER_RCACOPILOT
                                        ? input->job.incidents.lines
                                        : HANDLER_LAST_LINES_READ;
    }
    return check_feedback(input, err);
}

static enum status diagnose_run(void *self, struct error *err)
{
    struct diagnose_input *input = self;
    enum status st = site_knowledge_open(
        input->signatures.at, input->signatures.n, &input->job.knowledge, err);
    input->job.end.knowledge = input->job.knowledge;
    if (st == STATUS_OK)
        st = read_end(input, err);
    if (st == STATUS_OK)
        st = find_logs(input, err);
    if (st == STATUS_OK)
        st = check(input, err);
    if (st == STATUS_OK && input->job.n == 1)
        input->logs.path = input->job.all[0].path;
    if (st == STATUS_OK)
        st = logs_open(&input->logs, err);
    if (st == STATUS_OK)
        st = input->classes ? print_classes(input, err) : diagnose(input, err);
    logs_account(&input->logs, st);
    logs_close(&input->logs);
    log_knowledge_free(input->job.knowledge);
    free(input->job.all);
    return st;
}

static const struct arg_table diagnose_settings[] = {
    {locator_options, offsetof(struct diagnose_input, job.locator)},
    {handler_options, offsetof(struct diagnose_input, job.handler)},
    {incidents_options, offsetof(struct diagnose_input, job.incidents)},
    {0},
};

static const struct arg diagnose_args[] = {
    TAKE_WORDS(struct diagnose_input, paths, "LOG", "log"),
    TAKE_FLAG(struct diagnose_input, folders, "dir",
              "of a directory among the logs, read all files"),
    TAKE_FLAG(struct diagnose_input, rank_order, "rank-order",
              "the logs are those of ranks 0, 1, 2, ...; default: by their "
              "names, such as rank3, task_3 or attempt_0/3/stderr.log",
              .of = "set"),
    TAKE_CHOICE(struct diagnose_input, job.method, "method", "NAME",
                handler_methods,
                "locator (default: the lines around the first error), "
                "last-lines (as --set locator=last --window 500) or rcacopilot "
                "(the most similar of the --incidents)",
                .often = true),
    TAKE_TEXT(struct diagnose_input, job.known, "incidents", "FILE",
              "JSON Lines: logs of earlier failures and their causes"),
    TAKE_SETTING(diagnose_settings, "locator", "NAME",
                 "scan (default), binary (as the paper searches) or last (no "
                 "search: the end of the log)",
                 .of = "set"),
    TAKE_SETTING(diagnose_settings, "window", "N",
                 "lines around the first error that are judged; default 200"),
    TAKE_SETTING(diagnose_settings, "ask", "WHEN",
                 "when a model is asked: weak (default: where the rules find "
                 "nothing strong), always or never",
                 .of = "set"),
    TAKE_SETTINGS(diagnose_settings, "set",
                  "any setting of 'schedsim list logs'"),
    TAKE_TEXT(struct diagnose_input, state, "state", "STATE",
              "how the job ended, in the words of Slurm, Kubernetes, PBS or "
              "LSF: COMPLETED, FAILED, TIMEOUT, OOMKilled, EXIT, ..."),
    TAKE_TEXT(struct diagnose_input, exit_code, "exit-code", "CODE",
              "exit code of the job: 1, Slurm's 1:9 (code and signal), 137 "
              "(128 and a signal)"),
    TAKE_TEXT(struct diagnose_input, signal, "signal", "SIGNAL",
              "signal that ended the job, by number or name"),
    TAKE_TEXT(struct diagnose_input, reason, "reason", "WORDS",
              "the scheduler's reason, such as NodeDown or OOMKilled"),
    TAKE_TEXT(struct diagnose_input, job.kernel_log, "kernel-log", "FILE",
              "output of dmesg -T or journalctl -k of a node of the job"),
    TAKE_TIME(struct diagnose_input, job.range.from, "from", "TIME",
              "first time of the kernel log that counts", .often = true),
    TAKE_TIME(struct diagnose_input, job.range.to, "to", "TIME",
              "last time of the kernel log that counts", .often = true),
    TAKE_LIST(struct diagnose_input, signatures, "signatures", "FILE",
              "JSON: signatures and causes of a site, beside those of "
              "$XDG_CONFIG_HOME/schedsim/signatures.d and the built-in ones; "
              "may be given more than once",
              .often = true),
    TAKE_FLAG(struct diagnose_input, classes, "classes",
              "print only the class of each line", .often = true),
    TAKE_FLAG(struct diagnose_input, tells, "exit-status",
              "end with a status that tells what failed, 10 to 14; default: 0 "
              "if a diagnosis was made",
              .often = true),
    {0},
};

const struct command command_diagnose = {
    .name = "diagnose",
    .summary = "say from a log why a job failed, and what to do",
    .about = "Says why the job of a log failed (- is standard input): kind of "
             "failure, part to blame, host, what to do. Of several logs of one "
             "job, such as those of its ranks, the one with the first cause "
             "decides. Nothing is executed unless "
             "--execute is given.",
    .parts = {{.rows = diagnose_args},
              {.rows = act_args},
              {.rows = feedback_args},
              {.rows = logs_args}},
    .input_size = sizeof(struct diagnose_input),
    .run = diagnose_run,
    .ends = CLI_ENDS(SAYS_INFRASTRUCTURE) | CLI_ENDS(SAYS_FRAMEWORK) |
            CLI_ENDS(SAYS_USER_SCRIPT) | CLI_ENDS(SAYS_OTHER) |
            CLI_ENDS(SAYS_UNKNOWN),
    .examples = "mate diagnose tests/logs/ib_completion.log\n"
                "mate diagnose train.log --json",
};
