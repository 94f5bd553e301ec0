"""Words that carry little or no information about the origin of a text (TR-3).

Data only: `distinctive_words` uses the tables. Rows hold words as people write them; the tables
hold their stems, except the negations.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from wm.text.stems import stem


def _words(rows: Iterable[str]) -> Iterator[str]:
    for row in rows:
        yield from row.split()


_NEGATIONS_ROWS = (
    "not no never none neither nor without avoid instead dont doesnt didnt wont cant",
    "cannot shouldnt mustnt isnt arent",
    "nicht kein keine keinen keinem keiner nie niemals ohne",
    "ne pas jamais sans aucun aucune",
    "nunca sin jamás ningún ninguna",
    "não sem nenhum nenhuma jamais",
    "不 没 沒 无 無 别 別 勿 ない ません 禁止 않 말고 없이",
)
NEGATIONS = frozenset(_words(_NEGATIONS_ROWS))
"""Each negates the sentence that contains it."""

_FRAMING_ROWS = (
    "user users prefer prefers want wants like likes ask asked asks said says say team",
    "remember note please also always must need needs will just only",
    "use uses used using decision decided decide agreed agree fact memory",
    "going forward now future session sessions here there very really",
    "benutzer nutzer möchte will immer bitte entscheidung wir merke dass",
    "nutzt nutzen verwendet verwenden wird werden sich nach an am beim zum dann sowie hier",
    "soll sollen",
    "se si ya lo su sus usa usan usar usamos utiliza utilizamos hay cada como también aquí",
    "on ce ces son sa ses utilise utilisons utiliser sont doit doivent chaque aussi ici",
    "usam utiliza ser são deve devem cada também aqui sua seu pelo pela",
    "usuario quiere prefiere siempre decisión recuerda equipo",
    "utilisateur préfère veut toujours décision équipe souviens retiens nous",
    "usuário prefere quer sempre decisão lembre equipe",
)
FRAMING = frozenset(map(stem, _words(_FRAMING_ROWS)))
"""Words that introduce a statement: a summary puts them around everything."""

_COMMON_ROWS = (
    "add allow answer api app apply approach area automatic available back base before",
    "after because begin behind best better between big branch bring browser bug build",
    "call case change check choose class clean clear client code column come command",
    "comment commit common complete config configuration confirm connect contain copy",
    "correct count create current data database date day default define delete",
    "dependency deploy design detail develop developer different directory disable do",
    "document docs doc done down during each edit email empty enable end endpoint entry",
    "environment error even event every example expect explain export extra fail false",
    "fast feature field file find first fix folder follow form format found free full",
    "function general get give go good group guide handle hand help high hold hour",
    "human idea implement import include information input inside install",
    "interface internal issue item job keep key kind know language large last later",
    "layer lead least leave less let level library life limit line link list live load",
    "local log long look low main maintain make manage many map match mean merge",
    "message method minute mode model module month more most move name near never new",
    "next number object off old on once one open operation option order other out",
    "output over own package page part pass path people per performance place plan",
    "point policy possible post pr present problem process production program project",
    "property provide public pull push put query question read ready real reason",
    "record reference release remain remove rename repo repository report request",
    "require response result return review right root rule run safe same save schema",
    "screen script search second section see select send separate server service set",
    "setting setup several short show side simple since single size small software",
    "some sort source space special specific stage staging standard start state status",
    "stay step still stop storage store string structure style support sure switch",
    "system table take target task tell term test text thing think third through",
    "time title today together tool top track true try turn two type under unit until",
    "update upload value variable version view visible visit wait warn way web week",
    "well while whole wide word work worker workflow workspace write wrong year",
    "concise brief verbose detailed exactly via within rather than",
)
COMMON = frozenset(map(stem, _words(_COMMON_ROWS)))
"""Words of nearly every text about software: one of them alone does not identify an origin."""
