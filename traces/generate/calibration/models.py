# SPDX-License-Identifier: GPL-3.0-or-later
"""What jobs train, by size class. A job's model is drawn from its user's models
and its size before its duration is known, so that the model says no more about
the duration than the user and the size do."""

import csv
import glob
import os
from collections import Counter

from common import CLASSES, TRACES, digits, rows, size_class

LUCID = [["ResNet50", "ImageNet", 64], ["MobileNetV3", "ImageNet", 64],
         ["ResNet18", "CIFAR-10", 128], ["MobileNetV2", "CIFAR-10", 128],
         ["EfficientNet", "CIFAR-10", 64], ["VGG", "CIFAR-10", 64],
         ["DCGAN", "LSUN", 64], ["PointNet", "ShapeNet", 64],
         ["BERT", "SQuAD", 32], ["LSTM", "Wikitext2", 64],
         ["Transformer", "Multi30k", 32], ["PPO", "LunarLander", 64],
         ["TD3", "BipedalWalker", 64], ["NeuMF", "MovieLens", 64]]
SIA = [["cifar10", "CIFAR-10", 2048], ["bert", "SQuAD", 384],
       ["deepspeech2", "CommonVoice", 320], ["yolov3", "PASCAL-VOC", 64],
       ["imagenet", "ImageNet", 3200]]
MURI = [["a2c", "", 64], ["bert", "", 4], ["dqn", "", 128], ["gpt2", "", 4],
        ["resnet18", "", 128], ["shufflenet_v2_x1_0", "", 128],
        ["vgg16", "", 16], ["vgg19", "", 16]]
TIRESIAS = [[name, "", 0] for name in (
    "alexnet", "googlenet", "inception3", "inception4", "resnet101",
    "resnet152", "resnet50", "vgg11", "vgg16", "vgg19")]


def sia_jobs():
    for path in sorted(glob.glob(os.path.join(
            TRACES, "sia", "workloads", "*", "workload-*.csv"))):
        with open(path, newline="") as f:
            for r in csv.DictReader(f):
                yield r["application"], int(float(r["num_replicas"]))


def family(models, jobs, source, status):
    """Returns the shares of the models by size class. `jobs`: (model, GPUs). A
    class without jobs has the shares of all."""
    counts = [Counter() for _ in CLASSES]
    whole = Counter()
    for model, gpus in jobs:
        counts[size_class(gpus)][model] += 1
        whole[model] += 1
    out = []
    for row in models:
        given = [(c if c else whole) for c in counts]
        out.append(row + [[
            digits(c[row[0]] / sum(c.values()) if c else 1 / len(models), 4)
            for c in given]])
    return {"rows": out, "source": source, "status": status}


def models():
    muri = [(r["model_name"], int(r["num_gpu"])) for name in ("1", "3")
            for r in rows("philly/muri/trace%s.csv" % name)]
    return {
        "columns": ["model", "dataset", "batch_size", "share_by_size_class"],
        "lucid": family(
            LUCID, [], "names and batch sizes of the fourteen models of Hu et "
            "al., Lucid, ASPLOS 2023; each as likely in each class",
            "assumed"),
        "sia": family(
            SIA, sia_jobs(), "Jayaram Subramanya et al., Sia, SOSP 2023: "
            "models and GPUs of the jobs of the workloads of "
            "siasosp23/artifacts, batch sizes as there; they have jobs of 3 "
            "to 16 GPUs, and other classes have the shares of all jobs",
            "measured"),
        "muri": family(
            MURI, muri, "Zhao et al., Muri, SIGCOMM 2022: models and GPUs of "
            "the jobs of Rivendile/Muri trace-data, whose authors drew the "
            "models; classes without jobs have the shares of all jobs",
            "measured"),
        "tiresias": family(
            TIRESIAS, [(r["model_name"], int(r["num_gpu"]))
                       for r in rows("tiresias/60_job.csv")],
            "Gu et al., Tiresias, NSDI 2019; SymbioticLab/Tiresias "
            "60_job.csv; classes without jobs have the shares of all jobs",
            "measured"),
    }
