/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests which rows become jobs, in which order, and which time counts as 0. */
#include "tests/support/temp_path.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/out.h"
#include "base/rng.h"
#include "base/state/truth.h"
#include "traces/load.h"
#include "traces/trace.h"

static const struct load_options everything = {.from = TRACE_NO_TIME,
                                               .to = TRACE_NO_TIME};

static void put_text(const char *text)
{
    FILE *file = fopen(temp_path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static struct jobset load(const char *text, const struct load_options *options)
{
    struct jobset jobset;
    struct error err;
    put_text(text);
    if (jobset_load(temp_path, NULL, options, &jobset, &err) != STATUS_OK)
        fail_msg("%s", err.message);
    return jobset;
}

static void expect_ids(const struct jobset *jobset, const char *expected)
{
    char all[256] = "", buf[SOURCE_ID_MAX];
    size_t n = 0;
    for (uint32_t i = 0; i < jobset->n_jobs; i++) {
        assert_int_equal(jobset->jobs[i].id, i);
        n += (size_t)snprintf(all + n, sizeof all - n, "%s%s", i ? " " : "",
                              jobset_source_id(jobset, &jobset->jobs[i], buf));
    }
    assert_string_equal(all, expected);
}

static const char some[] = "submitted_unix_s,duration_s,gpus,job_id,vc,end\n"
                           "1000,5,1,c,x,completed\n"
                           "900,6,2,7,y,failed\n"
                           "1000,7,1,007,x,\n"
                           "950.5,8,4,a,x,cancelled\n";

static void jobs_are_sorted_by_submission_then_row(void **state)
{
    (void)state;
    struct jobset w = load(some, &everything);
    expect_ids(&w, "7 a c 007");
    assert_int_equal(w.zero, 900 * SPAN_SECOND);
    assert_int_equal(w.jobs[0].submitted, 0);
    assert_int_equal(w.jobs[1].submitted, 50500000);
    assert_int_equal(w.jobs[2].submitted, 100 * SPAN_SECOND);
    assert_int_equal(w.truths[1].work, 8 * SPAN_SECOND);
    assert_int_equal(w.truths[0].end, TRACE_END_FAILED);
    assert_int_equal(w.truths[3].end, TRACE_END_UNKNOWN);
    assert_string_equal(interner_string(&w.vcs, w.names[0].vc), "y");
    jobset_fini(&w);
}

static void the_limit_keeps_the_first_submitted(void **state)
{
    (void)state;
    struct load_options options = everything;
    options.limit = 2;
    struct jobset w = load(some, &options);
    expect_ids(&w, "7 a");
    assert_int_equal(w.dropped[LOAD_LIMIT], 2);
    jobset_fini(&w);
}

static void the_window_includes_both_ends_and_moves_zero(void **state)
{
    (void)state;
    struct load_options options = everything;
    options.from = 950500000;
    options.to = 1000 * SPAN_SECOND;
    struct jobset w = load(some, &options);
    expect_ids(&w, "a c 007");
    assert_int_equal(w.zero, options.from);
    assert_int_equal(w.dropped[LOAD_OUTSIDE_WINDOW], 1);
    jobset_fini(&w);
    options.to--;
    w = load(some, &options);
    expect_ids(&w, "a");
    jobset_fini(&w);
}

static void one_virtual_cluster_can_be_kept(void **state)
{
    (void)state;
    struct load_options options = everything;
    options.vc = "y";
    struct jobset w = load(some, &options);
    expect_ids(&w, "7");
    assert_int_equal(w.dropped[LOAD_OTHER_VC], 3);
    jobset_fini(&w);
}

static void each_dropped_row_has_one_reason(void **state)
{
    (void)state;
    struct jobset w = load("submitted_unix_s,duration_s,gpus,job_id\n"
                           "1,5,0,a\n2,,1,b\n3,-1,1,c\n4,0,1,d\n5,9,1,d\n"
                           "6,1,1,\n7,1,1,\n8,1,1,a\n",
                           &everything);
    /* jobs without an identifier are identified by their numbers */
    expect_ids(&w, "d 1 2 a");
    assert_int_equal(w.n_rows, 8);
    assert_int_equal(w.dropped[LOAD_NO_GPU], 1);
    assert_int_equal(w.dropped[LOAD_NO_DURATION], 1);
    assert_int_equal(w.dropped[LOAD_NEGATIVE], 1);
    assert_int_equal(w.dropped[LOAD_DUPLICATE], 1);
    assert_int_equal(w.truths[0].work, 0);
    jobset_fini(&w);
}

static void a_header_alone_is_no_error(void **state)
{
    (void)state;
    struct jobset w = load("submitted_unix_s,duration_s,gpus\n", &everything);
    assert_int_equal(w.n_jobs, 0);
    assert_int_equal(w.n_rows, 0);
    assert_int_equal(w.zero, 0);
    jobset_fini(&w);
}

static void an_error_leaves_nothing_behind(void **state)
{
    (void)state;
    struct jobset w;
    struct error err;
    put_text("submitted_unix_s,duration_s,gpus,user\n1,1,1,u\n1,1,x,v\n");
    assert_int_equal(jobset_load(temp_path, NULL, &everything, &w, &err),
                     STATUS_BAD_INPUT);
    assert_non_null(strstr(err.message, ":3:5: gpus: 'x'"));
    assert_int_equal(jobset_load(temp_path, "helios", &everything, &w, &err),
                     STATUS_BAD_INPUT);
    assert_int_equal(jobset_load(temp_path, "heliox", &everything, &w, &err),
                     STATUS_USAGE);
    assert_string_equal(err.message,
                        "no trace format 'heliox'; did you mean 'helios'?");
}

static const char *const id_texts[] = {
    "0",  "1",  "2147483646", "2147483647", "4294967295", "99999999999",
    "00", "-1", "+1",         "1.0",        "x1",         "job 7",
};

static void every_identifier_reads_back(void **state)
{
    (void)state;
    enum { N = sizeof id_texts / sizeof *id_texts };
    char text[1024] = "submitted_unix_s,duration_s,gpus,job_id\n";
    size_t n = strlen(text);
    for (size_t twice = 0; twice < 2; twice++) {
        for (size_t i = 0; i < N; i++)
            n += (size_t)snprintf(text + n, sizeof text - n, "0,1,1,%s\n",
                                  id_texts[i]);
    }
    struct jobset w = load(text, &everything);
    assert_int_equal(w.n_jobs, N);
    assert_int_equal(w.dropped[LOAD_DUPLICATE], N);
    for (uint32_t i = 0; i < N; i++) {
        char buf[SOURCE_ID_MAX];
        assert_string_equal(jobset_source_id(&w, &w.jobs[i], buf), id_texts[i]);
    }
    jobset_fini(&w);
}

/* The number of jobs for which memory is reserved is estimated from the length
 * of the first rows. */
static void rows_that_become_shorter_or_longer_are_all_kept(void **state)
{
    enum { N = 3000, CHANGE = 500, LONG = 700 };
    char name[LONG];
    (void)state;
    memset(name, 'u', sizeof name);
    for (int shorter = 0; shorter < 2; shorter++) {
        struct out *text = out_to_memory();
        out_text(text, "submitted_unix_s,duration_s,gpus,user\n");
        for (int i = 0; i < N; i++)
            out_printf(text, "%d,%d,1,%.*s\n", i, i,
                       (i < CHANGE) == shorter ? LONG : 1, name);
        out_char(text, '\0');
        struct jobset w = load(out_memory(text).at, &everything);
        assert_int_equal(w.n_jobs, N);
        for (uint32_t i = 0; i < N; i++) {
            assert_int_equal(w.jobs[i].submitted, i * SPAN_SECOND);
            assert_int_equal(w.truths[i].work, i * SPAN_SECOND);
        }
        jobset_fini(&w);
        out_abandon(text);
    }
}

/* Compares the search for duplicates with a plain table, for identifiers in
 * random order with random repeats. */
static void duplicates_are_found_in_any_order(void **state)
{
    (void)state;
    enum { ROWS = 20000, IDS = 15000 };
    bool *seen = calloc(IDS, sizeof *seen);
    gsl_rng *rng = rng_open(3, "test_load");
    FILE *file = fopen(temp_path, "w");
    uint64_t repeats = 0;
    fputs("submitted_unix_s,duration_s,gpus,job_id\n", file);
    for (uint32_t i = 0; i < ROWS; i++) {
        /* Identifiers ascend at first, so that the set of identifiers is built
         * late. */
        uint32_t id = i < 5000 ? i * 2 : rng_below(rng, IDS);
        fprintf(file, id % 3 ? "%u,1,1,%u\n" : "%u,1,1,j%u\n",
                rng_below(rng, 1000), id);
        repeats += seen[id];
        seen[id] = true;
    }
    assert_int_equal(fclose(file), 0);
    struct jobset w;
    struct error err;
    assert_int_equal(jobset_load(temp_path, NULL, &everything, &w, &err),
                     STATUS_OK);
    assert_true(repeats > 1000);
    assert_int_equal(w.dropped[LOAD_DUPLICATE], repeats);
    assert_int_equal(w.n_jobs, ROWS - repeats);
    for (uint32_t i = 1; i < w.n_jobs; i++)
        assert_true(w.jobs[i - 1].submitted <= w.jobs[i].submitted);
    jobset_fini(&w);
    rng_free(rng);
    free(seen);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(jobs_are_sorted_by_submission_then_row),
        cmocka_unit_test(the_limit_keeps_the_first_submitted),
        cmocka_unit_test(the_window_includes_both_ends_and_moves_zero),
        cmocka_unit_test(one_virtual_cluster_can_be_kept),
        cmocka_unit_test(each_dropped_row_has_one_reason),
        cmocka_unit_test(a_header_alone_is_no_error),
        cmocka_unit_test(an_error_leaves_nothing_behind),
        cmocka_unit_test(every_identifier_reads_back),
        cmocka_unit_test(rows_that_become_shorter_or_longer_are_all_kept),
        cmocka_unit_test(duplicates_are_found_in_any_order),
    };
    return cmocka_run_group_tests(tests, temp_path_make, temp_path_remove);
}
