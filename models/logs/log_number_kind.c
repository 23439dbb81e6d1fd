/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Decides what a number of a log line is, from the words before it and the unit
 * after it. */
#include "models/logs/log_number_kind.h"

#include <string.h>

#define WORDS_MAX 12

static bool is_digit(char c)
{
    return (unsigned)(c - '0') < 10;
}

static bool is_letter(char c)
{
    return ((unsigned)(c | 32) - 'a') < 26;
}

static bool is_one_of(const char *word, const char *const *list)
{
    for (; *list; list++) {
        if (strcmp(word, *list) == 0)
            return true;
    }
    return false;
}

static bool is_step_word(const char *w)
{
    static const char *const list[] = {
        "it",         "its",     "iter",      "iters", "iteration",
        "iterations", "step",    "steps",     "batch", "batches",
        "update",     "updates", "minibatch", NULL};
    return is_one_of(w, list);
}

static bool is_sample_word(const char *w)
{
    static const char *const list[] = {
        "sample",    "samples", "example", "examples",  "img",       "imgs",
        "image",     "images",  "seq",     "seqs",      "sequences", "sents",
        "tok",       "toks",    "token",   "tokens",    "words",     "frames",
        "instances", "rows",    "items",   "sentences", NULL};
    return is_one_of(w, list);
}

/* Returns the seconds in a unit of time; 0 if the word is none. */
static double time_unit(const char *w)
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

/* The last WORDS_MAX words of a key. "/" counts as a word. */
struct words {
    char text[NUMBER_KEY_MAX];
    const char *at[WORDS_MAX];
    size_t n;
};

static bool has(const struct words *w, const char *word)
{
    for (size_t i = 0; i < w->n; i++) {
        if (strcmp(w->at[i], word) == 0)
            return true;
    }
    return false;
}

static bool has_any(const struct words *w, const char *const *list)
{
    for (size_t i = 0; i < w->n; i++) {
        if (is_one_of(w->at[i], list))
            return true;
    }
    return false;
}

/* Splits a key into lower-case words, at each character that is no letter and
 * before a capital that follows a small letter. Reads from the end, so the
 * words nearest to the number are kept. */
static void split_words(struct text key, struct words *w)
{
    char *to = w->text + sizeof w->text - 1;
    size_t i = key.len;
    bool open = false;
    *to = 0;
    w->n = 0;
    while (i > 0 && to > w->text + 5 && w->n < WORDS_MAX) {
        char c = key.at[i - 1];
        bool letter = is_letter(c) || (open && is_digit(c));
        if (letter) {
            *--to = is_letter(c) ? (char)(c | 32) : c;
            if (!open)
                w->at[w->n++] = to;
            open = true;
            w->at[w->n - 1] = to;
            if (c < 'a' && i > 1 && key.at[i - 2] >= 'a' && !is_digit(c)) {
                *--to = 0;
                open = false;
            }
        } else {
            if (open)
                *--to = 0;
            open = false;
            if (c == '/') {
                *--to = 0;
                *--to = '/';
                w->at[w->n++] = to;
                *--to = 0;
            }
        }
        i--;
    }
    for (size_t k = 0; k < w->n / 2; k++) {
        const char *swap = w->at[k];
        w->at[k] = w->at[w->n - 1 - k];
        w->at[w->n - 1 - k] = swap;
    }
}

static void join_words(const struct words *w, char out[NUMBER_KEY_MAX])
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

/* The unit after a number: letters, optionally "/" and letters. */
struct unit {
    char text[16], left[16], right[16];
};

static size_t take_letters(struct text t, size_t i, char out[16])
{
    size_t n = 0;
    while (i < t.len && is_letter(t.at[i]) && n < 15)
        out[n++] = (char)(t.at[i++] | 32);
    out[n] = 0;
    return i;
}

static void read_unit(struct text after, struct unit *u)
{
    size_t i = after.len > 0 && after.at[0] == ' ';
    *u = (struct unit){0};
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

/* "3.04s/it", "2942 ms/iter", "7.3it/s", "4419 samples/sec". */
static bool by_unit(struct log_number *out, const struct unit *u)
{
    double left = time_unit(u->left), right = time_unit(u->right);
    out->tier = TIER_SAID;
    if (left > 0 && is_step_word(u->right)) {
        out->kind = NUMBER_STEP_TIME;
        out->value = out->printed * left;
        return true;
    }
    if (right > 0 && is_step_word(u->left) && out->printed > 0) {
        out->kind = NUMBER_STEP_TIME;
        out->value = right / out->printed;
        return true;
    }
    if (right > 0 && is_sample_word(u->left)) {
        out->kind = NUMBER_THROUGHPUT;
        out->value = out->printed / right;
        return true;
    }
    return false;
}

/* Returns the unit of a time with a key: the unit after the number, else one
 * among the words. */
static double keyed_unit(const struct words *w, const struct unit *u,
                         struct log_number *out)
{
    double seconds = time_unit(u->left);
    if (seconds > 0 && !u->right[0]) {
        memcpy(out->unit, u->left, sizeof out->unit);
        return seconds;
    }
    for (size_t i = w->n; i > 0; i--) {
        seconds = time_unit(w->at[i - 1]);
        if (seconds > 0) {
            size_t len = strlen(w->at[i - 1]);
            memcpy(out->unit, w->at[i - 1], len + 1);
            return seconds;
        }
    }
    return 0;
}

/* Reads the words on either side of "per" or "/": "samples per sec", "time per
 * iteration (ms)", "steps / s". */
static bool by_ratio(struct log_number *out, const struct words *w,
                     const struct unit *u)
{
    for (size_t i = 1; i + 1 < w->n; i++) {
        if (strcmp(w->at[i], "per") != 0 && strcmp(w->at[i], "/") != 0)
            continue;
        const char *left = w->at[i - 1], *right = w->at[i + 1];
        bool timed = time_unit(left) > 0 || strcmp(left, "time") == 0 ||
                     strcmp(left, "latency") == 0 || strcmp(left, "ms") == 0;
        double seconds = time_unit(right);
        out->tier = TIER_SAID;
        if (timed && is_step_word(right)) {
            seconds = keyed_unit(w, u, out);
            out->kind = NUMBER_STEP_TIME;
            out->value = out->printed * (seconds > 0 ? seconds : 1);
            return true;
        }
        if (seconds > 0 && is_step_word(left) && out->printed > 0) {
            out->kind = NUMBER_STEP_TIME;
            out->value = seconds / out->printed;
            return true;
        }
        if (seconds > 0 && is_sample_word(left)) {
            out->kind = NUMBER_THROUGHPUT;
            out->value = out->printed / seconds;
            return true;
        }
    }
    return false;
}

/* Reads a time by its words: "step time", "iter_time", "step_avg:60ms", "Time
 * 0.83". Refuses a time of a part of a step, a sum and a forecast. */
static bool by_time_words(struct log_number *out, const struct words *w,
                          const struct unit *u)
{
    static const char *const parts[] = {
        "data",      "dataload", "load", "loading", "io",        "forward",
        "backward",  "fwd",      "bwd",  "compute", "optimizer", "comm",
        "gather",    "generate", "val",  "valid",   "eval",      "test",
        "gpu",       "cpu",      "prep", "start",   "init",      "end",
        "reader",    "epoch",    "send", "recv",    "params",    "save",
        "inference", NULL};
    static const char *const forecasts[] = {"eta", "remaining", "left",
                                            "estimated", NULL};
    static const char *const sums[] = {"elapsed",    "wall",     "total",
                                       "train",      "training", "cum",
                                       "cumulative", "runtime",  NULL};
    static const char *const timing[] = {
        "time", "latency", "dt",      "took", "avg",    "duration", "ms",
        "sec",  "secs",    "seconds", "cost", "timing", NULL};
    bool step = false;
    if (w->n == 0 || has_any(w, forecasts) || has_any(w, parts))
        return false;
    for (size_t i = 0; i < w->n; i++)
        step |= is_step_word(w->at[i]);
    const char *last = w->at[w->n - 1];
    bool timed = has_any(w, timing);
    double seconds = keyed_unit(w, u, out);
    bool summed = has_any(w, sums) && !step;
    if (summed && (timed || seconds > 0 || has(w, "wall"))) {
        out->kind = NUMBER_ELAPSED;
        out->value = out->printed * (seconds > 0 ? seconds : 1);
        return true;
    }
    if (!timed || summed)
        return false;
    if (step &&
        (has(w, "time") || has(w, "timing") || has(w, "dt") || seconds > 0)) {
        out->tier = TIER_SAID;
    } else if (strcmp(last, "time") == 0 || strcmp(last, "latency") == 0 ||
               strcmp(last, "dt") == 0 || (seconds > 0 && has(w, "time"))) {
        out->tier = TIER_TIME;
    } else {
        return false;
    }
    out->kind = NUMBER_STEP_TIME;
    out->value = out->printed * (seconds > 0 ? seconds : 1);
    return true;
}

static bool by_words(struct log_number *out, const struct words *w)
{
    static const char *const no_loss[] = {"scale", "val",    "valid", "eval",
                                          "test",  "scaler", "best",  NULL};
    const char *last = w->n ? w->at[w->n - 1] : "";
    const char *before = w->n > 1 ? w->at[w->n - 2] : "";
    out->value = out->printed;
    if ((strcmp(last, "ups") == 0) && out->printed > 0) {
        out->kind = NUMBER_STEP_TIME; /* such a rate is in updates per second */
        out->tier = TIER_SAID;
        out->value = 1 / out->printed;
    } else if (strcmp(last, "wps") == 0) {
        out->kind = NUMBER_THROUGHPUT;
        memcpy(out->unit, "words/s", 8);
    } else if (strcmp(last, "bsz") == 0 || strcmp(last, "batchsize") == 0 ||
               (strcmp(last, "size") == 0 && strcmp(before, "batch") == 0)) {
        out->kind = NUMBER_BATCH;
    } else if (strcmp(last, "loss") == 0 && !has_any(w, no_loss)) {
        out->kind = NUMBER_LOSS;
    } else if (is_step_word(last) &&
               (strcmp(last, "batch") != 0 || out->of > 0 || w->n == 1)) {
        out->kind = NUMBER_STEP;
    } else if (out->of > 0 && strcmp(last, "epoch") != 0 &&
               strcmp(last, "epochs") != 0) {
        out->kind = NUMBER_STEP;
    } else {
        return false;
    }
    return true;
}

/* Reads a bare "0.25s" between bars or at the end of a line. */
static bool by_bare_time(struct log_number *out, const struct words *w,
                         const struct unit *u, struct text after)
{
    double seconds = time_unit(u->left);
    if (w->n > 0 || seconds <= 0 || seconds > 1 || u->right[0])
        return false;
    size_t near = after.len < 16 ? after.len : 16;
    if (after.len > strlen(u->left) + 2 && !memchr(after.at, '|', near))
        return false;
    out->kind = NUMBER_STEP_TIME;
    out->tier = TIER_BARE;
    out->value = out->printed * seconds;
    return true;
}

bool log_number_classify(struct log_number *number, struct text key,
                         struct text after)
{
    struct words words = {0};
    struct unit unit;
    split_words(key, &words);
    read_unit(after, &unit);
    join_words(&words, number->key);
    if (after.len > 0 && after.at[0] == '%')
        return false;
    if (by_unit(number, &unit)) {
        memcpy(number->unit, unit.text, sizeof number->unit);
        return true;
    }
    /* The meaning of an aside such as "(3.4 sec)" is unknown. */
    bool aside = key.len > 0 && key.at[key.len - 1] == '(';
    return by_ratio(number, &words, &unit) ||
           by_time_words(number, &words, &unit) || by_words(number, &words) ||
           (!aside && by_bare_time(number, &words, &unit, after));
}
