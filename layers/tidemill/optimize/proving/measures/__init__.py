"""Formulas of the gate: pure functions in float64, each with its source."""
