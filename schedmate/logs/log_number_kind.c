/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Decides what a number of a log line is, from the words before it and the unit
 * after it. */
#include "schedmate/logs/log_number_kind.h"

#include <string.h>

#include "base/ascii.h"
#include "schedmate/logs/log_number_words.h"

static bool set(struct log_number *out, enum number_kind kind, double value)
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
        return set(out, NUMBER_STEP_TIME, seconds / out->printed);
    if (seconds > 0 && word_is_sample(what))
        return set(out, NUMBER_THROUGHPUT, out->printed / seconds);
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
        return set(out, NUMBER_STEP_TIME, out->printed * seconds);
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
            return set(out, NUMBER_STEP_TIME,
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
static bool is_rate(const struct number_words *w)
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
        number_words_has_any(w, part_words) || is_rate(w))
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
static bool is_counter(const struct number_words *w, const char *last,
                       bool has_end)
{
    if (has_end)
        return true;
    return word_is_step(last) && (strcmp(last, "batch") != 0 || w->n == 1);
}

/* True for a counter without words that a percentage in brackets follows, as in
 * "[640/60000 (1%)]": it counts samples. */
static bool counts_samples(const struct log_number *out,
                           const struct number_words *w, struct text after)
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
    } else if (is_counter(w, last, out->of > 0)) {
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

bool log_number_classify(struct log_number *number, struct text key,
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
    if (counts_samples(number, &words, after) || is_rounded(after))
        return false;
    /* The text does not say what a time in brackets, such as "(3.4 sec)",
     * measures. */
    bool aside = key.len > 0 && key.at[key.len - 1] == '(';
    return by_ratio(number, &words, &unit) ||
           by_time_words(number, &words, &unit) || by_words(number, &words) ||
           (!aside && by_bare_time(number, &words, &unit, after));
}

bool log_number_is_part(struct text key)
{
    static const char *const data[] = {"data", "dataload", "dataloader",
                                       "reader", NULL};
    struct number_words w = {0};
    number_words_split(key, &w);
    return number_words_has_any(&w, data) &&
           (number_words_has_any(&w, last_timing_words) || w.n == 1);
}
