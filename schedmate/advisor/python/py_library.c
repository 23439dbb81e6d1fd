/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the result of a call of a library in the tables of known functions. */

#include <string.h>

#include "schedmate/advisor/python/py_machine_internal.h"

/* Libraries that call the code of the project: trainers, spawners of
 * processes, and runners of main functions. */

static struct py_value *py_located(struct py_machine *machine,
                                   struct text name);
static struct py_value *py_hydra_call(struct py_machine *machine,
                                      struct py_call *call);

static const struct text framework_none = {"", 0};

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
        py_map_set(&all, machine->arena, framework_none, machine->unknown);
    if (!args && py_name_ends(call->name, "spawn"))
        args = py_argument(call, 1, "\1");
    for (size_t i = 0; args && args->type == PYV_LIST && i < args->map->n; i++)
        py_map_set(&all, machine->arena, framework_none,
                   args->map->at[i].value);
    all.open = args && args->type != PYV_LIST;
    return py_call(machine, function, &all);
}

/* Evaluates app.run(main) of absl or TensorFlow, which calls main(argv). The
 * value of argv is unknown; it is left out if main does not need it. */
static struct py_value *library_run_app(struct py_machine *machine,
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
        class =
            py_located(machine, py_is_text(path) ? path->text : framework_none);
        part = py_map_find(part->map, "init_args");
    }
    if (!class || class->type == PYV_NONE)
        return NULL;
    struct text prefix =
        py_join(machine->arena, text_from(key), ".", framework_none);
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
        py_map_set(&hooks.arguments, machine->arena, framework_none, model);
    if (data)
        py_map_set(&hooks.arguments, machine->arena, framework_none, data);
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

/* Evaluates the code of the project that a call of a framework calls, and
 * returns the result of the call; NULL if it is not known or the call is
 * another one. */
static struct py_value *py_framework_call(struct py_machine *machine,
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
        {"app.run", library_run_app},
        {"tf.app.run", library_run_app},
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

/* What the evaluator of Python knows of files, paths and variables of the
 * environment. */

static const struct text py_files_none = {"", 0};

static struct py_value *library_environment(struct py_machine *machine,
                                            struct py_call *call)
{
    static const char *const launched[] = {
        "RANK",   "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE",
        "SLURM_", "OMPI_",      "MASTER_"};
    const struct py_value *name = py_argument(call, 0, "key");
    struct py_value *other = py_argument(call, 1, "default");
    if (!py_is_text(name))
        return machine->unknown;
    const char *key = arena_copy(machine->arena, name->text.at, name->text.len);
    const char *value = machine->host->environment(machine->host->self, key);
    if (value) {
        struct py_value *set = py_text_value(machine, text_from(value));
        return py_with_source(machine, set, machine->words_where,
                              SETTING_COMMAND);
    }
    for (size_t i = 0; i < sizeof launched / sizeof *launched; i++) {
        if (machine->distributed && text_starts(name->text, launched[i]))
            return machine->unknown;
    }
    return other ? other : machine->none;
}

static struct py_value *join_path(struct py_machine *machine,
                                  struct py_call *call)
{
    struct text path = py_files_none;
    for (size_t i = 0; i < call->arguments.n; i++) {
        const struct py_value *part = call->arguments.at[i].value;
        if (!py_is_text(part))
            return machine->unknown;
        bool whole = text_char(part->text, 0) == '/' || !path.len;
        bool slash = path.len && path.at[path.len - 1] == '/';
        path =
            whole ? part->text
                  : py_join(machine->arena, path, slash ? "" : "/", part->text);
    }
    struct py_value *value = py_text_value(machine, path);
    const struct py_value *from =
        call->arguments.n ? call->arguments.at[0].value : value;
    return from->where ? py_with_source(machine, value, from->where, from->rank)
                       : value;
}

static struct py_value *part_of_path(struct py_machine *machine,
                                     struct py_call *call)
{
    const struct py_value *path = py_argument(call, 0, "\1");
    if (!py_is_text(path))
        return machine->unknown;
    const char *slash =
        path->text.len ? memrchr(path->text.at, '/', path->text.len) : NULL;
    size_t n = slash ? (size_t)(slash - path->text.at) : 0;
    bool root = slash && n == 0;
    bool base = py_name_ends(call->name, "basename");
    struct text part = !base   ? (struct text){path->text.at, n + root}
                       : slash ? text_skip(path->text, n + 1)
                               : path->text;
    return py_text_value(machine, part);
}

static struct py_value *open_file(struct py_machine *machine,
                                  struct py_call *call)
{
    const struct py_value *path = py_argument(call, 0, "file");
    return py_is_text(path) ? py_open(machine, path->text) : machine->unknown;
}

static struct py_value *exists(struct py_machine *machine, struct py_call *call)
{
    const struct py_value *path = py_argument(call, 0, "path");
    return py_is_text(path) ? py_exists(machine, path->text) : machine->unknown;
}

/* Evaluates yaml.safe_load(file), json.load(file), OmegaConf.load(path) and the
 * like to the value of the file. */
static struct py_value *load_file(struct py_machine *machine,
                                  struct py_call *call)
{
    struct py_value *file = py_argument(call, 0, "\1"), *value;
    if (!file && call->arguments.n)
        file = call->arguments.at[0].value;
    bool opened = file && file->type == PYV_OBJECT;
    if (opened)
        file = py_map_find(file->map, "name");
    if (!py_is_text(file))
        return machine->unknown;
    value = py_read_config(machine, file->text);
    /* a text that is not a path but the value itself */
    if (!value && !opened && !memchr(file->text.at, '\n', file->text.len) &&
        !py_name_ends(call->name, "OmegaConf.load"))
        value =
            py_plain_value(machine->arena, file->text, file->where, file->rank);
    if (value && value->type == PYV_DICT &&
        !py_name_ends(call->name, "schedsim.read_config"))
        py_interpolate(machine, value);
    return value ? value : machine->unknown;
}

/* Evaluates file.read() to the file itself, which the parsers of texts take. */
static struct py_value *library_read_file(struct py_machine *machine,
                                          struct py_call *call)
{
    (void)machine;
    return call->self && call->self->type == PYV_OBJECT &&
                   text_is(call->self->of->text, "open")
               ? call->self
               : NULL;
}

static const struct py_library_row py_files_rows[] = {
    {"open", open_file},
    {"os.environ.get", library_environment},
    {"os.getenv", library_environment},
    {"getenv", library_environment},
    {"os.path.join", join_path},
    {"pathlib.Path", join_path},
    {"Path", join_path},
    {"os.path.basename", part_of_path},
    {"os.path.dirname", part_of_path},
    {"os.path.isfile", exists},
    {"os.path.exists", exists},
    {"os.path.abspath", py_first},
    {"os.path.realpath", py_first},
    {"os.path.normpath", py_first},
    {"os.path.expanduser", py_first},
    {"os.fspath", py_first},
    {"schedsim.read_config", load_file},
    {"OmegaConf.load", load_file},
    {"yaml.safe_load", load_file},
    {"yaml.load", load_file},
    {"yaml.full_load", load_file},
    {"yaml.unsafe_load", load_file},
    {"YAML.load", load_file},
    {"json.load", load_file},
    {"json.loads", load_file},
    {"toml.load", load_file},
    {"tomllib.load", load_file},
    {"tomli.load", load_file},
    {"tomllib.loads", load_file},
    {"Config.fromfile", load_file},
    {"open.read", library_read_file},
};

static struct py_value *py_file_call(struct py_machine *machine,
                                     struct py_call *call)
{
    return py_by_rows(machine, call, py_files_rows,
                      sizeof py_files_rows / sizeof *py_files_rows);
}

struct py_value *py_by_rows(struct py_machine *machine, struct py_call *call,
                            const struct py_library_row *rows, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct py_value *value = py_name_ends(call->name, rows[i].name)
                                     ? rows[i].call(machine, call)
                                     : NULL;
        if (value)
            return value;
    }
    return NULL;
}

struct py_value *py_library_call(struct py_machine *machine,
                                 struct py_call *call)
{
    static struct py_value *(*const rooms[])(struct py_machine *,
                                             struct py_call *) = {
        py_function_call, py_class_call,  py_file_call,
        py_config_call,   py_option_call, py_command_library,
        py_click_call,    py_hydra_call,  py_framework_call};
    struct py_value *value = NULL;
    for (size_t i = 0; !value && i < sizeof rooms / sizeof *rooms; i++)
        value = rooms[i](machine, call);
    return value;
}

/* Makes the objects that configurations name: _target_ of Hydra, `type` of
 * registries. */

static const struct text instantiate_none = {"", 0};

/* Returns the class or function that a dotted name means; a name of a library
 * if the project has none. */
static struct py_value *py_located(struct py_machine *machine, struct text name)
{
    struct text last = py_last_name(name);
    struct py_value *module = NULL;
    if (last.len < name.len)
        module =
            py_import(machine, (struct text){name.at, name.len - last.len - 1});
    struct py_value *value = module ? py_map_get(module->map, last) : NULL;
    return value ? value : py_library_value(machine, name);
}

static struct py_value *made(struct py_machine *machine,
                             struct py_value *config, unsigned depth);

/* Adds the arguments without a name: _args_ of a configuration. */
static void py_library_add_first(struct py_machine *machine,
                                 const struct py_value *config, unsigned depth,
                                 struct py_map *arguments)
{
    const struct py_value *list = py_map_find(config->map, "_args_");
    for (size_t i = 0;
         list && list->type == PYV_LIST && i < list->map->n && depth < 10;
         i++) {
        struct py_value *one = list->map->at[i].value;
        py_map_set(arguments, machine->arena, instantiate_none,
                   one->type == PYV_DICT ? made(machine, one, depth + 1) : one);
    }
}

/* Makes the objects that the items of a configuration name, and returns the
 * object that the configuration itself names; if it names none, a dictionary of
 * the items. */
static struct py_value *made(struct py_machine *machine,
                             struct py_value *config, unsigned depth)
{
    struct py_map arguments = {.maybe = machine->maybe};
    const struct py_value *target = py_map_find(config->map, "_target_");
    const struct py_value *partial = py_map_find(config->map, "_partial_");
    py_library_add_first(machine, config, depth, &arguments);
    for (size_t i = 0; i < config->map->n && depth < 10; i++) {
        struct py_item item = config->map->at[i];
        if (text_starts(item.key, "_") && item.key.len > 2 &&
            item.key.at[item.key.len - 1] == '_')
            continue;
        if (item.value->type == PYV_DICT)
            item.value = made(machine, item.value, depth + 1);
        py_map_set(&arguments, machine->arena, item.key, item.value);
    }
    if (!py_is_text(target)) {
        struct py_value *dict = py_dict_value(machine);
        *dict->map = arguments;
        return dict;
    }
    struct py_value *callee = py_located(machine, target->text);
    if (!partial || py_truth(partial) != PY_YES)
        return py_call(machine, callee, &arguments);
    struct py_map all = {.maybe = machine->maybe};
    py_map_set(&all, machine->arena, instantiate_none, callee);
    for (size_t i = 0; i < arguments.n; i++)
        py_map_set(&all, machine->arena, arguments.at[i].key,
                   arguments.at[i].value);
    return py_call(machine,
                   py_library_value(machine, text_from("functools.partial")),
                   &all);
}

static struct py_value *instantiate(struct py_machine *machine,
                                    struct py_call *call)
{
    struct py_value *config = py_argument(call, 0, "config");
    if (!config || config->type != PYV_DICT)
        return machine->unknown;
    config = py_copy(machine, config, 0);
    for (size_t i = 0; i < call->arguments.n; i++) {
        if (call->arguments.at[i].key.len)
            py_map_set(config->map, machine->arena, call->arguments.at[i].key,
                       call->arguments.at[i].value);
    }
    struct py_value *object = made(machine, config, 0);
    /* instantiate(cfg, x): x goes to the partial function */
    struct py_value *more = py_argument(call, 1, "\1");
    return more && object->type == PYV_OBJECT &&
                   py_name_ends(object->of->text, "partial")
               ? py_call_with(machine, object, more)
               : object;
}

static struct py_value *locate(struct py_machine *machine, struct py_call *call)
{
    const struct py_value *name = py_argument(call, 0, "path");
    return py_is_text(name) ? py_located(machine, name->text) : NULL;
}

static struct py_value *from_registry(struct py_machine *machine,
                                      struct py_call *call)
{
    const struct py_value *name = py_argument(call, 0, "name");
    return call->self && py_is_text(name)
               ? py_map_get(&machine->registry, name->text)
               : NULL;
}

/* Returns the result of a call that makes or finds what a configuration or a
 * registry names (Hydra, registries); NULL for any other call. */
static struct py_value *py_hydra_call(struct py_machine *machine,
                                      struct py_call *call)
{
    static const struct py_library_row rows[] = {
        {"instantiate", instantiate},   {"get_class", locate},
        {"get_method", locate},         {"get_object", locate},
        {"pydoc.locate", locate},       {"locate", locate},
        {"Registry.get", from_registry}};
    return py_by_rows(machine, call, rows, sizeof rows / sizeof *rows);
}
