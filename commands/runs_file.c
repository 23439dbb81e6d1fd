/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "commands/runs_file.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/rows.h"
#include "sim/results/statistics.h"

enum { RUNS_FILE_NAMES_MAX = 128 };

/* Indices of the cells of a row that the reader needs; -1: the file has no such
 * column. */
struct runs_file_places {
    int names[RUNS_FILE_NAMES_MAX];
    int metrics[RUNS_METRICS_MAX];
    int replication, seed, status, unfinished, share, made, from, to;
    int knowledge, mark;
};

static void runs_file_path_of(const char *path, char out[PATH_MAX])
{
    struct stat is;
    bool folder = stat(path, &is) == 0 && S_ISDIR(is.st_mode);
    snprintf(out, PATH_MAX, "%.*s%s", PATH_MAX - 16, path,
             folder ? "/runs.csv" : "");
}

bool runs_file_is(const char *path)
{
    char file[PATH_MAX];
    struct stat is;
    size_t len = strlen(path);
    runs_file_path_of(path, file);
    if (stat(file, &is) != 0 || !S_ISREG(is.st_mode))
        return false;
    return strcmp(file, path) != 0 ||
           (len >= 8 && strcmp(path + len - 8, "runs.csv") == 0);
}

static int runs_file_find(const struct rows *rows, const char *name)
{
    const char *one;
    for (size_t i = 0; (one = rows_header_name(rows, i)); i++) {
        if (strcmp(one, name) == 0)
            return (int)i;
    }
    return -1;
}

static enum status no_metric(const struct rows *rows, const char *wish,
                             const char *path, struct error *err)
{
    const char *names[ROWS_CELLS_MAX];
    size_t n = 0;
    for (size_t i = 0; n < ROWS_CELLS_MAX && rows_header_name(rows, i); i++)
        names[n++] = rows_header_name(rows, i);
    const char *near = text_nearest(text_from(wish), names, n);
    return error_set(err, STATUS_BAD_INPUT, "%s: no column '%.100s'%s", path,
                     wish, text_suggest(near).words);
}

/* Finds the column of a metric. Its name may have a dot before the percentile,
 * lack "mean", or end with a tolerance after ':', which is ignored. */
static enum status runs_file_find_metric(struct runs_file *f,
                                         const struct rows *rows,
                                         const char *wish, int *at,
                                         struct error *err)
{
    char name[128];
    size_t n = strcspn(wish, ":");
    snprintf(name, sizeof name - 8, "%.*s", n < 100 ? (int)n : 100, wish);
    char *dot = strrchr(name, '.');
    if (dot)
        *dot = '_';
    if ((*at = runs_file_find(rows, name)) < 0) {
        memcpy(name + strlen(name), "_mean", sizeof "_mean");
        *at = runs_file_find(rows, name);
    }
    if (*at < 0)
        return no_metric(rows, wish, f->path, err);
    if (f->n_metrics == RUNS_METRICS_MAX)
        return error_set(err, STATUS_USAGE, "--metric: at most %d times",
                         RUNS_METRICS_MAX);
    f->metrics[f->n_metrics++] = arena_copy(&f->arena, name, strlen(name));
    return STATUS_OK;
}

/* Finds the columns of settings, those before `status`, and of metrics. */
static enum status find_columns(struct runs_file *f, const struct rows *rows,
                                const struct runs_wishes *wishes,
                                struct runs_file_places *p, struct error *err)
{
    static const char *const usual[] = {"jct_s", "queue_delay_s", "slowdown"};
    const bool own = wishes->n_metrics > 0;
    const char *const *shown = own ? wishes->metrics : usual;
    size_t n = own ? wishes->n_metrics : sizeof usual / sizeof *usual;
    *p = (struct runs_file_places){
        .replication = runs_file_find(rows, "replication"),
        .seed = runs_file_find(rows, "seed"),
        .status = runs_file_find(rows, "status"),
        .unfinished = runs_file_find(rows, "unfinished"),
        .share = runs_file_find(rows, "finished_share"),
        .made = runs_file_find(rows, "made"),
        .knowledge = runs_file_find(rows, "knowledge"),
        .mark = runs_file_find(rows, "knowledge_mark"),
        .from = runs_file_find(rows, "from"),
        .to = runs_file_find(rows, "to")};
    if (p->status < 1)
        return error_set(err, STATUS_BAD_INPUT,
                         "%s: is no runs.csv of a sweep: it has no column "
                         "'status' after those of the settings",
                         f->path);
    f->names = ARENA_ARRAY(&f->arena, const char *, RUNS_FILE_NAMES_MAX);
    for (int i = 0; i < p->status && f->n_names < RUNS_FILE_NAMES_MAX; i++) {
        const char *name = rows_header_name(rows, (size_t)i);
        if (i == p->replication || i == p->seed)
            continue;
        p->names[f->n_names] = i;
        f->names[f->n_names++] = arena_copy(&f->arena, name, strlen(name));
    }
    for (size_t m = 0; m < n; m++) {
        enum status st =
            runs_file_find_metric(f, rows, shown[m], &p->metrics[m], err);
        if (st != STATUS_OK)
            return st;
    }
    return STATUS_OK;
}

/* Returns a cell of the setting. The cells `from` and `to` of a window count as
 * empty, because the windows of one trace are replications. */
static struct text runs_file_cell_of(const struct rows *rows,
                                     const struct runs_file_places *p, int at)
{
    struct text made = rows_cell(rows, p->made);
    bool is_window = made.len >= 6 && memcmp(made.at, "window", 6) == 0;
    return is_window && at >= 0 && (at == p->from || at == p->to)
               ? text_from("")
               : rows_cell(rows, at);
}

/* Returns a symbol for n cells, the same for rows with equal cells. */
static uint32_t joined(struct interner *texts, const struct rows *rows,
                       const struct runs_file_places *p, const int *at,
                       size_t n, struct arena *arena)
{
    size_t room = 1, len = 0;
    for (size_t i = 0; i < n; i++)
        room += runs_file_cell_of(rows, p, at[i]).len + 1;
    char *text = arena_alloc(arena, room);
    for (size_t i = 0; i < n; i++) {
        struct text cell = runs_file_cell_of(rows, p, at[i]);
        if (cell.len)
            memcpy(text + len, cell.at, cell.len);
        len += cell.len;
        text[len++] = '\x1f';
    }
    return interner_add(texts, (struct text){text, len});
}

/* Returns the setting of the row, which is added if it is new. Symbol s of
 * `texts` is setting s - 1, because symbol 0 is the empty text. */
static size_t runs_file_setting_of(struct runs_file *f, const struct rows *rows,
                                   const struct runs_file_places *p,
                                   struct arena *arena)
{
    size_t s =
        joined(&f->texts, rows, p, p->names, f->n_names, arena) - (size_t)1;
    if (s < f->n_settings)
        return s;
    f->settings = mem_grow(f->settings, &f->cap_settings, f->n_settings + 1,
                           sizeof *f->settings);
    struct runs_setting *setting = &f->settings[f->n_settings++];
    struct text knowledge = rows_cell(rows, p->knowledge);
    struct text mark = rows_cell(rows, p->mark);
    *setting = (struct runs_setting){
        .cells = ARENA_ARRAY(&f->arena, const char *, f->n_names + 1),
        .knowledge = arena_copy(&f->arena, knowledge.at, knowledge.len),
        .mark = arena_copy(&f->arena, mark.at, mark.len)};
    for (size_t i = 0; i < f->n_names; i++) {
        struct text cell = runs_file_cell_of(rows, p, p->names[i]);
        setting->cells[i] = arena_copy(&f->arena, cell.at, cell.len);
    }
    return s;
}

static double runs_file_number_of(struct text cell)
{
    double number;
    return cell.len && text_to_double(cell, &number) ? number : NAN;
}

static enum status runs_file_add_row(struct runs_file *f,
                                     const struct rows *rows,
                                     const struct runs_file_places *p,
                                     struct arena *arena, struct error *err)
{
    const int key[] = {p->replication, p->seed};
    struct text status = rows_cell(rows, p->status);
    struct text unfinished = rows_cell(rows, p->unfinished);
    size_t setting = runs_file_setting_of(f, rows, p, arena);
    if (!text_is(status, "0") && !text_is(status, "4")) {
        f->n_failed++;
        return STATUS_OK;
    }
    f->n_unfinished += unfinished.len && !text_is(unfinished, "0");
    f->rows = mem_grow(f->rows, &f->cap_rows, f->n_rows + 1, sizeof *f->rows);
    struct runs_row *row = &f->rows[f->n_rows++];
    *row = (struct runs_row){
        .setting = setting,
        .replication = joined(&f->replications, rows, p, key, 2, arena),
        .done = {.unfinished = runs_file_number_of(unfinished),
                 .share = runs_file_number_of(rows_cell(rows, p->share))}};
    for (size_t m = 0; m < f->n_metrics; m++) {
        struct text cell = rows_cell(rows, p->metrics[m]);
        row->values[m] = NAN;
        if (cell.len && !text_to_double(cell, &row->values[m]))
            return rows_bad(rows, p->metrics[m], err, "'%.*s' is not a number",
                            TEXT_ARGS(cell));
    }
    return STATUS_OK;
}

static int by_setting(const void *a, const void *b)
{
    const struct runs_row *x = a, *y = b;
    if (x->setting != y->setting)
        return x->setting < y->setting ? -1 : 1;
    return (x->replication > y->replication) -
           (x->replication < y->replication);
}

/* Leaves out, of sorted rows, those that repeat the run of the row before. */
static void leave_out_twins(struct runs_file *f)
{
    size_t n = 0;
    for (size_t i = 0; i < f->n_rows; i++) {
        if (!n || by_setting(&f->rows[n - 1], &f->rows[i]) != 0)
            f->rows[n++] = f->rows[i];
    }
    f->n_twins = f->n_rows - n;
    f->n_rows = n;
}

/* Sorts the rows by setting, leaves out twins, and finds which columns vary. */
static void runs_file_arrange(struct runs_file *f)
{
    if (f->n_rows)
        qsort(f->rows, f->n_rows, sizeof *f->rows, by_setting);
    leave_out_twins(f);
    for (size_t i = f->n_rows; i-- > 0;) {
        f->settings[f->rows[i].setting].first = i;
        f->settings[f->rows[i].setting].n++;
    }
    f->varies = ARENA_ARRAY(&f->arena, bool, f->n_names + 1);
    for (size_t k = 0; k < f->n_names; k++) {
        f->varies[k] = false;
        for (size_t s = 1; s < f->n_settings; s++)
            f->varies[k] |=
                strcmp(f->settings[s].cells[k], f->settings[0].cells[k]) != 0;
    }
}

/* True if `other` can be the reference of `s`: it has `value` in `column` and
 * equals `s` in the other columns; `column` -1: it is of the same trace. */
static bool is_reference(const struct runs_file *f, size_t s, size_t other,
                         int column, const char *value)
{
    const char **mine = f->settings[s].cells;
    const char **its = f->settings[other].cells;
    for (size_t k = 0; k < f->n_names; k++) {
        bool same = strcmp(mine[k], its[k]) == 0;
        bool of_trace = strcmp(f->names[k], "trace") == 0 ||
                        strcmp(f->names[k], "made") == 0;
        if ((int)k == column ? strcmp(its[k], value) != 0
                             : !same && (column >= 0 || of_trace))
            return false;
    }
    return true;
}

/* Splits KEY=VALUE and finds the column of the key; -1 if against is NULL. */
static enum status read_against(const struct runs_file *f, const char *against,
                                int *column, const char **value,
                                struct error *err)
{
    *column = -1;
    *value = "";
    if (!against)
        return STATUS_OK;
    const char *equals = strchr(against, '=');
    if (!equals)
        return error_set(err, STATUS_USAGE,
                         "--against: '%.100s' is not KEY=VALUE", against);
    struct text key = {against, (size_t)(equals - against)};
    for (size_t k = 0; k < f->n_names; k++)
        *column = text_is(key, f->names[k]) ? (int)k : *column;
    *value = equals + 1;
    if (*column >= 0)
        return STATUS_OK;
    const char *near = text_nearest(key, f->names, f->n_names);
    return error_set(err, STATUS_USAGE, "--against: %s has no setting '%.*s'%s",
                     f->path, TEXT_ARGS(key), text_suggest(near).words);
}

static enum status find_references(struct runs_file *f, const char *against,
                                   struct error *err)
{
    int column;
    const char *value;
    size_t n_found = 0;
    enum status st = read_against(f, against, &column, &value, err);
    if (st != STATUS_OK)
        return st;
    for (size_t s = 0; s < f->n_settings; s++) {
        size_t other = 0;
        while (other < f->n_settings &&
               !is_reference(f, s, other, column, value))
            other++;
        n_found += other < f->n_settings;
        f->settings[s].reference = other < f->n_settings ? other : s;
    }
    if (n_found || f->n_settings == 0)
        return STATUS_OK;
    return error_set(err, STATUS_USAGE, "--against: no run of %s has %s '%s'",
                     f->path, f->names[column], value);
}

static enum status runs_file_read_rows(struct runs_file *f,
                                       const struct runs_wishes *wishes,
                                       struct rows *rows, struct error *err)
{
    struct runs_file_places places;
    struct arena arena;
    int16_t none;
    enum status st = rows_header(rows, NULL, 0, &none, err);
    if (st == STATUS_OK)
        st = find_columns(f, rows, wishes, &places, err);
    arena_init(&arena);
    while (st == STATUS_OK && (st = rows_next(rows, err)) == STATUS_OK) {
        st = runs_file_add_row(f, rows, &places, &arena, err);
        arena_reset(&arena);
    }
    arena_fini(&arena);
    return st == STATUS_END ? STATUS_OK : st;
}

enum status runs_file_open(const char *path, const struct runs_wishes *wishes,
                           struct runs_file *f, struct error *err)
{
    char file[PATH_MAX];
    struct rows *rows = NULL;
    *f = (struct runs_file){0};
    arena_init(&f->arena);
    interner_init(&f->texts);
    interner_init(&f->replications);
    runs_file_path_of(path, file);
    f->path = arena_copy(&f->arena, file, strlen(file));
    enum status st = rows_open(f->path, &rows, err);
    if (st == STATUS_OK)
        st = runs_file_read_rows(f, wishes, rows, err);
    rows_close(rows);
    if (st != STATUS_OK)
        return st;
    runs_file_arrange(f);
    return find_references(f, wishes->against, err);
}

void runs_file_close(struct runs_file *f)
{
    free(f->settings);
    free(f->rows);
    interner_fini(&f->texts);
    interner_fini(&f->replications);
    arena_fini(&f->arena);
}

bool runs_are_resampled(const char *made)
{
    return strncmp(made, "resample", 8) == 0;
}

static bool is_resampled(const struct runs_file *f, size_t setting)
{
    for (size_t k = 0; k < f->n_names; k++) {
        if (strcmp(f->names[k], "made") == 0)
            return runs_are_resampled(f->settings[setting].cells[k]);
    }
    return false;
}

struct estimate runs_estimate(const struct runs_file *f, size_t setting,
                              size_t metric)
{
    const struct runs_setting *s = &f->settings[setting];
    double *values = mem_alloc((s->n + 1) * sizeof *values);
    for (size_t i = 0; i < s->n; i++)
        values[i] = f->rows[s->first + i].values[metric];
    struct estimate e = is_resampled(f, setting)
                            ? spread_of(values, NULL, s->n)
                            : estimate_of(values, NULL, s->n);
    if (estimate_is_of_one(&e))
        e.interval = (struct interval){NAN, NAN};
    free(values);
    return e;
}

struct jobs_done runs_done(const struct runs_file *f, size_t setting)
{
    const struct runs_setting *s = &f->settings[setting];
    struct jobs_done sum = {0};
    for (size_t i = 0; i < s->n; i++) {
        const struct jobs_done *done = &f->rows[s->first + i].done;
        const bool whole = isnan(done->unfinished) || done->unfinished == 0;
        sum.unfinished += whole ? 0 : done->unfinished;
        sum.share += whole ? 1 : done->share;
    }
    return (struct jobs_done){.unfinished = sum.unfinished / (double)s->n,
                              .share = sum.share / (double)s->n};
}

/* The values of a metric over the replications that two settings have. */
struct runs_pairs {
    double *first,
        *own; /* n values each, of the reference and of the setting */
    size_t n;
    bool other_jobs; /* in some pair the runs finished other jobs */
};

/* The caller calls runs_pairs_free. */
static struct runs_pairs runs_pairs_of(const struct runs_file *f,
                                       size_t setting, size_t reference,
                                       size_t metric)
{
    const struct runs_setting *own = &f->settings[setting];
    const struct runs_setting *ref = &f->settings[reference];
    struct runs_pairs p = {
        .first = mem_alloc((own->n + 1) * sizeof *p.first),
        .own = mem_alloc((own->n + 1) * sizeof *p.own),
    };
    for (size_t i = 0, k = 0; i < own->n; i++) {
        const struct runs_row *row = &f->rows[own->first + i];
        while (k < ref->n &&
               f->rows[ref->first + k].replication < row->replication)
            k++;
        if (k == ref->n ||
            f->rows[ref->first + k].replication != row->replication)
            continue;
        p.other_jobs |=
            !difference_same_jobs(&row->done, &f->rows[ref->first + k].done);
        p.own[p.n] = row->values[metric];
        p.first[p.n++] = f->rows[ref->first + k].values[metric];
    }
    return p;
}

static void runs_pairs_free(struct runs_pairs *p)
{
    free(p->first);
    free(p->own);
}

struct difference runs_difference(const struct runs_file *f, size_t setting,
                                  size_t metric)
{
    struct runs_pairs p =
        runs_pairs_of(f, setting, f->settings[setting].reference, metric);
    struct difference d = p.other_jobs ? difference_incomparable()
                          : is_resampled(f, setting)
                              ? difference_of_resamples(p.first, p.own, p.n)
                              : difference_of_replications(p.first, p.own, p.n);
    runs_pairs_free(&p);
    return d;
}

/* Returns how many of n ratios lie outside the interval of their median at each
 * end: the most for which both ends together have a chance of at most 5 % by
 * the binomial distribution with probability 1/2. */
static size_t runs_ratio_outside(size_t n)
{
    double chance = 2 * exp2(-(double)n), sum = chance;
    size_t outside = 0;
    while (sum <= 0.05 && outside < n) {
        outside++;
        chance *= (double)(n - outside + 1) / (double)outside;
        sum += chance;
    }
    return outside ? outside - 1 : 0;
}

struct runs_ratio runs_relative(const struct runs_file *f, size_t setting,
                                size_t reference, size_t metric)
{
    struct runs_pairs p = runs_pairs_of(f, setting, reference, metric);
    struct runs_ratio r = {NAN, {NAN, NAN}, p.other_jobs};
    double *ratios = p.own;
    size_t n = 0;
    for (size_t i = 0; i < p.n; i++) {
        double ratio = p.own[i] / p.first[i];
        if (isfinite(ratio))
            ratios[n++] = ratio;
    }
    if (n && !p.other_jobs) {
        struct estimate e = spread_of(ratios, NULL, n);
        size_t out = runs_ratio_outside(n);
        if (is_resampled(f, setting))
            r.interval = e.interval;
        else
            r.interval = (struct interval){stats_rank(ratios, n, out),
                                           stats_rank(ratios, n, n - 1 - out)};
        if (n == 1 || estimate_is_of_one(&e))
            r.interval = (struct interval){NAN, NAN};
        r.median = (stats_rank(ratios, n, n / 2) +
                    stats_rank(ratios, n, (n - 1) / 2)) /
                   2;
    }
    runs_pairs_free(&p);
    return r;
}
