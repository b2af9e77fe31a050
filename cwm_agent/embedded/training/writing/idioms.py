"""Statements as people write them, as forms with typed holes; knows no names and draws nothing.

Forms are separated by blank lines; the first line `# 3 tag` gives weight and, if any, where a form belongs. Holes
besides those of `grammar.py`: `{=item:int}` binds a new variable, named as an item and holding an int; `{@ints}`
is a variable that holds one; `{@ints$1}` and `{=item:int$1}` remember it as `{$1}`; `{block}` is a block of
further statements, `{gather}` a statement that adds to what the loop gathers. Tags: `loop` forms gather something,
`inner` ones stand in loops only, `outer` never do.
"""

STATEMENTS = """
# 6
{=int:int} = {int}

# 5
{=str:str} = {str}

# 3
{=ints:ints} = {ints}

# 3
{=strs:strs} = {strs}

# 1
{=bool:bool} = {bool}

# 1
{=dict:counts} = {counts}

# 1
{=dict:table} = {table}

# 1
{=dict:wordmap} = {wordmap}

# 1
{=set:set} = {set}

# 1
{=tuple:pair} = {pair}

# 1
{=grid:grid} = {grid}

# 1
{=strs:pairs} = {pairs}

# 1
{=float:float} = {float}

# 3
{@int$1} {aug} {int}

# 2
{@int$1} = {$1} {+-*} {1-9}

# 1
{@int$1} = {$1} % {2-9}

# 1
{@int$1} //= {2-5}

# 2
{@str$1} = {str}

# 2
{@str$1} += {str}

# 1
{@str$1} = {$1}.{strmethod}()

# 1
{@str$1} = {$1}.replace({char}, {char})

# 3
{@ints$1}.append({int})

# 1
{@ints$1}.insert({0-2}, {int})

# 1
{@ints$1}.extend({ints})

# 1
{@ints$1} += [{int}]

# 1
{@ints$1}.remove({$1}[{0-1}])

# 1
{@ints$1}.sort({sortargs})

# 1
{@ints$1}.reverse()

# 1
{=item:int} = {@ints$1}.pop()

# 1
{=item:int} = {@ints$1}.pop({0-1})

# 1
if {@ints$1}:
    {$1}.pop({0-0})

# 2
{@ints$1}[{index}] = {int}

# 1
{@ints$1}[{index}] {aug} {int}

# 1
{@ints$1}[0], {$1}[-1] = {$1}[-1], {$1}[0]

# 1
del {@ints$1}[{0-1}]

# 1
{@ints$1}[{0-1}:{2-3}] = [{int}]

# 1
{@ints$1} = {$1}[{1-2}:]

# 2
{@strs$1}.append({str})

# 1
{@strs$1}.reverse()

# 1
{@strs$1}.sort()

# 1
{@strs$1}.insert(0, {str})

# 1
{=word:str} = {@strs$1}.pop({0-0})

# 1
{@strs$1}[{index}] = {$1}[{index}].{strmethod}()

# 1
{@strs$1}.extend({str}.split())

# 2
{@counts$1}[{str}] = {int}

# 2
{@counts$1}[{word}] = {$1}.get({word}, 0) + {1-3}

# 1
{@counts$1}.setdefault({word}, {0-5})

# 1
{@counts$1}.update({counts})

# 1
{=value:int} = {@counts$1}.pop({word}, {0-1})

# 1
{=key:str}, {=value:int} = {@counts$1}.popitem()

# 1
{@counts$1}.pop({word}, None)

# 1
{@table$1}[{int}] = {int}

# 1
if {@int$1} in {@table$2}:
    {$2}[{$1}] += {1-3}
else:
    {$2}[{$1}] = {int}

# 1
{@groups$1}.setdefault({word}, []).append({int})

# 1
{@set$1}.add({int})

# 1
{@set$1}.discard({int})

# 1
{@set$1}.update({ints})

# 1
{=ints:ints$1} = {@ints$2}
{$1}.append({int})

# 1
{=row:ints$1} = {@grid$2}[{index}]
{$1}.append({int})

# 1
{@grid$1}[{index}][{index}] = {int}

# 1
{@grid$1}.append({ints})

# 1
{=int:int}, {=int:int} = {pair}

# 1
{=int:int}, *{=ints:ints} = {ints}

# 1
{=int:int}, {=int:int} = {int}, {int}

# 1
{@int$1}, {@int$2} = {$2}, {$1}

# 1
{=int:int$1} = {=int:int$2} = {int}

# 1
{=str:str}, {=char:str}, {=str:str} = {str}.partition({char!})

# 2
{=int:int} = {int} if {bool} else {int}

# 1
{=str:str} = {str} if {bool} else {str}

# 5
if {bool}:
    {block}

# 4
if {bool}:
    {block}
else:
    {block}

# 2
if {bool}:
    {block}
elif {bool}:
    {block}
else:
    {block}

# 3 outer
if {bool}:
    return {any}

# 1 outer
if not {@ints}:
    return {any}

# 1 outer
if len({@str}) {cmp} {0-6}:
    return {any}

# 3 inner
if {bool}:
    continue

# 2 inner
if {bool}:
    break

# 1 inner
if {bool}:
    return {any}

# 1
try:
    {=int:int$1} = {risky}
except {error}:
    {$1} = {0-3}

# 1
try:
    {=int:int$1} = int({str})
except ValueError as {=error:error$2}:
    {$1} = len({@str})

# 1
try:
    {block}
except {error} as {=error:error}:
    {block}

# 1 outer
try:
    {=int:int$1} = {risky}
finally:
    {block}

# 1 outer
if {bool}:
    raise ValueError({word!})

# 1 outer
assert {bool}, {word!}

# 1 outer
def {=function:function$1}(x):
    return x {+-*} {1-9}
{=int:int} = {$1}({int})

# 1 outer
def {=function:function$1}(x, y={0-5}):
    if x {cmp} y:
        return x - y
    return {int} + x
{=int:int} = {$1}({int}) + {$1}({int}, {1-9})

# 1 outer
def {=function:function$1}(x):
    return x % {2-4} == {0-1}
{=ints:ints} = [v for v in {@ints} if {$1}(v)]

# 3 loop
for {=item:int} in {ints}:
    {gather}

# 3 loop
for {=index:index}, {=item:int} in enumerate({ints}):
    {gather}

# 3 loop
for {=index:index} in range(len({@ints$1})):
    {gather}

# 1 loop
for {=index:index$2} in range(len({@ints$1})):
    {=item:int} = {$1}[{$2}]
    {gather}

# 1 loop
for {=index:index$2} in range(len({@ints$1}) - 1):
    if {$1}[{$2}] {cmp} {$1}[{$2} + 1]:
        {gather}

# 1 loop
for {=index:index} in range(len({@ints}) - 1, -1, -1):
    {gather}

# 3 loop
for {=index:int} in range({2-6}):
    {gather}

# 2 loop
for {=index:int} in range({1-3}, {4-9}, {1-2}):
    {gather}

# 1 loop
for {=index:int} in range({int} % {4-8}):
    {gather}

# 1 loop
for {=item:int} in reversed({ints}):
    {gather}

# 1 loop
for {=item:int} in sorted({@ints}):
    {gather}

# 1 loop
for {=item:int} in ({0-9}, {0-9}, {1-20}):
    {gather}

# 2 loop
for {=int:int}, {=int:int} in zip({ints}, {ints}):
    {gather}

# 4 loop
for {=char:char} in {str}:
    {gather}

# 3 loop
for {=index:index}, {=char:char} in enumerate({str}):
    {gather}

# 2 loop
for {=index:index} in range(len({@str})):
    {gather}

# 1 loop
for {=char:char}, {=char:char} in zip({@str$1}, {$1}[1:]):
    {gather}

# 1 loop
for {=char:char} in {word!}:
    {gather}

# 3 loop
for {=word:str} in {strs}:
    {gather}

# 1 loop
for {=index:index}, {=word:str} in enumerate({strs}, {0-1}):
    {gather}

# 1 loop
for {=word:str}, {=int:int} in zip({strs}, {ints}):
    {gather}

# 3 loop
for {=key:str}, {=value:int} in {@counts}.items():
    {gather}

# 1 loop
for {=key:str$2} in {@counts$1}:
    {=value:int} = {$1}[{$2}]
    {gather}

# 1 loop
for {=value:int} in {@counts}.values():
    {gather}

# 1 loop
for {=key:str} in sorted({@counts}):
    {gather}

# 1 loop
for {=key:int}, {=value:int} in {@table}.items():
    {gather}

# 2 loop
for {=row:ints} in {@grid}:
    {gather}

# 2 loop
for {=row:ints$1} in {@grid}:
    for {=item:int} in {$1}:
        {gather}

# 1 loop
for {=key:str}, {=value:int} in {@pairs}:
    {gather}

# 1 loop
for {=int:int$1} in range({2-4}):
    for {=int:int} in range({$1}, {3-5}):
        {gather}

# 2 loop
while {@int$1} > {0-3}:
    {gather}
    {$1} //= {2-4}

# 1 loop
while {@int$1} < {10-40}:
    {gather}
    {$1} += {3-9}

# 1 loop
{=index:index$1} = 0
while {$1} < len({@ints}):
    {gather}
    {$1} += {1-2}

# 1 loop
{=index:index$1} = 0
while {$1} < len({@str}) and {bool}:
    {gather}
    {$1} += 1

# 1 loop
while {@ints$1}:
    {=item:int} = {$1}.pop({popargs})
    {gather}

# 1 loop
while {@strs$1}:
    {=word:str} = {$1}.pop({popargs})
    {gather}

# 1 loop
{=index:index$1}, {=index:index$2} = 0, len({@ints$3}) - 1
while {$1} < {$2}:
    {gather}
    {$1} += 1
    {$2} -= 1

# 1 loop
{=count:int$1} = 0
while True:
    {$1} += {1-3}
    if {$1} > {3-9}:
        break
    {gather}

# 1 loop
for {=item:int$1} in {ints}:
    if {$1} {cmp} {0-20}:
        break
    {gather}
else:
    {=int:int} = {int}
"""

GATHERING = """
# 5 int 0
{acc} += {int}

# 4 int 0
{acc} += 1

# 1 int 0
{acc} -= {int}

# 2 int 0
{acc} = max({acc}, {int})

# 1 int 0
{acc} = {acc} * {2-3} + {int}

# 1 int 1
{acc} *= {1-4}

# 1 int 0
{acc} = ({acc} + {int}) % {7-50}

# 4 str ''
{acc} += {char}

# 3 str ''
{acc} += {str}

# 1 str ''
{acc} = {char} + {acc}

# 1 str ''
{acc} = {acc} + str({int})

# 6 ints []
{acc}.append({int})

# 1 ints []
{acc}.insert(0, {int})

# 1 ints []
{acc} += [{int}]

# 1 ints []
{acc}.extend([{int}, {int}])

# 1 ints []
if {int} not in {acc}:
    {acc}.append({int})

# 4 strs []
{acc}.append({str})

# 1 strs []
{acc}.append({char})

# 1 strs []
{acc}.insert({0-1}, {str})

# 3 counts {}
{acc}[{str}] = {acc}.get({str}, 0) + 1

# 1 counts {}
{acc}[{char}] = {int}

# 1 counts {}
if {word} in {acc}:
    {acc}[{word}] += {1-2}
else:
    {acc}[{word}] = {int}

# 1 counts {}
{acc}.setdefault({str}, {int})

# 1 table {}
{acc}[{int}] = {int}

# 1 table {}
{acc}[{int}] = {acc}.get({int}, 0) + 1

# 1 wordmap {}
{acc}[{str}] = {str}

# 2 set set()
{acc}.add({int})

# 1 groups {}
{acc}.setdefault({str}, []).append({int})

# 1 pairs []
{acc}.append(({str}, {int}))

# 1 grid []
{acc}.append([{int}, {int}])

# 2 maybe None
if {acc} is None or {int} > {acc}:
    {acc} = {int}

# 1 bool False
if {bool}:
    {acc} = True

# 1 bool True
{acc} = {acc} and {bool}

# 1 int 0
if {bool}:
    {acc} += 1
else:
    {acc} = 0
"""
