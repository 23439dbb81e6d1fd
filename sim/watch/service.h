/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a service manager needs of a daemon: signals, and messages about its
 * state (datagrams to the socket that $NOTIFY_SOCKET names, as systemd has
 * them). */
#ifndef SIM_WATCH_SERVICE_H
#define SIM_WATCH_SERVICE_H

#include <stdbool.h>

#include "sim/base/error.h"

/* Blocks SIGTERM, SIGINT and SIGHUP and returns a descriptor that reports them;
 * ignores SIGPIPE. */
enum status service_signals(int *fd, struct error *err) MUST_USE;

struct service_wishes {
    bool end, renew; /* `end`: SIGTERM or SIGINT came. `renew`: SIGHUP came. */
};
/* Takes the signals that have come; never waits. */
struct service_wishes service_take(int fd);

/* Sends a message such as "READY=1". Does nothing without a service manager. */
void service_tell(const char *message);

#endif
