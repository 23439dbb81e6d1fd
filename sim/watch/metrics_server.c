/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The only file that uses libmicrohttpd. */
#include "sim/watch/metrics_server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "sim/base/library.h"

#include <schedsim_features.h>
#ifdef SCHEDSIM_WITHOUT_MICROHTTPD
#include "sim/base/absent/microhttpd_absent.h"
#else
#include <microhttpd.h>
#endif

#define HTTP_FUNCTIONS(X) \
    X(MHD_add_response_header) \
    X(MHD_create_response_from_buffer) \
    X(MHD_destroy_response) \
    X(MHD_queue_response) \
    X(MHD_start_daemon) \
    X(MHD_stop_daemon)

struct http {
#define HTTP_MEMBER(name) __typeof__(name) *name;
    HTTP_FUNCTIONS(HTTP_MEMBER)
#undef HTTP_MEMBER
};

struct metrics {
    struct http http;
    struct MHD_Daemon *daemon;
    pthread_mutex_t lock;
    struct text page; /* the text that requests get; owned, guarded by `lock` */
    /* path of the Unix socket, which metrics_close removes; NULL: none */
    char *socket;
};

static enum status load(struct http *out, struct error *err)
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

static enum MHD_Result answer(void *self, struct MHD_Connection *to,
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

static enum status cannot(const char *where, struct error *err)
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
        return cannot(where, err);
    if (stat(path, &about) == 0 && S_ISSOCK(about.st_mode)) {
        if (connect(fd, (const struct sockaddr *)&at, sizeof at) == 0)
            return error_set(err, STATUS_FAILED,
                             "--metrics %s: another program answers at this "
                             "address",
                             where);
        unlink(path);
    }
    if (bind(fd, (const struct sockaddr *)&at, sizeof at) != 0)
        return cannot(where, err);
    m->socket = strdup(path);
    if (chmod(path, 0660) != 0 || listen(fd, 16) != 0)
        return cannot(where, err);
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

static enum status listen_port(const char *where, bool open, int *out,
                               struct error *err)
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
                         "--metrics-open allows it",
                         where);
    int fd = socket(at.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    *out = fd;
    if (fd < 0)
        return cannot(where, err);
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (bind(fd, (const struct sockaddr *)&at, len) != 0 || listen(fd, 16) != 0)
        return cannot(where, err);
    return STATUS_OK;
}

static enum status start(struct metrics *m, const char *where, bool open,
                         struct error *err)
{
    int fd = -1;
    bool is_unix = strncmp(where, "unix:", 5) == 0;
    enum status st = load(&m->http, err);
    if (st == STATUS_OK)
        st = is_unix ? listen_unix(m, where, where + 5, &fd, err)
                     : listen_port(where, open, &fd, err);
    if (st == STATUS_OK) {
        m->daemon = m->http.MHD_start_daemon(
            MHD_USE_INTERNAL_POLLING_THREAD, 0, NULL, NULL, answer, m,
            MHD_OPTION_LISTEN_SOCKET, fd, MHD_OPTION_CONNECTION_LIMIT, 32u,
            MHD_OPTION_CONNECTION_TIMEOUT, 10u, MHD_OPTION_END);
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
    enum status st = start(m, where, open, err);
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
