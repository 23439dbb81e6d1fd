/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "schedmate/logs/log_traceback.h"

#include <string.h>

#include "base/ascii.h"

enum phase {
    OUTSIDE,
    FRAMES, /* after "Traceback (most recent call last):" */
    CODE,   /* after a frame: the next line may be its source code */
};

/* Largest number of lines of other programs between the lines of a traceback.
 */
#define ALIEN_MAX 3
/* Bytes at the start of a line in which the form of a report is looked for. */
#define LOOKED_AT 512

static bool has(struct text t, const char *word)
{
    size_t len = t.len < LOOKED_AT ? t.len : LOOKED_AT;
    return memmem(t.at, len, word, strlen(word)) != NULL;
}

static bool has_one_of(struct text t, const char *const *words)
{
    while (*words && !has(t, *words))
        words++;
    return *words != NULL;
}

static bool starts_one_of(struct text t, const char *const *words)
{
    while (*words && !text_starts(t, *words))
        words++;
    return *words != NULL;
}

static bool ends_with(struct text t, const char *end)
{
    size_t n = strlen(end);
    return t.len > n && memcmp(t.at + t.len - n, end, n) == 0;
}

/* True for the name of a class that can end a traceback. */
static bool is_class(struct text name)
{
    static const char *const ends[] = {
        "Error",   "Exception",   "Exit",          "Interrupt", "Failure",
        "Timeout", "Unsupported", "StopIteration", NULL};
    for (size_t i = 0; ends[i]; i++) {
        if (ends_with(name, ends[i]))
            return true;
    }
    return false;
}

static bool is_dotted(char c)
{
    return ascii_is_name(c) || c == '.' || c == '$';
}

/* Returns the dotted name that the line begins with; *message becomes the
 * rest. */
static struct text dotted_name(struct text line, struct text *message)
{
    size_t n = 0;
    while (n < line.len && is_dotted(line.at[n]))
        n++;
    *message = text_skip(line, n);
    return (struct text){line.at, n};
}

/* True for a text that can follow the name of a class: ": text", nothing, or
 * first the class that a wrapper holds, as in "RayTaskError(ValueError):
 * text". */
static bool follows_class(struct text rest)
{
    if (text_char(rest, 0) == '(') {
        const char *end = memchr(rest.at, ')', rest.len);
        if (!end)
            return false;
        rest = text_skip(rest, (size_t)(end - rest.at) + 1);
    }
    char next = text_char(rest, 1);
    return text_trim(rest).len == 0 ||
           (rest.at[0] == ':' && (!next || next == ' '));
}

/* Splits "module.SomeError: message" and returns true. Returns false for a line
 * of another form; *class and *message are set nevertheless. */
static bool is_exception(struct text line, struct text *class,
                         struct text *message)
{
    *class = dotted_name(line, message);
    return ascii_is_letter(text_char(line, 0)) && is_class(*class) &&
           follows_class(*message);
}

/* True if the line ends a traceback. Sets *class and *message as is_exception
 * does. At the end of a traceback the class may have any name that begins with
 * a capital, if its module is named too, as in
 * "torch._dynamo.exc.Unsupported". */
static bool ends_traceback(struct text line, struct text *class,
                           struct text *message)
{
    if (is_exception(line, class, message))
        return true;
    const char *dot = memrchr(class->at, '.', class->len);
    size_t at = dot ? (size_t)(dot - class->at) + 1 : class->len;
    return ascii_is_letter(text_char(line, 0)) &&
           ascii_is_upper(text_char(*class, at)) && follows_class(*message);
}

/* Returns the line without the words that some languages put before the class
 * of an exception. Sets *root to whether the line begins with "Caused by: ". */
static struct text skip_words(struct text line, bool *root)
{
    static const char *const words[] = {"Caused by: ",
                                        "ERROR: LoadError: ",
                                        "ERROR: ",
                                        "LoadError: ",
                                        "nested task error: ",
                                        "Uncaught exception: ",
                                        "ERROR:root:",
                                        NULL};
    *root = text_starts(line, words[0]);
    for (size_t i = 0; words[i]; i++) {
        if (text_starts(line, words[i]))
            line = text_skip(line, strlen(words[i]));
    }
    if (text_starts(line, "Exception in thread \"")) {
        const char *end = memmem(line.at, line.len, "\" ", 2);
        if (end)
            line = text_skip(line, (size_t)(end - line.at) + 2);
    }
    return line;
}

/* True for a frame of Python, C++, Java, Julia or Go, or a line that rich
 * draws. */
static bool is_stack(struct text line)
{
    static const char *const at_front[] = {
        "frame #",      "\xe2\x94\x82", "\xe2\x95\xad",
        "\xe2\x95\xb0", "\tat ",        "    @     0x",
        "Stacktrace:",  "goroutine ",   NULL};
    struct text t = text_trim(line);
    if (starts_one_of(line, at_front) || text_starts(t, "at java.") ||
        text_starts(t, "File \""))
        return true;
    char mark = text_char(t, 0);
    size_t n = 1;
    if (mark != '#' && mark != '[')
        return false;
    while (text_char(t, n) == ' ' || ascii_is_digit(text_char(t, n)))
        n++;
    if (mark == '#')
        return n > 1 && text_starts(text_skip(t, n), "0x");
    return n > 1 && t.at != line.at && text_char(t, n) == ']';
}

static bool is_library(struct text line)
{
    static const char *const places[] = {
        "site-packages", "dist-packages", "/lib/python", "\\lib\\",
        "<frozen ",      "\\Lib\\",       NULL};
    return has_one_of(line, places);
}

static struct log_trace_state *stream_of(struct log_traceback *t, uint64_t id)
{
    struct log_trace_state *oldest = t->streams;
    for (size_t i = 0; i < TRACEBACK_STREAMS; i++) {
        struct log_trace_state *s = &t->streams[i];
        if (s->used && s->id == id)
            return s;
        if (s->used < oldest->used)
            oldest = s;
    }
    *oldest = (struct log_trace_state){.id = id};
    return oldest;
}

static size_t blanks(struct text line)
{
    size_t n = 0;
    while (text_char(line, n) == ' ')
        n++;
    return n;
}

static void begin(struct log_trace_state *s)
{
    s->phase = FRAMES;
    s->alien = 0;
    s->in_library = s->raised = false;
    s->indent = 0;
    s->survived = s->survives;
    s->survives = false;
}

/* Reads a frame of a traceback or the source code below a frame. */
static void read_frame(struct log_trace_state *s, struct text line)
{
    struct text t = text_trim(line);
    bool frame = text_starts(t, "File \"") ||
                 (text_starts(t, "\xe2\x94\x82 /") && has(t, ".py:"));
    if (frame) {
        s->in_library = is_library(t);
        s->raised = false;
        s->phase = CODE;
    } else if (s->phase == CODE) {
        s->raised = !s->in_library && text_starts(t, "raise ");
        s->phase = FRAMES;
    }
}

/* Reads a line that follows "Traceback". Returns false if it is not part of the
 * traceback. */
static bool read_inside(struct log_trace_state *s, struct text line,
                        struct log_traced *out)
{
    bool root;
    if (text_char(line, 0) == ' ' || is_stack(line)) {
        read_frame(s, line);
        out->kind = LINE_FRAME;
        out->survived = s->survived;
        return true;
    }
    struct text t = skip_words(line, &root);
    if (ends_traceback(t, &out->class, &out->message)) {
        out->kind = LINE_EXCEPTION;
        out->text = t;
        out->raised = s->raised;
        out->survived = s->survived;
        s->phase = OUTSIDE;
        return true;
    }
    if (++s->alien > ALIEN_MAX || text_trim(line).len == 0)
        s->phase = OUTSIDE;
    return false;
}

static void read_outside(struct log_trace_state *s, struct text line,
                         struct log_traced *out)
{
    static const char *const survived[] = {
        "Exception ignored in",
        "--- Logging error ---",
        "Error in atexit._run_exitfuncs",
        "Exception in thread Thread-",
        "Exception in thread QueueFeederThread",
        NULL};
    if (starts_one_of(line, survived)) {
        s->survives = out->survived = true;
        return;
    }
    if (is_stack(line)) {
        out->kind = LINE_FRAME;
        bool drawn = text_starts(line, "\xe2\x95\xb0") ||
                     text_starts(line, "\xe2\x95\xad");
        if (drawn)
            begin(s);
        return;
    }
    struct text t = skip_words(line, &out->root);
    if (is_exception(t, &out->class, &out->message)) {
        out->kind = LINE_EXCEPTION;
        out->text = t;
    }
}

struct log_traced log_traceback_next(struct log_traceback *t, struct text line)
{
    struct log_stream stream = log_stream_of(line);
    struct log_trace_state *s = stream_of(t, stream.id);
    struct log_traced out = {.kind = LINE_PLAIN, .text = stream.line};
    s->used = ++t->lines;
    if (has(line, "Traceback (most recent call last)")) {
        begin(s);
        s->indent = blanks(stream.line);
        out.kind = LINE_FRAME;
        out.survived = s->survived;
        return out;
    }
    if (s->phase != OUTSIDE) {
        size_t indent = blanks(stream.line);
        struct text inner =
            text_skip(stream.line, indent < s->indent ? indent : s->indent);
        if (read_inside(s, inner, &out))
            return out;
    }
    read_outside(s, stream.line, &out);
    return out;
}
