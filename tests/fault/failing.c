/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A library that is preloaded into a program under test. Of the calls of one
 * kind ($FAILING_KIND), the one with the number $FAILING_AT fails, in one of
 * the processes of the program. It then makes the file $FAILING_TOLD, so that
 * the test knows whether there was such a call. Programs that the program
 * starts are left alone. Two kinds are many in one: `any` is each call that can
 * change files or start processes, `disk` is each write to a file.
 *
 * With $FAILING_KILLS the call does not fail: the program is killed there, a
 * write after half of its bytes. With $FAILING_CALLS that many calls fail in
 * each process, as on a disk that is full until somebody makes room. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

extern void *__libc_malloc(size_t bytes);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *old, size_t bytes);

static const char *kind, *told;
static long n_calls, fails_at, n_fail = 1;
static int kills;

__attribute__((constructor)) static void read_number(void)
{
    const char *at = getenv("FAILING_AT");
    told = getenv("FAILING_TOLD");
    kind = getenv("FAILING_KIND");
    kills = getenv("FAILING_KILLS") != NULL;
    if (getenv("FAILING_CALLS"))
        n_fail = strtol(getenv("FAILING_CALLS"), NULL, 10);
    if (at && told && kind &&
        !strcmp(program_invocation_short_name, "schedsim"))
        fails_at = strtol(at, NULL, 10);
}

static int is_file(int fd)
{
    struct stat st;
    return fd > STDERR_FILENO && fstat(fd, &st) == 0 && S_ISREG(st.st_mode);
}

/* True if the call is of the kind that fails; `fd`: what it writes to, or
 * -1. */
static int is_kind(const char *of, int fd)
{
    if (strcmp(kind, "any") == 0)
        return strcmp(of, "alloc") != 0 && strcmp(of, "read") != 0;
    if (strcmp(kind, "disk") == 0)
        return strcmp(of, "write") == 0 && is_file(fd);
    return strcmp(of, kind) == 0;
}

/* True if this call must fail; sets errno. */
static int is_due_for(const char *of, int code, int fd)
{
    if (fails_at == 0 || !is_kind(of, fd))
        return 0;
    const long n = __atomic_add_fetch(&n_calls, 1, __ATOMIC_RELAXED);
    if (n < fails_at || n >= fails_at + n_fail)
        return 0;
    const int once = n_fail == 1 ? O_EXCL : 0;
    const long mark = syscall(SYS_openat, AT_FDCWD, told,
                              O_CREAT | O_WRONLY | O_CLOEXEC | once, 0600);
    if (mark < 0 && once)
        return 0; /* it has failed in another process */
    syscall(SYS_close, mark);
    errno = code;
    return 1;
}

static int is_due(const char *of, int code)
{
    return is_due_for(of, code, -1);
}

/* Ends the program if it is to be killed. */
static void end_here(void)
{
    if (kills)
        kill(getpid(), SIGKILL);
}

void *malloc(size_t bytes)
{
    return is_due("alloc", ENOMEM) ? NULL : __libc_malloc(bytes);
}

void *calloc(size_t count, size_t size)
{
    return is_due("alloc", ENOMEM) ? NULL : __libc_calloc(count, size);
}

void *realloc(void *old, size_t bytes)
{
    return is_due("alloc", ENOMEM) ? NULL : __libc_realloc(old, bytes);
}

/* Defines a function that fails with `bad_` and `code_`, else calls the next
 * one of its name. */
#define FAILS(kind_, code_, bad_, type_, name_, args_, call_) \
    type_ name_ args_ \
    { \
        static type_(*next) args_; \
        if (is_due(kind_, code_)) { \
            end_here(); \
            return bad_; \
        } \
        if (!next) \
            next = (type_(*) args_)dlsym(RTLD_NEXT, #name_); \
        return next call_; \
    }

ssize_t write(int fd, const void *from, size_t n)
{
    const int due = is_due_for("write", ENOSPC, fd);
    if (!due || kills)
        n = (size_t)syscall(SYS_write, fd, from, due ? n / 2 : n);
    if (due)
        end_here();
    return due ? -1 : (ssize_t)n;
}

ssize_t pwrite64(int fd, const void *from, size_t n, off64_t at)
{
    const int due = is_due_for("write", ENOSPC, fd);
    if (!due || kills)
        n = (size_t)syscall(SYS_pwrite64, fd, from, due ? n / 2 : n, at);
    if (due)
        end_here();
    return due ? -1 : (ssize_t)n;
}

/* True if a write to the stream must fail, which the stream then remembers. */
static int is_due_stream(FILE *to)
{
    if (!is_due_for("write", ENOSPC, to ? fileno(to) : -1))
        return 0;
    end_here();
    if (to)
        to->_flags |= 0x20; /* what ferror of glibc looks at */
    return 1;
}

size_t fwrite(const void *from, size_t size, size_t n, FILE *to)
{
    static size_t (*next)(const void *, size_t, size_t, FILE *);
    if (is_due_stream(to))
        return 0;
    if (!next)
        next = (size_t(*)(const void *, size_t, size_t, FILE *))dlsym(RTLD_NEXT,
                                                                      "fwrite");
    return next(from, size, n, to);
}

int fflush(FILE *to)
{
    static int (*next)(FILE *);
    if (is_due_stream(to))
        return EOF;
    if (!next)
        next = (int (*)(FILE *))dlsym(RTLD_NEXT, "fflush");
    return next(to);
}

FAILS("write", ENOSPC, -1, int, ftruncate64, (int fd, off64_t n), (fd, n))
FAILS("read", EIO, -1, ssize_t, read, (int fd, void *to, size_t n), (fd, to, n))
FAILS("read", EIO, -1, ssize_t, pread64,
      (int fd, void *to, size_t n, off64_t at), (fd, to, n, at))
FAILS("sync", EIO, -1, int, fsync, (int fd), (fd))
FAILS("sync", EIO, -1, int, fdatasync, (int fd), (fd))
FAILS("rename", EIO, -1, int, rename, (const char *from, const char *to),
      (from, to))
FAILS("rename", EIO, -1, int, renameat2,
      (int a, const char *from, int b, const char *to, unsigned how),
      (a, from, b, to, how))
FAILS("open", EMFILE, NULL, FILE *, fopen64,
      (const char *path, const char *how), (path, how))
FAILS("open", ENOSPC, -1, int, mkdir, (const char *path, mode_t mode),
      (path, mode))
FAILS("open", ENOSPC, -1, int, mkdirat, (int at, const char *path, mode_t mode),
      (at, path, mode))
FAILS("fork", EAGAIN, -1, pid_t, fork, (void), ())
FAILS("fork", EAGAIN, EAGAIN, int, posix_spawnp,
      (pid_t * pid, const char *file, const posix_spawn_file_actions_t *actions,
       const posix_spawnattr_t *attr, char *const *words, char *const *env),
      (pid, file, actions, attr, words, env))
FAILS("fork", EAGAIN, EAGAIN, int, pthread_create,
      (pthread_t * thread, const pthread_attr_t *attr, void *(*run)(void *),
       void *with),
      (thread, attr, run, with))

static int open_at(int at, const char *path, int how, mode_t mode)
{
    const char *end = strrchr(path, '.');
    /* A build that counts branches writes its counts in the end, whole. */
    if (end && strcmp(end, ".gcda") == 0)
        fails_at = 0;
    if (!is_due("open", EMFILE))
        return (int)syscall(SYS_openat, at, path, how, mode);
    end_here();
    return -1;
}

static int open_here(const char *path, int how, mode_t mode)
{
    return open_at(AT_FDCWD, path, how, mode);
}

/* The declarations of these have no third argument. */
int open_32(const char *, int, mode_t) __asm__("open")
    __attribute__((alias("open_here")));
int open_64(const char *, int, mode_t) __asm__("open64")
    __attribute__((alias("open_here")));
int openat_64(int, const char *, int, mode_t) __asm__("openat64")
    __attribute__((alias("open_at")));

/* The file is closed though the call says that it failed. */
int close(int fd)
{
    int st = (int)syscall(SYS_close, fd);
    if (!is_due("close", EIO))
        return st;
    end_here();
    return -1;
}

int fclose(FILE *file)
{
    static int (*next)(FILE *);
    if (!next)
        next = (int (*)(FILE *))dlsym(RTLD_NEXT, "fclose");
    int st = next(file);
    if (!is_due("close", EIO))
        return st;
    end_here();
    return EOF;
}
