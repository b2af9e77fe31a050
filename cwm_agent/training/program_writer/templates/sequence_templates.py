"""Functions on lists: scanning, filtering, running results, two pointers, windows, sorting, merging, in-place changes."""

# ruff: noqa: E501  # alternatives of one slot stay on one line
_SOURCE = """
def f(nums: ints):
    result = []
    for x in nums:
        if «if x»:
            result.append(«x|x * 2|«int x»»)
        «elif x > 10|else|elif x in result»:
            result.«append(-x)|insert(0, x)|append(0)|extend([x, x])»
    return result
---
def f(nums: full):
    best = nums[0]
    for x in nums«[1:]|»:
        if x «>|<|>=» best:
            best = x
    return best
---
def f(nums: full):
    best, where = nums[0], 0
    for i, x in enumerate(nums):
        if x «>|<|>=» best:
            best, where = x, i
    return «where|best, where|nums[:where]»
---
def f(nums: ints, target: int):
    for i in range(len(nums)):
        for j in range(i + 1, len(nums)):
            if nums[i] + nums[j] «==|<|>» target:
                return «[i, j]|(nums[i], nums[j])|True»
    return «None|[]|False|-1»
---
def f(nums: ints, target: int):
    seen = {}
    for i, x in enumerate(nums):
        need = target - x
        if need in seen:
            return [seen[need], i]
        seen[x] = i
    return []
---
def f(nums: sorted, target: int):
    low, high = 0, len(nums) - 1
    while low <= high:
        mid = (low + high) // 2
        if nums[mid] == target:
            return mid
        elif nums[mid] «<|>» target:
            low = mid + 1
        else:
            high = mid - 1
    return «-1|low|None»
---
def f(nums: sorted, target: int):
    left, right = 0, len(nums) - 1
    while left < right:
        total = nums[left] + nums[right]
        if total == target:
            return left, right
        if total < target:
            left += 1
        else:
            right -= 1
    return None
---
def f(nums: short):
    n = len(nums)
    for i in range(n):
        for j in range(«0, n - i - 1|n - 1|i + 1, n»):
            if nums[«j|i|j»] «>|<» nums[«j + 1|j»]:
                nums[j], nums[«j + 1|i|j - 1»] = nums[«j + 1|i|j - 1»], nums[j]
    return nums
---
def f(arr: short):
    for i in range(1, len(arr)):
        key = arr[i]
        j = i - 1
        while j >= 0 and arr[j] > key:
            arr[j + 1] = arr[j]
            j -= 1
        arr[j + 1] = key
    return arr
---
def f(arr: short):
    for i in range(len(arr)):
        smallest = i
        for j in range(i + 1, len(arr)):
            if arr[j] < arr[smallest]:
                smallest = j
        arr[i], arr[smallest] = arr[smallest], arr[i]
    return arr
---
def f(a: sorted, b: sorted):
    out = []
    i = j = 0
    while i < len(a) and j < len(b):
        if a[i] «<=|<» b[j]:
            out.append(a[i])
            i += 1
        else:
            out.append(b[j])
            j += 1
    out.extend(a[i:])
    out.extend(b[j:])
    return out
---
def f(nums: ints):
    total = 0
    sums = []
    for x in nums:
        total += x
        sums.append(total)
    return «sums|max(sums, default=0)|sums[::-1]|sums[-1]»
---
def f(nums: ints):
    best = current = 0
    for x in nums:
        current = max(«0|x», current + x)
        best = max(best, current)
    return best
---
def f(nums: ints, k: small):
    if len(nums) < k:
        return «None|[]|0»
    window = sum(nums[:k])
    best = window
    for i in range(k, len(nums)):
        window += nums[i] - nums[i - k]
        if window > best:
            best = window
    return best
---
def f(nums: ints):
    evens = [x for x in nums if x % 2 == 0]
    odds = [x for x in nums if x % 2 «!= 0|== 1»]
    return «evens + odds|(len(evens), len(odds))|sum(evens) - sum(odds)|sorted(evens) + odds[::-1]|[evens, odds]»
---
def f(nums: ints):
    unique = []
    for x in nums:
        if x not in unique:
            unique.append(x)
    «unique.sort()|unique.reverse()|unique = unique[:3]|unique.pop()»
    return unique
---
def f(lst: ints, x: int):
    while x in lst:
        lst.remove(x)
    return lst«|, len(lst)»
---
def f(nums: ints):
    i = 0
    while i < len(nums):
        if nums[i] % «2|3|4» == 0:
            «nums.pop(i)|del nums[i]»
        else:
            «i += 1|nums[i] += 1|nums.append(i)»
            i += 1
    return nums
---
def f(nums: ints, k: small):
    for _ in range(k):
        «nums.insert(0, nums.pop())|nums.append(nums.pop(0))|nums.append(nums[-1])|nums[0], nums[-1] = nums[-1], nums[0]»
    return nums
---
def f(nums: ints):
    nums.«sort()|reverse()|sort(reverse=True)|append(len(nums))|insert(1, 7)|extend([1, 2])|pop()|clear()|remove(nums[0])»
    «nums.append(sum(nums))|nums.insert(len(nums) // 2, 0)|nums += [9]|nums = nums[1:]|nums[-1] = 0|del nums[0]»
    return nums«|[::2]|[-2:]|[0]|.count(0)|.copy()»
---
def f(nums: ints, i: small, x: int):
    copy = «nums[:]|nums.copy()|list(nums)|nums»
    copy.insert(i, x)
    «copy.pop(0)|copy[-1] = x + 1|copy.append(i)|copy.remove(x)»
    return «nums, copy|copy|nums|nums == copy»
---
def f(words: strs):
    result = []
    for w in words:
        if «w.isalpha()|len(w) > 2|w[0] == 'a'|w.startswith('b')|w not in result|w.lower() != w»:
            result.append(«w|w.upper()|len(w)|w[:2]|(w, len(w))»)
    return result«|[::-1]»
---
def f(words: strs, n: small):
    return [«w|w.upper()|w[::-1]|w * 2|len(w)» for w in words if len(w) «>|==|<=|!=» n]
---
def f(words: strs):
    longest = None
    for w in words:
        if longest is None or len(w) «>|>=» len(longest):
            longest = w
    return longest
---
def f(a: ints, b: ints):
    «common = [x for x in a if x in b]|common = set(a) & set(b)|common = list(set(a) - set(b))|common = sorted(set(a) ¦ set(b))|common = [x for x in a if x not in b]»
    return «sorted(common)|len(common)|sum(common)|max(common, default=-1)»
---
def f(a: ints, b: ints):
    result = []
    for x, y in zip(a, b):
        result.append(«x + y|x * y|max(x, y)|x - y|(x, y)|x == y|«int x y»»)
    return «result|sum(result)|result[::-1]»
---
def f(nums: ints, k: pos):
    count = 0
    for i, x in enumerate(nums«|, 1»):
        if x «>|<|>=|==» k:
            count += «1|i|x»
        elif x == «0-9»:
            break
        else:
            continue
        count += 1
    return count
---
def f(nums: ints):
    for i in range(len(nums) - 1):
        if nums[i] «>|>=|==» nums[i + 1]:
            return «False|i|nums[i]»
    return True
---
def f(nums: ints):
    left, right = 0, len(nums) - 1
    while left < right:
        nums[left], nums[right] = nums[right], nums[left]
        left += 1
        right -= «1|1|2»
    return nums
---
def f(nums: ints):
    write = 0
    for x in nums:
        if x != «0|nums[0]|1»:
            nums[write] = x
            write += 1
    for i in range(write, len(nums)):
        nums[i] = 0
    return nums
---
def f(nums: full):
    first = second = None
    for x in nums:
        if first is None or x > first:
            first, second = x, first
        elif second is None or x > second:
            second = x
    return «second|first, second|[first, second]»
---
def f(nums: ints):
    a = nums
    b = a
    «b.append(«1-9»)|b[0] = 5|b += [1]|b = b + [2]|a = []»
    return «a, b|nums|a == b|len(nums) + len(b)»
---
def f(lists: ragged):
    flat = []
    for sub in lists:
        for x in sub:
            «flat.append(x)|if x not in flat: flat.append(x)|flat.insert(0, x)»
    return «flat|sorted(flat)|sum(flat)|len(flat)»
---
def f(lists: ragged):
    result = []
    for sub in lists:
        sub.«sort()|reverse()|append(0)|insert(0, len(sub))»
        result.append(«sub|sub[:2]|len(sub)|sum(sub)|sub[-1]»)
    return result
---
def f(nums: ints):
    stack = []
    for x in nums:
        while stack and stack[-1] «<|>|>=» x:
            stack.pop()
        stack.append(x)
    return stack
---
def f(nums: short):
    answer = [-1] * len(nums)
    stack = []
    for i, x in enumerate(nums):
        while stack and nums[stack[-1]] < x:
            answer[stack.pop()] = x
        stack.append(i)
    return answer
---
def f(pairs: pairs):
    total = 0
    names = []
    for name, amount in pairs:
        if amount «>|<» «5-12»:
            names.append(name)
        total += amount
    return «names|total|names, total|(total, len(names))»
---
def f(spans: spans):
    merged = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1]:
            merged[-1][1] = max(merged[-1][1], end)
        else:
            merged.append([start, end])
    return merged
---
def f(items: mixed):
    numbers = []
    others = 0
    for item in items:
        if isinstance(item, «int|str|list|(int, float)|bool»):
            numbers.append(item)
        «else|elif item is None|elif isinstance(item, str)»:
            others += 1
    return numbers, others
---
def f(items: mixed):
    return [«str(x)|type(x) == int|x is None|isinstance(x, str)|bool(x)|repr(x)» for x in items«| if x| if x is not None»]
---
def f(nums: tuple):
    first, *rest = nums
    return «rest|first + len(rest)|[first] + rest[::-1]|(first, sum(rest))»
---
def f(nums: ints):
    «a, b, *c = nums|a, *c, b = nums|*c, a, b = nums»
    return «[a, b, c]|c|a - b|a + b + sum(c)»
---
def f(n: small, x: int):
    lst = [x] * n
    for i in range(len(lst)):
        lst[i] «+=|-=|*=» i
    return lst«|[::-1]|, sum(lst)»
---
def f(chars: chars):
    counts = [0] * 26
    for c in chars:
        counts[ord(c) - ord('a')] += 1
    return «max(counts)|counts.index(max(counts))|chr(ord('a') + counts.index(max(counts)))|[i for i, n in enumerate(counts) if n > 1]»
---
def f(lst: strs, x: word):
    try:
        i = lst.index(x)
    except ValueError:
        return «-1|None|lst»
    return «i|lst[i:]|lst[:i] + lst[i + 1:]»
---
def f(nums: short, queue: short):
    while queue:
        x = queue.pop(«0|»)
        if x in nums:
            nums.remove(x)
        elif x % 2:
            queue.append(x «- 1|// 2|* 2 - x + 1»)
        else:
            nums.append(x)
        if len(nums) > «4-7»:
            break
    return nums, queue
---
def f(nums: ints, low: small, high: pos):
    inside = list(filter(lambda x: low «<=|<» x «<=|<» high, nums))
    return «inside|len(inside)|list(map(lambda x: x - low, inside))|sorted(inside, reverse=True)»
"""
TEMPLATES = tuple(_SOURCE.strip("\n").split("\n---\n"))
