/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Libraries that call the code of the project: trainers, spawners of
 * processes, and runners of main functions. */
#include <string.h>

#include "schedmate/advisor/python/py_config.h"
#include "schedmate/advisor/python/py_machine_internal.h"

static const struct text none = {"", 0};

static void call_if(struct py_machine *machine, struct py_value *object,
                    const char *name)
{
    struct py_value *method = py_method(machine, object, name);
    if (method)
        py_call(machine, method, &(struct py_map){0});
}

/* Evaluates Trainer.fit(model, data): calls the methods of both by which
 * Lightning sets up the data, the model and the optimizer. Returns NULL. */
static struct py_value *fit(struct py_machine *machine, struct py_call *call)
{
    for (size_t i = 0; i < call->arguments.n; i++) {
        struct py_value *object = call->arguments.at[i].value;
        if (object->type != PYV_OBJECT || !object->of ||
            object->of->type != PYV_CLASS)
            continue;
        call_if(machine, object, "setup");
        call_if(machine, object, "train_dataloader");
        call_if(machine, object, "configure_model");
        call_if(machine, object, "configure_optimizers");
    }
    return NULL;
}

/* Returns the function of the project that a runner runs; NULL if it is not
 * known. */
static struct py_value *function_of(const struct py_call *call)
{
    static const char *const keys[] = {"target",    "fn",       "main",
                                       "main_func", "function", "func"};
    struct py_value *value = py_argument(call, 0, "\1");
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        if (!value ||
            (value->type != PYV_FUNCTION && value->type != PYV_METHOD))
            value = py_argument(call, -1, keys[i]);
    }
    return value && (value->type == PYV_FUNCTION ||
                     (value->type == PYV_METHOD && value->node))
               ? value
               : NULL;
}

/* Evaluates mp.spawn(f, nprocs=n, args=(...)), Process(target=f, args=...),
 * launch(f) and notebook_launcher(f). Returns NULL if f is not known. */
static struct py_value *run_function(struct py_machine *machine,
                                     struct py_call *call)
{
    struct py_value *function = function_of(call);
    const struct py_value *args = py_argument(call, -1, "args");
    struct py_map all = {.maybe = machine->maybe};
    if (!function)
        return NULL;
    if (py_name_ends(call->name, "spawn"))
        py_map_set(&all, machine->arena, none, machine->unknown);
    if (!args && py_name_ends(call->name, "spawn"))
        args = py_argument(call, 1, "\1");
    for (size_t i = 0; args && args->type == PYV_LIST && i < args->map->n; i++)
        py_map_set(&all, machine->arena, none, args->map->at[i].value);
    all.open = args && args->type != PYV_LIST;
    return py_call(machine, function, &all);
}

/* Evaluates app.run(main) of absl or TensorFlow, which calls main(argv). The
 * value of argv is unknown; it is left out if main does not need it. */
static struct py_value *run_app(struct py_machine *machine,
                                struct py_call *call)
{
    struct py_value *function = function_of(call);
    if (!function)
        return NULL;
    return py_call_with(machine, function,
                        function->node && function->node->a &&
                                !function->node->a->b
                            ? machine->unknown
                            : NULL);
}

/* Replaces each item of a configuration that names a class by an object of that
 * class. */
static void make_parts(struct py_machine *machine, struct py_value *config,
                       unsigned depth)
{
    for (size_t i = 0;
         config && config->type == PYV_DICT && i < config->map->n && depth < 5;
         i++) {
        struct py_value *part = config->map->at[i].value;
        if (part->type != PYV_DICT)
            continue;
        struct py_value *init = py_map_find(part->map, "init_args");
        const struct py_value *path = py_map_find(part->map, "class_path");
        make_parts(machine, init ? init : part, depth + 1);
        if (py_is_text(path))
            config->map->at[i].value =
                py_call(machine, py_located(machine, path->text),
                        init && init->type == PYV_DICT ? init->map
                                                       : &(struct py_map){0});
    }
}

/* Makes the object that a section of a configuration of Lightning names, or
 * else one of `class`; NULL if neither gives a class. */
static struct py_value *section(struct py_machine *machine,
                                struct py_value *class,
                                const struct py_value *config, const char *key)
{
    struct py_value *part = config ? py_map_find(config->map, key) : NULL;
    const struct py_value *path = part && part->type == PYV_DICT
                                      ? py_map_find(part->map, "class_path")
                                      : NULL;
    if (path) {
        class = py_located(machine, py_is_text(path) ? path->text : none);
        part = py_map_find(part->map, "init_args");
    }
    if (!class || class->type == PYV_NONE)
        return NULL;
    struct text prefix = py_join(machine->arena, text_from(key), ".", none);
    make_parts(machine, part, 0);
    if (class->type == PYV_LIBRARY && part && part->type == PYV_DICT)
        return py_call(machine, class, part->map);
    return py_from_command(machine, class, prefix, part);
}

static void note_section(struct py_machine *machine,
                         const struct py_value *config, const char *key)
{
    const struct py_value *part = py_map_find(config->map, key);
    for (size_t i = 0; part && part->type == PYV_DICT && i < part->map->n; i++)
        py_note(machine, part->map->at[i].key, part->map->at[i].value);
}

/* Evaluates LightningCLI(Model, Data), which reads the sections model, data,
 * optimizer and trainer from the files --config and from options such as
 * --model.x. */
static struct py_value *lightning_cli(struct py_machine *machine,
                                      struct py_call *call)
{
    struct py_value *config = py_dict_value(machine), *model, *data;
    struct py_value *words = py_command_words(machine);
    for (size_t i = 0; i + 1 < machine->words->n; i++) {
        const struct py_value *word = machine->words->at[i].value;
        const struct py_value *path = machine->words->at[i + 1].value;
        bool names =
            text_is(word->text, "--config") || text_is(word->text, "-c");
        struct py_value *file =
            names ? py_read_config(machine, path->text) : NULL;
        if (file && file->type == PYV_DICT)
            py_merge(machine, config, file, true);
    }
    for (size_t i = 0; i < words->map->n; i++) {
        struct text key = words->map->at[i].key;
        if (key.len && memchr(key.at, '.', key.len))
            py_set_dotted(machine, config, key, words->map->at[i].value);
    }
    model =
        section(machine, py_argument(call, 0, "model_class"), config, "model");
    data = section(machine, py_argument(call, 1, "datamodule_class"), config,
                   "data");
    section(machine, NULL, config, "optimizer");
    note_section(machine, config, "trainer");
    struct py_call hooks = {.arguments = {.maybe = machine->maybe}};
    if (model)
        py_map_set(&hooks.arguments, machine->arena, none, model);
    if (data)
        py_map_set(&hooks.arguments, machine->arena, none, data);
    fit(machine, &hooks);
    struct py_value *cli = py_object_value(machine, call->name);
    if (model)
        py_map_set(cli->map, machine->arena, text_from("model"), model);
    if (data)
        py_map_set(cli->map, machine->arena, text_from("datamodule"), data);
    return cli;
}

/* Evaluates save_hyperparameters(), which keeps the parameters of __init__ as
 * self.hparams. */
static struct py_value *save(struct py_machine *machine, struct py_call *call)
{
    struct py_value *hparams = py_dict_value(machine);
    if (!machine->frame || !call->self || !call->self->map)
        return NULL;
    const struct py_map *names = &machine->frame->scope->names;
    for (size_t i = 0; i < names->n; i++) {
        if (!text_is(names->at[i].key, "self"))
            py_map_set(hparams->map, machine->arena, names->at[i].key,
                       names->at[i].value);
    }
    py_map_set(call->self->map, machine->arena, text_from("hparams"), hparams);
    return machine->none;
}

static struct py_value *same(struct py_machine *machine, struct py_call *call)
{
    (void)machine;
    return call->self;
}

struct py_value *py_framework_call(struct py_machine *machine,
                                   struct py_call *call)
{
    static const struct py_library_row rows[] = {
        {"Trainer.fit", fit},
        {"LightningCLI", lightning_cli},
        {"save_hyperparameters", save},
        {"spawn", run_function},
        {"Process", run_function},
        {"launch", run_function},
        {"notebook_launcher", run_function},
        {"app.run", run_app},
        {"tf.app.run", run_app},
        {"to", same},
        {"cuda", same},
        {"half", same},
        {"float", same},
        {"bfloat16", same},
        {"double", same},
        {"requires_grad_", same}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (!py_name_ends(call->name, rows[i].name) ||
            (rows[i].call == same && !call->self))
            continue;
        struct py_value *value = rows[i].call(machine, call);
        if (value)
            return value;
    }
    return NULL;
}
