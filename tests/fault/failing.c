/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A library that is preloaded into a program under test. Of the calls of one
 * kind ($FAILING_KIND), the one with the number $FAILING_AT fails, once. It
 * then makes the file $FAILING_TOLD, so that the test knows whether there was
 * such a call. Programs that the program starts are left alone. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
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
static long n_calls, fails_at;

__attribute__((constructor)) static void read_number(void)
{
    const char *at = getenv("FAILING_AT");
    told = getenv("FAILING_TOLD");
    kind = getenv("FAILING_KIND");
    if (at && told && kind &&
        !strcmp(program_invocation_short_name, "schedsim"))
        fails_at = strtol(at, NULL, 10);
}

/* True if this call of a kind must fail; sets errno. */
static int is_due(const char *of, int code)
{
    if (fails_at == 0 || strcmp(of, kind) != 0 ||
        __atomic_add_fetch(&n_calls, 1, __ATOMIC_RELAXED) != fails_at)
        return 0;
    syscall(SYS_openat, AT_FDCWD, told, O_CREAT | O_WRONLY, 0600);
    errno = code;
    return 1;
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
        if (is_due(kind_, code_)) \
            return bad_; \
        if (!next) \
            next = (type_(*) args_)dlsym(RTLD_NEXT, #name_); \
        return next call_; \
    }

FAILS("write", ENOSPC, -1, ssize_t, write, (int fd, const void *from, size_t n),
      (fd, from, n))
FAILS("write", ENOSPC, -1, ssize_t, pwrite64,
      (int fd, const void *from, size_t n, off64_t at), (fd, from, n, at))
FAILS("write", ENOSPC, -1, int, ftruncate64, (int fd, off64_t n), (fd, n))
FAILS("write", ENOSPC, 0, size_t, fwrite,
      (const void *from, size_t size, size_t n, FILE *to), (from, size, n, to))
FAILS("write", ENOSPC, EOF, int, fflush, (FILE * to), (to))
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
    return is_due("open", EMFILE)
               ? -1
               : (int)syscall(SYS_openat, at, path, how, mode);
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
    return is_due("close", EIO) ? -1 : st;
}

int fclose(FILE *file)
{
    static int (*next)(FILE *);
    if (!next)
        next = (int (*)(FILE *))dlsym(RTLD_NEXT, "fclose");
    int st = next(file);
    return is_due("close", EIO) ? EOF : st;
}
