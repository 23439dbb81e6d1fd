# SPDX-License-Identifier: GPL-3.0-or-later
from peft import OFTConfig, get_peft_model


def with_oft(model, args):
    target = "all-linear" if args.oft_target == "all" else args.oft_target.split(",")
    model = get_peft_model(model, OFTConfig(r=args.oft_rank, oft_block_size=args.oft_block_size,
                                            target_modules=target, task_type="CAUSAL_LM"))
    model.print_trainable_parameters()
    return model
