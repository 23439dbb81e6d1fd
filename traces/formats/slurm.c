/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The text of `sacct -P` and `sacct -p` (man page sacct(1), Slurm 22.05 and
 * 24.05): a header of column names, then a row per job, followed by a row per
 * step of the job. Cells are separated by '|', or by another character that
 * --delimiter chose (one of ^ ; , ! % ~ or a tab), and are never quoted.
 * Columns may come in any order; the reader needs JobID (or JobIDRaw), Submit
 * and State, and a run time (ElapsedRaw, Elapsed, or Start and End). GPUs are
 * those of AllocTRES, else of ReqTRES, else of AllocGRES or ReqGRES (per node,
 * times the nodes).
 *
 * Steps are not jobs. The reader takes from them only the use of GPUs
 * (TRESUsageInAve), which the row of the job lacks. So it returns a job after
 * the last of its steps was read. */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "traces/formats/slurm_text_internal.h"

static const struct option slurm_options[] = {
    OPT_CHOICE(struct slurm_config, vc, "vc", SLURM_VC_PARTITION, slurm_vcs,
               "the column that names the virtual cluster", NULL),
    OPT_DOUBLE(struct slurm_config, zone, "utc_offset_h", 0, -12, 14,
               "local time of the dates minus UTC, h",
               "sacct prints local dates without their zone"),
    OPT_TEXT(struct slurm_config, same, "same", "",
             "what rows of one id are: attempts, for sacct -D", NULL),
    {0},
};

/* Cuts a line at the delimiter into trimmed cells. With `sacct -p` a delimiter
 * ends the line, which adds an empty cell. Returns the number of cells; stores
 * at most SLURM_CELLS_MAX. */
static size_t cut(struct text line, char delimiter, struct text *cell)
{
    size_t n = 0;
    const char *end = line.at + line.len;
    for (const char *at = line.at; at <= end; n++) {
        const char *hit = memchr(at, delimiter, (size_t)(end - at));
        const char *to = hit ? hit : end;
        if (n < SLURM_CELLS_MAX)
            cell[n] = text_trim((struct text){at, (size_t)(to - at)});
        at = to + 1;
    }
    return n;
}

/* Returns the delimiter of a header; 0 if the line is not a header of sacct. */
static char delimiter_of(struct text line)
{
    struct text cell[SLURM_CELLS_MAX];
    static const char delimiters[] = "|^;\t,!%~";
    for (const char *d = delimiters; *d; d++) {
        bool has[N_FIELDS] = {false};
        size_t n = cut(line, *d, cell);
        for (size_t i = 0; i < n && i < SLURM_CELLS_MAX; i++) {
            int field = slurm_field_of(cell[i]);
            if (field >= 0)
                has[field] = true;
        }
        if ((has[JOB_ID] || has[JOB_ID_RAW]) && has[SUBMIT] && has[STATE] &&
            (has[ELAPSED] || has[ELAPSED_RAW] || (has[START] && has[END])))
            return *d;
    }
    return '\0';
}

static int slurm_recognise(struct text head)
{
    struct text rest;
    char delimiter = delimiter_of(text_split(head, '\n', &rest));
    /* Another format may have these columns, separated by commas. sacct never
     * quotes cells, so quotes tell that another program wrote the file. */
    if (delimiter == ',')
        return memchr(head.at, '"', head.len) ||
                       !(memmem(head.at, head.len, "TRES", 4) ||
                         memmem(head.at, head.len, "GRES", 4))
                   ? 0
                   : 20;
    return delimiter ? 85 : 0;
}

/* Copies the next line of the file into `line`. */
static enum status keep_line(struct slurm *self, struct slurm_line *line,
                             struct error *err)
{
    struct text t;
    enum status st = rows_line(self->rows, &t, err);
    if (st != STATUS_OK)
        return st;
    line->bytes = mem_grow(line->bytes, &line->cap, t.len + 1, 1);
    memcpy(line->bytes, t.at, t.len);
    line->len = t.len;
    line->number = rows_line_number(self->rows);
    return STATUS_OK;
}

static enum status open_header(struct slurm *self, struct error *err)
{
    enum status st = keep_line(self, &self->next, err);
    if (st != STATUS_OK)
        return st;
    struct text line = {self->next.bytes, self->next.len};
    self->delimiter = delimiter_of(line);
    if (!self->delimiter)
        return rows_bad_at(self->rows, 1, 1, "header", err,
                           "the columns JobID, Submit, State and Elapsed are "
                           "expected, separated by '|': sacct -P -o "
                           "JobID,User,Submit,State,Elapsed,AllocTRES,...");
    self->n_cells = cut(line, self->delimiter, self->cell);
    if (self->n_cells > SLURM_CELLS_MAX)
        return rows_bad_at(self->rows, 1, 1, "header", err,
                           "more than %d columns", SLURM_CELLS_MAX);
    for (size_t i = 0; i < self->n_cells; i++) {
        int field = slurm_field_of(self->cell[i]);
        if (field >= 0 && self->at[field] < 0)
            self->at[field] = (int16_t)i;
    }
    return STATUS_OK;
}

static enum status slurm_open(void *state, const void *config,
                              struct rows *rows, struct error *err)
{
    struct slurm *self = state;
    self->rows = rows;
    self->config = *(const struct slurm_config *)config;
    self->clock.offset = span_from_seconds(self->config.zone * 3600);
    memset(self->at, -1, sizeof self->at);
    return open_header(self, err);
}

/* Cuts a line into self->cell. Returns an error if the number of cells is not
 * that of the header. */
static enum status cut_line(struct slurm *self, const struct slurm_line *line,
                            struct error *err)
{
    struct text t = {line->bytes, line->len};
    size_t n = cut(t, self->delimiter, self->cell);
    if (n == self->n_cells)
        return STATUS_OK;
    return rows_bad_at(self->rows, line->number, 1, "line", err,
                       "%zu cells, but the header has %zu; if a value holds "
                       "'%c', choose another --delimiter of sacct",
                       n, self->n_cells, self->delimiter);
}

/* Returns true if the line describes a step: its id has a '.', as in
 * "12.batch". */
static bool is_step(const struct slurm *self)
{
    struct text id =
        slurm_text(self, self->at[JOB_ID] >= 0 ? JOB_ID : JOB_ID_RAW);
    return id.len && memchr(id.at, '.', id.len);
}

/* Sums over the steps of a job: their time, and the utilisation (percent) and
 * the memory (MiB) of their GPUs, each multiplied by the tasks and the time of
 * the step. Only steps whose utilisation is known count. */
struct use {
    double seconds, util, mib;
};

static void add_step(const struct slurm *self, struct use *use)
{
    struct slurm_tres tres;
    uint32_t tasks = 1;
    sim_span span = 0;
    struct text raw = slurm_text(self, ELAPSED_RAW);
    if (!text_to_u32(slurm_text(self, N_TASKS), &tasks))
        tasks = 1;
    if (!(raw.len && text_to_span(raw, &span)) &&
        !slurm_elapsed(slurm_text(self, ELAPSED), &span))
        return;
    if (!slurm_tres_read(slurm_text(self, USE), &tres) || tres.gpu_util < 0)
        return;
    double seconds = span_seconds(span);
    use->seconds += seconds;
    use->util += seconds * tres.gpu_util * tasks;
    if (tres.gpu_mib >= 0)
        use->mib += seconds * tres.gpu_mib * tasks;
}

/* Reads the steps that follow a job, up to the next job, and adds them to *use.
 * A line that cannot be cut is kept: its error is returned when it is read as
 * the next job. */
static enum status read_steps(struct slurm *self, struct use *use,
                              struct error *err)
{
    struct error ignored;
    for (;;) {
        enum status st = keep_line(self, &self->next, err);
        if (st == STATUS_END) {
            self->ended = true;
            return STATUS_OK;
        }
        if (st != STATUS_OK)
            return st;
        self->has_next = true;
        if (cut_line(self, &self->next, &ignored) != STATUS_OK ||
            !is_step(self))
            return STATUS_OK;
        self->has_next = false;
        self->counts.steps++;
        add_step(self, use);
    }
}

/* Makes the next line that is not a step the current job. Returns STATUS_END
 * after the last line, or the error that was kept in self->failure. */
static enum status next_job(struct slurm *self, struct error *err)
{
    struct use none = {0};
    if (self->failed) {
        self->failed = false;
        *err = self->failure;
        return err->status;
    }
    if (!self->has_next && !self->ended) {
        enum status st = read_steps(self, &none, err);
        if (st != STATUS_OK)
            return st;
    }
    if (!self->has_next)
        return STATUS_END;
    struct slurm_line job = self->next;
    self->next = self->job;
    self->job = job;
    self->has_next = false;
    return STATUS_OK;
}

static enum status slurm_next(void *state, struct trace_row *row,
                              struct error *err)
{
    struct slurm *self = state;
    struct use use = {0};
    enum status st = next_job(self, err);
    if (st == STATUS_OK)
        st = cut_line(self, &self->job, err);
    if (st == STATUS_OK)
        st = slurm_read_job(self, row, err);
    if (st != STATUS_OK || self->ended)
        return st;
    self->failed = read_steps(self, &use, &self->failure) != STATUS_OK;
    if (use.seconds > 0)
        slurm_use(row, use.util / use.seconds,
                  use.mib > 0 ? use.mib / use.seconds : -1, &self->counts);
    return STATUS_OK;
}

static void note(const void *state, char *buf, size_t room)
{
    const struct slurm *self = state;
    slurm_note(&self->counts, self->config.zone, buf, room);
}

static uint32_t rare(const void *state)
{
    const struct slurm *self = state;
    const bool has_tres = self->at[ALLOC_TRES] >= 0 || self->at[REQ_TRES] >= 0;
    return (self->at[PRIORITY] >= 0 ? TRACE_BIT(PRIORITY) : 0) |
           (has_tres ? TRACE_BIT(MEM) : 0);
}

static const char *same(const void *config)
{
    const struct slurm_config *c = config;
    return c->same;
}

static void slurm_close(void *state)
{
    struct slurm *self = state;
    free(self->job.bytes);
    free(self->next.bytes);
}

const struct trace_ops trace_slurm = {
    .name = "slurm",
    .summary = "Slurm's accounting as text: sacct -P",
    .options = slurm_options,
    .config_size = sizeof(struct slurm_config),
    .state_size = sizeof(struct slurm),
    .layout = "the text of sacct -P: a header of sacct's field names, then "
              "one line for each job and one for each step, cells separated "
              "by '|'; JobID, Submit, State and Elapsed (or ElapsedRaw, or "
              "Start and End) are needed, GPUs are read from AllocTRES",
    .recognise = slurm_recognise,
    .open = slurm_open,
    .next = slurm_next,
    .close = slurm_close,
    .same = same,
    .rare = rare,
    .note = note,
};
