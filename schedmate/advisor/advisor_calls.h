/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds in the calls of an evaluated script what the training uses: the
 * optimizer and its rate, the loader of the training data, the loop over
 * epochs, the model whose parameters are trained, and the data. The code is in
 * calls.c. */
#ifndef MODELS_ADVISOR_CALLS_H
#define MODELS_ADVISOR_CALLS_H

#include "schedmate/advisor/clues.h"
#include "schedmate/advisor/python/py_machine.h"

/* What the calls show of the training. A member that is NULL is not known. */
struct advisor_calls {
    const struct py_call *optimizer, *loader;
    const struct py_value *model;  /* model whose parameters are trained */
    const struct py_call *dataset; /* call that loads the training data */
    /* True if optimizers of different names are made, each under a condition
     * that is not known. */
    bool optimizer_unsure;
    bool trains; /* true if some call is part of a training */
};

void advisor_calls_find(const struct clues *clues,
                        const struct py_machine *machine,
                        struct advisor_calls *out);
/* Adds arguments of the calls to *out as settings: learning rate, batch size,
 * epochs, steps, what the module of a library says of the job, and keyword
 * arguments. */
void advisor_calls_settings(const struct py_machine *machine,
                            const struct advisor_calls *calls,
                            struct settings *out);

/* Returns the name of the model: the name by which the code asks a library for
 * it, else the class or function that makes it. If that is a general name such
 * as Net, returns the name by which a part of the model was asked for, if there
 * is one. Returns NULL if there is no name. Sets *asked to true if the code
 * asks a library for the returned name; if NULL is returned, *asked has no
 * meaning. The name lies in the arena. */
const char *advisor_model_name(const struct clues *clues,
                               const struct py_value *model,
                               struct arena *arena, bool *asked);
/* True for the name of a class that says little about the model, such as Net.
 */
bool advisor_is_plain_model(const char *name);
/* Returns the name of the optimizer that a call makes; NULL if the call makes
 * none or its name is not known. */
const char *advisor_optimizer_name(const struct clues *clues,
                                   const struct py_call *call,
                                   struct arena *arena);
#endif
