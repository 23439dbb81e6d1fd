/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `diagnose LOG`: says why a job failed, which part is to blame, and what to
 * do. The commands for these actions come from the operator's file (--actions).
 * They are shown, and run only with --execute. */
#include <stdlib.h>

#include "commands/cmd_diagnose_internal.h"
#include "schedmate/live/site_knowledge.h"

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

static enum status diagnose(struct diagnose_input *input, struct error *err)
{
    struct answer a = {0};
    enum status st = diagnose_judge(input, &a, err);
    if (st == STATUS_OK && input->feedback.words)
        st = diagnose_feedback(input, &a, err);
    /* A command that cannot be run must not suppress the diagnosis, so its
     * error is reported last. */
    enum status acted = STATUS_OK;
    if (st == STATUS_OK && input->actions)
        acted = diagnose_act(input, &a, err);
    if (st == STATUS_OK && (acted == STATUS_OK || a.act.command))
        st = diagnose_print(input, &a, acted == STATUS_OK ? err : NULL);
    if (st == STATUS_OK)
        st = acted;
    if (st == STATUS_OK && input->tells)
        st = diagnose_status(&a.diagnosis);
    action_answer_fini(&a.act);
    log_window_fini(&a.window);
    return st;
}

/* Reads the options that say how the job ended. */
static enum status read_end(struct diagnose_input *input, struct error *err)
{
    struct job_end *end = &input->end;
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
    if ((input->reads == HANDLER_RCACOPILOT) != (input->known != NULL))
        return error_set(err, STATUS_USAGE,
                         "--method rcacopilot and --incidents FILE: one needs "
                         "the other");
    if (input->n_logs > 1 && input->known)
        return error_set(err, STATUS_USAGE,
                         "--method rcacopilot: give one log only");
    if (input->n_logs > 1 && input->classes)
        return error_set(err, STATUS_USAGE, "--classes: give one log only");
    if (!input->kernel_log &&
        (input->range.from != ARG_NO_TIME || input->range.to != ARG_NO_TIME))
        return error_set(err, STATUS_USAGE,
                         "--from, --to: are for --kernel-log");
    if (input->reads != HANDLER_LOCATOR) {
        input->locator.method = LOCATE_LAST;
        input->handler.window = input->reads == HANDLER_RCACOPILOT
                                    ? input->incidents.lines
                                    : HANDLER_LAST_LINES_READ;
    }
    return diagnose_feedback_check(input, err);
}

static enum status run(void *self, struct error *err)
{
    struct diagnose_input *input = self;
    enum status st = site_knowledge_open(
        input->signatures.at, input->signatures.n, &input->knowledge, err);
    input->end.knowledge = input->knowledge;
    if (st == STATUS_OK)
        st = read_end(input, err);
    if (st == STATUS_OK)
        st = diagnose_find_logs(input, err);
    if (st == STATUS_OK)
        st = check(input, err);
    if (st == STATUS_OK && input->n_logs == 1)
        input->logs.path = input->all[0].path;
    if (st == STATUS_OK)
        st = logs_open(&input->logs, err);
    if (st == STATUS_OK)
        st = input->classes ? print_classes(input, err) : diagnose(input, err);
    logs_account(&input->logs, st);
    logs_close(&input->logs);
    log_knowledge_free(input->knowledge);
    free(input->all);
    return st;
}

static const struct arg_table settings[] = {
    {locator_options, offsetof(struct diagnose_input, locator)},
    {handler_options, offsetof(struct diagnose_input, handler)},
    {incidents_options, offsetof(struct diagnose_input, incidents)},
    {0},
};

static const struct arg args[] = {
    TAKE_WORDS(struct diagnose_input, paths, "LOG", "log"),
    TAKE_FLAG(struct diagnose_input, folders, "dir",
              "of a directory among the logs, read all files"),
    TAKE_FLAG(struct diagnose_input, rank_order, "rank-order",
              "the logs are those of ranks 0, 1, 2, ...; default: by their "
              "names, such as rank3, task_3 or attempt_0/3/stderr.log"),
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
    TAKE_SETTING(settings, "ask", "WHEN",
                 "when a model is asked: weak (default: where the rules find "
                 "nothing strong), always or never"),
    TAKE_SETTINGS(settings, "set", "any setting of 'schedsim list logs'"),
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
    TAKE_TEXT(struct diagnose_input, kernel_log, "kernel-log", "FILE",
              "output of dmesg -T or journalctl -k of a node of the job"),
    TAKE_TIME(struct diagnose_input, range.from, "from", "TIME",
              "first time of the kernel log that counts"),
    TAKE_TIME(struct diagnose_input, range.to, "to", "TIME",
              "last time of the kernel log that counts"),
    TAKE_LIST(struct diagnose_input, signatures, "signatures", "FILE",
              "JSON: signatures and causes of a site, beside those of "
              "$XDG_CONFIG_HOME/schedsim/signatures.d and the built-in ones; "
              "may be given more than once"),
    TAKE_FLAG(struct diagnose_input, classes, "classes",
              "print only the class of each line"),
    TAKE_FLAG(struct diagnose_input, tells, "exit-status",
              "end with a status that tells what failed, 10 to 14; default: 0 "
              "if a diagnosis was made"),
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
    .parts = {{.rows = args},
              {.rows = diagnose_act_args},
              {.rows = diagnose_feedback_args},
              {.rows = logs_args}},
    .input_size = sizeof(struct diagnose_input),
    .run = run,
    .ends = CLI_ENDS(SAYS_INFRASTRUCTURE) | CLI_ENDS(SAYS_FRAMEWORK) |
            CLI_ENDS(SAYS_USER_SCRIPT) | CLI_ENDS(SAYS_OTHER) |
            CLI_ENDS(SAYS_UNKNOWN),
    .examples = "diagnose tests/logs/ib_completion.log\n"
                "diagnose train.log --json",
};
