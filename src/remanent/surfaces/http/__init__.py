"""The HTTP API: one route for each verb, and a server that works and sleeps beside it."""
