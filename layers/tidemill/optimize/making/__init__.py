"""Variants of a model, made of its ONNX graph."""
