/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the result of a call of a library in the tables of known functions. */
#include "schedmate/advisor/python/py_machine_internal.h"

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
