"""What an expression of each type may look like: rows of forms with typed holes; knows no names and draws nothing.

A hole `{ints}` wants a list of integers that a variable holds or that can be made from one; `{1-9}` is a literal from
that range, `{char!}` and `{word!}` are literals, `{index}` is a loop's index or a small number,
`{charof}` a character that a variable holds. A number in front weighs a form.
"""

FORMS: dict[str, str] = {
    "int": """
        4 {int} + {int}
        3 {int} - {int}
        2 {int} * {1-9}
        1 {int} * {int}
        2 {int} // {2-9}
        3 {int} % {2-9}
        1 -{int}
        1 abs({int} - {int})
        1 {int} ** 2
        1 {int} & {1-7}
        1 {int} | {1-7}
        1 {int} ^ {int}
        1 divmod({int}, {2-9})[{0-1}]
        2 min({int}, {int})
        2 max({int}, {int})
        1 max({int}, {int}, {0-9})
        1 int({bool})
        1 int(str({1-99}) + str({digit!}))
        1 round({int} / {2-4})
        2 {int} if {bool} else {int}
        3 len({str})
        2 {str}.count({char})
        1 {str}.count({word!})
        2 {str}.find({char})
        1 {str}.rfind({char})
        1 {str}.find({char}, {1-4})
        1 {str}.index({charof})
        1 {str}.rindex({charof})
        1 {str}.rindex({char})
        1 {str}.index({char})
        1 ord({charof}) - ord('a')
        1 ord({charof})
        1 len({str}.split())
        1 len({str}.split({char!}))
        1 int({digits})
        1 len(set({str}))
        4 len({ints})
        3 {ints}[{index}]
        2 {ints}[0]
        2 {ints}[-1]
        1 {ints}[-{1-3}]
        2 {ints}[{int} % len({ints})]
        2 sum({ints})
        2 max({ints})
        2 min({ints})
        1 sum({ints}[{0-2}:{2-4}])
        1 {ints}.count({int})
        1 {ints}.index({ints}[{index}])
        1 max({ints}, default={0-3})
        1 sorted({ints})[{index}]
        1 len(set({ints}))
        1 sum(x * {2-5} for x in {ints})
        1 sum(1 for x in {ints} if x {cmp} {0-20})
        1 max((x for x in {ints} if x {cmp} {0-20}), default=0)
        1 sum(x for x in {ints} if x % {2-4} == {0-1})
        2 len({strs})
        1 {strs}.count({word})
        1 len({strs}[{index}])
        1 max(len(w) for w in {strs})
        1 sum(len(w) for w in {strs})
        1 sum([len(w) for w in {strs}])
        3 {counts}.get({word}, {0-3})
        1 len({counts})
        1 sum({counts}.values())
        1 max({counts}.values())
        1 {counts}[{word}]
        2 {table}.get({int}, {0-3})
        1 len({table})
        1 {table}[{int}]
        1 sum({table}.keys())
        1 len({set})
        1 sum({set})
        1 max({set})
        2 {pair}[{0-1}]
        2 {grid}[{index}][{index}]
        1 len({grid})
        1 len({grid}[0])
        1 sum({grid}[{index}])
        1 sum(sum(row) for row in {grid})
        1 sum({grid}[i][i] for i in range(len({grid})))
        1 {pairs}[{index}][1]
        1 len({pairs})
        1 len({groups})
        1 len({groups}.get({word}, []))
    """,
    "str": """
        4 {str} + {str}
        2 {str} + {char}
        1 {char} + {str}
        1 {str} * {2-3}
        2 {str}.upper()
        2 {str}.lower()
        1 {str}.title()
        1 {str}.capitalize()
        1 {str}.swapcase()
        2 {str}.strip()
        1 {str}.strip({char!})
        1 {str}.lstrip()
        1 {str}.rstrip({char!})
        3 {str}.replace({char}, {char})
        2 {str}.replace({char}, '')
        1 {str}.replace({word!}, {word!})
        1 {str}.replace({char}, {word!}, {1-2})
        1 {str}.zfill({3-9})
        1 {str}.center({3-12})
        1 {str}.ljust({3-12}, {char!})
        1 {str}.rjust({3-12})
        1 {str}.removeprefix({char})
        1 {str}.removesuffix({char})
        2 {str}[::-1]
        3 {str}[{0-3}:]
        3 {str}[:{1-5}]
        2 {str}[{0-2}:{2-6}]
        1 {str}[-{1-4}:]
        1 {str}[:-{1-3}]
        1 {str}[::2]
        1 {str}[{int}:]
        1 {str}[:{int}]
        1 {str}[{0-1}::{2-3}]
        1 {str}[:len({str}) // 2]
        3 str({int})
        1 str({int}) + {char!}
        2 f'{{{int0}}}{{{str0}}}'
        1 f'{{{str0}}}-{{{int0}}}'
        1 f'{{{str0}!r}}'
        1 f'{{{int0}:>{2-5}}}'
        1 f'{{{int0}:03d}}'
        1 '%s=%d' % ({str}, {int})
        1 '{{}}:{{}}'.format({str}, {int})
        1 '{{}}-{{}}-{{}}'.format({int}, {char}, {int})
        2 {str} if {bool} else {str}
        2 ''.join(reversed({str}))
        1 ''.join(sorted({str}))
        1 ''.join(sorted(set({str})))
        2 ''.join(c for c in {str} if c {cmp} {char!})
        2 ''.join([c for c in {str} if c.{is}()])
        1 ''.join([c.upper() if c in {word!} else c for c in {str}])
        1 ''.join(chr(ord(c) + {1-3}) for c in {str})
        1 {char!}.join({str})
        1 {str}.split({char!})[0]
        1 {str}.split({char!})[-1]
        1 {str}.partition({char!})[{0-2}]
        1 {str}.rpartition({char!})[{0-2}]
        1 {str}.expandtabs({1-4})
        1 {str}.translate(str.maketrans({char!}, {char!}))
        1 bin({int})
        1 bin({int})[2:]
        1 hex({int})
        1 chr(ord('a') + {int} % 26)
        1 repr({str})
        1 str({ints})
        1 {str} or {word!}
        1 max({str})
        1 min({str}, {str})
        3 {strs}[{index}]
        2 {strs}[0]
        2 {strs}[-1]
        3 ' '.join({strs})
        2 {char!}.join({strs})
        1 ''.join({strs})
        1 max({strs})
        1 max({strs}, key=len)
        1 min({strs}, key=len)
        1 ', '.join(str(x) for x in {ints})
        2 ' '.join(map(str, {ints}))
        1 ''.join(w[0] for w in {strs} if w)
        1 ' '.join(w.capitalize() for w in {strs})
        1 ' '.join([w[::-1] for w in {strs}])
        1 ','.join({counts})
        1 next(iter({counts}))
        1 str({pair})
        1 str({str})
        1 {str}.removesuffix({word!})
        1 {str}.casefold()
        1 {wordmap}.get({word}, {word!})
        1 {pairs}[{index}][0]
    """,
    "char": """
        3 {str}[{index}]
        2 {str}[0]
        2 {str}[-1]
        1 {str}[{int} % len({str})]
        1 {str}[len({str}) // 2]
        1 {char}.upper()
        1 {char}.lower()
    """,
    "bool": """
        4 {int} {cmp} {int}
        4 {int} {cmp} {0-20}
        3 {int} % {2-4} == {0-1}
        1 {int} % {2-4} != {0-1}
        1 {0-5} < {int} <= {5-30}
        1 {int} in ({0-9}, {0-9}, {10-30})
        3 {bool} and {bool}
        3 {bool} or {bool}
        2 not {bool}
        1 {str}
        2 {str} {eq} {word}
        2 {char} in {str}
        1 {char} not in {str}
        1 {word!} in {str}
        2 {charof} == {char}
        1 {charof} < {char!}
        2 {charof} in 'aeiou'
        3 {str}.{is}()
        2 {str}.startswith({char})
        2 {str}.endswith({char})
        1 {str}.startswith(({char!}, {char!}))
        1 {str} == {str}[::-1]
        1 {str}[0] == {str}[-1]
        1 {str} < {str}
        2 len({str}) {cmp} {0-8}
        1 isinstance({int}, int)
        2 {int} in {ints}
        1 {int} not in {ints}
        2 len({ints}) {cmp} {0-6}
        1 {ints} == {ints}[::-1]
        1 {ints} == sorted({ints})
        1 not {ints}
        1 all(x {cmp} {0-20} for x in {ints})
        1 any(x % {2-5} == 0 for x in {ints})
        1 any(x {cmp} {int} for x in {ints})
        1 all(c in {word!} for c in {str})
        1 any(c.{is}() for c in {str})
        1 len(set({ints})) == len({ints})
        2 {word} in {strs}
        1 len({strs}) {cmp} {0-6}
        1 all(w.{is}() for w in {strs})
        2 {word} in {counts}
        1 {word} not in {counts}
        1 {int} in {table}
        2 {int} in {set}
        1 {int} not in {set}
        1 len({set}) {cmp} {0-5}
        1 {set} <= {set}
        1 {pair}[0] {cmp} {pair}[1]
        1 {int} in {grid}[{index}]
    """,
    "ints": """
        3 {ints}[{0-3}:]
        3 {ints}[:{1-4}]
        2 {ints}[{0-2}:{2-6}]
        2 {ints}[::-1]
        1 {ints}[::2]
        1 {ints}[-{1-3}:]
        1 {ints}[{int}:]
        2 {ints} + {ints}
        1 {ints} + [{int}]
        1 [{int}] + {ints}
        1 {ints} * 2
        1 [{0-3}] * {2-5}
        1 [{int}] * len({ints})
        2 [{int}, {int}]
        1 [{int}, {int}, {int}]
        3 sorted({ints})
        2 sorted({ints}, reverse=True)
        1 sorted({ints}, key=lambda x: -x)
        1 sorted({ints}, key=lambda x: x % {2-5})
        1 sorted(set({ints}))
        2 list({ints})
        1 {ints}.copy()
        1 list(reversed({ints}))
        1 list(range({int} % 8))
        2 list(range({1-6}))
        1 list(range({0-3}, {4-12}, {1-3}))
        1 list(range({6-9}, {0-3}, -1))
        3 [x {+-*} {1-9} for x in {ints}]
        3 [x for x in {ints} if x {cmp} {0-20}]
        2 [x for x in {ints} if x % {2-4} == {0-1}]
        1 [x * y for x, y in zip({ints}, {ints})]
        1 [x + i for i, x in enumerate({ints})]
        1 [i for i, x in enumerate({ints}) if x {cmp} {0-20}]
        1 [{ints}[i] for i in range(0, len({ints}), 2)]
        1 [b - a for a, b in zip({ints}, {ints}[1:])]
        1 [x if x {cmp} {0-20} else {0-3} for x in {ints}]
        1 [abs(x) for x in {ints}]
        1 [x ** 2 for x in {ints}]
        1 list(map(abs, {ints}))
        1 list(map(lambda x: x {+-*} {1-5}, {ints}))
        1 list(filter(lambda x: x {cmp} {0-9}, {ints}))
        1 list(filter(None, {ints}))
        2 [len(w) for w in {strs}]
        1 list(map(len, {strs}))
        2 [ord(c) for c in {str}]
        1 [int(c) for c in {str} if c.isdigit()]
        1 [i for i, c in enumerate({str}) if c == {char}]
        1 [int(d) for d in str(abs({int}))]
        1 list({counts}.values())
        1 sorted({counts}.values())
        1 list({table}.keys())
        1 sorted({table})
        1 sorted({set})
        2 {grid}[{index}]
        1 {grid}[-1]
        1 [row[0] for row in {grid}]
        1 [sum(row) for row in {grid}]
        1 [x for row in {grid} for x in row]
        1 [n for _, n in {pairs}]
        1 {groups}.get({word}, [])
    """,
    "strs": """
        4 {str}.split()
        3 {str}.split({char!})
        1 {str}.split({char!}, {1-2})
        1 {str}.rsplit({char!}, 1)
        1 {str}.splitlines()
        3 list({str})
        1 sorted({str})
        1 list(set({char!}))
        2 [{str}, {str}]
        1 [{word}, {word}, {word!}]
        2 [c for c in {str} if c.{is}()]
        1 [c for c in {str} if c not in {word!}]
        1 [{str}[i:i + {2-3}] for i in range(0, len({str}), {2-3})]
        1 [{str}[:i] for i in range(len({str}))]
        1 [str(x) for x in {ints}]
        2 sorted({strs})
        1 sorted({strs}, key=len)
        1 sorted({strs}, key=lambda w: (len(w), w))
        1 sorted({strs}, key=str.lower)
        1 {strs}[::-1]
        2 {strs}[{0-2}:]
        2 {strs}[:{1-3}]
        1 {strs} + [{word}]
        1 {strs} + {strs}
        1 {strs}.copy()
        2 [w.upper() for w in {strs}]
        1 [w[::-1] for w in {strs}]
        1 [w + {char!} for w in {strs}]
        2 [w for w in {strs} if len(w) {cmp} {1-5}]
        1 [w for w in {strs} if w.{is}()]
        1 [w for w in {strs} if {char} in w]
        1 [w.replace({char!}, {char!}) for w in {strs}]
        1 [w.strip() for w in {strs}]
        1 [f'{{i}}{{w}}' for i, w in enumerate({strs})]
        1 [a + b for a, b in zip({strs}, {strs}[1:])]
        1 list({counts})
        2 list({counts}.keys())
        1 list(reversed({strs}))
        1 list({wordmap}.keys())
        1 list({strs})
        1 [{str}] * {2-3}
        1 sorted({counts}, key={counts}.get)
        1 [k for k, v in {counts}.items() if v {cmp} {0-10}]
        1 list({wordmap}.values())
        1 [name for name, _ in {pairs}]
        1 list(dict.fromkeys({strs}))
    """,
    "counts": """
        3 {{w: len(w) for w in {strs}}}
        2 {{c: {str}.count(c) for c in {str}}}
        1 {{w: {strs}.count(w) for w in {strs}}}
        1 dict.fromkeys({strs}, {0-2})
        2 {{w: i for i, w in enumerate({strs})}}
        1 dict(zip({strs}, {ints}))
        1 {{k: v for k, v in zip({strs}, {ints})}}
        1 {{k: v + {1-5} for k, v in {counts}.items()}}
        2 {{k: v for k, v in {counts}.items() if v {cmp} {0-10}}}
        1 dict({counts})
        1 {counts}.copy()
        1 dict({pairs})
        1 {{{word}: {int}}}
        1 {{**{counts}, {word!}: {int}}}
        1 dict(sorted({counts}.items(), key=lambda kv: kv[1]))
    """,
    "table": """
        2 {{x: x * {2-5} for x in {ints}}}
        1 {{i: x for i, x in enumerate({ints})}}
        1 {{x: {ints}.count(x) for x in {ints}}}
        1 {{v: k for k, v in {table}.items()}}
        1 dict.fromkeys({ints}, {0-3})
        1 dict(zip({ints}, {ints}))
        1 {{{int}: {int}, {1-9}: {int}}}
    """,
    "wordmap": """
        2 {{w: w.upper() for w in {strs}}}
        1 {{w: w[::-1] for w in {strs}}}
        1 {{v: k for k, v in {wordmap}.items()}}
        1 {{{word}: {str}}}
        1 dict(zip({strs}, {strs}))
    """,
    "groups": """
        1 {{w: [] for w in {strs}}}
        1 {{w: [len(w)] for w in {strs}}}
        1 {{{word!}: {ints}}}
    """,
    "set": """
        3 set({ints})
        1 {{x % {2-5} for x in {ints}}}
        1 {{x for x in {ints} if x {cmp} {0-20}}}
        1 set({ints}) & set({ints})
        1 set({ints}) | {{{int}}}
        1 set({ints}) - {{{int}, {0-9}}}
        1 {set} | {set}
        1 {set} & {set}
        1 {set} - {set}
        1 {set}.union({ints})
        1 {{len(w) for w in {strs}}}
        1 {set}.symmetric_difference({ints})
    """,
    "pair": """
        3 ({int}, {int})
        1 tuple({ints}[:2])
        1 tuple([{int}, {int}])
        1 divmod({int}, {2-9})
        1 (min({ints}), max({ints}))
        1 ({ints}[0], {ints}[-1])
        1 ({pair}[1], {pair}[0])
    """,
    "pairs": """
        2 list(zip({strs}, {ints}))
        2 sorted({counts}.items())
        1 list({counts}.items())
        1 sorted({counts}.items(), key=lambda kv: (-kv[1], kv[0]))
        1 [(w, len(w)) for w in {strs}]
        1 [(c, ord(c)) for c in {str}]
        1 [({word}, {int})]
        1 {pairs}[::-1]
        1 sorted({pairs}, key=lambda p: p[1])
    """,
    "grid": """
        1 [[{int}, {int}], [{int}, {int}]]
        1 [{ints}, {ints}]
        1 [row[::-1] for row in {grid}]
        1 [row[:] for row in {grid}]
        1 [list(row) for row in zip(*{grid})]
        1 [[x {+-*} {1-5} for x in row] for row in {grid}]
        1 [[0] * {1-3} for _ in range({1-3})]
        1 [{ints}[i:i + 2] for i in range(0, len({ints}), 2)]
        1 [sorted(row) for row in {grid}]
    """,
    "float": """
        2 {int} / {2-8}
        1 sum({ints}) / len({ints})
        1 round({int} / {2-8}, {1-2})
        1 {float} + {int}
        1 {float} * {2-4}
        1 float({int})
        1 sum({ints}) / max(len({ints}), 1)
    """,
}

ALTERNATIVES: dict[str, tuple[str, ...]] = {
    "cmp": ("<", ">", "<=", ">=", "==", "!=", "<", ">"),
    "eq": ("==", "!=", "=="),
    "is": tuple("isalpha isdigit isupper islower isalnum isspace isnumeric isdecimal istitle isascii".split()),
    "+-*": ("+", "-", "*"),
}  # fmt: skip
