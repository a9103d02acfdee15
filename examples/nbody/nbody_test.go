package main

import (
	"bytes"
	"image/gif"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/metalgen/metalgen/examples/nbody/gen"
	mtl "github.com/metalgen/metalgen/runtime"
	"github.com/metalgen/metalgen/runtime/runtimetest"
	"github.com/metalgen/metalgen/runtime/runtimetest/fakemetal"
)

// onEachDevice runs a test on the CPU device, and through the Metal driver on a fake of Metal. Neither needs a Mac.
func onEachDevice(t *testing.T, test func(t *testing.T, dev *mtl.Device)) {
	t.Run("cpu", func(t *testing.T) {
		dev, err := mtl.OpenWith(mtl.Options{Device: "cpu"})
		if err != nil {
			t.Fatal(err)
		}
		defer dev.Close()
		test(t, dev)
	})
	t.Run("fake Metal", func(t *testing.T) {
		dev, _ := fakemetal.Open(t, fakemetal.Options{})
		test(t, dev)
	})
}

// simulated returns what some bodies are after some steps.
func simulated(t *testing.T, dev *mtl.Device, start []gen.Body, steps int, dt float32) []gen.Body {
	t.Helper()
	bodies, err := mtl.Upload(dev, start)
	if err != nil {
		t.Fatal(err)
	}
	b := dev.NewBatch()
	for range steps {
		step(b, bodies, dt)
	}
	if err := b.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	return bodies.Data()
}

func TestKickIsTheAttractionOfAllBodies(t *testing.T) {
	onEachDevice(t, func(t *testing.T, dev *mtl.Device) {
		for _, n := range []int{1, 2, 255, 256, 257, 600} { // a tile has 256 bodies
			random := rand.New(rand.NewPCG(1, 2))
			start := make([]gen.Body, n)
			for i := range start {
				for k := range 3 {
					start[i].Position[k] = float32(random.NormFloat64())
				}
				start[i].Mass = random.Float32()
			}
			bodies, err := mtl.Upload(dev, start)
			if err != nil {
				t.Fatal(err)
			}
			b := dev.NewBatch()
			gen.Kick(b, gen.KickArgs{Bodies: bodies, Dt: 1, Softening: softening, N: uint32(n)})
			if err := b.Run(t.Context()); err != nil {
				t.Fatal(err)
			}
			for i, body := range bodies.Data() {
				want, size := attraction(start, i)
				off := toVector(body.Velocity).minus(want)
				if off := math.Sqrt(off.dot(off)); off > 2e-6*size {
					t.Errorf("body %d of %d is kicked by %v, want %v", i, n, body.Velocity, want)
				}
			}
		}
	})
}

// attraction returns the acceleration of a body, and the sum of the sizes of its parts, to which rounding is relative.
func attraction(bodies []gen.Body, i int) (sum vector, size float64) {
	for _, other := range bodies {
		way := toVector(other.Position).minus(toVector(bodies[i].Position))
		part := way.times(float64(other.Mass) * math.Pow(way.dot(way)+softening*softening, -1.5))
		sum = sum.plus(part)
		size += math.Sqrt(part.dot(part))
	}
	return sum, size
}

func TestEnergyAndMomentumAreKept(t *testing.T) {
	onEachDevice(t, func(t *testing.T, dev *mtl.Device) {
		start := collision(400)
		end := simulated(t, dev, start, 700, dt) // past the moment when the galaxies are nearest
		if before, after := energy(start), energy(end); math.Abs(after/before-1) > 2e-4 {
			t.Errorf("energy went from %v to %v", before, after)
		}
		before, after := momentum(start), momentum(end)
		if off := after.minus(before); math.Sqrt(off.dot(off)) > 1e-5 { // each galaxy has about 0.5
			t.Errorf("momentum went from %v to %v", before, after)
		}
	})
}

func momentum(bodies []gen.Body) (sum vector) {
	for _, b := range bodies {
		sum = sum.plus(toVector(b.Velocity).times(float64(b.Mass)))
	}
	return sum
}

// Two bodies at a constant distance go around each other at a speed that can be written down.
func TestErrorIsOfSecondOrder(t *testing.T) {
	onEachDevice(t, func(t *testing.T, dev *mtl.Device) {
		const distance = 1
		speed := math.Sqrt(distance * distance / 2 / math.Pow(distance*distance+softening*softening, 1.5))
		period := math.Pi * distance / speed
		pair := []gen.Body{
			{Position: [3]float32{distance / 2.}, Velocity: [3]float32{0, float32(speed)}, Mass: 1},
			{Position: [3]float32{-distance / 2.}, Velocity: [3]float32{0, -float32(speed)}, Mass: 1},
		}
		off := func(steps int) float64 { // after a whole turn
			end := simulated(t, dev, pair, steps, float32(period)/float32(steps))
			off := toVector(end[0].Position).minus(toVector(pair[0].Position))
			return math.Sqrt(off.dot(off))
		}
		if few, many := off(25), off(50); few/many < 3.8 || few/many > 4.2 {
			t.Errorf("half the time step makes an error of %v one of %v, want a quarter", few, many)
		}
	})
}

func TestAStepBackUndoesAStep(t *testing.T) {
	onEachDevice(t, func(t *testing.T, dev *mtl.Device) {
		start := collision(300)
		end := simulated(t, dev, simulated(t, dev, start, 100, dt), 100, -dt)
		for i := range start {
			off := toVector(end[i].Position).minus(toVector(start[i].Position))
			if math.Sqrt(off.dot(off)) > 1e-4 {
				t.Errorf("body %d is at %v, and was at %v", i, end[i].Position, start[i].Position)
			}
		}
	})
}

// A star in the middle of the view shines on the pixels there, whose light adds up to that of the star.
func TestAStarIsWhereItIsSeen(t *testing.T) {
	onEachDevice(t, func(t *testing.T, dev *mtl.Device) {
		const width, height, power = 81, 61, 50
		film, err := newFilm(dev, width, height)
		if err != nil {
			t.Fatal(err)
		}
		camera := orbit(0.3, width, power)
		eye := vector{float64(camera.Eye.X), float64(camera.Eye.Y), float64(camera.Eye.Z)}
		right := vector{float64(camera.Right.X), float64(camera.Right.Y), float64(camera.Right.Z)}
		bodies, err := mtl.Upload(dev, []gen.Body{
			{Light: [2]float32{1, 0}},
			{Light: [2]float32{0, 1}, Position: eye.times(1.5).packed()},  // behind the camera
			{Light: [2]float32{0, 1}, Position: right.times(10).packed()}, // beside the picture
		})
		if err != nil {
			t.Fatal(err)
		}
		b := dev.NewBatch()
		film.expose(b, bodies, camera)
		if err := b.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		var sum [2]uint32
		for i, light := range film.light.Data() {
			if light[0] > 0 && (max(i%width, width-1-i%width) > width/2+1 || max(i/width, height-1-i/width) > height/2+1) {
				t.Errorf("light at pixel (%d, %d)", i%width, i/width)
			}
			sum[0], sum[1] = sum[0]+light[0], sum[1]+light[1]
		}
		want := 4096 * power / eye.dot(eye) // in units of the film
		if math.Abs(float64(sum[0])-want) > 9 || sum[1] != 0 {
			t.Errorf("blue and yellow light of %v, want %v and none", sum, want)
		}

		film.develop(b)
		if err := b.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		picture := film.picture()
		r, _, blue, _ := picture.At(width/2, height/2).RGBA()
		if blue < 0x8000 || blue <= r {
			t.Errorf("the star is %v", picture.At(width/2, height/2))
		}
		if r, g, b, _ := picture.At(0, 0).RGBA(); r|g|b != 0 {
			t.Errorf("the corner is %v", picture.At(0, 0))
		}
	})
}

func TestPicturesDoNotDependOnTheOrderOfThreads(t *testing.T) {
	var want []uint8
	runtimetest.Schedules(t, 4, func(dev *mtl.Device) {
		m, err := shoot(t.Context(), dev, collision(500), 1, 64)
		if err != nil {
			t.Fatal(err)
		}
		got := m.pictures.Image[0].Pix
		if want == nil {
			want = bytes.Clone(got)
		}
		if !bytes.Equal(got, want) {
			t.Error("another picture")
		}
	})
}

func TestRunWritesAMovie(t *testing.T) {
	name := filepath.Join(t.TempDir(), "out.gif")
	var out strings.Builder
	if err := run(&out, []string{"-bodies", "300", "-frames", "3", "-width", "160", name}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "300 bodies, 24 steps") {
		t.Errorf("printed %s", &out)
	}
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	movie, err := gif.DecodeAll(f)
	if err != nil {
		t.Fatal(err)
	}
	if len(movie.Image) != 3 || movie.Config.Width != 160 || movie.Config.Height != 90 {
		t.Fatalf("%d pictures of %d x %d", len(movie.Image), movie.Config.Width, movie.Config.Height)
	}
	if bytes.Equal(movie.Image[1].Pix, movie.Image[2].Pix) {
		t.Error("nothing moves")
	}
	for _, args := range [][]string{
		{}, {name, name},
		{"-bodies", "1", name}, {"-frames", "0", name}, {"-width", "9999", name},
		{"-bodies", "2", "-frames", "1", filepath.Join(name, "no folder")},
	} {
		if err := run(io.Discard, args); err == nil {
			t.Errorf("no error from %q", args)
		}
	}
}
