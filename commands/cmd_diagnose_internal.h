/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The input and the answer of `diagnose`, which its files share. */
#ifndef SIM_CMD_DIAGNOSE_INTERNAL_H
#define SIM_CMD_DIAGNOSE_INTERNAL_H

#include "commands/cmd_logs_internal.h"
#include "schedmate/live/action_gate.h"
#include "schedmate/live/incident_file.h"
#include "schedmate/live/kernel_log.h"
#include "schedmate/live/log_window.h"
#include "schedmate/logs/log_host.h"
#include "schedmate/logs/log_stamp.h"
#include "schedmate/logs/schedmate_handler.h"

/* One of the logs, and the result of reading it. */
struct diagnose_log {
    const char *path;
    int64_t rank; /* rank of the process; -1: unknown */
    /* diagnosis by the rules; `host` is empty, because the window is freed */
    struct diagnosis diagnosis;
    bool is_fallout; /* true if the failure is a consequence of another
                      * process's failure */
    bool has_time;
    /* last time stamp up to `line`, or else the first one after it; valid if
     * has_time */
    struct log_stamp at;
    /* number of the line of the cause or of the first error, from 1; 0: no
     * failure */
    uint64_t line;
    uint64_t lines; /* number of lines of the log */
};

struct diagnose_input {
    struct logs_input logs;
    struct arg_words paths; /* logs and directories, as the user gave them */
    bool folders, rank_order, tells;
    struct diagnose_log *all; /* logs to read; owned */
    size_t n_logs, cap_logs;
    const char *kernel_log; /* path of the kernel log; NULL: none */
    struct kernel_range range;
    struct locator_config locator;
    struct handler_config handler;
    struct incidents_config incidents;
    unsigned reads; /* enum handler_method */
    /* what the scheduler reported, as the user gave it; NULL: not given */
    const char *state, *exit_code, *signal, *reason;
    struct job_end end;         /* the parsed values of these four options */
    struct arg_list signatures; /* files of signatures that the site has
                                 * added */
    struct log_knowledge *knowledge;
    bool classes;
    const char *known;   /* file of known incidents; NULL: none */
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
    size_t log; /* index of the log that decides */
    struct host_guess host;
    int64_t rank; /* rank of the process to blame; -1: unknown */
    /* all zeroes if no kernel log was read */
    struct kernel_finding kernel;
    struct log_window window;
    struct diagnosis diagnosis;
    struct action_answer act;
    const char *kept; /* path of the kept case; NULL: no case was kept */
};

/* The options about feedback, for a struct diagnose_input. */
extern const struct arg diagnose_feedback_args[];
enum status diagnose_feedback_check(const struct diagnose_input *input,
                                    struct error *err) MUST_USE;
/* Keeps the case; a->kept becomes the path of its file. */
enum status diagnose_feedback(struct diagnose_input *input, struct answer *a,
                              struct error *err) MUST_USE;

/* The options about commands, for a struct diagnose_input. */
extern const struct arg diagnose_act_args[];
/* Decides whether the command for the diagnosis may run; runs it with
 * --execute. */
enum status diagnose_act(const struct diagnose_input *input, struct answer *a,
                         struct error *err) MUST_USE;
/* Write the command and what came of it: its result, or why it was or would be
 * refused. If there is no command: a JSON null, or no text. */
json_t *diagnose_command_json(const struct answer *a);
void diagnose_write_command(const struct diagnose_input *input,
                            const struct answer *a, struct out *out);

/* Finds the logs that the command line names, those in its directories too, and
 * their ranks. */
enum status diagnose_find_logs(struct diagnose_input *input,
                               struct error *err) MUST_USE;
/* Judges all logs. *out must be all zeroes; the caller frees its window. */
enum status diagnose_judge(struct diagnose_input *input, struct answer *out,
                           struct error *err) MUST_USE;
/* True if --node names another host than the one that the logs blame. False if
 * no --node is given or no host is certain. */
bool diagnose_disagrees(const struct diagnose_input *input,
                        const struct answer *a);

/* Writes who ended the job, and the scheduler's reason; nothing that the user
 * did not give. */
void diagnose_write_facts(const struct job_end *end, struct out *out);

/* Write which of several logs decides, the rank and the host, and what the
 * kernel log reports; as JSON also the advice and the resource that ran out. */
void diagnose_put_places(const struct diagnose_input *input,
                         const struct answer *a, json_t *row);
void diagnose_write_places(const struct diagnose_input *input,
                           const struct answer *a, struct out *out);

/* Prints an answer as text or JSON. `err` may be NULL. */
enum status diagnose_print(const struct diagnose_input *input,
                           const struct answer *a, struct error *err);

/* Write what the rules and the model answered. If no model was asked: a JSON
 * null, or no text. */
json_t *diagnose_answers_json(const struct diagnosis *d);
void diagnose_write_answers(const struct diagnosis *d, struct out *out);

/* For a failure of unknown cause, show the last lines of the window that was
 * read. diagnose_shows_tail is true if there are such lines. */
bool diagnose_shows_tail(const struct answer *a);
json_t *diagnose_tail_json(const struct answer *a);
void diagnose_write_tail(const struct answer *a, struct out *out);

#endif
