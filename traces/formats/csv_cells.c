/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/formats/csv_cells.h"

#include <string.h>

#include "base/ascii.h"
#include "traces/formats/slurm_internal.h"

/* Reads an amount of memory, such as "4", "64G" or "4000Mn". `scale`: unit of a
 * number without a suffix, MiB. */
static bool read_amount(struct text t, double scale, double *out)
{
    static const char suffixes[] = "kmgt";
    static const double mib[] = {1.0 / 1024, 1, 1024, 1024.0 * 1024};
    /* Slurm ends amounts of memory with n (per node) or c (per core). */
    if (t.len > 1 && (t.at[t.len - 1] == 'n' || t.at[t.len - 1] == 'c'))
        t.len--;
    if (t.len > 2 && t.at[t.len - 1] == 'B')
        t.len--;
    if (t.len > 2 && t.at[t.len - 1] == 'i')
        t.len--;
    const char *hit =
        t.len ? memchr(suffixes, ascii_lower(t.at[t.len - 1]), 4) : NULL;
    if (hit) {
        t.len--;
        scale = mib[hit - suffixes];
    }
    if (!text_to_double(text_trim(t), out))
        return false;
    *out *= scale;
    return true;
}

/* Returns true for a word that names no GPU type. */
static bool names_no_type(struct text t)
{
    static const char *const words[] = {
        "gpu", "gpus",  "card",   "cards", "x",      "gres", "nvidia",
        "a",   "karte", "karten", "of",    "device", "each", "devices"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (text_is_nocase(t, words[i]))
            return true;
    }
    return false;
}

/* Takes the next word of a text such as "4x A100 (SXM)", without the marks
 * around it; an empty text at the end. 0xc3 begins the multiplication sign. */
static struct text take_gpu_word(struct text *t)
{
    static const char before[] = " \txX*:=()/,", after[] = " \t*:=()/,";
    size_t i = 0;
    while (i < t->len &&
           (strchr(before, t->at[i]) || (unsigned char)t->at[i] == 0xc3))
        i += (unsigned char)t->at[i] == 0xc3 && i + 1 < t->len ? 2 : 1;
    size_t n = i;
    while (n < t->len && !strchr(after, t->at[n]) &&
           (unsigned char)t->at[n] != 0xc3)
        n++;
    const struct text word = {t->at + i, n - i};
    *t = text_skip(*t, n);
    return word;
}

/* Cuts the number off a word that is one, or that begins with one and an x:
 * "4", "4x", "4xA100". Returns false for other words. */
static bool take_count(struct text *word, double *out)
{
    size_t d = 0;
    while (d < word->len && ascii_is_digit(word->at[d]))
        d++;
    const bool times = ascii_lower(text_char(*word, d)) == 'x';
    if (!d || (d < word->len && !times) ||
        !text_to_double((struct text){word->at, d}, out))
        return false;
    *word = text_skip(*word, d + (d < word->len));
    return true;
}

bool csv_worded_gpus(struct text t, double *out, struct text *type)
{
    struct text best = {"", 0}, word;
    bool found = false;
    t = text_trim(t);
    while ((word = take_gpu_word(&t)).len) {
        double count;
        if (take_count(&word, &count)) {
            if (found)
                return false; /* several numbers */
            found = true;
            *out = count;
        }
        if (word.len > 1 && !best.len && !names_no_type(word))
            best = word;
    }
    if (best.len)
        *type = best;
    return found;
}

/* Returns true for names of GPUs in a request: ngpus, gpu, nvidia.com/gpu, or
 * num as in LSF's "num=4:mode=shared". */
static bool asks_for_gpus(struct text name)
{
    static const char *const names[] = {
        "gpu",     "gpus",     "ngpus", "ngpu",    "num",      "num_gpus",
        "num_gpu", "gpucount", "cuda",  "gpu_num", "gpu_count"};
    for (size_t i = name.len; i-- > 0;) {
        if (name.at[i] == '/' || name.at[i] == '.') {
            name = text_skip(name, i + 1);
            break;
        }
    }
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (text_is_nocase(name, names[i]))
            return true;
    }
    return false;
}

/* Returns true if the number of a word, "2" or "nodes=2", before a ':' is one
 * of chunks. */
static bool counts_chunks(struct text word, struct text name, char mark)
{
    return mark == ':' && (name.len == word.len || text_is(name, "nodes") ||
                           text_is(name, "select"));
}

bool csv_asked_gpus(struct text t, double *out)
{
    double chunks = 1, number;
    bool found = false;
    *out = 0;
    while (t.len) {
        struct text value;
        size_t n = 0;
        while (n < t.len && !strchr(" ,;:+{}()[]'\"", t.at[n]))
            n++;
        const struct text word = {t.at, n};
        const struct text name = text_split(word, '=', &value);
        const char mark = text_char(t, n);
        t = text_skip(t, n < t.len ? n + 1 : n);
        if (!text_to_double(value.len ? value : word, &number) || number < 0)
            number = -1;
        else if (counts_chunks(word, name, mark))
            chunks = number;
        else if (value.len && asks_for_gpus(name)) {
            *out += chunks * number;
            found = true;
        }
        chunks = mark == ':' ? chunks : 1;
    }
    return found;
}

/* Returns the number of items of a list, such as "0,1,2,3" or "[0; 1]". */
static uint32_t list_length(struct text t)
{
    uint32_t n = 0;
    bool inside = false;
    for (size_t i = 0; i < t.len; i++) {
        const bool item = !strchr(" \t,;+|[](){}'\"", t.at[i]);
        n += item && !inside;
        inside = item;
    }
    return n;
}

static enum status read_gpus(const struct rows *rows, int at,
                             enum csv_form form, double *out, struct text *type,
                             struct error *err)
{
    const struct text t = rows_cell(rows, at);
    struct slurm_tres tres;
    if (form == CSV_GRES) {
        *out = slurm_gres(t, type);
        return STATUS_OK;
    }
    if (form == CSV_LIST) {
        *out = list_length(t);
        return STATUS_OK;
    }
    if (form == CSV_ASKED) {
        csv_asked_gpus(t, out);
        return STATUS_OK;
    }
    if (form == CSV_WORDED) {
        if (csv_worded_gpus(t, out, type))
            return STATUS_OK;
        return rows_bad(rows, at, err, "'%.*s' has no number of GPUs",
                        TEXT_ARGS(t));
    }
    if (!slurm_tres_read(t, &tres))
        return rows_bad(rows, at, err,
                        "'%.*s' is not a list such as cpu=8,gres/gpu=2",
                        TEXT_ARGS(t));
    *out = tres.gpus;
    *type = tres.gpu_type.len ? tres.gpu_type : *type;
    return STATUS_OK;
}

static enum status read_term(const struct rows *rows,
                             const struct csv_value *value, size_t i,
                             double *out, struct text *type, struct error *err)
{
    const int at = value->terms[i].cell;
    const struct text t = rows_cell(rows, at);
    if (at < 0) {
        *out = value->terms[i].number;
        return STATUS_OK;
    }
    if (i == 0 && value->form != CSV_PLAIN)
        return read_gpus(rows, at, value->form, out, type, err);
    if (i == 0 ? read_amount(t, value->scale, out) : text_to_double(t, out))
        return STATUS_OK;
    return rows_bad(rows, at, err, "'%.*s' is not a number", TEXT_ARGS(t));
}

enum status csv_product(const struct rows *rows, const struct csv_value *value,
                        double *out, bool *known, struct text *type,
                        struct error *err)
{
    double product = 1, factor = 1;
    *known = true;
    for (size_t i = 0; i < value->n_terms; i++) {
        const int at = value->terms[i].cell;
        if (at >= 0 && cells_tell_nothing(rows_cell(rows, at))) {
            *known = value->has_otherwise;
            if (*known)
                *out = value->otherwise;
            return STATUS_OK;
        }
        enum status st = read_term(rows, value, i, &factor, type, err);
        if (st != STATUS_OK)
            return st;
        product *= factor;
    }
    *out = product;
    return STATUS_OK;
}

/* Words for ends that other clusters use, besides those that cells_end reads.
 */
static const struct {
    const char *word;
    enum trace_end end;
} common[] = {
    {"success", TRACE_END_COMPLETED},    {"succeeded", TRACE_END_COMPLETED},
    {"successful", TRACE_END_COMPLETED}, {"terminated", TRACE_END_COMPLETED},
    {"exited", TRACE_END_COMPLETED},     {"finished", TRACE_END_COMPLETED},
    {"done", TRACE_END_COMPLETED},       {"passed", TRACE_END_COMPLETED},
    {"ok", TRACE_END_COMPLETED},         {"complete", TRACE_END_COMPLETED},
    {"failure", TRACE_END_FAILED},       {"fail", TRACE_END_FAILED},
    {"error", TRACE_END_FAILED},         {"oom", TRACE_END_FAILED},
    {"crashed", TRACE_END_FAILED},       {"timed out", TRACE_END_FAILED},
    {"stopped", TRACE_END_CANCELLED},    {"aborted", TRACE_END_CANCELLED},
    {"deleted", TRACE_END_CANCELLED},    {"preempted", TRACE_END_CANCELLED},
};
static const char *const going_on[] = {"running", "pending", "waiting",
                                       "queued"};

static bool is_among(struct text list, struct text word)
{
    struct text one;
    while (csv_take_word(&list, &one)) {
        if (one.len == word.len && word.len &&
            strncasecmp(one.at, word.at, word.len) == 0)
            return true;
    }
    return false;
}

static enum trace_end common_end(struct text word, bool *running, bool *strange)
{
    bool unfinished;
    struct text state = word;
    enum trace_end end = cells_end(word);
    if (end == TRACE_END_UNKNOWN) { /* "Cancelled by 1000" */
        struct text rest;
        end = cells_end(text_split(word, ' ', &rest));
    }
    if (end == TRACE_END_UNKNOWN)
        end = slurm_end(&state, running);
    unfinished = *running;
    for (size_t i = 0; i < sizeof going_on / sizeof *going_on; i++)
        *running |= text_is_nocase(word, going_on[i]);
    if (end != TRACE_END_UNKNOWN || unfinished || *running)
        return end;
    for (size_t i = 0; i < sizeof common / sizeof *common; i++) {
        if (text_is_nocase(word, common[i].word))
            return common[i].end;
    }
    *strange = true;
    return TRACE_END_UNKNOWN;
}

enum trace_end csv_end(const struct csv_value *value, struct text word,
                       bool *running, bool *strange)
{
    *running = *strange = false;
    if (!word.len)
        return TRACE_END_UNKNOWN;
    if (!value->has_words)
        return common_end(word, running, strange);
    for (size_t i = 0; i < CSV_N_ENDS; i++) {
        if (!is_among(value->words[i], word))
            continue;
        *running = i == CSV_RUNNING;
        return *running ? TRACE_END_UNKNOWN : (enum trace_end)i;
    }
    *strange = true;
    return TRACE_END_UNKNOWN;
}

static bool add_missing(struct csv_missing *missing, struct text word)
{
    if (missing->n == CSV_MISSING_MAX || !word.len)
        return !word.len;
    missing->words[missing->n++] = word;
    missing->first[(unsigned char)word.at[0]] = true;
    if (word.len > missing->longest)
        missing->longest = word.len;
    return true;
}

enum status csv_missing_set(struct csv_missing *missing, const char *more,
                            struct error *err)
{
    static const char *const known[] = {
        "-",   "--",  "Unknown", "unknown", "None", "none", "NA",  "N/A",
        "n/a", "NaN", "nan",     "NaT",     "null", "NULL", "<NA>"};
    struct text list = text_from(more ? more : ""), word;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        add_missing(missing, text_from(known[i]));
    while (csv_take_word(&list, &word)) {
        if (!add_missing(missing, word))
            return error_set(err, STATUS_USAGE,
                             "trace format csv: missing: more than %zu words",
                             CSV_MISSING_MAX - sizeof known / sizeof *known);
    }
    return STATUS_OK;
}

bool csv_is_missing(const struct csv_missing *missing, struct text cell)
{
    if (cell.len > missing->longest ||
        !missing->first[(unsigned char)text_char(cell, 0)])
        return false;
    for (size_t i = 0; i < missing->n; i++) {
        if (text_equal(cell, missing->words[i]))
            return true;
    }
    return false;
}
