//go:build linux && !android && (amd64 || arm64)

package objc

import (
	"errors"
	"slices"
	"testing"
)

// Declarations that the fake's methods contradict.
var (
	selOtherSum = Selector("sum::", "qqq")
	selWrongSum = Selector("sum::", "q@Q")
)

func TestSelector(t *testing.T) {
	withFake(t)
	if Selector("sum::", "QQQ") != selSum {
		t.Error("the same declaration twice is two selectors")
	}
	if selOtherSum == selSum || selOtherSum.Word() != selSum.Word() || selSum.Word() == 0 {
		t.Errorf("two encodings of one name: %p %x, %p %x", selSum, selSum.Word(), selOtherSum, selOtherSum.Word())
	}
	late := Selector("declaredAfterLoad", "v")
	if late.Word() == 0 {
		t.Error("a selector declared after Load is not resolved")
	}
	if all := slices.Collect(Selectors()); !slices.Contains(all, selLocalizedDescription) || !slices.Contains(all, late) {
		t.Error("declared selectors are not in the registry")
	}
}

func TestCheck(t *testing.T) {
	withFake(t)
	id := fake.object(1)
	for _, sel := range append(slices.Clone(selWords), selRange, selArrays, selSizes, selSum, selHalf, selExtent, selFlag,
		selCallback, selScramble, selHow, selRespondsToSelector, selAlloc, selInitWithBytes, selUTF8String,
		selCount, selObjectAtIndex, selCode, selDomain, selLocalizedDescription) {
		if err := sel.Check(id); err != nil {
			t.Error(err)
		}
	}
	if err := selMissing.Check(id); !errors.Is(err, ErrNotFound) {
		t.Errorf("missing method: %v", err)
	}
	want := `objc: sum::: declared as "q@Q", the method is "Q32@0:8Q16Q24"`
	if err := selWrongSum.Check(id); err == nil || err.Error() != want {
		t.Errorf("have %v, want %s", err, want)
	}
}
