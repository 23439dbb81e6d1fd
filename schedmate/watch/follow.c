/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads what was added to a log since the last look. */
#include "schedmate/watch/watch_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "schedmate/live/log_file.h"
#include "schedmate/logs/log_stream.h"

/* Number of bytes that are read at a time. A block must hold the longest line
 * that is kept whole. */
#define FOLLOW_BLOCK (4 * LOG_LINE_KEPT)

void follow_restart(struct watch_file *file)
{
    file->offset = file->head = file->head_len = file->hash = 0;
    file->context = (struct log_context){0};
    file->skip = false;
    file->suspects = 0;
    file->dirty = true;
}

static size_t follow_read_at(int fd, uint64_t from, char *buf, size_t len)
{
    size_t got = 0;
    while (got < len) {
        ssize_t n = pread(fd, buf + got, len - got, (off_t)(from + got));
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            break;
        got += (size_t)n;
    }
    return got;
}

/* Compares the head of the file with its hash. Before the first read, refuses
 * compressed and UTF-16 files. Hashes more of the head if the file has grown
 * and the head is still shorter than FOLLOW_HEAD. */
static enum follow_end follow_check_head(struct watch_file *file, int fd)
{
    char head[FOLLOW_HEAD];
    size_t n = follow_read_at(fd, 0, head, sizeof head);
    const unsigned char *b = (const unsigned char *)head;
    if (n < file->head_len ||
        (file->head_len &&
         text_hash((struct text){head, file->head_len}) != file->head))
        return FOLLOW_TRUNCATED;
    if (file->offset == 0 && n >= 2) {
        bool gzip = b[0] == 0x1f && b[1] == 0x8b;
        bool zstd = n >= 4 && memcmp(b, "\x28\xb5\x2f\xfd", 4) == 0;
        if (gzip || zstd)
            return FOLLOW_COMPRESSED;
        if ((b[0] == 0xff && b[1] == 0xfe) || (b[0] == 0xfe && b[1] == 0xff))
            return FOLLOW_UTF16;
    }
    if (n > file->head_len) {
        file->head = text_hash((struct text){head, n});
        file->head_len = n;
        file->dirty = true;
    }
    return FOLLOW_READ;
}

enum follow_end follow_open(struct watch_file *file, const char *path, int *out)
{
    struct stat about;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (fd < 0 || fstat(fd, &about) != 0 || !S_ISREG(about.st_mode)) {
        if (fd >= 0)
            close(fd);
        return FOLLOW_GONE;
    }
    enum follow_end end = FOLLOW_READ;
    file->size = (uint64_t)about.st_size;
    if (about.st_dev != file->dev || about.st_ino != file->inode)
        end = FOLLOW_OTHER;
    else if (file->uid != UINT32_MAX && about.st_uid != file->uid)
        end = FOLLOW_FOREIGN;
    else if (file->size < file->offset)
        end = FOLLOW_TRUNCATED;
    else
        end = follow_check_head(file, fd);
    if (end == FOLLOW_READ)
        *out = fd;
    else
        close(fd);
    return end;
}

bool follow_begins_same(const struct watch_file *file, const char *path)
{
    char head[FOLLOW_HEAD];
    struct stat about;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    bool same = fd >= 0 && fstat(fd, &about) == 0 &&
                (uint64_t)about.st_size >= file->offset &&
                follow_read_at(fd, 0, head, file->head_len) == file->head_len &&
                (!file->head_len ||
                 text_hash((struct text){head, file->head_len}) == file->head);
    if (fd >= 0)
        close(fd);
    return same;
}

/* Passes the whole lines of a block to request->line; returns the number of
 * bytes they take. If `at_end` is true, an unfinished last line counts as
 * whole. Otherwise one of LOG_LINE_KEPT bytes or more is passed cut, and the
 * rest of it is skipped. */
static size_t follow_show_lines(struct watch_file *file,
                                const struct follow_request *request,
                                struct text block, bool at_end)
{
    struct text rest = block, line;
    for (struct text before = rest; log_first_line(&rest, &line);
         before = rest) {
        size_t used = before.len - rest.len;
        /* a final "\r" may be the first half of "\r\n" */
        bool open =
            rest.len == 0 && (used == line.len || before.at[used - 1] == '\r');
        bool huge = used >= LOG_LINE_KEPT;
        if (open && !at_end && !huge)
            return block.len - before.len;
        if (line.len > LOG_LINE_KEPT)
            line.len = LOG_LINE_KEPT;
        if (!file->skip) {
            file->lines++;
            request->line(request->self, file, line);
        }
        file->skip = open && huge && !at_end;
    }
    return block.len;
}

enum follow_end follow_read(struct watch_file *file,
                            const struct follow_request *request,
                            uint64_t *bytes)
{
    int fd = -1;
    *bytes = 0;
    enum follow_end end = follow_open(file, request->path, &fd);
    if (end != FOLLOW_READ)
        return end;
    char *buf = mem_alloc(FOLLOW_BLOCK);
    while (*bytes < request->limit) {
        size_t n = follow_read_at(fd, file->offset, buf, FOLLOW_BLOCK);
        size_t used = follow_show_lines(file, request, (struct text){buf, n},
                                        request->to_end && n < FOLLOW_BLOCK);
        file->offset += used;
        *bytes += used;
        if (used == 0 || n < FOLLOW_BLOCK)
            break;
    }
    file->dirty |= *bytes > 0;
    free(buf);
    close(fd);
    return FOLLOW_READ;
}
