# SPDX-License-Identifier: GPL-3.0-or-later
import torch
import torch_geometric.nn as pyg

from graphlab.config import cfg

layer_dict = {"gcnconv": pyg.GCNConv, "sageconv": pyg.SAGEConv, "gatconv": pyg.GATConv,
              "ginconv": pyg.GINConv}


class GNN(torch.nn.Module):
    def __init__(self, dim_in, dim_out):
        super().__init__()
        layer = layer_dict[cfg.gnn.layer_type]
        dims = [dim_in] + [cfg.gnn.dim_inner] * cfg.gnn.layers_mp
        self.convs = torch.nn.ModuleList([layer(a, b) for a, b in zip(dims, dims[1:])])
        self.head = torch.nn.Linear(cfg.gnn.dim_inner, dim_out)


class MLP(torch.nn.Module):
    def __init__(self, dim_in, dim_out):
        super().__init__()
        self.net = torch.nn.Linear(dim_in, dim_out)


network_dict = {"gnn": GNN, "mlp": MLP}


def create_model(datasets):
    data = datasets[0]
    return network_dict[cfg.model.type](data.num_features, data.num_classes).to(cfg.device)
