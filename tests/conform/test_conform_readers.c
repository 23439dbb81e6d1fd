/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checks that each reader of the registry rejects each bad file of
 * tests/corpus, including the files for other formats, as bad input with line
 * and column. A short list names the exceptions that a reader may accept. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "traces/load.h"
#include "traces/registry.h"
#include "traces/trace.h"

/* Returns true if the message has the form "PATH:LINE:COLUMN: words", with line
 * and column from 1. */
static bool has_place(const char *message, const char *path)
{
    size_t len = strlen(path);
    unsigned line = 0, column = 0;
    int end = 0;
    return strncmp(message, path, len) == 0 &&
           sscanf(message + len, ":%u:%u: %n", &line, &column, &end) == 2 &&
           line > 0 && column > 0 && end > 0 && message[len + (size_t)end];
}

/* Files that are bad for other readers, but that the reader of `format` may
 * accept. */
static const struct {
    const char *format, *file, *why;
} readable[] = {
    {.format = "tiresias",
     .file = "/muri/fraction.csv",
     .why = "has its columns, and they are good"},
    {.format = "swf",
     .file = "/any/blank",
     .why = "a log without jobs: lines may be blank"},
    {.format = "swf",
     .file = "/swf/deadline.swf",
     .why = "its deadlines are bad, which a setting reads"},
};

static bool may_read(const struct trace_ops *format, const char *path)
{
    for (size_t i = 0; i < sizeof readable / sizeof *readable; i++) {
        if (strcmp(format->name, readable[i].format) == 0 &&
            strcmp(path + strlen(path) - strlen(readable[i].file),
                   readable[i].file) == 0)
            return true;
    }
    return false;
}

/* Returns true if the reader rejects the file with a line and column, or
 * accepts a file that it may accept. */
static bool rejects(const struct trace_ops *format, const char *path)
{
    static struct error err;
    const struct load_options all = {.from = TRACE_NO_TIME,
                                     .to = TRACE_NO_TIME};
    struct jobset jobset;
    const char *spec = strcmp(format->name, "csv") == 0
                           ? "csv:submit=submitted,gpus=gpus,duration=lasted"
                           : format->name; /* csv needs a map */
    enum status st = jobset_load(path, spec, &all, &jobset, &err);
    if (st == STATUS_OK) {
        jobset_fini(&jobset);
        if (!may_read(format, path))
            printf("# %s: was read\n", path);
        return may_read(format, path);
    }
    if (st == STATUS_BAD_INPUT && has_place(err.message, path))
        return true;
    printf("# status %d: %s\n", (int)st, err.message);
    return false;
}

/* Tries a reader on all files of a folder of bad files. */
static void visit(const struct trace_ops *format, const char *folder,
                  unsigned *n, unsigned *failed)
{
    char path[4096];
    struct dirent *entry;
    DIR *dir = opendir(folder);
    while (dir && (entry = readdir(dir))) {
        if (entry->d_name[0] == '.' || strstr(entry->d_name, ".expect") ||
            strstr(entry->d_name, ".format"))
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        *failed += !rejects(format, path);
        ++*n;
    }
    if (dir)
        closedir(dir);
}

int main(void)
{
    const char *root = getenv("SCHEDSIM_ROOT");
    char folder[2048];
    int number = 0, bad = 0;
    for (size_t i = 0; trace_formats[i]; i++) {
        unsigned n = 0, failed = 0;
        for (size_t k = 0; trace_formats[k]; k++) {
            snprintf(folder, sizeof folder, "%s/tests/corpus/%s",
                     root ? root : ".", trace_formats[k]->name);
            visit(trace_formats[i], folder, &n, &failed);
        }
        snprintf(folder, sizeof folder, "%s/tests/corpus/any",
                 root ? root : ".");
        visit(trace_formats[i], folder, &n, &failed);
        bool good = failed == 0 && n > 50;
        printf("%sok %d - %s rejects bad files\n", good ? "" : "not ", ++number,
               trace_formats[i]->name);
        if (!good)
            printf("# %u of %u are not\n", failed, n);
        bad += !good;
    }
    printf("1..%d\n", number);
    return bad > 0;
}
