"""What the Metal driver knows of Metal, read off its Go code and off the tables of this folder."""

import collections
import functools
import os
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = pathlib.Path(os.environ.get("METALGEN_ROOT", HERE.parents[1]))  # another one in the tests of this folder
FOLDERS = ["runtime/internal/objc", "runtime/internal/metal"]

Message = collections.namedtuple("Message", "name types since place")

CALL = re.compile(r"(?<!func )\b(Selector|SelectorSince)\(")
STRING = r'"(?:[^"\\]|\\.)*"'
ARGUMENTS = re.compile(rf"\s*(?:(\d+),)?\s*({STRING}(?:\s*\+\s*{STRING})*),\s*({STRING})\)")


@functools.cache
def messages():
    """Returns the messages that the driver declares. Whatever looks like one and is none ends the script."""
    found = []
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).glob("*.go")):
            if path.name.endswith("_test.go"):
                continue
            text = re.sub(r"//.*", "", path.read_text())
            for call in CALL.finditer(text):
                place = f"{path.relative_to(ROOT)}:{text.count(chr(10), 0, call.start()) + 1}"
                match = ARGUMENTS.match(text, call.end())
                if not match or (call[1] == "SelectorSince") != bool(match[1]):
                    if (folder, path.name) == ("runtime/internal/objc", "selector.go"):
                        continue  # SelectorSince calls Selector
                    sys.exit(f"{place}: this is no declaration of a message: {text[call.start():call.end() + 40]}")
                found.append(Message(join(match[2]), join(match[3]), int(match[1] or 0), place))
    return found


def join(strings):
    """Returns the text of Go strings that are joined by +."""
    return "".join(s[1:-1] for s in re.findall(STRING, strings))


def rows(name):
    """Yields the lines of a table of this folder, without comments."""
    for line in (HERE / name).read_text().splitlines():
        if line and not line.startswith("#"):
            yield line


@functools.cache
def receivers():
    """Returns the classes and protocols that are sent each message."""
    result = collections.defaultdict(list)
    for line in rows("receivers.txt"):
        receiver, _, names = line.partition(": ")
        for name in names.split():
            result[name].append(receiver)
    return result


@functools.cache
def guards():
    """Returns, for what is newer than the oldest system, a file and a text in it that is the guard."""
    result = {}
    for line in rows("guards.txt"):
        name, file, text = line.split(None, 2)
        result[name] = (file, text)
    return result


CONSTANT = re.compile(r"^\s*(?:const )?(\w+)(?:\s+[\w.]+)?\s*=\s*([\d\s<|()]+?)\s*(?://.*)?$", re.M)


@functools.cache
def constants():
    """Returns the place, the value and the enumerator of each constant that enums.txt names."""
    found = []
    for line in rows("enums.txt"):
        file, pattern, enumerator = line.split(None, 2)
        text = (ROOT / file).read_text()
        matches = [(m[1] if m.re.groups else m[0], int(eval(value)))
                   for name, value in CONSTANT.findall(text) if (m := re.fullmatch(pattern, name))]
        if not matches:  # it is no constant but a number in a table, in the group of the pattern
            matches = [(m[1], int(m[2])) for m in re.finditer(pattern, text) if m.re.groups == 2]
        if not matches:
            sys.exit(f"enums.txt: {file} has no {pattern}")
        for name, value in matches:
            found.append((f"{file}: {name}", value, enumerator.replace("*", name)))
    return found + vectors() + languages()


def vectors():
    """Returns the types of data: a scalar in datatype.go is followed by its vectors, a matrix by larger ones."""
    file, found = "runtime/internal/metal/datatype.go", []
    scalars, _, matrices = (ROOT / file).read_text().partition("var matrixTypes")
    names = {"uint": "UInt", "ushort": "UShort", "uchar": "UChar", "ulong": "ULong", "bfloat": "BFloat"}
    for first, name in re.findall(r'\{(\d+), "(\w+)', scalars):
        kind = names.get(name, name.capitalize())
        for n in range(1, 5):
            found.append((f"{file}: {name}{n}", int(first) + n - 1, f"MTLDataType{kind}{n if n > 1 else ''}"))
    for first, name in re.findall(r'\{(\d+), "(\w+)"\}', matrices.partition("}}")[0] + "}"):
        for i in range(9):
            size = f"{2 + i // 3}x{2 + i % 3}"
            found.append((f"{file}: {name}{size}", int(first) + i, f"MTLDataType{name.capitalize()}{size}"))
    return found


def languages():
    """Returns the versions of the language in language.go, as driver.MSL packs them."""
    file = "runtime/internal/metal/language.go"
    versions = re.findall(r"driver\.MSL\((\d+), (\d+)\)", (ROOT / file).read_text())
    return [(f"{file}: MSL({a}, {b})", int(a) << 16 | int(b), f"MTLLanguageVersion{a}_{b}") for a, b in versions]
