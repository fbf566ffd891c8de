"""Progress that is kept."""


class Told:
    """Keeps what it is told."""

    def __init__(self) -> None:
        self.steps: list[str] = []
        self.far: list[tuple[int, int]] = []

    def step(self, what: str) -> None:
        self.steps.append(what)

    def cells(self, done: int, total: int, left_s: float) -> None:
        assert left_s > 0
        self.far.append((done, total))
