/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Gathers everything that the rules of the Scheduling Advisor look at: the
 * launch command down to the script it starts, that script, the project's own
 * modules that it imports, and the configuration files that the command and
 * these sources name. */
#ifndef SIM_GATHER_H
#define SIM_GATHER_H

#include "base/text.h"
#include "schedmate/advisor/advisor_calls.h"
#include "schedmate/advisor/launch.h"
#include "schedmate/advisor/python/py_machine.h"
#include "schedmate/advisor/schedmate_advisor.h"

enum { GATHER_SOURCES_MAX = 40 };

struct gather_source {
    const char *path;
    struct text code; /* the text without comments and triple-quoted strings */
};

struct gather {
    const struct advisor_input *input;
    const struct clues *clues;
    /* receives the names of the files that are read */
    struct advisor_result *result;
    struct settings settings;
    struct launch launch;
    bool has_launch;
    /* Where the launch command was found: "command", a line such as
     * "run.sh:12", or the path of a Python script that starts it. */
    const char *launch_where;
    /* resources that a batch script requests from Slurm or PBS, or NULL */
    const char *hardware;
    /* source files; the first is the script */
    struct gather_source sources[GATHER_SOURCES_MAX];
    size_t n_sources;
    /* the evaluation of the script, or NULL */
    const struct py_machine *machine;
    struct advisor_calls calls;
};

void gather_init(struct gather *gather, const struct advisor_input *input,
                 struct advisor_result *result);

void gather_fini(struct gather *gather);

/* Reads the code of a Jupyter notebook. */

/* Returns the text of the code cells, one after the other, in the arena. Lines
 * that are magics or shell commands become empty lines. Returns an empty text
 * if the notebook cannot be parsed. */
struct text notebook_code(struct text source, struct arena *arena);

#endif
