"""Sessions of a browser: the key stays in the server, and the cookie is a token that only our pages can use."""

from __future__ import annotations

import secrets
from collections import OrderedDict
from datetime import datetime, timedelta
from typing import Final

from starlette.datastructures import Headers
from starlette.requests import cookie_parser

COOKIE: Final = "remanent_session"
PAGE_HEADER: Final = "Remanent-Web"  # no form and no page of another site can send it
LASTS: Final = timedelta(hours=12)
_MOST: Final = 1000
_OWN: Final = (None, "same-origin")


class Sessions:
    """The keys behind the tokens. A session ends with its time, its key, its sign-out or the server."""

    def __init__(self) -> None:
        self._keys: OrderedDict[str, tuple[str, datetime]] = OrderedDict()

    def begin(self, secret: str, now: datetime) -> str:
        """A new token for this key."""
        token = secrets.token_urlsafe(32)
        self._keys[token] = (secret, now + LASTS)
        if len(self._keys) > _MOST:
            self._keys.popitem(last=False)
        return token

    def secret_of(self, headers: Headers, now: datetime) -> str | None:
        """The key behind the cookie of a request that one of our own pages sent."""
        is_ours = PAGE_HEADER in headers and headers.get("sec-fetch-site") in _OWN
        secret, ends = self._keys.get(_token(headers), ("", now))
        return secret if is_ours and now < ends else None

    def end(self, headers: Headers) -> None:
        """Forget the token that a request came with."""
        self._keys.pop(_token(headers), None)


def _token(headers: Headers) -> str:
    return cookie_parser(headers.get("cookie", "")).get(COOKIE, "")
