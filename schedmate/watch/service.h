/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a service manager such as systemd needs from a daemon: signals, and
 * messages about its state, sent as datagrams to the socket that $NOTIFY_SOCKET
 * names. */
#ifndef SIM_WATCH_SERVICE_H
#define SIM_WATCH_SERVICE_H

#include <stdbool.h>

#include "base/error.h"

/* Blocks SIGTERM, SIGINT and SIGHUP, ignores SIGPIPE, and sets *fd to a
 * descriptor that reports the blocked signals. The caller closes it. */
enum status service_signals(int *fd, struct error *err) MUST_USE;

struct service_wishes {
    bool end, renew; /* `end`: SIGTERM or SIGINT came. `renew`: SIGHUP came. */
};
/* Takes the signals that have come; never waits. */
struct service_wishes service_take(int fd);

/* Sends a message such as "READY=1". Does nothing without a service manager. */
void service_tell(const char *message);

#endif
