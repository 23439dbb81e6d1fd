/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads the cells of a job from the text of sacct. */
#include <string.h>

#include "traces/formats/slurm_text_internal.h"

static const char *const names[N_FIELDS] = {
    [JOB_ID] = "JobID",
    [JOB_ID_RAW] = "JobIDRaw",
    [JOB_NAME] = "JobName",
    [USER] = "User",
    [ACCOUNT] = "Account",
    [PARTITION] = "Partition",
    [QOS] = "QOS",
    [CLUSTER] = "Cluster",
    [SUBMIT] = "Submit",
    [START] = "Start",
    [END] = "End",
    [ELAPSED] = "Elapsed",
    [ELAPSED_RAW] = "ElapsedRaw",
    [LIMIT] = "Timelimit",
    [LIMIT_RAW] = "TimelimitRaw",
    [STATE] = "State",
    [EXIT_CODE] = "ExitCode",
    [ALLOC_TRES] = "AllocTRES",
    [REQ_TRES] = "ReqTRES",
    [ALLOC_GRES] = "AllocGRES",
    [REQ_GRES] = "ReqGRES",
    [ALLOC_CPUS] = "AllocCPUS",
    [ALLOC_NODES] = "AllocNodes",
    [NODES] = "NNodes",
    [N_TASKS] = "NTasks",
    [RESTARTS] = "Restarts",
    [NODE_LIST] = "NodeList",
    [WORK_DIR] = "WorkDir",
    [SUBMIT_LINE] = "SubmitLine",
    [USE] = "TRESUsageInAve",
    [PRIORITY] = "Priority",
};

int slurm_field_of(struct text name)
{
    for (int i = 0; i < N_FIELDS; i++) {
        if (text_is_nocase(name, names[i]))
            return i;
    }
    /* NCPUS is another name of AllocCPUS in sacct. */
    return text_is_nocase(name, "NCPUS") ? ALLOC_CPUS : -1;
}

static enum status bad(const struct slurm *self, const struct slurm_line *line,
                       int field, const char *expected, struct error *err)
{
    struct text t = self->cell[self->at[field]];
    return rows_bad_at(self->rows, line->number,
                       (size_t)(t.at - line->bytes) + 1, names[field], err,
                       "'%.*s' is not %s", TEXT_ARGS(t), expected);
}

struct text slurm_text(const struct slurm *self, int field)
{
    struct text t = {"", 0};
    if (self->at[field] < 0)
        return t;
    t = self->cell[self->at[field]];
    return text_is(t, "Unknown") || text_is(t, "None assigned") ||
                   text_is(t, "(null)")
               ? (struct text){"", 0}
               : t;
}

static enum status read_count(const struct slurm *self, int field,
                              uint32_t *out, struct error *err)
{
    struct text t = slurm_text(self, field);
    if (t.len && !text_to_u32(t, out))
        return bad(self, &self->job, field, "a whole number", err);
    return STATUS_OK;
}

/* Reads a date, or seconds since 1970, which a site may make sacct print
 * instead. */
static enum status read_date(struct slurm *self, int field, sim_time *out,
                             struct error *err)
{
    struct text t = slurm_text(self, field);
    if (cells_tell_nothing(t) || clock_read(&self->clock, t, out) ||
        text_to_span(t, out))
        return STATUS_OK;
    return bad(self, &self->job, field, "a date", err);
}

static enum status read_times(struct slurm *self, struct trace_row *row,
                              struct error *err)
{
    sim_time start = TRACE_NO_TIME, end = TRACE_NO_TIME;
    struct text raw = slurm_text(self, ELAPSED_RAW);
    struct text elapsed = slurm_text(self, ELAPSED);
    enum status st = read_date(self, SUBMIT, &row->submitted, err);
    if (st == STATUS_OK && row->submitted == TRACE_NO_TIME)
        st = bad(self, &self->job, SUBMIT, "a date", err);
    if (st == STATUS_OK)
        st = read_date(self, START, &start, err);
    if (st == STATUS_OK)
        st = read_date(self, END, &end, err);
    if (st != STATUS_OK)
        return st;
    if (start != TRACE_NO_TIME)
        row->queue = start - row->submitted;
    if (raw.len) {
        if (!text_to_span(raw, &row->duration))
            return bad(self, &self->job, ELAPSED_RAW, "a number of seconds",
                       err);
    } else if (elapsed.len) {
        if (!slurm_elapsed(elapsed, &row->duration))
            return bad(self, &self->job, ELAPSED, "a time [D-]HH:MM:SS", err);
    } else if (start != TRACE_NO_TIME && end != TRACE_NO_TIME) {
        row->duration = end - start;
    }
    return STATUS_OK;
}

static enum status read_limit(const struct slurm *self, struct trace_row *row,
                              struct error *err)
{
    struct text raw = slurm_text(self, LIMIT_RAW);
    uint32_t minutes;
    if (raw.len && text_to_u32(raw, &minutes)) {
        row->declared = minutes * (60 * SPAN_SECOND);
        return STATUS_OK;
    }
    /* TimelimitRaw may hold a word, such as UNLIMITED. */
    if (!slurm_limit(raw.len ? raw : slurm_text(self, LIMIT), &row->declared))
        return bad(self, &self->job, raw.len ? LIMIT_RAW : LIMIT,
                   "a time limit", err);
    return STATUS_OK;
}

static enum status read_resources(const struct slurm *self,
                                  struct trace_row *row, struct error *err)
{
    static const int tres_fields[] = {ALLOC_TRES, REQ_TRES};
    static const int gres_fields[] = {ALLOC_GRES, REQ_GRES};
    enum status st = read_count(self, ALLOC_CPUS, &row->cpus, err);
    if (st == STATUS_OK)
        st = read_count(self, self->at[ALLOC_NODES] >= 0 ? ALLOC_NODES : NODES,
                        &row->nodes, err);
    for (size_t i = 0; i < 2 && st == STATUS_OK && !row->gpus; i++) {
        struct slurm_tres tres;
        if (!slurm_tres_read(slurm_text(self, tres_fields[i]), &tres))
            return bad(self, &self->job, tres_fields[i],
                       "a list such as cpu=8,gres/gpu=2", err);
        row->gpus = tres.gpus;
        row->gpu_type = tres.gpu_type;
        row->mem_mib = tres.mem_mib;
        row->cpus = row->cpus ? row->cpus : tres.cpus;
        row->nodes = row->nodes ? row->nodes : tres.nodes;
    }
    for (size_t i = 0; i < 2 && st == STATUS_OK && !row->gpus; i++)
        row->gpus =
            slurm_gres(slurm_text(self, gres_fields[i]), &row->gpu_type) *
            (row->nodes ? row->nodes : 1);
    return st;
}

static void read_texts(struct slurm *self, struct trace_row *row)
{
    static const int vcs[] = {[SLURM_VC_PARTITION] = PARTITION,
                              [SLURM_VC_ACCOUNT] = ACCOUNT,
                              [SLURM_VC_QOS] = QOS};
    /* JobID names a task of an array as its user does: 1000_0. */
    const struct text id = slurm_text(self, JOB_ID);
    row->source_id = id.len ? id : slurm_text(self, JOB_ID_RAW);
    row->user = slurm_text(self, USER);
    struct text number; /* sacct -c writes "ann(1000)" */
    row->user = text_split(row->user, '(', &number);
    row->name = slurm_text(self, JOB_NAME);
    row->priority = slurm_text(self, PRIORITY);
    if (self->config.vc != SLURM_VC_NONE)
        row->vc = slurm_text(self, vcs[self->config.vc]);
    self->record = (struct trace_record){
        .cluster = slurm_text(self, CLUSTER),
        .workdir = slurm_text(self, WORK_DIR),
        .command = slurm_text(self, SUBMIT_LINE),
        .state = slurm_text(self, STATE),
        .exit_code = slurm_text(self, EXIT_CODE),
        .hosts = slurm_text(self, NODE_LIST),
    };
    row->record = &self->record;
}

enum status slurm_read_job(struct slurm *self, struct trace_row *row,
                           struct error *err)
{
    uint32_t restarts = 0;
    bool unfinished;
    row->line = self->job.number;
    read_texts(self, row);
    row->end = slurm_end(&self->record.state, &unfinished);
    enum status st = read_times(self, row, err);
    if (st == STATUS_OK)
        st = read_limit(self, row, err);
    if (st == STATUS_OK)
        st = read_resources(self, row, err);
    if (st == STATUS_OK)
        st = read_count(self, RESTARTS, &restarts, err);
    if (st != STATUS_OK)
        return st;
    if (self->at[RESTARTS] >= 0)
        row->attempts = restarts + 1;
    if (unfinished)
        row->duration = TRACE_NO_TIME;
    self->counts.unfinished += unfinished;
    return STATUS_OK;
}
