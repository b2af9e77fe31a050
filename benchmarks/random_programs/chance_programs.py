"""Random programs that draw: straight lines, branches and loops over a few variables, with a small set of outcomes."""

from random import Random

_HEADER = "import random\n\n\ndef f(a, b):\n    xs = [{items}]\n"
_OPERATIONS = (
    "{x} = {x} + {y}",
    "{x} = {x} - {y}",
    "{x} = {x} * {n}",
    "{x} = max({x}, {y})",
    "{x} = min({x}, {y}, {n})",
)
_LISTS = ("xs.append({x})", "xs.sort()", "xs.reverse()", "{x} = xs[0]", "{x} = len(xs)", "{x} = sum(xs)")


def chance_program(seed: int) -> str:
    """The source of a program whose function `f(a, b)` draws one to four times and returns few different values."""
    rng = Random(f"chance program {seed}")
    lines = [_HEADER.format(items=", ".join(str(rng.randrange(9)) for _ in range(rng.randint(2, 4))))]
    for place in range(rng.randint(3, 6)):
        lines += [f"    {line}\n" for line in (_drawing(rng) if place % 2 == 0 else _plain(rng))]
    lines.append(
        f"    return {rng.choice(('(a + b) % 5', '(a * 3 + b) % 7', 'a > b', 'len(xs) + a % 3', '(a % 4, b % 3)'))}\n"
    )
    return "".join(lines)


def chance_arguments(seed: int) -> str:
    """Two small numbers."""
    rng = Random(f"chance arguments {seed}")
    return f"{rng.randint(0, 9)}, {rng.randint(0, 9)}"


def _drawing(rng: Random) -> list[str]:
    x, y = rng.sample(["a", "b"], 2)
    low, count = rng.randint(0, 4), rng.randint(2, 4)
    kinds = (
        [f"{x} = random.randint({low}, {low + count})"],
        [f"{x} += random.randrange({count + 1})"],
        [f"{x} = random.choice(xs)"],
        ["random.shuffle(xs)", f"{x} = xs[0]"],
        [
            f"if random.random() < {rng.choice((0.2, 0.5, 0.75))}:",
            f"    {x} = {x} + {count}",
            "else:",
            f"    {y} = {y} + 1",
        ],
        [f"for _ in range({count}):", f"    if random.random() < {rng.choice((0.3, 0.5))}:", f"        {x} += 1"],
        ["ys = random.sample(xs, 2)", f"{x} = ys[0] + ys[1]"],
        [f"{x} = random.choices([0, 1, 2], weights=[1, 2, {count}])[0]"],
        [f"while random.random() < 0.4 and {x} < {low + 12}:", f"    {x} += 1"],
        [f"{x} += 1 if random.gauss(0, 1) > 0.5 else 0"],
        [f"rng = random.Random(random.randint(0, {count}))", f"{x} = rng.randint(0, {count})"],
        [f"{x} = int(random.uniform(0, {count}))"],
    )
    return list(rng.choice(kinds))


def _plain(rng: Random) -> list[str]:
    x, y = rng.sample(["a", "b"], 2)
    line = rng.choice((*_OPERATIONS, *_LISTS)).format(x=x, y=y, n=rng.randint(2, 5))
    return [f"if {x} > {rng.randint(1, 6)}:", f"    {line}"] if rng.random() < 0.3 else [line]
