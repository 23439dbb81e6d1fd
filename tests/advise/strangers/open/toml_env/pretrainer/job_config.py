# SPDX-License-Identifier: GPL-3.0-or-later
"""Settings as nested data classes; a TOML file and then the command line change them."""
from dataclasses import dataclass, field


@dataclass
class Model:
    name: str = "llama3"
    flavor: str = "debugmodel"
    tokenizer_path: str = "./assets/tokenizer"


@dataclass
class Optimizer:
    name: str = "AdamW"  # Adam or AdamW
    lr: float = 8e-4
    eps: float = 1e-8


@dataclass
class Training:
    dataset: str = "c4_test"
    local_batch_size: int = 8
    global_batch_size: int = -1
    seq_len: int = 2048
    max_norm: float = 1.0
    steps: int = 10_000
    mixed_precision_param: str = "bfloat16"  # used by FSDP
    mixed_precision_reduce: str = "float32"


@dataclass
class Parallelism:
    data_parallel_replicate_degree: int = 1
    data_parallel_shard_degree: int = -1
    tensor_parallel_degree: int = 1


@dataclass
class Validation:
    enable: bool = False
    local_batch_size: int = 16
    steps: int = 10


@dataclass
class JobConfig:
    model: Model = field(default_factory=Model)
    optimizer: Optimizer = field(default_factory=Optimizer)
    training: Training = field(default_factory=Training)
    parallelism: Parallelism = field(default_factory=Parallelism)
    validation: Validation = field(default_factory=Validation)
