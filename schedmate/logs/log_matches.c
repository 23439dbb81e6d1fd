/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compares lines with the signatures of log_knowledge.h. */

#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "schedmate/logs/log_knowledge_internal.h"
#include "schedmate/logs/log_marks.h"
#include "schedmate/logs/log_prefix.h"
#include "schedmate/logs/log_stream.h"

/* Makes and runs the automaton that log_knowledge_internal.h describes. */

#define STATES_MAX 60000

static void classify(struct log_automaton *a, struct log_texts texts)
{
    for (size_t i = 0; i < texts.n; i++) {
        for (size_t b = 0; b < texts.at[i].len; b++) {
            uint8_t c = (uint8_t)ascii_lower(texts.at[i].at[b]);
            if (!a->class_of[c])
                a->class_of[c] = (uint8_t)a->n_classes++;
        }
    }
}

/* Adds the states of one text and its hit. While states are added, next is 0
 * where there is no edge. */
static void matches_add_text(struct log_automaton *a, struct text text,
                             uint32_t signature)
{
    size_t state = 0;
    for (size_t i = 0; i < text.len; i++) {
        uint8_t c = a->class_of[(uint8_t)ascii_lower(text.at[i])];
        uint16_t *edge = &a->next[state * a->n_classes + c];
        if (!*edge)
            *edge = (uint16_t)a->n_states++;
        state = *edge;
    }
    a->hits[a->n_hits] = (struct log_hit){signature, a->first[state]};
    a->first[state] = (uint32_t)++a->n_hits;
}

/* Adds the edges that follow suffix links, breadth first, and sets `shown`. */
static void link_suffixes(struct log_automaton *a)
{
    uint16_t *queue = mem_zalloc(a->n_states, sizeof *queue);
    uint16_t *suffix = mem_zalloc(a->n_states, sizeof *suffix);
    size_t n = a->n_classes, from = 0, to = 0;
    for (size_t c = 0; c < n; c++) {
        if (a->next[c])
            queue[to++] = a->next[c];
    }
    while (from < to) {
        size_t state = queue[from++], back = suffix[state];
        a->shown[state] = a->first[back] ? (uint16_t)back : a->shown[back];
        for (size_t c = 0; c < n; c++) {
            uint16_t *edge = &a->next[state * n + c];
            if (*edge) {
                suffix[*edge] = a->next[back * n + c];
                queue[to++] = *edge;
            } else {
                *edge = a->next[back * n + c];
            }
        }
    }
    free(queue);
    free(suffix);
}

enum status log_automaton_make(struct log_automaton *a,
                               struct log_signature *const *signatures,
                               size_t n, struct error *err)
{
    size_t states = 1, texts = 0;
    *a = (struct log_automaton){.n_classes = 1, .n_states = 1};
    for (size_t i = 0; i < n; i++) {
        classify(a, signatures[i]->texts);
        texts += signatures[i]->texts.n;
        for (size_t t = 0; t < signatures[i]->texts.n; t++)
            states += signatures[i]->texts.at[t].len;
    }
    if (states > STATES_MAX || n > LOG_SIGNATURES_MAX)
        return error_set(err, STATUS_BAD_INPUT,
                         "%zu signatures with %zu bytes of text; there is room "
                         "for %d with %d",
                         n, states - 1, LOG_SIGNATURES_MAX, STATES_MAX - 1);
    for (int c = 'A'; c <= 'Z'; c++)
        a->class_of[c] = a->class_of[c - 'A' + 'a'];
    a->next = mem_zalloc(states * a->n_classes, sizeof *a->next);
    a->first = mem_zalloc(states, sizeof *a->first);
    a->shown = mem_zalloc(states, sizeof *a->shown);
    a->hits = mem_zalloc(texts + 1, sizeof *a->hits);
    for (size_t i = 0; i < n; i++) {
        for (size_t t = 0; t < signatures[i]->texts.n; t++)
            matches_add_text(a, signatures[i]->texts.at[t], (uint32_t)i);
    }
    link_suffixes(a);
    return STATUS_OK;
}

void log_automaton_fini(struct log_automaton *a)
{
    free(a->next);
    free(a->first);
    free(a->shown);
    free(a->hits);
    *a = (struct log_automaton){0};
}

/* Sets the bit of each signature that has one of its texts in the line, in any
 * case of letters. Leaves the other bits as they are. */
static void log_automaton_find(const struct log_automaton *a, struct text line,
                               uint64_t *bits)
{
    size_t state = 0;
    for (size_t i = 0; i < line.len; i++) {
        state =
            a->next[state * a->n_classes + a->class_of[(uint8_t)line.at[i]]];
        size_t ends = a->first[state] ? state : a->shown[state];
        for (; ends; ends = a->shown[ends]) {
            for (uint32_t h = a->first[ends]; h; h = a->hits[h - 1].next) {
                uint32_t s = a->hits[h - 1].signature;
                bits[s / 64] |= UINT64_C(1) << (s % 64);
            }
        }
    }
}

/* Bytes at the start of a line that are compared. */
#define LINE_BYTES (4 * LOG_MARKS_BYTES)

/* Largest number of occurrences of one text that are examined in a line,
 * because a hostile line may repeat the text many times. */
#define TRIES 8

#define HOST_MAX 253 /* longest name of a host, bytes (RFC 1035) */

static bool matches_equal(const char *a, const char *b, size_t n, bool any_case)
{
    if (!any_case)
        return memcmp(a, b, n) == 0;
    size_t i = 0;
    while (i < n && ascii_lower(a[i]) == ascii_lower(b[i]))
        i++;
    return i == n;
}

/* Returns the offset of the first `wanted` at or after `from`; SIZE_MAX if
 * there is none. */
static size_t matches_find(struct text line, size_t from, struct text wanted,
                           bool any_case)
{
    if (from > line.len)
        return SIZE_MAX;
    if (!any_case) {
        const char *at =
            memmem(line.at + from, line.len - from, wanted.at, wanted.len);
        return at ? (size_t)(at - line.at) : SIZE_MAX;
    }
    for (; from + wanted.len <= line.len; from++) {
        if (matches_equal(line.at + from, wanted.at, wanted.len, true))
            return from;
    }
    return SIZE_MAX;
}

/* True if the line begins with the class of an exception, as in
 * "module.SomeError: message", and the class ends with the `len` bytes at
 * `at`. */
static bool matches_is_class(struct text line, size_t at, size_t len)
{
    struct text t = text_trim(log_stream_of(line).line);
    size_t n = 0;
    while (ascii_is_name(text_char(t, n)) || text_char(t, n) == '.')
        n++;
    char next = text_char(t, n);
    return t.at + n == line.at + at + len && line.at + at >= t.at &&
           (!next || next == ':' || next == '(');
}

static bool is_anchored(enum log_anchor anchor, struct text line, size_t at,
                        size_t len)
{
    struct text rest = {line.at + at + len, line.len - at - len};
    switch (anchor) {
    case LOG_ANCHOR_START:
        return text_trim(log_strip_rank(line)).at == line.at + at;
    case LOG_ANCHOR_END:
        return text_trim(rest).len == 0;
    case LOG_ANCHOR_WORD:
        return (at == 0 || !ascii_is_name(line.at[at - 1])) &&
               !ascii_is_name(text_char(rest, 0));
    case LOG_ANCHOR_CLASS:
        return matches_is_class(line, at, len) &&
               (at == 0 || !ascii_is_name(line.at[at - 1]));
    case LOG_ANCHOR_CLASS_END:
        return matches_is_class(line, at, len);
    case LOG_ANCHOR_ANY:
    case N_LOG_ANCHORS:
        break;
    }
    return true;
}

/* True if the first s->code_after at or after offset `from` is followed by a
 * number in the range of the signature. */
static bool has_code(const struct log_signature *s, struct text line,
                     size_t from)
{
    struct text after = text_from(s->code_after);
    size_t at = matches_find(line, from, after, s->any_case), digits = 0;
    uint32_t code;
    if (at == SIZE_MAX)
        return false;
    struct text rest = text_trim(text_skip(line, at + after.len));
    while (ascii_is_digit(text_char(rest, digits)))
        digits++;
    return !ascii_is_name(text_char(rest, digits)) &&
           text_to_u32((struct text){rest.at, digits}, &code) &&
           code >= s->code_from && code <= s->code_to;
}

/* True if one of the texts of the signature stands where the anchor demands it,
 * followed by the code if the signature has one. */
static bool has_text(const struct log_signature *s, struct text line)
{
    for (size_t i = 0; i < s->texts.n; i++) {
        struct text t = s->texts.at[i];
        size_t at = matches_find(line, 0, t, s->any_case);
        for (unsigned n = 0; n < TRIES && at != SIZE_MAX; n++) {
            if (is_anchored(s->anchor, line, at, t.len) &&
                (!s->code_after || has_code(s, line, at + t.len)))
                return true;
            at = matches_find(line, at + 1, t, s->any_case);
        }
    }
    return false;
}

static bool matches_has(const struct log_signature *s, struct text line)
{
    if (s->role == LOG_ROLE_OFF || !has_text(s, line))
        return false;
    for (size_t i = 0; i < s->also.n; i++) {
        if (matches_find(line, 0, s->also.at[i], s->any_case) == SIZE_MAX)
            return false;
    }
    for (size_t i = 0; i < s->none.n; i++) {
        if (matches_find(line, 0, s->none.at[i], s->any_case) != SIZE_MAX)
            return false;
    }
    return true;
}

void log_matches_begin(const struct log_knowledge *k, struct text line,
                       struct log_matches *out)
{
    if (line.len > LINE_BYTES)
        line.len = LINE_BYTES;
    out->knowledge = k;
    out->line = line;
    out->next = 0;
    memset(out->may, 0, (k->n_signatures + 63) / 64 * sizeof *out->may);
    log_automaton_find(&k->automaton, line, out->may);
}

const struct log_signature *log_matches_next(struct log_matches *m)
{
    while (m->next < m->knowledge->n_signatures) {
        uint64_t left = m->may[m->next / 64] >> (m->next % 64);
        if (!left) {
            m->next = (m->next / 64 + 1) * 64;
            continue;
        }
        m->next += (size_t)__builtin_ctzll(left);
        const struct log_signature *s = m->knowledge->signatures[m->next++];
        if (matches_has(s, m->line))
            return s;
    }
    return NULL;
}

bool log_has_role(const struct log_knowledge *k, struct text line,
                  enum log_role role)
{
    struct log_matches m;
    const struct log_signature *s;
    log_matches_begin(k, line, &m);
    while ((s = log_matches_next(&m)) && s->role != role)
        ;
    return s != NULL;
}

bool log_signature_host(const struct log_signature *s, struct text line,
                        struct text *out)
{
    if (line.len > LINE_BYTES)
        line.len = LINE_BYTES;
    if (!s->host_after)
        return false;
    struct text after = text_from(s->host_after);
    size_t at = matches_find(line, 0, after, s->any_case);
    for (unsigned i = 0; i < TRIES && at != SIZE_MAX; i++) {
        struct text rest = text_skip(line, at + after.len);
        size_t n = 0;
        while (ascii_is_name(text_char(rest, n)) || text_char(rest, n) == '.' ||
               text_char(rest, n) == '-')
            n++;
        struct text name = {rest.at, n};
        if (n > 0 && n <= HOST_MAX && name.at[0] != '-' &&
            (!s->host_before ||
             text_starts(text_skip(rest, n), s->host_before))) {
            *out = name;
            return true;
        }
        at = matches_find(line, at + 1, after, s->any_case);
    }
    return false;
}
