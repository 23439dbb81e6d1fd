/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads keys of YAML, and writes the commands in them as text for a shell. */
#include <string.h>

#include "base/out.h"
#include "schedmate/advisor/launch_internal.h"

enum { COMMAND_MAX = 1 << 15 };

void launch_quote(struct text word, struct out *out)
{
    out_char(out, '\'');
    for (size_t i = 0; i < word.len; i++) {
        if (word.at[i] == '\'')
            out_text(out, "'\\''");
        else
            out_char(out, word.at[i]);
    }
    out_text(out, "' ");
}

void launch_list(struct text t, struct out *out)
{
    for (size_t i = 1; i < t.len && t.at[i] != ']';) {
        size_t from = i;
        char c = t.at[i];
        if (strchr(" \t\n,\r", c)) {
            i++;
            continue;
        }
        if (c == '"' || c == '\'') {
            for (i++; i < t.len && t.at[i] != c; i++)
                i += t.at[i] == '\\';
            from++;
        } else {
            while (i < t.len && !strchr(",]\n", t.at[i]))
                i++;
        }
        i = i < t.len ? i : t.len;
        launch_quote(text_trim((struct text){t.at + from, i - from}), out);
        i++;
    }
}

static size_t indent_of(struct text line)
{
    size_t n = 0;
    while (text_char(line, n) == ' ')
        n++;
    return n;
}

/* Takes the block at the start of *rest off it and returns it: the lines that
 * are indented by more than `indent`, blank lines, and the items of a list at
 * `indent`. */
static struct text block_of(struct text *rest, size_t indent)
{
    struct text all = *rest, line, after;
    while (rest->len) {
        line = text_split(*rest, '\n', &after);
        struct text trimmed = text_trim(line);
        size_t own = indent_of(line);
        bool item = own == indent && text_char(trimmed, 0) == '-';
        if (trimmed.len && own <= indent && !item)
            break;
        *rest = after;
    }
    return (struct text){all.at, all.len - rest->len};
}

/* Writes a block of text: | keeps its lines, > joins them. */
static void write_block(char kind, struct text rest, size_t indent,
                        struct out *out)
{
    struct text block = block_of(&rest, indent), line;
    while (block.len && out_memory(out).len < COMMAND_MAX) {
        line = text_trim(text_split(block, '\n', &block));
        out_bytes(out, line.at, line.len);
        out_char(out, kind == '|' ? '\n' : ' ');
    }
}

static void write_value(struct text value, struct text rest, size_t indent,
                        struct out *out);

/* Writes the items of a list that has a line for each item. */
static void write_items(struct text rest, size_t indent, struct out *out)
{
    struct text block = block_of(&rest, indent);
    while (block.len && out_memory(out).len < COMMAND_MAX) {
        struct text line = text_split(block, '\n', &block);
        struct text item = text_trim(line);
        if (text_char(item, 0) != '-')
            continue;
        item = text_trim(text_skip(item, 1));
        struct out *one = out_to_memory();
        write_value(item.len ? item : (struct text){"''", 2}, block,
                    indent_of(line), one);
        launch_quote(out_memory(one), out);
        out_abandon(one);
    }
}

/* Writes a value of YAML: a list in brackets, a list with a line for each item,
 * a block of text, or a text with or without quotes. `rest` begins after the
 * line of the key. */
static void write_value(struct text value, struct text rest, size_t indent,
                        struct out *out)
{
    value = text_trim(settings_without_comment(value));
    char c = text_char(value, 0);
    if (value.len == 0)
        write_items(rest, indent, out);
    else if (c == '[')
        launch_list(
            (struct text){value.at, (size_t)(rest.at + rest.len - value.at)},
            out);
    else if (c == '|' || c == '>')
        write_block(c, rest, indent, out);
    else if (value.len >= 2 && (c == '"' || c == '\''))
        out_bytes(out, value.at + 1, value.len - 2);
    else
        out_bytes(out, value.at, value.len);
}

bool launch_yaml_key(struct text text, const char *key, struct out *out)
{
    while (text.len) {
        struct text line = text_split(text, '\n', &text);
        struct text name, value;
        size_t indent = indent_of(line);
        name = text_split(text_trim(line), ':', &value);
        if (text_char(name, 0) == '-') {
            name = text_trim(text_skip(name, 1));
            indent += 2;
        }
        if (text_is(name, key)) {
            write_value(value, text, indent, out);
            out_char(out, ' ');
            return true;
        }
    }
    return false;
}

uint32_t launch_yaml_number(struct text text, const char *key)
{
    struct out *out = out_to_memory();
    uint32_t n = 0;
    if (launch_yaml_key(text, key, out) &&
        !text_to_u32(text_trim(out_memory(out)), &n))
        n = 0;
    out_abandon(out);
    return n;
}

uint32_t launch_yaml_devices(struct text text)
{
    struct out *out = out_to_memory();
    uint32_t n = 0;
    if (launch_yaml_key(text, "device_ids", out)) {
        for (size_t i = 0; i < out_memory(out).len; i++)
            n += out_memory(out).at[i] == '\'';
    }
    out_abandon(out);
    return n / 2;
}

struct text launch_yaml_block(struct text text, const char *service)
{
    while (text.len) {
        struct text line = text_split(text, '\n', &text);
        struct text trimmed = text_trim(line), rest;
        struct text name = text_split(trimmed, ':', &rest);
        if (text_is(name, service) && text_trim(rest).len == 0)
            return block_of(&text, indent_of(line));
    }
    return (struct text){"", 0};
}
