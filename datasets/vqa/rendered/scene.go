package rendered

import (
	"math"
	"math/rand/v2"
	"strings"
)

// Shape is the form of an object.
type Shape int

// The shapes.
const (
	Circle Shape = iota
	Square
	Triangle
	Cross
)

// Color is the color of an object.
type Color int

// The colors.
const (
	Red Color = iota
	Green
	Blue
	Yellow
)

var (
	shapeNames = []string{"circle", "square", "triangle", "cross"}
	colorNames = []string{"red", "green", "blue", "yellow"}
	placeNames = []string{"top left", "top right", "bottom left", "bottom right"}
	paints     = [][3]float64{{220, 40, 40}, {30, 170, 60}, {50, 80, 230}, {235, 205, 40}}
)

// String names the shape.
func (s Shape) String() string { return shapeNames[s] }

// String names the color.
func (c Color) String() string { return colorNames[c] }

// Object is a shape in an image.
type Object struct {
	Shape Shape
	Color Color
	Row   int // 0 is the upper half of the image, 1 the lower
	Col   int // 0 is the left half of the image, 1 the right
}

// name returns the words for the object in questions.
func (o Object) name() string { return o.Color.String() + " " + o.Shape.String() }

// Scene is the content of an image: two to four objects in different corners, corner by corner.
type Scene []Object

// Caption returns a complete description: "red circle top left, blue square bottom right".
func (s Scene) Caption() string {
	parts := make([]string, len(s))
	for i, o := range s {
		parts[i] = o.name() + " " + placeNames[2*o.Row+o.Col]
	}
	return strings.Join(parts, ", ")
}

// count returns the number of objects of s for which is holds.
func (s Scene) count(is func(Object) bool) (n int) {
	for _, o := range s {
		if is(o) {
			n++
		}
	}
	return n
}

// drawScene draws two to four objects.
func drawScene(rng *rand.Rand) Scene {
	var s Scene
	taken := map[int]bool{}
	for _, corner := range rng.Perm(4)[:2+rng.IntN(3)] {
		taken[corner] = true
	}
	for corner := range 4 {
		if taken[corner] {
			s = append(s, Object{Shape(rng.IntN(len(shapeNames))), Color(rng.IntN(len(colorNames))), corner / 2, corner % 2})
		}
	}
	return s
}

// paint draws the scene on a gray background, with random positions, sizes, shades and noise: edge×edge×3 bytes.
func (s Scene) paint(rng *rand.Rand, edge int) []uint8 {
	half := float64(edge) / 2
	ground := 90 + 80*rng.Float64()
	type placed struct {
		shape   Shape
		x, y, r float64
		color   [3]float64
	}
	objects := make([]placed, len(s))
	for i, o := range s {
		r := half * (0.26 + 0.12*rng.Float64())
		free := half/2 - r - 0.5
		p := placed{shape: o.Shape, r: r,
			x: half*(float64(o.Col)+0.5) + free*(2*rng.Float64()-1), y: half*(float64(o.Row)+0.5) + free*(2*rng.Float64()-1)}
		shade := 0.8 + 0.25*rng.Float64()
		for k, v := range paints[o.Color] {
			p.color[k] = v * shade
		}
		objects[i] = p
	}
	const fine = 3 // samples per pixel, along each side
	out := make([]uint8, 0, edge*edge*3)
	for y := range edge {
		for x := range edge {
			sum := [3]float64{}
			for k := range fine * fine {
				px, py := float64(x)+(float64(k%fine)+0.5)/fine, float64(y)+(float64(k/fine)+0.5)/fine
				color := [3]float64{ground, ground, ground}
				for _, o := range objects {
					if o.shape.covers((px-o.x)/o.r, (py-o.y)/o.r) {
						color = o.color
					}
				}
				for c, v := range color {
					sum[c] += v / (fine * fine)
				}
			}
			for _, v := range sum {
				out = append(out, uint8(math.Round(min(255, max(0, v+6*rng.NormFloat64())))))
			}
		}
	}
	return out
}

// covers reports whether the shape, of radius 1 around 0, covers a point; y points down.
func (s Shape) covers(x, y float64) bool {
	switch s {
	case Circle:
		return x*x+y*y <= 1
	case Square:
		return max(math.Abs(x), math.Abs(y)) <= 0.85
	case Triangle:
		return y <= 0.85 && y >= 2*math.Abs(x)-1
	default:
		return min(math.Abs(x), math.Abs(y)) <= 0.3 && max(math.Abs(x), math.Abs(y)) <= 1
	}
}
