"""Views: what commands found, for people's eyes. Nothing here prints."""
