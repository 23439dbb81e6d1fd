/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/advisor/advisor_clues.h"

#include <string.h>

#include "sim/base/ascii.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

struct clue {
    const char *name, *value;
};

/* Names that reveal the task. The first row that matches counts, so rows for
 * specific tasks come before rows that several tasks share. */
static const struct clue tasks[] = {
    {"stylegan", "image generation"},
    {"cyclegan", "image translation"},
    {"pix2pix", "image translation"},
    {"dcgan", "image generation"},
    {"biggan", "image generation"},
    {"gan", "image generation"},
    {"ddpm", "image generation"},
    {"diffusion", "image generation"},
    {"tacotron", "text-to-speech"},
    {"fastspeech", "text-to-speech"},
    {"vits", "text-to-speech"},
    {"ljspeech", "text-to-speech"},
    {"ljs", "text-to-speech"},
    {"hifigan", "text-to-speech"},
    {"librispeech", "speech recognition"},
    {"whisper", "speech recognition"},
    {"wav2vec", "speech recognition"},
    {"ppo", "reinforcement learning"},
    {"a2c", "reinforcement learning"},
    {"dqn", "reinforcement learning"},
    {"sac", "reinforcement learning"},
    {"noframeskip", "reinforcement learning"},
    {"dpo", "preference tuning"},
    {"rlhf", "preference tuning"},
    {"sft", "instruction tuning"},
    {"alpaca", "instruction tuning"},
    {"ultrachat", "instruction tuning"},
    {"dolly", "instruction tuning"},
    {"squad", "question answering"},
    {"glue", "text classification"},
    {"imdb", "text classification"},
    {"wmt", "machine translation"},
    {"wmt14", "machine translation"},
    {"iwslt", "machine translation"},
    {"e2e", "text generation"},
    {"cnndm", "summarisation"},
    {"xsum", "summarisation"},
    {"brats", "segmentation"},
    {"cityscapes", "segmentation"},
    {"ade20k", "segmentation"},
    {"unet", "segmentation"},
    {"coco", "object detection"},
    {"yolo", "object detection"},
    {"fasterrcnn", "object detection"},
    {"criteo", "click prediction"},
    {"dlrm", "click prediction"},
    {"movielens", "recommendation"},
    {"ogbn", "node classification"},
    {"cora", "node classification"},
    {"openwebtext", "language modelling"},
    {"wikitext", "language modelling"},
    {"shakespeare", "language modelling"},
    {"pile", "language modelling"},
    {"c4", "language modelling"},
    {"bert", "language modelling"},
    {"roberta", "language modelling"},
    {"gpt", "language modelling"},
    {"gpt2", "language modelling"},
    {"llama", "language modelling"},
    {"mistral", "language modelling"},
    {"qwen", "language modelling"},
    {"transformerxl", "language modelling"},
    {"cifar", "image classification"},
    {"mnist", "image classification"},
    {"imagenet", "image classification"},
    {"resnet", "image classification"},
    {"efficientnet", "image classification"},
    {"mobilenet", "image classification"},
    {"vgg", "image classification"},
    {"vit", "image classification"},
};

static const struct clue model_types[] = {
    {"stylegan", "GAN"},
    {"cyclegan", "GAN"},
    {"dcgan", "GAN"},
    {"biggan", "GAN"},
    {"gan", "GAN"},
    {"ddpm", "diffusion"},
    {"diffusion", "diffusion"},
    {"vits", "VAE"},
    {"vae", "VAE"},
    {"tacotron", "sequence to sequence"},
    {"lstm", "RNN"},
    {"gru", "RNN"},
    {"rnn", "RNN"},
    {"gcn", "GNN"},
    {"gat", "GNN"},
    {"graphsage", "GNN"},
    {"ppo", "actor-critic"},
    {"a2c", "actor-critic"},
    {"dqn", "value network"},
    {"dlrm", "recommendation"},
    {"bert", "Transformer"},
    {"roberta", "Transformer"},
    {"gpt", "Transformer"},
    {"gpt2", "Transformer"},
    {"gptj", "Transformer"},
    {"llama", "Transformer"},
    {"mistral", "Transformer"},
    {"mixtral", "Transformer"},
    {"qwen", "Transformer"},
    {"gemma", "Transformer"},
    {"falcon", "Transformer"},
    {"opt", "Transformer"},
    {"t5", "Transformer"},
    {"bart", "Transformer"},
    {"vit", "Transformer"},
    {"swin", "Transformer"},
    {"deit", "Transformer"},
    {"whisper", "Transformer"},
    {"transformer", "Transformer"},
    {"resnet", "CNN"},
    {"resnext", "CNN"},
    {"efficientnet", "CNN"},
    {"mobilenet", "CNN"},
    {"densenet", "CNN"},
    {"convnext", "CNN"},
    {"inception", "CNN"},
    {"googlenet", "CNN"},
    {"alexnet", "CNN"},
    {"lenet", "CNN"},
    {"vgg", "CNN"},
    {"unet", "CNN"},
    {"yolo", "CNN"},
    {"dla", "CNN"},
    {"simpledla", "CNN"},
    {"cnn", "CNN"},
};

static const struct clue datasets[] = {
    {"cifar100", "CIFAR-100"},
    {"cifar10", "CIFAR-10"},
    {"fashionmnist", "Fashion-MNIST"},
    {"mnist", "MNIST"},
    {"imagenet", "ImageNet"},
    {"tinyimagenet", "Tiny ImageNet"},
    {"coco", "COCO"},
    {"squad", "SQuAD"},
    {"glue", "GLUE"},
    {"imdb", "IMDb"},
    {"openwebtext", "OpenWebText"},
    {"wikitext", "WikiText"},
    {"shakespeare", "Shakespeare"},
    {"c4", "C4"},
    {"ljspeech", "LJ Speech"},
    {"ljs", "LJ Speech"},
    {"librispeech", "LibriSpeech"},
    {"alpaca", "Alpaca"},
    {"ultrachat", "UltraChat"},
    {"e2e", "E2E NLG"},
    {"wmt14", "WMT14"},
    {"wmt16", "WMT16"},
    {"brats", "BraTS"},
    {"cityscapes", "Cityscapes"},
    {"criteo", "Criteo"},
    {"movielens", "MovieLens"},
    {"cora", "Cora"},
    {"celeba", "CelebA"},
    {"lsun", "LSUN"},
    {"ffhq", "FFHQ"},
    {"in1k", "ImageNet"},
    {"ilsvrc", "ImageNet"},
    {"ml100k", "MovieLens"},
    {"ml1m", "MovieLens"},
    {"ml20m", "MovieLens"},
    {"modelnet", "ModelNet"},
    {"multi30k", "Multi30k"},
    {"shapenet", "ShapeNet"},
};

/* Classes and functions whose names in code identify a dataset. */
static const struct clue dataset_names[] = {
    {"CIFAR100", "CIFAR-100"},
    {"CIFAR10", "CIFAR-10"},
    {"FashionMNIST", "Fashion-MNIST"},
    {"MNIST", "MNIST"},
    {"ImageNet", "ImageNet"},
    {"CocoDetection", "COCO"},
    {"LJSpeech", "LJ Speech"},
    {"LIBRISPEECH", "LibriSpeech"},
    {"CelebA", "CelebA"},
    {"LSUN", "LSUN"},
    {"Cityscapes", "Cityscapes"},
    {"SVHN", "SVHN"},
    {"Planetoid", "Planetoid"},
    {"IMDB", "IMDb"},
    {"ImageFolder", "image folder"},
    {"cifar10", "CIFAR-10"},
    {"cifar100", "CIFAR-100"},
    {"mnist", "MNIST"},
};

static const char *const optimizers[] = {
    "AdamW",   "Adadelta", "Adagrad", "Adamax",    "Adam", "FusedAdam",
    "RMSprop", "LAMB",     "Lion",    "Adafactor", "SGD"};

static const char *const augmentations[] = {"RandomResizedCrop",
                                            "RandomCrop",
                                            "RandomHorizontalFlip",
                                            "ColorJitter",
                                            "RandAugment",
                                            "AutoAugment",
                                            "TrivialAugmentWide",
                                            "RandomErasing",
                                            "RandomRotation",
                                            "Mixup",
                                            "CutMix"};

/* Returns the first occurrence of `word` in `t` as a whole word; NULL if there
 * is none. */
static const char *find_word(struct text t, const char *word)
{
    size_t n = strlen(word);
    if (!t.len)
        return NULL;
    const char *end = t.at + t.len, *hit = t.at;
    while ((hit = memmem(hit, (size_t)(end - hit), word, n))) {
        if ((hit == t.at || !ascii_is_name(hit[-1])) &&
            (hit + n == end || !ascii_is_name(hit[n])))
            return hit;
        hit++;
    }
    return NULL;
}

bool clue_has_word(struct text t, const char *word)
{
    return find_word(t, word) != NULL;
}

static bool starts_with(struct text name, const char *clue)
{
    size_t n = strlen(clue);
    return name.len >= n && (name.len == n || n >= 4) &&
           text_is_nocase((struct text){name.at, n}, clue);
}

/* Returns the value of the first row of the table that matches any name in the
 * evidence; NULL if no row does. */
static const char *look_up(const struct clue *table, size_t count,
                           struct text evidence)
{
    size_t best = count;
    for (size_t i = 0; i < evidence.len;) {
        size_t from = i;
        while (i < evidence.len && ascii_is_alnum(evidence.at[i]))
            i++;
        struct text name = {evidence.at + from, i - from};
        for (size_t k = 0; k < best && name.len; k++) {
            if (starts_with(name, table[k].name))
                best = k;
        }
        i += i == from;
    }
    return best < count ? table[best].value : NULL;
}

const char *clue_task(struct text evidence)
{
    return look_up(tasks, COUNT(tasks), evidence);
}

const char *clue_model_type(struct text evidence)
{
    return look_up(model_types, COUNT(model_types), evidence);
}

const char *clue_dataset(struct text evidence)
{
    return look_up(datasets, COUNT(datasets), evidence);
}

/* Returns the dataset that the code names first. */
const char *clue_dataset_in_code(struct text code)
{
    const char *first = NULL, *value = NULL;
    for (size_t i = 0; i < COUNT(dataset_names); i++) {
        const char *at = find_word(code, dataset_names[i].name);
        if (at && (!first || at < first)) {
            first = at;
            value = dataset_names[i].value;
        }
    }
    return value;
}

const char *clue_optimizer_in_code(struct text code)
{
    const char *first = NULL, *value = NULL;
    for (size_t i = 0; i < COUNT(optimizers); i++) {
        const char *at = find_word(code, optimizers[i]);
        size_t n = strlen(optimizers[i]);
        bool called = at && at + n < code.at + code.len && at[n] == '(';
        if (called && (!first || at < first)) {
            first = at;
            value = optimizers[i];
        }
    }
    return value;
}

const char *clue_augmentation_in_code(struct text code, size_t i)
{
    for (size_t k = 0; k < COUNT(augmentations); k++) {
        if (clue_has_word(code, augmentations[k]) && i-- == 0)
            return augmentations[k];
    }
    return NULL;
}

const char *clue_framework(struct text package, bool *base)
{
    static const struct {
        const char *package, *name;
        bool base;
    } rows[] = {
        {"torch", "PyTorch", true},
        {"tensorflow", "TensorFlow", true},
        {"jax", "JAX", true},
        {"flax", "JAX", true},
        {"mxnet", "MXNet", true},
        {"paddle", "PaddlePaddle", true},
        {"lightning", "Lightning", false},
        {"pytorch_lightning", "Lightning", false},
        {"transformers", "HF Transformers", false},
        {"trl", "TRL", false},
        {"deepspeed", "DeepSpeed", false},
        {"accelerate", "Accelerate", false},
        {"timm", "timm", false},
        {"fairseq", "fairseq", false},
        {"megatron", "Megatron", false},
        {"mmengine", "MMEngine", false},
        {"detectron2", "detectron2", false},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        if (text_is(package, rows[i].package)) {
            *base = rows[i].base;
            return rows[i].name;
        }
    }
    return NULL;
}
