/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The only file that uses libmicrohttpd. */
#include "schedmate/watch/watch_internal.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/library.h"

#include <schedsim_features.h>
#ifdef SCHEDSIM_WITHOUT_MICROHTTPD
#include "base/absent/microhttpd_absent.h"
#else
#include <microhttpd.h>
#endif

#define HTTP_FUNCTIONS(X) \
    X(MHD_add_response_header) \
    X(MHD_create_response_from_buffer) \
    X(MHD_destroy_response) \
    X(MHD_get_connection_info) \
    X(MHD_lookup_connection_value) \
    X(MHD_queue_response) \
    X(MHD_start_daemon) \
    X(MHD_stop_daemon)

struct metrics_server_http {
#define HTTP_MEMBER(name) __typeof__(name) *name;
    HTTP_FUNCTIONS(HTTP_MEMBER)
#undef HTTP_MEMBER
};

/* Connections at a time, and how many of them may stay open. When one more
 * comes, the oldest is closed, so that connections that ask nothing keep nobody
 * out. */
enum { CONNECTIONS_MAX = 32, CONNECTIONS_KEPT = 24 };

struct metrics {
    struct metrics_server_http http;
    int open[CONNECTIONS_MAX]; /* sockets of the connections, oldest first */
    size_t n_open;
    bool checks_host; /* true: the host that a request names is checked */
    struct MHD_Daemon *daemon;
    pthread_mutex_t lock;
    struct text page; /* the text that requests get; owned, guarded by `lock` */
    /* path of the Unix socket, which metrics_close removes; NULL: none */
    char *socket;
};

static enum status server_load(struct metrics_server_http *out,
                               struct error *err)
{
    static const char *const files[] = {"libmicrohttpd.so.12",
                                        "libmicrohttpd.so", NULL};
    static const char *const names[] = {
#define HTTP_NAME(name) #name,
        HTTP_FUNCTIONS(HTTP_NAME)
#undef HTTP_NAME
    };
    return library_load(files, "libmicrohttpd12", names,
                        sizeof names / sizeof *names, out, err);
}

static enum MHD_Result send_text(struct metrics *m, struct MHD_Connection *to,
                                 unsigned code, const char *type,
                                 struct text page)
{
    struct MHD_Response *response = m->http.MHD_create_response_from_buffer(
        page.len, (void *)(uintptr_t)page.at, MHD_RESPMEM_MUST_COPY);
    if (!response)
        return MHD_NO;
    m->http.MHD_add_response_header(response, "Content-Type", type);
    enum MHD_Result done = m->http.MHD_queue_response(to, code, response);
    m->http.MHD_destroy_response(response);
    return done;
}

/* Called in the thread of the server when a connection begins or ends. */
static void note_connection(void *self, struct MHD_Connection *connection,
                            void **context,
                            enum MHD_ConnectionNotificationCode code)
{
    struct metrics *m = self;
    const union MHD_ConnectionInfo *info = m->http.MHD_get_connection_info(
        connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    size_t i = 0;
    (void)context;
    if (!info)
        return;
    if (code == MHD_CONNECTION_NOTIFY_STARTED) {
        if (m->n_open < CONNECTIONS_MAX)
            m->open[m->n_open++] = info->connect_fd;
        if (m->n_open > CONNECTIONS_KEPT)
            shutdown(m->open[m->n_open - CONNECTIONS_KEPT - 1], SHUT_RDWR);
        return;
    }
    while (i < m->n_open && m->open[i] != info->connect_fd)
        i++;
    if (i == m->n_open)
        return;
    m->n_open--;
    memmove(&m->open[i], &m->open[i + 1], (m->n_open - i) * sizeof *m->open);
}

/* True if the host of a request is an IP address or localhost, with or without
 * a port, or not named. A web page that has its own name resolved to this
 * address names itself. */
static bool is_own_host(const char *host)
{
    char name[64];
    unsigned char bytes[sizeof(struct in6_addr)];
    if (!host)
        return true;
    bool six = host[0] == '[';
    size_t n = six ? strcspn(host, "]") : strcspn(host, ":");
    if (n >= sizeof name || (six && host[n] != ']'))
        return false;
    memcpy(name, host + six, n - six);
    name[n - six] = '\0';
    return inet_pton(six ? AF_INET6 : AF_INET, name, bytes) == 1 ||
           (!six && strcasecmp(name, "localhost") == 0);
}

static enum MHD_Result server_answer(void *self, struct MHD_Connection *to,
                                     const char *url, const char *method,
                                     const char *version, const char *upload,
                                     size_t *upload_size, void **state)
{
    struct metrics *m = self;
    static int begun;
    (void)version;
    (void)upload;
    if (*upload_size > 0) { /* the body of a request is thrown away */
        *upload_size = 0;
        return MHD_YES;
    }
    if (strcmp(method, "GET") != 0 && strcmp(method, "HEAD") != 0 && *state)
        return send_text(m, to, MHD_HTTP_METHOD_NOT_ALLOWED, "text/plain",
                         text_from("only GET\n"));
    if (!*state) { /* the first call of a request comes before its body */
        *state = &begun;
        return MHD_YES;
    }
    if (m->checks_host && !is_own_host(m->http.MHD_lookup_connection_value(
                              to, MHD_HEADER_KIND, "Host")))
        return send_text(m, to, MHD_HTTP_FORBIDDEN, "text/plain",
                         text_from("Host: expected an IP address or "
                                   "localhost\n"));
    if (strcmp(url, "/metrics") != 0)
        return send_text(m, to, MHD_HTTP_NOT_FOUND, "text/plain",
                         text_from("see /metrics\n"));
    pthread_mutex_lock(&m->lock);
    enum MHD_Result done =
        send_text(m, to, MHD_HTTP_OK,
                  "text/plain; version=0.0.4; charset=utf-8", m->page);
    pthread_mutex_unlock(&m->lock);
    return done;
}

static enum status server_cannot(const char *where, struct error *err)
{
    return error_set(err, STATUS_FAILED, "--metrics %s: %s", where,
                     strerror(errno));
}

/* Listens on a Unix socket. A socket that a killed program left is removed; one
 * that answers, or a file of another kind, is an error. The caller closes *out,
 * on an error too, unless it is -1. */
static enum status listen_unix(struct metrics *m, const char *where,
                               const char *path, int *out, struct error *err)
{
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    struct stat about;
    if (strlen(path) >= sizeof at.sun_path || !*path)
        return error_set(err, STATUS_USAGE,
                         "--metrics %s: the path has 1 to %zu bytes", where,
                         sizeof at.sun_path - 1);
    memcpy(at.sun_path, path, strlen(path));
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    *out = fd;
    if (fd < 0)
        return server_cannot(where, err);
    if (stat(path, &about) == 0 && S_ISSOCK(about.st_mode)) {
        if (connect(fd, (const struct sockaddr *)&at, sizeof at) == 0)
            return error_set(err, STATUS_FAILED,
                             "--metrics %s: another program answers at this "
                             "address",
                             where);
        unlink(path);
    }
    if (bind(fd, (const struct sockaddr *)&at, sizeof at) != 0)
        return server_cannot(where, err);
    m->socket = mem_text(path);
    if (chmod(path, 0660) != 0 || listen(fd, SOMAXCONN) != 0)
        return server_cannot(where, err);
    return STATUS_OK;
}

/* Reads "127.0.0.1:9100" or "[::1]:9100". Returns false for anything else, such
 * as a host name or port 0. */
static bool read_address(const char *where, struct sockaddr_storage *at,
                         socklen_t *len, bool *loopback)
{
    char host[64];
    const char *colon = strrchr(where, ':');
    uint32_t port;
    size_t n = colon ? (size_t)(colon - where) : 0;
    bool six = n > 2 && where[0] == '[' && where[n - 1] == ']';
    if (n == 0 || n >= sizeof host ||
        !text_to_u32(text_from(colon + 1), &port) || port == 0 || port > 65535)
        return false;
    memcpy(host, where + six, n - 2 * six);
    host[n - 2 * six] = 0;
    *at = (struct sockaddr_storage){0};
    if (six) {
        struct sockaddr_in6 in = {.sin6_family = AF_INET6,
                                  .sin6_port = htons((uint16_t)port)};
        if (inet_pton(AF_INET6, host, &in.sin6_addr) != 1)
            return false;
        *loopback = IN6_IS_ADDR_LOOPBACK(&in.sin6_addr);
        *len = sizeof in;
        memcpy(at, &in, sizeof in);
        return true;
    }
    struct sockaddr_in in = {.sin_family = AF_INET,
                             .sin_port = htons((uint16_t)port)};
    if (inet_pton(AF_INET, host, &in.sin_addr) != 1)
        return false;
    *loopback = (ntohl(in.sin_addr.s_addr) >> 24) == 127;
    *len = sizeof in;
    memcpy(at, &in, sizeof in);
    return true;
}

static enum status listen_port(struct metrics *m, const char *where, bool open,
                               int *out, struct error *err)
{
    struct sockaddr_storage at;
    socklen_t len;
    bool loopback;
    int yes = 1;
    if (!read_address(where, &at, &len, &loopback))
        return error_set(err, STATUS_USAGE,
                         "--metrics %s: is neither unix:PATH nor ADDRESS:PORT, "
                         "such as 127.0.0.1:9105",
                         where);
    if (!loopback && !open)
        return error_set(err, STATUS_USAGE,
                         "--metrics %s: is not a loopback address: anybody on "
                         "the network could read the names of jobs and users; "
                         "--set metrics-open allows it",
                         where);
    m->checks_host = loopback;
    int fd = socket(at.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    *out = fd;
    if (fd < 0)
        return server_cannot(where, err);
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (bind(fd, (const struct sockaddr *)&at, len) != 0 ||
        listen(fd, SOMAXCONN) != 0)
        return server_cannot(where, err);
    return STATUS_OK;
}

static enum status server_start(struct metrics *m, const char *where, bool open,
                                struct error *err)
{
    int fd = -1;
    bool is_unix = strncmp(where, "unix:", 5) == 0;
    enum status st = server_load(&m->http, err);
    if (st == STATUS_OK)
        st = is_unix ? listen_unix(m, where, where + 5, &fd, err)
                     : listen_port(m, where, open, &fd, err);
    if (st == STATUS_OK) {
        m->daemon = m->http.MHD_start_daemon(
            MHD_USE_INTERNAL_POLLING_THREAD, 0, NULL, NULL, server_answer, m,
            MHD_OPTION_LISTEN_SOCKET, fd, MHD_OPTION_CONNECTION_LIMIT,
            (unsigned)CONNECTIONS_MAX, MHD_OPTION_NOTIFY_CONNECTION,
            note_connection, m, MHD_OPTION_CONNECTION_TIMEOUT, 10u,
            MHD_OPTION_END);
        if (!m->daemon)
            st = error_set(err, STATUS_FAILED,
                           "--metrics %s: the server of libmicrohttpd cannot "
                           "be started",
                           where);
    }
    if (st != STATUS_OK && fd >= 0)
        close(fd);
    return st;
}

enum status metrics_open(const char *where, bool open, struct metrics **out,
                         struct error *err)
{
    struct metrics *m = mem_zalloc(1, sizeof *m);
    pthread_mutex_init(&m->lock, NULL);
    enum status st = server_start(m, where, open, err);
    if (st != STATUS_OK) {
        metrics_close(m);
        m = NULL;
    }
    *out = m;
    return st;
}

void metrics_close(struct metrics *m)
{
    if (!m)
        return;
    if (m->daemon)
        m->http.MHD_stop_daemon(m->daemon); /* closes the socket too */
    if (m->socket)
        unlink(m->socket);
    pthread_mutex_destroy(&m->lock);
    free((char *)(uintptr_t)m->page.at);
    free(m->socket);
    free(m);
}

void metrics_publish(struct metrics *m, const struct watch *w)
{
    struct out *out = out_to_memory();
    metrics_write(w, out);
    struct text page = out_memory(out);
    char *copy = mem_alloc(page.len + 1);
    memcpy(copy, page.at, page.len);
    pthread_mutex_lock(&m->lock);
    char *old = (char *)(uintptr_t)m->page.at;
    m->page = (struct text){copy, page.len};
    pthread_mutex_unlock(&m->lock);
    free(old);
    out_abandon(out);
}
