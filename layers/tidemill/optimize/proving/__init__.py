"""Variants against the original."""
