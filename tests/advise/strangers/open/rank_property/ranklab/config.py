# SPDX-License-Identifier: GPL-3.0-or-later
"""Settings: built-in files, then files of the user, then the command line."""
import os
import sys

import yaml

ROOT = os.path.join(os.path.dirname(__file__), "props")


class Config:
    def __init__(self, model, dataset, config_file_list=None):
        self.values = {}
        for part in ("overall", f"model/{model}", f"dataset/{dataset}"):
            self._read(os.path.join(ROOT, part + ".yaml"))
        for path in config_file_list or []:
            self._read(path)
        for arg in sys.argv[1:]:
            if arg.startswith("--") and "=" in arg:
                key, value = arg[2:].split("=", 1)
                self.values[key] = yaml.safe_load(value)
        self.values["model"], self.values["dataset"] = model, dataset

    def _read(self, path):
        if os.path.isfile(path):
            with open(path, encoding="utf-8") as f:
                self.values.update(yaml.safe_load(f) or {})

    def __getitem__(self, key):
        return self.values.get(key)
