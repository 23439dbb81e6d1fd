/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests lists of items of a JSON text: items that are not changed must keep
 * their bytes. */
#include "commands/study/gate_internal.h"

#include <string.h>

#include "tests/support/test.h"

/* Compares the text of a list with `expected`, and frees the list. */
static void is(struct json_items *items, const char *expected)
{
    struct out *out = out_to_memory();
    json_items_join(items, out);
    json_items_free(items);
    out_char(out, '\0');
    assert_string_equal(out_memory(out).at, expected);
    out_abandon(out);
}

static struct json_items split(const char *text)
{
    struct json_items items;
    assert_true(json_items_split(text_from(text), &items));
    return items;
}

static void a_list_is_written_as_it_was(void **state)
{
    static const char *const rows[] = {
        "[]",
        "[ ]",
        "{}",
        "[1]",
        "[ 1 , 2 ]",
        "[\n  1,\n\t2\n]",
        "{\"a\" : [1, 2], \"b\":{\"c\": \"]},\\\"\"}}",
        "[\"\\\\\", \"a\\\"b,c\", [], {}, null, -1.5e3]",
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct json_items items = split(rows[i]);
        is(&items, rows[i]);
    }
    struct json_items none;
    assert_false(json_items_split(text_from("12"), &none));
    assert_false(json_items_split(text_from(""), &none));
}

static void items_are_found_and_replaced(void **state)
{
    const char *text = "{\"a\": 1,\n \"ab\" : [2, 3] , \"\": 4}";
    struct json_items items = split(text);
    (void)state;
    assert_int_equal(items.n, 3);
    assert_int_equal(json_items_find(&items, "ab"), 1);
    assert_int_equal(json_items_find(&items, ""), 2);
    assert_int_equal(json_items_find(&items, "b"), 3);
    assert_true(text_is(json_item_value(&items.at[1]), "[2, 3]"));
    json_items_put(&items, "ab", text_from("\"ab\": 5"), 0, " ");
    json_items_put(&items, "c", text_from("\"c\": 6"), 1, " ");
    is(&items, "{\"a\": 1, \"c\": 6,\n \"ab\": 5 , \"\": 4}");
}

static void new_items_are_parted_like_their_neighbours(void **state)
{
    struct text x = text_from("x");
    (void)state;
    struct json_items items = split("[]");
    json_items_insert(&items, 0, x, "\n    ");
    json_items_insert(&items, 1, x, "\n    ");
    is(&items, "[\n    x,\n    x\n  ]");
    items = split("[1]");
    json_items_insert(&items, 1, x, " ");
    json_items_insert(&items, 0, x, " ");
    is(&items, "[x, 1, x]");
    items = split("[\n\t1,\n\t2\n]");
    json_items_insert(&items, 0, x, " ");
    json_items_insert(&items, 3, x, " ");
    is(&items, "[\n\tx,\n\t1,\n\t2,\n\tx\n]");
}

static void items_are_removed_with_their_blanks(void **state)
{
    (void)state;
    struct json_items items = split("[1, 2, 3]");
    json_items_remove(&items, 0);
    is(&items, "[2, 3]");
    items = split("[1, 2, 3]");
    json_items_remove(&items, 2);
    json_items_remove(&items, 1);
    is(&items, "[1]");
    items = split("[\n 1\n]");
    json_items_remove(&items, 0);
    is(&items, "[\n]");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_list_is_written_as_it_was),
        cmocka_unit_test(items_are_found_and_replaced),
        cmocka_unit_test(new_items_are_parted_like_their_neighbours),
        cmocka_unit_test(items_are_removed_with_their_blanks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
