"""The mind behind a language model: any provider, structured answers, tools for the three agents.

Importing this loads nothing foreign; `mind`, `chat` and `providers` need the extra `llm`.
"""
