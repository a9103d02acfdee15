#!/usr/bin/env python3
"""mutants.py -- breaks Metal sources in small ways, and compares what vet says of them with what clang says.

usage: mutants.py --metalgen PATH --judge PATH [--seed N] [--count N] SOURCE...

A mutant is a source with one change such as people make: a misspelt name, an argument too many, another type. The judge
is a program that takes a source as its argument after --check and ends with status 0 only if clang accepts it, with a
shim of Metal's library. Each line is a mutant on which the two do not agree; the last one counts. Sources that they do
not agree on before any change are left out. Needs python3.
"""
import argparse, concurrent.futures, os, random, re, subprocess, sys, tempfile

TOKEN = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:[^"\\\n]|\\.)*"|^[ \t]*#(?:[^\n\\]|\\.|\\\n)*'
                   r'|[A-Za-z_]\w*|\.?\d(?:[\w.]|[eE][+-])*|->|::|<<|>>|[-+*/%&|^=!<>]=|&&|\|\||\+\+|--|\s+|.', re.S | re.M)
TYPES = ['float', 'int', 'uint', 'half', 'bool', 'float2', 'float4', 'ushort']
WORDS = set('if else for while return kernel device constant threadgroup const struct template typename using namespace'
            ' void metal static inline constexpr'.split())


def names(tokens):
    return [i for i, t in enumerate(tokens) if re.match(r'[A-Za-z_]\w*$', t) and t not in WORDS and t not in TYPES]


def close(tokens, i):
    """The index of what closes the parenthesis at i."""
    depth = 0
    for j in range(i, len(tokens)):
        depth += tokens[j] in '([{' and len(tokens[j]) == 1
        depth -= tokens[j] in ')]}' and len(tokens[j]) == 1
        if depth == 0: return j
    return -1


def calls(tokens):
    """What is called, with arguments: no attribute."""
    return [i for i in names(tokens) if i + 1 < len(tokens) and tokens[i + 1] == '(' and close(tokens, i + 1) > i + 2
            and tokens[i - 2:i] != ['[', '['] and tokens[i - 1] != ',']


def without_comments(text):
    """A text without comments: vet reads annotations in them, which say nothing to clang."""
    return ''.join(re.sub(r'[^\n]', ' ', t) if t[:2] in ('//', '/*') else t for t in TOKEN.findall(text))


def misspell(r, t):
    i = r.choice(names(t)); w = t[i]; k = r.randrange(len(w))
    t[i] = w[:k] + w[k + 1:] + 'q' if len(w) > 2 else w + 'q'

def rename_to_other(r, t):
    i, j = r.choice(names(t)), r.choice(names(t)); t[i] = t[j]

def other_type(r, t):
    i = r.choice([i for i, w in enumerate(t) if w in TYPES]); t[i] = r.choice([w for w in TYPES if w != t[i]])

def drop_token(r, t):
    i = r.choice([i for i, w in enumerate(t) if w in (';', ')', '(', '{', '}', ',', '&', '*', 'const', '.')]); t[i] = ' '

def one_more_argument(r, t):
    i = r.choice(calls(t)); t[close(t, i + 1)] = ', 1)'

def one_less_argument(r, t):
    i = r.choice([i for i in calls(t) if ',' in t[i + 2:close(t, i + 1)]]); j = i + 2 + t[i + 2:close(t, i + 1)].index(',')
    t[i + 2:j + 1] = [' '] * (j - i - 1)

def swap_arguments(r, t):
    i = r.choice([i for i in calls(t) if t[i + 2:close(t, i + 1)].count(',') == 1]); end = close(t, i + 1)
    j = i + 2 + t[i + 2:end].index(','); t[i + 2:end] = t[j + 1:end] + [', '] + t[i + 2:j]

def other_member(r, t):
    i = r.choice([i for i, w in enumerate(t) if w in ('.', '->') and re.match(r'[A-Za-z_]', t[i + 1])])
    if r.random() < .5: t[i] = '.' if t[i] == '->' else '->'
    else: t[i + 1] += 'q'

def other_operator(r, t):
    ops = ['+', '-', '*', '/', '%', '<', '&', '=', '+=', '==', '<<']
    i = r.choice([i for i, w in enumerate(t) if w in ops]); t[i] = r.choice([o for o in ops if o != t[i]])

def drop_statement(r, t):
    ends = [i for i, w in enumerate(t) if w in (';', '{', '}')]; k = r.randrange(len(ends) - 1)
    if t[ends[k + 1]] == ';': t[ends[k] + 1:ends[k + 1] + 1] = [' '] * (ends[k + 1] - ends[k])

def qualify(r, t):
    spaces = ['device', 'constant', 'threadgroup', 'thread', 'const']
    i = r.choice([i for i, w in enumerate(t) if w in spaces]); t[i] = r.choice([s for s in spaces if s != t[i]])


CHANGES = [misspell, rename_to_other, other_type, drop_token, one_more_argument, one_less_argument, swap_arguments,
           other_member, other_operator, drop_statement, qualify]


def mutate(r, text):
    for _ in range(100):
        tokens, change = TOKEN.findall(text), r.choice(CHANGES)
        before = list(tokens)
        try: change(r, tokens)
        except (IndexError, ValueError): continue
        at = next((i for i, (a, b) in enumerate(zip(before, tokens)) if a != b), None)
        if at is not None and ''.join(tokens) != text:
            return change.__name__, 1 + ''.join(before[:at]).count('\n'), ''.join(tokens)
    return None


def accepts(command, path):
    try: return subprocess.run(command + [path], capture_output=True, timeout=120).returncode == 0
    except subprocess.TimeoutExpired: return None


def main():
    ap = argparse.ArgumentParser(); ap.add_argument('--metalgen', required=True); ap.add_argument('--judge', required=True)
    ap.add_argument('--seed', type=int, default=1); ap.add_argument('--count', type=int, default=500)
    ap.add_argument('--keep'); ap.add_argument('sources', nargs='+'); o = ap.parse_args()
    with tempfile.TemporaryDirectory() as work:
        def compare(name, text, path):
            """What vet and the judge say of a text that takes the place of a source."""
            own = os.path.join(work, name); os.mkdir(own)
            for f in os.listdir(os.path.dirname(path) or '.'):
                if f.endswith('.h'): os.symlink(os.path.abspath(os.path.join(os.path.dirname(path), f)), os.path.join(own, f))
            file = os.path.join(own, os.path.basename(path)); open(file, 'w').write(text)
            vet = [o.metalgen, 'vet', '-I', os.path.dirname(os.path.abspath(path)), '-in']
            return accepts(vet, own), accepts([o.judge, '--check'], file)
        texts = {p: without_comments(open(p).read()) for p in o.sources}
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            whole = dict(zip(texts, pool.map(lambda e: compare('whole%d' % e[0], texts[e[1]], e[1]), enumerate(texts))))
            sound = sorted(p for p, said in whole.items() if said == (True, True))
            print('%d of %d sources' % (len(sound), len(texts)))
            r, list_ = random.Random(o.seed), []
            while len(list_) < o.count:
                p = r.choice(sound); m = mutate(r, texts[p])
                if m: list_.append((p,) + m)
            results = pool.map(lambda e: compare('mutant%d' % e[0], e[1][3], e[1][0]), enumerate(list_))
            wrong = broken = 0
            for i, ((p, change, line, text), (vet, judge)) in enumerate(zip(list_, results)):
                broken += not judge
                if vet == judge: continue
                wrong += 1; print('%s:%d: %s: vet %s, clang %s' % (p, line, change, vet, judge)); sys.stdout.flush()
                if o.keep: os.makedirs(o.keep, exist_ok=True); open('%s/%d.metal' % (o.keep, i), 'w').write(text)
        print('%d of %d mutants, %d of which clang refuses' % (wrong, len(list_), broken))


main()
