/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests that output files appear complete or not at all, their digests, and how
 * numbers and cells are written. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/out.h"
#include "base/rng.h"
#include "tests/support/test.h"

static char dir[] = "/tmp/schedsim-test-XXXXXX";

static int make_dir(void **state)
{
    (void)state;
    return mkdtemp(dir) == NULL;
}

static int remove_dir(void **state)
{
    (void)state;
    return rmdir(dir); /* fails if a test left a file behind */
}

static const char *path_in(const char *name)
{
    static char path[256];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    return path;
}

static bool exists(const char *name)
{
    return access(path_in(name), F_OK) == 0;
}

static void a_file_has_its_name_only_when_it_is_whole(void **state)
{
    (void)state;
    struct out *out;
    assert_int_equal(out_open(path_in("a.csv"), &out, NULL), STATUS_OK);
    out_text(out, "one\n");
    assert_false(exists("a.csv"));
    assert_int_equal(out_close(out, NULL), STATUS_OK);
    assert_true(exists("a.csv"));
    assert_false(exists("a.csv.partial"));
    unlink(path_in("a.csv"));
}

static void an_abandoned_file_leaves_nothing(void **state)
{
    (void)state;
    struct out *out;
    assert_int_equal(out_open(path_in("b.csv"), &out, NULL), STATUS_OK);
    out_text(out, "half");
    out_abandon(out);
    out_abandon(NULL);
    assert_false(exists("b.csv"));
    assert_false(exists("b.csv.partial"));
}

static void a_part_has_its_name_at_once_and_replaces_nothing(void **state)
{
    (void)state;
    struct out *out, *second;
    struct error err;
    assert_int_equal(out_open_part(path_in("d.csv"), &out, NULL), STATUS_OK);
    assert_true(exists("d.csv"));
    assert_int_equal(out_open_part(path_in("d.csv"), &second, &err),
                     STATUS_FAILED);
    assert_non_null(strstr(err.message, "d.csv"));
    assert_int_equal(out_close(out, NULL), STATUS_OK);
    assert_true(exists("d.csv"));
    unlink(path_in("d.csv"));
}

static void a_full_disk_is_reported_at_close(void **state)
{
    (void)state;
    struct out *out;
    struct error err;
    if (access("/dev/full", W_OK) != 0)
        skip();
    assert_int_equal(out_open("/dev/full", &out, &err), STATUS_OK);
    for (int i = 0; i < 100000; i++)
        out_text(out, "0123456789");
    assert_int_equal(out_close(out, &err), STATUS_FAILED);
    assert_non_null(strstr(err.message, "/dev/full"));
}

static void a_directory_that_is_not_there_is_an_error(void **state)
{
    (void)state;
    struct out *out;
    struct error err;
    assert_int_equal(out_open(path_in("no/where.csv"), &out, &err),
                     STATUS_FAILED);
    assert_non_null(strstr(err.message, "no/where.csv"));
}

static void large_output_arrives_byte_for_byte(void **state)
{
    (void)state;
    struct out *out;
    assert_int_equal(out_open(path_in("c"), &out, NULL), STATUS_OK);
    for (uint32_t i = 0; i < 200000; i++) {
        out_u64(out, i);
        out_char(out, '\n');
    }
    assert_int_equal(out_close(out, NULL), STATUS_OK);
    FILE *f = fopen(path_in("c"), "r");
    assert_non_null(f);
    uint32_t n = 0, value;
    while (fscanf(f, "%u", &value) == 1)
        assert_int_equal(value, n++);
    assert_int_equal(n, 200000);
    fclose(f);
    unlink(path_in("c"));
}

static void a_digest_is_that_of_the_file(void **state)
{
    struct out *out;
    char digest[DIGEST_HEX_MAX], again[DIGEST_HEX_MAX];
    struct digest *whole = digest_new();
    (void)state;
    assert_int_equal(out_open(path_in("e"), &out, NULL), STATUS_OK);
    out_digest(out, whole);
    for (unsigned i = 0; i < 9000; i++) {
        out_u64(out, (uint64_t)i * i * i * i);
        out_text(out, &"0123456789abcdef"[i % 16]);
    }
    assert_int_equal(out_close(out, NULL), STATUS_OK);
    digest_end(whole, digest);
    assert_int_equal(digest_file(path_in("e"), again, NULL), STATUS_OK);
    assert_string_equal(digest, again);
    unlink(path_in("e"));
}

static void a_pipe_in_a_directory_is_not_read(void **state)
{
    (void)state;
    char hex[DIGEST_HEX_MAX];
    assert_int_equal(mkfifo(path_in("pipe"), 0600), 0);
    assert_int_equal(digest_path(dir, hex, NULL), STATUS_FAILED);
    unlink(path_in("pipe"));
    assert_int_equal(digest_path(dir, hex, NULL), STATUS_OK);
}

static void a_double_written_reads_back_the_same(void **state)
{
    (void)state;
    gsl_rng *rng = rng_open(5, "test out");
    for (int i = 0; i < 5000; i++) {
        double value = ldexp(gsl_rng_uniform(rng) - 0.5,
                             (int)rng_below(rng, 200) - 100) *
                       (i % 3 + 1) / 3,
               back;
        struct out *out = out_to_memory();
        out_double(out, value);
        assert_true(text_to_double(out_memory(out), &back));
        assert_true(back == value);
        assert_int_equal(out_close(out, NULL), STATUS_OK);
    }
    rng_free(rng);
}

static void cells_are_quoted_only_when_they_must_be(void **state)
{
    (void)state;
    struct out *out = out_to_memory();
    out_csv(out, text_from("plain cell"));
    out_char(out, ',');
    out_csv(out, text_from("a,b"));
    out_char(out, ',');
    out_csv(out, text_from("say \"x\""));
    out_char(out, ',');
    out_csv(out, text_from("two\nlines"));
    out_char(out, ',');
    out_i64(out, INT64_MIN);
    out_char(out, ',');
    out_span(out, -1500000);
    assert_true(text_is(out_memory(out),
                        "plain cell,\"a,b\",\"say \"\"x\"\"\",\"two\nlines\","
                        "-9223372036854775808,-1.5"));
    assert_int_equal(out_close(out, NULL), STATUS_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_has_its_name_only_when_it_is_whole),
        cmocka_unit_test(an_abandoned_file_leaves_nothing),
        cmocka_unit_test(a_part_has_its_name_at_once_and_replaces_nothing),
        cmocka_unit_test(a_full_disk_is_reported_at_close),
        cmocka_unit_test(a_directory_that_is_not_there_is_an_error),
        cmocka_unit_test(large_output_arrives_byte_for_byte),
        cmocka_unit_test(a_digest_is_that_of_the_file),
        cmocka_unit_test(a_pipe_in_a_directory_is_not_read),
        cmocka_unit_test(a_double_written_reads_back_the_same),
        cmocka_unit_test(cells_are_quoted_only_when_they_must_be),
    };
    return cmocka_run_group_tests_name("out", tests, make_dir, remove_dir);
}
