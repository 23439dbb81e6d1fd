/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads pairs from the three formats in which they are published. A pair with a
 * speed of 0 did not fit on one GPU and is left out. */
#include <jansson.h>
#include <string.h>

#include "base/rows.h"
#include "models/interference/pairs.h"

struct reader {
    const char *path, *gpu;
    struct arena *arena;
    struct pairs *out;
    struct error *err;
};

static const char *copy(const struct reader *r, struct text t)
{
    return arena_copy(r->arena, t.at ? t.at : "", t.len);
}

/* Returns a key whose figures are all unknown. */
static struct usage empty_key(void)
{
    struct usage key = {.model = "", .dataset = "", .family = "", .amp = -1};
    for (unsigned f = 0; f < N_FIGURES; f++)
        key.figures[f] = (struct figure){.value = -1, .source = ""};
    return key;
}

/* Reads one of the two jobs of a pair. `at`: columns of model, dataset, batch
 * size, amp and speed. */
static enum status lucid_side(const struct reader *r, const struct rows *rows,
                              const int16_t at[5], struct usage *key,
                              double *speed)
{
    struct text amp = rows_cell(rows, at[3]);
    bool on = false;
    *key = empty_key();
    key->model = copy(r, rows_cell(rows, at[0]));
    key->dataset = copy(r, rows_cell(rows, at[1]));
    if (!text_to_u32(rows_cell(rows, at[2]), &key->batch_size))
        return rows_bad(rows, at[2], r->err, "not a batch size");
    if (amp.len && !text_to_bool(amp, &on))
        return rows_bad(rows, at[3], r->err, "'%.*s' is not 0 or 1",
                        TEXT_ARGS(amp));
    key->amp = amp.len ? on : -1;
    if (!text_to_double(rows_cell(rows, at[4]), speed) || *speed < 0 ||
        *speed > 100)
        return rows_bad(rows, at[4], r->err, "not a speed within 0..100");
    return STATUS_OK;
}

static enum status lucid_row(const struct reader *r, const struct rows *rows,
                             const int16_t at[10])
{
    struct usage one, two;
    double speed_one, speed_two;
    enum status st = lucid_side(r, rows, at, &one, &speed_one);
    if (st == STATUS_OK)
        st = lucid_side(r, rows, at + 5, &two, &speed_two);
    if (st == STATUS_OK && speed_one > 0 && speed_two > 0) {
        uint32_t a = pairs_key(r->out, &one);
        pairs_add(r->out, a, pairs_key(r->out, &two), speed_one, speed_two);
    }
    return st;
}

static const struct rows_column lucid_columns[] = {
    {.names = "model1", .required = true},
    {.names = "dataset1", .required = true},
    {.names = "batchsize1", .required = true},
    {.names = "amp1", .required = true},
    {.names = "speed1", .required = true},
    {.names = "model2", .required = true},
    {.names = "dataset2", .required = true},
    {.names = "batchsize2", .required = true},
    {.names = "amp2", .required = true},
    {.names = "speed2", .required = true},
    /* Columns that are not read: the numbers of GPUs are always 1, and the
     * figures of a pair are for both jobs together. */
    {.names = "gpu_num1"},
    {.names = "gpu_num2"},
    {.names = "gpu_util"},
    {.names = "gmem_util"},
    {.names = "gmem"},
    {.names = ""},
};
enum {
    LUCID_COLUMNS = sizeof lucid_columns / sizeof *lucid_columns,
    GAVEL_COLUMNS = 5,
};

/* Parses "ResNet-18 (batch size 16)". A name of another form is taken whole as
 * the model, with an unknown batch size. */
static struct usage gavel_key(const struct reader *r, struct text name)
{
    static const char words[] = " (batch size ";
    const size_t n = sizeof words - 1;
    struct usage key = empty_key();
    const char *at = name.at ? memmem(name.at, name.len, words, n) : NULL;
    if (at && name.at[name.len - 1] == ')' &&
        text_to_u32(
            (struct text){at + n, (size_t)(name.at + name.len - 1 - at) - n},
            &key.batch_size))
        name.len = (size_t)(at - name.at);
    key.model = copy(r, name);
    return key;
}

static void gavel_add(const struct reader *r, struct text job,
                      struct text partner, double speed, double other)
{
    struct usage one = gavel_key(r, job), two = gavel_key(r, partner);
    if (!(speed > 0 && other > 0))
        return;
    uint32_t a = pairs_key(r->out, &one);
    pairs_add(r->out, a, pairs_key(r->out, &two), speed, other);
}

static const struct rows_column gavel_columns[] = {
    {.names = "gpu", .required = true},
    {.names = "job", .required = true},
    {.names = "partner", .required = true},
    {.names = "job_speed", .required = true},
    {.names = "partner_speed", .required = true},
};

static enum status gavel_row(const struct reader *r, const struct rows *rows,
                             const int16_t at[5])
{
    double speed, other;
    if (!text_is(rows_cell(rows, at[0]), r->gpu))
        return STATUS_OK;
    for (int i = 3; i < 5; i++) {
        double *out = i == 3 ? &speed : &other;
        if (!text_to_double(rows_cell(rows, at[i]), out) || *out < 0 ||
            *out > 100)
            return rows_bad(rows, at[i], r->err, "not a speed within 0..100");
    }
    gavel_add(r, rows_cell(rows, at[1]), rows_cell(rows, at[2]), speed, other);
    return STATUS_OK;
}

/* Returns "A3C" for "('A3C', 1)"; an empty text for any other key, such as that
 * of a job of several GPUs. */
static struct text single_gpu_name(const char *key)
{
    static const char end[] = "', 1)";
    struct text t = text_from(key);
    if (t.len < 7 || memcmp(t.at, "('", 2) != 0 ||
        memcmp(t.at + t.len - 5, end, 5) != 0)
        return (struct text){"", 0};
    return (struct text){t.at + 2, t.len - 7};
}

/* Returns the steps per second of a job that runs alone; 0 if the table gives
 * none. */
static double alone(const json_t *table, const char *key)
{
    return json_number_value(
        json_object_get(json_object_get(table, key), "null"));
}

/* Adds the pairs of one job in Gavel's throughputs. Skips pairs in which either
 * job has several GPUs or no speed alone. */
static void gavel_job(const struct reader *r, json_t *table, const char *key,
                      json_t *partners)
{
    struct text job = single_gpu_name(key);
    const char *other;
    json_t *both;
    double own_alone = alone(table, key);
    json_object_foreach(partners, other, both)
    {
        struct text partner = single_gpu_name(other);
        double other_alone = alone(table, other);
        if (!job.len || !partner.len || own_alone <= 0 || other_alone <= 0)
            continue;
        gavel_add(r, job, partner,
                  json_number_value(json_array_get(both, 0)) / own_alone,
                  json_number_value(json_array_get(both, 1)) / other_alone);
    }
}

static enum status gavel_json(const struct reader *r)
{
    json_error_t why;
    json_t *root = json_load_file(r->path, JSON_REJECT_DUPLICATES, &why);
    const char *key;
    json_t *partners;
    enum status st = STATUS_OK;
    if (!root)
        return error_set(r->err, STATUS_BAD_INPUT, "%s:%d:%d: %s", r->path,
                         why.line, why.column, why.text);
    json_t *table = json_object_get(root, r->gpu);
    if (!json_is_object(table))
        st = error_set(r->err, STATUS_BAD_INPUT, "%s: no table of '%.60s'",
                       r->path, r->gpu);
    json_object_foreach(table, key, partners)
        gavel_job(r, table, key, partners);
    json_decref(root);
    return st;
}

static enum status read_csv(const struct reader *r)
{
    static const char *const gavel_names[] = {"gpu", "job", "partner", NULL};
    int16_t at[LUCID_COLUMNS];
    struct rows *rows;
    enum status st = rows_open(r->path, &rows, r->err);
    if (st != STATUS_OK)
        return st;
    bool gavel = rows_head_names(rows_head(rows), gavel_names);
    const struct rows_column *columns = gavel ? gavel_columns : lucid_columns;
    size_t n = gavel ? GAVEL_COLUMNS : LUCID_COLUMNS;
    st = rows_header(rows, columns, n, at, r->err);
    if (st == STATUS_OK)
        st = rows_header_known(rows, columns, n, NULL, NULL, r->err);
    while (st == STATUS_OK && (st = rows_next(rows, r->err)) == STATUS_OK) {
        st = gavel ? gavel_row(r, rows, at) : lucid_row(r, rows, at);
        if (st == STATUS_OK && r->out->n_keys > PAIRS_KEYS_MAX)
            st = rows_bad(rows, 0, r->err, "more than %d workloads",
                          PAIRS_KEYS_MAX);
    }
    rows_close(rows);
    return st == STATUS_END ? STATUS_OK : st;
}

enum status pairs_read(const char *path, const char *gpu, struct arena *arena,
                       struct pairs *out, struct error *err)
{
    struct reader r = {
        .path = path, .gpu = gpu, .arena = arena, .out = out, .err = err};
    size_t n = strlen(path);
    *out = (struct pairs){0};
    bool json = n > 5 && strcmp(path + n - 5, ".json") == 0;
    enum status st = json ? gavel_json(&r) : read_csv(&r);
    if (st == STATUS_OK && out->n_pairs == 0)
        st = error_set(err, STATUS_BAD_INPUT, "%s: no pair of '%.60s'", path,
                       gpu);
    if (st != STATUS_OK)
        pairs_fini(out);
    return st;
}
