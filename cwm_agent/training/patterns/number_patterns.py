"""Numbers: arithmetic with carries and remainders, comparison, bits, conversion, `math`."""

from cwm_agent.training.patterns.pattern import patterns

NUMBERS = patterns("""
int.+               6     A + B                     A=integer B=integer
int.+               3     A + 1                     A!=integer
int.+               2     A + B                     A=carrying B=integer
int.+               1     A + B                     A=large B=large
int.+               3     A += B                    A!=integer B=integer
int.+               3     A += 1                    A!=natural
int.+               0.6   A + B                     A=boolean B=integer
int.+               0.5   A += B                    A!=integer B!=boolean
int.-               4     A - B                     A=integer B=integer
int.-               2     A - 1                     A!=natural
int.-               1     A - B                     A=carrying B=integer
int.-               0.7   A - B                     A=large B=large
int.-               1     A -= B                    A!=integer B=integer
int.-               1     A -= 1                    A!=natural
int.*               4     A * B                     A=integer B=small
int.*               3     A * B                     A=natural B=natural
int.*               1     A * B                     A=integer B=integer
int.*               1     A * A                     A!=integer
int.*               1     A *= B                    A!=integer B=small
int.*               0.7   A *= B                    A!=natural B=natural
int.//              2     A // B                    B=divisor A=multiple:B
int.//              2     A // B                    A=integer B=divisor
int.//              1     A // 2                    A!=integer
int.//              1     A // 10                   A!=large
int.//              0.7   A // B                    A=large B=divisor
int.//              0.7   A //= B                   A!=integer B=divisor
int.//              0.5   A //= 10                  A!=large
int.%               3     A % B                     B=divisor A=multiple:B
int.%               2     A % B                     A=integer B=divisor
int.%               2     A % 2                     A!=integer
int.%               1     A % 10                    A!=large
int.%               1     A % 3                     A!=integer
int.%               0.7   A % B                     A=large B=divisor
int.%               0.7   A %= B                    A!=integer B=divisor
int.%               0.7   A % B                     A=natural B=positive
int./               2     A / B                     B=divisor A=multiple:B
int./               1     A / B                     A=integer B=divisor
int./               0.7   A / 2                     A!=integer
int./               0.3   A /= B                    A!=integer B=divisor
int.**              1     A ** 2                    A!=integer
int.**              0.7   2 ** B                    B=small
int.**              0.5   A ** B                    A!=small B=times
int.**              0.4   10 ** B                   B=small
int.**              0.3   A ** 3                    A!=small
int.**              0.2   A **= 2                   A!=natural
int.**              0.2   A ** 0.5                  A!=natural
int.bits            0.6   A & B                     A=natural B=natural
int.bits            0.4   A | B                     A=natural B=natural
int.bits            0.5   A ^ B                     A=natural B=natural
int.bits            0.4   A << B                    A=natural B=bit_width
int.bits            0.5   A >> B                    A=natural B=bit_width
int.bits            0.4   A & 1                     A!=integer
int.bits            0.2   A >> 1                    A!=integer
int.bits            0.2   ~A                        A!=integer
int.bits            0.15  A ^= B                    A!=natural B=natural
int.bits            0.15  A >>= 1                   A!=natural
int.bits            0.15  A &= B                    A!=natural B=natural
int.bits            0.15  A |= B                    A!=natural B=natural
int.bits            0.1   A <<= 1                   A!=natural
int.bits            0.2   A.bit_length()            A!=integer
int.bits            0.15  A & B                     A=boolean B=boolean
int.bits            0.15  A | B                     A=boolean B=boolean
int.bits            0.15  A ^ B                     A=boolean B=boolean
int.negative        1.2   -A                        A!=integer
int.negative        0.2   +A                        A!=integer
int.negative        0.2   -A                        A!=real
compare.int         5     A == B                    A!=integer B=near:A
compare.int         2     A == 0                    A!=small
compare.int         3     A < B                     A=integer B=near:A
compare.int         3     A > B                     A=integer B=near:A
compare.int         2     A <= B                    A=integer B=near:A
compare.int         2     A >= B                    A=integer B=near:A
compare.int         1.5   A != B                    A=integer B=near:A
compare.int         1     A > 0                     A!=small
compare.int         1     A < 0                     A!=integer
compare.int         1     A != -1                   A!=small
compare.int         1     A <= 1                    A!=small
compare.int         1     A < B                     A=carrying B=near:A
compare.int         0.5   A > B                     A=large B=near:A
compare.float       0.7   A < B                     A=real B=near:A
compare.float       0.4   A > 0                     A!=real
compare.float       0.3   A < 0                     A!=real
compare.float       0.3   A == 0                    A!=real
compare.float       0.4   A == B                    A=whole B=as_int:A
compare.float       0.3   A != B                    A=real B=near:A
compare.float       0.3   A < B                     A=real B=integer
compare.float       0.3   A > B                     A=integer B=real
compare.float       0.7   A > B                     A=real B=near:A
compare.float       0.5   A == B                    A=real B=near:A
compare.float       0.4   A <= B                    A=real B=number
compare.float       0.4   A >= B                    A=number B=real
compare.bool        0.2   A > B                     A!=boolean B=boolean
compare.bool        0.2   A == B                    A!=boolean B=small
compare.bool        0.4   A == B                    A!=boolean B=boolean
compare.bool        0.2   A != B                    A!=boolean B=boolean
compare.types       0.7   A == B                    A!=anything B=anything
compare.types       0.3   A != B                    A!=anything B=anything
compare.types       0.3   A < B                     A!=anything B=anything
compare.types       0.2   A > B                     A!=anything B=anything
compare.types       0.2   A == None                 A!=anything
is                  1     A is None                 A!=anything
is                  0.8   A is not None             A!=anything
is                  0.4   A is None                 A!=nothing
is                  0.4   A is not None             A!=nothing
is                  0.3   A is B                    A=mutable B=copied:A
is                  0.2   A is not B                A=mutable B=copied:A
is                  0.2   A is True                 A!=boolean
is                  0.2   A is False                A!=boolean
not                 1.2   not A                     A!=boolean
not                 1     not A                     A!=anything
int.+               0.7   A + B                     A!=natural B!=boolean
float               1     A + B                     A=real B=number
float               0.5   A + B                     A=number B=real
float               0.5   A / B                     A=real B=number
float               0.4   A /= B                    A!=real B=divisor
float               0.3   A -= B                    A!=real B=number
float               0.3   A - B                     A=integer B=real
float               0.3   A * B                     A=integer B=real
float               0.3   A * B                     A=real B=real
float               0.3   A / B                     A=integer B=real
float               0.2   A % 1.0                   A!=real
float               0.2   A // 1                    A!=real
float               0.2   A + B                     A=tenths B=tenths
float               0.2   A - B                     A=tenths B=tenths
float               0.2   A * B                     A=tenths B=small
float               1     A - B                     A=real B=number
float               0.7   A * B                     A=real B=small
float               0.7   A / B                     A=real B=divisor
float               0.3   A // B                    A=real B=divisor
float               0.3   A % B                     A=real B=divisor
float               0.3   A % 1                     A!=real
float               0.4   A += B                    A!=real B=number
float               0.2   A *= B                    A!=real B=small
float               0.2   A ** 2                    A!=real
float               0.2   A.is_integer()            A!=real
abs                 1.5   abs(A)                    A!=integer
abs                 0.3   abs(A)                    A!=real
round               0.5   round(A)                  A!=real
round               0.7   round(A, N)               A!=real N?=times
round               0.15  round(A)                  A!=integer
divmod              0.7   divmod(A, B)              A=integer B=divisor
pow                 0.4   pow(A, B)                 A=small B=times
pow                 0.3   pow(A, B, C)              A=small B=small C=positive
int()               1.5   int(S)                    S!=numeral
int()               1.5   int(S)                    S!=digits
int()               0.7   int(S)                    S!=char
int()               0.5   int(A)                    A!=real
int()               0.3   int(A)                    A!=boolean
int()               0.3   int(A)                    A!=integer
int()               0.6   int(S, 2)                 S=binary
int()               0.3   int(S, 16)                S=hexadecimal
int()               0.15  int(S, base=2)            S=binary
int()               0.3   int(S)                    S!=text
float()             0.7   float(S)                  S!=numeral
float()             0.5   float(A)                  A!=integer
float()             0.15  float('inf')
float()             0.1   float('-inf')
bool()              0.7   bool(A)                   A!=anything
bool()              0.2   bool(A)                   A!=integer
str()               2     str(A)                    A!=integer
str()               0.6   str(A)                    A!=anything
str()               0.3   str(A)                    A!=real
str()               0.2   str(A)                    A!=text
str()               0.2   str(A)                    A!=boolean
str()               0.3   str(E)                    E!=error
repr                0.4   repr(A)                   A!=anything
bin                 0.8   bin(A)                    A!=natural
bin                 0.2   bin(A)                    A!=integer
hex                 0.4   hex(A)                    A!=integer
oct                 0.15  oct(A)                    A!=natural
ord                 1.5   ord(A)                    A!=char
ord                 0.2   ord(A)                    A!=foreign
chr                 1.5   chr(A)                    A!=code_point
complex             0.1   complex(A, B)             A=small B=small
math                0.5   math.sqrt(A)              A!=natural
math                0.4   math.floor(A)             A!=real
math                0.4   math.ceil(A)              A!=real
math                0.3   math.gcd(A, B)            A=natural B=natural
math                0.2   math.lcm(A, B)            A=small B=small
math                0.3   math.factorial(A)         A!=small
math                0.2   math.isqrt(A)             A!=natural
math                0.2   math.pow(A, B)            A=small B=times
math                0.2   math.prod(L)              L=ints
math                0.15  math.comb(A, B)           A=small B=small
math                0.15  math.log2(A)              A!=positive
math                0.15  math.log10(A)             A!=positive
math                0.15  math.log(A)               A!=positive
math                0.1   math.inf
math                0.1   math.pi
math                0.15  math.trunc(A)             A!=real
math                0.15  math.fabs(A)              A!=integer
math                0.1   math.isclose(A, B)        A=real B=near:A
math                0.1   math.hypot(A, B)          A=small B=small
math                0.1   math.dist(P, Q)           P=pair Q=near:P
round               0.5   round(A, N)               A!=ratio N?=times
round               0.3   round(A)                  A!=ratio
int()               0.2   int(A)                    A!=ratio
math                0.2   math.floor(A)             A!=ratio
math                0.2   math.ceil(A)              A!=ratio
float               0.3   A * B                     A=ratio B=small
float               0.2   A + B                     A=ratio B=number
float               0.2   A - B                     A=ratio B=number
compare.float       0.3   A > B                     A=ratio B=number
compare.float       0.3   A < B                     A=ratio B=near:A
str()               0.2   str(A)                    A!=ratio
str()               0.2   str(A)                    A!=group
str()               0.2   str(A)                    A!=array
str()               0.15  str(A)                    A!=mapping
int.bits            0.1   A.bit_count()             A!=natural
int.*               0.7   A * B                     A=carrying B=small
int.*               0.5   A * B                     A=large B=small
int.//              0.7   A // B                    A=large B=positive
int.%               0.7   A % B                     A=large B=positive
int.%               1     A %= B                    A!=natural B=positive
int.%               1     A % B                     B=positive A=multiple:B
int.%               0.6   A %= B                    B=positive A!=multiple:B
int.//              1     A // B                    A=natural B=positive
int.//              0.6   A //= B                   B=positive A!=multiple:B
int.*               1     A * B                     A=natural B=natural
int.*               1     A * B                     A=large B=positive
int./               1     A / B                     A=natural B=positive
int./               0.7   A / B                     A=positive B=natural
int./               0.5   A / B                     B=positive A=multiple:B
int./               0.3   A /= B                    A!=natural B=positive
int.%               0.4   A % -2                    A!=integer
int.%               0.4   A % B                     A=integer B?=negative
int.//              0.4   A // B                    A=integer B?=negative
int.%               0.5   A % B                     A=positive B=natural
int.//              0.5   A // B                    A=positive B=natural
int.*               0.4   A *= B                    A!=natural B=positive
sum                 1     sum(L)                    L=long_ints
max                 0.6   max(L)                    L=long_ints
min                 0.6   min(L)                    L=long_ints
sorted              1     sorted(L)                 L=long_ints
sorted              0.5   sorted(L)                 L=long_words
sorted              0.5   sorted(L, reverse=True)   L=long_ints
int.+               1     A += B                    A!=large B=integer
int.-               0.7   A -= B                    A!=carrying B=integer
""")
