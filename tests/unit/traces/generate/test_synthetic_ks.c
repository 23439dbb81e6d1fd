/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compares generated traces with the published distributions: the largest
 * difference of the cumulated shares (the distance of Kolmogorov and Smirnov,
 * at the published points) must stay below the bound in
 * docs/generated_traces.md. This program prints the lines of the table there.
 */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "tests/support/test.h"

#include "traces/generate/calibration.h"
#include "traces/generate/synthetic.h"
#include "traces/trace.h"

#define JOBS 50000
#define SEED 1

struct sample {
    struct arena arena;
    struct calibration published;
    /* the calibration file, for published figures that the generator does not
     * use */
    json_t *file;
    uint32_t *gpus, *end;
    double *duration, *gap;
    size_t n, kinds[32];
    double hours[CALIBRATION_HOURS];
    double users[4096];
};

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void take(struct sample *s, const struct trace_row *row, sim_time *last)
{
    uint32_t user;
    struct text digits = {row->user.at + 1, row->user.len - 1};
    assert_true(text_to_u32(digits, &user) && user < 4096);
    s->users[user]++;
    s->gpus[s->n] = row->gpus;
    s->end[s->n] = (uint32_t)row->end;
    s->duration[s->n] = span_seconds(row->duration);
    s->gap[s->n] = s->n ? span_seconds(row->submitted - *last) : 0;
    *last = row->submitted;
    for (size_t k = 0; k < s->published.n_kinds; k++)
        s->kinds[k] += text_is(row->kind, s->published.kinds[k].name);
    sim_time hour = (row->submitted + s->published.zone) / SPAN_HOUR;
    s->hours[hour % CALIBRATION_HOURS]++;
    s->n++;
}

static json_t *file_of(const char *like)
{
    const struct calibration_file *file = calibration_files;
    while (file->name && strcmp(file->name, like) != 0)
        file++;
    assert_non_null(file->name);
    json_t *root = json_loadb(file->json, file->len, 0, NULL);
    assert_non_null(root);
    return root;
}

static void generate(struct sample *s, const char *like)
{
    static struct error err;
    struct synthetic *synthetic;
    struct synthetic_options o = {.like = like, .jobs = JOBS, .seed = SEED};
    struct trace_row row;
    sim_time last = 0;
    *s = (struct sample){0};
    arena_init(&s->arena);
    assert_int_equal(calibration_load(like, &s->arena, &s->published, &err),
                     STATUS_OK);
    s->file = file_of(like);
    s->gpus = ARENA_ARRAY(&s->arena, uint32_t, JOBS);
    s->end = ARENA_ARRAY(&s->arena, uint32_t, JOBS);
    s->duration = ARENA_ARRAY(&s->arena, double, JOBS);
    s->gap = ARENA_ARRAY(&s->arena, double, JOBS);
    assert_int_equal(synthetic_open(&o, &synthetic, &err), STATUS_OK);
    while (synthetic_next(synthetic, &row))
        take(s, &row, &last);
    synthetic_close(synthetic);
    assert_int_equal(s->n, JOBS);
}

/* Prints a row of the table in docs/generated_traces.md, and checks that the
 * distance is below the bound. */
static void expect(const struct sample *s, const char *what, double distance,
                   double bound)
{
    printf("# | %s | %s | %.4f | %.2f |\n", s->published.name, what, distance,
           bound);
    assert_true(distance <= bound);
}

/* Returns the bin of a duration in seconds; see CALIBRATION_BINS. */
static uint32_t bin_of(double seconds)
{
    uint32_t i = 0;
    while (i < CALIBRATION_BINS - 1 && seconds > (double)(UINT32_C(1) << i))
        i++;
    return i;
}

static double duration_distance(const struct sample *s)
{
    double worst = 0, count[CALIBRATION_BINS] = {0}, below = 0;
    for (size_t i = 0; i < s->n; i++)
        count[bin_of(s->duration[i])]++;
    for (size_t b = 0; b < CALIBRATION_BINS; b++) {
        below += count[b];
        worst = fmax(worst, fabs(below / JOBS - s->published.duration_cdf[b]));
    }
    return worst;
}

static double gpus_distance(const struct sample *s)
{
    double worst = 0, want = 0;
    for (size_t p = 0; p < s->published.n_gpu_counts; p++) {
        size_t below = 0;
        want += s->published.gpu_counts[p].weight;
        for (size_t i = 0; i < s->n; i++)
            below += s->gpus[i] <= s->published.gpu_counts[p].value;
        worst = fmax(worst, fabs((double)below / JOBS - want));
    }
    return worst;
}

static double states_distance(const struct sample *s)
{
    double worst = 0, count[CALIBRATION_STATES] = {0};
    for (size_t i = 0; i < s->n; i++)
        count[s->end[i]]++;
    for (size_t e = 0; e < CALIBRATION_STATES; e++)
        worst = fmax(worst, fabs(count[e] / JOBS - s->published.states[e]));
    return worst;
}

static double kinds_distance(const struct sample *s)
{
    double worst = 0;
    for (size_t k = 0; k < s->published.n_kinds; k++)
        worst = fmax(worst, fabs((double)s->kinds[k] / JOBS -
                                 s->published.kinds[k].share));
    return worst;
}

static double hours_distance(const struct sample *s)
{
    double worst = 0, got = 0, want = 0;
    for (size_t h = 0; h < CALIBRATION_HOURS; h++) {
        got += s->hours[h] / JOBS;
        want += s->published.hours[h];
        worst = fmax(worst, fabs(got - want));
    }
    return worst;
}

/* Returns a list from the calibration: pairs of a published value and its
 * share. */
static json_t *pairs(const struct sample *s, const char *part, const char *name)
{
    json_t *at = json_object_get(json_object_get(s->file, part), name);
    return json_is_object(at) ? json_object_get(at, "value") : at;
}

static double pair_value(json_t *pairs, size_t i, size_t side)
{
    json_t *number = json_array_get(json_array_get(pairs, i), side);
    assert_true(json_is_number(number));
    return json_number_value(number);
}

static double gaps_distance(struct sample *s)
{
    double worst = 0;
    qsort(s->gap, s->n, sizeof *s->gap, by_value);
    json_t *gaps = pairs(s, "arrivals", "gap_published");
    assert_true(json_array_size(gaps) > 1);
    for (size_t i = 0; i < json_array_size(gaps); i++) {
        size_t below = 0;
        double gap = pair_value(gaps, i, 0), want = pair_value(gaps, i, 1);
        while (below < s->n && s->gap[below] <= gap)
            below++;
        /* gaps are whole seconds: the published share may lie anywhere between
         * the shares below and up to this gap */
        size_t under = below;
        while (under > 0 && s->gap[under - 1] >= gap)
            under--;
        double high = (double)below / JOBS, low = (double)under / JOBS;
        if (i == 0) /* for gaps of 0 s the share must be equal */
            low = high;
        worst = fmax(worst, fmax(want - high, low - want));
    }
    return worst;
}

static double users_distance(struct sample *s)
{
    double worst = 0;
    qsort(s->users, 4096, sizeof *s->users, by_value);
    json_t *top = pairs(s, "users", "published_top_share");
    for (size_t i = 0; i < json_array_size(top); i++) {
        double sum = 0;
        for (size_t k = 0; k < (size_t)pair_value(top, i, 0); k++)
            sum += s->users[4095 - k];
        worst = fmax(worst, fabs(sum / JOBS - pair_value(top, i, 1)));
    }
    return worst;
}

static void compare(const char *like)
{
    struct sample s;
    generate(&s, like);
    expect(&s, "duration", duration_distance(&s), 0.02);
    expect(&s, "GPUs", gpus_distance(&s), 0.03);
    expect(&s, "final state", states_distance(&s), 0.01);
    if (s.published.n_kinds > 1)
        expect(&s, "job type", kinds_distance(&s), 0.01);
    expect(&s, "hour of day", hours_distance(&s), 0.04);
    /* Users of Philly submit in bursts of their own within the arrivals, so
     * this bound is higher. */
    expect(&s, "inter-arrival time", gaps_distance(&s),
           strcmp(like, "philly") == 0 ? 0.15 : 0.04);
    if (json_array_size(pairs(&s, "users", "published_top_share")))
        expect(&s, "jobs of the top users", users_distance(&s), 0.03);
    json_decref(s.file);
    arena_fini(&s.arena);
}

static void philly_is_as_published(void **state)
{
    (void)state;
    compare("philly");
}

static void venus_is_as_published(void **state)
{
    (void)state;
    compare("venus");
}

static void saturn_is_as_published(void **state)
{
    (void)state;
    compare("saturn");
}

static void seren_is_as_published(void **state)
{
    (void)state;
    compare("seren");
}

static void kalos_is_as_published(void **state)
{
    (void)state;
    compare("kalos");
}

/* The published log cuts durations at this value, seconds. */
#define CUT 172800

static gzFile open_rows(void)
{
    char path[4096];
    const char *shared = getenv("SCHEDSIM_SHARED");
    const char *root = getenv("SCHEDSIM_ROOT");
    snprintf(path, sizeof path, "%s%s/traces/helios/venus_gpu_jobs.csv.gz",
             shared ? ""
             : root ? root
                    : ".",
             shared ? shared : "/../shared");
    return gzopen(path, "rb");
}

static size_t read_rows(gzFile file, double *seconds, double *gpus)
{
    char line[512];
    size_t n = 0;
    assert_non_null(gzgets(file, line, sizeof line)); /* header */
    while (gzgets(file, line, sizeof line)) {
        struct text cell, rest = text_from(line);
        double value = 0;
        for (int column = 0; column < 6; column++) {
            cell = text_split(rest, ',', &rest);
            if (column == 4) {
                assert_true(text_to_double(cell, &value));
                gpus[(size_t)fmin(value, 255)]++;
            }
        }
        assert_true(text_to_double(cell, &value));
        seconds[(size_t)fmin(value, CUT)]++;
        n++;
    }
    return n;
}

static double distance(const double *got, double n_got, const double *want,
                       double n_want, size_t n)
{
    double worst = 0, a = 0, b = 0;
    for (size_t i = 0; i < n; i++) {
        a += got[i] / n_got;
        b += want[i] / n_want;
        worst = fmax(worst, fabs(a - b));
    }
    return worst;
}

/* Compares the distributions of all values of the published log, not only at
 * the points that the calibration has. */
static void venus_is_as_its_rows(void **state)
{
    (void)state;
    gzFile file = open_rows();
    if (!file) {
        puts("# skipped: ../shared not present");
        skip();
    }
    struct sample s;
    generate(&s, "venus");
    double *want = mem_zalloc(CUT + 1, sizeof *want), gpus[256] = {0};
    double *got = mem_zalloc(CUT + 1, sizeof *got), got_gpus[256] = {0};
    double n = (double)read_rows(file, want, gpus);
    gzclose(file);
    for (size_t i = 0; i < s.n; i++) {
        got[(size_t)fmin(s.duration[i], CUT - 1)]++;
        got_gpus[s.gpus[i] < 255 ? s.gpus[i] : 255]++;
    }
    /* durations above CUT seconds were cut to CUT, so the comparison ends below
     */
    expect(&s, "duration, rows", distance(got, JOBS, want, n, CUT - 1), 0.04);
    expect(&s, "GPUs, rows", distance(got_gpus, JOBS, gpus, n, 256), 0.03);
    free(want);
    free(got);
    json_decref(s.file);
    arena_fini(&s.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(philly_is_as_published),
        cmocka_unit_test(venus_is_as_published),
        cmocka_unit_test(saturn_is_as_published),
        cmocka_unit_test(seren_is_as_published),
        cmocka_unit_test(kalos_is_as_published),
        cmocka_unit_test(venus_is_as_its_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
