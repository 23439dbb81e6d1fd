/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads the end of a real log, which the side-car of a trace names. */
#include "schedmate/simulated/simulated_internal.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "schedmate/logs/log_stream.h"

static bool log_read_end(int fd, struct arena *arena, struct text *out)
{
    struct stat about;
    if (fstat(fd, &about) != 0 || !S_ISREG(about.st_mode))
        return false;
    off_t from =
        about.st_size > REAL_LOG_BYTES ? about.st_size - REAL_LOG_BYTES : 0;
    size_t room = (size_t)(about.st_size - from), n = 0;
    char *bytes = arena_alloc(arena, room + 1);
    ssize_t got = 1;
    while (n < room && got > 0) {
        got = pread(fd, bytes + n, room - n, from + (off_t)n);
        n += got > 0 ? (size_t)got : 0;
    }
    *out = (struct text){bytes, n};
    return got >= 0;
}

bool real_log_read(const char *path, struct arena *arena, struct text *out)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0)
        return false;
    bool good = log_read_end(fd, arena, out);
    close(fd);
    return good;
}

struct text real_log_tail(struct text text, uint64_t n)
{
    struct text before = text, line;
    while (n-- > 0 && log_last_line(&before, &line))
        ;
    return text_skip(text, before.len);
}
