/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Settings that act outside the simulation: they run a program, load code,
 * write a file, or send to a server. The rows of the options say which do
 * (struct option, struct arg). What the user types is trusted. A file that
 * somebody else may have written (a result, a configuration, a grid, a gate) is
 * not, unless the user says so. */
#ifndef SIM_TRUST_H
#define SIM_TRUST_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

struct trust {
    const char *file; /* file that the settings come from; NULL: the user typed
                       * them */
    bool given;       /* true if the user trusts the file */
    size_t n;         /* settings found that act outside the simulation */
    char found[1024]; /* the first of them, in words */
};

#define TRUST_HELP \
    "trust the file: it may run programs, load code, write files and send to " \
    "servers; without it, a file that does so is refused"

/* Notes what the value of an option of `run` does outside the simulation.
 * `option`: its long name, with - or _. Does nothing if the settings are
 * trusted. Errs on the side of caution: a value that run_prepare would refuse
 * may be noted. */
void trust_see(struct trust *trust, const char *option, const char *value);

/* Returns STATUS_OK if nothing was found, or if the user trusts the file. If a
 * person sits at the terminal, asks, and sets trust->given after a yes. Returns
 * STATUS_BAD_INPUT otherwise; the message names the file and the settings. */
enum status trust_ask(struct trust *trust, struct error *err) MUST_USE;

#endif
