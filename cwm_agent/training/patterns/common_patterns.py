"""The simplest lines, on evenly distributed operands: a long run has hundreds of them, and one error ends it."""

from cwm_agent.training.patterns.pattern import patterns

EVERYDAY = patterns("""
# sums and differences at a glance
int.+               5     A + B                     A=short_number B=short_number
int.+               3     A += B                    A!=short_number B=short_number
int.+               2     A + B                     A=tens B=tens
int.+               2     A + B                     A=beside_round B=counterpart:A
int.+               1     A += B                    A!=beside_round B=counterpart:A
int.+               1     A + 1                     A!=beside_round
int.+               1     A += 1                    A!=short_number
int.+               0.6   A + B                     A=large B=small
int.-               5     A - B                     A=short_number B=short_number
int.-               3     A -= B                    A!=short_number B=short_number
int.-               2     A - B                     A=tens B=tens
int.-               2.5   A - B                     A=beside_round B=counterpart:A
int.-               2     A -= B                    A!=beside_round B=counterpart:A
int.-               1     A - B                     A=beside_round B=small
int.-               1     A -= B                    A!=beside_round B=small
int.-               1     A - 1                     A!=beside_round
int.-               1     A -= 1                    A!=short_number
int.-               0.6   A - B                     A=large B=small
int.-               1.5   A - B                     A=figure B=counterpart:A
int.-               0.7   A -= B                    A!=figure B=counterpart:A
int.+               0.7   A + B                     A=figure B=counterpart:A
store.list          0.8   L[I] += A                 L!=ints I=place:L A=short_number
store.list          0.4   L[I] -= A                 L!=ints I=place:L A=short_number
store.dict          0.8   D[K] += A                 D!=scores K=key:D A=short_number
store.dict          0.4   D[K] -= A                 D!=scores K=key:D A=short_number
# products and divisions at a glance
int.*               2.5   A * B                     A=short_number B=small
int.*               1     A *= B                    A!=short_number B=small
int.*               1     A * B                     A=tens B=table_divisor
int.%               3     A % B                     A=short_number B=table_divisor
int.%               1     A %= B                    A!=short_number B=table_divisor
int.//              2.5   A // B                    A=short_number B=table_divisor
int.//              1     A //= B                   A!=short_number B=table_divisor
int.%               2     A % B                     A=short_number B=beside_divisor:A
int.%               0.7   A %= B                    A!=short_number B=beside_divisor:A
int.//              2     A // B                    A=short_number B=beside_divisor:A
int.//              0.7   A //= B                   A!=short_number B=beside_divisor:A
int.//              1     A // B                    A=beside_round B=beside_divisor:A
int.%               1     A % B                     A=beside_round B=beside_divisor:A
divmod              0.6   divmod(A, B)              A=short_number B=beside_divisor:A
int.%               0.5   A % 2                     A!=many_digits
int.%               0.4   A % 10                    A!=many_digits
int.%               0.4   A % B                     A=many_digits B=table_divisor
int.//              0.3   A // 2                    A!=many_digits
int.//              0.4   A // 10                   A!=many_digits
int.+               0.3   A + 1                     A!=many_digits
compare.int         0.3   A > B                     A!=many_digits B=small
compare.int         0.2   A == B                    A!=many_digits B=near:A
compare.int         1     A < B                     A=short_number B=short_number
compare.int         1     A > B                     A=short_number B=short_number
compare.int         0.6   A <= B                    A=short_number B=near:A
compare.int         0.6   A >= B                    A=short_number B=near:A
compare.int         0.6   A == B                    A=short_number B=counterpart:A
max                 0.6   max(A, B)                 A=short_number B=short_number
min                 0.6   min(A, B)                 A=short_number B=short_number
abs                 0.3   abs(A)                    A!=short_number
int./               0.8   A / B                     A=round_number B=round_number
int./               0.7   A / B                     B=tens A=multiple:B
int./               0.6   A / B                     A=short_number B=table_divisor
int./               0.5   A / B                     A=short_number B=beside_divisor:A
int.//              0.6   A // B                    A=round_number B=round_number
int.%               0.5   A % B                     A=round_number B=tens
int.*               0.6   A * B                     A=round_number B=short_number
int.-               0.8   A - B                     A=round_number B=short_number
int.+               0.6   A + B                     A=round_number B=short_number
int()               0.6   int(S)                    S!=padded_number
float()             0.2   float(S)                  S!=padded_number
# what is infinite, and floats of many digits
float               0.5   A + B                     A!=endless B=small
float               0.4   A - B                     A!=endless B=number
float               0.3   A += 1                    A!=endless
float               0.3   A += B                    A!=endless B=endless
float               0.3   A + B                     A=small B!=endless
float               0.2   A - B                     A!=endless B=endless
float               0.2   A // B                    A!=endless B=table_divisor
float               0.2   A % B                     A!=endless B=table_divisor
float               0.2   A * B                     A!=endless B=endless
float               0.3   A -= 1                    A!=endless
float               0.2   A * B                     A!=endless B=small
float               0.2   -A                        A!=endless
max                 0.4   max(A, B)                 A!=endless B=number
min                 0.4   min(A, B)                 A!=endless B=number
compare.float       0.4   A < B                     A!=endless B=number
compare.float       0.4   A > B                     A=number B!=endless
compare.float       0.2   A == B                    A!=endless B!=endless
int()               0.1   int(A)                    A!=endless
float               0.6   A % 1                     A!=price
float               0.4   A % 1.0                   A!=price
float               0.4   A + B                     A!=computed B=small
float               0.4   A - B                     A!=computed B=small
float               0.4   A + B                     A!=computed B=price
float               0.3   A - B                     A!=price B!=computed
float               0.3   A + 1.0                   A!=computed
float               0.3   A / 2                     A!=computed
float               0.3   A * B                     A!=computed B=small
float               0.2   A ** 1.0                  A!=price
float               0.2   A ** 2                    A!=price
int.+               0.2   A + 1.0                   A!=short_number
float               0.3   A % B                     A=short_number B=whole
float               0.3   A // B                    A=short_number B=whole
# where something stands in a short text
str.find            1     S.find(A)                 S=few_letters A=letter_of:S
str.find            0.8   S.find(A, I)              S=few_letters A=letter_of:S I=cut:S
str.find            0.6   S.find(A, I)              S=longer A=letter_of:S I=cut:S
str.rfind           1.5   S.rfind(A)                S=few_letters A=letter_of:S
str.rfind           0.7   S.rfind(A)                S=longer A=letter_of:S
str.rfind           0.6   S.rfind(A, I, J)          S=few_letters A=letter_of:S I=cut:S J=cut:S
str.rindex          0.7   S.rindex(A)               S=few_letters A=letter_of:S
str.rindex          0.4   S.rindex(A, 0, J)         S=longer A=letter_of:S J=cut:S
str.index           1.2   S.index(A)                S=few_letters A=letter_of:S
str.index           0.5   S.index(A, I)             S=few_letters A=letter_of:S I=cut:S
str.count           1.5   S.count(A)                S=few_letters A=letter_of:S
str.count           1     S.count(A)                S=repetitive A=letter_of:S
str.count           0.7   S.count(A)                S=longer A=letter_of:S
str.replace         1.2   S.replace(A, B, 1)        S=few_letters A=letter_of:S B=fill
str.replace         1     S.replace(A, B)           S=few_letters A=letter_of:S B=fill
str.replace         0.5   S.replace(A, B, N)        S=few_letters A=letter_of:S B=fill N?=times
str.replace         0.5   S.replace(A, '')          S=few_letters A=letter_of:S
str.replace         0.4   S.replace(A, '', 1)       S=text A=letter_of:S
str.partition       0.7   S.partition(A)            S=few_letters A=letter_of:S
str.rpartition      0.4   S.rpartition(A)           S=few_letters A=letter_of:S
str.split           0.7   S.split(A)                S=few_letters A=letter_of:S
str.split           0.7   S.split()                 S=spread_letters
str.strip           0.4   S.strip(A)                S=few_letters A=letter_of:S
str.strip           0.4   S.strip(A)                S=few_letters A=few_letters
str.lstrip          0.5   S.lstrip(A)               S=few_letters A=few_letters
str.rstrip          0.5   S.rstrip(A)               S=few_letters A=few_letters
in.str              0.7   A in S                    S=few_letters A=part:S
str.startswith      0.5   S.startswith(A)           S=few_letters A=head:S
str.endswith        0.5   S.endswith(A)             S=few_letters A=tail:S
str.+               0.8   S + T                     S=spread_letters T=blank
str.+               0.8   T + S                     S=spread_letters T=blank
str.+               0.6   S + T                     S=blanked T=blank
str.+               0.6   T + S                     S=blanked T=blank
str.+               0.5   S += T                    S!=blanked T=blanked
str.+               0.6   S + T                     S=periodic T=part:S
str.+               0.5   S += T                    S!=periodic T=part:S
str.endswith        0.3   S.endswith(A)             S=periodic A=tail:S
str.endswith        0.3   S.endswith(A)             S=periodic A=part:S
str.startswith      0.3   S.startswith(A)           S=periodic A=head:S
str.count           0.4   S.count(A)                S=periodic A=part:S
str.replace         0.5   S.replace(A, B)           S=periodic A=part:S B=fill
str.replace         0.4   S.replace(A, B)           S=sentence A=word B=fill
str.replace         0.5   S.replace(A, B)           S=separated A=part:S B=fill
slice.str           0.4   S[I:J]                    S=periodic I=cut:S J=cut:S
list.append         0.6   do L.append(S)            L=words S=periodic
list.append         0.3   do L.append(S)            L=long_words S=periodic
str.split           0.5   S.split()                 S=blanked
str.split           0.4   S.split(' ')              S=blanked
str.strip           0.3   S.strip()                 S=blanked
str.join            0.4   S.join(T)                 S?=fill T=spread_letters
sorted              0.5   sorted(S)                 S=blanked
sorted              0.5   sorted(S)                 S=few_letters
sorted              0.3   sorted(S)                 S=quoted
set                 0.3   set(S)                    S=quoted
reversed            0.3   reversed(S)               S=quoted
str.translate       0.4   S.translate(T)            S=text T=table_for:S
str.join            0.8   ''.join(L)                L=same_chars
str.join            0.5   S.join(L)                 S?=fill L=padded_words
list()              0.6   list(S)                   S=few_letters
list()              0.4   list(S)                   S=longer
slice.str           0.6   S[::-1]                   S=few_letters
slice.str           0.4   S[::-1]                   S=longer
slice.str           0.6   S[I:J]                    S=few_letters I=cut:S J=cut:S
str.compare         0.7   S > T                     S=word T=word
str.compare         0.7   S < T                     S=word T=word
str.compare         0.5   S == T                    S=few_letters T=near:S
str.center          0.5   S.center(N)               S=few_letters N=width:S
# items from the end, ranges, order
subscript.list      1     L[I]                      L=long_ints I=near_place:L
subscript.list      0.6   L[I]                      L=ints I=near_place:L
subscript.str       0.6   S[I]                      S=longer I=near_place:S
iter                4     iter(R)                   R!=far_range
iter                1.5   iter(R)                   R!=stepped
reversed            1.2   reversed(R)               R!=far_range
reversed            0.6   reversed(R)               R!=stepped
subscript.range     1.5   R[I]                      R!=far_range I=near_place:R
list()              1.2   list(R)                   R!=far_range
len                 1     len(R)                    R!=far_range
set                 0.5   set(R)                    R!=far_range
sum                 0.4   sum(R)                    R!=stepped
max                 0.3   max(R)                    R!=far_range
min                 0.3   min(R)                    R!=far_range
in.list             0.5   A in R                    R!=far_range A=short_number
slice.range         0.4   R[I:J]                    R!=far_range I=small J=small
slice.list          0.5   L[:J]                     L=one_over J=cut:L
slice.list          0.4   L[I:]                     L=one_over I=cut:L
list.+              0.5   L + M                     L=one_over M=another:L
list.*              0.4   N * L                     L=triple N=times
len                 0.4   len(L)                    L=one_over
list.compare        0.8   L > M                     L=ints M=ints
list.compare        0.8   L < M                     L=ints M=ints
list.compare        0.7   T > U                     T=record U=near:T
list.compare        0.7   T < U                     T=record U=near:T
list.sort           1     do L.sort()               L=few_items
list.sort           0.7   do L.sort(reverse=True)   L=few_items
sorted              0.7   sorted(L)                 L=few_items
sorted              0.5   sorted(L, reverse=True)   L=few_items
list.reverse        0.4   do L.reverse()            L=few_items
sorted              1     sorted(L)                 L=records
max                 0.7   max(L)                    L=records
min                 0.5   min(L)                    L=records
max                 0.6   max(L)                    L=grid_rows
min                 0.4   min(L)                    L=grid_rows
sorted              0.6   sorted(L)                 L=grid_rows
sorted              0.8   sorted(L)                 L=late_words
set                 0.8   set(L)                    L=late_words
set                 0.6   set(L)                    L=unlike
unpack.2            0.3   O, P = D                  D=scores
unpack.3            0.3   O, P, Q = D               D=scores
unpack.4            0.3   O, P, Q, R = D            D=scores
unpack.4            0.3   O, P, Q, R = L            L=ints
int.%               0.5   A % B                     A=short_number B=past_zero
int.//              0.5   A // B                    A=short_number B=past_zero
int.%               0.4   A % B                     A=figure B=past_zero
int.%               0.4   A % B                     A=past_zero B=table_divisor
int.//              0.4   A // B                    A=past_zero B=table_divisor
chr                 0.3   chr(A)                    A!=short_number
raises              0.2   S + A                     S=word A=backwards
raises              0.2   S += A                    S!=word A=backwards
compare.types       0.3   X == A                    X!=letters_set A=few_letters
raises              0.2   isinstance(A, abs)        A=small
raises              0.2   isinstance(A, ord)        A=scalar
raises              0.2   isinstance(A, round)      A=scalar
raises              0.2   D.remove(K)               D=scores K=key:D
raises              0.15  D.append(K)               D=scores K=key:D
raises              0.15  X.append(A)               X=int_set A=small
raises              0.15  S.append(A)               S=word A=char
raises              0.1   S.sort()                  S=word
raises              0.15  T.append(A)               T=pair A=small
raises              0.1   T.sort()                  T=pair
raises              0.1   L.add(A)                  L=few_items A=small
raises              0.1   L.get(A)                  L=few_items A=small
raises              0.1   L.items()                 L=few_items
raises              0.1   A.rsplit(S, N)            A!=small S=char N=times
raises              0.15  X[I] = A                  X!=int_set I=small A=small
raises              0.15  do L.sort(key=D.get)      L=words D=scores
list.sort           0.3   do L.sort(key=D.get)      D=scores L=keys_of:D
raises              0.2   X.index(A)                X=int_set A=small
raises              0.2   X[I]                      X=int_set I=small
raises              0.5   min(L)                    L=unlike
raises              0.5   max(L)                    L=unlike
raises              0.6   sum(L)                    L=unlike
raises              0.3   sorted(L)                 L=unlike
""")
