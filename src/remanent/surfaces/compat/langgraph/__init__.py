"""The store interface of LangGraph, on a Remanent memory: `pip install remanent[langgraph]`."""

from remanent.surfaces.compat.langgraph.background import AsyncRemanentStore
from remanent.surfaces.compat.langgraph.store import RemanentStore

__all__ = ["AsyncRemanentStore", "RemanentStore"]
