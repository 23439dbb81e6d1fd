# SPDX-License-Identifier: GPL-3.0-or-later
import fire
import gradio
import torch
from peft import PeftModel
from transformers import AutoTokenizer, LlamaForCausalLM


def main(load_8bit: bool = False, base_model: str = "", lora_weights: str = "./adapter",
         max_new_tokens: int = 128, num_beams: int = 4, share_gradio: bool = False):
    tokenizer = AutoTokenizer.from_pretrained(base_model)
    model = LlamaForCausalLM.from_pretrained(base_model, load_in_8bit=load_8bit,
                                             torch_dtype=torch.float16, device_map="auto")
    model = PeftModel.from_pretrained(model, lora_weights)
    gradio.Interface(lambda text: model.generate(text), "text", "text").launch(share=share_gradio)


if __name__ == "__main__":
    fire.Fire(main)
