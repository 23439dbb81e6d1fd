/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Saves, restores and joins the state of a shell around branches. */
#include <string.h>

#include "schedmate/advisor/shell_internal.h"

struct shell_state {
    struct shell_variable *variables;
    size_t n_variables;
    const char *dir;
    const char *const *args;
    size_t n_args;
    bool is_over, returns, continues;
    size_t breaks;
};

const struct shell_state *shell_save(struct shell *shell)
{
    struct shell_state *state = ARENA_NEW(shell->arena, struct shell_state);
    *state = (struct shell_state){
        .variables = ARENA_ARRAY(shell->arena, struct shell_variable,
                                 shell->n_variables + 1),
        .n_variables = shell->n_variables,
        .dir = shell->dir,
        .args = shell->args,
        .n_args = shell->n_args,
        .is_over = shell->is_over,
        .returns = shell->returns,
        .breaks = shell->breaks,
        .continues = shell->continues,
    };
    memcpy(state->variables, shell->variables,
           shell->n_variables * sizeof *shell->variables);
    return state;
}

void shell_restore(struct shell *shell, const struct shell_state *state)
{
    memcpy(shell->variables, state->variables,
           state->n_variables * sizeof *shell->variables);
    shell->n_variables = state->n_variables;
    shell->dir = state->dir;
    shell->args = state->args;
    shell->n_args = state->n_args;
    shell->is_over = state->is_over;
    shell->returns = state->returns;
    shell->breaks = state->breaks;
    shell->continues = state->continues;
}

static bool equal(const struct shell_variable *a,
                  const struct shell_variable *b)
{
    if (a->n != b->n)
        return false;
    for (size_t i = 0; i < a->n; i++) {
        if (strcmp(a->items[i], b->items[i]) != 0)
            return false;
    }
    return true;
}

static bool ends(const struct shell_state *state)
{
    return state->is_over || state->returns || state->breaks ||
           state->continues;
}

void shell_merge(struct shell *shell, const struct shell_state *other)
{
    if (ends(other))
        return;
    if (shell->is_over || shell->returns || shell_leaves(shell)) {
        shell_restore(shell, other);
        return;
    }
    for (size_t i = 0; i < shell->n_variables; i++) {
        const struct shell_variable *mine = &shell->variables[i];
        size_t k = 0;
        while (k < other->n_variables &&
               strcmp(other->variables[k].name, mine->name) != 0)
            k++;
        if (k == other->n_variables || !equal(mine, &other->variables[k]))
            shell_forget(shell, mine->name);
    }
    for (size_t k = 0; k < other->n_variables; k++) {
        if (!shell_find(shell, other->variables[k].name))
            shell_forget(shell, other->variables[k].name);
    }
}
