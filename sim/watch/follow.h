/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads what was added to a log since the last look. Only whole lines count as
 * read, so an unfinished line is read again when it is finished. */
#ifndef SIM_WATCH_FOLLOW_H
#define SIM_WATCH_FOLLOW_H

#include "sim/base/text.h"
#include "sim/watch/book.h"

/* Number of bytes at the beginning of a log whose hash shows whether the log is
 * still the file that was read. */
#define FOLLOW_HEAD 256

enum follow_end {
    FOLLOW_READ,      /* read up to the limit or the last whole line */
    FOLLOW_GONE,      /* no regular file has the name now, or it may not be
                         read */
    FOLLOW_OTHER,     /* the name means another file now */
    FOLLOW_TRUNCATED, /* the file is shorter, or begins with other bytes */
    /* The file is compressed or UTF-16 (FOLLOW_UTF16) and is not read. */
    FOLLOW_COMPRESSED,
    FOLLOW_UTF16,
    FOLLOW_FOREIGN, /* the file does not belong to the user of its job */
};

struct follow_request {
    const char *path; /* path at which the file is now */
    uint64_t limit;   /* most bytes to read, at least 64 KiB */
    bool to_end;      /* true: an unfinished last line counts as whole */
    void (*line)(void *self, struct watch_file *file, struct text line);
    void *self;
};

/* Reads from file->offset and moves it. On any end but FOLLOW_READ nothing was
 * read. *bytes becomes the number of bytes read. */
enum follow_end follow_read(struct watch_file *file,
                            const struct follow_request *request,
                            uint64_t *bytes);
/* Opens the log and checks that it is the file that was read and that its owner
 * is the right one; the caller closes *out. */
enum follow_end follow_open(struct watch_file *file, const char *path,
                            int *out);
/* True if the file at `path` begins with the bytes that were read of `file`. An
 * inode alone is not enough: a new file may get the inode of a deleted one. */
bool follow_begins_same(const struct watch_file *file, const char *path);
/* Makes the file begin anew at offset 0. */
void follow_restart(struct watch_file *file);

#endif
