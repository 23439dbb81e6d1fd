/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "schedmate/advisor/python/py_machine.h"

#include <string.h>

#include "schedmate/advisor/python/py_machine_internal.h"

bool py_calls_have(const struct py_machine *machine, const char *name)
{
    for (size_t i = 0; i < machine->n_calls; i++) {
        if (py_name_ends(machine->calls[i]->name, name))
            return true;
    }
    return false;
}

bool py_machine_run(struct py_machine *machine, const char *path)
{
    machine->unknown = py_value_new(machine->arena, PYV_UNKNOWN);
    machine->none = py_value_new(machine->arena, PYV_NONE);
    machine->rank = SETTING_ASSIGNED;
    if (!py_load(machine, path))
        return false;
    py_call_later(machine);
    /* The last configuration that is read overrides those before it. */
    machine->whole = true;
    for (size_t i = machine->loaded.n; i-- > 0;)
        py_note_all(machine, machine->loaded.at[i].value, (struct text){"", 0},
                    0);
    machine->whole = false;
    return true;
}
