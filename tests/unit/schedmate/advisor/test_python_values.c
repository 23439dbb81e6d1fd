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
#include "tests/support/slurp.h"
#include "tests/support/temp_path.h"

/* The value of `r`: what python3 finds if `want` is NULL. "?" is unknown. */
struct row {
    const char *code, *words, *want;
};

static const struct row rows[] = {
    {.code = "r = 1 + 2 * 3 - 4"},
    {.code = "r = 7 / 2"},
    {.code = "r = 7 // 2, -7 // 2, 7 // -2"},
    {.code = "r = 7 % 3, -7 % 3, 7 % -3, 5.5 % 2"},
    {.code = "r = 2 ** 10, 2 ** -1, -2 ** 2"},
    {.code = "r = (-8) ** 0.5 == 1", .want = "?"},
    {.code = "r = 1 / 0 if False else 3"},
    {.code = "r = 10_000, 0x1F, 1e-3, .5, 5., 2.5e3, 1E2, 5.e3, 0XaB"},
    {.code = "r = +3, -3, --3"},
    {.code = "r = ~5", .want = "?"},
    {.code = "r = True + True, False * 3, True / 2"},
    {.code =
         "r = not 0, not 'a', not None, not [], not {}, not [0], not {'a': 1}"},
    {.code = "r = 1 < 2, 2 <= 2, 3 > 4, 3 >= 3, 1 == 1.0, 1 != 2"},
    {.code = "r = 1 < 2 < 3, 1 < 3 < 2, 3 > 2 == 2"},
    {.code = "r = 'a' == 'a', 'a' != 'b', 'a' == 1, None == None, None is "
             "None, None is not None, 1 is not None"},
    {.code = "r = True == 1, False == 0, True is True"},
    {.code = "r = [] == {}, [1] == 1"},
    {.code = "r = [1] == [1]", .want = "?"},
    {.code = "r = {'a': 1} == {'a': 1}", .want = "?"},
    {.code = "r = 'a' < 'b'", .want = "?"},
    {.code = "r = True < 2", .want = "?"},
    {.code = "r = 'b' in 'abc', 'd' in 'abc', '' in '', 'x' not in 'x'"},
    {.code = "r = 1 in [1, 2], 3 in [1, 2], None in [None], 'a' in {'a': 1}, "
             "'b' not in {'a': 1}"},
    {.code = "r = [1] in [1]", .want = "?"},
    {.code = "r = 1 in 2 if False else 4"},
    {.code = "r = 0 or 3, 0 and 3, 2 or 3, 2 and 3, '' or 'a', None or {}, [] "
             "or [1]"},
    {.code = "r = 1 if 0 else 2, 1 if 1 else 2"},
    {.code = "r = 'a' 'b', 'a' + 'b', 'x' \"y\" 'z'"},
    {.code = "r = 'a' / 'b' if False else 'c'"},
    {.code = "r = 'ab' * 2", .want = "?"},
    {.code = "r = 1 + 'a' if False else 2"},
    {.code = "r = '%s-%d' % ('a', 3), '%s' % 'x', '%d%s' % (1, 2)"},
    {.code = "r = '%d%%' % 5"},
    {.code = "r = '%5.2f' % 1.234"},
    {.code = "r = '%d' % 3.7"},
    {.code = "r = '%05d' % 42"},
    {.code = "r = '%x' % 255", .want = "?"},
    {.code = "r = '%(a)s' % {'a': 'b'}", .want = "?"},
    {.code = "r = '%s' % True"},
    {.code = "r = '%s' % None"},
    {.code = "r = f'{1 + 2}a{\"b\"}', f'{{x}}', f'{3}', f''"},
    {.code = "r = f'{1.5:.3f}'"},
    {.code = "r = f'{7:03d}'"},
    {.code = "r = f'{\"a\"!r}'", .want = "?"},
    {.code = "r = f'{3=}'", .want = "?"},
    {.code = "r = f'{True}'"},
    {.code = "r = f'{None}'"},
    {.code = "r = f'{[1]}'", .want = "?"},
    {.code = "r = f'{\"a:b\"}', f'{(lambda: 3)()}', f'{[1, 2][1]}'"},
    {.code = "r = f'{3 != 4}'"},
    {.code = "r = '\\t\\n\\\\\\'\\\"', '\\q', 'a\\\nb'"},
    {.code = "r = r'a\\n', b'a' == 1"},
    {.code = "r = '\\x41'", .want = "?"},
    {.code = "r = '\\u0041'", .want = "?"},
    {.code = "r = \"\"\"a\nb\"\"\", 'c'"},
    {.code = "r = 'a.b.c'.split('.'), 'a b  c'.split(), ' a '.split(' '), "
             "'a,b,c'.split(',', 1), ''.split(), ''.split(',')"},
    {.code = "r = 'a\\tb\\nc'.split()"},
    {.code = "r = '  a  b c '.split(None, 1)"},
    {.code = "r = 'a b c'.split(maxsplit=1)"},
    {.code = "r = 'a--b'.split('--')", .want = "?"},
    {.code = "r = 'a.b.c'.rsplit('.', 1), 'abc'.rsplit('.', 1), "
             "'a.b'.rsplit('.'), 'a b'.rsplit()"},
    {.code = "r = 'a.b.c.d'.rsplit('.', 2)", .want = "?"},
    {.code = "r = ' a '.strip(), 'xxaxx'.strip('x'), 'a'.strip(), ''.strip()"},
    {.code = "r = ' a '.lstrip(), ' a '.rstrip(), 'xax'.lstrip('x'), "
             "'xax'.rstrip('x')"},
    {.code = "r = 'aBc'.lower(), 'aBc'.upper()"},
    {.code = "r = 'a-b-c'.replace('-', '+'), 'aaa'.replace('aa', 'b'), "
             "'a'.replace('b', 'c'), 'ab'.replace('b', '')"},
    {.code = "r = 'a-b-c'.replace('-', '+', 1)", .want = "?"},
    {.code = "r = 'abc'.replace('', '-')", .want = "?"},
    {.code = "r = 'abc'.startswith('a'), 'abc'.startswith('b'), "
             "'abc'.endswith('bc'), 'abc'.endswith(('x', 'c')), "
             "'abc'.startswith(('x', 'y')), 'a'.startswith('abc'), "
             "'a'.endswith('')"},
    {.code = "r = 'abc'.startswith('b', 1)", .want = "?"},
    {.code = "r = '{}-{}'.format(1, 'a'), '{1}{0}'.format('a', 'b'), "
             "'{x}'.format(x=3), 'a'.format()"},
    {.code = "r = '{:.2f}'.format(1.234)"},
    {.code = "r = '{0!r}'.format('a')", .want = "?"},
    {.code = "r = '{{}}'.format()"},
    {.code = "r = '{a.b}'.format(a=1) if False else 1"},
    {.code = "r = '{}'.format(True)"},
    {.code = "r = 'abc'[1:], 'abc'[5:], 'abc'[0:]"},
    {.code = "r = 'abc'[:2]", .want = "?"},
    {.code = "r = 'abc'[-1:]", .want = "?"},
    {.code = "r = 'abc'[0]", .want = "?"},
    {.code = "r = 'abc'[-1]", .want = "?"},
    {.code = "r = [1, 2, 3][1], [1, 2, 3][-1], (4, 5)[0], {'a': 1}['a'], {1: "
             "'x'}[1], {True: 'y'}[True]"},
    {.code = "r = [1, 2, 3][1:], [1, 2][5:], (1, 2)[0:]"},
    {.code = "r = [1, 2, 3][:2]", .want = "?"},
    {.code = "r = [1, 2, 3][-2:]", .want = "?"},
    {.code = "r = [1, 2, 3][::2]", .want = "?"},
    {.code = "r = [1] + [2, 3], (1,) + (2,), {'a': 1} | {'b': 2}, {'a': 1} | "
             "{'a': 2}"},
    {.code = "r = [0] * 3", .want = "?"},
    {.code = "r = [*[1, 2], 3], (*[1], 2), {**{'a': 1}, 'b': 2}, {**{'a': 1}, "
             "'a': 2}"},
    {.code = "r = {'a': 1, 2: 'b', True: 'c'}"},
    {.code = "r = [], (), {}, (1,), [1, [2, [3]]], {'a': {'b': [1]}}"},
    {.code = "r = [x for x in [1, 2]], [x + 1 for x in (1, 2)], {k: 1 for k in "
             "['a']}, [k for k in {'a': 1}], [a for a, b in [(1, 2), (3, 4)]]"},
    {.code = "r = [x for x in [1, 2, 3] if x > 1]", .want = "?"},
    {.code = "r = [x + y for x in [1, 2] for y in [3, 4]]", .want = "?"},
    {.code = "r = list(x for x in [1, 2])"},
    {.code = "r = {x for x in [1]}"},
    {.code = "r = (lambda x: x + 1)(2), (lambda x, y=3: x * y)(2), (lambda: "
             "5)(), (lambda *a: 6)(1, 2)"},
    {.code = "r = (n := 5) + n"},
    {.code = "r = int('3'), int(3.7), int(-3.7), int(True), float('1e3'), "
             "float(2), float('.5'), int('1_000')"},
    {.code = "r = int('ff', 16)", .want = "?"},
    {.code = "r = int('3.5') if False else 0"},
    {.code = "r = str('a'), str(3), bool(0), bool(''), bool('a'), bool(2)"},
    {.code = "r = str(True)"},
    {.code = "r = str(None)", .want = "?"},
    {.code = "r = bool([])", .want = "?"},
    {.code = "r = int(), str(), bool(), float(), list(), tuple(), dict()",
     .want = "[?, ?, ?, ?, [], [], {}]"},
    {.code =
         "r = min(1, 2), max(1, 2), min([3, 1, 2]), max((3, 1, 2)), max(2, 2)"},
    {.code = "r = min(True, 2)", .want = "?"},
    {.code = "r = max('a', 'b')", .want = "?"},
    {.code = "r = min([2, 1], key=lambda x: -x)", .want = "?"},
    {.code = "r = max([], default=3)", .want = "?"},
    {.code = "r = len([1, 2]), len({'a': 1}), len(())"},
    {.code = "r = len('abc')", .want = "?"},
    {.code = "r = abs(-3), round(2.5), sum([1, 2])", .want = "[?, ?, ?]"},
    {.code = "r = list((1, 2)), tuple([1]), list([1])"},
    {.code = "r = sorted([3, 1, 2])"},
    {.code = "r = list(reversed([1, 2]))"},
    {.code = "r = len(set([1, 1]))"},
    {.code = "r = list({'a': 1, 'b': 2})"},
    {.code = "r = list('ab')", .want = "?"},
    {.code = "r = dict(a=1), dict({'a': 1}, b=2), dict(**{'a': 1})"},
    {.code = "r = dict([('a', 1)])", .want = "{, ...}"},
    {.code = "r = isinstance(1, int), isinstance('a', str), isinstance([], "
             "list), isinstance({}, dict), isinstance(1, str), "
             "isinstance(True, bool), isinstance((), tuple), isinstance(1, "
             "bool), isinstance(None, int), isinstance('a', int)"},
    {.code = "r = isinstance(1.5, float), isinstance(1.5, int)"},
    {.code = "r = isinstance(1, float)"},
    {.code = "r = isinstance(True, int)"},
    {.code = "r = isinstance(1, (int, str))", .want = "?"},
    {.code = "r = isinstance(None, type(None))", .want = "?"},
    {.code = "r = {'a': 1}.get('a'), {'a': 1}.get('b'), {'a': 1}.get('b', 2), "
             "{}.get('x', None), {1: 2}.get(1)"},
    {.code = "r = list({'a': 1}.keys()), list({'a': 1}.values()), list({'a': "
             "1}.items())"},
    {.code = "r = {'a': 1}.copy(), [1].copy()"},
    {.code = "r = getattr({}, 'a', 3), getattr('a', 'zz', 4)"},
    {.code = "r = hasattr('a', 'zz')", .want = "?"},
    {.code = "r = type(1) == int", .want = "?"},
    {.code = "r = any([0, 1]), all([1, 0])", .want = "[?, ?]"},
    {.code = "r = list(zip([1], [2]))", .want = "?"},
    {.code = "r = list(enumerate(['a']))", .want = "?"},
    {.code = "r = list(map(int, ['1']))", .want = "?"},
    {.code = "r = list(range(3))", .want = "?"},
    {.code = "r = list(filter(None, [0, 1]))", .want = "?"},
    {.code = "r = ..."},
    {.code = "r = 1 if 'x' in globals() else 2"},
    {.code = "r = 3 .__class__ is int", .want = "?"},
    {.code = "r = 1 << 3, 6 & 3, 6 | 3, 6 ^ 3, 16 >> 2",
     .want = "[?, ?, ?, ?, ?]"},
    {.code = "r = 'a' if 'b' else 'c', 5 if [] else 6, 7 if {} else 8, 9 if "
             "None else 10"},
    {.code = "r = '-'.join(['a', 'b'])", .want = "?"},
    {.code = "r = 'abc'.index('b'), 'abc'.find('c'), 'a'.isdigit()",
     .want = "[?, ?, ?]"},
    {.code = "r = 'a\\nb'.splitlines()", .want = "?"},
    {.code = "r = 'abc'.title(), 'aB'.swapcase(), 'a'.zfill(3)",
     .want = "[?, ?, ?]"},
    {.code = "r = 'v1.2'.removeprefix('v')", .want = "?"},
    {.code = "r = 'a=b'.partition('=')", .want = "?"},
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
    {.code = "pass\nr = 1"},
    {.code = "r = {'a': 1}['a'] if 'a' in {'a': 1} else 0"},
    {.code = "x = {'a': {'b': 3}}\nr = x['a']['b']"},
    {.code = "x = [[1, 2], [3]]\nr = x[1][0]"},
    {.code = "r = [i for i in [1, 2]][0]"},
    {.code = "x = 5\nr = [x for x in [1, 2]]"},
    {.code = "r = sum([1, 2, 3])", .want = "?"},
    {.code = "import argparse\np = "
             "argparse.ArgumentParser()\np.add_argument('--lr', type=float, "
             "default=0.1)\na = p.parse_args()\nr = a.lr",
     .words = "--lr 0.5"},
    {.code = "import argparse\np = "
             "argparse.ArgumentParser()\np.add_argument('--lr', type=float, "
             "default=0.1)\na = p.parse_args()\nr = a.lr"},
    {.code = "import argparse\np = "
             "argparse.ArgumentParser()\np.add_argument('--lr', type=float)\na "
             "= p.parse_args()\nr = a.lr",
     .words = "--lr=0.5"},
    {.code = "import argparse\np = "
             "argparse.ArgumentParser()\np.add_argument('--lr', type=float)\na "
             "= p.parse_args()\nr = a.lr"},
    {.code =
         "import argparse\np = argparse.ArgumentParser()\np.add_argument('-b', "
         "'--batch-size', type=int)\na = p.parse_args()\nr = a.batch_size",
     .words = "-b 8"},
    {.code =
         "import argparse\np = argparse.ArgumentParser()\np.add_argument('-b', "
         "'--batch-size', type=int)\na = p.parse_args()\nr = a.batch_size",
     .words = "-b8"},
    {.code = "import argparse\np = "
             "argparse.ArgumentParser()\np.add_argument('--batch-size', "
             "type=int, default=1)\na = p.parse_args()\nr = a.batch_size",
     .words = "--batch 8"},
    {.code = "import argparse\np = "
             "argparse.ArgumentParser()\np.add_argument('--n', type=int)\na = "
             "p.parse_args()\nr = a.n",
     .words = "--n -5"},
    {.code = "import argparse\np = "
             "argparse.ArgumentParser()\np.add_argument('--n', type=str)\na = "
             "p.parse_args()\nr = a.n",
     .words = "--n 3"},
    {.code = "import argparse\np = "
             "argparse.ArgumentParser()\np.add_argument('--amp', "
             "action='store_true')\na = p.parse_args()\nr = a.amp",
     .words = "--amp"},
    {.code = "import argparse\np = "
             "argparse.ArgumentParser()\np.add_argument('--amp', "
             "action='store_true')\na = p.parse_args()\nr = a.amp"},
    {.code = "import argparse\np = "
             "argparse.ArgumentParser()\np.add_argument('--no-amp', "
             "action='store_false', dest='amp')\na = p.parse_args()\nr = a.amp",
     .words = "--no-amp"},
    {.code =
         "import argparse\np = "
         "argparse.ArgumentParser()\np.add_argument('--no-amp', "
         "action='store_false', dest='amp')\na = p.parse_args()\nr = a.amp"},
    {.code = "import argparse\np = "
             "argparse.ArgumentParser()\np.add_argument('--amp', "
             "action=argparse.BooleanOptionalAction, default=True)\na = "
             "p.parse_args()\nr = a.amp",
     .words = "--no-amp"},
    {.code = "import argparse\np = "
             "argparse.ArgumentParser()\np.add_argument('--amp', "
             "action=argparse.BooleanOptionalAction)\na = p.parse_args()\nr = "
             "a.amp",
     .words = "--amp"},
    {.code = "import argparse\np = "
             "argparse.ArgumentParser()\np.add_argument('--quick', "
             "action='store_const', const=7, default=3)\na = p.parse_args()\nr "
             "= a.quick",
     .words = "--quick"},
    {.code = "import argparse\np = "
             "argparse.ArgumentParser()\np.add_argument('--quick', "
             "action='store_const', const=7, default=3)\na = p.parse_args()\nr "
             "= a.quick"},
    {.code =
         "import argparse\np = argparse.ArgumentParser()\np.add_argument('-v', "
         "action='count', default=0)\na = p.parse_args()\nr = a.v",
     .words = "-v -v"},
    {.code = "import argparse\np = "
             "argparse.ArgumentParser()\np.add_argument('--x', "
             "action='append', type=int)\na = p.parse_args()\nr = a.x",
     .words = "--x 1 --x 2"},
    {.code = "import argparse\np = "
             "argparse.ArgumentParser()\np.add_argument('--xs', nargs='+', "
             "type=int)\na = p.parse_args()\nr = a.xs",
     .words = "--xs 1 2 3"},
    {.code = "import argparse\np = "
             "argparse.ArgumentParser()\np.add_argument('--xs', nargs='*', "
             "type=int); p.add_argument('--n', type=int)\na = "
             "p.parse_args()\nr = [a.xs, a.n]",
     .words = "--xs 1 2 --n 3"},
    {.code = "import argparse\np = "
             "argparse.ArgumentParser()\np.add_argument('--xs', nargs=2, "
             "type=float)\na = p.parse_args()\nr = a.xs",
     .words = "--xs 1 2"},
    {.code = "import argparse\np = "
             "argparse.ArgumentParser()\np.add_argument('--xs', nargs='?', "
             "const=5, default=6, type=int)\na = p.parse_args()\nr = a.xs",
     .words = "--xs"},
    {.code = "import argparse\np = "
             "argparse.ArgumentParser()\np.add_argument('--xs', nargs='?', "
             "const=5, default=6, type=int)\na = p.parse_args()\nr = a.xs"},
    {.code = "import argparse\np = "
             "argparse.ArgumentParser()\np.add_argument('--xs', nargs='?', "
             "const=5, default=6, type=int)\na = p.parse_args()\nr = a.xs",
     .words = "--xs 4"},
    {.code = "import argparse\np = "
             "argparse.ArgumentParser()\np.add_argument('model'); "
             "p.add_argument('n', type=int)\na = p.parse_args()\nr = [a.model, "
             "a.n]",
     .words = "vit 3"},
    {.code = "import argparse\np = "
             "argparse.ArgumentParser()\np.add_argument('model', nargs='?', "
             "default='mlp')\na = p.parse_args()\nr = a.model",
     .words = "vit"},
    {.code = "import argparse\np = "
             "argparse.ArgumentParser()\np.add_argument('model', nargs='?', "
             "default='mlp')\na = p.parse_args()\nr = a.model"},
    {.code = "import argparse\np = "
             "argparse.ArgumentParser()\np.add_argument('rest', "
             "nargs=argparse.REMAINDER)\na = p.parse_args()\nr = a.rest",
     .words = "a b c"},
    {.code = "import argparse\np = "
             "argparse.ArgumentParser()\np.add_argument('first'); "
             "p.add_argument('rest', nargs='*')\na = p.parse_args()\nr = "
             "[a.first, a.rest]",
     .words = "a b c"},
    {.code = "import argparse\np = "
             "argparse.ArgumentParser()\np.add_argument('--lr', type=lambda s: "
             "float(s) * 2)\na = p.parse_args()\nr = a.lr",
     .words = "--lr 1"},
    {.code = "import argparse\np = argparse.ArgumentParser()\ndef yes(s):\n    "
             "return s.lower() in ('yes', 'true')\np.add_argument('--on', "
             "type=yes)\na = p.parse_args()\nr = a.on",
     .words = "--on yes"},
    {.code = "import argparse\np = "
             "argparse.ArgumentParser()\np.add_argument('--lr', default='0.5', "
             "type=float)\na = p.parse_args()\nr = a.lr"},
    {.code =
         "import argparse\np = argparse.ArgumentParser()\np.set_defaults(lr=9, "
         "mode='x'); p.add_argument('--lr', type=int)\na = p.parse_args()\nr = "
         "[a.lr, a.mode]",
     .words = "--lr 2"},
    {.code = "import argparse\np = "
             "argparse.ArgumentParser()\np.add_argument('--lr', type=int, "
             "default=1); p.set_defaults(lr=9)\na = p.parse_args()\nr = a.lr"},
    {.code = "import argparse\np = "
             "argparse.ArgumentParser()\np.set_defaults(lr=9); "
             "p.add_argument('--lr', type=int)\na = p.parse_args()\nr = a.lr"},
    {.code = "import argparse\np = "
             "argparse.ArgumentParser()\np.set_defaults(**{'lr': 9}); "
             "p.add_argument('--lr', type=int)\na = p.parse_args()\nr = a.lr"},
    {.code = "import argparse\np = argparse.ArgumentParser()\ng = "
             "p.add_argument_group('x'); g.add_argument('--lr', type=int)\na = "
             "p.parse_args()\nr = a.lr",
     .words = "--lr 3"},
    {.code = "import argparse\np = argparse.ArgumentParser()\ng = "
             "p.add_mutually_exclusive_group(); g.add_argument('--lr', "
             "type=int)\na = p.parse_args()\nr = a.lr",
     .words = "--lr 3"},
    {.code = "import argparse\np = argparse.ArgumentParser()\ns = "
             "p.add_subparsers(dest='what'); f = s.add_parser('fit'); "
             "f.add_argument('--lr', type=int); t = s.add_parser('test'); "
             "t.add_argument('--lr', type=int, default=8)\na = "
             "p.parse_args()\nr = [a.what, a.lr]",
     .words = "fit --lr 3"},
    {.code = "import argparse\np = argparse.ArgumentParser()\nq = "
             "argparse.ArgumentParser(add_help=False); q.add_argument('--lr', "
             "type=int); p = argparse.ArgumentParser(parents=[q])\na = "
             "p.parse_args()\nr = a.lr",
     .words = "--lr 4"},
    {.code = "import argparse\np = "
             "argparse.ArgumentParser()\np.add_argument('--lr', type=int, "
             "dest='rate')\na = p.parse_args()\nr = a.rate",
     .words = "--lr 4"},
    {.code = "import argparse\np = "
             "argparse.ArgumentParser()\np.add_argument('--opt', choices=['x', "
             "'y'])\na = p.parse_args()\nr = a.opt",
     .words = "--opt x"},
};

enum { N_ROWS = sizeof rows / sizeof *rows };

static const struct {
    const char *path, *text;
} files[] = {
    {"a.json", "{\"a\": {\"b\": [1, 2.5, null]}, \"c\": \"x\", \"d\": true}\n"},
    {"b.json", "[3, {\"k\": false}]\n"},
    {"lib.py", "A = 3\ndef twice(x):\n    return 2 * x\n"},
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

/* Evaluates a row. Writes the value of `r` and a line feed. */
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
    out_char(out, '\n');
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
    char command[128];
    struct out *out = out_to_memory();
    size_t len;
    out_text(out, head);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        out_printf(out, "open('%s', 'w').write(", files[i].path);
        write_quoted(out, files[i].text);
        out_text(out, ")\n");
    }
    for (size_t i = 0; i < N_ROWS; i++) {
        out_text(out, "run(");
        write_quoted(out, rows[i].code);
        out_printf(out, ", '%s')\n", rows[i].words ? rows[i].words : "");
    }
    out_text(out, "os.chdir('/')\n");
    struct text text = out_memory(out);
    snprintf(command, sizeof command, "python3 - >%s", temp_path);
    FILE *pipe = popen(command, "w");
    assert_non_null(pipe);
    assert_int_equal(fwrite(text.at, 1, text.len, pipe), text.len);
    assert_int_equal(pclose(pipe), 0);
    out_abandon(out);
    char *values = slurp(temp_path, &len);
    assert_non_null(values);
    return values;
}

static void values_are_those_of_python(void **state)
{
    char *values = python_values();
    struct text rest = text_from(values);
    int bad = 0;
    (void)state;
    for (size_t i = 0; i < N_ROWS; i++) {
        struct out *out = out_to_memory();
        struct text real = text_split(rest, '\x1e', &rest);
        evaluate_row(&rows[i], out);
        struct text got = out_memory(out);
        got.len--;
        bool right =
            rows[i].want ? text_is(got, rows[i].want) : text_equal(got, real);
        if (!right)
            print_message("# row %zu: %s\n#   found %.*s, python3 %.*s\n", i,
                          rows[i].code, (int)got.len, got.at, (int)real.len,
                          real.at);
        bad += !right;
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
