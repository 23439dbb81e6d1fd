/* SPDX-License-Identifier: GPL-3.0-or-later */
/* libFuzzer target: reads any bytes as the answers of a program that decides:
 * its introduction, then a plan in each line. A plan either is broken, with the
 * name of a rule, or leaves the cluster as it found it once it is undone. */
#include <string.h>

#include "base/check.h"
#include "policies/outside/program_internal.h"
#include "tests/support/plan_fixture.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void try_plan(struct text line, unsigned needs)
{
    void *made;
    CHECK(plan_fixture_open(&made) == 0);
    struct plan_fixture *f = made;
    static struct plan_snapshot before, after;
    plan_fixture_run(f, 0, 0, 0x3);
    plan_fixture_run(f, 1, 3, 0xff);
    plan_snap(f, &before);
    answer_plan(line, 1, needs, &f->plan);
    CHECK(f->plan.broken.status == STATUS_OK || f->plan.broken.message[0]);
    plan_undo_to(&f->plan, 0);
    plan_snap(f, &after);
    CHECK(memcmp(&before, &after, sizeof before) == 0);
    plan_fixture_close(&made);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct error err;
    struct introduction said;
    struct text rest, all = {(const char *)data, size};
    struct text line = text_split(all, '\n', &rest);
    unsigned needs = POLICY_PREEMPTS | POLICY_SHARES;
    if (answer_hello(line, &said, &err) == STATUS_OK)
        needs = said.needs;
    if (answer_begin(line, &err) != STATUS_OK)
        CHECK(err.message[0]);
    for (int i = 0; i < 8 && rest.len > 0; i++)
        try_plan(text_split(rest, '\n', &rest), needs);
    return 0;
}
