/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A library that is preloaded into a program under test. It kills the program
 * with SIGKILL at call number $KILL_AT of the calls that write to files or sync
 * them. A write first writes half of its bytes, so that files end in the middle
 * of a record. */
#include <dlfcn.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/types.h>
#include <unistd.h>

static int is_time(void)
{
    static long left = -1;
    const char *at = getenv("KILL_AT");
    if (left < 0)
        left = at ? strtol(at, NULL, 10) : 0;
    return left > 0 && --left == 0;
}

static void *next(const char *name)
{
    return dlsym(RTLD_NEXT, name);
}

ssize_t write(int fd, const void *from, size_t n)
{
    ssize_t (*real)(int, const void *, size_t) =
        (ssize_t(*)(int, const void *, size_t))next("write");
    if (fd > 2 && is_time()) {
        (void)!real(fd, from, n / 2);
        kill(getpid(), SIGKILL);
    }
    return real(fd, from, n);
}

static ssize_t write_at(const char *name, int fd, const void *from, size_t n,
                        off64_t at)
{
    ssize_t (*real)(int, const void *, size_t, off64_t) =
        (ssize_t(*)(int, const void *, size_t, off64_t))next(name);
    if (is_time()) {
        (void)!real(fd, from, n / 2, at);
        kill(getpid(), SIGKILL);
    }
    return real(fd, from, n, at);
}

/* With 64-bit offsets, the compiler calls pwrite by another symbol, so the
 * symbol of this function is set here. */
ssize_t short_pwrite(int fd, const void *from, size_t n,
                     off64_t at) __asm__("pwrite");
ssize_t short_pwrite(int fd, const void *from, size_t n, off64_t at)
{
    return write_at("pwrite", fd, from, n, at);
}

ssize_t pwrite64(int fd, const void *from, size_t n, off64_t at)
{
    return write_at("pwrite64", fd, from, n, at);
}

static int sync_of(const char *name, int fd)
{
    int (*real)(int) = (int (*)(int))next(name);
    if (is_time())
        kill(getpid(), SIGKILL);
    return real(fd);
}

int fsync(int fd)
{
    return sync_of("fsync", fd);
}

int fdatasync(int fd)
{
    return sync_of("fdatasync", fd);
}
