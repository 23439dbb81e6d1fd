/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The program that decides, as a process: its command line, its start and end,
 * questions and answers within limits of time and size. */
#include "policies/outside/program_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/interrupt.h"

/* Length of the longest answer that is accepted, bytes. A plan takes about 20
 * bytes for each job that it names. */
#define CHILD_ANSWER_MAX (64u << 20)

/* Number of bytes that are kept from the end of the program's standard
 * error. */
#define CHILD_TAIL_MAX 512

struct child {
    struct child_setup setup;
    char *words;  /* the command, for messages; owned */
    char dir[64]; /* current directory of the program; "": none was made */
    struct interrupt_path at_end;
    pid_t pid;         /* process of the program; 0: the program does not run */
    int to, from, log; /* ends of this process; -1: closed */
    /* pidfd, readable once the program has ended; -1: none */
    int life;
    int status; /* status from waitpid; valid after child_wait returned true */
    char *buf;  /* output of the program: `len` bytes, room for `cap` */
    size_t len, cap;
    size_t used; /* length of the last answer in `buf`, with its line feed */
    /* time on child_clock by which all answers must be there; 0: no limit */
    sim_time end;
    /* last bytes that the program wrote to its standard error */
    char tail[CHILD_TAIL_MAX];
    size_t tail_len;
    uint64_t n_log; /* number of bytes of the program's standard error so far */
};

enum { CHILD_WORDS_MAX = 64 };

/* The words of a command, split by child.c. */
struct command_words {
    char *words[CHILD_WORDS_MAX + 1]; /* owned; NULL after the last */
    size_t n;
};

/* Sends lines to the program, reads its answers, and makes the error for a
 * program that does not answer. The clock is read only to end a run that takes
 * too long, never to decide what happens in it. */

enum { CHILD_PIECE = 65536 };

/* Time in which the program must end after its input is closed: long, because
 * a remark of the result says if it did not, and a busy machine must not decide
 * that. */
#define GRACE (10 * SPAN_SECOND)

/* Returns microseconds on a clock that only goes forward. */
static sim_time child_clock(void)
{
    struct timespec at;
    clock_gettime(CLOCK_MONOTONIC, &at);
    return (sim_time)at.tv_sec * SPAN_SECOND + at.tv_nsec / 1000;
}

/* Waits for the end of the program, which was not reaped yet, at most `limit`
 * us. If it has ended, kills the rest of its process group, reaps it and
 * returns true. Returns false if it still runs. */
static bool child_wait(struct child *child, sim_span limit)
{
    sim_time until = child_clock() + limit;
    struct timespec nap = {.tv_nsec = 1000000};
    for (;;) {
        siginfo_t info = {0};
        /* WNOWAIT leaves the program unreaped, so that its group can still be
         * killed */
        int st =
            waitid(P_PID, (id_t)child->pid, &info, WEXITED | WNOHANG | WNOWAIT);
        if (st != 0 || info.si_pid == child->pid)
            break;
        if (child_clock() >= until)
            return false;
        nanosleep(&nap, NULL);
    }
    kill(-child->pid, SIGKILL);
    waitpid(child->pid, &child->status, 0); /* ended: does not wait */
    child->pid = 0;
    return true;
}

/* Reads what the program has written to its standard error since
 * the last call, and keeps the end of it in `tail`. Does not wait. */
static void child_read_log(struct child *child)
{
    char piece[4096];
    ssize_t n;
    while (child->log >= 0 && (n = read(child->log, piece, sizeof piece)) > 0) {
        size_t len = (size_t)n;
        const char *at = piece;
        child->n_log += len;
        if (len > CHILD_TAIL_MAX) {
            at += len - CHILD_TAIL_MAX;
            len = CHILD_TAIL_MAX;
        }
        size_t keep = CHILD_TAIL_MAX - len;
        if (keep > child->tail_len)
            keep = child->tail_len;
        memmove(child->tail, child->tail + child->tail_len - keep, keep);
        memcpy(child->tail + keep, at, len);
        child->tail_len = keep + len;
    }
}

/* Writes how the program ended, such as "ended with exit status 1". Call only
 * after child_wait returned true. */
static void child_how(const struct child *child, char *out, size_t room)
{
    if (WIFSIGNALED(child->status))
        snprintf(out, room, "was ended by signal %d (%s)",
                 WTERMSIG(child->status), strsignal(WTERMSIG(child->status)));
    else
        snprintf(out, room, "ended with exit status %d",
                 WEXITSTATUS(child->status));
}

/* Returns the last line that is not empty of what the program wrote to its
 * standard error, or the end of it if the line is long; empty if there is
 * none. */
static struct text last_line(const struct child *child)
{
    size_t end = child->tail_len;
    while (end && strchr(" \t\r\n", child->tail[end - 1]))
        end--;
    size_t from = end;
    while (from && child->tail[from - 1] != '\n')
        from--;
    return text_trim((struct text){child->tail + from, end - from});
}

static enum status child_fail(struct child *child, const char *what,
                              struct error *err)
{
    child_read_log(child);
    struct text line = last_line(child);
    return error_set(
        err, STATUS_FAILED, "the program '%s' %s%s%.*s%s", child->words, what,
        line.len ? "; the last line of its standard error: \"" : "",
        TEXT_ARGS(line), line.len ? "\"" : "");
}

/* Returns the error for a program that has ended or closed its output. */
static enum status fail_ended(struct child *child, struct error *err)
{
    char how[160];
    if (!child_wait(child, SPAN_SECOND))
        return child_fail(child, "closed its output instead of answering", err);
    child_how(child, how, sizeof how);
    return child_fail(child, how, err);
}

/* `deed`: what the program did not do within the limit of an answer. */
static enum status fail_late(struct child *child, const char *deed, bool whole,
                             struct error *err)
{
    char what[160], limit[SPAN_TEXT_MAX + 1];
    sim_span span =
        whole ? child->setup.whole_limit : child->setup.answer_limit;
    limit[span_to_text(span, limit)] = '\0';
    if (whole)
        snprintf(what, sizeof what,
                 "has not answered all questions within %s s (whole_s)", limit);
    else
        snprintf(what, sizeof what, "did not %s within %s s (answer_s)", deed,
                 limit);
    return child_fail(child, what, err);
}

/* Returns the time until `until`, in milliseconds for poll, 0: it is over. -1
 * for `until` 0: no limit. */
static int wait_ms(sim_time until)
{
    sim_span rest = until - child_clock();
    if (!until)
        return -1;
    return rest <= 0 ? 0 : rest > SPAN_HOUR ? 3600000 : (int)(rest / 1000) + 1;
}

/* Waits until something can be read, or written if `writes` is true, or the
 * program has ended; may return earlier. Then reads what the program has
 * written to its standard error. Returns STATUS_END if the time is over;
 * `until` 0: no limit. Otherwise sets *ended to whether the program has ended.
 * Its output may then still be open, held by other programs that it has
 * started. */
static enum status child_await(struct child *child, bool writes, sim_time until,
                               bool *ended)
{
    struct pollfd all[4] = {
        {.fd = child->from, .events = POLLIN},
        {.fd = child->log, .events = POLLIN},
        {.fd = writes ? child->to : -1, .events = POLLOUT},
        {.fd = child->life, .events = POLLIN},
    };
    int wait = wait_ms(until);
    if (wait == 0)
        return STATUS_END;
    poll(all, 4, wait);
    *ended = all[3].revents != 0;
    if (all[1].revents & POLLIN)
        child_read_log(child);
    else if (all[1].revents) {
        close(child->log);
        child->log = -1;
    }
    return STATUS_OK;
}

/* Sends as many bytes as the socket takes and returns their number. If the
 * program reads no more, returns the whole length: reading the answer then
 * finds the error. */
static size_t send_some(const struct child *child, struct text line)
{
    ssize_t n = send(child->to, line.at, line.len, MSG_NOSIGNAL);
    if (n >= 0)
        return (size_t)n;
    return errno == EAGAIN ? 0 : line.len;
}

/* Reads at most CHILD_PIECE bytes that the program has written, without
 * waiting. Returns false if its output is closed or cannot be read. */
static bool read_some(struct child *child)
{
    child->buf = mem_grow(child->buf, &child->cap, child->len + CHILD_PIECE, 1);
    ssize_t n = read(child->from, child->buf + child->len, CHILD_PIECE);
    child->len += n > 0 ? (size_t)n : 0;
    return n > 0 || (n < 0 && errno == EAGAIN);
}

/* Removes the last answer from the buffer. Returns false if the program has
 * written more than that answer. */
static bool drop_answer(struct child *child)
{
    bool clean = child->len == child->used;
    child->len = child->used = 0;
    return clean;
}

static sim_time child_limit_of(const struct child *child, bool *whole)
{
    sim_span limit = child->setup.answer_limit;
    sim_time until = limit ? child_clock() + limit : 0;
    *whole = child->end && (!until || child->end < until);
    return *whole ? child->end : until;
}

enum status child_ask(struct child *child, struct text line,
                      struct text *answer, struct error *err)
{
    bool whole;
    sim_time until = child_limit_of(child, &whole);
    if (!drop_answer(child))
        return child_fail(child, "wrote more than one line as its last answer",
                          err);
    for (;;) {
        size_t from = child->len;
        bool ended;
        if (line.len)
            line = text_skip(line, send_some(child, line));
        if (child_await(child, line.len > 0, until, &ended) != STATUS_OK)
            return fail_late(child, "answer", whole, err);
        if (!read_some(child) || (ended && child->len == from))
            return fail_ended(child, err);
        const char *end = child->len == from ? NULL
                                             : memchr(child->buf + from, '\n',
                                                      child->len - from);
        if (end) {
            *answer = (struct text){child->buf, (size_t)(end - child->buf)};
            child->used = answer->len + 1;
            return STATUS_OK;
        }
        if (child->len > CHILD_ANSWER_MAX)
            return child_fail(child, "wrote an answer of more than 64 MiB",
                              err);
    }
}

/* child.c. Waits until the program runs in the new process, as long as for
 * an answer. `failed`: pipe that closes then, or gives the errno of what went
 * wrong. Returns STATUS_FAILED if the program could not be started, or not in
 * time. */
static enum status child_await_start(struct child *child, int failed,
                                     const char *program, struct error *err)
{
    bool whole;
    int code = 0;
    sim_time until = child_limit_of(child, &whole);
    for (;;) {
        struct pollfd all[2] = {{.fd = failed, .events = POLLIN},
                                {.fd = child->log, .events = POLLIN}};
        int wait = wait_ms(until);
        if (wait == 0)
            return fail_late(child, "start", whole, err);
        poll(all, 2, wait);
        /* read, so that a full pipe does not stop it before it runs */
        child_read_log(child);
        if (!all[0].revents)
            continue;
        ssize_t n = read(failed, &code, sizeof code);
        if (n <= 0)
            return STATUS_OK;
        child_wait(child, GRACE); /* now it ends by itself */
        return error_set(err, STATUS_FAILED,
                         "policy exec: '%s' cannot be run: %s", program,
                         strerror(code));
    }
}

/* Reads a command: splits it into words and finds the files that it names. No
 * shell takes part. */

/* Copies the next word to `out` without its quotes and without the backslashes
 * that protect a character. Returns the position after the word; NULL if a
 * quote is not closed. */
static const char *child_next_word(const char *at, char *out)
{
    char quote = '\0';
    for (; *at && (quote || (*at != ' ' && *at != '\t')); at++) {
        if (quote == *at) {
            quote = '\0';
        } else if (!quote && (*at == '\'' || *at == '"')) {
            quote = *at;
        } else {
            if (*at == '\\' && quote != '\'' && at[1])
                at++;
            *out++ = *at;
        }
    }
    *out = '\0';
    return quote ? NULL : at;
}

static bool is_file(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISREG(info.st_mode);
}

/* Replaces a relative path by an absolute one. Does not follow links, because a
 * Python interpreter finds its environment by the link through which it was
 * started. */
static void make_absolute(char **word)
{
    char cwd[PATH_MAX];
    if ((*word)[0] == '/' || !getcwd(cwd, sizeof cwd))
        return;
    size_t size = strlen(cwd) + strlen(*word) + 2;
    char *path = mem_alloc(size);
    snprintf(path, size, "%s/%s", cwd, *word);
    free(*word);
    *word = path;
}

/* Replaces the name of a program by its path, from the PATH of this process.
 * Returns false if no folder of PATH has the program. */
static bool find_in_path(char **word)
{
    const char *path = getenv("PATH");
    struct text rest = text_from(path ? path : "/usr/local/bin:/usr/bin:/bin");
    while (rest.len) {
        char at[PATH_MAX];
        struct text dir = text_split(rest, ':', &rest);
        int n = snprintf(at, sizeof at, "%.*s/%s", (int)dir.len, dir.at, *word);
        if (dir.len == 0 || n >= (int)sizeof at || !is_file(at) ||
            access(at, X_OK) != 0)
            continue;
        free(*word);
        *word = mem_alloc((size_t)n + 1);
        memcpy(*word, at, (size_t)n + 1);
        make_absolute(word);
        return true;
    }
    return false;
}

static enum status find_program(char **word, struct error *err)
{
    if (!strchr(*word, '/')) {
        if (find_in_path(word))
            return STATUS_OK;
        return error_set(err, STATUS_USAGE,
                         "policy exec: no program '%s' in PATH%s", *word,
                         is_file(*word) ? "; a file in this directory is "
                                          "written with ./ in front"
                                        : "");
    }
    if (!is_file(*word))
        return error_set(err, STATUS_USAGE, "policy exec: no program '%s'",
                         *word);
    if (access(*word, X_OK) != 0)
        return error_set(err, STATUS_USAGE,
                         "policy exec: '%s' may not be executed; write the "
                         "interpreter before it, such as exec:python3 %s",
                         *word, *word);
    make_absolute(word);
    return STATUS_OK;
}

/* Splits a command into words, finds the program in PATH, and replaces words
 * that name a file by the absolute path of that file, because the program runs
 * in another directory. Returns STATUS_USAGE if a quote is not closed, there
 * are too many words or none, or the program does not exist or may not be
 * executed. `out` must be freed even after an error. */
static enum status command_split(const char *text, struct command_words *out,
                                 struct error *err)
{
    const char *at = text + strspn(text, " \t");
    *out = (struct command_words){0};
    while (*at) {
        if (out->n == CHILD_WORDS_MAX)
            return error_set(err, STATUS_USAGE,
                             "policy exec: more than %d words in the command",
                             CHILD_WORDS_MAX);
        char *word = mem_alloc(strlen(at) + 1);
        out->words[out->n++] = word;
        at = child_next_word(at, word);
        if (!at)
            return error_set(err, STATUS_USAGE,
                             "policy exec: a quote is not closed in '%s'",
                             text);
        at += strspn(at, " \t");
    }
    if (out->n == 0)
        return error_set(err, STATUS_USAGE,
                         "policy exec: the command is empty");
    for (size_t i = 1; i < out->n; i++) {
        if (is_file(out->words[i]))
            make_absolute(&out->words[i]);
    }
    return find_program(&out->words[0], err);
}

static void command_free(struct command_words *command)
{
    for (size_t i = 0; i < command->n; i++)
        free(command->words[i]);
    *command = (struct command_words){0};
}

enum { ENVIRONMENT_MAX = 64 };

/* Data for the new process between fork and exec. There the process may make
 * only system calls, so this process prepares all data before the fork. */
struct start {
    char *const *words;
    char *environment[ENVIRONMENT_MAX + 2];
    const char *dir;
    /* standard descriptors of the program; log -1: it keeps the standard error
     * of this process */
    int in, out, log;
    /* pipe to which errno is written if the program cannot start */
    int failed;
    /* descriptor for confine_self; -1: the program is not confined */
    int rules;
    pid_t parent;
    rlim_t memory; /* limit on the address space, bytes; 0: no limit */
};

static int set_limits(const struct start *start)
{
    struct rlimit none = {0, 0}, memory = {start->memory, start->memory};
    if (setrlimit(RLIMIT_CORE, &none) != 0)
        return -1;
    return start->memory ? setrlimit(RLIMIT_AS, &memory) : 0;
}

static void default_signals(void)
{
    sigset_t empty;
    for (int i = 1; i < NSIG; i++)
        /* fails for SIGKILL and SIGSTOP, which have no other action */
        signal(i, SIG_DFL);
    sigemptyset(&empty);
    sigprocmask(SIG_SETMASK, &empty, NULL);
}

/* Copies the pipes of the program to the descriptors 0, 1 and 2, confines the
 * process, and closes all descriptors above 3. Descriptor 3 is the pipe
 * `failed`. The descriptors that are copied are above 3, so none is overwritten
 * before it is copied. Returns 0, or -1 with errno set. */
static int set_descriptors(const struct start *start)
{
    if (dup2(start->in, 0) < 0 || dup2(start->out, 1) < 0 ||
        (start->log >= 0 && dup2(start->log, 2) < 0))
        return -1;
    if (start->rules >= 0 && confine_self(start->rules) != 0)
        return -1;
    return close_range(4, ~0u, 0);
}

__attribute__((noreturn)) static void become(const struct start *start)
{
    default_signals();
    if (dup3(start->failed, 3, O_CLOEXEC) == 3 && setpgid(0, 0) == 0 &&
        prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 && getppid() == start->parent &&
        chdir(start->dir) == 0 && set_limits(start) == 0 &&
        set_descriptors(start) == 0)
        /* Not the function: in a build that measures coverage it first writes a
         * file for each source, which fails here with as many messages. */
        syscall(SYS_execve, start->words[0], start->words, start->environment);
    int code = errno;
    ssize_t wrote = write(3, &code, sizeof code);
    (void)wrote;
    _exit(127);
}

/* Makes the environment of the program: PYTHONHASHSEED=0, so that Python's sets
 * of texts have one order in all runs, then the variables that the user passes
 * on. */
static enum status make_environment(struct start *start, const char *pass,
                                    struct arena *arena, struct error *err)
{
    static char hash_seed[] = "PYTHONHASHSEED=0";
    size_t n = 0;
    struct text rest = text_from(pass);
    start->environment[n++] = hash_seed;
    while (rest.len) {
        struct text one = text_split(rest, '+', &rest);
        char *name = arena_copy(arena, one.at, one.len);
        const char *value = getenv(name);
        if (n > ENVIRONMENT_MAX)
            return error_set(err, STATUS_USAGE,
                             "policy exec: pass: more than %d variables",
                             ENVIRONMENT_MAX);
        if (!value)
            return error_set(err, STATUS_USAGE,
                             "policy exec: pass: the environment has no "
                             "variable '%s'",
                             name);
        size_t size = one.len + strlen(value) + 2;
        char *both = arena_alloc(arena, size);
        snprintf(both, size, "%s=%s", name, value);
        start->environment[n++] = both;
    }
    start->environment[n] = NULL;
    return STATUS_OK;
}

/* Makes the empty directory in which the program runs, in TMPDIR or, if that is
 * not set or too long, in /tmp. */
static enum status make_dir(struct child *child, struct error *err)
{
    const char *base = getenv("TMPDIR");
    snprintf(child->dir, sizeof child->dir, "%s/schedsim-exec-XXXXXX",
             base && strlen(base) < 40 ? base : "/tmp");
    bool made = mkdtemp(child->dir);
    if (!made || chmod(child->dir, 0500) != 0) {
        enum status st = error_set(err, STATUS_FAILED, "%s: %s", child->dir,
                                   strerror(errno));
        if (made)
            rmdir(child->dir);
        child->dir[0] = '\0';
        return st;
    }
    child->at_end =
        (struct interrupt_path){.path = child->dir, .directory = true};
    interrupt_removes(&child->at_end);
    return STATUS_OK;
}

struct ends {
    int in[2], out[2], log[2], failed[2];
};

static void close_one(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

/* Opens a pipe, or a pair of sockets if `kind` is AF_UNIX. Both ends are above
 * the standard descriptors and 3. Returns false, with errno set, if that
 * fails. */
static bool open_pipe(int ends[2], int kind)
{
    int low[2];
    bool opened =
        kind == AF_UNIX
            ? socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, low) == 0
            : pipe2(low, O_CLOEXEC) == 0;
    if (!opened)
        return false;
    for (int i = 0; i < 2; i++) {
        ends[i] = fcntl(low[i], F_DUPFD_CLOEXEC, 4);
        opened &= ends[i] >= 0;
        close(low[i]);
    }
    return opened;
}

/* Opens the pipes to and from the program. Its input is a socket, because a
 * write to a pipe that no process reads would end this process. */
static bool open_ends(struct ends *ends)
{
    *ends = (struct ends){{-1, -1}, {-1, -1}, {-1, -1}, {-1, -1}};
    return open_pipe(ends->in, AF_UNIX) && open_pipe(ends->out, 0) &&
           open_pipe(ends->log, 0) && open_pipe(ends->failed, 0);
}

static void close_ends(struct ends *ends)
{
    int *const all[] = {ends->in, ends->out, ends->log, ends->failed};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        close_one(&all[i][0]);
        close_one(&all[i][1]);
    }
}

/* Moves the ends of this process from `ends` to `child`. Makes them
 * non-blocking, because child.c waits for them with a time limit. */
static void keep_ends(struct child *child, struct ends *ends)
{
    int *const ours[] = {&ends->in[0], &ends->out[0], &ends->log[0]};
    int *const kept[] = {&child->to, &child->from, &child->log};
    for (size_t i = 0; i < 3; i++) {
        fcntl(*ours[i], F_SETFL, fcntl(*ours[i], F_GETFL) | O_NONBLOCK);
        *kept[i] = *ours[i];
        *ours[i] = -1;
    }
}

/* Forks, and waits until the program runs in the new process or could not be
 * started. In the second case returns STATUS_FAILED with the reason. */
static enum status launch(struct child *child, struct start *start,
                          struct ends *ends, struct error *err)
{
    start->in = ends->in[1];
    start->out = ends->out[1];
    start->log = child->setup.shows_messages ? -1 : ends->log[1];
    start->failed = ends->failed[1];
    pid_t pid = fork();
    if (pid == 0)
        become(start);
    if (pid < 0)
        return error_set(err, STATUS_FAILED,
                         "policy exec: cannot start a "
                         "process: %s",
                         strerror(errno));
    child->pid = pid;
    child->life = (int)syscall(SYS_pidfd_open, pid, 0);
    close_one(&ends->failed[1]);
    close_one(&ends->log[1]);
    close_one(&ends->out[1]);
    close_one(&ends->in[1]);
    keep_ends(child, ends);
    return child_await_start(child, ends->failed[0], start->words[0], err);
}

static enum status start_with(struct child *child,
                              const struct command_words *words,
                              struct remarks *remarks, struct arena *arena,
                              struct error *err)
{
    const struct child_setup *setup = &child->setup;
    struct start start = {.words = words->words,
                          .dir = child->dir,
                          .rules = -1,
                          .parent = getpid(),
                          .memory = (rlim_t)setup->memory_mib << 20};
    struct ends ends;
    enum status st = make_environment(&start, setup->pass, arena, err);
    if (st == STATUS_OK)
        st = make_dir(child, err);
    if (st == STATUS_OK)
        st = confine_rules(setup->confine, words->words, setup->reads,
                           &start.rules, err);
    if (st != STATUS_OK)
        return st;
    if (start.rules < 0 && setup->confine == CONFINE_AUTO)
        remarks_add(remarks, REMARK_CONCLUSION,
                    "policy exec: this kernel cannot confine the program, "
                    "which may read every file of this user (confine=on makes "
                    "this an error)");
    st = open_ends(&ends) ? launch(child, &start, &ends, err)
                          : error_set(err, STATUS_FAILED,
                                      "policy exec: cannot make a "
                                      "pipe: %s",
                                      strerror(errno));
    close_ends(&ends);
    close_one(&start.rules);
    return st;
}

enum status child_start(const struct child_setup *setup, struct child **out,
                        struct remarks *remarks, struct error *err)
{
    struct command_words words;
    struct arena arena;
    struct child *child = mem_zalloc(1, sizeof *child);
    child->setup = *setup;
    child->to = child->from = child->log = child->life = -1;
    child->end = setup->whole_limit ? child_clock() + setup->whole_limit : 0;
    child->words = mem_alloc(strlen(setup->command) + 1);
    memcpy(child->words, setup->command, strlen(setup->command) + 1);
    arena_init(&arena);
    enum status st = command_split(setup->command, &words, err);
    if (st == STATUS_OK)
        st = start_with(child, &words, remarks, &arena, err);
    arena_fini(&arena);
    command_free(&words);
    if (st != STATUS_OK)
        child_free(child);
    else
        *out = child;
    return st;
}

void child_end(struct child *child, struct remarks *remarks)
{
    char how[160];
    close_one(&child->to);
    if (!child_wait(child, GRACE)) {
        remarks_add(remarks, REMARK_DETAIL,
                    "policy exec: '%s' did not end after the run and was "
                    "killed",
                    child->words);
    } else if (child->status != 0) {
        child_how(child, how, sizeof how);
        remarks_add(remarks, REMARK_DETAIL,
                    "policy exec: '%s' %s after the run", child->words, how);
    }
    child_read_log(child);
    if (child->n_log)
        remarks_add(remarks, REMARK_DETAIL,
                    "policy exec: '%s' wrote to its standard error "
                    "(show_messages=true shows it)",
                    child->words);
    if (rmdir(child->dir) != 0 && errno == ENOTEMPTY)
        remarks_add(remarks, REMARK_DETAIL,
                    "policy exec: '%s' left files in %s", child->words,
                    child->dir);
}

void child_free(struct child *child)
{
    if (!child)
        return;
    close_one(&child->to);
    if (child->pid > 0) {
        /* Kill the whole group, because the program may have started others.
         * The program is the leader of the group and has not been reaped yet,
         * so its number still means this group. */
        kill(-child->pid, SIGKILL);
        kill(child->pid, SIGKILL);
        (void)child_wait(child, SPAN_HOUR);
    }
    close_one(&child->from);
    close_one(&child->log);
    close_one(&child->life);
    if (child->dir[0]) {
        rmdir(child->dir);
        interrupt_keeps(&child->at_end);
    }
    free(child->buf);
    free(child->words);
    free(child);
}
