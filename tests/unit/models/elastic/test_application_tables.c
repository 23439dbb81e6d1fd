/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests the reader of application tables: first with correct tables that the
 * test writes, then with copies that have one error each. */
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/digest.h"
#include "models/elastic/applications.h"
#include "tests/support/near.h"

static struct error err;

static void must(enum status st)
{
    if (st != STATUS_OK)
        fail_msg("%s", err.message);
}

static const char *const files[][2] = {
    {"placements-fast.csv", "placement,local_bsz,step_time,sync_time\n"
                            "1,10,1.0,0.1\n1,20,1.5,0.1\n1,40,2.5,0.1\n"
                            "2,10,1.4,0.4\n2,20,2.0,0.5\n"
                            "12,10,2.0,1.0\n12,20,2.6,1.1\n"
                            "22,20,3.0,1.5\n22,10,2.2,1.2\n"},
    {"scalability-fast.csv",
     "num_nodes,num_replicas,local_bsz,step_time,sync_time\n"
     "4,4,10,3.0,2.0\n4,4,20,4.0,2.5\n"
     "4,8,10,5.0,4.0\n4,8,20,6.0,4.5\n"},
    {"validation-10.csv", "progress,iteration,metric,grad_sqr,grad_var\n"
                          "100,1,0,1.0,3.0\n200,2,0,0.5,3.0\n"},
    {"validation-40.csv", "progress,iteration,metric,grad_sqr,grad_var\n"
                          "98,1,0,2.0,5.0\n210,2,0,0.25,3.0\n"},
};
enum { N_FILES = sizeof files / sizeof *files };

struct folder {
    char root[64], app[96];
};

static void write_file(const char *folder, const char *name, const char *text)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    assert_int_equal(fclose(f), 0);
}

static void remove_file(const char *folder, const char *name)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    unlink(path);
}

/* Writes a directory with tables of one application, "mine". */
static void make(struct folder *folder)
{
    snprintf(folder->root, sizeof folder->root, "/tmp/schedsim-apps-XXXXXX");
    assert_non_null(mkdtemp(folder->root));
    snprintf(folder->app, sizeof folder->app, "%s/mine", folder->root);
    assert_int_equal(mkdir(folder->app, 0700), 0);
    write_file(folder->root, "applications.csv",
               "application,epochs,restart_s,penalty_s,slowdown\n"
               "mine,2,30,20.5,2\n");
    for (size_t i = 0; i < N_FILES; i++)
        write_file(folder->app, files[i][0], files[i][1]);
}

static void drop(const struct folder *folder)
{
    for (size_t i = 0; i < N_FILES; i++)
        remove_file(folder->app, files[i][0]);
    remove_file(folder->root, "applications.csv");
    rmdir(folder->app);
    rmdir(folder->root);
}

static const char *const fast[] = {"fast", "slow"};

static const struct application *open_mine(const struct folder *folder,
                                           struct applications **apps)
{
    const struct application *app;
    must(applications_open(folder->root, fast, 2, apps, &err));
    must(application_find(*apps, "mine", &app, &err));
    return app;
}

static struct step_time step_of(const struct application *app,
                                const uint32_t *per_node, uint32_t nodes,
                                double local)
{
    struct step_time out = {-1, -1};
    struct placement placement = {.per_node = per_node, .nodes = nodes};
    for (uint32_t i = 0; i < nodes; i++)
        placement.gpus += per_node[i];
    if (!application_step(app, 0, placement, local, &out))
        out = (struct step_time){-1, -1};
    return out;
}

static void steps_are_interpolated_in_the_batch(void **state)
{
    (void)state;
    struct folder folder;
    struct applications *apps;
    static const uint32_t two_one[] = {2, 1}, gap[] = {1, 0, 2},
                          pair[] = {2, 2}, one[] = {1};
    make(&folder);
    const struct application *app = open_mine(&folder, &apps);
    assert_near(step_of(app, one, 1, 10).step, 1, 0);
    assert_near(step_of(app, one, 1, 30).step, 2, 1e-12);
    /* this is placement "12" of the table: 1 GPU on one node, 2 on another */
    assert_near(step_of(app, two_one, 2, 15).step, 2.3, 1e-12);
    assert_near(step_of(app, gap, 3, 15).sync, 1.05, 1e-12);
    /* the rows of this placement are not sorted in the table */
    assert_near(step_of(app, pair, 2, 10).step, 2.2, 0);
    assert_near(step_of(app, one, 1, 9).step, -1, 0);
    assert_near(step_of(app, pair, 2, 21).step, -1, 0);
    assert_false(application_runs_on(app, 1));
    struct batch_limits limits = application_limits(app, 0, 30);
    assert_int_equal(limits.local_min, 10);
    assert_int_equal(limits.local_max, 40);
    assert_near(limits.initial, 10, 0);
    assert_near(limits.largest, 30, 0);
    assert_near(application_one_gpu(app, 0), 40 / 2.5, 1e-12);
    assert_int_equal(application_most_nodes(app, 0), 4);
    applications_close(apps);
    drop(&folder);
}

static void other_shapes_lie_between_measured_ones(void **state)
{
    (void)state;
    struct folder folder;
    struct applications *apps;
    static const uint32_t three[] = {2, 2, 2}, four[] = {1, 2, 1, 2},
                          six[] = {2, 2, 2, 1, 1, 0, 0, 0, 0, 1};
    make(&folder);
    const struct application *app = open_mine(&folder, &apps);
    /* 4 nodes with 6 GPUs lie halfway between 4 nodes with 4 and with 8
     * GPUs. */
    assert_near(step_of(app, four, 4, 10).step, 4, 1e-12);
    assert_near(step_of(app, four, 4, 15).sync, (2.25 + 4.25) / 2, 1e-12);
    /* 3 nodes with 2 GPUs each lie halfway between 2 and 4 such nodes. */
    assert_near(step_of(app, three, 3, 10).step, (2.2 + 5) / 2, 1e-12);
    assert_int_equal(
        application_local_max(app, 0, (struct placement){three, 3, 6}), 20);
    /* At most 4 nodes with 8 GPUs were measured. More nodes count as 4, so 9
     * GPUs on 6 nodes have no step time, and 8 GPUs on 5 nodes have that of 4
     * nodes with 2 GPUs each. */
    assert_near(step_of(app, six, 10, 10).step, -1, 0);
    assert_near(step_of(app, (const uint32_t[]){2, 2, 2, 1, 1}, 5, 10).step, 5,
                1e-12);
    applications_close(apps);
    drop(&folder);
}

static void epochs_come_from_all_batch_sizes(void **state)
{
    (void)state;
    struct folder folder;
    struct applications *apps;
    make(&folder);
    const struct application *app = open_mine(&folder, &apps);
    assert_int_equal(app->epochs, 2);
    assert_near(application_epoch_end(app, 1), 98, 0);
    assert_near(application_epoch_end(app, 2), 200, 0);
    struct gradient g = application_gradient(app, 25, 0);
    assert_near(g.sqr, 1.5, 1e-12);
    assert_near(g.var, 4, 1e-12);
    assert_near(application_gradient(app, 40, 1).sqr, 0.25, 0);
    assert_near(application_gradient(app, 1, 1).sqr, 0.5, 0);
    applications_close(apps);
    drop(&folder);
}

static void the_pace_is_that_of_the_tables(void **state)
{
    (void)state;
    struct folder folder;
    struct applications *apps;
    make(&folder);
    const struct application *app = open_mine(&folder, &apps);
    /* 2 GPUs x 10 samples x 2 steps are 4 times the initial batch, so the gain
     * is (5+2)/(5/4+2). The two steps take 1.4 s + 1 s, and the slowdown is 2.
     */
    struct training_speed pace = application_speed(
        app, 0, (struct placement){NULL, 1, 2}, (struct batch){10, 1}, 0);
    assert_near(pace.rate, 7 / 3.25 / 2.4 / 2, 1e-12);
    assert_near(pace.until, 98, 0);
    assert_near(pace.step.sync, 0.4, 0);
    assert_near(pace.gradient.var, 5, 0);
    pace = application_speed(app, 0, (struct placement){NULL, 1, 2},
                             (struct batch){50, 1}, 1);
    assert_near(pace.rate, 0, 0);
    assert_near(span_seconds(app->restart), 30, 0);
    assert_near(span_seconds(app->penalty), 20.5, 0);
    applications_close(apps);
    drop(&folder);
}

static void files_that_were_read_are_told(void **state)
{
    (void)state;
    struct folder folder;
    struct applications *apps;
    const char *digest;
    char own[DIGEST_HEX_MAX];
    make(&folder);
    open_mine(&folder, &apps);
    assert_int_equal(applications_files(apps), 5);
    assert_string_equal(applications_source(apps), folder.root);
    for (size_t i = 0; i < 5; i++) {
        const char *path = applications_file(apps, i, &digest);
        must(digest_file(path, own, &err));
        assert_string_equal(digest, own);
    }
    applications_close(apps);
    drop(&folder);
}

static const struct {
    const char *file, *text, *message; /* text NULL: the file does not exist */
} bad[] = {
    {.file = "placements-fast.csv",
     .text = "placement,local_bsz,step_time,sync_time\n",
     .message = "placements-fast.csv:1:1: rows: expected a row"},
    {.file = "placements-fast.csv",
     .text = "placement,local_bsz,step_time,sync_time\n1,10,1,0\n",
     .message = "placements-fast.csv:2:1: row: the only batch size"},
    {.file = "placements-fast.csv",
     .text = "placement,local_bsz,step_time,sync_time\n1,10,1,0\n1,20,0,0\n",
     .message =
         "placements-fast.csv:3:6: step_time: '0' is not a number within"},
    {.file = "placements-fast.csv",
     .text = "placement,local_bsz,step_time,sync_time\n1,10,1,0\n1,20,1,1\n",
     .message =
         "placements-fast.csv:3:8: sync_time: 1 s are not less than the step"},
    {.file = "placements-fast.csv",
     .text = "placement,local_bsz,step_time,sync_time\n1,10,1,-1\n",
     .message =
         "placements-fast.csv:2:8: sync_time: '-1' is not a number within"},
    {.file = "placements-fast.csv",
     .text = "placement,local_bsz,step_time,sync_time\n1,1.5,1,0\n",
     .message =
         "placements-fast.csv:2:3: local_bsz: '1.5' is not a whole number"},
    {.file = "placements-fast.csv",
     .text = "placement,local_bsz,step_time,sync_time\n102,1,1,0\n",
     .message =
         "placements-fast.csv:2:1: placement: '102' is not GPUs by node"},
    {.file = "placements-fast.csv",
     .text = "placement,local_bsz,step_time,sync_time\n1,10,1,0\n1,10,2,0\n",
     .message = "placements-fast.csv:3:1: row: this placement and batch size "
                "come twice"},
    {.file = "placements-fast.csv",
     .text = "placement,local_bsz,step_time\n1,10,1\n",
     .message = "sync_time: the header lacks this column"},
    {.file = "placements-fast.csv",
     .text = "placement,local_bsz,step_time,sync_time\n1,10,nan,0\n",
     .message = "'nan' is not a number within"},
    {.file = "placements-fast.csv",
     .message = "no placements-TYPE.csv for any GPU type"},
    {.file = "scalability-fast.csv", .message = "scalability-fast.csv"},
    {.file = "scalability-fast.csv",
     .text =
         "num_nodes,num_replicas,local_bsz,step_time,sync_time\n4,3,10,1,0\n",
     .message = "scalability-fast.csv:2:3: num_replicas: 3 GPUs cannot "
                "lie on 4 nodes"},
    {.file = "validation-10.csv",
     .text = "progress,grad_sqr,grad_var\n100,1,1\n100,1,1\n",
     .message = "validation-10.csv:3:1: progress: progress must grow"},
    {.file = "validation-10.csv",
     .text = "progress,grad_sqr,grad_var\n100,1,1\n",
     .message = "validation-10.csv:2:1: epochs: 1 of them; a job runs for 2"},
    {.file = "validation-40.csv",
     .text = "progress,grad_sqr,grad_var\n1,-1,1\n",
     .message = "validation-40.csv:2:3: grad_sqr: '-1' is not a number within"},
    {.file = "validation-40.csv",
     .text = "",
     .message = "validation-40.csv:1:1: file: empty file"},
};

static void bad_tables_are_one_clear_line(void **state)
{
    (void)state;
    struct folder folder;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct applications *apps;
        const struct application *app;
        make(&folder);
        remove_file(folder.app, bad[i].file);
        if (bad[i].text)
            write_file(folder.app, bad[i].file, bad[i].text);
        must(applications_open(folder.root, fast, 2, &apps, &err));
        enum status st = application_find(apps, "mine", &app, &err);
        if (st != STATUS_BAD_INPUT || !strstr(err.message, bad[i].message) ||
            strchr(err.message, '\n'))
            fail_msg("case %zu: %d: %s", i, (int)st, err.message);
        applications_close(apps);
        drop(&folder);
    }
}

static void facts_are_checked_too(void **state)
{
    (void)state;
    struct folder folder;
    struct applications *apps;
    const struct application *app;
    make(&folder);
    write_file(folder.root, "applications.csv",
               "application,epochs,restart_s,penalty_s,slowdown\n"
               "mine,2,30,20,0\n");
    must(applications_open(folder.root, fast, 1, &apps, &err));
    assert_int_equal(application_find(apps, "mine", &app, &err),
                     STATUS_BAD_INPUT);
    assert_non_null(strstr(err.message, "applications.csv:2:14: slowdown"));
    assert_int_equal(application_find(apps, "cifar10", &app, &err),
                     /* cifar10 is compiled in, but has no tables in this folder
                      */
                     STATUS_BAD_INPUT);
    applications_close(apps);
    remove_file(folder.root, "applications.csv");
    must(applications_open(folder.root, fast, 1, &apps, &err));
    assert_int_equal(application_find(apps, "mine", &app, &err),
                     STATUS_BAD_INPUT);
    assert_non_null(strstr(err.message, "no application 'mine'"));
    applications_close(apps);
    drop(&folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_are_interpolated_in_the_batch),
        cmocka_unit_test(other_shapes_lie_between_measured_ones),
        cmocka_unit_test(epochs_come_from_all_batch_sizes),
        cmocka_unit_test(the_pace_is_that_of_the_tables),
        cmocka_unit_test(files_that_were_read_are_told),
        cmocka_unit_test(bad_tables_are_one_clear_line),
        cmocka_unit_test(facts_are_checked_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
