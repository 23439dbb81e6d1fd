/* SPDX-License-Identifier: GPL-3.0-or-later */
/* All laws of time that a run can choose by name. */
#include "sim/engine/time_law.h"

const struct plugin *const time_laws[] = {
    &time_law_exact.plugin,
    &time_law_countdown.plugin,
    &time_law_grid.plugin,
    NULL,
};

static const struct plugin *time_law_at(size_t i)
{
    return time_laws[i];
}

const struct plugin_kind time_laws_kind = {
    .owner = "time-law", .words = "law of time", .at = time_law_at};
