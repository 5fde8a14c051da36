"""Which field of life a word belongs to; the tags of the offline mind."""

from __future__ import annotations

_FIELDS = {
    "work": "work job office boss manager colleague coworker meeting client customer project deadline"
    " career salary promotion company interview team employee employer business contract report"
    " presentation hire resign startup launch stakeholder invoice",
    "family": "family mother father mom mum dad parent sister brother sibling son daughter kid child"
    " baby wife husband grandma grandpa grandmother grandfather aunt uncle cousin niece nephew twin"
    " marriage wedding",
    "friends": "friend friendship buddy roommate neighbour neighbor party hangout reunion",
    "love": "girlfriend boyfriend partner date fiancé fiancée relationship romance divorce engagement"
    " anniversary spouse",
    "health": "health doctor hospital medicine medication allergy allergic sick illness pain therapy"
    " therapist surgery diet sleep disease diagnosis injury symptom dentist nurse headache anxiety"
    " stress asthma diabetes pregnant clinic vaccine knee",
    "sport": "sport gym run running marathon swim swimming yoga football soccer tennis basketball"
    " cycling hike hiking workout training climb climbing race exercise league championship surf"
    " surfing ski skiing dance",
    "travel": "travel trip flight vacation holiday hotel airport train visit tour passport luggage"
    " abroad journey beach cruise camping camp roadtrip itinerary",
    "money": "money budget rent price cost pay payment bank loan mortgage tax invest investment saving"
    " salary debt insurance fee expense refund funding",
    "home": "home house apartment flat kitchen garden furniture move landlord lease room roof"
    " renovation cleaning neighborhood bathroom bedroom repair plumber",
    "food": "food cook cooking recipe dinner lunch breakfast restaurant coffee tea bake baking cake"
    " vegetarian vegan meal chocolate wine cheese bread soup salad dessert pasta ice-cream",
    "learning": "learn study school university college course class exam teacher student degree lesson"
    " education book research language tutor homework thesis workshop certification",
    "technology": "software code computer app server database website phone laptop program programming"
    " deploy release bug algorithm network cloud api backend frontend data",
    "arts": "art paint painting draw drawing museum gallery music song concert guitar piano violin band"
    " film movie theatre theater photography photo poem poetry novel write writing pottery sculpture",
    "games": "game gaming videogame console tournament chess puzzle player",
    "pets": "pet dog cat puppy kitten vet parrot hamster rabbit horse turtle",
    "nature": "nature mountain forest lake river ocean sea tree flower animal bird hike sunset plant"
    " garden wildlife park weather",
    "planning": "plan schedule goal deadline agenda calendar appointment prepare organise organize"
    " reminder tomorrow roadmap milestone decide decision",
    "feelings": "feel feeling happy sad anxious worry worried excited nervous proud grateful stress"
    " lonely angry fear emotion confidence hope",
    "community": "community volunteer charity church donation donate support group activism shelter"
    " campaign event pride rights neighborhood mentor",
    "belief": "faith church prayer religion god spiritual meditation value",
    "shopping": "buy shop store order purchase shopping sale delivery gift present",
}

DOMAINS: dict[str, tuple[str, ...]] = {}
for _tag, _lemmas in _FIELDS.items():
    for _lemma in _lemmas.split():
        DOMAINS[_lemma] = (*DOMAINS.get(_lemma, ()), _tag)
