"""Routes for whoever keeps the whole memory: users, keys, work for all, how it is."""

from __future__ import annotations

from typing import Annotated, Any, Final

from fastapi import Query, Request, Response

from remanent.core.model.page import Worked
from remanent.core.model.sleep import Slept
from remanent.core.records.api_key import ApiKey, NewKey, Power
from remanent.core.records.audit import Deed
from remanent.core.records.embedding import Embedding
from remanent.core.records.erasure import Erased
from remanent.core.records.team import User
from remanent.errors import Forbidden, NotFound
from remanent.surfaces.http import asks
from remanent.surfaces.http.answers import page, said
from remanent.surfaces.http.caller import Keeper, Keeping, Whom
from remanent.surfaces.http.routes.work import insist_near, patience, waits
from remanent.surfaces.http.routing import Route, new_router, route
from remanent.surfaces.http.shapes import Accounts, Doctored, Listed, Paged, Removed, Verdict, Waits

router = new_router("keeping")
_MANAGE: Final = Power.MANAGE


def _keep(verb: str, status: int = 200) -> Route:
    return Route(verb=f"Memory.{verb}", power=_MANAGE, whom=Whom.SERVICE, status=status)


@route(router, "GET", "/v1/users", _keep("users"), Paged[User])
def users(keeper: Keeping, ask: Annotated[asks.Paging, Query()]) -> Response:
    """Everyone registered here."""
    found = keeper.memory.users()
    return said(page(lambda _: found, lambda one: one.user_id, ask.limit, ask.after))


@route(router, "POST", "/v1/users", _keep("user", 201), User)
def register(keeper: Keeping, ask: asks.Register) -> Response:
    """Register a user, or update name and time zone where given."""
    return said(keeper.memory.user(ask.user_id, ask.name, ask.timezone).profile, 201)


@route(router, "DELETE", "/v1/users/{user_id}", _keep("erase_user"), Erased)
def erase_user(keeper: Keeping, user_id: str, ask: Annotated[asks.DryRunning, Query()]) -> Response:
    """Erase a user and all that is theirs, for good, with a signed list of what went."""
    return said(keeper.memory.erase_user(user_id, dry_run=ask.dry_run))


@route(router, "POST", "/v1/all/work", _keep("work"), Worked)
def work(request: Request, keeper: Keeping, ask: asks.Work | None = None) -> Response:
    """Do what is due for all users, for as long as a request may take."""
    limit = None if ask is None else ask.limit
    return said(keeper.memory.work(limit=limit, stop=patience(request)))


@route(router, "POST", "/v1/all/sleep", _keep("sleep"), Listed[Slept])
def sleep(request: Request, keeper: Keeping, ask: asks.Sleep | None = None) -> Response:
    """Do every job of the night that is due, for all users."""
    wish = ask or asks.Sleep()
    insist_near(request, wish)
    return said({"items": keeper.memory.sleep(**wish.given(), stop=patience(request))})


@route(router, "POST", "/v1/all/timetable/schedule", _keep("schedule"), Waits)
def schedule(keeper: Keeping) -> Response:
    """Promise, for all users, the sleep that is due."""
    return said(waits(keeper.memory.schedule()))


@route(router, "GET", "/v1/all/spending", _keep("spending"), Accounts)
def spending(keeper: Keeping, ask: Annotated[asks.Spending, Query()]) -> Response:
    """What each user's mind cost."""
    return said({"items": keeper.memory.spending(ask.since)})


@route(router, "GET", "/v1/all/audit", _keep("audit"), Listed[Deed])
def audit(keeper: Keeping, ask: Annotated[asks.AuditAll, Query()]) -> Response:
    """What everybody did about teams, keys and whole memories; go on with `after`."""
    return said({"items": keeper.memory.audit(ask.after, ask.limit)})


@route(router, "GET", "/v1/doctor", _keep("doctor"), Doctored)
def doctor(keeper: Keeping, ask: Annotated[asks.Offline, Query()]) -> Response:
    """Look at mind, embedder, stores, clock, disk and work, and say what to do."""
    found = keeper.memory.doctor(offline=ask.offline)
    return said({"sound": found.is_sound, "findings": found.findings})


@route(router, "GET", "/v1/ready", _keep("ready"), Doctored)
def ready(keeper: Keeping) -> Response:
    """As `/readyz`, in words."""
    found = keeper.memory.ready()
    return said({"sound": found.is_sound, "findings": found.findings})


@route(router, "GET", "/v1/embedding", _keep("embedding"), Embedding)
def embedding(keeper: Keeping) -> Response:
    """Which embedder this memory has, and how far it is on the way to another."""
    return said(keeper.memory.embedding())


@route(router, "POST", "/v1/embedding", _keep("reembed"), Embedding)
def reembed(keeper: Keeping, ask: asks.Reembed) -> Response:
    """Promise to go over to another embedder, by name; `work` does it, and switches."""
    return said(keeper.memory.reembed(ask.embedder, background=True))


@route(router, "DELETE", "/v1/embedding", _keep("stop_reembedding"), Removed)
def stop_reembedding(keeper: Keeping) -> Response:
    """Stay with the embedder in use."""
    return said({"removed": keeper.memory.stop_reembedding()})


@route(router, "POST", "/v1/erasures/verify", _keep("verify_erasure"), Verdict)
def verify_erasure(keeper: Keeping, ask: asks.Certificate) -> Response:
    """Whether a list of what was erased is one that this memory has signed."""
    return said({"genuine": keeper.memory.verify_erasure(ask.certificate)})


# -- keys: a service's key tends all of them, a user's those of that user -------------------------


def _tend(verb: str, status: int = 200) -> Route:
    return Route(verb=f"Memory.{verb}", power=_MANAGE, whom=Whom.ANYONE, status=status)


@route(router, "POST", "/v1/keys", _tend("create_key", 201), NewKey)
def create_key(keeper: Keeping, ask: asks.CreateKey) -> Response:
    """Make a key, never a stronger one than one's own. Its secret is in the answer, and nowhere else;
    so no Idempotency-Key is taken."""
    return said(keeper.memory.create_key(**{**ask.given(), **_bounds(keeper.key, ask)}), 201)


@route(router, "GET", "/v1/keys", _tend("keys"), Paged[ApiKey])
def keys(keeper: Keeping, ask: Annotated[asks.Paging, Query()]) -> Response:
    """All keys, or those of one's own; revoked ones as well, oldest first."""
    found = _tended(keeper)
    return said(page(lambda _: found, lambda one: one.key_id, ask.limit, ask.after))


@route(router, "DELETE", "/v1/keys/{key_id}", _tend("revoke_key"), ApiKey)
def revoke_key(keeper: Keeping, key_id: str) -> Response:
    """Make a key worth nothing, at once and for good."""
    if all(one.key_id != key_id for one in _tended(keeper)):
        raise NotFound("key: there is no API key of that id")
    return said(keeper.memory.revoke_key(key_id))


def _tended(keeper: Keeper) -> list[ApiKey]:
    every = keeper.memory.keys()
    return [one for one in every if _may_tend(keeper.key, one)]


def _may_tend(own: ApiKey | None, other: ApiKey) -> bool:
    if own is None:
        return True
    is_theirs = own.user_id is None or own.user_id == other.user_id
    return is_theirs and own.team in (None, other.team)


def _bounds(own: ApiKey | None, ask: asks.CreateKey) -> dict[str, Any]:
    """What a key made with another one cannot be without: whoever holds a key makes none that may do
    more, for others, or for longer."""
    if own is None:
        return {}
    if not own.powers.issuperset(ask.powers):
        raise Forbidden("a key makes none that may do more than itself")
    if own.user_id is not None and ask.user_id not in (None, own.user_id):
        raise Forbidden("this key makes keys for its own user only")
    if own.team is not None and ask.team not in (None, own.team):
        raise Forbidden("this key makes keys for its own team only")
    ends = [one for one in (own.expires_at, ask.expires_at) if one is not None]
    return {
        "user_id": own.user_id or ask.user_id,
        "team": own.team or ask.team,
        "expires_at": min(ends, default=None),
    }
