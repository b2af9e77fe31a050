"""Statements with blocks: branches, handlers, loops and their exits; in the notation of `idioms.py`."""

BLOCKS = """
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
