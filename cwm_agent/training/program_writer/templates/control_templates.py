"""Functions with control flow: several returns, for-else, exceptions, finally, nested functions, defaults."""

# ruff: noqa: E501  # alternatives of one slot stay on one line
_SOURCE = """
def f(nums: ints, target: int):
    for x in nums:
        if x == target:
            found = «x|True|'yes'»
            break
    else:
        found = «None|-1|False»
    return found
---
def f(values: strs):
    total = 0
    bad = []
    for v in values:
        try:
            total += int(v)
        except ValueError«| as e»:
            bad.append(«v|len(v)|'bad'»)
    return total, bad
---
def f(a: int, b: small):
    try:
        result = a «//|%|/» b
    except ZeroDivisionError«| as e»:
        result = «None|0|-1»
    «else|finally»:
        «a += 1|b = a|a = b»
    return result, a
---
def f(d: counts, key: word):
    try:
        value = d[key]
    except KeyError as e:
        return «'missing'|str(e)|e.args|e.args[0]|-1»
    return value
---
def f(lst: ints, i: small):
    try:
        return lst[i]
    except IndexError«| as e»:
        return «None|str(len(lst))|lst[-1]|'none'»
---
def check(x):
    if x «<|>» «0-20»:
        raise ValueError(«'negative'|f'bad {x}'|x|'bad', x»)
    return x «* 2|+ 1|- 3»
def f(nums: ints):
    out = []
    for n in nums:
        try:
            out.append(check(n))
        except «ValueError|Exception|(ValueError, TypeError)|TypeError» as error:
            out.append(«None|str(error)|-1|error.args[0]»)
    return out
---
def f(x: int, y: int):
    log = []
    try:
        log.append('start')
        if x «>|<» y:
            raise «ValueError('order')|KeyError(x)|IndexError('i')|RuntimeError»
        log.append('end')
    except «ValueError|LookupError|KeyError|Exception»:
        log.append('caught')
    finally:
        log.append('done')
    return log
---
def f(n: int):
    if n < 0:
        raise ValueError(«'n must not be negative'|f'n={n}'|n»)
    assert n «!=|<|>» «3-90»«|, 'unlucky'»
    return n «* n|+ 1|// 2»
---
def f(nums: ints, limit: pos):
    total = 0
    while nums:
        x = nums.pop(«|0»)
        if x < 0:
            continue
        total += x
        if total > limit:
            break
        if x == «0-9»:
            return «total|nums|None»
    else:
        return «total * 2|'empty'|[]»
    return total - limit
---
def f(n: pos):
    def is_good(x):
        return x % «2-4» == 0«| or x > 10| and x != 6»
    return [i for i in range(n) if is_good(i)]«|[:5]»
---
def f(items: ints, factor: small = 2):
    def scale(x):
        return x «*|+|-» factor
    return «[scale(x) for x in items]|list(map(scale, items))|sum(map(scale, items))|sorted(items, key=scale)»
---
def f(n: small):
    count = 0
    def bump(by):
        nonlocal count
        count += by
        return count
    for i in range(n):
        bump(i«| + 1| * 2»)
    return count
---
def apply(func, values):
    return [func(v) for v in values]
def f(nums: ints):
    return apply(«lambda x: x * 2|abs|str|lambda x: x % 3 == 0», nums)
---
def f(text: str, times: small = 2, sep: char = '-'):
    out = []
    for i in range(times):
        out.append(text«|[i:]|[:i + 1]»)
    return sep.join(out)
---
def f(nums: ints, reverse: bool = False, key: maybe = None):
    if key is not None:
        nums = [x for x in nums if x «>|!=» key]
    nums = sorted(nums, reverse=reverse)
    return nums«|[0]|[:3]»
---
def f(x: maybe, default: small = 5):
    if x is None:
        x = default
    elif not x:
        return «'zero'|default»
    return x «+|*» default
---
def f(flag: bool, a: int, b: int):
    if flag and a > b:
        result = «a - b|a|[a, b]»
    elif not flag or a == b:
        result = «a + b|b|(b, a)»
    else:
        result = «0|None|-a»
    return result
---
def f(n: pos):
    i = 0
    total = 0
    while True:
        i += «1|2|3»
        if i % «2-4» == 0:
            continue
        if i > n:
            break
        total += i
        if total > «20-60»:
            return i
    return total
---
def f(text: str):
    state = «'out'|0»
    count = 0
    for c in text:
        if state == «'out'|0» and c«.isalpha()| != ' '»:
            state = «'in'|1»
            count += 1
        elif c«.isspace()| == ' '|.isdigit()»:
            state = «'out'|0»
    return count
---
def f(commands: strs):
    x = y = 0
    for c in commands:
        if c == 'a':
            x += 1
        elif c == 'b':
            x -= 1
        elif c in ('c', 'd'):
            y += len(c)
        else:
            y -= 1
            if y < «-3|-2|-5»:
                break
    return «x, y|[x, y]|abs(x) + abs(y)»
---
def f(tokens: strs):
    stack = []
    for t in tokens:
        if t.isdigit():
            stack.append(int(t))
        elif len(stack) > 1:
            b = stack.pop()
            a = stack.pop()
            stack.append(a «+|-|*» b)
        else:
            stack.append(len(t))
    return stack
---
def f(a: int, b: int, c: int):
    x = a if a > b else b
    y = «x if x > c else c|c if c < x else x|min(x, c)»
    ok = a < b < c or c «==|>» x
    return «x + y if ok else x - y|(x, y, ok)|y or x»
---
def f(nums: ints):
    result = «any(x > «5-20» for x in nums)|all(x «>|>=» 0 for x in nums)|any(nums)|all(nums)|any([x == 3 for x in nums])|not all(x % 2 for x in nums)»
    if result:
        return «len(nums)|sum(nums)|'yes'|nums[0]»
    return «result|'no'|nums»
---
def first(items, default=None):
    for item in items:
        return item
    return default
def f(a: ints, b: strs):
    return «first(a, 0), first(b)|first(a[::-1]) or first(b, '')|[first(b), first(a, default=-1)]»
---
LIMIT = «3-12»
def f(nums: ints):
    kept = []
    for x in nums:
        if x > LIMIT:
            x = LIMIT
        kept.append(x)
    return kept
---
VOWELS = 'aeiou'
SCORES = {'a': 1, 'b': 3, 'z': 10}
def f(word: word):
    score = 0
    for c in word:
        score += SCORES.get(c, 0)
        if c in VOWELS:
            score += 1
    return score
---
def f(n: small):
    result = []
    for i in range(«1|0», n + 1):
        if i == «2-4»:
            pass
        elif i % 2:
            result.append(i)
            continue
        result.append(«-i|str(i)|[i]|i * i»)
    return result
---
def helper(a, b=«1-5»):
    return a «+|*|-» b
def f(x: int, y: int):
    total = helper(x)
    total += helper(y, «x|2|total»)
    return total«|, helper(b=total, a=1)»
---
def add(item, bucket):
    bucket.append(item)
    return bucket
def f(items: ints):
    bucket = []
    for item in items:
        result = add(item, bucket)
        «if len(bucket) > 3: bucket.clear()|result.sort()|if item in result: result.append(0)»
    return bucket
---
def f(a: int, b: int):
    a, b = b, a
    «a, b = a + b, a - b|a, b = b % 7, a|b, a = a, b|a = b = a + 1»
    c = a if a > b else b
    (x, y), z = (a, b), c
    return «x + y - z|[z, y, x]|(a, b, c)»
---
def f(s: word, t: word):
    try:
        i = s.index(t[0])
        j = t.index(s[-1])
    except ValueError:
        return -1
    except IndexError:
        return «-2|None|''»
    return «i + j|(i, j)|i * j»
---
def f(text: str):
    try:
        number = «int|float»(text)
    except ValueError:
        return «text[::-1]|None|len(text)|text.upper()»
    return number «+ 1|* 2|- 0.5»
"""
TEMPLATES = tuple(_SOURCE.strip("\n").split("\n---\n"))
