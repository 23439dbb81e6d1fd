/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "schedmate/advisor/advisor_calls.h"

#include <string.h>

#include "base/ascii.h"
#include "schedmate/advisor/advisor_clues.h"

enum { DEEP_MAX = 5 };

static bool holds(struct text t, const char *word)
{
    size_t n = strlen(word);
    for (size_t i = 0; i + n <= t.len; i++) {
        if (text_is_nocase((struct text){t.at + i, n}, word))
            return true;
    }
    return false;
}

/* True for the name of a function of optax that does not make an optimizer, but
 * changes or applies updates or makes a schedule of the rate. */
static bool changes_updates(struct text name)
{
    static const char *const beginnings[] = {
        "apply_", "clip", "scale",  "add_",   "global_", "inject_",
        "trace",  "mask", "multi_", "chain",  "cosine_", "linear_",
        "warmup", "join", "piece",  "constan"};
    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++) {
        if (text_starts(name, beginnings[i]))
            return true;
    }
    return false;
}

/* True for a class of a module of optimizers, such as torch.optim.X, and for a
 * function of optax that is called with a learning rate. */
static bool is_of_room(const struct py_call *call, struct text name)
{
    static const char *const rooms[] = {".optim.", ".optimizer.",
                                        ".optimizers.", "optax."};
    size_t at = call->name.len - name.len;
    bool of_room = false;
    if (!call->callee || call->callee->type != PYV_LIBRARY)
        return false;
    for (size_t i = 0; i < sizeof rooms / sizeof *rooms; i++) {
        size_t n = strlen(rooms[i]);
        of_room |= at >= n && memcmp(call->name.at + at - n, rooms[i], n) == 0;
    }
    bool optax = text_starts(call->name, "optax.") && !changes_updates(name) &&
                 py_argument(call, 0, "learning_rate");
    return of_room && (optax || ascii_is_upper(name.at[0])) &&
           !text_is(name, "Optimizer");
}

const char *advisor_optimizer_name(const struct clues *clues,
                                   const struct py_call *call,
                                   struct arena *arena)
{
    struct text name = py_last_name(call->name);
    if (holds(call->name, "schedul") || !name.len)
        return NULL;
    /* create_optimizer(opt="adamw") of a library */
    const struct py_value *asked = py_argument(call, -1, "opt");
    if (py_is_text(asked) && holds(name, "optimizer"))
        return clue_optimizer(clues, asked->text);
    const char *known = clue_optimizer(clues, name);
    /* a class of the project that is derived from an optimizer */
    bool derived = call->callee && call->callee->type == PYV_CLASS &&
                   py_derives(call->callee, "Optimizer");
    if (known || (!derived && !is_of_room(call, name)))
        return known;
    return arena_copy(arena, name.at, name.len);
}

/* True if the name of a variable or a split contains a word for evaluation,
 * such as "val", and not "train". */
static bool is_of_evaluation(struct text name)
{
    static const char *const words[] = {"val", "test", "eval",
                                        "dev", "pred", "infer"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (holds(name, words[i]) && !holds(name, "train"))
            return true;
    }
    return false;
}

/* Returns a score: the higher it is, the more likely the call prepares data for
 * training. Below 0, the call probably prepares data for an evaluation. */
static int training_score(const struct py_call *call, unsigned depth)
{
    int score = 0;
    const struct py_value *shuffle = py_argument(call, -1, "shuffle");
    const struct py_value *train = py_argument(call, -1, "train");
    const struct py_value *split = py_argument(call, -1, "split");
    const struct py_value *first = py_argument(call, 0, "dataset");
    if (is_of_evaluation(call->target))
        score -= 4;
    score += 2 * (call->target.len && holds(call->target, "train"));
    if (shuffle && py_truth(shuffle) != PY_PERHAPS)
        score += py_truth(shuffle) == PY_YES ? 1 : -1;
    if (train && py_truth(train) != PY_PERHAPS)
        score += py_truth(train) == PY_YES ? 3 : -3;
    if (py_is_text(split))
        score += is_of_evaluation(split->text) ? -3 : 1;
    if (first && first->type == PYV_OBJECT && first->call && depth < 3)
        score += training_score(first->call, depth + 1);
    return score;
}

static bool is_loader(const struct py_call *call)
{
    struct text name = py_last_name(call->name);
    size_t n = sizeof "Loader" - 1;
    return name.len >= n && memcmp(name.at + name.len - n, "Loader", n) == 0 &&
           (py_argument(call, -1, "batch_size") || call->arguments.n > 1);
}

static bool is_trainer(const struct py_call *call)
{
    struct text name = py_last_name(call->name);
    size_t n = sizeof "Trainer" - 1;
    return name.len >= n && memcmp(name.at + name.len - n, "Trainer", n) == 0 &&
           py_argument(call, 0, "model");
}

/* Returns the object whose parameters a value holds; NULL if there is none. */
static const struct py_value *owner_of(const struct py_value *value,
                                       unsigned depth);

static const struct py_value *owner_in(const struct py_map *map, unsigned depth)
{
    const struct py_value *owner = NULL;
    for (size_t i = 0; map && !owner && i < map->n && i < 8; i++)
        owner = owner_of(map->at[i].value, depth + 1);
    return owner;
}

static bool gives_parameters(struct text name)
{
    static const char *const names[] = {
        "parameters",           "named_parameters", "trainable_variables",
        "trainable_weights",    "get_parameters",   "params",
        "trainable_parameters", "param_groups",     "collect_params"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (py_name_ends(name, names[i]))
            return true;
    }
    return false;
}

static const struct py_value *owner_of(const struct py_value *value,
                                       unsigned depth)
{
    const struct py_call *call = value->call;
    if (depth > DEEP_MAX)
        return NULL;
    if (value->type == PYV_METHOD && gives_parameters(value->text))
        return value->of;
    if (value->type == PYV_LIST || value->type == PYV_DICT)
        return owner_in(value->map, depth);
    if (!call)
        return NULL;
    if (call->self && gives_parameters(call->name))
        return call->self;
    return owner_in(&call->arguments, depth);
}

static bool is_model_name(struct text name)
{
    static const char *const names[] = {"model",     "net",   "network",
                                        "generator", "net_g", "actor_critic",
                                        "policy",    "agent", "netg"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (text_is_nocase(name, names[i]))
            return true;
    }
    return false;
}

/* How a call names the model that it trains. */
struct training {
    const char *name; /* end of the dotted name of the call */
    /* index of the argument that is the model; -1: only a keyword can be */
    int place;
    bool self; /* true if the call is a method of the model */
};
static const struct training trainings[] = {
    {.name = "Trainer.fit", .place = 0},
    {.name = "fit", .place = -1, .self = true},
    {.name = "compile", .place = -1, .self = true},
    {.name = "learn", .place = -1, .self = true},
    {.name = "initialize", .place = -1},
    {.name = "prepare", .place = -1}};

/* Returns the first argument that is a LightningModule; NULL if there is none.
 */
static const struct py_value *module_in(const struct py_call *call)
{
    for (size_t i = 0; i < call->arguments.n; i++) {
        const struct py_value *one = call->arguments.at[i].value;
        if (one->type == PYV_OBJECT && one->of &&
            py_derives(one->of, "LightningModule"))
            return one;
    }
    return NULL;
}

/* Returns the model that TrainState.create(apply_fn=model.apply) trains; NULL
 * for any other call, or if apply_fn is not a method. */
static const struct py_value *model_of_state(const struct py_call *call)
{
    const struct py_value *apply = py_name_ends(call->name, "TrainState.create")
                                       ? py_argument(call, -1, "apply_fn")
                                       : NULL;
    return apply && apply->type == PYV_METHOD ? apply->of : NULL;
}

/* Returns the model that a trainer gets; NULL if it gets none. A trainer of the
 * project may get something else first, such as its options, so an object of
 * the project that comes first counts only if its class is derived from Module,
 * Model or PreTrainedModel. */
static const struct py_value *trained_by(const struct py_call *call)
{
    const struct py_value *model = py_argument(call, -1, "model");
    const struct py_value *first = py_argument(call, 0, "model");
    if (model || !first || first->type != PYV_OBJECT || !first->of ||
        first->of->type != PYV_CLASS)
        return model ? model : first;
    return py_derives(first->of, "Module") || py_derives(first->of, "Model") ||
                   py_derives(first->of, "PreTrainedModel")
               ? first
               : NULL;
}

/* Returns the model that a call trains: an argument, the owner of the
 * parameters that an optimizer gets, or the object whose method is called.
 * Returns NULL if there is none. `optimizer` is true if the call makes an
 * optimizer. */
static const struct py_value *model_of(const struct py_call *call,
                                       bool optimizer)
{
    const struct py_value *model = NULL;
    if (optimizer)
        model = owner_in(&call->arguments, 0);
    else if (is_trainer(call))
        model = trained_by(call);
    if (!model)
        model = module_in(call);
    for (size_t i = 0; !model && i < sizeof trainings / sizeof *trainings;
         i++) {
        const struct training *row = &trainings[i];
        if (!py_name_ends(call->name, row->name))
            continue;
        model = py_argument(call, row->place, "model");
        if (!model && row->self)
            model = call->self;
        break;
    }
    if (text_is(call->name, PY_MODEL))
        model = py_argument(call, 0, "model");
    if (!model)
        model = model_of_state(call);
    return model && (model->type == PYV_OBJECT || py_is_text(model)) ? model
                                                                     : NULL;
}

static bool text_ends_with(struct text t, const char *end)
{
    size_t n = strlen(end);
    return t.len >= n && memcmp(t.at + t.len - n, end, n) == 0;
}

static bool loads_data(const struct clues *clues, const struct py_call *call)
{
    static const char *const names[] = {"load_dataset",   "tfds.load",
                                        "load_from_disk", "load_data",
                                        "from_hub",       "fetch_openml"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (py_name_ends(call->name, names[i]))
            return true;
    }
    if (text_ends_with(py_last_name(call->name), "PredDataset"))
        return true;
    bool made = call->callee && (call->callee->type == PYV_CLASS ||
                                 call->callee->type == PYV_LIBRARY);
    if (made && clue_dataset_in_code(clues, py_last_name(call->name)))
        return true;
    return call->callee && call->callee->type == PYV_CLASS &&
           !py_derives(call->callee, "Module") &&
           clue_dataset(clues, py_last_name(call->name));
}

/* Takes the first optimizer that is made for certain, else the first that is
 * made under an unknown condition. If none is made for certain and two of them
 * have different names, advisor_calls_find takes none. */
static void take_optimizer(const struct py_call *call,
                           struct advisor_calls *out)
{
    const struct py_call *before = out->optimizer;
    if (!before || (before->unsure && !call->unsure))
        out->optimizer = call;
    else if (before->unsure &&
             !text_equal(py_last_name(before->name), py_last_name(call->name)))
        out->optimizer_unsure = true;
}

/* Scores of the best loader and of the best dataset so far (training_score). */
struct scores {
    int loader, dataset;
};

static void take_call(const struct clues *clues,
                      const struct py_machine *machine,
                      const struct py_call *call, struct scores *best,
                      struct advisor_calls *out)
{
    bool optimizer =
        advisor_optimizer_name(clues, call, machine->arena) != NULL;
    const struct py_value *model = model_of(call, optimizer);
    int score = training_score(call, 0);
    if (optimizer)
        take_optimizer(call, out);
    if (model && !out->model)
        out->model = advisor_inner_model(
            optimizer ? advisor_holder_of(machine, model) : model);
    if (is_loader(call) && score > best->loader)
        best->loader = score, out->loader = call;
    if (loads_data(clues, call) && score > best->dataset)
        best->dataset = score, out->dataset = call;
    out->trains |=
        text_is(call->name, PY_JOB) || optimizer || is_trainer(call) || model ||
        py_name_ends(call->name, "backward") || py_name_ends(call->name, "fit");
}

void advisor_calls_find(const struct clues *clues,
                        const struct py_machine *machine,
                        struct advisor_calls *out)
{
    struct scores best = {-1, -1};
    *out = (struct advisor_calls){0};
    for (size_t i = 0; i < machine->n_calls; i++)
        take_call(clues, machine, machine->calls[i], &best, out);
    if (out->optimizer && out->optimizer->unsure && out->optimizer_unsure)
        out->optimizer = NULL;
    advisor_find_base(machine, out);
    for (size_t i = 0; !out->model && i < machine->n_calls; i++) {
        const struct py_call *call = machine->calls[i];
        if (call->result && is_model_name(call->target) &&
            call->result->type == PYV_OBJECT)
            out->model = advisor_inner_model(call->result);
    }
}
