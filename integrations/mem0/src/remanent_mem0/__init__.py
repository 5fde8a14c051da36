"""The REST shape of mem0, as its hosted platform and as its open-source server have it.

`remanent serve` finds `router` where this is installed; it goes into an app of one's own by
`create_app(memory, faces=[Face(router=router)])`.
"""

from remanent_mem0.routes import router

__all__ = ["router"]
