"""`tidemill optimize`: make an artifact of a Hugging Face checkpoint."""
