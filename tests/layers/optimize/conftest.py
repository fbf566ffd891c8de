"""Tests of `tidemill optimize`, for an environment that has its extra."""

from importlib.util import find_spec

# A file that is not collected is not imported either, and so need not say that torch is missing.
collect_ignore_glob = [] if find_spec("torch") else ["test_*.py"]
