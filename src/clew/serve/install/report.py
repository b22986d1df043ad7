"""What `clew install` and `clew doctor` tell about clients: envelopes, and the same for people."""

from __future__ import annotations

from pathlib import Path

from clew.answers import Check
from clew.errors import BadInput
from clew.serve import terminal
from clew.serve.gates import Envelope
from clew.serve.install import changes, launch
from clew.serve.install.clients import CLIENTS, Client, Machine, find_client


def change(name: str, machine: Machine, project: Path | None, *, apply: bool, uninstall: bool) -> Envelope:
    """Plan the change of one client's file and, if asked, write it."""
    client = find_client(name)
    file = client.file(machine, project)
    own = launch.own_launch()
    planned = changes.plan_change(client, file, None if uninstall else own)
    is_written = apply and planned.is_needed
    backup = changes.write_change(planned) if is_written else None
    again = ["clew", "install", name, *(["--project"] if project else []), *(["--uninstall"] if uninstall else [])]
    envelope: Envelope = {
        "status": "ok",
        "operation": "uninstall" if uninstall else "install",
        "client": name,
        "scope": "project" if project else "user",
        "file": str(file),
        "launch": list(own),
        "changes": planned.is_needed,
        "applied": is_written,
        "diff": planned.diff(),
        "backup": str(backup) if backup else None,
        "apply": " ".join([*again, "--apply"]) if planned.is_needed and not apply else None,
        "warnings": [],
    }
    if not uninstall and project is None and not client.is_present(machine):
        message = f"{client.title} does not seem to be on this machine: nothing of it was found"
        envelope["warnings"].append({"code": "CLIENT_NOT_FOUND", "message": message})
    return envelope


def overview(machine: Machine, project: Path | None) -> Envelope:
    """Every client: whether it is there, and how Clew stands in its file."""
    own = launch.own_launch()
    rows = [_row(client, machine, project, own) for client in CLIENTS.values() if not project or client.project]
    return {
        "status": "ok",
        "scope": "project" if project else "user",
        "launch": list(own),
        "clients": rows,
        "warnings": [],
    }


def checks(machine: Machine) -> tuple[Check, ...]:
    """For each client that has Clew: whether the configured command is there and runs."""
    found: list[Check] = []
    tried: dict[tuple[str, ...], str | None] = {}
    for client in CLIENTS.values():
        file = client.file(machine, None)
        subject = f"{client.title} ({file})"
        try:
            entry = changes.read_entry(client, file)
        except (BadInput, OSError) as error:
            if changes.mentions_clew(file):
                found.append(Check(subject, False, str(error)))
            continue
        if entry is None:
            continue
        trouble = launch.trouble_with(entry) or launch.try_version(entry, tried)
        advice = f"{trouble}; `clew install {client.name} --apply` sets it right"
        found.append(Check(subject, trouble is None, advice if trouble else f"starts {entry['command']}"))
    return tuple(found)


def _row(client: Client, machine: Machine, project: Path | None, own: tuple[str, ...]) -> Envelope:
    file = client.file(machine, project)
    state, message = _state(client, file, own)
    return {
        "client": client.name,
        "title": client.title,
        "file": str(file),
        "present": client.is_present(machine),
        "installed": state in ("installed", "outdated"),
        "state": state,
        "message": message,
    }


def _state(client: Client, file: Path, own: tuple[str, ...]) -> tuple[str, str | None]:
    try:
        entry = changes.read_entry(client, file)
    except (BadInput, OSError) as error:
        return "unreadable", str(error)
    if entry is None:
        return "absent", None
    trouble = launch.trouble_with(entry)
    wanted = changes.wanted_fields(client, own, entry)
    if trouble is None and any(entry.get(name) != value for name, value in wanted.items()):
        trouble = f"it starts {entry['command']}, not the Clew that runs now"
    return ("outdated", trouble) if trouble else ("installed", None)


def change_text(envelope: Envelope) -> str:
    """A diff and what to do next, or what was done."""
    title = CLIENTS[envelope["client"]].title
    is_removal = envelope["operation"] == "uninstall"
    if not envelope["changes"]:
        what = "Clew is not in it" if is_removal else "Clew is in it already"
        return f"nothing to do: {what}: {envelope['file']}"
    lines = [_painted(line) for line in envelope["diff"].splitlines()]
    if not envelope["applied"]:
        return "\n".join([*lines, "", f"nothing is written yet; `{envelope['apply']}` does it"])
    kept = f" (as it was: {envelope['backup']})" if envelope["backup"] else ""
    done = "removed from" if is_removal else "written to"
    return "\n".join([*lines, "", f"{terminal.paint(done, 'good')} {envelope['file']}{kept}; restart {title}"])


def overview_text(envelope: Envelope) -> str:
    """One client a line."""
    lines = []
    for row in envelope["clients"]:
        style = {"installed": "good", "absent": "dim"}.get(row["state"], "bad")
        state = terminal.paint(f"{row['state'] if row['state'] != 'absent' else 'not installed':<13}", style)
        there = "" if row["present"] else terminal.paint("  (client not found)", "dim")
        lines.append(f"{row['client']:<14} {state} {row['file']}{there}")
        if row["message"]:
            lines.append(f"{'':<14} {terminal.paint(row['message'], 'bad')}")
    lines += ["", "`clew install CLIENT` shows what it would write; --apply writes it"]
    return "\n".join(lines)


def _painted(line: str) -> str:
    style = {"+": "good", "-": "bad", "@": "dim"}.get(line[:1])
    return terminal.paint(line, style) if style else line
