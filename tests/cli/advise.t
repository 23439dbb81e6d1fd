# The Scheduling Advisor by rules, on a project of the test suite.
$ schedsim mate advise --workdir tests/advise/repos/deepspeed_json --command "deepspeed --num_gpus 4 train.py --deepspeed_config ds_config.json"
model_name             Net                   train.py:25
task_type              image classification  train.py
dataset_name           CIFAR-10              train.py:24
batch_size             16                    ds_config.json
framework              PyTorch + DeepSpeed   train.py
model_type             CNN                   train.py
distributed            DeepSpeed ZeRO-2      train.py
processes              4                     command
gpus                   4                     command
epochs                 30                    train.py:12
learning_rate          0.001                 ds_config.json
optimizer              Adam                  ds_config.json
gradient_accumulation  2                     ds_config.json
precision              fp16                  ds_config.json
config                 ds_config.json        

by rules, coverage 1.00
2 of 2 files read, 0 entries left out
$ schedsim mate advise --workdir tests/advise/repos/vision --command "make all"
by rules: the command starts no script that could be read, coverage 0.00
0 of 1 files read, 0 entries left out
$ schedsim mate advise --workdir tests/advise/repos/vision --command "python trian.py"
by rules: script 'trian.py' of the command is no file of the directory that could be read, coverage 0.00
0 of 1 files read, 0 entries left out
$ schedsim mate advise --workdir tests/advise/repos/vision
schedsim: mate advise: --command is missing
[exit 2]
$ schedsim mate advise --workdir tests/advise/repos/vision --command "python main.py" --llm htp
schedsim: no llm 'htp'; did you mean 'http'?
[exit 2]
$ schedsim mate advise --workdir tests/advise/repos/vision --command "python main.py" --llm http:model=m+replay
...
[exit 2]
$ schedsim mate advise --workdir tests/nowhere --command "python main.py"
schedsim: tests/nowhere: cannot be listed: No such file or directory
[exit 3]
$ schedsim mate advise --help | head -3
Usage: schedsim mate advise [OPTION...]
Finds what a job trains: model, data, batch size, framework and what else tells
it from other jobs, from its directory and its launch command. Nothing is run,
$ schedsim list llms
...
  rules   no model: each module answers by its own rules
...
  http    an OpenAI-compatible server: OpenAI, vLLM, llama.cpp, Ollama
...
  replay  answers from a recording; asks below, and records, on a miss
...
# The history tells of jobs that are alike, and of the same job before all.
$ schedsim mate history add --history $OUT/a.db --set duration=7200 --set gpu-util=80 --user anna --set metadata="model_name=resnet50 task_type=image_classification dataset_name=ImageNet batch_size=256 framework=PyTorch model_type=CNN augmentation=RandomResizedCrop+RandomHorizontalFlip distributed=DDP epochs=90 learning_rate=0.1 optimizer=SGD"
$ schedsim mate history add --history $OUT/a.db --set duration=100 --user bob --set metadata="model_name=gpt2 dataset_name=openwebtext"
$ schedsim mate advise --history $OUT/a.db --workdir tests/advise/repos/vision --command "python main.py -a resnet50 --epochs 50"
...
estimated from the history: similar jobs
  run time         2.00 h, spread 0 s (1 jobs)
  GPU utilisation  80 %, spread 0 (1 jobs)
  job 1, similarity 0.985: model_name=resnet50 task_type=image_classification dataset_n
$ schedsim mate advise --history $OUT/a.db --workdir tests/advise/repos/hparams --command "python train.py"
...
the history has no similar job
$ schedsim mate history add --history $OUT/a.db --set duration=300 --user anna --workdir tests/advise/repos/vision --command "python main.py"
$ schedsim mate advise --history $OUT/a.db --workdir tests/advise/repos/vision/ --command "python main.py" --user anna

estimated from the history: earlier runs of the same job
  run time         5.00 min, spread 0 s (1 jobs)
  job 3, similarity 1.000: 
$ schedsim mate advise --history $OUT/none.db --workdir tests/advise/repos/vision --command "python main.py"
...
[exit 1]
