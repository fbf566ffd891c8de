"""What a model has to compute for one text: its matrix products, and what they add up to."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True, slots=True, order=True)
class Product:
    """Of a matrix [rows, inner] by one [inner, columns]."""

    rows: int
    inner: int
    columns: int

    @property
    def macs(self) -> int:
        """Multiply-adds."""
        return self.rows * self.inner * self.columns


@dataclass(frozen=True, slots=True)
class Work:
    """All products of one text of some tokens."""

    weights: Mapping[Product, int]
    """By constant weights, with how often each is computed."""
    attention: int
    """Multiply-adds of products by what is no constant: queries by keys, scores by values."""

    @property
    def macs(self) -> int:
        """Multiply-adds in all."""
        return self.attention + sum(each.macs * times for each, times in self.weights.items())

    def as_json(self) -> dict[str, Any]:
        """All of it."""
        return {
            "weights": [{**asdict(each), "times": n} for each, n in self.weights.items()],
            "attention": self.attention,
        }

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> "Work":
        """What `as_json` gave."""
        return cls(
            weights={
                Product(each["rows"], each["inner"], each["columns"]): each["times"]
                for each in values["weights"]
            },
            attention=values["attention"],
        )


def add_up(products: Iterable[tuple[Product, bool, int]]) -> Work:
    """Work of products, each with whether its second factor is constant, and how often it is computed."""
    weights: dict[Product, int] = {}
    attention = 0
    for product, constant, times in products:
        if constant:
            weights[product] = weights.get(product, 0) + times
        else:
            attention += product.macs * times
    return Work(weights, attention)
