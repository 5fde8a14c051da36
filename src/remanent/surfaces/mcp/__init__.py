"""The Model Context Protocol face: memory as tools and resources for an agent's client."""
