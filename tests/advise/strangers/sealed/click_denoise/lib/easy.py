# SPDX-License-Identifier: GPL-3.0-or-later
import importlib


class Settings(dict):
    def __getattr__(self, name):
        return self[name]

    def __setattr__(self, name, value):
        self[name] = value


def construct(class_name=None, **kw):
    module, name = class_name.rsplit(".", 1)
    return getattr(importlib.import_module(module), name)(**kw)
