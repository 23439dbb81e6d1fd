/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests how the advisor uses the sources it has read: descriptions of jobs in
 * words, the vote of answers, the views of a project directory, and vectors
 * for retrieval. */
#include "tests/support/test.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "schedmate/advisor/jail.h"
#include "schedmate/advisor/look.h"
#include "schedmate/advisor/metadata.h"
#include "schedmate/advisor/schedmate_advisor.h"
#include "schedmate/llm/ngrams.h"

static void metadata_becomes_words(void **state)
{
    struct arena arena;
    struct metadata metadata = {0};
    struct out *out = out_to_memory();
    (void)state;
    arena_init(&arena);
    metadata_set(&metadata, METADATA_TASK_TYPE, text_from(" image cls "), "x",
                 &arena);
    metadata_set(&metadata, METADATA_MODEL_NAME, text_from("a\nb"), "x",
                 &arena);
    metadata_set(&metadata, METADATA_FRAMEWORK, text_from("Unknown"), "x",
                 &arena);
    metadata_add(&metadata, text_from("z"), text_from("1"), &arena);
    metadata_add(&metadata, text_from("depth"), text_from("two words"), &arena);
    metadata_add(&metadata, text_from("z"), text_from("2"), &arena);
    metadata_add(&metadata, text_from("no key"), text_from("2"), &arena);
    metadata_text(&metadata, out);
    out_char(out, '\0');
    assert_string_equal(out_memory(out).at,
                        "model_name=a_b task_type=image_cls depth=two_words "
                        "z=1");
    assert_true(metadata_coverage(&metadata) == 4.0 / 14);
    out_abandon(out);
    arena_fini(&arena);
}

static void the_vote_is_by_field(void **state)
{
    struct metadata all[3] = {0}, out;
    struct arena arena;
    double agreement;
    (void)state;
    arena_init(&arena);
    static const char *const models[] = {"a", "b", "B"};
    for (size_t i = 0; i < 3; i++) {
        metadata_set(&all[i], METADATA_MODEL_NAME, text_from(models[i]), "m",
                     &arena);
        metadata_add(&all[i], text_from("k"), text_from(i ? "1" : "2"), &arena);
        metadata_add(&all[i], text_from(models[i]), text_from("x"), &arena);
    }
    metadata_set(&all[2], METADATA_EPOCHS, text_from("3"), "m", &arena);
    metadata_vote(all, 3, &arena, &out, &agreement);
    assert_string_equal(out.fields[METADATA_MODEL_NAME].text, "b");
    assert_string_equal(out.fields[METADATA_EPOCHS].text, "3");
    assert_null(out.fields[METADATA_OPTIMIZER].text);
    assert_int_equal(out.n_other, 1);
    assert_string_equal(out.other[0].value, "1");
    /* 2 of 3 jobs agree in the model name, and 1 of 3 has a number of epochs;
     * the agreement is the mean */
    assert_true(agreement > 0.499 && agreement < 0.501);
    arena_fini(&arena);
}

static bool read_line(void *self, const char *path, struct arena *arena,
                      struct text *out, bool *cut, char why[WORKSPACE_WHY_MAX])
{
    (void)self;
    (void)arena;
    (void)why;
    *cut = false;
    *out =
        text_from(strstr(path, "list") ? "- 1\n- 2\n- 3\n- 4\n- 5\n# 6\nend\n"
                                       : "import x\n\n# lr = 2\nlr = 3\n"
                                         "add(1,\n    lr=4)\n");
    return true;
}

static void note_nothing(void *self, const char *path)
{
    (void)self;
    (void)path;
}

static void expect_view(const struct look *look, const char *request,
                        const char *want)
{
    struct out *out = out_to_memory();
    look_request(look, request, 4096, out);
    out_char(out, '\0');
    assert_string_equal(out_memory(out).at, want);
    out_abandon(out);
}

static void views_are_short(void **state)
{
    static const struct workspace_file files[] = {
        {"a.py", 1},   {"b/c/d.py", 20480}, {"b/c/e.py", 3},
        {"b/f.py", 4}, {"b/list.yaml", 4},  {"docs/c/g.py", 5}};
    const struct workspace workspace = {
        .files = files, .n_files = 6, .read = read_line};
    struct arena arena;
    struct look look = {
        .workspace = &workspace, .arena = &arena, .shown = note_nothing};
    (void)state;
    arena_init(&arena);
    look_add_first(&look, files[2].path);
    look_add_first(&look, files[2].path);
    assert_int_equal(look.n_first, 1);
    expect_view(&look, "list .",
                "== folder .\nb/c/: e.py d.py(20k)\n/: a.py\n"
                "b/: f.py list.yaml\nand 1 files in 1 more folders\n");
    expect_view(&look, "list docs", "== folder docs\ndocs/c/: g.py\n");
    expect_view(&look, "read a.py",
                "== a.py, 6 lines\nimport x\nlr = 3\nadd(1,\n lr=4)\n");
    expect_view(&look, "f.py:4",
                "== b/f.py, lines 4-6 of 6 lines\nlr = 3\nadd(1,\n lr=4)\n");
    expect_view(&look, "read b/list.yaml",
                "== b/list.yaml, 7 lines\n- 1\n... 4 more like this\nend\n");
    expect_view(&look, "grep LR|no in b/c",
                "== grep LR|no in b/c\nb/c/e.py:4: lr = 3\n"
                "b/c/e.py:6: lr=4)\nb/c/d.py:4: lr = 3\nb/c/d.py:6: lr=4)\n");
    expect_view(&look, "outline a.py",
                "== a.py, outline of 6 lines\n4: lr = 3\n5: add(1, lr=4)\n");
    assert_ptr_equal(workspace_find(&workspace, "./b//c/e.py"), &files[2]);
    assert_null(workspace_find(&workspace, "b/c"));
    assert_null(workspace_find(&workspace, "../a.py"));
    assert_null(workspace_find(&workspace, "/a.py"));
    arena_fini(&arena);
}

/* Computes the vector that retrieval compares, for a project of the tests: its
 * command is followed by `more`. */
static void vector_of(const char *name, const char *more, float *out)
{
    static struct error err;
    struct jail_limits limits;
    struct jail *jail;
    struct arena arena;
    struct advisor_config config;
    struct advisor_result result = {0};
    char path[128], command[1024];
    json_error_t where;
    option_defaults(jail_options, &limits);
    option_defaults(advisor_options, &config);
    snprintf(path, sizeof path, "tests/advise/repos/%s.json", name);
    json_t *about = json_load_file(path, 0, &where);
    assert_non_null(about);
    snprintf(command, sizeof command, "%s %s",
             json_string_value(json_object_get(about, "command")), more);
    json_decref(about);
    snprintf(path, sizeof path, "tests/advise/repos/%s", name);
    assert_int_equal(jail_open(path, &limits, &jail, &err), STATUS_OK);
    arena_init(&arena);
    const struct advisor_input input = {.command = command,
                                        .workspace = jail_workspace(jail),
                                        .config = &config,
                                        .arena = &arena};
    advisor_by_rules(&input, &result);
    struct out *words = out_to_memory();
    metadata_text(&result.metadata, words);
    struct text text = out_memory(words);
    assert_int_equal(embed_hashed.embed(NULL, &text, 1, out, &err), STATUS_OK);
    out_abandon(words);
    arena_fini(&arena);
    jail_free(jail);
}

/* SchedMate's threshold is 0.90 (section 5.1 of its paper), for another
 * embedding. With the built-in embedding, 0.90 also separates variants of a job
 * from other jobs. */
static void variants_are_near_and_other_jobs_are_not(void **state)
{
    static const struct {
        const char *name, *more;
    } rows[] = {
        {"vision", "-b 128 --epochs 60"},
        {"commented_out", "--lr 0.05"},
        {"config_py", "--batch_size=16 --learning_rate=3e-4"},
        {"trainer", "--learning_rate 1e-5 --num_train_epochs 2"},
        {"accelerate_yaml", "--learning_rate=1e-5"},
        {"deepspeed_json", "--epochs 10"},
        {"hparams", "--hparams=batch_size=32"},
        {"reinforcement", "--lr 1e-4"},
        {"toml_diffusion", "--batch_size 64"},
    };
    enum { N = sizeof rows / sizeof *rows };
    const size_t width = embed_hashed.dimensions;
    float *all = mem_alloc(N * width * sizeof *all);
    float *other = mem_alloc(width * sizeof *other);
    double least = 1, most = 0;
    (void)state;
    for (size_t i = 0; i < N; i++) {
        vector_of(rows[i].name, "", &all[i * width]);
        vector_of(rows[i].name, rows[i].more, other);
        double same = embed_cosine(&all[i * width], other, width);
        least = same < least ? same : least;
        for (size_t k = 0; k < i; k++) {
            double cosine =
                embed_cosine(&all[i * width], &all[k * width], width);
            most = cosine > most ? cosine : most;
        }
    }
    print_message("# variants at least %.3f, other jobs at most %.3f\n", least,
                  most);
    assert_true(least >= 0.90 && most < 0.90);
    free(all);
    free(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(metadata_becomes_words),
        cmocka_unit_test(the_vote_is_by_field),
        cmocka_unit_test(views_are_short),
        cmocka_unit_test(variants_are_near_and_other_jobs_are_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
