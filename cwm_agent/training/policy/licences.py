"""Licences that the metadata of a Python package name, and whether they are permissive; reads no licence texts."""

import re
from collections.abc import Sequence
from email import message_from_string

LONGEST_NAME = 400
"""Characters of a licence field that are read; some fields contain the whole licence text."""
_PERMISSIVE = re.compile(
    r"\b(MIT(-0)?|0?BSD|Apache|ASL|ISC|PSF|Python Software Foundation|Unlicense|zlib|CC0|Public Domain|WTFPL|Boost"
    r"|BSL-1\.0|HPND)\b",
    re.IGNORECASE,
)
_OTHER = re.compile(
    r"GPL|GNU|Affero|MPL|Mozilla|EPL|Eclipse|CDDL|EUPL|CeCILL|OSL|Artistic|SSPL|BUSL|Business Source|Sleepycat"
    r"|Proprietary|Commercial|Creative Commons|CC[- ]BY|Restricted|Educational|copyleft",
    re.IGNORECASE,
)


def stated_licences(metadata: str) -> tuple[str, ...]:
    """The licence expression, the licence field and the classifiers of a METADATA or PKG-INFO text."""
    message = message_from_string(metadata.partition("\n\n")[0])
    stated = [message.get("License-Expression", ""), message.get("License", "")[:LONGEST_NAME]]
    stated += [each for each in message.get_all("Classifier", []) if each.startswith("License ::")]
    return tuple(each.strip() for each in stated if each.strip() not in ("", "UNKNOWN"))


def is_permissive(stated: Sequence[str]) -> bool:
    """Whether only permissive licences are named, and at least one."""
    whole = " | ".join(stated)
    return bool(_PERMISSIVE.search(whole)) and not _OTHER.search(whole)
