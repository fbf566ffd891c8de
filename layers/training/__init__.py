"""How the starter artifact was made: `python -m training` runs the whole recipe."""
