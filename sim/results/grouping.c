/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/results/grouping.h"

const char *grouping_name(const struct summary *summary, enum grouping by,
                          unsigned number)
{
    const struct cluster *cluster = &summary->run->cluster;
    switch (by) {
    case GROUP_VC:
        return cluster->vcs[number];
    case GROUP_GPUS:
        return gpu_class_name(number);
    case GROUP_TYPE:
        return number < cluster->n_types ? cluster->types[number].name
                                         : "(never ran)";
    case GROUP_USER:
        return summary->users.names[number];
    case GROUP_OUTCOME:
    case GROUPINGS:
        break;
    }
    return outcome_name((enum outcome)number);
}
