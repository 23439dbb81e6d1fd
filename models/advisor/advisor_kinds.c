/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/advisor/advisor_kinds.h"

#include <string.h>

struct kind {
    const char *word, *value;
};

/* True if the text holds the word. */
static bool holds(struct text t, const char *word)
{
    return t.at && t.len && memmem(t.at, t.len, word, strlen(word));
}

/* Layers, the most telling first: a Transformer may hold convolutions, but a
 * convolutional network holds no attention as a rule. */
static const struct kind layers[] = {{"Attention", "Transformer"},
                                     {"Transformer", "Transformer"},
                                     {"GCNConv", "GNN"},
                                     {"GATConv", "GNN"},
                                     {"GATv2Conv", "GNN"},
                                     {"SAGEConv", "GNN"},
                                     {"GINConv", "GNN"},
                                     {"GraphConv", "GNN"},
                                     {"LSTM", "RNN"},
                                     {"GRU", "RNN"},
                                     {"Conv1d", "CNN"},
                                     {"Conv2d", "CNN"},
                                     {"Conv3d", "CNN"},
                                     {"Conv2D", "CNN"},
                                     {"ConvTranspose", "CNN"},
                                     {"Conv1D", "CNN"},
                                     {"nn.Conv", "CNN"},
                                     {"Linear", "MLP"},
                                     {"nn.Dense", "MLP"},
                                     {"layers.Dense", "MLP"}};

/* Returns the row of the first kind that some call of the list has. */
static const char *kind_of_calls(const struct py_machine *machine, size_t from,
                                 size_t end)
{
    for (size_t k = 0; k < sizeof layers / sizeof *layers; k++) {
        for (size_t i = from; i < end && i < machine->n_calls; i++) {
            struct text name = machine->calls[i]->name;
            bool dotted = strchr(layers[k].word, '.') != NULL;
            if (holds(dotted ? name : py_last_name(name), layers[k].word))
                return layers[k].value;
        }
    }
    return NULL;
}

/* Returns the kind of a model of the library transformers and of diffusers. */
static const char *kind_of_library(struct text name)
{
    static const struct kind rows[] = {
        {"UNet2D", "diffusion"},
        {"DDPM", "diffusion"},
        {"StableDiffusion", "diffusion"},
        {"AutoModel", "Transformer"},
        {"ForCausalLM", "Transformer"},
        {"LMHeadModel", "Transformer"},
        {"ForMaskedLM", "Transformer"},
        {"ForSequenceClassification", "Transformer"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (holds(name, rows[i].word))
            return rows[i].value;
    }
    return NULL;
}

const char *advisor_kind_of_model(const struct py_machine *machine,
                                  const struct py_value *model)
{
    const struct py_call *call = model ? model->call : NULL;
    if (!call)
        return NULL;
    const char *kind = kind_of_library(call->name);
    if (kind)
        return kind;
    if (call->end > call->first)
        return kind_of_calls(machine, call->first, call->end);
    /* a model that is put together by functions of a library */
    bool composed = py_name_ends(call->name, "Sequential") ||
                    py_name_ends(call->name, "Model");
    return composed ? kind_of_calls(machine, 0, machine->n_calls) : NULL;
}

/* Classes and functions of libraries that are made for one task. */
static const struct kind tasks[] = {
    {"DPOTrainer", "preference tuning"},
    {"ORPOTrainer", "preference tuning"},
    {"KTOTrainer", "preference tuning"},
    {"RewardTrainer", "preference tuning"},
    {"PPOTrainer", "preference tuning"},
    {"GRPOTrainer", "reinforcement learning"},
    {"SFTTrainer", "instruction tuning"},
    {"ForSequenceClassification", "text classification"},
    {"ForTokenClassification", "token classification"},
    {"ForQuestionAnswering", "question answering"},
    {"ForMultipleChoice", "question answering"},
    {"ForImageClassification", "image classification"},
    {"ForVideoClassification", "video classification"},
    {"ForAudioClassification", "audio classification"},
    {"ForSemanticSegmentation", "segmentation"},
    {"ForObjectDetection", "object detection"},
    {"ForCTC", "speech recognition"},
    {"ForSpeechSeq2Seq", "speech recognition"},
    {"models.detection.", "object detection"},
    {"models.segmentation.", "segmentation"},
    {"segmentation_models_pytorch.", "segmentation"},
    {"UNet2DModel", "image generation"},
    {"UNet2DConditionModel", "image generation"},
    {"ForMaskedLM", "language modelling"},
    {"ForCausalLM", "language modelling"},
    {"LMHeadModel", "language modelling"},
    {"CTCLoss", "speech recognition"},
    {"gym.make", "reinforcement learning"},
    {"gymnasium.make", "reinforcement learning"},
    {"make_vec_env", "reinforcement learning"},
};

const char *advisor_task_of_calls(const struct py_machine *machine,
                                  const struct py_value *model)
{
    for (size_t k = 0; k < sizeof tasks / sizeof *tasks; k++) {
        for (size_t i = 0; i < machine->n_calls; i++) {
            const struct py_call *call = machine->calls[i];
            /* A class of models tells only if it is the model that is trained.
             */
            bool of_model = strncmp(tasks[k].word, "For", 3) == 0 ||
                            strcmp(tasks[k].word, "LMHeadModel") == 0;
            if (of_model && model && model->call != call)
                continue;
            if (holds(call->name, tasks[k].word))
                return tasks[k].value;
        }
    }
    return NULL;
}
