/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes and runs the automaton that log_knowledge_internal.h describes. */
#include <stdlib.h>

#include "base/ascii.h"
#include "schedmate/logs/log_knowledge_internal.h"

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
static void add_text(struct log_automaton *a, struct text text,
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
            add_text(a, signatures[i]->texts.at[t], (uint32_t)i);
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

void log_automaton_find(const struct log_automaton *a, struct text line,
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
