/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests the order of remarks, and which of them stand below a table. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/remarks.h"
#include "commands/summary_table.h"
#include "commands/terminal.h"
#include "tests/support/test.h"

/* Adds remarks of mixed ranks, whose texts are their rank and number, and
 * expects what sorting by rank with a stable sort gives. */
static void ranks_come_first_then_the_order_of_making(void **state)
{
    (void)state;
    struct arena arena;
    arena_init(&arena);
    for (unsigned round = 0; round < 200; round++) {
        struct remarks remarks = {.arena = &arena};
        char want[400] = "", got[400] = "";
        unsigned ranks[20];
        for (unsigned i = 0; i < 20; i++) {
            ranks[i] = (i * i * round + 7 * i + round / 3) % REMARK_RANKS;
            remarks_add(&remarks, ranks[i], "%u-%u", ranks[i], i);
            remarks_add(&remarks, REMARK_DETAIL, "%u-%u", ranks[i], i);
        }
        for (unsigned rank = 0; rank < REMARK_RANKS; rank++) {
            for (unsigned i = 0; i < 20; i++) {
                size_t len = strlen(want);
                if (ranks[i] == rank)
                    snprintf(want + len, sizeof want - len, "%u-%u ", rank, i);
            }
        }
        for (size_t i = 0; i < remarks.count; i++) {
            size_t len = strlen(got);
            snprintf(got + len, sizeof got - len, "%s ", remarks.at[i].text);
            assert_int_equal(remarks.at[i].rank, remarks.at[i].text[0] - '0');
        }
        assert_string_equal(got, want);
        remarks_fini(&remarks);
    }
    arena_fini(&arena);
}

static void a_share_above_one_half_is_grave(void **state)
{
    (void)state;
    assert_int_equal(remark_rank_of(2, 4), REMARK_NUMBERS);
    assert_int_equal(remark_rank_of(3, 5), REMARK_CONCLUSION);
    assert_int_equal(remark_rank_of(2, 5), REMARK_NUMBERS);
    for (unsigned rank = 0; rank < REMARK_RANKS; rank++)
        assert_int_equal(remark_rank_read(remark_rank_words[rank]), rank);
    assert_int_equal(remark_rank_read(NULL), REMARK_DETAIL);
    assert_int_equal(remark_rank_read("none"), REMARK_DETAIL);
}

static void expect_print(const struct row_remarks *rows, bool is_full,
                         const char *want)
{
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    assert_non_null(to);
    row_remarks_print(rows, 5, is_full, to);
    fclose(to);
    assert_string_equal(text, want);
    free(text);
}

/* Of five rows, `a` and `b` say the same, once; what four rows say counts them;
 * three remarks stand there unasked. */
static void three_stand_below_a_table(void **state)
{
    (void)state;
    struct row_remarks rows;
    row_remarks_init(&rows);
    row_remarks_add(&rows, "a", REMARK_DETAIL, "asked for");
    row_remarks_add(&rows, "a", REMARK_NUMBERS, "assumed");
    row_remarks_add(&rows, "b", REMARK_NUMBERS, "assumed");
    for (const char *row = "abcd"; *row; row++)
        row_remarks_add(&rows, "x", REMARK_NUMBERS, "dropped");
    expect_print(&rows, false,
                 "note (a, b): assumed\nnote (4 of 5 runs): dropped\n"
                 "note (a): asked for\n");
    row_remarks_say(&rows, REMARK_CONCLUSION, "%d jobs rejected", 7);
    expect_print(&rows, false,
                 "note: 7 jobs rejected\nnote (a, b): assumed\n"
                 "note (4 of 5 runs): dropped\n1 more remark: --remarks\n");
    expect_print(&rows, true,
                 "note: 7 jobs rejected\nnote (a, b): assumed\n"
                 "note (4 of 5 runs): dropped\nnote (a): asked for\n");
    row_remarks_fini(&rows);
}

static void expect_prose(const char *text, const char *want)
{
    char *got = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&got, &size);
    assert_non_null(to);
    say_prose(to, "%s", text);
    fclose(to);
    assert_string_equal(got, want);
    free(got);
}

static void prose_has_lines_of_80_characters(void **state)
{
    (void)state;
    char words[81], long_word[101], want[300], text[300];
    memset(words, 'x', 80);
    words[80] = '\0';
    words[40] = ' ';
    memset(long_word, 'y', 100);
    long_word[100] = '\0';
    expect_prose("", "\n");
    snprintf(want, sizeof want, "%s\n", words);
    expect_prose(words, want);
    snprintf(text, sizeof text, "%s z", words);
    snprintf(want, sizeof want, "%s\n  z\n", words);
    expect_prose(text, want);
    snprintf(text, sizeof text, "a %s b", long_word);
    snprintf(want, sizeof want, "a\n  %s\n  b\n", long_word);
    expect_prose(text, want);
    snprintf(text, sizeof text, "%s with --what-if '+1 node; +2 nodes' done",
             words);
    snprintf(want, sizeof want,
             "%s\n  with --what-if '+1 node; +2 nodes' done\n", words);
    expect_prose(text, want);
    /* A command between quotation marks stays whole; a lone mark is a letter.
     */
    snprintf(text, sizeof text, "run (`a %s b`), 'tis", words);
    snprintf(want, sizeof want, "run\n  (`a %s b`),\n  'tis\n", words);
    expect_prose(text, want);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranks_come_first_then_the_order_of_making),
        cmocka_unit_test(a_share_above_one_half_is_grave),
        cmocka_unit_test(three_stand_below_a_table),
        cmocka_unit_test(prose_has_lines_of_80_characters),
    };
    return cmocka_run_group_tests_name("remarks", tests, NULL, NULL);
}
