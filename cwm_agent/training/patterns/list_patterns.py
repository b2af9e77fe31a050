"""Lists, tuples and all access by position: methods, subscripts, slices, operators."""

from cwm_agent.training.patterns.pattern import patterns

LISTS = patterns("""
list.append         7     do L.append(A)            L=array A=fresh:L
list.append         1     do L.append(A)            L=rows A=ints
list.append         0.7   do L.append(A)            L=array A=anything
list.append         0.5   do L.append(A)            L=pairs A=pair
list.extend         1.5   do L.extend(A)            L=array A=another:L
list.extend         0.5   do L.extend(A)            L=array A=walkable
list.insert         2     do L.insert(I, A)         L=array I=cut:L A=fresh:L
list.insert         0.7   do L.insert(0, A)         L=array A=fresh:L
list.pop            1.5   L.pop()                   L=filled
list.pop            1     do L.pop()                L=filled
list.pop            1.5   L.pop(I)                  L=filled I=place:L
list.pop            1     do L.pop(I)               L=filled I=place:L
list.pop            0.5   L.pop(0)                  L=filled
list.pop            0.3   L.pop(-1)                 L=filled
list.remove         2     do L.remove(A)            L=filled A=item:L
list.reverse        1.5   do L.reverse()            L=array
list.sort           2     do L.sort()               L=ints
list.sort           1.5   do L.sort()               L=words
list.sort           0.5   do L.sort()               L=flat
list.sort           0.4   do L.sort()               L=pairs
list.sort           1     do L.sort(reverse=True)   L=ints
list.sort           0.6   do L.sort(reverse=True)   L=words
list.sort           0.2   do L.sort(reverse=B)      L=ints B=boolean
list.sort           0.5   do L.sort(key=len)        L=words
list.sort           0.2   do L.sort(key=len, reverse=True)  L=words
list.sort           0.2   do L.sort(key=str.lower)  L=strings
list.sort           0.2   do L.sort(key=abs)        L=ints
list.sort           0.2   do L.sort(key=str)        L=ints
list.clear          0.8   do L.clear()              L=array
list.copy           1.5   L.copy()                  L=array
list.count          1.5   L.count(A)                L=flat A=item:L
list.count          1     L.count(A)                L=ints A=item:L
list.count          0.3   T.count(A)                T=group A=item:T
list.index          2     L.index(A)                L=filled A=item:L
list.index          0.5   L.index(A, I)             L=ints A=item:L I=cut:L
list.index          0.2   L.index(A, I, J)          L=ints A=item:L I=cut:L J=cut:L
list.index          0.4   T.index(A)                T=group A=item:T
list.append         0.7   do L.append(A)            L!=no_items A=anything
list.extend         0.3   do L.extend(A)            L!=no_items A=walkable
list.insert         0.2   do L.insert(I, A)         L=array I=cut:L A=anything
# operators
list.+              2     L + M                     L=array M=another:L
list.+              0.8   L + M                     L=rows M=rows
list.+              1     L += M                    L!=array M=another:L
list.+              0.3   L += M                    L!=array M=walkable
list.+              0.8   T + M                     T=group M=group
list.+              0.4   T += M                    T!=group M=group
list.*              1     L * N                     L=flat N=times
list.*              0.5   L * N                     L=one_item N=small
list.*              0.3   N * L                     L=one_item N=small
list.*              0.2   L *= N                    L!=flat N=times
list.*              0.3   T * N                     T=pair N=times
list.*              0.3   L * N                     L=rows N=times
list.compare        1.5   L == M                    L=array M=near:L
list.compare        0.7   L != M                    L=array M=near:L
list.compare        0.7   L < M                     L=ints M=near:L
list.compare        0.5   L > M                     L=flat M=near:L
list.compare        0.3   L <= M                    L=ints M=near:L
list.compare        0.3   L >= M                    L=words M=near:L
list.compare        0.7   T == U                    T=group U=near:T
list.compare        0.4   T < U                     T=group U=near:T
list.compare        0.4   T > U                     T=pair U=near:T
list.compare        0.3   T != U                    T=group U=near:T
list.compare        0.3   T >= U                    T=pair U=near:T
list.compare        0.3   T <= U                    T=pair U=near:T
in.list             4     A in L                    L=array A=member:L
in.list             2     A in L                    L=ints A=member:L
in.list             1     A in L                    L=words A=near_item:L
in.list             0.4   A not in T                T=group A=near_item:T
in.list             2     A not in L                L=array A=member:L
in.list             1     A in T                    T=group A=member:T
in.list             0.5   A not in T                T=group A=member:T
in.list             0.6   A in R                    R=span A=member:R
# one item
subscript.list      8     L[I]                      L=array I=place:L
subscript.list      2     L[I]                      L=ints I=place:L
subscript.list      2     L[I]                      L=rows I=place:L
subscript.list      1     L[I]                      L=pairs I=place:L
subscript.list      1     L[0]                      L=filled
subscript.list      1     L[-1]                     L=filled
subscript.str       5     S[I]                      S=text I=place:S
subscript.str       5     S[I]                      S=longer I=place:S
subscript.str       1     S[0]                      S=text
subscript.str       1     S[-1]                     S=text
subscript.tuple     2     T[I]                      T=group I=place:T
subscript.tuple     0.7   T[0]                      T=group
subscript.tuple     0.7   T[1]                      T=pair
subscript.range     0.3   R[I]                      R=span I=place:R
subscript.str       0.3   S[I]                      S*=repetitive I!=place:S
store.list          5     L[I] = A                  L=array I=place:L A=fresh:L
store.list          1     L[I] = A                  L=ints I=place:L A=fresh:L
store.list          0.7   L[I] = A                  L=array I=place:L A=anything
store.list          0.4   L[0] = A                  L=filled A=fresh:L
store.list          0.3   L[-1] = A                 L=filled A=fresh:L
store.list          0.4   L[I] = A                  L=rows I=place:L A=ints
del.list            1     del L[I]                  L=filled I=place:L
del.list            0.3   del L[0]                  L=filled
del.list            0.3   del L[-1]                 L=filled
# slices
slice.list          1.5   L[I:J]                    L=array I=cut:L J=cut_after:L:I
slice.list          1.5   L[I:]                     L=array I=cut:L
slice.list          1.5   L[:J]                     L=array J=cut:L
slice.list          1     L[::-1]                   L=array
slice.list          0.5   L[:]                      L=array
slice.list          0.5   L[1:]                     L=array
slice.list          0.5   L[:-1]                    L=array
slice.list          0.5   L[::N]                    L=array N=stride
slice.list          0.5   L[I::N]                   L=array I=cut:L N=stride
slice.list          0.3   L[:J:N]                   L=array J=cut:L N=stride
slice.list          0.3   L[I:J:N]                  L=array I=cut:L J=cut:L N=stride
slice.str           1.8   S[I:J]                    S=text I=cut:S J=cut_after:S:I
slice.str           1.8   S[I:]                     S=text I=cut:S
slice.str           1.8   S[:J]                     S=text J=cut:S
slice.str           2     S[::-1]                   S=text
slice.str           0.5   S[1:]                     S=text
slice.str           0.5   S[:-1]                    S=text
slice.str           0.2   S[:]                      S=text
slice.str           0.6   S[::N]                    S=text N=stride
slice.str           0.5   S[I::N]                   S=text I=cut:S N=stride
slice.str           0.4   S[:J:N]                   S=text J=cut:S N=stride
slice.str           0.4   S[I:J:N]                  S=text I=cut:S J=cut:S N=stride
slice.str           0.3   S[-1:I:N]                 S=text I=cut:S N=stride
slice.tuple         0.4   T[I:J]                    T=group I=cut:T J=cut_after:T:I
slice.tuple         0.3   T[I:]                     T=group I=cut:T
slice.tuple         0.3   T[::-1]                   T=group
slice.tuple         0.2   T[:J]                     T=group J=cut:T
slice.range         0.15  R[I:]                     R=span I=cut:R
slice.range         0.15  R[::-1]                   R=span
slice.store         0.5   L[I:J] = M                L=array I=cut:L J=cut_after:L:I M=another:L
slice.store         0.2   L[:] = M                  L=array M=another:L
slice.store         0.2   L[I:] = M                 L=array I=cut:L M=another:L
slice.store         0.2   L[:J] = M                 L=array J=cut:L M=another:L
slice.store         0.15  L[::N] = M                L=flat N=stride M=every:L:N
slice.store         0.15  L[I:J] = []               L=array I=cut:L J=cut_after:L:I
slice.del           0.4   del L[I:J]                L=array I=cut:L J=cut_after:L:I
slice.del           0.2   del L[I:]                 L=array I=cut:L
slice.del           0.2   del L[:J]                 L=array J=cut:L
slice.del           0.15  del L[::N]                L=array N=stride
# double-ended queues
deque               0.3   do Q.append(A)            Q=deque_of A=scalar
deque               0.3   do Q.appendleft(A)        Q=deque_of A=scalar
deque               0.3   Q.popleft()               Q=deque_of
deque               0.3   Q.pop()                   Q=deque_of
deque               0.2   do Q.rotate(N)            Q=deque_of N?=stride
deque               0.2   do Q.extend(L)            Q=deque_of L=flat
deque               0.2   deque(L)                  L=array
deque               0.1   deque()
deque               0.1   deque(L, maxlen=N)        L=flat N?=small
deque               0.15  Q[I]                      Q=deque_of I=place:Q
deque               0.1   do Q.extendleft(L)        Q=deque_of L=flat
deque               0.1   list(Q)                   Q=deque_of
# long ones, and those where nothing happens
subscript.list      2     L[I]                      L=long_ints I=place:L
subscript.list      1     L[I]                      L=long_words I=place:L
subscript.list      3     L[I]                      L!=array I!=place:L
subscript.str       2     S[I]                      S=longer I=place:S
subscript.str       3     S[I]                      S!=text I!=place:S
slice.str           0.7   S[I:J]                    S=longer I=cut:S J=cut_after:S:I
slice.str           0.5   S[I:]                     S=longer I=cut:S
slice.str           0.5   S[::-1]                   S=longer
slice.list          0.4   L[I:J]                    L=long_ints I=cut:L J=cut_after:L:I
slice.list          0.4   L[::-1]                   L=long_ints
list.index          0.4   L.index(A)                L=long_ints A=item:L
list.count          0.4   L.count(A)                L=long_ints A=item:L
store.list          0.7   L[I] = A                  L=ints I=place:L A=item:L
store.list          0.7   L[I] = A                  L=long_ints I=place:L A=integer
list.sort           0.5   do L.sort()               L=sorted_ints
list.sort           0.6   do L.sort()               L=long_ints
list.pop            0.15  L.pop()                   L!=no_items
list.pop            0.3   L.pop()                   L=array
subscript.list      0.15  L[I]                      L!=no_items I=small
list.append         0.5   do L.append(A)            L=long_ints A=integer
list.insert         0.3   do L.insert(I, A)         L=sorted_ints I=place:L A=integer
store.list          1     L[I] = A                  L=flags I=place:L A=item:L
store.list          0.4   L[I] = A                  L=flags I=place:L A=scalar
subscript.list      1     L[I]                      L=flags I=place:L
list.append         0.3   do L.append(A)            L=flags A=item:L
len                 0.3   len(L)                    L=flags
list.*              0.4   L * N                     L=one_item N=positive
slice.object        0.15  slice(A, B)               A=small B=small
slice.object        0.15  L[X]                      L=sequence X=slice_object
range.index         0.1   R.index(A)                R=span A=item:R
range.compare       0.1   R == Q                    R=span Q=span
""")
