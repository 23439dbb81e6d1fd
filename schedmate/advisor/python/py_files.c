/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the evaluator of Python knows of files, paths and variables of the
 * environment. */
#include <string.h>

#include "schedmate/advisor/python/py_config.h"
#include "schedmate/advisor/python/py_machine_internal.h"

static const struct text none = {"", 0};

static struct py_value *environment(struct py_machine *machine,
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
    struct text path = none;
    for (size_t i = 0; i < call->arguments.n; i++) {
        const struct py_value *part = call->arguments.at[i].value;
        if (!py_is_text(part))
            return machine->unknown;
        bool whole = text_char(part->text, 0) == '/' || !path.len;
        path =
            whole ? part->text : py_join(machine->arena, path, "/", part->text);
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
    bool base = py_name_ends(call->name, "basename");
    struct text part = !base   ? (struct text){path->text.at, n}
                       : slash ? text_skip(path->text, n + 1)
                               : path->text;
    return py_text_value(machine, part.len ? part : text_from("."));
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
static struct py_value *read_file(struct py_machine *machine,
                                  struct py_call *call)
{
    (void)machine;
    return call->self && call->self->type == PYV_OBJECT &&
                   text_is(call->self->of->text, "open")
               ? call->self
               : NULL;
}

static const struct py_library_row rows[] = {
    {"open", open_file},
    {"os.environ.get", environment},
    {"os.getenv", environment},
    {"getenv", environment},
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
    {"open.read", read_file},
};

struct py_value *py_file_call(struct py_machine *machine, struct py_call *call)
{
    return py_by_rows(machine, call, rows, sizeof rows / sizeof *rows);
}
