"""Who serves models, by the first word of `provider:model`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pydantic_ai.models import Model

from remanent.errors import ConfigError

KEYS: Mapping[str, tuple[str, ...]] = {
    "openai": ("OPENAI_API_KEY",),
    "anthropic": ("ANTHROPIC_API_KEY",),
    "google": ("GOOGLE_API_KEY", "GEMINI_API_KEY"),
    "ollama": ("OLLAMA_API_KEY",),
    "vllm": ("VLLM_API_KEY",),
    "llamacpp": (),
}
OLLAMA_URL = "http://localhost:11434/v1"
_NO_KEY = "none"  # servers of one's own take anything
_KEYLESS = frozenset({"ollama", "vllm", "llamacpp"})
_ELSEWHERE = frozenset({"openai", "anthropic", "google"})  # whose keys are worth money


def split_name(name: str, setting: str = "mind") -> tuple[str, str]:
    """Provider and model; `ConfigError` if the provider is unknown or no model is named."""
    provider, _, model = name.partition(":")
    if provider not in KEYS or not model.strip():
        known = ", ".join(f"{one}:MODEL" for one in KEYS)
        raise ConfigError(setting, f"{name!r} is not one of: offline, {known}")
    return provider, model.strip()


def builder(url: str, env: Mapping[str, str]) -> Callable[[str], Model]:
    """Makes models by name. The key is looked up here and handed to the provider, and nowhere else."""

    def build(name: str) -> Model:
        provider, model = split_name(name)
        return _MAKERS[provider](model, url, key_for(provider, url, env))

    return build


def key_for(provider: str, url: str, env: Mapping[str, str]) -> str:
    """The key from `REMANENT_MIND_KEY`, else from the provider's own variable.

    With a URL of one's own the provider's variable is not looked at: a key goes only to whom it is for.
    """
    own = () if url and provider in _ELSEWHERE else KEYS[provider]
    for name in ("REMANENT_MIND_KEY", *own):
        if env.get(name, "").strip():
            return env[name].strip()
    if provider in _KEYLESS or (url and provider == "openai"):
        return _NO_KEY
    asked = " or ".join(("REMANENT_MIND_KEY", *own))
    raise ConfigError("mind", f"{provider} needs a key: set {asked}")


def _openai(model: str, url: str, key: str) -> Model:
    from pydantic_ai.models.openai import OpenAIChatModel  # noqa: PLC0415 - each provider is heavy
    from pydantic_ai.providers.openai import OpenAIProvider  # noqa: PLC0415

    if url:
        return _compatible(model, url, key)
    return OpenAIChatModel(model, provider=OpenAIProvider(api_key=key))


def _compatible(model: str, url: str, key: str) -> Model:
    from pydantic_ai.models.openai import OpenAIChatModel  # noqa: PLC0415
    from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider  # noqa: PLC0415

    if not url:
        raise ConfigError("mind_url", "names no server; set REMANENT_MIND_URL")
    provider = OpenAICompatibleProvider("compatible", base_url=url, api_key=key)
    return OpenAIChatModel(model, provider=provider)


def _ollama(model: str, url: str, key: str) -> Model:
    from pydantic_ai.models.ollama import OllamaModel  # noqa: PLC0415
    from pydantic_ai.providers.ollama import OllamaProvider  # noqa: PLC0415

    return OllamaModel(model, provider=OllamaProvider(base_url=url or OLLAMA_URL, api_key=key))


def _anthropic(model: str, url: str, key: str) -> Model:
    from pydantic_ai.models.anthropic import AnthropicModel  # noqa: PLC0415
    from pydantic_ai.providers.anthropic import AnthropicProvider  # noqa: PLC0415

    place = _bare(url, "/v1")
    return AnthropicModel(model, provider=AnthropicProvider(api_key=key, base_url=place))


def _google(model: str, url: str, key: str) -> Model:
    from pydantic_ai.models.google import GoogleModel  # noqa: PLC0415
    from pydantic_ai.providers.google import GoogleProvider  # noqa: PLC0415

    place = _bare(url, "/v1beta", "/v1")
    return GoogleModel(model, provider=GoogleProvider(api_key=key, base_url=place))


def _bare(url: str, *versions: str) -> str | None:
    """The address without the version of the protocol, which these clients put there themselves."""
    place = url.rstrip("/")
    for version in versions:
        place = place.removesuffix(version)
    return place or None


_MAKERS: Mapping[str, Callable[[str, str, str], Model]] = {
    "openai": _openai,
    "anthropic": _anthropic,
    "google": _google,
    "ollama": _ollama,
    "vllm": _compatible,
    "llamacpp": _compatible,
}
