/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests rows of usage, and the rules that assign them to jobs. */
#include "tests/support/test.h"

#include <stdlib.h>
#include <string.h>

#include "models/usage/usage.h"
#include "sim/run/run.h"
#include "tests/support/lab.h"

static int setup(void **state)
{
    struct lab *lab = lab_new();
    *state = lab;
    if (!lab)
        return 1;
    lab->groups[lab->n_groups++] = (struct lab_group){
        .count = 8, .gpus = 8, .vc = "default", .type = "gpu", .speed = 1};
    return 0;
}

static int teardown(void **state)
{
    lab_free(*state);
    return 0;
}

static void add_jobs(struct lab *lab, const char *model, uint32_t gpus, int n)
{
    for (int i = 0; i < n; i++) {
        struct lab_job *job = &lab->jobs[lab->n_jobs++];
        *job = (struct lab_job){
            .end = "completed", .gpus = gpus, .runs = SPAN_HOUR};
        memcpy(job->model, model, strlen(model) + 1);
    }
}

static struct run *run_with(struct lab *lab, const char *recipe, uint64_t seed)
{
    struct error err = {0};
    struct run *run;
    assert_int_equal(lab_write(lab, &err), STATUS_OK);
    struct run_config config = {.model_recipe = recipe, .seed = seed};
    if (lab_run(lab, config, &run, &err) != STATUS_OK)
        fail_msg("%s", err.message);
    return run;
}

static const struct usage *profile_of(struct run *run, job_id job)
{
    const struct run_result *r = run_result(run);
    return &r->usage.rows[r->jobset.jobs[job].usage];
}

/* Each known figure of a compiled-in row names its source and is plausible. */
static void every_figure_has_a_source(void **state)
{
    struct arena arena;
    struct usage_table w;
    struct error err;
    size_t assumed = 0, measured = 0, fitted = 0;
    (void)state;
    arena_init(&arena);
    assert_int_equal(usage_read(NULL, &arena, &w, &err), STATUS_OK);
    for (size_t i = 1; i < w.n; i++) {
        for (unsigned f = 0; f < N_FIGURES; f++) {
            const struct figure *figure = &w.rows[i].figures[f];
            if (figure->status == FIGURE_UNKNOWN) {
                assert_true(figure->value == -1);
                /* only figures of step times are unknown, of family lucid */
                assert_true(f >= FIGURE_STEP_FIXED_S);
                continue;
            }
            assert_true(strlen(figure->source) > 20);
            assert_true(figure->value >= 0);
            fitted += figure->status == FIGURE_FITTED;
            assumed += figure->status == FIGURE_ASSUMED;
            measured += figure->status == FIGURE_MEASURED;
        }
        assert_true(w.rows[i].figures[FIGURE_GPU_UTIL].value > 0);
        assert_true(w.rows[i].figures[FIGURE_MEM_MIB].value < 81920);
    }
    assert_true(assumed && measured && fitted);
    usage_fini(&w);
    arena_fini(&arena);
}

static void same_profile(const struct usage *a, const struct usage *b)
{
    assert_string_equal(a->family, b->family);
    assert_string_equal(a->model, b->model);
    assert_string_equal(a->dataset, b->dataset);
    assert_int_equal(a->batch_size, b->batch_size);
    assert_int_equal(a->amp, b->amp);
    assert_int_equal(a->class, b->class);
    assert_int_equal(a->sharing, b->sharing);
    for (unsigned f = 0; f < N_FIGURES; f++) {
        assert_true(a->figures[f].value == b->figures[f].value);
        assert_string_equal(a->figures[f].source, b->figures[f].source);
        assert_int_equal(a->figures[f].status, b->figures[f].status);
    }
}

/* Each compiled-in row must equal the row that is read from a user's file with
 * the same content. */
static void compiled_in_is_the_file(void **state)
{
    struct arena arena;
    struct usage_table w, file;
    struct error err;
    (void)state;
    arena_init(&arena);
    assert_int_equal(usage_read(NULL, &arena, &w, &err), STATUS_OK);
    assert_int_equal(usage_read("models/usage/usage.json", &arena, &file, &err),
                     STATUS_OK);
    assert_int_equal(w.n, file.n);
    assert_int_equal(w.n_listed, file.n_listed);
    assert_true(w.n > 30);
    for (size_t i = 0; i < w.n; i++)
        same_profile(&w.rows[i], &file.rows[i]);
    usage_fini(&w);
    usage_fini(&file);
    arena_fini(&arena);
}

static void schedmate_draws_by_size(void **state)
{
    struct lab *lab = *state;
    uint32_t seen[3] = {0};
    add_jobs(lab, "whatever", 3, 60);
    add_jobs(lab, "", 4, 30);
    add_jobs(lab, "", 8, 30);
    add_jobs(lab, "", 9, 60);
    struct run *run = run_with(lab, "schedmate", 7);
    for (job_id i = 0; i < 180; i++) {
        const struct usage *p = profile_of(run, i);
        const struct job *job = &run_result(run)->jobset.jobs[i];
        assert_int_equal(p->class, i < 60    ? CLASS_SMALL
                                   : i < 120 ? CLASS_MEDIUM
                                             : CLASS_LARGE);
        assert_string_equal(jobset_string(&run_result(run)->jobset, job->model),
                            p->model);
        assert_int_equal(job->batch_size, p->batch_size);
        assert_true((double)job->mem_mib == p->figures[FIGURE_MEM_MIB].value);
        assert_int_equal(job->gpu_util,
                         (int)(p->figures[FIGURE_GPU_UTIL].value * 100 + 0.5));
        seen[0] += strcmp(p->model, "ResNet50") == 0;
        seen[1] += strcmp(p->model, "BERT-Base") == 0;
        seen[2] += strcmp(p->model, "Qwen2.5-14B") == 0;
    }
    /* 60 / 3, 60 / 2 and 60 / 2 jobs are expected. The bounds are five standard
     * deviations (18 and 19) away. */
    assert_in_range(seen[0], 2, 38);
    assert_in_range(seen[1], 11, 49);
    assert_in_range(seen[2], 11, 49);
    run_free(run);
}

static uint32_t differences(struct lab *lab, const char *recipe, uint64_t a,
                            uint64_t b)
{
    struct run *x = run_with(lab, recipe, a), *y = run_with(lab, recipe, b);
    uint32_t n = 0;
    for (job_id i = 0; i < lab->n_jobs; i++)
        n += run_result(x)->jobset.jobs[i].usage !=
             run_result(y)->jobset.jobs[i].usage;
    run_free(x);
    run_free(y);
    return n;
}

static void the_seed_decides_the_draw(void **state)
{
    struct lab *lab = *state;
    add_jobs(lab, "", 1, 100);
    assert_int_equal(differences(lab, "lucid", 5, 5), 0);
    assert_true(differences(lab, "lucid", 5, 6) > 50);
    assert_int_equal(differences(lab, "trace", 5, 6), 0);
}

static void the_trace_names_its_models(void **state)
{
    struct lab *lab = *state;
    add_jobs(lab, "resnet-50", 1, 1);
    add_jobs(lab, "unheard of", 1, 2);
    add_jobs(lab, "", 1, 1);
    lab->jobs[0].mem_mib = 77;
    struct run *run = run_with(lab, NULL, 0);
    const struct usage *known = profile_of(run, 0);
    const struct usage *unknown = profile_of(run, 1);
    assert_string_equal(known->model, "resnet-50");
    assert_true(known->figures[FIGURE_GPU_UTIL].value > 0.5);
    assert_true(run_result(run)->jobset.jobs[0].mem_mib == 77);
    assert_string_equal(unknown->model, "unheard of");
    assert_true(unknown->figures[FIGURE_GPU_UTIL].value < 0);
    assert_int_equal(unknown->n_jobs, 2);
    assert_int_equal(run_result(run)->jobset.jobs[3].usage, 0);
    run_free(run);
}

static void another_batch_size_is_similar(void **state)
{
    struct arena arena;
    struct usage_table w;
    struct error err;
    (void)state;
    arena_init(&arena);
    assert_int_equal(usage_read(NULL, &arena, &w, &err), STATUS_OK);
    struct usage a = w.rows[1], b = a;
    assert_true(usage_distance(&a, &b) == 0);
    b.batch_size = a.batch_size * 2;
    double one = usage_distance(&a, &b);
    b.batch_size = a.batch_size * 8;
    double three = usage_distance(&a, &b);
    assert_true(0 < one && one < three && three < 1);
    b.model = "another";
    assert_true(usage_distance(&a, &b) == 2);
    assert_true(model_name_equal("ResNet-50", "resnet50"));
    assert_false(model_name_equal("ResNet-50", "resnet5"));
    usage_fini(&w);
    arena_fini(&arena);
}

/* Compares the law in usage.json with values computed by hand for ViT-L/16 with
 * 16 samples per GPU. A step is unknown without a batch size, and for a family
 * without step times. */
static void a_step_takes_longer_on_more_nodes(void **state)
{
    struct arena arena;
    struct usage_table w;
    struct error err;
    size_t laws = 0;
    (void)state;
    arena_init(&arena);
    assert_int_equal(usage_read(NULL, &arena, &w, &err), STATUS_OK);
    for (size_t i = 1; i < w.n; i++) {
        struct usage row = w.rows[i];
        bool known = strcmp(row.family, "schedmate") == 0;
        assert_true((usage_step_seconds(&row, 8, 1) > 0) == known);
        assert_true(usage_step_seconds(&row, 8, 9) == 0);
        if (strcmp(row.model, "ViT-L/16") == 0 && row.batch_size == 16) {
            assert_float_equal(usage_step_seconds(&row, 8, 1), 0.21424, 1e-9);
            assert_float_equal(usage_step_seconds(&row, 8, 2), 0.26549, 1e-9);
            laws++;
        }
        row.batch_size = 0;
        assert_true(usage_step_seconds(&row, 8, 1) == 0);
    }
    assert_int_equal(laws, 1);
    usage_fini(&w);
    arena_fini(&arena);
}

static void a_recipe_without_such_jobs_fails(void **state)
{
    struct lab *lab = *state;
    struct error err;
    struct run *run;
    add_jobs(lab, "", 1, 1);
    assert_int_equal(lab_write(lab, &err), STATUS_OK);
    struct run_config config = {.model_recipe = "schedmate:family=lucid"};
    assert_int_equal(lab_run(lab, config, &run, &err), STATUS_USAGE);
    assert_non_null(strstr(err.message, "no workload for a job of 1 GPUs"));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(every_figure_has_a_source),
        TEST(compiled_in_is_the_file),
        TEST(schedmate_draws_by_size),
        TEST(the_seed_decides_the_draw),
        TEST(the_trace_names_its_models),
        TEST(another_batch_size_is_similar),
        TEST(a_step_takes_longer_on_more_nodes),
        TEST(a_recipe_without_such_jobs_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
