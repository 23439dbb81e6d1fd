/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs gnuplot, another program, on a script. */
#include "commands/report/report_internal.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/check.h"

/* Files in memory for the standard streams of gnuplot. With pipes, both
 * programs could wait for each other. */
struct streams {
    int fd[3];
};

static enum status gnuplot_cannot(struct error *err)
{
    return error_set(err, STATUS_FAILED, "gnuplot: cannot be started: %s",
                     strerror(errno));
}

static bool gnuplot_put_all(int fd, struct text t)
{
    while (t.len) {
        ssize_t n = write(fd, t.at, t.len);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return false;
        t.at += n;
        t.len -= (size_t)n;
    }
    return lseek(fd, 0, SEEK_SET) == 0;
}

static void close_streams(struct streams *s)
{
    for (int i = 0; i < 3; i++) {
        if (s->fd[i] >= 0)
            close(s->fd[i]);
    }
}

static enum status open_streams(struct streams *s, struct text script,
                                struct error *err)
{
    bool good = true;
    for (int i = 0; i < 3; i++) {
        s->fd[i] = memfd_create("gnuplot", MFD_CLOEXEC);
        good &= s->fd[i] >= 0;
    }
    if (good && gnuplot_put_all(s->fd[0], script))
        return STATUS_OK;
    close_streams(s);
    return gnuplot_cannot(err);
}

/* Starts gnuplot. Returns 0 or an errno value. */
static int gnuplot_start(const struct streams *s, pid_t *pid)
{
    /* -d: gnuplot reads no settings of the machine or of the user */
    char name[] = "gnuplot", defaults[] = "-d";
    char *argv[] = {name, defaults, NULL};
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    for (int i = 0; i < 3; i++)
        posix_spawn_file_actions_adddup2(&files, s->fd[i], i);
    int code = posix_spawnp(pid, name, &files, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&files);
    return code;
}

/* Reads a whole stream; after an error, returns what came before it. The caller
 * frees the text. */
static struct text gnuplot_read_all(int fd)
{
    char *at = NULL;
    size_t len = 0, room = 0;
    ssize_t n = 1;
    bool good = lseek(fd, 0, SEEK_SET) == 0;
    while (good && n > 0) {
        at = mem_grow(at, &room, len + (1 << 16), 1);
        n = read(fd, at + len, room - len);
        len += n > 0 ? (size_t)n : 0;
    }
    return (struct text){at, len};
}

static void free_text(struct text t)
{
    free((void *)(uintptr_t)t.at);
}

/* Sets an error from the last line of gnuplot's standard error stream that
 * begins with "line ", as its error messages do, and is not a warning; a
 * general error if there is no such line. */
static enum status gnuplot_complain(int fd, struct error *err)
{
    struct text said = gnuplot_read_all(fd), rest = said, found = {0};
    while (rest.len) {
        struct text line = text_trim(text_split(rest, '\n', &rest));
        bool warns = memmem(line.at, line.len, "warning:", 8) != NULL;
        if (line.len > 5 && memcmp(line.at, "line ", 5) == 0 && !warns)
            found = line;
    }
    enum status st =
        found.len
            ? error_set(err, STATUS_FAILED, "gnuplot failed: %.*s",
                        (int)(found.len < 300 ? found.len : 300), found.at)
            : error_set(err, STATUS_FAILED,
                        "gnuplot failed and drew no figure");
    free_text(said);
    return st;
}

/* Writes the figure. Cairo puts the date and time into a PDF; both are
 * replaced, so that equal figures have equal bytes. */
static void put_without_date(struct out *out, struct text figure)
{
    static const char key[] = "/CreationDate (D:", date[] = "19700101000000";
    const char *at = memmem(figure.at, figure.len, key, strlen(key));
    size_t head = at ? (size_t)(at - figure.at) + strlen(key) : 0;
    if (!at || figure.len < 4 || memcmp(figure.at, "%PDF", 4) != 0 ||
        head + strlen(date) > figure.len)
        head = 0;
    out_bytes(out, figure.at, head);
    if (head) {
        out_text(out, date);
        head += strlen(date);
    }
    out_bytes(out, figure.at + head, figure.len - head);
}

enum status gnuplot_run(struct text script, struct out *out, struct error *err)
{
    struct streams s;
    pid_t pid;
    int state = 0;
    enum status st = open_streams(&s, script, err);
    if (st != STATUS_OK)
        return st;
    errno = gnuplot_start(&s, &pid);
    if (errno) {
        st = errno == ENOENT
                 ? error_set(err, STATUS_FAILED,
                             "gnuplot is not installed (on Debian: apt-get "
                             "install gnuplot-nox); --script FILE writes the "
                             "figure's script and data without it")
                 : gnuplot_cannot(err);
        close_streams(&s);
        return st;
    }
    while (waitpid(pid, &state, 0) < 0 && errno == EINTR)
        continue;
    struct text figure = gnuplot_read_all(s.fd[1]);
    if (!WIFEXITED(state) || WEXITSTATUS(state) != 0 || figure.len == 0)
        st = gnuplot_complain(s.fd[2], err);
    else
        put_without_date(out, figure);
    free_text(figure);
    close_streams(&s);
    return st;
}

void gnuplot_quote(struct out *out, const char *text)
{
    out_char(out, '\'');
    for (; *text; text++) {
        bool control = (unsigned char)*text < ' ' || *text == 0x7f;
        if (*text == '\'') /* gnuplot does not read '' as ' everywhere */
            out_text(out, "\xe2\x80\x99");
        else
            out_char(out, control ? '?' : *text);
    }
    out_char(out, '\'');
}
