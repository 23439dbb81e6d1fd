# SPDX-License-Identifier: GPL-3.0-or-later
"""Submitit 1.5: runs a function as a job of Slurm."""
from schedsim import job


class AutoExecutor:
    def __init__(self, folder=None, **more):
        self.nodes = None
        self.gpus = None

    def update_parameters(self, nodes=None, slurm_nodes=None,
                          gpus_per_node=None, slurm_gpus_per_node=None,
                          **more):
        if nodes is None:
            nodes = slurm_nodes
        if gpus_per_node is None:
            gpus_per_node = slurm_gpus_per_node
        if nodes is not None:
            self.nodes = nodes
        if gpus_per_node is not None:
            self.gpus = gpus_per_node
        if self.nodes is not None and self.gpus is not None:
            job(gpus=self.nodes * self.gpus)
        elif self.gpus is not None:
            job(gpus=self.gpus)

    def submit(self, function, *args, **more):
        return function(*args, **more)


class SlurmExecutor(AutoExecutor):
    pass
