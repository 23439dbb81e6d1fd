# SPDX-License-Identifier: GPL-3.0-or-later
from pathlib import Path

import yaml


def load_yaml_with_overrides(path, overrides):
    values = yaml.safe_load(Path(path).read_text(encoding="utf-8")) or {}
    for item in overrides:
        key, sep, text = item.lstrip("-").partition("=")
        if not sep:
            raise ValueError(f"expected key=value, got {item!r}")
        values[key] = yaml.safe_load(text)
        if isinstance(values[key], str):
            try:
                values[key] = float(values[key])
            except ValueError:
                pass
    return values
