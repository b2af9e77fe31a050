"""Lines of control flow: loops, iterators, builtins over collections, unpacking, constants, attributes, exceptions."""

from cwm_agent.training.patterns.pattern import patterns

LOOPS = patterns("""
for                 14    for O in I:               I=plain_iterator
for                 3     for O in I:               I=iterator
for                 1.2   for O in I:               I=enumerated
for                 1     for O in I:               I=zipped
for                 0.7   for O in I:               I=backwards
for                 0.7   for O in I:               I=mapped
for                 0.7   for O in I:               I=filtered
iter                4     iter(A)                   A=walkable
iter                1     iter(A)                   A?=text
iter                0.5   iter(A)                   A=iterator
iter                0.2   iter(A)                   A!=anything
iter                0.4   iter(A)                   A=mapping
iter                1     iter(A)                   A=span
iter                0.6   iter(A)                   A=view
iter                0.3   iter(A)                   A=enumerated
iter                0.2   iter(A)                   A=zipped
iter                0.4   iter(A)                   A=rows
iter                0.2   iter(A)                   A=int_set
in.iterator         0.2   A in I                    A=scalar I=iterator
next                1     next(I)                   I=iterator
next                0.3   next(I, A)                I=iterator A=scalar
next                0.2   next(I, None)             I=filtered
next                0.2   do next(I)                I=iterator
next                0.15  next(I)                   I=filtered
range               2     range(A)                  A=natural
range               1.5   range(A, B)               A=small B=natural
range               0.5   range(1, B)               B=natural
range               0.6   range(A, B, C)            A=natural B=natural C?=stride
range               0.6   range(A, -1, -1)          A=small
range               0.3   range(A, 0, -1)           A=small
range               0.3   range(0, A, N)            A=natural N=positive
enumerate           1     enumerate(A)              A=walkable
enumerate           0.5   enumerate(A, N)           A=walkable N?=small
enumerate           0.2   enumerate(A, start=N)     A=walkable N?=small
zip                 1     zip(A, B)                 A=walkable B=walkable
zip                 0.3   zip(A, B)                 A=array B=near:A
zip                 0.2   zip(A, B, C)              A=flat B=text C=span
zip                 0.15  zip(*A)                   A=rows
reversed            1     reversed(A)               A=sequence
map                 1.2   map(str, A)               A=ints
map                 0.6   map(int, A)               A=numerals
map                 0.3   map(int, A)               A=digits
map                 0.3   map(len, A)               A=words
map                 0.2   map(ord, A)               A=word
map                 0.2   map(str, A)               A=walkable
map                 0.2   map(F, A)                 F=text_function A=words
map                 0.1   map(float, A)             A=numerals
map                 0.1   map(abs, A)               A=ints
map                 0.1   map(pow, A, B)            A=ints B=ints
filter              0.4   filter(None, A)           A=booleans
filter              0.3   filter(str.isdigit, A)    A=coded
filter              0.2   filter(F, A)              F=text_test A=words
filter              0.2   filter(F, A)              F=text_test A=text
map                 0.15  map(sum, A)               A=int_rows
map                 0.1   map(max, A)               A=int_rows
map                 0.1   map(list, A)              A=rows
map                 0.1   map(set, A)               A=words
map                 0.1   map(M, A)                 M=bound_get A=words
for                 1.5   for O in I:               I=late_iterator
next                0.2   next(I)                   I=late_iterator
""")

COLLECTIONS = patterns("""
len                 6     len(A)                    A=container
len                 2     len(A)                    A=array
len                 1.5   len(A)                    A=text
len                 0.3   len(A)                    A=longer
len                 0.3   len(A)                    A!=anything
sum                 3     sum(A)                    A=numbers
sum                 1.5   sum(A)                    A=ints
sum                 0.3   sum(A, N)                 A=ints N=integer
sum                 0.2   sum(A, [])                A=rows
min                 1.2   min(A)                    A=numbers
min                 0.5   min(A)                    A=words
min                 1.5   min(A, B)                 A=integer B=near:A
min                 0.3   min(A, B, C)              A=integer B=integer C=integer
min                 0.3   min(A, key=len)           A=words
min                 0.2   min(A)                    A=text
min                 0.15  min(A, default=N)         A=ints N=small
max                 1.5   max(A)                    A=numbers
max                 0.5   max(A)                    A=words
max                 1.5   max(A, B)                 A=integer B=near:A
max                 0.3   max(A, B, C)              A=integer B=integer C=integer
max                 0.4   max(A, key=len)           A=words
max                 0.2   max(A)                    A=text
max                 0.2   max(A, default=N)         A=ints N=small
max                 0.3   max(D, key=D.get)         D=counts
min                 0.2   min(D, key=D.get)         D=counts
max                 0.2   max(A)                    A=pairs
max                 0.2   max(L, key=L.count)       L=ints
max                 0.2   max(A, key=abs)           A=ints
max                 0.3   max(V)                    V=view
min                 0.3   min(V)                    V=view
sorted              3     sorted(A)                 A=ints
sorted              1.5   sorted(A)                 A=words
sorted              0.8   sorted(A)                 A=text
sorted              0.8   sorted(A)                 A=flat
sorted              0.5   sorted(A)                 A=mapping
sorted              0.4   sorted(A)                 A=view
sorted              0.5   sorted(A)                 A=distinct
sorted              0.4   sorted(A)                 A=pairs
sorted              1     sorted(A, reverse=True)   A=ints
sorted              0.5   sorted(A, reverse=True)   A=words
sorted              0.2   sorted(A, reverse=B)      A=text B=boolean
sorted              0.4   sorted(A, key=len)        A=words
sorted              0.15  sorted(A, key=len, reverse=True)  A=words
sorted              0.2   sorted(A, key=str.lower)  A=strings
sorted              0.2   sorted(A, key=abs)        A=ints
sorted              0.2   sorted(A, key=int)        A=numerals
sorted              0.15  sorted(D, key=D.get)      D=counts
sorted              0.15  sorted(D, key=D.get, reverse=True)  D=counts
list.sort           0.1   do L.sort(key=D.get, reverse=True)  D=counts L=keys_of:D
list.sort           0.15  do L.sort(key=D.get)      D=counts L=keys_of:D
list()              2     list(A)                   A=text
list()              1     list(A)                   A=walkable
list()              0.6   list(A)                   A=span
list()              0.7   list(A)                   A=view
list()              0.5   list(A)                   A=iterator
list()              0.3   list(A)                   A=filtered
list()              0.4   list(A)                   A=array
list()              0.4   list(A)                   A=int_set
list()              0.3   list()
tuple()             0.8   tuple(A)                  A=walkable
tuple()             0.4   tuple(A)                  A=array
tuple()             0.2   tuple()
tuple()             0.2   tuple(A)                  A=iterator
any                 0.8   any(A)                    A=booleans
any                 0.2   any(A)                    A=walkable
all                 0.8   all(A)                    A=booleans
all                 0.2   all(A)                    A=walkable
isinstance          0.7   isinstance(A, int)        A!=anything
isinstance          0.7   isinstance(A, str)        A!=anything
isinstance          0.5   isinstance(A, list)       A!=anything
isinstance          0.2   isinstance(A, dict)       A!=anything
isinstance          0.2   isinstance(A, float)      A!=number
isinstance          0.2   isinstance(A, T)          A!=anything T=type_of_value
isinstance          0.2   isinstance(A, T)          A!=anything T=types_pair
isinstance          0.2   isinstance(A, bool)       A!=number
isinstance          0.15  isinstance(A, tuple)      A!=anything
type                0.5   type(A)                   A!=anything
type                0.2   T is int                  T=type_of_value
type                0.2   T == str                  T=type_of_value
type                0.2   T == list                 T=type_of_value
type                0.15  T.__name__                T=type_of_value
type                0.15  (int, float)
type                0.1   (list, tuple)
type                0.2   T in U                    T=type_of_value U=types_pair
callable            0.1   callable(A)               A!=anything
copy                0.2   copy.copy(A)              A=array
copy                0.2   copy.deepcopy(A)          A=deep
copy                0.2   copy.deepcopy(A)          A=rows
print               0.5   do print(A)               A=anything
print               0.2   do print(A, B)            A=anything B=scalar
print               0.2   do print(A, end=B)        A=anything B?=fill
print               0.1   do print()
# over iterators, and longer
sum                 0.3   sum(I)                    I=mapped_ints
sum                 0.7   sum(A)                    A=long_ints
min                 0.2   min(I)                    I=mapped_ints
max                 0.2   max(I)                    I=mapped_ints
max                 0.3   max(A)                    A=long_ints
max                 0.3   max(A, B)                 A=word B=near:A
min                 0.2   min(A, B)                 A=word B=near:A
max                 0.2   max(A, B, key=len)        A=word B=word
max                 0.1   max(A, B)                 A=flat B=near:A
max                 0.2   max(A, B)                 A=real B=number
min                 0.2   min(A, B)                 A=number B=real
sorted              0.2   sorted(I)                 I=mapped
sorted              0.2   sorted(I)                 I=zipped_pairs
sorted              0.1   sorted(I)                 I=filtered
sorted              0.8   sorted(A)                 A=long_ints
sorted              0.4   sorted(A)                 A=longer
sorted              0.3   sorted(A)                 A=group
set                 0.2   set(I)                    I=mapped
set                 0.6   set(A)                    A=long_ints
set                 0.4   set(A)                    A=longer
any                 0.1   any(I)                    I=mapped
all                 0.1   all(I)                    I=mapped
list()              0.4   list(A)                   A=longer
list()              0.5   list(I)                   I=mapped
list()              0.4   list(I)                   I=zipped_pairs
list()              0.3   list(I)                   I=enumerated
list()              0.3   list(I)                   I=backwards
tuple()             0.2   tuple(I)                  I=mapped
len                 1     len(A)                    A=longer
len                 0.7   len(A)                    A=long_ints
len                 0.3   len(A)                    A=long_words
""")

MOVES = patterns("""
name                0.4   A                         A!=anything
name                0.3   A                         A!=mutable
unpack.2            4     O, P = T                  T=pair
unpack.2            0.7   O, P = T                  T=two_items
unpack.2            0.3   O, P = T                  T=sequence
unpack.3            1     O, P, Q = T               T=three_items
unpack.3            0.2   O, P, Q = T               T=sequence
unpack.4            0.3   O, P, Q, R = T            T=four_items
unpack.star         0.5   O, *P = T                 T=sequence
unpack.star         0.3   *O, P = T                 T=sequence
unpack.star         0.3   O, *P, Q = T              T=sequence
unpack.star         0.15  O, P, *Q = T              T=sequence
unpack.2            0.2   O, P = I                  I=iterator
pairs               0.7   O, P = (A, B)             A=anything B=anything
pairs               0.5   O, P = (A, B)             A=integer B=integer
pairs               0.3   O, P, Q = (A, B, C)       A=integer B=scalar C=scalar
pairs               0.5   A, B = (B, C)             A!=integer B!=integer C!=integer
constant            1.2   A                         A*=integer
constant            1     A                         A*=text
constant            0.7   A                         A*=fill
constant            0.7   A                         A*=small
constant            0.4   A                         A*=boolean
constant            0.5   None
constant            0.5   0
constant            0.3   1
constant            0.3   ''
constant            0.3   A                         A*=real
constant            0.8   []
constant            0.6   {}
constant            0.2   ()
constant            0.1   float
method              1.2   L.append                  L=array
method              0.3   L.pop                     L=array
method              0.3   L.insert                  L=array
method              0.3   L.extend                  L=array
method              0.2   L.index                   L=array
method              0.2   L.count                   L=array
method              0.2   L.remove                  L=array
method              0.2   L.sort                    L=array
method              0.5   S.join                    S?=fill
method              0.4   S.replace                 S=text
method              0.3   S.find                    S=text
method              0.2   S.index                   S=text
method              0.2   S.rindex                  S=text
method              0.2   S.count                   S=text
method              0.3   S.split                   S=text
method              0.3   S.startswith              S=text
method              0.2   S.endswith                S=text
method              0.2   S.format                  S?=braces
method              0.2   S.strip                   S=text
method              0.2   S.center                  S=text
method              0.2   S.ljust                   S=text
method              0.2   S.rjust                   S=text
method              0.2   S.zfill                   S=text
method              0.2   S.isdigit                 S=text
method              0.2   S.upper                   S=text
method              0.2   S.translate               S=text
method              0.3   D.get                     D=mapping
method              0.2   D.pop                     D=mapping
method              0.2   D.update                  D=mapping
method              0.2   D.setdefault              D=mapping
method              0.2   D.items                   D=mapping
method              0.2   X.add                     X=distinct
method              0.1   X.update                  X=distinct
method              0.1   X.union                   X=distinct
method              0.1   str.lower
method              0.1   str.upper
method              0.1   str.isdigit
method              0.1   str.strip
method              0.1   dict.fromkeys
method              0.1   str.maketrans
method              0.2   abs
method              0.2   A.foo                     A!=anything
del.name            0.3   del A                     A!=anything
error               0.5   ValueError(A)             A=sentence
error               0.2   TypeError(A)              A=sentence
error               0.2   KeyError(A)               A=scalar
error               0.2   IndexError(A)             A=sentence
error               0.2   Exception(A)              A=text
error               0.2   ValueError()
error               0.2   AssertionError(A)         A=sentence
error               0.15  AssertionError()
error               0.15  ZeroDivisionError(A)      A=sentence
error               0.15  RuntimeError(A)           A=sentence
error               0.15  StopIteration()
error               0.2   E.args                    E!=error
error               0.1   repr(E)                   E!=error
error               0.15  isinstance(E, ValueError)  E!=error
type                0.1   type(E)                   E!=error
dict.popitem        0.2   dict.popitem(D)           D=keyed
str.lower           0.1   str.lower(S)              S=word
str.join            0.1   str.join(S, L)            S=fill L=words
list.append         0.1   list.append(L, A)         L=flat A=scalar
module              0.1   string.ascii_lowercase
module              0.1   string.ascii_uppercase
module              0.1   string.ascii_letters
module              0.1   string.digits
module              0.1   string.punctuation
""")
