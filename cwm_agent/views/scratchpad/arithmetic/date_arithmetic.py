"""Writes out differences of dates, and dates moved by days; knows only their text.

date(2024, 3, 5) - date(2023, 12, 25)    60+5=65 334+25=359 65-359=-294; 2024-2023=1*365=365-294=71
date(2025, 3, 1) - date(2024, 3, 1)      59+1=60 60+1=61 60-61=-1; 2025-2024=1*365=365-1=364; 2024 +1=365
date(2020, 3, 1) - date(1990, 3, 1)      60+1=61 59+1=60 61-60=1; 2020-1990=30*365=10950+1=10951;
                                         1992..2016 24/4+1 +7=10958              all on one row
date(2024, 5, 1).weekday()               2023/4=505 /100=20 /400=5 2023+505-20+5=2513;
                                         121+1=122-1=121+2513=2634 26:3 53:7 44:6 2
date(2024, 5, 1).isocalendar()           the same; 122+1=123 122 12:1 52:7 3 17+1=18    the week's Thursday
date(2024, 1, 31) + timedelta(40)        31+40=71 1:71-31=40 2024.2:40-29=11 3       month by month
date(2024, 3, 5) - timedelta(10)         5-10=-5 2024.2:-5+29=24

The day of the year is the number of days before its month plus the day. Leap years between the dates add a day each.
"""

import re
from calendar import isleap, monthrange
from datetime import date, timedelta

from cwm_agent.views.scratchpad.arithmetic import long_arithmetic

_DATE = re.compile(r"date\((\d{1,4}), (\d{1,2}), (\d{1,2})\)$")
_MOMENT = re.compile(r"datetime\((\d{1,4}, \d{1,2}, \d{1,2})\b.*\)$")
_DAYS = re.compile(r"timedelta\((?:(-?\d{1,5}))?\)$")
_MOST_YEARS = 120
_FEW = 3
"""Most leap years that are listed one by one."""
_MOST_MONTHS = 14
_FEBRUARY = 2
_THURSDAY = 3
"""As `weekday` counts."""
_LAST_YEAR = 9999


def is_date(text: str) -> bool:
    """Whether a text is that of a date."""
    return text.startswith("date(")


def arithmetic(left: str, sign: str, right: str) -> str | None:
    """Return the workings of a difference of dates, or of a date and whole days; None for others."""
    first, second, days = _date(left), _date(right), _DAYS.match(right)
    if first and second and sign == "-":
        return _difference(first, second)
    if first and days and sign in ("+", "-"):
        count = int(days[1] or 0)
        return _moved(first, count if sign == "+" else -count)
    return None


def _date(text: str) -> date | None:
    match = _DATE.match(text)
    try:
        return date(*map(int, match.groups())) if match else None
    except ValueError:
        return None


def _difference(first: date, second: date) -> str | None:
    if abs(first.year - second.year) > _MOST_YEARS:
        return None
    days = _day_of_year(first) - _day_of_year(second)
    written = f"{_sum(first)} {_sum(second)} {_day_of_year(first)}-{_day_of_year(second)}={days}"
    if first.year == second.year:
        return written
    early, late = sorted((first.year, second.year))
    sign = 1 if first.year > second.year else -1
    leaps = [year for year in range(early, late) if isleap(year)]
    whole = sign * 365 * (late - early)
    written += f"; {first.year}-{second.year}={first.year - second.year}*365={whole}{days:+d}={whole + days}"
    if leaps:
        written += f"; {_counted(leaps)} {sign * len(leaps):+d}={whole + days + sign * len(leaps)}"
    return written


def _counted(leaps: list[int]) -> str:
    """Every leap year, or the first and the last where all fourth years between them are leap years."""
    if len(leaps) <= _FEW or leaps[-1] - leaps[0] != 4 * (len(leaps) - 1):
        return " ".join(map(str, leaps))
    return f"{leaps[0]}..{leaps[-1]} {leaps[-1] - leaps[0]}/4+1"


def days_between(left: str, right: str) -> str | None:
    """Return the workings of the days between two dates by their texts; None if they are no dates, or far apart."""
    first, second = _date(left), _date(right)
    return None if first is None or second is None else _difference(first, second)


def weekday(text: str) -> str | None:
    """Return how many days passed since the first Monday of the calendar, and what a division by seven leaves."""
    day = _date(_MOMENT.sub(r"date(\1)", text))
    if day is None:
        return None
    year = day.year - 1
    before = year + year // 4 - year // 100 + year // 400
    years = f"{year}/4={year // 4} /100={year // 100} /400={year // 400}"
    years += f" {year}+{year // 4}-{year // 100}+{year // 400}={before}"
    place = _day_of_year(day)
    count = before + place - 1
    work = long_arithmetic.arithmetic(count, "%", 7)
    return f"{years}; {_sum(day)}-1={place - 1}+{before}={count} {work}" if work else None


def week(text: str) -> str | None:
    """Return the workings of the day of the week, then those of the week: that of the year in which its Thursday is."""
    work, day = weekday(text), _date(_MOMENT.sub(r"date(\1)", text))
    if work is None or day is None or not 1 < day.year < _LAST_YEAR:
        return None
    place, distance = _day_of_year(day), _THURSDAY - day.weekday()
    found = f"{work}; {place}{distance:+d}={place + distance}"
    thursday = day + timedelta(distance)
    if thursday.year != day.year:
        length = _day_of_year(date(min(thursday.year, day.year), 12, 31)) * (1 if thursday.year < day.year else -1)
        found += f"{length:+d}={place + distance + length}"
    passed = _day_of_year(thursday) - 1
    division = long_arithmetic.arithmetic(passed, "%", 7)
    return f"{found} {passed}" + (f" {division}" if division else "") + f" {passed // 7}+1={passed // 7 + 1}"


def day_of_year(text: str) -> str | None:
    """Return the days before the month plus the day."""
    day = _date(text)
    return None if day is None else _sum(day)


def _day_of_year(day: date) -> int:
    return day.timetuple().tm_yday


def _sum(day: date) -> str:
    return f"{_day_of_year(day) - day.day}+{day.day}={_day_of_year(day)}"


def _moved(start: date, days: int) -> str | None:
    if abs(days) > 31 * _MOST_MONTHS or not 2 < start.year < 9997:
        return None
    place = start.day + days
    found = [f"{start.day}{days:+d}={place}"]
    month = start.replace(day=1)
    while place > _length(month):
        found.append(f"{_named(month)}:{place}-{_length(month)}={place - _length(month)}")
        place, month = place - _length(month), month + timedelta(_length(month))
    while place < 1:
        month = (month - timedelta(1)).replace(day=1)
        found.append(f"{_named(month)}:{place}+{_length(month)}={place + _length(month)}")
        place += _length(month)
    return " ".join(found if len(found) == 1 or days < 0 else [*found, str(month.month)])


def _named(month: date) -> str:
    """The month; February, which is not of one length, with its year."""
    return f"{month.year}.2" if month.month == _FEBRUARY else str(month.month)


def _length(month: date) -> int:
    return monthrange(month.year, month.month)[1]
