"""The shell: every edge of small projects, and those that must not be there."""

from __future__ import annotations

from tests.graph.project import Project


def test_functions_of_the_file_and_of_those_it_sources() -> None:
    project = Project({
        "bin/run.sh": """\
            #!/bin/bash
            HERE="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
            source "$(dirname "$0")/../lib/log.sh"
            . "$HERE/near.sh"
            source "$ROOT/lib/more/deep.sh"
            source "$1"
            source "$ROOT/far.sh"
            name=1
            main() {
                local size=1
                log "$name" "$size"
                near
                deep
                far
                grep main
                size
                if helper; then main; fi
            }
            size=2
            """,
        "bin/near.sh": "near() { :; }\n",
        "lib/log.sh": "source ./base.sh\nlog() { base; }\n",
        "lib/base.sh": "base() { :; }\nhelper() { :; }\n",
        "lib/more/deep.sh": "deep() { :; }\n",
        "other/far.sh": "far() { :; }\ngrep() { :; }\nsize() { :; }\n",
    })  # fmt: skip
    assert project.edges("bin/run.sh") == {
        "bin/run.sh:3 /../lib/log.sh -> lib/log.sh: proven",
        "bin/run.sh:4 /near.sh -> bin/near.sh: proven",
        "bin/run.sh:5 /lib/more/deep.sh -> lib/more/deep.sh: proven",
        "bin/run.sh:11 log -> lib/log.sh:log proven",
        "bin/run.sh:11 name -> bin/run.sh:name proven",
        "bin/run.sh:12 near -> bin/near.sh:near proven",
        "bin/run.sh:13 deep -> lib/more/deep.sh:deep proven",
        "bin/run.sh:17 helper -> lib/base.sh:helper proven",
        "bin/run.sh:17 main -> bin/run.sh:main proven",
    }
    assert project.edges("lib/log.sh") == {
        "lib/log.sh:1 ./base.sh -> lib/base.sh: proven",
        "lib/log.sh:2 base -> lib/base.sh:base proven",
    }


def test_what_an_inner_shell_defines_and_what_is_defined_twice() -> None:
    project = Project({
        "run.sh": """\
            log() { echo; }
            ( inner() { log; }; inner )
            inner
            x=$(deep() { echo; }; deep)
            deep
            if [ -t 1 ]; then
              show() { echo 1; }
            else
              show() { echo 2; }
            fi
            show
            """,
    })  # fmt: skip
    found = {edge.replace(":x.", ":") for edge in project.edges()}
    assert found == {
        "run.sh:2 log -> run.sh:log proven",
        "run.sh:2 inner -> run.sh:inner proven",
        "run.sh:4 deep -> run.sh:deep proven",
    }
