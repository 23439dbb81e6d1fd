/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/live/action_run.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sim/base/json_out.h"

struct action_book {
    json_t *rows;
};

static enum status check_row(const char *path, const char *name,
                             const json_t *row, struct error *err)
{
    size_t i, n = json_array_size(row);
    const json_t *word;
    bool known = false, good = n > 0 && n <= ACTION_WORDS_MAX;
    for (size_t k = 0; handler_actions[k]; k++)
        known |= strcmp(handler_actions[k], name) == 0;
    if (!known) {
        const char *near =
            text_nearest(text_from(name), handler_actions, N_ACTIONS);
        return error_set(err, STATUS_BAD_INPUT, "%s: no action '%.60s'%s%s%s",
                         path, name, near ? "; did you mean '" : "",
                         near ? near : "", near ? "'?" : "");
    }
    json_array_foreach(row, i, word) good &= json_is_string(word);
    if (!good || !*json_string_value(json_array_get(row, 0)))
        return error_set(err, STATUS_BAD_INPUT,
                         "%s: %s: expected a list of 1 to %d strings", path,
                         name, ACTION_WORDS_MAX);
    return STATUS_OK;
}

enum status action_book_read(const char *path, struct action_book **out,
                             struct error *err)
{
    const char *name;
    json_t *row;
    enum status st = STATUS_OK;
    json_t *rows = json_read_file(path, err);
    if (!rows)
        return STATUS_BAD_INPUT;
    if (!json_is_object(rows))
        st = error_set(err, STATUS_BAD_INPUT,
                       "%s: expected an object of actions", path);
    json_object_foreach(rows, name, row)
    {
        st = check_row(path, name, row, err);
        if (st != STATUS_OK)
            break;
    }
    if (st != STATUS_OK) {
        json_decref(rows);
        return st;
    }
    *out = mem_zalloc(1, sizeof **out);
    (*out)->rows = rows;
    return STATUS_OK;
}

void action_book_free(struct action_book *book)
{
    if (!book)
        return;
    json_decref(book->rows);
    free(book);
}

/* Returns one argument with the names filled in. A name that the operator did
 * not give becomes empty. */
static json_t *fill(const char *word, const struct action_names *names)
{
    const struct {
        const char *mark, *value;
    } all[] = {
        {"{job}", names->job}, {"{node}", names->node}, {"{log}", names->log}};
    struct out *out = out_to_memory();
    while (*word) {
        size_t i = 0;
        while (i < 3 && strncmp(word, all[i].mark, strlen(all[i].mark)) != 0)
            i++;
        if (i == 3) {
            out_char(out, *word++);
            continue;
        }
        out_text(out, all[i].value ? all[i].value : "");
        word += strlen(all[i].mark);
    }
    out_char(out, 0);
    json_t *value = json_text(out_memory(out).at);
    out_abandon(out);
    return value;
}

json_t *action_argv(const struct action_book *book, enum handler_action action,
                    const struct action_names *names)
{
    const json_t *row = json_object_get(book->rows, handler_actions[action]);
    size_t i;
    const json_t *word;
    if (!row)
        return NULL;
    json_t *argv = json_array();
    json_array_foreach(row, i, word)
        json_array_append_new(argv, fill(json_string_value(word), names));
    return argv;
}

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

/* Waits for the child in small steps, so that its end is noticed soon without
 * changing a signal handler of the program. */
static void await(pid_t child, sim_span limit, struct action_result *out)
{
    const sim_span step = 10000;
    int how = 0;
    sim_span waited = 0;
    while (waitpid(child, &how, WNOHANG) == 0) {
        if (waited >= limit) {
            out->timed_out = true;
            kill(-child, SIGKILL);
            waitpid(child, &how, 0);
            break;
        }
        struct timespec pause = {.tv_nsec = step * 1000};
        nanosleep(&pause, NULL);
        waited += step;
    }
    out->exit_status = WIFEXITED(how) ? WEXITSTATUS(how) : -1;
    out->signal = WIFSIGNALED(how) ? WTERMSIG(how) : 0;
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
    if (pipe2(told, O_CLOEXEC) != 0)
        return error_set(err, STATUS_FAILED, "%s: %s", words[0],
                         strerror(errno));
    pid_t child = fork();
    if (child == 0)
        become(words, told[1]);
    close(told[1]);
    ssize_t n = child < 0 ? 0 : read(told[0], &why, sizeof why);
    close(told[0]);
    if (child < 0)
        return error_set(err, STATUS_FAILED, "%s: %s", words[0],
                         strerror(errno));
    /* Both parent and child call setpgid, because either may run first. */
    setpgid(child, child);
    await(child, limit, out);
    if (n == sizeof why)
        return error_set(err, STATUS_FAILED, "%s: %s", words[0], strerror(why));
    return STATUS_OK;
}

enum status action_note(const char *path, const char *action,
                        const json_t *argv, const struct action_result *result,
                        struct error *err)
{
    json_t *row = json_object();
    struct timespec now = {0};
    clock_gettime(CLOCK_REALTIME, &now);
    json_put(row, "unix_s", json_integer(now.tv_sec));
    json_put(row, "action", json_text(action));
    json_put(row, "argv", json_deep_copy(argv));
    json_put(row, "exit_status", json_integer(result->exit_status));
    json_put(row, "signal", json_integer(result->signal));
    json_put(row, "timed_out", json_boolean(result->timed_out));
    char *line = json_dumps(row, JSON_COMPACT);
    json_decref(row);
    size_t len = strlen(line);
    line[len] = '\n'; /* replaces the final 0, which is not needed any more */
    int fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    bool good = fd >= 0 && write(fd, line, len + 1) == (ssize_t)(len + 1) &&
                fsync(fd) == 0;
    enum status st = STATUS_OK;
    if (!good)
        st = error_set(err, STATUS_FAILED, "%s: %s", path, strerror(errno));
    if (fd >= 0)
        close(fd);
    free(line);
    return st;
}
