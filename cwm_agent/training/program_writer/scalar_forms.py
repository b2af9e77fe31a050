"""Expressions whose value is a number, a text or a boolean, by type; in the notation of `grammar.py`."""

SCALARS: dict[str, str] = {
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
}
