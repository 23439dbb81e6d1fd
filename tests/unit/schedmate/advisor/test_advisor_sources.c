/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests the sources that the advisor reads: commands, arguments, shell scripts,
 * Python and configuration files, and which source has precedence. */
#include "tests/support/test.h"

#include <string.h>

#include "schedmate/advisor/advisor_internal.h"
#include "schedmate/advisor/launch_internal.h"
#include "schedmate/advisor/metadata.h"

static struct launch launched(const char *command, struct arena *arena)
{
    struct launch launch;
    if (!launch_find(text_from(command), NULL, arena, &launch))
        fail_msg("%s", command);
    return launch;
}

static const struct {
    const char *command, *launcher, *target; /* launcher NULL: none */
    uint32_t processes, nodes;
    size_t n_words;
} commands[] = {
    {.command = "python main.py", .launcher = "python", .target = "main.py"},
    {.command = "python3.11 -u 'my dir/main.py' --a 'b c'",
     .launcher = "python",
     .target = "my dir/main.py",
     .n_words = 2},
    {.command = "CUDA_VISIBLE_DEVICES=0,1 python main.py a=1",
     .launcher = "python",
     .target = "main.py",
     .n_words = 1},
    {.command = "cd x && nohup python main.py | tee log",
     .launcher = "python",
     .target = "main.py"},
    {.command = "torchrun --standalone --nproc_per_node=8 train.py c.py",
     .launcher = "torchrun",
     .target = "train.py",
     .processes = 8,
     .n_words = 1},
    {.command = "torchrun --nnodes 2 --nproc-per-node 4 t.py",
     .launcher = "torchrun",
     .target = "t.py",
     .processes = 4,
     .nodes = 2},
    {.command = "torchrun --nproc_per_node=gpu t.py",
     .launcher = "torchrun",
     .target = "t.py"},
    {.command =
         "python -m torch.distributed.launch --nproc_per_node=1 src/a.py -x",
     .launcher = "torch.distributed.launch",
     .target = "src/a.py",
     .processes = 1,
     .n_words = 1},
    {.command = "python -m multiproc train.py -x",
     .launcher = "multiproc",
     .target = "train.py",
     .n_words = 1},
    {.command = "python -m pkg.train --lr 1",
     .launcher = "python",
     .target = "pkg.train",
     .n_words = 2},
    {.command = "deepspeed --num_gpus 2 a.py --deepspeed",
     .launcher = "deepspeed",
     .target = "a.py",
     .processes = 2,
     .n_words = 1},
    {.command = "mpiexec -n 8 python scripts/a.py",
     .launcher = "mpiexec",
     .target = "scripts/a.py",
     .processes = 8},
    {.command = "srun -N 4 --ntasks-per-node 8 python a.py",
     .launcher = "srun",
     .target = "a.py",
     .processes = 8,
     .nodes = 4},
    {.command = "bash run.sh 1 2", .target = "run.sh", .n_words = 2},
    {.command = "./train.py --x", .target = "./train.py", .n_words = 1},
};

static void commands_are_taken_apart(void **state)
{
    struct arena arena;
    (void)state;
    arena_init(&arena);
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        struct launch launch = launched(commands[i].command, &arena);
        const char *target = launch.script ? launch.script : launch.module;
        if (commands[i].launcher)
            assert_string_equal(launch.launcher, commands[i].launcher);
        else
            assert_null(launch.launcher);
        assert_string_equal(target, commands[i].target);
        assert_int_equal(launch.processes, commands[i].processes);
        assert_int_equal(launch.nodes, commands[i].nodes);
        assert_int_equal(launch.n_words, commands[i].n_words);
    }
    struct launch launch;
    assert_false(launch_find(text_from("make all; ls"), NULL, &arena, &launch));
    assert_false(launch_find(text_from(""), NULL, &arena, &launch));
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

/* Supplies one script for the reader of shell scripts, under any name that
 * contains ".sh". */
static bool read_script(void *self, const char *dir, const char *path,
                        const char **found, struct text *out)
{
    (void)dir;
    *found = "run.sh";
    *out = text_from(self);
    return strstr(path, ".sh") != NULL;
}

static struct launch followed(char *script, const char *command,
                              struct arena *arena)
{
    const struct launch_files files = {script, read_script};
    struct launch launch;
    assert_true(launch_find(text_from(command), &files, arena, &launch));
    return launch;
}

static void scripts_of_the_shell_are_followed(void **state)
{
    static char script[] = "#!/bin/bash\n"
                           "# python old.py\n"
                           "N=4 # of them\n"
                           "export LR='1e-3'\n"
                           "mkdir -p out\n"
                           "torchrun --nproc_per_node=$N \\\n"
                           "  train.py --lr ${LR} --x $UNKNOWN\n"
                           "python eval.py\n";
    static char nothing[] = "ls\nmake\n";
    struct arena arena;
    (void)state;
    arena_init(&arena);
    struct launch launch = followed(script, "bash run.sh", &arena);
    assert_string_equal(launch.where, "run.sh:6");
    assert_string_equal(launch.script, "train.py");
    assert_int_equal(launch.processes, 4);
    assert_string_equal(launch.words[1], "1e-3");
    assert_string_equal(launch.words[3], "$UNKNOWN");
    launch = followed(nothing, "bash run.sh", &arena);
    assert_true(launch.is_shell);
    arena_fini(&arena);
}

static const char python[] =
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
    "    loader = Loader(data, workers=2, shuffle=False)\n";

static void python_is_read_as_text(void **state)
{
    struct arena arena;
    struct settings settings;
    (void)state;
    arena_init(&arena);
    settings_init(&settings, &arena);
    py_settings(py_strip(text_from(python), &arena), "a.py", false, &settings);
    wants(&settings, "batch_size", "64");
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
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
