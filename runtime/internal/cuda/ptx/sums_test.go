package ptx_test

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/metalgen/metalgen/internal/ir"
	"github.com/metalgen/metalgen/runtime/internal/cuda/ptx"
)

// TestTextsOfShadersAreWhatTheyWere compares the texts of all kernels of shaders/, for several calls, with what they
// were: what has run on a card is not to change unnoticed. docs/cuda.md has to say it of what changes.
func TestTextsOfShadersAreWhatTheyWere(t *testing.T) {
	file := filepath.Join("testdata", "shaders.sums")
	var sums bytes.Buffer
	shaders(t, func(t *testing.T, k *ir.Kernel) {
		safe, plain, ragged := optionsFor(k), optionsFor(k), optionsFor(k)
		safe.Fast = false
		plain.Unchecked = true
		ragged.Ragged, ragged.Whole, ragged.Align = true, false, 4
		for _, o := range []ptx.Options{optionsFor(k), safe, plain, ragged} {
			m, err := ptx.Write(k, o)
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&sums, "%x %s\n", sha256.Sum256([]byte(m.Text)), k.Name)
		}
	})
	if *update {
		if err := os.WriteFile(file, sums.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	old := bufio.NewScanner(bytes.NewReader(want))
	for have := bufio.NewScanner(&sums); have.Scan(); {
		if !old.Scan() || old.Text() != have.Text() {
			t.Errorf("%q, and it was %q: go test ./runtime/internal/cuda/ptx -update keeps it", have.Text(), old.Text())
		}
	}
	if old.Scan() {
		t.Errorf("%q is gone", old.Text())
	}
}
