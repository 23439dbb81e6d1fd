/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The .trace files of Gavel's artifact (Narayanan et al., OSDI 2020): one job
 * per line, cells separated by tabs, no header. A line has seven cells: job
 * type, command, name of the argument for steps, whether the job needs a data
 * directory, steps, arrival s, GPUs. Or it has ten: job type, command, working
 * directory, name of the argument for steps, whether the job needs a data
 * directory, steps, GPUs, priority weight, deadline (s after the arrival;
 * negative: none), arrival s.
 *
 * The files have steps in place of run times. The reader divides the steps by
 * the speed that the artifact measured for the job type on that number of GPUs
 * of one type (gavel_speeds.h). A job that the table does not cover has an
 * unknown run time. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/rows.h"
#include "traces/formats/gavel_speeds.h"
#include "traces/trace.h"

enum { SHORT = 7, LONG = 10 };

/* The fields that are read. */
enum {
    GAVEL_JOB_TYPE,
    GAVEL_COMMAND,
    GAVEL_STEPS,
    GAVEL_GPUS,
    GAVEL_PRIORITY,
    GAVEL_DEADLINE,
    GAVEL_ARRIVAL,
    GAVEL_N_FIELDS
};

static const char *const gavel_names[GAVEL_N_FIELDS] = {
    [GAVEL_JOB_TYPE] = "job type",   [GAVEL_COMMAND] = "command",
    [GAVEL_STEPS] = "total steps",   [GAVEL_GPUS] = "scale factor",
    [GAVEL_PRIORITY] = "priority",   [GAVEL_DEADLINE] = "SLO",
    [GAVEL_ARRIVAL] = "arrival time"};
/* Indices of the cells of the fields in both forms of lines; -1: the form lacks
 * the field. */
static const int short_cells[GAVEL_N_FIELDS] = {0, 1, 4, 6, -1, -1, 5};
static const int long_cells[GAVEL_N_FIELDS] = {0, 1, 5, 6, 7, 8, 9};

static const char *const types[] = {"k80", "p100", "v100", NULL};

struct formats_gavel_config {
    unsigned type;
};

static const struct option formats_gavel_options[] = {
    OPT_CHOICE(struct formats_gavel_config, type, "type", 2, types,
               "GPU type whose measured speeds turn steps into run times",
               "Gavel's artifact measured the speeds of its job types"),
    {0},
};

struct formats_gavel {
    struct rows *rows; /* borrowed */
    unsigned type;
    struct text line, cell[LONG];
    bool begun;       /* true if a line was read, or an error has said that the
                       * file has none */
    const int *cells; /* index of the cell of each field in this line */
    struct trace_record record;
    uint64_t n_derived, n_unknown;
};

/* Cuts a line at its tabs into `cell`. Returns the number of cells; if there
 * are more than LONG, returns LONG + 1 and stores LONG. */
static size_t gavel_cut(struct text line, struct text cell[LONG])
{
    size_t n = 0;
    do {
        struct text rest, part = text_split(line, '\t', &rest);
        const bool last = part.len == line.len;
        if (n < LONG)
            cell[n] = part;
        n++;
        line = rest;
        if (last)
            return n;
    } while (n <= LONG);
    return n;
}

/* Returns the index of the cell of each field in a line with n cells; NULL if
 * Gavel has no lines with n cells. */
static const int *cells_of(size_t n)
{
    return n == SHORT ? short_cells : n == LONG ? long_cells : NULL;
}

static int gavel_recognise(struct text head)
{
    struct text rest, cell[LONG] = {{0}};
    struct text line = text_split(head, '\n', &rest);
    double number;
    const int *cells = cells_of(gavel_cut(line, cell));
    return cells && text_to_double(cell[cells[GAVEL_STEPS]], &number) &&
                   text_to_double(cell[cells[GAVEL_GPUS]], &number) &&
                   text_to_double(text_trim(cell[cells[GAVEL_ARRIVAL]]),
                                  &number)
               ? 75
               : 0;
}

static enum status gavel_open(void *state, const void *config,
                              struct rows *rows, struct error *err)
{
    struct formats_gavel *self = state;
    (void)err;
    self->rows = rows;
    self->type = ((const struct formats_gavel_config *)config)->type;
    return STATUS_OK;
}

static struct text gavel_text_of(const struct formats_gavel *self, int field)
{
    return self->cells[field] < 0 ? (struct text){"", 0}
                                  : text_trim(self->cell[self->cells[field]]);
}

static enum status gavel_bad(const struct formats_gavel *self, int field,
                             const char *expected, struct error *err)
{
    struct text t = self->cell[self->cells[field]];
    return rows_bad_at(self->rows, rows_line_number(self->rows),
                       (size_t)(t.at - self->line.at) + 1, gavel_names[field],
                       err, "'%.*s' is not %s", TEXT_ARGS(t), expected);
}

/* Reads the next line that is not blank and cuts it into cells. A file without
 * such a line and a line with another number of cells than SHORT or LONG are
 * errors. */
static enum status next_line(struct formats_gavel *self, struct error *err)
{
    do {
        enum status st = rows_line(self->rows, &self->line, err);
        const bool empty = st == STATUS_END && !self->begun;
        self->begun |= empty;
        if (empty)
            return rows_bad_at(self->rows, 1, 1, "file", err,
                               "expected at least one job");
        if (st != STATUS_OK)
            return st;
    } while (text_trim(self->line).len == 0);
    self->begun = true;
    const size_t n = gavel_cut(self->line, self->cell);
    self->cells = cells_of(n);
    if (self->cells)
        return STATUS_OK;
    return rows_bad_at(self->rows, rows_line_number(self->rows), 1, "line", err,
                       "%s%zu cells between tabs, expected %d or %d",
                       n > LONG ? "at least " : "", n, SHORT, LONG);
}

/* Returns the measured steps per second of a job; 0 if they were not measured.
 */
static double gavel_speed_of(const struct formats_gavel *self, struct text type,
                             uint32_t gpus)
{
    for (size_t i = 0; i < sizeof gavel_speeds / sizeof *gavel_speeds; i++) {
        if (!text_is(type, gavel_speeds[i].job_type))
            continue;
        for (size_t size = 0; size < GAVEL_N_SIZES; size++) {
            if (gavel_gpus[size] == gpus)
                return gavel_speeds[i].steps[self->type][size];
        }
    }
    return 0;
}

static void gavel_derive(struct formats_gavel *self, struct trace_row *row,
                         double steps)
{
    const double speed = gavel_speed_of(self, row->name, row->gpus);
    if (speed > 0 && steps / speed <= SECONDS_MAX) {
        row->duration = span_from_seconds(steps / speed);
        row->derived = true;
        self->n_derived++;
    } else {
        self->n_unknown++;
    }
}

/* Splits the job type in row->name, such as "ResNet-18 (batch size 64)", into
 * model and batch size, which is 0 if the job type names none. */
static void gavel_read_type(struct trace_row *row)
{
    static const char words[] = "(batch size ";
    struct text rest, model = text_split(row->name, '(', &rest);
    row->model = text_trim(model);
    rest = (struct text){model.at + model.len, row->name.len - model.len};
    if (!text_starts(rest, words) || rest.at[rest.len - 1] != ')')
        return;
    const size_t skip = sizeof words - 1;
    struct text number = {rest.at + skip, rest.len - skip - 1};
    if (!text_to_u32(number, &row->batch_size))
        row->batch_size = 0;
}

static enum status gavel_next(void *state, struct trace_row *row,
                              struct error *err)
{
    struct formats_gavel *self = state;
    double steps;
    enum status st = next_line(self, err);
    row->line = rows_line_number(self->rows);
    if (st != STATUS_OK)
        return st;
    if (!text_to_span(gavel_text_of(self, GAVEL_ARRIVAL), &row->submitted))
        return gavel_bad(self, GAVEL_ARRIVAL, "a number of seconds", err);
    if (!text_to_u32(gavel_text_of(self, GAVEL_GPUS), &row->gpus))
        return gavel_bad(self, GAVEL_GPUS, "a number of GPUs", err);
    if (!text_to_double(gavel_text_of(self, GAVEL_STEPS), &steps) || steps < 0)
        return gavel_bad(self, GAVEL_STEPS, "a number of steps", err);
    struct text deadline = gavel_text_of(self, GAVEL_DEADLINE);
    if (deadline.len && !text_to_span(deadline, &row->deadline))
        return gavel_bad(self, GAVEL_DEADLINE, "a number of seconds", err);
    if (row->deadline < 0) /* -1: no deadline */
        row->deadline = TRACE_NO_TIME;
    row->priority = gavel_text_of(self, GAVEL_PRIORITY);
    row->name = gavel_text_of(self, GAVEL_JOB_TYPE);
    gavel_read_type(row);
    self->record =
        (struct trace_record){.command = gavel_text_of(self, GAVEL_COMMAND)};
    row->record = &self->record;
    gavel_derive(self, row, steps);
    return STATUS_OK;
}

static uint32_t gavel_rare(const void *state)
{
    (void)state;
    return TRACE_BIT(DEADLINE) | TRACE_BIT(PRIORITY);
}

static void gavel_note(const void *state, char *buf, size_t room)
{
    const struct formats_gavel *self = state;
    snprintf(buf, room,
             "run times are not in the file: %" PRIu64
             " are derived from measured speeds of %s GPUs, %" PRIu64
             " are unknown",
             self->n_derived, types[self->type], self->n_unknown);
}

const struct trace_ops trace_gavel = {
    .name = "gavel",
    .summary = "trace files of Gavel's artifact (.trace)",
    .options = formats_gavel_options,
    .config_size = sizeof(struct formats_gavel_config),
    .state_size = sizeof(struct formats_gavel),
    .layout = "one job in each line, without a header, cells between tabs: "
              "job type, command, argument of steps, needs data, steps, "
              "arrival s, GPUs; or job type, command, directory, argument of "
              "steps, needs data, steps, GPUs, priority, deadline s after the "
              "arrival, arrival s",
    .recognise = gavel_recognise,
    .open = gavel_open,
    .next = gavel_next,
    .note = gavel_note,
    .rare = gavel_rare,
};
