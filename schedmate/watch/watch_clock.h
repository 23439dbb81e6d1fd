/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The time by which jobs are watched. The system's clock begins at the date of
 * the start and then follows CLOCK_BOOTTIME, so that a corrected date stalls no
 * job. The clock of tests takes each instant from a line of standard input and
 * answers the line when the instant is done. */
#ifndef SIM_WATCH_CLOCK_H
#define SIM_WATCH_CLOCK_H

#include <poll.h>
#include <stdbool.h>

#include "base/error.h"
#include "base/units.h"

struct watch_clock {
    bool stepped;    /* true: the clock of tests */
    sim_time now;    /* microseconds since 1970 UTC; set by the calls below */
    sim_time offset; /* date at the zero of CLOCK_BOOTTIME, us since 1970 */
};

/* Opens the clock and sets `now`. A stepped clock has no time before its first
 * wait: `now` is 0. */
void watch_clock_open(struct watch_clock *clock, bool stepped);

/* Waits until `span` microseconds are over, one of the n descriptors has an
 * event or a signal comes, then renews `now`. The stepped clock waits for its
 * next instant in any case. Returns STATUS_END at the end of the instants,
 * STATUS_BAD_INPUT for a line that is not an instant or lies before the last
 * one. */
enum status watch_clock_wait(struct watch_clock *clock, sim_span span,
                             struct pollfd *fds, nfds_t n,
                             struct error *err) MUST_USE;
/* Renews `now` without waiting; does nothing to a stepped clock. */
void watch_clock_renew(struct watch_clock *clock);
/* Prints a stepped clock's `now`, in whole seconds since 1970, on standard
 * output: the instant is done. Does nothing for the system's clock. */
void watch_clock_done(const struct watch_clock *clock);

#endif
