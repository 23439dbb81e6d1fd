/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "commands/tool.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* Opens the input and the output of the program as files in memory, so that the
 * two programs never wait for each other. */
static enum status open_files(const struct tool_run *run, int fds[2],
                              struct error *err)
{
    const char *at = run->input ? run->input : "";
    fds[0] = memfd_create("input", MFD_CLOEXEC);
    fds[1] = memfd_create("output", MFD_CLOEXEC);
    for (size_t left = strlen(at); fds[0] >= 0 && left;) {
        ssize_t n = write(fds[0], at, left);
        if (n <= 0 && errno != EINTR)
            return error_set(err, STATUS_FAILED, "memfd: %s", strerror(errno));
        at += n > 0 ? n : 0;
        left -= n > 0 ? (size_t)n : 0;
    }
    if (fds[0] < 0 || fds[1] < 0 || lseek(fds[0], 0, SEEK_SET) != 0)
        return error_set(err, STATUS_FAILED, "memfd: %s", strerror(errno));
    return STATUS_OK;
}

static int spawn(const struct tool_run *run, const int fds[2], pid_t *pid)
{
    posix_spawn_file_actions_t actions;
    int wrong = posix_spawn_file_actions_init(&actions);
    if (!wrong)
        wrong = posix_spawn_file_actions_adddup2(&actions, fds[0], 0);
    if (!wrong)
        wrong = posix_spawn_file_actions_adddup2(&actions, fds[1], 1);
    if (!wrong && run->is_silent)
        wrong = posix_spawn_file_actions_addopen(&actions, 2, "/dev/null",
                                                 O_WRONLY, 0);
    /* posix_spawnp takes words without const, but changes none. */
    if (!wrong)
        wrong = posix_spawnp(pid, run->argv[0], &actions, NULL,
                             (char *const *)(uintptr_t)run->argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    return wrong;
}

enum status tool_run(struct tool_run *run, struct error *err)
{
    int fds[2] = {-1, -1}, how = 0;
    pid_t pid = -1;
    enum status st = open_files(run, fds, err);
    int wrong = st == STATUS_OK ? spawn(run, fds, &pid) : 0;
    if (wrong)
        st = error_set(err, STATUS_FAILED, "%s: cannot be started: %s",
                       run->argv[0], strerror(wrong));
    if (st == STATUS_OK) {
        while (waitpid(pid, &how, 0) < 0 && errno == EINTR)
            continue;
        ssize_t n = pread(fds[1], run->output, sizeof run->output - 1, 0);
        run->output[n > 0 ? n : 0] = '\0';
        run->status = WIFEXITED(how) ? WEXITSTATUS(how) : 128 + WTERMSIG(how);
    }
    for (size_t i = 0; i < 2; i++) {
        if (fds[i] >= 0)
            close(fds[i]);
    }
    return st;
}
