/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the model if the code trains a wrapper of the model, a part of it or an
 * object that holds it. */
#include <string.h>

#include "schedmate/advisor/advisor_calls.h"

enum { DEEP_MAX = 5 };

static bool is_wrapper(struct text name)
{
    static const char *const names[] = {"DataParallel",
                                        "DistributedDataParallel",
                                        "FullyShardedDataParallel",
                                        "DDP",
                                        "FSDP",
                                        "prepare",
                                        "initialize",
                                        "convert_sync_batchnorm",
                                        "get_peft_model",
                                        "prepare_model",
                                        "setup",
                                        "wrap",
                                        "compile",
                                        "prepare_model_for_kbit_training"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (py_name_ends(name, names[i]))
            return true;
    }
    return false;
}

const struct py_value *advisor_inner_model(const struct py_value *model)
{
    static const char *const names[] = {"model",    "net",     "network",
                                        "backbone", "encoder", "generator",
                                        "module"};
    for (int i = 0; i < DEEP_MAX; i++) {
        const struct py_value *inner = NULL;
        if (model->type != PYV_OBJECT)
            return model;
        if (model->call && is_wrapper(model->call->name))
            inner = py_argument(model->call, 0, "model");
        bool holder = model->of && model->of->type == PYV_CLASS &&
                      py_derives(model->of, "LightningModule");
        for (size_t k = 0; holder && !inner && k < sizeof names / sizeof *names;
             k++)
            inner = py_map_find(model->map, names[k]);
        if (!inner || inner->type != PYV_OBJECT)
            return model;
        model = inner;
    }
    return model;
}

/* True for an object whose class belongs to the project and is derived from a
 * class of models, so that it may hold layers. A LightningModule does not
 * count. */
static bool holds_layers(const struct py_value *whole)
{
    return whole && whole->type == PYV_OBJECT && whole->map && whole->of &&
           whole->of->type == PYV_CLASS &&
           !py_derives(whole->of, "LightningModule") &&
           (py_derives(whole->of, "Module") || py_derives(whole->of, "Model"));
}

const struct py_value *advisor_holder_of(const struct py_machine *machine,
                                         const struct py_value *part)
{
    if (part->type != PYV_OBJECT || !part->of || part->of->type != PYV_LIBRARY)
        return part;
    for (size_t i = 0; i < machine->n_calls; i++) {
        const struct py_value *whole = machine->calls[i]->result;
        bool fits = holds_layers(whole);
        for (size_t k = 0; fits && k < whole->map->n; k++) {
            if (whole->map->at[k].value == part)
                return whole;
        }
    }
    return part;
}

void advisor_find_base(const struct py_machine *machine,
                       struct advisor_calls *out)
{
    static const char part[] = "applications.";
    const struct py_call *made = out->model ? out->model->call : NULL;
    if (!made || !(py_name_ends(made->name, "keras.Model") ||
                   py_name_ends(made->name, "Sequential") ||
                   py_name_ends(made->name, "models.Model")))
        return;
    for (size_t i = 0; i < machine->n_calls; i++) {
        const struct py_call *call = machine->calls[i];
        if (call->result && call->result->type == PYV_OBJECT &&
            memmem(call->name.at, call->name.len, part, sizeof part - 1)) {
            out->model = call->result;
            return;
        }
    }
}
