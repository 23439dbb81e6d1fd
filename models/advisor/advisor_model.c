/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the name of the model that an evaluated script trains. */
#include <string.h>

#include "models/advisor/advisor_calls.h"
#include "models/advisor/advisor_clues.h"
#include "sim/base/ascii.h"

static const char *last_part(struct text path, struct arena *arena)
{
    while (path.len && path.at[path.len - 1] == '/')
        path.len--;
    const char *slash = path.len ? memrchr(path.at, '/', path.len) : NULL;
    if (slash)
        path = text_skip(path, (size_t)(slash + 1 - path.at));
    return path.len ? arena_copy(arena, path.at, path.len) : NULL;
}

/* Returns the text by which the code asks a library for a model. */
static const struct py_value *asked_for(const struct py_call *call)
{
    if (py_name_ends(call->name, "from_pretrained"))
        return py_argument(call, 0, "pretrained_model_name_or_path");
    if (py_name_ends(call->name, "create_model"))
        return py_argument(call, 0, "model_name");
    if (py_name_ends(call->name, "hub.load"))
        return py_argument(call, 1, "model");
    if (py_name_ends(call->name, "get_model") ||
        py_name_ends(call->name, "get_peft_model"))
        return py_argument(call, 0, "name");
    return NULL;
}

/* Returns the name of a model that a function of the project makes, or that is
 * given as an argument, as in Model(name="X"). `plain` if its class has no name
 * of its own. */
static const char *made_name(const struct py_call *call, bool plain,
                             struct arena *arena)
{
    const struct py_value *named = call ? py_argument(call, -1, "name") : NULL;
    struct text builder = call ? call->builder : (struct text){"", 0};
    if (plain && py_is_text(named))
        return arena_copy(arena, named->text.at, named->text.len);
    /* A function with a size in its name says more than its class. */
    bool telling = builder.len &&
                   (plain || ascii_is_digit(builder.at[builder.len - 1])) &&
                   clue_model_type(builder);
    return telling ? arena_copy(arena, builder.at, builder.len) : NULL;
}

/* Returns the name by which from_config(config) has asked for the config. */
static const char *name_of_config(const struct py_call *call,
                                  struct arena *arena)
{
    const struct py_value *config =
        call ? py_argument(call, 0, "config") : NULL;
    const struct py_value *name =
        config && config->call ? asked_for(config->call) : NULL;
    return py_is_text(name) ? last_part(name->text, arena) : NULL;
}

/* Returns the name of a model by its class or by the function that makes it. */
static const char *class_name(const struct py_value *model, struct arena *arena)
{
    static const char *const plain[] = {
        "Sequential", "ModuleList", "Module", "Model", "Sequence", "open",
        "Trainer", "LightningCLI", "Estimator", "super",
        /* a wrapper around a model that is not known */
        "DataParallel", "DistributedDataParallel", "FullyShardedDataParallel",
        NULL};
    static const char *const configured[] = {"from_config", "from_pretrained",
                                             NULL};
    struct text class =
        model->of ? py_last_name(model->of->text) : (struct text){"", 0};
    bool is_plain = py_is_one_of(class, plain);
    if (py_is_one_of(class, configured))
        return name_of_config(model->call, arena);
    const char *made = made_name(model->call, is_plain, arena);
    if (made)
        return made;
    return class.len > 1 && class.at[0] != '_' && !is_plain
               ? arena_copy(arena, class.at, class.len)
               : NULL;
}

const char *advisor_model_name(const struct py_value *model,
                               struct arena *arena, bool *asked)
{
    *asked = true;
    if (py_is_text(model))
        return last_part(model->text, arena);
    if (model->type != PYV_OBJECT)
        return NULL;
    const struct py_value *name = model->call ? asked_for(model->call) : NULL;
    if (py_is_text(name))
        return last_part(name->text, arena);
    *asked = false;
    return name ? NULL : class_name(model, arena);
}
