"""Programs `f(rounds)` with a loop, for executions of any length. Knows no oracle."""

WORK = {
    "counting": """\
def f(n):
    total = 0
    for i in range(n):
        total = (total * 3 + i) % 97
    return total
""",
    "collatz": """\
def f(n):
    x = 27
    seen = 0
    for i in range(n):
        if x % 2:
            x = (3 * x + 1) % 9973
        else:
            x = x // 2
        seen = seen + x
    return seen
""",
    "swapping": """\
def f(n):
    xs = [5, 2, 7, 1, 8, 3, 6, 4]
    for k in range(n):
        i = k % 7
        if xs[i] > xs[i + 1]:
            xs[i], xs[i + 1] = xs[i + 1], xs[i]
        else:
            xs[0], xs[i] = xs[i], xs[0]
    return xs
""",
    "tallying": """\
def f(n):
    counts = {}
    for i in range(n):
        word = 'abcdefghij'[i * 7 % 10]
        counts[word] = counts.get(word, 0) + 1
    return counts
""",
    "writing": """\
def f(n):
    text = ''
    for i in range(n):
        if i % 20 == 0:
            text = text + 'ab'[i % 3 % 2]
    return text
""",
    "gathering": """\
def f(n):
    found = []
    for i in range(n):
        if i % 20 == 7:
            found.append(i)
    return found
""",
    "calling": """\
def g(x, y):
    if x > y:
        return x - y
    return y - x


def f(n):
    last = 1
    for i in range(n):
        last = g(last, i % 5)
    return last
""",
}
"""Sources by name; the last ones have growing values or calls."""
