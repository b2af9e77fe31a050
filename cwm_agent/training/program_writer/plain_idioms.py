"""Statements of one or two lines, from assignments to changes of containers; in the notation of `idioms.py`."""

PLAIN = """
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
"""
