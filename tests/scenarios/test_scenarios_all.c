/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs each scenario of this directory, one TAP line per scenario. If file
 * names are given as arguments, runs only those. */
#include <dirent.h>
#include <stdio.h>
#include <string.h>

#include "tests/scenarios/scenario.h"
#include "tests/support/slurp.h"

static bool check_file(const char *path, int number)
{
    static struct error err;
    static struct scenario scenario;
    struct lab *lab = lab_new();
    size_t len;
    char *text = slurp(path, &len);
    const char *slash = strrchr(path, '/');
    enum status st = STATUS_BAD_INPUT;
    if (!text || !lab)
        error_set(&err, st, "cannot be read");
    else
        st = scenario_parse((struct text){text, len}, path, lab, &scenario,
                            &err);
    if (st == STATUS_OK)
        st = scenario_check(&scenario, &err);
    printf("%s %d - %s\n", st == STATUS_OK ? "ok" : "not ok", number,
           slash ? slash + 1 : path);
    if (st != STATUS_OK)
        printf("# %s\n", err.message);
    if (text && lab)
        scenario_fini(&scenario);
    free(text);
    lab_free(lab);
    return st == STATUS_OK;
}

static int is_scenario(const struct dirent *entry)
{
    size_t n = strlen(entry->d_name);
    return n > 4 && strcmp(entry->d_name + n - 4, ".txt") == 0;
}

static int check_directory(const char *dir)
{
    struct dirent **names;
    int n = scandir(dir, &names, is_scenario, alphasort), failed = 0;
    if (n <= 0) {
        printf("Bail out! no scenarios in %s\n", dir);
        return 1;
    }
    printf("1..%d\n", n);
    for (int i = 0; i < n; i++) {
        char path[1024];
        snprintf(path, sizeof path, "%s/%s", dir, names[i]->d_name);
        failed += !check_file(path, i + 1);
        free(names[i]);
    }
    free(names);
    return failed > 0;
}

int main(int argc, char **argv)
{
    const char *root = getenv("SCHEDSIM_ROOT");
    char dir[512];
    int failed = 0;
    for (int i = 1; i < argc; i++)
        failed += !check_file(argv[i], i);
    if (argc > 1)
        return failed > 0;
    snprintf(dir, sizeof dir, "%s/tests/scenarios", root ? root : ".");
    return check_directory(dir);
}
