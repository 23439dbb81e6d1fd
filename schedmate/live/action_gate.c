/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "schedmate/live/action_gate.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/ascii.h"
#include "base/rows.h"
#include "schedmate/live/action_book.h"
#include "schedmate/live/action_state.h"
#include "schedmate/live/site.h"
#include "schedmate/logs/log_host.h"

/* microseconds from one look at a child to the next */
#define ACTION_GATE_STEP 10000

/* number of looks at a child that was killed, before it is left alone */
#define KILL_STEPS 500

struct decision;

static enum status action_gate_execute(struct decision *d, struct error *err);

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

/* Waits a hundredth of a second. */
static void action_pause(void)
{
    struct timespec pause = {.tv_nsec = ACTION_GATE_STEP * 1000};
    nanosleep(&pause, NULL);
}

/* Waits for the child, and kills its process group after `limit`. Looks every
 * ACTION_GATE_STEP, so that it notices the end soon and needs no signal
 * handler. */
static void gate_await(pid_t child, sim_span limit, struct action_result *out)
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
        waited += ACTION_GATE_STEP;
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
    gate_await(child, limit, out);
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

#define ACTION_GATE_HOUR 3600

#define ACTION_GATE_DAY (24 * ACTION_GATE_HOUR)

/* Number of attempts to take a lock that another process holds, 0.01 s
 * apart. */
#define LOCK_TRIES 1000

/* The actions in the file that may still count. */
struct past {
    json_t *rows; /* array of objects, one per action */
    int64_t now;
    int64_t keep; /* seconds for which a row counts */
};

static enum status damaged(const char *path, uint64_t line, struct error *err)
{
    return error_set(err, STATUS_BAD_INPUT,
                     "%s:%" PRIu64 ": expected {\"unix_s\": SECONDS, \"node\": "
                     "NAME, \"action\": NAME}; repair or remove the file",
                     path, line);
}

/* Refuses a file that another user owns or can write, or that is not a plain
 * file. *absent becomes true if there is no file or it is empty. */
static enum status check_owner(const char *path, bool *absent,
                               struct error *err)
{
    struct stat at;
    *absent = lstat(path, &at) != 0 && errno == ENOENT;
    if (*absent)
        return STATUS_OK;
    if (lstat(path, &at) != 0)
        return error_set(err, STATUS_FAILED, "%s: %s", path, strerror(errno));
    if (!S_ISREG(at.st_mode))
        return error_set(err, STATUS_FAILED, "%s: is not a plain file", path);
    if (at.st_uid != geteuid() || (at.st_mode & (S_IWGRP | S_IWOTH)) != 0)
        return error_set(err, STATUS_FAILED,
                         "%s: another user owns it or can write it", path);
    *absent = at.st_size == 0;
    return STATUS_OK;
}

static enum status read_past(const char *path, struct past *past,
                             struct error *err)
{
    struct rows *rows = NULL;
    struct text line;
    bool absent;
    enum status st = check_owner(path, &absent, err);
    if (st != STATUS_OK || absent)
        return st;
    st = rows_open(path, &rows, err);
    while (st == STATUS_OK && (st = rows_line(rows, &line, err)) == STATUS_OK) {
        json_t *row =
            json_loadb(line.at, line.len, JSON_REJECT_DUPLICATES, NULL);
        json_int_t at = json_integer_value(json_object_get(row, "unix_s"));
        if (at <= 0 || !json_is_string(json_object_get(row, "node")) ||
            !json_is_string(json_object_get(row, "action")))
            st = damaged(path, rows_line_number(rows), err);
        else if (past->now - at <= past->keep)
            json_array_append(past->rows, row);
        json_decref(row);
    }
    rows_close(rows);
    return st == STATUS_END ? STATUS_OK : st;
}

/* An action that is about to begin. */
struct beginning {
    const char *node; /* "": it is not disruptive */
    const char *action, *job;
    uint32_t most; /* largest number of them for this job in 24 hours */
};

static bool row_is(const json_t *row, const char *key, const char *value)
{
    const char *is = json_string_value(json_object_get(row, key));
    return is && strcmp(is, value) == 0;
}

/* Adds to `out` that the job has had its share of the action. */
static void exceeded_of_job(const struct past *past,
                            const struct beginning *next, json_t *out)
{
    uint32_t n = 0;
    char why[200];
    size_t i;
    const json_t *row;
    json_array_foreach(past->rows, i, row)
    {
        int64_t age =
            past->now - json_integer_value(json_object_get(row, "unix_s"));
        n += age < ACTION_GATE_DAY && row_is(row, "action", next->action) &&
             row_is(row, "job", next->job);
    }
    if (n < next->most)
        return;
    snprintf(why, sizeof why,
             "%u commands '%s' for this job in 24 hours; the limit is %u "
             "(--set job-limit, 1 for a restart on the log's word alone)",
             n, next->action, next->most);
    json_array_append_new(out, json_text(why));
}

/* Adds to `out` the limits that one more disruptive action would exceed. A time
 * in the future, left by a clock that was set back, counts as now. */
static void exceeded_of_node(const struct past *past,
                             const struct action_limits *limits,
                             const char *node, json_t *out)
{
    int64_t youngest = INT64_MAX, cooldown = limits->cooldown / SPAN_SECOND;
    uint32_t of_node = 0, of_all = 0;
    char why[200];
    size_t i;
    const json_t *row;
    json_array_foreach(past->rows, i, row)
    {
        int64_t age =
            past->now - json_integer_value(json_object_get(row, "unix_s"));
        const char *name = json_string_value(json_object_get(row, "node"));
        of_all += age < ACTION_GATE_HOUR && name[0];
        if (strcmp(name, node) != 0)
            continue;
        of_node += age < ACTION_GATE_DAY;
        youngest = age < youngest ? age : youngest;
    }
    if (youngest < cooldown) {
        snprintf(why, sizeof why,
                 "an action on this node began %" PRId64
                 " s ago; the cool-down is %" PRId64 " s (--set node-cooldown)",
                 youngest < 0 ? 0 : youngest, cooldown);
        json_array_append_new(out, json_text(why));
    }
    if (of_node >= limits->per_node) {
        snprintf(why, sizeof why,
                 "%u actions on this node in 24 hours; the limit is %u "
                 "(--set node-limit)",
                 of_node, limits->per_node);
        json_array_append_new(out, json_text(why));
    }
    if (of_all >= limits->per_hour) {
        snprintf(why, sizeof why,
                 "%u actions in the cluster in an hour; the limit is %u "
                 "(--set cluster-limit)",
                 of_all, limits->per_hour);
        json_array_append_new(out, json_text(why));
    }
}

static enum status lock(const char *path, int *fd, struct error *err)
{
    char name[PATH_MAX];
    int n = snprintf(name, sizeof name, "%s.lock", path);
    if (n < 0 || n >= PATH_MAX)
        return error_set(err, STATUS_USAGE, "%s: the path is too long", path);
    *fd = open(name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (*fd < 0)
        return error_set(err, STATUS_FAILED, "%s: %s", name, strerror(errno));
    for (int i = 0; i < LOCK_TRIES; i++) {
        if (flock(*fd, LOCK_EX | LOCK_NB) == 0)
            return STATUS_OK;
        action_pause();
    }
    return error_set(err, STATUS_FAILED,
                     "%s: another process has held the lock for 10 s", name);
}

static enum status write_past(const char *path, const struct past *past,
                              struct error *err)
{
    struct out *out;
    size_t i;
    const json_t *row;
    enum status st = out_open_private(path, &out, err);
    if (st != STATUS_OK)
        return st;
    json_array_foreach(past->rows, i, row)
    {
        char *line = json_dumps(row, JSON_COMPACT);
        out_text(out, line);
        out_char(out, '\n');
        free(line);
    }
    return out_close(out, err);
}

static enum status gate_compare(const char *path,
                                const struct action_limits *limits,
                                const struct beginning *next, bool begin,
                                json_t *out, struct error *err)
{
    int64_t cooldown = limits->cooldown / SPAN_SECOND;
    struct past past = {.rows = json_array(),
                        .now = action_now(),
                        .keep = cooldown > ACTION_GATE_DAY ? cooldown
                                                           : ACTION_GATE_DAY};
    enum status st = read_past(path, &past, err);
    size_t before = json_array_size(out);
    if (st == STATUS_OK && next->node[0])
        exceeded_of_node(&past, limits, next->node, out);
    if (st == STATUS_OK)
        exceeded_of_job(&past, next, out);
    if (st == STATUS_OK && begin && json_array_size(out) == before) {
        json_t *row = json_object();
        json_put(row, "unix_s", json_integer(past.now));
        json_put(row, "node", json_text(next->node));
        json_put(row, "action", json_text(next->action));
        json_put(row, "job", json_text(next->job));
        json_array_append_new(past.rows, row);
        st = write_past(path, &past, err);
    }
    json_decref(past.rows);
    return st;
}

/* Adds to the array `out` which limits an action would exceed now.
 * With `begin`, waits at most 10 s for the lock and, if no limit would be
 * exceeded, records the beginning of the action in the file: if two processes
 * do so at the same time, the second sees the action of the first. An action
 * that was begun counts even if its command fails. */
static enum status action_state(const char *path,
                                const struct action_limits *limits,
                                const struct beginning *next, bool begin,
                                json_t *out, struct error *err)
{
    int fd = -1;
    enum status st = STATUS_OK;
    if (begin)
        st = home_make_folders(path, err);
    if (st == STATUS_OK && begin)
        st = lock(path, &fd, err);
    if (st == STATUS_OK)
        st = gate_compare(path, limits, next, begin, out, err);
    if (fd >= 0)
        close(fd); /* releases the lock */
    return st;
}

/* The state of one decision. */
struct decision {
    const struct action_gate *gate;
    const struct action_case *its;
    const char *action;
    char state[PATH_MAX], log[PATH_MAX];
    struct action_answer *out;
};

static void gate_refuse(struct decision *d, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

static void gate_refuse(struct decision *d, const char *fmt, ...)
{
    char why[4 * PATH_MAX];
    va_list args;
    va_start(args, fmt);
    vsnprintf(why, sizeof why, fmt, args);
    va_end(args);
    json_array_append_new(d->out->refused, json_text(why));
}

static bool is_refused(const struct decision *d)
{
    return json_array_size(d->out->refused) > 0;
}

static enum status gate_place(const char *given, const char *name, char *out,
                              struct error *err)
{
    if (!given)
        return home_path(HOME_STATE, name,
                         " to keep the actions in; name files with "
                         "--set action-state and --set action-log",
                         out, err);
    if (snprintf(out, PATH_MAX, "%s", given) >= PATH_MAX)
        return error_set(err, STATUS_USAGE, "%s: the path is too long", given);
    return STATUS_OK;
}

/* Finds the files of the state and of the log. If that fails, for example
 * because the user has no home directory, it is an error only with
 * gate->execute; otherwise d->state becomes empty, and the limits are not
 * checked. */
static enum status places(struct decision *d, struct error *err)
{
    const struct action_gate *gate = d->gate;
    enum status st = gate_place(gate->state, "actions.state", d->state, err);
    if (st == STATUS_OK)
        st = gate_place(gate->log, "actions.log", d->log, err);
    if (st == STATUS_OK || gate->execute)
        return st;
    d->state[0] = 0;
    return STATUS_OK;
}

/* True for the name of one node. A list of nodes, such as "gpu[1-4]", could
 * evade the limits of a node. */
static bool is_one_node(const char *name)
{
    for (const char *c = name; *c; c++) {
        if (!ascii_is_name(*c) && *c != '.' && *c != '-')
            return false;
    }
    return *name != 0;
}

/* True if the log alone asks for the action. */
static bool is_of_log(const struct decision *d)
{
    return d->out->evidence == EVIDENCE_LOG;
}

/* Returns the action as the limits count it. A job without a name is counted by
 * its log. */
static struct beginning gate_next(const struct decision *d)
{
    const struct action_names *names = &d->its->names;
    bool restart =
        strcmp(d->action, handler_actions[ACTION_RESTART]) == 0 ||
        strcmp(d->action, handler_actions[ACTION_RESTART_BIGGER]) == 0;
    return (struct beginning){
        .node = d->out->disruptive ? names->node : "",
        .action = d->action,
        .job = names->job   ? names->job
               : names->log ? names->log
                            : "",
        .most = d->out->disruptive        ? UINT32_MAX
                : restart && is_of_log(d) ? 1
                                          : d->gate->limits.per_job,
    };
}

/* Checks the limits, or begins the action within them. */
static enum status gate_limits(struct decision *d, bool begin,
                               struct error *err)
{
    struct beginning next = gate_next(d);
    return d->state[0] ? action_state(d->state, &d->gate->limits, &next, begin,
                                      d->out->refused, err)
                       : STATUS_OK;
}

/* Checks what only a disruptive action needs: one node, the host that the logs
 * blame, and evidence or a check. Returns false without a node. */
static bool check_disruptive(struct decision *d)
{
    const char *node = d->its->names.node;
    bool proven = d->out->evidence != EVIDENCE_LOG;
    if (!node || !is_one_node(node)) {
        gate_refuse(d, "it is disruptive: needs the name of one node (--node)");
        return false;
    }
    if (d->its->host && !host_is_same(node, d->its->host))
        gate_refuse(d, "the logs blame %s, and --node names %s", d->its->host,
                    node);
    if (!proven && !d->out->check)
        gate_refuse(
            d,
            "it is disruptive, and any user can print such a line: needs a "
            "line of the kernel at the time of the job (--kernel-log, "
            "--from), a "
            "state of the scheduler, "
            "or a \"confirm\" command in %s",
            d->its->book);
    return true;
}

/* Checks the diagnosis itself: its confidence without that of a model, and
 * whose word it is. */
static void check_diagnosis(struct decision *d)
{
    const struct diagnosis *its = d->its->diagnosis;
    double sure = its->asked && is_of_log(d) && its->rules.has_kind &&
                          its->rules.confidence < its->confidence
                      ? its->rules.confidence
                      : its->confidence;
    if (sure < d->gate->floor)
        gate_refuse(d,
                    "the confidence is %.2f, the least is %.2f "
                    "(--set action-confidence)",
                    sure, d->gate->floor);
    if (its->source == HANDLER_MODEL)
        gate_refuse(d, "a model alone says so, and it reads what any user can "
                       "print");
    if (is_of_log(d) && d->its->denied)
        gate_refuse(d, "the log says that the job ended in this way, and the "
                       "scheduler does not");
}

/* After a restart that the log alone asked for, tells the operator instead of
 * restarting the job again. */
static enum status tell_instead(struct decision *d,
                                const struct action_book *book,
                                struct error *err)
{
    struct action_answer *out = d->out;
    struct beginning next = gate_next(d);
    json_t *limits = json_array();
    enum status st = STATUS_OK;
    if (next.most == 1 && d->state[0] && !out->disruptive)
        st =
            action_state(d->state, &d->gate->limits, &next, false, limits, err);
    json_t *told =
        json_array_size(limits) > 0
            ? action_command(book, ACTION_TELL_OPERATOR, &d->its->names)
            : NULL;
    json_decref(limits);
    if (!told)
        return st;
    json_decref(out->command);
    out->command = told;
    out->instead = true;
    d->action = handler_actions[ACTION_TELL_OPERATOR];
    return st;
}

static enum status gate_look(struct decision *d, const struct action_book *book,
                             struct error *err)
{
    const struct diagnosis *its = d->its->diagnosis;
    struct action_answer *out = d->out;
    enum status st = STATUS_OK;
    out->command = action_command(book, its->action, &d->its->names);
    if (!out->command)
        return STATUS_OK;
    out->disruptive = action_book_disrupts(
        book, its->action,
        log_knowledge_action(d->its->knowledge, its->action)->disruptive);
    if (out->disruptive && out->evidence == EVIDENCE_LOG)
        out->check = action_check(book, its->action, &d->its->names);
    if (!action_book_is_safe(d->its->book))
        gate_refuse(d, "%s: others than its owner can write it", d->its->book);
    check_diagnosis(d);
    st = tell_instead(d, book, err);
    action_book_refuses(book, out->instead ? ACTION_TELL_OPERATOR : its->action,
                        &d->its->names, out->refused);
    bool placed = !out->disruptive || check_disruptive(d);
    return st == STATUS_OK && placed ? gate_limits(d, false, err) : st;
}

/* Runs the operator's check. Refuses the command unless the check confirms
 * it. */
static enum status confirm(struct decision *d, struct error *err)
{
    struct action_answer *out = d->out;
    const struct action_result *said = &out->check_result;
    enum status st =
        action_run(out->check, d->gate->check_limit, &out->check_result, err);
    out->checked = st == STATUS_OK;
    if (st != STATUS_OK)
        gate_refuse(d, "the check cannot be run");
    else if (said->timed_out)
        gate_refuse(
            d, "the check gave no answer within %.3g s (--set check-limit)",
            span_seconds(d->gate->check_limit));
    else if (said->exit_status != 0)
        gate_refuse(d,
                    "the check does not confirm it (exit status %d, signal %d)",
                    said->exit_status, said->signal);
    else
        out->evidence = EVIDENCE_HOOK;
    return st;
}

static enum status action_gate_execute(struct decision *d, struct error *err)
{
    struct action_answer *out = d->out;
    enum status st = STATUS_OK;
    if (out->check)
        st = confirm(d, err);
    if (st == STATUS_OK && !is_refused(d))
        st = gate_limits(d, true, err);
    if (st == STATUS_OK && !is_refused(d)) {
        st =
            action_run(out->command, d->gate->command_limit, &out->result, err);
        out->ran = st == STATUS_OK;
    }
    return st;
}

static json_t *result_json(const struct action_result *result)
{
    json_t *row = json_object();
    json_put(row, "exit_status", json_integer(result->exit_status));
    json_put(row, "signal", json_integer(result->signal));
    json_put(row, "timed_out", json_boolean(result->timed_out));
    return row;
}

static json_t *gate_diagnosis_json(const struct diagnosis *d)
{
    json_t *row = json_object();
    json_put(row, "error_type", json_text(failure_kinds[d->kind]));
    json_put(row, "faulty_component", json_text(failure_parts[d->part]));
    json_put(row, "reason", json_text(d->reason));
    json_put(row, "signature",
             json_text(d->signature ? d->signature->name : NULL));
    json_put(row, "source", json_text(handler_sources[d->source]));
    json_put(row, "confidence", json_number(d->confidence));
    return row;
}

/* Returns the line of the log of actions as a new object. `failed`: the message
 * of an error, or NULL. */
static json_t *gate_line_of(const struct decision *d, const char *failed)
{
    const struct action_answer *out = d->out;
    json_t *row = json_object();
    char when[TIME_TEXT_MAX];
    int64_t now = action_now();
    time_to_text(now * SPAN_SECOND, when);
    json_put(row, "unix_s", json_integer(now));
    json_put(row, "time_utc", json_text(when));
    json_put(row, "log", json_text(d->its->names.log));
    json_put(row, "job", json_text(d->its->names.job));
    json_put(row, "node", json_text(d->its->names.node));
    json_put(row, "diagnosis", gate_diagnosis_json(d->its->diagnosis));
    json_put(row, "evidence", json_text(handler_evidence_words[out->evidence]));
    json_put(row, "action", json_text(d->action));
    json_put(row, "disruptive", json_boolean(out->disruptive));
    json_put(row, "argv", json_deep_copy(out->command));
    json_put(row, "ran", json_boolean(out->ran));
    json_put(row, "refused", json_deep_copy(out->refused));
    json_put(row, "error", json_text(failed));
    json_put(row, "check",
             out->checked ? result_json(&out->check_result) : json_null());
    if (out->ran)
        json_object_update_new(row, result_json(&out->result));
    return row;
}

static enum status open_log(const struct decision *d, int *fd,
                            struct error *err)
{
    enum status st = home_make_folders(d->log, err);
    if (st != STATUS_OK)
        return st;
    *fd = open(d->log, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    return *fd >= 0 ? STATUS_OK
                    : error_set(err, STATUS_FAILED, "%s: %s", d->log,
                                strerror(errno));
}

/* Appends one line with one call, so that lines of several processes do not
 * mix. */
static enum status gate_write_line(const struct decision *d, int fd,
                                   const char *failed, struct error *err)
{
    json_t *row = gate_line_of(d, failed);
    char *line = json_dumps(row, JSON_COMPACT | JSON_REAL_PRECISION(10));
    size_t len = strlen(line);
    line[len] = '\n'; /* replaces the final 0, which is not needed any more */
    bool good =
        write(fd, line, len + 1) == (ssize_t)(len + 1) && fsync(fd) == 0;
    free(line);
    json_decref(row);
    return good ? STATUS_OK
                : error_set(err, STATUS_FAILED, "%s: %s", d->log,
                            strerror(errno));
}

/* Runs the command unless it is refused, and logs both cases. Opens the log
 * first, so that no command runs if the log cannot be opened. STATUS_FAILED
 * also if the command is refused. */
static enum status gate_carry_out(struct decision *d, struct error *err)
{
    int fd = -1;
    enum status st = open_log(d, &fd, err), written;
    if (st != STATUS_OK)
        return st;
    if (!is_refused(d))
        st = action_gate_execute(d, err);
    written = gate_write_line(d, fd, st == STATUS_OK ? NULL : err->message,
                              st == STATUS_OK ? err : NULL);
    close(fd);
    if (st == STATUS_OK)
        st = written;
    if (st == STATUS_OK && is_refused(d)) {
        const char *why = json_string_value(json_array_get(d->out->refused, 0));
        size_t more = json_array_size(d->out->refused) - 1;
        st = error_set(err, STATUS_FAILED, "%s is refused: %s%s", d->action,
                       why, more ? "; and more" : "");
    }
    return st;
}

enum status action_gate(const struct action_gate *gate,
                        const struct action_case *its,
                        struct action_answer *out, struct error *err)
{
    struct action_book *book = NULL;
    struct decision d = {.gate = gate,
                         .its = its,
                         .action = handler_actions[its->diagnosis->action],
                         .out = out};
    *out = (struct action_answer){.refused = json_array(),
                                  .evidence = its->diagnosis->evidence};
    if (its->undated)
        out->evidence = EVIDENCE_LOG;
    enum status st = action_book_read(its->book, &book, err);
    if (st == STATUS_OK)
        st = places(&d, err);
    if (st == STATUS_OK && its->diagnosis->failed)
        st = gate_look(&d, book, err);
    if (st == STATUS_OK && out->command && gate->execute)
        st = gate_carry_out(&d, err);
    action_book_free(book);
    return st;
}

void action_answer_fini(struct action_answer *answer)
{
    json_decref(answer->command);
    json_decref(answer->check);
    json_decref(answer->refused);
}
