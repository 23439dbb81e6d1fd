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

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/ascii.h"
#include "base/rows.h"
#include "traces/columns.h"
#include "traces/formats/slurm_internal.h"

/* Fields of sacct that the reader uses. */
enum slurm_field {
    SLURM_JOB_ID,
    SLURM_JOB_ID_RAW,
    SLURM_JOB_NAME,
    SLURM_USER,
    SLURM_ACCOUNT,
    SLURM_PARTITION,
    SLURM_QOS,
    SLURM_CLUSTER,
    SLURM_SUBMIT,
    SLURM_START,
    SLURM_END,
    SLURM_ELAPSED,
    SLURM_ELAPSED_RAW,
    SLURM_LIMIT,
    SLURM_LIMIT_RAW,
    SLURM_STATE,
    SLURM_EXIT_CODE,
    SLURM_ALLOC_TRES,
    SLURM_REQ_TRES,
    SLURM_ALLOC_GRES,
    SLURM_REQ_GRES,
    SLURM_ALLOC_CPUS,
    SLURM_ALLOC_NODES,
    SLURM_NODES,
    SLURM_N_TASKS,
    SLURM_RESTARTS,
    SLURM_NODE_LIST,
    SLURM_WORK_DIR,
    SLURM_SUBMIT_LINE,
    SLURM_USE,
    SLURM_PRIORITY,
    SLURM_N_FIELDS
};

#define SLURM_CELLS_MAX 256

struct slurm_config {
    unsigned vc; /* index of slurm_vcs: which field names the virtual cluster */
    double zone;
    const char *same;
};

/* A line that was read. Cells point into `bytes`. */
struct slurm_line {
    char *bytes; /* owned */
    size_t cap, len;
    uint64_t number;
};

struct slurm {
    struct rows *rows; /* borrowed */
    struct slurm_config config;
    struct clock clock;
    char delimiter;
    int16_t at[SLURM_N_FIELDS]; /* by field: index of its cell; -1: the file
                                 * lacks the field */
    size_t n_cells;             /* number of cells of the header */
    struct slurm_line job, next;
    bool has_next, ended;
    /* Error in reading the lines after the current job; valid if `failed`. The
     * next call of slurm_next returns it. */
    struct error failure;
    bool failed;
    /* Cells of the line that is being read. */
    struct text cell[SLURM_CELLS_MAX];
    struct slurm_counts counts;
    struct trace_record record;
};

/* Words and numbers of Slurm's accounting (man pages sacct(1), sbatch(1) of
 * Slurm 22.05 and 24.05). */

static const char *slurm_same(const void *config);

const char *const slurm_vcs[] = {"partition", "account", "qos", "none", NULL};

static bool slurm_begins(struct text t, const char *word, size_t n)
{
    return t.len >= n && memcmp(t.at, word, n) == 0;
}

/* Returns true if `t` is the word, or at least three letters from its beginning
 * followed by '+'. */
static bool slurm_is_word(struct text t, const char *word)
{
    size_t n = strlen(word);
    if (t.len > 3 && t.at[t.len - 1] == '+')
        return t.len - 1 <= n && memcmp(t.at, word, t.len - 1) == 0;
    return t.len == n && memcmp(t.at, word, n) == 0;
}

enum trace_end slurm_end(struct text *state, bool *unfinished)
{
    static const struct {
        const char *word;
        enum trace_end end;
        bool unfinished;
    } words[] = {
        {"COMPLETED", TRACE_END_COMPLETED, false},
        {"FAILED", TRACE_END_FAILED, false},
        {"TIMEOUT", TRACE_END_FAILED, false},
        {"NODE_FAIL", TRACE_END_FAILED, false},
        {"OUT_OF_MEMORY", TRACE_END_FAILED, false},
        {"BOOT_FAIL", TRACE_END_FAILED, false},
        {"LAUNCH_FAILED", TRACE_END_FAILED, false},
        {"DEADLINE", TRACE_END_FAILED, false},
        {"CANCELLED", TRACE_END_CANCELLED, false},
        {"PREEMPTED", TRACE_END_CANCELLED, false},
        {"REVOKED", TRACE_END_CANCELLED, false},
        {"PENDING", TRACE_END_UNKNOWN, true},
        {"RUNNING", TRACE_END_UNKNOWN, true},
        {"SUSPENDED", TRACE_END_UNKNOWN, true},
        {"COMPLETING", TRACE_END_UNKNOWN, true},
        {"CONFIGURING", TRACE_END_UNKNOWN, true},
        {"REQUEUED", TRACE_END_UNKNOWN, true},
        {"RESIZING", TRACE_END_UNKNOWN, true},
    };
    struct text rest, word = text_split(text_trim(*state), ' ', &rest);
    *unfinished = false;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (slurm_is_word(word, words[i].word)) {
            *unfinished = words[i].unfinished;
            *state = text_from(words[i].word);
            return words[i].end;
        }
    }
    return TRACE_END_UNKNOWN;
}

/* Reads a number with an optional suffix, which stands for a power of 1024. */
static bool slurm_read_amount(struct text t, double *out)
{
    static const char suffixes[] = "KMGTP";
    double factor = 1;
    const char *hit = t.len ? strchr(suffixes, t.at[t.len - 1]) : NULL;
    if (t.len && hit && *hit) {
        for (const char *s = suffixes; s <= hit; s++)
            factor *= 1024;
        t.len--;
    }
    if (!text_to_double(t, out))
        return false;
    *out *= factor;
    return true;
}

/* Counts GPUs of a TRES. sacct mostly names the GPUs of a type and the same
 * GPUs again without a type, so the two counts are kept apart. */
static void slurm_count_gpus(struct slurm_tres *out, struct text type,
                             uint32_t n, uint32_t *typed)
{
    if (!type.len) {
        out->gpus = n;
        return;
    }
    out->gpu_type = type;
    *typed += n;
}

/* Stores an amount in the field of its resource. Sums GPUs with a type in
 * *typed. */
static void slurm_store(struct slurm_tres *out, struct text name, double amount,
                        uint32_t *typed)
{
    static const char gpu[] = "gres/gpu";
    const size_t n_gpu = sizeof gpu - 1;
    const uint32_t n = amount < UINT32_MAX ? (uint32_t)amount : UINT32_MAX;
    if (text_is(name, "cpu")) {
        out->cpus = n;
    } else if (text_is(name, "node")) {
        out->nodes = n;
    } else if (text_is(name, "mem")) {
        out->mem_mib = amount / (1024 * 1024);
    } else if (slurm_begins(name, gpu, n_gpu)) {
        struct text after = {name.at + n_gpu, name.len - n_gpu};
        if (text_is(after, "util"))
            out->gpu_util = amount;
        else if (text_is(after, "mem"))
            out->gpu_mib = amount / (1024 * 1024);
        else if (!after.len)
            slurm_count_gpus(out, after, n, typed);
        else if (after.at[0] == ':')
            slurm_count_gpus(out, (struct text){after.at + 1, after.len - 1}, n,
                             typed);
    }
}

bool slurm_tres_read(struct text tres, struct slurm_tres *out)
{
    uint32_t typed = 0;
    *out = (struct slurm_tres){.gpu_util = -1, .gpu_mib = -1, .mem_mib = -1};
    while (tres.len) {
        struct text rest, value;
        double amount;
        struct text name =
            text_split(text_split(tres, ',', &rest), '=', &value);
        tres = rest;
        /* Skip entries without a value, and the use of CPUs, which is a time.
         */
        if (!value.len || memchr(value.at, ':', value.len))
            continue;
        if (!slurm_read_amount(text_trim(value), &amount) || amount < 0 ||
            amount > 1e15)
            return false;
        slurm_store(out, text_trim(name), amount, &typed);
    }
    if (!out->gpus)
        out->gpus = typed;
    return true;
}

uint32_t slurm_gres(struct text gres, struct text *type)
{
    while (gres.len) {
        struct text rest, sockets, first, second, third;
        struct text item = text_split(gres, ',', &rest);
        struct text name = text_split(item, '(', &sockets);
        uint32_t count;
        gres = rest;
        first = text_split(name, ':', &name);
        if (text_is(first, "gres"))
            first = text_split(name, ':', &name);
        second = text_split(name, ':', &third);
        if (!text_is(first, "gpu") ||
            !text_to_u32(third.len ? third : second, &count))
            continue;
        if (third.len)
            *type = second;
        return count;
    }
    return 0;
}

/* Reads up to three numbers separated by ':', with or without decimals. Stores
 * each in us, as if it were a number of seconds; the caller multiplies hours by
 * 3600 and minutes by 60. Returns how many there are; 0 if the text is
 * malformed. */
static int read_parts(struct text t, sim_span parts[3])
{
    int n = 0;
    do {
        struct text rest, part = text_split(t, ':', &rest);
        bool last = part.len == t.len;
        if (n == 3 || !part.len || !ascii_is_digit(part.at[0]) ||
            !text_to_span(part, &parts[n]))
            return 0;
        n++;
        t = rest;
        if (last)
            return n;
    } while (t.len);
    return 0;
}

static bool read_days(struct text *t, sim_span *days, bool *has)
{
    const char *dash = memchr(t->at, '-', t->len);
    uint32_t n;
    *has = dash != NULL;
    *days = 0;
    if (!dash)
        return true;
    struct text rest, number = text_split(*t, '-', &rest);
    if (!text_to_u32(number, &n) || n > 36500)
        return false;
    *t = rest;
    *days = n * SPAN_DAY;
    return true;
}

/* Reads "[DAYS-][HOURS:]MINUTES:SECONDS[.fraction]". Returns false for any
 * other text. */
static bool slurm_elapsed(struct text t, sim_span *out)
{
    sim_span days, parts[3];
    bool has;
    t = text_trim(t);
    if (!t.len || !read_days(&t, &days, &has))
        return false;
    int n = read_parts(t, parts);
    if (n < 2)
        return false;
    *out = days + (n == 3 ? parts[0] * 3600 + parts[1] * 60 + parts[2]
                          : parts[0] * 60 + parts[1]);
    return true;
}

bool slurm_limit_read(struct text t, sim_span *out)
{
    static const char *const words[] = {"UNLIMITED", "INFINITE", "NONE",
                                        "Partition_Limit", "INVALID"};
    sim_span days, parts[3] = {0};
    bool has;
    t = text_trim(t);
    *out = 0;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (!t.len || text_is_nocase(t, words[i]))
            return true;
    }
    if (!read_days(&t, &days, &has))
        return false;
    int n = read_parts(t, parts);
    if (n == 0)
        return false;
    if (has || n == 3)
        *out = days + parts[0] * 3600 + parts[1] * 60 + parts[2];
    else
        *out = parts[0] * 60 + parts[1];
    return true;
}

/* Stores the mean utilisation and the mean memory of a GPU of the job in the
 * row. `util` (percent), `mib`: sums over all GPUs of the job; < 0: unknown.
 * Slurm's plug-in for NVIDIA GPUs sums over the GPUs that a process uses, and
 * the columns of Slurm that end in Ave have the mean over the tasks, so the
 * caller multiplies by the tasks. A mean utilisation above 100 % is left out
 * and counted. */
static void slurm_use(struct trace_row *row, double util, double mib,
                      struct slurm_counts *counts)
{
    if (util >= 0 && row->gpus) {
        util /= row->gpus;
        if (util <= 100)
            row->gpu_util = util;
        else
            counts->above++;
    }
    if (mib >= 0 && row->gpus)
        row->gpu_mem_mib = mib / row->gpus;
}

static void slurm_note(const struct slurm_counts *counts, double zone_h,
                       char *buf, size_t room)
{
    size_t n = 0;
    n += (size_t)snprintf(buf + n, room - n,
                          "Slurm: dates without a zone are taken as UTC%+g h",
                          zone_h);
    if (counts->steps)
        n += (size_t)snprintf(
            buf + n, room - n,
            "; %" PRIu64 " rows of steps joined to their jobs", counts->steps);
    if (counts->unfinished)
        n += (size_t)snprintf(buf + n, room - n,
                              "; %" PRIu64 " jobs wait or run and have no run "
                              "time yet",
                              counts->unfinished);
    if (counts->above)
        snprintf(buf + n, room - n,
                 "; %" PRIu64 " utilisations above 100 %% left out",
                 counts->above);
}

/* Reads the cells of a job from the text of sacct. */

static const char *const slurm_names[SLURM_N_FIELDS] = {
    [SLURM_JOB_ID] = "JobID",
    [SLURM_JOB_ID_RAW] = "JobIDRaw",
    [SLURM_JOB_NAME] = "JobName",
    [SLURM_USER] = "User",
    [SLURM_ACCOUNT] = "Account",
    [SLURM_PARTITION] = "Partition",
    [SLURM_QOS] = "QOS",
    [SLURM_CLUSTER] = "Cluster",
    [SLURM_SUBMIT] = "Submit",
    [SLURM_START] = "Start",
    [SLURM_END] = "End",
    [SLURM_ELAPSED] = "Elapsed",
    [SLURM_ELAPSED_RAW] = "ElapsedRaw",
    [SLURM_LIMIT] = "Timelimit",
    [SLURM_LIMIT_RAW] = "TimelimitRaw",
    [SLURM_STATE] = "State",
    [SLURM_EXIT_CODE] = "ExitCode",
    [SLURM_ALLOC_TRES] = "AllocTRES",
    [SLURM_REQ_TRES] = "ReqTRES",
    [SLURM_ALLOC_GRES] = "AllocGRES",
    [SLURM_REQ_GRES] = "ReqGRES",
    [SLURM_ALLOC_CPUS] = "AllocCPUS",
    [SLURM_ALLOC_NODES] = "AllocNodes",
    [SLURM_NODES] = "NNodes",
    [SLURM_N_TASKS] = "NTasks",
    [SLURM_RESTARTS] = "Restarts",
    [SLURM_NODE_LIST] = "NodeList",
    [SLURM_WORK_DIR] = "WorkDir",
    [SLURM_SUBMIT_LINE] = "SubmitLine",
    [SLURM_USE] = "TRESUsageInAve",
    [SLURM_PRIORITY] = "Priority",
};

/* Returns the field with this name, ignoring case; -1 if there is none. */
static int slurm_field_of(struct text name)
{
    for (int i = 0; i < SLURM_N_FIELDS; i++) {
        if (text_is_nocase(name, slurm_names[i]))
            return i;
    }
    /* NCPUS is another name of AllocCPUS in sacct. */
    return text_is_nocase(name, "NCPUS") ? SLURM_ALLOC_CPUS : -1;
}

static enum status slurm_bad(const struct slurm *self,
                             const struct slurm_line *line, int field,
                             const char *expected, struct error *err)
{
    struct text t = self->cell[self->at[field]];
    return rows_bad_at(self->rows, line->number,
                       (size_t)(t.at - line->bytes) + 1, slurm_names[field],
                       err, "'%.*s' is not %s", TEXT_ARGS(t), expected);
}

/* Returns the text of a field in the current line; empty if the file lacks the
 * field or sacct does not know the value. */
static struct text slurm_text(const struct slurm *self, int field)
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

static enum status slurm_read_count(const struct slurm *self, int field,
                                    uint32_t *out, struct error *err)
{
    struct text t = slurm_text(self, field);
    if (t.len && !text_to_u32(t, out))
        return slurm_bad(self, &self->job, field, "a whole number", err);
    return STATUS_OK;
}

/* Reads a date, or seconds since 1970, which a site may make sacct print
 * instead. */
static enum status slurm_read_date(struct slurm *self, int field, sim_time *out,
                                   struct error *err)
{
    struct text t = slurm_text(self, field);
    if (cells_tell_nothing(t) || clock_read(&self->clock, t, out) ||
        text_to_span(t, out))
        return STATUS_OK;
    return slurm_bad(self, &self->job, field, "a date", err);
}

static enum status slurm_read_times(struct slurm *self, struct trace_row *row,
                                    struct error *err)
{
    sim_time start = TRACE_NO_TIME, end = TRACE_NO_TIME;
    struct text raw = slurm_text(self, SLURM_ELAPSED_RAW);
    struct text elapsed = slurm_text(self, SLURM_ELAPSED);
    enum status st = slurm_read_date(self, SLURM_SUBMIT, &row->submitted, err);
    if (st == STATUS_OK && row->submitted == TRACE_NO_TIME)
        st = slurm_bad(self, &self->job, SLURM_SUBMIT, "a date", err);
    if (st == STATUS_OK)
        st = slurm_read_date(self, SLURM_START, &start, err);
    if (st == STATUS_OK)
        st = slurm_read_date(self, SLURM_END, &end, err);
    if (st != STATUS_OK)
        return st;
    if (start != TRACE_NO_TIME)
        row->queue = start - row->submitted;
    if (raw.len) {
        if (!text_to_span(raw, &row->duration))
            return slurm_bad(self, &self->job, SLURM_ELAPSED_RAW,
                             "a number of seconds", err);
    } else if (elapsed.len) {
        if (!slurm_elapsed(elapsed, &row->duration))
            return slurm_bad(self, &self->job, SLURM_ELAPSED,
                             "a time [D-]HH:MM:SS", err);
    } else if (start != TRACE_NO_TIME && end != TRACE_NO_TIME) {
        row->duration = end - start;
    }
    return STATUS_OK;
}

static enum status slurm_read_limit_one(const struct slurm *self,
                                        struct trace_row *row,
                                        struct error *err)
{
    struct text raw = slurm_text(self, SLURM_LIMIT_RAW);
    uint32_t minutes;
    if (raw.len && text_to_u32(raw, &minutes)) {
        row->declared = minutes * (60 * SPAN_SECOND);
        return STATUS_OK;
    }
    /* TimelimitRaw may hold a word, such as UNLIMITED. */
    if (!slurm_limit_read(raw.len ? raw : slurm_text(self, SLURM_LIMIT),
                          &row->declared))
        return slurm_bad(self, &self->job,
                         raw.len ? SLURM_LIMIT_RAW : SLURM_LIMIT,
                         "a time limit", err);
    return STATUS_OK;
}

static enum status slurm_read_resources(const struct slurm *self,
                                        struct trace_row *row,
                                        struct error *err)
{
    static const int tres_fields[] = {SLURM_ALLOC_TRES, SLURM_REQ_TRES};
    static const int gres_fields[] = {SLURM_ALLOC_GRES, SLURM_REQ_GRES};
    enum status st = slurm_read_count(self, SLURM_ALLOC_CPUS, &row->cpus, err);
    if (st == STATUS_OK)
        st = slurm_read_count(
            self,
            self->at[SLURM_ALLOC_NODES] >= 0 ? SLURM_ALLOC_NODES : SLURM_NODES,
            &row->nodes, err);
    for (size_t i = 0; i < 2 && st == STATUS_OK && !row->gpus; i++) {
        struct slurm_tres tres;
        if (!slurm_tres_read(slurm_text(self, tres_fields[i]), &tres))
            return slurm_bad(self, &self->job, tres_fields[i],
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

static void slurm_read_texts(struct slurm *self, struct trace_row *row)
{
    static const int vcs[] = {[SLURM_VC_PARTITION] = SLURM_PARTITION,
                              [SLURM_VC_ACCOUNT] = SLURM_ACCOUNT,
                              [SLURM_VC_QOS] = SLURM_QOS};
    /* JobID names a task of an array as its user does: 1000_0. */
    const struct text id = slurm_text(self, SLURM_JOB_ID);
    row->source_id = id.len ? id : slurm_text(self, SLURM_JOB_ID_RAW);
    row->user = slurm_text(self, SLURM_USER);
    struct text number; /* sacct -c writes "ann(1000)" */
    row->user = text_split(row->user, '(', &number);
    row->name = slurm_text(self, SLURM_JOB_NAME);
    row->priority = slurm_text(self, SLURM_PRIORITY);
    if (self->config.vc != SLURM_VC_NONE)
        row->vc = slurm_text(self, vcs[self->config.vc]);
    self->record = (struct trace_record){
        .cluster = slurm_text(self, SLURM_CLUSTER),
        .workdir = slurm_text(self, SLURM_WORK_DIR),
        .command = slurm_text(self, SLURM_SUBMIT_LINE),
        .state = slurm_text(self, SLURM_STATE),
        .exit_code = slurm_text(self, SLURM_EXIT_CODE),
        .hosts = slurm_text(self, SLURM_NODE_LIST),
    };
    row->record = &self->record;
}

/* Reads the cells of self->job, which self->cell must hold, into a row. */
static enum status slurm_read_job(struct slurm *self, struct trace_row *row,
                                  struct error *err)
{
    uint32_t restarts = 0;
    bool unfinished;
    row->line = self->job.number;
    slurm_read_texts(self, row);
    row->end = slurm_end(&self->record.state, &unfinished);
    enum status st = slurm_read_times(self, row, err);
    if (st == STATUS_OK)
        st = slurm_read_limit_one(self, row, err);
    if (st == STATUS_OK)
        st = slurm_read_resources(self, row, err);
    if (st == STATUS_OK)
        st = slurm_read_count(self, SLURM_RESTARTS, &restarts, err);
    if (st != STATUS_OK)
        return st;
    if (self->at[SLURM_RESTARTS] >= 0)
        row->attempts = restarts + 1;
    if (unfinished)
        row->duration = TRACE_NO_TIME;
    self->counts.unfinished += unfinished;
    return STATUS_OK;
}

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
static size_t slurm_cut(struct text line, char delimiter, struct text *cell)
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
        bool has[SLURM_N_FIELDS] = {false};
        size_t n = slurm_cut(line, *d, cell);
        for (size_t i = 0; i < n && i < SLURM_CELLS_MAX; i++) {
            int field = slurm_field_of(cell[i]);
            if (field >= 0)
                has[field] = true;
        }
        if ((has[SLURM_JOB_ID] || has[SLURM_JOB_ID_RAW]) && has[SLURM_SUBMIT] &&
            has[SLURM_STATE] &&
            (has[SLURM_ELAPSED] || has[SLURM_ELAPSED_RAW] ||
             (has[SLURM_START] && has[SLURM_END])))
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
    self->n_cells = slurm_cut(line, self->delimiter, self->cell);
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
    size_t n = slurm_cut(t, self->delimiter, self->cell);
    if (n == self->n_cells)
        return STATUS_OK;
    return rows_bad_at(self->rows, line->number, 1, "line", err,
                       "%zu cells, but the header has %zu; if a value holds "
                       "'%c', choose another --delimiter of sacct",
                       n, self->n_cells, self->delimiter);
}

/* Returns true if the line describes a step: its id has a '.', as in
 * "12.batch". */
static bool slurm_is_step(const struct slurm *self)
{
    struct text id = slurm_text(
        self, self->at[SLURM_JOB_ID] >= 0 ? SLURM_JOB_ID : SLURM_JOB_ID_RAW);
    return id.len && memchr(id.at, '.', id.len);
}

/* Sums over the steps of a job: their time, and the utilisation (percent) and
 * the memory (MiB) of their GPUs, each multiplied by the tasks and the time of
 * the step. Only steps whose utilisation is known count. */
struct use {
    double seconds, util, mib;
};

static void slurm_add_step(const struct slurm *self, struct use *use)
{
    struct slurm_tres tres;
    uint32_t tasks = 1;
    sim_span span = 0;
    struct text raw = slurm_text(self, SLURM_ELAPSED_RAW);
    if (!text_to_u32(slurm_text(self, SLURM_N_TASKS), &tasks))
        tasks = 1;
    if (!(raw.len && text_to_span(raw, &span)) &&
        !slurm_elapsed(slurm_text(self, SLURM_ELAPSED), &span))
        return;
    if (!slurm_tres_read(slurm_text(self, SLURM_USE), &tres) ||
        tres.gpu_util < 0)
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
static enum status slurm_read_steps(struct slurm *self, struct use *use,
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
            !slurm_is_step(self))
            return STATUS_OK;
        self->has_next = false;
        self->counts.steps++;
        slurm_add_step(self, use);
    }
}

/* Makes the next line that is not a step the current job. Returns STATUS_END
 * after the last line, or the error that was kept in self->failure. */
static enum status slurm_next_job(struct slurm *self, struct error *err)
{
    struct use none = {0};
    if (self->failed) {
        self->failed = false;
        *err = self->failure;
        return err->status;
    }
    if (!self->has_next && !self->ended) {
        enum status st = slurm_read_steps(self, &none, err);
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
    enum status st = slurm_next_job(self, err);
    if (st == STATUS_OK)
        st = cut_line(self, &self->job, err);
    if (st == STATUS_OK)
        st = slurm_read_job(self, row, err);
    if (st != STATUS_OK || self->ended)
        return st;
    self->failed = slurm_read_steps(self, &use, &self->failure) != STATUS_OK;
    if (use.seconds > 0)
        slurm_use(row, use.util / use.seconds,
                  use.mib > 0 ? use.mib / use.seconds : -1, &self->counts);
    return STATUS_OK;
}

static void slurm_note_one(const void *state, char *buf, size_t room)
{
    const struct slurm *self = state;
    slurm_note(&self->counts, self->config.zone, buf, room);
}

static uint32_t slurm_rare(const void *state)
{
    const struct slurm *self = state;
    const bool has_tres =
        self->at[SLURM_ALLOC_TRES] >= 0 || self->at[SLURM_REQ_TRES] >= 0;
    return (self->at[SLURM_PRIORITY] >= 0 ? TRACE_BIT(PRIORITY) : 0) |
           (has_tres ? TRACE_BIT(MEM) : 0);
}

static const char *slurm_same(const void *config)
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
    .same = slurm_same,
    .rare = slurm_rare,
    .note = slurm_note_one,
};
