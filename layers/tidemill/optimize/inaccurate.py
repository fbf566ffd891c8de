"""The refusal to write an artifact that answers otherwise than its model."""

from tidemill.errors import OptimizeError
from tidemill.optimize.reporting.report import Report


class InaccurateError(OptimizeError):
    """No candidate was accurate enough; nothing was written."""

    def __init__(self, report: Report) -> None:
        """Carry what was measured."""
        self.report = report
        super().__init__(
            f"no variant of {report.facts.name} keeps to the thresholds, so nothing was written;"
            " ask for less, or calibrate on texts that are more like yours"
        )
