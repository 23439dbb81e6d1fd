/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes the lines of output, one for each change, and the remarks on standard
 * error. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "schedmate/watch/watch_internal.h"

const char *const watch_events[] = {
    "seen", "progress", "stalled", "recovered", "failed", "log", "ended", NULL,
};

/* Largest number of bytes in one text, and of logs in one line. They keep a
 * line far shorter than the part of the output in which outbox.c searches for
 * the last line. */
enum { EVENTS_TEXT_MAX = 300, EVENTS_LOGS_MAX = 8 };

void watch_names_add(struct watch_names *names, char *name)
{
    names->at = mem_grow(names->at, &names->cap, names->n + 1, sizeof(char *));
    names->at[names->n++] = name;
}

void watch_names_clear(struct watch_names *names)
{
    for (size_t i = 0; i < names->n; i++)
        free(names->at[i]);
    free(names->at);
    *names = (struct watch_names){0};
}

void watch_say(struct watch *w, const char *format, ...)
{
    /* Largest number of remarks, which bounds the memory of a daemon that runs
     * for years. */
    enum { SAID_MAX = 1000 };
    struct error words;
    char *line;
    va_list args;
    va_start(args, format);
    int n = vasprintf(&line, format, args);
    va_end(args);
    CHECK(n >= 0);
    for (size_t i = 0; i < w->said.n; i++) {
        if (strcmp(w->said.at[i], line) == 0 || w->said.n >= SAID_MAX) {
            free(line);
            return;
        }
    }
    error_set(&words, STATUS_OK, "%s", line); /* replaces control characters */
    if (!w->settings->quiet)
        fprintf(stderr, "schedsim: watch: %s\n", words.message);
    watch_names_add(&w->said, line);
}

json_t *event_text(const char *text)
{
    char copy[EVENTS_TEXT_MAX + 1];
    snprintf(copy, sizeof copy, "%s", text);
    text_clean(copy); /* also replaces a character that the cut has split */
    return json_text(copy);
}

static void put_fact(const struct watch_job *job, json_t *row, const char *key)
{
    const char *text = job_fact(job, key);
    if (*text)
        json_put(row, key, event_text(text));
}

json_t *event_begin(const struct watch_job *job, enum watch_event event)
{
    json_t *row = json_object();
    json_put(row, "event", json_text(watch_events[event]));
    json_put(row, "job", event_text(job->id));
    put_fact(job, row, "user");
    put_fact(job, row, "node");
    put_fact(job, row, "array");
    if (event != WATCH_EVENT_SEEN)
        return row;
    json_t *logs = json_array();
    for (struct watch_file *f = job->files;
         f && json_array_size(logs) < EVENTS_LOGS_MAX; f = f->next_of_job)
        json_array_append_new(logs, event_text(f->path));
    json_put(row, "logs", logs);
    return row;
}

void event_tell(struct watch *w, enum watch_event event, json_t *row)
{
    char at[TIME_TEXT_MAX];
    char *rest = json_dumps(row, JSON_COMPACT | JSON_REAL_PRECISION(10));
    char *line = NULL;
    CHECK(rest);
    time_to_text(w->clock.now, at);
    at[10] = 'T';
    int64_t number = store_last(w->store) + 1 + (int64_t)w->lines.n;
    int n = asprintf(&line,
                     "{\"seq\":%" PRId64 ",\"watch\":\"%s\",\"at\":\"%sZ\",%s",
                     number, store_id(w->store), at, rest + 1);
    CHECK(n > 0);
    watch_names_add(&w->lines, line);
    w->counts.events[event]++;
    free(rest);
    json_decref(row);
}

void event_log(struct watch *w, const struct watch_job *job, const char *path,
               const char *change, const char *words)
{
    json_t *row;
    if (job) {
        row = event_begin(job, WATCH_EVENT_LOG);
    } else {
        row = json_object();
        json_put(row, "event", json_text(watch_events[WATCH_EVENT_LOG]));
    }
    json_put(row, "log", event_text(path));
    json_put(row, "change", json_text(change));
    if (words)
        json_put(row, "why", event_text(words));
    event_tell(w, WATCH_EVENT_LOG, row);
}
