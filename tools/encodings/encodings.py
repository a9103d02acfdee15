#!/usr/bin/python3
"""Compares what the Metal driver knows of Metal with Apple's headers.

    encodings.py HEADERS

HEADERS is a folder with Frameworks/ and include/, which in the macOS SDK are System/Library/Frameworks and
usr/include. A checkout of hexops/xcode-frameworks has that form. libclang reads all declarations, for arm64 and for
x86_64. newer.h has what headers of macOS 14 do not have yet. These are mistakes:

  - a message whose receiver, by receivers.txt, has no such method, or has it with other types;
  - a message of a later system than macOS 12 that is not declared with that version, or of which guards.txt knows no
    guard, or one that the code does not have;
  - a constant that is not the enumerator of Metal's that enums.txt calls it;
  - what this script does not understand: each Selector( in the driver is accounted for.

It prints mistakes, and exits with 1 where there is one. Needs clang with its libclang for Python (Debian: clang-19,
python3-clang-19).
"""

import ctypes
import pathlib
import re
import subprocess
import sys

from clang import cindex

from declarations import ROOT, constants, guards, messages, receivers

TARGETS = ["arm64-apple-macos12", "x86_64-apple-macos12"]
FRAMEWORKS = ["Foundation/Foundation.h", "Metal/Metal.h"]
HERE = pathlib.Path(__file__).resolve().parent
OLDEST = 12  # that runs Go programs
KIND = cindex.CursorKind
METHODS = (KIND.OBJC_INSTANCE_METHOD_DECL, KIND.OBJC_CLASS_METHOD_DECL)
OWNERS = (KIND.OBJC_INTERFACE_DECL, KIND.OBJC_PROTOCOL_DECL, KIND.OBJC_CATEGORY_DECL)
PARENTS = (KIND.OBJC_SUPER_CLASS_REF, KIND.OBJC_PROTOCOL_REF)
TYPE = re.compile(r"[rnNoORVA^]*")


class Headers:
    """What the headers declare for one target: methods by receiver and name, and enumerators."""

    def __init__(self, folder, target):
        self.methods, self.parents, self.enumerators = {}, {}, {}
        resources = subprocess.run(["clang-19", "-print-resource-dir"], capture_output=True, text=True, check=True)
        flags = ["-x", "objective-c", "-target", target, "-fblocks", "-w", "-nostdinc"]
        flags += ["-isystem", resources.stdout.strip() + "/include", "-isystem", str(folder / "include")]
        flags += ["-iframework", str(folder / "Frameworks")]
        metal = folder / "Frameworks/Metal.framework/Headers"
        files = FRAMEWORKS if (metal / "MTLLogState.h").exists() else FRAMEWORKS + [HERE / "newer.h"]
        source = "".join(f"#import <{name}>\n" for name in files)
        unit = cindex.Index.create().parse("all.m", flags, [("all.m", source)])
        for diagnostic in unit.diagnostics:
            if diagnostic.severity >= cindex.Diagnostic.Error:
                sys.exit(str(diagnostic))
        for cursor in unit.cursor.get_children():
            if cursor.kind in OWNERS:
                self.add_owner(cursor)
            elif cursor.kind == KIND.ENUM_DECL:
                for e in cursor.get_children():
                    if e.kind == KIND.ENUM_CONSTANT_DECL:
                        self.enumerators[e.spelling] = (e.enum_value, max(introduced(e), introduced(cursor)))

    def add_owner(self, owner):
        children = list(owner.get_children())
        name = owner.spelling
        if owner.kind == KIND.OBJC_CATEGORY_DECL:
            name = next(c.spelling for c in children if c.kind == KIND.OBJC_CLASS_REF)
        name = name.removeprefix("newer_")
        self.parents.setdefault(name, set()).update(c.spelling for c in children if c.kind in PARENTS)
        for method in children:
            if method.kind in METHODS:
                result, _, _, *arguments = types(method.objc_type_encoding)  # without self and _cmd
                since = max(introduced(method), introduced(owner))
                self.methods.setdefault((name, method.spelling), []).append(((result, *arguments), since))

    def find(self, receiver, name):
        """Returns the types and the first system of the methods of a receiver, or of what it inherits from."""
        found = self.methods.get((receiver, name), [])
        for parent in () if found else self.parents.get(receiver, ()):
            if parent != receiver:
                found = found + self.find(parent, name)
        return found


class Version(ctypes.Structure):
    _fields_ = [("major", ctypes.c_int), ("minor", ctypes.c_int), ("subminor", ctypes.c_int)]


class Availability(ctypes.Structure):
    """CXPlatformAvailability of clang-c/Index.h, which the bindings for Python leave out."""

    _fields_ = [("platform", cindex._CXString), ("introduced", Version), ("deprecated", Version),
                ("obsoleted", Version), ("unavailable", ctypes.c_int), ("message", cindex._CXString)]


def introduced(cursor):
    """Returns the macOS that brought a declaration, by its API_AVAILABLE; 0 where it says nothing."""
    lib, none = cindex.conf.lib, ctypes.c_void_p()
    function = lib.clang_getCursorPlatformAvailability
    function.argtypes = [cindex.Cursor] + 4 * [ctypes.c_void_p] + [ctypes.POINTER(Availability), ctypes.c_int]
    list = (Availability * 16)()
    for i in range(min(function(cursor, none, none, none, none, list, 16), 16)):
        if list[i].platform.spelling == b"macos":
            return list[i].introduced.major
    return 0


def types(encoding):
    """Returns the types of an encoding, without offsets and qualifiers. BOOL is a char to x86_64, a bool to arm64."""
    result = []
    while encoding:
        if encoding[0].isdigit():
            encoding = encoding[1:]
            continue
        n = end(encoding)
        kind = re.sub(r"\br|(?<=\^)r|^[rnNoORVA]+", "", encoding[:n])
        kind = kind.replace("^{dispatch_data_s=}", "@")  # which it is to Objective-C, and a pointer to C
        result.append("B" if kind == "c" else kind)
        encoding = encoding[n:]
    return tuple(result)


def end(encoding):
    """Returns the length of the first type of an encoding."""
    i = TYPE.match(encoding).end()
    if encoding[i] in "{([":
        depth = 0
        while True:
            depth += (encoding[i] in "{([") - (encoding[i] in "})]")
            i += 1
            if depth == 0:
                return i
    return i + 2 if encoding.startswith("@?", i) else i + 1


def check_messages(headers, mistake):
    """Holds each message against the method of each of its receivers. Returns how many pairs agree."""
    agree, of = 0, receivers()
    for m in messages():
        if m.name not in of:
            mistake(f"{m.place}: {m.name}: receivers.txt has no receiver")
        since, have = 99, []
        for receiver in of.get(m.name, ()):
            found = headers.find(receiver, m.name)
            have += [(receiver, "".join(encoding)) for encoding, _ in found]
            fitting = [first for encoding, first in found if encoding == types(m.types)]
            if fitting:
                agree += 1
                since = min(since, *fitting)
            elif not any(o.name == m.name and o is not m for o in messages()):  # the others' receivers
                mistake(f"{m.place}: {m.name}: {receiver} has no such method")
        if since == 99:
            mistake(f"{m.place}: {m.name}: declared as {m.types}, and the headers have "
                    + (", ".join(f"{e} in {r}" for r, e in have) or "none"))
            continue
        check_since(m.place, m.name, since, m.since, mistake)
    for name in set(of) - {m.name for m in messages()}:
        mistake(f"receivers.txt: the driver does not send {name}")
    return agree


def check_since(place, name, since, declared, mistake):
    """Checks that what is newer than the oldest system says so, and has a guard."""
    newer = since if since > OLDEST else 0
    if declared is not None and newer != declared:
        want = f"SelectorSince({newer}" if newer else "Selector("
        mistake(f"{place}: {name} came with macOS {since}: want {want}")
    guard = guards().get(name)
    if newer and guard is None:
        mistake(f"{place}: {name} came with macOS {since}, and guards.txt knows no guard")
    elif newer and guard[1] not in (ROOT / guard[0]).read_text():
        mistake(f"{place}: {name} came with macOS {since}, and its guard is missing: {guard[1]} in {guard[0]}")


def check_constants(headers, mistake):
    """Holds each constant against its enumerator. Returns how many agree."""
    agree = 0
    for place, value, enumerator in constants():
        have, since = headers.enumerators.get(enumerator, (None, 0))
        if value != have:
            mistake(f"{place}: {value}, and {enumerator} is {have}")
            continue
        agree += 1
        check_since(place, enumerator, since, None, mistake)
    return agree


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    mistakes = []
    for target in TARGETS:
        headers, before = Headers(pathlib.Path(sys.argv[1]).resolve(), target), len(mistakes)
        agree = check_messages(headers, mistakes.append)
        enumerators = check_constants(headers, mistakes.append)
        print(f"{target}: {len(messages())} messages, to {agree} receivers; {enumerators} enumerators; "
              f"{len(mistakes) - before} mistakes")
    for text in sorted(set(mistakes)):
        print(text)
    sys.exit(bool(mistakes))


if __name__ == "__main__":
    main()
