/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The time by which jobs are watched. */
#include "schedmate/watch/watch_internal.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/text.h"

static sim_time watch_clock_of(clockid_t id)
{
    struct timespec at;
    clock_gettime(id, &at);
    return (sim_time)at.tv_sec * SPAN_SECOND + at.tv_nsec / 1000;
}

void watch_clock_renew(struct watch_clock *clock)
{
    if (!clock->stepped)
        clock->now = clock->offset + watch_clock_of(CLOCK_BOOTTIME);
}

void watch_clock_open(struct watch_clock *clock, bool stepped)
{
    *clock = (struct watch_clock){.stepped = stepped};
    clock->offset =
        watch_clock_of(CLOCK_REALTIME) - watch_clock_of(CLOCK_BOOTTIME);
    watch_clock_renew(clock);
}

/* Reads the next instant, a line with a time in seconds since 1970. Reads byte
 * by byte, because nothing after the line may be taken from the pipe. */
static enum status next_instant(struct watch_clock *clock, struct error *err)
{
    char line[64];
    size_t len = 0;
    while (len < sizeof line) {
        ssize_t n = read(STDIN_FILENO, line + len, 1);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return STATUS_END;
        if (line[len] == '\n')
            break;
        len++;
    }
    sim_time next;
    if (len == sizeof line ||
        !text_to_any_span((struct text){line, len}, &next) || next < clock->now)
        return error_set(err, STATUS_BAD_INPUT,
                         "standard input: an instant is a number of seconds "
                         "since 1970, not before the last one");
    clock->now = next;
    return STATUS_OK;
}

enum status watch_clock_wait(struct watch_clock *clock, sim_span span,
                             struct pollfd *fds, nfds_t n, struct error *err)
{
    if (clock->stepped) {
        (void)poll(fds, n, 0);
        return next_instant(clock, err);
    }
    struct timespec rest = {.tv_sec = (time_t)(span / SPAN_SECOND),
                            .tv_nsec = (long)(span % SPAN_SECOND * 1000)};
    (void)ppoll(fds, n, &rest, NULL);
    watch_clock_renew(clock);
    return STATUS_OK;
}

void watch_clock_done(const struct watch_clock *clock)
{
    if (!clock->stepped)
        return;
    printf("%" PRId64 "\n", clock->now / SPAN_SECOND);
    fflush(stdout);
}
