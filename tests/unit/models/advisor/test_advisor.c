/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The Scheduling Advisor's scanners and the metadata they fill. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/test.h"

#include "models/advisor/confscan.h"
#include "models/advisor/jail.h"
#include "models/advisor/launch.h"
#include "models/advisor/metadata.h"
#include "models/advisor/py_text.h"
#include "models/advisor/pyscan.h"
#include "models/advisor/schedmate_advisor.h"
#include "models/llm/embed.h"

static struct launch launched(const char *command, struct arena *arena)
{
    struct launch launch;
    if (!launch_read(text_from(command), arena, &launch))
        fail_msg("%s", command);
    return launch;
}

static void commands_are_taken_apart(void **state)
{
    static const struct {
        const char *command, *launcher, *target;
        uint32_t processes, nodes;
        size_t n_words;
    } rows[] = {
        {"python main.py", "python", "main.py", 0, 0, 0},
        {"python3.11 -u 'my dir/main.py' --a 'b c'", "python", "my dir/main.py",
         0, 0, 2},
        {"CUDA_VISIBLE_DEVICES=0,1 python main.py a=1", "python", "main.py", 0,
         0, 1},
        {"cd x && nohup python main.py | tee log", "python", "main.py", 0, 0,
         0},
        {"torchrun --standalone --nproc_per_node=8 train.py c.py", "torchrun",
         "train.py", 8, 0, 1},
        {"torchrun --nnodes 2 --nproc-per-node 4 t.py", "torchrun", "t.py", 4,
         2, 0},
        {"torchrun --nproc_per_node=gpu t.py", "torchrun", "t.py", 0, 0, 0},
        {"python -m torch.distributed.launch --nproc_per_node=1 src/a.py -x",
         "torch.distributed.launch", "src/a.py", 1, 0, 1},
        {"python -m multiproc train.py -x", "multiproc", "train.py", 0, 0, 1},
        {"python -m pkg.train --lr 1", "python", "pkg.train", 0, 0, 2},
        {"deepspeed --num_gpus 2 a.py --deepspeed", "deepspeed", "a.py", 2, 0,
         1},
        {"mpiexec -n 8 python scripts/a.py", "mpiexec", "scripts/a.py", 8, 0,
         0},
        {"srun -N 4 --ntasks-per-node 8 python a.py", "srun", "a.py", 8, 4, 0},
        {"bash run.sh 1 2", NULL, "run.sh", 0, 0, 2},
        {"./train.py --x", NULL, "./train.py", 0, 0, 1},
    };
    struct arena arena;
    (void)state;
    arena_init(&arena);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct launch launch = launched(rows[i].command, &arena);
        const char *target = launch.script ? launch.script : launch.module;
        if (rows[i].launcher)
            assert_string_equal(launch.launcher, rows[i].launcher);
        else
            assert_null(launch.launcher);
        assert_string_equal(target, rows[i].target);
        assert_int_equal(launch.processes, rows[i].processes);
        assert_int_equal(launch.nodes, rows[i].nodes);
        assert_int_equal(launch.n_words, rows[i].n_words);
    }
    struct launch launch;
    assert_false(launch_read(text_from("make all; ls"), &arena, &launch));
    assert_false(launch_read(text_from(""), &arena, &launch));
    arena_fini(&arena);
}

static void wants(const struct settings *settings, const char *key,
                  const char *value)
{
    const char *const keys[] = {key, NULL};
    const struct setting *setting = settings_find(settings, keys, NULL);
    if (!value && setting)
        fail_msg("%s=%s", key, setting->value);
    if (value && (!setting || strcmp(setting->value, value) != 0))
        fail_msg("%s: %s, not %s", key, setting ? setting->value : "nothing",
                 value);
}

static void arguments_are_settings(void **state)
{
    struct arena arena;
    struct settings settings;
    (void)state;
    arena_init(&arena);
    settings_init(&settings, &arena);
    struct launch launch =
        launched("python a.py -b 64 --lr=1e-3 --flag --neg -0.5 "
                 "model.depth=3 --hparams=fp16_run=True,epochs=7 --last",
                 &arena);
    launch_settings(&launch, "command", 0, &settings);
    settings_alias(&settings, text_from("-b"), text_from("--batch-size"));
    settings_resolve(&settings);
    wants(&settings, "batch_size", "64");
    wants(&settings, "lr", "1e-3");
    wants(&settings, "flag", "true");
    wants(&settings, "neg", "-0.5");
    wants(&settings, "fp16_run", "True");
    wants(&settings, "epochs", "7");
    wants(&settings, "last", "true");
    settings_fini(&settings);
    arena_fini(&arena);
}

static void scripts_of_the_shell_are_followed(void **state)
{
    static const char script[] = "#!/bin/bash\n"
                                 "# python old.py\n"
                                 "N=4 # of them\n"
                                 "export LR='1e-3'\n"
                                 "mkdir -p out\n"
                                 "torchrun --nproc_per_node=$N \\\n"
                                 "  train.py --lr ${LR} --x $UNKNOWN\n"
                                 "python eval.py\n";
    struct arena arena;
    size_t line;
    (void)state;
    arena_init(&arena);
    const char *command = launch_in_script(text_from(script), &arena, &line);
    assert_non_null(command);
    assert_int_equal(line, 6);
    struct launch launch = launched(command, &arena);
    assert_string_equal(launch.script, "train.py");
    assert_int_equal(launch.processes, 4);
    assert_string_equal(launch.words[1], "1e-3");
    assert_string_equal(launch.words[3], "$UNKNOWN");
    assert_null(launch_in_script(text_from("ls\nmake\n"), &arena, &line));
    arena_fini(&arena);
}

static void python_is_read_as_text(void **state)
{
    static const char source[] =
        "\"\"\"batch_size = 1\"\"\"\n"
        "# epochs = 1\n"
        "x = '# no comment'\n"
        "parser.add_argument(\n"
        "    '--batch-size', '-b', type=int,\n"
        "    default=64, help='batch, (size)')\n"
        "parser.add_argument('--name', default='a, b')\n"
        "parser.add_argument('--none', default=None)\n"
        "flags.DEFINE_float('decay', 1e-2, 'of weights')\n"
        "lr = 3 * 2e-1\n"
        "steps = int(7e6)\n"
        "width = 2 ** 10\n"
        "big = 1_000\n"
        "computed = f(3)\n"
        "equal == 3\n"
        "class Config:\n"
        "    depth: int = 12\n"
        "    note: str = field(default=\"hi\", metadata={\"a\": 1})\n"
        "def f(quick=True):\n"
        "    inner = 5\n"
        "    loader = Loader(data, workers=2, shuffle=False)\n"
        "    conf = {\n"
        "        'zero': 3,\n"
        "    }\n"
        "    for epoch in range(start, start + 90):\n"
        "        pass\n";
    struct arena arena;
    struct settings settings;
    (void)state;
    arena_init(&arena);
    settings_init(&settings, &arena);
    py_settings(py_strip(text_from(source), &arena), "a.py", false, &settings);
    wants(&settings, "batch_size", "64");
    wants(&settings, "epochs", "90");
    wants(&settings, "x", "# no comment");
    wants(&settings, "name", "a, b");
    wants(&settings, "none", NULL);
    wants(&settings, "decay", "0.01");
    wants(&settings, "steps", "7000000");
    wants(&settings, "width", "1024");
    wants(&settings, "big", "1000");
    wants(&settings, "computed", NULL);
    wants(&settings, "equal", NULL);
    wants(&settings, "depth", "12");
    wants(&settings, "note", "hi");
    wants(&settings, "inner", "5");
    wants(&settings, "workers", "2");
    wants(&settings, "shuffle", "false");
    wants(&settings, "quick", "true");
    wants(&settings, "zero", "3");
    const char *const keys[] = {"batch_size", NULL};
    assert_string_equal(settings_find(&settings, keys, NULL)->where, "a.py:4");
    settings_fini(&settings);
    arena_fini(&arena);
}

static void imports_are_found(void **state)
{
    static const char source[] = "import a.b as c, d\n"
                                 "from .e import f\n"
                                 "if x:\n"
                                 "    from g.h import *\n"
                                 "important = 3\n";
    static const char *const want[] = {"a.b", ".e", "g.h"};
    struct text module;
    size_t at = 0;
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        assert_true(py_next_import(text_from(source), &at, &module));
        assert_true(text_is(module, want[i]));
    }
    assert_false(py_next_import(text_from(source), &at, &module));
}

static void configurations_become_dotted_keys(void **state)
{
    static const struct {
        const char *path, *text;
    } rows[] = {
        {"a.json", "{\"a\": {\"b\": 1.50, \"c\": [7, 8]}, \"d\": \"x\", "
                   "\"e\": true}"},
        {"a.yaml", "a:\n  b: 1.5 # note\n  c:\n    - 7\nd: \"x\"\ne: true\n"
                   "---\nf: {a: 1}\n"},
        {"a.toml", "d = \"x\" # note\ne = true\n[a]\nb = 1.5\n"},
        {"a.ini", "d = x\r\ne = true\r\n[a]\r\nb = 1.5\r\n"},
        {"a.py", "d = 'x'\ne = True\na_b = 1.5\n"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct arena arena;
        struct settings settings;
        arena_init(&arena);
        settings_init(&settings, &arena);
        assert_true(conf_is_config(rows[i].path));
        conf_settings(text_from(rows[i].text), rows[i].path, &settings);
        wants(&settings, i == 4 ? "a_b" : "a.b", "1.5");
        wants(&settings, "d", "x");
        wants(&settings, "e", "true");
        if (i == 0)
            wants(&settings, "a.c", "7");
        settings_fini(&settings);
        arena_fini(&arena);
    }
    assert_false(conf_is_config("a.pt"));
    assert_false(conf_is_config(".py"));
}

static void what_weighs_more_overrules(void **state)
{
    static const char *const keys[] = {"batch_size", "bs", NULL};
    struct arena arena;
    struct settings settings;
    (void)state;
    arena_init(&arena);
    settings_init(&settings, &arena);
    struct text key = text_from("batch_size");
    settings_add(&settings, SETTING_ASSIGNED, key, text_from("1"), "a", 1);
    settings_add(&settings, SETTING_DECLARED, key, text_from("2"), "a", 2);
    assert_string_equal(settings_find(&settings, keys, NULL)->value, "2");
    settings_add(&settings, SETTING_CONFIG, text_from("train.bs"),
                 text_from("3"), "b", 1);
    assert_string_equal(settings_find(&settings, keys, NULL)->value, "3");
    settings_add(&settings, SETTING_CONFIG, text_from("x.batch_size"),
                 text_from("4"), "b", 2);
    assert_string_equal(settings_find(&settings, keys, NULL)->value, "4");
    settings_add(&settings, SETTING_COMMAND, key, text_from("many"), "c", 0);
    assert_string_equal(
        settings_find(&settings, keys, setting_is_positive)->value, "4");
    settings_add(&settings, SETTING_COMMAND, key, text_from("5"), "c", 0);
    settings_add(&settings, SETTING_COMMAND, key, text_from("6"), "c", 0);
    assert_string_equal(
        settings_find(&settings, keys, setting_is_positive)->value, "6");
    settings_fini(&settings);
    arena_fini(&arena);
}

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
    assert_true(metadata_known(&metadata) == 2.0 / 5);
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
    assert_true(agreement > 0.499 && agreement < 0.501); /* 2/3, 1/3 */
    arena_fini(&arena);
}

static void the_tree_is_drawn(void **state)
{
    static const struct workspace_file files[] = {{"a.py", 1},
                                                  {"b/c/d.py", 2},
                                                  {"b/c/e.py", 3},
                                                  {"b/f.py", 4},
                                                  {"c/c/g.py", 5}};
    const struct workspace workspace = {.files = files, .n_files = 5};
    struct out *out = out_to_memory();
    (void)state;
    workspace_tree(&workspace, 4096, out);
    out_char(out, '\0');
    assert_string_equal(out_memory(out).at,
                        "a.py (1 bytes)\nb/\n  c/\n    d.py (2 bytes)\n"
                        "    e.py (3 bytes)\n  f.py (4 bytes)\nc/\n  c/\n"
                        "    g.py (5 bytes)\n5 files\n");
    out_abandon(out);
    assert_ptr_equal(workspace_find(&workspace, "./b//c/e.py"), &files[2]);
    assert_null(workspace_find(&workspace, "b/c"));
    assert_null(workspace_find(&workspace, "../a.py"));
    assert_null(workspace_find(&workspace, "/a.py"));
}

/* The vector that retrieval compares: the text of a project of the test suite,
 * with its own command and then `more`. */
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

/* SchedMate's threshold is 0.90 (section 5.1), for another embedding. With the
 * built-in one it also separates variants of a job from other jobs. */
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
        cmocka_unit_test(commands_are_taken_apart),
        cmocka_unit_test(arguments_are_settings),
        cmocka_unit_test(scripts_of_the_shell_are_followed),
        cmocka_unit_test(python_is_read_as_text),
        cmocka_unit_test(imports_are_found),
        cmocka_unit_test(configurations_become_dotted_keys),
        cmocka_unit_test(what_weighs_more_overrules),
        cmocka_unit_test(metadata_becomes_words),
        cmocka_unit_test(the_vote_is_by_field),
        cmocka_unit_test(the_tree_is_drawn),
        cmocka_unit_test(variants_are_near_and_other_jobs_are_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
