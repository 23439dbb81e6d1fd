/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How a policy that is a program is started, confined, asked, heard and
 * recorded. */
#ifndef POLICIES_OUTSIDE_PROGRAM_INTERNAL_H
#define POLICIES_OUTSIDE_PROGRAM_INTERNAL_H

#include "base/error.h"
#include "base/out.h"
#include "base/remarks.h"
#include "base/text.h"
#include "policies/policy.h"

/* == answer.c: Reads the answers of a program: one line of JSON each. A plan
 * that breaks a rule is refused with the name of the rule;
 * docs/policy-protocol.md lists the rules. */

/* The answer of a program to the first question, before the run. */
struct introduction {
    char name[41];  /* 1 to 40 letters, digits, '-', '_' and '.' */
    unsigned needs; /* bits of enum policy_needs */
    /* true: ask also when no start can have become possible */
    bool asked_always;
};

/* Reads the answer to the first question. Returns STATUS_BAD_INPUT, and says in
 * `err` what is wrong, if it is not an introduction. */
enum status answer_hello(struct text line, struct introduction *out,
                         struct error *err) MUST_USE;
/* Reads the answer to the question that describes the cluster. Returns
 * STATUS_BAD_INPUT unless it has "ready":true. */
enum status answer_begin(struct text line, struct error *err) MUST_USE;
/* Reads an answer and fills the plan. If the answer or one of its actions
 * breaks a rule, marks the plan as broken, with the name of the rule, and
 * carries out no later action. `number`: number of the question; `needs`: the
 * needs in the introduction. */
void answer_plan(struct text line, uint64_t number, unsigned needs,
                 struct plan *plan);

/* == confine.c: Denies a program access to files, by Landlock, a part of the
 * kernel (since 5.13) that needs no privileges. A confined program reads the
 * system's folders (such as /usr, /lib, /bin and /etc), the files that its
 * command names, the code beside its scripts, what was installed with its
 * program, and what the caller names. It reads nothing else, such as /proc or
 * the rest of /home and /tmp, so it finds neither the trace nor the arguments
 * of this process. It writes no file but /dev/null. From Linux 6.7 it opens no
 * TCP connection, from 6.12 it sends no signal to a process outside. Neither
 * setsid nor setpgid works (x86-64, AArch64), so no process of it stays
 * when its group is killed.
 *
 * Confining does not hide the name of a file whose folder may be listed, does
 * not stop UDP, and does not limit the use of the processor. Run hostile code
 * in a virtual machine. */

enum confine_choice {
    CONFINE_AUTO, /* confine if the kernel can */
    CONFINE_ON,   /* confine; an error if the kernel cannot */
    CONFINE_OFF,
};

/* Makes the rules for a command. *out is a descriptor for confine_self, which
 * the caller closes; -1 for CONFINE_OFF, and for CONFINE_AUTO if the kernel
 * cannot confine. `words`: the command, NULL after the last word. `reads`: more
 * paths, separated by '+'; those that do not exist are ignored. Returns
 * STATUS_FAILED for CONFINE_ON if the kernel cannot confine. */
enum status confine_rules(enum confine_choice choice, char *const *words,
                          const char *reads, int *out,
                          struct error *err) MUST_USE;

/* Confines the calling process for good. Called between fork and exec: uses
 * only system calls. Returns 0, or -1 with errno set. */
int confine_self(int rules);

/* == child.c: Runs the program that decides: starts it, exchanges lines with
 * it, and ends it.
 *
 * The program gets no descriptors but its standard ones, an environment that
 * holds only PYTHONHASHSEED=0 and what the caller names, an empty directory of
 * its own as current directory, and no core dump. It is in a process group of
 * its own, which is killed at the latest when the child is freed. The program
 * itself is also killed when this process ends. */

struct child_setup {
    const char *command; /* words, with quotes as in a shell */
    /* variables of the environment that the program gets: names, separated by
     * '+'; "": none */
    const char *pass;
    /* paths that the program may read when confined, separated by '+'; "":
     * none */
    const char *reads;
    enum confine_choice confine;
    /* limit on the time for the start and for each answer, us; 0: none */
    sim_span answer_limit;
    /* limit on the time from the start to the last answer, us; 0: none */
    sim_span whole_limit;
    uint32_t memory_mib; /* limit on the address space, MiB; 0: no limit */
    /* true: the program writes to the standard error of this process */
    bool shows_messages;
};

struct child;

/* Starts the program. Adds a remark if the kernel cannot confine it and
 * setup->confine is CONFINE_AUTO. The caller frees *out with child_free.
 * Returns STATUS_USAGE if the command is malformed, its program does not exist
 * or may not be executed, or `pass` names too many variables or one that does
 * not exist; STATUS_FAILED if the program cannot be started or must be confined
 * and cannot be. */
enum status child_start(const struct child_setup *setup, struct child **out,
                        struct remarks *remarks, struct error *err) MUST_USE;

/* Sends a line, which ends with a line feed, and waits for one line. *answer is
 * that line without its line feed, valid until the next call. Returns
 * STATUS_FAILED, and says in `err` what the program did instead, if it does not
 * answer in time or with one line. */
enum status child_ask(struct child *child, struct text line,
                      struct text *answer, struct error *err) MUST_USE;

/* Closes the input of a program that runs, after child_ask never failed, and
 * waits at most 10 s until it has ended. Adds remarks on what the user must
 * know: that the program did not end or failed, that it wrote to its standard
 * error, that it left files in its directory. */
void child_end(struct child *child, struct remarks *remarks);

/* Kills the program and its group if the program has not been reaped yet, waits
 * for it, and removes its directory if that is empty. Accepts NULL. */
void child_free(struct child *child);

/* == message.c: Writes the questions to a program, one line of JSON each
 * (docs/policy-protocol.md). A question has what a policy sees in its view, as
 * far as it has changed since the last question. */

#define PROTOCOL_VERSION 1

struct messages {
    const struct run_env *env; /* a copy that lasts as long as the run */
    bool knows_times;   /* true: questions tell believed remaining times */
    bool knows_demand;  /* true: questions tell believed demands */
    struct out *out;    /* the next question; owned */
    struct out *events; /* what happened since the last question; owned */
    struct out *moves;  /* what the last plan stopped and started; owned */
    bool *is_changed;   /* by virtual cluster: true if it is in `changed` */
    /* virtual clusters changed since the last question */
    uint16_t *changed;
    uint32_t n_changed;
    job_id *stopped; /* jobs that the last plan stopped; owned */
    size_t n_stopped, cap_stopped;
};

void messages_init(struct messages *m, const struct run_env *env,
                   struct arena *arena);
void messages_fini(struct messages *m); /* accepts all zeroes */

/* Adds an event that a policy observes to the next question. */
void message_event(struct messages *m, const struct view *view,
                   const struct event *event);
/* Adds a job that runs already and that the program has not started. */
void message_adopt(struct messages *m, const struct view *view,
                   const struct job *job);
/* Notes the virtual clusters in which something happened since the policy
 * decided last. */
void message_touch(struct messages *m, const struct view *view);
/* Records the actions of a plan for the next question. Call this function when
 * the plan is filled. */
void message_plan(struct messages *m, const struct plan *plan);

/* Return the next question, which ends with a line feed. It is valid until the
 * next call. */
struct text message_begin(struct messages *m);
struct text message_decide(struct messages *m, const struct plan *plan,
                           uint64_t number);

/* == record.c: Keeps the answers of a program in a file, so that a run can be
 * repeated without the program. Each line is {"asked":"HASH","answer":ANSWER}.
 * HASH is the hash of the question, so a record never answers a question that
 * was not recorded. */

struct record;

/* Opens a new record; the file appears when record_close is called. Returns the
 * error of out_open. */
enum status record_write(const char *path, struct record **out,
                         struct error *err) MUST_USE;
/* Opens a record to give its answers again. Returns STATUS_BAD_INPUT if the
 * file cannot be opened. */
enum status record_read(const char *path, struct record **out,
                        struct error *err) MUST_USE;
/* Adds an answer, which is one line of JSON. */
void record_add(struct record *record, struct text question,
                struct text answer);
/* Returns the next answer, valid until the next call. Returns STATUS_BAD_INPUT
 * if the record has no more answers, its next answer is to another question, or
 * its next line is not one of a record. */
enum status record_next(struct record *record, struct text question,
                        struct text *answer, struct error *err) MUST_USE;
/* Returns the number of answers that record_next has not returned yet, and
 * reads past them; 0 for a new record. */
uint64_t record_rest(struct record *record);
/* Writes the file, if the record is new, and frees the record. Returns the
 * error of out_close. */
enum status record_close(struct record *record, struct error *err) MUST_USE;
/* Frees the record and leaves no file. Accepts NULL. */
void record_free(struct record *record);

#endif
