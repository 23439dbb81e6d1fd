/* SPDX-License-Identifier: GPL-3.0-or-later */
/* State and functions that the files child*.c share. */
#ifndef OUTSIDE_CHILD_INTERNAL_H
#define OUTSIDE_CHILD_INTERNAL_H

#include <sys/types.h>

#include "base/interrupt.h"
#include "policies/outside/child.h"

/* Length of the longest answer that is accepted, bytes. A plan takes about 20
 * bytes for each job that it names. */
#define CHILD_ANSWER_MAX (64u << 20)
/* Number of bytes that are kept from the end of the program's standard
 * error. */
#define CHILD_TAIL_MAX 512

struct child {
    struct child_setup setup;
    char *words;  /* the command, for messages; owned */
    char dir[64]; /* current directory of the program; "": none was made */
    struct interrupt_path at_end;
    pid_t pid;         /* process of the program; 0: the program does not run */
    int to, from, log; /* ends of this process; -1: closed */
    /* pidfd, readable once the program has ended; -1: none */
    int life;
    int status; /* status from waitpid; valid after child_wait returned true */
    char *buf;  /* output of the program: `len` bytes, room for `cap` */
    size_t len, cap;
    size_t used; /* length of the last answer in `buf`, with its line feed */
    /* time on child_clock by which all answers must be there; 0: no limit */
    sim_time end;
    /* last bytes that the program wrote to its standard error */
    char tail[CHILD_TAIL_MAX];
    size_t tail_len;
    uint64_t n_log; /* number of bytes of the program's standard error so far */
};

enum { CHILD_WORDS_MAX = 64 };

/* The words of a command, split by child_command.c. */
struct command_words {
    char *words[CHILD_WORDS_MAX + 1]; /* owned; NULL after the last */
    size_t n;
};
/* Splits a command into words, finds the program in PATH, and replaces words
 * that name a file by the absolute path of that file, because the program runs
 * in another directory. Returns STATUS_USAGE if a quote is not closed, there
 * are too many words or none, or the program does not exist or may not be
 * executed. `out` must be freed even after an error. */
enum status command_split(const char *text, struct command_words *out,
                          struct error *err) MUST_USE;
void command_free(struct command_words *command);

/* child_talk.c. Waits until the program runs in the new process, as long as for
 * an answer. `failed`: pipe that closes then, or gives the errno of what went
 * wrong. Returns STATUS_FAILED if the program could not be started, or not in
 * time. */
enum status child_await_start(struct child *child, int failed,
                              const char *program, struct error *err) MUST_USE;
/* Reads what the program has written to its standard error since
 * the last call, and keeps the end of it in `tail`. Does not wait. */
void child_read_log(struct child *child);
/* Returns microseconds on a clock that only goes forward. */
sim_time child_clock(void);
/* Waits for the end of the program, at most `limit` us. If it has ended, kills
 * the rest of its process group, reaps it and returns true. Returns false if it
 * still runs; true also if it was reaped earlier. */
bool child_wait(struct child *child, sim_span limit);
/* Writes how the program ended, such as "ended with exit status 1". Call only
 * after child_wait returned true. */
void child_how(const struct child *child, char *out, size_t room);

#endif
