"""Faces: other shapes of the same memory that a server shows beside its own routes."""

from __future__ import annotations

from collections.abc import Sequence

from remanent.surfaces.compat.mem0 import router as mem0
from remanent.surfaces.http.app import Face
from remanent.surfaces.mcp.mounted import mcp_face


def faces() -> Sequence[Face]:
    """All that are served."""
    return (mcp_face(), Face(router=mem0))
