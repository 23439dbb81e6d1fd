/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs a fuzz target on files and on prefixes of files, without libFuzzer, so
 * that the corpus is also an ordinary test. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/slurp.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Runs the target on at most the first 16 KiB of a file, and on 40 prefixes of
 * them. */
static void run_file(const char *path)
{
    size_t len;
    char *text = slurp(path, &len);
    if (!text)
        return;
    size_t whole = len > 16384 ? 16384 : len;
    for (size_t i = 0; i <= 40; i++)
        LLVMFuzzerTestOneInput((const uint8_t *)text, whole * i / 40);
    free(text);
}

int main(int argc, char **argv)
{
    printf("1..%d\n", argc - 1);
    for (int i = 1; i < argc; i++) {
        struct dirent **names;
        int n = scandir(argv[i], &names, NULL, alphasort), files = 0;
        for (int k = 0; k < n; k++) {
            char path[1024];
            snprintf(path, sizeof path, "%s/%s", argv[i], names[k]->d_name);
            if (names[k]->d_name[0] != '.') {
                run_file(path);
                files++;
            }
            free(names[k]);
        }
        if (n >= 0)
            free(names);
        printf("%sok %d - %d files of %s\n", files ? "" : "not ", i, files,
               argv[i]);
    }
    return 0;
}
