"""The stores in SQL: all statements that SQLite and PostgreSQL share. A dialect is one `Database`."""
