"""The work of a model for OpenVINO: its graph at an exact shape says what every product is."""

from collections.abc import Iterator, Sequence
from math import prod
from pathlib import Path
from typing import Any

from tidemill.bench.work import Product, Work, add_up

# First, since it keeps OpenVINO from reporting its use.
from tidemill.engines import openvino as _quietened  # noqa: F401

import openvino as ov  # isort: skip


def reshaped(model: Path, weights: Path | None, lengths: Sequence[int]) -> list[Work]:
    """The work of `model` for one text of each of `lengths` tokens."""
    graph = ov.Core().read_model(str(model), "" if weights is None else str(weights))
    works = []
    for tokens in lengths:
        graph.reshape({port: [1, tokens] for port in graph.inputs})
        works.append(add_up(_products(graph)))
    return works


def _products(graph: Any) -> Iterator[tuple[Product, bool, int]]:  # noqa: ANN401 - OpenVINO's
    for node in graph.get_ops():
        kind = node.get_type_name()
        if kind == "MatMul":
            output = list(node.output(0).shape)
            first = list(node.input(0).get_shape())
            inner = first[-2] if node.get_attributes()["transpose_a"] else first[-1]
            if len(node.input(1).get_shape()) <= 2:
                yield Product(prod(output) // output[-1], inner, output[-1]), True, 1
            else:
                yield Product(output[-2], inner, output[-1]), False, prod(output[:-2])
        elif kind == "ScaledDotProductAttention":
            *heads, tokens, size = node.input(0).get_shape()
            keys = node.input(1).get_shape()[-2]
            yield Product(tokens, size, keys), False, 2 * prod(heads)
