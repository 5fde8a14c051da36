"""Wiring of export and import. Names no adapter."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version

from remanent.backup.export import Export
from remanent.backup.import_memory import ImportMemory
from remanent.errors import ConfigError
from remanent.wiring import House
from remanent.wiring_embedders import embedder_of, reembed_of


def export_of(house: House) -> Export:
    """How what this house holds is written down."""
    stores = house.stores
    return Export(
        carrying=stores.carrying,
        registry=stores.registry,
        witness=house.access.witness,
        clock=house.clock,
        version=_version(),
    )


def import_of(house: House) -> ImportMemory:
    """How this house takes in what another wrote down."""
    stores, embedder = house.stores, house.embedder
    return ImportMemory(
        carrying=stores.carrying,
        registry=stores.registry,
        renewal=stores.renewal,
        queue=stores.queue,
        atomic=stores.atomic,
        embedder=embedder.name,
        dimensions=lambda: embedder.dimensions,
        reembed=None if _has_a_name(house) else reembed_of(stores, embedder),
        witness=house.access.witness,
        clock=house.clock,
    )


def _has_a_name(house: House) -> bool:
    """Whether a job can find the embedder again; one that was brought along is not in any settings."""
    try:
        return embedder_of(house.embedder.name, house.config).name == house.embedder.name
    except ConfigError:
        return False


def _version() -> str:
    try:
        return version("remanent")
    except PackageNotFoundError:  # run from a folder that nobody installed
        return ""
