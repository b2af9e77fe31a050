"""Functions that call themselves: numbers, lists, strings, nested values, small permutations and searches."""

_SOURCE = """
def f(n: small):
    if n «<= 1|< 2|== 0 or n == 1»:
        return «n|1»
    return f(n - 1) «+|+|*|-» f(n - 2)
---
def f(n: small):
    if n == 0:
        return «1|0|[]|''»
    return f(n - 1) «+ f(n - 1)|* 2|+ f(0)»
---
def f(n: small):
    if n «<= 1|== 0|< 1»:
        return 1
    return n «*|+» f(n - 1)
---
def f(a: pos, b: pos):
    if b == 0:
        return a
    return f(b, a % b)
---
def f(nums: ints):
    if not nums:
        return «0|1|[]|None»
    return «nums[0] + (f(nums[1:]) or 0)|f(nums[1:])|nums[-1]|len(nums) + len(str(f(nums[1:])))»
---
def f(nums: short):
    if len(nums) <= 1:
        return nums
    pivot = nums[0]
    small = [x for x in nums[1:] if x «<|<=» pivot]
    large = [x for x in nums[1:] if x «>=|>» pivot]
    return f(small) + [pivot] + f(large)
---
def f(nums: short):
    if len(nums) < 2:
        return nums
    mid = len(nums) // 2
    left, right = f(nums[:mid]), f(nums[mid:])
    out = []
    while left and right:
        out.append(left.pop(0) if left[0] < right[0] else right.pop(0))
    return out + left + right
---
def flatten(items):
    out = []
    for item in items:
        if isinstance(item, list):
            out.extend(flatten(item))
        else:
            out.append(item)
    return out
def f(items: nested):
    return «flatten(items)|sum(flatten(items))|sorted(flatten(items))|len(flatten(items))»
---
def f(items: nested, depth: small = 0):
    total = 0
    for item in items:
        if isinstance(item, list):
            total += f(item, depth + 1)
        else:
            total += «item * depth|depth|item»
    return total
---
def f(s: word):
    if len(s) <= 1:
        return s
    return «f(s[1:]) + s[0]|s[-1] + f(s[:-1])|s[0] + f(s[2:])|f(s[1:]) if s[0] in s[1:] else s[0] + f(s[1:])»
---
def f(nums: sorted, target: int, low: zero = 0, high: nothing = None):
    if high is None:
        high = len(nums)
    if low >= high:
        return -1
    mid = (low + high) // 2
    if nums[mid] == target:
        return mid
    if nums[mid] < target:
        return f(nums, target, mid + 1, high)
    return f(nums, target, low, mid)
---
def perms(items):
    if len(items) <= 1:
        return [items]
    out = []
    for i in range(len(items)):
        rest = items[:i] + items[i + 1:]
        for p in perms(rest):
            out.append([items[i]] + p)
    return out
def f(nums: short):
    return perms(nums[:«2|2|3»])
---
def subsets(items):
    if not items:
        return [[]]
    rest = subsets(items[1:])
    return rest + [[items[0]] + r for r in rest]
def f(nums: short):
    return subsets(nums[:3])
---
def f(n: int, base: digit):
    if base < 2 or n < 0:
        return ''
    if n < base:
        return str(n)
    return f(n // base, base) + str(n % base)
---
def is_even(n):
    return True if n == 0 else is_odd(n - 1)
def is_odd(n):
    return False if n == 0 else is_even(n - 1)
def f(n: small):
    return is_even(n)«|, is_odd(n + 1)»
---
def move(n, a, b, c, log):
    if n == 0:
        return
    move(n - 1, a, c, b, log)
    log.append(«a + c|(n, a, c)»)
    move(n - 1, b, a, c, log)
def f(n: small):
    log = []
    move(n % 4, 'A', 'B', 'C', log)
    return log
---
def f(n: small, memo: table = None):
    if memo is None:
        memo = {}
    if n in memo:
        return memo[n]
    if n < 2:
        return n
    memo[n] = f(n - 1, memo) + f(n - 2, memo)
    return memo[n]
---
def f(target: small, coins: short):
    if target == 0:
        return 1
    if target < 0 or not coins:
        return 0
    if coins[0] «== 0|< 1»:
        return f(target, coins[1:])
    return f(target - coins[0], coins) + f(target, coins[1:])
---
def count(n):
    if n «== 0|<= 0|< 1»:
        return []
    return «[n] + count(n - 1)|count(n - 1) + [n]|count(n - 2) + [n]»
def f(n: small):
    return count(n)
---
def depth(s):
    if '(' not in s:
        return 0
    return 1 + depth(s[s.index('(') + 1:])
def f(s: brackets):
    return depth(s)
---
def f(x: pos, steps: small = 0):
    if x == 1 or steps > «5-8»:
        return steps
    return f(x // 2 if x % 2 == 0 else x * 3 + 1, steps + 1)
"""
TEMPLATES = tuple(_SOURCE.strip("\n").split("\n---\n"))
