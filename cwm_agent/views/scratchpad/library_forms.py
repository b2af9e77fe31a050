"""Finds the workings of lines over values of the standard library; what the workings say is in the modules it calls.

v0 = v1.quantize(v2)       `amount_arithmetic.py`
v0 = v1.weekday()          `date_arithmetic.py`, and so are `ctime`, `isocalendar`, `strftime('%a')`
v0 = str(v1)               of a time span: `clock_arithmetic.py`
v0 = v1.most_common(2)     `sort_steps.py`, and so is `statistics.median`
v0 = statistics.mean(v1)   `decimal_arithmetic.py`
v0 = v1.search(v2, 3)      `match_steps.py`
v0 = v1.translate(v2)      A65:70F b98:!          each character, its code, the code and the character it becomes
v0 = v1.count('a')         0 1 1 2                the count after each item of a list
v0 = v1.count('ab')        of a text: `text_steps.py`
v0 = v1.replace('ab', '')  the same, and so are `find`, `index`, `rsplit`, `Counter`, `join` of runs and `textwrap.wrap`
v0 = v1.rotate(127)        127%4=3                of a deque with four items
"""

import ast
import math
import re
import statistics
from collections.abc import Callable, Mapping, Sequence
from itertools import accumulate
from operator import mul

from cwm_agent.views.scratchpad import match_steps, place_steps, sort_steps, text_steps, walked_items
from cwm_agent.views.scratchpad.arithmetic import (
    amount_arithmetic,
    clock_arithmetic,
    date_arithmetic,
    decimal_arithmetic,
    long_arithmetic,
    real_roots,
)
from envs.execution.stepper.values.value_rules import split_entry, split_items

_NAME = r"[^\W\d]\w*"
_QUANTIZE = re.compile(rf"{_NAME} = ({_NAME})\.quantize\(({_NAME})(?:, (?:rounding=)?{_NAME})?\)$")
_WEEKDAY = re.compile(rf"{_NAME} = ({_NAME})\.(?:(?:iso)?weekday|ctime)\(\)$")
_STAMP = re.compile(rf"{_NAME} = ({_NAME})\.strftime\(({_NAME}|'[^'\\]*')\)$")
_WEEK = re.compile(rf"{_NAME} = ({_NAME})\.isocalendar\(\)(?:\[\d\])?$")
_REDUCE = re.compile(rf"{_NAME} = (?:functools\.)?reduce\(({_NAME}(?:\.{_NAME})?), ({_NAME})(?:, ({_NAME}|-?\d+))?\)$")
_SECONDS = re.compile(rf"{_NAME} = ({_NAME})\.total_seconds\(\)$")
_UNITS = re.compile(rf"{_NAME} = timedelta\((hours|minutes|seconds)=({_NAME}|-?\d+)\)$")
_UNIT = rf"(?:days|hours|minutes|seconds)=(?:{_NAME}|-?\d+)"
_ALL_UNITS = re.compile(rf"{_NAME} = timedelta\(({_UNIT}(?:, {_UNIT}){{1,2}})\)$")
_MOST_COMMON = re.compile(rf"{_NAME} = ({_NAME})\.most_common\((?:{_NAME}|\d+)?\)$")
_ROTATE = re.compile(rf"(?:{_NAME} = )?({_NAME})\.rotate\(({_NAME}|-?\d+)\)$")
_JOIN = re.compile(rf"{_NAME} = (?:{_NAME}|'[^'\\]*')\.join\(({_NAME})\)$")
_STATISTICS = re.compile(rf"{_NAME} = statistics\.(f?mean|median|median_low|median_high)\(({_NAME})\)$")
_TEXT = re.compile(rf"{_NAME} = (?:str\(({_NAME})\)|f'\{{({_NAME})\}}')$")
_TRANSLATE = re.compile(rf"{_NAME} = ({_NAME})\.translate\(({_NAME})\)$")
_COUNT = re.compile(rf"{_NAME} = ({_NAME})\.count\((.*)\)$", re.DOTALL)
_FIND = re.compile(rf"{_NAME} = ({_NAME})\.(?:find|index|rfind|rindex)\((.*)\)$", re.DOTALL)
_TALLY = re.compile(rf"{_NAME} = (?:collections\.)?(Counter)\((.*)\)$|({_NAME})\.update\((.*)\)$", re.DOTALL)
_PRODUCT = re.compile(rf"{_NAME} = (?:math\.)?prod\(({_NAME})\)$")
_FALLING = re.compile(rf"{_NAME} = (?:math\.)?(perm|comb|factorial)\(({_NAME}|\d+)(?:, ({_NAME}|\d+))?\)$")
_STRIP = re.compile(rf"{_NAME} = ({_NAME})\.(strip|lstrip|rstrip)\((.+)\)$", re.DOTALL)
_TITLE = re.compile(rf"{_NAME} = ({_NAME})\.istitle\(\)$")
_MONTH = re.compile(rf"{_NAME} = (?:calendar\.)?monthrange\(({_NAME}|\d+), ({_NAME}|\d+)\)$")
_DISTANCE = re.compile(rf"{_NAME} = (?:math\.)?dist\(({_NAME}), ({_NAME})\)$")
_REPLACE = re.compile(rf"{_NAME} = ({_NAME})\.replace\((.*)\)$", re.DOTALL)
_RSPLIT = re.compile(rf"{_NAME} = ({_NAME})\.rsplit\((.*)\)$", re.DOTALL)
_WRAP = re.compile(
    rf"{_NAME} = (?:textwrap\.)?(?:wrap|fill|shorten)\(({_NAME}), (?:width=)?({_NAME}|\d+)(?:, placeholder=.*)?\)$"
)
_MATCHING = re.compile(rf"{_NAME} = ({_NAME})(?:\.(match|search|fullmatch|findall|split|sub))?\((.*)\)$", re.DOTALL)
_OF_MATCH = re.compile(rf"{_NAME} = ({_NAME})(?:\.(?:groups?|groupdict)\(.*\)|\.lastgroup|\[[^\[\]]*\])$")
_PATTERN = re.compile(r"Pattern\((.*), (\d+)\)$", re.DOTALL)
_MATCH = re.compile(r"Match\(Pattern\((.*?), (\d+)\), ('.*'|\".*\"), (\d+), (\d+)\)$", re.DOTALL)
_METHODS = frozenset({"match", "search", "fullmatch", "findall", "split", "sub"})
_LONG_BITS = 1000
"""Of the numbers of a product that is too long to be written."""
_LARGEST_TERM = 10**9
_MOST_FACTORS = 30
_MONTHS, _YEARS = 12, 10_000
_FEWEST = 5
"""Fewest items of a list in which a count is written out."""
_LONGEST = 40

Value = Callable[[str], str]
Content = Callable[[str], str]


def _translate(match: re.Match[str], value: Value, content: Content) -> str | None:
    text, table = value(match[1]), content(value(match[2]))
    if text[:1] not in ("'", '"') or "\\" in text or table[:1] != "{" or len(text) > _LONGEST:
        return None
    known: Mapping[str, str] = dict(split_entry(entry) for entry in split_items(table))
    return " ".join(f"{each}{ord(each)}:{_became(known.get(str(ord(each))))}" for each in text[1:-1]) or None


def _became(code: str | None) -> str:
    if code is None:
        return "!"
    return f"{code}{chr(int(code))}" if code.isdigit() and 32 <= int(code) < 127 else code


def _count(match: re.Match[str], value: Value, content: Content) -> str | None:
    """The count after each item of a list, or behind each place of a text where the part is found."""
    text = _plain(value(match[1]))
    if isinstance(text, str):
        found = _part_and_bounds(match[2], value)
        return None if found is None else text_steps.counted(text[slice(*found[1])] if found[1] else text, found[0])
    items = sort_steps.items(content(value(match[1])))
    wanted = sort_steps.known([value(match[2])])
    known = sort_steps.known(items) if len(items) >= _FEWEST else None
    if known is None or wanted is None:
        return None
    return " ".join(str(known[: end + 1].count(wanted[0])) for end in range(len(known)))


def _part_and_bounds(written: str, value: Value) -> tuple[str, list[int | None]] | None:
    """The part that a call looks for in a text, and where it begins and ends to look; no bounds for the whole text."""
    match _arguments(written, value):
        case [str(part)]:
            return part, []
        case [str(part), int(start)]:
            return part, [start, None]
        case [str(part), int(start), int(stop)]:
            return part, [start, stop]
    return None


def _find(match: re.Match[str], value: Value, _: Content) -> str | None:
    """The places where a text has a part."""
    text, found = _plain(value(match[1])), _part_and_bounds(match[2], value)
    return text_steps.places(text, *found) if isinstance(text, str) and found else None


def _rsplit(match: re.Match[str], value: Value, _: Content) -> str | None:
    """The pieces from the end."""
    text = _plain(value(match[1]))
    match _arguments(match[2], value):
        case [str(part), int(most)] if isinstance(text, str):
            return text_steps.split_from_the_end(text, part, most)
    return None


def _tally(match: re.Match[str], value: Value, content: Content) -> str | None:
    """The letters of a text, or the items of a list, with their counts, as a counter meets them."""
    given = value(match[2] or match[4] or "")
    held = content(value(match[3])) if match[3] else "Counter({})"
    counts = _plain_dict(held[len("Counter(") : -1] or "{}") if held.startswith("Counter(") else None
    if counts is None:
        return None
    text = _plain(given)
    if isinstance(text, str):
        return text_steps.tallied(text, counts)
    items = walked_items.walked(given, content) if content(given)[:1] in ("[", "(") else []
    return text_steps.tallied_items(items, sort_steps.known(items), counts)


def _product(match: re.Match[str], value: Value, content: Content) -> str | None:
    return _products(_whole_numbers(walked_items.walked(value(match[1]), content)))


def _products(numbers: Sequence[int]) -> str | None:
    """The product so far, behind each item but the first."""
    if len(numbers) <= 2 or sum(number.bit_length() for number in numbers) > _LONG_BITS:
        return None
    return " ".join(map(str, list(accumulate(numbers, mul))[1:]))


def _whole_numbers(items: list[str]) -> list[int]:
    """The items as numbers; none where one is anything else."""
    known = sort_steps.known(items) or []
    numbers = [item for item in known if type(item) is int]
    return numbers if len(numbers) == len(known) else []


def _reduce(match: re.Match[str], value: Value, content: Content) -> str | None:
    """The sum or the product so far, of a start and the items."""
    start = [] if match[3] is None else [value(match[3])]
    numbers = _whole_numbers([*start, *walked_items.walked(value(match[2]), content)])
    match value(match[1]).rpartition(".")[2]:
        case "add":
            return long_arithmetic.running(numbers) if len(numbers) > 2 else None
        case "mul":
            return _products(numbers)
    return None


def _stamp(match: re.Match[str], value: Value, _: Content) -> str | None:
    """The day of the week, where a stamp shows its name."""
    return date_arithmetic.weekday(value(match[1])) if re.search("%[aA]", value(match[2])) else None


def _falling(match: re.Match[str], value: Value, _: Content) -> str | None:
    """The product so far of the factors of `perm`, `comb` and `factorial`; for `comb` then what it is divided by."""
    given = [_plain(value(text)) for text in match.groups()[1:] if text is not None]
    numbers = [each for each in given if type(each) is int and 0 < each <= _MOST_FACTORS]
    if len(numbers) != len(given) or (match[1] == "comb" and len(numbers) != 2):
        return None
    count = min(numbers)
    factors = [numbers[0] - place for place in range(count)]
    if len(factors) < 2 or numbers[0] != max(numbers):
        return None
    product = " ".join(map(str, list(accumulate(factors, mul))[1:]))
    return f"{product}/{math.factorial(count)}" if match[1] == "comb" else product


def _strip(match: re.Match[str], value: Value, _: Content) -> str | None:
    text, marks = _plain(value(match[1])), _plain(value(match[3]))
    return text_steps.stripped(text, marks, match[2]) if isinstance(text, str) and isinstance(marks, str) else None


def _title(match: re.Match[str], value: Value, _: Content) -> str | None:
    text = _plain(value(match[1]))
    return text_steps.titled(text) if isinstance(text, str) else None


def _month(match: re.Match[str], value: Value, _: Content) -> str | None:
    """The day of the week on which a month begins."""
    year, month = value(match[1]), value(match[2])
    if not (year.isdecimal() and month.isdecimal() and 1 <= int(month) <= _MONTHS and 0 < int(year) < _YEARS):
        return None
    return date_arithmetic.weekday(f"date({int(year)}, {int(month)}, 1)")


def _distance(match: re.Match[str], value: Value, _: Content) -> str | None:
    """The differences of two points, and the steps to the root of the sum of their squares."""
    points = sort_steps.known([value(match[1]), value(match[2])])
    match points:
        case [(int(a), int(b)), (int(c), int(d))]:
            squares = real_roots.hypotenuse(str(a - c), str(b - d))
            return None if squares is None else f"{a}-{c}={a - c} {b}-{d}={b - d} {squares}"
    return None


def _wrap(match: re.Match[str], value: Value, _: Content) -> str | None:
    """The lengths of lines, word by word."""
    text, width = _plain(value(match[1])), _plain(value(match[2]))
    return text_steps.wrapped(text, width) if isinstance(text, str) and isinstance(width, int) else None


def _replace(match: re.Match[str], value: Value, _: Content) -> str | None:
    """The places in a text at which a part is replaced."""
    text, given = _plain(value(match[1])), _arguments(match[2], value)
    if not isinstance(text, str) or given is None:
        return None
    match given:
        case [str(part), str()]:
            return text_steps.replaced(text, part)
        case [str(part), str(), int(most)]:
            return text_steps.replaced(text, part, most)
    return None


def _most_common(match: re.Match[str], value: Value, content: Content) -> str | None:
    """The keys with their counts, then in the order of the counts."""
    text = content(value(match[1]))
    counts = _plain_dict(text[len("Counter(") : -1]) if text.startswith("Counter({") else None
    return sort_steps.by_keys("sorted", list(counts), list(counts.values()), downwards=True) if counts else None


def _rotate(match: re.Match[str], value: Value, content: Content) -> str | None:
    """How many places are left of a rotation that goes round more than once."""
    text, places = content(value(match[1])), _plain(value(match[2]))
    count = len(walked_items.walked(text, content)) if text.startswith("deque([") else 0
    if not count or type(places) is not int or abs(places) <= count:
        return None
    return f"{places}%{count}={places % count}"


def _join(match: re.Match[str], value: Value, content: Content) -> str | None:
    items = sort_steps.known(sort_steps.items(content(value(match[1]))))
    texts = [item for item in items or () if isinstance(item, str)]
    return text_steps.runs(texts) if items and len(texts) == len(items) else None


def _statistics(match: re.Match[str], value: Value, content: Content) -> str | None:
    """The sum divided by the count; for a median the items in their order and those in the middle."""
    text = content(value(match[2]))
    known = sort_steps.known(sort_steps.items(text)) or []
    numbers = [item for item in known if isinstance(item, int | float) and not isinstance(item, bool)]
    if not numbers or len(numbers) != len(known):
        return None
    if match[1] == "mean":
        return _mean(numbers)
    if match[1] == "fmean":
        return _mean(numbers) if _is_rounded_once(numbers) else None
    merged, count = sort_steps.merges(text), len(numbers)
    middle = sorted(numbers)[(count - 1) // 2 : count // 2 + 1]
    return " ".join([*([merged] if merged else []), str(sorted(numbers)), *map(str, middle)])


def _mean(numbers: Sequence[float]) -> str | None:
    whole = [number for number in numbers if isinstance(number, int)]
    if len(whole) < len(numbers):
        return decimal_arithmetic.total(list(map(repr, numbers)), count=len(numbers))
    division = decimal_arithmetic.quotient(sum(whole), len(whole))
    total, ratio = long_arithmetic.running(whole), f"{sum(whole)}/{len(whole)}"
    if division and division.startswith(f"{ratio} "):  # its common factors follow
        return f"{total} {division}"
    return f"{total} {ratio} {division}" if division else f"{total} {ratio}"


def _is_rounded_once(numbers: Sequence[float]) -> bool:
    """Whether a mean of floats, which rounds the sum and the quotient, is the float of the exact mean."""
    small = all(abs(number) < _LARGEST_TERM for number in numbers)
    return small and statistics.fmean(numbers) == statistics.mean(numbers)


def _plain_dict(text: str) -> dict[object, object] | None:
    found = sort_steps.known([text])
    return found[0] if found and isinstance(found[0], dict) else None


def _units(match: re.Match[str], value: Value, _: Content) -> str | None:
    pairs = [part.split("=") for part in match[1].split(", ")]
    return clock_arithmetic.of_all_units([(unit, value(count)) for unit, count in pairs])


def _matching(match: re.Match[str], value: Value, _: Content) -> str | None:
    """The workings of a function of `re`, called by its name or by a variable, or of a method of a pattern."""
    receiver, method = match[1], match[2]
    held = value(receiver)
    called = held.removeprefix("re.") if method is None else method
    if called not in _METHODS or (method is not None and receiver != "re" and not held.startswith("Pattern(")):
        return None
    given = _arguments(match[3], value)
    pattern = _PATTERN.match(held)
    if given is None or (pattern is None and not given):
        return None
    texts = given[1:] if pattern is None else given
    expression, flags = (given[0], 32) if pattern is None else (_plain(pattern[1]), int(pattern[2]))
    return _steps(called, expression, flags, texts[1:] if called == "sub" else texts, compiled=pattern is not None)


def _steps(called: str, expression: object, flags: int, texts: list[object], *, compiled: bool) -> str | None:
    text, place = texts[0] if texts else None, texts[1] if len(texts) > 1 else 0
    if not isinstance(expression, str) or not isinstance(text, str) or not isinstance(place, int):
        return None
    try:
        if called in ("findall", "split", "sub"):
            return match_steps.all_matches(expression, flags, text)
        if place and not compiled:
            return None  # flags
        return match_steps.one_match(called, expression, flags, text, place=max(place, 0))
    except (re.error, OverflowError):
        return None


def _arguments(written: str, value: Value) -> list[object] | None:
    """The values of a call's arguments; None if one is no plain text or number."""
    call = ast.parse(f"f({written})", mode="eval").body
    if not isinstance(call, ast.Call) or call.keywords:
        return None
    texts = [value(each.id) if isinstance(each, ast.Name) else ast.unparse(each) for each in call.args]
    found = [_plain(text) for text in texts]
    return None if None in found else found


def _plain(text: str) -> object:
    found = sort_steps.known([text])
    return found[0] if found and isinstance(found[0], str | int) else None


def _of_match(match: re.Match[str], value: Value, _: Content) -> str | None:
    """The parts of a match, of which a group is asked."""
    found = _MATCH.match(value(match[1]))
    if found is None:
        return None
    pattern, text = _plain(found[1]), _plain(found[3])
    if not isinstance(pattern, str) or not isinstance(text, str):
        return None
    return match_steps.of_match(pattern, int(found[2]), text, (int(found[4]), int(found[5])))


Form = tuple[re.Pattern[str], Callable[[re.Match[str], Value, Content], str | None]]
FORMS: tuple[Form, ...] = (
    (_QUANTIZE, lambda match, value, _: amount_arithmetic.quantized(value(match[1]), value(match[2]))),
    (_WEEKDAY, lambda match, value, _: date_arithmetic.weekday(value(match[1]))),
    (_STAMP, _stamp),
    (_WEEK, lambda match, value, _: date_arithmetic.week(value(match[1]))),
    (_REDUCE, _reduce),
    (_SECONDS, lambda match, value, _: clock_arithmetic.in_seconds(value(match[1]))),
    (_UNITS, lambda match, value, _: clock_arithmetic.of_units(match[1], value(match[2]))),
    (_ALL_UNITS, _units),
    (_MOST_COMMON, _most_common),
    (_STATISTICS, _statistics),
    (_ROTATE, _rotate),
    (_JOIN, _join),
    (_TRANSLATE, _translate),
    (_COUNT, _count),
    (_FIND, _find),
    (place_steps.BISECT, place_steps.bisected),
    (_TALLY, _tally),
    (_PRODUCT, _product),
    (_FALLING, _falling),
    (_STRIP, _strip),
    (_TITLE, _title),
    (_MONTH, _month),
    (_DISTANCE, _distance),
    (_REPLACE, _replace),
    (_RSPLIT, _rsplit),
    (_WRAP, _wrap),
    (_OF_MATCH, _of_match),
    (_TEXT, lambda match, value, _: clock_arithmetic.written_out(value(match[1] or match[2]))),
    (_MATCHING, _matching),
)
