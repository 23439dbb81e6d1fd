/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Expands words: quotes, braces, parameters, commands, arithmetic. */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/out.h"
#include "schedmate/advisor/shell_internal.h"

/* Largest depth of nested brackets in one word, and largest number of
 * here-documents that one line asks for. */
enum { SHELL_WORDS_NESTED_MAX = 32, DOCUMENTS_MAX = 8 };

struct shell_words_lexer {
    struct text t;
    size_t at, line;
    struct arena *arena;
    struct shell_token *tokens;
    size_t n, cap;
    /* indices of the tokens of here-documents whose text begins after this line
     */
    size_t waiting[DOCUMENTS_MAX];
    struct text ends[DOCUMENTS_MAX];
    bool tabs[DOCUMENTS_MAX];
    size_t n_waiting;
};

static size_t shell_parameter(struct shell *shell, struct text t,
                              struct shell_words *out, bool *joins);

static size_t bracket_end(struct text t, size_t i, unsigned within);

/* Returns the index after the quoted string at index `i`. The quotes in the
 * $(...) and ${...} of a string in double quotes do not end it. `within` counts
 * the strings and brackets around this one. */
static size_t string_end(struct text t, size_t i, unsigned within)
{
    char quote = text_char(t, i++);
    while (i < t.len && t.at[i] != quote) {
        char next = text_char(t, i + 1);
        if (t.at[i] == '$' && quote == '"' && (next == '(' || next == '{') &&
            within < SHELL_WORDS_NESTED_MAX)
            i = bracket_end(t, i + 1, within + 1);
        else
            i += t.at[i] == '\\' && quote != '\'' ? 2 : 1;
    }
    return i < t.len ? i + 1 : t.len;
}

size_t shell_bracket_end(struct text t, size_t i)
{
    return bracket_end(t, i, 0);
}

static size_t bracket_end(struct text t, size_t i, unsigned within)
{
    char stack[SHELL_WORDS_NESTED_MAX];
    size_t depth = 0;
    while (i < t.len) {
        char c = t.at[i];
        if (c == '\\') {
            i += 2;
            continue;
        }
        if (c == '\'' || c == '"') {
            i = string_end(t, i, within);
            continue;
        }
        if ((c == '(' || c == '{' || c == '[') &&
            depth < SHELL_WORDS_NESTED_MAX)
            stack[depth++] = c == '(' ? ')' : c == '{' ? '}' : ']';
        else if (depth && c == stack[depth - 1] && --depth == 0)
            return i + 1;
        i++;
    }
    return t.len;
}

static void shell_words_add(struct shell_words_lexer *x,
                            enum shell_token_kind kind, struct text text,
                            size_t line)
{
    if (x->n == SHELL_TOKENS_MAX)
        return;
    x->tokens = mem_grow(x->tokens, &x->cap, x->n + 1, sizeof *x->tokens);
    x->tokens[x->n++] = (struct shell_token){kind, text, line, true};
}

/* Returns the index after the part of a word at index `i`: a quoted string, an
 * expansion, an escaped character or one character. */
static size_t part_end(struct text t, size_t i)
{
    char c = t.at[i];
    if (c == '\\')
        return i + 2;
    if (c == '\'' || c == '"' || c == '`')
        return string_end(t, i, 0);
    char next = text_char(t, i + 1);
    if ((c == '$' && (next == '(' || next == '{' || next == '[')) ||
        ((c == '<' || c == '>') && next == '('))
        return shell_bracket_end(t, i + 1);
    return i + 1;
}

/* True if the characters before an opening parenthesis are those of an
 * assignment of an array: NAME=( or NAME+=(. */
static bool is_array(struct text t, size_t from, size_t i)
{
    if (i == from || t.at[i - 1] != '=')
        return false;
    size_t k = from;
    while (k < i && (ascii_is_name(t.at[k]) || t.at[k] == '+'))
        k++;
    return k == i - 1 && k > from;
}

/* Returns the index after the word that begins at `from`. */
static size_t word_end(struct text t, size_t from)
{
    size_t i = from;
    while (i < t.len) {
        char c = t.at[i];
        if (c == '(' && is_array(t, from, i)) {
            i = shell_bracket_end(t, i);
            continue;
        }
        bool substitution =
            (c == '<' || c == '>') && text_char(t, i + 1) == '(' && i == from;
        if (!substitution && c && strchr(" \t\n;&|()<>", c))
            return i;
        i = part_end(t, i);
    }
    return t.len;
}

static size_t shell_words_count_lines(struct text t, size_t from, size_t to)
{
    size_t n = 0;
    for (size_t i = from; i < to && i < t.len; i++)
        n += t.at[i] == '\n';
    return n;
}

/* Returns the lines between two indices; for <<-, without the tabs at their
 * starts. */
static struct text document_text(const struct shell_words_lexer *x,
                                 size_t number, size_t from, size_t to)
{
    from = from < to ? from : to;
    struct text text = {x->t.at + from, to - from};
    if (!x->tabs[number])
        return text;
    char *copy = arena_alloc(x->arena, text.len + 1);
    size_t n = 0;
    bool start = true;
    for (size_t i = 0; i < text.len; i++) {
        start &= text.at[i] == '\t';
        if (!start)
            copy[n++] = text.at[i];
        start |= text.at[i] == '\n';
    }
    return (struct text){copy, n};
}

/* Reads the text of a here-document, which begins at the start of a line. */
static void shell_words_read_document(struct shell_words_lexer *x,
                                      size_t number)
{
    size_t from = x->at;
    while (x->at < x->t.len) {
        struct text rest = text_skip(x->t, x->at), line;
        size_t start = x->at;
        line = text_split(rest, '\n', &rest);
        x->at += line.len + 1;
        x->line++;
        if (x->tabs[number])
            line = text_trim(line);
        if (text_equal(line, x->ends[number])) {
            x->tokens[x->waiting[number]].text =
                document_text(x, number, from, start);
            return;
        }
    }
    x->at = x->t.len;
    x->tokens[x->waiting[number]].text =
        document_text(x, number, from, x->t.len);
}

static void take_line_feed(struct shell_words_lexer *x)
{
    shell_words_add(x, SHELL_OPERATOR, (struct text){"\n", 1}, x->line);
    x->at++;
    x->line++;
    for (size_t i = 0; i < x->n_waiting; i++)
        shell_words_read_document(x, i);
    x->n_waiting = 0;
}

static void skip_blanks(struct shell_words_lexer *x)
{
    while (x->at < x->t.len) {
        char c = x->t.at[x->at];
        bool joined = c == '\\' && text_char(x->t, x->at + 1) == '\n';
        if (c != ' ' && c != '\t' && !joined)
            return;
        x->line += joined;
        x->at += 1 + joined;
    }
}

static struct text without_quotes(struct text word, struct arena *arena)
{
    char *copy = arena_alloc(arena, word.len + 1);
    size_t n = 0;
    for (size_t i = 0; i < word.len; i++) {
        if (!strchr("\\'\"", word.at[i]) || !word.at[i])
            copy[n++] = word.at[i];
    }
    return (struct text){copy, n};
}

/* Drops a redirection and the file that it names. Keeps a here-document, `<<<
 * word` and `< file` as tokens. */
static void take_redirection(struct shell_words_lexer *x)
{
    size_t from = x->at, line = x->line;
    while (strchr("<>&|-", text_char(x->t, x->at)) && text_char(x->t, x->at))
        x->at++;
    struct text op = {x->t.at + from, x->at - from};
    skip_blanks(x);
    size_t end = word_end(x->t, x->at);
    struct text word = {x->t.at + x->at, end - x->at};
    x->line += shell_words_count_lines(x->t, x->at, end);
    x->at = end > x->at ? end : x->at + (x->at < x->t.len && op.len == 0);
    bool here = text_is(op, "<<") || text_is(op, "<<-");
    if (text_is(op, "<<<") || text_is(op, "<")) {
        shell_words_add(x, op.len == 1 ? SHELL_INPUT : SHELL_STRING, word,
                        line);
    } else if (here && x->n_waiting < DOCUMENTS_MAX &&
               x->n < SHELL_TOKENS_MAX) {
        x->waiting[x->n_waiting] = x->n;
        x->ends[x->n_waiting] = without_quotes(word, x->arena);
        x->tabs[x->n_waiting++] = op.len == 3;
        shell_words_add(x, SHELL_DOCUMENT, (struct text){"", 0}, line);
        x->tokens[x->n - 1].is_expanded = !memchr(word.at, '\'', word.len) &&
                                          !memchr(word.at, '"', word.len) &&
                                          !memchr(word.at, '\\', word.len);
    }
}

/* Returns the length of the operator at the start of a text; 0 if there is
 * none. */
static size_t operator_length(struct text t)
{
    static const char *const operators[] = {"&&", "||", "|&", ";;", ";",
                                            "&",  "|",  "(",  ")"};
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++) {
        if (text_starts(t, operators[i]))
            return strlen(operators[i]);
    }
    return 0;
}

static bool is_redirection(struct text rest)
{
    size_t digits = 0;
    while (ascii_is_digit(text_char(rest, digits)))
        digits++;
    char c = text_char(rest, digits), next = text_char(rest, digits + 1);
    if (c == '&' && next == '>' && digits == 0)
        return true;
    return (c == '<' || c == '>') && next != '(';
}

static void shell_words_take_token(struct shell_words_lexer *x)
{
    struct text rest = text_skip(x->t, x->at);
    char c = rest.at[0];
    size_t length = operator_length(rest);
    if (c == '\n') {
        take_line_feed(x);
    } else if (c == '#') {
        const char *end = memchr(rest.at, '\n', rest.len);
        x->at = end ? (size_t)(end - x->t.at) : x->t.len;
    } else if (is_redirection(rest)) {
        while (ascii_is_digit(x->t.at[x->at]))
            x->at++;
        take_redirection(x);
    } else if (text_starts(rest, "((")) {
        size_t end = shell_bracket_end(x->t, x->at);
        shell_words_add(x, SHELL_WORD, (struct text){rest.at, end - x->at},
                        x->line);
        x->line += shell_words_count_lines(x->t, x->at, end);
        x->at = end;
    } else if (length) {
        shell_words_add(x, SHELL_OPERATOR, (struct text){rest.at, length},
                        x->line);
        x->at += length;
    } else {
        size_t end = word_end(x->t, x->at);
        end = end > x->t.len ? x->t.len : end > x->at ? end : x->at + 1;
        shell_words_add(x, SHELL_WORD, (struct text){rest.at, end - x->at},
                        x->line);
        x->line += shell_words_count_lines(x->t, x->at, end);
        x->at = end;
    }
}

/* Returns a copy of the script, cut to SHELL_SCRIPT_MAX, without control
 * characters other than tabs and line feeds. */
static struct text clean(struct text script, struct arena *arena)
{
    if (script.len > SHELL_SCRIPT_MAX)
        script.len = SHELL_SCRIPT_MAX;
    char *copy = arena_alloc(arena, script.len + 1);
    size_t n = 0;
    for (size_t i = 0; i < script.len; i++) {
        unsigned char c = (unsigned char)script.at[i];
        if (c >= ' ' || c == '\t' || c == '\n')
            copy[n++] = script.at[i];
    }
    return (struct text){copy, n};
}

struct shell_tokens shell_lex(struct text script, struct arena *arena)
{
    struct shell_words_lexer x = {.arena = arena, .line = 1};
    x.t = clean(script, arena);
    while (x.at < x.t.len && x.n < SHELL_TOKENS_MAX) {
        skip_blanks(&x);
        if (x.at < x.t.len)
            shell_words_take_token(&x);
    }
    shell_words_add(&x, SHELL_OPERATOR, (struct text){"\n", 1}, x.line);
    struct shell_token *copy = ARENA_ARRAY(arena, struct shell_token, x.n + 1);
    memcpy(copy, x.tokens, x.n * sizeof *copy);
    free(x.tokens);
    return (struct shell_tokens){copy, x.n};
}

enum {
    WORD_MAX = 16384,   /* largest length of an expanded word, bytes */
    EXPANDING_MAX = 16, /* largest depth of nested expansions */
    BRACES_MAX = 64,    /* largest number of words from the braces of a word */
    BETWEEN = '\x1f',   /* separates words in the text of an expansion */
    PRESENT = '\x1e',   /* marks a word that is kept even if it is empty */
};

struct expansion {
    struct shell *shell;
    struct out *out;
    bool splits; /* true if blanks in unquoted values separate words */
    /* true after "$@" or the like without a value, which makes no word */
    bool none;
};

static bool is_full(struct expansion *x)
{
    size_t len = out_memory(x->out).len;
    return len >= WORD_MAX || x->shell->budget->bytes < len;
}

/* Writes a value. If x->splits, a blank in an unquoted value separates words.
 */
static void shell_words_write_value(struct expansion *x, const char *value,
                                    bool quoted)
{
    for (; *value && !is_full(x); value++) {
        bool blank = strchr(" \t\n", *value) != NULL;
        out_char(x->out, blank && !quoted && x->splits ? BETWEEN : *value);
    }
}

/* Expands the reference whose dollar sign is at index `i` and returns the index
 * after the reference. Writes a '$' that begins no reference as it is. */
static size_t write_dollar(struct expansion *x, struct text t, size_t i,
                           bool quoted)
{
    struct shell_words values;
    bool joins = true;
    size_t n = 0;
    values.n = 0;
    if (x->shell->expanding++ < EXPANDING_MAX)
        n = shell_parameter(x->shell, text_skip(t, i + 1), &values, &joins);
    x->shell->expanding--;
    if (n == 0) {
        out_char(x->out, '$');
        return i + 1;
    }
    x->none |= values.n == 0 && !joins;
    for (size_t k = 0; k < values.n; k++) {
        if (k)
            out_char(x->out, x->splits && !(joins && quoted) ? BETWEEN : ' ');
        if (quoted && x->splits && !joins)
            out_char(x->out, PRESENT);
        shell_words_write_value(x, values.at[k], quoted);
    }
    return i + 1 + n;
}

static size_t write_escape(struct expansion *x, struct text t, size_t i,
                           bool quoted)
{
    char next = text_char(t, i + 1);
    if (quoted && !(next && strchr("$`\"\\\n", next)))
        out_char(x->out, '\\');
    if (next && next != '\n')
        out_char(x->out, next);
    return i + 2;
}

/* Expands the text between two backquotes like $(...) and returns the index
 * after the second. */
static size_t write_backquotes(struct expansion *x, struct text t, size_t i,
                               bool quoted)
{
    const char *close =
        i + 1 < t.len ? memchr(t.at + i + 1, '`', t.len - i - 1) : NULL;
    size_t end = close ? (size_t)(close - t.at) : t.len;
    char *copy = arena_alloc(x->shell->arena, end - i + 3);
    copy[0] = '$';
    copy[1] = '(';
    memcpy(copy + 2, t.at + i + 1, end - i - 1);
    copy[end - i + 1] = ')';
    write_dollar(x, (struct text){copy, end - i + 2}, 0, quoted);
    return end + 1;
}

static size_t write_quoted(struct expansion *x, struct text t, size_t i)
{
    size_t before = out_memory(x->out).len;
    out_char(x->out, PRESENT);
    x->none = false;
    if (t.at[i] == '\'') {
        for (i++; i < t.len && t.at[i] != '\'' && !is_full(x); i++)
            out_char(x->out, t.at[i]);
        return i + 1;
    }
    for (i++; i < t.len && t.at[i] != '"' && !is_full(x);) {
        if (t.at[i] == '\\')
            i = write_escape(x, t, i, true);
        else if (t.at[i] == '$')
            i = write_dollar(x, t, i, true);
        else if (t.at[i] == '`')
            i = write_backquotes(x, t, i, true);
        else
            out_char(x->out, t.at[i++]);
    }
    if (x->none && out_memory(x->out).len == before + 1)
        x->out->len = before;
    return i + 1;
}

static void shell_words_write_word(struct expansion *x, struct text t)
{
    for (size_t i = 0; i < t.len && !is_full(x);) {
        char c = t.at[i];
        if (c == '\'' || c == '"')
            i = write_quoted(x, t, i);
        else if (c == '\\')
            i = write_escape(x, t, i, false);
        else if (c == '$' && text_char(t, i + 1) == '\'')
            i++; /* skips the $ of $'text' */
        else if (c == '$')
            i = write_dollar(x, t, i, false);
        else if (c == '`')
            i = write_backquotes(x, t, i, false);
        else
            out_char(x->out, t.at[i++]);
    }
}

/* Removes the marks from a word. Returns false if nothing is left and nothing
 * was quoted. */
static bool unmarked(struct text t, struct arena *arena, const char **out)
{
    char *copy = arena_alloc(arena, t.len + 1);
    size_t n = 0;
    for (size_t i = 0; i < t.len; i++) {
        if (t.at[i] != PRESENT)
            copy[n++] = t.at[i];
    }
    *out = copy;
    return t.len > 0;
}

static void expand_plain(struct shell *shell, struct text word,
                         struct shell_words *out)
{
    struct expansion x = {shell, out_to_memory(), true, false};
    shell_words_write_word(&x, word);
    struct text rest = out_memory(x.out), piece;
    size_t len = rest.len;
    shell->budget->bytes -=
        len < shell->budget->bytes ? len : shell->budget->bytes;
    while (rest.len) {
        piece = text_split(rest, BETWEEN, &rest);
        const char *text;
        if (unmarked(piece, shell->arena, &text) && out->n < SHELL_WORDS_MAX)
            out->at[out->n++] = text;
    }
    out_abandon(x.out);
}

/* The words of {first..last}: numbers of at least `width` digits. */
struct brace_range {
    int64_t first, last;
    int width;
};

static bool is_range(struct text inner, struct brace_range *out)
{
    const char *dots = memmem(inner.at, inner.len, "..", 2);
    if (!dots)
        return false;
    struct text first = {inner.at, (size_t)(dots - inner.at)};
    struct text last = text_skip(inner, first.len + 2);
    if (!text_to_i64(first, &out->first) || !text_to_i64(last, &out->last) ||
        llabs(out->last - out->first) >= BRACES_MAX)
        return false;
    bool padded = (first.len > 1 && first.at[0] == '0') ||
                  (last.len > 1 && last.at[0] == '0');
    out->width = !padded                ? 0
                 : first.len > last.len ? (int)first.len
                                        : (int)last.len;
    return true;
}

/* Finds the first brace, if it begins an expansion such as a{b,c} or {1..4} and
 * no quote is before it. Sets *open to the index of the brace and *end to the
 * index after the closing brace. */
static bool find_braces(struct text t, size_t *open, size_t *end)
{
    struct brace_range range;
    for (size_t i = 0; i < t.len; i++) {
        char c = t.at[i];
        if (c == '\'' || c == '"' || c == '`')
            return false;
        if (c == '\\') {
            i++;
        } else if (c == '$' && i + 1 < t.len && strchr("({", t.at[i + 1])) {
            i = shell_bracket_end(t, i + 1) - 1;
        } else if (c == '{') {
            *open = i;
            *end = shell_bracket_end(t, i);
            struct text inner = {t.at + i + 1, *end - i - 1};
            return text_char(t, *end - 1) == '}' &&
                   (memchr(inner.at, ',', inner.len) ||
                    is_range((struct text){inner.at, inner.len - 1}, &range));
        }
    }
    return false;
}

static void expand_piece(struct shell *shell, struct text t, size_t open,
                         size_t end, struct text piece, struct shell_words *out)
{
    char *copy = arena_alloc(shell->arena, t.len + piece.len + 1);
    size_t n = open;
    memcpy(copy, t.at, open);
    memcpy(copy + n, piece.at, piece.len);
    n += piece.len;
    memcpy(copy + n, t.at + end, t.len - end);
    shell->budget->bytes -=
        t.len < shell->budget->bytes ? t.len : shell->budget->bytes;
    if (out->n < SHELL_WORDS_MAX && shell->budget->bytes > 0)
        shell_expand(shell, (struct text){copy, n + t.len - end}, out);
}

/* Returns the length of a text up to the first comma outside of brackets. */
static size_t alternative_length(struct text t)
{
    size_t i = 0;
    while (i < t.len && t.at[i] != ',')
        i = strchr("{(", t.at[i]) && t.at[i] ? shell_bracket_end(t, i) : i + 1;
    return i < t.len ? i : t.len;
}

void shell_expand(struct shell *shell, struct text word,
                  struct shell_words *out)
{
    size_t open, end;
    struct brace_range range;
    if (!find_braces(word, &open, &end)) {
        expand_plain(shell, word, out);
        return;
    }
    struct text inner = {word.at + open + 1, end - open - 2};
    if (is_range(inner, &range)) {
        int64_t step = range.first <= range.last ? 1 : -1;
        for (int64_t i = range.first; i != range.last + step; i += step) {
            char digits[48];
            int n = snprintf(digits, sizeof digits, "%0*" PRId64,
                             range.width < 20 ? range.width : 20, i);
            expand_piece(shell, word, open, end,
                         (struct text){digits, (size_t)n}, out);
        }
        return;
    }
    bool more = true;
    for (int n = 0; more && n < BRACES_MAX; n++) {
        size_t len = alternative_length(inner);
        more = len < inner.len;
        expand_piece(shell, word, open, end, (struct text){inner.at, len}, out);
        inner = text_skip(inner, len + more);
    }
}

/* Expands a text to one text. Removes quotes if `quotes` is true. */
static struct text expand_all(struct shell *shell, struct text t, bool quotes)
{
    struct expansion x = {shell, out_to_memory(), false, false};
    const char *text;
    if (quotes) {
        shell_words_write_word(&x, t);
    } else {
        for (size_t i = 0; i < t.len && !is_full(&x);) {
            if (t.at[i] == '$')
                i = write_dollar(&x, t, i, true);
            else if (t.at[i] == '\\')
                i = write_escape(&x, t, i, true);
            else if (t.at[i] == '`')
                i = write_backquotes(&x, t, i, true);
            else
                out_char(x.out, t.at[i++]);
        }
    }
    unmarked(out_memory(x.out), shell->arena, &text);
    out_abandon(x.out);
    return text_from(text);
}

const char *shell_expand_one(struct shell *shell, struct text word)
{
    return expand_all(shell, word, true).at;
}

struct text shell_expand_document(struct shell *shell, struct text document)
{
    return expand_all(shell, document, false);
}

/* Expands what follows a dollar sign: parameters, commands, arithmetic. */

enum { SHELL_WORDS_DEPTH_MAX = 8 };

/* The parts of a reference: ${#name[index]op word}. */
struct reference {
    const char *name;
    bool length; /* true for ${#name} */
    /* true for all items: an index of @ or *, or the arguments ($@, $*) */
    bool all;
    bool joined; /* true for "$*" and "${name[*]}", whose items form one word */
    struct text index; /* index of an item, as written; empty: none */
    struct text rest;  /* operator and word */
};

static void shell_words_put(struct shell_words *out, const char *value)
{
    if (out->n < SHELL_WORDS_MAX)
        out->at[out->n++] = value;
}

static const char *format_number(struct shell *shell, long long value)
{
    char digits[24];
    int n = snprintf(digits, sizeof digits, "%lld", value);
    return arena_copy(shell->arena, digits, (size_t)n);
}

/* Returns "$NAME", which stands for an unknown value. */
static const char *unknown(struct shell *shell, const char *name)
{
    char text[128];
    int n = snprintf(text, sizeof text, "$%.100s", name);
    return arena_copy(shell->arena, text, (size_t)n);
}

/* Follows the commands in $(...) and adds what they print. If that is unknown
 * or empty, adds a reference to the first word, such as "$(date)". */
static void shell_words_substitute(struct shell *shell, struct text script,
                                   struct shell_words *out)
{
    struct shell *inner = ARENA_NEW(shell->arena, struct shell);
    struct out *printed = out_to_memory();
    bool known =
        shell->depth < SHELL_WORDS_DEPTH_MAX && shell->budget->steps > 0;
    if (known) {
        *inner = *shell;
        inner->capture = printed;
        inner->capture_unknown = false;
        inner->depth++;
        shell_run(inner, script);
        known = !inner->capture_unknown;
    }
    struct text text = out_memory(printed);
    while (text.len && text.at[text.len - 1] == '\n')
        text.len--;
    struct text rest, first = text_split(text_trim(script), ' ', &rest);
    char name[64];
    snprintf(name, sizeof name, "(%.40s)",
             arena_copy(shell->arena, first.at, first.len));
    shell_words_put(out, known && text.len
                             ? arena_copy(shell->arena, text.at, text.len)
                             : unknown(shell, name));
    out_abandon(printed);
}

/* Sets *items and *n to the items of a parameter. Returns false if it is not
 * set or has no item at the index. */
static bool items_of(struct shell *shell, const struct reference *reference,
                     const char *const **items, size_t *n)
{
    const char *name = reference->name;
    if (ascii_is_digit(name[0])) {
        uint32_t number;
        if (!text_to_u32(text_from(name), &number) || number == 0 ||
            number > shell->n_args)
            return false;
        *items = &shell->args[number - 1];
        *n = 1;
        return true;
    }
    if (strcmp(name, "@") == 0 || strcmp(name, "*") == 0) {
        *items = shell->args;
        *n = shell->n_args;
        return true;
    }
    const struct shell_variable *variable = shell_find(shell, name);
    if (!variable)
        return false;
    long long index = 0;
    bool item = reference->index.len > 0 &&
                shell_number(shell, reference->index, &index);
    *items = variable->items;
    *n = variable->n;
    if (reference->all)
        return true;
    if (item && index < 0)
        index += (long long)variable->n;
    if ((size_t)index >= variable->n)
        return false;
    *items += index;
    *n = 1;
    return true;
}

/* True for the operators -, =, + and ?, with or without a colon. */
static bool is_default(struct text op)
{
    char c = text_char(op, text_char(op, 0) == ':');
    return c && strchr("-=+?", c);
}

/* Handles the operators for which is_default is true, as in ${x:-word}. Returns
 * false for any other operator. */
static bool with_default(struct shell *shell, const char *name,
                         const char *value, bool is_set, struct text op,
                         struct shell_words *out)
{
    bool colon = text_char(op, 0) == ':';
    char c = text_char(op, colon);
    bool counts = is_set && (!colon || value[0]);
    if (!is_default(op))
        return false;
    struct text word = text_skip(op, 1U + colon);
    if (c == '+') {
        if (counts)
            shell_words_put(out, shell_expand_one(shell, word));
        return true;
    }
    if (counts || c == '?') {
        shell_words_put(out, counts ? value : unknown(shell, name));
        return true;
    }
    const char *instead = shell_expand_one(shell, word);
    if (c == '=')
        shell_set(shell, name, instead);
    shell_words_put(out, instead);
    return true;
}

/* Adds the items, or only those in the slice if the reference has one, such as
 * ${@:2} or ${array[@]:1:3}. */
static void put_slice(struct shell *shell, const struct reference *reference,
                      const char *const *items, size_t n,
                      struct shell_words *out)
{
    long long from = 0, count = (long long)n;
    struct text second, first = reference->rest;
    bool arguments = strchr("@*", reference->name[0]) != NULL;
    if (text_char(first, 0) == ':' && !is_default(first)) {
        first = text_split(text_skip(first, 1), ':', &second);
        if (!shell_number(shell, first, &from))
            from = 0;
        from -= arguments && from > 0;
        if (second.len && !shell_number(shell, second, &count))
            count = (long long)n;
    }
    for (long long i = from < 0 ? 0 : from;
         i < (long long)n && i - from < count; i++)
        shell_words_put(out, items[i]);
}

/* Returns the path of the script for $0 and $BASH_SOURCE, and the folder for
 * $PWD; NULL for any other parameter, and for $0 and $BASH_SOURCE if there is
 * no script. */
static const char *own_name(struct shell *shell, const char *name)
{
    const char *path = NULL;
    if (strcmp(name, "0") == 0 || strcmp(name, "BASH_SOURCE") == 0)
        path = shell->path;
    else if (strcmp(name, "PWD") == 0)
        path = shell->dir;
    if (!path)
        return NULL;
    size_t room = strlen(path) + sizeof SHELL_ROOT + 1;
    char *text = arena_alloc(shell->arena, room);
    snprintf(text, room, "%s%s%s", SHELL_ROOT, *path ? "/" : "", path);
    return text;
}

/* Adds the length of a value or the number of items: ${#x} and ${#x[@]}. */
static void put_length(struct shell *shell, const struct reference *reference,
                       const char *const *items, size_t n,
                       struct shell_words *out)
{
    bool one = n && !reference->all;
    shell_words_put(out, format_number(shell, one ? (long long)strlen(items[0])
                                                  : (long long)n));
}

static bool is_positional(const char *name)
{
    return (ascii_is_digit(name[0]) && strcmp(name, "0") != 0) ||
           strchr("@*", name[0]);
}

/* Adds the value of a reference to one item. */
static void put_item(struct shell *shell, const struct reference *reference,
                     const char *value, bool is_set, struct shell_words *out)
{
    const char *name = reference->name;
    if (with_default(shell, name, value, is_set, reference->rest, out))
        return;
    if (!is_set && !is_positional(name))
        shell_words_put(out, unknown(shell, name));
    else if (is_set && shell_is_unknown(value))
        shell_words_put(out, value);
    else if (is_set)
        shell_words_put(out,
                        reference->rest.len ? unknown(shell, name) : value);
}

/* True if the default or the alternative of a reference to all items counts, as
 * in ${@:-x} without arguments. */
static bool takes_word(const struct reference *reference, size_t n)
{
    struct text op = reference->rest;
    bool alternative = text_char(op, text_char(op, 0) == ':') == '+';
    return is_default(op) && (n == 0 || alternative);
}

static void put_reference(struct shell *shell,
                          const struct reference *reference,
                          struct shell_words *out)
{
    const char *const *items = NULL;
    size_t n = 0;
    const char *own = own_name(shell, reference->name);
    bool is_set = own || items_of(shell, reference, &items, &n);
    if (own) {
        items = &own;
        n = 1;
    }
    long long index;
    if (reference->index.len && !reference->all &&
        !shell_number(shell, reference->index, &index))
        shell_words_put(out, unknown(shell, reference->name));
    else if (reference->length)
        put_length(shell, reference, items, is_set ? n : 0, out);
    else if (reference->all && is_set && !takes_word(reference, n))
        put_slice(shell, reference, items, n, out);
    else
        put_item(shell, reference, is_set && n ? items[0] : "",
                 is_set && (n || !reference->all), out);
}

static size_t name_length(struct text t)
{
    size_t n = 0;
    if (ascii_is_digit(text_char(t, 0))) {
        while (ascii_is_digit(text_char(t, n)))
            n++;
        return n;
    }
    while (ascii_is_name(text_char(t, n)))
        n++;
    if (n == 0 && t.len && strchr("@*#?$!-", t.at[0]) && t.at[0])
        n = 1;
    return n;
}

/* Reads what follows a dollar sign, without its braces. Returns false if it
 * names no parameter, and for ${!name}. */
static bool read_reference(struct text t, struct arena *arena,
                           struct reference *out)
{
    *out = (struct reference){0};
    if (text_char(t, 0) == '#' && t.len > 1) {
        out->length = true;
        t = text_skip(t, 1);
    }
    if (text_char(t, 0) == '!')
        return false;
    size_t n = name_length(t);
    if (n == 0)
        return false;
    out->name = arena_copy(arena, t.at, n);
    t = text_skip(t, n);
    out->all = strchr("@*", out->name[0]) != NULL;
    out->joined = out->name[0] == '*';
    if (text_char(t, 0) == '[') {
        size_t end = shell_bracket_end(t, 0);
        out->index = (struct text){t.at + 1, end > 2 ? end - 2 : 0};
        if (text_is(out->index, "@") || text_is(out->index, "*")) {
            out->all = true;
            out->joined = text_is(out->index, "*");
        }
        t = text_skip(t, end);
    }
    out->rest = t;
    return true;
}

static void put_number(struct shell *shell, struct text expression,
                       struct shell_words *out)
{
    long long value;
    shell_words_put(out, shell_number(shell, expression, &value)
                             ? format_number(shell, value)
                             : "$((?))");
}

/* Handles $#, $?, $$, $! and $-. Returns false for any other character. */
static bool put_special(struct shell *shell, char c, struct shell_words *out)
{
    char name[2] = {c, '\0'};
    if (c == '#')
        shell_words_put(out, format_number(shell, (long long)shell->n_args));
    else if (c == '?')
        shell_words_put(out, "0");
    else if (c == '!' || c == '$' || c == '-')
        shell_words_put(out, unknown(shell, name));
    else
        return false;
    return true;
}

static size_t braced(struct shell *shell, struct text t,
                     struct shell_words *out, bool *joins)
{
    size_t end = shell_bracket_end(t, 0);
    struct text inner = {t.at + 1, end >= 2 ? end - 2 : 0};
    struct reference reference;
    if (inner.len == 1 && put_special(shell, inner.at[0], out))
        return end;
    if (read_reference(inner, shell->arena, &reference)) {
        put_reference(shell, &reference, out);
        *joins = !reference.all || reference.joined;
    } else {
        shell_words_put(out, "${!}");
    }
    return end;
}

/* Handles $(...), $((...)) and $[...]. */
static size_t bracketed(struct shell *shell, struct text t,
                        struct shell_words *out)
{
    size_t end = shell_bracket_end(t, 0);
    bool sum = t.at[0] == '(' && text_char(t, 1) == '(' && end >= 4 &&
               text_char(t, end - 2) == ')';
    struct text inner = {t.at + 1, end >= 2 ? end - 2 : 0};
    if (sum)
        put_number(shell, (struct text){t.at + 2, end - 4}, out);
    else if (t.at[0] == '[')
        put_number(shell, inner, out);
    else
        shell_words_substitute(shell, inner, out);
    return end;
}

/* Handles $name, $1, $@ and $*. */
static size_t named(struct shell *shell, struct text t, size_t n,
                    struct shell_words *out, bool *joins)
{
    struct reference reference;
    n = ascii_is_digit(t.at[0]) ? 1 : n;
    if (!read_reference((struct text){t.at, n}, shell->arena, &reference))
        return 0;
    put_reference(shell, &reference, out);
    *joins = !reference.all || reference.joined;
    return n;
}

/* Expands the reference at the start of `t`, which begins
 * after the dollar sign, and returns its length; 0 if there is none. Adds the
 * values to `out`. Sets *joins to true if the values form one word. */
static size_t shell_parameter(struct shell *shell, struct text t,
                              struct shell_words *out, bool *joins)
{
    char c = text_char(t, 0);
    *joins = true;
    if (c == '(' || c == '[')
        return bracketed(shell, t, out);
    if (c == '{')
        return braced(shell, t, out, joins);
    size_t n = name_length(t);
    if (n == 0)
        return 0;
    if (c == '@' || c == '*' || ascii_is_name(c))
        return named(shell, t, n, out, joins);
    return put_special(shell, c, out) ? 1 : 0;
}
