"""`tidemill bench`: how fast a model answers, how close that is to the hardware, and who says so."""
