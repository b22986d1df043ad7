"""Which licences are permissive. Unknown is not: what cannot be read as permissive is left out.

Main calls: `of_pypi`, `of_npm`, `of_debian`, `of_text`; each gives the licence as it is recorded, or None.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

_PERMISSIVE = re.compile(
    r"^(?:mit|go|mit-0|expat|x11|isc|0bsd|zlib|bsd|bsd-[0-4]-clause.*|bsd-?[2-4].*|[2-3]-clause-bsd|new-bsd|apache"
    r"|apache-?(?:license)?-?(?:v)?2(?:\.0)?(?:-with-llvm-exception)?|apache-1\.1|bsl-1\.0|boost.*|unlicense|cc0(?:-1\.0)?"
    r"|public-domain|python-2\.0|psf(?:-2\.0)?|psfl|curl|ncsa|hpnd.*|postgresql|zpl-2\.1|php-3\.01|unicode.*|blueoak-1\.0\.0)$",
    re.IGNORECASE,
)
_TROVE = {
    "MIT License": "MIT",
    "MIT No Attribution License (MIT-0)": "MIT-0",
    "BSD License": "BSD",
    "Apache Software License": "Apache-2.0",
    "ISC License (ISCL)": "ISC",
    "Python Software Foundation License": "PSF-2.0",
    "The Unlicense (Unlicense)": "Unlicense",
    "Boost Software License 1.0 (BSL-1.0)": "BSL-1.0",
    "zlib/libpng License": "Zlib",
    "Zope Public License": "ZPL-2.1",
    "Historical Permission Notice and Disclaimer (HPND)": "HPND",
    "Public Domain": "public-domain",
    "CC0 1.0 Universal (CC0 1.0) Public Domain Dedication": "CC0-1.0",
}
_FREE_TEXT = {
    "mit license": "MIT",
    "the mit license": "MIT",
    "the mit license (mit)": "MIT",
    "apache 2.0": "Apache-2.0",
    "apache 2": "Apache-2.0",
    "apache license 2.0": "Apache-2.0",
    "apache license, version 2.0": "Apache-2.0",
    "apache license version 2.0": "Apache-2.0",
    "apache software license": "Apache-2.0",
    "apache software license 2.0": "Apache-2.0",
    "bsd license": "BSD",
    "new bsd": "BSD-3-Clause",
    "new bsd license": "BSD-3-Clause",
    "bsd 3-clause": "BSD-3-Clause",
    "bsd 3-clause license": "BSD-3-Clause",
    "3-clause bsd": "BSD-3-Clause",
    "modified bsd": "BSD-3-Clause",
    "simplified bsd": "BSD-2-Clause",
    "isc license": "ISC",
    "public domain": "public-domain",
}
_AND = re.compile(r"\s+and\s+|,\s*", re.IGNORECASE)
_OR = re.compile(r"\s+or\s+|/|\|", re.IGNORECASE)
_DEBIAN_FIELD = re.compile(r"^License:[ \t]*(.+)$", re.MULTILINE | re.IGNORECASE)


def permissive(expression: str) -> bool:
    """Whether an SPDX-like expression allows use under permissive terms: every `and`, any one `or`."""
    text = expression.replace("(", " ").replace(")", " ").strip()
    if not text:
        return False
    return any(
        all(_PERMISSIVE.match(term.strip().replace(" ", "-")) for term in _AND.split(choice))
        for choice in _OR.split(text)
    )


def of_pypi(info: Mapping[str, Any]) -> str | None:
    """From a project's metadata: the expression, then the classifiers, then the free text."""
    expression = info.get("license_expression") or ""
    if expression:
        return expression if permissive(expression) else None
    classifiers = [c for c in info.get("classifiers") or () if c.startswith("License ::")]
    names = [c.rpartition(" :: ")[2] for c in classifiers if c.count("::") > 1 or "Public Domain" in c]
    if names:
        known = [_TROVE.get(name) for name in names]
        return " AND ".join(k for k in known if k) if all(known) else None
    free = (info.get("license") or "").strip()
    free = _FREE_TEXT.get(free.lower(), free)
    return free if len(free) < 40 and permissive(free) else None


def of_npm(manifest: Mapping[str, Any]) -> str | None:
    """From the manifest's `license`."""
    licence = manifest.get("license")
    if isinstance(licence, dict):
        licence = licence.get("type")
    licence = _FREE_TEXT.get(str(licence or "").lower(), str(licence or ""))
    return licence if permissive(licence) else None


def of_debian(copyright_text: str) -> str | None:
    """From the paragraph `Files: *` of debian/copyright."""
    for paragraph in re.split(r"\n\s*\n", copyright_text):
        if re.search(r"^Files:\s*\*\s*$", paragraph, re.MULTILINE):
            field = _DEBIAN_FIELD.search(paragraph)
            licence = field[1].strip() if field else ""
            return licence if permissive(licence) else None
    return None


_TEXTS = (
    ("Apache-2.0", "apache license version 2.0"),
    ("MIT", "permission is hereby granted, free of charge, to any person obtaining a copy"),
    ("BSD", "redistribution and use in source and binary forms, with or without modification, are permitted"),
    ("ISC", "permission to use, copy, modify, and/or distribute this software for any purpose"),
    ("Zlib", "permission is granted to anyone to use this software for any purpose, including commercial"),
)


def of_text(notice: str) -> str | None:
    """From the text of a licence itself."""
    words = " ".join(notice.replace("Apache License,", "Apache License").lower().split())
    if "general public license" in words or "mozilla public license" in words or "commons clause" in words:
        return None
    return next((name for name, phrase in _TEXTS if phrase in words), None)
