/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Progress bars in logs: the label of a bar, its counter, how long it has run,
 * and whether its work is the training. */
#include "schedmate/logs/schedmate_tracker_internal.h"

#include <math.h>
#include <string.h>

#include "base/ascii.h"
#include "base/text.h"

/* Bytes of a longer text that are read: the last ones of a label, the first
 * ones of a heading or another line. */
#define LOG_BAR_LABEL_MAX 120

/* The words that say what the work of a progress bar is. */

/* True if one of the words of the text begins with an entry of the list. */
static bool log_has_beginning(struct text text, const char *const *list)
{
    for (size_t i = 0; i < text.len; i++) {
        if (!ascii_is_letter(text.at[i]) ||
            (i > 0 && ascii_is_letter(text.at[i - 1])))
            continue;
        for (size_t w = 0; list[w]; w++) {
            size_t n = strlen(list[w]), same = 0;
            while (same < n &&
                   ascii_lower(text_char(text, i + same)) == list[w][same])
                same++;
            if (same == n)
                return true;
        }
    }
    return false;
}

/* Work that is not training although its steps may have a loss. */
static const char *const log_trial_words[] = {
    "valid",   "val",     "eval",   "test",   "predict", "infer",   "sanit",
    "generat", "sampler", "sampli", "denois", "reconst", "validat", NULL};

/* Work that is not training, unless the label also names training and the bar
 * shows a loss. */
static const char *const log_other_words[] = {
    "download", "upload",   "load",     "fetch",   "map",      "filter",
    "tokeni",   "extract",  "sav",      "cach",    "unpack",   "copy",
    "shard",    "resolv",   "process",  "convert", "prepar",   "scan",
    "read",     "writ",     "encod",    "embed",   "comput",   "calcul",
    "calibrat", "compress", "quantiz",  "prun",    "collect",  "render",
    "search",   "index",    "retriev",  "rerank",  "adding",   "build",
    "compil",   "creat",    "merg",     "check",   "verif",    "warm",
    "transcri", "translat", "decod",    "scor",    "cluster",  "crawl",
    "pars",     "split",    "pack",     "dedup",   "clean",    "augment",
    "normali",  "import",   "install",  "export",  "prefill",  "captur",
    "profil",   "bench",    "metric",   "crop",    "resiz",    "plot",
    "visual",   "measur",   "request",  "prompt",  "featur",   "dataset",
    "files",    "layer",    "pipeline", "rollout", "annotat",  "statist",
    "analy",    "matching", "aligning", "detecti", "segmenti", "tracking",
    "gather",   "initiali", "quer",     "questio", "document", "chunk",
    "inspect",  "attack",   "explain",  "permut",  "simulati", NULL};

/* Training and epochs: words that an inference or a simulation does not use. */
static const char *const log_sure_words[] = {
    "training", "trainer", "pretraining", "epoch",
    "finetun",  "fine",    "tuning",      NULL};

/* Training, its steps and its epochs. */
static const char *const log_training_words[] = {
    "train",   "pretrain", "epoch",  "step", "iter",
    "finetun", "tuning",   "optimi", "fit",  NULL};

/* Steps, of training or of other work. */
static const char *const log_step_words[] = {"step", "iter", NULL};

bool log_names_other_work(struct text text)
{
    if (text.len > LOG_BAR_LABEL_MAX)
        text.len = LOG_BAR_LABEL_MAX;
    return (log_has_beginning(text, log_trial_words) ||
            log_has_beginning(text, log_other_words)) &&
           !log_has_beginning(text, log_training_words);
}

bool log_names_training(struct text text)
{
    if (text.len > LOG_BAR_LABEL_MAX)
        text.len = LOG_BAR_LABEL_MAX;
    return log_has_beginning(text, log_sure_words);
}

bool log_starts_training(struct text line)
{
    static const char *const starts[] = {"start", "begin", "began",
                                         "run",   "resum", NULL};
    static const char *const training[] = {"training", "finetun", "tuning",
                                           NULL};
    if (line.len > LOG_BAR_LABEL_MAX)
        line.len = LOG_BAR_LABEL_MAX;
    return log_has_beginning(line, starts) && log_has_beginning(line, training);
}

/* Bytes at the start of a line in which a bar is looked for. */
#define LOG_BAR_BYTES 768

/* Bytes after the label that are searched for a loss and a speed. */
#define REST_MAX 400

/* Largest length of the ending of a file name with its colon, bytes. */
#define ENDING_MAX 16

/* Largest length of a line that begins an epoch, bytes. */
#define EPOCH_LINE_MAX 64

/* True if a word of the label ends with "ing", as in "Standardizing". Unless
 * the label names training, this word names other work. */
static bool names_activity(struct text label)
{
    for (size_t i = 3; i <= label.len; i++) {
        if (!ascii_is_letter(text_char(label, i)) &&
            memcmp(label.at + i - 3, "ing", 3) == 0)
            return true;
    }
    return false;
}

static bool names_epochs(struct text label)
{
    static const char *const words[] = {"epoch", NULL};
    return log_has_beginning(label, words);
}

/* Reads the digits at `*i`, at most 15, as a number and moves `*i` after them.
 * Returns false if there are none. */
static bool digits_at(struct text t, size_t *i, double *out)
{
    size_t from = *i;
    double value = 0;
    while (ascii_is_digit(text_char(t, *i)) && *i - from < 15)
        value = value * 10 + (t.at[(*i)++] - '0');
    *out = value;
    return *i > from;
}

/* Reads "01:30", "1:01:30" or "4.2s" at `*i`, in seconds, and moves `*i` after
 * it. Returns false if there is none; *i may then have moved. */
static bool span_at(struct text t, size_t *i, double *out)
{
    double part, sum;
    if (!digits_at(t, i, &sum))
        return false;
    if (text_char(t, *i) == '.') {
        size_t from = ++*i;
        if (!digits_at(t, i, &part) || text_char(t, *i) != 's')
            return false;
        *out = sum + part * pow(0.1, (double)(*i - from));
        ++*i;
        return true;
    }
    for (int k = 0; k < 2 && text_char(t, *i) == ':'; k++) {
        ++*i;
        if (!digits_at(t, i, &part))
            return false;
        sum = sum * 60 + part;
        *out = sum;
        if (k == 1 || text_char(t, *i) != ':')
            return true;
    }
    return false;
}

/* Reads the digits that end before `end`. Returns the position at which they
 * begin, `end` if there are none. */
static size_t digits_before(struct text t, size_t end, double *out)
{
    size_t first = end;
    while (first > 0 && ascii_is_digit(t.at[first - 1]))
        first--;
    size_t at = first;
    return digits_at(t, &at, out) ? first : end;
}

/* Reads the counter that ends before `end`, "3/10 " or "3it ", into out->at and
 * out->of. Returns the position at which it begins, `end` if there is none. */
static size_t counter_before(struct text t, size_t end, struct log_bar *out)
{
    size_t i = end;
    double last = 0;
    while (i > 0 && t.at[i - 1] == ' ')
        i--;
    bool endless = i > 2 && memcmp(t.at + i - 2, "it", 2) == 0;
    i -= endless ? 2 : 0;
    size_t first = digits_before(t, i, &last);
    if (first == i)
        return end;
    if (endless) {
        out->at = last;
        return first;
    }
    if (text_char(t, first - 1) != '/')
        return end;
    size_t slash = first - 1;
    first = digits_before(t, slash, &out->at);
    if (first == slash)
        return end;
    out->of = last;
    return first;
}

/* True if a character with which bars are drawn is at `i`, such as "━", "─",
 * "╸" or "█". */
static bool is_block(struct text t, size_t i)
{
    if (i + 2 >= t.len || (uint8_t)t.at[i] != 0xe2)
        return false;
    uint8_t second = (uint8_t)t.at[i + 1];
    return second == 0x94 || second == 0x95 || second == 0x96;
}

/* True if the character after a time that follows '[' at `i` says that the time
 * is that of a bar. A time in brackets alone, as in "10/10 [1:30:00]", has to
 * follow a counter that has reached its end. */
static bool ends_span(struct text t, size_t i, char next)
{
    struct log_bar bar = {0};
    return next == '<' || next == ',' ||
           (next == ']' && counter_before(t, i, &bar) < i && bar.of > 0 &&
            bar.at == bar.of);
}

/* Finds the part that makes a line a bar: a time as in "[01:30<", or "[==" or
 * blocks after a counter. Sets counter, elapsed time and `keras`. Returns the
 * end of the label, SIZE_MAX if the line has no bar. */
static size_t find_bar(struct text t, struct log_bar *out)
{
    for (size_t i = 0; i < t.len; i++) {
        size_t at = i + 1;
        double span;
        char next = text_char(t, i + 1);
        if (t.at[i] == '[' && span_at(t, &at, &span) &&
            ends_span(t, i, text_char(t, at))) {
            out->elapsed_s = span;
            return counter_before(t, i, out);
        }
        bool arrow =
            t.at[i] == '[' && (next == '=' || next == '>' ||
                               (next == '.' && text_char(t, i + 2) == '.'));
        if (arrow || is_block(t, i)) {
            size_t from = counter_before(t, i, out);
            if (from < i) {
                out->keras = true;
                return from;
            }
        }
    }
    return SIZE_MAX;
}

/* Reads the counter and the time of a bar whose blocks stand before them:
 * "21% ━━── 10/48 8.6it/s 4.2s<4.4s". */
static void read_behind_blocks(struct text t, size_t from, struct log_bar *out)
{
    for (size_t i = from; i < t.len; i++) {
        size_t at = i;
        double value, of;
        if (!ascii_is_digit(t.at[i]) || text_char(t, i - 1) != ' ')
            continue;
        if (digits_at(t, &at, &value) && text_char(t, at) == '/') {
            at++;
            if (digits_at(t, &at, &of)) {
                out->at = value;
                out->of = of;
            }
        }
        at = i;
        if (span_at(t, &at, &value) && text_char(t, at) == '<')
            out->elapsed_s = value;
    }
}

/* Returns the position of the first digit of a bar's percentage, as in "40%|",
 * "40% ━" or "40% Completed"; SIZE_MAX if there is none. Sets *after to the
 * position after the percentage and the blank that may follow it. */
static size_t find_percent(struct text t, size_t *after)
{
    for (size_t i = 1; i < t.len; i++) {
        size_t from = i, next = i + 1;
        if (t.at[i] != '%')
            continue;
        while (from > 0 && ascii_is_digit(t.at[from - 1]))
            from--;
        next += text_char(t, next) == ' ';
        if (from < i && (text_char(t, next) == '|' || is_block(t, next) ||
                         text_starts(text_skip(t, next), "Completed"))) {
            *after = next;
            return from;
        }
    }
    return SIZE_MAX;
}

/* True if the label ends with the name of a file: true for "part-07.parquet:",
 * false for "loss 0.12:". */
static bool names_file(struct text label)
{
    size_t end = label.len, letters = 0;
    if (end == 0 || label.at[end - 1] != ':')
        return false;
    for (end--; end > 0 && ascii_is_name(label.at[end - 1]); end--)
        letters += ascii_is_letter(label.at[end - 1]);
    return letters > 0 && end > 1 && label.at[end - 1] == '.' &&
           label.len - end < ENDING_MAX;
}

/* True if a bar with this label and the end `of` counts epochs: the label ends
 * with the number `of`, as in "Epoch 3/20:", or it ends with no number and
 * either ends with "s" or names neither training nor steps. */
static bool counts_epochs(struct text label, double of)
{
    static const char *const parts[] = {"train", "step", "iter", NULL};
    size_t i = label.len;
    while (i > 0 && !ascii_is_alnum(label.at[i - 1]))
        i--;
    size_t end = i;
    while (i > 0 && ascii_is_digit(label.at[i - 1]))
        i--;
    double last;
    if (i == end)
        return i > 4 &&
               (label.at[i - 1] == 's' || !log_has_beginning(label, parts));
    return digits_at(label, &i, &last) && last == of && of > 0;
}

/* True if the label is a row of metrics, as in "1/50 2.9G 1.645 0.874 640:": it
 * has two or more numbers with two or more decimals. */
static bool shows_metrics(struct text label)
{
    size_t n = 0;
    for (size_t i = 1; i + 2 < label.len; i++)
        n += label.at[i] == '.' && ascii_is_digit(label.at[i - 1]) &&
             ascii_is_digit(label.at[i + 1]) && ascii_is_digit(label.at[i + 2]);
    return n >= 2;
}

static bool bar_has(struct text t, const char *word)
{
    return memmem(t.at, t.len, word, strlen(word)) != NULL;
}

/* True if the label names a file, an evaluation or an inference, or if the bar
 * shows a speed in bytes or that of an inference. */
static bool is_surely_other(struct text label, struct text rest)
{
    return names_file(label) || bar_has(rest, "B/s") ||
           bar_has(rest, "tok/s, o") ||
           log_has_beginning(label, log_trial_words);
}

static enum bar_work work_of(struct text label, struct text rest, double of)
{
    bool loss = bar_has(rest, "loss") || bar_has(rest, "Loss") ||
                bar_has(rest, "cost=") || shows_metrics(label);
    bool training = log_has_beginning(label, log_training_words);
    if (is_surely_other(label, rest) ||
        (log_has_beginning(label, log_other_words) && !(training && loss)) ||
        (!training && names_activity(label)))
        return BAR_OTHER;
    if (names_epochs(label) && counts_epochs(label, of))
        return BAR_EPOCHS;
    return training || loss ? BAR_TRAINING : BAR_UNLABELLED;
}

/* Returns a hash of the letters of the label or, if it has none, of the end of
 * the counter. */
static uint64_t bar_scope_of(struct text label, double of)
{
    uint64_t hash = 14695981039346656037u;
    bool letters = false;
    for (size_t i = 0; i < label.len; i++) {
        if (!ascii_is_letter(label.at[i]))
            continue;
        hash = (hash ^ (uint8_t)label.at[i]) * 1099511628211u;
        letters = true;
    }
    return letters ? hash : hash ^ (uint64_t)of;
}

bool log_bar_read(struct text line, struct log_bar *out)
{
    struct text t = {line.at,
                     line.len < LOG_BAR_BYTES ? line.len : LOG_BAR_BYTES};
    *out = (struct log_bar){.elapsed_s = NAN};
    size_t after = 0, percent = find_percent(t, &after);
    size_t end = find_bar(t, out);
    if (percent == SIZE_MAX && end == SIZE_MAX)
        return false;
    if (percent != SIZE_MAX && (end == SIZE_MAX || percent <= end)) {
        end = percent;
        out->keras = false;
        if (isnan(out->elapsed_s))
            read_behind_blocks(t, after, out);
    }
    struct text label = {t.at, end};
    struct text rest = text_skip(t, end);
    if (label.len > LOG_BAR_LABEL_MAX)
        label = text_skip(label, label.len - LOG_BAR_LABEL_MAX);
    while (label.len > 0 && label.at[label.len - 1] == ' ')
        label.len--;
    rest.len = rest.len < REST_MAX ? rest.len : REST_MAX;
    out->work = work_of(label, rest, out->of);
    out->named = log_has_beginning(label, log_training_words);
    out->trains = out->named && (log_has_beginning(label, log_sure_words) ||
                                 !log_has_beginning(label, log_step_words));
    out->lettered = false;
    for (size_t i = 0; i < label.len; i++)
        out->lettered |= ascii_is_letter(label.at[i]);
    out->scope = bar_scope_of(label, out->of);
    return true;
}

bool log_begins_epoch(struct text line)
{
    struct text t = text_trim(line);
    const char *word = memmem(t.at, t.len, "poch", 4);
    double epoch;
    if (!word || t.len > EPOCH_LINE_MAX)
        return false;
    size_t i = (size_t)(word - t.at) + 4;
    while (i < t.len && !ascii_is_digit(t.at[i]) && !ascii_is_letter(t.at[i]))
        i++;
    if (!digits_at(t, &i, &epoch))
        return false;
    while (i < t.len && !ascii_is_letter(t.at[i]))
        i++;
    return i == t.len;
}
