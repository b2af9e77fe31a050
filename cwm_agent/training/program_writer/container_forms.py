"""Expressions whose value is a list, dict, set or tuple, by type; in the notation of `grammar.py`."""

CONTAINERS: dict[str, str] = {
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
}
