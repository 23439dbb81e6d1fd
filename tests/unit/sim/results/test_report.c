/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests when a result directory is refused or replaced, and that it is complete
 * or absent. The reference pages results.md and input.md in docs/ must equal
 * the pages that the program prints. */
#include "sim/results/report.h"

#include <fcntl.h>
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "commands/cli.h"
#include "commands/commands_internal.h"
#include "tests/support/slurp.h"
#include "tests/support/test.h"

struct world {
    char dir[64], trace[96], out[96];
};

static int build(void **state)
{
    struct world *w = mem_zalloc(1, sizeof *w);
    snprintf(w->dir, sizeof w->dir, "/tmp/schedsim-report-XXXXXX");
    assert_non_null(mkdtemp(w->dir));
    snprintf(w->trace, sizeof w->trace, "%s/trace.csv", w->dir);
    snprintf(w->out, sizeof w->out, "%s/out", w->dir);
    FILE *file = fopen(w->trace, "w");
    assert_non_null(file);
    fputs("submitted_unix_s,duration_s,gpus,job_id,name\n", file);
    for (int i = 0; i < 50; i++)
        fprintf(file, "%d,%d,%d,job%d,\"n\xc3\xa4me \xff %d\"\n", i * 7,
                10 + i * i, 1 + i % 8, i, i);
    assert_int_equal(fclose(file), 0);
    *state = w;
    return 0;
}

static void path_of(const struct world *w, const char *name, char path[160])
{
    snprintf(path, 160, "%s/%s", w->out, name);
}

static int tear_down(void **state)
{
    struct world *w = *state;
    char path[160];
    for (size_t i = 0; i < RESULT_N; i++) {
        path_of(w, result_files[i].name, path);
        unlink(path);
    }
    path_of(w, "thesis.tex", path);
    unlink(path);
    rmdir(w->out);
    unlink(w->trace);
    rmdir(w->dir);
    free(w);
    return 0;
}

static enum status run(const struct world *w, const char *more,
                       struct error *err)
{
    char trace[96], out[96], extra[64];
    memcpy(trace, w->trace, sizeof trace);
    memcpy(out, w->out, sizeof out);
    snprintf(extra, sizeof extra, "%s", more);
    char *argv[] = {"run", trace, "--cluster=2x8:A", "--out", out, "--quiet",
                    extra, NULL};
    return cli_run(&command_run, "run", 7, argv, err);
}

static bool exists(const struct world *w, const char *name)
{
    char path[160];
    path_of(w, name, path);
    return access(path, F_OK) == 0;
}

static void a_run_writes_what_was_asked_for(void **state)
{
    const struct world *w = *state;
    struct error err = {0};
    assert_int_equal(run(w, "--policy=srtf", &err), STATUS_OK);
    assert_true(exists(w, "jobs.csv") && exists(w, "series.csv") &&
                exists(w, "summary.json") && exists(w, "manifest.json"));
    assert_false(exists(w, "timeline.json") || exists(w, "decisions.log"));
    assert_false(exists(w, "jobs.csv.partial"));
    char partial[160];
    snprintf(partial, sizeof partial, "%s.partial", w->out);
    assert_int_not_equal(access(partial, F_OK), 0);
    /* The next result replaces the whole older result, not single files. */
    assert_int_equal(run(w, "--timeline", &err), STATUS_OK);
    assert_true(exists(w, "timeline.json"));
    assert_int_equal(run(w, "--decisions", &err), STATUS_OK);
    assert_true(exists(w, "decisions.log"));
    assert_false(exists(w, "timeline.json"));
}

static void attempts_are_written_if_they_say_more(void **state)
{
    const struct world *w = *state;
    struct error err = {0};
    assert_int_equal(run(w, "--policy=srtf", &err), STATUS_OK);
    assert_true(exists(w, "attempts.csv"));
    assert_int_equal(run(w, "--policy=fifo", &err), STATUS_OK);
    assert_false(exists(w, "attempts.csv"));
    assert_int_equal(run(w, "--attempts", &err), STATUS_OK);
    assert_true(exists(w, "attempts.csv"));
    assert_int_equal(run(w, "--policy=lucid", &err), STATUS_OK);
    assert_true(exists(w, "attempts.csv"));
}

static void the_same_configuration_gives_the_same_bytes(void **state)
{
    const struct world *w = *state;
    struct error err = {0};
    for (size_t i = 0; i < RESULT_N; i++) {
        char path[160], *text[2];
        size_t len[2];
        path_of(w, result_files[i].name, path);
        /* This run does not write these seven files. */
        if (i == RESULT_SERIES_VC || i == RESULT_SERIES_TYPE ||
            i == RESULT_TIMELINE || i == RESULT_TIMELINE_GZIP ||
            i == RESULT_FIRST_STAGE || i == RESULT_FAILURES ||
            i == RESULT_ADVICE)
            continue;
        for (int k = 0; k < 2; k++) {
            assert_int_equal(
                run(w, i == RESULT_ATTEMPTS ? "--attempts" : "--decisions",
                    &err),
                STATUS_OK);
            text[k] = slurp(path, &len[k]);
            assert_non_null(text[k]);
        }
        assert_int_equal(len[0], len[1]);
        assert_memory_equal(text[0], text[1], len[0]);
        free(text[0]);
        free(text[1]);
    }
}

/* Checks that there is one slice for each GPU of each job. */
static void check_slices(const json_t *events)
{
    size_t i, n = 0;
    const json_t *event;
    json_array_foreach(events, i, event)
    {
        const json_t *phase = json_object_get(event, "ph");
        n += strcmp(json_string_value(phase), "X") == 0;
    }
    assert_int_equal(n, 6 * 36 + 1 + 2);
}

static void json_files_are_json_whatever_the_names(void **state)
{
    const struct world *w = *state;
    static const char *const names[] = {"summary.json", "manifest.json",
                                        "timeline.json"};
    struct error err = {0};
    char path[160];
    assert_int_equal(run(w, "--timeline", &err), STATUS_OK);
    for (size_t i = 0; i < 3; i++) {
        path_of(w, names[i], path);
        json_t *root = json_load_file(path, JSON_REJECT_DUPLICATES, NULL);
        assert_non_null(root);
        if (i == 2)
            check_slices(json_object_get(root, "traceEvents"));
        json_decref(root);
    }
}

static void a_directory_with_other_files_is_refused(void **state)
{
    const struct world *w = *state;
    struct error err = {0};
    char path[160];
    assert_int_equal(mkdir(w->out, 0777), 0);
    path_of(w, "thesis.tex", path);
    assert_int_equal(fclose(fopen(path, "w")), 0);
    assert_int_equal(run(w, "--seed=1", &err), STATUS_USAGE);
    assert_non_null(strstr(err.message, "thesis.tex"));
    assert_true(exists(w, "thesis.tex"));
    assert_false(exists(w, "jobs.csv"));
}

static void a_failed_run_leaves_the_old_result(void **state)
{
    const struct world *w = *state;
    struct error err = {0};
    size_t len;
    char path[160];
    assert_int_equal(run(w, "--seed=1", &err), STATUS_OK);
    path_of(w, "manifest.json", path);
    char *before = slurp(path, &len);
    assert_int_equal(run(w, "--policy=nonsense", &err), STATUS_USAGE);
    char *after = slurp(path, &len);
    assert_non_null(after);
    assert_string_equal(before, after);
    char partial[160];
    snprintf(partial, sizeof partial, "%s.partial", w->out);
    assert_int_not_equal(access(partial, F_OK), 0);
    free(before);
    free(after);
}

/* While runs replace the result one after another, a reader finds the manifest
 * at any time. */
static void a_result_is_there_while_it_is_replaced(void **state)
{
    const struct world *w = *state;
    struct error err = {0};
    char path[160], beside[96], other[128];
    assert_int_equal(run(w, "--seed=1", &err), STATUS_OK);
    path_of(w, "manifest.json", path);
    snprintf(beside, sizeof beside, "%s/beside", w->dir);
    snprintf(other, sizeof other, "%s.partial", w->out);
    assert_int_equal(mkdir(beside, 0777), 0);
    bool exchanges =
        renameat2(AT_FDCWD, w->out, AT_FDCWD, beside, RENAME_EXCHANGE) == 0 &&
        renameat2(AT_FDCWD, w->out, AT_FDCWD, beside, RENAME_EXCHANGE) == 0;
    rmdir(beside);
    if (!exchanges)
        skip();
    pid_t reader = fork();
    if (reader == 0) {
        while (access(path, F_OK) == 0)
            ;
        _exit(1);
    }
    assert_true(reader > 0);
    for (int i = 0; i < 40; i++)
        assert_int_equal(run(w, i % 2 ? "--timeline" : "--seed=1", &err),
                         STATUS_OK);
    int how = 0;
    assert_int_equal(waitpid(reader, &how, WNOHANG),
                     0); /* the reader is still running */
    kill(reader, SIGKILL);
    assert_int_equal(waitpid(reader, &how, 0), reader);
    assert_true(exists(w, "timeline.json"));
    assert_int_not_equal(access(other, F_OK), 0);
}

/* If the older result has disappeared, the directories cannot be exchanged, and
 * the new directory takes its place. */
static void a_place_that_went_is_made_again(void **state)
{
    const struct world *w = *state;
    struct error err = {0};
    struct result_dir *dir;
    struct out *out;
    char aside[96];
    assert_int_equal(run(w, "--timeline", &err), STATUS_OK);
    assert_int_equal(result_dir_open(w->out, &dir, &err), STATUS_OK);
    assert_int_equal(result_dir_file(dir, RESULT_SERIES, &out, &err),
                     STATUS_OK);
    out_text(out, "time\n");
    snprintf(aside, sizeof aside, "%s/aside", w->dir);
    assert_int_equal(rename(w->out, aside), 0);
    assert_int_equal(result_dir_commit(dir, &err), STATUS_OK);
    assert_true(exists(w, "series.csv"));
    assert_false(exists(w, "jobs.csv") || exists(w, "timeline.json"));
    /* tear_down removes the older result, so put it back. */
    char path[160];
    path_of(w, "series.csv", path);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(rename(aside, w->out), 0);
}

static void a_link_to_a_directory_is_followed(void **state)
{
    const struct world *w = *state;
    struct error err = {0};
    struct stat st;
    char real[96];
    snprintf(real, sizeof real, "%s/real", w->dir);
    assert_int_equal(mkdir(real, 0777), 0);
    assert_int_equal(symlink("real", w->out), 0);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(run(w, i ? "--seed=1" : "--timeline", &err),
                         STATUS_OK);
        assert_int_equal(lstat(w->out, &st), 0);
        assert_true(S_ISLNK(st.st_mode));
        assert_true(exists(w, "manifest.json"));
        assert_true(exists(w, "timeline.json") == (i == 0));
    }
    assert_int_equal(unlink(w->out), 0);
    assert_int_equal(rename(real, w->out), 0); /* tear_down expects w->out */
    memcpy(real + strlen(real), ".partial", sizeof ".partial");
    assert_int_not_equal(access(real, F_OK), 0);
}

static void a_place_that_cannot_be_written_is_refused(void **state)
{
    struct world w = *(const struct world *)*state;
    struct error err = {0};
    snprintf(w.out, sizeof w.out, "%.90s/x", w.trace);
    assert_int_equal(run(&w, "--seed=1", &err), STATUS_FAILED);
    assert_non_null(strstr(err.message, "--out"));
    memcpy(w.out, w.trace, sizeof w.out);
    assert_int_equal(run(&w, "--seed=1", &err), STATUS_USAGE);
    assert_non_null(strstr(err.message, "is not a directory"));
}

static void expect_page(const char *name, const char *command,
                        void (*print)(struct out *))
{
    char path[512];
    size_t len;
    const char *root = getenv("SCHEDSIM_ROOT");
    snprintf(path, sizeof path, "%s/docs/%s", root ? root : ".", name);
    char *page = slurp(path, &len);
    struct out *out = out_to_memory();
    assert_non_null(page);
    print(out);
    struct text text = out_memory(out);
    if (text.len != len || memcmp(text.at, page, len) != 0)
        fail_msg("%s differs: schedsim list %s > docs/%s", path, command, name);
    out_abandon(out);
    free(page);
}

static void the_reference_pages_are_those_in_docs(void **state)
{
    (void)state;
    expect_page("results.md", "columns", reference_print);
    expect_page("input.md", "input", inputs_print);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(attempts_are_written_if_they_say_more,
                                        build, tear_down),
        cmocka_unit_test_setup_teardown(a_run_writes_what_was_asked_for, build,
                                        tear_down),
        cmocka_unit_test_setup_teardown(
            the_same_configuration_gives_the_same_bytes, build, tear_down),
        cmocka_unit_test_setup_teardown(json_files_are_json_whatever_the_names,
                                        build, tear_down),
        cmocka_unit_test_setup_teardown(a_directory_with_other_files_is_refused,
                                        build, tear_down),
        cmocka_unit_test_setup_teardown(a_failed_run_leaves_the_old_result,
                                        build, tear_down),
        cmocka_unit_test_setup_teardown(a_result_is_there_while_it_is_replaced,
                                        build, tear_down),
        cmocka_unit_test_setup_teardown(a_place_that_went_is_made_again, build,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_link_to_a_directory_is_followed,
                                        build, tear_down),
        cmocka_unit_test_setup_teardown(
            a_place_that_cannot_be_written_is_refused, build, tear_down),
        cmocka_unit_test(the_reference_pages_are_those_in_docs),
    };
    return cmocka_run_group_tests_name("report", tests, NULL, NULL);
}
