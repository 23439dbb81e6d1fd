/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The input and the answer of `diagnose`, which its files share. */
#ifndef SIM_CMD_DIAGNOSE_INTERNAL_H
#define SIM_CMD_DIAGNOSE_INTERNAL_H

#include "models/logs/log_host.h"
#include "models/logs/log_stamp.h"
#include "models/logs/schedmate_handler.h"
#include "sim/cli/cmd_logs_internal.h"
#include "sim/live/action_gate.h"
#include "sim/live/incident_file.h"
#include "sim/live/kernel_log.h"
#include "sim/live/log_window.h"

/* The result of reading one of several logs. */
struct diagnose_log {
    const char *path;
    int64_t rank;               /* rank of the process; -1: unknown */
    struct diagnosis diagnosis; /* diagnosis by the rules; without texts of the
                                 * window */
    bool is_fallout; /* true if the failure is a consequence of another
                      * process's failure */
    bool has_time;
    struct log_stamp at; /* time stamp of the first error; valid if has_time */
    uint64_t line;       /* number of the line of the cause; 0: none */
    uint64_t lines;      /* number of lines of the log */
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
    const char *known;   /* file of known incidents, or NULL */
    const char *actions; /* file of the operator's commands, or NULL */
    struct action_gate gate;
    struct action_names names;
    /* the person's verdict on the answer; words NULL: not given */
    struct {
        const char *words, *note, *folder;
    } feedback;
};

struct answer {
    size_t log; /* index of the log that decides */
    struct host_guess host;
    int64_t rank; /* rank of the process that failed first; -1: unknown */
    struct kernel_finding kernel; /* valid if a kernel log is given */
    const char *advice;           /* words for the recommended action; NULL: the
                                   * general words */
    struct log_window window;
    struct diagnosis diagnosis;
    struct action_answer act;
    const char *kept; /* path of the kept case; NULL: no case was kept */
};

/* The options of --feedback, for a struct diagnose_input. */
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
/* Write the command and why it ran or did not run. If there is no command: a
 * null, or no text. */
json_t *diagnose_command_json(const struct answer *a);
void diagnose_write_command(const struct diagnose_input *input,
                            const struct answer *a, struct out *out);

/* Finds the logs that the command line names, and their ranks. */
enum status diagnose_find_logs(struct diagnose_input *input,
                               struct error *err) MUST_USE;
/* Judges all logs. The caller owns the window of *out. */
enum status diagnose_judge(struct diagnose_input *input, struct answer *out,
                           struct error *err) MUST_USE;
/* True if the operator's --node and the host that the logs blame are not the
 * same. */
bool diagnose_disagrees(const struct diagnose_input *input,
                        const struct answer *a);

/* Writes who ended the job, and the scheduler's reason, as the user gave
 * them. */
void diagnose_write_facts(const struct job_end *end, struct out *out);

/* Write what several logs, the host and the kernel log report. */
void diagnose_put_places(const struct diagnose_input *input,
                         const struct answer *a, json_t *row);
void diagnose_write_places(const struct diagnose_input *input,
                           const struct answer *a, struct out *out);

/* Prints an answer as text or JSON. */
enum status diagnose_print(const struct diagnose_input *input,
                           const struct answer *a, struct error *err);

/* Write what the rules and the model answered. If no model was asked: a null,
 * or no text. */
json_t *diagnose_answers_json(const struct diagnosis *d);
void diagnose_write_answers(const struct diagnosis *d, struct out *out);

/* These functions show the last lines of the log, for a failure of unknown
 * cause. */
bool diagnose_shows_tail(const struct answer *a);
json_t *diagnose_tail_json(const struct answer *a);
void diagnose_write_tail(const struct answer *a, struct out *out);

#endif
