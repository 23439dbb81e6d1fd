# SPDX-License-Identifier: GPL-3.0-or-later
def param_groups_lrd(model, weight_decay=0.05, layer_decay=.75):
    """Lower layers learn more slowly."""
    depth = len(model.blocks) + 1
    groups = {}
    for name, p in model.named_parameters():
        if not p.requires_grad:
            continue
        level = int(name.split('.')[1]) + 1 if name.startswith('blocks') else 0
        level = depth if name.startswith(('head', 'fc_norm')) else level
        decay = 0. if p.ndim == 1 else weight_decay
        group = groups.setdefault((level, decay), {"lr_scale": layer_decay ** (depth - level),
                                                   "weight_decay": decay, "params": []})
        group["params"].append(p)
    return list(groups.values())
