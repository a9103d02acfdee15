package metalgen_test

import (
	"context"
	"fmt"
	"go/doc/comment"
	"go/parser"
	"go/token"
	"log"
	"os"
	"strings"
	"testing"

	"github.com/metalgen/metalgen/gen"
	mtl "github.com/metalgen/metalgen/runtime"
)

func Example() {
	dev, err := mtl.Open() // Metal where there is one, else the CPU device
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	a, err := mtl.Upload(dev, []float32{1, 2, 3, 4})
	if err != nil {
		log.Fatal(err)
	}
	b, err := mtl.Upload(dev, []float32{10, 20, 30, 40})
	if err != nil {
		log.Fatal(err)
	}
	sum, err := mtl.NewBuffer[float32](dev, 4)
	if err != nil {
		log.Fatal(err)
	}

	batch := dev.NewBatch()
	gen.ResidualAdd(batch, gen.ResidualAddArgs{A: a, B: b, Out: sum, Dim: 4})
	if err := batch.Run(context.Background()); err != nil {
		log.Fatal(err)
	}
	fmt.Println(sum.Data())
	// Output: [11 22 33 44]
}

// What README.md shows, with an input that is too short.
func Example_checked() {
	ctx := context.Background()
	dev, err := mtl.OpenWith(mtl.Options{Lines: mtl.LinesNever})
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	const dim, rows = 4096, 2
	buffer := func(n int) mtl.Buffer[float32] {
		b, err := mtl.NewBuffer[float32](dev, n)
		if err != nil {
			log.Fatal(err)
		}
		return b
	}
	r, x, w, y := buffer(rows*dim), buffer(dim), buffer(dim), buffer(rows*dim)

	b := dev.NewBatch()
	gen.FusedNormAddF32(b, gen.FusedNormAddF32Args{
		Residual: r, Input: x, Weight: w, Output: y,
		Dim: dim, Rows: rows, Eps: 1e-6,
	})
	err = b.Run(ctx)
	fmt.Println(err)
	// Output:
	// fused_norm_add_f32: input: need at least 8192 elements of float, [rows, dim] (norm.metal:21), have 4096
}

// TestDocShowsWhatIsInTheRepository looks for all code of the package's documentation in the files that it is from.
func TestDocShowsWhatIsInTheRepository(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "doc.go", nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	from := []string{"README.md", "shaders/residual.metal", "gen/residual_metal.go", "doc_test.go"}
	for _, block := range new(comment.Parser).Parse(file.Doc.Text()).Content {
		code, ok := block.(*comment.Code)
		if !ok {
			continue
		}
		if len(from) == 0 {
			t.Fatalf("from which file is this?\n%s", code.Text)
		}
		source, err := os.ReadFile(from[0])
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(code.Text) {
			if line = strings.TrimSpace(line); !strings.Contains(string(source), line) {
				t.Errorf("%s has no line %q", from[0], line)
			}
		}
		from = from[1:]
	}
	if len(from) > 0 {
		t.Errorf("no code from %q", from)
	}
}
