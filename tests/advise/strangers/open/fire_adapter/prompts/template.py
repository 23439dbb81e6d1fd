# SPDX-License-Identifier: GPL-3.0-or-later
"""Text around an instruction, read from a JSON file."""
import json
import os.path as osp


class Template:
    def __init__(self, name: str = ""):
        path = osp.join(osp.dirname(__file__), f"{name or 'plain'}.json")
        with open(path) as fp:
            self.parts = json.load(fp)

    def fill(self, instruction, context=None, answer=None):
        key = "with_context" if context else "without_context"
        text = self.parts[key].format(instruction=instruction, context=context)
        return f"{text}{answer}" if answer else text
