/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads the numbers in a line of training output and decides, by the words
 * before a number and the unit after it, what the number is, such as a time
 * per step, a throughput, a loss or a step counter. */
#include "schedmate/logs/schedmate_tracker.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/ascii.h"

#define NUMBER_WORDS_MAX 12

/* The last words of a key, in the order in which they stand in it: at most
 * NUMBER_WORDS_MAX, and no more than fit into `text`. "/" counts as a word. */
struct number_words {
    char text[NUMBER_KEY_MAX]; /* the words, each ended by a 0 byte */
    const char *at[NUMBER_WORDS_MAX];
    size_t n;
};

/* The unit after a number, in lower case: letters, optionally with "/" and more
 * letters. Each run of letters is cut to 15. */
struct number_unit {
    char text[16];            /* "ms/iter"; "" if it does not fit */
    char left[16], right[16]; /* "ms", "iter"; "" if missing */
};

/* The words before a number and the unit after it, and what a single word
 * means. All words are in lower case. */

/* True if the list contains the word. The list ends with NULL. */
static bool word_is_one_of(const char *word, const char *const *list)
{
    for (; *list; list++) {
        if (strcmp(word, *list) == 0)
            return true;
    }
    return false;
}

/* True for a word that means a step, such as "it", "step" or "batch". */
static bool word_is_step(const char *w)
{
    static const char *const list[] = {
        "it",         "its",     "iter",      "iters", "iteration",
        "iterations", "step",    "steps",     "batch", "batches",
        "update",     "updates", "minibatch", "updt",  NULL};
    return word_is_one_of(w, list);
}

/* True for a word that means a unit of data, such as "samples" or "tokens". */
static bool word_is_sample(const char *w)
{
    static const char *const list[] = {
        "sample",    "samples", "example", "examples",  "img",       "imgs",
        "image",     "images",  "seq",     "seqs",      "sequences", "sents",
        "tok",       "toks",    "token",   "tokens",    "words",     "frames",
        "instances", "rows",    "items",   "sentences", NULL};
    return word_is_one_of(w, list);
}

/* Returns the seconds in a unit of time such as "ms"; 0 for another word. */
static double word_seconds(const char *w)
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

static bool number_words_has(const struct number_words *w, const char *word)
{
    for (size_t i = 0; i < w->n; i++) {
        if (strcmp(w->at[i], word) == 0)
            return true;
    }
    return false;
}

static bool number_words_has_any(const struct number_words *w,
                                 const char *const *list)
{
    for (size_t i = 0; i < w->n; i++) {
        if (word_is_one_of(w->at[i], list))
            return true;
    }
    return false;
}

static void numbers_reverse(struct number_words *w)
{
    for (size_t k = 0; k < w->n / 2; k++) {
        const char *swap = w->at[k];
        w->at[k] = w->at[w->n - 1 - k];
        w->at[w->n - 1 - k] = swap;
    }
}

/* Splits a key at each character that is not a letter, and before a capital
 * that follows a lower-case letter. A digit before a letter is part of the
 * word, as in "l2loss". Digits at the end of a word are dropped: "top5" gives
 * "top". */
static void number_words_split(struct text key, struct number_words *w)
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
    numbers_reverse(w);
}

/* Writes the words with one blank between them; the last words are left out if
 * they do not fit into NUMBER_KEY_MAX bytes. */
static void number_words_join(const struct number_words *w,
                              char out[NUMBER_KEY_MAX])
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

static void number_unit_read(struct text after, struct number_unit *u)
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

/* Decides what a number of a log line is, from the words before it and the unit
 * after it. */

static bool numbers_set(struct log_number *out, enum number_kind kind,
                        double value)
{
    out->kind = kind;
    out->value = value;
    return true;
}

/* Reads a rate: steps or samples (`what`) per unit of time. `seconds` is the
 * length of that unit; 0 if the word after "per" is not a unit of time. Returns
 * false if the number is not a rate. */
static bool by_rate(struct log_number *out, const char *what, double seconds)
{
    if (seconds > 0 && word_is_step(what) && out->printed > 0)
        return numbers_set(out, NUMBER_STEP_TIME, seconds / out->printed);
    if (seconds > 0 && word_is_sample(what))
        return numbers_set(out, NUMBER_THROUGHPUT, out->printed / seconds);
    return false;
}

/* A step whose name has one of these words before it is not a step of the
 * training, as in "env_steps_per_s". */
static const char *const other_steps[] = {
    "env",        "environment", "environments", "sim",
    "simulation", "game",        "agent",        "decode",
    "decoding",   "diffusion",   "sampling",     "denoising",
    "inference",  "solver",      "mcmc",         NULL};

/* Reads a number by the unit after it: "3.04s/it", "2942 ms/iter", "7.3it/s",
 * "4419 samples/sec". Returns false for any other unit. */
static bool by_unit(struct log_number *out, const struct number_unit *u)
{
    double seconds = word_seconds(u->left);
    out->tier = TIER_SAID;
    if (seconds > 0 && word_is_step(u->right))
        return numbers_set(out, NUMBER_STEP_TIME, out->printed * seconds);
    return by_rate(out, u->left, word_seconds(u->right));
}

/* Returns the length in seconds of the unit of a time and copies the unit to
 * out->unit. The unit is after the number or else among the words before it.
 * Returns 0 if there is no unit. */
static double keyed_unit(const struct number_words *w,
                         const struct number_unit *u, struct log_number *out)
{
    double seconds = word_seconds(u->left);
    if (seconds > 0 && !u->right[0]) {
        memcpy(out->unit, u->left, sizeof out->unit);
        return seconds;
    }
    for (size_t i = w->n; i > 0; i--) {
        seconds = word_seconds(w->at[i - 1]);
        if (seconds > 0) {
            size_t len = strlen(w->at[i - 1]);
            memcpy(out->unit, w->at[i - 1], len + 1);
            return seconds;
        }
    }
    return 0;
}

/* Reads the words on either side of "per" or "/": "samples per sec", "time per
 * iteration (ms)", "steps / s". Returns false if they name neither a rate nor a
 * time of a step. */
static bool by_ratio(struct log_number *out, const struct number_words *w,
                     const struct number_unit *u)
{
    static const char *const times[] = {"time", "latency", NULL};
    for (size_t i = 1; i + 1 < w->n; i++) {
        if (strcmp(w->at[i], "per") != 0 && strcmp(w->at[i], "/") != 0)
            continue;
        const char *left = w->at[i - 1], *right = w->at[i + 1];
        if (i > 1 && word_is_one_of(w->at[i - 2], other_steps))
            return false;
        out->tier = TIER_SAID;
        if (word_is_step(right) &&
            (word_seconds(left) > 0 || word_is_one_of(left, times))) {
            double seconds = keyed_unit(w, u, out);
            return numbers_set(out, NUMBER_STEP_TIME,
                               out->printed * (seconds > 0 ? seconds : 1));
        }
        if (by_rate(out, left, word_seconds(right)))
            return true;
    }
    return false;
}

/* A time whose key has one of these words is not the time of a whole step. */
static const char *const part_words[] = {
    "data",      "dataload", "load", "loading", "io",        "forward",
    "backward",  "fwd",      "bwd",  "compute", "optimizer", "comm",
    "gather",    "generate", "val",  "valid",   "eval",      "test",
    "gpu",       "cpu",      "prep", "start",   "init",      "end",
    "reader",    "epoch",    "send", "recv",    "params",    "save",
    "inference", NULL};

static const char *const forecast_words[] = {"eta", "remaining", "left",
                                             "estimated", NULL};

static const char *const sum_words[] = {"elapsed",    "wall",     "total",
                                        "train",      "training", "cum",
                                        "cumulative", "runtime",  NULL};

static const char *const timing_words[] = {
    "time", "latency", "dt",      "took", "avg",    "duration", "ms",
    "sec",  "secs",    "seconds", "cost", "timing", "runtime",  NULL};

/* A key with a step word and one of these words names the time of a step. */
static const char *const step_timing_words[] = {"time", "timing", "dt", NULL};

/* A key that ends with one of these words names a time, probably that of a
 * step. */
static const char *const last_timing_words[] = {"time", "latency", "dt", NULL};

static bool names_step(const struct number_words *w)
{
    for (size_t i = 0; i < w->n; i++) {
        if (word_is_step(w->at[i]))
            return true;
    }
    return false;
}

/* Sets *tier to how certain it is that the words name the time of a step.
 * `seconds` is the unit, 0 if it is unknown; `step` is true if one of the words
 * means a step. Returns false if the words name no time of a step. */
static bool time_tier(const struct number_words *w, double seconds, bool step,
                      enum number_tier *tier)
{
    bool timed = number_words_has(w, "time");
    if (step && (seconds > 0 || number_words_has_any(w, step_timing_words)))
        *tier = TIER_SAID;
    else if (word_is_one_of(w->at[w->n - 1], last_timing_words) ||
             (seconds > 0 && timed))
        *tier = TIER_TIME;
    else
        return false;
    return true;
}

/* True for words like "exp / sec": the number is a rate and not a time. */
static bool numbers_is_rate(const struct number_words *w)
{
    for (size_t i = 1; i < w->n; i++) {
        if (word_seconds(w->at[i]) > 0 && (strcmp(w->at[i - 1], "/") == 0 ||
                                           strcmp(w->at[i - 1], "per") == 0))
            return true;
    }
    return false;
}

/* True if the words end with a step word and a unit of time, as in "update_s".
 */
static bool ends_with_step_unit(const struct number_words *w)
{
    return w->n > 1 && word_is_step(w->at[w->n - 2]) &&
           word_seconds(w->at[w->n - 1]) > 0;
}

/* Reads a time by its words: "step time", "iter_time", "step_avg:60ms", "Time
 * 0.83". A sum becomes NUMBER_ELAPSED. Returns false for forecasts, times of a
 * part of a step and all other words. */
static bool by_time_words(struct log_number *out, const struct number_words *w,
                          const struct number_unit *u)
{
    if (w->n == 0 || number_words_has_any(w, forecast_words) ||
        number_words_has_any(w, part_words) || numbers_is_rate(w))
        return false;
    bool step = names_step(w), timed = number_words_has_any(w, timing_words);
    double seconds = keyed_unit(w, u, out);
    timed |= ends_with_step_unit(w);
    bool summed = number_words_has_any(w, sum_words) && !step;
    if (summed && (timed || seconds > 0 || number_words_has(w, "wall")))
        out->kind = NUMBER_ELAPSED;
    else if (timed && !summed && time_tier(w, seconds, step, &out->tier))
        out->kind = NUMBER_STEP_TIME;
    else
        return false;
    out->value = out->printed * (seconds > 0 ? seconds : 1);
    return true;
}

/* Returns the last word of the key. Skips words that link the key to the
 * number, such as "is" in "loss is 0.3". */
static const char *last_word(const struct number_words *w)
{
    static const char *const links[] = {"is", "was", "of", "at", "to", NULL};
    size_t n = w->n;
    while (n > 1 && word_is_one_of(w->at[n - 1], links))
        n--;
    return n > 0 ? w->at[n - 1] : "";
}

static bool is_loss(const struct number_words *w, const char *last)
{
    static const char *const others[] = {"scale", "val",    "valid", "eval",
                                         "test",  "scaler", "best",  NULL};
    static const char *const spans[] = {"step", "epoch", "iter", "batch", NULL};
    bool named = strcmp(last, "loss") == 0 ||
                 (w->n > 1 && strcmp(w->at[w->n - 2], "loss") == 0 &&
                  word_is_one_of(last, spans));
    return named && !number_words_has_any(w, others);
}

static bool is_batch_size(const struct number_words *w, const char *last)
{
    if (strcmp(last, "size") == 0 && w->n > 1)
        return strcmp(w->at[w->n - 2], "batch") == 0;
    return strcmp(last, "bsz") == 0 || strcmp(last, "batchsize") == 0;
}

/* True for a counter of steps: a number like "3 / 10" or a number after a step
 * word. "micro batch 64" may be a size, so "batch" counts as a step word only
 * if no other word comes before it. */
static bool numbers_is_counter(const struct number_words *w, const char *last,
                               bool has_end)
{
    if (has_end)
        return true;
    return word_is_step(last) && (strcmp(last, "batch") != 0 || w->n == 1);
}

/* True for a counter without words that a percentage in brackets follows, as in
 * "[640/60000 (1%)]": it counts samples. */
static bool numbers_counts_samples(const struct log_number *out,
                                   const struct number_words *w,
                                   struct text after)
{
    size_t i = text_char(after, 0) == ' ';
    if (!(out->of > 0) || w->n > 0 || text_char(after, i) != '(')
        return false;
    for (i++; ascii_is_digit(text_char(after, i)) || text_char(after, i) == '.';
         i++)
        ;
    return text_char(after, i) == '%';
}

/* True for a number like "47K": it is too coarse to count steps. */
static bool is_rounded(struct text after)
{
    char c = text_char(after, 0);
    return (c == 'K' || c == 'M' || c == 'k') &&
           !ascii_is_letter(text_char(after, 1));
}

static bool by_words(struct log_number *out, const struct number_words *w)
{
    static const char *const epochs[] = {"epoch", "epochs", NULL};
    const char *last = w->n ? w->at[w->n - 1] : "";
    out->value = out->printed;
    if (strcmp(last, "ups") == 0 && out->printed > 0) {
        out->kind = NUMBER_STEP_TIME; /* "ups" means updates per second */
        out->tier = TIER_SAID;
        out->value = 1 / out->printed;
    } else if (strcmp(last, "wps") == 0) {
        out->kind = NUMBER_THROUGHPUT;
        memcpy(out->unit, "words/s", 8);
    } else if (is_batch_size(w, last)) {
        out->kind = NUMBER_BATCH;
    } else if (is_loss(w, last_word(w))) {
        out->kind = NUMBER_LOSS;
    } else if (word_is_one_of(last, epochs)) {
        out->kind = NUMBER_EPOCH;
    } else if (numbers_is_counter(w, last, out->of > 0)) {
        out->kind = NUMBER_STEP;
    } else {
        return false;
    }
    return true;
}

/* Reads a time without words in a unit of at most a second, such as "0.25s",
 * before a '|' or at the end of a line. Returns false for any other number. */
static bool by_bare_time(struct log_number *out, const struct number_words *w,
                         const struct number_unit *u, struct text after)
{
    double seconds = word_seconds(u->left);
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

/* Sets the kind, tier, value, key and unit of a number; the caller has set
 * `printed` and `of`. `key` is the text between the number and the one before
 * it or a separator such as '|'; `after` is the rest of the line. Returns false
 * if the number is of no known kind. */
static bool log_number_classify(struct log_number *number, struct text key,
                                struct text after)
{
    struct number_words words = {0};
    struct number_unit unit;
    number_words_split(key, &words);
    number_unit_read(after, &unit);
    number_words_join(&words, number->key);
    if (after.len > 0 && after.at[0] == '%')
        return false;
    if (by_unit(number, &unit)) {
        memcpy(number->unit, unit.text, sizeof number->unit);
        return true;
    }
    if (numbers_counts_samples(number, &words, after) || is_rounded(after))
        return false;
    /* The text does not say what a time in brackets, such as "(3.4 sec)",
     * measures. */
    bool aside = key.len > 0 && key.at[key.len - 1] == '(';
    return by_ratio(number, &words, &unit) ||
           by_time_words(number, &words, &unit) || by_words(number, &words) ||
           (!aside && by_bare_time(number, &words, &unit, after));
}

/* True if the words before a number name the time that a step waits for data,
 * as in "data_time: 0.01". Another time in the line is probably that of the
 * whole step. */
static bool log_number_is_part(struct text key)
{
    static const char *const data[] = {"data", "dataload", "dataloader",
                                       "reader", NULL};
    struct number_words w = {0};
    number_words_split(key, &w);
    return number_words_has_any(&w, data) &&
           (number_words_has_any(&w, last_timing_words) || w.n == 1);
}

/* Number of bytes at the start of a line that are read. */
#define LOOK_MAX 1024

/* A time of day counts only if it begins within this many bytes of the start of
 * the line. */
#define CLOCK_WITHIN 64

static size_t numbers_skip_digits(struct text t, size_t i)
{
    while (ascii_is_digit(text_char(t, i)))
        i++;
    return i;
}

/* Reads the two digits at `i`. Returns false if there are not two digits. */
static bool two_digits(struct text t, size_t i, unsigned *out)
{
    char tens = text_char(t, i), ones = text_char(t, i + 1);
    *out = (unsigned)(tens - '0') * 10 + (unsigned)(ones - '0');
    return ascii_is_digit(tens) && ascii_is_digit(ones);
}

/* Reads HH:MM:SS with an optional fraction at `i`. Returns its length, 0 if
 * there is none. */
static size_t clock_at(struct text t, size_t i, double *seconds)
{
    unsigned part[3];
    size_t at = i;
    for (int k = 0; k < 3; k++, at += 3) {
        if (!two_digits(t, at, &part[k]) ||
            (k < 2 && text_char(t, at + 2) != ':'))
            return 0;
    }
    if (part[0] > 23 || part[1] > 59 || part[2] > 60)
        return 0;
    *seconds = part[0] * 3600.0 + part[1] * 60.0 + part[2];
    at--; /* the end of the seconds: no colon follows them */
    bool point = text_char(t, at) == '.' || text_char(t, at) == ',';
    double digit = 0.1;
    if (point && ascii_is_digit(text_char(t, at + 1))) {
        for (at++; ascii_is_digit(text_char(t, at)); at++, digit /= 10)
            *seconds += digit * (t.at[at] - '0');
    }
    return at - i;
}

/* True for a comma between thousands, as in "105,369". "3, 4" and "1,2" are two
 * numbers each. */
static bool is_thousands(struct text t, size_t comma)
{
    return text_char(t, comma) == ',' &&
           numbers_skip_digits(t, comma + 1) == comma + 4;
}

/* Returns the end of the exponent at `at`, or `at` if there is none. */
static size_t exponent_end(struct text t, size_t at)
{
    if (at + 2 >= t.len || (t.at[at] | 32) != 'e')
        return at;
    size_t digits = at + 1 + (t.at[at + 1] == '-' || t.at[at + 1] == '+');
    size_t end = numbers_skip_digits(t, digits);
    return end > digits ? end : at;
}

/* Reads a decimal number at `i`, which may have a sign, commas between
 * thousands and an exponent. Returns its length, 0 if there is none. */
static size_t numbers_number_at(struct text t, size_t i, double *value)
{
    size_t at = i + (t.at[i] == '-' || t.at[i] == '+');
    while (ascii_is_digit(text_char(t, at)) || is_thousands(t, at))
        at++;
    if (text_char(t, at) == '.' && ascii_is_digit(text_char(t, at + 1)))
        at = numbers_skip_digits(t, at + 1);
    at = exponent_end(t, at);
    char plain[40];
    size_t n = 0;
    for (size_t k = i; k < at && n < sizeof plain; k++) {
        if (t.at[k] != ',')
            plain[n++] = t.at[k];
    }
    return text_to_double((struct text){plain, n}, value) ? at - i : 0;
}

/* Reads H:MM:SS or "1h 5m 3s" at `i`, where hours or minutes may be missing
 * before the m and the s. Returns its length, 0 if there is none. */
static size_t span_at(struct text t, size_t i, double *seconds)
{
    static const char letters[] = "hms";
    static const double units[] = {3600, 60, 1};
    size_t end = numbers_skip_digits(t, i), parts = 0, at = i;
    double clock, value;
    if (text_char(t, end) == ':' && end - i <= 4) {
        char plain[8] = "00";
        /* the hours, then MM:SS as the end of a time of day */
        struct text rest = text_skip(t, end + 1);
        char day[24];
        size_t len = rest.len < 15 ? rest.len : 15;
        memcpy(day, "00:", 3);
        memcpy(day + 3, rest.at, len);
        memcpy(plain, t.at + i, end - i);
        plain[end - i] = 0;
        size_t read = clock_at((struct text){day, len + 3}, 0, &clock);
        if (!read || !text_to_double(text_from(plain), &value))
            return 0;
        *seconds = value * 3600 + clock;
        return end + 1 + read - 3 - i;
    }
    *seconds = 0;
    for (unsigned k = 0; k < 3; k++) {
        size_t from = at + (parts > 0 && text_char(t, at) == ' ');
        size_t len = ascii_is_digit(text_char(t, from))
                         ? numbers_number_at(t, from, &value)
                         : 0;
        if (!len || ascii_lower(text_char(t, from + len)) != letters[k] ||
            ascii_is_letter(text_char(t, from + len + 1)))
            continue;
        *seconds += value * units[k];
        at = from + len + 1;
        parts++;
    }
    return parts > 1 ? at - i : 0;
}

/* Reads the last step of a counter: "/ 2184" after a number. Returns the length
 * read, 0 if there is none. "12/22 22:31:53" and "09/02/20" are dates: their
 * second number is skipped, and *of is 0. */
static size_t fraction_at(struct text t, size_t i, double *of)
{
    double clock;
    size_t at = i;
    while (at < t.len && t.at[at] == ' ')
        at++;
    if (at >= t.len || t.at[at] != '/')
        return 0;
    for (at++; at < t.len && t.at[at] == ' '; at++)
        ;
    if (at >= t.len || !ascii_is_digit(t.at[at]))
        return 0;
    size_t len = numbers_number_at(t, at, of);
    if (len && at + len + 1 < t.len &&
        (t.at[at + len] == '/' || clock_at(t, at + len + 1, &clock)))
        *of = 0;
    return len ? at + len - i : 0;
}

/* True for a character that separates a key from the text before it. */
static bool parts_keys(char c)
{
    return c != 0 && strchr("|,;\t{}]", c) != NULL;
}

/* True for a character of a word or number: no new number begins right after
 * it. */
static bool joins_word(char c)
{
    return ascii_is_name(c) || c == '.';
}

/* Keeps the first time of day near the start of a line, unless the line ends
 * with it. A time next to '<' is the elapsed or remaining time of a progress
 * bar and is not kept. */
static void keep_clock(struct text t, size_t i, size_t len, double clock,
                       struct log_numbers *out)
{
    bool bar = text_char(t, i - 1) == '<' || text_char(t, i + len) == '<';
    if (out->has_clock || bar || i >= CLOCK_WITHIN || i + len >= t.len)
        return;
    out->has_clock = true;
    out->clock = clock;
}

/* Returns the length of the number's unit at the front of the text after the
 * number if the unit has a slash, as in "ms/it", so that the unit is not part
 * of the next key; otherwise 0. */
static size_t unit_length(const struct log_number *number, struct text after)
{
    size_t i = 0;
    const char *unit = number->unit;
    if (!strchr(unit, '/'))
        return 0;
    for (; *unit; unit++) {
        while (text_char(after, i) == ' ')
            i++;
        if (ascii_lower(text_char(after, i)) != *unit)
            return 0;
        i++;
    }
    return i;
}

/* Reads the number at `i`, whose key begins at `key`. Skips a number that is
 * part of a word. Keeps any other if its kind is known and there is room; else
 * notes whether its key names the time that a step waits for data. Returns the
 * bytes read, at least 1. */
static size_t numbers_take_number(struct text t, size_t key, size_t i,
                                  bool after_word, struct log_numbers *out)
{
    struct log_number number = {0};
    size_t len = numbers_number_at(t, i, &number.printed);
    if (len == 0)
        return 1;
    size_t end = i + len + fraction_at(t, i + len, &number.of);
    if (!after_word && out->n < LOG_NUMBERS_MAX &&
        log_number_classify(&number, (struct text){t.at + key, i - key},
                            text_skip(t, end))) {
        out->at[out->n++] = number;
        end += unit_length(&number, text_skip(t, end));
    } else if (!after_word) {
        out->has_part |= log_number_is_part((struct text){t.at + key, i - key});
    }
    return end - i;
}

void log_numbers_read(struct text line, struct log_numbers *out)
{
    struct text t = {line.at, line.len > LOOK_MAX ? LOOK_MAX : line.len};
    size_t key = 0, i = 0;
    out->n = 0;
    out->has_clock = out->has_part = false;
    while (i < t.len) {
        char c = t.at[i];
        bool after_word = joins_word(text_char(t, i - 1));
        bool sign = (c == '-' || c == '+') && !after_word &&
                    ascii_is_digit(text_char(t, i + 1));
        if (!sign && !ascii_is_digit(c)) {
            key = parts_keys(c) ? i + 1 : key;
            i++;
            continue;
        }
        double clock;
        size_t len = clock_at(t, i, &clock);
        if (len)
            keep_clock(t, i, len, clock, out);
        else if (after_word || !(len = span_at(t, i, &clock)))
            len = numbers_take_number(t, key, i, after_word, out);
        key = i += len;
    }
}

/* Words of what is counted beside steps. */
static const char *const counted_words[] = {"epoch",     "epochs", "kimg",
                                            "timesteps", "layer",  "rank",
                                            "node",      "gpus",   NULL};

static bool cell_counts_other(const struct number_words *w,
                              const struct number_unit *u)
{
    bool other = word_is_sample(u->left) ||
                 number_words_has_any(w, part_words) ||
                 number_words_has_any(w, counted_words) || numbers_is_rate(w) ||
                 u->right[0];
    for (size_t i = 0; i < w->n; i++)
        other |= word_is_sample(w->at[i]);
    return other;
}

/* Returns the words of a cell of a line: those before it or, in "| time | 3 |",
 * those of the cell before. */
static struct text cell_words(struct text t, size_t key, size_t i)
{
    size_t from = key;
    for (size_t k = key; k < i; k++) {
        if (t.at[k] != ' ')
            return (struct text){t.at + key, i - key};
    }
    if (key > 0 && t.at[key - 1] == '|') {
        for (from = key - 1; from > 0 && !parts_keys(t.at[from - 1]); from--)
            ;
    }
    return (struct text){t.at + from, i - from};
}

/* Sets what the words and the unit say of a cell. */
static void cell_explain(struct log_cell *c, struct text key, struct text after)
{
    static const char *const clocks[] = {"t",      "ts",   "timestamp",
                                         "uptime", "time", NULL};
    struct number_words w = {0};
    struct number_unit u;
    struct log_number number;
    number_words_split(key, &w);
    number_unit_read(after, &u);
    number_words_join(&w, c->key);
    double unit = keyed_unit(&w, &u, &number);
    bool timed =
        number_words_has_any(&w, sum_words) || number_words_has_any(&w, clocks);
    c->left = number_words_has_any(&w, forecast_words);
    c->unit = unit > 0 ? unit : timed || c->spelled ? 1 : 0;
    c->counts = !(c->unit > 0) && names_step(&w);
    c->loss = is_loss(&w, last_word(&w));
    c->other = cell_counts_other(&w, &u) || text_char(after, 0) == '%';
}

/* Adds "#2" to the key of a cell that is the second of its key in the line, and
 * so on. */
static void cell_number(struct log_cell *cells, size_t n)
{
    struct log_cell *c = &cells[n];
    size_t len = strlen(c->key), nth = 1;
    for (size_t i = 0; i < n; i++)
        nth += strncmp(cells[i].key, c->key, len) == 0 &&
               (!cells[i].key[len] || cells[i].key[len] == '#');
    if (nth > 1 && nth < 100 && len + 4 < sizeof c->key)
        snprintf(c->key + len, 4, "#%u", (unsigned)nth % 100);
}

size_t log_cells_read(struct text line, struct log_cell *out, size_t room)
{
    struct text t = {line.at, line.len > LOOK_MAX ? LOOK_MAX : line.len};
    size_t key = 0, i = 0, n = 0;
    while (i < t.len && n < room) {
        struct log_cell *c = &out[n];
        *c = (struct log_cell){0};
        if (!ascii_is_digit(t.at[i])) {
            key = parts_keys(t.at[i]) ? i + 1 : key;
            i++;
            continue;
        }
        size_t len = span_at(t, i, &c->value), from = i;
        bool word = joins_word(text_char(t, i - 1));
        c->spelled = len > 0;
        if (!len)
            len = numbers_number_at(t, i, &c->value);
        if (!len) {
            i = key = numbers_skip_digits(t, i);
            continue;
        }
        i += len;
        if (!c->spelled)
            i += fraction_at(t, i, &c->of);
        c->whole = !c->spelled && c->value == floor(c->value) &&
                   !memchr(t.at + from, '.', len);
        struct text words = cell_words(t, key, from);
        key = i;
        if (word && !c->spelled)
            continue;
        cell_explain(c, words, text_skip(t, i));
        cell_number(out, n++);
    }
    return n;
}
