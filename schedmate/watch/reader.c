/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads what the logs gained, classifies each line once, and notes progress and
 * lines that may be errors. */
#include <stdlib.h>
#include <string.h>

#include "schedmate/logs/log_causes.h"
#include "schedmate/watch/watch_internal.h"

/* Smallest weight of a signature (log_causes.h) that makes a line suspect
 * although the classifier sees no error. */
#define SUSPECT_WEIGHT 75

/* True for a line that may belong to the report of a failure. While a job runs,
 * its logs are diagnosed only after such a line. */
static bool is_suspect(const struct watch *w, struct text line,
                       const struct log_verdict *v)
{
    const uint64_t marks = MARK_BIT(KILL_WORD) | MARK_BIT(EXCEPTION_NAME);
    return v->class == LOG_ERROR || (v->marks & marks) != 0 ||
           (v->class != LOG_BLANK &&
            log_cause_of(w->knowledge, line).weight >= SUSPECT_WEIGHT);
}

/* True for a line that shows that work goes on. Evaluations and downloads count
 * too: a job that evaluates is not stalled. */
static bool reader_is_progress(const struct log_verdict *v)
{
    const uint64_t both = MARK_BIT(LOSS_NUMBER) | MARK_BIT(STEP_NUMBER);
    return v->class == LOG_PROGRESS || (v->marks & both) == both;
}

static void reader_take_line(void *self, struct watch_file *f, struct text line)
{
    struct watch *w = self;
    struct log_verdict v = log_classify_next(w->classifier, line, &f->context);
    w->counts.lines++;
    if (reader_is_progress(&v)) {
        size_t len = line.len < LOG_MARKS_BYTES ? line.len : LOG_MARKS_BYTES;
        uint64_t hash = text_hash((struct text){line.at, len});
        if (hash == f->hash)
            return; /* a repeated line is not progress */
        f->hash = hash;
        f->progress++;
        f->suspects = 0;
        if (f->job) {
            f->job->progress++;
            f->job->again++;
        }
    } else if (v.class != LOG_OTHER || f->suspects < 1) {
        f->suspects += is_suspect(w, line, &v);
    }
}

/* Notes that a log grew and, if it shows new progress, the time since the last
 * progress. */
static void note_growth(struct watch *w, struct watch_file *f, bool progress)
{
    struct watch_job *job = f->job;
    sim_time at = f->mtime < w->clock.now ? f->mtime : w->clock.now;
    if (at > job->grown)
        job->grown = at;
    job->dirty = true;
    if (!progress)
        return;
    sim_span gap = at - job->progressed;
    if (job->progressed && gap > 0) {
        job->gap = job->gap ? (4 * job->gap + gap) / 5 : gap;
        if (job->phase == WATCH_STALLED && gap > job->longest)
            job->longest = gap;
    }
    if (at > job->progressed)
        job->progressed = at;
    if (job->phase == WATCH_RUNNING)
        job->again = 0;
}

/* Stops following a log. The log stays in the book without a job, so that it is
 * not taken for a new one. */
static void reader_ignore(struct watch *w, struct watch_file *f,
                          const char *why)
{
    event_log(w, f->job, f->path, "ignored", why);
    book_move_file(f, NULL);
}

static void take_end(struct watch *w, struct watch_file *f, enum follow_end end)
{
    switch (end) {
    case FOLLOW_TRUNCATED:
        event_log(w, f->job, f->path, "truncated", NULL);
        follow_restart(f);
        f->stale = true; /* it is read at the next look */
        break;
    case FOLLOW_COMPRESSED:
        reader_ignore(w, f, "the log is compressed");
        break;
    case FOLLOW_UTF16:
        reader_ignore(w, f, "the log is UTF-16");
        break;
    case FOLLOW_FOREIGN:
        reader_ignore(w, f, "its owner is not the user of the job");
        break;
    case FOLLOW_GONE:
        watch_say(w, "%s: cannot be read", f->path);
        break;
    case FOLLOW_READ:
    case FOLLOW_OTHER:
        break;
    }
}

static uint64_t reader_read_log(struct watch *w, struct watch_file *f,
                                const char *path, uint64_t limit)
{
    const struct follow_request request = {.path = path,
                                           .limit = limit,
                                           .to_end =
                                               f->job->over || path != f->path,
                                           .line = reader_take_line,
                                           .self = w};
    int64_t before = f->progress;
    uint64_t bytes;
    f->stale = false;
    enum follow_end end = follow_read(f, &request, &bytes);
    if (end == FOLLOW_READ && bytes > 0)
        note_growth(w, f, f->progress != before);
    else if (path == f->path)
        take_end(w, f, end);
    w->counts.bytes += bytes;
    return bytes;
}

uint64_t watch_read_rest(struct watch *w, struct watch_file *file,
                         const char *path)
{
    return reader_read_log(w, file, path, (uint64_t)w->config->look_mib << 20);
}

void watch_read_logs(struct watch *w)
{
    const struct book *book = &w->book;
    uint64_t budget = (uint64_t)w->config->look_mib << 20, lag = 0;
    size_t n = book->n_files, first = n ? w->turn % n : 0;
    for (size_t i = 0; i < n; i++) {
        struct watch_file *f = book->files[(first + i) % n];
        if (!f->job || f->inode == 0 || !f->stale)
            continue;
        uint64_t limit = (uint64_t)w->config->log_kib << 10;
        if (budget == 0) {
            lag += f->size - f->offset;
            continue;
        }
        uint64_t bytes =
            reader_read_log(w, f, f->path, limit < budget ? limit : budget);
        budget -= bytes < budget ? bytes : budget;
        if (bytes >= limit && f->size > f->offset) {
            f->stale = true;
            lag += f->size - f->offset;
        }
        w->turn = (first + i) % n + 1;
    }
    w->counts.lag = lag;
}
