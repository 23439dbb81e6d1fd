# SPDX-License-Identifier: GPL-3.0-or-later
#SBATCH --nodes=2
#SBATCH --gres=gpu:8
#SBATCH --output=x.log
set -e
GPUS=8
BATCH="48"
export OMP_NUM_THREADS=4
mkdir -p out
srun torchrun --nnodes 2 --nproc_per_node=$GPUS \
    tools/train.py \
    --batch-size ${BATCH} \
    --model efficientnet_b4 $@
