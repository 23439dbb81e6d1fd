/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "schedmate/logs/log_marks.h"

#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "schedmate/logs/log_knowledge_internal.h"
#include "schedmate/logs/log_severity.h"
#include "schedmate/logs/log_stream.h"

/* Words of this many letters or more set no mark. */
#define LOG_MARKS_WORD_MAX 16

/* The words that set a mark. */

struct word {
    const char *text; /* lower case; a word is a run of letters */
    uint8_t mark;     /* enum log_mark that the word sets */
};

/* In alphabetical order, as the binary search requires. */
static const struct word log_marks_words[] = {
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

/* Returns the bit of the mark that a word in lower case sets, 0 if it sets
 * none. */
static uint64_t log_mark_word(const char *word, size_t len)
{
    size_t lo = 0, hi = sizeof log_marks_words / sizeof *log_marks_words;
    while (lo < hi) {
        size_t mid = (lo + hi) / 2;
        int order = strncmp(word, log_marks_words[mid].text, len);
        if (order == 0 && log_marks_words[mid].text[len])
            order = -1;
        if (order == 0)
            return UINT64_C(1) << log_marks_words[mid].mark;
        if (order < 0)
            hi = mid;
        else
            lo = mid + 1;
    }
    return 0;
}

static bool marks_ends(struct text t, const char *s)
{
    size_t n = strlen(s);
    return t.len >= n && memcmp(t.at + t.len - n, s, n) == 0;
}

/* Returns the mark of a name in capitals that begins with a level word, such as
 * "WARNING"; 0 for any other name. */
static uint64_t level_mark(struct text name)
{
    static const struct {
        const char *start;
        uint64_t mark;
    } levels[] = {
        {"ERR", MARK_BIT(UPPER_ERROR)},  {"FATAL", MARK_BIT(UPPER_ERROR)},
        {"FAIL", MARK_BIT(UPPER_ERROR)}, {"WARN", MARK_BIT(UPPER_WARNING)},
        {"INFO", MARK_BIT(UPPER_INFO)},  {"DEBUG", MARK_BIT(UPPER_INFO)},
    };
    for (size_t i = 0; i < name.len; i++) {
        if (!ascii_is_upper(name.at[i]))
            return 0;
    }
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++) {
        if (text_starts(name, levels[i].start))
            return levels[i].mark;
    }
    return 0;
}

/* Returns the mark of a name such as "ValueError" or "UserWarning", or of a
 * level word in capitals; 0 for any other name. `after` is the character after
 * the name, 0 at the end of the line. */
static uint64_t name_marks(struct text name, char after)
{
    uint64_t level = level_mark(name);
    if (level)
        return level;
    if (name.len > 5 &&
        (marks_ends(name, "Error") || marks_ends(name, "Exception")))
        return after == ':' || after == '(' || !after
                   ? MARK_BIT(EXCEPTION_NAME)
                   : MARK_BIT(EXCEPTION_WORD);
    return name.len > 7 && marks_ends(name, "Warning") ? MARK_BIT(WARNING_NAME)
                                                       : 0;
}

/* Returns the mark of a number soon after a word such as "step", with no other
 * word between them, as in "step=40", "iter: 15", "loss 0.3" and "samples/s =
 * [3.5"; 0 if there is none. `mark` is the mark of the word. */
static uint64_t number_marks(uint64_t mark, struct text after)
{
    const uint64_t counted = MARK_BIT(STEP_WORD) | MARK_BIT(EPOCH_WORD) |
                             MARK_BIT(LOSS_WORD) | MARK_BIT(RATE_WORD);
    size_t i = 0;
    if (!(mark & counted))
        return 0;
    while (i < after.len && i < 12 && strchr(" =:'\"[(-+.", after.at[i]))
        i++;
    if (i == after.len || !ascii_is_digit(after.at[i]))
        return 0;
    if (mark & MARK_BIT(STEP_WORD))
        return MARK_BIT(STEP_NUMBER);
    if (mark & MARK_BIT(EPOCH_WORD))
        return MARK_BIT(EPOCH_NUMBER);
    return mark & MARK_BIT(LOSS_WORD) ? MARK_BIT(LOSS_NUMBER)
                                      : MARK_BIT(RATE_NUMBER);
}

/* Returns the marks of one part of a name, such as "Samples" in
 * "CurrSamplesPerSec", and of a number after it. */
static uint64_t part_marks(struct text t, size_t from, size_t to)
{
    char lower[LOG_MARKS_WORD_MAX];
    if (to - from >= LOG_MARKS_WORD_MAX)
        return 0;
    for (size_t i = from; i < to; i++)
        lower[i - from] = (char)(t.at[i] | 32);
    uint64_t mark = log_mark_word(lower, to - from);
    return mark | number_marks(mark, (struct text){t.at + to, t.len - to});
}

static uint64_t marks_words_of(struct text t)
{
    uint64_t marks = 0;
    unsigned n_words = 0;
    size_t i = 0;
    while (i < t.len) {
        if (!ascii_is_letter(t.at[i])) {
            i++;
            continue;
        }
        size_t from = i, part = i;
        for (i++; i <= t.len; i++) {
            bool over = i == t.len || !ascii_is_letter(t.at[i]);
            if (over || (t.at[i] < 'a' && t.at[i - 1] >= 'a')) {
                marks |= part_marks(t, part, i);
                part = i;
            }
            if (over)
                break;
        }
        n_words += i - from > 1;
        marks |=
            name_marks((struct text){t.at + from, i - from}, text_char(t, i));
    }
    return marks | (n_words >= 8 ? MARK_BIT(PROSE) : 0) |
           (n_words == 0 ? MARK_BIT(NO_LETTER) : 0);
}

/* True if the slash looks like that of a rate's unit, such as "s/it", "it/s",
 * "samples/sec" or "ms/iter": a letter before it, "s" or "it" after it. */
static bool marks_is_rate(struct text t, size_t slash)
{
    struct text per = text_skip(t, slash + 1);
    return ascii_is_letter(text_char(t, slash - 1)) &&
           (text_starts(per, "s") || text_starts(per, "it"));
}

/* Returns the mark of a sign next to a number or a unit, as in "3/10", "it/s",
 * "40%" or the bar "40%|"; 0 if there is none at `i`. */
static uint64_t sign_mark(struct text t, size_t i)
{
    char before = text_char(t, i - 1), after = text_char(t, i + 1);
    if (t.at[i] == '%' && ascii_is_digit(before))
        return after == '|' ? MARK_BIT(BAR) : MARK_BIT(PERCENT);
    if (t.at[i] != '/')
        return 0;
    if (ascii_is_digit(before) && (ascii_is_digit(after) || after == ' '))
        return MARK_BIT(FRACTION);
    return marks_is_rate(t, i) ? MARK_BIT(RATE_UNIT) : 0;
}

/* True if a key with ':' or '=' precedes the number at index `i`, as in "loss:
 * -0.3" and "'lr'= 1". */
static bool has_key(struct text t, size_t i)
{
    while (i > 0 && (t.at[i - 1] == ' ' || t.at[i - 1] == '-'))
        i--;
    if (i < 2 || (t.at[i - 1] != ':' && t.at[i - 1] != '='))
        return false;
    return ascii_is_letter(t.at[i - 2]) || strchr("'\")", t.at[i - 2]);
}

static uint64_t numbers_of(struct text t)
{
    uint64_t marks = 0;
    unsigned numbers = 0, keyed = 0;
    for (size_t i = 0; i < t.len; i++) {
        marks |= sign_mark(t, i);
        if (!ascii_is_digit(t.at[i]) || ascii_is_digit(text_char(t, i - 1)))
            continue;
        numbers++;
        keyed += has_key(t, i);
        if (t.at[i] == '0' && text_char(t, i + 1) == 'x')
            marks |= MARK_BIT(HEX);
    }
    return marks | (numbers == 0 ? MARK_BIT(NO_NUMBER) : 0) |
           (numbers > 7 ? MARK_BIT(MANY_NUMBERS) : 0) |
           (keyed > 0 ? MARK_BIT(KEY_NUMBER) : 0) |
           (keyed > 2 ? MARK_BIT(KEY_NUMBERS) : 0);
}

/* Returns the mark of the level letter at the start of a line of glog ("E0614")
 * or of PyTorch's C++ log ("[W123", "[W"); 0 if there is none. */
static uint64_t glog_mark(struct text t)
{
    bool bracket = text_starts(t, "[");
    if (bracket)
        t = (struct text){t.at + 1, t.len - 1};
    size_t digits = 1;
    while (digits < t.len && ascii_is_digit(t.at[digits]))
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
    switch (text_char(t, 0)) {
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
        return ascii_is_digit(text_char(t, 0)) ? MARK_BIT(OPENS_DIGIT) : 0;
    }
}

/* Returns the marks of a line of a traceback: Python's `File "x.py"`, a frame
 * of C++ or Java, and the carets under a piece of code. */
static uint64_t traceback_marks(struct text t)
{
    uint64_t marks = 0;
    size_t carets = 0;
    if (text_starts(t, "File \""))
        marks |= MARK_BIT(QUOTED_FILE);
    if (text_starts(t, "frame #") || text_starts(t, "at ") ||
        text_starts(t, "#0"))
        marks |= MARK_BIT(FRAME);
    while (carets < t.len && strchr("^~ ", t.at[carets]))
        carets++;
    if (t.len && carets == t.len)
        marks |= MARK_BIT(CARETS);
    return marks;
}

static uint64_t ending(struct text t)
{
    if (t.len == 0)
        return 0;
    char last = t.at[t.len - 1];
    if (last == ':')
        return MARK_BIT(ENDS_COLON);
    return strchr(")]}", last) ? MARK_BIT(ENDS_BRACKET) : 0;
}

static uint64_t shape_of(struct text line)
{
    struct text t = line;
    while (t.len && (t.at[0] == ' ' || t.at[0] == '\t'))
        t = text_skip(t, 1);
    uint64_t marks = opening(t) | traceback_marks(t) | ending(t);
    size_t indent = line.len - t.len;
    if (indent >= 2 || (indent && line.at[0] == '\t'))
        marks |= MARK_BIT(INDENTED);
    for (size_t i = 0; i < t.len; i++) {
        if (t.at[i] & 0x80)
            marks |= MARK_BIT(NOT_ASCII);
        if (t.at[i] == '(' && ascii_is_letter(text_char(t, i - 1)))
            marks |= MARK_BIT(CALL);
    }
    return marks | (t.len < 20 ? MARK_BIT(SHORT) : 0) |
           (t.len > 150 ? MARK_BIT(LONG) : 0);
}

uint64_t log_marks(struct text line)
{
    struct text t = log_strip_rank(line);
    if (t.len > LOG_MARKS_BYTES)
        t.len = LOG_MARKS_BYTES;
    while (t.len && (t.at[t.len - 1] == ' ' || t.at[t.len - 1] == '\t'))
        t.len--;
    return shape_of(t) | marks_words_of(t) | numbers_of(t) | glog_mark(t);
}

/* The closing bracket of a prefix is at most BRACKETS_MAX bytes after the
 * opening one. A number of more than LOG_MARKS_NUMBER_MAX digits is no prefix.
 */
#define BRACKETS_MAX 48

#define LOG_MARKS_NUMBER_MAX 6

/* Returns the length of a prefix such as "[rank3]:", "(pid=123)" or
 * "(pid=123):", 0 if there is none. The text begins with '[' or '('; a prefix
 * has a digit before its closing bracket. */
static size_t bracket_prefix(struct text t)
{
    char close = t.at[0] == '[' ? ']' : ')';
    size_t i = 1;
    for (; i < t.len && i < BRACKETS_MAX && t.at[i] != close; i++) {
        if (t.at[i] == '[' || t.at[i] == '(')
            return 0;
    }
    if (text_char(t, i) != close || !ascii_is_digit(t.at[i - 1]))
        return 0;
    bool colon = text_char(t, i + 1) == ':';
    if (close == ']' && !colon)
        return 0;
    return i + 1 + colon;
}

/* Returns the length of "12:" if a blank follows, 0 for any other line. */
static size_t number_prefix(struct text t)
{
    size_t i = 0;
    while (i < LOG_MARKS_NUMBER_MAX && ascii_is_digit(text_char(t, i)))
        i++;
    bool ends = text_char(t, i) == ':' && text_char(t, i + 1) == ' ';
    return i > 0 && ends ? i + 1 : 0;
}

/* Bytes at the start of a line in which a progress bar is looked for. */
#define LOG_MARKS_BAR_BYTES 768

/* True if the text is a message of its own: it begins with a launcher's prefix
 * in square brackets or with a traceback. */
static bool is_message(struct text t)
{
    return (text_char(t, 0) == '[' && bracket_prefix(t) > 0) ||
           text_starts(t, "Traceback (most recent call last)");
}

size_t log_bar_prefix(struct text line)
{
    struct text t = {line.at, line.len < LOG_MARKS_BAR_BYTES
                                  ? line.len
                                  : LOG_MARKS_BAR_BYTES};
    /* `at` of an empty line may be NULL, which memmem refuses */
    const char *bar = t.len ? memmem(t.at, t.len, "%|", 2) : NULL;
    for (size_t i = bar ? (size_t)(bar - t.at) : t.len; i < t.len; i++) {
        if (t.at[i] != ']')
            continue;
        for (i++; i < t.len && t.at[i] == ' '; i++)
            ;
        if (is_message(text_skip(line, i)))
            return i;
        i--;
    }
    return 0;
}

struct text log_strip_rank(struct text line)
{
    if (line.len == 0)
        return line; /* `at` of an empty line may be NULL */
    line = text_skip(line, log_bar_prefix(line));
    char first = text_char(line, 0);
    size_t n = first == '[' || first == '(' ? bracket_prefix(line)
                                            : number_prefix(line);
    if (n == 0)
        return line;
    /* One blank separates the prefix from the line. Two or more blanks after
     * "12:" or "(pid=123):" are all kept as the indentation of the line. */
    bool indented =
        first != '[' && line.at[n - 1] == ':' && text_char(line, n + 1) == ' ';
    if (text_char(line, n) == ' ' && !indented)
        n++;
    return text_skip(line, n);
}

/* Compares lines with the signatures of log_knowledge.h. */

/* Makes and runs the automaton that log_knowledge_internal.h describes. */

#define STATES_MAX 60000

/* Bytes of a text that the automaton looks for; the rest is compared when they
 * are found. Whole texts need a table four times as large. */
#define BEGIN_BYTES 8

static struct text text_begin(struct text text)
{
    return (struct text){text.at,
                         text.len < BEGIN_BYTES ? text.len : BEGIN_BYTES};
}

static void classify(struct log_automaton *a, struct log_texts texts)
{
    for (size_t i = 0; i < texts.n; i++) {
        struct text begin = text_begin(texts.at[i]);
        for (size_t b = 0; b < begin.len; b++) {
            uint8_t c = (uint8_t)ascii_lower(begin.at[b]);
            if (!a->class_of[c])
                a->class_of[c] = (uint8_t)a->n_classes++;
        }
    }
}

/* The trie of the texts: by state, its first child and the next child of its
 * parent, 0: none, and the class of the edge from the parent. */
struct log_trie {
    uint16_t *child, *sibling;
    uint8_t *class;
};

/* Adds the states of one text and its hit. While states are added, next is 0
 * where there is no edge. */
static void matches_add_text(struct log_automaton *a, struct log_trie *trie,
                             struct text text, uint32_t signature)
{
    size_t state = 0;
    for (size_t i = 0; i < text.len; i++) {
        uint8_t c = a->class_of[(uint8_t)ascii_lower(text.at[i])];
        uint16_t *edge = &a->next[state * a->n_classes + c];
        if (!*edge) {
            *edge = (uint16_t)a->n_states++;
            trie->class[*edge] = c;
            trie->sibling[*edge] = trie->child[state];
            trie->child[state] = *edge;
        }
        state = *edge;
    }
    a->hits[a->n_hits] = (struct log_hit){signature, a->first[state]};
    a->first[state] = (uint32_t)++a->n_hits;
}

/* Adds the edges that follow suffix links, breadth first, and sets `shown`: a
 * state has the edges of its suffix, but for those to its children. */
static void link_suffixes(struct log_automaton *a, const struct log_trie *trie)
{
    uint16_t *queue = mem_zalloc(a->n_states, sizeof *queue);
    uint16_t *suffix = mem_zalloc(a->n_states, sizeof *suffix);
    size_t n = a->n_classes, from = 0, to = 0;
    for (uint16_t s = trie->child[0]; s; s = trie->sibling[s])
        queue[to++] = s;
    while (from < to) {
        size_t state = queue[from++], back = suffix[state];
        const uint16_t *of_suffix = a->next + back * n;
        uint16_t *edges = a->next + state * n;
        a->shown[state] = a->first[back] ? (uint16_t)back : a->shown[back];
        memcpy(edges, of_suffix, n * sizeof *edges);
        for (uint16_t s = trie->child[state]; s; s = trie->sibling[s]) {
            suffix[s] = of_suffix[trie->class[s]];
            edges[trie->class[s]] = s;
            queue[to++] = s;
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
            states += text_begin(signatures[i]->texts.at[t]).len;
    }
    if (states > STATES_MAX || n > LOG_SIGNATURES_MAX)
        return error_set(err, STATUS_BAD_INPUT,
                         "%zu signatures with %zu bytes of text, of each text "
                         "the first %d; there is room for %d with %d",
                         n, states - 1, BEGIN_BYTES, LOG_SIGNATURES_MAX,
                         STATES_MAX - 1);
    for (int c = 'A'; c <= 'Z'; c++)
        a->class_of[c] = a->class_of[c - 'A' + 'a'];
    a->next = mem_zalloc(states * a->n_classes, sizeof *a->next);
    a->first = mem_zalloc(states, sizeof *a->first);
    a->shown = mem_zalloc(states, sizeof *a->shown);
    a->hits = mem_zalloc(texts + 1, sizeof *a->hits);
    struct log_trie trie = {mem_zalloc(states, sizeof *trie.child),
                            mem_zalloc(states, sizeof *trie.sibling),
                            mem_zalloc(states, sizeof *trie.class)};
    for (size_t i = 0; i < n; i++) {
        for (size_t t = 0; t < signatures[i]->texts.n; t++)
            matches_add_text(a, &trie, text_begin(signatures[i]->texts.at[t]),
                             (uint32_t)i);
    }
    link_suffixes(a, &trie);
    free(trie.child);
    free(trie.sibling);
    free(trie.class);
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

/* Sets the bit of each signature that has the first BEGIN_BYTES of one of its
 * texts in the line, in any case of letters. Leaves the other bits as they are.
 */
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
#define LOG_MARKS_TRIES 8

#define LOG_MARKS_HOST_MAX 253 /* longest name of a host, bytes (RFC 1035) */

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

/* True if the text at `at`, before `rest`, is a word, perhaps with a number
 * after it, and the line reports a fault. */
static bool is_reported(struct text line, size_t at, struct text rest)
{
    while (ascii_is_digit(text_char(rest, 0)))
        rest = text_skip(rest, 1);
    return (at == 0 || !ascii_is_name(line.at[at - 1])) &&
           !ascii_is_name(text_char(rest, 0)) && log_reports_fault(line);
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
    case LOG_ANCHOR_REPORT:
        return is_reported(line, at, rest);
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
        for (unsigned n = 0; n < LOG_MARKS_TRIES && at != SIZE_MAX; n++) {
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
    for (unsigned i = 0; i < LOG_MARKS_TRIES && at != SIZE_MAX; i++) {
        struct text rest = text_skip(line, at + after.len);
        size_t n = 0;
        while (ascii_is_name(text_char(rest, n)) || text_char(rest, n) == '.' ||
               text_char(rest, n) == '-')
            n++;
        struct text name = {rest.at, n};
        if (n > 0 && n <= LOG_MARKS_HOST_MAX && name.at[0] != '-' &&
            (!s->host_before ||
             text_starts(text_skip(rest, n), s->host_before))) {
            *out = name;
            return true;
        }
        at = matches_find(line, at + 1, after, s->any_case);
    }
    return false;
}
