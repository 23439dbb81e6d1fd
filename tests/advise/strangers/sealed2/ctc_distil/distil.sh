# SPDX-License-Identifier: GPL-3.0-or-later
# python distil.py \
# --num_train_epochs 50 \
# --temperature 3.0


# train and evaluate
python run_asr_ctc.py \
--num_train_epochs 80 \
--learning_rate 0.0002 \
--per_device_train_batch_size 16 \
--temperature 3.0 \
--save_steps 5000 \
--model_name_or_path facebook/wav2vec2-base-100h \
--data_dir /data/LibriSpeech \
--split_name default \
--train_split_name train \
--output_dir distil_100 \
--hidden_size 432 \
--intermediate_size 1728 \
--do_train True \
--do_eval True
# --dataset_name openslr/librispeech_asr \
# --alpha_mse 0.5

# # evaluate only
# python run_asr_ctc.py \
# --num_train_epochs 50 \
# --model_name_or_path distil_100 \
# --do_train False \
# --do_eval True
