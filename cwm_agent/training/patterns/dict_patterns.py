"""Dicts, sets, counters: methods, item access, operators."""

from cwm_agent.training.patterns.pattern import patterns

DICTS = patterns("""
subscript.dict      5     D[K]                      D=mapping K=key:D
subscript.dict      1     D[K]                      D=lists_by_key K=key:D
subscript.dict      0.7   D[K]                      D=default_dict K=any_key:D
subscript.dict      0.4   D[K]                      D=counter K=any_key:D
store.dict          4     D[K] = V                  D=mapping K=any_key:D V=stored:D
store.dict          2     D[K] = V                  D=counts K=any_key:D V=small
store.dict          0.7   D[K] = V                  D=lists_by_key K=any_key:D V=ints
store.dict          0.5   D[K] = V                  D=default_dict K=any_key:D V=stored:D
store.dict          0.4   D[K] = V                  D=mapping K=hashable:D V=anything
store.dict          0.3   D[K] = V                  D=counter K=any_key:D V=small
del.dict            1     del D[K]                  D=keyed K=key:D
in.dict             3     K in D                    D=mapping K=any_key:D
in.dict             1.5   K not in D                D=mapping K=any_key:D
in.dict             0.4   K in V                    V=view K=scalar
in.dict             0.4   K not in V                V=view K=scalar
dict.get            1.5   D.get(K)                  D=mapping K=any_key:D
dict.get            2     D.get(K, V)               D=mapping K=any_key:D V=stored:D
dict.get            1     D.get(K, 0)               D=counts K=any_key:D
dict.get            0.2   D.get(K, V)               D=lists_by_key K=any_key:D V=ints
dict.pop            1     D.pop(K)                  D=keyed K=key:D
dict.pop            0.7   do D.pop(K)               D=keyed K=key:D
dict.pop            0.5   D.pop(K, V)               D=mapping K=any_key:D V=scalar
dict.pop            0.2   do D.pop(K, None)         D=mapping K=any_key:D
dict.popitem        0.7   D.popitem()               D=keyed
dict.popitem        0.5   do D.popitem()            D=keyed
dict.setdefault     0.7   D.setdefault(K, V)        D=mapping K=any_key:D V=stored:D
dict.setdefault     0.4   do D.setdefault(K, V)     D=mapping K=any_key:D V=stored:D
dict.setdefault     0.4   D.setdefault(K, V)        D=lists_by_key K=any_key:D V=ints
dict.setdefault     0.15  D.setdefault(K)           D=mapping K=any_key:D
dict.keys           1.2   D.keys()                  D=mapping
dict.values         1.2   D.values()                D=mapping
dict.items          2     D.items()                 D=mapping
dict.copy           1     D.copy()                  D=mapping
dict.clear          0.5   do D.clear()              D=mapping
dict.update         1     do D.update(E)            D=mapping E=near:D
dict.update         0.5   do D.update(E)            D=counts E=counts
dict.update         0.3   do D.update(P)            D=mapping P=pairs
dict.update         0.2   do D.update(E)            D=lists_by_key E=lists_by_key
dict.fromkeys       0.6   dict.fromkeys(L)          L=flat
dict.fromkeys       0.6   dict.fromkeys(L, V)       L=flat V=scalar
dict.fromkeys       0.3   dict.fromkeys(S, V)       S=text V=small
dict.fromkeys       0.2   D.fromkeys(L, V)          D=mapping L=flat V=scalar
dict.fromkeys       0.15  dict.fromkeys(L, V)       L=words V=ints
dict                1     dict(D)                   D=mapping
dict                0.8   dict(P)                   P=pairs
dict                0.4   dict()
dict                0.5   dict(Z)                   Z=zipped
dict                0.4   dict(Z)                   Z=zipped_pairs
dict                0.3   dict(E)                   E=enumerated
dict                0.3   dict(a=A, b=B)            A=scalar B=scalar
dict                0.2   dict(D, a=A)              D=mapping A=scalar
dict                0.2   dict(**D)                 D=named
dict                0.2   dict(V)                   V=view
dict.|              0.3   D | E                     D=mapping E=near:D
dict.|              0.15  D |= E                    D!=mapping E=near:D
dict.|              0.7   {**D, **E}                D=mapping E=near:D
dict.|              0.2   {**D, K: V}               D=mapping K=any_key:D V=scalar
dict.|              0.2   {K: V, **D}               D=mapping K=any_key:D V=scalar
dict.|              0.2   {**D}                     D=mapping
dict.compare        1     D == E                    D=mapping E=near:D
dict.compare        0.5   D != E                    D=mapping E=near:D
dict.compare        0.2   D == V                    D=mapping V=anything
reversed            0.15  reversed(D)               D=mapping
counter             0.5   Counter(S)                S=repetitive
counter             0.4   Counter(L)                L=flat
counter             0.1   Counter()
counter             0.4   C.most_common(N)          C=counter N?=small
counter             0.3   C.most_common()           C=counter
counter             0.2   C.items()                 C=counter
counter             0.2   C.values()                C=counter
counter             0.2   do C.update(S)            C=counter S=word
counter             0.2   C + D                     C=counter D=counter
counter             0.2   C - D                     C=counter D=counter
counter             0.2   C == D                    C=counter D=near:C
counter             0.1   dict(C)                   C=counter
default_dict        0.15  defaultdict(int)
default_dict        0.15  defaultdict(list)
default_dict        0.1   defaultdict(set)
default_dict        0.15  D.items()                 D=default_dict
default_dict        0.15  dict(D)                   D=default_dict
default_dict        0.1   D.get(K, V)               D=default_dict K=any_key:D V=scalar
ordered_dict        0.1   OrderedDict(P)            P=pairs
ordered_dict        0.1   OrderedDict()
ordered_dict        0.1   do D.move_to_end(K)       D=ordered K=key:D
ordered_dict        0.1   D.popitem(last=False)     D=ordered
store.dict          0.7   D[K] = V                  D=counts K=key:D V=value_of:D
dict.popitem        0.1   D.popitem()               D=mapping
view                0.1   V == W                    V=view W=view
view                0.2   V & W                     V=key_view W=key_view
view                0.1   V - W                     V=key_view W=key_view
view                0.1   V | S                     V=key_view S=distinct
""")

SETS = patterns("""
set                 2     set(L)                    L=ints
set                 1.5   set(L)                    L=flat
set                 1.5   set(S)                    S=text
set                 0.5   set(S)                    S=repetitive
set                 0.4   set()
set                 0.3   set(D)                    D=distinct
set                 0.3   set(W)                    W=walkable
set                 0.2   frozenset(L)              L=flat
set.add             1.5   do S.add(A)               S=distinct A=hashable:S
set.add             0.8   do S.add(A)               S=distinct A=member:S
set.add             0.4   do S.add(A)               S=letters_set A=char
set.discard         0.5   do S.discard(A)           S=distinct A=member:S
set.remove          0.5   do S.remove(A)            S=distinct A=item:S
set.pop             0.2   S.pop()                   S=int_set
set.update          0.5   do S.update(L)            S=distinct L=near:S
set.update          0.3   do S.update(L)            S=letters_set L=word
set.clear           0.2   do S.clear()              S=distinct
set.copy            0.3   S.copy()                  S=distinct
set.|               0.6   S | T                     S=distinct T=near:S
set.|               0.3   S.union(T)                S=distinct T=near:S
set.|               0.2   S |= T                    S!=distinct T=near:S
set.&               0.8   S & T                     S=distinct T=near:S
set.&               0.4   S.intersection(T)         S=distinct T=near:S
set.&               0.3   S & T                     S=letters_set T=letters_set
set.&               0.2   S &= T                    S!=distinct T=near:S
set.-               0.8   S - T                     S=distinct T=near:S
set.-               0.4   S.difference(T)           S=distinct T=near:S
set.-               0.3   S - T                     S=letters_set T=letters_set
set.-               0.2   S -= T                    S!=distinct T=near:S
set.^               0.4   S ^ T                     S=distinct T=near:S
set.^               0.2   S.symmetric_difference(T)  S=distinct T=near:S
set.compare         0.6   S == T                    S=distinct T=near:S
set.compare         0.3   S != T                    S=distinct T=near:S
set.compare         0.3   S <= T                    S=distinct T=near:S
set.compare         0.2   S < T                     S=distinct T=near:S
set.compare         0.2   S >= T                    S=distinct T=near:S
set.compare         0.3   S.issubset(T)             S=distinct T=near:S
set.compare         0.3   S.issuperset(T)           S=distinct T=near:S
set.compare         0.2   S.isdisjoint(T)           S=distinct T=near:S
in.set              1.5   A in S                    S=distinct A=member:S
in.set              0.8   A not in S                S=distinct A=member:S
in.set              0.5   A in S                    S=letters_set A=char
""")
