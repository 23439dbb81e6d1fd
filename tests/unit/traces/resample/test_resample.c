/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests the block bootstrap of rows: which cells stay equal, which times move,
 * and hostile rows. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/test.h"

#include "traces/resample/resample.h"

#define WEEK (7 * SPAN_DAY)

/* Monday, 2 October 2017, 00:00 UTC. */
#define BEGIN (INT64_C(1506902400) * SPAN_SECOND)

static struct resample_options plain(void)
{
    return (struct resample_options){.seed = 1,
                                     .block = WEEK,
                                     .jitter = 30 * SPAN_SECOND,
                                     .link = SPAN_HOUR,
                                     .noise = 0.02,
                                     .from = TRACE_NO_TIME,
                                     .to = TRACE_NO_TIME};
}

static struct trace_row row_at(sim_time submitted, sim_span duration,
                               const char *vc, const char *user)
{
    static uint64_t line;
    struct trace_row row;
    trace_row_clear(&row);
    row.submitted = submitted;
    row.duration = duration;
    row.gpus = 1;
    row.vc = text_from(vc);
    row.user = text_from(user);
    row.line = ++line;
    return row;
}

struct made {
    struct resample *of;
    struct trace_row *rows;
    size_t n, cap;
};

static struct made make(const struct resample_options *options,
                        const struct trace_row *rows, size_t n)
{
    static struct error err;
    struct made made = {.of = resample_new(options)};
    struct trace_row row;
    for (size_t i = 0; i < n; i++)
        resample_add(made.of, &rows[i]);
    if (resample_draw(made.of, &err) != STATUS_OK)
        fail_msg("%s", err.message);
    while (resample_next(made.of, &row)) {
        made.rows = mem_grow(made.rows, &made.cap, made.n + 1, sizeof row);
        made.rows[made.n++] = row;
    }
    assert_int_equal(made.n, resample_counts(made.of)->n_out);
    return made;
}

static void made_fini(struct made *made)
{
    resample_free(made->of);
    free(made->rows);
}

/* Fills n rows over four weeks in three virtual clusters, one without a name;
 * every third row has no user. */
static void many(struct trace_row *rows, char ids[][24], size_t n)
{
    static const char *const vcs[] = {"small", "", "large"};
    static const char *const users[] = {"ann", "", "bob"};
    for (size_t i = 0; i < n; i++) {
        sim_time at = BEGIN + (sim_time)i * 4 * WEEK / (sim_time)n;
        sim_span length = (sim_span)(60 + i * 37 % 5000) * SPAN_SECOND;
        rows[i] = row_at(at / SPAN_SECOND * SPAN_SECOND, length, vcs[i % 7 % 3],
                         users[i % 3]);
        rows[i].gpus = 1u << i % 4;
        rows[i].end = i % 4;
        rows[i].declared = i % 2 ? length : length + 10 * SPAN_SECOND;
        rows[i].deadline = length * 2;
        rows[i].priority = text_from(i % 2 ? "Spot" : "");
        rows[i].mem_mib = (double)i;
        snprintf(ids[i], sizeof *ids, "j%zu", i);
        rows[i].source_id = text_from(ids[i]);
    }
}

enum { N_MANY = 400 };
static struct trace_row source[N_MANY];
static char source_ids[N_MANY][24];

/* Returns the row of the source from which a row was made. */
static const struct trace_row *origin_of(const struct trace_row *row)
{
    for (size_t i = 0; i < N_MANY; i++) {
        if (source[i].line == row->line)
            return &source[i];
    }
    fail_msg("no row has line %u", (unsigned)row->line);
    return NULL;
}

static void each_row_comes_once_with_its_values(void **state)
{
    (void)state;
    struct resample_options options = plain();
    many(source, source_ids, N_MANY);
    struct made made = make(&options, source, N_MANY);
    bool seen[N_MANY] = {false};
    assert_int_equal(made.n, N_MANY);
    for (size_t i = 0; i < made.n; i++) {
        const struct trace_row *is = &made.rows[i], *was = origin_of(is);
        assert_false(seen[was - source]);
        seen[was - source] = true;
        assert_true(text_equal(is->source_id, was->source_id));
        assert_true(text_equal(is->vc, was->vc));
        assert_int_equal(is->gpus, was->gpus);
        assert_int_equal(is->end, was->end);
        assert_int_equal(is->declared, was->declared);
        assert_int_equal(is->deadline, was->deadline);
        assert_true(text_equal(is->priority, was->priority));
        assert_true(is->mem_mib == was->mem_mib);
        assert_int_equal(is->user.len > 0, was->user.len > 0);
        double log_factor = log((double)is->duration / (double)was->duration);
        assert_true(fabs(log_factor) < 0.12);
        assert_true(is->duration <= is->declared);
        assert_int_equal(is->duration % SPAN_SECOND, 0);
        if (was->declared == was->duration) /* ended by its limit */
            assert_int_equal(is->duration, was->duration);
        /* the row keeps its place in the week, except for jitter and changed
         * run times */
        sim_span moved = is->submitted - was->submitted;
        sim_span off = ((moved % WEEK) + WEEK) % WEEK;
        off = off > WEEK / 2 ? WEEK - off : off;
        assert_true(off <= 1200 * SPAN_SECOND);
        assert_true(i == 0 || is->submitted >= made.rows[i - 1].submitted);
    }
    made_fini(&made);
}

static void run_times_are_kept_exactly_without_noise(void **state)
{
    (void)state;
    struct resample_options options = plain();
    options.noise = 0;
    many(source, source_ids, N_MANY);
    struct made made = make(&options, source, N_MANY);
    for (size_t i = 0; i < made.n; i++)
        assert_int_equal(made.rows[i].duration,
                         origin_of(&made.rows[i])->duration);
    made_fini(&made);
}

static bool equal(const struct made *a, const struct made *b)
{
    for (size_t i = 0; i < a->n; i++) {
        if (i >= b->n || a->rows[i].submitted != b->rows[i].submitted ||
            a->rows[i].duration != b->rows[i].duration ||
            !text_equal(a->rows[i].user, b->rows[i].user))
            return false;
    }
    return a->n == b->n;
}

static void a_seed_gives_the_same_rows_again(void **state)
{
    (void)state;
    struct resample_options options = plain();
    many(source, source_ids, N_MANY);
    struct made a = make(&options, source, N_MANY);
    struct made b = make(&options, source, N_MANY);
    options.seed = 2;
    struct made c = make(&options, source, N_MANY);
    assert_true(equal(&a, &b));
    assert_false(equal(&a, &c));
    made_fini(&a);
    made_fini(&b);
    made_fini(&c);
}

/* The order of weeks in a virtual cluster must not change if rows of another
 * virtual cluster are added. */
static void draws_about_one_virtual_cluster_do_not_touch_another(void **state)
{
    (void)state;
    struct resample_options options = plain();
    struct trace_row few[N_MANY];
    size_t n = 0;
    many(source, source_ids, N_MANY);
    for (size_t i = 0; i < N_MANY; i++) {
        if (text_is(source[i].vc, "small"))
            few[n++] = source[i];
    }
    struct made all = make(&options, source, N_MANY),
                part = make(&options, few, n);
    size_t k = 0;
    for (size_t i = 0; i < all.n; i++) {
        if (!text_is(all.rows[i].vc, "small"))
            continue;
        assert_int_equal(all.rows[i].line, part.rows[k].line);
        assert_int_equal(all.rows[i].submitted, part.rows[k].submitted);
        k++;
    }
    assert_int_equal(k, part.n);
    made_fini(&all);
    made_fini(&part);
}

static void drawn_rows_have_ids_of_their_own(void **state)
{
    (void)state;
    struct resample_options options = plain();
    struct interner ids;
    bool again = false;
    options.order = RESAMPLE_DRAW;
    many(source, source_ids, N_MANY);
    struct made made = make(&options, source, N_MANY);
    interner_init(&ids);
    for (size_t i = 0; i < made.n; i++) {
        size_t n = ids.n_strings;
        interner_add(&ids, made.rows[i].source_id);
        assert_int_equal(ids.n_strings, n + 1);
        again |= memchr(made.rows[i].source_id.at, '-',
                        made.rows[i].source_id.len) != NULL;
    }
    assert_true(again);
    interner_fini(&ids);
    made_fini(&made);
}

/* With one week, no block can move. A job that was submitted 10 s after the end
 * of another job of its user must follow that end, and the jobs of a sweep must
 * keep their distances. */
static void chains_and_sweeps_of_one_week_stay(void **state)
{
    (void)state;
    struct resample_options options = plain();
    const sim_span s = SPAN_SECOND;
    sim_time at = BEGIN + 6 * SPAN_DAY;
    struct trace_row rows[] = {
        row_at(BEGIN, 36000 * s, "a", "ann"),
        row_at(BEGIN + 36010 * s, 36000 * s, "a", "ann"),
        row_at(BEGIN + 72020 * s, 100 * s, "a", "ann"),
        row_at(at, 9000 * s, "a", "bob"),
        row_at(at, 9000 * s, "a", "bob"),
        row_at(at + 7 * s, 9000 * s, "a", "bob"),
    };
    struct made made = make(&options, rows, 6);
    const struct trace_row *is = made.rows;
    assert_int_equal(made.n, 6);
    assert_int_equal(resample_counts(made.of)->n_whole, 1);
    for (size_t i = 0; i < 2; i++) {
        assert_int_not_equal(is[i].duration, 36000 * s);
        assert_int_equal(is[i + 1].submitted,
                         is[i].submitted + is[i].duration + 10 * s);
    }
    assert_int_equal(is[3].submitted, is[4].submitted);
    assert_int_equal(is[5].submitted, is[3].submitted + 7 * s);
    assert_true(llabs(is[3].submitted - at) <= 30 * s);
    assert_false(text_equal(is[0].user, is[3].user));
    assert_true(text_equal(is[0].user, is[1].user));
    made_fini(&made);
}

/* With the clock of the cluster as time zone, a job keeps its hour when clocks
 * change. */
static void a_job_keeps_its_local_hour(void **state)
{
    (void)state;
    struct resample_options options = plain();
    const struct clock pacific = {.pacific = true};
    options.zone = pacific;
    options.jitter = 0;
    /* eight weeks around 5 November, with one job a week at 09:00 local time */
    struct trace_row rows[8];
    for (int64_t i = 0; i < 8; i++) {
        sim_time local = BEGIN + i * WEEK + 9 * SPAN_HOUR;
        rows[i] = row_at(clock_from_local(&pacific, local), SPAN_HOUR, "a", "");
    }
    rows[7].submitted += 6 * SPAN_DAY; /* makes the last week whole */
    struct made made = make(&options, rows, 8);
    bool moved = false;
    for (size_t i = 0; i < made.n; i++) {
        sim_time local = clock_to_local(&pacific, made.rows[i].submitted);
        assert_int_equal(local % SPAN_DAY, 9 * SPAN_HOUR);
        moved |= i && made.rows[i].line < made.rows[i - 1].line;
    }
    assert_true(moved);
    made_fini(&made);
}

static void the_rest_of_a_week_stays_last_or_goes(void **state)
{
    (void)state;
    struct resample_options options = plain();
    struct trace_row rows[5];
    for (int64_t i = 0; i < 5; i++)
        rows[i] = row_at(BEGIN + i * WEEK, SPAN_HOUR, "a", "");
    struct made made = make(&options, rows, 5);
    assert_int_equal(made.n, 5);
    assert_int_equal(made.rows[4].line, rows[4].line);
    assert_int_equal(resample_counts(made.of)->n_partial, 1);
    made_fini(&made);
    options.drop_partial = true;
    made = make(&options, rows, 5);
    assert_int_equal(made.n, 4);
    assert_int_equal(resample_counts(made.of)->dropped[RESAMPLE_PARTIAL], 1);
    made_fini(&made);
}

static void hostile_rows_are_counted_or_refused(void **state)
{
    (void)state;
    struct error err;
    struct resample_options options = plain();
    sim_span most = span_from_seconds(SECONDS_MAX);
    struct trace_row rows[] = {
        row_at(TRACE_NO_TIME, SPAN_HOUR, "a", "x"),
        row_at(BEGIN, TRACE_NO_TIME, "", ""),
        row_at(BEGIN, -SPAN_HOUR, "a", "x"),
        row_at(BEGIN, 0, "a", "x"),
        row_at(BEGIN, 1, "a", "x"),
        row_at(BEGIN, most, "a", "x"),
        row_at(BEGIN, SPAN_HOUR, "a", "x"),
    };
    rows[5].source_id = rows[6].source_id = text_from("twice");
    options.noise = 1;
    struct made made = make(&options, rows, 7);
    assert_int_equal(made.n, 5);
    assert_int_equal(resample_counts(made.of)->dropped[RESAMPLE_NO_TIME], 1);
    assert_int_equal(resample_counts(made.of)->dropped[RESAMPLE_REPEATED], 1);
    for (size_t i = 0; i < made.n; i++) {
        assert_true(made.rows[i].duration <= most);
        assert_true(made.rows[i].submitted >= BEGIN);
    }
    made_fini(&made);
    made = make(&options, rows, 0);
    made_fini(&made);
    /* dates 200 years apart, blocks of a quarter of an hour */
    struct trace_row far[] = {row_at(-most, 1, "", ""),
                              row_at(most, 1, "a", "")};
    options.block = SPAN_HOUR / 4;
    struct resample *r = resample_new(&options);
    resample_add(r, &far[0]);
    resample_add(r, &far[1]);
    assert_int_equal(resample_draw(r, &err), STATUS_BAD_INPUT);
    resample_free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_row_comes_once_with_its_values),
        cmocka_unit_test(run_times_are_kept_exactly_without_noise),
        cmocka_unit_test(a_seed_gives_the_same_rows_again),
        cmocka_unit_test(draws_about_one_virtual_cluster_do_not_touch_another),
        cmocka_unit_test(drawn_rows_have_ids_of_their_own),
        cmocka_unit_test(chains_and_sweeps_of_one_week_stay),
        cmocka_unit_test(a_job_keeps_its_local_hour),
        cmocka_unit_test(the_rest_of_a_week_stays_last_or_goes),
        cmocka_unit_test(hostile_rows_are_counted_or_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
