/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Time zones with daylight saving, from the system's zone files (TZif, RFC
 * 8536). The functions of the C library are not used, because they keep the
 * zone in a variable of the process and read the environment. */
#ifndef TRACES_ZONE_H
#define TRACES_ZONE_H

#include "base/arena.h"
#include "base/error.h"
#include "base/text.h"
#include "base/units.h"

struct zone_change {
    sim_time at;     /* UTC, us since 1970 */
    sim_span offset; /* local time minus UTC from then on, us */
};

/* Offsets of a zone, in order of time. */
struct zone {
    sim_span before; /* offset before the first change */
    struct zone_change *changes;
    size_t n_changes, cap_changes;
};

/* Reads a zone with a fixed offset, such as "UTC", "Z", "UTC+8", "GMT-03:30",
 * "+08:00", "+0800" or "+8". *offset: local time minus UTC, us. Returns false
 * for any other name. */
bool zone_fixed(struct text name, sim_span *offset) MUST_USE;

/* Reads a zone such as "Europe/Berlin" from the zone files of the system.
 * Returns STATUS_USAGE with a message that begins with `owner` if there is no
 * such zone, or its file cannot be read or is malformed. The caller must call
 * zone_close; after an error there is nothing to free. */
enum status zone_open(struct text name, const char *owner, struct zone *out,
                      struct error *err) MUST_USE;
void zone_close(struct zone *zone); /* accepts a zone of zeroes */

/* Converts local time to UTC. *twice: true if the local time means two
 * instants; then the result is the earlier one. A local time that clocks skip
 * is read with the offset before they skip. */
sim_time zone_to_utc(const struct zone *zone, sim_time local, bool *twice);

/* Parses the bytes of a zone file. Returns false if they are malformed or of
 * version 1. The caller must call zone_close in both cases. */
bool zone_parse(struct text file, struct zone *out) MUST_USE;

#endif
