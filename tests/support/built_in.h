/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The built-in knowledge of failures, for tests. */
#ifndef TESTS_BUILT_IN_H
#define TESTS_BUILT_IN_H

#include "schedmate/logs/log_knowledge.h"

/* Reads the knowledge at the first call; it lives as long as the program. */
const struct log_knowledge *built_in_knowledge(void);

#endif
