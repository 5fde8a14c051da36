"""Leak hunting: a made-up town of users and teams with secrets, asked in every way by the wrong people."""
