"""Variable names as in real code, by what they hold; knows no program."""

from random import Random

_POOLS = {
    "int": (
        "n k x y num number value val limit m target threshold step start a b size amount width "
        "base depth length offset position max_val level z"
    ),
    "index": "i j k idx index pos ind p",
    "count": "count total result cnt c counter acc res ans s running score num",
    "str": (
        "text s string word name st phrase line txt message value key sentence string1 text1 t "
        "title url code data old new test input_string"
    ),
    "built": "result res out output new_text ans new built ret joined s new_string",
    "char": "c ch char letter sep delimiter symbol x l digit sign separator mark",
    "ints": "nums arr lst numbers values xs array data items l a seq scores ar num_list",
    "strs": "words strings names parts tokens lst items list1 lines labels strs keys array",
    "collected": "result res out new_list ans output ls found ret new kept acc stack r",
    "item": "x item elem num n value v e val el element current number",
    "word": "word w s item part token name string element line",
    "grid": "grid matrix rows table board mat lists nested",
    "row": "row r line sub inner",
    "dict": "d counts dic mapping freq table dct lookup seen dictionary cache my_dict graph",
    "key": "key k name word x",
    "value": "value v val amount n",
    "set": "seen unique visited used chars known s pool",
    "bool": "found flag ok valid done is_valid changed swapped match odd",
    "tuple": "pair point t entry p both",
    "function": "helper check go is_good convert visit inner step score process calc combine",
    "entry": "f f f f solve func process transform compute get_result count_all find check_all",
    "float": "mean avg ratio rate price x average f",
    "error": "e err error ex",
    "class": (
        "Account Box Item Node Point Shape Stack Queue Counter2 Player Order Vector Store Parser Graph Tree Entry "
        "Record Car Book Task Event Cell Board Matrix Token Buffer Person Student Robot Cart Product Song Room "
        "Ship Game Card Hand Tile Team User Shelf Table Row Timer Logger Reader Writer Pair Span Segment Tracker "
        "Machine Engine Widget Message Inventory Group Unit"
    ),
    "attribute": (
        "value total count name items size limit level data left right next prev head tail parent children key "
        "weight price amount balance owner x y width height start end state score rank index first last rest "
        "cells rows color kind label title speed age code number points history log queue stack seen tags step "
        "base factor rate root links target source"
    ),
    "method": (
        "run step push put take give move turn grow shrink apply check test score total area cost build make find "
        "search visit merge join split reset clear_all show describe render call use play draw hit heal buy sell "
        "pay enter leave open close start stop tick record report best worst leader winner balance is_empty "
        "is_full has fits weigh rank grade compute"
    ),
    "constant": (
        "RED GREEN BLUE LOW HIGH NORTH SOUTH EAST WEST SMALL LARGE OPEN CLOSED START END NEW DONE A B C ONE TWO "
        "THREE MAX MIN"
    ),
}
_NO_VARIABLES = ("function", "entry", "class", "attribute", "method", "constant")
BY_KIND: dict[str, tuple[str, ...]] = {kind: tuple(names.split()) for kind, names in _POOLS.items()}


def fresh(rng: Random, kind: str, taken: set[str]) -> str:
    """An unused name for a variable of that kind; it is marked as used."""
    pool = BY_KIND[kind]
    for _ in range(4):
        name = rng.choice(pool)
        if name not in taken:
            taken.add(name)
            return name
    name = next(f"{pool[0]}{number}" for number in range(2, 1000) if f"{pool[0]}{number}" not in taken)
    taken.add(name)
    return name


def another(rng: Random, name: str, taken: set[str]) -> str:
    """Another name for the same kind of variable; a name of unknown kind stays or becomes a letter."""
    kinds = [kind for kind, pool in BY_KIND.items() if name in pool and kind not in _NO_VARIABLES]
    if kinds:
        return fresh(rng, rng.choice(kinds), taken)
    if name not in taken:
        taken.add(name)
        return name
    return fresh(rng, "int", taken)
