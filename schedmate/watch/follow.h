/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads what was added to a log since the last look. An unfinished line is read
 * again at the next look, unless it has LOG_LINE_KEPT bytes or more or
 * follow_request.to_end is true. */
#ifndef SIM_WATCH_FOLLOW_H
#define SIM_WATCH_FOLLOW_H

#include "base/text.h"
#include "schedmate/watch/book.h"

/* Largest number of bytes at the beginning of a log whose hash shows whether
 * the log is still the file that was read. */
#define FOLLOW_HEAD 256

enum follow_end {
    FOLLOW_READ,  /* read up to the limit or the last whole line */
    FOLLOW_GONE,  /* no regular file has this path, or opening it fails */
    FOLLOW_OTHER, /* the path now names another file */
    /* the file is shorter than what was read of it, or its head differs */
    FOLLOW_TRUNCATED,
    /* The file is compressed (gzip, zstd) or UTF-16 and is not read. */
    FOLLOW_COMPRESSED,
    FOLLOW_UTF16,
    FOLLOW_FOREIGN, /* the file does not belong to the user of its job */
};

struct follow_request {
    const char *path; /* path at which the file is now */
    /* after this many bytes no further block is read */
    uint64_t limit;
    /* true: an unfinished last line counts as a line */
    bool to_end;
    void (*line)(void *self, struct watch_file *file, struct text line);
    void *self;
};

/* Reads from file->offset, moves it, and calls request->line for each line,
 * whose text is valid during the call only. On any end but FOLLOW_READ no line
 * was read. *bytes becomes the number of bytes by which the offset moved. */
enum follow_end follow_read(struct watch_file *file,
                            const struct follow_request *request,
                            uint64_t *bytes);
/* Opens the log and checks that it is the file that was read and that its owner
 * is the right one. On FOLLOW_READ *out is a descriptor that the caller closes;
 * on any other end *out is unchanged. Renews file->size on any end but
 * FOLLOW_GONE, and the hash of the head on FOLLOW_READ. */
enum follow_end follow_open(struct watch_file *file, const char *path,
                            int *out);
/* True if the file at `path` is at least as long as what was read of `file` and
 * has the same head. An inode alone is not enough: a new file may get the inode
 * of a deleted one. */
bool follow_begins_same(const struct watch_file *file, const char *path);
/* Makes the next read begin at offset 0, and forgets what was kept of the lines
 * read: the head, the context, the last progress line and the suspect lines. */
void follow_restart(struct watch_file *file);

#endif
