"""Reports as pages that need nothing else: no script, no network."""
