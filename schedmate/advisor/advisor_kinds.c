/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "schedmate/advisor/advisor_kinds.h"

#include <string.h>

#include "schedmate/advisor/advisor_clues_internal.h"

/* True if `word` occurs anywhere in the text. */
static bool holds(struct text t, const char *word)
{
    return t.at && t.len && memmem(t.at, t.len, word, strlen(word));
}

/* Returns the type in the first row of the table of layers that matches one of
 * the calls from index `from` to end - 1; NULL if no row does. */
static const char *kind_of_calls(const struct clues *clues,
                                 const struct py_machine *machine, size_t from,
                                 size_t end)
{
    const struct clue_list *layers = &clues->lists[CLUES_LAYERS];
    for (size_t k = 0; k < layers->n; k++) {
        const struct clue *row = &layers->at[k];
        bool dotted = strchr(row->name, '.') != NULL;
        for (size_t i = from; i < end && i < machine->n_calls; i++) {
            struct text name = machine->calls[i]->name;
            if (holds(dotted ? name : py_last_name(name), row->name))
                return row->value;
        }
    }
    return NULL;
}

/* Returns the kind of a model by the name of its class in a library such as
 * transformers or diffusers; NULL if no clue fits. */
static const char *kind_of_library(const struct clues *clues, struct text name)
{
    const struct clue_list *classes = &clues->lists[CLUES_MODEL_CLASSES];
    for (size_t i = 0; i < classes->n; i++) {
        const struct clue *row = &classes->at[i];
        if (holds(name, row->name))
            return row->value;
    }
    return NULL;
}

const char *advisor_kind_of_model(const struct clues *clues,
                                  const struct py_machine *machine,
                                  const struct py_value *model)
{
    const struct py_call *call = model ? model->call : NULL;
    if (!call)
        return NULL;
    const char *kind = kind_of_library(clues, call->name);
    if (kind)
        return kind;
    if (call->end > call->first)
        return kind_of_calls(clues, machine, call->first, call->end);
    /* a model that is put together by functions of a library */
    bool composed = py_name_ends(call->name, "Sequential") ||
                    py_name_ends(call->name, "Model");
    return composed ? kind_of_calls(clues, machine, 0, machine->n_calls) : NULL;
}

const char *advisor_task_of_calls(const struct clues *clues,
                                  const struct py_machine *machine,
                                  const struct py_value *model)
{
    const struct clue_list *tasks = &clues->lists[CLUES_TASK_CALLS];
    for (size_t k = 0; k < tasks->n; k++) {
        const struct clue *row = &tasks->at[k];
        for (size_t i = 0; i < machine->n_calls; i++) {
            const struct py_call *call = machine->calls[i];
            /* The class of a model tells the task only if that model is the one
             * that is trained. */
            bool of_model = strncmp(row->name, "For", 3) == 0 ||
                            strcmp(row->name, "LMHeadModel") == 0;
            if (of_model && model && model->call != call)
                continue;
            if (holds(call->name, row->name))
                return row->value;
        }
    }
    return NULL;
}
