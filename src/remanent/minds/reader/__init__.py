"""Reader: the trained encoder that reads sources and judges statements, and how its heads are read.

`training/` makes its weights (`remanent.weights`); nothing here is learned and nothing is listed.
"""
