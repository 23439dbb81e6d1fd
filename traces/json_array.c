/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/json_array.h"

#include <string.h>

struct json_array json_array_of(struct rows *rows, const char *key)
{
    return (struct json_array){
        .rows = rows, .key = key, .pushed = -1, .last = -1};
}

void json_array_close(struct json_array *array)
{
    json_decref(array->element);
    array->element = NULL;
}

static int array_take(struct json_array *self)
{
    int c = self->pushed;
    self->pushed = -1;
    if (c >= 0)
        return c;
    c = rows_byte(self->rows);
    self->column = c == '\n' ? 0 : self->column + 1;
    return c;
}

static int take_visible(struct json_array *self)
{
    int c;
    do {
        c = array_take(self);
    } while (c == ' ' || c == '\t' || c == '\r' || c == '\n');
    return c;
}

/* Gives jansson one byte per call. Jansson would discard bytes that it has read
 * beyond the end of a value. */
static size_t array_feed(void *buffer, size_t room, void *data)
{
    struct json_array *self = data;
    if (room == 0 || self->used++ == JSON_ARRAY_ELEMENT_MAX)
        return (size_t)-1;
    self->last = array_take(self);
    if (self->last < 0)
        return 0;
    *(char *)buffer = (char)self->last;
    return 1;
}

/* Ends reading. Returns the error of the source if the source failed, otherwise
 * an error with `words` at the current line and column. */
static enum status array_stop(struct json_array *self, const char *words,
                              struct error *err)
{
    self->ended = true;
    enum status st = rows_byte_status(self->rows, err);
    if (st != STATUS_OK)
        return st;
    return rows_bad_at(self->rows, rows_line_number(self->rows),
                       self->column ? self->column : 1, "json", err, "%s",
                       words);
}

static enum status array_load(struct json_array *self, size_t flags,
                              json_t **out, struct error *err)
{
    json_error_t error;
    self->used = 0;
    *out = json_load_callback(array_feed, self, flags | JSON_DISABLE_EOF_CHECK,
                              &error);
    if (*out)
        return STATUS_OK;
    if (self->used > JSON_ARRAY_ELEMENT_MAX)
        return array_stop(self, "an object longer than 16 MiB", err);
    if (json_error_code(&error) == json_error_premature_end_of_input)
        return array_stop(self, "the object does not end; the file is cut off",
                          err);
    return array_stop(self, error.text, err);
}

/* Skips the value of a key that is not read. A number ends at the first byte
 * that does not belong to it, so the next read must return this byte again. */
static enum status array_skip_value(struct json_array *self, struct error *err)
{
    json_t *value;
    enum status st = array_load(self, JSON_DECODE_ANY, &value, err);
    if (st == STATUS_OK && json_is_number(value))
        self->pushed = self->last;
    if (st == STATUS_OK)
        json_decref(value);
    return st;
}

/* Reads a key and the ':' after it. *found: true if the key is self->key. */
static enum status array_read_key(struct json_array *self, bool *found,
                                  struct error *err)
{
    json_t *key;
    enum status st = array_load(self, JSON_DECODE_ANY, &key, err);
    if (st != STATUS_OK)
        return st;
    const char *text = json_string_value(key);
    *found = text && strcmp(text, self->key) == 0;
    json_decref(key);
    if (!text || take_visible(self) != ':')
        return array_stop(self, "a key and ':' are expected", err);
    return STATUS_OK;
}

/* Reads up to the array whose key is self->key. */
static enum status find_array(struct json_array *self, struct error *err)
{
    bool found = false;
    if (take_visible(self) != '{')
        return array_stop(self, "an object is expected", err);
    for (;;) {
        int c = take_visible(self);
        if (c != '"')
            return array_stop(self,
                              c == '}' ? "the object has no list of jobs"
                                       : "a key is expected",
                              err);
        self->pushed = c;
        enum status st = array_read_key(self, &found, err);
        if (st != STATUS_OK || found)
            return st;
        st = array_skip_value(self, err);
        if (st != STATUS_OK)
            return st;
        c = take_visible(self);
        if (c != ',')
            return array_stop(self,
                              c == '}' ? "the object has no list of jobs"
                                       : "',' or '}' is expected",
                              err);
    }
}

static enum status array_finish(struct json_array *self, struct error *err)
{
    /* If the array is the whole file, nothing may follow it. After an array
     * under a key, the rest of the file is skipped: it says nothing about jobs.
     */
    if (!self->key && take_visible(self) >= 0)
        return array_stop(self, "text after the end of the array", err);
    while (self->key && array_take(self) >= 0)
        ;
    self->ended = true;
    enum status st = rows_byte_status(self->rows, err);
    return st == STATUS_OK ? STATUS_END : st;
}

/* Finds the next object and stores its first byte in `pushed`. Returns
 * STATUS_END after the last object. */
static enum status find_element(struct json_array *self, struct error *err)
{
    static const char cut_off[] = "the array does not end; the file is cut off";
    bool first = !self->begun;
    int c;
    if (first) {
        enum status st = self->key ? find_array(self, err) : STATUS_OK;
        if (st != STATUS_OK)
            return st;
        if (take_visible(self) != '[')
            return array_stop(self, "an array of jobs is expected", err);
        self->begun = true;
    }
    c = take_visible(self);
    if (c == ']')
        return array_finish(self, err);
    if (!first && c >= 0) {
        if (c != ',')
            return array_stop(self, "',' or ']' is expected", err);
        c = take_visible(self);
    }
    if (c < 0)
        return array_stop(self, cut_off, err);
    if (c != '{')
        return array_stop(self, "an object is expected", err);
    self->pushed = c;
    self->line = rows_line_number(self->rows);
    self->element_column = self->column;
    return STATUS_OK;
}

enum status json_array_next(struct json_array *self, struct error *err)
{
    enum status st = self->ended ? STATUS_END : find_element(self, err);
    if (st != STATUS_OK)
        return st;
    json_array_close(self);
    return array_load(self, 0, &self->element, err);
}

enum status json_array_bad(const struct json_array *self, const char *field,
                           const char *expected, struct error *err)
{
    return rows_bad_at(self->rows, self->line, self->element_column, field, err,
                       "%s is expected", expected);
}

struct text json_array_text(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    return (struct text){json_string_value(value), json_string_length(value)};
}
