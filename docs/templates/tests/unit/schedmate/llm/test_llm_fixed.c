/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The layer `fixed` says why it does not answer. */
#include "schedmate/llm/llm.h"
#include "tests/support/test.h"

static void fixed_says_why_it_does_not_answer(void **state)
{
    const struct llm_ops *ops;
    struct llm_reply reply = {0};
    struct arena arena;
    struct error err;
    (void)state;
    assert_int_equal(llm_find(text_from("fixed"), &ops, &err), STATUS_OK);
    arena_init(&arena);
    assert_int_equal(ops->ask(NULL, NULL, NULL, &arena, &reply, &err),
                     STATUS_OK);
    assert_string_equal(reply.why, "this layer has no model");
    arena_fini(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fixed_says_why_it_does_not_answer),
    };
    return cmocka_run_group_tests_name("llm_fixed", tests, NULL, NULL);
}
