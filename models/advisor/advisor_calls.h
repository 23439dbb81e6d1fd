/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds in the calls of an evaluated script what the launch uses: the optimizer
 * and its rate, the loader of the training data, the loop over epochs, the
 * model whose parameters are trained, and the data. */
#ifndef MODELS_ADVISOR_CALLS_H
#define MODELS_ADVISOR_CALLS_H

#include "models/advisor/advisor_clues.h"
#include "models/advisor/python/py_machine.h"

/* What the calls tell; NULL: unknown. */
struct advisor_calls {
    const struct py_call *optimizer, *loader;
    const struct py_value *model;  /* model whose parameters are trained */
    const struct py_call *dataset; /* call that loads the training data */
    /* True if two optimizers are made, each under a condition that is not
     * known. */
    bool optimizer_unsure;
    bool trains; /* true if a call trains a model */
};

void advisor_calls_find(const struct clues *clues,
                        const struct py_machine *machine,
                        struct advisor_calls *out);
/* Adds arguments of the calls as settings: rates, batch sizes, epochs and the
 * keywords of calls of libraries. */
void advisor_calls_settings(const struct py_machine *machine,
                            const struct advisor_calls *calls,
                            struct settings *out);

/* In advisor_owner.c. Returns the model within wrappers and within a module
 * that holds it. */
const struct py_value *advisor_inner_model(const struct py_value *model);
/* Returns the module of the project of which `part`, a layer of a library, is a
 * part; `part` itself if there is none. An optimizer may get the parameters of
 * each layer separately. */
const struct py_value *advisor_holder_of(const struct py_machine *machine,
                                         const struct py_value *part);
/* Takes the network of keras.applications in a model that functions of Keras
 * put together, because such a model has no name of its own. */
void advisor_find_base(const struct py_machine *machine,
                       struct advisor_calls *out);

/* Returns the name of the model: the name that the code asks a library for,
 * else the class or function that makes it. Sets *asked to true in the first
 * case. Returns NULL if there is no name. */
const char *advisor_model_name(const struct clues *clues,
                               const struct py_value *model,
                               struct arena *arena, bool *asked);
/* True for the name of a class that says little about the model, such as Net.
 */
bool advisor_is_plain_model(const char *name);
/* Returns the name of the optimizer that a call makes, NULL if it makes none.
 */
const char *advisor_optimizer_name(const struct clues *clues,
                                   const struct py_call *call,
                                   struct arena *arena);
#endif
