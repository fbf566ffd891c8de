"""What runs on AWS: one module per function, each a few decorators and one call."""
