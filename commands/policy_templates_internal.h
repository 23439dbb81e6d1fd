/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The files that `policy new` writes, from contrib/policies: a template for
 * each language and the helpers of programs. Their names have the endings. */
#ifndef COMMANDS_POLICY_TEMPLATES_INTERNAL_H
#define COMMANDS_POLICY_TEMPLATES_INTERNAL_H

#include <stddef.h>

struct policy_template {
    const char *name, *text;
    size_t len;
};
extern const struct policy_template policy_templates[]; /* ends with {0} */

#endif
