"""Functions on dicts and sets: counting, grouping, inverting, merging, looking up with defaults, removing."""

# ruff: noqa: E501  # alternatives of one slot stay on one line
_SOURCE = """
def f(words: strs):
    counts = {}
    for w in words:
        «counts[w] = counts.get(w, 0) + 1|if w in counts: counts[w] += 1|if w not in counts: counts[w] = 0»
        «counts.setdefault(w, len(w))|counts[w] = counts.get(w, 1) * 2|pass»
    return «counts|max(counts, key=counts.get)|sorted(counts.items())|[w for w in counts if counts[w] > 1]|sum(counts.values())»
---
def f(text: str):
    counts = {}
    for c in text«|.lower()»:
        if c in counts:
            counts[c] += 1
        else:
            counts[c] = 1
    best = max(counts.values())
    return «best|[c for c, n in counts.items() if n == best]|counts|len([n for n in counts.values() if n == 1])»
---
def f(words: strs):
    groups = {}
    for w in words:
        key = «len(w)|w[:1]|w.lower()|w[-1:]|''.join(sorted(w))»
        «groups.setdefault(key, []).append(w)|groups[key] = groups.get(key, []) + [w]|if key not in groups: groups[key] = []»
        «groups[key].sort()|groups[key].append(w)|groups[key] = groups[key][:2]»
    return «groups|list(groups.values())|sorted(groups)|len(groups)»
---
def f(d: counts):
    result = {}
    for key, value in d.items():
        if «if value»:
            result[key] = «value|value + 1|str(value)|-value|value // 2»
        «else|elif value > 3»:
            result[key«|.upper()|[::-1]»] = «0|None|len(key)|value»
    return result
---
def f(d: counts):
    inverted = {}
    for key in d:
        value = d[key]
        «inverted[value] = key|inverted.setdefault(value, []).append(key)|inverted[value] = inverted.get(value, '') + key»
    return inverted
---
def f(a: counts, b: counts):
    «result = dict(a)|result = a.copy()|result = {**a}|result = a»
    for key, value in b.items():
        result[key] = result.get(key, 0) + value
    return «result|sorted(result)|len(result) - len(a)|a, result»
---
def f(a: counts, b: counts):
    a.update(b)
    «return a|return sorted(a, key=a.get)|return {k: a[k] for k in sorted(a)}|return [k for k in a if k not in b]»
---
def f(d: counts, key: word):
    if key in d:
        value = d.pop(key)
        return «value, d|d|value + len(d)»
    «d[key] = len(key)|d.setdefault(key, 0)|return d.get(key)»
    return d
---
def f(d: counts):
    «k, v = d.popitem()|k, v = max(d.items(), key=lambda kv: kv[1])|k, v = sorted(d.items())[0]»
    d[«k + k|k|'new'»] = v «+ 1|* 2|»
    return d
---
def f(d: table, n: int):
    while n in d:
        n = d«[n]|.pop(n)|.get(n, 0)»
        if n «== 0|> 20|in (1, 2)»:
            break
        «d[n + 1] = n|n += 0|d.pop(n, None)»
        if len(d) > 8:
            return d
    return n«|, d»
---
def f(d: counts):
    total = 0
    for value in d.values():
        total «+=|-=|+=» «value|value * 2|1» if value «>|!=» «0-9» else «0|1»
    return total
---
def f(d: counts, limit: pos):
    for key in list(d«|.keys()»):
        if d[key] «<|>|==» limit:
            del d[key]
        else:
            d[key] -= «1|limit»
    return d
---
def f(d: groups):
    out = {}
    for name, values in d.items():
        «values.append(0)|values.sort()|values = sorted(values)»
        out[name] = «sum(values)|values[0]|max(values) - min(values)|len(values)|values[::-1]»
    return out«|, d»
---
def f(d: groups, key: word, x: int):
    d.setdefault(key, []).append(x)
    row = d[key]
    row.«append(x + 1)|insert(0, x)|reverse()|pop()»
    return d
---
def f(keys: strs, values: ints):
    d = «dict(zip(keys, values))|{k: v for k, v in zip(keys, values)}|{keys[i]: i for i in range(len(keys))}|dict.fromkeys(keys, 0)»
    return «d|list(d.items())|d.get('a', -1)|sorted(d.values())|{v: k for k, v in d.items()}|[d[k] for k in keys]»
---
def f(nums: ints):
    seen = set()
    duplicates = []
    for x in nums:
        if x in seen:
            duplicates.append(x)
        seen.add(x)
    return «duplicates|len(seen)|sorted(seen)|len(nums) == len(seen)»
---
def f(a: ints, b: ints):
    a, b = set(a), set(b)
    «both = a & b|both = a ¦ b|both = a - b|both = a ^ b|both = a.union(b)|both = a.intersection(b)»
    if not both:
        return «None|[]|a <= b»
    «both.add(sum(both))|both.discard(0)|both.remove(min(both))|both.update([1, 2])»
    return «sorted(both)|len(both)|max(both)|sum(both)»
---
def f(text: str):
    positions = {}
    for i, c in enumerate(text):
        if c in positions:
            positions[c].append(i)
        else:
            positions[c] = [i]
    return «positions|{c: p[-1] - p[0] for c, p in positions.items()}|[c for c in positions if len(positions[c]) > 1]»
---
def f(stock: counts, orders: strs):
    missing = []
    for name in orders:
        if stock.get(name, 0) > 0:
            stock[name] -= 1
        else:
            missing.append(name)
    return «missing|stock|stock, missing»
---
def f(d: wordmap):
    result = []
    for k, v in «d.items()|sorted(d.items())|zip(d.keys(), d.values())»:
        result.append(«f'{k}={v}'|k + v|v if v else k|(v, k)|k.upper()»)
    return «'&'.join(map(str, result))|result|result[::-1]»
---
def f(graph: graph, start: digit):
    seen = []
    queue = [start«| % 3| % 2»]
    while queue:
        node = queue.pop(«0|»)
        if node in seen:
            continue
        seen.append(node)
        for other in graph«[node]|.get(node, [])|.get(node, ())»:
            if other not in seen:
                queue.append(other)
    return «seen|len(seen)|sorted(seen)»
---
def f(d: counts):
    return «sorted(d, key=lambda k: d[k])|{k: v for k, v in d.items() if v % 2 == 0}|sum(len(k) * v for k, v in d.items())|max(d.values()) - min(d.values())|[f'{k}{v}' for k, v in d.items()]|sorted(d.items(), key=lambda kv: (-kv[1], kv[0]))[:2]|any(v > 10 for v in d.values())|list(d)[-1]»
---
def f(keys: strs):
    d = {}
    for i, key in enumerate(keys):
        d[key] = i
        if len(d) > «2-5»:
            oldest = «list(d)[0]|next(iter(d))|min(d, key=d.get)»
            del d[oldest]
    return d
---
def f(records: pairs):
    totals = {}
    for name, amount in records:
        if name not in totals:
            totals[name] = {'n': 0, 'sum': 0}
        entry = totals[name]
        entry['n'] += 1
        entry['sum'] += amount
    return «totals|{k: v['sum'] for k, v in totals.items()}|[v['n'] for v in totals.values()]»
"""
TEMPLATES = tuple(_SOURCE.strip("\n").split("\n---\n"))
