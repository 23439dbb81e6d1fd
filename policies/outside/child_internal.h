/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by the files child*.c. */
#ifndef OUTSIDE_CHILD_INTERNAL_H
#define OUTSIDE_CHILD_INTERNAL_H

#include <sys/types.h>

#include "policies/outside/child.h"
#include "sim/base/interrupt.h"

/* Longest answer, bytes: one job more or less is about 20. */
#define CHILD_ANSWER_MAX (64u << 20)
/* What is kept of the end of its standard error, bytes. */
#define CHILD_TAIL_MAX 512

struct child {
    struct child_setup setup;
    char *words;  /* the command in quotes, for messages; owned */
    char dir[64]; /* its current directory; "": none was made */
    struct interrupt_path at_end;
    pid_t pid;         /* 0: it does not run */
    int to, from, log; /* our ends; -1: closed */
    int life;          /* can be read when the program has ended; -1: unknown */
    int status;        /* of waitpid; valid once pid is 0 */
    char *buf;         /* what it has written: `len` bytes of `cap` */
    size_t len, cap;
    size_t used;  /* bytes of `buf` that were the last answer */
    sim_time end; /* of the time for all answers, on the clock; 0: no limit */
    char tail[CHILD_TAIL_MAX + 1]; /* end of its standard error */
    size_t tail_len;
    uint64_t n_log; /* bytes of its standard error */
};

enum { CHILD_WORDS_MAX = 64 };

/* child_command.c */
struct command_words {
    char *words[CHILD_WORDS_MAX + 1]; /* owned; the last is NULL */
    size_t n;
};
/* Splits a command into words, finds the program in PATH, and replaces words
 * that name a file by the absolute path of that file, because the program runs
 * in another directory. */
enum status command_split(const char *text, struct command_words *out,
                          struct error *err) MUST_USE;
void command_free(struct command_words *command);

/* child_talk.c */
/* Reads what is there of its standard error. */
void child_read_log(struct child *child);
/* Returns microseconds on a clock that only goes forward. */
sim_time child_clock(void);
/* Waits for the end of the program, at most `limit` us; returns false if it
 * still runs. */
bool child_wait(struct child *child, sim_span limit);
/* Writes how the program ended, such as "ended with exit status 1". */
void child_how(const struct child *child, char *out, size_t room);

#endif
