"""The REST shape of mem0, as its hosted platform and as its open-source server have it.

`router` goes into an app of `remanent.surfaces.http`: `create_app(memory, faces=[Face(router=router)])`.
"""

from remanent.surfaces.mem0.routes import router

__all__ = ["router"]
