"""Common statements as forms with typed holes; knows no names and draws nothing.

Forms are separated by blank lines; the first line `# 3 tag` gives the weight and, if any, where a form may be used.
Holes besides those of `grammar.py`: `{=item:int}` assigns a new variable, named as an item and holding an int;
`{@ints}` is a variable that holds one; `{@ints$1}` and `{=item:int$1}` can be used again as `{$1}`; `{block}` is a
block of further statements, `{gather}` a statement that adds to the loop's result. Tags: `loop` forms collect a result,
`inner` forms occur inside loops only, `outer` forms never do.
"""

from cwm_agent.training.program_writer.block_idioms import BLOCKS
from cwm_agent.training.program_writer.plain_idioms import PLAIN

STATEMENTS = f"{PLAIN.rstrip()}\n\n{BLOCKS.lstrip()}"
"""Every form of a statement."""

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
