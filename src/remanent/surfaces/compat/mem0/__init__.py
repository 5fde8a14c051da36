"""The REST shape of mem0, as its hosted platform and as its open-source server have it.

`router` goes into an app of `remanent.surfaces.http`: `create_app(memory, faces=[Face(router=router)])`.
"""

from fastapi import APIRouter

from remanent.surfaces.compat.mem0 import open_source, platform

router = APIRouter()
router.include_router(platform.router)
router.include_router(open_source.router)

__all__ = ["router"]
