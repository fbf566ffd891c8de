"""How fast variants are, and all that was found out, for people and machines."""
