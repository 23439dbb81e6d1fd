/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parses Python: tokens, expressions, compound statements. */

#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/text.h"
#include "schedmate/advisor/python/py_node.h"

/* Largest depth of nested expressions and blocks. */
enum { PY_DEPTH_MAX = 90 };

struct py_parser {
    const struct py_token *token; /* the next token */
    struct arena *arena;
    unsigned depth;
    bool bad; /* true if the statement is not Python or too deep */
};

/* A list that grows at its end. */
struct py_list {
    struct py_node *first, *last;
};

enum py_token_kind {
    PY_TOKEN_END,
    PY_TOKEN_NEWLINE,
    PY_TOKEN_INDENT,
    PY_TOKEN_DEDENT,
    PY_TOKEN_NAME,
    PY_TOKEN_NUMBER,
    PY_TOKEN_STRING, /* with its prefix and quotes */
    PY_TOKEN_OPERATOR,
};

struct py_token {
    enum py_token_kind kind;
    uint32_t line; /* from 1 */
    struct text text;
};

/* Largest number of tokens of a file; the rest of the file is not read. */
enum { PY_TOKENS_MAX = 200000 };

/* Splits Python source into tokens. */

enum { INDENTS_MAX = 60 };

struct py_parse_lexer {
    struct text source;
    size_t at;
    uint32_t line;
    size_t depth; /* number of open brackets */
    size_t indents[INDENTS_MAX];
    size_t n_indents;
    struct py_token *tokens;
    size_t n, cap;
};

static struct py_node *py_node(struct py_parser *parser, enum py_kind kind);
static struct py_node *py_expression(struct py_parser *parser);
static struct py_node *py_expressions(struct py_parser *parser);
static struct py_node *py_compound(struct py_parser *parser);
static struct py_node *py_comprehension(struct py_parser *parser,
                                        struct py_node *element,
                                        const char *bracket);
static struct py_node *py_element(struct py_parser *parser);
static struct py_node *py_parse_other(struct py_parser *parser);
static struct py_node *py_atom(struct py_parser *parser);

static void parse_add(struct py_parse_lexer *lexer, enum py_token_kind kind,
                      size_t from)
{
    if (lexer->n + 1 >= PY_TOKENS_MAX && kind != PY_TOKEN_END)
        return;
    lexer->tokens = mem_grow(lexer->tokens, &lexer->cap, lexer->n + 1,
                             sizeof *lexer->tokens);
    lexer->tokens[lexer->n++] = (struct py_token){
        kind, lexer->line, {lexer->source.at + from, lexer->at - from}};
}

static char peek(const struct py_parse_lexer *lexer, size_t ahead)
{
    return text_char(lexer->source, lexer->at + ahead);
}

/* Adds the tokens for the change of indentation at a line that has a token. */
static void take_indent(struct py_parse_lexer *lexer, size_t columns)
{
    size_t here = lexer->at;
    if (columns > lexer->indents[lexer->n_indents] &&
        lexer->n_indents + 1 < INDENTS_MAX) {
        lexer->indents[++lexer->n_indents] = columns;
        parse_add(lexer, PY_TOKEN_INDENT, here);
    }
    while (lexer->n_indents && columns < lexer->indents[lexer->n_indents]) {
        lexer->n_indents--;
        parse_add(lexer, PY_TOKEN_DEDENT, here);
    }
}

static void skip_comment(struct py_parse_lexer *lexer)
{
    while (lexer->at < lexer->source.len && peek(lexer, 0) != '\n')
        lexer->at++;
}

/* Reads the blanks at the start of a line. Lines without a token are skipped.
 */
static void start_line(struct py_parse_lexer *lexer)
{
    size_t columns = 0;
    for (; lexer->at < lexer->source.len; lexer->at++) {
        char c = peek(lexer, 0);
        if (c == '#')
            skip_comment(lexer), c = peek(lexer, 0);
        if (c == '\n') {
            columns = 0;
            lexer->line++;
        } else if (c == ' ') {
            columns++;
        } else if (c == '\t') {
            columns = (columns / 8 + 1) * 8;
        } else if (c != '\r' && c != '\f') {
            break;
        }
    }
    if (lexer->at < lexer->source.len)
        take_indent(lexer, columns);
}

/* Moves past the string whose opening quote is at lexer->at. */
static void pass_string(struct py_parse_lexer *lexer)
{
    char quote = peek(lexer, 0);
    bool triple = peek(lexer, 1) == quote && peek(lexer, 2) == quote;
    lexer->at += triple ? 3 : 1;
    while (lexer->at < lexer->source.len) {
        char c = peek(lexer, 0);
        if (c == '\n')
            lexer->line++;
        if (c == '\\' && lexer->at + 1 < lexer->source.len) {
            lexer->line += peek(lexer, 1) == '\n';
            lexer->at += 2;
            continue;
        }
        lexer->at++;
        if (!triple && (c == quote || c == '\n'))
            return;
        if (triple && c == quote && peek(lexer, 0) == quote &&
            peek(lexer, 1) == quote) {
            lexer->at += 2;
            return;
        }
    }
}

static void take_string(struct py_parse_lexer *lexer, size_t from)
{
    uint32_t line = lexer->line;
    pass_string(lexer);
    uint32_t end = lexer->line;
    lexer->line = line;
    parse_add(lexer, PY_TOKEN_STRING, from);
    lexer->line = end;
}

static bool is_word(char c)
{
    return ascii_is_name(c) || (unsigned char)c >= 128;
}

static void take_name(struct py_parse_lexer *lexer)
{
    size_t from = lexer->at;
    while (is_word(peek(lexer, 0)))
        lexer->at++;
    size_t n = lexer->at - from;
    char c = peek(lexer, 0);
    if (n <= 2 && (c == '"' || c == '\'') &&
        strchr("rRbBfFuU", lexer->source.at[from]))
        take_string(lexer, from);
    else
        parse_add(lexer, PY_TOKEN_NAME, from);
}

static void take_number(struct py_parse_lexer *lexer)
{
    size_t from = lexer->at;
    bool is_hex = peek(lexer, 0) == '0' && (peek(lexer, 1) | 32) == 'x';
    for (;; lexer->at++) {
        char c = peek(lexer, 0),
             last = lexer->at > from ? lexer->source.at[lexer->at - 1] : 0;
        bool sign = (c == '+' || c == '-') && (last | 32) == 'e' && !is_hex;
        if (!ascii_is_name(c) && c != '.' && !sign)
            break;
    }
    parse_add(lexer, PY_TOKEN_NUMBER, from);
}

static void take_operator(struct py_parse_lexer *lexer)
{
    static const char *const longer[] = {
        "**=", "//=", ">>=", "<<=", "...", "**", "//", "==",
        "!=",  "<=",  ">=",  "->",  "+=",  "-=", "*=", "/=",
        "%=",  "&=",  "|=",  "^=",  "@=",  ":=", "<<", ">>"};
    size_t from = lexer->at, n = 1;
    for (size_t i = 0; i < sizeof longer / sizeof *longer && n == 1; i++) {
        struct text rest = text_skip(lexer->source, from);
        if (text_starts(rest, longer[i]))
            n = strlen(longer[i]);
    }
    char c = peek(lexer, 0);
    lexer->at += n;
    if (c && strchr("([{", c))
        lexer->depth++;
    else if (c && strchr(")]}", c) && lexer->depth)
        lexer->depth--;
    parse_add(lexer, PY_TOKEN_OPERATOR, from);
}

static void take_line_end(struct py_parse_lexer *lexer)
{
    size_t from = lexer->at++;
    if (!lexer->depth)
        parse_add(lexer, PY_TOKEN_NEWLINE, from);
    lexer->line++;
    if (!lexer->depth)
        start_line(lexer);
}

static void parse_take_token(struct py_parse_lexer *lexer)
{
    char c = peek(lexer, 0);
    if (c == '\n')
        take_line_end(lexer);
    else if (c == '\\' && (peek(lexer, 1) == '\n' || peek(lexer, 1) == '\r'))
        lexer->line += peek(lexer, 1) == '\n', lexer->at += 2;
    else if (!c || strchr(" \t\r\f", c))
        lexer->at++;
    else if (c == '#')
        skip_comment(lexer);
    else if (c == '"' || c == '\'')
        take_string(lexer, lexer->at);
    else if (ascii_is_digit(c) || (c == '.' && ascii_is_digit(peek(lexer, 1))))
        take_number(lexer);
    else if (is_word(c))
        take_name(lexer);
    else
        take_operator(lexer);
}

/* Returns the tokens of a file; the last one is PY_TOKEN_END. The texts are
 * parts of `source`; the array lies in the arena. Comments and blank lines give
 * no token. An indentation that fits no outer one counts as the nearest smaller
 * one. */
static const struct py_token *py_tokens(struct text source, struct arena *arena)
{
    struct py_parse_lexer lexer = {.source = source, .line = 1};
    if (text_starts(source, "\xef\xbb\xbf"))
        lexer.at = 3;
    start_line(&lexer);
    while (lexer.at < source.len && lexer.n + 1 < PY_TOKENS_MAX)
        parse_take_token(&lexer);
    parse_add(&lexer, PY_TOKEN_NEWLINE, lexer.at);
    while (lexer.n_indents--)
        parse_add(&lexer, PY_TOKEN_DEDENT, lexer.at);
    parse_add(&lexer, PY_TOKEN_END, lexer.at);
    struct py_token *out = arena_alloc(arena, lexer.n * sizeof *out);
    memcpy(out, lexer.tokens, lexer.n * sizeof *out);
    free(lexer.tokens);
    return out;
}

/* Parses the expressions of Python by precedence climbing. */

static struct py_node *py_node(struct py_parser *parser, enum py_kind kind)
{
    struct py_node *node = ARENA_NEW(parser->arena, struct py_node);
    node->kind = kind;
    node->line = parser->token->line;
    return node;
}

static void py_append(struct py_list *list, struct py_node *node)
{
    if (list->last)
        list->last->next = node;
    else
        list->first = node;
    list->last = node;
}

static bool py_is(const struct py_parser *parser, const char *word)
{
    const struct py_token *token = parser->token;
    return (token->kind == PY_TOKEN_NAME || token->kind == PY_TOKEN_OPERATOR) &&
           text_is(token->text, word);
}

/* Takes the next token if it is this operator or keyword. */
static bool py_take(struct py_parser *parser, const char *word)
{
    if (!py_is(parser, word))
        return false;
    parser->token++;
    return true;
}

/* Takes the next token if it is this operator or keyword; otherwise marks the
 * statement as bad. */
static void py_expect(struct py_parser *parser, const char *word)
{
    if (!py_take(parser, word))
        parser->bad = true;
}

static struct text py_take_name(struct py_parser *parser)
{
    struct text name = parser->token->text;
    if (parser->token->kind != PY_TOKEN_NAME) {
        parser->bad = true;
        return (struct text){"", 0};
    }
    parser->token++;
    return name;
}

static bool expression_starts_comprehension(const struct py_parser *parser)
{
    return py_is(parser, "for") || py_is(parser, "async");
}

static struct py_node *py_arguments(struct py_parser *parser)
{
    struct py_list arguments = {0};
    while (!parser->bad && !py_is(parser, ")")) {
        struct py_node *argument = py_node(parser, PY_ARG);
        const struct py_token *next = parser->token + 1;
        if (py_is(parser, "*") || py_is(parser, "**")) {
            argument->text = parser->token++->text;
        } else if (parser->token->kind == PY_TOKEN_NAME &&
                   next->kind == PY_TOKEN_OPERATOR &&
                   text_is(next->text, "=")) {
            argument->text = parser->token->text;
            parser->token += 2;
        }
        argument->a = py_expression(parser);
        if (expression_starts_comprehension(parser))
            argument->a = py_comprehension(parser, argument->a, "(");
        py_append(&arguments, argument);
        if (!py_take(parser, ","))
            break;
    }
    return arguments.first;
}

/* Parses the text between [ and ]: an index, a slice or several of them. */
static struct py_node *index_of(struct py_parser *parser)
{
    struct py_node *slice = py_node(parser, PY_SLICE);
    bool is_slice = false;
    for (int i = 0; !parser->bad && !py_is(parser, "]") && i < 64; i++) {
        if (py_take(parser, ":") || py_take(parser, ","))
            is_slice = true;
        else if (!is_slice)
            slice->a = py_expressions(parser);
        else
            slice->b = py_expressions(parser);
    }
    return is_slice ? slice : slice->a;
}

static struct py_node *postfix(struct py_parser *parser)
{
    py_take(parser, "await");
    struct py_node *node = py_atom(parser), *outer;
    while (!parser->bad) {
        if (py_is(parser, "(")) {
            outer = py_node(parser, PY_CALL);
            parser->token++;
            outer->b = py_arguments(parser);
            py_expect(parser, ")");
        } else if (py_is(parser, ".")) {
            outer = py_node(parser, PY_ATTR);
            parser->token++;
            outer->text = py_take_name(parser);
        } else if (py_is(parser, "[")) {
            outer = py_node(parser, PY_INDEX);
            parser->token++;
            outer->b = index_of(parser);
            py_expect(parser, "]");
        } else {
            break;
        }
        outer->a = node;
        node = outer;
    }
    return node;
}

/* Returns the precedence of the binary operator that comes next; 0 if there is
 * none. Sets *is_not_in to true for `not in`, which is two tokens. */
static unsigned strength_of(const struct py_parser *parser, bool *is_not_in)
{
    static const struct {
        const char *word;
        unsigned strength;
    } rows[] = {{"or", 1}, {"and", 2}, {"in", 4}, {"is", 4}, {"<", 4},
                {">", 4},  {"==", 4},  {"!=", 4}, {"<=", 4}, {">=", 4},
                {"|", 5},  {"^", 6},   {"&", 7},  {"<<", 8}, {">>", 8},
                {"+", 9},  {"-", 9},   {"*", 10}, {"/", 10}, {"//", 10},
                {"%", 10}, {"@", 10},  {"**", 12}};
    *is_not_in = py_is(parser, "not") && text_is(parser->token[1].text, "in");
    if (*is_not_in)
        return 4;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (py_is(parser, rows[i].word))
            return rows[i].strength;
    }
    return 0;
}

static struct py_node *parse_binary(struct py_parser *parser, unsigned least);

static struct py_node *parse_unary(struct py_parser *parser)
{
    bool is_not = py_is(parser, "not");
    if (!is_not && !py_is(parser, "-") && !py_is(parser, "+") &&
        !py_is(parser, "~"))
        return postfix(parser);
    struct py_node *node = py_node(parser, PY_UNARY);
    node->text = parser->token++->text;
    node->a = parse_binary(parser, is_not ? 4 : 11);
    return node;
}

static struct py_node *join(struct py_parser *parser, struct py_node *left,
                            unsigned strength, bool is_not_in)
{
    struct py_node *node = py_node(parser, strength <= 2   ? PY_BOOL
                                           : strength == 4 ? PY_COMPARE
                                                           : PY_BINARY);
    node->text = parser->token++->text;
    if (is_not_in) {
        parser->token++;
        node->text = text_from("not in");
    } else if (text_is(node->text, "is") && py_take(parser, "not")) {
        node->text = text_from("is not");
    }
    node->a = left;
    node->b = parse_binary(parser, strength == 12 ? 11 : strength + 1);
    return node;
}

static struct py_node *parse_binary(struct py_parser *parser, unsigned least)
{
    if (++parser->depth > PY_DEPTH_MAX)
        parser->bad = true;
    struct py_node *left =
        parser->bad ? py_node(parser, PY_OTHER) : parse_unary(parser);
    bool is_not_in;
    unsigned strength;
    while (!parser->bad && (strength = strength_of(parser, &is_not_in)) &&
           strength >= least) {
        struct py_node *node = join(parser, left, strength, is_not_in);
        /* a < b < c is a < b and b < c */
        if (strength == 4 && left->kind == PY_COMPARE) {
            struct py_node *both = py_node(parser, PY_BOOL);
            both->text = text_from("and");
            node->a = left->b;
            both->a = left;
            both->b = node;
            node = both;
        }
        left = node;
    }
    parser->depth--;
    return left;
}

/* py_expression parses one expression; py_expressions, one or more, which make
 * a tuple if there is a comma; py_arguments, the arguments of a call up to its
 * closing bracket, which is not taken. */
static struct py_node *py_expression(struct py_parser *parser)
{
    struct py_node *node = parse_binary(parser, 1), *outer;
    if (py_is(parser, ":=")) {
        outer = py_node(parser, PY_WALRUS);
        parser->token++;
        outer->a = node;
        outer->b = py_expression(parser);
        return outer;
    }
    if (parser->bad || !py_is(parser, "if"))
        return node;
    outer = py_node(parser, PY_COND);
    parser->token++;
    outer->b = node;
    outer->a = parse_binary(parser, 1);
    /* The condition of a comprehension has no `else`. */
    if (!py_take(parser, "else")) {
        outer->kind = PY_OTHER;
        return outer;
    }
    if (++parser->depth > PY_DEPTH_MAX)
        parser->bad = true;
    else
        outer->c = py_expression(parser);
    parser->depth--;
    return outer;
}

static struct py_node *py_expressions(struct py_parser *parser)
{
    struct py_node *node = py_element(parser);
    if (!py_is(parser, ","))
        return node;
    struct py_node *tuple = py_node(parser, PY_TUPLE);
    struct py_list items = {0};
    py_append(&items, node);
    while (!parser->bad && py_take(parser, ",")) {
        enum py_token_kind kind = parser->token->kind;
        if (kind == PY_TOKEN_NEWLINE || py_is(parser, "=") ||
            py_is(parser, ")") || py_is(parser, "]") || py_is(parser, ":"))
            break;
        py_append(&items, py_element(parser));
    }
    tuple->a = items.first;
    return tuple;
}

static struct py_node *statement(struct py_parser *parser);

/* Parses a colon and the statements after it: those on the same line, or an
 * indented block. */
static struct py_node *py_block(struct py_parser *parser)
{
    struct py_list list = {0};
    py_expect(parser, ":");
    if (parser->bad)
        return NULL;
    if (parser->token->kind != PY_TOKEN_NEWLINE) {
        py_append(&list, statement(parser));
        return list.first;
    }
    parser->token++;
    if (parser->token->kind != PY_TOKEN_INDENT)
        return NULL;
    parser->token++;
    if (++parser->depth > PY_DEPTH_MAX)
        parser->bad = true;
    while (!parser->bad && parser->token->kind != PY_TOKEN_DEDENT &&
           parser->token->kind != PY_TOKEN_END) {
        struct py_node *node = statement(parser);
        if (node)
            py_append(&list, node);
    }
    parser->depth--;
    if (parser->token->kind == PY_TOKEN_DEDENT)
        parser->token++;
    return list.first;
}

/* Reads a dotted name such as a.b.c or ..a as one text. */
static struct text dotted(struct py_parser *parser)
{
    const struct py_token *first = parser->token;
    struct text text = {first->text.at, 0};
    while (py_is(parser, ".") || py_is(parser, "...") ||
           (parser->token->kind == PY_TOKEN_NAME && !py_is(parser, "import") &&
            !py_is(parser, "as"))) {
        text.len = (size_t)(parser->token->text.at - text.at) +
                   parser->token->text.len;
        parser->token++;
    }
    return text;
}

static struct py_node *aliases(struct py_parser *parser)
{
    struct py_list list = {0};
    bool bracket = py_take(parser, "(");
    for (int i = 0; !parser->bad && i < 400; i++) {
        struct py_node *node = py_node(parser, PY_ALIAS);
        if (py_is(parser, "*"))
            node->text = parser->token++->text;
        else
            node->text = dotted(parser);
        if (py_take(parser, "as")) {
            node->a = py_node(parser, PY_NAME);
            node->a->text = py_take_name(parser);
        }
        py_append(&list, node);
        if (!py_take(parser, ",") || py_is(parser, ")"))
            break;
    }
    if (bracket)
        py_expect(parser, ")");
    return list.first;
}

static struct py_node *import_of(struct py_parser *parser)
{
    bool from = py_is(parser, "from");
    struct py_node *node = py_node(parser, from ? PY_FROM : PY_IMPORT);
    parser->token++;
    if (from) {
        node->text = dotted(parser);
        py_expect(parser, "import");
    }
    node->a = aliases(parser);
    return node;
}

static bool is_augmented(const struct py_token *token)
{
    size_t n = token->text.len;
    return token->kind == PY_TOKEN_OPERATOR && n >= 2 &&
           token->text.at[n - 1] == '=' && !strchr("=!<>:", token->text.at[0]);
}

static struct py_node *parse_assignment(struct py_parser *parser)
{
    struct py_node *node = py_node(parser, PY_EXPR);
    node->a = py_expressions(parser);
    if (is_augmented(parser->token)) {
        node->kind = PY_AUG;
        node->text = parser->token++->text;
        node->text.len--;
        node->b = py_expressions(parser);
    } else if (py_take(parser, ":")) {
        node->kind = PY_ANN;
        node->b = py_expression(parser);
        if (py_take(parser, "="))
            node->c = py_expressions(parser);
    } else if (py_is(parser, "=")) {
        struct py_list targets = {0};
        node->kind = PY_ASSIGN;
        node->b = node->a;
        while (!parser->bad && py_take(parser, "=")) {
            py_append(&targets, node->b);
            node->b = py_expressions(parser);
        }
        node->a = targets.first;
    }
    return node;
}

static struct py_node *globals(struct py_parser *parser)
{
    struct py_node *node = py_node(parser, PY_GLOBAL);
    node->text = parser->token->text;
    struct py_list list = {0};
    do {
        parser->token++;
        struct py_node *name = py_node(parser, PY_NAME);
        name->text = py_take_name(parser);
        py_append(&list, name);
    } while (!parser->bad && py_is(parser, ","));
    node->a = list.first;
    return node;
}

static struct py_node *jump(struct py_parser *parser)
{
    struct py_node *node = py_node(parser, PY_JUMP);
    node->text = parser->token->text;
    if (py_take(parser, "del"))
        node->a = py_expressions(parser);
    while (parser->token->kind != PY_TOKEN_NEWLINE &&
           parser->token->kind != PY_TOKEN_END && !py_is(parser, ";"))
        parser->token++;
    return node;
}

static struct py_node *return_of(struct py_parser *parser)
{
    struct py_node *node = py_node(parser, PY_RETURN);
    parser->token++;
    if (parser->token->kind != PY_TOKEN_NEWLINE && !py_is(parser, ";"))
        node->a = py_expressions(parser);
    return node;
}

static struct py_node *simple(struct py_parser *parser)
{
    static const struct {
        const char *word;
        struct py_node *(*parse)(struct py_parser *);
    } rows[] = {
        {"return", return_of}, {"import", import_of}, {"from", import_of},
        {"global", globals},   {"nonlocal", globals}, {"pass", jump},
        {"break", jump},       {"continue", jump},    {"raise", jump},
        {"assert", jump},      {"del", jump}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (py_is(parser, rows[i].word))
            return rows[i].parse(parser);
    }
    return parse_assignment(parser);
}

/* Skips the rest of a statement that is not Python, with its block. */
static void recover(struct py_parser *parser)
{
    size_t depth = 0;
    parser->bad = false;
    while (parser->token->kind != PY_TOKEN_NEWLINE &&
           parser->token->kind != PY_TOKEN_END &&
           parser->token->kind != PY_TOKEN_DEDENT)
        parser->token++;
    if (parser->token->kind == PY_TOKEN_NEWLINE)
        parser->token++;
    if (parser->token->kind != PY_TOKEN_INDENT)
        return;
    do {
        depth += parser->token->kind == PY_TOKEN_INDENT;
        depth -= parser->token->kind == PY_TOKEN_DEDENT;
        parser->token++;
    } while (depth && parser->token->kind != PY_TOKEN_END);
}

/* Parses a statement, or all statements of a line, which then make one PY_TRY.
 * Returns NULL if one of them is not valid Python. */
static struct py_node *statement(struct py_parser *parser)
{
    const struct py_token *start = parser->token;
    struct py_list line = {0};
    struct py_node *node = py_compound(parser);
    if (!node) {
        do {
            py_append(&line, simple(parser));
        } while (!parser->bad && py_take(parser, ";") &&
                 parser->token->kind != PY_TOKEN_NEWLINE);
        if (parser->token->kind == PY_TOKEN_NEWLINE)
            parser->token++;
        else
            parser->bad = true;
        node = line.first;
        if (node && node->next) {
            struct py_node *both = py_node(parser, PY_TRY);
            both->b = node;
            node = both;
        }
    }
    if (!parser->bad)
        return node;
    recover(parser);
    if (parser->token == start && parser->token->kind != PY_TOKEN_END)
        parser->token++;
    return NULL;
}

struct py_node *py_parse(struct text source, struct arena *arena)
{
    struct py_parser parser = {.token = py_tokens(source, arena),
                               .arena = arena};
    struct py_list list = {0};
    while (parser.token->kind != PY_TOKEN_END) {
        enum py_token_kind kind = parser.token->kind;
        if (kind == PY_TOKEN_INDENT || kind == PY_TOKEN_DEDENT ||
            kind == PY_TOKEN_NEWLINE) {
            parser.token++;
            continue;
        }
        struct py_node *node = statement(&parser);
        parser.depth = 0;
        if (node)
            py_append(&list, node);
    }
    return list.first;
}

/* Parses the statements of Python that hold blocks. */

/* Parses parameters up to `end`, which is not taken. Annotations are only read
 * if `typed`. */
static struct py_node *py_parameters(struct py_parser *parser, const char *end,
                                     bool typed)
{
    struct py_list list = {0};
    while (!parser->bad && !py_is(parser, end)) {
        struct py_node *node = py_node(parser, PY_PARAM);
        bool star = py_is(parser, "*") || py_is(parser, "**");
        if (star) {
            node->c = py_node(parser, PY_STAR);
            node->c->text = parser->token++->text;
        }
        if (!py_take(parser, "/") && !(star && py_is(parser, ",")))
            node->text = py_take_name(parser);
        if (typed && py_take(parser, ":"))
            node->a = py_expression(parser);
        if (py_take(parser, "="))
            node->b = py_expression(parser);
        if (node->text.len)
            py_append(&list, node);
        if (!py_take(parser, ","))
            break;
    }
    return list.first;
}

static struct py_node *function(struct py_parser *parser,
                                struct py_node *decorators)
{
    struct py_node *node = py_node(parser, PY_DEF);
    parser->token++;
    node->c = decorators;
    node->text = py_take_name(parser);
    py_expect(parser, "(");
    node->a = py_parameters(parser, ")", true);
    py_expect(parser, ")");
    if (py_take(parser, "->"))
        py_expression(parser);
    node->b = py_block(parser);
    return node;
}

static struct py_node *parse_class_of(struct py_parser *parser,
                                      struct py_node *decorators)
{
    struct py_node *node = py_node(parser, PY_CLASS);
    parser->token++;
    node->c = decorators;
    node->text = py_take_name(parser);
    if (py_take(parser, "(")) {
        node->a = py_arguments(parser);
        py_expect(parser, ")");
    }
    node->b = py_block(parser);
    return node;
}

static struct py_node *decorated(struct py_parser *parser)
{
    struct py_list list = {0};
    while (!parser->bad && py_take(parser, "@")) {
        struct py_node *node = py_node(parser, PY_EXPR);
        node->a = py_expression(parser);
        py_append(&list, node);
        if (parser->token->kind == PY_TOKEN_NEWLINE)
            parser->token++;
    }
    py_take(parser, "async");
    if (py_is(parser, "class"))
        return parse_class_of(parser, list.first);
    if (py_is(parser, "def"))
        return function(parser, list.first);
    parser->bad = true;
    return NULL;
}

static struct py_node *if_of(struct py_parser *parser)
{
    struct py_node *node = py_node(parser, PY_IF);
    parser->token++;
    node->a = py_expression(parser);
    node->b = py_block(parser);
    if (parser->bad)
        return node;
    if (py_is(parser, "elif")) {
        if (++parser->depth > PY_DEPTH_MAX)
            parser->bad = true;
        else
            node->c = if_of(parser);
        parser->depth--;
    } else if (py_take(parser, "else")) {
        node->c = py_block(parser);
    }
    return node;
}

static struct py_node *for_of(struct py_parser *parser)
{
    struct py_node *node = py_node(parser, PY_FOR);
    parser->token++;
    struct py_list names = {0};
    bool comma = false;
    do {
        /* an item of the target: a name, an attribute or names in brackets */
        bool bracket = py_take(parser, "(");
        struct py_node *name = py_node(parser, PY_NAME);
        name->text = py_take_name(parser);
        while (py_take(parser, ".") || (bracket && py_take(parser, ",")))
            py_take_name(parser), name->kind = PY_OTHER;
        if (bracket)
            py_expect(parser, ")");
        py_append(&names, name);
        comma |= py_is(parser, ",");
    } while (!parser->bad && py_take(parser, ",") && !py_is(parser, "in"));
    node->a = names.first;
    if (comma) {
        node->a = py_node(parser, PY_TUPLE);
        node->a->a = names.first;
    }
    py_expect(parser, "in");
    node->b = py_expressions(parser);
    node->c = py_block(parser);
    if (py_take(parser, "else"))
        py_block(parser);
    return node;
}

static struct py_node *while_of(struct py_parser *parser)
{
    struct py_node *node = py_node(parser, PY_WHILE);
    parser->token++;
    node->a = py_expression(parser);
    node->b = py_block(parser);
    if (py_take(parser, "else"))
        py_block(parser);
    return node;
}

static struct py_node *last_of(struct py_node *list)
{
    while (list && list->next)
        list = list->next;
    return list;
}

/* Parses try. The handlers are left out, because a job that trains usually
 * raises no exception. */
static struct py_node *try_of(struct py_parser *parser)
{
    struct py_node *node = py_node(parser, PY_TRY), *last, *more;
    parser->token++;
    node->b = py_block(parser);
    while (!parser->bad && py_take(parser, "except")) {
        py_take(parser, "*");
        if (!py_is(parser, ":"))
            py_expressions(parser);
        if (py_take(parser, "as"))
            py_take_name(parser);
        py_block(parser);
    }
    if (py_take(parser, "else")) {
        more = py_block(parser);
        last = last_of(node->b);
        if (last)
            last->next = more;
    }
    if (py_take(parser, "finally"))
        node->c = py_block(parser);
    return node;
}

static struct py_node *with_of(struct py_parser *parser)
{
    struct py_node *node = py_node(parser, PY_WITH);
    struct py_list items = {0};
    parser->token++;
    bool bracket = py_is(parser, "(");
    const struct py_token *start = parser->token;
    parser->token += bracket;
    for (int i = 0; !parser->bad && i < 32; i++) {
        struct py_node *item = py_node(parser, PY_PAIR);
        item->a = py_expression(parser);
        if (py_take(parser, "as"))
            item->b = py_expression(parser);
        py_append(&items, item);
        if (!py_take(parser, ",") || py_is(parser, ")"))
            break;
    }
    if (bracket && (!py_take(parser, ")") || !py_is(parser, ":"))) {
        /* The bracket belongs to the expression: with (a or b) as c */
        parser->bad = false;
        parser->token = start;
        items = (struct py_list){0};
        py_append(&items, py_node(parser, PY_PAIR));
        items.first->a = py_expression(parser);
        if (py_take(parser, "as"))
            items.first->b = py_expression(parser);
    }
    node->a = items.first;
    node->b = py_block(parser);
    return node;
}

/* Parses a statement that holds a block; NULL if the next statement has no
 * block. */
static struct py_node *py_compound(struct py_parser *parser)
{
    static const struct {
        const char *word;
        struct py_node *(*parse)(struct py_parser *);
    } rows[] = {{"if", if_of},   {"for", for_of},   {"while", while_of},
                {"try", try_of}, {"with", with_of}, {"@", decorated}};
    py_take(parser, "async");
    if (py_is(parser, "def"))
        return function(parser, NULL);
    if (py_is(parser, "class"))
        return parse_class_of(parser, NULL);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (py_is(parser, rows[i].word))
            return rows[i].parse(parser);
    }
    return NULL;
}

/* Parses the names, literals and collections of Python. */

/* Parses `for b in c if ...` after an element of a collection. A condition or a
 * further loop makes the value unknown. */
static struct py_node *py_comprehension(struct py_parser *parser,
                                        struct py_node *element,
                                        const char *bracket)
{
    struct py_node *node = py_node(parser, PY_COMP), *other;
    node->text = text_from(bracket);
    node->a = element;
    py_take(parser, "async");
    py_expect(parser, "for");
    /* The target ends at `in`, which would be an operator in an expression. */
    struct py_list names = {0};
    do {
        py_take(parser, "(");
        other = py_node(parser, PY_NAME);
        other->text = py_take_name(parser);
        py_take(parser, ")");
        py_append(&names, other);
    } while (!parser->bad && py_take(parser, ",") && !py_is(parser, "in"));
    node->b = py_node(parser, PY_TUPLE);
    node->b->a = names.first;
    if (names.first == names.last)
        node->b = names.first;
    py_expect(parser, "in");
    node->c = py_expression(parser);
    while (!parser->bad && (py_is(parser, "if") || py_is(parser, "for"))) {
        node->kind = PY_OTHER;
        if (py_take(parser, "if")) {
            py_expression(parser);
        } else {
            py_take(parser, "for");
            while (!py_is(parser, "in") &&
                   parser->token->kind != PY_TOKEN_NEWLINE)
                parser->token++;
            py_expect(parser, "in");
            py_expression(parser);
        }
    }
    return node;
}

static bool atom_starts_comprehension(const struct py_parser *parser)
{
    return py_is(parser, "for") || py_is(parser, "async");
}

/* Parses an item of a collection, with or without a star. */
static struct py_node *py_element(struct py_parser *parser)
{
    if (!py_is(parser, "*"))
        return py_expression(parser);
    struct py_node *node = py_node(parser, PY_STAR);
    parser->token++;
    node->a = py_expression(parser);
    return node;
}

/* Parses a list or tuple with its brackets, or an expression in parentheses. */
static struct py_node *sequence(struct py_parser *parser, const char *open,
                                const char *close)
{
    struct py_node *node = py_node(parser, open[0] == '[' ? PY_LIST : PY_TUPLE);
    struct py_list items = {0};
    bool comma = false;
    parser->token++;
    while (!parser->bad && !py_is(parser, close)) {
        py_append(&items, py_element(parser));
        if (atom_starts_comprehension(parser))
            node = py_comprehension(parser, items.first, open);
        comma = py_take(parser, ",");
        if (!comma)
            break;
    }
    py_expect(parser, close);
    if (node->kind == PY_COMP || node->kind == PY_OTHER)
        return node;
    if (open[0] == '(' && items.first && items.first == items.last && !comma)
        return items.first;
    node->a = items.first;
    return node;
}

static struct py_node *pair(struct py_parser *parser, bool *is_set)
{
    struct py_node *node = py_node(parser, PY_PAIR);
    if (py_take(parser, "**")) {
        node->b = py_expression(parser);
        return node;
    }
    node->a = py_element(parser);
    *is_set = !py_take(parser, ":");
    if (!*is_set)
        node->b = py_expression(parser);
    return *is_set ? node->a : node;
}

static struct py_node *dictionary(struct py_parser *parser)
{
    struct py_node *node = py_node(parser, PY_DICT);
    struct py_list items = {0};
    bool is_set = false;
    parser->token++;
    while (!parser->bad && !py_is(parser, "}")) {
        py_append(&items, pair(parser, &is_set));
        if (atom_starts_comprehension(parser))
            node = py_comprehension(parser, items.first, "{");
        if (!py_take(parser, ","))
            break;
    }
    py_expect(parser, "}");
    if (node->kind != PY_DICT)
        return node;
    node->kind = is_set ? PY_SET : PY_DICT;
    node->a = items.first;
    return node;
}

static struct py_node *strings(struct py_parser *parser)
{
    struct py_node *first = NULL, **link = &first;
    while (parser->token->kind == PY_TOKEN_STRING) {
        *link = py_node(parser, PY_STRING);
        (*link)->text = parser->token++->text;
        link = &(*link)->a;
    }
    return first;
}

static struct py_node *lambda(struct py_parser *parser)
{
    struct py_node *node = py_node(parser, PY_LAMBDA);
    parser->token++;
    node->a = py_parameters(parser, ":", false);
    py_expect(parser, ":");
    node->b = py_expression(parser);
    return node;
}

static bool is_const(struct text name)
{
    return text_is(name, "True") || text_is(name, "False") ||
           text_is(name, "None");
}

static struct py_node *py_parse_other(struct py_parser *parser)
{
    struct py_node *node = py_node(parser, PY_OTHER);
    parser->token++;
    py_take(parser, "from");
    if (parser->token->kind != PY_TOKEN_NEWLINE && !py_is(parser, ")"))
        node->a = py_expressions(parser);
    return node;
}

/* Parses an expression without operators: a name, a literal, a collection, an
 * expression in brackets, `lambda` or `yield`. */
static struct py_node *py_atom(struct py_parser *parser)
{
    const struct py_token *token = parser->token;
    struct py_node *node;
    if (token->kind == PY_TOKEN_STRING)
        return strings(parser);
    if (py_is(parser, "("))
        return sequence(parser, "(", ")");
    if (py_is(parser, "["))
        return sequence(parser, "[", "]");
    if (py_is(parser, "{"))
        return dictionary(parser);
    if (py_is(parser, "lambda"))
        return lambda(parser);
    if (py_is(parser, "yield"))
        return py_parse_other(parser);
    node = py_node(parser, PY_OTHER);
    if (token->kind == PY_TOKEN_NUMBER)
        node->kind = PY_NUMBER;
    else if (token->kind == PY_TOKEN_NAME)
        node->kind = is_const(token->text) ? PY_CONST : PY_NAME;
    else if (!py_is(parser, "..."))
        parser->bad = true;
    node->text = token->text;
    parser->token += !parser->bad;
    return node;
}
