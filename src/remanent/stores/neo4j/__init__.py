"""The graph and the index in Neo4j: nodes and relationships as its own tools show them."""
