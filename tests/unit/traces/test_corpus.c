/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Each file of tests/corpus/FORMAT is bad. FILE.expect gives the beginning of
 * the error message after the path. FILE.format, if there is one, is the format
 * and its settings. In the folder "any", the program must recognise the format
 * itself. */
#include "tests/support/test.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "traces/load.h"
#include "traces/registry.h"
#include "traces/trace.h"

static void path_join(char *out, size_t room, const char *a, const char *b)
{
    assert_true((size_t)snprintf(out, room, "%s/%s", a, b) < room);
}

static const char *root(void)
{
    const char *at = getenv("SCHEDSIM_ROOT");
    return at ? at : ".";
}

static void read_expected(const char *path, char *out, size_t room)
{
    char name[4096];
    assert_true((size_t)snprintf(name, sizeof name, "%s.expect", path) <
                sizeof name);
    FILE *file = fopen(name, "r");
    assert_non_null(file);
    assert_non_null(fgets(out, (int)room, file));
    out[strcspn(out, "\n")] = '\0';
    fclose(file);
}

/* Returns the format that the file PATH.format names, in `out`; `format` if
 * there is no such file. */
static const char *read_format(const char *path, const char *format, char *out,
                               size_t room)
{
    char name[4096];
    assert_true((size_t)snprintf(name, sizeof name, "%s.format", path) <
                sizeof name);
    FILE *file = fopen(name, "r");
    if (!file)
        return format;
    assert_non_null(fgets(out, (int)room, file));
    out[strcspn(out, "\n")] = '\0';
    fclose(file);
    return out;
}

static void replay(const char *path, const char *format)
{
    const struct load_options options = {.from = TRACE_NO_TIME,
                                         .to = TRACE_NO_TIME};
    struct jobset jobset;
    struct error err;
    char expected[512];
    read_expected(path, expected, sizeof expected);
    enum status st = jobset_load(path, format, &options, &jobset, &err);
    if (st == STATUS_OK)
        fail_msg("%s: was read", path);
    assert_int_equal(st, STATUS_BAD_INPUT);
    assert_memory_equal(err.message, path, strlen(path));
    if (strncmp(err.message + strlen(path), expected, strlen(expected)) != 0)
        fail_msg("'%s' does not begin with '%s'", err.message + strlen(path),
                 expected);
}

/* Reads on after an error. The reader may return further rows and errors, but
 * must come to an end. */
static void go_on(const char *path, const char *format)
{
    struct trace_reader *reader;
    struct trace_row row;
    struct error err;
    if (trace_open(path, format, &reader, &err) != STATUS_OK)
        return;
    unsigned n = 0;
    while (trace_next(reader, &row, &err) != STATUS_END)
        assert_true(n++ < 10000);
    trace_close(reader);
}

static size_t replay_folder(const char *folder, const char *format)
{
    struct dirent *entry;
    size_t n = 0;
    char path[4096], room[512];
    DIR *dir = opendir(folder);
    if (!dir)
        return 0;
    while ((entry = readdir(dir))) {
        if (entry->d_name[0] == '.' || strstr(entry->d_name, ".expect") ||
            strstr(entry->d_name, ".format"))
            continue;
        path_join(path, sizeof path, folder, entry->d_name);
        const char *spec = read_format(path, format, room, sizeof room);
        replay(path, spec);
        go_on(path, spec);
        n++;
    }
    closedir(dir);
    return n;
}

static void every_bad_file_is_one_clear_line(void **state)
{
    (void)state;
    char corpus[4096], folder[4096];
    path_join(corpus, sizeof corpus, root(), "tests/corpus");
    for (size_t i = 0; trace_formats[i]; i++) {
        path_join(folder, sizeof folder, corpus, trace_formats[i]->name);
        assert_true(replay_folder(folder, trace_formats[i]->name) > 0);
    }
    path_join(folder, sizeof folder, corpus, "any");
    assert_true(replay_folder(folder, NULL) > 5);
}

static void a_directory_is_no_trace(void **state)
{
    (void)state;
    struct trace_reader *reader;
    struct error err;
    assert_int_equal(trace_open("/", NULL, &reader, &err), STATUS_BAD_INPUT);
    assert_string_equal(err.message, "/:1:1: file: is a directory");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_bad_file_is_one_clear_line),
        cmocka_unit_test(a_directory_is_no_trace),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
