"""Functions on lists of lists: rows, columns, transposing, neighbours, filled tables, aliased rows."""

# ruff: noqa: E501  # alternatives of one slot stay on one line
_SOURCE = """
def f(grid: grid):
    total = 0
    for row in grid:
        for x in row:
            if «if x»:
                total += x
    return total
---
def f(grid: grid):
    rows, cols = len(grid), len(grid[0])
    out = []
    for j in range(cols):
        column = []
        for i in range(rows):
            column.append(grid[i][j])
        out.append(column«|[::-1]»)
    return out
---
def f(grid: grid):
    total = 0
    for i in range(len(grid)):
        total += grid[i][«i|-1|0|-i - 1|i % len(grid[i])»]
    return total
---
def f(n: small, m: small):
    grid = [[0] * (m % 4) for _ in range(n % 4)]
    for i in range(n % 4):
        for j in range(m % 4):
            grid[i][j] = «i * j|i + j|(i + j) % 2|i - j»
    return grid
---
def f(n: small):
    grid = [[0] * «2|3»] * «2|3»
    grid[0][1] = n
    «grid[1] = [n]|grid[0].append(n)|grid.append(grid[0])|row = grid[0]»
    return grid
---
def f(grid: grid, x: digit):
    row = grid[0]
    row«.append(x)|[0] = x|.sort()|.reverse()»
    «grid.append(row)|last = grid[-1]|grid[-1] = row|row = row[:]»
    row.append(«1|len(grid)»)
    return grid
---
def f(grid: grid, x: int):
    for i, row in enumerate(grid):
        for j, value in enumerate(row):
            if value «==|>|<» x:
                return «(i, j)|[i, j]|row|value»
    return None
---
def f(grid: grid):
    «return [sum(row) for row in grid]|return [max(col) for col in zip(*grid)]|return [list(r) for r in zip(*grid)]|return [[x + 1 for x in row] for row in grid]|return [x for row in grid for x in row if x % 2]|return sum(sum(r) for r in grid)|return [row[::-1] for row in grid[::-1]]|return sorted(grid, key=sum)|return min(min(r) for r in grid)»
---
def f(a: grid, b: grid):
    out = []
    for r, s in zip(a, b):
        out.append([x «+|*|-» y for x, y in zip(r, s)])
    return out
---
def f(a: word, b: word):
    a, b = a[:4], b[:3]
    table = [[0] * (len(b) + 1) for _ in range(len(a) + 1)]
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            if a[i - 1] == b[j - 1]:
                table[i][j] = table[i - 1][j - 1] + 1
            else:
                table[i][j] = max(table[i - 1][j], table[i][j - 1])
    return table[-1][-1]
---
def f(amount: digit, coins: short):
    ways = [1] + [0] * amount
    for coin in coins:
        for i in range(max(coin, 1), amount + 1):
            ways[i] += ways[i - coin]
    return ways«[amount]|»
---
def f(grid: grid):
    count = 0
    for i in range(len(grid)):
        for j in range(len(grid[i])):
            for di, dj in [(0, 1), (1, 0)]:
                a, b = i + di, j + dj
                if 0 <= a < len(grid) and 0 <= b < len(grid[0]) and grid[a][b] «==|>|<» grid[i][j]:
                    count += 1
    return count
---
def f(rows: ragged):
    widths = [len(r) for r in rows]
    widest = max(widths«|, default=0»)
    for r in rows:
        while len(r) < widest:
            r.append(0)
    return rows
---
def f(rows: strlists):
    lines = []
    for row in rows:
        lines.append(«','|' ¦ '|'-'».join(row))
    return «'/'.join(lines)|lines|len(lines[0])»
---
def f(grid: grid):
    best = None
    for row in grid:
        total = sum(row)
        if best is None or total > best:
            best = total
        elif total == best:
            row.append(total)
    return best, grid
---
def f(grid: grid, k: small):
    copy = «[row[:] for row in grid]|grid[:]|grid|[list(r) for r in grid]»
    copy[«0|-1|k % len(grid)»][«0|-1»] = k
    copy.append([k])
    return grid«|, copy»
"""
TEMPLATES = tuple(_SOURCE.strip("\n").split("\n---\n"))
