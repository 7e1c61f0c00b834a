#!/usr/bin/env python3
"""What does floe consist of, and under which licences? Writes a bill of materials in SPDX 2.3 (JSON) to standard output.

The library has no dependencies besides the C++ standard library. What the program, the Python package and the tests use is
listed with the version that is installed here, where a package of Debian says so.
"""
import hashlib
import json
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LICENCE = "Apache-2.0"
# (name, package of Debian, licence, who needs it, relation)
USED = [
    ("CLI11", "libcli11-dev", "BSD-3-Clause", "the program", "BUILD_DEPENDENCY_OF"),
    ("RapidJSON", "rapidjson-dev", "MIT", "the program", "BUILD_DEPENDENCY_OF"),
    ("fmt", "libfmt-dev", "MIT", "the program", "RUNTIME_DEPENDENCY_OF"),
    ("xxHash", "libxxhash-dev", "BSD-2-Clause", "the program", "RUNTIME_DEPENDENCY_OF"),
    ("ZLIB", "zlib1g-dev", "Zlib", "the program", "RUNTIME_DEPENDENCY_OF"),
    ("nanobind", None, "BSD-3-Clause", "the Python package", "BUILD_DEPENDENCY_OF"),
    ("NumPy", "python3-numpy", "BSD-3-Clause", "the Python package", "RUNTIME_DEPENDENCY_OF"),
    ("GoogleTest", "libgtest-dev", "BSD-3-Clause", "the tests", "TEST_DEPENDENCY_OF"),
    ("RapidCheck", "librapidcheck-dev", "BSD-2-Clause", "the tests", "TEST_DEPENDENCY_OF"),
]


def version_of(package):
    if package is None:
        return "NOASSERTION"
    done = subprocess.run(["dpkg-query", "--show", "--showformat=${Version}", package], capture_output=True, text=True, check=False)
    return done.stdout if done.returncode == 0 and done.stdout else "NOASSERTION"


def sources():
    listed = subprocess.run(["git", "-C", ROOT, "ls-files", "include", "src", "apps", "integrations", "python"], capture_output=True, text=True, check=True)
    return listed.stdout.splitlines()


def package(identifier, name, version, licence, comment):
    return {"SPDXID": f"SPDXRef-{identifier}", "name": name, "versionInfo": version, "downloadLocation": "NOASSERTION",
            "filesAnalyzed": False, "licenseConcluded": licence, "licenseDeclared": licence, "copyrightText": "NOASSERTION",
            "comment": comment}  # fmt: skip


def bill():
    version = (ROOT / "VERSION").read_text(encoding="utf-8").strip()
    digest = hashlib.sha256()
    for name in sources():
        digest.update(name.encode() + b"\0" + (ROOT / name).read_bytes())
    packages = [package("floe", "floe", version, LICENCE, f"SHA-256 over its sources: {digest.hexdigest()}")]
    relations = [{"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES", "relatedSpdxElement": "SPDXRef-floe"}]
    for name, debian, used_licence, needed_by, relation in USED:
        packages.append(package(name, name, version_of(debian), used_licence, f"for {needed_by}"))
        relations.append({"spdxElementId": f"SPDXRef-{name}", "relationshipType": relation, "relatedSpdxElement": "SPDXRef-floe"})
    return {"spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": f"floe-{version}",
            "documentNamespace": f"https://spdx.org/spdxdocs/floe-{version}-{digest.hexdigest()[:16]}",
            "creationInfo": {"created": "1970-01-01T00:00:00Z", "creators": ["Tool: make_sbom.py"]},
            "packages": packages, "relationships": relations}  # fmt: skip


if __name__ == "__main__":
    print(json.dumps(bill(), indent=2))
