/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The process that releases all if the driver dies, and its lock. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "sim/drive/drive_internal.h"

/* What the driver writes to its guard. */
enum { GUARD_BEAT = 'b', GUARD_END = 'e' };
/* A driver that lives gives no sign while a command runs; no more than these
 * run between two signs. */
enum { GUARD_COMMANDS = 6 };
/* How often the guard looks whether another driver has taken over. */
#define GUARD_LOOK (SPAN_SECOND / 2)

sim_time drive_clock(void)
{
    struct timespec at;
    clock_gettime(CLOCK_BOOTTIME, &at);
    return (sim_time)at.tv_sec * SPAN_SECOND + at.tv_nsec / 1000;
}

static int guard_open(const char *dir, const char *name, int flags)
{
    char path[4096];
    snprintf(path, sizeof path, "%.4000s/%s", dir, name);
    return open(path, flags | O_CREAT | O_CLOEXEC, 0600);
}

int drive_guard_driver(const char *dir)
{
    char words[24] = "";
    uint32_t pid = 0;
    const int fd = guard_open(dir, "lock", O_RDWR);
    if (fd >= 0 && flock(fd, LOCK_SH | LOCK_NB) != 0 &&
        read(fd, words, sizeof words - 1) > 0)
        (void)text_to_u32(text_from(words), &pid);
    if (fd >= 0)
        close(fd);
    return (int)pid;
}

/* Writes a line to guard.log, which is the standard error of the guard. */
static void guard_say(const char *line, bool note)
{
    char at[TIME_TEXT_MAX];
    (void)note;
    time_to_text((sim_time)time(NULL) * SPAN_SECOND, at);
    fprintf(stderr, "%s %s\n", at, line);
    fflush(stderr);
}

/* Reads the signs of life that have come. Returns false if the driver has ended
 * well. */
static bool guard_read(int from, bool *open, sim_time *last)
{
    char signs[256];
    const ssize_t n = read(from, signs, sizeof signs);
    if (n == 0 || (n < 0 && errno != EINTR))
        *open = false;
    for (ssize_t i = 0; i < n; i++) {
        if (signs[i] == GUARD_END)
            return false;
    }
    if (n > 0)
        *last = drive_clock();
    return true;
}

/* Waits until the driver has given no sign for too long. Returns false if it
 * has ended well, or is dead and another one drives. A dead driver may hold the
 * lock for a moment after its end of the pipe is closed. */
static bool guard_wait(const struct drive_options *options, int driver,
                       int from)
{
    const sim_span hung = GUARD_COMMANDS * options->answer;
    sim_time last = drive_clock();
    bool open = true;
    while (drive_clock() - last < (open && hung > options->release_after
                                       ? hung
                                       : options->release_after)) {
        struct pollfd one = {.fd = open ? from : -1, .events = POLLIN};
        const int ready = poll(&one, 1, (int)(GUARD_LOOK / 1000));
        if (ready > 0 && !guard_read(from, &open, &last))
            return false;
        const int other = open ? 0 : drive_guard_driver(options->dir);
        if (other && other != driver)
            return false;
    }
    return true;
}

/* The life of the guard. */
static void guard_live(const struct drive_options *options, int driver,
                       int from)
{
    struct drive_options own = *options;
    struct error err;
    own.say = guard_say;
    if (!guard_wait(options, driver, from))
        return;
    guard_say("the driver gives no sign of life: all is released", true);
    close(from); /* a driver that wakes up sees that its guard is gone */
    if (drive_undo(&own, &err) == STATUS_OK)
        guard_say("all is released", true);
    else
        guard_say(err.message, true);
}

/* Makes the process independent of the driver's terminal and files. */
static void guard_part(const char *dir, int lock, int to)
{
    const int log = guard_open(dir, "guard.log", O_WRONLY | O_APPEND);
    const int none = open("/dev/null", O_RDWR | O_CLOEXEC);
    setsid();
    close(lock);
    close(to);
    dup2(none, STDIN_FILENO);
    dup2(log >= 0 ? log : none, STDOUT_FILENO);
    dup2(log >= 0 ? log : none, STDERR_FILENO);
    signal(SIGHUP, SIG_IGN);
    signal(SIGINT, SIG_IGN);
    signal(SIGTERM, SIG_IGN);
}

static enum status guard_lock(const struct drive_options *options,
                              struct drive_guard *out, struct error *err)
{
    out->lock = guard_open(options->dir, "lock", O_RDWR);
    if (out->lock < 0)
        return error_set(err, STATUS_FAILED, "%.200s/lock: %s", options->dir,
                         strerror(errno));
    if (flock(out->lock, LOCK_EX | LOCK_NB) != 0) {
        close(out->lock);
        return error_set(err, STATUS_FAILED,
                         "%.200s: another driver is at work, process %d",
                         options->dir, drive_guard_driver(options->dir));
    }
    char words[24];
    const int n = snprintf(words, sizeof words, "%d", (int)getpid());
    if (ftruncate(out->lock, 0) == 0 &&
        pwrite(out->lock, words, (size_t)n, 0) == n)
        return STATUS_OK;
    close(out->lock);
    return error_set(err, STATUS_FAILED, "%.200s/lock: %s", options->dir,
                     strerror(errno));
}

enum status drive_guard_begin(const struct drive_options *options,
                              struct drive_guard *out, struct error *err)
{
    int ends[2];
    const int driver = (int)getpid();
    *out = (struct drive_guard){.pipe = -1, .lock = -1};
    enum status st = guard_lock(options, out, err);
    if (st != STATUS_OK)
        return st;
    if (pipe2(ends, O_CLOEXEC) != 0 || (out->pid = fork()) < 0) {
        st = error_set(err, STATUS_FAILED, "the guard cannot be started: %s",
                       strerror(errno));
        close(out->lock);
        return st;
    }
    if (out->pid == 0) {
        guard_part(options->dir, out->lock, ends[1]);
        guard_live(options, driver, ends[0]);
        _exit(0);
    }
    close(ends[0]);
    fcntl(ends[1], F_SETFL, O_NONBLOCK);
    out->pipe = ends[1];
    return STATUS_OK;
}

/* Writes a sign; the pipe holds thousands, so a full one means that the guard
 * is stopped. */
static bool guard_send(const struct drive_guard *guard, char sign)
{
    return write(guard->pipe, &sign, 1) == 1 || errno == EINTR;
}

bool drive_guard_beat(const struct drive_guard *guard)
{
    return guard->pipe < 0 || guard_send(guard, GUARD_BEAT);
}

void drive_guard_end(struct drive_guard *guard)
{
    if (guard->pipe >= 0) {
        (void)guard_send(guard, GUARD_END);
        close(guard->pipe);
        for (int i = 0; i < 100 && waitpid(guard->pid, NULL, WNOHANG) == 0; i++)
            poll(NULL, 0, 10);
        close(guard->lock);
    }
    *guard = (struct drive_guard){.pipe = -1, .lock = -1};
}
