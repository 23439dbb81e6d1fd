/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compares the values that the evaluator of Python finds with those that
 * python3 finds. Each row is a small program that sets `r`, and its arguments.
 * A value that the evaluator does not know is only accepted where a row says
 * so. */
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/out.h"
#include "schedmate/advisor/advisor_internal.h"
#include "tests/support/interpreter.h"
#include "tests/support/temp_path.h"

/* The value of `r`: what python3 finds if `want` is NULL. "?" is unknown. */
struct row {
    const char *code, *words, *want;
};

#define PARSER "import argparse\np = argparse.ArgumentParser()\n"
#define PARSED "\na = p.parse_args()\nr = "

static const struct row rows[] = {
    {.code = "r = 1 + 2 * 3 - 4"},
    {.code = "r = 7 / 2"},
    {.code = "r = 7 // 2, -7 // 2, 7 // -2"},
    {.code = "r = 7 % 3, -7 % 3, 7 % -3, 5.5 % 2"},
    {.code = "r = 2 ** 10, 2 ** -1, -2 ** 2"},
    {.code = "r = 1 / 0 if False else 3"},
    {.code = "r = 10_000, 0x1F, 1e-3, .5, 5., 2.5e3, 1E2, 5.e3, 0XaB"},
    {.code = "r = +3, -3, --3"},
    {.code = "r = True + True, False * 3, True / 2"},
    {.code =
         "r = not 0, not 'a', not None, not [], not {}, not [0], not {'a': 1}"},
    {.code = "r = 1 < 2, 2 <= 2, 3 > 4, 3 >= 3, 1 == 1.0, 1 != 2"},
    {.code = "r = 1 < 2 < 3, 1 < 3 < 2, 3 > 2 == 2"},
    {.code = "r = 'a' == 'a', 'a' != 'b', 'a' == 1, None == None, None is "
             "None, None is not None, 1 is not None"},
    {.code = "r = True == 1, False == 0, True is True"},
    {.code = "r = [] == {}, [1] == 1"},
    {.code = "r = 'b' in 'abc', 'd' in 'abc', '' in '', 'x' not in 'x'"},
    {.code = "r = 1 in [1, 2], 3 in [1, 2], None in [None], 'a' in {'a': 1}, "
             "'b' not in {'a': 1}"},
    {.code = "r = 1 in 2 if False else 4"},
    {.code = "r = 0 or 3, 0 and 3, 2 or 3, 2 and 3, '' or 'a', None or {}, [] "
             "or [1]"},
    {.code = "r = 1 if 0 else 2, 1 if 1 else 2"},
    {.code = "r = 'a' 'b', 'a' + 'b', 'x' \"y\" 'z'"},
    {.code = "r = 'a' / 'b' if False else 'c'"},
    {.code = "r = (-8) ** 0.5 == 1, ~5, [1] == [1], {'a': 1} == {'a': 1}, 'a' "
             "< 'b', True < 2, [1] in [1], 'ab' * 2",
     .want = "[?, ?, ?, ?, ?, ?, ?, ?]"},
    {.code = "r = 1 + 'a' if False else 2"},
    {.code = "r = '%s-%d' % ('a', 3), '%s' % 'x', '%d%s' % (1, 2)"},
    {.code = "r = '%d%%' % 5"},
    {.code = "r = '%5.2f' % 1.234"},
    {.code = "r = '%d' % 3.7"},
    {.code = "r = '%05d' % 42"},
    {.code = "r = '%s' % True"},
    {.code = "r = '%s' % None"},
    {.code = "r = f'{1 + 2}a{\"b\"}', f'{{x}}', f'{3}', f''"},
    {.code = "r = f'{1.5:.3f}'"},
    {.code = "r = f'{7:03d}'"},
    {.code = "r = f'{True}'"},
    {.code = "r = f'{None}'"},
    {.code = "r = f'{\"a:b\"}', f'{(lambda: 3)()}', f'{[1, 2][1]}'"},
    {.code = "r = f'{3 != 4}'"},
    {.code = "r = '\\t\\n\\\\\\'\\\"', '\\q', 'a\\\nb'"},
    {.code = "r = r'a\\n', b'a' == 1"},
    {.code = "r = \"\"\"a\nb\"\"\", 'c'"},
    {.code = "r = 'a.b.c'.split('.'), 'a b  c'.split(), ' a '.split(' '), "
             "'a,b,c'.split(',', 1), ''.split(), ''.split(',')"},
    {.code = "r = 'a\\tb\\nc'.split()"},
    {.code = "r = '  a  b c '.split(None, 1)"},
    {.code = "r = 'a b c'.split(maxsplit=1)"},
    {.code = "r = '%x' % 255, '%(a)s' % {'a': 'b'}, f'{\"a\"!r}', f'{3=}', "
             "f'{[1]}', '\\x41', '\\u0041', 'a--b'.split('--')",
     .want = "[?, ?, ?, ?, ?, ?, ?, ?]"},
    {.code = "r = 'a.b.c'.rsplit('.', 1), 'abc'.rsplit('.', 1), "
             "'a.b'.rsplit('.'), 'a b'.rsplit()"},
    {.code = "r = ' a '.strip(), 'xxaxx'.strip('x'), 'a'.strip(), ''.strip()"},
    {.code = "r = ' a '.lstrip(), ' a '.rstrip(), 'xax'.lstrip('x'), "
             "'xax'.rstrip('x')"},
    {.code = "r = 'aBc'.lower(), 'aBc'.upper()"},
    {.code = "r = 'a-b-c'.replace('-', '+'), 'aaa'.replace('aa', 'b'), "
             "'a'.replace('b', 'c'), 'ab'.replace('b', '')"},
    {.code = "r = 'abc'.startswith('a'), 'abc'.startswith('b'), "
             "'abc'.endswith('bc'), 'abc'.endswith(('x', 'c')), "
             "'abc'.startswith(('x', 'y')), 'a'.startswith('abc'), "
             "'a'.endswith('')"},
    {.code = "r = '{}-{}'.format(1, 'a'), '{1}{0}'.format('a', 'b'), "
             "'{x}'.format(x=3), 'a'.format()"},
    {.code = "r = '{:.2f}'.format(1.234)"},
    {.code = "r = '{{}}'.format()"},
    {.code = "r = '{a.b}'.format(a=1) if False else 1"},
    {.code = "r = '{}'.format(True)"},
    {.code = "r = 'abc'[1:], 'abc'[5:], 'abc'[0:]"},
    {.code = "r = 'a.b.c.d'.rsplit('.', 2), 'a-b-c'.replace('-', '+', 1), "
             "'abc'.replace('', '-'), 'abc'.startswith('b', 1), "
             "'{0!r}'.format('a'), 'abc'[:2], 'abc'[-1:], 'abc'[0]",
     .want = "[?, ?, ?, ?, ?, ?, ?, ?]"},
    {.code = "r = [1, 2, 3][1], [1, 2, 3][-1], (4, 5)[0], {'a': 1}['a'], {1: "
             "'x'}[1], {True: 'y'}[True]"},
    {.code = "r = [1, 2, 3][1:], [1, 2][5:], (1, 2)[0:]"},
    {.code = "r = [1] + [2, 3], (1,) + (2,), {'a': 1} | {'b': 2}, {'a': 1} | "
             "{'a': 2}"},
    {.code = "r = [*[1, 2], 3], (*[1], 2), {**{'a': 1}, 'b': 2}, {**{'a': 1}, "
             "'a': 2}"},
    {.code = "r = {'a': 1, 2: 'b', True: 'c'}"},
    {.code = "r = [], (), {}, (1,), [1, [2, [3]]], {'a': {'b': [1]}}"},
    {.code = "r = [x for x in [1, 2]], [x + 1 for x in (1, 2)], {k: 1 for k in "
             "['a']}, [k for k in {'a': 1}], [a for a, b in [(1, 2), (3, 4)]]"},
    {.code = "r = [x for x in [1, 2, 3] if x > 1]", .want = "?"},
    {.code = "r = list(x for x in [1, 2])"},
    {.code = "r = {x for x in [1]}"},
    {.code = "r = (lambda x: x + 1)(2), (lambda x, y=3: x * y)(2), (lambda: "
             "5)(), (lambda *a: 6)(1, 2)"},
    {.code = "r = (n := 5) + n"},
    {.code = "r = int('3'), int(3.7), int(-3.7), int(True), float('1e3'), "
             "float(2), float('.5'), int('1_000')"},
    {.code = "r = int('3.5') if False else 0"},
    {.code = "r = str('a'), str(3), bool(0), bool(''), bool('a'), bool(2)"},
    {.code = "r = str(True)"},
    {.code =
         "r = 'abc'[-1], [1, 2, 3][:2], [1, 2, 3][-2:], [1, 2, 3][::2], [0] * "
         "3, [x + y for x in [1, 2] for y in [3, 4]], int('ff', 16), str(None)",
     .want = "[?, ?, ?, ?, ?, ?, ?, ?]"},
    {.code = "r = int(), str(), bool(), float(), list(), tuple(), dict()",
     .want = "[?, ?, ?, ?, [], [], {}]"},
    {.code =
         "r = min(1, 2), max(1, 2), min([3, 1, 2]), max((3, 1, 2)), max(2, 2)"},
    {.code = "r = len([1, 2]), len({'a': 1}), len(())"},
    {.code = "r = abs(-3), round(2.5), sum([1, 2])", .want = "[?, ?, ?]"},
    {.code = "r = list((1, 2)), tuple([1]), list([1])"},
    {.code = "r = sorted([3, 1, 2])"},
    {.code = "r = list(reversed([1, 2]))"},
    {.code = "r = len(set([1, 1]))"},
    {.code = "r = list({'a': 1, 'b': 2})"},
    {.code = "r = dict(a=1), dict({'a': 1}, b=2), dict(**{'a': 1})"},
    {.code = "r = dict([('a', 1)])", .want = "{, ...}"},
    {.code = "r = isinstance(1, int), isinstance('a', str), isinstance([], "
             "list), isinstance({}, dict), isinstance(1, str), "
             "isinstance(True, bool), isinstance((), tuple), isinstance(1, "
             "bool), isinstance(None, int), isinstance('a', int)"},
    {.code = "r = isinstance(1.5, float), isinstance(1.5, int)"},
    {.code = "r = isinstance(1, float)"},
    {.code = "r = isinstance(True, int)"},
    {.code = "r = bool([]), min(True, 2), max('a', 'b'), min([2, 1], "
             "key=lambda x: -x), max([], default=3), len('abc'), list('ab'), "
             "isinstance(1, (int, str))",
     .want = "[?, ?, ?, ?, ?, ?, ?, ?]"},
    {.code = "r = {'a': 1}.get('a'), {'a': 1}.get('b'), {'a': 1}.get('b', 2), "
             "{}.get('x', None), {1: 2}.get(1)"},
    {.code = "r = list({'a': 1}.keys()), list({'a': 1}.values()), list({'a': "
             "1}.items())"},
    {.code = "r = {'a': 1}.copy(), [1].copy()"},
    {.code = "r = getattr({}, 'a', 3), getattr('a', 'zz', 4)"},
    {.code = "r = any([0, 1]), all([1, 0])", .want = "[?, ?]"},
    {.code = "r = isinstance(None, type(None)), hasattr('a', 'zz'), type(1) == "
             "int, list(zip([1], [2])), list(enumerate(['a'])), list(map(int, "
             "['1'])), list(range(3)), list(filter(None, [0, 1]))",
     .want = "[?, ?, ?, ?, ?, ?, ?, ?]"},
    {.code = "r = ..."},
    {.code = "r = 1 if 'x' in globals() else 2"},
    {.code = "r = 1 << 3, 6 & 3, 6 | 3, 6 ^ 3, 16 >> 2",
     .want = "[?, ?, ?, ?, ?]"},
    {.code = "r = 'a' if 'b' else 'c', 5 if [] else 6, 7 if {} else 8, 9 if "
             "None else 10"},
    {.code = "r = 'abc'.index('b'), 'abc'.find('c'), 'a'.isdigit()",
     .want = "[?, ?, ?]"},
    {.code = "r = 'a\\nb'.splitlines()", .want = "?"},
    {.code = "r = 'abc'.title(), 'aB'.swapcase(), 'a'.zfill(3)",
     .want = "[?, ?, ?]"},
    {.code = "r = [1, 2].index(2), [1, 1].count(1)", .want = "[?, ?]"},
    {.code = "r = 1 in (1,), 'a' in ('b', 'a'), 1.0 in [1], True in [1]"},
    {.code = "r = None or 'a', 'a' and None, None and 1"},
    {.code = "r = 1 == 'x' or 2 == 2"},
    {.code = "r = not 1 == 2, not (1 and 0), not not 1"},
    {.code = "r = -2 ** 2, (-2) ** 2, 2 ** 3 ** 2, -3 % 5, 2 * -3"},
    {.code = "r = 1 - 2 - 3, 12 / 4 / 3, 2 + 3 * 4 ** 2"},
    {.code = "r = 1e400 if False else 1"},
    {.code = "r = 10 ** 400 if False else 2"},
    {.code = "r = 0.1 + 0.2, 1 / 3, 1e22, 123456789012, 1e-7"},
    {.code = "r = 'a' 'b' f'{1}', f'{1}' 'c'"},
    {.code = "r = '\\\\n', '\\\\\\\\', \"it's\", 'say \"x\"'"},
    {.code = "r = 'x' * 0 if False else 'y'"},
    {.code = "", .want = "?"},
    {.code = "a = 1\nb = 2\na, b = b, a\nr = [a, b]"},
    {.code = "a = b = 3\nr = a + b"},
    {.code = "a, (b, c) = 1, (2, 3)\nr = [a, b, c]"},
    {.code = "[a, b] = [1, 2]\nr = a"},
    {.code = "a, *b = [1, 2, 3]\nr = [a, b]", .want = "[1, ?]"},
    {.code = "a: int = 3\nb: str\nr = a"},
    {.code = "a = 1\na += 2\na *= 5\na -= 1\na //= 2\na **= 2\na %= 10\nr = a"},
    {.code = "a = 7\na /= 2\nr = a"},
    {.code = "a = [1]\nb = a\na += [2]\nr = [a, b]"},
    {.code = "a = 'x'\na += 'y'\nr = a"},
    {.code = "a = {'x': 1}\na |= {'y': 2}\nr = a"},
    {.code = "a = {}\na['x'] = 1\na['y'] = {}\na['y']['z'] = 2\nr = a"},
    {.code = "a = [1, 2]\na[0] = 5\nr = a"},
    {.code = "a = {'x': 1, 'y': 2}\ndel a['x']\nr = a"},
    {.code = "a = [1, 2, 3]\ndel a[0]\nr = a", .want = "[, ...]"},
    {.code = "a = 1\ndel a\nr = 2"},
    {.code = "a = [1]\na.append(2)\na.extend([3, 4])\nr = a"},
    {.code = "a = [1]\na.insert(0, 2)\nr = a", .want = "[, ...]"},
    {.code = "a = [1, 2]\na.pop()\nr = a", .want = "[, ...]"},
    {.code = "a = [1, 2]\na.remove(1)\nr = a", .want = "[, ...]"},
    {.code = "a = [2, 1]\na.sort()\nr = a", .want = "[, ...]"},
    {.code = "a = [2, 1]\na.reverse()\nr = a", .want = "[, ...]"},
    {.code = "a = [2, 1]\na.clear()\nr = a", .want = "[, ...]"},
    {.code = "a = {'x': 1}\na.clear()\nr = a", .want = "{, ...}"},
    {.code = "a = {'x': 1}\nb = a.popitem()\nr = a", .want = "{, ...}"},
    {.code = "a = {'x': 1}\nb = a.pop('x')\nc = a.pop('y', 4)\nr = [a, b, c]"},
    {.code = "a = {'x': 1}\na.update({'x': 2}, y=3)\nr = a"},
    {.code = "a = {'x': 1}\na.update([('x', 2)])\nr = a",
     .want = "{x: 1, ...}"},
    {.code = "a = {'x': 1}\nb = a.setdefault('x', 5)\nc = a.setdefault('y', "
             "6)\nr = [a, b, c]"},
    {.code = "a = {'x': 1}\nb = a.setdefault('y')\nr = [a, b]"},
    {.code = "a = {'x': 1}\nb = a.copy()\nb['x'] = 2\nr = a"},
    {.code = "a = [1]\nb = a.copy()\nb.append(2)\nr = a"},
    {.code = "a = [1]\nb = list(a)\nb.append(2)\nr = a"},
    {.code = "a = [1]\nb = a[:]\nb.append(2)\nr = a"},
    {.code = "a = {'x': [1]}\nb = dict(a)\nb['y'] = 2\nr = a"},
    {.code = "import copy\na = {'x': [1]}\nb = "
             "copy.deepcopy(a)\nb['x'].append(2)\nr = a"},
    {.code = "if 1 > 2:\n    r = 1\nelif 2 > 1:\n    r = 2\nelse:\n    r = 3"},
    {.code = "if 1 > 2:\n    r = 1\nelif 2 > 3:\n    r = 2\nelse:\n    r = 3"},
    {.code = "r = 0\nfor i in [1, 2, 3]:\n    r = r + i"},
    {.code = "r = 0\nfor i in [1, 2, 3]:\n    r += i"},
    {.code = "r = []\nfor k, v in {'a': 1}.items():\n    r.append([k, v])"},
    {.code = "r = 0\nfor i in (1, 2, 3, 4):\n    if i == 2:\n        "
             "continue\n    if i == 4:\n        break\n    r = r + i"},
    {.code = "r = 0\nfor i in range(3):\n    r = i", .want = "?"},
    {.code = "for i in []:\n    r = 1\nelse:\n    r = 2", .want = "?"},
    {.code = "r = 1\nwhile False:\n    r = 2"},
    {.code = "i = 0\nwhile i < 3:\n    i += 1\nr = i", .want = "?"},
    {.code = "try:\n    r = 1\nexcept ValueError as e:\n    r = 2\nelse:\n    "
             "r = 3\nfinally:\n    s = 4"},
    {.code = "try:\n    r = 1\nexcept (ValueError, KeyError):\n    r = 2"},
    {.code = "try:\n    r = 1\nfinally:\n    r = 5"},
    {.code = "with open('a.json') as f, open('b.json'):\n    r = 3"},
    {.code = "with (open('a.json') as f, open('b.json')):\n    r = 3"},
    {.code = "with (open('a.json')) as f:\n    r = 4"},
    {.code =
         "def f(a, b=2, *c, d=4, **e):\n    return [a, b, c, d, e]\nr = f(1)"},
    {.code = "def f(a, b=2, *c, d=4, **e):\n    return [a, b, c, d, e]\nr = "
             "f(1, 3, 5, 6, d=7, g=8)"},
    {.code =
         "def f(a, b=2, *, d=4):\n    return [a, b, d]\nr = f(b=1, a=5, d=6)"},
    {.code = "def f(a, /, b):\n    return a - b\nr = f(5, 3)"},
    {.code = "def f(a, b):\n    return a - b\nr = f(*[5, 3])"},
    {.code = "def f(a, b):\n    return a - b\nr = f(**{'a': 1, 'b': 3})"},
    {.code = "def f(n):\n    if n < 2:\n        return 1\n    return n * f(n - "
             "1)\nr = f(4)"},
    {.code = "def f():\n    pass\nr = f()"},
    {.code = "def f():\n    return\nr = f()"},
    {.code = "def f(x):\n    for i in [1, 2, 3]:\n        if i == x:\n         "
             "   return 'found'\n    return 'none'\nr = [f(2), f(9)]"},
    {.code = "def f():\n    global r\n    r = 5\nf()"},
    {.code = "def f():\n    x = 1\n    def g():\n        nonlocal x\n        x "
             "= 2\n    g()\n    return x\nr = f()"},
    {.code = "x = 1\ndef f():\n    x = 2\n    return x\nr = [f(), x]"},
    {.code = "def f(x=[]):\n    x.append(1)\n    return x\nr = f()"},
    {.code = "def deco(f):\n    return lambda x: f(x) + 1\n@deco\ndef g(x):\n  "
             "  return x * 2\nr = g(3)"},
    {.code =
         "def deco(n):\n    def inner(f):\n        return lambda x: f(x) + n\n "
         "   return inner\n@deco(5)\ndef g(x):\n    return x * 2\nr = g(3)"},
    {.code = "import functools\n@functools.lru_cache\ndef g(x):\n    return x "
             "* 2\nr = g(3)"},
    {.code = "import functools\nf = functools.partial(lambda a, b, c=0: [a, b, "
             "c], 1, c=9)\nr = f(2)"},
    {.code = "def g():\n    yield 1\nr = 4"},
    {.code = "async def g():\n    return 1\nr = 4"},
    {.code = "class A:\n    x = 1\n    def __init__(self, y):\n        self.y "
             "= y\n    def get(self):\n        return self.x + self.y\nr = "
             "A(4).get()"},
    {.code = "class A:\n    def __init__(self):\n        self.v = 1\nclass "
             "B(A):\n    def __init__(self):\n        super().__init__()\n     "
             "   self.w = 2\nb = B()\nr = [b.v, b.w]"},
    {.code = "class A:\n    def f(self):\n        return 'A'\nclass B(A):\n    "
             "def f(self):\n        return 'B' + super().f()\nclass C(B):\n    "
             "pass\nr = C().f()"},
    {.code = "class A:\n    @property\n    def p(self):\n        return 3\n    "
             "@staticmethod\n    def s(x):\n        return x\n    "
             "@classmethod\n    def c(cls):\n        return cls.k\n    k = "
             "8\nr = [A().p, A.s(5), A.c(), A().c()]"},
    {.code = "class A:\n    def __call__(self, x):\n        return x + 1\nr = "
             "A()(4)"},
    {.code = "class A:\n    def __getitem__(self, k):\n        return k * 2\nr "
             "= A()[4]"},
    {.code = "class A:\n    def __setitem__(self, k, v):\n        self.last = "
             "[k, v]\na = A()\na['x'] = 3\nr = a.last"},
    {.code = "class A:\n    def __getattr__(self, k):\n        return k\nr = "
             "A().zz"},
    {.code = "class A:\n    def __len__(self):\n        return 3\nr = 1 if A() "
             "else 2",
     .want = "?"},
    {.code = "class A:\n    def __enter__(self):\n        return 6\n    def "
             "__exit__(self, *a):\n        pass\nwith A() as x:\n    r = x",
     .want = "?"},
    {.code = "class A:\n    pass\na = A()\na.x = 3\na.y = {}\na.y['z'] = 4\nr "
             "= [a.x, a.y]"},
    {.code = "class A:\n    pass\na = A()\nsetattr(a, 'x', 3)\nr = [a.x, "
             "getattr(a, 'x'), getattr(a, 'nope', 5)]",
     .want = "[3, 3, ?]"},
    {.code =
         "class A:\n    x: int = 3\n    y: str = 'a'\nr = [A.x, A.y, A().x]"},
    {.code = "class A: x = 4\nr = A.x"},
    {.code = "class A:\n    pass\nclass B(A):\n    pass\nclass C:\n    pass\nr "
             "= [isinstance(B(), A), isinstance(B(), B), isinstance(B(), C), "
             "isinstance(A(), B), isinstance(A(), int)]"},
    {.code = "class A:\n    n = 0\nA.n = 3\nr = A().n"},
    {.code = "class A:\n    pass\nr = type(A()) is A"},
    {.code = "class A:\n    pass\nr = A.__name__"},
    {.code =
         "from dataclasses import dataclass, field\n@dataclass\nclass A:\n    "
         "x: int = 3\n    y: list = field(default_factory=list)\n    z: float "
         "= field(default=0.5)\nr = [A().x, A(x=5).x, A(7).x, A().z, A().y]"},
    {.code = "from dataclasses import dataclass, field\n@dataclass\nclass A:\n "
             "   x: int\n    y: int = 2\n    def __post_init__(self):\n        "
             "self.z = self.x + self.y\nr = A(1).z"},
    {.code = "from dataclasses import dataclass\n@dataclass\nclass A:\n    x: "
             "int = 1\n@dataclass\nclass B(A):\n    y: int = 2\nb = B(3, 4)\nr "
             "= [b.x, b.y]"},
    {.code = "from collections import namedtuple\nP = namedtuple('P', 'x "
             "y')\np = P(1, 2)\nr = [p.x, p.y]",
     .want = "[?, ?]"},
    {.code = "from collections import OrderedDict, defaultdict\nd = "
             "OrderedDict(a=1)\nr = d"},
    {.code = "from types import SimpleNamespace\nn = SimpleNamespace(a=1)\nn.b "
             "= 2\nr = [n.a, n.b]"},
    {.code = "from argparse import Namespace\nn = Namespace(a=1, **{'b': "
             "2})\nr = [n.a, n.b, vars(n)]",
     .want = "[1, 2, ?]"},
    {.code = "import enum\nclass E(enum.Enum):\n    A = 1\nr = 5"},
    {.code = "import lib\nr = [lib.A, lib.twice(4)]"},
    {.code = "from lib import A, twice as t\nr = t(A)"},
    {.code = "import lib as l\nr = l.A"},
    {.code = "from lib import *\nr = twice(A)"},
    {.code = "import pack\nr = [pack.B]"},
    {.code = "from pack import inner\nr = [inner.B, inner.D]"},
    {.code = "import pack.inner\nr = [pack.inner.B, pack.B]"},
    {.code = "import pack.inner as i\nr = i.D"},
    {.code = "from pack import (B, inner as j)\nr = [B, j.B]"},
    {.code = "from pack.inner import *\nr = [B, D]"},
    {.code = "import importlib\nm = importlib.import_module('lib')\nr = m.A"},
    {.code = "m = __import__('lib')\nr = m.A"},
    {.code = "import importlib.util\ns = "
             "importlib.util.spec_from_file_location('x', 'lib.py')\nm = "
             "importlib.util.module_from_spec(s)\ns.loader.exec_module(m)\nr = "
             "m.A"},
    {.code = "import importlib.util\ns = "
             "importlib.util.spec_from_file_location('x', "
             "location='nowhere.py')\nr = 3"},
    {.code = "import json\nwith open('a.json') as f:\n    r = json.load(f)"},
    {.code = "import json\nr = json.load(open('b.json'))"},
    {.code = "import json\nr = json.loads(open('a.json').read())"},
    {.code = "import json\nr = json.loads('[1, 2]')"},
    {.code = "from pathlib import Path\nimport json\nr = "
             "json.loads(Path('a.json').read_text())"},
    {.code = "import os\nr = [os.environ.get('SET_HERE'), "
             "os.environ.get('NOT_SET'), os.environ.get('NOT_SET', 'd'), "
             "os.getenv('SET_HERE', '1')]"},
    {.code = "import os\nr = [os.path.join('a', 'b'), os.path.join('a', '/b'), "
             "os.path.join('', 'b'), os.path.basename('a/b.c'), "
             "os.path.dirname('a/b/c'), os.path.basename('a')]"},
    {.code = "import os\nr = os.path.join('a/', 'b')"},
    {.code = "import os\nr = os.path.dirname('a')"},
    {.code = "import os\nr = os.path.dirname('/a')"},
    {.code = "import os\nr = os.path.basename('a/')"},
    {.code =
         "import os\nr = [os.path.exists('a.json'), os.path.isfile('lib.py')]"},
    {.code = "import os\nr = os.path.exists('nowhere')", .want = "?"},
    {.code = "from pathlib import Path\nr = str(Path('a') / 'b')"},
    {.code = "from pathlib import Path\nr = str(Path('a', 'b').joinpath('c'))"},
    {.code = "from pathlib import Path\nr = [Path('a.json').exists(), "
             "Path('lib.py').is_file()]"},
    {.code = "if True: r = 1; s = 2"},
    {.code = "r = 1; s = 2;"},
    {.code = "x = 1 if True else 2; r = x"},
    {.code = "r = (1 +\n     2)"},
    {.code = "r = 1 + \\\n    2"},
    {.code = "r = [\n    1,  # one\n    2,\n]"},
    {.code = "# note\n\nr = 1  # end"},
    {.code = "\"\"\"doc\"\"\"\nr = 1	r_is_not = 1", .want = "?"},
    {.code = "if True:\n	r = 1\n	if False:\n		r = 2"},
    {.code = "if True:\n        r = 1\nif True:\n  r = 2"},
    {.code = "def f(\n    a,\n    b=(1, 2),\n):\n    return b\nr = f(0)"},
    {.code = "r = 0\nassert r == 0, 'no'\nr = 1"},
    {.code = "def f():\n    raise ValueError('x')\nr = 1"},
    {.code = "r = {'a': 1}['a'] if 'a' in {'a': 1} else 0"},
    {.code = "x = {'a': {'b': 3}}\nr = x['a']['b']"},
    {.code = "x = [[1, 2], [3]]\nr = x[1][0]"},
    {.code = "r = [i for i in [1, 2]][0]"},
    {.code = "x = 5\nr = [x for x in [1, 2]]"},
    {.code =
         PARSER "p.add_argument('--lr', type=float, default=0.1)" PARSED "a.lr",
     .words = "--lr 0.5"},
    {.code = PARSER "p.add_argument('--lr', type=float, default=0.1)" PARSED
                    "a.lr"},
    {.code = PARSER "p.add_argument('--lr', type=float)" PARSED "a.lr",
     .words = "--lr=0.5"},
    {.code = PARSER "p.add_argument('--lr', type=float)" PARSED "a.lr"},
    {.code = PARSER "p.add_argument('-b', '--batch-size', type=int)" PARSED
                    "a.batch_size",
     .words = "-b 8"},
    {.code = PARSER "p.add_argument('-b', '--batch-size', type=int)" PARSED
                    "a.batch_size",
     .words = "-b8"},
    {.code = PARSER "p.add_argument('--batch-size', type=int, default=1)" PARSED
                    "a.batch_size",
     .words = "--batch 8"},
    {.code = PARSER "p.add_argument('--n', type=int)" PARSED "a.n",
     .words = "--n -5"},
    {.code = PARSER "p.add_argument('--n', type=str)" PARSED "a.n",
     .words = "--n 3"},
    {.code =
         PARSER "p.add_argument('--amp', action='store_true')" PARSED "a.amp",
     .words = "--amp"},
    {.code =
         PARSER "p.add_argument('--amp', action='store_true')" PARSED "a.amp"},
    {.code = PARSER
     "p.add_argument('--no-amp', action='store_false', dest='amp')" PARSED
     "a.amp",
     .words = "--no-amp"},
    {.code = PARSER
     "p.add_argument('--no-amp', action='store_false', dest='amp')" PARSED
     "a.amp"},
    {.code = PARSER
     "p.add_argument('--amp', action=argparse.BooleanOptionalAction, "
     "default=True)" PARSED "a.amp",
     .words = "--no-amp"},
    {.code = PARSER
     "p.add_argument('--amp', action=argparse.BooleanOptionalAction)" PARSED
     "a.amp",
     .words = "--amp"},
    {.code = PARSER "p.add_argument('--quick', action='store_const', const=7, "
                    "default=3)" PARSED "a.quick",
     .words = "--quick"},
    {.code = PARSER "p.add_argument('--quick', action='store_const', const=7, "
                    "default=3)" PARSED "a.quick"},
    {.code =
         PARSER "p.add_argument('-v', action='count', default=0)" PARSED "a.v",
     .words = "-v -v"},
    {.code =
         PARSER "p.add_argument('--x', action='append', type=int)" PARSED "a.x",
     .words = "--x 1 --x 2"},
    {.code = PARSER "p.add_argument('--xs', nargs='+', type=int)" PARSED "a.xs",
     .words = "--xs 1 2 3"},
    {.code = PARSER "p.add_argument('--xs', nargs='*', type=int); "
                    "p.add_argument('--n', type=int)" PARSED "[a.xs, a.n]",
     .words = "--xs 1 2 --n 3"},
    {.code = PARSER "p.add_argument('--xs', nargs=2, type=float)" PARSED "a.xs",
     .words = "--xs 1 2"},
    {.code = PARSER
     "p.add_argument('--xs', nargs='?', const=5, default=6, type=int)" PARSED
     "a.xs",
     .words = "--xs"},
    {.code = PARSER
     "p.add_argument('--xs', nargs='?', const=5, default=6, type=int)" PARSED
     "a.xs"},
    {.code = PARSER
     "p.add_argument('--xs', nargs='?', const=5, default=6, type=int)" PARSED
     "a.xs",
     .words = "--xs 4"},
    {.code =
         PARSER "p.add_argument('model'); p.add_argument('n', type=int)" PARSED
                "[a.model, a.n]",
     .words = "vit 3"},
    {.code = PARSER "p.add_argument('model', nargs='?', default='mlp')" PARSED
                    "a.model",
     .words = "vit"},
    {.code = PARSER "p.add_argument('model', nargs='?', default='mlp')" PARSED
                    "a.model"},
    {.code = PARSER "p.add_argument('rest', nargs=argparse.REMAINDER)" PARSED
                    "a.rest",
     .words = "a b c"},
    {.code = PARSER
     "p.add_argument('first'); p.add_argument('rest', nargs='*')" PARSED
     "[a.first, a.rest]",
     .words = "a b c"},
    {.code = PARSER "p.add_argument('--lr', type=lambda s: float(s) * 2)" PARSED
                    "a.lr",
     .words = "--lr 1"},
    {.code = PARSER "def yes(s):\n    return s.lower() in ('yes', "
                    "'true')\np.add_argument('--on', type=yes)" PARSED "a.on",
     .words = "--on yes"},
    {.code = PARSER "p.add_argument('--lr', default='0.5', type=float)" PARSED
                    "a.lr"},
    {.code = PARSER
     "p.set_defaults(lr=9, mode='x'); p.add_argument('--lr', type=int)" PARSED
     "[a.lr, a.mode]",
     .words = "--lr 2"},
    {.code = PARSER
     "p.add_argument('--lr', type=int, default=1); p.set_defaults(lr=9)" PARSED
     "a.lr"},
    {.code = PARSER
     "p.set_defaults(lr=9); p.add_argument('--lr', type=int)" PARSED "a.lr"},
    {.code = PARSER
     "p.set_defaults(**{'lr': 9}); p.add_argument('--lr', type=int)" PARSED
     "a.lr"},
    {.code = PARSER
     "g = p.add_argument_group('x'); g.add_argument('--lr', type=int)" PARSED
     "a.lr",
     .words = "--lr 3"},
    {.code = PARSER "g = p.add_mutually_exclusive_group(); "
                    "g.add_argument('--lr', type=int)" PARSED "a.lr",
     .words = "--lr 3"},
    {.code = PARSER
     "s = p.add_subparsers(dest='what'); f = s.add_parser('fit'); "
     "f.add_argument('--lr', type=int); t = s.add_parser('test'); "
     "t.add_argument('--lr', type=int, default=8)" PARSED "[a.what, a.lr]",
     .words = "fit --lr 3"},
    {.code = PARSER
     "q = argparse.ArgumentParser(add_help=False); q.add_argument('--lr', "
     "type=int); p = argparse.ArgumentParser(parents=[q])" PARSED "a.lr",
     .words = "--lr 4"},
    {.code =
         PARSER "p.add_argument('--lr', type=int, dest='rate')" PARSED "a.rate",
     .words = "--lr 4"},
    {.code =
         PARSER "p.add_argument('--opt', choices=['x', 'y'])" PARSED "a.opt",
     .words = "--opt x"},
    {.code = "r = sorted(['b', 'a', 'ab']), sorted([]), sorted(('b', 'a')), "
             "sorted({'b': 1, 'a': 2})"},
    {.code = "r = list(set(['a'])), len({1, 1, 2}), list(reversed(['a', 'b', "
             "'c']))"},
    {.code = "r = 'a,b'.split(',', -1), 'a'.split('-', 0)"},
    {.code = "r = [a for a in ('x', 'y')], {a: b for a, b in [('x', 1)]}"},
    {.code = "x = ['a']\nx.extend(('b', 'c'))\nr = x"},
    {.code = "r = '%e' % 1500.0, '%G' % 2.5, '%.3g' % 3.14159, '%3d|' % 5"},
    {.code = "r = f'{2.5:.1f}', f'{12:5d}', f'{\"x\":s}', f'{1 if True else "
             "2}', f'{ {\"a\": 3}[\"a\"] }'"},
    {.code = "r = '{:d}|{:5.1f}'.format(3, 2.25), '{0}{0}'.format('a'), "
             "'{a}{b}'.format(b=1, a=2)"},
    {.code = "class A:\n    def __init__(self):\n        self.d = {'k': 1}\na "
             "= A()\na.d['k'] = 2\na.d.update(z=3)\nr = a.d"},
    {.code = "class A:\n    def f(self):\n        return self.g()\n    def "
             "g(self):\n        return 1\nclass B(A):\n    def g(self):\n      "
             "  return 2\nr = B().f()"},
    {.code = "class M:\n    def hi(self):\n        return 'm'\nclass A(M, "
             "object):\n    pass\nr = A().hi()"},
    {.code = "class A:\n    def __init__(self, **kw):\n        self.a = "
             "kw['a']\nr = A(a=4).a"},
    {.code = "class A:\n    def f(self, *args, **kw):\n        return "
             "[list(args), kw]\nr = A().f(1, 2, x=3)"},
    {.code = "class A:\n    def __init__(self, n):\n        self.n = n\n    "
             "def add(self, m):\n        self.n += m\n        return self\nr = "
             "A(1).add(2).add(3).n"},
    {.code = "class A:\n    items = {'x': 1}\nr = A.items['x']"},
    {.code = "class A:\n    class B:\n        z = 5\nr = A.B.z"},
    {.code = "class A:\n    pass\na = A()\nr = a.__class__.__name__"},
    {.code = "class A(object, metaclass=type):\n    x = 1\nr = A.x"},
    {.code = "class B:\n    pass\nclass C:\n    pass\nclass A(B):\n    pass\nr "
             "= isinstance(A(), A), isinstance(A(), C), isinstance(A(), B)"},
    {.code = "class A:\n    def __init__(self):\n        super().__init__()\n  "
             "      self.x = 1\nr = A().x"},
    {.code = "def f(*a, **k):\n    return g(*a, **k)\ndef g(x, y):\n    return "
             "[x, y]\nr = f(1, y=2)"},
    {.code = "def f(a, b):\n    return a\nr = f(b=1, a=2)"},
    {.code = "def f():\n    def g():\n        return h()\n    def h():\n       "
             " return 7\n    return g()\nr = f()"},
    {.code = "def f(x):\n    if x:\n        return 1\n    else:\n        "
             "return 2\nr = [f(0), f(1)]"},
    {.code = "def f(x):\n    while True:\n        return x\nr = f(3)"},
    {.code = "def f(x):\n    try:\n        return x\n    finally:\n        "
             "pass\nr = f(3)"},
    {.code = "def f(x):\n    with open('a.json') as g:\n        return x\nr = "
             "f(3)"},
    {.code = "f = lambda *a, k=2: k\nr = f(1, 2, k=5)"},
    {.code = "r = (lambda x: (lambda y: x + y))(1)(2)"},
    {.code = "x = 1\ndef f():\n    return x\nx = 2\nr = f()"},
    {.code = "r = [1, 2, 3][1:][0]"},
    {.code = "a = [[0, 1], [2]]\na[0][1] = 9\nr = a"},
    {.code = "a = [1, 2]\na[-1] = 7\nr = a"},
    {.code = "a = {'x': {'y': 1}}\ndel a['x']['y']\nr = a"},
    {.code = "a = {'x': 1, 'y': 2}\ndel a['x'], a['y']\nr = a"},
    {.code = "a = b = [1]\na.append(2)\nr = b"},
    {.code = "(r) = 3"},
    {.code = "r = 3 if 1 in [1] and 'a' not in 'b' else 4"},
    {.code = "r = 1 < 2 and 2 < 3 or False"},
    {.code = "r = -1 ** 2, - 2, +  3, 2 - -1"},
    {.code = "r = {'a': 1, **{'b': 2}, 'c': 3}"},
    {.code = "r = \"a\" \"b\" 'c', \"\"\"x\"\"\" 'y'"},
    {.code = "r = 'a\\\\b', r'a\\b', u'x', R'\\y'"},
    {.code = "r = 1_0.5_0"},
    {.code = "if 1:\n    pass\nr = 1"},
    {.code = "if 1: pass\nelse: pass\nr = 1"},
    {.code = "for i in [1]: r = i"},
    {.code = "while 0: r = 2\nr = 1"},
    {.code = "def f(): return 4\nr = f()"},
    {.code = "def f(a: int, b: 'str' = 'x') -> int:\n    return b\nr = f(1)"},
    {.code = "try: r = 1\nexcept: r = 2"},
    {.code = "try:\n    r = 1\nexcept KeyError:\n    pass\nexcept (A, B) as "
             "e:\n    r = 3"},
    {.code = "try:\n    pass\nexcept ValueError:\n    r = 2\nelse:\n    r = 3"},
    {.code = "import os.path as p, sys as s\nr = p.join('a', 'b')"},
    {.code = "from os import path\nr = path.join('a', 'b')"},
    {.code = "from os.path import join, dirname as d\nr = [join('a', 'b'), "
             "d('x/y')]"},
    {.code =
         "from os import (\n    path,\n    sep,\n)\nr = path.basename('a/b')"},
    {.code = "import importlib\nr = importlib.import_module('pack.inner').B"},
    {.code = "from lib import A as X; r = X"},
    {.code = "import functools\nr = functools.partial(max, 3)(5)"},
    {.code =
         "from functools import partial\nf = partial(dict, a=1)\nr = f(b=2)"},
    {.code = "import json\nx = json.load(open('a.json'))\nr = [x['a']['b'][1], "
             "x['c'], x.get('zz', 4)]"},
    {.code =
         "import os\nr = os.path.join(os.path.dirname('x/y.py'), 'z.json')"},
    {.code = "import os\nr = [os.environ['SET_HERE'], "
             "int(os.environ.get('SET_HERE', 1)) + 1]"},
    {.code = "import os\nr = os.path.normpath('a'), os.path.expanduser('b')"},
    {.code = "r = max([1, 5, 3]) - min(4, 2)"},
    {.code = "x = 5\nx -= 2\nx *= 3\nr = x"},
    {.code = "x = [1]\nx += [2]\nx = x + [3]\nr = x"},
    {.code = "x = {'a': 1}\nfor k in x:\n    r = k"},
    {.code = "x = {'a': 1}\nfor k, v in x.items():\n    r = [k, v]"},
    {.code = "for a, b in [(1, 2), (3, 4)]:\n    r = a + b"},
    {.code = "for (a, b) in [(1, 2)]:\n    r = 5"},
    {.code = "x = 1\ndef f():\n    global x\n    x = 2\nf()\nr = x"},
    {.code = "def f():\n    global p, q\n    p, q = 1, 2\nf()\nr = p + q"},
    {.code =
         "def outer():\n    n = 0\n    def inc():\n        nonlocal n\n        "
         "n += 1\n        return n\n    inc()\n    return inc()\nr = outer()"},
    {.code = "from dataclasses import "
             "dataclass\n@dataclass(frozen=True)\nclass A:\n    x: int = 1\n   "
             " def f(self):\n        return self.x * 2\nr = A(x=4).f()"},
    {.code = "from dataclasses import dataclass\n@dataclass\nclass A:\n    x: "
             "int = 1\na = A()\na.x += 1\nr = a.x"},
    {.code = "x = 4\nr = locals()['x'], globals()['x']"},
    {.code = "def f(a):\n    return locals()['a']\nr = f(6)"},
    {.code = "from importlib.machinery import SourceFileLoader\nr = "
             "SourceFileLoader('x', 'lib.py').load_module().A"},
    {.code =
         "import copy\nr = copy.deepcopy([1, {'a': 2}]), copy.copy({'b': 3})"},
    {.code = "r: int\nr = 44"},
    {.code = "r = x = 45"},
    {.code = "﻿r = 48", .want = "48"},
    {.code = "é = 3\nr = é"},
    {.code = "r = undefined, undefined.a.b(3)['x'], undefined + 1, [undefined, "
             "2], {undefined: 1, 'a': 2}, [1][5]",
     .want = "[?, ?, ?, [?, 2], {a: 2, ...}, ?]"},
    {.code = "r = [x for x in undefined], undefined or 3, undefined and 0, "
             "undefined or True, undefined and False",
     .want = "[?, ?, ?, true, false]"},
    {.code = "r = 1 if undefined else 1", .want = "1"},
    {.code = "r = 1 if undefined else 2", .want = "?"},
    {.code = "r = [] if undefined else [1]", .want = "[1]"},
    {.code = "r = {'a': 1} if undefined else {}", .want = "{a: 1}"},
    {.code = "r = None if undefined else 3", .want = "3"},
    {.code = "r = 3 if undefined else None", .want = "3"},
    {.code = "r = undefined == undefined, undefined is not None, undefined == "
             "other, undefined in [1], 1 in [undefined], 1 in undefined",
     .want = "[true, ?, ?, ?, ?, ?]"},
    {.code = "r = 'a' in {'b': 1, **undefined}, not undefined, -undefined, "
             "+'a', ~undefined",
     .want = "[?, ?, ?, ?, ?]"},
    {.code = "r = [*undefined, 1], {**undefined}",
     .want = "[[1, ...], {, ...}]"},
    {.code =
         "r = f'{undefined}', f'{1', f'{}', f'{1:>5}', f'{\"a\":5}', f'{1:,}'",
     .want = "[?, '1', ?, ?, ?, ?]"},
    {.code = "r = '%s' % undefined, '%s %s' % ('a',), '%' % 3, '%5' % 3, '%d' "
             "% 'a', '%d' % 1e20, '%0123456789d' % 3, '%*d' % (3, 4)",
     .want = "[?, ?, ?, ?, ?, ?, ?, ?]"},
    {.code = "r = '{}'.format(), '{:x}'.format(3), 'x'.split(undefined), "
             "'x'.split(3)",
     .want = "[?, ?, ?, ?]"},
    {.code = "r = 'x'.rsplit('x', undefined), 'x'.rsplit(undefined, 1), "
             "'x'.rsplit('xy', 1), ''.rsplit('x', 1)",
     .want = "[?, ?, ?, ['']]"},
    {.code = "r = 'x'.replace('x'), 'x'.replace(undefined, 'y'), "
             "'x'.joinpath(3), 'x'.startswith(3)",
     .want = "[?, ?, ?, ?]"},
    {.code = "r = [].append(), [].extend()", .want = "[?, ?]"},
    {.code = "x = [1]\nx.extend(undefined)\nr = x", .want = "[1, ...]"},
    {.code = "x = [1]\nif undefined:\n    x.append(2)\nr = x",
     .want = "[1, 2, ...]"},
    {.code = "x = [1]\nif undefined:\n    x[0] = 2\nr = x", .want = "[?]"},
    {.code = "x = [1]\nx[undefined] = 2\nr = x", .want = "[, ...]"},
    {.code = "x = {'a': 1}\nx[undefined] = 2\nr = x", .want = "{a: 1, ...}"},
    {.code = "x = {'a': 1}\nif undefined:\n    x['a'] = 2\nr = x",
     .want = "{a: ?}"},
    {.code = "x = {'a': 1}\nif undefined:\n    x['a'] = 1\nr = x",
     .want = "{a: 1}"},
    {.code = "x = {'a': 1}\nif undefined:\n    del x['a']\nr = x",
     .want = "{, ...}"},
    {.code = "del undefined.a, undefined[0]\nr = 1", .want = "1"},
    {.code = "x = 1\nif undefined:\n    x = 2\nr = x", .want = "?"},
    {.code = "x = 1\nif undefined:\n    x = 1\nr = x", .want = "1"},
    {.code = "if undefined:\n    x = 1\nelse:\n    x = 2\nr = x", .want = "?"},
    {.code =
         "def f():\n    if undefined:\n        return 1\n    return 2\nr = f()",
     .want = "?"},
    {.code = "def f():\n    if undefined:\n        return 1\n    else:\n       "
             " return 1\nr = f()",
     .want = "1"},
    {.code = "x = 0\nfor i in undefined:\n    x += 1\nr = x", .want = "?"},
    {.code = "def f():\n    while undefined:\n        return 1\nr = f()",
     .want = "1"},
    {.code = "def f():\n    for i in undefined:\n        return 1\nr = f()",
     .want = "1"},
    {.code =
         "for i in [1, 2]:\n    for j in undefined:\n        break\n    r = i",
     .want = "2"},
    {.code = "r = len(undefined), len(3), len(), int(undefined), int('x'), "
             "int([1]), str(undefined), min(), max([]), min(undefined), min(1, "
             "undefined)",
     .want = "[?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?]"},
    {.code = "r = sorted(undefined), sorted([1, 'a']), sorted([2, 1], "
             "reverse=True), sorted([undefined, 1]), reversed(undefined), "
             "set(undefined)",
     .want = "[?, ?, ?, ?, ?, ?]"},
    {.code = "r = getattr(undefined, 'a', 1), getattr({}, undefined), "
             "getattr([], 'a', 2), getattr()",
     .want = "[?, ?, 2, ?]"},
    {.code = "r = setattr(), setattr({}, 'a'), setattr([], 'a', 1), "
             "setattr(undefined, 'a', 1)",
     .want = "[none, none, none, none]"},
    {.code = "r = isinstance(), isinstance(undefined, int), isinstance(1, "
             "undefined), isinstance(1, 'a')",
     .want = "[?, ?, ?, ?]"},
    {.code = "r = {}.get(), {}.get(undefined), {'a': 1, **undefined}.get('b'), "
             "{}.pop(), {}.setdefault(3)",
     .want = "[?, ?, ?, ?, ?]"},
    {.code =
         "r = {}.update(undefined), {}.nope(), [].nope(), 'a'.nope(), (1).nope",
     .want = "[none, ?, ?, ?, ?]"},
    {.code = "r = type(3), type(undefined), super(), super().x",
     .want = "[?, ?, ?, ?]"},
    {.code = "r = dict(undefined), dict(1), list(undefined)",
     .want = "[{, ...}, {, ...}, ?]"},
    {.code = "r = filter(None, undefined), round(2.5), defaultdict(int)",
     .want = "[?, ?, ?]"},
    {.code = "r = locals().get('zz', 3), globals().get('zz', 4), "
             "vars().get('zz', 5)",
     .want = "[3, 4, 5]"},
    {.code = "import importlib\nr = importlib.import_module(undefined), "
             "__import__(undefined)",
     .want = "[?, ?]"},
    {.code =
         "import importlib.util as u\nr = u.module_from_spec(undefined), "
         "u.module_from_spec(u.spec_from_file_location('x', 'nowhere.py')), "
         "u.module_from_spec(u.spec_from_file_location('x', undefined))",
     .want = "[?, ?, ?]"},
    {.code = "from importlib.machinery import SourceFileLoader\nr = "
             "SourceFileLoader('x', 'nowhere.py').load_module()",
     .want = "?"},
    {.code = "import os\nr = os.environ.get(undefined), "
             "os.path.join(undefined, 'a'), os.path.basename(undefined), "
             "os.path.exists(undefined), os.path.exists('lib.py')",
     .want = "[?, ?, ?, ?, true]"},
    {.code = "from pathlib import Path\nr = Path('a.json').open(), "
             "Path('x').resolve(), Path('nowhere').exists()",
     .want = "[?, 'x', ?]"},
    {.code = "import json\nr = json.load(undefined), json.load(), "
             "json.loads('3'), json.load(fp=open('b.json')), "
             "json.load(open('nowhere.json')), json.load(open(undefined))",
     .want = "[?, ?, 3, [3, {k: false}], ?, ?]"},
    {.code = "import json\nr = json.load(open('bad.json'))", .want = "?"},
    {.code = "import yaml\nr = yaml.safe_load(open('c.yaml'))",
     .want = "{a: 1, b: {c: ['x', 'y', 2.5], d: none}, e: '1', k: 'v', f: [{g: "
             "1}, true]}"},
    {.code = "import yaml\nr = yaml.safe_load(open('anchors.yaml'))",
     .want = "{a: {p: 1, q: [2, 3]}, b: {p: 1, q: [2, 3]}, c: {q: 4, p: 1}, d: "
             "{p: 1, q: [2, 3], z: 5}, e: none}"},
    {.code = "import yaml\nr = yaml.safe_load(open('docs.yml'))",
     .want = "{a: 1, b: 3}"},
    {.code = "import yaml\nr = yaml.safe_load(open('list.yaml'))",
     .want = "[1, [2, 3], {a: 'b'}]"},
    {.code = "import yaml\nr = yaml.safe_load(open('tags.yaml'))",
     .want = "{m: {n: 3, _target_: 'lab.Net'}, o: {_target_: 'lab.f', "
             "_partial_: true}, p: {_args_: [1], _target_: 'lab.g'}, q: ?, s: "
             "{n: 3, _target_: 'lab.Net'}, t: 'x'}"},
    {.code = "import yaml\nr = yaml.safe_load(open('broken.yaml'))",
     .want = "{a: 1, b: ['2 c']}"},
    {.code = "import yaml\nr = yaml.safe_load(open('empty.yaml'))",
     .want = "?"},
    {.code = "from omegaconf import OmegaConf\nr = OmegaConf.load('refs.yaml')",
     .want = "{a: 3, b: 3, c: 'x3y', d: 12, e: 7, f: ?, g: ?, h: ?, i: 2, j: "
             "{k: 5, m: 5}, l: [1, 2], n: '${a', o: {k: 5, m: 5}, p: ?, q: ?}"},
    {.code = "from omegaconf import OmegaConf\nc = "
             "OmegaConf.merge(OmegaConf.load('base.yaml'), {'lr': 5}, "
             "OmegaConf.create({'m': {'d': 1}}))\nr = c, OmegaConf.merge(c, "
             "undefined)",
     .want = "[{lr: 5, m: {d: 1, e: 3}}, {lr: 5, m: {d: 1, e: 3}, ...}]"},
    {.code = "from omegaconf import OmegaConf\nr = OmegaConf.from_cli(['a=1', "
             "'b.c=2', 'd']), OmegaConf.from_cli()",
     .want = "[{a: 1, b: {c: 2}}, {}]"},
    {.code =
         "from omegaconf import OmegaConf\nr = OmegaConf.load('child.yaml')",
     .want = "{lr: 1, m: {d: 2, e: 4}, _base_: 'base.yaml'}"},
    {.code =
         "from omegaconf import OmegaConf\nr = OmegaConf.load('children.yaml')",
     .want = "{lr: 9, m: {d: 2, e: 3}, _base_: ['base.yaml', 'nowhere.yaml', "
             "'children.yaml', 3]}"},
    {.code = "from mmengine import Config\nr = Config.fromfile('conf.py')",
     .want = "{lr: 1, m: {d: 2, e: 3}, _base_: ['base.yaml'], model: {type: "
             "'Net', n: 3}}"},
    {.code = "from yacs.config import CfgNode as CN\nc = CN()\nc.A = "
             "CN()\nc.A.B = 1\nc.A.C = "
             "'x'\nc.merge_from_file('yacs.yaml')\nc.merge_from_list(['A.C', "
             "'y', 'A.D', 2])\nr = c",
     .want = "{A: {B: 5, C: 'y', D: 2}}"},
    {.code = "from yacs.config import CfgNode as CN\nc = CN({'a': 1})\nd = "
             "c.clone()\nd.a = 2\nc.merge_from_other_cfg(CN({'b': "
             "3}))\nc.merge_from_file(undefined)\nc.merge_from_file('nowhere."
             "yaml')\nc.merge_from_file('list.yaml')\nc.merge_from_dict("
             "undefined)\nr = [c, d]",
     .want = "[{a: 1, b: 3}, {a: 2}]"},
    {.code = "import copy\nr = copy.deepcopy(undefined), copy.copy()",
     .want = "[?, ?]"},
    {.code =
         "from types import SimpleNamespace\nr = SimpleNamespace(undefined), "
         "SimpleNamespace(SimpleNamespace(a=1))",
     .want = "[{, ...}, {a: 1}]"},
    {.code = "class A:\n    @property\n    def p(self):\n        return "
             "undefined\nr = A().p",
     .want = "?"},
    {.code = "class A(B):\n    pass\nr = isinstance(A(), C), "
             "isinstance(undefined(), A)",
     .want = "[?, ?]"},
    {.code = "@undefined\ndef f():\n    return 3\nr = f()", .want = "3"},
    {.code = "@undefined.option('--x')\ndef f(x=2):\n    return x\nr = f()",
     .want = "none"},
    {.code = "r = [1, 2\nr = 3", .want = "?"},
    {.code = "r = )\nr = 4", .want = "4"},
    {.code = "def (:\n    x = 1\nr = 5", .want = "?"},
    {.code = "class :\n    pass\nr = 6", .want = "6"},
    {.code = "if :\n    x\nr = 7", .want = "7"},
    {.code = "for in x:\n    y\nr = 8", .want = "8"},
    {.code = "try\nr = 9", .want = "9"},
    {.code = "with :\n    x\nr = 10", .want = "10"},
    {.code = "r = 'abc\nr = 11", .want = "?"},
    {.code = "r = \"\"\"abc", .want = "''"},
    {.code = "r = 1 +\nr = 12", .want = "?"},
    {.code = "import\nr = 13", .want = "13"},
    {.code = "from\nr = 14", .want = "?"},
    {.code = "from x import\nr = 15", .want = "15"},
    {.code = "lambda\nr = 16", .want = "?"},
    {.code = "r = lambda x: \nr = 17", .want = "?"},
    {.code = "@\nr = 18", .want = "?"},
    {.code = "@x\nr = 19", .want = "?"},
    {.code = "x = {1: 2, 3}\nr = 20", .want = "20"},
    {.code = "x = {'a':}\nr = 21", .want = "?"},
    {.code = "x = f(a=)\nr = 22", .want = "?"},
    {.code = "x = a[\nr = 23", .want = "?"},
    {.code = "x.3 = 4\nr = 24", .want = "24"},
    {.code = "global\nr = 25", .want = "?"},
    {.code = "del\nr = 26", .want = "?"},
    {.code = "return\nr = 27", .want = "?"},
    {.code = "  r = 28", .want = "28"},
    {.code = "if 1:\nr = 29", .want = "29"},
    {.code = "if 1:\n    r = 30\n  r = 31", .want = "31"},
    {.code = "\\\nr = 32", .want = "32"},
    {.code = "r = 0x, 1e, 1.2.3, 5e400", .want = "[?, ?, ?, ?]"},
    {.code = "r = \"\\x\", 'a\\", .want = "[?, 'a']"},
    {.code = "print \"old\"\nr = 33", .want = "33"},
    {.code = "x = yield\ny = yield 3\nz = await g()\nr = 34", .want = "34"},
    {.code = "r = ..., a[..., 1], a[1:2, 3], a[::2], a[:]",
     .want = "[?, ?, ?, ?, ?]"},
    {.code = "async with a as b, c:\n    r = 36", .want = "36"},
    {.code = "with (a): r = 37", .want = "37"},
    {.code = "with (a, b) as c: r = 38", .want = "38"},
    {.code = "with a as (b, c): r = 39", .want = "39"},
    {.code = "with (a as b, c as d,): r = 40", .want = "40"},
    {.code = "for a.b in [1]: r = 41", .want = "41"},
    {.code = "for a[0] in [1]: r = 42", .want = "?"},
    {.code = "[r for r in [1]]\nr = 43", .want = "43"},
    {.code = "r = [x async for x in y]", .want = "?"},
    {.code = "raise X; r = 46", .want = "46"},
    {.code = "assert 0, 'x'; r = 47", .want = "47"},
    {.code = "r = 1;;", .want = "?"},
    {.code = PARSER "p.add_argument('--on-x/--off-x', default=False)" PARSED
                    "a.on_x",
     .words = "--on-x",
     .want = "true"},
    {.code = PARSER "p.add_argument('--on-x/--off-x', default=True)" PARSED
                    "a.on_x",
     .words = "--off-x",
     .want = "false"},
    {.code = PARSER
     "p.add_argument('--x', action='store_true', default=undefined)" PARSED
     "a.x",
     .words = "--x",
     .want = "true"},
    {.code = PARSER "p.add_argument('--x')" PARSED "a.x",
     .words = "--y 3 pos",
     .want = "none"},
    {.code =
         PARSER "p.add_argument('--lr', type=float, default=2)" PARSED "a.lr",
     .words = "--lr",
     .want = "true"},
    {.code = PARSER "p.add_argument('--lr', type=float); "
                    "p.add_argument(undefined); p.add_argument()" PARSED "a.lr",
     .words = "--lr 3 --bad",
     .want = "3"},
    {.code = PARSER
     "p.add_argument('--batch-size'); p.add_argument('--best')" PARSED
     "[a.batch_size, a.best]",
     .words = "--b 3",
     .want = "[none, none]"},
    {.code = PARSER "p.add_argument('--x-y', dest='z.w'); q = 1" PARSED "a",
     .words = "--x-y 3",
     .want = "{z: {w: 3}}"},
    {.code = PARSER "q = p.add_subparsers(); c = q.add_parser('x'); "
                    "c.set_defaults(func=3); d = q.add_parser(undefined)" PARSED
                    "[a.command, a.func]",
     .words = "x",
     .want = "['x', 3]"},
    {.code = PARSER
     "p.set_defaults({'a': 2}); p.add_argument('--a', type=int)" PARSED "a.a",
     .words = "--a 1",
     .want = "1"},
    {.code = PARSER "p.set_defaults(undefined); p.add_argument('--a', "
                    "type=int, default='7')" PARSED "a.a",
     .words = "",
     .want = "7"},
    {.code = PARSER "p.add_argument('--n', nargs='...')" PARSED "a.n",
     .words = "--n 1 2 3",
     .want = "[1, 2, 3]"},
    {.code = PARSER "p.add_argument('-b', nargs='?', const=3)" PARSED "a.b",
     .words = "-b",
     .want = "3"},
    {.code = PARSER "p.add_argument('-z', action='store_true')" PARSED "a.z",
     .words = "-zq",
     .want = "false"},
    {.code = PARSER "p.add_argument('--n', is_flag=True)" PARSED "a.n",
     .words = "--n",
     .want = "true"},
    {.code = "r = 3 .__class__ is int, '-'.join(['a', 'b']), "
             "'v1.2'.removeprefix('v'), 'a=b'.partition('='), sum([1, 2, 3])",
     .want = "[?, ?, ?, ?, ?]"},
};

enum { N_ROWS = sizeof rows / sizeof *rows };

static const struct {
    const char *path, *text;
} files[] = {
    {"a.json", "{\"a\": {\"b\": [1, 2.5, null]}, \"c\": \"x\", \"d\": true}\n"},
    {"b.json", "[3, {\"k\": false}]\n"},
    {"lib.py", "A = 3\ndef twice(x):\n    return 2 * x\n"},
    {"bad.json", "{\"a\": "},
    {"c.yaml", "a: 1\nb: {c: [x, 'y', 2.5], d: null}\ne: \"1\"\n? k\n: v\n"
               "'': 3\nf:\n  - g: 1\n  - true\n"},
    {"anchors.yaml", "a: &x {p: 1, q: [2, 3]}\nb: *x\nc:\n  <<: *x\n  q: 4\n"
                     "d:\n  <<: [*x, {z: 5}, 7]\ne: *none\n"},
    {"docs.yml", "a: 1\n---\na: 2\nb: 3\n---\n- 4\n"},
    {"list.yaml", "- 1\n- [2, 3]\n- {a: b}\n"},
    {"tags.yaml",
     "m: !new:lab.Net\n  n: 3\no: !name:lab.f\np: !apply:lab.g [1]\n"
     "q: !ref <m>/<o>\ns: !copy <m\nt: !other x\n"},
    {"broken.yaml", "a: 1\nb: [2\nc: }\n"},
    {"empty.yaml", ""},
    {"refs.yaml", "a: 3\nb: ${a}\nc: x${a}y\nd: ${oc.env:SET_HERE}\n"
                  "e: ${oc.env:NONE,7}\nf: ${env:NONE}\ng: ${x:y}\n"
                  "h: ${none}\ni: ${l.1}\nj: {k: 5, m: '${.k}'}\nl: [1, 2]\n"
                  "n: ${a\no: ${j}\np: x${j}\nq: ${a.b}\n"},
    {"base.yaml", "lr: 1\nm: {d: 2, e: 3}\n"},
    {"child.yaml", "_base_: base.yaml\nm: {e: 4}\n"},
    {"children.yaml", "_base_: [base.yaml, nowhere.yaml, children.yaml, 3]\n"
                      "lr: 9\n"},
    {"yacs.yaml", "A:\n  B: 5\n"},
    {"conf.py", "_base_ = ['base.yaml']\nmodel = dict(type='Net', n=3)\n"
                "import os\nf = print\n"},
    {"pack/__init__.py", "from .inner import B\n__all__ = ['B']\n_C = 1\n"},
    {"pack/inner.py", "B = 7\nD = [B, 'd']\n_E = 9\n"},
};

static bool read_known(void *self, const char *path, struct text *out)
{
    const char *code = self;
    if (strcmp(path, "main.py") == 0) {
        *out = text_from(code);
        return true;
    }
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        if (strcmp(files[i].path, path) == 0) {
            *out = text_from(files[i].text);
            return true;
        }
    }
    return false;
}

static const char *find_known(void *self, const char *from, const char *path)
{
    struct text text;
    (void)from;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        if (strcmp(files[i].path, path) == 0)
            return files[i].path;
    }
    return read_known(self, path, &text) ? path : NULL;
}

static const char *module_known(void *self, const char *from,
                                struct text module)
{
    static const struct {
        const char *name, *path;
    } modules[] = {{"lib", "lib.py"},
                   {"pack", "pack/__init__.py"},
                   {"pack.inner", "pack/inner.py"},
                   {".inner", "pack/inner.py"}};
    (void)self;
    (void)from;
    for (size_t i = 0; i < sizeof modules / sizeof *modules; i++) {
        if (text_is(module, modules[i].name))
            return modules[i].path;
    }
    return NULL;
}

static const char *environment_known(void *self, const char *name)
{
    (void)self;
    return strcmp(name, "SET_HERE") == 0 ? "12" : NULL;
}

static void write_value(struct out *out, const struct py_value *value);

static void write_items(struct out *out, const struct py_value *value)
{
    bool list = value->type == PYV_LIST;
    out_char(out, list ? '[' : '{');
    for (size_t i = 0; i < value->map->n; i++) {
        const struct py_item *item = &value->map->at[i];
        out_text(out, i ? ", " : "");
        if (!list)
            out_printf(out, "%.*s: ", (int)item->key.len, item->key.at);
        write_value(out, item->value);
    }
    out_text(out, value->map->open ? ", ..." : "");
    out_char(out, list ? ']' : '}');
}

static void write_value(struct out *out, const struct py_value *value)
{
    enum py_type type = value ? value->type : PYV_UNKNOWN;
    if (type == PYV_NONE)
        out_text(out, "none");
    else if (type == PYV_BOOL)
        out_text(out, value->number != 0 ? "true" : "false");
    else if (type == PYV_NUMBER)
        out_printf(out, "%.12g", value->number);
    else if (type == PYV_TEXT)
        out_printf(out, "'%.*s'", (int)value->text.len, value->text.at);
    else if (type == PYV_LIST || type == PYV_DICT)
        write_items(out, value);
    else
        out_text(out, "?");
}

/* Evaluates a row. Writes the value of `r`. */
static void evaluate_row(const struct row *row, struct out *out)
{
    static struct py_machine machine;
    struct arena arena;
    struct settings settings;
    struct py_map words = {0};
    const struct py_host host = {(void *)(uintptr_t)row->code, module_known,
                                 find_known, read_known, environment_known};
    arena_init(&arena);
    settings_init(&settings, &arena);
    memset(&machine, 0, sizeof machine);
    struct text rest = text_from(row->words ? row->words : "");
    while (rest.len) {
        struct py_value *word = py_value_new(&arena, PYV_TEXT);
        word->text = text_split(rest, ' ', &rest);
        word->where = "command";
        py_map_set(&words, &arena, (struct text){"", 0}, word);
    }
    machine.arena = &arena;
    machine.host = &host;
    machine.settings = &settings;
    machine.words = &words;
    machine.words_where = "command";
    assert_true(py_machine_run(&machine, "main.py"));
    write_value(out, py_map_find(&machine.files[0]->scope.names, "r"));
    settings_fini(&settings);
    arena_fini(&arena);
}

static void write_quoted(struct out *out, const char *text)
{
    out_char(out, '\'');
    for (; *text; text++) {
        if (*text == '\n')
            out_text(out, "\\n");
        else
            out_printf(out, strchr("'\\", *text) ? "\\%c" : "%c", *text);
    }
    out_char(out, '\'');
}

/* Runs all rows with python3 and returns the values, each ended by \\x1e. */
static char *python_values(void)
{
    static const char head[] =
        "import os, sys, tempfile\n"
        "def show(v):\n"
        "    if v is None: return 'none'\n"
        "    if isinstance(v, bool): return str(v).lower()\n"
        "    if isinstance(v, (int, float)): return '%.12g' % v\n"
        "    if isinstance(v, str): return \"'\" + v + \"'\"\n"
        "    if isinstance(v, dict):\n"
        "        return '{' + ', '.join('%s: %s' % (k if isinstance(k, str)\n"
        "            else show(k), show(x)) for k, x in v.items()) + '}'\n"
        "    if isinstance(v, (list, tuple, set)):\n"
        "        return '[' + ', '.join(map(show, v)) + ']'\n"
        "    return '?'\n"
        "def run(code, words):\n"
        "    sys.argv[1:] = words.split()\n"
        "    names = {'__name__': '__main__'}\n"
        "    try:\n"
        "        exec(code, names)\n"
        "        print(show(names.get('r')), end='\\x1e')\n"
        "    except (Exception, SystemExit) as e:\n"
        "        print('failed:', type(e).__name__, str(e).split('\\n')[0], "
        "end='\\x1e')\n"
        "os.environ['SET_HERE'] = '12'\n"
        "sys.dont_write_bytecode = True\n"
        "sys.path.insert(0, '')\n"
        "place = tempfile.TemporaryDirectory()\n"
        "os.chdir(place.name)\n"
        "os.mkdir('pack')\n";
    struct out *out = out_to_memory();
    out_text(out, head);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        out_printf(out, "open('%s', 'w').write(", files[i].path);
        write_quoted(out, files[i].text);
        out_text(out, ")\n");
    }
    for (size_t i = 0; i < N_ROWS; i++) {
        if (rows[i].want)
            continue;
        out_text(out, "run(");
        write_quoted(out, rows[i].code);
        out_printf(out, ", '%s')\n", rows[i].words ? rows[i].words : "");
    }
    out_text(out, "os.chdir('/')\n");
    return interpreter_run("python3 -", out);
}

static void values_are_those_of_python(void **state)
{
    char *values = python_values();
    struct text rest = text_from(values);
    int bad = 0;
    (void)state;
    for (size_t i = 0; i < N_ROWS; i++) {
        struct out *out = out_to_memory();
        evaluate_row(&rows[i], out);
        bad += !interpreter_agrees(rows[i].code, rows[i].want, out_memory(out),
                                   &rest);
        out_abandon(out);
    }
    free(values);
    assert_int_equal(bad, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_those_of_python),
    };
    return cmocka_run_group_tests(tests, temp_path_make, temp_path_remove);
}
