/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The first rows are the classes of InfiniteHBD's trace (SIGCOMM'25) that do
 * not hit the whole node or that operators cause; the rows from NVLink on are
 * short names for traces written by hand. */
#include "models/failures/fault_class.h"

static const struct fault_class classes[] = {
    {.name = "GPU", .scope = FAULT_GPU},
    {.name = "NIC", .scope = FAULT_NIC},
    {.name = "Parameter Plane Cable", .scope = FAULT_NIC},
    {.name = "Stress Test Failure", .scope = FAULT_NODE, .by_operator = true},
    {.name = "Change", .scope = FAULT_NODE, .by_operator = true},
    {.name = "Test", .scope = FAULT_NODE, .by_operator = true},
    {.name = "NVLink", .scope = FAULT_NVLINK},
    {.name = "Cable", .scope = FAULT_NIC},
    {.name = "Link", .scope = FAULT_NIC},
    {.name = "Network", .scope = FAULT_NIC},
    {.name = "Node", .scope = FAULT_NODE},
    {0},
};

const struct fault_class *fault_class_of(struct text name)
{
    static const struct fault_class other = {.scope = FAULT_NODE};
    for (const struct fault_class *c = classes; c->name; c++) {
        if (text_is_nocase(name, c->name))
            return c;
    }
    return &other;
}

bool fault_scope_find(struct text word, enum fault_scope *out)
{
    for (unsigned s = 0; s < FAULT_N_SCOPES; s++) {
        if (text_is(word, fault_scope_name((enum fault_scope)s))) {
            *out = (enum fault_scope)s;
            return true;
        }
    }
    return false;
}
