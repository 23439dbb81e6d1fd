# SPDX-License-Identifier: GPL-3.0-or-later
from setuptools import find_packages, setup

CONSOLE = ["tunehub-cli = tunehub.cli:main", "thub = tunehub.cli:main"]

setup(
    name="tunehub",
    version="0.9",
    package_dir={"": "src"},
    packages=find_packages("src"),
    install_requires=["transformers>=4.45", "peft", "trl", "accelerate", "datasets"],
    extras_require={"deepspeed": ["deepspeed>=0.10,<=0.16"]},
    entry_points={"console_scripts": CONSOLE},
)
