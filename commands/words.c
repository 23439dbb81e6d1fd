/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "commands/words.h"

#include <string.h>

#include "base/check.h"
#include "base/out.h"
#include "base/text.h"
#include "commands/commands_internal.h"
#include "commands/terminal.h"

/* Takes the first cell off a row of a table of Markdown, without blanks and
 * backquotes. *row becomes what follows its bar. */
static struct text words_cell(struct text *row)
{
    struct text cell = text_trim(text_split(*row, '|', row));
    if (cell.len > 1 && cell.at[0] == '`' && cell.at[cell.len - 1] == '`')
        cell = (struct text){cell.at + 1, cell.len - 2};
    return cell;
}

/* Prints the row of a table that defines `word`; `title` is the title of its
 * table. The last cell is the meaning, and one between is a unit; with
 * `has_rule` a rule comes after the meaning. */
static bool words_row_print(struct text row, struct text title, bool has_rule,
                            const char *word, FILE *to)
{
    struct text rest = text_skip(row, 1), cell, unit = {0}, meaning = {0};
    struct text rule = {0};
    if (text_char(row, 0) != '|')
        return false;
    struct text name = words_cell(&rest);
    if (!text_is_nocase(name, word))
        return false;
    while (rest.len) {
        cell = words_cell(&rest);
        if (!rest.len && !cell.len)
            break;
        if (has_rule) {
            unit = meaning;
            meaning = rule;
            rule = cell;
        } else {
            unit = meaning;
            meaning = cell;
        }
    }
    say(to, "%.*s (%.*s%s%.*s): %.*s%s%.*s", TEXT_ARGS(name), TEXT_ARGS(title),
        unit.len ? ", in " : "", TEXT_ARGS(unit), TEXT_ARGS(meaning),
        rule.len ? "; rule: " : "", TEXT_ARGS(rule));
    return true;
}

static size_t words_page_search(struct text page, const char *word, FILE *to)
{
    struct text title = text_from("results");
    bool has_rule = false;
    size_t n = 0;
    while (page.len) {
        struct text line = text_split(page, '\n', &page);
        if (line.len > 6 && memcmp(line.at, "| name", 6) == 0)
            has_rule = text_is(line, "| name | unit | meaning | rule |");
        if (text_char(line, 0) == '#')
            title = text_trim(
                text_skip(line, line.len > 1 && line.at[1] == '#' ? 2 : 1));
        n += words_row_print(line, title, has_rule, word, to);
    }
    return n;
}

size_t words_explain(const char *word, FILE *to)
{
    struct out *page = out_to_memory();
    size_t n = 0;
    for (const struct words_page *p = words_pages; p->name; p++)
        n += words_page_search((struct text){p->text, p->len}, word, to);
    reference_print(page);
    n += words_page_search(out_memory(page), word, to);
    out_abandon(page);
    return n;
}
