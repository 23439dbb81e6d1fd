/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "schedmate/logs/log_host.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/arena.h"
#include "base/ascii.h"
#include "schedmate/logs/log_marks.h"

const char *const host_bases[] = {"unknown", "complains", "missing",
                                  "failed",  "named",     NULL};

const double host_trust[N_HOST_BASES] = {0, 0.3, 0.7, 0.8, 0.95};

static bool is_host_char(char c)
{
    return ascii_is_alnum(c) || c == '.' || c == '_' || c == '-';
}

/* True for a word that is not a name of a host, although it stands where one
 * could, and for addresses of the machine itself. */
static bool is_no_host(const char *name)
{
    static const char *const words[] = {
        "localhost", "127.0.0.1", "0.0.0.0", "node", "nodes", "host",   "rank",
        "the",       "this",      "all",     "none", "null",  "unknown"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strcasecmp(name, words[i]) == 0)
            return true;
    }
    return false;
}

/* True if character i is a bracket as in "n[3]", which is how Slurm writes a
 * single node. */
static bool is_bracket(struct text name, size_t i)
{
    bool close = name.at[i] == ']' && i + 1 == name.len;
    return i > 0 && (name.at[i] == '[' || close);
}

bool host_name_take(struct text name, char out[LOG_HOST_MAX])
{
    size_t n = 0;
    unsigned letters = 0, dots = 0;
    for (size_t i = 0; i < name.len; i++) {
        char c = name.at[i];
        if (is_bracket(name, i))
            continue;
        if (!is_host_char(c) || n + 1 >= LOG_HOST_MAX)
            return false;
        if (memchr(name.at, '[', i) && !ascii_is_digit(c))
            return false; /* a list of nodes */
        letters += ascii_is_letter(c);
        dots += c == '.';
        out[n++] = c;
    }
    while (n > 0 && out[n - 1] == '.') /* the full stop of a sentence */
        n--;
    out[n] = 0;
    return n > 0 && ascii_is_alnum(out[0]) && (letters > 0 || dots == 3) &&
           !is_no_host(out);
}

bool host_is_same(const char *a, const char *b)
{
    size_t n = strcspn(a, "."), m = strcspn(b, ".");
    bool address = a[0] && strspn(a, "0123456789.") == strlen(a);
    if (address)
        return strcmp(a, b) == 0;
    return n == m && strncasecmp(a, b, n) == 0;
}

int64_t log_rank_of(struct text line)
{
    static const char *const heads[] = {"[rank", "[Rank ", "[default", "rank",
                                        "[RANK "};
    size_t at = 0;
    for (size_t i = 0; i < sizeof heads / sizeof *heads && at == 0; i++) {
        if (text_starts(line, heads[i]))
            at = strlen(heads[i]);
    }
    struct text digits = text_skip(line, at);
    size_t n = 0;
    while (n < 6 && ascii_is_digit(text_char(digits, n)))
        n++;
    char end = text_char(digits, n);
    uint32_t rank;
    digits.len = n;
    /* without a word such as "rank", only the form "12: " of srun -l counts */
    bool ends = at > 0 ? end == ']' || end == ':' : end == ':';
    if (at == 0 && text_char(line, n + 1) != ' ')
        ends = false;
    return ends && text_to_u32(digits, &rank) ? (int64_t)rank : -1;
}

void host_guess_begin(struct host_guess *guess)
{
    *guess = (struct host_guess){.rank = -1};
}

void host_guess_offer(struct host_guess *guess, struct text name,
                      enum host_basis basis, uint64_t line)
{
    char host[LOG_HOST_MAX];
    if (basis <= guess->basis || !host_name_take(name, host))
        return;
    memcpy(guess->name, host, sizeof host);
    guess->basis = basis;
    guess->line = line;
}

/* Returns the text of host characters and brackets that follows `mark` and any
 * blanks or quotes; empty if the line does not have `mark`. */
static struct text name_after(struct text line, const char *mark)
{
    const char *at = memmem(line.at, line.len, mark, strlen(mark));
    struct text rest = {0};
    if (!at)
        return rest;
    rest = text_skip(line, (size_t)(at - line.at) + strlen(mark));
    while (text_char(rest, 0) == ' ' || text_char(rest, 0) == '"' ||
           text_char(rest, 0) == '\'')
        rest = text_skip(rest, 1);
    size_t n = 0;
    while (n < rest.len &&
           (is_host_char(rest.at[n]) || rest.at[n] == '[' || rest.at[n] == ']'))
        n++;
    rest.len = n;
    return rest;
}

/* Returns the text of host characters that ends at `end`. */
static struct text name_before(struct text line, size_t end)
{
    size_t from = end;
    while (from > 0 && is_host_char(line.at[from - 1]))
        from--;
    return (struct text){line.at + from, end - from};
}

/* Returns the host before ":PID:TID" of NCCL, or in "[HOST:PID]" of Open MPI
 * and "[HOST:0/2]" of launchers. Returns an empty text if the line begins with
 * none of them. */
static struct text prefix_host(struct text line)
{
    bool bracket = text_char(line, 0) == '[';
    struct text t = bracket ? text_skip(line, 1) : line, none = {0};
    size_t n = 0, digits = 0;
    while (n < t.len && is_host_char(t.at[n]))
        n++;
    if (n == 0 || text_char(t, n) != ':')
        return none;
    size_t i = n + 1;
    for (; ascii_is_digit(text_char(t, i)); i++)
        digits++;
    char end = text_char(t, i);
    bool good = bracket ? end == ']' || end == '/'
                        : end == ':' && ascii_is_digit(text_char(t, i + 1));
    return good && digits > 0 ? (struct text){t.at, n} : none;
}

/* Texts after which the name of a host stands, and how sure that name is. */
static const struct host_mark {
    const char *mark;
    const char *also; /* the line has this text too; NULL: any line */
    enum host_basis basis;
} log_host_marks[] = {
    {.mark = "Node failure on ", .also = NULL, .basis = HOST_NAMED},
    {.mark = "NODE_FAIL on ", .also = NULL, .basis = HOST_NAMED},
    {.mark = "FAILURE ON ", .also = NULL, .basis = HOST_NAMED},
    {.mark = "Nodes ", .also = "not responding", .basis = HOST_NAMED},
    {.mark = "Node ", .also = "not responding", .basis = HOST_NAMED},
    {.mark = "node ", .also = "is down", .basis = HOST_NAMED},
    {.mark = "on node ", .also = "exited on signal", .basis = HOST_FAILED},
    {.mark = "on node ", .also = "exited with", .basis = HOST_FAILED},
    {.mark = "on node ", .also = "terminated", .basis = HOST_FAILED},
    {.mark = "on node ", .also = "exiting", .basis = HOST_FAILED},
    {.mark = "on node ", .also = "Remote daemon", .basis = HOST_FAILED},
    {.mark = "on node ", .also = "ailed", .basis = HOST_FAILED},
    {.mark = "on host ", .also = "ailed", .basis = HOST_FAILED},
    {.mark = "on host ", .also = "died", .basis = HOST_FAILED},
    {.mark = "srun: error: ", .also = ": task", .basis = HOST_FAILED},
};

static void read_marks(struct host_guess *guess, struct text line,
                       uint64_t number)
{
    for (size_t i = 0; i < sizeof log_host_marks / sizeof *log_host_marks;
         i++) {
        const struct host_mark *m = &log_host_marks[i];
        if (m->basis <= guess->basis ||
            (m->also && !memmem(line.at, line.len, m->also, strlen(m->also))))
            continue;
        host_guess_offer(guess, name_after(line, m->mark), m->basis, number);
    }
}

/* Keys before the name of a host, as in "host : gpu-12" of torchrun, and
 * "hostname: gpu-12" and "Remote host: gpu-12" of MPI. Below a line that tells
 * whose failure it was, a key of HOST_COMPLAINS names the host that failed. */
static const struct host_key {
    const char *key;
    enum host_basis basis;
} keys[] = {
    {.key = "host", .basis = HOST_COMPLAINS},
    {.key = "hostname", .basis = HOST_COMPLAINS},
    {.key = "Local host", .basis = HOST_COMPLAINS},
    {.key = "Remote host", .basis = HOST_MISSING},
    {.key = "Remote hostname", .basis = HOST_MISSING},
    {.key = "Peer host", .basis = HOST_MISSING},
    {.key = "Peer hostname", .basis = HOST_MISSING},
};

static void read_keys(struct host_guess *guess, struct text line,
                      uint64_t number)
{
    struct text t = text_trim(line), rest;
    if (text_starts(t, "Root Cause") ||
        (t.len && memmem(t.at, t.len, "lost communication with", 23)))
        guess->in_root = true;
    struct text key = text_trim(text_split(t, ':', &rest));
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        if (key.len != strlen(keys[i].key) || !text_starts(key, keys[i].key))
            continue;
        bool failed = guess->in_root && keys[i].basis == HOST_COMPLAINS;
        host_guess_offer(guess, text_trim(rest),
                         failed ? HOST_FAILED : keys[i].basis, number);
    }
}

/* Reads the host of a message of the kernel as syslog writes it: "Mar 1
 * 04:01:35 gpu-12 kernel: ...". */
static void host_read_kernel(struct host_guess *guess, struct text line,
                             uint64_t number)
{
    const char *at = memmem(line.at, line.len, " kernel:", 8);
    size_t end = at ? (size_t)(at - line.at) : 0;
    if (end > 0 && end < 96)
        host_guess_offer(guess, name_before(line, end), HOST_NAMED, number);
}

void host_guess_read(struct host_guess *guess, struct text line,
                     uint64_t number)
{
    if (line.len > 1024)
        line.len = 1024;
    read_keys(guess, line, number);
    host_read_kernel(guess, line, number);
    read_marks(guess, line, number);
    host_guess_offer(guess, prefix_host(line), HOST_COMPLAINS, number);
}

/* Which host each process of a job runs on, and which process is missing. */

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
static bool host_grow(struct host_table *t, int64_t rank)
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

static bool host_has(struct text t, const char *word)
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

static void host_add(struct host_table *t, int64_t rank, struct text name)
{
    char host[LOG_HOST_MAX];
    if (!host_name_take(name, host) || !host_grow(t, rank) || t->host_of[rank])
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
    if (!host_has(line, "NCCL INFO") || !host_has(line, " nranks "))
        return;
    host_add(t, number_after(rest, " rank ", &after), host);
}

/* Reads the rank and the host of "rank 3 runs on host gpu-12" or "rank: 3,
 * hostname: gpu-12". */
static void host_read_pair(struct host_table *t, struct text line)
{
    static const char *const words[] = {"hostname", "host",       "node",
                                        "machine",  "running on", "started on"};
    struct text rest;
    if (host_has(line, "local_rank") || host_has(line, "local rank"))
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
        host_add(t, rank, name);
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
    const struct text words = log_strip_rank(line);
    struct text rest;
    for (size_t i = 0; i < sizeof absent / sizeof *absent; i++) {
        if (t->missing >= 0 || !host_has(words, absent[i]))
            continue;
        t->missing = number_after(words, "anks", &rest);
        if (t->missing < 0)
            t->missing = number_after(words, "ank", &rest);
    }
    for (size_t i = 0; i < sizeof waits / sizeof *waits; i++) {
        if (!host_has(line, waits[i]))
            continue;
        int64_t rank = log_rank_of(line);
        if (rank < 0)
            rank = number_after(line, "[Rank ", &rest);
        if (host_grow(t, rank))
            t->complained[rank] = true;
    }
}

void host_table_read(struct host_table *t, struct text line)
{
    if (line.len > 512)
        line.len = 512;
    if (!host_has(line, "ank"))
        return;
    read_nccl(t, line);
    host_read_pair(t, line);
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
