"""Reads and writes at single positions of long tables, repeated items, and kinds of lines with low accuracy."""

from cwm_agent.training.patterns.pattern import patterns

TABLES = patterns("""
subscript.table     6     L[I]                      L=table I=place:L
subscript.table     2     L[I]                      L=ladder I=place:L
subscript.table     1.5   L[I]                      L=run I=place:L
subscript.table     2.5   S[I]                      S=big_text I=place:S
subscript.table     0.7   S[I]                      S=char_run I=place:S
store.table         4     L[I] = A                  L=table I=place:L A=fresh:L
store.table         1     L[I] = A                  L=table I=place:L A=item:L
store.table         2     L[I] = A                  L=run I=place:L A=scalar
store.table         1     L[I] = A                  L=run I=place:L A=item:L
del.table           0.4   del L[I]                  L=table I=place:L
# runs, made and used
run.*               3     L * N                     L!=one_plain N=many
run.*               0.7   N * L                     L!=one_plain N=many
run.*               2     S * N                     S=char N=many
run.*               0.5   S * N                     S=word N=times
run.+               1     L + M                     L=one_plain M=run
run.+               0.6   L + M                     L=run M=one_plain
run.+               0.5   S + T                     S=char_run T=word
run.+               0.5   T + S                     S=char_run T=char
run.+               0.7   S += T                    S!=char_run T=char
run.use             0.7   len(L)                    L=run
run.use             0.5   len(S)                    S=char_run
run.use             0.4   L.copy()                  L=run
run.use             0.4   L[:]                      L=run
run.use             0.4   list(L)                   L=run
run.use             0.3   iter(L)                   L=run
run.use             0.4   sum(L)                    L=run
run.use             0.3   max(L)                    L=run
run.use             0.5   A in L                    L=run A=member:L
run.use             0.4   S.join(L)                 S?=fill L=run
run.use             0.3   L == M                    L=run M=near:L
run.use             0.4   do L.append(A)            L=run A=scalar
run.use             0.4   L.pop()                   L=run
run.use             0.4   any(L)                    L=run
run.use             0.4   all(L)                    L=run
run.use             0.3   list(S)                   S=char_run
run.use             0.3   S.strip()                 S=char_run
# looking from a place on
str.find            1.2   S.find(A, I)              S=big_text A=part:S I=cut:S
str.find            0.8   S.find(A, I)              S=separated A=mark:S I=cut:S
str.rfind           0.5   S.rfind(A, I, J)          S=text A=part:S I=cut:S J=cut:S
str.rindex          0.5   S.rindex(A, I, J)         S=text A=part:S I=cut:S J=cut:S
str.rfind           0.6   S.rfind(A)                S=repetitive A=part:S
str.index           0.7   S.index(A, I)             S=repetitive A=part:S I=cut:S
str.index           0.6   S.index(A)                S=repetitive A=part:S
list.index          0.7   L.index(A)                L=table A=item:L
list.index          0.5   L.index(A)                L=ladder A=item:L
str.partition       0.5   S.partition(A)            S=repetitive A=part:S
str.rsplit          0.7   S.rsplit(A, N)            S=separated A=mark:S N?=times
str.rsplit          0.4   S.rsplit(maxsplit=N)      S=sentence N?=times
str.split           0.5   S.split(A, N)             S=separated A=mark:S N?=times
str.replace         1.5   S.replace(A, B)           S=big_text A=almost:S B=fill
str.replace         1     S.replace(A, B)           S=repetitive A=part:S B=part:S
str.replace         0.7   S.replace(A, B, N)        S=repetitive A=part:S B=fill N?=times
str.count           0.8   S.count(A)                S=repetitive A=part:S
slice.str           1     S[I::N]                   S=text I=cut:S N=stride
slice.str           1     S[::N]                    S=text N=stride
slice.str           0.6   S[:J:N]                   S=text J=cut:S N=stride
slice.list          0.6   L[I::N]                   L=array I=cut:L N=stride
slice.range         0.4   R[:J]                     R=span J=cut:R
slice.range         0.4   R[I:]                     R=span I=cut:R
slice.range         0.3   R[I:J]                    R=span I=cut:R J=cut_after:R:I
# folds and keys
sum                 2     sum(L)                    L=long_ints
sum                 0.7   sum(L, A)                 L=ints A=integer
max                 0.7   max(L)                    L=long_ints
min                 0.7   min(L)                    L=long_ints
max                 0.8   max(L, key=len)           L=words
min                 0.4   min(L, key=len)           L=words
sorted              0.6   sorted(L, key=len)        L=words
sorted              0.4   sorted(L, key=abs)        L=ints
sorted              0.5   sorted(D, key=D.get)      D=counts
max                 0.6   max(D, key=D.get)         D=counts
list.sort           0.5   do L.sort(key=len)        L=words
list.sort           0.4   X = L.sort(reverse=True)  L=ints
list.sort           0.3   X = L.sort()              L=ints
# numbers with many digits
int.*               1.5   A * B                     A=long_number B=small
int.*               1     A *= B                    A!=long_number B=small
int.*               1.5   A * B                     A=natural B=natural
int.*               0.7   A * B                     A=large B=natural
int.%               1     A % B                     A=long_number B=small
int.//              1     A // B                    A=long_number B=small
int.%               0.8   A % B                     A=large B=positive
int.//              0.8   A // B                    A=large B=positive
int./               1     A / B                     A=natural B=positive
int./               0.7   A / B                     B=positive A=multiple:B
int.+               0.8   A + B                     A=long_number B=large
int.-               0.8   A - B                     A=large B=long_number
int.**              0.7   A ** 2                    A!=natural
int.**              0.7   A ** B                    A!=small B?=small
int()               0.6   int(S, 2)                 S=binary
int()               0.4   int(S, 16)                S=hexadecimal
int.bits            0.6   A ^ B                     A=natural B=natural
int.bits            0.5   A & B                     A=natural B=natural
int.bits            0.5   A | B                     A=natural B=natural
divmod              0.5   divmod(A, B)              A=natural B=positive
float               0.6   A * B                     A=whole B=natural
float               0.5   A / B                     A=whole B=positive
""")
