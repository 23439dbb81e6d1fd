/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Starts and ends the program that decides (child.h). */
#include "policies/outside/child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "policies/outside/child_internal.h"

/* Time in which the program must end after its input is closed: long, because
 * a remark of the result says if it did not, and a busy machine must not decide
 * that. */
#define GRACE (10 * SPAN_SECOND)

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
    int n = snprintf(child->dir, sizeof child->dir, "%s/schedsim-exec-XXXXXX",
                     base && strlen(base) < 40 ? base : "/tmp");
    if (n < 0 || !mkdtemp(child->dir) || chmod(child->dir, 0500) != 0) {
        int code = errno;
        enum status st =
            error_set(err, STATUS_FAILED, "%s: %s", child->dir, strerror(code));
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
    for (int i = 0; i < 2 && opened; i++) {
        ends[i] = fcntl(low[i], F_DUPFD_CLOEXEC, 4);
        close(low[i]);
        opened = ends[i] >= 0;
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
 * non-blocking, because child_talk.c waits for them with a time limit. */
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
    if (child->pid == 0)
        return;
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
    if (child->dir[0] && rmdir(child->dir) != 0 && errno == ENOTEMPTY)
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
        while (!child_wait(child, SPAN_HOUR))
            ;
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
