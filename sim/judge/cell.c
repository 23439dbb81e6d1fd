/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The process in which a policy is judged. It writes its verdict into memory
 * that it shares with its parent, so that the parent has the verdict even if
 * the policy crashes. */
#include <errno.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "sim/judge/judge_internal.h"

sim_time cell_clock(void)
{
    struct timespec at;
    clock_gettime(CLOCK_MONOTONIC, &at);
    return (sim_time)at.tv_sec * SPAN_SECOND + at.tv_nsec / 1000;
}

__attribute__((noreturn)) static void work(const struct judge *judge,
                                           pid_t parent)
{
    rlim_t bytes = (rlim_t)judge->config->memory_mib << 20;
    struct rlimit memory = {bytes, bytes}, none = {0, 0};
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    setrlimit(RLIMIT_CORE, &none);
    if (bytes)
        setrlimit(RLIMIT_AS, &memory);
    /* programs that decide get their directories here, to be removed after a
     * crash */
    setenv("TMPDIR", judge->dir, 1);
    if (getppid() != parent)
        _exit(1); /* it ended before PR_SET_PDEATHSIG */
    judge_all(judge);
    _exit(0);
}

static int remove_one(const char *path, const struct stat *info, int kind,
                      struct FTW *at)
{
    (void)info;
    (void)kind;
    (void)at;
    return remove(path);
}

/* Waits for the process to end and sets *status as waitpid does. If it takes
 * longer than `limit` (us; 0: no limit), kills its process group and returns
 * false. */
static bool cell_await(pid_t pid, sim_span limit, int *status)
{
    sim_time until = cell_clock() + limit;
    struct timespec nap = {.tv_nsec = 2000000};
    while (waitpid(pid, status, WNOHANG) == 0) {
        if (limit && cell_clock() >= until) {
            kill(-pid, SIGKILL);
            kill(pid, SIGKILL);
            waitpid(pid, status, 0);
            return false;
        }
        nanosleep(&nap, NULL);
    }
    return true;
}

/* Writes in which check the process ended, and why, if it was late or did not
 * end with status 0. */
static void say_end(const struct judge_config *config, struct judge_verdict *v,
                    bool late, int status)
{
    char where[96] = "before the first check", limit[SPAN_TEXT_MAX + 1];
    for (uint32_t i = 0; i < v->n_checks; i++) {
        const struct judge_check *check = &v->checks[i];
        if (check->state == JUDGE_OPEN) {
            snprintf(where, sizeof where, "in check %s, jobset %u", check->name,
                     check->n_done ? check->n_done - 1 : 0);
            break;
        }
        snprintf(where, sizeof where, "while the score was measured");
    }
    limit[span_to_text(config->limit, limit)] = '\0';
    if (late)
        snprintf(v->ended, sizeof v->ended,
                 "was not done within %s s (--limit), %s", limit, where);
    else if (WIFSIGNALED(status))
        snprintf(v->ended, sizeof v->ended, "crashed, signal %d (%s), %s",
                 WTERMSIG(status), strsignal(WTERMSIG(status)), where);
    else if (WEXITSTATUS(status) != 0)
        snprintf(v->ended, sizeof v->ended, "ended with exit status %d, %s",
                 WEXITSTATUS(status), where);
}

static enum status result(const struct judge_verdict *v, const char *policy,
                          struct error *err)
{
    uint32_t failed = 0, first = 0;
    if (v->unusable[0])
        return error_set(err, STATUS_USAGE, "%s", v->unusable);
    for (uint32_t i = v->n_checks; i-- > 0;) {
        if (v->checks[i].state == JUDGE_FAILED) {
            failed++;
            first = i;
        }
    }
    if (v->ended[0])
        return error_set(err, STATUS_BROKEN, "policy %s %s", policy, v->ended);
    if (failed)
        return error_set(err, STATUS_BROKEN,
                         "policy %s fails %u of %u checks, %s first: %s",
                         policy, failed, v->n_checks, v->checks[first].name,
                         v->checks[first].why);
    return STATUS_OK;
}

enum status judge_policy(const struct judge_config *config,
                         struct judge_verdict *out, struct error *err)
{
    char dir[] = "/tmp/schedsim-judge-XXXXXX";
    int status = 0;
    if (!mkdtemp(dir))
        return error_set(err, STATUS_FAILED, "%s: %s", dir, strerror(errno));
    struct judge_verdict *shared =
        mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE,
             MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) {
        rmdir(dir);
        return error_set(err, STATUS_FAILED, "mmap: %s", strerror(errno));
    }
    struct judge judge = {.config = config, .verdict = shared, .dir = dir};
    fflush(NULL);
    pid_t parent = getpid(), pid = fork();
    if (pid == 0)
        work(&judge, parent);
    enum status st = STATUS_OK;
    if (pid < 0)
        st = error_set(err, STATUS_FAILED, "fork: %s", strerror(errno));
    bool late = pid > 0 && !cell_await(pid, config->limit, &status);
    /* remove the trace and whatever a program that decides has left there */
    nftw(dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    *out = *shared;
    munmap(shared, sizeof *shared);
    if (st != STATUS_OK)
        return st;
    say_end(config, out, late, status);
    return result(out, config->policy, err);
}
