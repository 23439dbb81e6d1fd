/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads the words of sbatch(1) and the #SBATCH lines of its script. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/find.h"
#include "sim/present/slurm_internal.h"
#include "traces/formats/slurm_internal.h"

/* What an option is for. */
enum sbatch_what {
    SBATCH_NOTHING,      /* it does not change when the job starts */
    SBATCH_NOT_FOLLOWED, /* it may, and is named in a note */
    SBATCH_REFUSED, /* no job would come of it, or one that is no job here */
    SBATCH_NODES,
    SBATCH_TASKS,
    SBATCH_TASKS_PER_NODE,
    SBATCH_GPUS,
    SBATCH_GPUS_PER_NODE,
    SBATCH_GPUS_PER_TASK,
    SBATCH_GRES,
    SBATCH_TIME,
    SBATCH_PARTITION,
    SBATCH_QOS,
    SBATCH_BEGIN,
    SBATCH_NAME,
    SBATCH_ARRAY,
    SBATCH_DEPENDENCY,
    SBATCH_HOLD,
    SBATCH_RESERVATION,
    SBATCH_PRIORITY,
    SBATCH_USER,
    SBATCH_WRAP,
    SBATCH_WHATS,
};

struct sbatch_option {
    const char *name;
    char letter; /* 0: none */
    enum sbatch_what what;
    enum { SBATCH_FLAG, SBATCH_VALUE, SBATCH_MAY } takes;
};

#define SBATCH_ROW(name_, letter_, what_, takes_) \
    { \
        .name = name_, .letter = letter_, .what = SBATCH_##what_, \
        .takes = SBATCH_##takes_ \
    }

/* sbatch(1) of 22.05 to 24.11. */
static const struct sbatch_option sbatch_options[] = {
    SBATCH_ROW("account", 'A', NOTHING, VALUE),
    SBATCH_ROW("acctg-freq", 0, NOTHING, VALUE),
    SBATCH_ROW("array", 'a', ARRAY, VALUE),
    SBATCH_ROW("batch", 0, NOT_FOLLOWED, VALUE),
    SBATCH_ROW("bb", 0, NOT_FOLLOWED, VALUE),
    SBATCH_ROW("bbf", 0, NOT_FOLLOWED, VALUE),
    SBATCH_ROW("begin", 'b', BEGIN, VALUE),
    SBATCH_ROW("chdir", 'D', NOTHING, VALUE),
    SBATCH_ROW("cluster-constraint", 0, NOT_FOLLOWED, VALUE),
    SBATCH_ROW("clusters", 'M', NOT_FOLLOWED, VALUE),
    SBATCH_ROW("comment", 0, NOTHING, VALUE),
    SBATCH_ROW("constraint", 'C', NOT_FOLLOWED, VALUE),
    SBATCH_ROW("container", 0, NOTHING, VALUE),
    SBATCH_ROW("contiguous", 0, NOT_FOLLOWED, FLAG),
    SBATCH_ROW("core-spec", 'S', NOT_FOLLOWED, VALUE),
    SBATCH_ROW("cores-per-socket", 0, NOT_FOLLOWED, VALUE),
    SBATCH_ROW("cpu-freq", 0, NOTHING, VALUE),
    SBATCH_ROW("cpus-per-gpu", 0, NOT_FOLLOWED, VALUE),
    SBATCH_ROW("cpus-per-task", 'c', NOT_FOLLOWED, VALUE),
    SBATCH_ROW("deadline", 0, NOT_FOLLOWED, VALUE),
    SBATCH_ROW("delay-boot", 0, NOT_FOLLOWED, VALUE),
    SBATCH_ROW("dependency", 'd', DEPENDENCY, VALUE),
    SBATCH_ROW("distribution", 'm', NOTHING, VALUE),
    SBATCH_ROW("error", 'e', NOTHING, VALUE),
    SBATCH_ROW("exclude", 'x', NOT_FOLLOWED, VALUE),
    SBATCH_ROW("exclusive", 0, NOT_FOLLOWED, MAY),
    SBATCH_ROW("export", 0, NOTHING, VALUE),
    SBATCH_ROW("export-file", 0, NOTHING, VALUE),
    SBATCH_ROW("extra", 0, NOTHING, VALUE),
    SBATCH_ROW("extra-node-info", 'B', NOT_FOLLOWED, VALUE),
    SBATCH_ROW("get-user-env", 0, NOTHING, MAY),
    SBATCH_ROW("gid", 0, NOTHING, VALUE),
    SBATCH_ROW("gpu-bind", 0, NOTHING, VALUE),
    SBATCH_ROW("gpu-freq", 0, NOTHING, VALUE),
    SBATCH_ROW("gpus", 'G', GPUS, VALUE),
    SBATCH_ROW("gpus-per-node", 0, GPUS_PER_NODE, VALUE),
    SBATCH_ROW("gpus-per-socket", 0, REFUSED, VALUE),
    SBATCH_ROW("gpus-per-task", 0, GPUS_PER_TASK, VALUE),
    SBATCH_ROW("gres", 0, GRES, VALUE),
    SBATCH_ROW("gres-flags", 0, NOT_FOLLOWED, VALUE),
    SBATCH_ROW("hint", 0, NOTHING, VALUE),
    SBATCH_ROW("hold", 'H', HOLD, FLAG),
    SBATCH_ROW("ignore-pbs", 0, NOTHING, FLAG),
    SBATCH_ROW("input", 'i', NOTHING, VALUE),
    SBATCH_ROW("job-name", 'J', NAME, VALUE),
    SBATCH_ROW("kill-on-invalid-dep", 0, NOTHING, VALUE),
    SBATCH_ROW("licenses", 'L', NOT_FOLLOWED, VALUE),
    SBATCH_ROW("mail-type", 0, NOTHING, VALUE),
    SBATCH_ROW("mail-user", 0, NOTHING, VALUE),
    SBATCH_ROW("mcs-label", 0, NOTHING, VALUE),
    SBATCH_ROW("mem", 0, NOT_FOLLOWED, VALUE),
    SBATCH_ROW("mem-bind", 0, NOTHING, VALUE),
    SBATCH_ROW("mem-per-cpu", 0, NOT_FOLLOWED, VALUE),
    SBATCH_ROW("mem-per-gpu", 0, NOT_FOLLOWED, VALUE),
    SBATCH_ROW("mincpus", 0, NOT_FOLLOWED, VALUE),
    SBATCH_ROW("network", 0, NOTHING, VALUE),
    SBATCH_ROW("nice", 0, NOT_FOLLOWED, MAY),
    SBATCH_ROW("no-kill", 'k', NOTHING, MAY),
    SBATCH_ROW("no-requeue", 0, NOTHING, FLAG),
    SBATCH_ROW("nodefile", 'F', NOT_FOLLOWED, VALUE),
    SBATCH_ROW("nodelist", 'w', NOT_FOLLOWED, VALUE),
    SBATCH_ROW("nodes", 'N', NODES, VALUE),
    SBATCH_ROW("ntasks", 'n', TASKS, VALUE),
    SBATCH_ROW("ntasks-per-core", 0, NOTHING, VALUE),
    SBATCH_ROW("ntasks-per-gpu", 0, REFUSED, VALUE),
    SBATCH_ROW("ntasks-per-node", 0, TASKS_PER_NODE, VALUE),
    SBATCH_ROW("ntasks-per-socket", 0, NOTHING, VALUE),
    SBATCH_ROW("open-mode", 0, NOTHING, VALUE),
    SBATCH_ROW("output", 'o', NOTHING, VALUE),
    SBATCH_ROW("overcommit", 'O', NOTHING, FLAG),
    SBATCH_ROW("oversubscribe", 's', NOT_FOLLOWED, FLAG),
    SBATCH_ROW("parsable", 0, NOTHING, FLAG),
    SBATCH_ROW("partition", 'p', PARTITION, VALUE),
    SBATCH_ROW("power", 0, NOTHING, VALUE),
    SBATCH_ROW("prefer", 0, NOTHING, VALUE),
    SBATCH_ROW("priority", 0, PRIORITY, VALUE),
    SBATCH_ROW("profile", 0, NOTHING, VALUE),
    SBATCH_ROW("propagate", 0, NOTHING, MAY),
    SBATCH_ROW("qos", 'q', QOS, VALUE),
    SBATCH_ROW("quiet", 'Q', NOTHING, FLAG),
    SBATCH_ROW("reboot", 0, NOT_FOLLOWED, FLAG),
    SBATCH_ROW("requeue", 0, NOTHING, FLAG),
    SBATCH_ROW("reservation", 0, RESERVATION, VALUE),
    SBATCH_ROW("signal", 0, NOTHING, VALUE),
    SBATCH_ROW("sockets-per-node", 0, NOT_FOLLOWED, VALUE),
    SBATCH_ROW("spread-job", 0, NOT_FOLLOWED, FLAG),
    SBATCH_ROW("switches", 0, NOT_FOLLOWED, VALUE),
    SBATCH_ROW("test-only", 0, NOTHING, FLAG),
    SBATCH_ROW("thread-spec", 0, NOT_FOLLOWED, VALUE),
    SBATCH_ROW("threads-per-core", 0, NOT_FOLLOWED, VALUE),
    SBATCH_ROW("time", 't', TIME, VALUE),
    SBATCH_ROW("time-min", 0, NOT_FOLLOWED, VALUE),
    SBATCH_ROW("tmp", 0, NOT_FOLLOWED, VALUE),
    SBATCH_ROW("tres-bind", 0, NOTHING, VALUE),
    SBATCH_ROW("tres-per-task", 0, REFUSED, VALUE),
    SBATCH_ROW("uid", 0, USER, VALUE),
    SBATCH_ROW("use-min-nodes", 0, NOT_FOLLOWED, FLAG),
    SBATCH_ROW("verbose", 'v', NOTHING, FLAG),
    SBATCH_ROW("wait", 'W', NOTHING, FLAG),
    SBATCH_ROW("wait-all-nodes", 0, NOTHING, VALUE),
    SBATCH_ROW("wckey", 0, NOTHING, VALUE),
    SBATCH_ROW("wrap", 0, WRAP, VALUE),
};

enum { SBATCH_OPTIONS = sizeof sbatch_options / sizeof *sbatch_options };

/* The words that are being read. The command line is read before the script,
 * which it overrides. */
struct sbatch_reader {
    struct state *state;
    const char *values[SBATCH_WHATS]; /* NULL: not given */
    bool fixed[SBATCH_WHATS];         /* given on the command line */
    const char *where;                /* "sbatch", or the script with a line */
    struct error *err;
};

static enum status sbatch_fail(const struct sbatch_reader *r, const char *name,
                               const char *value, const char *expected)
{
    return error_set(r->err, STATUS_USAGE, "%s: --%s: expected %s, not '%.60s'",
                     r->where, name, expected, value);
}

static enum status sbatch_take(struct sbatch_reader *r,
                               const struct sbatch_option *option,
                               const char *value)
{
    if (option->what == SBATCH_REFUSED)
        return error_set(r->err, STATUS_USAGE,
                         "%s: --%s is not understood; give --gpus-per-node, "
                         "--gpus or --gpus-per-task",
                         r->where, option->name);
    if (option->what == SBATCH_NOT_FOLLOWED)
        state_note(r->state, "the new job: --%s%s%.60s is not followed",
                   option->name, value ? "=" : "", value ? value : "");
    if (!r->fixed[option->what])
        r->values[option->what] = value ? value : "";
    return STATUS_OK;
}

/* Finds "--name" or "--name=value"; *value is NULL if there is none. */
static enum status sbatch_long(const struct sbatch_reader *r, const char *word,
                               const struct sbatch_option **out,
                               const char **value)
{
    const char *names[SBATCH_OPTIONS];
    char words[FIND_WORDS_MAX], name[64];
    const char *equals = strchr(word, '=');
    const size_t len = equals ? (size_t)(equals - word) : strlen(word);
    for (size_t i = 0; i < SBATCH_OPTIONS; i++)
        names[i] = sbatch_options[i].name;
    snprintf(name, sizeof name, "%.*s", (int)(len > 60 ? 60 : len), word);
    size_t k = find_or_suggest(name, names, SBATCH_OPTIONS, words);
    *value = equals ? equals + 1 : NULL;
    if (k < SBATCH_OPTIONS) {
        *out = &sbatch_options[k];
        return STATUS_OK;
    }
    /* a list of all names helps nobody */
    char *list = strstr(words, "; expected");
    if (list)
        *list = '\0';
    return error_set(r->err, STATUS_USAGE, "%s: no option %s", r->where,
                     words + 3 /* after "no " */);
}

static const struct sbatch_option *sbatch_short(char letter)
{
    for (size_t i = 0; i < SBATCH_OPTIONS; i++) {
        if (letter && sbatch_options[i].letter == letter)
            return &sbatch_options[i];
    }
    return NULL;
}

/* Takes the letters of a word such as "-N2" or "-HQ". Returns how many further
 * words it took in *used. */
static enum status sbatch_letters(struct sbatch_reader *r, const char *letters,
                                  const char *next, size_t *used)
{
    enum status st = STATUS_OK;
    *used = 0;
    for (; *letters && st == STATUS_OK; letters++) {
        const struct sbatch_option *option = sbatch_short(*letters);
        if (!option)
            return error_set(r->err, STATUS_USAGE, "%s: no option '-%c'",
                             r->where, *letters);
        if (option->takes == SBATCH_FLAG) {
            st = sbatch_take(r, option, NULL);
            continue;
        }
        const char *value = letters[1] ? letters + 1 : NULL;
        if (!value && option->takes == SBATCH_VALUE) {
            value = next;
            *used = 1;
        }
        if (!value && option->takes == SBATCH_VALUE)
            return error_set(r->err, STATUS_USAGE, "%s: -%c needs a value",
                             r->where, *letters);
        return sbatch_take(r, option, value);
    }
    return st;
}

/* Takes a word that begins with "--". Returns how many further words it took in
 * *used. */
static enum status sbatch_word(struct sbatch_reader *r, const char *word,
                               const char *next, size_t *used)
{
    const struct sbatch_option *option;
    const char *value;
    enum status st = sbatch_long(r, word + 2, &option, &value);
    *used = 0;
    if (st != STATUS_OK)
        return st;
    if (option->takes == SBATCH_VALUE && !value) {
        value = next;
        *used = 1;
    }
    if (option->takes == SBATCH_VALUE && !value)
        return error_set(r->err, STATUS_USAGE, "%s: --%s needs a value",
                         r->where, option->name);
    if (option->takes == SBATCH_FLAG && value)
        return error_set(r->err, STATUS_USAGE, "%s: --%s takes no value",
                         r->where, option->name);
    return sbatch_take(r, option, value);
}

/* Reads options up to the first word that is none, whose index becomes *script
 * (n: there is none). */
static enum status sbatch_words(struct sbatch_reader *r,
                                const char *const *words, size_t n,
                                size_t *script)
{
    enum status st = STATUS_OK;
    size_t i = 0;
    while (i < n && words[i][0] == '-' && words[i][1] && st == STATUS_OK) {
        const char *word = words[i], *next = i + 1 < n ? words[i + 1] : NULL;
        size_t used;
        st = word[1] == '-' ? sbatch_word(r, word, next, &used)
                            : sbatch_letters(r, word + 1, next, &used);
        i += 1 + used;
    }
    *script = i < n ? i : n;
    if (st == STATUS_OK && i < n && strcmp(words[i], ":") == 0)
        st = error_set(r->err, STATUS_USAGE,
                       "%s: ':' begins the next part of a heterogeneous job, "
                       "which is not understood",
                       r->where);
    return st;
}

enum { SBATCH_LINE_WORDS = 64 };

/* Returns the next word of an #SBATCH line as sbatch cuts it: blanks separate,
 * quotes keep together, '#' begins a comment. NULL: there is none. */
static const char *line_word(struct text *line, struct arena *arena)
{
    struct text t = text_trim(*line);
    char *out = arena_alloc(arena, t.len + 1), quote = 0;
    size_t n = 0, i = 0;
    if (!t.len || t.at[0] == '#')
        return NULL;
    for (; i < t.len; i++) {
        const char c = t.at[i];
        if (!quote && (c == ' ' || c == '\t'))
            break;
        if (c == quote)
            quote = 0;
        else if (!quote && (c == '"' || c == '\''))
            quote = c;
        else
            out[n++] = c;
    }
    out[n] = '\0';
    *line = text_skip(t, i);
    return out;
}

static enum status sbatch_line(struct sbatch_reader *r, struct text line)
{
    const char *words[SBATCH_LINE_WORDS], *word;
    size_t n = 0, script;
    if (line.len && line.at[line.len - 1] == '\r')
        line.len--;
    while ((word = line_word(&line, &r->state->arena)) != NULL) {
        if (n == SBATCH_LINE_WORDS)
            return error_set(r->err, STATUS_USAGE, "%s: too many words",
                             r->where);
        words[n++] = word;
    }
    if (n && strcmp(words[0], "hetjob") == 0)
        return error_set(r->err, STATUS_USAGE,
                         "%s: heterogeneous jobs are not understood", r->where);
    enum status st = sbatch_words(r, words, n, &script);
    if (st == STATUS_OK && script < n)
        st = error_set(r->err, STATUS_USAGE, "%s: '%.60s' is no option",
                       r->where, words[script]);
    return st;
}

/* Reads the #SBATCH lines before the first command of the script. */
static enum status sbatch_script(struct sbatch_reader *r, const char *path)
{
    struct out *bytes = out_to_memory();
    enum status st = out_add_file(bytes, path, r->err);
    struct text text = out_memory(bytes);
    char where[128];
    if (st == STATUS_OK && !text_starts(text, "#!"))
        st = error_set(r->err, STATUS_USAGE,
                       "%.200s: a script for sbatch begins with #!", path);
    for (size_t number = 1; text.len && st == STATUS_OK; number++) {
        struct text line = text_split(text, '\n', &text);
        if (text_starts(line, "#SBATCH")) {
            snprintf(where, sizeof where, "%.100s:%zu", path, number);
            r->where = where;
            st = sbatch_line(r, text_skip(line, 7));
        } else if (text_trim(line).len && text_trim(line).at[0] != '#') {
            break;
        }
    }
    r->where = "sbatch";
    out_abandon(bytes);
    return st;
}

/* Reads "now+2hours", "now", or a date in UTC. */
static bool sbatch_begin(const char *value, sim_time now, sim_time *out)
{
    static const struct {
        const char *name;
        int64_t seconds;
    } units[] = {{"seconds", 1},
                 {"minutes", 60},
                 {"hours", 3600},
                 {"days", 86400},
                 {"weeks", 604800}};
    struct text t = text_from(value);
    if (!text_starts(t, "now"))
        return text_to_time(t, out, NULL);
    t = text_skip(t, 3);
    *out = now;
    if (!t.len)
        return true;
    size_t digits = 1;
    uint32_t n;
    while (digits < t.len && t.at[digits] >= '0' && t.at[digits] <= '9')
        digits++;
    if (t.at[0] != '+' ||
        !text_to_u32((struct text){t.at + 1, digits - 1}, &n) || n > 100000000)
        return false;
    t = text_skip(t, digits);
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        const size_t len = strlen(units[i].name);
        /* the whole word, or without its s, or its first letters */
        if (t.len <= len && memcmp(t.at, units[i].name, t.len) == 0) {
            *out = now + n * units[i].seconds * SPAN_SECOND;
            return true;
        }
    }
    return false;
}

static enum status put_count(const struct sbatch_reader *r, json_t *job,
                             enum sbatch_what what, const char *name,
                             const char *key)
{
    const uint32_t most = what == SBATCH_PRIORITY ? UINT32_MAX : 100000;
    struct text rest, low;
    uint32_t n;
    char expected[64];
    if (!r->values[what])
        return STATUS_OK;
    low = text_split(text_from(r->values[what]), '-', &rest);
    snprintf(expected, sizeof expected, "a number from 1 to %" PRIu32, most);
    if (!text_to_u32(low, &n) || n == 0 || n > most)
        return sbatch_fail(r, name, r->values[what], expected);
    json_put(job, key, json_integer(n));
    return STATUS_OK;
}

/* Stores GPUs, "8" or "a100:8", as squeue prints them. */
static enum status put_gpus(const struct sbatch_reader *r, json_t *job,
                            enum sbatch_what what, const char *name,
                            const char *key)
{
    const char *value = r->values[what];
    struct text type = {0};
    char tres[128];
    if (!value)
        return STATUS_OK;
    snprintf(tres, sizeof tres, "%s%.100s",
             what == SBATCH_GRES ? "" : "gres:gpu:", value);
    if (what != SBATCH_GRES && slurm_gres(text_from(tres), &type) == 0)
        return sbatch_fail(r, name, value, "[TYPE:]NUMBER of GPUs");
    if (what == SBATCH_GRES)
        snprintf(tres, sizeof tres, "gres:%.100s", value);
    json_put(job, key, json_text(tres));
    return STATUS_OK;
}

static enum status put_times(const struct sbatch_reader *r, json_t *job)
{
    const char *limit = r->values[SBATCH_TIME];
    const char *begin = r->values[SBATCH_BEGIN];
    sim_span span;
    sim_time at = r->state->at;
    if (limit && !slurm_limit_read(text_from(limit), &span))
        return sbatch_fail(r, "time", limit, "minutes or [DAYS-]H:M:S");
    if (limit && span) /* Slurm counts whole minutes */
        json_put(
            job, "time_limit",
            json_integer((span + 60 * SPAN_SECOND - 1) / (60 * SPAN_SECOND)));
    if (begin && !sbatch_begin(begin, r->state->at, &at))
        return sbatch_fail(r, "begin", begin,
                           "now+NUMBER[UNIT] or YYYY-MM-DD[THH:MM] in UTC");
    json_put(job, "eligible_time", json_integer(at / SPAN_SECOND));
    return STATUS_OK;
}

/* Stores the number of nodes: those asked for, else as many as the tasks
 * need. */
static void put_nodes(json_t *job)
{
    const json_int_t tasks = json_integer_value(json_object_get(job, "tasks"));
    const json_int_t per =
        json_integer_value(json_object_get(job, "tasks_per_node"));
    if (json_object_get(job, "node_count"))
        return;
    json_put(job, "node_count",
             json_integer(tasks && per ? (tasks + per - 1) / per : 1));
}

static void put_tasks(json_t *job)
{
    const json_t *per = json_object_get(job, "tasks_per_node");
    const json_int_t nodes =
        json_integer_value(json_object_get(job, "node_count"));
    if (json_object_get(job, "tasks"))
        return;
    json_put(job, "tasks",
             json_integer(per ? nodes * json_integer_value(per) : nodes));
}

static void put_word(json_t *job, const char *key, const char *value)
{
    if (value)
        json_put(job, key, json_text(value));
}

/* Makes the record that squeue would print. */
static enum status sbatch_record(const struct sbatch_reader *r, json_t *job)
{
    static const struct {
        enum sbatch_what what;
        const char *name, *key;
    } gpus[] = {{SBATCH_GPUS, "gpus", "tres_per_job"},
                {SBATCH_GPUS_PER_NODE, "gpus-per-node", "tres_per_node"},
                {SBATCH_GRES, "gres", "tres_per_node"},
                {SBATCH_GPUS_PER_TASK, "gpus-per-task", "tres_per_task"}};
    enum status st = put_count(r, job, SBATCH_NODES, "nodes", "node_count");
    if (st == STATUS_OK)
        st = put_count(r, job, SBATCH_TASKS, "ntasks", "tasks");
    if (st == STATUS_OK)
        st = put_count(r, job, SBATCH_TASKS_PER_NODE, "ntasks-per-node",
                       "tasks_per_node");
    for (size_t i = 0; i < sizeof gpus / sizeof *gpus && st == STATUS_OK; i++)
        st = put_gpus(r, job, gpus[i].what, gpus[i].name, gpus[i].key);
    if (st == STATUS_OK)
        st = put_times(r, job);
    if (st == STATUS_OK)
        st = put_count(r, job, SBATCH_PRIORITY, "priority", "priority");
    put_nodes(job);
    put_tasks(job);
    put_word(job, "name", r->values[SBATCH_NAME]);
    put_word(job, "user_name", r->values[SBATCH_USER]);
    put_word(job, "partition", r->values[SBATCH_PARTITION]);
    put_word(job, "qos", r->values[SBATCH_QOS]);
    put_word(job, "array_task_string", r->values[SBATCH_ARRAY]);
    put_word(job, "dependency", r->values[SBATCH_DEPENDENCY]);
    put_word(job, "resv_name", r->values[SBATCH_RESERVATION]);
    json_put(job, "job_state", json_text("PENDING"));
    json_put(job, "state_reason",
             json_text(r->values[SBATCH_HOLD]          ? "JobHeldUser"
                       : r->values[SBATCH_RESERVATION] ? "Reservation"
                       : r->values[SBATCH_DEPENDENCY]  ? "Dependency"
                                                       : "None"));
    json_put(job, "submit_time", json_integer(r->state->at / SPAN_SECOND));
    return st;
}

enum status sbatch_read(struct state *state, const char *const *words, size_t n,
                        json_t **out, struct error *err)
{
    struct sbatch_reader r = {.state = state, .where = "sbatch", .err = err};
    size_t script;
    enum status st = sbatch_words(&r, words, n, &script);
    for (size_t i = 0; i < SBATCH_WHATS; i++)
        r.fixed[i] = r.values[i] != NULL;
    if (st == STATUS_OK && script < n)
        st = sbatch_script(&r, words[script]);
    if (st == STATUS_OK && script < n && !r.values[SBATCH_NAME]) {
        const char *slash = strrchr(words[script], '/');
        r.values[SBATCH_NAME] = slash ? slash + 1 : words[script];
    }
    *out = json_object();
    if (st == STATUS_OK)
        st = sbatch_record(&r, *out);
    if (st != STATUS_OK) {
        json_decref(*out);
        *out = NULL;
    }
    return st;
}
