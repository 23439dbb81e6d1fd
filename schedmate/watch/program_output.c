/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs a program without a shell and reads its standard output. */
#include "schedmate/watch/watch_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define OUTPUT_MAX (256u << 20)
#define PROGRAM_OUTPUT_PIECE 65536
/* Longest time for which a program that was killed is waited for. After that,
 * one that hangs in the kernel, such as on a file server that does not answer,
 * is left alone. */
#define KILL_LIMIT (5 * SPAN_SECOND)

extern char **environ;

static sim_time clock_now(void)
{
    struct timespec at;
    clock_gettime(CLOCK_MONOTONIC, &at);
    return (sim_time)at.tv_sec * SPAN_SECOND + at.tv_nsec / 1000;
}

/* Returns the environment with TZ=UTC, because Slurm prints local times. The
 * caller frees the array. */
static char **in_utc(void)
{
    static char zone[] = "TZ=UTC";
    size_t n = 0, kept = 0;
    while (environ[n])
        n++;
    char **all = mem_alloc((n + 2) * sizeof *all);
    for (size_t i = 0; i < n; i++) {
        if (strncmp(environ[i], "TZ=", 3) != 0)
            all[kept++] = environ[i];
    }
    all[kept++] = zone;
    all[kept] = NULL;
    return all;
}

/* Starts the program with default signals, empty input and its output in a
 * pipe. Returns 0 or an error number. */
static int output_start(const char *const *argv, int to, pid_t *pid)
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    sigset_t none, all;
    char **environment = in_utc();
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null",
                                     O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&files, to, STDOUT_FILENO);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setflags(&attributes,
                             POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    int code = posix_spawnp(pid, argv[0], &files, &attributes,
                            (char *const *)(uintptr_t)argv, environment);
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attributes);
    free(environment);
    return code;
}

/* Why a program gave no usable answer, for messages. */
static const char *const late = "did not answer in time";
static const char *const large = "wrote more than 256 MiB";
static const char *const failed = "ended with an error";

/* Reads until the program closes its output. Returns NULL, or why it was not
 * read to its end. Even then *out gets what was read, which the caller frees.
 */
static const char *output_read_all(int from, sim_time until, struct text *out)
{
    char *buf = NULL;
    size_t len = 0, cap = 0;
    ssize_t n = 1;
    const char *why = NULL;
    while (n != 0 && !why) {
        sim_span rest = until - clock_now();
        struct pollfd one = {.fd = from, .events = POLLIN};
        buf = mem_grow(buf, &cap, len + PROGRAM_OUTPUT_PIECE + 1, 1);
        if (rest <= 0 || poll(&one, 1, (int)(rest / 1000) + 1) == 0)
            why = late;
        else if ((n = read(from, buf + len, PROGRAM_OUTPUT_PIECE)) > 0)
            len += (size_t)n;
        else if (n < 0 && errno != EINTR)
            why = strerror(errno);
        if (len > OUTPUT_MAX)
            why = large;
    }
    *out = (struct text){buf, len};
    return why;
}

/* Waits until the program has ended. Returns false if it has not ended at
 * `until`, or if how it ended cannot be known. */
static bool output_await(pid_t pid, sim_time until, int *status)
{
    const struct timespec nap = {.tv_nsec = 2000000};
    pid_t ended;
    while ((ended = waitpid(pid, status, WNOHANG)) == 0 && clock_now() < until)
        nanosleep(&nap, NULL);
    return ended == pid;
}

enum status program_output(const char *const *argv, sim_span limit,
                           struct text *out, struct error *err)
{
    int ends[2], status = 0;
    pid_t pid;
    *out = (struct text){0};
    if (pipe2(ends, O_CLOEXEC) != 0)
        return error_set(err, STATUS_FAILED, "%s: %s", argv[0],
                         strerror(errno));
    int code = output_start(argv, ends[1], &pid);
    close(ends[1]);
    if (code != 0) {
        close(ends[0]);
        return error_set(err, STATUS_FAILED, "%s: cannot be run: %s", argv[0],
                         strerror(code));
    }
    sim_time until = clock_now() + limit;
    const char *why = output_read_all(ends[0], until, out);
    if (!why && !output_await(pid, until, &status))
        why = late;
    close(ends[0]);
    if (why) {
        kill(pid, SIGKILL);
        (void)output_await(pid, clock_now() + KILL_LIMIT, &status);
    } else if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        why = failed;
    }
    if (!why)
        return STATUS_OK;
    free((char *)(uintptr_t)out->at);
    *out = (struct text){0};
    return error_set(err, STATUS_FAILED, "%s: %s", argv[0], why);
}
