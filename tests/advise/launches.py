# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks that `advise` follows the command of a job to the script that it
starts in the end. Each case is a small project in which only the right script
has the optimizer RMSprop, so that a wrong script is noticed; the other fields
come from the launch. At the end, all commands of all projects must give
different texts."""
import glob
import itertools
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "support")]
from tap import PROGRAM, Tap  # noqa: E402

TRAIN = "import torch\noptimizer = torch.optim.RMSprop(net.parameters())\n"
OTHER = "import torch\noptimizer = torch.optim.Adagrad(net.parameters())\n"
FOUND = {"optimizer": "RMSprop"}
CASES = []


def case(name, command, want, files, note=None, where=None):
    """`want`, `where`: fields and the places where they are found."""
    CASES.append((name, command, dict(FOUND, **want), files, note, where or {}))


# Variables, parameters, branches, loops.
case("defaults and positional parameters", "LR=0.3 bash go.sh 64 --epochs 5",
     {"batch_size": "64", "learning_rate": "0.3", "epochs": "5"},
     {"go.sh": 'BS=${1:-8}; shift\nLR=${LR:-0.1}\n'
               'python fit.py --batch-size $BS --lr "$LR" "$@"\n',
      "fit.py": TRAIN})
case("a default that the caller leaves", "bash go.sh",
     {"batch_size": "8", "learning_rate": "0.1"},
     {"go.sh": 'python fit.py --batch-size ${1:-8} --lr ${LR-0.1} ${@:2}\n',
      "fit.py": TRAIN})
case("arrays and sums", "sh go.sh",
     {"batch_size": "24", "epochs": "7", "gpus": "4"},
     {"go.sh": 'N=4\nARGS=(--epochs 7)\nARGS+=( # more\n  --batch-size $((N * 6))\n)\n'
               'torchrun --nproc-per-node $N \\\n  fit.py "${ARGS[@]}"\n',
      "fit.py": TRAIN})
case("a branch that is decidable", "bash go.sh large",
     {"batch_size": "2", "gpus": "8"},
     {"go.sh": 'if [[ "$1" == large && -n "$1" ]]; then G=8 B=2\n'
               'elif [ "$1" = small ]; then G=1; B=16; fi\n'
               'deepspeed --num_gpus $G fit.py --batch-size $B\n',
      "fit.py": TRAIN})
case("branches that the machine decides", "bash go.sh",
     {"epochs": "3"},
     {"go.sh": 'if [ $(nvidia-smi -L | wc -l) -gt 4 ]; then LR=0.1 E=3; else LR=0.2 E=3; fi\n'
               'python fit.py --lr $LR --epochs $E\n',
      "fit.py": TRAIN + "p.add_argument('--lr', default=0.5)\n"})
case("case and getopts", "bash go.sh -g 0,3 -m slow",
     {"learning_rate": "0.01", "gpus": "2"},
     {"go.sh": 'while getopts "g:m:" o; do\n case $o in\n g) IDS=$OPTARG ;;\n'
               ' m) MODE=$OPTARG ;;\n esac\ndone\ncase $MODE in\n'
               ' fast|quick) LR=0.1 ;;\n slow) LR=0.01 ;;\n *) exit 1 ;;\nesac\n'
               'export CUDA_VISIBLE_DEVICES=$IDS\npython fit.py --lr $LR\n',
      "fit.py": TRAIN})
case("options read by shift", "bash go.sh --size 3 --epochs=4",
     {"batch_size": "3", "epochs": "4"},
     {"go.sh": 'REST=()\nwhile (( $# )); do\n  case "$1" in\n'
               '  --size) B="$2"; shift 2 ;;\n  *) REST+=("$1"); shift ;;\n'
               '  esac\ndone\npython fit.py --batch-size $B "${REST[@]}"\n',
      "fit.py": TRAIN})
case("functions and sourced files", "bash job/go.sh", {"epochs": "6"},
     {"job/go.sh": 'cd "$(dirname "${BASH_SOURCE[0]}")/.."\n. job/env.sh\n'
                   'start() { local e=$1; python $SCRIPT --epochs $e; }\n'
                   'start $EPOCHS\n',
      "job/env.sh": "SCRIPT=src/fit.py\nEPOCHS=6\n", "src/fit.py": TRAIN})
case("a loop over seeds and rates", "bash go.sh", {"epochs": "3"},
     {"go.sh": 'for lr in 0.1 0.2; do\n for s in {1..3}; do\n'
               '  python fit.py --lr $lr --seed $s --epochs 3\n done\ndone\n',
      "fit.py": TRAIN + "p.add_argument('--lr', default=0.5)\n"},
     note="the command starts 6 runs; values that differ are left out")
case("the training of several programs", "bash go.sh", {"epochs": "2"},
     {"go.sh": "python prepare.py\npython fit.py --epochs 2\n"
               "python evaluate.py --epochs 9\n",
      "fit.py": TRAIN, "prepare.py": OTHER, "evaluate.py": OTHER})
case("two trainings in one script", "bash go.sh", {"learning_rate": "0.1"},
     {"go.sh": "python train.py --lr 0.1\npython train.py --lr 0.2\n",
      "train.py": TRAIN},
     note="the command starts 2 training runs; this is the first")
case("a command in a variable", "bash go.sh", {"epochs": "8"},
     {"go.sh": 'CMD="python fit.py"\nCMD="$CMD --epochs 8"\necho $CMD\neval $CMD\n',
      "fit.py": TRAIN}, where={"epochs": "go.sh:4"})
case("a file that eval reads has its own lines", "bash go.sh", {"epochs": "8"},
     {"go.sh": '\n\neval ". env.sh"\n', "env.sh": "python fit.py --epochs 8\n",
      "fit.py": TRAIN}, where={"epochs": "env.sh:1"})
case("so has a function that it calls", "bash go.sh", {"epochs": "8"},
     {"go.sh": 'start() {\n  python fit.py --epochs 8\n}\n\neval start\n',
      "fit.py": TRAIN}, where={"epochs": "go.sh:2"})
case("continue and break", "bash go.sh", {"epochs": "2", "batch_size": "12"},
     {"go.sh": 'for x in 1 2 3 4; do\n  if [ $x = 1 ]; then continue; fi\n'
               '  FIRST=${FIRST:-$x}\n  if [ $x = 3 ]; then break; fi\n'
               '  LAST=$x\ndone\n'
               'python fit.py --epochs $FIRST --batch-size 1$LAST\n',
      "fit.py": TRAIN})
case("continue and break of an outer loop", "bash go.sh",
     {"epochs": "25"},
     {"go.sh": 'for x in 1 2; do for y in 5 6; do\n'
               ' [ $y = 6 ] && continue 2\n E=$x$y\ndone; E=99; done\n'
               'python fit.py --epochs $E\n', "fit.py": TRAIN})
case("break outside of a loop does nothing", "bash go.sh", {"epochs": "3"},
     {"go.sh": 'f() { break; continue; }\nfor x in 3 3; do f; E=$x; done\n'
               'break\npython fit.py --epochs $E\n', "fit.py": TRAIN})
for how in ["'s/a/b/I'", "-n 's/5/6/'", "'s/5/\\0/' | tr '\\' 1", "'s/5/6/2'", "'s/5/6'",
            "'s/5/6/;s/6/7/'", "'s/^/1/'"]:
    case("the output of sed %s is unknown" % how, "bash go.sh", {},
         {"go.sh": 'python fit.py --lr $(echo 0.5 | sed %s)\n' % how,
          "fit.py": TRAIN + "p.add_argument('--lr', default=0.5)\n"})
case("grouped options of getopts", "bash go.sh -vg0,3 -sb 12 rest",
     {"batch_size": "12", "gpus": "2", "epochs": "4"},
     {"go.sh": 'while getopts "vg:sb:" o; do\n case $o in\n g) IDS=$OPTARG ;;\n'
               ' s) E=4 ;;\n b) B=$OPTARG ;;\n esac\ndone\n'
               'shift $((OPTIND-1))\nexport CUDA_VISIBLE_DEVICES=$IDS\n'
               '[ $1 = rest ] && python fit.py --epochs $E --batch-size $B\n',
      "fit.py": TRAIN})
case("OPTIND within a group of options", "bash go.sh -ab",
     {"epochs": "21"},
     {"go.sh": 'getopts ab x\nA=$OPTIND\ngetopts ab x\n'
               'python fit.py --epochs $OPTIND$A\n', "fit.py": TRAIN})
case("what an environment gives stays unknown", "bash go.sh", {},
     {"go.sh": 'python fit.py --lr $RATE_OF_TODAY\n',
      "fit.py": TRAIN + "p.add_argument('--lr', default=0.5)\n"})

# Wrappers.
case("containers", "docker run --rm -it --gpus '\"device=2,3\"' -v $PWD:/w -w /w "
     "lab/img:1 bash -lc 'cd src && nohup python fit.py --epochs 4 | tee x'",
     {"epochs": "4", "gpus": "2"}, {"src/fit.py": TRAIN})
case("one device by its number", "docker run --gpus device=3 lab/img python fit.py",
     {"gpus": "1"}, {"fit.py": TRAIN})
case("apptainer below srun", "srun -N2 --gres=gpu:a100:4 --ntasks-per-node 4 "
     "apptainer exec --nv -B /data img.sif python fit.py",
     {"gpus": "8", "nodes": "2", "gpus_per_node": "4", "processes": "8"},
     {"fit.py": TRAIN})
case("environments", "env A=1 nice -n 5 conda run -n lab --no-capture-output "
     "timeout -k 5 3600 python fit.py --lr 0.7",
     {"learning_rate": "0.7"}, {"fit.py": TRAIN})
case("uv, a module", "uv run --extra gpu -m lab.fit --lr 0.8",
     {"learning_rate": "0.8"}, {"src/lab/fit.py": TRAIN})
case("profilers", "nsys profile -o out python -m cProfile fit.py --lr 0.9",
     {"learning_rate": "0.9"}, {"fit.py": TRAIN})
case("ray", "ray job submit --working-dir . -- python fit.py --lr 0.6",
     {"learning_rate": "0.6"}, {"fit.py": TRAIN})

# Batch systems.
case("requests of Slurm", "sbatch --export=ALL job/run.sbatch 12",
     {"nodes": "3", "gpus_per_node": "8", "gpus": "24", "batch_size": "12",
      "hardware": "nodes=3 gpus-per-node=8"},
     {"job/run.sbatch": '#!/bin/bash\n#SBATCH --nodes=3\n'
                        '#SBATCH --gpus-per-node=8\nmodule load cuda\n'
                        'srun torchrun --nnodes=$SLURM_NNODES '
                        '--nproc_per_node=gpu fit.py --batch-size $1\n',
      "job/fit.py": TRAIN})
case("sbatch --wrap", "sbatch -p long --gres=gpu:2 --wrap='python fit.py --lr 2'",
     {"gpus": "2", "learning_rate": "2"}, {"fit.py": TRAIN})
case("sbatch and a here-document", "bash go.sh",
     {"gpus": "1", "learning_rate": "3"},
     {"go.sh": 'LR=3\nsbatch -J x <<END\n#!/bin/sh\n#SBATCH --gpus=1\n'
               'python fit.py --lr $LR --id \\$SLURM_JOB_ID\nEND\n',
      "fit.py": TRAIN})
case("LSF", "bsub < go.sh", {"gpus": "2"},
     {"go.sh": '#BSUB -gpu "num=2:mode=shared"\npython fit.py\n', "fit.py": TRAIN})
case("PBS", "qsub go.pbs", {"gpus": "8", "nodes": "2", "gpus_per_node": "4"},
     {"go.pbs": "#PBS -l select=2:ncpus=8:ngpus=4\npython fit.py\n",
      "fit.py": TRAIN})

case("an array of jobs", "sbatch go.sh", {"gpus": "2", "epochs": "3"},
     {"go.sh": '#SBATCH --array=0-5:2%2 --gpus=2  # three\nRATES=(0.1 0.2 0.3)\n'
               'python fit.py --lr ${RATES[$SLURM_ARRAY_TASK_ID]} --epochs 3\n',
      "fit.py": TRAIN},
     note="the command starts 3 runs; values that differ are left out")

# Launchers.
case("accelerate with a file", "accelerate launch --config_file acc.yaml fit.py",
     {"gpus": "6"}, {"acc.yaml": "num_processes: 6\n", "fit.py": TRAIN})
case("deepspeed --include", "deepspeed --include=host1:0,1@host2:4,5 fit.py",
     {"gpus": "4", "nodes": "2", "gpus_per_node": "2"}, {"fit.py": TRAIN})
case("mpirun", "mpirun -np 16 -H a:8,b:8 -x PATH -mca pml ob1 python fit.py",
     {"gpus": "16", "processes": "16"}, {"fit.py": TRAIN})
case("a lower bound", "python fit.py --tensor-model-parallel-size 4 "
     "--pipeline-model-parallel-size 2", {"gpus": "8"}, {"fit.py": TRAIN})
case("torchrun -m", "torchrun --nnodes 2 --nproc_per_node 4 -m lab.fit",
     {"gpus": "8", "nodes": "2"}, {"lab/fit.py": TRAIN})

# Files that say what to start.
case("make", "make -C sub full EPOCHS=40", {"epochs": "40", "batch_size": "5"},
     {"sub/Makefile": "PY := python # which\nEPOCHS ?= 2\nB = 5\nfull: data\n"
                      "\t@$(MAKE) one\none:\n\t$(PY) fit.py --epochs $(EPOCHS) \\\n"
                      "\t  --batch-size ${B}\ndata:\n\tpython prepare.py\n",
      "sub/fit.py": TRAIN, "sub/prepare.py": OTHER})
case("just", "just fit 0.4", {"learning_rate": "0.4", "epochs": "3"},
     {"justfile": 'e := "3"\nfit lr="0.1" *rest:\n    python fit.py --lr {{lr}} '
                  '--epochs {{e}} {{rest}}\n', "fit.py": TRAIN})
case("a console script", "poetry run lab-fit --lr 0.11", {"learning_rate": "0.11"},
     {"pyproject.toml": '[tool.poetry.scripts]\nlab-fit = "lab.cli:main"\n',
      "lab/cli.py": TRAIN})
case("a console script of setup.py", "lab-fit --lr 0.12", {"learning_rate": "0.12"},
     {"setup.py": "setup(entry_points={'console_scripts': "
                  "['lab-fit = lab.cli:main']})\n", "lab/cli.py": TRAIN})
case("a task", "pixi run fit --lr 0.13", {"learning_rate": "0.13", "epochs": "2"},
     {"pixi.toml": '[tasks]\nfit = "python fit.py --epochs 2"\n', "fit.py": TRAIN})
case("a package", "python -m lab --lr 0.14", {"learning_rate": "0.14"},
     {"lab/__main__.py": TRAIN, "lab/__init__.py": ""})
case("a notebook", "papermill n.ipynb out.ipynb -p lr 0.15",
     {"learning_rate": "0.15", "batch_size": "9"},
     {"n.ipynb": json.dumps({"cells": [
         {"cell_type": "markdown", "source": ["batch_size = 1"]},
         {"cell_type": "code", "source": ["%magic\n", "batch_size = 9\n", TRAIN]}]})})
case("a notebook whose cells are strings", "papermill n.ipynb out.ipynb",
     {"batch_size": "9"},
     {"n.ipynb": json.dumps({"cells": [
         {"cell_type": "code", "source":
          "%pip install lab\n!echo \"\"\" (\nbatch_size = 9\n" + TRAIN}]})})
case("two configuration files", "python fit.py --config a/x.yaml --ds y.json", {},
     {"fit.py": TRAIN, "a/x.yaml": "a: 1\n", "y.json": "{}"},
     note="config is the first of several configuration files")


def advise(workdir, command):
    clean = {k: v for k, v in os.environ.items()
             if not k.startswith(("SCHEDSIM_", "OPENAI_"))}
    run = subprocess.run([PROGRAM, "mate", "advise", "--workdir", workdir, "--command",
                          command, "--json"], capture_output=True, text=True,
                         timeout=60, check=False, env=clean)
    return json.loads(run.stdout) if run.returncode == 0 else {"why": run.stderr}


def make(root, files):
    for path, text in files.items():
        path = os.path.join(root, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)


def launches(tap, tmp, texts):
    for number, (name, command, want, files, note, where) in enumerate(CASES):
        root = os.path.join(tmp, str(number))
        make(root, files)
        got = advise(root, command)
        found = got.get("metadata", {})
        wrong = [f"{k}: want {v!r}, got {found.get(k)!r}"
                 for k, v in want.items() if found.get(k) != v]
        wrong += [f"{k}: want nothing, got {found[k]!r}" for k in ("learning_rate",)
                  if k in found and k not in want]
        wrong += [f"{k}: want it at {v}, got {got.get('where', {}).get(k)}"
                  for k, v in where.items() if got.get("where", {}).get(k) != v]
        wrong += [f"note {got.get('note')!r}"] if got.get("note") != note else []
        tap.result(not wrong, "launch: " + name, "\n".join(wrong))
        texts[command, name] = got.get("text")


def folders(texts):
    """Adds the projects of the other tests to `texts`."""
    for path in glob.glob(os.path.join(HERE, "repos", "*.json")) + glob.glob(
            os.path.join(HERE, "strangers", "*", "*.json")):
        with open(path, encoding="utf-8") as file:
            command = json.load(file)["command"]
        texts[command, path] = advise(path[:-5], command).get("text")


def different(tap, texts):
    bad = [f"{a[0]}\n{b[0]}\n  {texts[a]}"
           for a, b in itertools.combinations(sorted(texts), 2)
           if a[0] != b[0] and texts[a] == texts[b]]
    tap.result(not bad and len(texts) > 40,
               "different commands give different texts", "\n".join(bad))


def little_known(tap, tmp):
    root = os.path.join(tmp, "little")
    make(root, {"x.py": "print(1)\n"})
    one = advise(root, "python x.py --data /a/b/set1 --seed 3 --out-dir o")
    two = advise(root, "python x.py --data /c/set1 --seed 4")
    three = advise(root, "python x.py --data /c/set2 --seed 4")
    tap.result(one.get("coverage") == one.get("confidence") < 0.5
               and "command=python_x.py_--data_set1" in one["text"],
               "the words of a command of which little is known", one)
    tap.result(one["text"] == two["text"] != three["text"],
               "paths count by their last part, seeds not at all",
               [one["text"], two["text"], three["text"]])


def main():
    tap, texts = Tap(), {}
    with tempfile.TemporaryDirectory() as tmp:
        launches(tap, tmp, texts)
        folders(texts)
        different(tap, texts)
        little_known(tap, tmp)
    return tap.exit_status()


if __name__ == "__main__":
    sys.exit(main())
