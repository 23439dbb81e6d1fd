/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a service manager such as systemd needs from a daemon: signals, and
 * messages about its state, sent as datagrams to the socket that
 * $NOTIFY_SOCKET names. */
#include "schedmate/watch/watch_internal.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum status service_signals(int *fd, struct error *err)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGHUP);
    sigprocmask(SIG_BLOCK, &set, NULL);
    signal(SIGPIPE, SIG_IGN);
    *fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    if (*fd < 0)
        return error_set(err, STATUS_FAILED, "no descriptor for signals: %s",
                         strerror(errno));
    return STATUS_OK;
}

struct service_wishes service_take(int fd)
{
    struct service_wishes wishes = {0};
    struct signalfd_siginfo info;
    while (read(fd, &info, sizeof info) == (ssize_t)sizeof info) {
        wishes.renew |= info.ssi_signo == SIGHUP;
        wishes.end |= info.ssi_signo != SIGHUP;
    }
    return wishes;
}

void service_tell(const char *message)
{
    const char *path = getenv("NOTIFY_SOCKET");
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    size_t len = path ? strlen(path) : 0;
    if ((len && path[0] != '/' && path[0] != '@') || len < 2 ||
        len >= sizeof to.sun_path)
        return;
    memcpy(to.sun_path, path, len);
    if (path[0] == '@') /* an abstract name, which is not a file */
        to.sun_path[0] = 0;
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return;
    (void)sendto(fd, message, strlen(message), MSG_NOSIGNAL,
                 (const struct sockaddr *)&to,
                 (socklen_t)(offsetof(struct sockaddr_un, sun_path) + len));
    close(fd);
}
