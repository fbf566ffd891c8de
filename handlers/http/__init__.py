"""The HTTP API: the same routes behind API Gateway and on a machine of one's own."""
