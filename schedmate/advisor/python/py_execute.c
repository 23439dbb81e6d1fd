/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Executes the statements of Python, as far as their values are known. */
#include <string.h>

#include "schedmate/advisor/python/py_machine_internal.h"

/* Largest number of items of a list or dictionary that a loop goes over one by
 * one. */
enum { LOOP_MAX = 64 };

static struct py_map *names_for(struct py_scope *scope, struct text name)
{
    return py_map_get(&scope->globals, name) ? &scope->file->scope.names
                                             : &scope->names;
}

static void name_result(struct py_value *value, struct text name)
{
    if (value->type == PYV_OBJECT && value->call && !value->call->target.len)
        value->call->target = name;
}

static void assign_attribute(struct py_machine *machine,
                             const struct py_node *target,
                             struct py_value *value, struct py_scope *scope)
{
    struct py_value *of = py_evaluate(machine, target->a, scope);
    if (of->type == PYV_LIBRARY || !of->map)
        return;
    py_set(machine, of->map, target->text, value);
    py_note(machine, target->text, value);
    name_result(value, target->text);
}

static void assign_item(struct py_machine *machine,
                        const struct py_node *target, struct py_value *value,
                        struct py_scope *scope)
{
    struct py_value *of = py_evaluate(machine, target->a, scope);
    struct py_value *key = py_evaluate(machine, target->b, scope);
    bool keyed = of->type == PYV_DICT || of->type == PYV_OBJECT;
    struct py_value *set = py_method(machine, of, "__setitem__");
    if (set && machine->depth < 20) {
        struct py_map arguments = {.maybe = machine->maybe};
        py_map_set(&arguments, machine->arena, (struct text){"", 0}, key);
        py_map_set(&arguments, machine->arena, (struct text){"", 0}, value);
        py_call(machine, set, &arguments);
        return;
    }
    if (!keyed || !of->map)
        return;
    struct text text = py_value_text(key, machine->arena);
    if (text.len)
        py_set(machine, of->map, text, value);
    else
        of->map->open = true;
}

/* Assigns the items of a list to the targets. If the items are not known, an
 * object that a target holds stays, as in m, o = prepare(m, o). */
static void unpack(struct py_machine *machine, const struct py_node *target,
                   struct py_value *value, struct py_scope *scope)
{
    size_t i = 0;
    bool list = value->type == PYV_LIST;
    for (const struct py_node *one = target->a; one; one = one->next, i++) {
        if (list && i < value->map->n) {
            py_assign(machine, one, value->map->at[i].value, scope);
            continue;
        }
        struct py_value *old =
            one->kind == PY_NAME
                ? py_map_get(names_for(scope, one->text), one->text)
                : NULL;
        if (!old || old->type != PYV_OBJECT)
            py_assign(machine, one, machine->unknown, scope);
    }
}

void py_assign(struct py_machine *machine, const struct py_node *target,
               struct py_value *value, struct py_scope *scope)
{
    if (target->kind == PY_NAME) {
        py_set(machine, names_for(scope, target->text), target->text, value);
        name_result(value, target->text);
        if (machine->file == machine->files[0])
            py_note(machine, target->text, value);
    } else if (target->kind == PY_ATTR) {
        assign_attribute(machine, target, value, scope);
    } else if (target->kind == PY_INDEX) {
        assign_item(machine, target, value, scope);
    } else if (target->kind == PY_TUPLE || target->kind == PY_LIST) {
        unpack(machine, target, value, scope);
    }
}

static enum py_flow execute_expression(struct py_machine *machine,
                                       const struct py_node *node,
                                       struct py_scope *scope)
{
    if (node->a->kind != PY_STRING)
        py_evaluate(machine, node->a, scope);
    return PY_GO;
}

static enum py_flow execute_assign(struct py_machine *machine,
                                   const struct py_node *node,
                                   struct py_scope *scope)
{
    struct py_value *value = py_evaluate(machine, node->b, scope);
    for (const struct py_node *target = node->a; target; target = target->next)
        py_assign(machine, target, value, scope);
    return PY_GO;
}

static enum py_flow execute_augmented(struct py_machine *machine,
                                      const struct py_node *node,
                                      struct py_scope *scope)
{
    struct py_value *a = py_evaluate(machine, node->a, scope);
    struct py_value *b = py_evaluate(machine, node->b, scope);
    struct py_value *value = machine->unknown;
    if (!machine->loops || a->type == PYV_LIST)
        value = py_operate(machine, node->text, a, b);
    if (a->type == PYV_LIST && value->type == PYV_LIST && a->map)
        *a->map = *value->map;
    else
        py_assign(machine, node->a, value, scope);
    return PY_GO;
}

static enum py_flow execute_annotated(struct py_machine *machine,
                                      const struct py_node *node,
                                      struct py_scope *scope)
{
    if (node->c)
        py_assign(machine, node->a, py_evaluate(machine, node->c, scope),
                  scope);
    return PY_GO;
}

static enum py_flow execute_return(struct py_machine *machine,
                                   const struct py_node *node,
                                   struct py_scope *scope)
{
    struct py_frame *frame = machine->frame;
    struct py_value *value =
        node->a ? py_evaluate(machine, node->a, scope) : machine->none;
    if (!frame)
        return PY_LEAVE;
    frame->result =
        frame->result ? py_either(machine, frame->result, value) : value;
    return PY_LEAVE;
}

static enum py_flow execute_if(struct py_machine *machine,
                               const struct py_node *node,
                               struct py_scope *scope)
{
    enum py_truth truth = py_truth(py_evaluate(machine, node->a, scope));
    if (truth != PY_PERHAPS)
        return py_execute(machine, truth == PY_YES ? node->b : node->c, scope);
    machine->maybe++;
    enum py_flow first = py_execute(machine, node->b, scope);
    enum py_flow second = py_execute(machine, node->c, scope);
    machine->maybe--;
    return first == second ? first : PY_GO;
}

/* Runs the body of a loop once for each item. */
static enum py_flow each_item(struct py_machine *machine,
                              const struct py_node *node,
                              const struct py_value *items,
                              struct py_scope *scope)
{
    for (size_t i = 0; i < items->map->n; i++) {
        const struct py_item *item = &items->map->at[i];
        struct py_value *one = items->type == PYV_LIST
                                   ? item->value
                                   : py_text_value(machine, item->key);
        py_assign(machine, node->a, one, scope);
        enum py_flow flow = py_execute(machine, node->c, scope);
        if (flow == PY_LEAVE)
            return flow;
        if (flow == PY_BREAK)
            break;
    }
    return PY_GO;
}

/* Records a loop as a call of "for", whose argument is the value over which the
 * loop goes. */
static void note_loop(struct py_machine *machine, const struct py_node *node,
                      struct py_value *items)
{
    if (machine->n_calls == PY_CALLS_MAX || node->a->kind != PY_NAME)
        return;
    struct py_call *call = ARENA_NEW(machine->arena, struct py_call);
    call->name = text_from("for");
    call->target = node->a->text;
    call->first = machine->loops;
    call->where = py_where(machine, node->line);
    py_map_set(&call->arguments, machine->arena, (struct text){"", 0}, items);
    machine->calls[machine->n_calls++] = call;
}

static enum py_flow execute_for(struct py_machine *machine,
                                const struct py_node *node,
                                struct py_scope *scope)
{
    struct py_value *items = py_evaluate(machine, node->b, scope);
    bool list = items->type == PYV_LIST || items->type == PYV_DICT;
    if (list && !items->map->open && items->map->n <= LOOP_MAX)
        return each_item(machine, node, items, scope);
    note_loop(machine, node, items);
    py_assign(machine, node->a, machine->unknown, scope);
    machine->loops++;
    enum py_flow flow = py_execute(machine, node->c, scope);
    machine->loops--;
    return flow == PY_LEAVE ? flow : PY_GO;
}

/* Records `while step < n` or `while step <= n` as a call of "while", whose
 * argument is n. Ignores any other loop. */
static void note_while(struct py_machine *machine, const struct py_node *node,
                       struct py_scope *scope)
{
    const struct py_node *test = node->a;
    bool below = test && test->kind == PY_COMPARE &&
                 (text_is(test->text, "<") || text_is(test->text, "<="));
    if (!below || machine->n_calls == PY_CALLS_MAX ||
        (test->a->kind != PY_NAME && test->a->kind != PY_ATTR))
        return;
    struct py_call *call = ARENA_NEW(machine->arena, struct py_call);
    call->name = text_from("while");
    call->target = test->a->text;
    call->where = py_where(machine, node->line);
    py_map_set(&call->arguments, machine->arena, (struct text){"", 0},
               py_evaluate(machine, test->b, scope));
    machine->calls[machine->n_calls++] = call;
}

static enum py_flow execute_while(struct py_machine *machine,
                                  const struct py_node *node,
                                  struct py_scope *scope)
{
    note_while(machine, node, scope);
    if (py_truth(py_evaluate(machine, node->a, scope)) == PY_NO)
        return PY_GO;
    machine->loops++;
    enum py_flow flow = py_execute(machine, node->b, scope);
    machine->loops--;
    return flow == PY_LEAVE ? flow : PY_GO;
}

static enum py_flow execute_try(struct py_machine *machine,
                                const struct py_node *node,
                                struct py_scope *scope)
{
    enum py_flow flow = py_execute(machine, node->b, scope);
    return flow == PY_GO ? py_execute(machine, node->c, scope) : flow;
}

static enum py_flow execute_with(struct py_machine *machine,
                                 const struct py_node *node,
                                 struct py_scope *scope)
{
    for (const struct py_node *item = node->a; item; item = item->next) {
        struct py_value *value = py_evaluate(machine, item->a, scope);
        if (item->b)
            py_assign(machine, item->b, value, scope);
    }
    return py_execute(machine, node->b, scope);
}

static enum py_flow execute_global(struct py_machine *machine,
                                   const struct py_node *node,
                                   struct py_scope *scope)
{
    for (const struct py_node *name = node->a; name; name = name->next)
        py_map_set(&scope->globals, machine->arena, name->text, machine->none);
    return PY_GO;
}

static enum py_flow execute_jump(struct py_machine *machine,
                                 const struct py_node *node,
                                 struct py_scope *scope)
{
    (void)machine;
    (void)scope;
    return text_is(node->text, "break")      ? PY_BREAK
           : text_is(node->text, "continue") ? PY_CONTINUE
                                             : PY_GO;
}

enum py_flow py_execute(struct py_machine *machine, const struct py_node *list,
                        struct py_scope *scope)
{
    static enum py_flow (*const by_kind[])(
        struct py_machine *, const struct py_node *, struct py_scope *) = {
        [PY_EXPR] = execute_expression, [PY_ASSIGN] = execute_assign,
        [PY_AUG] = execute_augmented,   [PY_ANN] = execute_annotated,
        [PY_RETURN] = execute_return,   [PY_IF] = execute_if,
        [PY_FOR] = execute_for,         [PY_WHILE] = execute_while,
        [PY_TRY] = execute_try,         [PY_WITH] = execute_with,
        [PY_DEF] = py_define,           [PY_CLASS] = py_define_class,
        [PY_IMPORT] = py_import_names,  [PY_FROM] = py_import_from,
        [PY_GLOBAL] = execute_global,   [PY_JUMP] = execute_jump};
    for (; list; list = list->next) {
        if (list->kind >= sizeof by_kind / sizeof *by_kind ||
            !by_kind[list->kind])
            continue;
        machine->line = list->line;
        enum py_flow flow = by_kind[list->kind](machine, list, scope);
        if (flow != PY_GO)
            return flow;
    }
    return PY_GO;
}
