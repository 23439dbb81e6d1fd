/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `diagnose --feedback`: keeps a diagnosis that a person called right or wrong
 * (schedmate/live/case_file.h). */
#include "commands/cmd_diagnose_internal.h"
#include "schedmate/live/case_file.h"
#include "schedmate/live/home.h"

enum { GROUP_FEEDBACK = 3 };

const struct arg diagnose_feedback_args[] = {
    TAKE_HEAD(GROUP_FEEDBACK, "What a person says of the answer"),
    TAKE_TEXT(struct diagnose_input, feedback.words, "feedback", "VERDICT",
              "right, or wrong[,cause=NAME][,kind=KIND][,part=PART]"
              "[,action=NAME]: keep the case; kind=none if nothing failed",
              .group = GROUP_FEEDBACK),
    TAKE_TEXT(struct diagnose_input, feedback.note, "note", "TEXT",
              "keep these words with the case", .group = GROUP_FEEDBACK),
    TAKE_TEXT(struct diagnose_input, feedback.folder, "cases", "DIR",
              "folder of the kept cases; default schedsim/cases in "
              "$XDG_DATA_HOME or ~/.local/share",
              .group = GROUP_FEEDBACK),
    {0},
};

enum status diagnose_feedback_check(const struct diagnose_input *input,
                                    struct error *err)
{
    if (!input->feedback.words && input->feedback.note)
        return error_set(err, STATUS_USAGE,
                         "--note: needs --feedback right or wrong");
    return STATUS_OK;
}

enum status diagnose_feedback(struct diagnose_input *input, struct answer *a,
                              struct error *err)
{
    char folder[PATH_MAX];
    struct case_verdict verdict;
    struct log_window tail = {0};
    struct case_note note = {
        .log = input->logs.path,
        .note = input->feedback.note,
        .verdict = &verdict,
        .diagnosis = &a->diagnosis,
        .window = &a->window,
        .knowledge = input->knowledge,
        .given = {input->state, input->exit_code, input->signal, input->reason},
    };
    const char *words = input->feedback.words, *to = input->feedback.folder;
    enum status st = case_verdict_read(words, input->knowledge,
                                       &input->logs.scratch, &verdict, err);
    if (st == STATUS_OK && !to)
        st = home_path(HOME_DATA, "cases",
                       " to keep cases in; name a folder with --cases DIR",
                       folder, err);
    if (st == STATUS_OK && a->window.text.len == 0) {
        /* No error was found: the end of the log is kept. */
        st = log_window_last(input->logs.file, input->handler.window, &tail,
                             err);
        note.window = &tail;
    }
    if (st == STATUS_OK)
        st = case_keep(to ? to : folder, &note, &input->logs.scratch, &a->kept,
                       err);
    log_window_fini(&tail);
    return st;
}
