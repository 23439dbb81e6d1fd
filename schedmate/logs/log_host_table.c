/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which host each process of a job runs on, and which process is missing. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/ascii.h"
#include "schedmate/logs/log_host.h"

struct host_table {
    struct interner names;
    uint32_t *host_of; /* by rank: symbol of the name; 0: unknown */
    /* by rank: true if the process reported a timeout while it waited */
    bool *complained;
    size_t n, cap, cap_complained;
    /* a rank that the log or host_table_absent calls missing; -1: none */
    int64_t missing;
};

struct host_table *host_table_new(void)
{
    struct host_table *t = mem_zalloc(1, sizeof *t);
    interner_init(&t->names);
    t->missing = -1;
    return t;
}

void host_table_free(struct host_table *t)
{
    if (!t)
        return;
    interner_fini(&t->names);
    free(t->host_of);
    free(t->complained);
    free(t);
}

/* Makes room for a rank. Returns false if it is negative or too large. */
static bool grow(struct host_table *t, int64_t rank)
{
    if (rank < 0 || rank >= LOG_RANKS_MAX)
        return false;
    size_t n = (size_t)rank + 1;
    if (n <= t->n)
        return true;
    t->host_of = mem_grow(t->host_of, &t->cap, n, sizeof *t->host_of);
    t->complained =
        mem_grow(t->complained, &t->cap_complained, n, sizeof *t->complained);
    for (; t->n < n; t->n++) {
        t->host_of[t->n] = 0;
        t->complained[t->n] = false;
    }
    return true;
}

static bool has(struct text t, const char *word)
{
    return memmem(t.at, t.len, word, strlen(word)) != NULL;
}

/* Reads the number, of at most six digits, that follows a word such as "rank".
 * Up to four characters that are neither letters nor digits may stand between
 * the two. Returns the number and sets *rest to the text after it; returns -1
 * if there is none. */
static int64_t number_after(struct text t, const char *word, struct text *rest)
{
    const char *at = memmem(t.at, t.len, word, strlen(word));
    if (!at)
        return -1;
    *rest = text_skip(t, (size_t)(at - t.at) + strlen(word));
    size_t i = 0, n = 0;
    while (i < 4 && i < rest->len && !ascii_is_alnum(rest->at[i]))
        i++;
    while (n < 6 && ascii_is_digit(text_char(*rest, i + n)))
        n++;
    uint32_t number;
    if (!text_to_u32((struct text){rest->at + i, n}, &number))
        return -1;
    *rest = text_skip(*rest, i + n);
    return (int64_t)number;
}

static void add(struct host_table *t, int64_t rank, struct text name)
{
    char host[LOG_HOST_MAX];
    if (!host_name_take(name, host) || !grow(t, rank) || t->host_of[rank])
        return;
    t->host_of[rank] = interner_add(&t->names, text_from(host));
}

void host_table_absent(struct host_table *t, int64_t rank)
{
    if (t->missing < 0)
        t->missing = rank;
}

/* Reads the host and the rank of "gpu-12:123:456 [2] NCCL INFO comm 0x1 rank 10
 * nranks 16". */
static void read_nccl(struct host_table *t, struct text line)
{
    struct text rest, after;
    struct text host = text_split(line, ':', &rest);
    if (!has(line, "NCCL INFO") || !has(line, " nranks "))
        return;
    add(t, number_after(rest, " rank ", &after), host);
}

/* Reads the rank and the host of "rank 3 runs on host gpu-12" or "rank: 3,
 * hostname: gpu-12". */
static void read_pair(struct host_table *t, struct text line)
{
    static const char *const words[] = {"hostname", "host",       "node",
                                        "machine",  "running on", "started on"};
    struct text rest;
    if (has(line, "local_rank") || has(line, "local rank"))
        return;
    int64_t rank = number_after(line, "ank", &rest);
    for (size_t i = 0; rank >= 0 && i < sizeof words / sizeof *words; i++) {
        const char *at = memmem(rest.at, rest.len, words[i], strlen(words[i]));
        if (!at)
            continue;
        struct text name =
            text_skip(rest, (size_t)(at - rest.at) + strlen(words[i]));
        size_t skipped = 0, n = 0;
        while (skipped < 4 && name.len && strchr(" :='\"", name.at[0])) {
            name = text_skip(name, 1);
            skipped++;
        }
        while (n < name.len && (ascii_is_alnum(name.at[n]) ||
                                (name.at[n] && strchr("._-", name.at[n]))))
            n++;
        name.len = n;
        add(t, rank, name);
        return;
    }
}

/* Notes the process that the line calls missing, or the process whose wait for
 * others timed out. */
static void read_complaint(struct host_table *t, struct text line)
{
    static const char *const absent[] = {"failed to pass monitoredBarrier",
                                         "issing rank", "not joined",
                                         "did not join", "has not reached"};
    static const char *const waits[] = {"Watchdog caught collective",
                                        "ollective operation timeout",
                                        "Timed out waiting"};
    struct text rest;
    for (size_t i = 0; i < sizeof absent / sizeof *absent; i++) {
        if (t->missing >= 0 || !has(line, absent[i]))
            continue;
        t->missing = number_after(line, "anks", &rest);
        if (t->missing < 0)
            t->missing = number_after(line, "ank", &rest);
    }
    for (size_t i = 0; i < sizeof waits / sizeof *waits; i++) {
        if (!has(line, waits[i]))
            continue;
        int64_t rank = log_rank_of(line);
        if (rank < 0)
            rank = number_after(line, "[Rank ", &rest);
        if (grow(t, rank))
            t->complained[rank] = true;
    }
}

void host_table_read(struct host_table *t, struct text line)
{
    if (line.len > 512)
        line.len = 512;
    if (!has(line, "ank"))
        return;
    read_nccl(t, line);
    read_pair(t, line);
    read_complaint(t, line);
}

/* The n processes that did not complain, and the number of those that did. */
struct absent {
    size_t n, complained;
    /* rank, if n is 1; otherwise -1 */
    int64_t rank;
    /* symbol of their host; 0: they run on several hosts, the host of one is
     * unknown, or n is 0 */
    uint32_t host;
};

static struct absent find_absent(const struct host_table *t)
{
    struct absent a = {.rank = -1};
    bool one = true;
    for (size_t i = 0; i < t->n; i++) {
        if (t->complained[i]) {
            a.complained++;
            continue;
        }
        one &= t->host_of[i] && (a.n == 0 || a.host == t->host_of[i]);
        a.host = t->host_of[i];
        a.rank = a.n == 0 ? (int64_t)i : -1;
        a.n++;
    }
    if (!one)
        a.host = 0;
    return a;
}

void host_guess_missing(struct host_guess *guess, const struct host_table *t,
                        bool waits)
{
    int64_t rank = t->missing;
    uint32_t host = 0;
    if (guess->basis >= HOST_MISSING || (rank < 0 && !waits))
        return;
    if (rank >= 0) {
        host = (size_t)rank < t->n ? t->host_of[rank] : 0;
    } else {
        /* If no line names the missing process, it is one that did not
         * complain; that is believed only if most processes did. */
        struct absent a = find_absent(t);
        host = a.complained > a.n ? a.host : 0;
        rank = a.rank;
    }
    if (host == 0)
        return;
    snprintf(guess->name, sizeof guess->name, "%s",
             interner_string(&t->names, host));
    guess->basis = HOST_MISSING;
    guess->line = 0;
    guess->rank = rank;
}
