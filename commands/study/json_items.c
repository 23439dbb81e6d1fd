/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Splits an array or object of a JSON text into a list of its items, each with
 * the blanks before it, so that a program can change single items and leave
 * every other byte as a person wrote it. */
#include "commands/study/gate_internal.h"

#include <stdlib.h>
#include <string.h>

static bool json_items_is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* Removes the blanks at the beginning of `t` and returns them. */
static struct text take_blanks(struct text *t)
{
    struct text blanks = {t->at, 0};
    while (blanks.len < t->len && json_items_is_blank(t->at[blanks.len]))
        blanks.len++;
    *t = text_skip(*t, blanks.len);
    return blanks;
}

/* Returns the length of the text in quotes with which `t` begins, with its
 * quotes. */
static size_t quoted(struct text t)
{
    size_t i = 1;
    while (i < t.len && t.at[i] != '"')
        i += t.at[i] == '\\' ? 2 : 1;
    return i < t.len ? i + 1 : t.len;
}

/* Removes one item from the beginning of `t`, up to the comma or closing
 * bracket after the item. Returns the item without blanks at its end. */
static struct text json_items_take_item(struct text *t)
{
    struct text item = {t->at, 0};
    size_t depth = 0, i = 0;
    while (i < t->len) {
        char c = t->at[i];
        if (depth == 0 && (c == ',' || c == ']' || c == '}'))
            break;
        depth += c == '[' || c == '{';
        depth -= c == ']' || c == '}';
        i += c == '"' ? quoted(text_skip(*t, i)) : 1;
        if (!json_items_is_blank(c))
            item.len = i;
    }
    *t = text_skip(*t, i);
    return item;
}

bool json_items_split(struct text value, struct json_items *out)
{
    *out = (struct json_items){.open = text_char(value, 0)};
    if (out->open != '[' && out->open != '{')
        return false;
    out->close = out->open == '[' ? ']' : '}';
    struct text t = text_skip(value, 1);
    while (t.len) {
        struct json_item item = {.lead = take_blanks(&t)};
        if (text_char(t, 0) == out->close) {
            out->tail = item.lead;
            break;
        }
        item.body = json_items_take_item(&t);
        struct text blanks = {item.body.at + item.body.len,
                              (size_t)(t.at - item.body.at) - item.body.len};
        bool is_last = text_char(t, 0) != ',';
        out->tail = blanks;
        item.after = is_last ? text_from("") : blanks;
        out->at = mem_grow(out->at, &out->cap, out->n + 1, sizeof *out->at);
        out->at[out->n++] = item;
        if (is_last)
            break;
        t = text_skip(t, 1);
    }
    return true;
}

void json_items_free(struct json_items *items)
{
    free(items->at);
    *items = (struct json_items){0};
}

void json_items_join(const struct json_items *items, struct out *out)
{
    out_char(out, items->open);
    for (size_t i = 0; i < items->n; i++) {
        const struct json_item *item = &items->at[i];
        out_bytes(out, item->lead.at, item->lead.len);
        out_bytes(out, item->body.at, item->body.len);
        if (i + 1 < items->n) {
            out_bytes(out, item->after.at, item->after.len);
            out_char(out, ',');
        }
    }
    out_bytes(out, items->tail.at, items->tail.len);
    out_char(out, items->close);
}

static bool has_line_feed(struct text blanks)
{
    return memchr(blanks.at, '\n', blanks.len) != NULL;
}

void json_items_insert(struct json_items *items, size_t i, struct text body,
                       const char *lead)
{
    struct text blanks = text_from(lead);
    if (items->n > 1)
        blanks = items->at[items->n - 1].lead;
    else if (items->n == 1 && has_line_feed(items->at[0].lead))
        blanks = items->at[0].lead;
    else if (items->n == 0 && has_line_feed(blanks))
        items->tail = (struct text){lead, blanks.len - 2};
    struct json_item item = {.lead = blanks, .body = body};
    if (i == 0 && items->n) {
        item.lead = items->at[0].lead;
        items->at[0].lead = blanks;
    }
    items->at =
        mem_grow(items->at, &items->cap, items->n + 1, sizeof *items->at);
    memmove(&items->at[i + 1], &items->at[i],
            (items->n - i) * sizeof *items->at);
    items->at[i] = item;
    items->n++;
}

void json_items_put(struct json_items *items, const char *key, struct text body,
                    size_t i, const char *lead)
{
    size_t known = json_items_find(items, key);
    if (known < items->n)
        items->at[known].body = body;
    else
        json_items_insert(items, i < items->n ? i : items->n, body, lead);
}

void json_items_remove(struct json_items *items, size_t i)
{
    if (i == 0 && items->n > 1)
        items->at[1].lead = items->at[0].lead;
    items->n--;
    memmove(&items->at[i], &items->at[i + 1],
            (items->n - i) * sizeof *items->at);
}

struct text json_item_value(const struct json_item *item)
{
    struct text t = text_skip(item->body, quoted(item->body));
    take_blanks(&t);
    t = text_skip(t, t.len > 0); /* skip the colon */
    take_blanks(&t);
    return t;
}

size_t json_items_find(const struct json_items *items, const char *key)
{
    size_t i = 0, len = strlen(key);
    for (; i < items->n; i++) {
        struct text body = items->at[i].body;
        if (body.len > len + 1 && body.at[len + 1] == '"' &&
            memcmp(body.at + 1, key, len) == 0)
            break;
    }
    return i;
}
