"""Regions that contain other places: to live in one of them and in a town is no contradiction."""

from __future__ import annotations

from remanent.minds.offline.lexicon import words

COUNTRIES = words(
    "norway sweden denmark finland iceland germany france spain portugal italy austria switzerland"
    " netherlands holland belgium luxembourg ireland england scotland wales uk britain poland czechia"
    " slovakia hungary romania bulgaria greece turkey ukraine russia estonia latvia lithuania croatia"
    " serbia slovenia usa us u.s. states america canada mexico brazil argentina chile peru colombia"
    " venezuela ecuador uruguay bolivia cuba jamaica china japan korea india pakistan bangladesh nepal"
    " thailand vietnam indonesia malaysia philippines taiwan australia zealand egypt morocco nigeria"
    " kenya ethiopia ghana africa asia europe scandinavia israel iran iraq lebanon jordan syria qatar"
    " emirates arabia bavaria catalonia tuscany california texas florida oregon washington ohio"
    " michigan illinois colorado arizona nevada utah virginia georgia massachusetts ontario quebec"
    " alberta queensland victoria provence normandy andalusia tasmania hawaii alaska"
)
