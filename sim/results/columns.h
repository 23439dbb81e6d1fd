/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The description of a column or metric, kept next to the code that computes
 * it. The reference page is printed from these descriptions. */
#ifndef SIM_COLUMNS_H
#define SIM_COLUMNS_H

struct column {
    const char *name; /* NULL ends the table */
    const char *unit; /* "" for words and for numbers without a unit */
    const char *help;
};

#endif
