/* SPDX-License-Identifier: GPL-3.0-or-later */
/* First in, first out as a shared object:
 *
 *     cc $(pkg-config --cflags schedsim) -fPIC -shared -o fifo.so fifo.c
 *     schedsim run TRACE --policy ./fifo.so
 */
#include <schedsim_policy.h>

static void decide(void *self, const struct view *view, struct plan *plan)
{
    struct vc_list touched = view_touched(view);
    (void)self;
    for (uint32_t i = 0; i < touched.count; i++) {
        const struct job *job = view_first_pending(view, touched.at[i]);
        while (job && plan_start(plan, job))
            job = view_next_pending(view, job);
    }
}

static const struct policy_ops fifo = {
    .name = "my-fifo",
    .summary = "first in, first out; the first job that does not fit blocks",
    .decide = decide,
};

SCHEDSIM_POLICY(fifo);
