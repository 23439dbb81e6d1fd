# SPDX-License-Identifier: GPL-3.0-or-later
"""Changes a file of a result, to see whether verify finds it."""
import hashlib
import os
import re


def rewrite(out, name, data, fit):
    """Writes the file `name` of a result anew. `fit`: also puts its new digest
    into the manifest, so that only the content can give the change away."""
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
    """Changes one digit, or the first letter, of a cell."""
    if not re.search(r"[0-9]", cell):
        return "x" + cell[1:]
    at = re.search(r"[0-9]", cell).start()
    return cell[:at] + str((int(cell[at]) + 1) % 10) + cell[at + 1:]
