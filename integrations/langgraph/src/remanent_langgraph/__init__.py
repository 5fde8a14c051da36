"""The store interface of LangGraph, on a Remanent memory: a distribution of its own."""

from remanent_langgraph.store import AsyncRemanentStore, RemanentStore

__all__ = ["AsyncRemanentStore", "RemanentStore"]
