/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parses the name of a policy as a user gives it, also of one that is not
 * compiled in: "NAME[:key=value,...]", "exec:COMMAND[,key=value...]" or
 * "PATH.so[:key=value,...]", each with "+LAYER" before the first colon for each
 * layer. */
#ifndef OUTSIDE_SPEC_H
#define OUTSIDE_SPEC_H

#include "policies/policy.h"

/* Parses the name of a policy. A command may contain blanks, colons, commas and
 * "=": it ends before the first ",KEY=" from which on only settings of `exec`
 * follow. The command becomes the setting `command`. The texts of *out are
 * views into `text`. Returns the errors of spec_parse. */
enum status outside_spec(struct text text, struct spec *out,
                         struct error *err) MUST_USE;
/* True if the name of a policy is the path of a shared object: it contains a
 * slash. */
bool outside_is_path(struct text name);

#endif
