"""The names and values that the made-up year is made of."""

from __future__ import annotations

from collections.abc import Mapping


def _listed(text: str) -> tuple[str, ...]:
    return tuple(one.strip() for one in text.split(",") if one.strip())


WOMEN = _listed(
    "Maria, Sofia, Ingrid, Elena, Priya, Laura, Astrid, Fatima, Julia, Claire, Nina, Hanna, Yuki, Mei,"
    " Carmen, Olga, Amara, Greta, Leila, Marta, Signe, Rosa, Vera, Ines"
)
MEN = _listed(
    "Tom, Omar, Kenji, Peter, Lucas, David, Hugo, Noah, Ivan, Martin, Erik, Paul, Diego, Felix, Henrik,"
    " Samir, Viktor, Anton, Bruno, Marco, Rahul, Stefan, Oskar, Emil"
)
LAST = _listed(
    "Berg, Chen, Okafor, Patel, Novak, Garcia, Weber, Nguyen, Hansen, Rossi, Kowalski, Silva, Tanaka,"
    " Murphy, Dubois, Andersson, Haddad, Cohen, Larsen, Moreau, Fischer, Costa, Jansen, Varga, Holm,"
    " Petrov, Sato, Keller, Quinn, Byrne, Solberg, Vik, Lund, Strand, Moen, Dahl, Krogh, Falk, Brandt,"
    " Eriksen, Lahti, Virtanen, Bakker, Visser, Romano, Greco, Mendes, Duarte"
)
NICKNAMED = (("Elisabeth", "Liz", False), ("Alexander", "Alex", True), ("Katherine", "Kate", False))
MARRIED_LAST = _listed("Haugen, Brekke, Sandberg, Tveit")
PARTNERS = _listed(
    "Jonas, Thea, Kristian, Marianne, Sebastian, Linnea, Patrick, Camilla, Andreas, Beatrice, Gustav,"
    " Helene, Mathias, Pernille, Robin, Silje, Tobias, Ulrika, Vincent, Wilma, Adrian, Birgit, Caspar, Dagny,"
    " Edgar, Frida, Gideon, Hedda, Isak, Jenny, Kasper, Lotte, Magnus, Nadia, Otto, Petra"
)

VALUES: Mapping[str, tuple[str, ...]] = {
    "home": _listed(
        "Oslo, Bergen, Trondheim, Stavanger, Tromsø, Copenhagen, Stockholm, Gothenburg, Helsinki, Berlin,"
        " Hamburg, Munich, Vienna, Zurich, Geneva, Paris, Lyon, Madrid, Lisbon, Porto, Rome, Milan, Prague,"
        " Warsaw, Budapest, Athens, Dublin, Glasgow, London, Manchester, Amsterdam, Utrecht, Brussels,"
        " Toronto, Boston, Chicago, Seattle, Denver, Sydney, Tokyo"
    ),
    "employer": _listed(
        "Nordlys Energy, Brightwater, Kestrel Labs, Fjordbank, Solvang Foods, Halden Shipping, Quantico Systems,"
        " Birchwood Media, Tellus Health, Oakline Insurance, Vantage Robotics, Mistral Travel, Ferrum Steel,"
        " Lumen Optics, Harbour Logistics, Pinecrest School, Meridian Bank, Calder Consulting, Arctic Seafood,"
        " Bluefin Games, Stonebridge Law, Verity Press, Northgate Hospital, Pelican Software, Sagewell Pharma,"
        " Redwood Architects, Tidewater Power, Aurora Telecom, Juniper Textiles, Falcon Freight"
    ),
    "role": _listed(
        "product manager, data analyst, nurse, teacher, architect, accountant, software engineer, designer,"
        " sales manager, lawyer, librarian, editor, electrician, pharmacist, chef, researcher, translator,"
        " physiotherapist, journalist, carpenter, consultant, project manager"
    ),
    "car": _listed(
        "Volvo V60, Tesla Model 3, Toyota Corolla, Skoda Octavia, Fiat Panda, Nissan Leaf, Volkswagen Golf,"
        " Mazda 3, Kia Niro, Peugeot 208, Honda Jazz, Subaru Forester, Renault Zoe, Audi A4"
    ),
    "pet": _listed("Biscuit, Rufus, Pepper, Waffle, Nemo, Saga, Pixie, Bamse, Luna, Zorro, Kiwi, Mocca"),
    "dish": _listed(
        "mushroom risotto, fish tacos, beef rendang, ramen, lasagne, pad thai, shakshuka, bouillabaisse,"
        " chicken biryani, pierogi, moussaka, paella, falafel, gnocchi, bibimbap, salmon soup"
    ),
    "hobby": _listed(
        "pottery, bouldering, choir singing, chess, fly fishing, salsa dancing, cross-country skiing, gardening,"
        " woodworking, life drawing, rowing, yoga, birdwatching, archery, orienteering, fencing"
    ),
    "drink": _listed("black coffee, green tea, oat latte, Earl Grey, hot chocolate, mint tea, matcha, espresso"),
    "allergy": _listed("peanuts, shellfish, walnuts, strawberries, penicillin, cat hair, birch pollen, kiwi fruit, sesame"),
    "dentist": _listed("Dr. Haug, Dr. Winther, Dr. Malik, Dr. Osei, Dr. Lindgren"),
    "bank": _listed("Fjordbank, Meridian Bank, Nordkasse, Coastal Credit, Union Savings"),
    "gym": _listed("Iron Hall, Pulse Arena, Harbour Fitness, Northside Gym, The Boathouse"),
    "course": _listed("Italian, Japanese, Spanish, Polish, Arabic, Portuguese, Korean, Finnish"),
    "status": _listed(
        "on hold, in testing, waiting for approval, ahead of schedule, behind schedule, ready to ship, in the design"
        " phase, cancelled, live, under review"
    ),
    "tool": _listed("Postgres, MySQL, MongoDB, SQLite, DuckDB, Cassandra, Redis, Oracle"),
    "client": _listed(
        "Vestland County, Gray & Sons, the Maritime Museum, Polar Airways, Hillside Clinic, Delta Ferries,"
        " the City Library, Orchard Farms, Bergheim Hotels, Castle Breweries, Sundal Dairy, Kvarn Mills"
    ),
}  # fmt: skip
PROJECTS = _listed(
    "Project Halcyon, Project Atlas, Project Nightjar, Project Sequoia, Project Marlin, Project Ember,"
    " Project Saffron, Project Tundra, Project Beacon, Project Cobalt, Project Willow, Project Onyx,"
    " Project Juniper, Project Zephyr"
)
MONTHS = _listed(
    "January, February, March, April, May, June, July, August, September, October, November, December"
)
