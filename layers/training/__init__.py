"""How models here were made: `python -m training` makes the starter, `training.tagger` a tagger."""
