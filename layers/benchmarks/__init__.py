"""Figures, measured from outside: each module prints its own and names the machine.

Nothing here is a test. Run one with `python -m benchmarks.batch`, say, from `layers/`.
"""
