"""The structures and functions of `encoder.c`, as ctypes has them."""

import ctypes
from functools import cache
from pathlib import Path
from typing import ClassVar, Final

_Floats: Final = ctypes.POINTER(ctypes.c_float)
_Size: Final = ctypes.c_size_t

ACTIVATIONS: Final = ("none", "gelu", "gelu_tanh", "relu", "silu", "tanh")
"""In the order of `enum activation`."""
SELECTS: Final = ("first", "mean", "max", "every")
"""In the order of `enum select`."""
FAILURES: Final = (
    "",
    "there is not enough memory",
    "a token or its type is not in the model's tables",
    "the text has more tokens than the model takes",
)
"""In the order of `enum failure`."""


class LinearWeights(ctypes.Structure):
    """`struct linear_weights`."""

    _fields_: ClassVar = [
        ("weight", ctypes.POINTER(ctypes.c_int8)),
        ("scale", _Floats),
        ("bias", _Floats),
        ("smooth", _Floats),
        ("out", _Size),
        ("in_", _Size),
    ]


class Norm(ctypes.Structure):
    """`struct norm`."""

    _fields_: ClassVar = [("weight", _Floats), ("bias", _Floats)]


class LayerWeights(ctypes.Structure):
    """`struct layer_weights`."""

    _fields_: ClassVar = [
        ("attention", LinearWeights),
        ("output", LinearWeights),
        ("attention_norm", Norm),
        ("up", LinearWeights),
        ("down", LinearWeights),
        ("norm", Norm),
    ]


class Dense(ctypes.Structure):
    """`struct dense`."""

    _fields_: ClassVar = [
        ("weight", _Floats),
        ("bias", _Floats),
        ("out", _Size),
        ("in_", _Size),
        ("activation", ctypes.c_int),
    ]


class Description(ctypes.Structure):
    """`struct description`."""

    _fields_: ClassVar = [
        ("words", ctypes.c_void_p),
        ("positions", ctypes.c_void_p),
        ("types", ctypes.c_void_p),
        ("embeddings_norm", Norm),
        ("widen", Dense),
        ("weights", ctypes.POINTER(LayerWeights)),
        ("layers", ctypes.POINTER(ctypes.c_int32)),
        ("distances", _Floats),
        ("head", ctypes.POINTER(Dense)),
        ("vocabulary", _Size),
        ("type_count", _Size),
        ("most_tokens", _Size),
        ("first_position", _Size),
        ("width", _Size),
        ("hidden", _Size),
        ("inner", _Size),
        ("heads", _Size),
        ("weight_count", _Size),
        ("layer_count", _Size),
        ("head_count", _Size),
        ("activation", ctypes.c_int32),
        ("select", ctypes.c_int32),
        ("epsilon", ctypes.c_float),
    ]


@cache
def load(library: Path) -> ctypes.CDLL:
    """The functions of `encoder.c` from its compiled `library`.

    Raises:
        OSError: It cannot be loaded here.
    """
    functions = ctypes.CDLL(str(library))
    functions.encoder_open.argtypes = [
        ctypes.POINTER(Description),
        ctypes.c_int32,
        ctypes.c_int32,
    ]
    functions.encoder_open.restype = ctypes.c_void_p
    functions.encoder_close.argtypes = [ctypes.c_void_p]
    functions.encoder_close.restype = None
    functions.encoder_run.argtypes = [
        ctypes.c_void_p,
        ctypes.c_void_p,
        ctypes.c_void_p,
        _Size,
        ctypes.c_void_p,
    ]
    functions.encoder_run.restype = ctypes.c_int32
    return functions
