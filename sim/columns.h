/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is said about a column or metric beside the code that writes it. The
 * reference page is printed from these. */
#ifndef SIM_COLUMNS_H
#define SIM_COLUMNS_H

struct column {
    const char *name; /* NULL: the last row */
    const char *unit; /* "" for words and pure numbers */
    const char *help;
};

#endif
