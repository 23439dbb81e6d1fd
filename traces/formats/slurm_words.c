/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Words and numbers of Slurm's accounting (man pages sacct(1), sbatch(1) of
 * Slurm 22.05 and 24.05). */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/ascii.h"
#include "traces/formats/slurm_internal.h"

const char *const slurm_vcs[] = {"partition", "account", "qos", "none", NULL};

static bool begins(struct text t, const char *word, size_t n)
{
    return t.len >= n && memcmp(t.at, word, n) == 0;
}

/* Returns true if `t` is the word, or at least three letters from its beginning
 * followed by '+'. */
static bool is_word(struct text t, const char *word)
{
    size_t n = strlen(word);
    if (t.len > 3 && t.at[t.len - 1] == '+')
        return t.len - 1 <= n && memcmp(t.at, word, t.len - 1) == 0;
    return t.len == n && memcmp(t.at, word, n) == 0;
}

enum trace_end slurm_end(struct text *state, bool *unfinished)
{
    static const struct {
        const char *word;
        enum trace_end end;
        bool unfinished;
    } words[] = {
        {"COMPLETED", TRACE_END_COMPLETED, false},
        {"FAILED", TRACE_END_FAILED, false},
        {"TIMEOUT", TRACE_END_FAILED, false},
        {"NODE_FAIL", TRACE_END_FAILED, false},
        {"OUT_OF_MEMORY", TRACE_END_FAILED, false},
        {"BOOT_FAIL", TRACE_END_FAILED, false},
        {"LAUNCH_FAILED", TRACE_END_FAILED, false},
        {"DEADLINE", TRACE_END_FAILED, false},
        {"CANCELLED", TRACE_END_CANCELLED, false},
        {"PREEMPTED", TRACE_END_CANCELLED, false},
        {"REVOKED", TRACE_END_CANCELLED, false},
        {"PENDING", TRACE_END_UNKNOWN, true},
        {"RUNNING", TRACE_END_UNKNOWN, true},
        {"SUSPENDED", TRACE_END_UNKNOWN, true},
        {"COMPLETING", TRACE_END_UNKNOWN, true},
        {"CONFIGURING", TRACE_END_UNKNOWN, true},
        {"REQUEUED", TRACE_END_UNKNOWN, true},
        {"RESIZING", TRACE_END_UNKNOWN, true},
    };
    struct text rest, word = text_split(text_trim(*state), ' ', &rest);
    *unfinished = false;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (is_word(word, words[i].word)) {
            *unfinished = words[i].unfinished;
            *state = text_from(words[i].word);
            return words[i].end;
        }
    }
    return TRACE_END_UNKNOWN;
}

/* Reads a number with an optional suffix, which stands for a power of 1024. */
static bool read_amount(struct text t, double *out)
{
    static const char suffixes[] = "KMGTP";
    double factor = 1;
    const char *hit = t.len ? strchr(suffixes, t.at[t.len - 1]) : NULL;
    if (t.len && hit && *hit) {
        for (const char *s = suffixes; s <= hit; s++)
            factor *= 1024;
        t.len--;
    }
    if (!text_to_double(t, out))
        return false;
    *out *= factor;
    return true;
}

/* Counts GPUs of a TRES. sacct mostly names the GPUs of a type and the same
 * GPUs again without a type, so the two counts are kept apart. */
static void count_gpus(struct slurm_tres *out, struct text type, uint32_t n,
                       uint32_t *typed)
{
    if (!type.len) {
        out->gpus = n;
        return;
    }
    out->gpu_type = type;
    *typed += n;
}

/* Stores an amount in the field of its resource. Sums GPUs with a type in
 * *typed. */
static void store(struct slurm_tres *out, struct text name, double amount,
                  uint32_t *typed)
{
    static const char gpu[] = "gres/gpu";
    const size_t n_gpu = sizeof gpu - 1;
    const uint32_t n = amount < UINT32_MAX ? (uint32_t)amount : UINT32_MAX;
    if (text_is(name, "cpu")) {
        out->cpus = n;
    } else if (text_is(name, "node")) {
        out->nodes = n;
    } else if (text_is(name, "mem")) {
        out->mem_mib = amount / (1024 * 1024);
    } else if (begins(name, gpu, n_gpu)) {
        struct text after = {name.at + n_gpu, name.len - n_gpu};
        if (text_is(after, "util"))
            out->gpu_util = amount;
        else if (text_is(after, "mem"))
            out->gpu_mib = amount / (1024 * 1024);
        else if (!after.len)
            count_gpus(out, after, n, typed);
        else if (after.at[0] == ':')
            count_gpus(out, (struct text){after.at + 1, after.len - 1}, n,
                       typed);
    }
}

bool slurm_tres_read(struct text tres, struct slurm_tres *out)
{
    uint32_t typed = 0;
    *out = (struct slurm_tres){.gpu_util = -1, .gpu_mib = -1, .mem_mib = -1};
    while (tres.len) {
        struct text rest, value;
        double amount;
        struct text name =
            text_split(text_split(tres, ',', &rest), '=', &value);
        tres = rest;
        /* Skip entries without a value, and the use of CPUs, which is a time.
         */
        if (!value.len || memchr(value.at, ':', value.len))
            continue;
        if (!read_amount(text_trim(value), &amount) || amount < 0 ||
            amount > 1e15)
            return false;
        store(out, text_trim(name), amount, &typed);
    }
    if (!out->gpus)
        out->gpus = typed;
    return true;
}

uint32_t slurm_gres(struct text gres, struct text *type)
{
    while (gres.len) {
        struct text rest, sockets, first, second, third;
        struct text item = text_split(gres, ',', &rest);
        struct text name = text_split(item, '(', &sockets);
        uint32_t count;
        gres = rest;
        first = text_split(name, ':', &name);
        if (text_is(first, "gres"))
            first = text_split(name, ':', &name);
        second = text_split(name, ':', &third);
        if (!text_is(first, "gpu") ||
            !text_to_u32(third.len ? third : second, &count))
            continue;
        if (third.len)
            *type = second;
        return count;
    }
    return 0;
}

/* Reads up to three numbers separated by ':', with or without decimals. Stores
 * each in us, as if it were a number of seconds; the caller multiplies hours by
 * 3600 and minutes by 60. Returns how many there are; 0 if the text is
 * malformed. */
static int read_parts(struct text t, sim_span parts[3])
{
    int n = 0;
    do {
        struct text rest, part = text_split(t, ':', &rest);
        bool last = part.len == t.len;
        if (n == 3 || !part.len || !ascii_is_digit(part.at[0]) ||
            !text_to_span(part, &parts[n]))
            return 0;
        n++;
        t = rest;
        if (last)
            return n;
    } while (t.len);
    return 0;
}

static bool read_days(struct text *t, sim_span *days, bool *has)
{
    const char *dash = memchr(t->at, '-', t->len);
    uint32_t n;
    *has = dash != NULL;
    *days = 0;
    if (!dash)
        return true;
    struct text rest, number = text_split(*t, '-', &rest);
    if (!text_to_u32(number, &n) || n > 36500)
        return false;
    *t = rest;
    *days = n * SPAN_DAY;
    return true;
}

bool slurm_elapsed(struct text t, sim_span *out)
{
    sim_span days, parts[3];
    bool has;
    t = text_trim(t);
    if (!t.len || !read_days(&t, &days, &has))
        return false;
    int n = read_parts(t, parts);
    if (n < 2)
        return false;
    *out = days + (n == 3 ? parts[0] * 3600 + parts[1] * 60 + parts[2]
                          : parts[0] * 60 + parts[1]);
    return true;
}

bool slurm_limit(struct text t, sim_span *out)
{
    sim_span days, parts[3] = {0};
    bool has;
    t = text_trim(t);
    *out = 0;
    if (!t.len || text_is_nocase(t, "UNLIMITED") ||
        text_is_nocase(t, "Partition_Limit") || text_is_nocase(t, "INVALID"))
        return true;
    if (!read_days(&t, &days, &has))
        return false;
    int n = read_parts(t, parts);
    if (n == 0)
        return false;
    if (has || n == 3)
        *out = days + parts[0] * 3600 + parts[1] * 60 + parts[2];
    else
        *out = parts[0] * 60 + parts[1];
    return true;
}

void slurm_use(struct trace_row *row, double util, double mib,
               struct slurm_counts *counts)
{
    if (util >= 0 && row->gpus) {
        util /= row->gpus;
        if (util <= 100)
            row->gpu_util = util;
        else
            counts->above++;
    }
    if (mib >= 0 && row->gpus)
        row->gpu_mem_mib = mib / row->gpus;
}

void slurm_note(const struct slurm_counts *counts, double zone_h, char *buf,
                size_t room)
{
    size_t n = 0;
    n += (size_t)snprintf(buf + n, room - n,
                          "Slurm: dates without a zone are taken as UTC%+g h",
                          zone_h);
    if (counts->steps && n < room)
        n += (size_t)snprintf(
            buf + n, room - n,
            "; %" PRIu64 " rows of steps joined to their jobs", counts->steps);
    if (counts->unfinished && n < room)
        n += (size_t)snprintf(buf + n, room - n,
                              "; %" PRIu64 " jobs wait or run and have no run "
                              "time yet",
                              counts->unfinished);
    if (counts->above && n < room)
        snprintf(buf + n, room - n,
                 "; %" PRIu64 " utilisations above 100 %% left out",
                 counts->above);
}
