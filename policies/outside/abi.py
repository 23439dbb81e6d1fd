# SPDX-License-Identifier: GPL-3.0-or-later
"""abi.py VERSION ROOT HEADER LIST PATH...: writes two files from the headers that
a policy in a shared object may include. HEADER gets a digest of the headers
without comments and blanks: the program refuses an object that was compiled with
other headers. LIST gets the functions that the headers declare, which the
program exports."""
import hashlib
import os
import re
import sys

# The functions that a policy may call. Those that change a simulation are left
# out, because only the engine calls them.
OFFERED = re.compile(
    r"(view|rounds|order|ranked|arena|mem|text|span|rng)_|plan_(?!init|fini|clear)|"
    r"(remarks_add|error_set|env_note|check_failed|node_lowest|pool_\w+|"
    r"cluster_vc_\w+|job_is_terminal)$")

version, root, header, exports = sys.argv[1:5]
digest, names = hashlib.sha256(), set()
for path in sys.argv[5:]:
    with open(path, encoding="utf-8") as file:
        text = re.sub(r"/\*.*?\*/", " ", file.read(), flags=re.S)
    name = os.path.relpath(path, root)
    digest.update((name + " ".join(text.split()) + "\n").encode())
    # functions are declared at the start of a line, and end with ";"
    for match in re.finditer(r"^(?!static|#|typedef|struct \w+ \{)[a-z_][\w *]*?"
                             r"\b([a-z]\w+)\([^{};]*\)[^{};]*;", text, re.M):
        names.add(match.group(1))
    names.update(re.findall(r"^extern const [\w *]+\b(\w+)\[\]", text, re.M))
with open(header, "w", encoding="utf-8") as file:
    file.write('/* SPDX-License-Identifier: GPL-3.0-or-later */\n'
               '/* The interface of policies, as a digest of its headers. */\n'
               '#ifndef SCHEDSIM_POLICY_ABI_H\n#define SCHEDSIM_POLICY_ABI_H\n\n'
               '#define SCHEDSIM_POLICY_ABI "%s"\n#define SCHEDSIM_POLICY_VERSION "%s"\n'
               '\n#endif\n' % (digest.hexdigest(), version))
with open(exports, "w", encoding="utf-8") as file:
    file.write("{\n%s};\n" % "".join("    %s;\n" % n for n in
                                     sorted(filter(OFFERED.match, names))))
