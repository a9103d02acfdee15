#!/usr/bin/python3
"""Compares the messages that the Metal driver sends with Apple's headers.

    encodings.py HEADERS [FILE...]

HEADERS is a folder with Frameworks/ and include/, which in the macOS SDK are System/Library/Frameworks and
usr/include. A checkout of hexops/xcode-frameworks has that form. libclang reads the declarations of all methods, and
encodes their types for arm64 and for x86_64. A message that the driver declares with other types than any method of
its name is a mistake: it is printed, and the exit code is 1. Messages that the headers do not have are listed, because
headers may be older than the driver. FILEs are read behind them, and may declare what is newer.

Needs clang with its libclang for Python (Debian: clang-19, python3-clang-19).
"""

import pathlib
import re
import subprocess
import sys

from clang import cindex

TARGETS = ["arm64-apple-macos", "x86_64-apple-macos"]
FRAMEWORKS = ["Foundation/Foundation.h", "Metal/Metal.h"]
METHODS = (cindex.CursorKind.OBJC_INSTANCE_METHOD_DECL, cindex.CursorKind.OBJC_CLASS_METHOD_DECL)
ROOT = pathlib.Path(__file__).resolve().parents[2]
DECLARATION = re.compile(r'\bSelector\(\s*"([^"]+)",\s*"([^"]+)"')
TYPE = re.compile(r"[rnNoORVA^]*")


def messages():
    """Yields the name, the types and the place of each message that the driver declares."""
    for folder in ("objc", "metal"):
        for path in sorted((ROOT / "runtime/internal" / folder).glob("*.go")):
            if path.name.endswith("_test.go"):
                continue
            text = path.read_text()
            for match in DECLARATION.finditer(text):
                line = text.count("\n", 0, match.start(1)) + 1
                yield match[1], types(match[2]), f"{path.relative_to(ROOT)}:{line}"


def methods(headers, more, target):
    """Returns the types of the methods of all classes and protocols, by their names, with who declares them."""
    resources = subprocess.run(["clang-19", "-print-resource-dir"], capture_output=True, text=True, check=True)
    flags = ["-x", "objective-c", "-target", target, "-fblocks", "-w", "-nostdinc"]
    flags += ["-isystem", resources.stdout.strip() + "/include", "-isystem", str(headers / "include")]
    flags += ["-iframework", str(headers / "Frameworks")]
    source = "".join(f"#import <{name}>\n" for name in FRAMEWORKS + [pathlib.Path(name).resolve() for name in more])
    unit = cindex.Index.create().parse("all.m", flags, [("all.m", source)])
    for diagnostic in unit.diagnostics:
        if diagnostic.severity >= cindex.Diagnostic.Error:
            sys.exit(str(diagnostic))
    found = {}
    for owner in unit.cursor.get_children():
        for method in owner.get_children():
            if method.kind in METHODS:
                result, _, _, *arguments = types(method.objc_type_encoding)  # without self and _cmd
                found.setdefault(method.spelling, {}).setdefault((result, *arguments), owner.spelling)
    return found


def types(encoding):
    """Returns the types of an encoding, without offsets and qualifiers. BOOL is a char to x86_64, a bool to arm64."""
    result = []
    while encoding:
        if encoding[0].isdigit():
            encoding = encoding[1:]
            continue
        n = end(encoding)
        kind = re.sub(r"\br|(?<=\^)r|^[rnNoORVA]+", "", encoding[:n])
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


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    wrong = False
    for target in TARGETS:
        known = methods(pathlib.Path(sys.argv[1]), sys.argv[2:], target)
        right, absent = 0, []
        for name, want, place in messages():
            have = known.get(name, {})
            if not have:
                absent.append(name)
            elif want in have:
                right += 1
            else:
                wrong = True
                print(f"{place}: {name}: declared as {''.join(want)}")
                for encoding, owner in have.items():
                    print(f"\t{''.join(encoding)} in {owner}")
        print(f"{target}: {right} messages agree, {len(absent)} are not in these headers: {', '.join(absent)}")
    sys.exit(wrong)


if __name__ == "__main__":
    main()
