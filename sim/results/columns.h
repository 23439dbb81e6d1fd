/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The description of a column or metric, kept next to the code that writes it.
 * The reference page is printed from these. */
#ifndef SIM_COLUMNS_H
#define SIM_COLUMNS_H

struct column {
    const char *name; /* NULL in the last row */
    const char *unit; /* "" for words and pure numbers */
    const char *help;
};

#endif
