#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
cd $(dirname $(dirname "$0")) || exit
ROOT_DIR=$(pwd)
PYTHON=python
TRAIN_CODE=train.py
DATASET=scannet
CONFIG="None"
EXP_NAME=debug
WEIGHT="None"
NUM_GPU=None
NUM_MACHINE=1

while getopts "p:d:c:n:w:g:m:" opt; do
  case $opt in
    p) PYTHON=$OPTARG ;;
    d) DATASET=$OPTARG ;;
    c) CONFIG=$OPTARG ;;
    n) EXP_NAME=$OPTARG ;;
    w) WEIGHT=$OPTARG ;;
    g) NUM_GPU=$OPTARG ;;
    m) NUM_MACHINE=$OPTARG ;;
    \?) echo "no option -$OPTARG" ;;
  esac
done

if [ "${NUM_GPU}" = 'None' ]
then
  NUM_GPU=`$PYTHON -c 'import torch; print(torch.cuda.device_count())'`
fi

EXP_DIR=exp/${DATASET}/${EXP_NAME}
CODE_DIR=${EXP_DIR}/code
mkdir -p "$CODE_DIR"
cp -r tools pointlab "$CODE_DIR"
export PYTHONPATH=./$CODE_DIR

$PYTHON tools/$TRAIN_CODE \
  --config-file configs/${DATASET}/${CONFIG}.py \
  --num-gpus "$NUM_GPU" \
  --num-machines "$NUM_MACHINE" \
  --machine-rank ${SLURM_NODEID:-0} \
  --options save_path="$EXP_DIR" weight="$WEIGHT"
