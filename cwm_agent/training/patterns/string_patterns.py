"""Strings: all common methods with their argument forms, and the operators."""

from cwm_agent.training.patterns.pattern import patterns

STRINGS = patterns("""
# case and classes
str.lower           3     S.lower()                 S=text
str.upper           3     S.upper()                 S=text
str.capitalize      1     S.capitalize()            S=text
str.title           1     S.title()                 S=text
str.swapcase        1.5   S.swapcase()              S=text
str.casefold        0.2   S.casefold()              S=text
str.isdigit         1.5   S.isdigit()               S=char
str.isdigit         1     S.isdigit()               S=digits
str.isdigit         1     S.isdigit()               S=text
str.isdecimal       0.4   S.isdecimal()             S=numeral
str.isdecimal       0.4   S.isdecimal()             S=text
str.isnumeric       0.5   S.isnumeric()             S=numeral
str.isnumeric       0.5   S.isnumeric()             S=char
str.isalpha         1.5   S.isalpha()               S=char
str.isalpha         1     S.isalpha()               S=text
str.isalnum         1     S.isalnum()               S=text
str.isalnum         0.5   S.isalnum()               S=coded
str.isupper         1     S.isupper()               S=char
str.isupper         1     S.isupper()               S=text
str.islower         1     S.islower()               S=char
str.islower         1     S.islower()               S=text
str.isspace         0.4   S.isspace()               S=char
str.isspace         0.4   S.isspace()               S=spaced
str.istitle         0.6   S.istitle()               S=sentence
str.istitle         0.3   S.istitle()               S=text
str.isascii         0.5   S.isascii()               S=text
str.isascii         0.3   S.isascii()               S=foreign
str.isidentifier    0.3   S.isidentifier()          S=identifier
str.isidentifier    0.3   S.isidentifier()          S=text
str.isprintable     0.3   S.isprintable()           S=spaced
# search
str.find            2     S.find(A)                 S=text A=part:S
str.find            0.7   S.find(A, I)              S=text A=part:S I=cut:S
str.find            0.3   S.find(A, I, J)           S=text A=part:S I=cut:S J=cut:S
str.rfind           1.2   S.rfind(A)                S=text A=part:S
str.rfind           0.4   S.rfind(A, I)             S=text A=part:S I=cut:S
str.rfind           0.3   S.rfind(A, I, J)          S=text A=part:S I=cut:S J=cut:S
str.index           0.2   S.index(A, I, J)          S=text A=part:S I=cut:S J=cut:S
str.endswith        0.2   S.endswith(A, I, J)       S=text A=part:S I=cut:S J=cut:S
str.startswith      0.1   S.startswith(A, I, J)     S=text A=part:S I=cut:S J=cut:S
str.startswith      0.2   S.startswith(T)           S=word T=heads:S
str.endswith        0.2   S.endswith(T)             S=word T=tails:S
str.index           1.3   S.index(A)                S=text A=part:S
str.index           0.3   S.index(A, I)             S=text A=part:S I=cut:S
str.rindex          0.8   S.rindex(A)               S=text A=part:S
str.rindex          0.3   S.rindex(A, I)            S=text A=part:S I=cut:S
str.rindex          0.2   S.rindex(A, I, J)         S=text A=part:S I=cut:S J=cut:S
str.count           2     S.count(A)                S=repetitive A=part:S
str.count           1.5   S.count(A)                S=text A=part:S
str.count           0.3   S.count(A, I)             S=repetitive A=part:S I=cut:S
str.count           0.2   S.count(A, I, J)          S=repetitive A=part:S I=cut:S J=cut:S
str.startswith      1.8   S.startswith(A)           S=text A=head:S
str.startswith      0.3   S.startswith(A, I)        S=text A=part:S I=cut:S
str.startswith      0.15  S.startswith(T)           S=word T=group
str.endswith        1.6   S.endswith(A)             S=text A=tail:S
str.endswith        0.15  S.endswith(T)             S=word T=group
in.str              4     A in S                    S!=text A=part:S
in.str              3     A in S                    S?=repetitive A!=char
in.str              2     A not in S                S=text A=part:S
# change
str.replace         4     S.replace(A, B)           S=text A=part:S B=fill
str.replace         2     S.replace(A, B)           S=text A?=mark:S B?=fill
str.replace         1     S.replace(A, B)           S=repetitive A=part:S B=part:S
str.replace         1     S.replace(A, B, N)        S=text A=part:S B=fill N?=times
str.strip           1.5   S.strip()                 S=spaced
str.strip           0.5   S.strip()                 S=text
str.strip           1.2   S.strip(A)                S=text A=ends:S
str.lstrip          0.5   S.lstrip()                S=spaced
str.lstrip          0.7   S.lstrip(A)               S=text A=ends:S
str.rstrip          0.5   S.rstrip()                S=spaced
str.rstrip          0.7   S.rstrip(A)               S=text A=ends:S
str.removeprefix    0.8   S.removeprefix(A)         S=text A=head:S
str.removesuffix    0.6   S.removesuffix(A)         S=text A=tail:S
str.translate       0.6   S.translate(T)            S=word T=table_for:S
str.maketrans       0.4   str.maketrans(A, B)       A=word B=as_long:A
str.maketrans       0.2   str.maketrans(A, B, C)    A=word B=as_long:A C=fill
str.maketrans       0.2   S.maketrans(A, B)         S?=fill A=word B=as_long:A
str.maketrans       0.2   str.maketrans(D)          D=letters_map
str.expandtabs      0.3   S.expandtabs()            S=spaced
str.expandtabs      0.2   S.expandtabs(N)           S=spaced N?=small
# split and join
str.split           3     S.split()                 S=sentence
str.split           1     S.split()                 S=spaced
str.split           1     S.split()                 S=text
str.split           3     S.split(A)                S=separated A=mark:S
str.split           2     S.split(A)                S=text A=mark:S
str.split           1.5   S.split(' ')              S=sentence
str.split           0.7   S.split(A, N)             S=separated A=mark:S N?=times
str.split           0.2   S.split(A, maxsplit=N)    S=text A=mark:S N?=times
str.split           0.15  S.split(None, N)          S=sentence N?=times
str.split           0.15  S.split(sep=A)            S=separated A=mark:S
str.rsplit          0.5   S.rsplit(A, N)            S=separated A=mark:S N?=times
str.rsplit          0.4   S.rsplit(A)               S=separated A=mark:S
str.rsplit          0.2   S.rsplit()                S=sentence
str.rsplit          0.15  S.rsplit(maxsplit=N)      S=sentence N?=times
str.rsplit          0.15  S.rsplit(A, maxsplit=N)   S=separated A=mark:S N?=times
str.splitlines      0.8   S.splitlines()            S=lined
str.splitlines      0.3   S.splitlines()            S=text
str.splitlines      0.2   S.splitlines(True)        S=lined
str.splitlines      0.15  S.splitlines(keepends=B)  S=lined B=boolean
str.partition       1     S.partition(A)            S=separated A=mark:S
str.partition       0.4   S.partition(A)            S=text A=part:S
str.rpartition      0.9   S.rpartition(A)           S=separated A=mark:S
str.rpartition      0.4   S.rpartition(A)           S=text A=part:S
str.join            3.5   S.join(L)                 S?=fill L=words
str.join            2     S.join(L)                 S?=fill L=strings
str.join            2     S.join(L)                 S?=fill L=chars
str.join            0.7   S.join(L)                 S?=fill L=text
str.join            0.3   S.join(L)                 S?=fill L=walkable
str.join            0.3   S.join(L)                 S?=fill L=backwards
str.join            0.3   S.join(L)                 S?=fill L=mapped
str.join            0.2   S.join(L)                 S?=fill L=ints
# pad
str.center          0.7   S.center(N)               S=text N=width:S
str.center          0.6   S.center(N, A)            S=text N=width:S A=blank
str.ljust           0.6   S.ljust(N)                S=text N=width:S
str.ljust           0.6   S.ljust(N, A)             S=text N=width:S A=blank
str.rjust           0.6   S.rjust(N)                S=text N=width:S
str.rjust           0.6   S.rjust(N, A)             S=text N=width:S A=blank
str.zfill           0.8   S.zfill(N)                S=numeral N=width:S
str.zfill           0.3   S.zfill(N)                S=text N=width:S
# operators
str.+               5     S + T                     S=text T=text
str.+               3     S + T                     S=text T=char
str.+               2     S + T                     S=fill T=text
str.+               4     S += T                    S!=text T=char
str.+               2     S += T                    S!=text T=text
str.+               2     S + T                     S=repetitive T=part:S
str.+               2     T + S                     S=repetitive T=part:S
str.+               2     S += T                    S!=repetitive T=part:S
str.*               1.5   S * N                     S=fill N=small
str.*               1     S * N                     S=word N=times
str.*               0.6   N * S                     S=fill N=small
str.*               0.3   S *= N                    S!=word N=times
str.compare         2     S == T                    S=text T=near:S
str.compare         3     S == T                    S!=char T?=near:S
str.compare         1.2   S != T                    S=text T=near:S
str.compare         2     S != T                    S!=char T?=near:S
str.compare         1     S < T                     S=word T=near:S
str.compare         1     S > T                     S=text T=near:S
str.compare         0.7   S <= T                    S=word T=same:S
str.compare         0.7   S >= T                    S=char T=same:S
str.compare         0.7   S < T                     S=char T=char
str.encode          0.15  S.encode()                S=text
str.encode          0.1   S.encode('utf-8')         S=text
str.encode          0.1   S.encode('ascii', 'ignore')  S=text
# longer
str.replace         0.6   S.replace(A, B)           S=longer A=part:S B=fill
str.split           0.6   S.split()                 S=longer
str.split           0.4   S.split(A)                S=longer A=mark:S
str.count           0.6   S.count(A)                S=longer A=part:S
str.find            0.5   S.find(A)                 S=longer A=part:S
str.rfind           0.3   S.rfind(A)                S=longer A=part:S
str.index           0.3   S.index(A)                S=longer A=part:S
str.upper           0.4   S.upper()                 S=longer
str.lower           0.4   S.lower()                 S=longer
str.swapcase        0.3   S.swapcase()              S=longer
str.title           0.2   S.title()                 S=longer
str.+               0.7   S + T                     S=longer T=char
str.+               0.5   S += T                    S!=longer T=text
str.join            0.6   S.join(L)                 S?=fill L=long_words
in.str              0.5   A in S                    S=longer A=part:S
# what looks like a part and is none
str.replace         1     S.replace(A, B)           S=text A=almost:S B=fill
str.replace         0.4   S.replace(A, B, N)        S=repetitive A=part:S B=fill N?=times
str.startswith      0.8   S.startswith(A)           S=text A=almost:S
str.endswith        0.4   S.endswith(A)             S=text A=almost:S
str.removeprefix    0.4   S.removeprefix(A)         S=text A=almost:S
str.find            0.6   S.find(A)                 S=text A=almost:S
str.find            0.7   S.find(A, I)              S=separated A=mark:S I=cut:S
str.rfind           0.4   S.rfind(A, I, J)          S=separated A=mark:S I=cut:S J=cut:S
str.rindex          0.4   S.rindex(A, I, J)         S=separated A=mark:S I=cut:S J=cut:S
str.count           0.5   S.count(A)                S=repetitive A=almost:S
in.str              0.6   A in S                    S=text A=almost:S
str.partition       0.3   S.partition(A)            S=repetitive A=part:S
str.join            0.5   S.join(L)                 S?=fill L=same_chars
str.isascii         0.3   S.isascii()               S=longer
str.istitle         0.4   S.istitle()               S=titled
bytes               0.15  B.decode()                B=byte_string
bytes               0.1   B[I]                      B=byte_string I=place:B
""")

FORMATS = patterns("""
str.format          1     T.format(A)               T?=braces A=anything
str.format          1     T.format(A)               T?=braces A=scalar
str.format          0.7   T.format(A, B)            T?=two_braces A=scalar B=scalar
str.format          0.2   T.format(*L)              T?=two_braces L=filled
str.format          0.3   '{:>5}'.format(A)         A=scalar
str.format          0.3   '{:.2f}'.format(A)        A=number
str.format          0.3   '{:02d}'.format(A)        A=integer
str.format          0.2   '{a}-{b}'.format(a=A, b=B)  A=scalar B=scalar
str.format          0.15  '{0}{0}'.format(A)        A=scalar
str.format          0.15  '{!r}'.format(A)          A=anything
str.%               0.6   '%s' % A                  A=scalar
str.%               0.4   '%d' % A                  A=integer
str.%               0.4   '%.2f' % A                A=number
str.%               0.3   '%s: %s' % T              T=pair
str.%               0.3   '%s%d' % T                T=word_and_int
str.%               0.2   '%02d' % A                A=natural
str.%               0.2   '%5s|' % A                A=scalar
str.%               0.2   '%x' % A                  A=natural
str.%               0.2   '%r' % A                  A=scalar
str.%               0.2   '%d%%' % A                A=natural
str.%               0.3   S % A                     S?=percents A=scalar
format              0.3   format(A, '.2f')          A=number
format              0.2   format(A, 'b')            A=natural
format              0.2   format(A, '05d')          A=integer
format              0.2   format(A, ',')            A=large
format              0.2   format(A, 'x')            A=natural
format              0.15  format(A)                 A=scalar
fstring             2     f'{A}'                    A!=anything
fstring             1.5   f'{A}{B}'                 A!=scalar B!=text
fstring             1     f'{A} {B}'                A!=text B!=scalar
fstring             1     f'{A}: {B}'               A!=text B!=anything
fstring             0.7   f'{A!r}'                  A!=anything
fstring             0.5   f'{A!s:>8}'               A!=scalar
fstring             0.5   f'{A:>5}'                 A!=integer
fstring             0.3   f'{A:<8}|'                A!=word
fstring             0.3   f'{A:^9}'                 A!=word
fstring             0.3   f'{A:*^9}'                A!=word
fstring             0.7   f'{A:02d}'                A!=natural
fstring             0.3   f'{A:05d}'                A!=integer
fstring             0.3   f'{A:>{B}}'               A!=word B!=small
fstring             0.8   f'{A:.2f}'                A!=number
fstring             0.4   f'{A:.1f}'                A!=number
fstring             0.2   f'{A:.0f}'                A!=number
fstring             0.2   f'{A:.1%}'                A!=real
fstring             0.3   f'{A:b}'                  A!=natural
fstring             0.3   f'{A:08b}'                A!=natural
fstring             0.2   f'{A:x}'                  A!=natural
fstring             0.3   f'{A:,}'                  A!=large
fstring             0.2   f'{A:+d}'                 A!=integer
fstring             0.5   f'({A}, {B})'             A!=integer B!=integer
fstring             0.5   f'{A}-{B}-{C}'            A!=scalar B!=word C!=integer
fstring             0.2   f'{A}={A!r}'              A!=scalar
""")
