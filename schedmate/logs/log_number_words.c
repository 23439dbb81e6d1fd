/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "schedmate/logs/log_number_words.h"

#include <string.h>

#include "base/ascii.h"

bool word_is_one_of(const char *word, const char *const *list)
{
    for (; *list; list++) {
        if (strcmp(word, *list) == 0)
            return true;
    }
    return false;
}

bool word_is_step(const char *w)
{
    static const char *const list[] = {
        "it",         "its",     "iter",      "iters", "iteration",
        "iterations", "step",    "steps",     "batch", "batches",
        "update",     "updates", "minibatch", "updt",  NULL};
    return word_is_one_of(w, list);
}

bool word_is_sample(const char *w)
{
    static const char *const list[] = {
        "sample",    "samples", "example", "examples",  "img",       "imgs",
        "image",     "images",  "seq",     "seqs",      "sequences", "sents",
        "tok",       "toks",    "token",   "tokens",    "words",     "frames",
        "instances", "rows",    "items",   "sentences", NULL};
    return word_is_one_of(w, list);
}

double word_seconds(const char *w)
{
    static const struct {
        const char *word;
        double seconds;
    } units[] = {{"s", 1},        {"sec", 1},       {"secs", 1},
                 {"second", 1},   {"seconds", 1},   {"ms", 1e-3},
                 {"msec", 1e-3},  {"millis", 1e-3}, {"milliseconds", 1e-3},
                 {"us", 1e-6},    {"min", 60},      {"mins", 60},
                 {"minutes", 60}, {"h", 3600},      {"hours", 3600}};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        if (strcmp(w, units[i].word) == 0)
            return units[i].seconds;
    }
    return 0;
}

bool number_words_has(const struct number_words *w, const char *word)
{
    for (size_t i = 0; i < w->n; i++) {
        if (strcmp(w->at[i], word) == 0)
            return true;
    }
    return false;
}

bool number_words_has_any(const struct number_words *w, const char *const *list)
{
    for (size_t i = 0; i < w->n; i++) {
        if (word_is_one_of(w->at[i], list))
            return true;
    }
    return false;
}

static void reverse(struct number_words *w)
{
    for (size_t k = 0; k < w->n / 2; k++) {
        const char *swap = w->at[k];
        w->at[k] = w->at[w->n - 1 - k];
        w->at[w->n - 1 - k] = swap;
    }
}

void number_words_split(struct text key, struct number_words *w)
{
    char *to = w->text + sizeof w->text - 1;
    bool open = false; /* true inside a word */
    *to = 0;
    w->n = 0;
    for (size_t i = key.len;
         i > 0 && to > w->text + 5 && w->n < NUMBER_WORDS_MAX; i--) {
        char c = key.at[i - 1];
        bool letter = ascii_is_letter(c) || (open && ascii_is_digit(c));
        if (!letter && open)
            *--to = 0;
        if (letter) {
            *--to = ascii_lower(c);
            w->n += !open;
            w->at[w->n - 1] = to;
        } else if (c == '/') {
            *--to = 0;
            *--to = '/';
            w->at[w->n++] = to;
            *--to = 0;
        }
        open = letter;
        /* A capital after a lower-case letter begins a word: "stepTime". */
        if (ascii_is_upper(c) && i > 1 && key.at[i - 2] >= 'a') {
            *--to = 0;
            open = false;
        }
    }
    reverse(w);
}

void number_words_join(const struct number_words *w, char out[NUMBER_KEY_MAX])
{
    size_t n = 0;
    for (size_t i = 0; i < w->n; i++) {
        size_t len = strlen(w->at[i]);
        if (n + len + 2 > NUMBER_KEY_MAX)
            break;
        if (n)
            out[n++] = ' ';
        memcpy(out + n, w->at[i], len);
        n += len;
    }
    out[n] = 0;
}

static size_t take_letters(struct text t, size_t i, char out[16])
{
    size_t n = 0;
    while (i < t.len && ascii_is_letter(t.at[i]) && n < 15)
        out[n++] = (char)(t.at[i++] | 32);
    out[n] = 0;
    return i;
}

void number_unit_read(struct text after, struct number_unit *u)
{
    size_t i = after.len > 0 && after.at[0] == ' ';
    *u = (struct number_unit){0};
    i = take_letters(after, i, u->left);
    if (!u->left[0])
        return;
    size_t slash = i + (i < after.len && after.at[i] == ' ');
    if (slash < after.len && after.at[slash] == '/') {
        slash++;
        slash += slash < after.len && after.at[slash] == ' ';
        take_letters(after, slash, u->right);
    }
    size_t len = strlen(u->left), more = strlen(u->right);
    if (len + more + 2 <= sizeof u->text) {
        memcpy(u->text, u->left, len);
        if (more) {
            u->text[len] = '/';
            memcpy(u->text + len + 1, u->right, more);
        }
    }
}
