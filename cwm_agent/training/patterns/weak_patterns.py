"""Kinds of lines that occur in real programs and had the lowest accuracy, on operands that make them hard."""

from cwm_agent.training.patterns.pattern import patterns

WEAK = patterns("""
# sums in columns
int.+               5     A + B                     A=figure B=rival:A
int.+               2.5   A += B                    A!=figure B=rival:A
int.+               1     A + B                     A=long_number B=long_number
int.+               1     A + B                     A=figure B=integer
int.-               5     A - B                     A=figure B=rival:A
int.-               2.5   A -= B                    A!=figure B=rival:A
int.-               0.7   A - B                     A=long_number B=long_number
int.-               1     A - B                     A=figure B=integer
store.dict          1     D[K] += A                 D!=figures_by_key K=key:D A=figure
store.dict          0.6   D[K] -= A                 D!=figures_by_key K=key:D A=figure
store.dict          0.6   D[K] += A                 D!=figures_by_key K=key:D A=price
store.list          0.6   L[I] += A                 L!=figures I=place:L A=figure
sum                 3     sum(L)                    L=figures
sum                 3     sum(V)                    V!=tallies
max                 0.7   max(V)                    V!=tallies
min                 0.5   min(V)                    V!=tallies
max                 0.7   max(L)                    L=figures
# products and divisions
int.*               4     A * B                     A=factor B=factor
int.*               1.5   A * B                     A=figure B=factor
int.*               1     A * B                     A=figure B=small
int.*               1     A *= B                    A!=factor B=factor
int.*               0.6   A * A                     A!=factor
int.**              0.6   A ** 2                    A!=factor
int.%               4     A % B                     A=figure B=long_divisor
int.%               1.5   A % B                     A=factor B=long_divisor
int.%               1     A %= B                    A!=figure B=long_divisor
int.%               1     A % B                     A=figure B=small
int.//              3     A // B                    A=figure B=long_divisor
int.//              1.5   A // B                    A=factor B=long_divisor
int.//              1     A //= B                   A!=figure B=long_divisor
divmod              1     divmod(A, B)              A=figure B=long_divisor
int./               1     A / B                     A=figure B=long_divisor
int./               1     A / B                     A=factor B=positive
hex                 0.4   hex(A)                    A!=factor
oct                 0.6   oct(A)                    A!=factor
bin                 0.4   bin(A)                    A!=factor
# decimals
float               2     A + B                     A=price B=price
float               2     A - B                     A=price B=price
float               1     A += B                    A!=price B=price
float               0.7   A -= B                    A!=price B=price
float               0.7   A + B                     A=price B=integer
float               0.7   A - B                     A=integer B=price
float               2     A * B                     A=price B=small
float               1     A * B                     A=price B=price
float               0.7   A * B                     A=factor B=tenths
float               0.5   A *= B                    A!=price B=small
float               1.5   A / B                     A=price B=positive
float               0.7   A / B                     A=price B=small
float               0.5   A / 2                     A!=price
float               0.4   A / B                     A=factor B=price
sum                 1.5   sum(L)                    L=prices
round               1.5   round(A, N)               A!=sum_of_prices N?=times
round               1     round(A, 2)               A!=sum_of_prices
round               0.7   round(A)                  A!=sum_of_prices
round               0.7   round(A, 1)               A!=price
round               0.5   round(A)                  A!=price
compare.float       0.7   A == B                    A=price B=as_int:A
compare.float       0.5   A < B                     A=price B=as_int:A
compare.float       0.5   A > B                     A=price B=near:A
fstring             0.6   f'{A:.2f}'                A!=price
fstring             0.4   f'{A:.1f}'                A!=sum_of_prices
int()               0.3   int(A)                    A!=price
# order
sorted              3     sorted(L)                 L=records
sorted              0.7   sorted(L, reverse=True)   L=records
list.sort           1.2   do L.sort()               L=records
list.sort           0.4   do L.sort(reverse=True)   L=records
max                 0.6   max(L)                    L=records
min                 0.5   min(L)                    L=records
sorted              2     sorted(S)                 S=short_text
sorted              0.4   sorted(S, reverse=True)   S=short_text
sorted              1     sorted(L)                 L=kin_words
list.sort           0.5   do L.sort()               L=kin_words
sorted              1     sorted(D, key=D.get)      D=scores
sorted              0.6   sorted(D, key=D.get, reverse=True)  D=scores
max                 1     max(D, key=D.get)         D=scores
min                 0.4   min(D, key=D.get)         D=scores
sorted              0.8   sorted(L, key=len)        L=kin_words
max                 0.6   max(L, key=len)           L=kin_words
sorted              0.6   sorted(V)                 V!=tallies
sorted              0.5   sorted(D)                 D=scores
set                 1     set(L)                    L=long_ints
set                 0.6   set(L)                    L=words
set                 1     set(S)                    S=short_text
set                 0.4   set(L)                    L=run
str.compare         1.5   S < T                     S=word T=kin_word:S
str.compare         1.2   S > T                     S=word T=kin_word:S
str.compare         0.4   S <= T                    S=word T=kin_word:S
str.compare         0.4   S >= T                    S=word T=kin_word:S
str.compare         0.6   S < T                     S=longer T=near:S
str.compare         0.6   S == T                    S=longer T=near:S
str.compare         0.4   S == T                    S=word T=kin_word:S
list.compare        1.5   T < U                     T=record U=near:T
list.compare        1.2   T > U                     T=record U=near:T
list.compare        0.4   T <= U                    T=record U=near:T
list.compare        0.5   T == U                    T=record U=near:T
list.compare        0.8   L < M                     L=ints M=near:L
list.compare        0.8   L > M                     L=ints M=near:L
list.compare        0.4   L >= M                    L=kin_words M=near:L
# unpacking into one name twice, and into nested ones
unpack.3            1     O, O, P = T               T=triple
unpack.3            0.6   O, P, O = T               T=triple
unpack.3            0.4   P, O, O = T               T=triple
unpack.2            0.5   O, O = T                  T=pair
unpack.3            1     O, P, Q = T               T=triple
unpack.nested       0.7   O, (P, Q) = T             T=nested_pair
unpack.nested       0.3   O, (O, Q) = T             T=nested_pair
# ranges with wide steps
iter                3     iter(R)                   R!=stepped
len                 0.4   len(R)                    R!=stepped
list()              0.6   list(R)                   R!=stepped
in.list             0.3   A in R                    R!=stepped A=natural
range               0.5   range(A, B, C)            A=factor B=natural C=positive
# formatted side by side
fstring             1.5   f'{A:02d}:{B:02d}'        A!=clock B!=clock
fstring             0.5   f'{A:02d}:{B:02d}:{C:02d}'  A!=clock B!=clock C!=clock
fstring             0.4   f'{A}:{B:02d}'            A!=clock B!=clock
fstring             0.3   f'{A:04d}-{B:02d}-{C:02d}'  A!=factor B!=clock C!=clock
fstring             0.3   f'{A:02d}h{B:02d}'        A!=clock B!=clock
fstring             0.3   f'{A:>3}|{B:<4}|'         A!=clock B!=word
fstring             0.3   f'{A:.1f} {B:.2f}'        A!=price B!=price
fstring             0.3   f'{A:03d}/{B:03d}'        A!=clock B!=clock
str.zfill           0.4   S.zfill(2)                S=digits
# texts with quotes, slices from the end, odd widths
slice.str           1     S[I:]                     S=quoted I=cut:S
slice.str           0.6   S[:J]                     S=quoted J=cut:S
slice.str           0.4   S[I:J]                    S=quoted I=cut:S J=cut_after:S:I
subscript.str       0.6   S[I]                      S=quoted I=place:S
str.+               0.6   S + T                     S=quoted T=char
str.replace         0.5   S.replace(A, B)           S=quoted A=part:S B=fill
slice.str           0.7   S[:-2]                    S=text
slice.str           0.7   S[:-3]                    S=longer
slice.str           0.5   S[-3:]                    S=longer
slice.str           0.5   S[-2:]                    S=text
slice.str           0.5   S[1:-1]                   S=longer
slice.str           0.5   S[I:-1]                   S=text I=cut:S
slice.list          0.4   L[:-2]                    L=long_ints
slice.list          0.3   L[-3:]                    L=long_ints
str.center          1     S.center(N)               S=text N=width:S
str.center          0.6   S.center(N, A)            S=word N=width:S A=blank
str.rpartition      0.4   S.rpartition(A)           S=sentence A=mark:S
str.count           0.7   S.count(A)                S=longer A=part:S
str.replace         0.7   S.replace(A, B)           S=longer A=almost:S B=fill
str.find            0.5   S.find(A)                 S=longer A=almost:S
list.+              0.5   L += M                    L!=strings M=strings
# what mutants ask
compare.int         1     A > B                     A=figure B=rival:A
compare.int         1     A < B                     A=figure B=rival:A
compare.int         0.4   A >= B                    A=figure B=rival:A
compare.int         0.4   A <= B                    A=figure B=rival:A
compare.types       0.3   X == A                    X!=letters_set A=char
float               0.5   A - B                     A=figure B=whole_figure
float               0.5   A + B                     A=whole_figure B=figure
divmod              0.3   divmod(A, B)              A=integer B?=negative
slice.list          0.6   L[:J]                     L=records J=cut:L
slice.list          0.4   L[I:]                     L=records I=cut:L
slice.list          0.5   L[I:]                     L=run I=cut:L
slice.list          0.4   L[:J]                     L=run J=cut:L
slice.range         0.4   R[:-1]                    R!=stepped
slice.range         0.4   R[I:]                     R!=stepped I=cut:R
unpack.2            0.4   O, P = I                  I=backwards
in.list             0.2   A in I                    I=backwards A=char
len                 0.4   len(V)                    V!=tallies
str.*               0.3   N * S                     S=word N=small
arguments           0.15  S.partition()             S=text
arguments           0.15  S.startswith()            S=text
arguments           0.1   S.endswith()              S=text
arguments           0.1   S.find()                  S=text
arguments           0.1   S.count()                 S=text
arguments           0.1   S.join()                  S=fill
arguments           0.15  S.replace(A)              S=text A=char
arguments           0.1   S.replace()               S=text
arguments           0.15  S.upper(A)                S=text A=char
arguments           0.15  do L.append()             L=array
arguments           0.1   do L.append(A, B)         L=array A=small B=small
arguments           0.1   do L.insert(A)            L=array A=small
arguments           0.1   do L.extend()             L=array
arguments           0.1   L.index()                 L=array
arguments           0.1   L.pop(A, B)               L=array A=small B=small
arguments           0.1   D.get()                   D=mapping
arguments           0.1   D.setdefault()            D=mapping
arguments           0.1   do X.add()                X=distinct
arguments           0.1   len(A, B)                 A=array B=array
arguments           0.1   sum()
arguments           0.1   max()
arguments           0.1   int(A, B, C)              A=digits B=small C=small
""")
