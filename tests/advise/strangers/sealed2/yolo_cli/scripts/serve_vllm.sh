#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
set -e
python -m vllm.entrypoints.openai.api_server --model Qwen/Qwen2.5-VL-7B-Instruct \
  --enable-lora --lora-modules damage=outputs/lora --max-model-len 8192 --port 8000
