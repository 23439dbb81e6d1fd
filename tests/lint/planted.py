# SPDX-License-Identifier: GPL-3.0-or-later
"""Proves that each guard can fail: runs it on a few files with one fault, and
on these files without the fault."""
import edges
import guards
import limits
import unused

ROOT = "/nowhere"


def long_function(lines):
    return "int f(void)\n{\n" + "    g();\n" * lines + "}\n"


def branches(n, body="    if (a)\n        b();\n"):
    return "int f(void)\n{\n" + body * n + "}\n"


def over(kind):
    """Returns a guard that measures one kind of limit."""
    def guard(files):
        return limits.complaints({kind: limits.measure(files)[kind]})
    return guard


def including(header):
    return '#include "%s"\n' % header


STRUCT = "struct s {\n    int a, *b[4];\n};\n"
USE_A = including("sim/a/a.h") + "int f(struct s *s)\n{\n    return s->a;\n}\n"
SET_A = including("sim/a/a.h") + "void f(struct s *s)\n{\n    s->a = 1;\n}\n"
DEFINE_F = including("sim/a/a.h") + "int f(void)\n{\n    return 1;\n}\n"
CALL_F = including("sim/a/a.h") + "int g(void)\n{\n    return f();\n}\n"
ROWS = "static const struct arg rows[] = {\n    TAKE_U32(struct s, a, 1)};\n"
PART = including("sim/a/a.h") + "struct t {\n    struct s part;\n};\n"
PART_ROWS = including("sim/a/b.h") + ROWS.replace("s, a", "t, part.a")
TABLE = "static const struct row rows[] = {\n    %s,\n};\n"
TRUTH = "/* SPDX */\n/* sim/engine/rates.c */\n"

# (fault that the guard must find, guard, files with the fault, files without
# it)
CASES = [
    ("a field that is set and never read", unused.never_read,
     {"sim/a/a.h": STRUCT, "sim/a/a.c": SET_A},
     {"sim/a/a.h": STRUCT, "sim/a/a.c": SET_A, "sim/a/b.c": USE_A}),
    ("a field that only other structs of that name read", unused.never_read,
     {"sim/a/a.h": STRUCT, "sim/a/a.c": SET_A,
      "sim/a/b.c": USE_A.split("\n", 1)[1]},
     {"sim/a/a.h": STRUCT, "sim/a/a.c": SET_A, "sim/a/b.c": USE_A}),
    ("a field that is counted and never read", unused.never_read,
     {"sim/a/a.h": STRUCT, "sim/a/a.c": SET_A.replace("s->a = 1", "s->a++")},
     {"sim/a/a.h": STRUCT,
      "sim/a/a.c": SET_A.replace("s->a = 1", "x = s->a++")}),
    ("a field of a struct of one file", unused.never_read,
     {"sim/a/a.c": STRUCT + SET_A.split("\n", 1)[1]},
     {"sim/a/a.c": STRUCT + USE_A.split("\n", 1)[1]}),
    ("an option that no code reads", unused.stored_for_nobody,
     {"sim/a/a.h": STRUCT, "sim/a/a.c": SET_A + ROWS},
     {"sim/a/a.h": STRUCT, "sim/a/a.c": SET_A + ROWS, "sim/a/b.c": USE_A}),
    ("an option of a part that no code reads", unused.stored_for_nobody,
     {"sim/a/a.h": STRUCT, "sim/a/b.h": PART, "sim/a/c.c": PART_ROWS},
     {"sim/a/a.h": STRUCT, "sim/a/b.h": PART, "sim/a/c.c": PART_ROWS,
      "sim/a/b.c": USE_A}),
    ("a function that only tests call", unused.exported_for_nobody,
     {"sim/a/a.h": "int f(void);\n", "sim/a/a.c": DEFINE_F,
      "tests/t.c": CALL_F},
     {"sim/a/a.h": "int f(void);\n", "sim/a/a.c": DEFINE_F,
      "sim/a/b.c": CALL_F}),
    ("a function that only its own file calls", unused.exported_for_nobody,
     {"sim/a/a.h": "int f(void);\n",
      "sim/a/a.c": DEFINE_F + CALL_F.split("\n", 1)[1]},
     {"sim/a/a.h": "int f(void);\n",
      "sim/a/a.c": DEFINE_F + CALL_F.split("\n", 1)[1], "tests/t.c": CALL_F}),
    ("a variable that only tests read", unused.exported_for_nobody,
     {"sim/a/a.h": "extern const int n;\n", "sim/a/a.c": "const int n = 1;\n",
      "tests/t.c": "int m = n;\n"},
     {"sim/a/a.h": "extern const int n;\n", "sim/a/a.c": "const int n = 1;\n",
      "sim/a/b.c": "int m = n;\n"}),
    ("a comment that names no file",
     lambda files: guards.missing_files(files, ROOT),
     {"sim/a/a.c": "/* See gone.c. */\n"}, {"sim/a/a.c": "/* See a.c. */\n"}),
    ("a comment that names no path",
     lambda files: guards.missing_files(files, ROOT),
     {"sim/a/a.c": "/* See sim/a/gone.c. */\n"},
     {"sim/a/a.c": "/* See the file gone. */\n"}),
    ("a comment that names no function", guards.missing_names,
     {"sim/a/a.c": "/* Called by old_name. */\nint f(void);\n"},
     {"sim/a/a.c": "/* Called by old_name. */\nint old_name(void);\n"}),
    ("a comment that calls no function", guards.missing_names,
     {"sim/a/a.c": "/* Called by leave(). */\nint f(void);\n"},
     {"sim/a/a.c": "/* Called by leave(). */\nint leave(void);\n"}),
    ("a struct that two headers define", guards.twice,
     {"sim/a/a.h": STRUCT, "sim/b/b.h": STRUCT},
     {"sim/a/a.h": STRUCT, "sim/b/b.h": "struct s;\n"}),
    ("a word that docs/contributing.md advises against",
     lambda files: [w for w, n in guards.count_words(files).items() if n],
     {"sim/a/a.c": "/* The job behind it. */\n"},
     {"sim/a/a.c": "/* The job after it. */\nint behind;\n"}),
    ("such a word in a help text",
     lambda files: [w for w, n in guards.count_words(files).items() if n],
     {"sim/a/a.c": 'f("so many jobs");\n'}, {"sim/a/a.c": 'f("n jobs");\n'}),
    ("a function that branches too often", over("complexity"),
     {"sim/a/a.c": branches(limits.COMPLEXITY)},
     {"sim/a/a.c": branches(limits.COMPLEXITY - 1)
      + branches(9, "    /* if, for && ? */\n    f(\"a ? b\", '?');\n")}),
    ("a function that is too long", over("function_lines"),
     {"sim/a/a.c": long_function(limits.FUNCTION_LINES - 2)},
     {"sim/a/a.c": long_function(limits.FUNCTION_LINES - 3)}),
    ("a file that is too long", over("file_lines"),
     {"sim/a/a.c": "\n" * (limits.FILE_LINES + 1)}, {"sim/a/a.c": "\n" * limits.FILE_LINES}),
    ("a row that does not name its fields", over("positional"),
     {"sim/a/a.c": TABLE % '{"a", 1, f}, {.name = "b"}'},
     {"sim/a/a.c": TABLE % '{.name = "a", .n = 1, .f = f}, {"b", 2}, '
      'OPT_U32(struct c, n, "n", 1), {0}'}),
    ("a descriptor that does not name its fields", over("positional"),
     {"sim/a/a.c": 'const struct ops x = {"x", 1, f};\n'},
     {"sim/a/a.c": 'const struct ops x = {.name = "x", .init = f, .n = 1};\n'}),
    ("an include against the table of rooms", edges.check,
     {"base/state/truth.h": TRUTH, "sim/engine/engine.h": "",
      "base/a.c": including("sim/engine/engine.h")},
     {"base/state/truth.h": TRUTH, "base/b.h": "",
      "base/a.c": including("base/b.h")}),
    ("a policy that sees the truth", edges.check,
     {"base/state/truth.h": TRUTH,
      "policies/fifo.c": including("base/state/truth.h")},
     {"base/state/truth.h": TRUTH,
      "sim/engine/rates.c": including("base/state/truth.h")}),
    ("a file in no room", edges.check,
     {"base/state/truth.h": TRUTH, "attic/a.c": ""},
     {"base/state/truth.h": TRUTH, "base/a.c": ""}),
]


def check(_files):
    """Yields a complaint for each guard that misses its planted fault, or that
    complains about the files without it."""
    for what, guard, faulty, sound in CASES:
        if len(list(guard(faulty))) != 1:
            yield "no guard catches %s" % what
        complaints = list(guard(sound))
        if complaints:
            yield "the guard against %s complains: %s" % (what, complaints[0])
