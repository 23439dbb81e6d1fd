/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Gives figures about the watch to Prometheus: GET /metrics on a Unix socket or
 * a TCP port, served by libmicrohttpd in a thread of its own. A request sees
 * the figures of the last look. */
#ifndef SIM_WATCH_METRICS_SERVER_H
#define SIM_WATCH_METRICS_SERVER_H

#include "schedmate/watch/watch_internal.h"

/* Begins to serve the figures; *out is NULL on an error. `where`: "unix:PATH"
 * or "ADDRESS:PORT", IPv6 addresses in brackets. An address that is not
 * loopback is refused unless `open` is true, because the figures name jobs and
 * users and no password protects them. At a loopback address, requests whose
 * Host is a name other than localhost are refused, because a web page could
 * have sent them. */
enum status metrics_open(const char *where, bool open, struct metrics **out,
                         struct error *err) MUST_USE;
void metrics_close(struct metrics *metrics); /* accepts NULL */
void metrics_publish(struct metrics *metrics, const struct watch *w);

/* Writes the figures in Prometheus' text format 0.0.4. */
void metrics_write(const struct watch *w, struct out *out);

#endif
