/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parses the output of Slurm's commands. */
#ifndef SIM_WATCH_SLURM_TEXT_H
#define SIM_WATCH_SLURM_TEXT_H

#include <jansson.h>

#include "base/text.h"

/* The format of squeue that slurm_queue_line reads. */
#define SLURM_QUEUE_FORMAT "%A|%i|%T|%U|%u|%N|%r"

struct slurm_row {
    /* `id`: job number. `shown`: the job number as users see it, such as 12_3
     * for an element of an array. */
    struct text id, shown;
    struct text state, user, nodes, reason;
    uint32_t uid;
};
bool slurm_queue_line(struct text line, struct slurm_row *out) MUST_USE;

/* Returns the value of a key in a line of `scontrol -o show job`; the last
 * occurrence of the key counts, and the value ends before the next key. Empty
 * if there is none or the value is "(null)". */
struct text slurm_value(struct text line, const char *key);
/* Converts a date in Slurm's format, in UTC, to seconds since 1970. Returns -1
 * if the text is not a date. */
double slurm_time(struct text date);
/* Returns the names of a list of nodes, such as "n[1-3,07],m1", as a new list
 * of texts, at most 4,096. */
json_t *slurm_nodes(struct text nodes);
/* Returns the GPUs that a line of `scontrol -o -d show job` names as a new list
 * of "NODE:INDEX"; empty if it names none. */
json_t *slurm_gpus(struct text line);

#endif
