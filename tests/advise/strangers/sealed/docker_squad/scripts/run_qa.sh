#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
echo "build $NVIDIA_BUILD_ID"

init_checkpoint=${1:-"/workspace/checkpoints/large_uncased.pt"}
epochs=${2:-"2.0"}
batch_size=${3:-"24"}
learning_rate=${4:-"3e-5"}
precision=${5:-"fp16"}
num_gpu=${6:-"8"}
seed=${7:-"42"}
data_dir=${8:-"/workspace/data/squad/v1.1"}
vocab_file=${9:-"/workspace/vocab/uncased.txt"}
OUT_DIR=${10:-"/results/qa"}
mode=${11:-"train eval"}
max_steps=${12:-"-1"}

mkdir -p $OUT_DIR

use_fp16=""
if [ "$precision" = "fp16" ] ; then
  use_fp16=" --fp16 "
fi

if [ "$num_gpu" = "1" ] ; then
  export CUDA_VISIBLE_DEVICES=0
  launch=""
else
  unset CUDA_VISIBLE_DEVICES
  launch=" -m torch.distributed.launch --nproc_per_node=$num_gpu"
fi

CMD="python $launch run_qa.py "
CMD+="--init_checkpoint=$init_checkpoint "
if [ "$mode" = "eval" ] ; then
  CMD+="--do_predict --predict_file=$data_dir/dev-v1.1.json --predict_batch_size=$batch_size "
else
  CMD+="--do_train --train_file=$data_dir/train-v1.1.json --train_batch_size=$batch_size "
  CMD+="--do_predict --predict_file=$data_dir/dev-v1.1.json --predict_batch_size=$batch_size "
fi
CMD+=" --do_lower_case "
# CMD+=" --loss_scale=128 "
CMD+=" --bert_model=bert-large-uncased "
CMD+=" --learning_rate=$learning_rate "
CMD+=" --seed=$seed "
CMD+=" --num_train_epochs=$epochs "
CMD+=" --max_seq_length=384 "
CMD+=" --doc_stride=128 "
CMD+=" --output_dir=$OUT_DIR "
CMD+=" --vocab_file=$vocab_file "
CMD+=" --max_steps=$max_steps "
CMD+=" $use_fp16"

echo "$CMD |& tee $OUT_DIR/logfile.txt"
time $CMD |& tee $OUT_DIR/logfile.txt
