// Package logtext formats the messages of os_log, for all devices that execute kernels themselves.
package logtext

import (
	"fmt"
	"log/slog"
	"math"
	"strconv"
	"strings"

	"github.com/metalgen/metalgen/internal/msl/tree"
)

// MaxMessages bounds the messages of a dispatch: the first are kept. MaxMessage bounds the bytes of one. Metal has such
// limits too.
const (
	MaxMessages = 4096
	MaxMessage  = 1024
)

// Levels are the levels as package slog has them.
var Levels = [...]slog.Level{
	tree.LogDebug: slog.LevelDebug, tree.LogInfo: slog.LevelInfo, tree.LogDefault: slog.LevelInfo,
	tree.LogError: slog.LevelError, tree.LogFault: slog.LevelError,
}

// Dropped is the message after the last one that is kept.
func Dropped(n int) string {
	return fmt.Sprintf("%d more messages of this call were dropped: %d are kept", n, MaxMessages)
}

// Arg is an argument of a message: the bits of its elements.
type Arg struct {
	Bits []uint64
	Long bool // they have 64 bits, not 32
}

// Format returns a message, as printf of C has it. The elements of a vector have commas between them.
func Format(format []tree.Conversion, args []Arg) string {
	var out []byte
	next := func() Arg {
		a := args[0]
		args = args[1:]
		return a
	}
	number := func() int { return int(int32(next().Bits[0])) }
	for i := range format {
		c := format[i]
		out = append(out, c.Before[:min(len(c.Before), MaxMessage+1)]...)
		if c.Verb == 0 || len(out) > MaxMessage {
			break
		}
		if c.Width == tree.FromArg {
			if c.Width = number(); c.Width < 0 {
				c.Flags |= tree.FlagMinus
				c.Width = -c.Width
			}
		}
		if c.Precision == tree.FromArg {
			if c.Precision = number(); c.Precision < 0 {
				c.Precision = tree.NoPrecision
			}
		}
		c.Width, c.Precision = min(c.Width, MaxMessage), min(c.Precision, MaxMessage)
		a := next()
		for j, bits := range a.Bits {
			if j > 0 {
				out = append(out, ',')
			}
			out = appendPadded(out, &c, digits(&c, bits, a.Long))
		}
	}
	if len(out) > MaxMessage {
		out = append(out[:MaxMessage-3], "..."...)
	}
	return strings.ToValidUTF8(string(out), "\uFFFD")
}

// printed is a number in two parts, between which zeros may be put.
type printed struct {
	sign   string // with the 0x of hexadecimal numbers
	digits string
	zeros  bool // instead of spaces where the flag asks for them
}

// digits returns an element of an argument.
func digits(c *tree.Conversion, bits uint64, long bool) printed {
	switch c.Verb {
	case 'c':
		return printed{digits: string([]byte{byte(bits)})}
	case 'p':
		return printed{digits: "0x" + strconv.FormatUint(bits, 16)}
	case 'd':
		if !long {
			bits = uint64(int64(int32(bits)))
		}
		shift := 64 - 8*c.Bytes
		v := int64(bits) << shift >> shift
		if v < 0 {
			return whole(c, "-", strconv.FormatUint(-uint64(v), 10))
		}
		return whole(c, plusSign(c), strconv.FormatInt(v, 10))
	case 'u', 'o', 'x', 'X':
		shift := 64 - 8*c.Bytes
		return unsigned(c, bits<<shift>>shift)
	}
	return float(c, float64(math.Float32frombits(uint32(bits))))
}

// plusSign is the sign of numbers that are not negative.
func plusSign(c *tree.Conversion) string {
	switch {
	case c.Flags&tree.FlagPlus != 0:
		return "+"
	case c.Flags&tree.FlagSpace != 0:
		return " "
	}
	return ""
}

// unsigned returns an integer without a sign.
func unsigned(c *tree.Conversion, v uint64) printed {
	base, sign := map[byte]int{'u': 10, 'o': 8, 'x': 16, 'X': 16}[c.Verb], ""
	text := strconv.FormatUint(v, base)
	if c.Verb == 'X' {
		text = strings.ToUpper(text)
	}
	if c.Flags&tree.FlagSharp != 0 {
		switch {
		case base == 16 && v != 0:
			sign = "0" + string(c.Verb)
		case base == 8 && v != 0 && c.Precision <= len(text):
			text = "0" + text
		case base == 8 && v == 0 && c.Precision == 0:
			return printed{digits: "0"}
		}
	}
	return whole(c, sign, text)
}

// whole returns an integer with as many digits as its precision asks for.
func whole(c *tree.Conversion, sign, digits string) printed {
	if c.Precision == 0 && digits == "0" {
		digits = ""
	}
	return printed{
		sign:   sign,
		digits: strings.Repeat("0", max(0, c.Precision-len(digits))) + digits,
		zeros:  c.Precision == tree.NoPrecision,
	}
}

// float returns a floating-point number.
func float(c *tree.Conversion, v float64) printed {
	n := printed{sign: plusSign(c)}
	if math.Signbit(v) {
		n.sign = "-"
	}
	v = math.Abs(v)
	verb := c.Verb | 0x20 // in lower case
	switch {
	case math.IsInf(v, 0):
		n.digits = "inf"
	case math.IsNaN(v):
		n.sign, n.digits = "", "nan" // as Apple's printf
	case verb == 'a':
		n.sign += "0x"
		n.digits = hexadecimal(c, v)
		n.zeros = true
	default:
		precision := c.Precision
		if precision == tree.NoPrecision {
			precision = 6
		}
		if verb == 'g' {
			precision = max(precision, 1)
		}
		if c.Flags&tree.FlagSharp != 0 {
			n.digits = fmt.Sprintf("%#.*"+string(verb), precision, v)
		} else {
			n.digits = strconv.FormatFloat(v, verb, precision, 64)
		}
		n.zeros = true
	}
	if verb != c.Verb {
		n.sign, n.digits = strings.ToUpper(n.sign), strings.ToUpper(n.digits)
	}
	return n
}

// hexadecimal returns a number as %a has it, without the 0x: as Go does, but that its exponent
// has no leading zeros.
func hexadecimal(c *tree.Conversion, v float64) string {
	precision := c.Precision
	if precision == tree.NoPrecision {
		precision = -1
	}
	text := strings.TrimPrefix(strconv.FormatFloat(v, 'x', precision, 64), "0x")
	mantissa, exponent, _ := strings.Cut(text, "p")
	if c.Flags&tree.FlagSharp != 0 && !strings.Contains(mantissa, ".") {
		mantissa += "."
	}
	power, _ := strconv.Atoi(exponent)
	return fmt.Sprintf("%sp%+d", mantissa, power)
}

// appendPadded appends a number in the width that it is to have.
func appendPadded(out []byte, c *tree.Conversion, n printed) []byte {
	padding := max(0, c.Width-len(n.sign)-len(n.digits))
	left, zeros, right := "", "", ""
	switch {
	case c.Flags&tree.FlagMinus != 0:
		right = strings.Repeat(" ", padding)
	case c.Flags&tree.FlagZero != 0 && n.zeros:
		zeros = strings.Repeat("0", padding)
	default:
		left = strings.Repeat(" ", padding)
	}
	return append(out, left+n.sign+zeros+n.digits+right...)
}
