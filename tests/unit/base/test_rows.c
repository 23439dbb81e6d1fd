/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests the reader of lines and cells. Records with and without quotes must be
 * read as they were written, for each compression and each position of the
 * record in the window. */
#include "tests/support/temp_path.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "base/out.h"
#include "base/rng.h"
#include "base/rows.h"

static void put_file(const char *at, size_t len)
{
    FILE *file = fopen(temp_path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(at, 1, len, file), len);
    assert_int_equal(fclose(file), 0);
}

static struct rows *open_text(const char *text)
{
    struct rows *rows;
    struct error err;
    put_file(text, strlen(text));
    assert_int_equal(rows_open(temp_path, &rows, &err), STATUS_OK);
    return rows;
}

static void expect_cell(const struct rows *rows, int at, const char *expected)
{
    struct text cell = rows_cell(rows, at);
    assert_int_equal(cell.len, strlen(expected));
    if (cell.len)
        assert_memory_equal(cell.at, expected, cell.len);
}

static void expect_row(struct rows *rows, uint64_t line, const char *a,
                       const char *b)
{
    struct error err;
    assert_int_equal(rows_next(rows, &err), STATUS_OK);
    assert_int_equal(rows_line_number(rows), line);
    expect_cell(rows, 0, a);
    expect_cell(rows, 1, b);
}

static void expect_end(struct rows *rows)
{
    struct error err;
    assert_int_equal(rows_next(rows, &err), STATUS_END);
    assert_int_equal(rows_next(rows, &err), STATUS_END);
    rows_close(rows);
}

static void line_ends_marks_and_blank_lines_are_no_cells(void **state)
{
    (void)state;
    struct rows *rows = open_text("\xef\xbb\xbf"
                                  "a,b\r\n\r\n \t\nc,\n,d");
    expect_row(rows, 1, "a", "b");
    expect_row(rows, 4, "c", "");
    expect_row(rows, 5, "", "d");
    expect_end(rows);
}

/* More blank lines stand before the first row than the window holds, whose
 * bytes have therefore moved. */
static void rows_without_a_header_begin_with_the_first(void **state)
{
    enum { BLANK = 1 << 20 };
    char *text = malloc(BLANK + 9);
    struct rows *rows;
    struct error err;
    (void)state;
    assert_non_null(text);
    memset(text, '\n', BLANK);
    memcpy(text + BLANK, "a,b\nc,d\n", 8);
    put_file(text, BLANK + 8);
    free(text);
    assert_int_equal(rows_open(temp_path, &rows, &err), STATUS_OK);
    assert_int_equal(rows_header_numbers(rows, &err), STATUS_OK);
    expect_row(rows, BLANK + 1, "a", "b");
    expect_row(rows, BLANK + 2, "c", "d");
    expect_end(rows);
}

/* Writes n cells. Cell i has i % 5 letters, so that there are commas at each
 * position of a machine word. */
static size_t put_cells(char *at, int n)
{
    size_t len = 0;
    for (int i = 0; i < n; i++) {
        memset(at + len, 'a', (size_t)i % 5);
        len += (size_t)i % 5;
        at[len++] = i + 1 < n ? ',' : '\n';
    }
    return len;
}

static void a_row_has_the_cells_of_its_header(void **state)
{
    char text[3 * 5 * ROWS_CELLS_MAX];
    struct rows *rows;
    struct error err;
    (void)state;
    size_t len = put_cells(text, ROWS_CELLS_MAX + 1);
    len += put_cells(text + len, 2 * ROWS_CELLS_MAX);
    len += put_cells(text + len, ROWS_CELLS_MAX);
    put_file(text, len);
    assert_int_equal(rows_open(temp_path, &rows, &err), STATUS_OK);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(rows_next(rows, &err), STATUS_BAD_INPUT);
        assert_non_null(strstr(err.message, "more than 256 cells"));
    }
    assert_int_equal(rows_next(rows, &err), STATUS_OK);
    for (int i = 0; i < ROWS_CELLS_MAX; i++)
        expect_cell(rows, i, &"aaaa"[4 - i % 5]);
    expect_end(rows);
}

static void quoted_cells_hold_anything(void **state)
{
    (void)state;
    struct rows *rows = open_text("\"a,1\",\"b\"\"2\"\r\n\"c\n\nd\",e\n"
                                  "\"\",\"\"\nf,g\n");
    expect_row(rows, 1, "a,1", "b\"2");
    expect_row(rows, 2, "c\n\nd", "e");
    expect_row(rows, 5, "", "");
    expect_row(rows, 6, "f", "g");
    expect_end(rows);
}

static void an_error_names_line_column_and_field(void **state)
{
    (void)state;
    static const struct rows_column columns[] = {{"x|y", true}, {"z", false}};
    struct rows *rows = open_text("\xef\xbb\xbfw,y\nab,cd\n\"a,\"\"b\",cd\n");
    struct error err;
    char expected[128];
    int16_t at[2];
    assert_int_equal(rows_header(rows, columns, 2, at, &err), STATUS_OK);
    assert_int_equal(at[0], 1);
    assert_int_equal(at[1], -1);
    for (int line = 2; line <= 3; line++) {
        assert_int_equal(rows_next(rows, &err), STATUS_OK);
        assert_int_equal(rows_bad(rows, at[0], &err, "is %d", 5),
                         STATUS_BAD_INPUT);
        snprintf(expected, sizeof expected, "%s:%d:%d: y: is 5", temp_path,
                 line, line == 2 ? 4 : 9);
        assert_string_equal(err.message, expected);
    }
    expect_end(rows);
}

static void reading_goes_on_after_a_bad_row(void **state)
{
    (void)state;
    static const struct rows_column columns[] = {{"a", true}, {"b", true}};
    struct rows *rows = open_text("a,b\n1\n2,3\n\"4\n5,6\nx\"7,8\n9,10\n");
    struct error err;
    int16_t at[2];
    assert_int_equal(rows_header(rows, columns, 2, at, &err), STATUS_OK);
    assert_int_equal(rows_next(rows, &err), STATUS_BAD_INPUT);
    expect_row(rows, 3, "2", "3");
    assert_int_equal(rows_next(rows, &err), STATUS_BAD_INPUT);
    expect_row(rows, 5, "5", "6");
    assert_int_equal(rows_next(rows, &err), STATUS_BAD_INPUT);
    expect_row(rows, 7, "9", "10");
    expect_end(rows);
}

/* Reads a record that is longer than the window, which then grows, and a record
 * that is longer than the limit. */
static void long_lines_are_read_up_to_the_limit(void **state)
{
    (void)state;
    const size_t sizes[] = {300 * 1000, ROWS_LINE_MAX - 10, ROWS_LINE_MAX + 10,
                            3 * ROWS_LINE_MAX};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct error err;
        char *text = malloc(sizes[i] + 16);
        memset(text, 'x', sizes[i]);
        memcpy(text + sizes[i], ",y\na,b\n", 8);
        struct rows *rows = open_text(text);
        enum status st = rows_next(rows, &err);
        assert_int_equal(st, i < 2 ? STATUS_OK : STATUS_BAD_INPUT);
        if (st == STATUS_OK)
            assert_int_equal(rows_cell(rows, 0).len, sizes[i]);
        else
            assert_non_null(strstr(err.message, ":1:1: line: longer than"));
        expect_row(rows, 2, "a", "b");
        expect_end(rows);
        free(text);
    }
}

/* Makes a random cell. `plain`: true for a cell that needs no quotes. */
static void random_cell(gsl_rng *rng, char *cell, bool plain)
{
    static const char letters[] = "abc012 .,\"\n\r";
    size_t n = rng_below(rng, 20);
    for (size_t i = 0; i < n; i++)
        cell[i] = letters[rng_below(rng, plain ? 8 : 12)];
    cell[n] = '\0';
}

enum { RANDOM_ROWS = 30000, RANDOM_CELLS = 5 };
typedef char random_row[RANDOM_CELLS][20];

static struct out *random_file(random_row *cells)
{
    struct out *out = out_to_memory();
    gsl_rng *rng = rng_open(7, "test_rows");
    for (size_t i = 0; i < RANDOM_ROWS; i++) {
        /* long stretches of cells without quotes, then cells with and without
         * quotes */
        bool plain = i % 4000 < 2500 || rng_below(rng, 3) == 0;
        for (size_t j = 0; j < RANDOM_CELLS; j++) {
            random_cell(rng, cells[i][j], plain);
            if (j)
                out_char(out, ',');
            out_csv(out, text_from(cells[i][j]));
        }
        out_text(out, rng_below(rng, 2) ? "\n" : "\r\n");
    }
    rng_free(rng);
    return out;
}

static void expect_random(const random_row *cells)
{
    struct rows *rows;
    struct error err;
    assert_int_equal(rows_open(temp_path, &rows, &err), STATUS_OK);
    for (size_t i = 0; i < RANDOM_ROWS; i++) {
        if (rows_next(rows, &err) != STATUS_OK)
            fail_msg("row %zu: %s", i, err.message);
        for (int j = 0; j < RANDOM_CELLS; j++)
            expect_cell(rows, j, cells[i][j]);
    }
    assert_int_equal(rows_next(rows, &err), STATUS_END);
    char digest[DIGEST_HEX_MAX];
    assert_int_equal(digest_file(temp_path, digest, NULL), STATUS_OK);
    assert_string_equal(rows_digest(rows), digest);
    rows_close(rows);
}

static void put_gzip(struct text t)
{
    gzFile file = gzopen(temp_path, "wb");
    assert_int_equal(gzwrite(file, t.at, (unsigned)t.len), (int)t.len);
    assert_int_equal(gzclose(file), Z_OK);
}

static void put_zstd(struct text t)
{
    size_t room = ZSTD_compressBound(t.len);
    char *packed = malloc(room);
    size_t n = ZSTD_compress(packed, room, t.at, t.len, 3);
    assert_false(ZSTD_isError(n));
    put_file(packed, n);
    free(packed);
}

static void what_was_written_is_read_however_packed(void **state)
{
    (void)state;
    random_row *cells = calloc(RANDOM_ROWS, sizeof *cells);
    struct out *out = random_file(cells);
    struct text t = out_memory(out);
    assert_true(t.len > 5 * 256 * 1024);
    put_file(t.at, t.len);
    expect_random(cells);
    put_gzip(t);
    expect_random(cells);
    put_zstd(t);
    expect_random(cells);
    out_abandon(out);
    free(cells);
}

/* All members of a gzip file with several members must be read. A file that is
 * cut within a member must not be opened, or must give one error. */
static void a_gzip_file_is_all_its_members_or_an_error(void **state)
{
    (void)state;
    char packed[512];
    struct rows *rows;
    struct error err;
    put_gzip(text_from("a,b\n"));
    FILE *file = fopen(temp_path, "rb");
    size_t n = fread(packed, 1, sizeof packed / 2, file);
    fclose(file);
    memcpy(packed + n, packed, n);
    put_file(packed, 2 * n);
    assert_int_equal(rows_open(temp_path, &rows, &err), STATUS_OK);
    expect_row(rows, 1, "a", "b");
    expect_row(rows, 2, "a", "b");
    expect_end(rows);
    for (size_t len = 3; len < 2 * n; len++) {
        if (len == n)
            continue;
        put_file(packed, len);
        if (rows_open(temp_path, &rows, &err) != STATUS_OK)
            continue;
        unsigned n_errors = 0;
        enum status st;
        while ((st = rows_next(rows, &err)) != STATUS_END)
            n_errors += st == STATUS_BAD_INPUT;
        assert_int_equal(n_errors, 1);
        rows_close(rows);
    }
}

static void the_digest_is_of_the_bytes_as_stored(void **state)
{
    (void)state;
    struct rows *rows = open_text("abc");
    struct error err;
    assert_int_equal(rows_next(rows, &err), STATUS_OK);
    assert_int_equal(rows_next(rows, &err), STATUS_END);
    /* The digest of FIPS 180-2, appendix B.1. */
    assert_string_equal(rows_digest(rows), "ba7816bf8f01cfea414140de5dae2223"
                                           "b00361a396177a9cb410ff61f20015ad");
    rows_close(rows);
}

static void a_header_names_what_it_names(void **state)
{
    (void)state;
    static const char *const some[] = {"a", "b|c", NULL};
    assert_true(rows_head_names(text_from("c,a\nx"), some));
    assert_true(rows_head_names(text_from("\"a\", b ,d\r\n"), some));
    assert_false(rows_head_names(text_from("a,d\nb,c"), some));
    assert_false(rows_head_names(text_from(""), some));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(line_ends_marks_and_blank_lines_are_no_cells),
        cmocka_unit_test(rows_without_a_header_begin_with_the_first),
        cmocka_unit_test(a_row_has_the_cells_of_its_header),
        cmocka_unit_test(quoted_cells_hold_anything),
        cmocka_unit_test(an_error_names_line_column_and_field),
        cmocka_unit_test(reading_goes_on_after_a_bad_row),
        cmocka_unit_test(long_lines_are_read_up_to_the_limit),
        cmocka_unit_test(what_was_written_is_read_however_packed),
        cmocka_unit_test(a_gzip_file_is_all_its_members_or_an_error),
        cmocka_unit_test(the_digest_is_of_the_bytes_as_stored),
        cmocka_unit_test(a_header_names_what_it_names),
    };
    return cmocka_run_group_tests(tests, temp_path_make, temp_path_remove);
}
