/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/logs/log_marks.h"

#include <string.h>

struct word {
    const char *text;
    uint8_t mark;
};

/* In lower case; a word is a run of letters. */
static const struct word words[] = {
    {"aborted", MARK_KILL_WORD},
    {"aborting", MARK_KILL_WORD},
    {"acc", MARK_LOSS_WORD},
    {"accuracy", MARK_LOSS_WORD},
    {"batch", MARK_STEP_WORD},
    {"batches", MARK_STEP_WORD},
    {"bleu", MARK_EVAL_WORD},
    {"cancelled", MARK_KILL_WORD},
    {"cannot", MARK_NEGATION},
    {"checkpoint", MARK_FILE_WORD},
    {"core", MARK_KILL_WORD},
    {"corrupted", MARK_FAIL_WORD},
    {"could", MARK_NEGATION},
    {"crashed", MARK_FAIL_WORD},
    {"critical", MARK_ERROR_WORD},
    {"debug", MARK_INFO_WORD},
    {"denied", MARK_FAIL_WORD},
    {"deprecated", MARK_DEPRECATED},
    {"deprecation", MARK_DEPRECATED},
    {"download", MARK_LOAD_WORD},
    {"downloading", MARK_LOAD_WORD},
    {"dumped", MARK_KILL_WORD},
    {"elapsed", MARK_TIME_WORD},
    {"epoch", MARK_EPOCH_WORD},
    {"epochs", MARK_EPOCH_WORD},
    {"err", MARK_ERROR_WORD},
    {"error", MARK_ERROR_WORD},
    {"errors", MARK_ERROR_WORD},
    {"eta", MARK_TIME_WORD},
    {"eval", MARK_EVAL_WORD},
    {"evaluate", MARK_EVAL_WORD},
    {"evaluating", MARK_EVAL_WORD},
    {"evaluation", MARK_EVAL_WORD},
    {"exceeded", MARK_FAIL_WORD},
    {"exception", MARK_EXCEPTION_WORD},
    {"exceptions", MARK_EXCEPTION_WORD},
    {"exit", MARK_KILL_WORD},
    {"exitcode", MARK_KILL_WORD},
    {"exited", MARK_KILL_WORD},
    {"exiting", MARK_KILL_WORD},
    {"fail", MARK_FAIL_WORD},
    {"failed", MARK_FAIL_WORD},
    {"failing", MARK_FAIL_WORD},
    {"failure", MARK_FAIL_WORD},
    {"fatal", MARK_ERROR_WORD},
    {"fault", MARK_FAIL_WORD},
    {"futurewarning", MARK_WARNING_NAME},
    {"grad", MARK_LOSS_WORD},
    {"illegal", MARK_FAIL_WORD},
    {"inactive", MARK_FAIL_WORD},
    {"info", MARK_INFO_WORD},
    {"invalid", MARK_FAIL_WORD},
    {"it", MARK_STEP_WORD},
    {"iter", MARK_STEP_WORD},
    {"iteration", MARK_STEP_WORD},
    {"iterations", MARK_STEP_WORD},
    {"iters", MARK_STEP_WORD},
    {"kill", MARK_KILL_WORD},
    {"killed", MARK_KILL_WORD},
    {"killing", MARK_KILL_WORD},
    {"loaded", MARK_LOAD_WORD},
    {"loading", MARK_LOAD_WORD},
    {"lockup", MARK_FAIL_WORD},
    {"loss", MARK_LOSS_WORD},
    {"losses", MARK_LOSS_WORD},
    {"lr", MARK_LOSS_WORD},
    {"missing", MARK_FAIL_WORD},
    {"ms", MARK_TIME_WORD},
    {"no", MARK_NEGATION},
    {"not", MARK_NEGATION},
    {"notice", MARK_INFO_WORD},
    {"oom", MARK_FAIL_WORD},
    {"overflow", MARK_WARN_WORD},
    {"panic", MARK_ERROR_WORD},
    {"ppl", MARK_LOSS_WORD},
    {"preemption", MARK_KILL_WORD},
    {"quota", MARK_FAIL_WORD},
    {"refused", MARK_FAIL_WORD},
    {"samples", MARK_RATE_WORD},
    {"saved", MARK_FILE_WORD},
    {"saving", MARK_FILE_WORD},
    {"sec", MARK_TIME_WORD},
    {"seconds", MARK_TIME_WORD},
    {"segfault", MARK_FAIL_WORD},
    {"segmentation", MARK_FAIL_WORD},
    {"signal", MARK_KILL_WORD},
    {"sigterm", MARK_KILL_WORD},
    {"speed", MARK_RATE_WORD},
    {"step", MARK_STEP_WORD},
    {"steps", MARK_STEP_WORD},
    {"sxid", MARK_ERROR_WORD},
    {"terminate", MARK_KILL_WORD},
    {"terminated", MARK_KILL_WORD},
    {"terminating", MARK_KILL_WORD},
    {"test", MARK_EVAL_WORD},
    {"testing", MARK_EVAL_WORD},
    {"throughput", MARK_RATE_WORD},
    {"time", MARK_TIME_WORD},
    {"timed", MARK_FAIL_WORD},
    {"timeout", MARK_FAIL_WORD},
    {"tokens", MARK_RATE_WORD},
    {"traceback", MARK_TRACEBACK_WORD},
    {"train", MARK_TRAIN_WORD},
    {"training", MARK_TRAIN_WORD},
    {"unable", MARK_NEGATION},
    {"uncorrectable", MARK_FAIL_WORD},
    {"unreachable", MARK_FAIL_WORD},
    {"userwarning", MARK_WARNING_NAME},
    {"val", MARK_EVAL_WORD},
    {"valid", MARK_EVAL_WORD},
    {"validation", MARK_EVAL_WORD},
    {"warn", MARK_WARN_WORD},
    {"warning", MARK_WARN_WORD},
    {"warnings", MARK_WARN_WORD},
    {"xid", MARK_ERROR_WORD},
};

#define WORD_MAX 16
static uint64_t word_mark(const char *word, size_t len)
{
    size_t lo = 0, hi = sizeof words / sizeof *words;
    while (lo < hi) {
        size_t mid = (lo + hi) / 2;
        int order = strncmp(word, words[mid].text, len);
        if (order == 0 && words[mid].text[len])
            order = -1;
        if (order == 0)
            return UINT64_C(1) << words[mid].mark;
        if (order < 0)
            hi = mid;
        else
            lo = mid + 1;
    }
    return 0;
}

static bool is_letter(char c)
{
    return ((unsigned)(c | 32) - 'a') < 26;
}

static bool is_digit(char c)
{
    return (unsigned)(c - '0') < 10;
}

static bool starts(struct text t, const char *s)
{
    size_t len = strlen(s);
    return t.len >= len && memcmp(t.at, s, len) == 0;
}

static bool ends(const char *word, size_t len, const char *s)
{
    size_t n = strlen(s);
    return len >= n && memcmp(word + len - n, s, n) == 0;
}

/* Returns the marks of names in the program's language: "ValueError",
 * "UserWarning" and level words in capitals. */
static uint64_t name_marks(const char *at, size_t len, char after)
{
    bool upper = true;
    for (size_t i = 0; i < len; i++)
        upper &= at[i] >= 'A' && at[i] <= 'Z';
    if (upper && (starts((struct text){at, len}, "ERR") ||
                  starts((struct text){at, len}, "FATAL") ||
                  starts((struct text){at, len}, "FAIL")))
        return MARK_BIT(UPPER_ERROR);
    if (upper && starts((struct text){at, len}, "WARN"))
        return MARK_BIT(UPPER_WARNING);
    if (upper && (starts((struct text){at, len}, "INFO") ||
                  starts((struct text){at, len}, "DEBUG")))
        return MARK_BIT(UPPER_INFO);
    if (len > 5 && (ends(at, len, "Error") || ends(at, len, "Exception")))
        return after == ':' || after == '(' || !after
                   ? MARK_BIT(EXCEPTION_NAME)
                   : MARK_BIT(EXCEPTION_WORD);
    return len > 7 && ends(at, len, "Warning") ? MARK_BIT(WARNING_NAME) : 0;
}

/* Marks "step=40", "iter: 15", "loss 0.3", "samples/s = [3.5": a number soon
 * after such a word, with no other word between them. */
static uint64_t number_marks(uint64_t mark, struct text after)
{
    const uint64_t counted = MARK_BIT(STEP_WORD) | MARK_BIT(EPOCH_WORD) |
                             MARK_BIT(LOSS_WORD) | MARK_BIT(RATE_WORD);
    size_t i = 0;
    if (!(mark & counted))
        return 0;
    while (i < after.len && i < 12 && strchr(" =:'\"[(-+.", after.at[i]))
        i++;
    if (i == after.len || !is_digit(after.at[i]))
        return 0;
    if (mark & MARK_BIT(STEP_WORD))
        return MARK_BIT(STEP_NUMBER);
    if (mark & MARK_BIT(EPOCH_WORD))
        return MARK_BIT(EPOCH_NUMBER);
    return mark & MARK_BIT(LOSS_WORD) ? MARK_BIT(LOSS_NUMBER)
                                      : MARK_BIT(RATE_NUMBER);
}

/* Marks one part of a name: "Samples" of "CurrSamplesPerSec". */
static uint64_t part_marks(struct text t, size_t from, size_t to)
{
    char lower[WORD_MAX];
    if (to - from >= WORD_MAX)
        return 0;
    for (size_t i = from; i < to; i++)
        lower[i - from] = (char)(t.at[i] | 32);
    uint64_t mark = word_mark(lower, to - from);
    return mark | number_marks(mark, (struct text){t.at + to, t.len - to});
}

static uint64_t words_of(struct text t)
{
    uint64_t marks = 0;
    unsigned n_words = 0;
    size_t i = 0;
    while (i < t.len) {
        if (!is_letter(t.at[i])) {
            i++;
            continue;
        }
        size_t from = i, part = i;
        for (i++; i <= t.len; i++) {
            bool over = i == t.len || !is_letter(t.at[i]);
            if (over || (t.at[i] < 'a' && t.at[i - 1] >= 'a')) {
                marks |= part_marks(t, part, i);
                part = i;
            }
            if (over)
                break;
        }
        n_words += i - from > 1;
        marks |= name_marks(t.at + from, i - from, i < t.len ? t.at[i] : 0);
    }
    return marks | (n_words >= 8 ? MARK_BIT(PROSE) : 0) |
           (n_words == 0 ? MARK_BIT(NO_LETTER) : 0);
}

/* Returns true for a rate after a number: "s/it", "it/s", "samples/sec",
 * "ms/iter" ... */
static bool is_rate(struct text t, size_t slash)
{
    return slash > 0 && slash + 1 < t.len && is_letter(t.at[slash - 1]) &&
           (starts((struct text){t.at + slash + 1, t.len - slash - 1}, "s") ||
            starts((struct text){t.at + slash + 1, t.len - slash - 1}, "it") ||
            starts((struct text){t.at + slash + 1, t.len - slash - 1}, "step"));
}

static uint64_t numbers_of(struct text t)
{
    uint64_t marks = 0;
    unsigned numbers = 0, keyed = 0;
    for (size_t i = 0; i < t.len; i++) {
        char c = t.at[i];
        if (c == '/' && i > 0 && i + 1 < t.len && is_digit(t.at[i - 1]) &&
            (is_digit(t.at[i + 1]) || t.at[i + 1] == ' '))
            marks |= MARK_BIT(FRACTION);
        else if (c == '/' && is_rate(t, i))
            marks |= MARK_BIT(RATE_UNIT);
        if (c == '%' && i > 0 && is_digit(t.at[i - 1]))
            marks |= i + 1 < t.len && t.at[i + 1] == '|' ? MARK_BIT(BAR)
                                                         : MARK_BIT(PERCENT);
        if (!is_digit(c) || (i > 0 && is_digit(t.at[i - 1])))
            continue;
        numbers++;
        size_t back = i;
        while (back > 0 && (t.at[back - 1] == ' ' || t.at[back - 1] == '-'))
            back--;
        if (back > 1 && (t.at[back - 1] == ':' || t.at[back - 1] == '='))
            keyed +=
                is_letter(t.at[back - 2]) || strchr("'\")", t.at[back - 2]);
        if (c == '0' && i + 1 < t.len && t.at[i + 1] == 'x')
            marks |= MARK_BIT(HEX);
    }
    return marks | (numbers == 0 ? MARK_BIT(NO_NUMBER) : 0) |
           (numbers > 7 ? MARK_BIT(MANY_NUMBERS) : 0) |
           (keyed > 0 ? MARK_BIT(KEY_NUMBER) : 0) |
           (keyed > 2 ? MARK_BIT(KEY_NUMBERS) : 0);
}

/* Marks the letter that glog and PyTorch's C++ log put before a date: "E0614 ",
 * "[W123 ". */
static uint64_t glog_mark(struct text t)
{
    bool bracket = starts(t, "[");
    if (bracket)
        t = (struct text){t.at + 1, t.len - 1};
    size_t digits = 1;
    while (digits < t.len && is_digit(t.at[digits]))
        digits++;
    bool glog = digits >= 4 && digits < t.len && t.at[digits] == ' ';
    bool torch = bracket && t.len > 1 && t.at[1] == ' ';
    if (!glog && !torch)
        return 0;
    switch (t.at[0]) {
    case 'E':
    case 'F':
        return MARK_BIT(GLOG_ERROR);
    case 'W':
        return MARK_BIT(GLOG_WARNING);
    case 'I':
        return MARK_BIT(GLOG_INFO);
    default:
        return 0;
    }
}

static uint64_t opening(struct text t)
{
    switch (t.len ? t.at[0] : ' ') {
    case '[':
        return MARK_BIT(OPENS_BRACKET);
    case '{':
        return MARK_BIT(OPENS_BRACE);
    case '-':
    case '=':
    case '_':
        return MARK_BIT(OPENS_DASH);
    case '*':
        return MARK_BIT(STAR);
    case '/':
        return MARK_BIT(PATH_LINE);
    default:
        return t.len && is_digit(t.at[0]) ? MARK_BIT(OPENS_DIGIT) : 0;
    }
}

static uint64_t shape_of(struct text line)
{
    struct text t = line;
    while (t.len && (t.at[0] == ' ' || t.at[0] == '\t')) {
        t.at++;
        t.len--;
    }
    uint64_t marks = opening(t);
    size_t indent = line.len - t.len, carets = 0;
    if (indent >= 2 || (indent && line.at[0] == '\t'))
        marks |= MARK_BIT(INDENTED);
    if (starts(t, "File \""))
        marks |= MARK_BIT(QUOTED_FILE);
    if (starts(t, "frame #") || starts(t, "at ") || starts(t, "#0"))
        marks |= MARK_BIT(FRAME);
    while (carets < t.len && strchr("^~ ", t.at[carets]))
        carets++;
    if (t.len && carets == t.len)
        marks |= MARK_BIT(CARETS);
    if (t.len && t.at[t.len - 1] == ':')
        marks |= MARK_BIT(ENDS_COLON);
    if (t.len && strchr(")]}", t.at[t.len - 1]))
        marks |= MARK_BIT(ENDS_BRACKET);
    for (size_t i = 0; i < t.len; i++) {
        if (t.at[i] & 0x80)
            marks |= MARK_BIT(NOT_ASCII);
        if (t.at[i] == '(' && i > 0 && is_letter(t.at[i - 1]))
            marks |= MARK_BIT(CALL);
    }
    return marks | (t.len < 20 ? MARK_BIT(SHORT) : 0) |
           (t.len > 150 ? MARK_BIT(LONG) : 0);
}

struct text log_strip_rank(struct text t)
{
    size_t i = 0;
    if (t.len == 0)
        return t;
    if (t.at[0] == '[' || t.at[0] == '(') {
        char close = t.at[0] == '[' ? ']' : ')';
        for (i = 1; i < t.len && i < 48 && t.at[i] != close; i++) {
            if (t.at[i] == '[' || t.at[i] == '(')
                return t;
        }
        if (i >= t.len || t.at[i] != close || !is_digit(t.at[i - 1]))
            return t;
        i++;
        if (t.at[0] == '[' && (i >= t.len || t.at[i] != ':'))
            return t;
        i += i < t.len && t.at[i] == ':';
    } else {
        while (i < t.len && i < 6 && is_digit(t.at[i]))
            i++;
        if (i == 0 || i + 1 >= t.len || t.at[i] != ':' || t.at[i + 1] != ' ')
            return t;
        i++;
    }
    /* One blank separates the prefix from the line. */
    i += i < t.len && t.at[i] == ' ' &&
         !(i + 1 < t.len && t.at[i + 1] == ' ' && t.at[i - 1] == ':' &&
           t.at[0] != '[');
    return (struct text){t.at + i, t.len - i};
}

uint64_t log_marks(struct text line)
{
    struct text t = log_strip_rank(line);
    if (t.len > LOG_MARKS_BYTES)
        t.len = LOG_MARKS_BYTES;
    while (t.len && (t.at[t.len - 1] == ' ' || t.at[t.len - 1] == '\t'))
        t.len--;
    return shape_of(t) | words_of(t) | numbers_of(t) | glog_mark(t);
}
