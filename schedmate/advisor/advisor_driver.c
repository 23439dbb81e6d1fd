/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "schedmate/advisor/advisor_driver.h"

#include <string.h>

#include "base/ascii.h"
#include "base/out.h"
#include "schedmate/advisor/advisor_clues.h"
#include "schedmate/advisor/py_text.h"

enum {
    COMMANDS_MAX = 16,   /* largest number of commands that are taken */
    BYTES_MAX = 1 << 16, /* no line is added after this many bytes */
};

/* True if the code itself calls functions of a training, such as backward. */
static bool trains(struct text code)
{
    static const char *const calls[] = {".backward(", "Trainer(", ".zero_grad(",
                                        ".fit("};
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        if (code.at && code.len &&
            memmem(code.at, code.len, calls[i], strlen(calls[i])))
            return true;
    }
    return false;
}

/* Returns the length of the prefix of the string literal at the start of `t`,
 * such as f in f"..."; 0 if there is no prefix or no literal. Sets *formats to
 * true if the prefix has an f, else to false. */
static size_t prefix_length(struct text t, bool *formats)
{
    size_t n = 0;
    *formats = false;
    while (n < 2 && strchr("fFrRbBuU", text_char(t, n)) && text_char(t, n)) {
        *formats |= text_char(t, n) == 'f' || text_char(t, n) == 'F';
        n++;
    }
    char c = text_char(t, n);
    return c == '"' || c == '\'' ? n : 0;
}

/* Writes the replacement field whose opening brace is at index `i` as a
 * reference to the variable in it, or to UNKNOWN if it is not a plain name.
 * Returns the index after the closing brace. */
static size_t write_field(struct text t, size_t i, struct out *out)
{
    size_t from = ++i;
    while (ascii_is_name(text_char(t, i)))
        i++;
    bool plain = i > from && strchr("}:", text_char(t, i));
    out_text(out, "${");
    if (plain)
        out_bytes(out, t.at + from, i - from);
    else
        out_text(out, "UNKNOWN");
    out_char(out, '}');
    while (i < t.len && t.at[i] != '}')
        i++;
    return i + 1;
}

/* Writes the text of a string literal on one line. A conversion such as %s, and
 * {}, become references to UNKNOWN; a field of an f-string becomes a reference
 * to its variable. */
static void write_string(struct text t, bool formats, struct out *out)
{
    for (size_t i = 0; i < t.len && out_memory(out).len < BYTES_MAX;) {
        char c = t.at[i], next = text_char(t, i + 1);
        if (c == '{' && (formats || next == '}')) {
            i = write_field(t, i, out);
        } else if (c == '%' && next && strchr("sdifg", next)) {
            out_text(out, "${UNKNOWN}");
            i += 2;
        } else if (c == '\\' && next == 'n') {
            out_char(out, ' ');
            i += 2;
        } else {
            out_char(out, c == '\n' ? ' ' : c);
            i++;
        }
    }
}

/* Writes the text of the string literal at the start of `t` and returns the
 * length of the literal; 0 if there is none. */
static size_t write_literal(struct text t, struct out *out)
{
    bool formats;
    size_t n = prefix_length(t, &formats);
    char quote = text_char(t, n);
    if (quote != '"' && quote != '\'')
        return 0;
    size_t end = py_string_end(t, n);
    bool triple = text_char(t, n + 1) == quote && text_char(t, n + 2) == quote;
    size_t marks = triple ? 3 : 1;
    if (end < n + 2 * marks)
        return end;
    write_string((struct text){t.at + n + marks, end - n - 2 * marks}, formats,
                 out);
    return end;
}

/* Writes an expression that joins strings with +. Other terms become references
 * to UNKNOWN. */
static void write_text(struct text t, struct out *out)
{
    while (t.len) {
        t = text_trim(t);
        size_t n = write_literal(t, out);
        if (n == 0) {
            n = 0;
            while (n < t.len && !strchr("+%'\"", t.at[n]))
                n++;
            if (n < t.len && t.at[n] == '%')
                return; /* the values after "..." % are not known */
            if (n && !text_starts(t, ".format"))
                out_text(out, "${UNKNOWN}");
            n += n < t.len && t.at[n] == '+';
        }
        t = text_skip(t, n > t.len ? t.len : n ? n : 1);
    }
}

/* Writes the items of a list as the words of a command; sys.executable becomes
 * python. */
static void write_list(struct text list, struct out *out)
{
    struct text word;
    while (py_next_argument(&list, &word)) {
        if (memmem(word.at ? word.at : "", word.len, "sys.executable", 14)) {
            out_text(out, "python ");
            continue;
        }
        out_char(out, '"');
        write_text(word, out);
        out_text(out, "\" ");
    }
}

/* True if the text begins like a command that starts a job. */
static bool is_command(struct text t)
{
    static const char *const starts[] = {
        "python", "torchrun", "deepspeed", "accelerate", "bash", "sh ",
        "sbatch", "qsub",     "docker",    "mpirun",     "srun", "CUDA"};
    t = text_trim(t);
    if (text_char(t, 0) == '"')
        t = text_skip(t, 1);
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
        if (text_starts(t, starts[i]))
            return true;
    }
    return false;
}

/* Returns the value that the line at `at` assigns, and sets *name to the name
 * that gets it. A value in brackets may end on a later line. Returns an empty
 * text if the line is not an assignment. */
static struct text assigned(struct text code, size_t at, struct text *name)
{
    struct text rest = text_skip(code, at), line, value;
    line = text_split(rest, '\n', &rest);
    if (!py_keyword(text_trim(line), name, &value) || !value.len)
        return (struct text){"", 0};
    value = text_trim(value);
    if (!value.len)
        return value;
    size_t from = (size_t)(value.at - code.at);
    char open = value.at[0];
    if (open == '[' || open == '(') {
        struct text inner = py_inside(code, from + 1);
        return (struct text){value.at, inner.len ? inner.len + 2 : 0};
    }
    return value;
}

/* Writes an expression as a line if it is a command. Returns true if it is. */
static bool write_command(struct text value, struct out *out)
{
    struct out *one = out_to_memory();
    char open = text_char(value, 0);
    if (open == '[' && value.len > 2)
        write_list((struct text){value.at + 1, value.len - 2}, one);
    else if (open == '(' && value.len > 2)
        write_text((struct text){value.at + 1, value.len - 2}, one);
    else
        write_text(value, one);
    bool is = is_command(out_memory(one));
    if (is) {
        out_bytes(out, out_memory(one).at, out_memory(one).len);
        out_char(out, '\n');
    }
    out_abandon(one);
    return is;
}

/* Writes NAME=value if the value is a literal on one line, of at most 200
 * bytes. */
static void write_variable(struct text name, struct text value,
                           struct arena *arena, struct out *out)
{
    struct text literal = py_literal(value, arena);
    if (!literal.len || literal.len > 200 ||
        memchr(literal.at, '\n', literal.len))
        return;
    out_bytes(out, name.at, name.len);
    out_char(out, '=');
    out_bytes(out, literal.at, literal.len);
    out_char(out, '\n');
}

/* Returns the first argument of a call that starts a program on this line; an
 * empty text if there is no such call. */
static struct text started(struct text code, size_t at, size_t end)
{
    static const char *const calls[] = {
        "os.system(",        "subprocess.run(",
        "subprocess.call(",  "subprocess.check_call(",
        "subprocess.Popen(", "os.popen("};
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        const char *hit =
            memmem(code.at + at, end - at, calls[i], strlen(calls[i]));
        if (!hit)
            continue;
        struct text inner =
            py_inside(code, (size_t)(hit - code.at) + strlen(calls[i]));
        struct text argument;
        if (py_next_argument(&inner, &argument))
            return argument;
    }
    return (struct text){"", 0};
}

struct text driver_commands(struct text code, struct arena *arena)
{
    struct out *out = out_to_memory();
    int n = 0;
    bool drives = clue_has_word(code, "subprocess") ||
                  clue_has_word(code, "system") || clue_has_word(code, "popen");
    for (size_t at = 0; drives && !trains(code) && at < code.len &&
                        n < COMMANDS_MAX && out_memory(out).len < BYTES_MAX;) {
        const char *feed = memchr(code.at + at, '\n', code.len - at);
        size_t end = feed ? (size_t)(feed - code.at) : code.len;
        struct text name, value = assigned(code, at, &name);
        bool command =
            write_command(value.len ? value : started(code, at, end), out);
        n += command;
        if (!command && value.len)
            write_variable(name, value, arena, out);
        at = end + 1;
    }
    struct text text = {"", 0};
    if (n)
        text = out_memory(out);
    text.at = arena_copy(arena, text.at, text.len);
    out_abandon(out);
    return text;
}
