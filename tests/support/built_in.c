/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/support/built_in.h"

#include "base/check.h"

const struct log_knowledge *built_in_knowledge(void)
{
    static struct log_knowledge *knowledge;
    static struct error err;
    if (!knowledge) {
        knowledge = log_knowledge_new();
        CHECK(log_knowledge_ready(knowledge, &err) == STATUS_OK);
    }
    return knowledge;
}
