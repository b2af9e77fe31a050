"""Writes models in the format of ONNX, as far as `int8_products.py` needs it; knows no product and runs nothing.

A model is a graph of operators with constants, inputs and outputs. Its file format is protocol buffers: fields with a
number, each a variable-length integer or a length and bytes. The few fields that are needed are written here, so that
the package that writes such models need not be installed.
"""

from collections.abc import Sequence
from struct import pack

from torch import Tensor, float32, int8, int64

_KINDS = {float32: 1, int8: 3, int64: 7}
"""Numbers of types in TensorProto."""
_INTEGER, _BYTES, _FOUR_BYTES = 0, 2, 5
"""Wire types of protocol buffers."""
_FORMAT, _OPERATORS = 10, 21
"""Versions of the format and of its operators."""
CONTRIBUTED = "com.microsoft"
"""The operators that ONNX Runtime adds to those of ONNX."""


def model(
    nodes: Sequence[bytes], constants: dict[str, Tensor], inputs: dict[str, int], outputs: dict[str, int]
) -> bytes:
    """A model whose inputs and outputs are fp32 matrices of any number of rows, given by their numbers of columns."""
    graph = b"".join(_field(1, each) for each in nodes) + _text(2, "graph")
    graph += b"".join(_field(5, _constant(name, values)) for name, values in constants.items())
    graph += b"".join(_field(11, _matrix(name, width)) for name, width in inputs.items())
    graph += b"".join(_field(12, _matrix(name, width)) for name, width in outputs.items())
    versions = (("", _OPERATORS), (CONTRIBUTED, 1))
    used = b"".join(_field(8, _text(1, domain) + _number(2, version)) for domain, version in versions)
    return _number(1, _FORMAT) + _field(7, graph) + used


def node(operator: str, inputs: Sequence[str], *outputs: str, domain: str = "", **settings: float) -> bytes:
    """One operator of a graph; an empty name stands for an input or output that is left out."""
    found = _text(1, *inputs) + _text(2, *outputs) + _text(4, operator) + _text(7, domain)
    return found + b"".join(_field(5, _setting(name, value)) for name, value in settings.items())


def _setting(name: str, value: float) -> bytes:
    """An AttributeProto."""
    if isinstance(value, int):
        return _text(1, name) + _number(3, value) + _number(20, 2)
    return _text(1, name) + _integer(2 << 3 | _FOUR_BYTES) + pack("<f", value) + _number(20, 1)


def _constant(name: str, values: Tensor) -> bytes:
    """A TensorProto."""
    sizes = b"".join(_number(1, size) for size in values.shape)
    return sizes + _number(2, _KINDS[values.dtype]) + _text(8, name) + _field(9, values.contiguous().numpy().tobytes())


def _matrix(name: str, width: int) -> bytes:
    """A ValueInfoProto of an fp32 matrix with any number of rows."""
    shape = _field(1, _text(2, "rows")) + _field(1, _number(1, width))
    return _text(1, name) + _field(2, _field(1, _number(1, _KINDS[float32]) + _field(2, shape)))


def _number(field: int, value: int) -> bytes:
    return _integer(field << 3 | _INTEGER) + _integer(value)


def _text(field: int, *texts: str) -> bytes:
    return b"".join(_field(field, text.encode()) for text in texts)


def _field(field: int, content: bytes) -> bytes:
    return _integer(field << 3 | _BYTES) + _integer(len(content)) + content


def _integer(value: int) -> bytes:
    """A number in groups of seven bits, the lowest group first.

    >>> _integer(300).hex()
    'ac02'
    """
    found = bytearray()
    while value > 127:
        found.append(value & 127 | 128)
        value >>= 7
    return bytes([*found, value])
