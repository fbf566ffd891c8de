"""`python -m tidemill`."""

from tidemill.cli import main

main()
