/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The input and the answer of `diagnose`, which its files share. */
#ifndef SIM_CMD_DIAGNOSE_INTERNAL_H
#define SIM_CMD_DIAGNOSE_INTERNAL_H

#include "commands/cmd_logs_internal.h"
#include "schedmate/live/action_gate.h"
#include "schedmate/live/job_logs.h"

struct diagnose_input {
    struct logs_input logs;
    struct arg_words paths; /* logs and directories, as the user gave them */
    bool folders, rank_order, tells;
    struct job_logs job; /* the logs that they name, and how to judge them */
    /* what the scheduler reported, as the user gave it; NULL: not given */
    const char *state, *exit_code, *signal, *reason;
    struct arg_list signatures; /* files of signatures that the site has
                                 * added */
    bool classes;
    const char *actions; /* file of the operator's commands; NULL: none */
    struct action_gate gate;
    struct action_names names;
    /* a person's verdict on the answer, words to keep with it, and the folder
     * of cases; NULL: not given */
    struct {
        const char *words, *note, *folder;
    } feedback;
};

struct answer {
    struct job_finding found;
    struct action_answer act;
    const char *kept; /* path of the kept case; NULL: no case was kept */
};

/* Prints an answer as text or JSON. `err` may be NULL. */
enum status diagnose_print(const struct diagnose_input *input,
                           const struct answer *a, struct error *err);

#endif
