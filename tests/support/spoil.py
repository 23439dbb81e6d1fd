# SPDX-License-Identifier: GPL-3.0-or-later
"""Changes a file of a result, so that a test can check whether verify finds
the change."""
import hashlib
import os
import re


def rewrite(out, name, data, fit):
    """Writes the file `name` of a result again. With `fit`, puts the new
    digest into the manifest, so that only the content can reveal the change."""
    with open(os.path.join(out, name), "w", encoding="utf-8") as file:
        file.write(data)
    if not fit:
        return
    path = os.path.join(out, "manifest.json")
    with open(path, encoding="utf-8") as file:
        manifest = file.read()
    manifest = re.sub(r'("%s": ")[0-9a-f]{64}' % re.escape(name), lambda m:
                      m[1] + hashlib.sha256(data.encode()).hexdigest(),
                      manifest)
    with open(path, "w", encoding="utf-8") as file:
        file.write(manifest)


def spoiled(cell):
    """Returns the cell with one digit, or its first letter, changed."""
    if not re.search(r"[0-9]", cell):
        return "x" + cell[1:]
    at = re.search(r"[0-9]", cell).start()
    return cell[:at] + str((int(cell[at]) + 1) % 10) + cell[at + 1:]
