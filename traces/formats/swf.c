/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Standard Workload Format 2.2 (Feitelson, Parallel Workloads Archive): header
 * comments begin with ';', every other line is eighteen values separated by
 * blanks, -1 for unknown: job, submit s, wait s, run s, allocated processors,
 * CPU time, memory, requested processors, requested time s, requested memory,
 * status, user, group, executable, queue, partition, preceding job, think time.
 *
 * GPUs are the requested processors, or the allocated ones where those are
 * unknown. Logs of GPU clusters append fields of their own, such as GPUs of a
 * job: options give the numbers, from 1, of the fields that the reader uses.
 * Other fields after the eighteenth are not read. Submit times count from
 * "; UnixStartTime:" if the header has one. Requested time is the submitter's
 * own estimate. */

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/rows.h"
#include "traces/columns.h"
#include "traces/trace.h"

/* Writes rows in the Standard Workload Format, which swf.c reads. */

static bool is_number(struct text t)
{
    uint32_t value;
    return t.len == 0 || text_to_u32(t, &value);
}

/* Implements trace_ops.cannot_hold for the format swf: job ids, users, job
 * names and virtual clusters must be numbers, and the id must not be missing.
 */
static const char *swf_cannot_hold(const struct trace_row *row)
{
    if (!row->source_id.len)
        return "a job without an id";
    if (!is_number(row->source_id))
        return "a job id that is no number";
    if (!is_number(row->user))
        return "a user that is no number";
    if (!is_number(row->name))
        return "a job name that is no number";
    if (!is_number(row->vc))
        return "a virtual cluster that is no number";
    return NULL;
}

/* space_text and space_span write a blank and then the value, or -1 if the
 * value is unknown or, for a text, not a number. */
static void space_text(struct out *out, struct text t)
{
    out_char(out, ' ');
    if (t.len && is_number(t))
        out_bytes(out, t.at, t.len);
    else
        out_text(out, "-1");
}

static void space_span(struct out *out, sim_span span, sim_span unknown)
{
    out_char(out, ' ');
    if (span == unknown)
        out_text(out, "-1");
    else
        out_span(out, span);
}

static void swf_write_row(struct out *out, const struct trace_row *row,
                          uint64_t index)
{
    static const char *const states[] = {
        [TRACE_END_COMPLETED] = " 1",
        [TRACE_END_FAILED] = " 0",
        [TRACE_END_CANCELLED] = " 5",
        [TRACE_END_UNKNOWN] = " -1",
    };
    if (row->source_id.len && is_number(row->source_id))
        out_bytes(out, row->source_id.at, row->source_id.len);
    else
        out_u64(out, index + 1);
    out_char(out, ' ');
    out_span(out, row->submitted);
    space_span(out, row->queue, TRACE_NO_TIME);
    space_span(out, row->duration, TRACE_NO_TIME);
    out_printf(out, " %" PRIu32 " -1 -1 %" PRIu32, row->gpus, row->gpus);
    space_span(out, row->declared, 0);
    out_text(out, " -1");
    out_text(out, states[row->end]);
    space_text(out, row->user);
    out_text(out, " -1");
    space_text(out, row->name);
    out_text(out, " -1");
    space_text(out, row->vc);
    out_text(out, " -1 -1\n");
}

/* The fields of a line, in order. */
enum {
    SWF_JOB,
    SWF_SUBMIT,
    SWF_WAIT,
    SWF_RUN,
    SWF_ALLOCATED,
    SWF_CPU_TIME,
    SWF_MEMORY,
    SWF_REQUESTED,
    SWF_REQUESTED_TIME,
    SWF_REQUESTED_MEMORY,
    SWF_STATE,
    SWF_USER,
    SWF_GROUP,
    SWF_EXECUTABLE,
    SWF_QUEUE,
    SWF_PARTITION,
    SWF_PRECEDING,
    SWF_THINK,
    SWF_N_FIELDS
};

/* Largest number of fields in a line. */
#define SWF_FIELDS_MAX 64

static const char *const swf_fields[SWF_N_FIELDS] = {
    "job number",
    "submit time",
    "wait time",
    "run time",
    "allocated processors",
    "cpu time",
    "used memory",
    "requested processors",
    "requested time",
    "requested memory",
    "status",
    "user",
    "group",
    "executable",
    "queue",
    "partition",
    "preceding job",
    "think time",
};

static const char *const vc_choices[] = {"none", "queue", "partition", "group",
                                         NULL};

static const int vc_fields[] = {-1, SWF_QUEUE, SWF_PARTITION, SWF_GROUP};

struct swf_config {
    unsigned vc; /* index of vc_choices and vc_fields */
    /* Numbers of fields, from 1; 0: the field of the standard, or none. */
    uint32_t gpus, vc_field, gpu_type, model, priority, deadline;
};

static const struct option swf_options[] = {
    OPT_CHOICE(struct swf_config, vc, "vc", 0, vc_choices,
               "the field that names the virtual cluster", NULL),
    OPT_U32(struct swf_config, gpus, "gpus", 0, 0, SWF_FIELDS_MAX,
            "field that holds the GPUs of the job; 0: the requested processors",
            NULL),
    OPT_U32(struct swf_config, vc_field, "vc_field", 0, 0, SWF_FIELDS_MAX,
            "field that names the virtual cluster; 0: the one of vc", NULL),
    OPT_U32(struct swf_config, gpu_type, "gpu_type", 0, 0, SWF_FIELDS_MAX,
            "field that names the GPU type; 0: none", NULL),
    OPT_U32(struct swf_config, model, "model", 0, 0, SWF_FIELDS_MAX,
            "field that names the model; 0: none", NULL),
    OPT_U32(struct swf_config, priority, "priority", 0, 0, SWF_FIELDS_MAX,
            "field that holds the priority; 0: none", NULL),
    OPT_U32(struct swf_config, deadline, "deadline_s", 0, 0, SWF_FIELDS_MAX,
            "field that holds the seconds from the submission to the deadline; "
            "0: none",
            NULL),
    {0},
};

struct swf {
    struct rows *rows;
    struct swf_config config;
    int vc_field; /* index of the field that names the virtual cluster; -1:
                   * none */
    /* Instant from which submissions count, us since 1970; 0 if the header does
     * not tell it. */
    sim_time zero;
    struct text line,
        field[SWF_FIELDS_MAX]; /* the current line and its fields */
    size_t n_fields;           /* number of fields of the current
                                * line */
    uint64_t n_longer; /* number of lines with more fields than the standard
                        * has */
};

static bool swf_is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* Splits the line into fields. Returns their number; stores at most
 * SWF_FIELDS_MAX.
 */
static size_t swf_cut(struct text line, struct text field[SWF_FIELDS_MAX])
{
    size_t n = 0;
    for (size_t i = 0; i < line.len; n++) {
        while (i < line.len && swf_is_blank(line.at[i]))
            i++;
        size_t from = i;
        while (i < line.len && !swf_is_blank(line.at[i]))
            i++;
        if (i == from)
            break;
        if (n < SWF_FIELDS_MAX)
            field[n] = (struct text){line.at + from, i - from};
    }
    return n;
}

static int swf_recognise(struct text head)
{
    struct text field[SWF_FIELDS_MAX];
    bool comments = false;
    while (head.len) {
        struct text rest, line = text_trim(text_split(head, '\n', &rest));
        bool whole = line.at + line.len < head.at + head.len;
        head = rest;
        if (line.len && line.at[0] == ';') {
            comments = true;
            continue;
        }
        size_t n = swf_cut(line, field);
        if (n == 0 || (!whole && comments))
            continue;
        double number;
        return n >= SWF_N_FIELDS && n <= SWF_FIELDS_MAX &&
                       text_to_double(field[SWF_JOB], &number) &&
                       text_to_double(field[SWF_RUN], &number) &&
                       text_to_double(field[SWF_THINK], &number)
                   ? 70
                   : 0;
    }
    return comments ? 40 : 0;
}

static enum status swf_open(void *state, const void *config, struct rows *rows,
                            struct error *err)
{
    const struct swf_config *options = config;
    struct swf *self = state;
    (void)err;
    self->rows = rows;
    self->config = *options;
    self->vc_field =
        options->vc_field ? (int)options->vc_field - 1 : vc_fields[options->vc];
    return STATUS_OK;
}

static enum status bad_field(const struct swf *self, int field,
                             const char *expected, struct error *err)
{
    struct text t = self->field[field];
    char name[32];
    snprintf(name, sizeof name, "field %d", field + 1);
    return rows_bad_at(self->rows, rows_line_number(self->rows),
                       (size_t)(t.at - self->line.at) + 1,
                       field < SWF_N_FIELDS ? swf_fields[field] : name, err,
                       "'%.*s' is not %s", TEXT_ARGS(t), expected);
}

static enum status read_comment(struct swf *self, struct error *err)
{
    struct text value, rest = self->line;
    rest.at++, rest.len--;
    struct text key = text_trim(text_split(rest, ':', &value));
    if (!text_is(key, "UnixStartTime"))
        return STATUS_OK;
    value = text_trim(value);
    sim_span zero;
    if (!text_to_span(value, &zero))
        return rows_bad_at(
            self->rows, rows_line_number(self->rows), 1, "UnixStartTime", err,
            "'%.*s' is not a number of seconds", TEXT_ARGS(value));
    self->zero = zero < 0 ? 0 : zero; /* -1: unknown */
    return STATUS_OK;
}

/* Returns an error if an option names a field that the current line lacks. */
static enum status check_wanted(const struct swf *self, struct error *err)
{
    const struct swf_config *c = &self->config;
    const uint32_t wanted[] = {c->gpus,  c->vc_field, c->gpu_type,
                               c->model, c->priority, c->deadline};
    uint32_t most = 0;
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        most = wanted[i] > most ? wanted[i] : most;
    if (most <= self->n_fields)
        return STATUS_OK;
    return rows_bad_at(self->rows, rows_line_number(self->rows), 1, "line", err,
                       "%zu fields; an option of the format names field %u",
                       self->n_fields, most);
}

/* Finds the next line that describes a job, cuts it into fields, and reads the
 * comments before it. A line with a wrong number of fields is an error. */
static enum status swf_next_job(struct swf *self, struct error *err)
{
    for (;;) {
        enum status st = rows_line(self->rows, &self->line, err);
        if (st != STATUS_OK)
            return st;
        if (self->line.len && self->line.at[0] == ';') {
            st = read_comment(self, err);
            if (st != STATUS_OK)
                return st;
            continue;
        }
        size_t n = swf_cut(self->line, self->field);
        if (n == 0)
            continue;
        self->n_fields = n;
        self->n_longer += n > SWF_N_FIELDS;
        if (n >= SWF_N_FIELDS && n <= SWF_FIELDS_MAX)
            return check_wanted(self, err);
        return rows_bad_at(self->rows, rows_line_number(self->rows), 1, "line",
                           err, "%zu fields, expected %d, or up to %d", n,
                           SWF_N_FIELDS, SWF_FIELDS_MAX);
    }
}

/* Reads a count. -1 in the file becomes 0. */
static enum status swf_read_count(const struct swf *self, int field,
                                  uint32_t *out, struct error *err)
{
    struct text t = self->field[field];
    if (text_is(t, "-1"))
        *out = 0;
    else if (!text_to_u32(t, out))
        return bad_field(self, field, "a whole number, or -1", err);
    return STATUS_OK;
}

/* Reads seconds. -1 in the file becomes `unknown`. */
static enum status swf_read_span(const struct swf *self, int field,
                                 sim_span unknown, sim_span *out,
                                 struct error *err)
{
    struct text t = self->field[field];
    if (!text_to_span(t, out))
        return bad_field(self, field, "a number of seconds", err);
    if (text_is(t, "-1"))
        *out = unknown;
    return STATUS_OK;
}

static struct text swf_name_of(const struct swf *self, int field)
{
    if (field < 0 || text_is(self->field[field], "-1"))
        return (struct text){NULL, 0};
    return self->field[field];
}

static enum trace_end swf_end_of(struct text t)
{
    if (text_is(t, "1"))
        return TRACE_END_COMPLETED;
    if (text_is(t, "0"))
        return TRACE_END_FAILED;
    return text_is(t, "5") ? TRACE_END_CANCELLED : TRACE_END_UNKNOWN;
}

/* Reads the memory, and the fields that options name except the one of the
 * virtual cluster. */
static enum status read_extra(struct swf *self, struct trace_row *row,
                              struct error *err)
{
    const struct swf_config *c = &self->config;
    const int memory = SWF_REQUESTED_MEMORY;
    double kib = -1; /* main memory of each processor */
    enum status st = STATUS_OK;
    if (!text_to_double(self->field[memory], &kib))
        return bad_field(self, memory, "a number of KiB, or -1", err);
    row->mem_mib = kib < 0 ? -1 : kib / 1024 * row->gpus;
    row->gpu_type = swf_name_of(self, (int)c->gpu_type - 1);
    row->model = swf_name_of(self, (int)c->model - 1);
    row->priority = swf_name_of(self, (int)c->priority - 1);
    if (c->gpus)
        st = swf_read_count(self, (int)c->gpus - 1, &row->gpus, err);
    if (st == STATUS_OK && c->deadline)
        st = swf_read_span(self, (int)c->deadline - 1, TRACE_NO_TIME,
                           &row->deadline, err);
    return st;
}

static uint32_t swf_rare(const void *state)
{
    const struct swf *self = state;
    return TRACE_BIT(MEM) | (self->config.priority ? TRACE_BIT(PRIORITY) : 0) |
           (self->config.deadline ? TRACE_BIT(DEADLINE) : 0);
}

static void swf_note(const void *state, char *buf, size_t room)
{
    const struct swf *self = state;
    if (self->n_longer)
        snprintf(buf, room,
                 "SWF: %" PRIu64 " lines have more than %d fields; those that "
                 "no option names were not read (such as swf:gpus=19)",
                 self->n_longer, SWF_N_FIELDS);
}

static enum status swf_next(void *state, struct trace_row *row,
                            struct error *err)
{
    struct swf *self = state;
    uint32_t allocated = 0;
    enum status st = swf_next_job(self, err);
    row->line = rows_line_number(self->rows);
    if (st != STATUS_OK)
        return st;
    if (!text_to_span(self->field[SWF_SUBMIT], &row->submitted))
        return bad_field(self, SWF_SUBMIT, "a number of seconds", err);
    row->submitted += self->zero;
    st = swf_read_span(self, SWF_WAIT, TRACE_NO_TIME, &row->queue, err);
    if (st == STATUS_OK)
        st = swf_read_span(self, SWF_RUN, TRACE_NO_TIME, &row->duration, err);
    if (st == STATUS_OK)
        st = swf_read_span(self, SWF_REQUESTED_TIME, 0, &row->declared, err);
    if (st == STATUS_OK)
        st = swf_read_count(self, SWF_REQUESTED, &row->gpus, err);
    if (st == STATUS_OK)
        st = swf_read_count(self, SWF_ALLOCATED, &allocated, err);
    if (st != STATUS_OK)
        return st;
    if (row->gpus == 0)
        row->gpus = allocated;
    st = read_extra(self, row, err);
    if (st != STATUS_OK)
        return st;
    row->end = swf_end_of(self->field[SWF_STATE]);
    row->source_id = swf_name_of(self, SWF_JOB);
    row->user = swf_name_of(self, SWF_USER);
    row->name = swf_name_of(self, SWF_EXECUTABLE);
    row->vc = swf_name_of(self, self->vc_field);
    return STATUS_OK;
}

const struct trace_ops trace_swf = {
    .name = "swf",
    .summary = "Standard Workload Format; processors are GPUs",
    .options = swf_options,
    .config_size = sizeof(struct swf_config),
    .state_size = sizeof(struct swf),
    .layout = "lines of 18 values or more between blanks, -1 for unknown: job, "
              "submit "
              "s, wait s, run s, allocated processors, CPU time, memory, "
              "requested processors, requested time s, requested memory, "
              "status, user, group, executable, queue, partition, preceding "
              "job, think time; lines that begin with ';' are comments; "
              "an option names each further field that is read",
    .recognise = swf_recognise,
    .open = swf_open,
    .next = swf_next,
    .note = swf_note,
    .rare = swf_rare,
    .holds = TRACE_BIT(ID) | TRACE_BIT(USER) | TRACE_BIT(NAME) | TRACE_BIT(VC) |
             TRACE_BIT(QUEUE) | TRACE_BIT(DECLARED) | TRACE_BIT(END) |
             TRACE_BIT(NO_DURATION) | TRACE_BIT(NO_GPU) | TRACE_BIT(FRACTION),
    .cannot_hold = swf_cannot_hold,
    .head = "; Version: 2.2\n; UnixStartTime: 0\n"
            "; Note: processors are GPUs; partitions are virtual "
            "clusters\n",
    .write_row = swf_write_row,
};
