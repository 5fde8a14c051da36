"""What to write into the settings of the common clients so that they find this memory."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from remanent.core.dataclasses import dataclass

NAME: Final = "remanent"


@dataclass(frozen=True, slots=True, kw_only=True)
class Launch:
    """How a client reaches the server: a command to start, or the address of one that runs."""

    command: str = ""
    args: Sequence[str] = ()
    url: str = ""

    @property
    def entry(self) -> dict[str, Any]:
        if self.url:
            return {"url": self.url, "headers": {"Authorization": "Bearer YOUR_KEY"}}
        return {"command": self.command, "args": list(self.args)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Snippet:
    """A piece of a client's settings, and the file it belongs into."""

    client: str
    file: str
    text: str


# The client, the file of its settings, and the name under which that file keeps its servers.
_JSON: Final[Mapping[str, tuple[str, str]]] = {
    "claude-desktop": (
        "claude_desktop_config.json (Settings, Developer, Edit Config)",
        "mcpServers",
    ),
    "claude-code": (".mcp.json in the project's folder", "mcpServers"),
    "cursor": ("~/.cursor/mcp.json", "mcpServers"),
    "vscode": (".vscode/mcp.json", "servers"),
    "windsurf": ("~/.codeium/windsurf/mcp_config.json", "mcpServers"),
    "gemini-cli": ("~/.gemini/settings.json", "mcpServers"),
    "zed": ("settings.json of Zed", "context_servers"),
}
CLIENTS: Final = (*_JSON, "codex")


def snippets(how: Launch, clients: Sequence[str] = CLIENTS) -> list[Snippet]:
    """One for each of these clients."""
    return [_snippet(how, one) for one in clients]


def _snippet(how: Launch, client: str) -> Snippet:
    if client == "codex":
        return Snippet(client=client, file="~/.codex/config.toml", text=_toml(how))
    file, section = _JSON[client]
    entry = how.entry
    if client == "vscode":
        entry = {"type": "http" if how.url else "stdio", **entry}
    elif client == "claude-code" and how.url:
        entry = {"type": "http", **entry}
    elif client == "gemini-cli" and how.url:
        entry = {"httpUrl": how.url, "headers": entry["headers"]}
    elif client == "windsurf" and how.url:
        entry = {"serverUrl": how.url, "headers": entry["headers"]}
    text = json.dumps({section: {NAME: entry}}, indent=2, ensure_ascii=False)
    return Snippet(client=client, file=file, text=text)


def _toml(how: Launch) -> str:
    lines = [f"[mcp_servers.{NAME}]"]
    if how.url:
        lines += [f"url = {json.dumps(how.url)}", 'bearer_token_env_var = "REMANENT_KEY"']
    else:
        args = json.dumps(list(how.args), ensure_ascii=False)
        lines += [f"command = {json.dumps(how.command, ensure_ascii=False)}", f"args = {args}"]
    return "\n".join(lines)
