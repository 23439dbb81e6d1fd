# SPDX-License-Identifier: GPL-3.0-or-later
"""Merges the adapters of an earlier 7B run into its base model."""
import argparse

from peft import PeftModel
from transformers import AutoModelForCausalLM


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--base", default="Qwen/Qwen2.5-7B")
    parser.add_argument("--adapter", default="out/lora-7b")
    parser.add_argument("--target", default="out/merged-7b")
    args = parser.parse_args()
    model = AutoModelForCausalLM.from_pretrained(args.base)
    model = PeftModel.from_pretrained(model, args.adapter)
    model.merge_and_unload().save_pretrained(args.target)


if __name__ == "__main__":
    main()
