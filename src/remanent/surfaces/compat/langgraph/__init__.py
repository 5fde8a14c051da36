"""The store interface of LangGraph, on a Remanent memory: `pip install remanent[langgraph]`."""

from remanent.surfaces.compat.langgraph.store import AsyncRemanentStore, RemanentStore

__all__ = ["AsyncRemanentStore", "RemanentStore"]
