"""Functions that fill and iterate over long tables: sieves, sums, dynamic programming, counts, boards, queues."""

# alternatives of one slot stay on one line
_SOURCE = """
def f(n: size):
    marks = [«True|1|False|0»] * («n + 1|n|n + 2»)
    i = 2
    while i * i «<=|<» n:
        if marks[i]:
            for j in range(«i * i|i + i|2 * i», n«| + 1», i):
                marks[j] = «False|0|True|1»
        i += 1
    return «[k for k in range(2, n) if marks[k]]|marks[n - 1]|sum(marks)|marks.count(True)|marks»
---
def f(n: size):
    open_ = [False] * (n + 1)
    step = «1|2|3»
    while step <= n:
        at = step
        while at <= n:
            open_[at] = not open_[at]
            at += step
        step += «1|2|step»
    found = []
    for i, state in enumerate(open_):
        if state:
            found.append(i)
    return found
---
def f(weights: short, values: short, room: pos):
    best = [0] * (room + 1)
    for i in range(min(len(weights), len(values))):
        w = max(weights[i], 1)
        for r in range(room, w - 1, -1):
            other = best[r - w] + values[i]
            if other «>|>=» best[r]:
                best[r] = other
    return best[room]«|, best»
---
def f(total: size, coins: short):
    few = [«0»] + [«999|100|-1»] * total
    for amount in range(1, total + 1):
        for coin in coins:
            if 0 < coin <= amount and few[amount - coin] «+ 1 < few[amount]|!= -1»:
                few[amount] = few[amount - coin] + 1
    return few[total] if few[total] «!= 999|< 100|> 0» else -1
---
def f(n: size):
    table = [0] * (n + 1)
    table[0] = «1|0|2»
    if n > 0:
        table[1] = «1|3»
    for i in range(2, n + 1):
        table[i] = (table[i - 1] «+|-» table[i - 2]) % «7|10|13|100|1000»
    return table[n]«|, table[:5]|, max(table)»
---
def f(xs: long):
    sums = [0] * (len(xs) + 1)
    for i, x in enumerate(xs):
        sums[i + 1] = sums[i] «+|-» x
    a, b = «0|1|2», len(xs) «// 2|- 1|»
    return sums[b] - sums[a]«|, sums»
---
def f(xs: long, k: pos):
    counts = [0] * (k + «1|10»)
    for x in xs:
        if 0 <= x < len(counts):
            counts[x] += 1
    out = []
    for value, count in enumerate(counts):
        out += [value] * count
    return out«|[::-1]|, counts[0]»
---
def f(xs: long):
    tails = [1] * len(xs)
    for i in range(1, len(xs)):
        for j in range(i):
            if xs[j] «<|<=» xs[i] and tails[j] + 1 > tails[i]:
                tails[i] = tails[j] + 1
    return max(tails«|, default=0») if xs else 0
---
def f(xs: long, x: int):
    xs.sort()
    low, high = 0, len(xs)«| - 1»
    while low «<|<=» high:
        middle = (low + high) // 2
        if xs[middle] == x:
            return middle
        if xs[middle] < x:
            low = middle + 1
        else:
            high = middle«| - 1»
    return -1«|, low»
---
def f(xs: long):
    n = len(xs)
    for i in range(n):
        moved = False
        for j in range(n - i - 1):
            if xs[j] «>|<» xs[j + 1]:
                xs[j], xs[j + 1] = xs[j + 1], xs[j]
                moved = True
        if not moved:
            break
    return xs
---
def f(a: word, b: word):
    before = list(range(len(b) + 1))
    for i, x in enumerate(a):
        now = [i + 1] + [0] * len(b)
        for j, y in enumerate(b):
            cost = «0 if x == y else 1|int(x != y)|(x != y) * 2»
            now[j + 1] = min(before[j + 1] + 1, now[j] + 1, before[j] + cost)
        before = now
    return before[-1]«|, before»
---
def f(rule: pos, width: size):
    cells = [0] * width
    cells[width // 2] = 1
    for _ in range(«1|2|3»):
        following = [0] * width
        for i in range(width):
            left = cells[i - 1]
            right = cells[(i + 1) % width]
            code = left * 4 + cells[i] * 2 + right
            following[i] = rule >> code & 1
        cells = following
    return «sum(cells)|cells|''.join(map(str, cells))»
---
def f(size: digit, n: digit):
    size = size % 4 + 2
    board = [['.'] * size for _ in range(size)]
    for k in range(n):
        r, c = «k % size, k * 2 % size|k // size % size, k % size|k * k % size, k % size»
        board[r][c] = '#' if board[r][c] == '.' else '.'
    alive = 0
    for r in range(size):
        for c in range(size):
            near = 0
            for dr in (-1, 0, 1):
                for dc in (-1, 0, 1):
                    if (dr or dc) and 0 <= r + dr < size and 0 <= c + dc < size:
                        near += board[r + dr][c + dc] == '#'
            if near «== 3|> 1|in (2, 3)»:
                alive += 1
    return alive«|, [''.join(row) for row in board]»
---
def f(n: size, k: digit):
    left = list(range(1, n % 25 + 2))
    at = 0
    order = []
    while len(left) > 1:
        at = (at + k«| + 1») % len(left)
        order.append(left.pop(at))
    return left[0]«|, order»
---
def f(links: short, n: pos):
    parent = list(range(n % 12 + 2))
    for i, x in enumerate(links):
        a, b = i % len(parent), x % len(parent)
        while parent[a] != a:
            a = parent[a]
        while parent[b] != b:
            b = parent[b]
        if a != b:
            parent[a] = b
    return «len(set(parent))|parent|sum(1 for i, p in enumerate(parent) if i == p)»
---
def f(n: pos, edges: pairs):
    near = {i: [] for i in range(n % 6 + 2)}
    for name, weight in edges:
        a, b = len(name) % len(near), weight % len(near)
        near[a].append(b)
        near[b].append(a)
    seen, queue, far = {0}, [0], {0: 0}
    while queue:
        here = queue.pop(«0|»)
        for there in near[here]:
            if there not in seen:
                seen.add(there)
                far[there] = far[here] + 1
                queue.append(there)
    return far«|.get(n % 6, -1)|, sorted(seen)»
---
def f(text: str):
    out, at = [], 0
    while at < len(text):
        end = at
        while end < len(text) and text[end] == text[at]:
            end += 1
        out.append(f'{text[at]}{end - at}' if end - at > 1 else text[at])
        at = end
    return ''.join(out)
---
def f(n: size):
    steps = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000]«|[::2]|[1:]»
    at = len(steps) - 1
    used = [0] * len(steps)
    n = n * «1|7|33»
    while n > 0 and at >= 0:
        used[at] = n // steps[at]
        n %= steps[at]
        at -= 1
    return used«|, n»
---
def f(n: digit):
    row = [1]
    rows = [row]
    for _ in range(n):
        following = [1] * (len(row) + 1)
        for i in range(1, len(row)):
            following[i] = row[i - 1] + row[i]
        row = following
        rows.append(row)
    return «row|rows|sum(row)|len(rows)»
---
def f(n: size):
    longest, start = 0, 0
    lengths = [0] * (n % 20 + 2)
    for i in range(1, len(lengths)):
        x, steps = i, 0
        while x != 1 and steps < 30:
            if x < i:
                steps += lengths[x]
                break
            x = x // 2 if x % 2 == 0 else 3 * x + 1
            steps += 1
        lengths[i] = steps
        if steps «>|>=» longest:
            longest, start = steps, i
    return start, longest
---
def f(a: grid, b: grid):
    n, m, k = len(a), len(b[0]), min(len(a[0]), len(b))
    out = [[0] * m for _ in range(n)]
    for i in range(n):
        for j in range(m):
            for x in range(k):
                out[i][j] += a[i][x] * b[x][j]
    return out«|[0]|[-1][-1]»
---
def f(grid: grid):
    rows, cols = len(grid), len(grid[0])
    cost = [[0] * cols for _ in range(rows)]
    for i in range(rows):
        for j in range(cols):
            options = []
            if i > 0:
                options.append(cost[i - 1][j])
            if j > 0:
                options.append(cost[i][j - 1])
            cost[i][j] = grid[i][j] + («min|max»(options) if options else 0)
    return cost[-1][-1]
---
def f(text: brackets):
    closing = {')': '(', ']': '[', '}': '{', '>': '<'}
    stack, deepest = [], 0
    for i, sign in enumerate(text):
        if sign in closing.values():
            stack.append(sign)
            deepest = max(deepest, len(stack))
        elif sign in closing:
            if not stack or stack.pop() != closing[sign]:
                return «i|False|-1»
    return not stack«|, deepest»
---
def f(xs: long, k: digit):
    window = []
    out = []
    for i, x in enumerate(xs):
        while window and xs[window[-1]] <= x:
            window.pop()
        window.append(i)
        if window[0] <= i - k:
            window.pop(0)
        if i >= k - 1:
            out.append(xs[window[0]] if window else 0)
    return out
---
def f(n: size):
    digits = [0] * «12|20|30»
    digits[0] = 1
    for k in range(2, n % 7 + 2):
        carry = 0
        for i in range(len(digits)):
            carry += digits[i] * k
            digits[i] = carry % 10
            carry //= 10
    return digits«|[::-1]|, sum(digits)»
---
def f(s: str, width: pos):
    lines, line = [], ''
    for word in s.split():
        if line and len(line) + 1 + len(word) «>|>=» width:
            lines.append(line«.ljust(width)|»)
            line = word
        else:
            line = line + ' ' + word if line else word
    if line:
        lines.append(line)
    return lines
---
def f(xs: long, depth: digit):
    out = «'-'|' '|'ab'» * (depth * 5 + 10)
    ruler = list(out)
    for x in xs:
        ruler[x % len(ruler)] = «'#'|'+'|str(x % 10)»
    return ''.join(ruler)
"""
TEMPLATES = tuple(_SOURCE.strip("\n").split("\n---\n"))
