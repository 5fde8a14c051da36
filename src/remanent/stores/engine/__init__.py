"""What ranks and holds arrays, in numpy and without a statement: every backend ranks with it."""
