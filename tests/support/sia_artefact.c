/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/support/sia_artefact.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

const char *const sia_types[SIA_TYPES] = {"aws", "dgx-ext", "rtx"};
const uint32_t sia_node_gpus[SIA_TYPES] = {4, 8, 8};

const char *sia_artefact_file(const struct sia_artefact *sia, const char *name)
{
    static char path[4096];
    snprintf(path, sizeof path, "%s/golden/sia/%s", sia->folder, name);
    return path;
}

uint8_t sia_type_of(struct text name)
{
    for (uint8_t i = 0; i < SIA_TYPES; i++) {
        if (text_is(name, sia_types[i]))
            return i;
    }
    return UINT8_MAX;
}

/* Opens the measured tables of the applications. Returns false if the files are
 * absent. If they cannot be read, prints why, returns true and leaves `apps`
 * NULL. */
static bool open_tables(struct sia_artefact *sia)
{
    const char *shared = getenv("SCHEDSIM_SHARED");
    const char *root = getenv("SCHEDSIM_ROOT");
    char tables[4096];
    if (shared && *shared)
        snprintf(sia->folder, sizeof sia->folder, "%s", shared);
    else
        snprintf(sia->folder, sizeof sia->folder, "%s/../shared",
                 root ? root : ".");
    snprintf(tables, sizeof tables, "%s/traces/sia/profiles", sia->folder);
    if (access(tables, R_OK) != 0)
        return false;
    if (applications_open(tables, sia_types, SIA_TYPES, &sia->apps,
                          &sia->err) != STATUS_OK)
        printf("# %s\n", sia->err.message);
    return true;
}

int sia_artefact_run(const struct sia_check *checks, size_t n)
{
    static struct sia_artefact sia;
    int failed = 0;
    bool present = open_tables(&sia);
    if (!present)
        puts("# skipped: ../shared not present");
    for (size_t i = 0; i < n; i++) {
        const char *bad = sia.apps ? checks[i].run(&sia, checks[i].file) : NULL;
        bool good = !present || (sia.apps && !bad);
        failed += !good;
        if (bad)
            printf("# %s\n", bad);
        printf("%sok %zu - %s%s\n", good ? "" : "not ", i + 1, checks[i].name,
               present ? "" : " # SKIP ../shared not present");
    }
    printf("1..%zu\n", n);
    applications_close(sia.apps);
    return failed > 0;
}
