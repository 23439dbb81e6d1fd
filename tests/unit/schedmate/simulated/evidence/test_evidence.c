/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests the evidence of the jobs of a run, which is read from a side-car or
 * generated. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/test.h"

#include "models/usage/usage.h"
#include "schedmate/simulated/evidence/evidence.h"
#include "tests/support/temp_path.h"
#include "traces/evidence/sidecar.h"
#include "traces/load.h"

enum { ANNA = 1, BEN, TRAIN, TUNE };
static const char *const strings[] = {"", "anna", "ben", "train", "tune"};

static const char *string_of(const void *self, uint32_t symbol)
{
    (void)self;
    return strings[symbol];
}

static void side_cars_lie_beside_traces(void **state)
{
    static const struct {
        const char *trace, *sidecar;
    } rows[] = {
        {"a/b.csv", "a/b.evidence.csv"},
        {"b.json", "b.evidence.csv"},
        {"b.csv.gz", "b.evidence.csv"},
        {"a.b/c", "a.b/c.evidence.csv"},
        {"a/.csv", "a/.csv.evidence.csv"},
        {"/x/b.swf.zst", "/x/b.evidence.csv"},
    };
    struct arena arena;
    (void)state;
    arena_init(&arena);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_string_equal(sidecar_path(rows[i].trace, &arena),
                            rows[i].sidecar);
    arena_fini(&arena);
}

static struct run_env env_of(const struct job *jobs, uint32_t n,
                             const struct usage_table *usage,
                             struct arena *arena)
{
    return (struct run_env){.jobs = jobs,
                            .n_jobs = n,
                            .usage = usage,
                            .string = string_of,
                            .seed = 1,
                            .arena = arena};
}

static void a_side_car_is_relative_to_itself(void **state)
{
    static const char text[] =
        "job_id,directory,command,log_style,log,step_s,steps,log_every\n"
        "7,../repo,\"python a.py --x 1,2\",keras,,0.25,40,5\n"
        "9,/abs/repo,python b.py,,logs/9.txt,,,\n"
        "5,other,python c.py,keras,,,,\n";
    const struct job jobs[] = {
        {.id = 0, .gpus = 1, .source_id = 9 | SOURCE_ID_NUMBER},
        {.id = 1, .gpus = 1, .source_id = 7 | SOURCE_ID_NUMBER},
        {.id = 2, .gpus = 1, .source_id = 8 | SOURCE_ID_NUMBER}};
    static const char *const roots[] = {"/", NULL}, *const none[] = {NULL};
    char want[96], sha256[65];
    struct arena arena;
    struct evidence *evidence;
    struct evidence_command command;
    struct evidence_log log;
    static struct error err;
    (void)state;
    arena_init(&arena);
    FILE *file = fopen(temp_path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0 && fclose(file) == 0);
    const struct run_env env = env_of(jobs, 3, NULL, &arena);
    assert_int_equal(
        evidence_read(temp_path, roots, &env, &evidence, sha256, &err),
        STATUS_OK);
    assert_int_equal(strlen(sha256), 64);
    assert_true(evidence_command(evidence, &jobs[1], &command));
    snprintf(want, sizeof want, "%.*s/../repo",
             (int)(strrchr(temp_path, '/') - temp_path), temp_path);
    assert_string_equal(command.directory, want);
    assert_string_equal(command.command, "python a.py --x 1,2");
    assert_string_equal(command.branch, "");
    assert_true(evidence_log(evidence, &jobs[1], &log));
    assert_string_equal(log.style, "keras");
    assert_null(log.path);
    assert_true(log.step_s == 0.25 && log.steps == 40 && log.log_every == 5);
    assert_true(evidence_command(evidence, &jobs[0], &command));
    assert_string_equal(command.directory, "/abs/repo");
    assert_true(evidence_log(evidence, &jobs[0], &log));
    assert_non_null(strstr(log.path, "/logs/9.txt"));
    assert_null(log.style);
    assert_false(evidence_command(evidence, &jobs[2], &command));
    assert_false(evidence_log(evidence, &jobs[2], &log));
    assert_int_equal(
        evidence_read(temp_path, none, &env, &evidence, sha256, &err),
        STATUS_BAD_INPUT);
    assert_non_null(strstr(err.message, ":2:3: directory: '"));
    assert_non_null(strstr(err.message, "leads out of the folder"));
    arena_fini(&arena);
}

/* Usage of an unknown model, of a model that some repository trains, and of one
 * that none trains. */
static struct usage rows[] = {{.model = "", .dataset = ""},
                              {.model = "ResNet50", .dataset = "ImageNet"},
                              {.model = "AlexNet", .dataset = ""}};

/* Jobs of a user with equal names, models and batch sizes must have equal
 * commands. */
static void equal_names_have_equal_commands(void **state)
{
    const char *root = getenv("SCHEDSIM_ROOT");
    char folder[4096];
    struct arena arena;
    struct evidence *evidence;
    struct evidence_command a, b;
    static struct error err;
    (void)state;
    snprintf(folder, sizeof folder, "%s/traces/evidence", root ? root : ".");
    arena_init(&arena);
    const struct usage_table usage = {.rows = rows, .n = 3};
    const struct job jobs[] = {
        {.id = 0,
         .gpus = 2,
         .user = ANNA,
         .name = TRAIN,
         .usage = 1,
         .batch_size = 64},
        {.id = 1,
         .gpus = 2,
         .user = ANNA,
         .name = TRAIN,
         .usage = 1,
         .batch_size = 64,
         .submitted = 90 * SPAN_SECOND},
        {.id = 2,
         .gpus = 2,
         .user = ANNA,
         .name = TRAIN,
         .usage = 1,
         .batch_size = 32},
        {.id = 3, .gpus = 2, .user = BEN, .name = TUNE, .usage = 0},
        {.id = 4, .gpus = 2, .user = BEN, .name = TUNE, .usage = 2}};
    const struct run_env env = env_of(jobs, 5, &usage, &arena);
    assert_int_equal(evidence_generate(folder, &env, &evidence, &err),
                     STATUS_OK);
    assert_true(evidence_command(evidence, &jobs[0], &a));
    assert_true(evidence_command(evidence, &jobs[1], &b));
    assert_string_equal(a.command, b.command);
    assert_string_equal(a.directory, b.directory);
    assert_non_null(strstr(a.command, "64"));
    assert_true(evidence_command(evidence, &jobs[2], &b));
    assert_string_not_equal(a.command, b.command);
    assert_string_equal(a.directory, b.directory);
    assert_false(evidence_command(evidence, &jobs[3], &b));
    assert_false(evidence_command(evidence, &jobs[4], &b));
    arena_fini(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(side_cars_lie_beside_traces),
        cmocka_unit_test(a_side_car_is_relative_to_itself),
        cmocka_unit_test(equal_names_have_equal_commands),
    };
    return cmocka_run_group_tests(tests, temp_path_make, temp_path_remove);
}
