"""A tagger of named entities, to optimise and to measure: `python -m training.tagger` trains it."""
