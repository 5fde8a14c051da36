"""Training of the built-in mind (a small encoder with several heads); nothing here is shipped."""
