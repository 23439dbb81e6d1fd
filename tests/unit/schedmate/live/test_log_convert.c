/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests how logs in UTF-16 become UTF-8: no part of them is dropped silently.
 */
#include "tests/support/temp_path.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>

#include "schedmate/live/log_file.h"

/* Converts the n bytes of UTF-16 and compares the result with `want`. */
static void check(const void *bytes, size_t n, const char *want)
{
    struct log_file *log;
    struct error err;
    struct text got;
    FILE *file = fopen(temp_path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, n, file), n);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(log_file_open(temp_path, &log, &err), STATUS_OK);
    assert_int_equal(log_file_piece(log, 0, 100, &got, &err), STATUS_OK);
    assert_string_equal(got.at, want);
    free((char *)(uintptr_t)got.at);
    log_file_close(log);
}

#define CHECK_TEXT(bytes, want) check(bytes, sizeof bytes - 1, want)

static void characters_are_converted(void **state)
{
    (void)state;
    CHECK_TEXT("\xff\xfe"
               "a\0\xe9\0\xac\x20\x3d\xd8\x00\xde\n\0",
               "a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\n");
    CHECK_TEXT("\xfe\xff"
               "\0a\xd8\x3d\xde\x00\0b",
               "a\xf0\x9f\x98\x80"
               "b");
}

static void halves_of_characters_become_question_marks(void **state)
{
    (void)state;
    /* a high surrogate before a character that has one byte in UTF-8, and one
     * before a character that has three */
    CHECK_TEXT("\xff\xfe\x3d\xd8"
               "a\0\x3d\xd8\xac\x20",
               "?a?\xe2\x82\xac");
    /* two high surrogates, then a low one; a low one alone */
    CHECK_TEXT("\xff\xfe\x3d\xd8\x3d\xd8\x00\xde\x00\xde",
               "?\xf0\x9f\x98\x80?");
    /* the log ends after a high surrogate, or within a unit of two bytes */
    CHECK_TEXT("\xff\xfe"
               "a\0\x3d\xd8",
               "a?");
    CHECK_TEXT("\xff\xfe"
               "a\0\x3d",
               "a?");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(characters_are_converted),
        cmocka_unit_test(halves_of_characters_become_question_marks),
    };
    return cmocka_run_group_tests_name("log_convert", tests, temp_path_make,
                                       temp_path_remove);
}
