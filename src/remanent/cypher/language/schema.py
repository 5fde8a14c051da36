"""What there is to ask for: the labels, the types of relationships and the names of properties."""

from __future__ import annotations

from typing import Final

from remanent.core.model.node import INDEX_ONLY, Kind
from remanent.core.model.relationship import LinkKind, RelationshipKind

PASSAGE: Final = "Passage"
SOURCE: Final = Kind.SOURCE.value.title()
HAS_PASSAGE: Final = "HAS_PASSAGE"
KINDS: Final = {kind.value: kind.value.title() for kind in Kind if kind not in INDEX_ONLY}
LABELS: Final = tuple(sorted([*KINDS.values(), PASSAGE]))
TYPES: Final = tuple(
    sorted([*(one.value.upper() for one in (*RelationshipKind, *LinkKind)), HAS_PASSAGE])
)
PROPERTIES: Final = (
    "access_count", "agent_id", "aliases", "anchor_key", "at", "attitude", "canonical_name",
    "closed_at", "confidence", "content", "content_type", "context_type", "covers_from", "covers_to",
    "created_at", "decay_gradient", "decayed_at", "description", "distinct_source_days", "end",
    "ended_at", "event_count", "event_type", "extraction_completed_at", "extraction_started_at",
    "first_mentioned_at", "has_macro", "has_meso", "importance", "importance_score", "is_dirty",
    "is_owner", "key", "keywords", "last_accessed_at", "last_event_at", "last_mentioned_at",
    "last_recall_interval", "last_source_at", "level", "name", "notes", "occurred_at", "ordinal",
    "origin_id", "output", "participants", "payload", "processing_completed_at",
    "processing_started_at", "processing_status", "provenance", "proximity", "recall_frequency",
    "recorded_at", "ref", "relationship_type", "salience", "sensitivity", "session_id", "since",
    "source_count", "source_key", "source_type", "speaker", "stability", "start", "started_at",
    "state", "statement", "status", "storyline_count", "subject", "summary", "superseded_by",
    "supersedes", "tags", "team_description", "team_id", "team_last_event_at",
    "team_last_source_at", "team_source_count", "team_started_at", "team_storyline_count", "text",
    "title", "total_source_count", "ttl_policy", "type", "until", "updated_at", "user_id", "valid_from",
    "valid_to", "weight",
)  # fmt: skip
