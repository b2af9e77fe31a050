"""Functions on strings: scanning, building, splitting, encoding, counting and chains of methods."""

# ruff: noqa: E501  # alternatives of one slot stay on one line
_SOURCE = """
def f(text: str):
    result = ''
    for ch in text:
        if «ch.isupper()|ch.isalpha()|ch in 'aeiou'|ch.isdigit()|ch != ' '|ch.islower()»:
            result += «ch.lower()|ch.upper()|ch|ch * 2|'*'|ch.swapcase()»
        «else|elif ch.isspace()|elif ch not in result»:
            result += «ch|''|'_'|ch.upper()»
    return result
---
def f(text: str, sep: char):
    parts = text.split(«sep|sep|' '|sep, 1»)
    «parts.reverse()|parts.sort()|parts = parts[::-1]|parts.pop()|parts.append(sep)»
    return «sep.join(parts)|' '.join(parts)|parts|len(parts)|'-'.join(p.strip() for p in parts)»
---
def f(text: str):
    words = text.split()
    result = []
    for word in words:
        if len(word) «>|<|>=» «2-5»:
            result.append(word«|[::-1]|.upper()|.capitalize()|[:2]»)
        else:
            result.append(word«|.lower()| + '.'| * 2»)
    return ' '.join(result)
---
def f(s: str):
    count = 0
    for i in range(len(s)«| - 1»):
        if s[i] «==|!=|<» s[«i|i + 1|len(s) - i - 1|-i - 1|i - 1»]:
            count += 1
    return count
---
def f(s: str):
    left, right = 0, len(s) - 1
    while left < right:
        if s[left] != s[right]:
            return «False|left|s[left]»
        left += 1
        right -= 1
    return True
---
def f(text: str, char: char):
    index = text.find(char)
    if index «== -1|< 0|> 3»:
        return «text|char|-1|None»
    return «text[:index]|text[index + 1:]|text[:index] + char.upper() + text[index + 1:]|text[index:] + text[:index]»
---
def f(text: str):
    vowels = 'aeiou'
    count = 0
    for c in text«|.lower()»:
        if c «in|not in» vowels:
            count += 1
        «elif c == 'y'|elif c.isupper()»:
            count += «2|10»
    return count
---
def f(s: str):
    out = []
    i = 0
    while i < len(s):
        j = i
        while j < len(s) and s[j] == s[i]:
            j += 1
        out.append(«s[i] + str(j - i)|(s[i], j - i)|f'{j - i}{s[i]}'»)
        i = j
    return «''.join(map(str, out))|out»
---
def f(text: word, shift: small):
    out = ''
    for c in text:
        if c.isalpha():
            base = ord('a') if c.islower() else ord('A')
            out += chr((ord(c) - base + shift) % 26 + base)
        else:
            out += c
    return out
---
def f(s: brackets):
    depth = 0
    «best = 0|»
    for c in s:
        if c == '(':
            depth += 1
        elif c == ')':
            depth -= 1
            if depth < 0:
                return False
    return depth == 0
---
def f(s: brackets):
    stack = []
    pairs = {')': '(', ']': '[', '}': '{', '>': '<'}
    for c in s:
        if c in pairs:
            if not stack or stack.pop() != pairs[c]:
                return False
        else:
            stack.append(c)
    return not stack
---
def f(s: brackets):
    best = depth = 0
    for c in s:
        if c == '(':
            depth += 1
            best = max(best, depth)
        «elif c == ')'|else»:
            depth -= 1
    return best
---
def f(text: str, width: small):
    return «text.ljust(width, '*')|text.center(width + 10, '.')|text.rjust(width * 2)|text[:width].zfill(8)|text[width:] + text[:width]»
---
def f(text: str, prefix: word):
    if text.startswith(prefix):
        return text«[len(prefix):]|.removeprefix(prefix)|.replace(prefix, '', 1)»
    if «not prefix|prefix in text|len(text) > 12|text.endswith(prefix)»:
        return «text|prefix|prefix + text»
    return text.«upper()|strip()|count(prefix)|rfind(prefix)»
---
def f(s1: word, s2: word):
    if len(s1) != len(s2):
        return «-1|False|abs(len(s1) - len(s2))»
    count = 0
    for a, b in zip(s1, s2):
        if a != b:
            count += 1
    return count
---
def f(s: word, t: word):
    i = 0
    for c in t:
        if i < len(s) and s[i] == c:
            i += 1
    return «i == len(s)|i|s[:i]»
---
def f(a: word, b: word):
    i = 0
    while i < min(len(a), len(b)) and a[i] == b[i]:
        i += 1
    return «a[:i]|i|(a[i:], b[i:])»
---
def f(words: strs):
    if not words:
        return ''
    prefix = words[0]
    for word in words[1:]:
        while not word.startswith(prefix):
            prefix = prefix[:-1]
            if not prefix:
                return ''
    return prefix
---
def f(text: str):
    seen = «set()|set('ab')»
    for c in text:
        if c in seen:
            return c
        «seen.add(c)|seen ¦= {c}|seen.update(c, c.upper())»
    return «None|''|len(text)»
---
def f(text: str):
    result = []
    for i, c in enumerate(text):
        if i % 2 == «0|1»:
            result.append(c.«upper|lower|swapcase|title»())
        else:
            result.append(«c|c.lower()|c * 2|str(i)»)
    return ''.join(result)
---
def f(text: str, n: small):
    chunks = []
    for i in range(0, len(text), «n + 1|3|2|max(n, 2)»):
        chunks.append(text[i:i + «n + 1|3|2|n»])
    return «chunks|'-'.join(chunks)|chunks[::-1]|[c for c in chunks if c.strip()]»
---
def f(text: str):
    digits = ''.join(c for c in text if c.isdigit())
    letters = ''.join([c for c in text if c.isalpha()])
    return «digits + letters|letters[::-1]|int(digits or 0)|int(digits)|(letters, digits)|letters.title()»
---
def f(text: str, old: char, new: char):
    «text = text.replace(old, new)|text = new.join(text.split(old))|text = text.strip(old)»
    if «old in text|new in text|text.count(new) > 1|text.endswith(new)»:
        text = text«[1:]|.swapcase()|.title()| + old|[::-1]»
    return text
---
def f(text: str):
    text = text.«strip|lower|upper|rstrip|lstrip|title|casefold»()
    text = text.«replace(' ', '')|capitalize()|replace('a', 'o')|strip('ae')|swapcase()»
    return text«|[::-1]|[1:-1]|.split('e')|.partition(' ')|.center(20)|.encode().decode()|.isalpha()»
---
def f(s: str):
    words = s.«split()|split(' ')|split('-')|splitlines()|split(',')»
    longest = ''
    for w in words:
        if len(w) > len(longest):
            longest = w
    return «longest|longest, len(longest)|words.index(longest)|s.index(longest)»
---
def f(text: str):
    upper = lower = other = 0
    for c in text:
        if c.isupper():
            upper += 1
        elif c.islower():
            lower += 1
        else:
            other += 1
    return «upper, lower, other|{'upper': upper, 'lower': lower}|upper > lower|[upper, lower, other]»
---
def f(s: str):
    return «s.islower() and not s.isspace()|s == s[::-1]|s.istitle() or s.isdigit()|s.split()[::-1]|[c for c in s]|sorted(set(s.lower()))|s.rsplit(' ', 1)|s.rpartition('a')»
---
def f(text: digits):
    total = 0
    for i, d in enumerate(«text|reversed(text)|text[::-1]»):
        n = int(d)
        if i % 2 == «0|1»:
            n *= 2
            if n > 9:
                n -= 9
        total += n
    return «total % 10 == 0|total|total % 10»
---
def f(numbers: digits, k: small):
    out = ''
    for d in numbers:
        out += str((int(d) «+|*» k) % 10)
    return out«|.lstrip('0')|[::-1]»
---
def f(text: str, a: char, b: char):
    table = str.maketrans(a, b«|, ' '»)
    return text.translate(table)
---
def f(names: strs):
    out = []
    for name in names:
        if not name:
            continue
        first, rest = name[0], name[1:]
        out.append(«f'{first.upper()}.{rest}'|rest + first|first.upper() + rest.lower()|f'{len(rest)}{first}'»)
    return «', '.join(out)|out|out[-1]»
---
def f(name: word, age: int):
    «greeting = f'{name} is {age}'|greeting = '%s (%d)' % (name, age)|greeting = '{} {}'.format(name, age)|greeting = name + ':' + str(age)»
    if age > «10-40»:
        greeting += '!'
    return greeting«|.upper()|, len(greeting)»
---
def f(text: str, sub: char):
    positions = []
    start = 0
    while True:
        start = text.find(sub, start)
        if start == -1:
            break
        positions.append(start)
        start += «1|len(sub)|2»
    return positions
---
def f(s: str):
    words = {}
    for i, c in enumerate(s):
        «words[c] = i|words.setdefault(c, i)|words[c] = words.get(c, 0) + i»
    return «words|max(words.values(), default=0)|sorted(words)|''.join(words)»
---
def f(s: word, n: small):
    if n «>=|>» len(s):
        return s
    s = s[n:] + s[:«n|-n|n - 1»]
    return s
---
def f(text: str):
    out = []
    word = ''
    for c in text + ' ':
        if c == ' ':
            if word:
                out.append(word)
            word = ''
        else:
            word += c
    return out
---
def f(string: str):
    for i in range(len(string), «0|1|-1», -1):
        «if string[i - 1] in 'aeiou '|if string[:i].isalpha()|if len(string) % i == 0|if string[i - 1:].isdigit()»:
            return «string[:i]|i|string[i:]»
    return «string|0|''»
---
def f(pairs: str):
    result = {}
    for part in pairs.split(«','|':'|' '|'='»):
        key, _, value = part.partition(«'='|'-'|'a'»)
        result[key«|.strip()»] = value«| or None|.upper()»
    return result
"""
TEMPLATES = tuple(_SOURCE.strip("\n").split("\n---\n"))
