/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/present/slurm_live.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "schedmate/watch/watch_internal.h"
#include "sim/present/slurm_internal.h"

#define LIVE_LIMIT (30 * SPAN_SECOND)

static const char *const ask_squeue[] = {"squeue", "--all", "--json", NULL};
static const char *const ask_nodes[] = {"scontrol", "--all",  "show",
                                        "nodes",    "--json", NULL};
static const char *const ask_sinfo[] = {"sinfo", "--all", "--json", NULL};
static const char *const ask_config[] = {"scontrol", "show", "config", NULL};
static const char *const ask_reservations[] = {"scontrol", "-o", "show",
                                               "reservation", NULL};
static const char *const ask_partitions[] = {"scontrol", "--all",     "-o",
                                             "show",     "partition", NULL};

/* Runs a command and reads the JSON that it prints. */
static enum status live_json(const struct slurm_live *live,
                             const char *const *argv, json_t **out,
                             struct error *err)
{
    struct text text;
    json_error_t why;
    enum status st = program_output(
        argv, live->limit ? live->limit : LIVE_LIMIT, &text, err);
    if (st != STATUS_OK)
        return st;
    *out = json_loadb(text.at, text.len, JSON_REJECT_DUPLICATES, &why);
    free((char *)(uintptr_t)text.at);
    if (*out)
        return STATUS_OK;
    return error_set(err, STATUS_BAD_INPUT,
                     "%s --json: not whole JSON: line %d: %s", argv[0],
                     why.line, why.text);
}

/* Adds what a command prints to `conf`. */
static enum status live_conf(const struct slurm_live *live,
                             const char *const *argv, struct out *conf,
                             struct error *err)
{
    struct text text;
    enum status st = program_output(
        argv, live->limit ? live->limit : LIVE_LIMIT, &text, err);
    if (st == STATUS_OK) {
        out_bytes(conf, text.at, text.len);
        free((char *)(uintptr_t)text.at);
    }
    return st;
}

/* Takes the settings from the file, and only the time from the controller. */
static enum status live_conf_file(const struct slurm_live *live,
                                  struct out *conf, struct error *err)
{
    struct text rest, stamp = text_split(out_memory(conf), '\n', &rest);
    char *first = mem_copy(stamp.at, stamp.len);
    out_clear(conf);
    out_bytes(conf, first, stamp.len);
    out_char(conf, '\n');
    free(first);
    return out_add_file(conf, live->conf, err);
}

/* Asks for columns of text, in place of JSON. */
static enum status live_table(const struct slurm_live *live, bool nodes,
                              json_t **out, struct error *err)
{
    const char *const *argv = nodes ? slurm_text_nodes : slurm_text_jobs;
    struct text text;
    enum status st = program_output(
        argv, live->limit ? live->limit : LIVE_LIMIT, &text, err);
    if (st != STATUS_OK)
        return st;
    st = slurm_text_read(text, nodes, argv[0], out, err);
    free((char *)(uintptr_t)text.at);
    return st;
}

static enum status live_first(struct error *err, const struct error *first)
{
    *err = *first;
    return first->status;
}

static enum status live_nodes(const struct slurm_live *live,
                              struct slurm_answers *out, struct error *err)
{
    struct error first;
    out->nodes_name = "scontrol show nodes --json";
    enum status st = live_json(live, ask_nodes, &out->nodes, &first);
    if (st == STATUS_OK)
        return st;
    out->nodes_name = "sinfo --json";
    st = live_json(live, ask_sinfo, &out->nodes, err);
    if (st == STATUS_OK || live->only_json)
        return st;
    first = *err;
    out->nodes_name = "sinfo";
    st = live_table(live, true, &out->nodes, err);
    return st == STATUS_OK ? st : live_first(err, &first);
}

/* A Slurm that is down says so to both commands; the first message is kept. */
static enum status live_jobs(const struct slurm_live *live,
                             struct slurm_answers *out, struct error *err)
{
    struct error first;
    out->jobs_name = "squeue --json";
    enum status st = live_json(live, ask_squeue, &out->jobs, &first);
    if (st == STATUS_OK || first.status == STATUS_BAD_INPUT || live->only_json)
        return st == STATUS_OK ? st : live_first(err, &first);
    out->jobs_name = "squeue";
    st = live_table(live, false, &out->jobs, err);
    return st == STATUS_OK ? st : live_first(err, &first);
}

/* Asks sacct. A cluster may have none, so a failure is kept for a note. */
static void live_history(const struct slurm_live *live,
                         struct slurm_answers *out)
{
    char since[32];
    struct text text;
    struct error err;
    snprintf(since, sizeof since, "now-%udays", live->history_days);
    const char *argv[] = {"sacct", "--allusers", "-X", "-S",
                          since,   "--json",     NULL};
    if (program_output(argv, live->limit ? live->limit : LIVE_LIMIT, &text,
                       &err) == STATUS_OK)
        out->history = text;
    else
        out->no_history = mem_text(err.message);
}

/* Asks for the reservations. A user may not be allowed to see them, so a
 * failure is kept for a note. */
static void live_reservations(const struct slurm_live *live,
                              struct slurm_answers *out)
{
    struct error err;
    out->reservations_name = "scontrol show reservation";
    if (program_output(ask_reservations, live->limit ? live->limit : LIVE_LIMIT,
                       &out->reservations, &err) != STATUS_OK)
        out->no_reservations = mem_text(err.message);
}

enum status slurm_live_ask(const struct slurm_live *live,
                           struct slurm_answers *out, struct error *err)
{
    struct out *conf = out_to_memory();
    enum status st;
    *out = (struct slurm_answers){.at = TIME_NEVER};
    st = live_jobs(live, out, err);
    if (st == STATUS_OK)
        st = live_nodes(live, out, err);
    if (st == STATUS_OK)
        st = live_conf(live, ask_config, conf, err);
    if (st == STATUS_OK)
        st = live_conf(live, ask_partitions, conf, err);
    if (st == STATUS_OK && live->conf)
        st = live_conf_file(live, conf, err);
    if (st == STATUS_OK)
        live_reservations(live, out);
    if (st == STATUS_OK && live->history_days)
        live_history(live, out);
    if (st == STATUS_OK) {
        struct text text = out_memory(conf);
        out->conf_name = live->conf ? live->conf : "scontrol";
        out->conf = (struct text){mem_copy(text.at, text.len), text.len};
    }
    out_abandon(conf);
    if (st != STATUS_OK)
        slurm_answers_fini(out);
    return st;
}
