/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads what slurm.conf says of the scheduler and of partitions, and chooses
 * the policy that is most like the scheduler. Defaults of Slurm are those of
 * slurm.conf(5), 22.05. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/present/slurm_internal.h"
#include "traces/formats/slurm_internal.h"

static bool conf_starts(struct text line, const char *word)
{
    const size_t n = strlen(word);
    return line.len >= n && text_is_nocase((struct text){line.at, n}, word);
}

/* Returns the next word; blanks separate words, except within quotes. */
static struct text conf_word(struct text *line)
{
    struct text all = text_trim(*line);
    size_t n = 0;
    for (bool quoted = false;
         n < all.len && (quoted || (all.at[n] != ' ' && all.at[n] != '\t'));
         n++)
        quoted ^= all.at[n] == '"';
    *line = text_skip(all, n);
    return (struct text){all.at, n};
}

static struct text conf_unquoted(struct text t)
{
    t = text_trim(t);
    if (t.len >= 2 && t.at[0] == '"' && t.at[t.len - 1] == '"')
        t = (struct text){t.at + 1, t.len - 2};
    return text_is(t, "(null)") ? (struct text){0} : t;
}

/* Stores one KEY=VALUE of a partition. Returns false if the value is not what
 * the key wants. */
static bool partition_store(struct slurm_conf_partition *p, struct text word)
{
    struct text value, key = text_split(word, '=', &value);
    value = conf_unquoted(value);
    if (text_is_nocase(key, "MaxTime"))
        return slurm_limit_read(value, &p->limit);
    if (text_is_nocase(key, "DefaultTime"))
        return slurm_limit_read(value, &p->usual);
    if (text_is_nocase(key, "PriorityTier"))
        return text_to_u32(value, &p->tier);
    if (text_is_nocase(key, "State"))
        p->state = value;
    return true;
}

static enum status conf_partition(struct slurm_conf *conf, struct text line,
                                  const char *path, size_t number,
                                  struct error *err)
{
    struct text word = conf_word(&line), name;
    struct slurm_conf_partition one = conf->usual;
    text_split(word, '=', &name);
    one.name = name = conf_unquoted(name);
    bool is_usual = false;
    while ((word = conf_word(&line)).len) {
        is_usual |= text_is_nocase(word, "Default=YES");
        if (!partition_store(&one, word))
            return error_set(err, STATUS_BAD_INPUT,
                             "%s:%zu: partition %.*s: '%.*s' is not understood",
                             path, number, TEXT_ARGS(name), TEXT_ARGS(word));
    }
    if (text_is_nocase(name, "DEFAULT")) {
        conf->usual = one;
        return STATUS_OK;
    }
    conf->partitions =
        mem_grow(conf->partitions, &conf->cap_partitions,
                 conf->n_partitions + 1, sizeof *conf->partitions);
    conf->partitions[conf->n_partitions++] = one;
    if (is_usual)
        conf->usual_partition = name;
    return STATUS_OK;
}

/* Stores a line "KEY = VALUE" of the scheduler. */
static void conf_setting(struct slurm_conf *conf, struct text line)
{
    struct text value, key = text_trim(text_split(line, '=', &value));
    value = conf_unquoted(value);
    if (text_is_nocase(key, "SchedulerType"))
        conf->scheduler = value;
    else if (text_is_nocase(key, "SchedulerParameters"))
        conf->parameters = value;
    else if (text_is_nocase(key, "PriorityType"))
        conf->priority = value;
}

static void conf_stamp(struct slurm_conf *conf, struct text date)
{
    sim_time at;
    if (text_to_time(date, &at, NULL))
        conf->at = at;
}

enum status slurm_conf_read(struct text text, const char *path,
                            struct slurm_conf *out, struct error *err)
{
    static const char stamp[] = "Configuration data as of ";
    enum status st = STATUS_OK;
    *out = (struct slurm_conf){.usual = {.tier = 1}};
    for (size_t number = 1; text.len && st == STATUS_OK; number++) {
        struct text rest, line = text_split(text, '\n', &text);
        if (line.len && line.at[line.len - 1] == '\r')
            line.len--;
        line = text_trim(text_split(line, '#', &rest));
        if (conf_starts(line, "PartitionName="))
            st = conf_partition(out, line, path, number, err);
        else if (conf_starts(line, stamp))
            conf_stamp(out, text_skip(line, sizeof stamp - 1));
        else if (conf_starts(line, "include "))
            out->n_includes++;
        else
            conf_setting(out, line);
    }
    return st;
}

void slurm_conf_fini(struct slurm_conf *conf)
{
    free(conf->partitions);
    *conf = (struct slurm_conf){0};
}

const struct slurm_conf_partition *slurm_conf_find(
    const struct slurm_conf *conf, struct text name)
{
    for (size_t i = 0; i < conf->n_partitions; i++) {
        if (text_equal(conf->partitions[i].name, name))
            return &conf->partitions[i];
    }
    return NULL;
}

/* Returns the number of a parameter such as bf_window=2880; `deflt` if it is
 * not set, or out of the range of the policy's setting. */
static uint32_t conf_number(struct text parameters, const char *name,
                            uint32_t lo, uint32_t hi, uint32_t deflt)
{
    while (parameters.len) {
        struct text value,
            one = text_trim(text_split(parameters, ',', &parameters));
        uint32_t n;
        if (text_is_nocase(text_split(one, '=', &value), name) &&
            text_to_u32(value, &n) && n >= lo && n <= hi)
            return n;
    }
    return deflt;
}

void slurm_conf_policy(const struct slurm_conf *conf, struct state *state)
{
    const struct text p = conf->parameters;
    char policy[256] = "fifo", why[256];
    if (text_is_nocase(conf->scheduler, "sched/backfill")) {
        const uint32_t depth =
            conf_number(p, "bf_max_job_test", 1, 1000000, 500);
        const uint32_t reserve =
            conf_number(p, "bf_job_part_count_reserve", 0, 1000000, 0);
        snprintf(policy, sizeof policy,
                 "backfill:plan=slurm,depth=%u,reserve=%u,resolution_s=%u,"
                 "interval_s=%u,window_s=%u",
                 depth, reserve, conf_number(p, "bf_resolution", 1, 86400, 60),
                 conf_number(p, "bf_interval", 0, 86400, 30),
                 60 * conf_number(p, "bf_window", 1, 525600, 1440));
        snprintf(why, sizeof why,
                 "SchedulerType is sched/backfill, which reserves for %s",
                 reserve ? "the first jobs of each partition" : "each job");
    } else if (text_is_nocase(conf->scheduler, "sched/builtin")) {
        snprintf(why, sizeof why,
                 "SchedulerType is sched/builtin, which starts jobs in order");
    } else {
        if (conf->scheduler.len)
            state_note(state, "SchedulerType %.*s is not known",
                       TEXT_ARGS(conf->scheduler));
        return;
    }
    state->policy = arena_copy(&state->arena, policy, strlen(policy));
    state->policy_why = arena_copy(&state->arena, why, strlen(why));
    if (text_is_nocase(conf->priority, "priority/multifactor"))
        state_note(state, "priorities count as they are now; "
                          "priority/multifactor changes them with time");
}
