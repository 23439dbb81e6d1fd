/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the host at fault from a log. Launchers, schedulers, the kernel and
 * libraries print names of hosts in a few forms. A line that only complains
 * comes from a host that is probably well: if a collective operation timed out,
 * the host of the process that is missing is to blame. */
#ifndef MODELS_LOG_HOST_H
#define MODELS_LOG_HOST_H

#include "base/text.h"

#define LOG_HOST_MAX 64
#define LOG_RANKS_MAX 65536

enum host_basis {
    HOST_UNKNOWN,
    HOST_COMPLAINS, /* the host whose process reports the failure */
    /* the host of a process that is missing or does not answer */
    HOST_MISSING,
    HOST_FAILED, /* the host on which a process ended, as a launcher says */
    /* a host that the scheduler or a signature calls faulty, or whose kernel
     * wrote the line */
    HOST_NAMED,
    N_HOST_BASES,
};
/* Names by enum host_basis; ends with NULL. */
extern const char *const host_bases[];
/* Confidence in the name of a host, by enum host_basis: 0 to 1. */
extern const double host_trust[N_HOST_BASES];

struct host_guess {
    /* letters, digits, '.', '_' and '-'; "": no host */
    char name[LOG_HOST_MAX];
    enum host_basis basis;
    uint64_t line; /* number of the line, from 1; 0: none */
    int64_t rank;  /* rank of the process; -1: unknown */
    /* true after a line that tells whose failure it was, such as torchrun's
     * "Root Cause" */
    bool in_root;
};
/* Prepares a guess: no host, unknown rank. */
void host_guess_begin(struct host_guess *guess);

/* Which host each process of a job runs on, according to its logs, and which
 * processes complained. */
struct host_table; /* opaque */
struct host_table *host_table_new(void);
void host_table_free(struct host_table *table); /* accepts NULL */
/* Reads the first 512 bytes of a line of any log of the job. */
void host_table_read(struct host_table *table, struct text line);

/* Records that the process of this rank is missing, unless a missing rank is
 * known. */
void host_table_absent(struct host_table *table, int64_t rank);

/* Reads the first KiB of a line of a report of a failure, and replaces the
 * guess if the line names a host with a better basis. Sets guess->in_root if
 * the line tells whose failure it was. `line_number` counts from 1; 0: the text
 * is not a line of the log. */
void host_guess_read(struct host_guess *guess, struct text line,
                     uint64_t line_number);
/* Replaces the guess if `basis` is better and `name` can be the name of a
 * host. */
void host_guess_offer(struct host_guess *guess, struct text name,
                      enum host_basis basis, uint64_t line);
/* Looks for the process that is missing: the one that a line or
 * host_table_absent calls missing or, if there is none and `waits` is true
 * (processes of the job waited for others), those that did not complain,
 * provided that most did. If their host is known, replaces a guess whose basis
 * is HOST_UNKNOWN or HOST_COMPLAINS; guess->line becomes 0 and guess->rank the
 * rank, -1 if several are missing. */
void host_guess_missing(struct host_guess *guess,
                        const struct host_table *table, bool waits);

/* Copies a name without final dots and without the brackets of "n[3]". Returns
 * false if it is not the name of one host; `out` then means nothing. */
bool host_name_take(struct text name, char out[LOG_HOST_MAX]) MUST_USE;
/* True if two names mean one host. Domains and case do not count; IPv4
 * addresses have to be equal. */
bool host_is_same(const char *a, const char *b);

/* Returns the rank in the prefix of a line, such as "[rank3]:" or "12: "; -1 if
 * there is none. */
int64_t log_rank_of(struct text line);

#endif
