/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The time stamp of a line, in forms such as
 *
 *     ISO 8601   2026-03-01 04:01:35,123
 *     American   03/01/2026 04:01:35
 *     syslog     Mar  1 04:01:35
 *     dmesg -T   [Sun Mar  1 04:01:35 2026]
 *     glog       E0301 04:01:35.123456 The code is in log_stream.c. */
#ifndef MODELS_LOG_STAMP_H
#define MODELS_LOG_STAMP_H

#include "base/text.h"

struct log_stamp {
    sim_time at; /* us since 1970 UTC; a stamp without a zone is taken as UTC */
    bool dated;  /* true if the stamp has a year; otherwise `at` lies in 1972 */
    bool zoned;  /* true if the stamp names its zone */
};

/* Finds the first stamp that begins in the first 64 bytes of a line. If it
 * returns false, *out means nothing. */
bool log_stamp_of(struct text line, struct log_stamp *out) MUST_USE;

/* True if two stamps can be compared: both with a year or both without, both
 * with a zone or both without. */
bool log_stamp_alike(const struct log_stamp *a, const struct log_stamp *b);

/* Gives a stamp without a year the year of `near` (us since 1970), or the year
 * before or after that if the stamp is then nearer to `near`, and sets `dated`.
 * Does nothing to a stamp with a year. */
void log_stamp_complete(struct log_stamp *stamp, sim_time near);

#endif
