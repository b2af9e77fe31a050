"""Functions on numbers: digits, divisors, primes, sequences, accumulating and searching."""

# ruff: noqa: E501  # alternatives of one slot stay on one line
_SOURCE = """
def f(n: big):
    total = «0|1|0»
    while n «> 0|!= 0|>= 1»:
        digit = n % «10|10|2|8»
        «total += digit|total = total * 10 + digit|total += digit ** 2|total = max(total, digit)»
        n «//= 10|//= 10|= n // 10|//= 2»
    return total
---
def f(n: pos):
    if n «< 2|<= 1|== 1»:
        return False
    for i in range(2, «n|int(n ** 0.5) + 1|n // 2 + 1»):
        if n % i == 0:
            return False
    return True
---
def f(a: pos, b: pos):
    while b:
        a, b = b, a % b
    return a
---
def f(a: pos, b: pos):
    while a != b:
        if a > b:
            a -= b
        else:
            b -= a
    return a «| + 1| * 2»
---
def gcd(x, y):
    while y != 0:
        x, y = y, x % y
    return x
def f(a: pos, b: pos):
    return a * b // gcd(a, b)
---
def f(n: small):
    a, b = «0, 1|1, 1|2, 1|0, 2»
    for «_|i» in range(n):
        a, b = b, a + b
    return «a|b|a, b»
---
def f(n: small):
    seq = [«0, 1|1, 1|2, 3»]
    while len(seq) «<|<=» n:
        seq.append(seq[-1] «+|-|*|+» seq[-2]«| + 1| % 7»)
    return seq«|[:n]|[-1]»
---
def f(n: pos):
    steps = 0
    while n != 1:
        if n % 2 == 0:
            n = n // 2
        else:
            n = 3 * n + 1
        steps += 1
        if steps > «9|15|6»:
            break
    return steps«|, n»
---
def f(n: pos):
    divisors = []
    for i in range(1, n«| + 1|// 2 + 1»):
        if n % i == 0:
            divisors.append(i)
    return «divisors|len(divisors)|sum(divisors)|divisors[-1]|sum(divisors) == n»
---
def f(n: pos):
    factors = []
    d = 2
    while «d * d <= n|n > 1|d <= n»:
        while n % d == 0:
            factors.append(d)
            n //= d
        d += 1
    if n > 1:
        factors.append(n)
    return factors
---
def f(n: small):
    result = 1
    for i in range(«1|2», n«| + 1»):
        result *= i
    return result
---
def f(n: small, k: small):
    result = 1
    for i in range(«1, k + 1|1, k|1, n»):
        result = result * (n - i + 1) // i
    return result
---
def f(base: small, exp: small):
    result = 1
    while exp > 0:
        if exp % 2 == 1:
            result *= base
        base *= base
        exp //= 2
    return result
---
def f(n: int):
    if n == 0:
        return '0'
    bits = ''
    while n «> 0|>= 1»:
        bits = «str(n % 2) + bits|bits + str(n % 2)»
        n //= 2
    return bits«|.zfill(8)|[::-1]»
---
def f(bits: bits):
    value = 0
    for bit in bits:
        value = value * 2 + «int(bit)|(bit == '1')|(1 if bit == '1' else 0)»
    return value
---
def f(n: int):
    return «sum(int(d) for d in str(abs(n)))|[int(d) for d in str(n)]|len(str(n))|sum([int(c) for c in str(n) if c.isdigit()])»
---
def f(n: pos, k: small):
    result = 0
    for i in range(«1|0|2», n + 1«|, 2|, 3»):
        if i % «2-5» == 0 «and|or» i % «2-7» «==|!=» 0:
            result += «i|1|i * k|«int i k»»
        elif i «>|==» k:
            result «-=|+=» «1-3»
    return result
---
def f(a: int, b: int, c: int):
    if a «>|<|>=» b and a > c:
        return a
    elif b «>|>=» c:
        return b
    else:
        return «c|a + c|-c»
---
def f(x: int, low: small, high: pos):
    if x < low:
        return low
    if x > high:
        return high
    return x
---
def f(n: int, k: small):
    if not k:
        return «None|-1|n»
    q, r = divmod(n, k)
    return «q + r|[q, r]|(r, q)|q if r == 0 else q + 1»
---
def f(n: pos):
    count = 0
    num = 2
    primes = []
    while len(primes) < n % «3-6»:
        for p in primes:
            if num % p == 0:
                break
        else:
            primes.append(num)
            count += «1|num»
        num += 1
    return «primes|count|primes, count»
---
def f(n: int):
    s = str(«n|abs(n)|n * n»)
    if s == s[::-1]:
        return «True|s|len(s)»
    «s = s[::-1]|n += 1|s += '!'»
    return «False|s|n»
---
def f(x: float, y: int):
    total = x «+|*|-» y
    if total > «10-30»:
        return round(total, «1|2|0»)
    return «int(total)|total|round(total)|total / 2»
---
def f(nums: floats):
    mean = sum(nums) / len(nums)
    «return mean|return round(mean, 2)|return [round(x - mean, 1) for x in nums]|return max(nums) - mean»
---
def f(n: pos, m: pos):
    count = 0
    for i in range(n):
        for j in range(i«| + 1», «m|n|i + 3»):
            if «if i j»:
                count += 1
            if count > «5-20»:
                return i, j
    return count
---
def f(year: big):
    if year % 400 == 0:
        return True
    if year % 100 == 0:
        return False
    return year % 4 == 0
---
def f(x: int, y: int):
    sign = 1 if x «>=|>|<» 0 else -1
    x = abs(x)
    result = «x * y|x + y|x // (y or 1)|x % (abs(y) + 1)»
    return sign * result
---
def f(n: pos):
    numerals = [(10, 'X'), (9, 'IX'), (5, 'V'), (4, 'IV'), (1, 'I')]
    out = ''
    for value, letters in numerals:
        while n >= value:
            out += letters
            n -= value
    return out
---
def f(amount: pos):
    coins = [«25, 10, 5, 1|10, 5, 2, 1|7, 3, 1»]
    used = []
    for coin in coins:
        while amount >= coin:
            amount -= coin
            used.append(coin)
    return «used|len(used)|used, amount»
---
def f(n: small):
    rows = []
    row = [1]
    for _ in range(n):
        rows.append(row)
        row = [1] + [row[i] + row[i + 1] for i in range(len(row) - 1)] + [1]
    return «rows|rows[-1]|row»
---
def f(low: pos, high: pos):
    if low > high:
        low, high = high, low
    out = []
    for n in range(low, min(high, low + 8) + 1):
        «if n % 15 == 0|if n % 3 == 0 and n % 5 == 0»:
            out.append(«'both'|n»)
        elif n % «3|2» == 0:
            out.append(«'three'|-n»)
        elif n % 5 == 0:
            out.append(«'five'|n // 5»)
        «else|elif n % 7»:
            out.append(«str(n)|n»)
    return out
---
def f(n: big):
    while n «>= 10|> 9|>= 10»:
        total = 0
        for d in str(n):
            total += int(d)
        n = total
    return n
---
def f(n: int, base: digit):
    digits = '0123456789abcdef'
    if base < 2:
        raise ValueError('base')
    out = []
    while n > 0:
        n, rem = divmod(n, base)
        out.append(digits[rem])
    return ''.join(reversed(out)) or '0'
---
def f(x: pos):
    low, high = 0, x
    while low < high:
        mid = (low + high + 1) // 2
        if mid * mid <= x:
            low = mid
        else:
            high = mid - 1
    return low
"""
TEMPLATES = tuple(_SOURCE.strip("\n").split("\n---\n"))
