/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Formats for `list --explain` and docs/input.md. */
#include "commands/commands_internal.h"

#include <string.h>

#include "base/rows.h"
#include "commands/run_options.h"
#include "policies/decide/plan.h"
#include "sim/present/state.h"
#include "sim/run/describe.h"
#include "traces/columns.h"
#include "traces/evidence/sidecar.h"
#include "traces/registry.h"

const struct input_format input_formats[] = {
    {"cluster-file", "a cluster as a JSON object, for --cluster FILE; keys of "
                     "other names are an error"},
    {"config", "options of a run as a JSON object, for --config FILE: text or "
               "whole numbers, null for the default; options of the command "
               "line take precedence; --dump-config writes one, with "
               "series_interval_s as a number"},
    {"decisions.log",
     "one line per action of the policy, in the order planned: TIME ACTION JOB "
     "NODE:GPUS ..., or TIME ACTION NODE"},
    {"side-car", "what each job submitted and what its log looks like, as CSV, "
                 "for --evidence FILE; columns of other names are an error"},
    {"state-file",
     "the present state of a cluster as a JSON object, for --state FILE and "
     "`when`; keys of other names are an error"},
    {"what-if",
     "clauses of --what-if, separated by ';': +N nodes or -N nodes [of "
     "[GPUSx]TYPE[@SPEED]] [in VC] [TIMES], -N racks or lose rack R [in VC] "
     "[TIMES], -node NAME,... [TIMES], or xF load [TIMES]; TIMES are [from "
     "WHEN] [until WHEN, or for DURATION]. P% or N GPUs may stand for N nodes, "
     "'lose' or 'drain' for '-', and 'on' for 'from'"},
    {NULL, NULL},
};

/* The words of a clause of --what-if. */
static const struct input_row what_if_rows[] = {
    {.name = "+N nodes",
     .unit = "nodes",
     .help = "N nodes come. Without `from` they are there from the beginning; "
             "the nodes of a virtual cluster and GPU type come last in it"},
    {.name = "-N nodes",
     .unit = "nodes",
     .help = "the last N nodes go. With `from` or `until` their jobs stop when "
             "they go and keep their work; otherwise the nodes never were"},
    {.name = "-P%",
     .unit = "nodes",
     .help = "the last P percent of the nodes go, rounded to whole nodes, at "
             "least one; +P% adds as many"},
    {.name = "-N racks",
     .unit = "racks",
     .help = "all nodes of the N racks with the highest numbers go; the "
             "cluster file numbers the racks of its nodes"},
    {.name = "lose rack R", .unit = "", .help = "all nodes of rack R go"},
    {.name = "-node NAME,NAME",
     .unit = "",
     .help = "these nodes go; a node has the name that the state gives it, "
             "else the number of results; after `lose` or `drain` the word "
             "`node` may be left out"},
    {.name = "drain",
     .unit = "",
     .help = "instead of '-': jobs on the nodes run to their end, no other job "
             "starts there, and each node goes when it is empty"},
    {.name = "N GPUs",
     .unit = "GPUs",
     .help = "instead of N nodes: as many nodes as have N GPUs"},
    {.name = "of [GPUSx]TYPE[@SPEED]",
     .unit = "",
     .help = "GPU type of the nodes, and GPUs of a node; may be left out where "
             "the nodes there have only one. GPUSx is needed for a type that "
             "the cluster lacks, and SPEED (work per time) where jobs may run "
             "on several types"},
    {.name = "in VC",
     .unit = "",
     .help = "virtual cluster of the nodes; may be left out where there is "
             "only one, or where the trace names none"},
    {.name = "xF load",
     .unit = "factor",
     .help = "submissions come F times as fast, 0.001 to 1000: F seconds of "
             "the trace pass in one second. What comes later comes earlier by "
             "the time saved; `from` and `until` are times of the trace. "
             "Factors of several clauses multiply"},
    {.name = "WHEN",
     .unit = "",
     .help = "time since the first submission or, from a state, since the "
             "present: `now`, `day D`, `hour H`, or a duration such as 90min, "
             "36h or 2w; or a date, such as 2017-10-09 or 2017-10-09T12:00 "
             "(UTC)"},
    {.name = "for DURATION",
     .unit = "",
     .help = "until so long after `from`, such as 8h or 2 days"},
};

/* Fields of a line of decisions.log, then its actions by enum plan_kind. */
static const struct input_row log_rows[] = {
    {.name = "TIME",
     .unit = "s",
     .help = "since the first submission, exact to the microsecond",
     .required = true},
    {.name = "JOB",
     .unit = "",
     .help = "number of the job: the row of jobs.csv, from 0",
     .required = true},
    {.name = "NODE",
     .unit = "",
     .help = "number of a node, as in the manifest",
     .required = true},
    {.name = "GPUS",
     .unit = "",
     .help = "GPUs of the node as a bit mask in hexadecimal: 1 is its first "
             "GPU, ff are its first eight",
     .required = true},
};
static const char *const action_help[] = {
    [PLAN_START] = "the job starts alone on these GPUs",
    [PLAN_SHARE] = "the job starts on GPUs that others may hold too",
    [PLAN_PROFILE] = "the job starts on GPUs of the profiler",
    [PLAN_STOP] = "the job leaves these GPUs; its work is kept",
    [PLAN_IMAGINE] = NULL, /* only tried: undone before the plan is written */
    [PLAN_BAR] = NULL,
    [PLAN_CLOSE] = "the node takes no more jobs",
    [PLAN_OPEN] = "the node takes jobs again",
    [PLAN_LEND] = "the idle node joins the profiler",
    [PLAN_TAKE_BACK] = "the node returns from the profiler",
};

bool input_trace_row(const struct trace_ops *format, size_t i,
                     struct input_row *out)
{
    if (i >= format->n_columns)
        return false;
    const struct trace_column *column = &format->columns[i];
    *out = (struct input_row){.name = column->names,
                              .unit = column->doc_unit ? column->doc_unit : "",
                              .help = column->help ? column->help : "",
                              .required = column->required};
    return true;
}

static bool cluster_row(size_t i, struct input_row *out)
{
    static char name[64];
    const struct cluster_key *k = &cluster_keys[i];
    if (!k->key)
        return false;
    snprintf(name, sizeof name, "%s%s%s", k->list, *k->list ? "[]." : "",
             k->key);
    *out = (struct input_row){name, k->unit, k->help, k->required};
    return true;
}

static bool state_row(size_t i, struct input_row *out)
{
    static char name[64];
    const struct state_key *k = &state_keys[i];
    if (!k->key)
        return false;
    snprintf(name, sizeof name, "%s%s%s", k->list, *k->list ? "[]." : "",
             k->key);
    *out = (struct input_row){name, k->unit, k->help, k->required};
    return true;
}

static bool config_row(size_t i, struct input_row *out)
{
    static char key[64];
    if (i == 0) {
        *out = (struct input_row){"trace", "TRACE", "the trace to be replayed",
                                  false};
        return true;
    }
    const struct arg *o = &run_args[i - 1];
    if (!o->name)
        return false;
    snprintf(key, sizeof key, "%s", o->name);
    for (char *c = key; *c; c++)
        *c = *c == '-' ? '_' : *c;
    *out = (struct input_row){key, o->value, o->help, false};
    return true;
}

static bool log_row(size_t i, struct input_row *out)
{
    const size_t n = sizeof log_rows / sizeof *log_rows;
    const size_t n_actions = sizeof action_help / sizeof *action_help;
    if (i < n) {
        *out = log_rows[i];
        return true;
    }
    i -= n;
    for (size_t kind = 0; kind < n_actions; kind++) {
        if (!action_help[kind] || i-- > 0)
            continue;
        *out = (struct input_row){plan_kind_name((enum plan_kind)kind),
                                  "action", action_help[kind], false};
        return true;
    }
    return false;
}

static bool sidecar_row_help(size_t i, struct input_row *out)
{
    if (i >= SIDECAR_COLUMNS)
        return false;
    *out = (struct input_row){.name = sidecar_columns[i].names,
                              .unit = sidecar_help[i].unit,
                              .help = sidecar_help[i].help,
                              .required = sidecar_columns[i].required};
    return true;
}

static bool what_if_row(size_t i, struct input_row *out)
{
    if (i >= sizeof what_if_rows / sizeof *what_if_rows)
        return false;
    *out = what_if_rows[i];
    return true;
}

bool input_format_row(const char *name, size_t i, struct input_row *out)
{
    if (strcmp(name, "cluster-file") == 0)
        return cluster_row(i, out);
    if (strcmp(name, "config") == 0)
        return config_row(i, out);
    if (strcmp(name, "side-car") == 0)
        return sidecar_row_help(i, out);
    if (strcmp(name, "state-file") == 0)
        return state_row(i, out);
    if (strcmp(name, "what-if") == 0)
        return what_if_row(i, out);
    return log_row(i, out);
}

static void explain_row(FILE *to, const struct input_row *row)
{
    fprintf(to, "  %s", row->name);
    if (row->required || row->unit[0])
        fprintf(to, "  (%s%s%s)", row->required ? "required" : "",
                row->required && row->unit[0] ? "; " : "", row->unit);
    fputc('\n', to);
    if (row->help[0])
        fprintf(to, "      %s\n", row->help);
}

void inputs_explain_trace(FILE *to, const struct trace_ops *format)
{
    struct input_row row;
    if (format->layout)
        fprintf(to, "\nlayout: %s\n", format->layout);
    if (format->n_columns)
        fprintf(to, "\ncolumns that are read, found by name in the header "
                    "(a|b: either):\n");
    for (size_t i = 0; input_trace_row(format, i, &row); i++)
        explain_row(to, &row);
}

void inputs_explain(FILE *to, const char *name)
{
    struct input_row row;
    fputc('\n', to);
    for (size_t i = 0; input_format_row(name, i, &row); i++)
        explain_row(to, &row);
}

/* Writes a table cell. Escapes bars, because a bar would end the cell. */
static void inputs_cell(struct out *out, const char *s)
{
    out_text(out, "| ");
    for (; *s; s++) {
        if (*s == '|')
            out_char(out, '\\');
        out_char(out, *s);
    }
    out_char(out, ' ');
}

static void inputs_head(struct out *out, const char *title, const char *words)
{
    out_printf(out, "\n## %s\n\n%s.\n\n", title, words);
    out_text(out, "| name | required | unit | meaning |\n|---|---|---|---|\n");
}

static void inputs_print_row(struct out *out, const struct input_row *row)
{
    out_text(out, "| `");
    for (const char *s = row->name; *s; s++) {
        if (*s == '|')
            out_char(out, '\\');
        out_char(out, *s);
    }
    out_text(out, "` ");
    inputs_cell(out, row->required ? "yes" : "");
    inputs_cell(out, row->unit);
    inputs_cell(out, row->help);
    out_text(out, "|\n");
}

void inputs_print(struct out *out)
{
    struct input_row row;
    out_text(out, "<!-- Generated by schedsim list input. -->\n# Input\n\n"
                  "`schedsim list --explain NAME` prints one of them, with the "
                  "settings of a trace format.\n");
    for (size_t f = 0; input_formats[f].name; f++) {
        inputs_head(out, input_formats[f].name, input_formats[f].summary);
        for (size_t i = 0; input_format_row(input_formats[f].name, i, &row);
             i++)
            inputs_print_row(out, &row);
    }
    for (size_t f = 0; trace_formats[f]; f++) {
        const struct trace_ops *format = trace_formats[f];
        if (format->n_columns == 0) {
            out_printf(out, "\n## Trace format %s\n\n%s: %s.\n", format->name,
                       format->summary, format->layout);
            continue;
        }
        char title[80];
        snprintf(title, sizeof title, "Trace format %s", format->name);
        inputs_head(out, title, format->summary);
        for (size_t i = 0; input_trace_row(format, i, &row); i++)
            inputs_print_row(out, &row);
    }
}
