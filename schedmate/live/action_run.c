/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "schedmate/live/action_run.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "schedmate/live/action_book.h"

/* microseconds from one look at a child to the next */
#define STEP 10000
/* number of looks at a child that was killed, before it is left alone */
#define KILL_STEPS 500

_Noreturn static void become(char **argv, int told)
{
    int null = open("/dev/null", O_RDONLY);
    setpgid(0, 0);
    if (null >= 0 && dup2(null, STDIN_FILENO) >= 0 &&
        dup2(STDERR_FILENO, STDOUT_FILENO) >= 0)
        execvp(argv[0], argv);
    int why = errno;
    ssize_t n = write(told, &why, sizeof why);
    _exit(n == sizeof why ? 127 : 126);
}

void action_pause(void)
{
    struct timespec pause = {.tv_nsec = STEP * 1000};
    nanosleep(&pause, NULL);
}

/* Waits for the child, and kills its process group after `limit`. Looks every
 * STEP, so that it notices the end soon and needs no signal handler. */
static void await(pid_t child, sim_span limit, struct action_result *out)
{
    int how = 0;
    sim_span waited = 0;
    pid_t ended;
    while ((ended = waitpid(child, &how, WNOHANG)) == 0) {
        if (waited >= limit) {
            out->timed_out = true;
            kill(-child, SIGKILL);
            /* A process in an uninterruptible call may outlive this wait. */
            for (int i = 0; i < KILL_STEPS && ended == 0; i++) {
                action_pause();
                ended = waitpid(child, &how, WNOHANG);
            }
            break;
        }
        action_pause();
        waited += STEP;
    }
    /* The end is not known if the child outlives the wait, or if SIGCHLD is
     * ignored: `how` is then still 0, which must not count as success. */
    bool known = ended == child;
    out->exit_status = known && WIFEXITED(how) ? WEXITSTATUS(how) : -1;
    out->signal = known && WIFSIGNALED(how) ? WTERMSIG(how) : 0;
}

enum status action_run(const json_t *argv, sim_span limit,
                       struct action_result *out, struct error *err)
{
    char *words[ACTION_WORDS_MAX + 1] = {0};
    int told[2], why = 0;
    *out = (struct action_result){.exit_status = -1};
    for (size_t i = 0; i < json_array_size(argv); i++)
        words[i] =
            (char *)(uintptr_t)json_string_value(json_array_get(argv, i));
    if (pipe2(told, O_CLOEXEC | O_NONBLOCK) != 0)
        return error_set(err, STATUS_FAILED, "%s: %s", words[0],
                         strerror(errno));
    pid_t child = fork();
    if (child == 0)
        become(words, told[1]);
    close(told[1]);
    if (child < 0) {
        close(told[0]);
        return error_set(err, STATUS_FAILED, "%s: %s", words[0],
                         strerror(errno));
    }
    /* Both parent and child call setpgid, because either may run first. */
    setpgid(child, child);
    await(child, limit, out);
    /* Read the error after the wait, because the start of the command may hang
     * too. */
    ssize_t n = read(told[0], &why, sizeof why);
    close(told[0]);
    if (n == sizeof why)
        return error_set(err, STATUS_FAILED, "%s: %s", words[0], strerror(why));
    return STATUS_OK;
}

int64_t action_now(void)
{
    struct timespec now = {0};
    clock_gettime(CLOCK_REALTIME, &now);
    return now.tv_sec;
}
