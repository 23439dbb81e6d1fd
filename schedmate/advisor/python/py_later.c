/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Evaluates functions that the script does not call itself: those that a
 * library calls back, and the functions of a script that another program
 * starts. */
#include <string.h>

#include "schedmate/advisor/python/py_machine_internal.h"

enum { LATER_MAX = 40 };

/* True if the value is a function of the project whose body was not run. */
static bool is_pending(const struct py_value *value)
{
    return value &&
           (value->type == PYV_FUNCTION || value->type == PYV_METHOD) &&
           value->node && value->node->kind == PY_DEF && value->map &&
           !py_map_find(value->map, "%run");
}

/* Calls a function with unknown values for the parameters without a default. */
static void call_open(struct py_machine *machine, struct py_value *function)
{
    struct py_map arguments = {.maybe = machine->maybe, .open = false};
    for (const struct py_node *param =
             function->type == PYV_FUNCTION ? function->node->a : NULL;
         param; param = param->next) {
        if (!param->c && !param->b)
            py_map_set(&arguments, machine->arena, param->text,
                       machine->unknown);
    }
    machine->file = function->scope->file;
    py_call(machine, function, &arguments);
    machine->file = machine->files[0];
}

/* Calls the functions that were given to libraries, such as the model function
 * of an estimator of TensorFlow. */
static void call_back(struct py_machine *machine)
{
    for (size_t i = 0, n = 0; i < machine->n_calls && n < LATER_MAX; i++) {
        const struct py_call *call = machine->calls[i];
        for (size_t k = 0; k < call->arguments.n && n < LATER_MAX; k++) {
            struct py_value *value = call->arguments.at[k].value;
            if (is_pending(value)) {
                call_open(machine, value);
                n++;
            }
        }
    }
}

/* Calls the methods by which libraries ask a class of the project for its
 * optimizer and its data. */
static void call_hooks(struct py_machine *machine)
{
    static const char *const names[] = {
        "configure_optimizers", "init_optimizers",      "create_optimizer",
        "train_dataloader",     "get_train_dataloader", "build_optimizer"};
    for (size_t i = 0; i < machine->n_calls; i++) {
        struct py_value *object = machine->calls[i]->result;
        if (!object || object->type != PYV_OBJECT || !object->of ||
            object->of->type != PYV_CLASS ||
            !py_library_base(object->of, 0).len)
            continue;
        for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
            struct py_value *method = py_method(machine, object, names[k]);
            if (is_pending(method))
                py_call(machine, method, &(struct py_map){0});
        }
    }
}

/* Calls functions of the script with names such as main or train. A script
 * whose evaluation reaches no training is started in another manner, such as by
 * the entry point of a package. */
static void call_own(struct py_machine *machine)
{
    static const char *const names[] = {"main",   "train",   "run",
                                        "cli",    "app",     "main_worker",
                                        "worker", "training"};
    const struct py_map *own = &machine->files[0]->scope.names;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct py_value *value = py_map_find(own, names[i]);
        if (is_pending(value) && value->scope->file == machine->files[0])
            call_open(machine, value);
        else if (value && value->type == PYV_OBJECT && i >= 3)
            py_call(machine, value, &(struct py_map){0});
    }
}

void py_call_later(struct py_machine *machine)
{
    static const char *const training[] = {"backward", "fit", "minimize",
                                           "parameters", "Trainer"};
    bool trains = false;
    for (size_t i = 0; i < sizeof training / sizeof *training; i++)
        trains |= py_calls_have(machine, training[i]);
    if (!trains)
        call_own(machine);
    call_back(machine);
    call_hooks(machine);
}
