/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tables that a person or a terminal laid out: titles and comments before the
 * header, borders of '|' and rules of '-', totals at the end, or blanks between
 * the columns. */
#include <string.h>

#include "base/ascii.h"
#include "base/rows.h"
#include "traces/formats/records_internal.h"

#define RECORDS_TIDY_HEAD_LINES 30

bool records_is_rule(struct text line)
{
    line = text_trim(line);
    size_t dashes = 0;
    for (size_t i = 0; i < line.len; i++) {
        if (!strchr("=-+|: \t\r", line.at[i]))
            return false;
        dashes += line.at[i] == '-' || line.at[i] == '=';
    }
    return dashes >= 3;
}

static struct text tidy_take_line(struct text *t)
{
    struct text line = text_split(*t, '\n', t);
    if (line.len && line.at[line.len - 1] == '\r')
        line.len--;
    return line;
}

/* Returns the number of cells that are not empty. */
static size_t tidy_filled(struct text line, char separator)
{
    size_t n = 0;
    bool quoted = false, any = false;
    for (size_t i = 0; i <= line.len; i++) {
        const char c = i < line.len ? line.at[i] : separator;
        quoted ^= c == '"';
        if (c == separator && !quoted) {
            n += any;
            any = false;
        } else if (!is_blank(c) && c != '"') {
            any = true;
        }
    }
    return n;
}

/* Returns true for a rule with a run of dashes for each column. */
static bool is_ruler(struct text line)
{
    size_t runs = 0;
    line = text_trim(line);
    for (size_t i = 0; i < line.len; i++) {
        if (!strchr("-= ", line.at[i]))
            return false;
        runs += line.at[i] != ' ' && (i == 0 || line.at[i - 1] == ' ');
    }
    return runs >= 3;
}

/* Returns the text from the line above a ruler on; an empty text if the first
 * lines have no ruler. */
static struct text from_ruled(struct text t)
{
    struct text above = {"", 0};
    for (int i = 0; i < RECORDS_TIDY_HEAD_LINES && t.len; i++) {
        const struct text before = t, line = tidy_take_line(&t);
        if (is_ruler(line) && above.len)
            return above;
        above = before;
    }
    return (struct text){"", 0};
}

/* Returns true if a cell of the line begins with a digit and is no word. */
static bool has_numbers(struct text line)
{
    for (size_t i = 0; i < line.len; i++) {
        const char before = i ? line.at[i - 1] : ' ';
        if (ascii_is_digit(line.at[i]) && strchr(" \t;|,\"", before))
            return true;
    }
    return false;
}

/* Skips comments before a header: lines that begin with '#'. A comment is the
 * header itself if the line after the comments is a job with as many cells. */
static struct text skip_comments(struct text t, char separator)
{
    struct text comment = {"", 0};
    while (text_char(t, 0) == '#') {
        comment = t;
        tidy_take_line(&t);
    }
    if (!comment.len || !t.len)
        return comment.len ? comment : t;
    struct text rest = t, title = comment;
    const struct text line = tidy_take_line(&rest);
    const struct text last = text_skip(tidy_take_line(&title), 1);
    const size_t n = tidy_filled(line, separator),
                 m = tidy_filled(last, separator);
    return has_numbers(line) && m >= 3 && m <= n ? comment : t;
}

/* Returns the separator of a table: the one of which most lines have several;
 * a blank if none has. */
static char separator_of(struct text head)
{
    static const char separators[] = "\t;|,";
    if (from_ruled(head).len)
        return ' ';
    char best = ' ';
    size_t most = 0;
    for (const char *s = separators; *s; s++) {
        struct text rest = head;
        size_t n = 0, n_lines = 0;
        for (int i = 0; i < RECORDS_TIDY_HEAD_LINES && rest.len; i++) {
            const struct text line = tidy_take_line(&rest);
            if (!line.len || records_is_rule(line))
                continue;
            n_lines++;
            n += tidy_filled(line, *s) >= 3;
        }
        if (n * 2 > n_lines && n > most) {
            most = n;
            best = *s;
        }
    }
    return best;
}

static bool is_bordered(struct text line)
{
    line = text_trim(line);
    return line.len > 2 && line.at[0] == '|' && line.at[line.len - 1] == '|';
}

/* Finds the header: the first line with at least as many filled cells as three
 * quarters of the fullest of the first lines. Returns the text from it on. */
static struct text from_header(struct text t, char separator, size_t *cells,
                               bool *skipped)
{
    struct text rest = from_ruled(t);
    size_t most = 0;
    if (rest.len) {
        struct text line = rest;
        *skipped = rest.at > t.at;
        *cells = tidy_filled(tidy_take_line(&line), ' ');
        return rest;
    }
    rest = skip_comments(t, separator);
    const bool commented = rest.at > t.at;
    t = rest;
    for (int i = 0; i < RECORDS_TIDY_HEAD_LINES && rest.len; i++) {
        const struct text line = tidy_take_line(&rest);
        const size_t n =
            records_is_rule(line) ? 0 : tidy_filled(line, separator);
        most = n > most && (separator != ' ' || i == 0 || most == 0) ? n : most;
    }
    *cells = most;
    *skipped = commented;
    for (rest = t; rest.len;) {
        const struct text before = rest, line = tidy_take_line(&rest);
        const bool blank = !text_trim(line).len;
        if (!records_is_rule(line) && !blank &&
            tidy_filled(line, separator) * 4 >= most * 3)
            return before;
        *skipped |= !blank;
    }
    return t;
}

bool records_is_untidy(struct text head)
{
    const char separator = separator_of(head);
    bool skipped;
    size_t cells;
    struct text t = from_header(head, separator, &cells, &skipped);
    struct text line = tidy_take_line(&t);
    if (separator == ' ')
        return tidy_filled(line, ' ') >= 3;
    return skipped || is_bordered(line) ||
           records_is_rule(tidy_take_line(&t)) || text_char(line, 0) == '#';
}

static void write_bordered(struct text line, struct out *out)
{
    line = text_trim(line);
    if (is_bordered(line))
        line = (struct text){line.at + 1, line.len - 2};
    out_bytes(out, line.at, line.len);
    out_char(out, '\n');
}

static bool looks_like_date(struct text t)
{
    size_t digits = 0, marks = 0;
    for (size_t i = 0; i < t.len; i++) {
        digits += ascii_is_digit(t.at[i]);
        marks += strchr("-/.", t.at[i]) != NULL;
    }
    return digits >= 6 && marks == 2 && digits + marks == t.len;
}

static bool looks_like_clock(struct text t)
{
    size_t colons = 0;
    for (size_t i = 0; i < t.len; i++) {
        colons += t.at[i] == ':';
        if (!ascii_is_digit(t.at[i]) && !strchr(":.Z+-", t.at[i]))
            return false;
    }
    return colons >= 1 && t.len >= 4;
}

/* Cuts a line at runs of at least `least` blanks. With `join`, a date and the
 * time of day after it are one cell. Returns the number of cells. */
static size_t cut_blanks(struct text line, size_t least, bool join,
                         struct text cells[ROWS_CELLS_MAX])
{
    size_t n = 0, i = 0;
    while (i < line.len) {
        while (i < line.len && is_blank(line.at[i]))
            i++;
        const size_t begin = i;
        size_t end = i, blanks = 0;
        for (; i < line.len; i++) {
            blanks = line.at[i] == '\t'     ? least
                     : is_blank(line.at[i]) ? blanks + 1
                                            : 0;
            if (blanks >= least)
                break;
            end = blanks ? end : i + 1;
        }
        if (end == begin || n == ROWS_CELLS_MAX)
            continue;
        const struct text cell = {line.at + begin, end - begin};
        if (join && n && looks_like_clock(cell) &&
            looks_like_date(cells[n - 1]))
            cells[n - 1].len = (size_t)(cell.at + cell.len - cells[n - 1].at);
        else
            cells[n++] = cell;
    }
    return n;
}

/* Columns as wide as the runs of dashes in the line below the header. */
static size_t cut_at_rule(struct text line, struct text rule,
                          struct text cells[ROWS_CELLS_MAX])
{
    size_t n = 0, i = 0;
    while (i < rule.len && n < ROWS_CELLS_MAX) {
        while (i < rule.len && rule.at[i] == ' ')
            i++;
        const size_t begin = i;
        while (i < rule.len && rule.at[i] != ' ')
            i++;
        if (i == begin)
            break;
        const size_t from = begin < line.len ? begin : line.len;
        const size_t to = i < line.len ? i : line.len;
        cells[n++] = text_trim((struct text){line.at + from, to - from});
    }
    return n;
}

static void tidy_write_cells(const struct text *cells, size_t n,
                             struct out *out)
{
    for (size_t i = 0; i < n; i++) {
        out_text(out, i ? "," : "");
        out_csv(out, cells[i]);
    }
    out_char(out, '\n');
}

static enum status tidy_blanks(const struct rows *source, struct text whole,
                               struct text t, struct out *out,
                               struct error *err)
{
    struct text cells[ROWS_CELLS_MAX], rule = {"", 0}, rest;
    const struct text header = tidy_take_line(&t);
    size_t least = 1, n_names;
    rest = t;
    const struct text second = tidy_take_line(&rest);
    if (records_is_rule(second) && memchr(second.at, ' ', second.len)) {
        rule = second;
        t = rest;
    }
    rest = t;
    const struct text first = tidy_take_line(&rest);
    n_names = cut_blanks(header, 1, false, cells);
    if (cut_blanks(first, 1, true, cells) != n_names) {
        const size_t wide = cut_blanks(header, 2, false, cells);
        if (wide >= 3 && cut_blanks(first, 2, false, cells) == wide) {
            least = 2;
            n_names = wide;
        }
    }
    n_names = rule.len ? cut_at_rule(header, rule, cells)
                       : cut_blanks(header, least, false, cells);
    tidy_write_cells(cells, n_names, out);
    while (t.len) {
        const struct text line = tidy_take_line(&t);
        if (!text_trim(line).len || records_is_rule(line))
            continue;
        const size_t n = rule.len ? cut_at_rule(line, rule, cells)
                                  : cut_blanks(line, least, least == 1, cells);
        if (n != n_names)
            return rows_bad_at(
                source, records_line(whole, (size_t)(line.at - whole.at)), 1,
                "row", err, "%zu values between blanks, but %zu names", n,
                n_names);
        tidy_write_cells(cells, n, out);
    }
    return STATUS_OK;
}

uint64_t records_line(struct text t, size_t at)
{
    uint64_t line = 1;
    for (size_t i = 0; i < at && i < t.len; i++)
        line += t.at[i] == '\n';
    return line;
}

enum status records_tidy(const struct rows *source, struct text t,
                         struct out *out, struct error *err)
{
    const struct text whole = t;
    const char separator = separator_of(t);
    size_t cells;
    bool skipped;
    t = from_header(t, separator, &cells, &skipped);
    if (text_char(t, 0) == '#')
        t = text_trim(text_skip(t, 1));
    if (separator == ' ')
        return tidy_blanks(source, whole, t, out, err);
    while (t.len) {
        const struct text line = tidy_take_line(&t);
        const size_t n = tidy_filled(line, separator);
        /* Blank lines, rules, and totals after the last job. */
        if (records_is_rule(line) || (n < 3 && n * 2 < cells))
            continue;
        write_bordered(line, out);
    }
    return STATUS_OK;
}
